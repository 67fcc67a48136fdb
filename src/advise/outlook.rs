//! How spot is survived: interruption rates, checkpoint and restart times from flags, else from the sourced constants.

use super::limits::{Checkpoints, SpotFlags};
use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::diag::Assumption;
use crate::price::bill::SpotOutlook;
use crate::price::spot::SpotTerms;

/// Rates and times for one accelerator and node count; without sourced constants spot is taken as never interrupted
/// only if the user said so, else as hopeless.
pub(super) fn of(
    catalog: &Catalog,
    gpu: &Gpu,
    nodes: u32,
    saved_params: f64,
    flags: &SpotFlags,
) -> SpotOutlook {
    let rate = catalog.constant("spot-interruptions", Some(gpu), None, None, nodes);
    let (low, expected, high) = match (flags.interruptions_per_node_hour, rate) {
        (Some(asked), _) => (asked, asked, asked),
        (None, Some(c)) => (c.range.map_or(c.value, |r| r.0), c.value, c.range.map_or(c.value, |r| r.1)),
        (None, None) => (f64::INFINITY, f64::INFINITY, f64::INFINITY),
    };
    let value = |key: &str, fallback: f64| {
        catalog.constant(key, Some(gpu), None, None, nodes).map_or(fallback, |c| c.value)
    };
    let written_per_hour = value("checkpoint-write-bytes-per-s", f64::INFINITY) * 3600.0 * f64::from(nodes);
    let checkpoint_hours = flags
        .checkpoint_hours
        .unwrap_or(saved_params * value("checkpoint-bytes-per-param", 0.0) / written_per_hour);
    let restart_hours = flags.restart_hours.unwrap_or(value("restart-hours", 0.0));
    let terms = |interruptions_per_node_hour| SpotTerms {
        interruptions_per_node_hour,
        checkpoint_interval_hours: match flags.checkpoints {
            Checkpoints::Every(hours) => Some(hours),
            Checkpoints::Auto | Checkpoints::Never => None,
        },
        checkpoint_hours,
        restart_hours,
        checkpoints: flags.checkpoints != Checkpoints::Never,
    };
    SpotOutlook { low: terms(low), expected: terms(expected), high: terms(high) }
}

/// What the outlook took for granted, for the list of assumptions.
///
/// A job that loses no work writes no checkpoint of its own, and its restarts only take capacity away for a while.
pub(super) fn assumptions(catalog: &Catalog, flags: &SpotFlags, reruns: bool) -> Vec<Assumption> {
    let sourced = |id, key: &str, unit: &str, why: &str| {
        let constant = catalog.constants.iter().find(|c| c.key == key)?;
        let range = constant.range.map_or(String::new(), |(low, high)| format!(" ({low} to {high})"));
        Some(Assumption {
            id,
            value: format!("{}{range} {unit}", constant.value),
            why: why.to_owned(),
            source: catalog.source(constant.source).text.clone(),
        })
    };
    let mut list = Vec::new();
    if flags.interruptions_per_node_hour.is_none() {
        let why = "no --interruptions-per-hour given: measured losses of V100 spot nodes; other GPUs may be calmer or worse";
        list.extend(sourced("spot-interruptions", "spot-interruptions", "per node and hour", why));
    }
    if !reruns {
        return list;
    }
    if flags.checkpoint_hours.is_none() && flags.checkpoints != Checkpoints::Never {
        let why = "no --checkpoint-time given: bytes per parameter over the write rate of each node";
        list.extend(sourced("checkpoint-size", "checkpoint-bytes-per-param", "bytes per parameter", why));
        list.extend(sourced("checkpoint-write", "checkpoint-write-bytes-per-s", "bytes/s per node", why));
    }
    if flags.restart_hours.is_none() {
        list.extend(sourced("restart-time", "restart-hours", "h", "no --restart-time given"));
    }
    list
}
