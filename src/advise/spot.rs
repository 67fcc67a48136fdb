//! Spot in the search: how interruptions look on a machine, what the answer took for granted about them, what is refused.

use super::Recommendation;
use super::limits::Limits;
use super::lot::Run;
use crate::catalog::Catalog;
use crate::catalog::instance::InstanceId;
use crate::catalog::price::Billing;
use crate::diag::{Assumption, Warning};
use crate::price::listing::gang;
use crate::price::spot::outlook::{self, Gang, SpotOutlook};

/// The rate at which one node writes a checkpoint, in the catalog.
const WRITE_RATE: &str = "checkpoint-write-bytes-per-s";

/// Interruptions of a run on a machine, with the time that all its nodes together need to write a checkpoint.
pub(super) fn outlook(catalog: &Catalog, limits: &Limits, instance: InstanceId, run: &Run) -> SpotOutlook {
    let gang = gang(catalog, instance, run.nodes);
    let rate = catalog.constant(WRITE_RATE, Some(gang.gpu), None, Some(gang.provider), run.nodes);
    let hours = rate.map(|rate| run.checkpoint_bytes / rate.value / f64::from(run.nodes) / 3600.0);
    outlook::of(catalog, &gang, hours, &limits.spot, limits.deadline_hours)
}

/// What the spot rows of an answer took for granted; `checkpoint_bytes` is the checkpoint of a job that loses work.
pub(super) fn assumptions(
    catalog: &Catalog,
    limits: &Limits,
    rows: &[Recommendation],
    checkpoint_bytes: Option<f64>,
) -> Vec<Assumption> {
    let on_spot = rows.iter().filter(|row| row.costs.iter().any(|cost| cost.billing == Billing::Spot));
    let gangs: Vec<Gang> = on_spot.map(|row| gang(catalog, row.instance, row.nodes)).collect();
    if gangs.is_empty() {
        return Vec::new();
    }
    let reruns = checkpoint_bytes.is_some();
    let mut all = outlook::assumptions(catalog, &limits.spot, &gangs, (reruns, true));
    let saves = limits.spot.checkpoint_hours.is_none() && limits.spot.saves();
    all.extend(checkpoint_bytes.filter(|_| saves).map(|bytes| {
        Assumption {
            id: "checkpoint-size",
            value: format!("{:.3} GB", bytes / 1e9),
            why:
                "no --checkpoint-time given: weights, master weights and optimizer states of what is trained"
                    .to_owned(),
            source: "counted from the shape, the method and the optimizer (first row)".to_owned(),
        }
    }));
    all
}

/// Says of the rows that spot was asked for and does not pay there.
pub(super) fn refused(catalog: &Catalog, limits: &Limits, rows: &[Recommendation]) -> Option<Warning> {
    if !limits.billing.contains(&Billing::Spot) {
        return None;
    }
    let told = |row: &Recommendation| {
        let spot = row.costs.iter().find(|cost| cost.billing == Billing::Spot)?;
        let note = spot.notes.iter().find(|note| note.starts_with("refused: "))?;
        let machine = catalog.instance(row.instance);
        let provider = &catalog.provider(machine.provider).name;
        Some(format!("{} x {provider}/{}: spot is {note}", row.nodes, machine.name))
    };
    let all: Vec<String> = rows.iter().filter_map(told).collect();
    let first = all.first()?;
    let more = if all.len() > 1 { format!(" (and {} more rows)", all.len() - 1) } else { String::new() };
    Some(Warning { id: "spot-refused", message: format!("{first}{more}") })
}
