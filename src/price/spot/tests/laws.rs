//! What must hold whatever the figures: limits, monotone costs, the optimum, the plan that falls back.

use crate::price::spot::{Checkpoints, SpotTerms, deadline_probability, optimal_interval_hours, run};
use proptest::prelude::*;

/// The worked case of changlan.org/posts/optimal-checkpointing: 6000 s between interruptions, 600 s to recover, 10 s to save.
fn terms() -> SpotTerms {
    SpotTerms {
        interruptions_per_hour: 0.6,
        checkpoint_hours: 10.0 / 3600.0,
        restart_hours: 600.0 / 3600.0,
        never_ends_hours: 1e6,
        ..SpotTerms::CALM
    }
}

fn billed(hours: f64, terms: &SpotTerms) -> f64 {
    run(hours, terms).map_or(f64::INFINITY, |run| run.billed_hours)
}

#[test]
fn without_checkpoints_the_rerun_time_is_the_exponential_law() {
    // (e^(λT) − 1)/λ with a restart of zero hours.
    let terms = SpotTerms {
        interruptions_per_hour: 0.15,
        restart_hours: 0.0,
        checkpoints: Checkpoints::Never,
        ..terms()
    };
    assert!((billed(48.5, &terms) - (0.15_f64 * 48.5).exp_m1() / 0.15).abs() < 1e-6);
}

#[test]
fn the_formula_of_daly_holds_for_whole_segments() {
    let terms = SpotTerms { checkpoints: Checkpoints::Every(0.5), ..terms() };
    let m = 1.0 / 0.6;
    let daly =
        m * (terms.restart_hours / m).exp() * ((0.5 + terms.checkpoint_hours) / m).exp_m1() * 48.0 / 0.5;
    let run = run(48.0, &terms).expect("it ends");
    assert!((run.billed_hours / daly - 1.0).abs() < 1e-12, "{run:?} {daly}");
    assert!((run.interruptions - run.billed_hours * 0.6).abs() < 1e-9);
    assert!((run.wall_hours - run.billed_hours).abs() < 1e-12);
}

#[test]
fn a_shorter_last_segment_lies_between_its_neighbours() {
    let terms = SpotTerms { checkpoints: Checkpoints::Every(0.5), ..terms() };
    let (less, more) = (billed(48.0, &terms), billed(48.5, &terms));
    let between = billed(48.3, &terms);
    assert!(less < between && between < more, "{less} {between} {more}");
}

/// Young 1974 and Daly 2006 are the limits of the exact optimum where saving is fast, and it stays below M where it is not.
#[test]
fn the_exact_optimum_tends_to_that_of_young() {
    for saved in [1e-3, 1e-4, 1e-5, 1e-6] {
        let ratio = optimal_interval_hours(1.0, saved) / (2.0 * saved).sqrt();
        assert!((ratio - 1.0).abs() < 0.5 * (2.0 * saved).sqrt(), "{saved}: {ratio}");
        assert!(ratio < 1.0);
    }
    // Daly's approximation (eq. 37) is within 1 % up to δ = M / 2.
    for saved in [0.01_f64, 0.1, 0.5] {
        let x = (saved / 2.0).sqrt();
        let daly = (2.0 * saved).sqrt() * (1.0 + x / 3.0 + x * x / 9.0) - saved;
        assert!((optimal_interval_hours(1.0, saved) / daly - 1.0).abs() < 0.01, "{saved}: {daly}");
    }
    assert!(optimal_interval_hours(2.0, 1e3) <= 2.0);
    assert!(optimal_interval_hours(2.0, 0.0) < 1e-9);
}

#[test]
fn no_interruptions_cost_nothing_more_than_stated_checkpoints() {
    let calm = SpotTerms { interruptions_per_hour: 0.0, ..terms() };
    assert_eq!(run(10.0, &calm).map(|run| run.billed_hours), Some(10.0));
    let saving = SpotTerms { checkpoints: Checkpoints::Every(1.0), ..calm };
    assert!((billed(10.0, &saving) - 10.0 - 100.0 / 3600.0).abs() < 1e-9);
    let chance = |deadline| deadline_probability(10.0, &calm, deadline);
    assert!(chance(10.0) > 1.0 - 1e-12 && chance(9.99) < 1e-12);
}

#[test]
fn hopeless_jobs_are_refused_and_nothing_is_infinite() {
    let never = SpotTerms { checkpoints: Checkpoints::Never, ..terms() };
    assert_eq!(run(1000.0, &never), None);
    assert_eq!(run(1e9, &never), None);
    assert_eq!(run(10.0, &SpotTerms { interruptions_per_hour: f64::INFINITY, ..terms() }), None);
    assert_eq!(run(10.0, &SpotTerms { interruptions_per_hour: 1e9, ..terms() }), None);
    assert!(deadline_probability(1000.0, &never, 1e4) < 1e-200);
}

#[test]
fn free_checkpoints_leave_a_finite_plan() {
    let free = SpotTerms { checkpoint_hours: 0.0, shortest_interval_hours: 0.0, ..terms() };
    let run = run(100.0, &free).expect("it ends");
    // Only restarts are left to pay.
    assert!((run.billed_hours / (100.0 * (0.6_f64 / 6.0).exp()) - 1.0).abs() < 1e-6, "{run:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// No stated interval beats the automatic one, and neither does writing none.
    #[test]
    fn nothing_beats_the_optimum(rate in 0.001..3.0_f64, hours in 0.5..500.0_f64, saved in 1e-4..0.5_f64, share in 0.001..1.0_f64) {
        let auto = SpotTerms { interruptions_per_hour: rate, checkpoint_hours: saved, ..terms() };
        let every = SpotTerms { checkpoints: Checkpoints::Every(hours * share), ..auto };
        // A stated interval may leave a rest, where whole segments have none: at most a checkpoint between them.
        let best = billed(hours, &auto);
        prop_assert!(best <= billed(hours, &every) * (1.0 + 1e-9) , "{best}");
    }

    /// More interruptions, a longer job, slower checkpoints and restarts never take less.
    #[test]
    fn whatever_is_worse_never_costs_less(rate in 0.0..2.0_f64, hours in 0.1..300.0_f64, more in 1.0..2.0_f64, fallback in 0_u32..4) {
        let base = SpotTerms { interruptions_per_hour: rate, fallback_after: (fallback > 0).then_some(fallback), ..terms() };
        let least = billed(hours, &base) * (1.0 - 1e-9);
        let restarts = SpotTerms { restart_hours: base.restart_hours * more, ..base };
        prop_assert!(billed(hours * more, &base) >= least);
        prop_assert!(billed(hours, &restarts) >= least);
        if fallback == 0 {
            // With a plan that falls back, more interruptions end the expensive part sooner.
            let losses = SpotTerms { interruptions_per_hour: rate * more, ..base };
            let checkpoints = SpotTerms { checkpoint_hours: base.checkpoint_hours * more, ..base };
            prop_assert!(billed(hours, &losses) >= least);
            prop_assert!(billed(hours, &checkpoints) >= least);
        }
        let calm = run(hours, &base);
        let waiting = run(hours, &SpotTerms { capacity_wait_hours: more, ..base });
        if let Some((calm, waiting)) = calm.zip(waiting) {
            prop_assert!((calm.billed_hours - waiting.billed_hours).abs() < 1e-9 * calm.billed_hours);
            prop_assert!(waiting.wall_hours >= calm.wall_hours);
        }
    }

    /// A chance is one, and a later deadline never lowers it.
    #[test]
    fn later_deadlines_are_met_more_often(rate in 0.01..2.0_f64, hours in 0.5..100.0_f64, at in 0.9..4.0_f64, wait in 0.0..2.0_f64, fallback in 0_u32..4) {
        let terms = SpotTerms {
            interruptions_per_hour: rate,
            capacity_wait_hours: wait,
            fallback_after: (fallback > 0).then_some(fallback),
            ..terms()
        };
        let (soon, late) = (deadline_probability(hours, &terms, hours * at), deadline_probability(hours, &terms, hours * at * 1.2));
        prop_assert!((0.0..=1.0).contains(&soon) && (0.0..=1.0).contains(&late));
        prop_assert!(soon <= late + 2e-3, "{soon} {late}");
    }

    /// With many interruptions allowed the plan is that of spot alone, with few it ends on demand.
    #[test]
    fn falling_back_bounds_the_loss(rate in 0.01..0.3_f64, hours in 0.5..20.0_f64) {
        let spot = SpotTerms { interruptions_per_hour: rate, ..terms() };
        let with = |n| SpotTerms { fallback_after: Some(n), ..spot };
        let alone = run(hours, &spot).expect("it ends");
        let (patient, hasty) = (run(hours, &with(20)).expect("a plan"), run(hours, &with(1)).expect("a plan"));
        prop_assert!((patient.billed_hours / alone.billed_hours - 1.0).abs() < 1e-3, "{patient:?} {alone:?}");
        prop_assert!(hasty.on_demand_hours > patient.on_demand_hours);
        prop_assert!(hasty.interruptions <= 1.0);
        let first = 1.0 - (-rate * (hours + (hours / alone.checkpoint_interval_hours.expect("saves")).round() * spot.checkpoint_hours)).exp();
        prop_assert!((hasty.fallback_probability.expect("a chance") - first).abs() < 1e-6);
    }
}
