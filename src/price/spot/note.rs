//! What a spot row says besides its figures: that it is refused, what the plan is, what the notice is good for.

use super::missing_share;
use crate::money::Usd;
use crate::price::Cost;
use crate::price::bill::Job;

/// The cautions of a spot row, with what the job costs on demand.
pub(in crate::price) fn of(row: &Cost, job: &Job, on_demand: Option<Usd>) -> Vec<String> {
    if row.usd_per_hour.is_none() {
        return Vec::new();
    }
    let mut notes = if job.reruns { rerun(row, job, on_demand) } else { service(row, job) };
    if job.reruns && job.spot.expected.interruptions_per_hour > 0.0 {
        notes.extend(job.spot.notes.iter().cloned());
    }
    notes
}

/// Whether the reruns leave anything of the discount.
fn rerun(row: &Cost, job: &Job, on_demand: Option<Usd>) -> Vec<String> {
    let hours = plain(job.hours.expected);
    let Some(run) = &row.spot else {
        let years = job.spot.expected.never_ends_hours / 8760.0;
        return vec![format!(
            "refused: at the expected rate of interruptions a job of {hours} h never ends on spot (it loses more than {years:.0} years)"
        )];
    };
    let mut notes = Vec::new();
    if let Some(((spot, on_demand), _)) =
        row.total.zip(on_demand).zip(row.ratio_to_on_demand.filter(|&ratio| ratio >= 1.0))
    {
        notes.push(format!(
            "refused: {} billed hours are expected on spot for {hours} h of work, {spot} USD against {on_demand} USD on \
             demand",
            plain(run.billed_hours)
        ));
    }
    if let Some(chance) = run.fallback_probability {
        let allowed = job.spot.expected.fallback_after.unwrap_or_default();
        notes.push(format!(
            "goes on on demand after {allowed} interruption{}, with a chance of {:.0} %: {} of the billed hours are expected \
             at the on-demand price",
            if allowed == 1 { "" } else { "s" },
            chance * 100.0,
            plain(run.on_demand_hours)
        ));
        if row.total.is_none() {
            notes.push("the on-demand price that it needs is not known here".to_owned());
        }
    } else if row.high.is_none() {
        notes.push("at the highest rate of interruptions that a source supports it never ends".to_owned());
    }
    notes
}

/// Hours with one decimal, three below ten.
fn plain(hours: f64) -> String {
    if hours < 10.0 { format!("{hours:.3}") } else { format!("{hours:.1}") }
}

/// A service loses capacity, not work.
fn service(row: &Cost, job: &Job) -> Vec<String> {
    let Some(run) = row.spot.filter(|run| run.interruptions > 0.0) else { return Vec::new() };
    let terms = &job.spot.expected;
    let share = missing_share(job.spot.per_node_hour, terms) * 100.0;
    vec![format!(
        "interruptions cost a service capacity and no reruns: {:.1} are expected, each machine is away {share:.1} % of the time \
         ({:.2} h each), which more replicas must bear",
        run.interruptions,
        terms.restart_hours + terms.capacity_wait_hours
    )]
}
