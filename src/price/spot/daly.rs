//! Expected time of one segment, and the interval between checkpoints that loses least (Daly 2006).

use super::SpotTerms;

/// Steps of bisection: more than the digits of a number.
const STEPS: usize = 64;

/// Expected busy hours until `hours` pass without interruption, at `mean_hours` between interruptions and a billed
/// restart that can be interrupted too: M·exp(R/M)·(exp(t/M) − 1) (Daly 2006, eq. 20). Infinite beyond all numbers.
pub(super) fn segment_hours(hours: f64, mean_hours: f64, restart_hours: f64) -> f64 {
    if hours <= 0.0 {
        return 0.0;
    }
    mean_hours * (restart_hours / mean_hours).exp() * (hours / mean_hours).exp_m1()
}

/// The interval with the least expected time for an endless job, in hours: the exact root of
/// (1 − τ/M)·exp((τ + δ)/M) = 1, where the derivative of Daly's expected time is 0. For δ far below M it is √(2δM) (Young 1974); it never exceeds M.
pub fn optimal_interval_hours(mean_hours: f64, checkpoint_hours: f64) -> f64 {
    let saved = checkpoint_hours / mean_hours;
    // The logarithm of the condition falls from δ/M at 0 to −∞ at 1.
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if (-middle).ln_1p() + middle + saved > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high * mean_hours
}

/// The best interval for `work_hours`: a whole number of equal segments, one of the two next to the exact optimum.
pub(super) fn best_interval_hours(work_hours: f64, terms: &SpotTerms) -> f64 {
    let mean_hours = 1.0 / terms.interruptions_per_hour;
    let ideal = optimal_interval_hours(mean_hours, terms.checkpoint_hours);
    // However cheap a checkpoint is, there are finitely many.
    let ideal = ideal.max(terms.shortest_interval_hours).max(work_hours * f64::EPSILON);
    let fewer = (work_hours / ideal).floor().max(1.0);
    let busy = |segments: f64| {
        let hours = work_hours / segments + terms.checkpoint_hours;
        segments * segment_hours(hours, mean_hours, terms.restart_hours)
    };
    let more = fewer + 1.0;
    let short = work_hours / more < terms.shortest_interval_hours;
    // The expected time is convex in the number of segments.
    work_hours / if !short && busy(more) < busy(fewer) { more } else { fewer }
}
