//! Overlays that mean harm end in a clear error through the program, soon, and leave nothing behind.

use crate::program::{Finished, Program};
use std::fs;

const TOP: &str = "schema = 1\nsource = \"s\"\n[sources.s]\ntext = \"a page\"\nas-of = 2026-11-01\n";

/// `catalog check` and `recommend` under an overlay; both must refuse it. Gives the first.
fn refused(program: &Program, path: &str, code: i32) -> Finished {
    let recommended = program.run(&["recommend", "--params", "8B", "--task", "infer", "--catalog", path]);
    assert_eq!(recommended.code, code, "{}", recommended.stderr);
    let checked = program.run(&["catalog", "check", path]);
    assert_eq!(checked.code, code, "{} {}", checked.stdout, checked.stderr);
    let said = [&checked.stdout, &checked.stderr, &recommended.stdout, &recommended.stderr];
    for text in said {
        assert!(!text.chars().any(|c| c == '\u{1b}' || c == '\u{202e}' || c == '\u{7}'), "{text:?}");
        assert!(!text.contains("panicked") && !text.contains("Utf8Error"), "{text}");
    }
    checked
}

fn price(rest: &str) -> String {
    format!(
        "{TOP}[[price]]\nprovider = \"aws\"\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\nbilling = \"on-demand\"\n{rest}\n"
    )
}

#[test]
fn impossible_prices_are_refused_with_their_line() {
    let cases = [
        "usd-per-hour = nan",
        "usd-per-hour = inf",
        "usd-per-hour = 1e308",
        "usd-per-hour = -5.0",
        "usd-per-hour = 0",
        "usd-per-hour = 9223372036854775807",
        "usd-per-hour = 1e-300",
        "usd-per-hour = 1.0\nusd-per-hour = 2.0",
        "per-hour = 1.0\ncurrency = \"DOLLARS\"",
        "usd-per-hour = 1.0\ncurrency = \"CNY\"",
        "usd-per-hour = \"=1+1\"",
    ];
    for case in cases {
        let program = Program::new().file("bad.toml", &price(case));
        let finished = refused(&program, "bad.toml", 5);
        let line = if case.contains("2.0") { 12 } else { 11 };
        let told = finished.stdout.contains(&format!("bad.toml:{line}:"))
            || finished.stdout.contains("bad.toml:12:");
        assert!(told, "{case}: {}", finished.stdout);
    }
}

#[test]
fn names_that_steer_a_terminal_are_refused() {
    for odd in ["\\u001B[31mred", "\\u202Egnp", "a\\u0007b", "\\u009B2J"] {
        let region = format!("{TOP}[[region]]\nprovider = \"aws\"\nname = \"{odd}\"\n");
        let program = Program::new().file("bad.toml", &region);
        let finished = refused(&program, "bad.toml", 5);
        assert!(finished.stdout.contains("steers a terminal"), "{}", finished.stdout);
        let listed = format!(
            "{TOP}[[provider]]\nname = \"x\"\ndisplay = \"X\"\ntier = \"specialist\"\naliases = [\"{odd}\"]\n"
        );
        refused(&Program::new().file("bad.toml", &listed), "bad.toml", 5);
    }
}

#[test]
fn names_like_formulas_are_texts_in_every_csv() {
    for name in ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\\t=1+1", "\\n=1+1"] {
        let text = format!(
            "{TOP}[[region]]\nprovider = \"lambda\"\nname = \"{name}\"\n[[instance]]\nprovider = \"lambda\"\nname = \"{name}\"\ngpu = \"T4\"\ngpus = 1\n\
             [[price]]\nprovider = \"lambda\"\ninstance = \"{name}\"\nregion = \"{name}\"\nbilling = \"on-demand\"\nusd-per-hour = 0.5\n"
        );
        let program = Program::new().file("own.toml", &text);
        for command in [
            &["cost", "--gpu", "T4", "--provider", "lambda"][..],
            &["catalog", "instances", "--provider", "lambda"],
        ] {
            let finished = program.run(&[command, &["--catalog", "own.toml", "--format", "csv"]].concat());
            assert_eq!(finished.code, 0, "{}", finished.stderr);
            for cell in finished.stdout.split([',', '\n']) {
                let cell = cell.trim_start_matches('"');
                let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
                assert!(!formula || cell.trim_end_matches('"').parse::<f64>().is_ok(), "{cell:?}");
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_told_with_their_place() {
    let program = Program::new().file("bad.toml", "");
    fs::write(program.folder().join("bad.toml"), b"schema = 1\n# \xff\xfe\n").unwrap();
    let finished = refused(&program, "bad.toml", 2);
    assert!(finished.stderr.contains("not UTF-8 at line 2, column 3"), "{}", finished.stderr);
}

#[test]
fn deep_nesting_ends() {
    for deep in [
        format!("a = {}{}", "[".repeat(200_000), "]".repeat(200_000)),
        format!("a = {}", "{ a = ".repeat(100_000)),
        format!("[{}]", vec!["a"; 50_000].join(".")),
    ] {
        let program = Program::new().file("bad.toml", &deep);
        refused(&program, "bad.toml", 5);
    }
}

#[test]
fn a_file_without_end_is_refused_at_once() {
    let program = Program::new().file("huge.toml", "");
    let file = fs::File::options().write(true).open(program.folder().join("huge.toml")).unwrap();
    file.set_len(10 << 30).unwrap();
    let finished = refused(&program, "huge.toml", 2);
    assert!(finished.stderr.contains("longer than 512 MiB"), "{}", finished.stderr);
}

#[cfg(unix)]
#[test]
fn devices_pipes_and_loops_end() {
    let program = Program::new().file("tree/good.toml", "schema = 1\n");
    let zero = refused(&program, "/dev/zero", 2);
    assert!(zero.stderr.contains("longer than 64 MiB"), "{}", zero.stderr);
    let pipe = program.folder().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let finished = refused(&program, "pipe", 2);
    assert!(finished.stderr.contains("named pipe"), "{}", finished.stderr);
    let tree = program.folder().join("tree");
    std::os::unix::fs::symlink(&tree, tree.join("again")).unwrap();
    std::os::unix::fs::symlink(&pipe, tree.join("pipe.toml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", tree.join("zero.toml")).unwrap();
    assert_eq!(
        program.run(&["catalog", "check", "tree"]).code,
        0,
        "links to what is no file are passed over"
    );
}

#[test]
fn a_file_full_of_faults_ends_soon() {
    let row = "[[price]]\nprovider = \"aws\"\ninstance = \"nowhere\"\nregion = \"x\"\nbilling = \"spot\"\nusd-per-hour = 1\n";
    let twice = "[[region]]\nprovider = \"aws\"\nname = \"x\"\n";
    let text = format!("{TOP}{}{}", row.repeat(3000), twice.repeat(3000));
    let program = Program::new().file("bad.toml", &text);
    let started = std::time::Instant::now();
    refused(&program, "bad.toml", 5);
    assert!(started.elapsed().as_secs() < 120, "{:?}", started.elapsed());
}
