//! From a judged table to the links that plans are made with.

use super::expect::Limits;
use super::judge::Judged;
use super::links::wire;
use super::verdict::Verdict;
use crate::estimate::{MeasuredLink, MeasuredLinks};

/// The least network of one node, in Gbit/s, that could carry what a table measured between nodes, summed in its switches at
/// best; `None` for one node.
pub fn least_gbps(judged: &Judged, limits: &Limits) -> Option<f64> {
    let (gpus, nodes) = (judged.cluster.gpus?, judged.cluster.nodes.filter(|&nodes| nodes > 1)?);
    let of_one = wire(judged.cluster.collective()?, f64::from(gpus), f64::from(nodes), (1.0, true));
    let gb_per_s = judged.figures?.plateau_gb_per_s / limits.over / of_one;
    gb_per_s.is_finite().then_some(gb_per_s * 8.0)
}

/// The link that a table measured; `None` where it says nothing of one.
///
/// Plans count time as bytes over the bandwidth of a ring, which is what the bus bandwidth is. A plateau that was not
/// reached yet is taken as it stands. Small messages give the latency: an all-reduce is two passes of the group, each
/// with a step for every doubling of it (trees, as in NCCL 2.4 and later).
pub fn links(judged: &Judged) -> Option<MeasuredLinks> {
    let figures = judged.figures?;
    let (gpus, nodes) = (judged.cluster.gpus?, judged.cluster.nodes?);
    let refused =
        matches!(judged.verdict, Verdict::Inconsistent | Verdict::WrongResults | Verdict::SingleGpu);
    let collective = judged.cluster.collective()?;
    if refused || gpus < 2 || figures.plateau_gb_per_s <= 0.0 || !collective.is_ring() {
        return None;
    }
    let passes = if collective == super::Collective::AllReduce { 2.0 } else { 1.0 };
    let doublings = f64::from(gpus).log2().ceil().max(1.0);
    let link = MeasuredLink {
        bytes_per_s: figures.plateau_gb_per_s * 1e9,
        latency_s: figures.latency_us.map(|us| us / 1e6 / passes / doublings),
    };
    Some(if nodes > 1 {
        MeasuredLinks { intra: None, inter: Some(link) }
    } else {
        MeasuredLinks { intra: Some(link), inter: None }
    })
}
