//! What is known of real traces, single facts with their sources, against the range that the catalog predicts.

use crate::catalog::Catalog;
use crate::catalog::load::{Sections, embedded};
use crate::price::spot::outlook::{Gang, SpotFlags, of};
use crate::price::spot::{SpotTerms, run};

/// Losses of single V100 machines on AWS: an hour observed, share of the time available, mean stretch in hours
/// (skypilot-org/spot-traces, 2022-10 to 2023-04).
const SINGLE: [(f64, f64, f64); 17] = [
    (0.2317, 0.167, 0.72),
    (0.3141, 0.467, 1.48),
    (0.2683, 0.447, 1.66),
    (0.261, 0.591, 2.18),
    (0.1328, 0.759, 5.51),
    (0.1594, 0.682, 4.27),
    (0.1447, 0.883, 5.74),
    (0.0861, 0.905, 9.68),
    (0.13, 0.891, 6.45),
    (0.1941, 0.793, 3.67),
    (0.4144, 0.48, 1.16),
    (0.2634, 0.716, 2.69),
    (0.6146, 0.466, 0.76),
    (0.2311, 0.314, 1.36),
    (0.3382, 0.592, 1.75),
    (0.248, 0.793, 2.87),
    (0.3213, 0.731, 2.17),
];

/// Sets of V100 machines: how many, losses an hour observed, share of the time with any, with all (same source, 2023-08).
const SETS: [(u32, f64, f64, f64); 6] = [
    (4, 0.4454, 0.383, 0.304),
    (4, 0.1403, 0.749, 0.712),
    (4, 0.4233, 0.839, 0.79),
    (16, 0.5026, 0.628, 0.456),
    (16, 0.3674, 0.446, 0.418),
    (16, 0.3117, 0.44, 0.415),
];

fn catalog() -> Catalog {
    embedded(Sections::ALL).expect("the catalog")
}

fn gang<'a>(catalog: &'a Catalog, gpu: &str, provider: &'a str, nodes: u32) -> Gang<'a> {
    let gpu = catalog.gpus.iter().find(|it| it.name.starts_with(gpu)).expect("a GPU");
    Gang { gpu, provider, nodes }
}

fn outlook(gang: &Gang) -> [f64; 3] {
    let catalog = catalog();
    let outlook = of(&catalog, gang, Some(0.0), &SpotFlags::default(), None);
    [outlook.low, outlook.expected, outlook.high].map(|terms| terms.interruptions_per_hour)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The range covers every trace, by the hour observed and by the hour in which the machine ran; expected is the median.
#[test]
fn the_range_covers_all_single_traces() {
    let catalog = catalog();
    let [low, expected, high] = outlook(&gang(&catalog, "V100", "aws", 1));
    let running: Vec<f64> = SINGLE.iter().map(|(losses, up, _)| losses / up).collect();
    for ((losses, _, stretch), running) in SINGLE.iter().zip(&running) {
        assert!(low <= *losses && *running <= high * 1.0005, "{losses} {running} outside {low} to {high}");
        // Completed stretches alone tell nearly the same.
        assert!((stretch * running - 1.0).abs() < 0.12, "{stretch} h against {running} per hour");
    }
    assert!((expected / median(running) - 1.0).abs() < 1e-3, "{expected}");
}

/// A set is interrupted more often than one machine and far less than machines that are taken one by one.
#[test]
fn the_range_covers_the_sets() {
    let catalog = catalog();
    for (nodes, losses, any, all) in SETS {
        let [low, expected, high] = outlook(&gang(&catalog, "V100", "aws", nodes));
        // Losses from an incomplete set count in the first figure and not in the second.
        for measured in [losses / any, losses / all] {
            assert!(low <= measured && measured <= high, "{nodes}: {measured} outside {low} to {high}");
        }
        assert!(expected < high && expected > outlook(&gang(&catalog, "V100", "aws", 1))[1]);
    }
}

/// Waits of the traces lie in the range of the catalog: hours without the machine for each loss.
#[test]
fn the_waits_are_those_of_the_traces() {
    let catalog = catalog();
    let waits = || SINGLE.iter().map(|(losses, up, _)| (1.0 - up) / losses);
    let constant = catalog.constant("spot-capacity-wait-hours", None, None, None, 1).expect("a constant");
    let (low, high) = constant.range.expect("a range");
    assert!(
        waits().all(|wait| low * 0.999 <= wait && wait <= high * 1.001),
        "{:?}",
        waits().collect::<Vec<_>>()
    );
    assert!((constant.value / median(waits().collect()) - 1.0).abs() < 1e-3);
}

/// Replays the statistics of the traces: availability follows from rate and wait, and so does the wall time of a long job.
#[test]
fn the_wall_time_of_a_long_job_is_that_of_the_available_hours() {
    for (losses, up, _) in SINGLE {
        let terms = SpotTerms {
            interruptions_per_hour: losses / up,
            capacity_wait_hours: (1.0 - up) / losses,
            never_ends_hours: 1e6,
            ..SpotTerms::CALM
        };
        let run = run(1000.0, &terms).expect("it ends");
        assert!((run.billed_hours / run.wall_hours / up - 1.0).abs() < 1e-6, "{run:?} {up}");
    }
}

/// Other providers and GPUs take their own traces where there are any, else all traces and the advisor's best bucket.
#[test]
fn each_gang_takes_the_nearest_data() {
    let catalog = catalog();
    assert!((outlook(&gang(&catalog, "A100", "gcp", 1))[1] - 154.0 / 1548.2).abs() < 1e-3);
    assert!((outlook(&gang(&catalog, "V100", "gcp", 1))[1] - 426.0 / 554.5).abs() < 1e-3);
    let [low, _, high] = outlook(&gang(&catalog, "H100", "nebius", 1));
    // The bucket "below 5 % a month" is −ln(0.95)/730 an hour.
    assert!((low / (-(0.95_f64.ln()) / 730.0) - 1.0).abs() < 0.01, "{low}");
    assert!(high / low > 1e4);
    // Stated rates are per machine, and machines are taken independently.
    let flags = SpotFlags { interruptions_per_node_hour: Some(0.1), ..SpotFlags::default() };
    let stated = of(&catalog, &gang(&catalog, "V100", "aws", 8), None, &flags, None);
    assert_eq!((stated.low, stated.expected), (stated.expected, stated.high));
    assert!((stated.expected.interruptions_per_hour - 0.8).abs() < 1e-12);
    assert!(stated.expected.capacity_wait_hours.abs() < 1e-12);
}
