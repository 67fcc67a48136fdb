//! Machines that are the same to physics, so that each shape is computed once and priced many times.

use super::limits::Limits;
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::{Instance, InstanceId, Unit};
use std::collections::BTreeMap;

/// What physics sees of a machine; floats by their bits, so that equal figures are equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    gpu: GpuId,
    gpus: u64,
    memory_bytes: u64,
    network: Option<u64>,
    measured: bool,
    unit: Unit,
}

/// One hardware shape and the machines that have it.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The machines, in catalog order; never empty.
    pub(super) instances: Vec<InstanceId>,
}

impl Shape {
    /// One of the machines: physics is the same for all.
    pub(super) fn sample(&self) -> InstanceId {
        self.instances[0]
    }
}

/// Groups the allowed machines by shape, in catalog order of their first member.
pub(super) fn group(catalog: &Catalog, instances: &[InstanceId], limits: &Limits) -> Vec<Shape> {
    let mut shapes: BTreeMap<Key, Vec<InstanceId>> = BTreeMap::new();
    for &id in instances {
        let i = catalog.instance(id);
        let key = Key {
            gpu: i.gpu,
            gpus: i.gpus.to_bits(),
            memory_bytes: i.gpu_memory_bytes,
            network: i.network_gbps.map(f64::to_bits),
            measured: limits.measured.as_ref().is_some_and(|measured| measured.holds_for(id, i)),
            unit: i.unit,
        };
        shapes.entry(key).or_default().push(id);
    }
    let mut shapes: Vec<Shape> = shapes.into_values().map(|instances| Shape { instances }).collect();
    shapes.sort_by_key(|shape| shape.instances[0]);
    shapes
}

/// Most of a machine that may be planned: what the limits allow, one where its network is unknown, none where even the
/// smallest number that is sold is too many.
pub(super) fn most_nodes(instance: &Instance, limits: &Limits, can_scale_out: bool) -> u32 {
    let allowed = (limits.max_gpus / instance.whole_gpus()).min(limits.max_nodes.unwrap_or(u32::MAX));
    let most = if can_scale_out { allowed } else { allowed.min(1) };
    if most < instance.smallest_count { 0 } else { most }
}

/// How many of a machine are tried, fewest first: powers of two and three halves of them, or what `--gpus` asks.
///
/// A machine whose network is unknown is offered alone; TPU chips are sold in slices of powers of two. A share of a GPU
/// is not a GPU, so `--gpus` never means one.
pub(super) fn node_counts(instance: &Instance, limits: &Limits, can_scale_out: bool) -> Vec<u32> {
    let most = most_nodes(instance, limits, can_scale_out);
    let mut counts = allowed_counts(instance, limits, most);
    if let Some(nodes) = limits.nodes {
        let of_gpus = limits.gpus.is_none() || counts.contains(&nodes);
        counts =
            if of_gpus && (instance.smallest_count..=most).contains(&nodes) { vec![nodes] } else { vec![] };
    }
    counts
}

fn allowed_counts(instance: &Instance, limits: &Limits, most: u32) -> Vec<u32> {
    if let Some(asked) = limits.gpus {
        let (gpus, nodes) = (instance.whole_gpus(), asked / instance.whole_gpus());
        let exact = asked.is_multiple_of(gpus) && (instance.smallest_count..=most).contains(&nodes);
        return if exact && !instance.is_fractional() { vec![nodes] } else { Vec::new() };
    }
    let powers = (0..31).map(|k| 1_u32 << k);
    let mut counts: Vec<u32> = if instance.unit == Unit::Chip {
        powers.collect()
    } else {
        powers.flat_map(|p| [p, p + p / 2]).collect()
    };
    counts.retain(|&n| (instance.smallest_count..=most).contains(&n));
    counts.dedup();
    counts
}
