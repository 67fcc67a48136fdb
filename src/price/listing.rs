//! `cost`: what machines cost for some hours, contract by contract, cheapest allowed region first.

use super::bill::{Job, costs};
use super::exchange;
use super::part::Extras;
use super::spot::outlook::{self, Gang, SpotFlags, SpotOutlook};
use super::{Cost, JobHours, in_usd};
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::InstanceId;
use crate::catalog::price::{Billing, Currency, Price, Upfront};
use crate::catalog::region::RegionId;
use crate::catalog::select::{Filter, Miss};
use crate::money::{Usd, UsdPerHour};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Query {
    /// Which machines, regions and ages of prices count; its billing kinds stay empty (see `billing`).
    pub filter: Filter,
    /// Contracts to list.
    pub billing: Vec<Billing>,
    /// How many of each machine; by `gpus` without one, else as few as are sold together.
    pub nodes: Option<u32>,
    /// Exactly so many GPUs in all machines.
    pub gpus: Option<u32>,
    /// At most so many GPUs in all machines.
    pub max_gpus: Option<u32>,
    /// Share below on-demand of the same machine and region from which a spot price counts; both must be known.
    pub min_spot_discount: Option<f64>,
    /// Hours of work that are paid.
    pub hours: f64,
    /// What is used besides these hours.
    pub extras: Extras,
    /// How spot is survived; `None` lists spot by its price alone.
    pub spot: Option<SpotQuestion>,
    /// How many rows each machine gets.
    pub detail: Detail,
}

/// What is said about interruptions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpotQuestion {
    /// Rates and times.
    pub flags: SpotFlags,
    /// Wall time within which the hours shall be done.
    pub deadline_hours: Option<f64>,
}

/// How many rows there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// For each accelerator the cheapest offer of each contract, per GPU-hour.
    CheapestOfGpu,
    /// For each machine the cheapest region of each contract.
    CheapestRegion,
    /// Every region.
    EveryRegion,
}

/// One row: a machine in a region under one contract.
#[derive(Clone, Debug, PartialEq)]
pub struct CostRow {
    /// The machine.
    pub instance: InstanceId,
    /// Where.
    pub region: RegionId,
    /// How many.
    pub nodes: u32,
    /// The bill.
    pub cost: Cost,
    /// Hours from which the commitment is cheaper than on-demand in the same region; `None` where either is unknown.
    pub break_even_hours: Option<f64>,
}

/// The rows and how many prices were left out because they are unknown or too old.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// Rows in the order of the answer.
    pub rows: Vec<CostRow>,
    /// Prices without a figure in US dollars.
    pub unknown: usize,
    /// Those of them that are known in a currency without a rate.
    pub without_rate: BTreeMap<Currency, usize>,
    /// Prices older than allowed.
    pub too_old: usize,
    /// Machines that do not make the asked number of GPUs.
    pub gpu_count: usize,
    /// Spot prices that are not far enough below on-demand.
    pub spot_discount: usize,
    /// Prices that the caller does not allow, such as those over a quota.
    pub not_allowed: usize,
}

impl Query {
    /// How many of a machine with so many GPUs make what is asked; `None` when no number does that is sold.
    fn nodes_of(&self, gpus_each: f64, smallest: u32) -> Option<u32> {
        let whole = |gpus: u32| {
            let nodes = f64::from(gpus) / gpus_each;
            (nodes >= 1.0 && nodes.fract() == 0.0).then_some(nodes as u32)
        };
        let nodes = match (self.nodes, self.gpus) {
            (Some(nodes), _) => nodes,
            (None, Some(gpus)) => whole(gpus)?,
            (None, None) => smallest,
        };
        let total = gpus_each * f64::from(nodes);
        let exact = self.gpus.is_none_or(|gpus| (total - f64::from(gpus)).abs() < 1e-9);
        (nodes >= smallest && exact && self.max_gpus.is_none_or(|most| total <= f64::from(most)))
            .then_some(nodes)
    }
}

/// One price that passes, before any bill is made out: most are dropped for a cheaper one.
#[derive(Clone, Copy)]
struct Offer<'a> {
    instance: InstanceId,
    nodes: u32,
    price: &'a Price,
    /// Price of one GPU-hour in US dollars; `None` is unknown and comes last.
    per_gpu_hour: Option<UsdPerHour>,
}

/// What ranks an offer: without a total last, before it what lacks a part; then the total, then the price.
type Rank = (bool, bool, Option<Usd>, Option<UsdPerHour>);

/// Lists prices for the asked hours.
pub fn list(catalog: &Catalog, query: &Query) -> Listing {
    list_allowed(catalog, query, &mut |_, _| true)
}

/// The same with only those prices of so many machines that are allowed; the others are counted.
pub fn list_allowed(
    catalog: &Catalog,
    query: &Query,
    allowed: &mut dyn FnMut(&Price, u32) -> bool,
) -> Listing {
    let mut listing = Listing::default();
    let mut offers = Vec::new();
    for instance in query.filter.instances(catalog) {
        collect(catalog, query, instance, &mut offers, &mut listing);
    }
    let all = offers.len();
    offers.retain(|offer| allowed(offer.price, offer.nodes));
    listing.not_allowed = all - offers.len();
    let offers = match query.detail {
        Detail::EveryRegion => offers,
        _ if query.extras.depend_on_place() => cheapest_in_all(catalog, query, offers),
        _ => offers,
    };
    let offers = match query.detail {
        Detail::CheapestOfGpu => cheapest(offers, |offer| catalog.instance(offer.instance).gpu),
        Detail::CheapestRegion => cheapest(offers, |offer| offer.instance),
        Detail::EveryRegion => offers,
    };
    listing.rows = offers.iter().filter_map(|offer| row(catalog, query, offer)).collect();
    sort(catalog, query.detail, &mut listing.rows);
    listing
}

/// The prices of one machine that pass; those without a figure in US dollars and those too old are counted.
fn collect<'a>(
    catalog: &'a Catalog,
    query: &Query,
    instance: InstanceId,
    offers: &mut Vec<Offer<'a>>,
    listing: &mut Listing,
) {
    let gpus = catalog.instance(instance).gpus;
    let Some(nodes) = query.nodes_of(gpus, catalog.instance(instance).smallest_count) else {
        listing.gpu_count += 1;
        return;
    };
    for price in catalog.prices_of(instance).iter().filter(|p| query.billing.contains(&p.billing)) {
        match query.filter.price_miss(catalog, price) {
            None if !is_discounted(catalog, query, price) => listing.spot_discount += 1,
            None => {
                let per_gpu_hour = in_usd(price).and_then(|rate| rate.per(gpus));
                listing.unknown += usize::from(per_gpu_hour.is_none());
                if exchange::has_no_rate(price) {
                    *listing.without_rate.entry(price.currency).or_default() += 1;
                }
                offers.push(Offer { instance, nodes, price, per_gpu_hour });
            }
            Some(Miss::Age) => listing.too_old += 1,
            Some(_) => {}
        }
    }
}

/// Whether a spot price is as far below on-demand as asked; every other contract passes.
fn is_discounted(catalog: &Catalog, query: &Query, price: &Price) -> bool {
    let Some(least) = query.min_spot_discount.filter(|_| price.billing == Billing::Spot) else { return true };
    let on_demand = on_demand(catalog, query, price).and_then(in_usd).map(UsdPerHour::to_f64);
    let spot = in_usd(price).map(UsdPerHour::to_f64);
    on_demand.zip(spot).is_some_and(|(on_demand, spot)| 1.0 - spot / on_demand >= least)
}

/// The on-demand price of the same machine and region that passes.
fn on_demand<'a>(catalog: &'a Catalog, query: &Query, price: &Price) -> Option<&'a Price> {
    catalog.prices_of(price.instance).iter().find(|p| {
        p.region == price.region
            && p.billing == Billing::OnDemand
            && query.filter.price_miss(catalog, p).is_none()
    })
}

/// The bill of one offer, against on-demand of the same machine and region.
fn row(catalog: &Catalog, query: &Query, offer: &Offer) -> Option<CostRow> {
    let Offer { instance, nodes, price, .. } = *offer;
    let on_demand = on_demand(catalog, query, price);
    let own = price.billing == Billing::OnDemand;
    let prices: Vec<&Price> = on_demand.filter(|_| !own).into_iter().chain([price]).collect();
    let outlook = query.spot.map_or(SpotOutlook::CALM, |spot| {
        let gang = gang(catalog, instance, nodes);
        // Nothing is known of what runs, so nothing of the size of its checkpoints.
        outlook::of(catalog, &gang, None, &spot.flags, spot.deadline_hours)
    });
    let job = Job {
        nodes,
        gpus_per_node: catalog.instance(instance).gpus,
        hours: JobHours::exactly(query.hours),
        reruns: query.spot.is_some(),
        spot: &outlook,
        charges: query.filter.charges(catalog, instance, price.region),
        extras: query.extras,
    };
    let mut bills = costs(&prices, &job);
    let at = bills.iter().position(|cost| cost.billing == price.billing && cost.upfront == price.upfront)?;
    let cost = bills.swap_remove(at);
    let rate = on_demand.and_then(in_usd).map(|rate| rate.times(nodes));
    let break_even_hours = break_even(&cost, rate);
    let cost = if query.spot.is_some() { cost } else { with_spot_note(cost) };
    Some(CostRow { instance, region: price.region, nodes, cost, break_even_hours })
}

/// The machines of a row, as one gang.
pub fn gang(catalog: &Catalog, instance: InstanceId, nodes: u32) -> Gang<'_> {
    let machine = catalog.instance(instance);
    Gang { gpu: catalog.gpu(machine.gpu), provider: &catalog.provider(machine.provider).name, nodes }
}

fn with_spot_note(mut cost: Cost) -> Cost {
    if cost.billing == Billing::Spot {
        cost.spot = None;
        cost.notes.push(
            "hours as asked, without the reruns that interruptions cause: see recommend --billing spot"
                .into(),
        );
    }
    cost
}

/// A commitment is owed in full, so it pays once on-demand for the hours would cost more than one whole term of it.
fn break_even(cost: &Cost, on_demand: Option<UsdPerHour>) -> Option<f64> {
    let rate = on_demand?.to_f64();
    let term = f64::from(cost.billing.term_hours()?);
    let hours = cost.usd_per_hour?.to_f64() * term / rate;
    (rate > 0.0 && hours <= term).then_some(hours)
}

/// Keeps one offer for each key, contract and upfront: the one with the lowest price per GPU-hour, the first of equals.
fn cheapest<'a, K: Ord>(offers: Vec<Offer<'a>>, key: impl Fn(&Offer) -> K) -> Vec<Offer<'a>> {
    let mut best: BTreeMap<(K, Billing, Option<Upfront>), Offer<'a>> = BTreeMap::new();
    let rank = |offer: &Offer| (offer.per_gpu_hour.is_none(), offer.per_gpu_hour);
    for offer in offers {
        let slot = best.entry((key(&offer), offer.price.billing, offer.price.upfront)).or_insert(offer);
        if rank(&offer) < rank(slot) {
            *slot = offer;
        }
    }
    best.into_values().collect()
}

/// Keeps one offer for each machine, contract and upfront: the one with the lowest total, disks and data included.
fn cheapest_in_all<'a>(catalog: &Catalog, query: &Query, offers: Vec<Offer<'a>>) -> Vec<Offer<'a>> {
    let mut best: BTreeMap<(InstanceId, Billing, Option<Upfront>), (Offer<'a>, Rank)> = BTreeMap::new();
    for offer in offers {
        let cost = row(catalog, query, &offer).map(|row| row.cost);
        let total = cost.as_ref().and_then(|cost| cost.total);
        let rank = (total.is_none(), cost.is_some_and(|cost| cost.at_least), total, offer.per_gpu_hour);
        match best.entry((offer.instance, offer.price.billing, offer.price.upfront)) {
            Entry::Vacant(slot) => drop(slot.insert((offer, rank))),
            Entry::Occupied(mut slot) if rank < slot.get().1 => drop(slot.insert((offer, rank))),
            Entry::Occupied(_) => {}
        }
    }
    best.into_values().map(|(offer, _)| offer).collect()
}

/// By accelerator, then contract where GPUs are compared; by total otherwise. Unknown last, before it what lacks a part,
/// names break ties.
fn sort(catalog: &Catalog, detail: Detail, rows: &mut [CostRow]) {
    let gpu = |row: &CostRow| -> GpuId { catalog.instance(row.instance).gpu };
    rows.sort_by(|a, b| {
        let by_gpu = if detail == Detail::CheapestOfGpu {
            gpu(a).cmp(&gpu(b)).then(a.cost.billing.cmp(&b.cost.billing))
        } else {
            std::cmp::Ordering::Equal
        };
        let total = |row: &CostRow| (row.cost.total.is_none(), row.cost.at_least, row.cost.total);
        by_gpu.then(total(a).cmp(&total(b))).then(
            (a.instance, a.region, a.cost.billing, a.cost.upfront).cmp(&(
                b.instance,
                b.region,
                b.cost.billing,
                b.cost.upfront,
            )),
        )
    });
}
