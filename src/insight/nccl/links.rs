//! What joins the GPUs of a node, and the most that links and network cards can carry.

use super::Collective;
use super::expect::low_of;
use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::estimate::Machine;

/// The link of each GPU inside a node, one direction, in 10^9 bytes per second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Of the worst choice of so many GPUs of a node.
    pub(super) low: f64,
    /// Of the best choice.
    pub(super) usual: f64,
    /// More than PCIe.
    pub(super) fast: bool,
    /// The switch can sum.
    sums: bool,
    /// There is no switch, and so many GPUs are a part of the mesh.
    pub(super) mesh: bool,
}

impl Link {
    /// The most bus bandwidth that it carries over `n` ranks. Where the switch sums, each GPU sends and receives once what the
    /// formula of an all-reduce counts 2(n-1)/n times.
    pub(super) fn carries(&self, collective: Collective, n: f64) -> f64 {
        match collective {
            Collective::AllReduce if self.sums => self.usual * (2.0 * (n - 1.0) / n).max(1.0),
            Collective::Hypercube => f64::INFINITY,
            _ => self.usual,
        }
    }
}

/// The link of `each` GPUs of a node. In a mesh without a switch it depends on how many of them take part; `None` where that
/// is not known.
pub(super) fn of(catalog: &Catalog, gpu: &Gpu, each: u32, printed: Option<&str>) -> Option<Link> {
    let machine = Machine::of_gpu(catalog, gpu, each).ok()?;
    let (full, fast) = (machine.intra_bytes_per_s / 1e9, machine.fast_intra);
    if full <= 0.0 {
        return None;
    }
    let plain = Link { low: full, usual: full, fast, sums: fast && sums(catalog, gpu), mesh: false };
    let mesh = |n: u32| catalog.constant("network-mesh-share", Some(gpu), None, Some(&n.to_string()), n);
    // The third form of that module sits on boards with a switch.
    let switched = printed.is_some_and(|name| name.contains("SXM3"));
    if !fast || switched || mesh(2).is_none() {
        return Some(plain);
    }
    let share = mesh(each)?;
    Some(Link { low: full * low_of(share), usual: full * share.value, mesh: share.value < 1.0, ..plain })
}

fn sums(catalog: &Catalog, gpu: &Gpu) -> bool {
    let least = catalog.constant("network-sums-capability", None, None, None, 1).map(|it| it.value);
    let own = gpu.compute_capability.as_deref().and_then(|text| text.parse::<f64>().ok());
    !gpu.link_pairs_only && own.zip(least).is_some_and(|(own, least)| own >= least)
}

/// The PCIe slot of a card.
pub(super) fn slot(catalog: &Catalog, gpu: &Gpu) -> Option<Link> {
    let plain = Gpu { link_bytes_per_s: None, ..gpu.clone() };
    let full = Machine::of_gpu(catalog, &plain, 2).ok()?.intra_bytes_per_s / 1e9;
    (full > 0.0).then_some(Link { low: full, usual: full, fast: false, sums: false, mesh: false })
}

/// The most bus bandwidth of `n` ranks on `k` nodes whose cards carry `node` each: as if the data of a node crossed once, and,
/// where the fabric `sums`, an all-reduce were summed in its switches.
pub(super) fn wire(collective: Collective, n: f64, k: f64, (node, sums): (f64, bool)) -> f64 {
    let once = collective.wire_share(n, k).map_or(0.0, |share| node * k / n / share);
    match collective {
        Collective::AllToAll => once,
        Collective::AllReduce if sums => once.max(node * 2.0 * (n - 1.0) / n).max(node),
        Collective::Hypercube => f64::INFINITY,
        _ => once.max(node),
    }
}
