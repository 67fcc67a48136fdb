//! Spot: what interruptions do to a job. Reruns are part of the cost; a spot price alone is none.
//!
//! Interruptions of a gang come at random with the mean time M between them while it runs. Work of T hours is cut into
//! segments of τ; each ends with a checkpoint of δ and is done again from its start, after a billed restart of R, when it
//! is interrupted. The expected busy time is M·exp(R/M)·(exp((τ+δ)/M) − 1)·T/τ (Daly 2006, "A higher order estimate of
//! the optimum checkpoint interval for restart dumps", eq. 20), which is exact for this process. Waiting for capacity is
//! wall time that nobody bills. No price and no byte is known here.

mod daly;
mod deadline;
mod fallback;
pub(super) mod note;
pub mod outlook;

pub use daly::optimal_interval_hours;

/// How often a job writes checkpoints: `--checkpoint-interval`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Checkpoints {
    /// At the interval with the least expected time.
    #[default]
    Auto,
    /// Never: every interruption starts the job again.
    Never,
    /// Every so many hours of work.
    Every(f64),
}

/// How a gang of spot machines is interrupted and how its job copes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotTerms {
    /// Interruptions of the whole gang for an hour in which it runs.
    pub interruptions_per_hour: f64,
    /// When checkpoints are written.
    pub checkpoints: Checkpoints,
    /// Hours that writing one checkpoint takes.
    pub checkpoint_hours: f64,
    /// The shortest interval that [`Checkpoints::Auto`] may choose, in hours.
    pub shortest_interval_hours: f64,
    /// Billed hours from a restart until work goes on.
    pub restart_hours: f64,
    /// Hours without machines after an interruption, which are not billed.
    pub capacity_wait_hours: f64,
    /// The job goes on on demand after so many interruptions, at least 1; `None` stays on spot.
    pub fallback_after: Option<u32>,
    /// Expected hours lost to interruptions above which a job is said never to end.
    pub never_ends_hours: f64,
}

impl SpotTerms {
    /// No interruption at all.
    pub const CALM: Self = Self {
        interruptions_per_hour: 0.0,
        checkpoints: Checkpoints::Auto,
        checkpoint_hours: 0.0,
        shortest_interval_hours: 0.0,
        restart_hours: 0.0,
        capacity_wait_hours: 0.0,
        fallback_after: None,
        never_ends_hours: f64::INFINITY,
    };
}

/// What interruptions do to one job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotRun {
    /// Expected hours that are billed, reruns, checkpoints and restarts included.
    pub billed_hours: f64,
    /// Those of them that are on demand, after too many interruptions.
    pub on_demand_hours: f64,
    /// Expected hours until the job is done, with the waits for capacity.
    pub wall_hours: f64,
    /// Expected number of interruptions.
    pub interruptions: f64,
    /// Hours between checkpoints; `None` without.
    pub checkpoint_interval_hours: Option<f64>,
    /// Chance that the job ends up on demand; `None` without that plan.
    pub fallback_probability: Option<f64>,
    /// Chance to be done within the deadline; `None` without one.
    pub deadline_probability: Option<f64>,
}

/// A job cut at its checkpoints: `whole` segments alike, and a shorter one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Segments {
    /// How many segments are alike.
    whole: f64,
    /// Hours of each of them without interruption, the checkpoint at its end included.
    hours: f64,
    /// Hours of the shorter last one; 0 where there is none.
    last_hours: f64,
    /// Hours of work between checkpoints; `None` without.
    interval: Option<f64>,
}

impl Segments {
    /// Cuts `work_hours` as the terms say. The last segment also ends with a checkpoint: the result.
    fn of(work_hours: f64, terms: &SpotTerms) -> Self {
        let calm = terms.interruptions_per_hour <= 0.0;
        let every = match terms.checkpoints {
            Checkpoints::Every(hours) => hours.min(work_hours),
            Checkpoints::Auto if !calm => daly::best_interval_hours(work_hours, terms),
            // Where nothing interrupts, nothing has to be saved.
            Checkpoints::Auto | Checkpoints::Never => {
                return Self { whole: 1.0, hours: work_hours, last_hours: 0.0, interval: None };
            }
        };
        let saved = terms.checkpoint_hours;
        let whole = (work_hours / every * (1.0 + f64::EPSILON)).floor().max(1.0);
        let rest = work_hours - whole * every;
        let last_hours = if rest > 1e-9 * every { rest + saved } else { 0.0 };
        Self { whole, hours: every + saved, last_hours, interval: Some(every) }
    }

    /// Hours without any interruption.
    fn calm_hours(&self) -> f64 {
        self.whole * self.hours + self.last_hours
    }
}

/// What becomes of `work_hours` of work; `None` when the job would practically never end.
pub fn run(work_hours: f64, terms: &SpotTerms) -> Option<SpotRun> {
    if work_hours <= 0.0 {
        return None;
    }
    let segments = Segments::of(work_hours, terms);
    let rate = terms.interruptions_per_hour;
    if let Some(allowed) = terms.fallback_after.filter(|_| rate > 0.0) {
        return Some(fallback::Plan::new(work_hours, &segments, terms, allowed).run());
    }
    let busy = if rate > 0.0 {
        let expected = |hours| daly::segment_hours(hours, 1.0 / rate, terms.restart_hours);
        segments.whole * expected(segments.hours) + expected(segments.last_hours)
    } else {
        segments.calm_hours()
    };
    let interruptions = busy * rate;
    (busy - work_hours <= terms.never_ends_hours).then_some(SpotRun {
        billed_hours: busy,
        on_demand_hours: 0.0,
        wall_hours: busy + interruptions * terms.capacity_wait_hours,
        interruptions,
        checkpoint_interval_hours: segments.interval,
        fallback_probability: terms.fallback_after.map(|_| 0.0),
        deadline_probability: None,
    })
}

/// Chance that `work_hours` of work are done within `deadline_hours` of wall time, 0 to 1.
pub fn deadline_probability(work_hours: f64, terms: &SpotTerms, deadline_hours: f64) -> f64 {
    let segments = Segments::of(work_hours, terms);
    match terms.fallback_after.filter(|_| terms.interruptions_per_hour > 0.0) {
        Some(allowed) => {
            fallback::Plan::new(work_hours, &segments, terms, allowed).deadline_probability(deadline_hours)
        }
        None => deadline::probability(&segments, terms, deadline_hours),
    }
}

/// What interruptions do to a service: no work is lost, but machines are missing for a while. The share of the hours
/// that they are away, on average over the gang; each machine is away for its own interruptions only.
fn missing_share(interruptions_per_node_hour: f64, terms: &SpotTerms) -> f64 {
    let away = interruptions_per_node_hour * (terms.restart_hours + terms.capacity_wait_hours);
    away / (1.0 + away)
}

#[cfg(test)]
mod tests;
