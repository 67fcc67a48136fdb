//! Spot first, on demand after so many interruptions: expected hours of both, and the chance to be done in time.
//!
//! The j-th interrupted attempt at a segment follows a negative binomial law; restarts that are interrupted count as
//! interruptions too. The number of interruptions less the rate times the busy hours is a martingale, so that the
//! expected hours on spot are the expected interruptions over the rate (Wald's identity). The leg on demand restarts
//! once and goes on writing checkpoints, so that the same job runs in both places.

use super::deadline::{self, Delays};
use super::{Segments, SpotRun, SpotTerms};
use num_complex::Complex64;

/// A job with a bound on its interruptions on spot.
#[derive(Clone, Debug)]
pub(super) struct Plan<'a> {
    terms: &'a SpotTerms,
    /// Interruptions that end the spot leg.
    allowed: u32,
    /// Segments, all alike.
    segments: f64,
    /// Hours of each, the checkpoint included.
    hours: f64,
    interval: Option<f64>,
    /// For j = 1, 2 …: the j-th interrupted attempt.
    attempts: Vec<Attempt>,
}

/// The j-th interrupted attempt of a job.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    /// Chance that there is one before the job is done.
    chance: f64,
    /// That chance times the segments that are done by then.
    done: f64,
}

impl<'a> Plan<'a> {
    /// The shorter last segment of a stated interval is shared out: the others become a little shorter.
    pub(super) fn new(work_hours: f64, cut: &Segments, terms: &'a SpotTerms, allowed: u32) -> Self {
        let segments = cut.whole + if cut.last_hours > 0.0 { 1.0 } else { 0.0 };
        let saved = cut.interval.map_or(0.0, |_| terms.checkpoint_hours);
        let hours = work_hours / segments + saved;
        let allowed = allowed.max(1);
        let interval = cut.interval;
        let mut plan = Self { terms, allowed, segments, hours, interval, attempts: Vec::new() };
        plan.attempts = (1..=allowed).map(|j| plan.attempt(j)).collect();
        plan
    }

    /// Chance that one attempt at a segment is interrupted.
    fn interrupted(&self) -> f64 {
        -(-self.terms.interruptions_per_hour * self.hours).exp_m1()
    }

    /// The j-th interrupted attempt: at segment i with the chance C(i + j − 1, i)·p^j·q^i.
    fn attempt(&self, j: u32) -> Attempt {
        let failed = self.interrupted();
        let odds = f64::from(j) * (1.0 - failed) / failed;
        Attempt {
            chance: self.reached(j, self.segments),
            done: odds * self.reached(j + 1, self.segments - 1.0),
        }
    }

    /// Chance that at least `j` attempts are interrupted before `segments` pass: that of j successes or more in the
    /// binomial law of segments + j − 1 trials. The shorter tail is summed.
    fn reached(&self, j: u32, segments: f64) -> f64 {
        let failed = self.interrupted();
        if segments < 1.0 || failed >= 1.0 {
            return f64::from(u8::from(segments >= 1.0));
        }
        let (trials, logarithm) =
            (segments + f64::from(j) - 1.0, -self.terms.interruptions_per_hour * self.hours);
        let odds = failed / (1.0 - failed);
        let next = |m: f64| (trials - m) / (m + 1.0) * odds;
        if trials * failed > f64::from(j) {
            let mut term = (trials * logarithm).exp();
            let mut fewer = 0.0;
            for m in 0..j {
                fewer += term;
                term *= next(f64::from(m));
            }
            return (1.0 - fewer).clamp(0.0, 1.0);
        }
        let first = |product: f64, m: u32| product * failed * (trials - f64::from(m)) / (f64::from(m) + 1.0);
        let mut term = (0..j).fold(((segments - 1.0) * logarithm).exp(), first);
        let (mut sum, mut m) = (0.0, f64::from(j));
        while term > sum * f64::EPSILON && m <= trials {
            sum += term;
            term *= next(m);
            m += 1.0;
        }
        sum.min(1.0)
    }

    /// For each interrupted attempt with which there are `count` interruptions in all, the chance of the failed restarts
    /// among them, times `each` of the attempt.
    fn over_restarts(&self, count: u32, each: impl Fn(&Attempt) -> f64) -> f64 {
        let passed = (-self.terms.interruptions_per_hour * self.terms.restart_hours).exp();
        let failed = 1.0 - passed;
        let weigh = |(j, attempt): (u32, &Attempt)| {
            each(attempt) * power(passed, j - 1) * power(failed, count - j) * ways(count - j, j)
        };
        (1..=count).zip(&self.attempts).map(weigh).sum()
    }

    /// Expected hours and interruptions.
    pub(super) fn run(&self) -> SpotRun {
        let terms = self.terms;
        let reached = |count| self.over_restarts(count, |attempt| attempt.chance);
        let interruptions: f64 = (1..=self.allowed).map(reached).sum();
        let falls_back = reached(self.allowed);
        let left = |attempt: &Attempt| {
            let all = terms.restart_hours + self.segments * self.hours;
            attempt.chance * all - attempt.done * self.hours
        };
        let on_demand_hours = self.over_restarts(self.allowed, left).max(0.0);
        let billed_hours = interruptions / terms.interruptions_per_hour + on_demand_hours;
        // Capacity on demand is taken as there at once.
        let waits = (interruptions - falls_back).max(0.0);
        SpotRun {
            billed_hours,
            on_demand_hours,
            wall_hours: billed_hours + waits * terms.capacity_wait_hours,
            interruptions,
            checkpoint_interval_hours: self.interval,
            fallback_probability: Some(falls_back.min(1.0)),
            deadline_probability: None,
        }
    }

    /// Chance to be done within `deadline_hours`.
    pub(super) fn deadline_probability(&self, deadline_hours: f64) -> f64 {
        let calm = self.segments * self.hours;
        let slack = deadline::slack(calm, deadline_hours);
        if slack < 0.0 {
            return 0.0;
        }
        let undisturbed = (-self.terms.interruptions_per_hour * calm).exp();
        let completions = self.completions(undisturbed);
        deadline::within(slack, undisturbed, |at| self.transform(&completions, at))
    }

    /// Chance to be done with exactly j interrupted attempts, for j = 0, 1 … below the bound.
    fn completions(&self, undisturbed: f64) -> Vec<f64> {
        let failed = self.interrupted();
        let next = |last: &mut f64, j: u32| {
            let now = *last;
            *last *= failed * (self.segments + f64::from(j)) / (f64::from(j) + 1.0);
            Some(now)
        };
        (0..self.allowed).scan(undisturbed, next).collect()
    }

    /// Transform of what interruptions add to the calm run.
    fn transform(&self, completions: &[f64], at: Complex64) -> Complex64 {
        let delays = Delays::new(self.terms, at);
        let attempt = delays.attempt(self.hours) / self.interrupted();
        let (restart, failed) = (delays.restart(), delays.failed_restart());
        let mut sum = Complex64::new(0.0, 0.0);
        let mut own = Complex64::new(1.0, 0.0);
        for (j, chance) in (0_u32..).zip(completions) {
            let mut term = own * *chance;
            // Without an interrupted attempt there is no restart to fail.
            for m in 0..=if j == 0 { 0 } else { self.allowed - 1 - j } {
                sum += term;
                term *= failed * (f64::from(m + j) / f64::from(m + 1));
            }
            own *= attempt * restart;
        }
        let on_demand = delays.safe_restart() / delays.wait();
        let mut own = attempt * on_demand;
        for (j, ended) in (1_u32..).zip(&self.attempts) {
            let m = self.allowed - j;
            sum += own * failed.powu(m) * (ended.chance * ways(m, j));
            own *= attempt * restart;
        }
        sum
    }
}

fn power(base: f64, exponent: u32) -> f64 {
    base.powf(f64::from(exponent))
}

/// In how many ways `m` failed restarts can follow `j` interrupted attempts: C(m + j − 1, m).
fn ways(m: u32, j: u32) -> f64 {
    (1..=m).map(|i| (f64::from(j) + f64::from(i) - 1.0) / f64::from(i)).product()
}
