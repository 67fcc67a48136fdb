//! The chance to be done in time: the exact distribution of the wall time, by its Laplace transform.
//!
//! A segment is tried until it passes; what each interruption adds (the part that is lost, the wait for capacity, the
//! restart, which can be interrupted too) has a transform in closed form, and so has the sum. It is inverted with the
//! EULER algorithm of Abate and Whitt 1995, "Numerical inversion of Laplace transforms of probability distributions",
//! ORSA Journal on Computing 7(1). Only what comes on top of the calm run is inverted; the calm run itself is certain.

use super::{Segments, SpotTerms};
use num_complex::Complex64;
use std::f64::consts::PI;

/// Bound of the error of discretisation, as exp(−18.4) = 1e-8 (Abate and Whitt 1995, section 4).
const DAMPING: f64 = 18.4;
/// Terms that are simply added: enough that the steps of the distribution, which waits leave, are resolved.
const PLAIN_TERMS: u32 = 3000;
/// Weights of the partial sums that follow: binomial coefficients of 11 over 2^11.
const EULER: [f64; 12] = [1.0, 11.0, 55.0, 165.0, 330.0, 462.0, 462.0, 330.0, 165.0, 55.0, 11.0, 1.0];

/// Transforms of what interruptions add, at one point of the half plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delays {
    rate: f64,
    restart_hours: f64,
    wait_hours: f64,
    at: Complex64,
}

impl Delays {
    pub(super) fn new(terms: &SpotTerms, at: Complex64) -> Self {
        let wait_hours = terms.capacity_wait_hours;
        Self { rate: terms.interruptions_per_hour, restart_hours: terms.restart_hours, wait_hours, at }
    }

    /// Interrupted within `hours`: the time until then and the wait, weighed with its probability.
    fn lost(&self, hours: f64) -> Complex64 {
        let both = self.at + self.rate;
        (1.0 - (-both * hours).exp()) * self.rate / both * self.wait()
    }

    /// An attempt at a segment that is interrupted.
    pub(super) fn attempt(&self, hours: f64) -> Complex64 {
        self.lost(hours)
    }

    /// A restart that is interrupted.
    pub(super) fn failed_restart(&self) -> Complex64 {
        self.lost(self.restart_hours)
    }

    /// A restart that passes, weighed with its probability.
    pub(super) fn restart(&self) -> Complex64 {
        (-(self.at + self.rate) * self.restart_hours).exp()
    }

    /// A restart that nothing interrupts.
    pub(super) fn safe_restart(&self) -> Complex64 {
        (-self.at * self.restart_hours).exp()
    }

    /// The wait for capacity.
    pub(super) fn wait(&self) -> Complex64 {
        (-self.at * self.wait_hours).exp()
    }

    /// All that comes on top of `count` segments of `hours`.
    fn segments(&self, count: f64, hours: f64) -> Complex64 {
        if hours <= 0.0 {
            return Complex64::new(1.0, 0.0);
        }
        let again = self.attempt(hours) * self.restart() / (1.0 - self.failed_restart());
        ((-self.rate * hours) - (1.0 - again).ln()).scale(count).exp()
    }
}

/// Chance that a job on spot alone is done within `deadline_hours`.
pub(super) fn probability(segments: &Segments, terms: &SpotTerms, deadline_hours: f64) -> f64 {
    let slack = slack(segments.calm_hours(), deadline_hours);
    if slack < 0.0 || terms.interruptions_per_hour <= 0.0 {
        return f64::from(u8::from(slack >= 0.0));
    }
    let undisturbed = (-terms.interruptions_per_hour * segments.calm_hours()).exp();
    within(slack, undisturbed, |at| {
        let delays = Delays::new(terms, at);
        delays.segments(segments.whole, segments.hours) * delays.segments(1.0, segments.last_hours)
    })
}

/// Hours that may be lost; what is printed as equal is equal.
pub(super) fn slack(calm_hours: f64, deadline_hours: f64) -> f64 {
    let slack = deadline_hours - calm_hours;
    if slack.abs() < 1e-9 * deadline_hours { 0.0 } else { slack }
}

/// The chance that a delay with this transform is at most `slack` hours; `none` is the chance that there is none.
pub(super) fn within(slack: f64, none: f64, transform: impl Fn(Complex64) -> Complex64) -> f64 {
    if slack <= 0.0 {
        return none;
    }
    let term = |k: u32| {
        let at = Complex64::new(DAMPING / 2.0, PI * f64::from(k)) / slack;
        let value = (transform(at) / at).re;
        if k.is_multiple_of(2) { value } else { -value }
    };
    let mut sum = term(0) / 2.0 + (1..=PLAIN_TERMS).map(term).sum::<f64>();
    let mut smooth = 0.0;
    for (k, weight) in (PLAIN_TERMS + 1..).zip(EULER) {
        smooth += weight * sum;
        sum += term(k);
    }
    let chance = (DAMPING / 2.0).exp() / slack * smooth / EULER.iter().sum::<f64>();
    // Where numbers end, what is certain remains.
    if chance.is_finite() { chance.clamp(none, 1.0) } else { none }
}
