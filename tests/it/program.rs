//! Runs the built program in a clean world: no inherited environment, an empty home and working folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

/// The program and the world it runs in.
pub(crate) struct Program {
    folder: tempfile::TempDir,
    environment: Vec<(String, String)>,
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { folder, environment: vec![("LC_ALL".to_owned(), "C.UTF-8".to_owned())] }
    }

    /// Sets a variable; later ones win.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes a file into the working folder.
    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
        self
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The command with its clean world, for tests that need more than [`Program::run`].
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpuadvise"));
        command.args(arguments).current_dir(self.folder()).env_clear().env("HOME", self.folder());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        let output = self.command(arguments).output().expect("the program starts");
        Finished {
            code: output.status.code().expect("no signal"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on stdout"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on stderr"),
        }
    }

    /// Runs a line such as `gpuadvise cost --gpu "RTX 6000"`.
    pub(crate) fn run_line(&self, line: &str) -> Finished {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["gpuadvise", arguments @ ..] | ["cargo", "run", "--release", "--", arguments @ ..] => {
                self.run(arguments)
            }
            _ => panic!("not a command line of gpuadvise: {line}"),
        }
    }
}

impl Finished {
    /// The document on stdout, of which there must be exactly one.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("not one JSON document: {error}\n{}\n{}", self.stdout, self.stderr)
        })
    }
}

/// Runs the program once in a clean world.
pub(crate) fn run(arguments: &[&str]) -> Finished {
    Program::new().run(arguments)
}

/// What a run in a clean world comes to, run once for all tests that look at it. Not for a test that compares two runs of
/// the same line: `cmd` does, which holds this together.
pub(crate) fn once(arguments: &[&str]) -> Arc<Finished> {
    type Runs = BTreeMap<Vec<String>, Arc<OnceLock<Arc<Finished>>>>;
    static RUNS: Mutex<Runs> = Mutex::new(BTreeMap::new());
    let key = arguments.iter().map(|&word| word.to_owned()).collect();
    let known = RUNS.lock().expect("no test fails in here").entry(key).or_default().clone();
    known.get_or_init(|| Arc::new(run(arguments))).clone()
}

/// Splits as a shell does, with quotes but without escapes.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c == ' ' => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
