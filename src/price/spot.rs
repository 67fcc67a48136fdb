//! Spot: what interruptions do to a job. Reruns are part of the cost; a spot price alone is none.
//!
//! With the mean time between interruptions of the whole gang M = 1/(λ·nodes), interval τ, checkpoint write δ and
//! billed restart R, the expected busy time for T hours of work is M·exp(R/M)·(exp((τ+δ)/M) − 1)·T/τ
//! (Daly 2006, "A higher order estimate of the optimum checkpoint interval", eq. 5 and 20).

/// Expected busy hours above which a job is said never to end (114 years).
const HOPELESS_HOURS: f64 = 1e6;

/// How a spot job copes with interruptions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotTerms {
    /// Interruptions per node and hour.
    pub interruptions_per_node_hour: f64,
    /// Hours between checkpoints; `None` takes the optimum.
    pub checkpoint_interval_hours: Option<f64>,
    /// Hours that writing one checkpoint takes.
    pub checkpoint_hours: f64,
    /// Billed hours from restart until work goes on.
    pub restart_hours: f64,
    /// Whether the job writes checkpoints at all.
    pub checkpoints: bool,
}

impl SpotTerms {
    /// No interruption at all.
    pub const CALM: Self = Self {
        interruptions_per_node_hour: 0.0,
        checkpoint_interval_hours: None,
        checkpoint_hours: 0.0,
        restart_hours: 0.0,
        checkpoints: false,
    };
}

/// What interruptions do to one job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotRun {
    /// Expected hours that are billed, reruns, checkpoints and restarts included.
    pub billed_hours: f64,
    /// Expected number of interruptions.
    pub interruptions: f64,
    /// Hours between checkpoints; `None` without.
    pub checkpoint_interval_hours: Option<f64>,
}

/// The interval with the least expected busy time: Daly (2006) eq. 37, exact enough for δ < 2M.
pub fn optimal_interval_hours(mean_hours_between: f64, checkpoint_hours: f64) -> f64 {
    let (m, d) = (mean_hours_between, checkpoint_hours);
    if d >= 2.0 * m {
        return m;
    }
    let x = (d / (2.0 * m)).sqrt();
    ((2.0 * d * m).sqrt() * (1.0 + x / 3.0 + x * x / 9.0) - d).max(1e-3)
}

/// Expected billed hours of `work_hours` on `nodes` nodes; `None` when the job would practically never end.
pub fn run(work_hours: f64, nodes: u32, terms: &SpotTerms) -> Option<SpotRun> {
    let rate = terms.interruptions_per_node_hour * f64::from(nodes);
    if rate <= 0.0 {
        return Some(SpotRun {
            billed_hours: work_hours,
            interruptions: 0.0,
            checkpoint_interval_hours: None,
        });
    }
    let m = 1.0 / rate;
    let (interval, factor, checkpoint) = if terms.checkpoints {
        let interval = terms
            .checkpoint_interval_hours
            .unwrap_or_else(|| optimal_interval_hours(m, terms.checkpoint_hours))
            .min(work_hours);
        (interval, work_hours / interval, terms.checkpoint_hours)
    } else {
        (work_hours, 1.0, 0.0)
    };
    let billed = m * (terms.restart_hours / m).exp() * ((interval + checkpoint) / m).exp_m1() * factor;
    (billed < HOPELESS_HOURS).then_some(SpotRun {
        billed_hours: billed.max(work_hours),
        interruptions: billed * rate,
        checkpoint_interval_hours: terms.checkpoints.then_some(interval),
    })
}

#[cfg(test)]
mod tests;
