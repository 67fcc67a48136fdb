//! What is rented now and what would do for less: machines of the catalog that hold what a log of use needs.
//!
//! No log is read here and nothing is judged: needs come in as bytes and shares of the present GPU.

use crate::catalog::Catalog;
use crate::catalog::gpu::{Gpu, GpuId};
use crate::catalog::instance::{Instance, InstanceId};
use crate::catalog::price::{Billing, Price};
use crate::catalog::provenance::SourceId;
use crate::catalog::region::RegionId;
use crate::catalog::select::Filter;
use crate::money::UsdPerHour;
use crate::price::in_usd;
use std::cmp::Reverse;

/// What runs on one GPU at its peak, headroom included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Memory in bytes.
    pub memory: f64,
    /// Share of the present GPU's arithmetic, 0 to 1.
    pub compute: f64,
    /// Share of the present GPU's memory bandwidth, 0 to 1.
    pub bandwidth: f64,
}

/// Machines in a region under a contract, for all that runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The machine.
    pub instance: InstanceId,
    /// Where.
    pub region: RegionId,
    /// How many.
    pub nodes: u32,
    /// The contract.
    pub billing: Billing,
    /// GPUs that are taken of them.
    pub gpus_used: u32,
    /// GPUs of the machines that the log does not have.
    pub gpus_unseen: u32,
    /// Price for one hour of all machines, whole.
    pub per_hour: UsdPerHour,
    /// The part of it that the GPUs in the log make up; all of it where there are no others.
    pub share_per_hour: UsdPerHour,
    /// Where the price comes from.
    pub source: SourceId,
    /// The price came from an overlay.
    pub overridden: bool,
    /// The link between its GPUs is slower than now, and several of them are used.
    pub slower_link: bool,
}

/// The cheapest price of a machine that passes, first of equals.
fn cheapest<'c>(catalog: &'c Catalog, filter: &Filter, id: InstanceId) -> Option<(UsdPerHour, &'c Price)> {
    let passing = catalog.prices_of(id).iter().filter(|price| filter.price_miss(catalog, price).is_none());
    let priced = passing.filter_map(|price| Some((in_usd(price)?, price)));
    priced.min_by_key(|(rate, price)| (*rate, price.region))
}

fn offer(id: InstanceId, nodes: u32, gpus_used: u32, per_hour: UsdPerHour, price: &Price) -> Offer {
    Offer {
        instance: id,
        region: price.region,
        nodes,
        billing: price.billing,
        gpus_used,
        gpus_unseen: 0,
        per_hour,
        share_per_hour: per_hour,
        source: price.source,
        overridden: price.overridden,
        slower_link: false,
    }
}

/// What GPUs in hosts of these sizes cost now: the machine of the filter, else the cheapest one with as many of the GPU
/// as the largest host shows, else with the next larger number. `None` where no price is known.
pub fn rented(catalog: &Catalog, filter: &Filter, gpu: GpuId, hosts: &[u32]) -> Option<Offer> {
    let largest = f64::from(*hosts.iter().max()?);
    let seen: u32 = hosts.iter().sum();
    let machine = |id: InstanceId| catalog.instance(id);
    let named = !filter.instances.is_empty();
    let holds = |id: &InstanceId| {
        let own = machine(*id);
        !own.is_fractional() && own.gpu == gpu && (named || own.gpus >= largest)
    };
    let offers = filter.instances(catalog).into_iter().filter(holds).filter_map(|id| {
        let gpus = machine(id).whole_gpus();
        let nodes: u32 = hosts.iter().map(|seen| seen.div_ceil(gpus)).sum();
        let (rate, price) = cheapest(catalog, filter, id)?;
        let unseen = (nodes * gpus).saturating_sub(seen);
        let whole = rate.times(nodes);
        let share_per_hour = if unseen == 0 { whole } else { rate.per(f64::from(gpus))?.times(seen) };
        Some(Offer { gpus_unseen: unseen, share_per_hour, ..offer(id, nodes, seen, whole, price) })
    });
    offers.min_by_key(|offer| (offer.gpus_unseen, offer.per_hour, offer.instance))
}

/// The cheapest machines below a price that hold all pieces: memory piece by piece, and the arithmetic and bandwidth of
/// the pieces on one GPU together. Never more machines than there are hosts now, and several only where the network
/// between them is known. A GPU that does BF16 is followed by one that does.
pub fn smaller(
    catalog: &Catalog,
    filter: &Filter,
    from: GpuId,
    pieces: &[Piece],
    hosts: u32,
    below: UsdPerHour,
) -> Option<Offer> {
    let present = catalog.gpu(from);
    let offers = filter.instances(catalog).into_iter().filter_map(|id| {
        let instance = catalog.instance(id);
        let gpu = catalog.gpu(instance.gpu);
        let used = gpus_for(present, gpu, instance, pieces)?;
        let nodes = used.div_ceil(instance.whole_gpus()).max(instance.smallest_count);
        let joined = nodes == 1 || nodes <= hosts && instance.network_gbps.is_some();
        let (rate, price) = cheapest(catalog, filter, id).filter(|_| joined)?;
        let slower_link = used > 1
            && present.link_bytes_per_s.is_some_and(|link| gpu.link_bytes_per_s.is_none_or(|own| own < link));
        Some(Offer { slower_link, ..offer(id, nodes, used, rate.times(nodes), price) })
    });
    let room = |offer: &Offer| {
        let instance = catalog.instance(offer.instance);
        let most = |figure: Option<f64>| Reverse(figure.map_or(0, |figure| figure as u64));
        (most(instance.ram_gib), most(instance.vcpus), offer.instance)
    };
    offers.filter(|offer| offer.per_hour < below).min_by_key(|offer| (offer.per_hour, room(offer)))
}

/// How many of a machine's GPUs hold the pieces, largest first into the first GPU with room; `None` where one does not
/// fit at all, or where no peak of both GPUs is known.
fn gpus_for(present: &Gpu, gpu: &Gpu, instance: &Instance, pieces: &[Piece]) -> Option<u32> {
    if present.bf16 && !gpu.bf16 {
        return None;
    }
    let share = instance.gpus.min(1.0);
    let part = (instance.gpu_memory_bytes as f64 / gpu.memory_bytes as f64).min(1.0);
    let usable = gpu.usable_bytes as f64 * part;
    // Activity is a share of the present GPU's peaks, so it is worth the ratio of the peaks on another one.
    let compute = ratio(present, gpu)? * share;
    let bandwidth = gpu.bandwidth_bytes_per_s / present.bandwidth_bytes_per_s * part.min(share);
    let mut sorted: Vec<&Piece> = pieces.iter().collect();
    sorted.sort_by(|a, b| b.memory.total_cmp(&a.memory));
    let mut gpus: Vec<Piece> = Vec::new();
    for piece in sorted {
        let fits = |on: &Piece| {
            on.memory + piece.memory <= usable
                && on.compute + piece.compute <= compute
                && on.bandwidth + piece.bandwidth <= bandwidth
        };
        let empty = Piece { memory: 0.0, compute: 0.0, bandwidth: 0.0 };
        if let Some(on) = gpus.iter_mut().find(|on| fits(on)) {
            on.memory += piece.memory;
            on.compute += piece.compute;
            on.bandwidth += piece.bandwidth;
        } else if fits(&empty) {
            gpus.push(*piece);
        } else {
            return None;
        }
    }
    (!gpus.is_empty()).then_some(gpus.len() as u32)
}

/// Dense peak of one GPU over that of another, in the narrowest format of training that both have a figure for.
fn ratio(present: &Gpu, gpu: &Gpu) -> Option<f64> {
    let (a, b) = (&present.peaks, &gpu.peaks);
    let formats = [(a.bf16, b.bf16), (a.fp16, b.fp16), (a.fp32, b.fp32)];
    formats.into_iter().find_map(|(present, other)| Some(other? / present.filter(|peak| *peak > 0.0)?))
}

#[cfg(test)]
mod tests;
