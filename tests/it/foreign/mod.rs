//! Bytes that others wrote, harmed at random: no parser panics, and none takes long.

pub(crate) mod seeds;
pub(crate) mod targets;

use seeds::Dice;
use std::time::{Duration, Instant};
use targets::TARGETS;

/// Longest that one harmed file may take, in a debug build on a busy machine.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn harmed_files_neither_panic_nor_hang() {
    for target in TARGETS {
        let seeds = seeds::of(target);
        assert!(!seeds.is_empty(), "{} has nothing to begin with", target.name);
        let mut dice = Dice::new(6);
        for seed in &seeds {
            (target.read)(seed);
        }
        for _ in 0..60 {
            let bytes = seeds::harm(&seeds, &mut dice);
            let started = Instant::now();
            (target.read)(&bytes);
            assert!(started.elapsed() < SOON, "{} took {:?}", target.name, started.elapsed());
        }
    }
}

#[test]
fn every_target_has_its_fuzzer() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("the manifest of fuzz");
    for target in TARGETS {
        let name = target.name;
        assert!(folder.join(format!("fuzz_targets/{name}.rs")).is_file(), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}
