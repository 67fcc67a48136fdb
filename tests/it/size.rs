//! Files and functions stay small enough to be read in one go.

use std::fs;
use std::path::{Path, PathBuf};

/// Most lines of a source file. Tables of test cases may be longer.
const MOST: usize = 400;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_test = path.file_stem().is_some_and(|name| name == "tests");
        if path.is_dir() && !is_test {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            found.push(path);
        }
    }
}

#[test]
fn no_source_file_is_longer_than_400_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![root.join("build.rs")];
    for folder in ["src", "examples", "benches"] {
        sources(&root.join(folder), &mut found);
    }
    assert!(found.len() > 300, "{} files", found.len());
    let lines = |path: &PathBuf| fs::read_to_string(path).expect("a source file").lines().count();
    let long: Vec<String> = found
        .iter()
        .map(|path| (path, lines(path)))
        .filter(|(_, lines)| *lines > MOST)
        .map(|(path, lines)| format!("{}: {lines}", path.display()))
        .collect();
    assert!(long.is_empty(), "split these by idea: {long:?}");
}

/// Clippy counts the lines of functions, with a limit that no file lifts.
#[test]
fn no_function_is_longer_than_60_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(root.join(name)).expect("a file");
    let limit: toml::Table = read("clippy.toml").parse().expect("TOML");
    assert_eq!(limit["too-many-lines-threshold"].as_integer(), Some(60));
    let manifest: toml::Table = read("Cargo.toml").parse().expect("TOML");
    assert!(manifest["lints"]["clippy"]["too_many_lines"].as_str().is_some_and(|level| level != "allow"));
    assert!(read(".ci/run").contains("cargo clippy --all-targets --locked -- -D warnings"));
    let mut found = Vec::new();
    sources(&root.join("src"), &mut found);
    for path in found {
        let lifted = fs::read_to_string(&path).expect("a source file").contains("clippy::too_many_lines");
        assert!(!lifted, "{} lifts the limit", path.display());
    }
}
