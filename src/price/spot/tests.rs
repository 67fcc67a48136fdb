use super::{SpotTerms, optimal_interval_hours, run};

fn terms(rate: f64, interval: Option<f64>, checkpoints: bool) -> SpotTerms {
    SpotTerms {
        interruptions_per_node_hour: rate,
        checkpoint_interval_hours: interval,
        checkpoint_hours: 10.0 / 3600.0,
        restart_hours: 600.0 / 3600.0,
        checkpoints,
    }
}

#[test]
fn without_checkpoints_the_rerun_time_is_the_exponential_law() {
    // (e^(λT) − 1)/λ with a restart of zero hours.
    let t = SpotTerms { restart_hours: 0.0, ..terms(0.15, None, false) };
    let hours = run(48.5, 1, &t).unwrap_or_else(|| panic!("0.15/h and 48.5 h end within 1e6 h")).billed_hours;
    assert!((hours - (0.15_f64 * 48.5).exp_m1() / 0.15).abs() < 1e-6);
    assert!(hours > 48.5 * 60.0);
}

#[test]
fn the_optimum_is_not_beaten_by_its_neighbours() {
    let m = 6000.0 / 3600.0;
    let best = optimal_interval_hours(m, 10.0 / 3600.0);
    let cost = |interval| {
        run(100.0, 1, &terms(1.0 / m, Some(interval), true)).map_or(f64::INFINITY, |r| r.billed_hours)
    };
    for factor in [0.5, 0.8, 1.25, 2.0] {
        assert!(cost(best) <= cost(best * factor), "{factor}");
    }
}

#[test]
fn no_interruptions_cost_nothing_more() {
    assert_eq!(run(10.0, 4, &terms(0.0, None, true)).map(|r| r.billed_hours), Some(10.0));
}

#[test]
fn hopeless_jobs_are_refused() {
    assert_eq!(run(1000.0, 64, &terms(0.6, None, false)), None);
}
