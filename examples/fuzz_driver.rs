//! Harms the fixtures at random for some seconds a target and hands them to every parser of foreign bytes: what
//! `cargo fuzz` does, without nightly and without coverage.
//!
//! `cargo run --profile fit --example fuzz_driver -- SECONDS [SEED] [TARGET]`. A panic ends the run; the bytes that led
//! to it stand in `target/fuzz-last`.

#![allow(clippy::print_stdout, reason = "a report for its developer")]

#[path = "../tests/it/foreign/seeds.rs"]
mod seeds;
#[path = "../tests/it/foreign/targets.rs"]
mod targets;

use seeds::Dice;
use std::time::{Duration, Instant};
use targets::TARGETS;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(or);
    let (seconds, seed) = (Duration::from_secs(number(0, 10)), number(1, 1));
    let only = arguments.get(2);
    let mut all = 0_u64;
    for target in TARGETS.iter().filter(|target| only.is_none_or(|name| name == target.name)) {
        let seeds = seeds::of(target);
        let (mut dice, started, mut runs) = (Dice::new(seed), Instant::now(), 0_u64);
        let mut slowest = Duration::ZERO;
        while started.elapsed() < seconds {
            let bytes = seeds::harm(&seeds, &mut dice);
            std::fs::write("target/fuzz-last", &bytes)?;
            let one = Instant::now();
            (target.read)(&bytes);
            slowest = slowest.max(one.elapsed());
            runs += 1;
        }
        println!("{:<16} {:>4} seeds {runs:>9} runs, slowest {slowest:?}", target.name, seeds.len());
        all += runs;
    }
    println!("{all} runs");
    Ok(())
}
