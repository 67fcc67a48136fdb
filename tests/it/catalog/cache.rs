//! The cache of compiled overlays: found by content alone, harmless when damaged, nobody else's, bounded.

use super::big;
use crate::program::{Finished, Program};
use gpuadvise::catalog::load::{Loaded, Sections, with_cache, with_overlays};
use std::fs;
use std::path::{Path, PathBuf};

const COST: [&str; 7] = ["cost", "--instance", "aws/made.1", "--catalog", "big.toml", "--hours", "5"];

/// Prices of the smallest overlay made by rule that is long enough for a place in the cache: twice the 64 KiB of the rule.
const SMALL: usize = 800;

/// A program beside an overlay that is long enough to be worth a place in the cache.
fn program() -> Program {
    let program = Program::new().file("big.toml", &big::overlay(SMALL));
    let cache = program.folder().join("cache");
    let cache = cache.display().to_string();
    program.env("GPUADVISE_CACHE", &cache)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(folder) else { return Vec::new() };
    let mut all: Vec<PathBuf> = found.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn verbose(program: &Program) -> Finished {
    let mut arguments = COST.to_vec();
    arguments.push("--verbose");
    let finished = program.run(&arguments);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    finished
}

#[test]
fn a_catalog_from_the_cache_is_the_one_that_was_compiled() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("big.toml");
    // With every kind of note that a price can have, and a warning.
    let mut text = big::overlay(SMALL);
    text.push_str(
        "\n[[price]]\nprovider = \"aws\"\ninstance = \"made.1\"\nregion = \"made-1\"\nbilling = \"reserved-1y\"\nupfront-fee = 12345.67\nrecurring-per-hour = 0.1234567\nsource = \"import-1\"\n\
         [[price]]\nprovider = \"aws\"\ninstance = \"made.1\"\nregion = \"made-2\"\nbilling = \"savings-1y\"\nper-hour = 0.1234567890123456789012345\ncurrency = \"EUR\"\nsource = \"import-1\"\n\
         [[price]]\nprovider = \"aws\"\ninstance = \"made.1\"\nregion = \"made-3\"\nbilling = \"cud-3y\"\nusd-per-hour = 0.0001\nsource = \"import-1\"\n",
    );
    let text = text.replacen("price = [\n", "", 1).replacen("]\n\n[sources", "\n[sources", 1);
    let text = text
        .lines()
        .map(|line| match line.strip_prefix("  { ").and_then(|line| line.strip_suffix(" },")) {
            Some(row) => format!("[[price]]\n{}\n", row.replace(", ", "\n")),
            None => format!("{line}\n"),
        })
        .collect::<String>();
    fs::write(&file, text).unwrap();
    let cache = folder.path().join("cache");
    let plain = with_overlays(std::slice::from_ref(&file), Sections::ALL).unwrap();
    let load =
        |sections| -> Loaded { with_cache(std::slice::from_ref(&file), sections, Some(&cache)).unwrap() };
    let compiled = load(Sections::ALL);
    assert_eq!(compiled.notes, ["overlays compiled into the cache"]);
    let kept = load(Sections::ALL);
    assert_eq!(kept.notes, ["overlays taken from the cache"]);
    assert!(kept.warnings.iter().any(|finding| finding.code == "price-far-below-median"));
    for other in [&compiled, &kept] {
        assert_eq!(format!("{:?}", other.catalog), format!("{:?}", plain.catalog));
        assert_eq!(other.warnings, plain.warnings);
    }
    let part = load(Sections::PRICES).catalog;
    assert!(part.presets.is_empty() && part.rules.is_empty(), "only what was asked for");
    assert_eq!(part.prices, plain.catalog.prices);
}

#[test]
fn answers_are_the_same_with_and_without() {
    let program = program();
    let first = program.run(&COST);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let cache = program.folder().join("cache");
    assert_eq!(entries(&cache).len(), 1);
    let second = verbose(&program);
    assert!(second.stderr.contains("taken from the cache"), "{}", second.stderr);
    let mut without = COST.to_vec();
    without.extend(["--no-cache", "--verbose"]);
    let without = program.run(&without);
    assert!(!without.stderr.contains("cache"), "{}", without.stderr);
    assert_eq!(first.stdout, second.stdout);
    assert_eq!(first.stdout, without.stdout);
    assert_eq!(first.stderr, program.run(&COST).stderr, "nothing is told unless asked");
}

#[test]
fn content_counts_and_no_clock() {
    let program = program();
    let file = program.folder().join("big.toml");
    let before = program.run(&COST).stdout;
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    let set_back = || fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    let dearer = big::overlay(SMALL).replace("usd-per-hour = 2.", "usd-per-hour = 1.");
    fs::write(&file, &dearer).unwrap();
    set_back();
    let after = verbose(&program);
    assert_ne!(before, after.stdout, "same length, same time, other prices");
    assert!(after.stderr.contains("compiled into the cache"), "{}", after.stderr);
    fs::write(&file, &dearer).unwrap();
    assert!(verbose(&program).stderr.contains("taken from the cache"), "another time, same prices");
}

#[test]
fn damaged_entries_are_made_anew() {
    let program = program();
    let whole = program.run(&COST).stdout;
    let entry = entries(&program.folder().join("cache")).remove(0);
    let sound = fs::read(&entry).unwrap();
    let flip = |at: usize| {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        bytes
    };
    let last = sound.len() - 1;
    let damages = [
        Vec::new(),
        b"not a cache".to_vec(),
        sound[..40].to_vec(),
        sound[..sound.len() / 2].to_vec(),
        flip(0),
        flip(30),
        flip(60),
        flip(70),
        flip(600),
        flip(sound.len() / 8),
        vec![0xff; last],
    ];
    for damage in damages {
        fs::write(&entry, &damage).unwrap();
        let finished = verbose(&program);
        assert_eq!(finished.stdout, whole);
        assert!(finished.stderr.contains("cannot be used"), "{}", finished.stderr);
        assert_eq!(fs::read(&entry).unwrap(), sound, "it is repaired");
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let program = Program::new().file("big.toml", &big::overlay(SMALL)).file("taken", "a file");
    let places = ["taken", "taken/below", "/proc/nowhere"];
    for place in places {
        let finished = program.command(&COST).env("GPUADVISE_CACHE", place).output().unwrap();
        assert!(finished.status.success(), "{place}");
        assert!(finished.stderr.is_empty(), "{}", String::from_utf8_lossy(&finished.stderr));
    }
    let homeless = program.command(&COST).env_remove("HOME").output().unwrap();
    assert!(homeless.status.success());
}

#[test]
fn the_folder_follows_the_usual_variables() {
    let program = Program::new().file("big.toml", &big::overlay(SMALL));
    let home = program.folder().to_owned();
    let at = |variables: &[(&str, &str)]| {
        assert!(program.command(&COST).envs(variables.iter().copied()).output().unwrap().status.success());
    };
    at(&[]);
    assert_eq!(entries(&home.join(".cache/gpuadvise")).len(), 1);
    let xdg = home.join("xdg");
    at(&[("XDG_CACHE_HOME", xdg.to_str().unwrap()), ("GPUADVISE_CACHE", "")]);
    assert_eq!(entries(&xdg.join("gpuadvise")).len(), 1);
    at(&[("XDG_CACHE_HOME", "relative")]);
    assert!(!home.join("relative").exists(), "a relative XDG folder does not count");
    at(&[("XDG_CACHE_HOME", xdg.to_str().unwrap()), ("GPUADVISE_CACHE", "own")]);
    assert_eq!(entries(&home.join("own")).len(), 1);
}

#[test]
fn small_overlays_leave_nothing_behind() {
    let program = Program::new().file("big.toml", "schema = 1\n");
    assert_eq!(program.run(&["catalog", "gpus", "--catalog", "big.toml"]).code, 0);
    assert!(!program.folder().join(".cache").exists());
}

#[test]
fn only_the_newest_entries_are_kept() {
    let program = program();
    let cache = program.folder().join("cache");
    verbose(&program);
    for at in 0..12 {
        fs::write(cache.join(format!("{at}.catalog")), "old").unwrap();
    }
    fs::write(cache.join(".left.tmp"), "killed").unwrap();
    fs::write(cache.join("mine.txt"), "not of the cache").unwrap();
    fs::write(program.folder().join("big.toml"), big::overlay(SMALL + 400)).unwrap();
    verbose(&program);
    let kept = entries(&cache);
    assert!(kept.contains(&cache.join("mine.txt")));
    assert_eq!(kept.len(), 9, "{kept:?}");
}

#[cfg(unix)]
#[test]
fn what_others_could_have_put_there_is_not_read() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let program = program();
    let cache = program.folder().join("cache");
    let whole = verbose(&program).stdout;
    let entry = entries(&cache).remove(0);
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let refused = |why: &str| {
        let finished = verbose(&program);
        assert_eq!(finished.stdout, whole);
        assert!(finished.stderr.contains(why), "{}", finished.stderr);
    };
    mode(&cache, 0o777);
    refused("other users may write to it");
    mode(&cache, 0o700);
    mode(&entry, 0o666);
    refused("other users may write to it");
    let victim = program.folder().join("victim");
    fs::write(&victim, "untouched").unwrap();
    fs::remove_file(&entry).unwrap();
    symlink(&victim, &entry).unwrap();
    refused("no plain file");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
    assert!(fs::symlink_metadata(&entry).unwrap().is_file(), "the link is replaced, not followed");
    let elsewhere = program.folder().join("elsewhere");
    fs::rename(&cache, &elsewhere).unwrap();
    symlink(&elsewhere, &cache).unwrap();
    refused("no folder of its own");
}
