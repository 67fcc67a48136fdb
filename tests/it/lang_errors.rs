//! Bad input of each kind, said in Chinese: no sentence of an error, a finding or a hint is left in English.

use crate::lang_help::{english, is_han};
use crate::program::{Program, words};
use serde::Deserialize;
use std::sync::Mutex;

/// Runs that fail at once, so a few at a time.
const WORKERS: usize = 4;

/// A log that can be read, for questions about it that cannot be answered.
const LOG: &str = include_str!("../fixtures/examples/gpus.csv");

/// Bad input.
#[derive(Deserialize)]
struct Inputs {
    /// Lines that need no file but the log.
    runs: Vec<String>,
    /// Lines that read a file.
    case: Vec<Case>,
}

#[derive(Clone, Deserialize)]
struct Case {
    run: String,
    file: String,
    text: String,
}

/// What is wrong with how an input was answered.
fn faults_of(case: &Case) -> Vec<String> {
    let Case { run, file, text } = case;
    let words = words(run);
    let mut line: Vec<&str> = words.iter().map(String::as_str).collect();
    line.extend(["--lang", "zh"]);
    let done = Program::new().file(file, text).run(&line);
    let is_check = run.starts_with("catalog check");
    let said = if is_check { format!("{}{}", done.stdout, done.stderr) } else { done.stderr };
    let mut faults = Vec::new();
    if !matches!(done.code, 1 | 2 | 5) {
        faults.push(format!("`{run}` ends with {}:\n{said}{text}", done.code));
    }
    if !said.contains(is_han) {
        faults.push(format!("`{run}` is not answered in Chinese:\n{said}"));
    }
    let left = said.lines().filter(|line| !line.starts_with("用法：")).find_map(english);
    faults.extend(left.map(|left| format!("`{left}` is left of `{run}`:\n{said}")));
    faults
}

#[test]
fn no_sentence_of_an_error_is_left_in_english() {
    let text = include_str!("../fixtures/lang/bad-input.toml");
    let Inputs { runs, case } = toml::from_str(text).expect("a table of inputs");
    let alone = runs.into_iter().map(|run| Case { run, file: "gpus.csv".to_owned(), text: LOG.to_owned() });
    let cases: Vec<Case> = alone.chain(case).collect();
    assert!(cases.len() > 200, "{}", cases.len());
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for part in cases.chunks(cases.len().div_ceil(WORKERS)) {
            scope.spawn(|| {
                let own: Vec<String> = part.iter().flat_map(faults_of).collect();
                faults.lock().expect("no worker fails").extend(own);
            });
        }
    });
    let faults = faults.into_inner().expect("no worker fails");
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), cases.len(), faults.join("\n"));
}
