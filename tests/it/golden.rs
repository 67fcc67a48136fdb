//! Whole sessions as files: `tests/golden/cmd/NAME.txt` holds a command line, its exit code and both its outputs.
//!
//! `UPDATE_GOLDEN=1 cargo test golden` rewrites them; read the difference before you commit it.

use crate::program::Program;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn sessions_are_as_recorded() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    let files = session_files();
    assert!(!files.is_empty(), "no recorded sessions");
    for path in files {
        let recorded = fs::read_to_string(&path).expect("a session");
        let now = session(&recorded);
        if update {
            fs::write(&path, now).expect("a session");
        } else if now != recorded {
            wrong.push(format!("=== {}\n--- recorded\n{recorded}\n--- now\n{now}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\nUPDATE_GOLDEN=1 rewrites them", wrong.join("\n"));
}

/// Runs the first line, `$ gpuadvise …`, and writes down what comes.
fn session(recorded: &str) -> String {
    let line = recorded
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("$ "))
        .expect("a first line `$ gpuadvise …`");
    let finished = Program::new().run_line(line);
    let mut text = format!("$ {line}\nexit {}\n", finished.code);
    for (name, output) in [("stdout", finished.stdout), ("stderr", finished.stderr)] {
        if !output.is_empty() {
            text.extend(["--- ", name, "\n", &output]);
        }
    }
    text
}

fn session_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/cmd");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    files
}
