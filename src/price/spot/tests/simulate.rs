//! A simulator of its own, interruption by interruption, against the formulas.

use crate::price::spot::{Checkpoints, SpotTerms, deadline_probability, run};

/// A generator of numbers that every run repeats (`SplitMix64`, Steele et al. 2014).
struct Dice(u64);

impl Dice {
    /// Between 0 and 1, never 0.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 + f64::EPSILON
    }

    /// Hours until the first machine of a gang is taken: each has its own clock.
    fn next_loss(&mut self, nodes: u32, per_node_hour: f64) -> f64 {
        (0..nodes).map(|_| -self.uniform().ln() / per_node_hour).fold(f64::INFINITY, f64::min)
    }
}

/// What one run of the job came to.
#[derive(Clone, Copy, Default)]
struct Outcome {
    billed: f64,
    on_demand: f64,
    wall: f64,
    interruptions: f64,
}

/// Runs a job on a gang, second by second of its history: work, checkpoint, loss, wait, restart.
fn play(
    dice: &mut Dice,
    (nodes, per_node_hour): (u32, f64),
    work: f64,
    terms: &SpotTerms,
    interval: f64,
) -> Outcome {
    let mut out = Outcome::default();
    let (mut saved, mut in_restart, mut on_spot) = (0.0, false, true);
    let mut loss = dice.next_loss(nodes, per_node_hour);
    while saved < work - 1e-9 {
        let piece = interval.min(work - saved);
        let save = if terms.checkpoints == Checkpoints::Never { 0.0 } else { terms.checkpoint_hours };
        let phase = if in_restart { terms.restart_hours } else { piece + save };
        let survives = !on_spot || loss >= phase;
        let spent = if survives { phase } else { loss };
        out.billed += spent;
        out.wall += spent;
        if !on_spot {
            out.on_demand += spent;
        }
        if survives {
            loss -= spent;
            if in_restart {
                in_restart = false;
            } else {
                saved += piece;
            }
            continue;
        }
        out.interruptions += 1.0;
        in_restart = true;
        if terms.fallback_after.is_some_and(|most| out.interruptions >= f64::from(most)) {
            on_spot = false;
        } else {
            out.wall += terms.capacity_wait_hours;
            loss = dice.next_loss(nodes, per_node_hour);
        }
    }
    out
}

/// Means of many runs with their standard errors, and the share that met the deadline.
struct Sample {
    mean: [f64; 4],
    error: [f64; 4],
    in_time: f64,
}

fn sample(gang: (u32, f64), work: f64, terms: &SpotTerms, interval: f64, deadline: f64, runs: u32) -> Sample {
    let mut dice = Dice(42);
    let (mut sum, mut squares, mut in_time) = ([0.0; 4], [0.0; 4], 0.0);
    for _ in 0..runs {
        let out = play(&mut dice, gang, work, terms, interval);
        for (at, value) in [out.billed, out.interruptions, out.wall, out.on_demand].into_iter().enumerate() {
            sum[at] += value;
            squares[at] += value * value;
        }
        in_time += f64::from(u8::from(out.wall <= deadline));
    }
    let n = f64::from(runs);
    let mean = sum.map(|sum| sum / n);
    let error = [0, 1, 2, 3].map(|at| ((squares[at] / n - mean[at] * mean[at]).max(0.0) / n).sqrt());
    Sample { mean, error, in_time: in_time / n }
}

fn terms(gang: (u32, f64), checkpoints: Checkpoints, saved: f64, restart: f64, wait: f64) -> SpotTerms {
    SpotTerms {
        interruptions_per_hour: f64::from(gang.0) * gang.1,
        checkpoints,
        checkpoint_hours: saved,
        restart_hours: restart,
        capacity_wait_hours: wait,
        never_ends_hours: 1e6,
        ..SpotTerms::CALM
    }
}

/// Compares a case: means within 4.5 standard errors, chances within theirs and the accuracy of the inversion.
fn agrees(gang: (u32, f64), work: f64, terms: &SpotTerms, deadlines: &[f64]) {
    const RUNS: u32 = 8_000;
    let run = run(work, terms).expect("it ends");
    let interval = run.checkpoint_interval_hours.unwrap_or(work);
    for &deadline in deadlines {
        let sample = sample(gang, work, terms, interval, deadline, RUNS);
        let expected = [run.billed_hours, run.interruptions, run.wall_hours, run.on_demand_hours];
        for ((expected, mean), error) in expected.iter().zip(sample.mean).zip(sample.error) {
            assert!(
                (expected - mean).abs() <= 4.5 * error + 1e-9,
                "{gang:?} {work} {terms:?}: {expected}, simulated {mean} ± {error}"
            );
        }
        let chance = deadline_probability(work, terms, deadline);
        let error = (chance * (1.0 - chance) / f64::from(RUNS)).sqrt();
        assert!(
            (chance - sample.in_time).abs() <= 4.5 * error + 2e-3,
            "{gang:?} {work} {terms:?} {deadline}: chance {chance}, simulated {}",
            sample.in_time
        );
    }
}

#[test]
fn the_formulas_agree_with_a_simulation_of_gangs() {
    use Checkpoints::{Auto, Every, Never};
    // One V100, a gang of eight, hard restarts.
    agrees((1, 0.25), 48.5, &terms((1, 0.25), Auto, 0.011, 0.1667, 0.0), &[50.0, 55.0, 60.0]);
    agrees((8, 0.1), 20.0, &terms((8, 0.1), Auto, 0.02, 0.1667, 0.5), &[24.0, 30.0, 40.0]);
    agrees((16, 0.05), 7.3, &terms((16, 0.05), Every(1.0), 0.05, 0.5, 0.0), &[9.0, 15.0, 30.0]);
    // Without checkpoints; with steps that waits leave in the distribution.
    agrees((1, 0.3), 5.0, &terms((1, 0.3), Never, 0.0, 0.1, 1.0), &[5.0, 7.5, 12.0, 30.0]);
    agrees((4, 0.05), 3.0, &terms((4, 0.05), Every(0.2), 0.001, 0.05, 1.5), &[3.5, 4.4, 4.75, 6.2, 8.0]);
}

#[test]
fn spot_that_gives_way_to_on_demand_agrees_with_a_simulation() {
    for allowed in [1, 2, 5] {
        let gang = (4, 0.08);
        let plan =
            SpotTerms { fallback_after: Some(allowed), ..terms(gang, Checkpoints::Auto, 0.02, 0.3, 0.7) };
        agrees(gang, 12.0, &plan, &[12.6, 14.0, 17.0]);
        let bare = SpotTerms { checkpoints: Checkpoints::Never, ..plan };
        agrees((4, 0.08), 6.0, &bare, &[6.5, 9.0, 14.0]);
    }
}

/// The proposed interval is the best of those that a simulation tries.
#[test]
fn the_optimum_interval_wins_in_a_simulation() {
    let gang = (6, 0.1);
    let auto = terms(gang, Checkpoints::Auto, 0.02, 0.2, 0.0);
    let best = run(30.0, &auto).and_then(|run| run.checkpoint_interval_hours).expect("it saves");
    let busy = |interval: f64| {
        let every = SpotTerms { checkpoints: Checkpoints::Every(interval), ..auto };
        sample(gang, 30.0, &every, interval, 1.0, 4000).mean[0]
    };
    let least = busy(best);
    for factor in [0.25, 0.5, 2.0, 4.0] {
        assert!(least < busy(best * factor), "{factor}: {least}");
    }
}
