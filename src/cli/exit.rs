//! Exit codes, and the way from an error to one. The codes are part of the contract.

use crate::catalog::lookup::LookupError;
use crate::diag::{Finding, InputError, Level};
use crate::lang::Lang;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

/// How a command that ran to its end came out. Its document is already on stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The question is answered.
    Answered = 0,
    /// Nothing fits or qualifies.
    Nothing = 3,
    /// A budget or policy is broken.
    OverLimit = 4,
    /// The catalog is invalid, or holds no usable price.
    CatalogProblem = 5,
}

/// The tool itself failed.
const FAILED: u8 = 1;
/// The input is wrong.
const BAD_INPUT: u8 = 2;

/// A catalog that cannot be used; its findings are already printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogError {
    errors: usize,
}

impl CatalogError {
    /// The error that these findings come to.
    pub fn of(findings: &[Finding]) -> Self {
        Self { errors: findings.iter().filter(|finding| finding.level == Level::Error).count() }
    }
}

impl std::fmt::Display for CatalogError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let s = if self.errors == 1 { "" } else { "s" };
        write!(f, "the catalog has {} error{s}", self.errors)
    }
}

impl std::error::Error for CatalogError {}

/// The exit code of a finished command; prints the error, if there is one, to stderr.
pub fn code(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(outcome) => ExitCode::from(outcome as u8),
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::from(code_of(&error))
        }
    }
}

/// The language of all that goes to stderr, once it is known.
static SPOKEN: OnceLock<Lang> = OnceLock::new();

/// Settles the language of the run.
pub fn speak(lang: Lang) {
    let _ = SPOKEN.set(lang);
}

/// The language of the run.
pub fn language() -> Lang {
    SPOKEN.get().copied().unwrap_or_default()
}

/// The exit code of what clap stopped at: help and version are answers, everything else is bad input. `said` is what to
/// print in place of its own page.
pub fn usage(error: &clap::Error, said: Option<String>) -> ExitCode {
    let printed = match said {
        Some(page) if error.use_stderr() => io::stderr().lock().write_all(page.as_bytes()),
        Some(page) => io::stdout().lock().write_all(page.as_bytes()),
        None => error.print(),
    };
    printed_code(printed, error.use_stderr())
}

/// The version on stdout, in the words of clap.
pub fn version() -> ExitCode {
    let line = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    printed_code(writeln!(io::stdout().lock(), "{line}"), false)
}

fn printed_code(printed: io::Result<()>, is_error: bool) -> ExitCode {
    match printed {
        Err(failure) if failure.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(FAILED),
        _ if is_error => ExitCode::from(BAD_INPUT),
        _ => ExitCode::SUCCESS,
    }
}

fn code_of(error: &anyhow::Error) -> u8 {
    if error.is::<InputError>() || error.is::<LookupError>() {
        BAD_INPUT
    } else if error.is::<CatalogError>() {
        Outcome::CatalogProblem as u8
    } else {
        FAILED
    }
}

/// One message as a terminal or a log may show it: control codes, which names and files of others may hold, become
/// spaces. Of line breaks only those stay that we write ourselves: before a blank line, a hint or an indented list; and
/// never before what a CI system would take for a command (`::error::`, `##[error]`).
fn harmless(message: &str) -> String {
    let own_break = |rest: &str| {
        let line = rest.trim_start();
        let command = line.starts_with("::") || line.starts_with("##[");
        !command && (rest.starts_with('\n') || rest.starts_with("  ") || rest.starts_with("hint: "))
    };
    let each = |(at, c): (usize, char)| match c {
        '\n' if own_break(&message[at + 1..]) => c,
        c if crate::diag::is_odd(c) => ' ',
        c => c,
    };
    message.char_indices().map(each).collect()
}

/// One message on stderr, made harmless: the only way there. A stderr that nobody reads is no reason to fail.
pub fn say(message: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", language().say(&harmless(message)));
}

/// `error: …` on stderr. A stderr that cannot be written to changes nothing: the code still tells.
pub fn complain(message: &str) {
    say(&format!("error: {message}"));
}

/// `note: …` on stderr, below an error.
pub fn note(message: &str) {
    say(&format!("note: {message}"));
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn nothing_of_others_starts_a_line_or_moves_a_terminal() {
        let own = "bad input\n\nhint: write\n  memory (3): x";
        assert_eq!(harmless(own), own);
        assert_eq!(harmless("a\nerror: b\r\u{1b}[31mc\td\u{9b}\u{202e}e"), "a error: b  [31mc d  e");
        for forged in ["a\n::error::b", "a\n  ::add-mask::b", "a\n\n::warning::b", "a\n##[error]b"] {
            let shown = harmless(forged);
            assert!(
                !shown.lines().skip(1).any(|line| line.trim_start().starts_with([':', '#'])),
                "{shown:?}"
            );
        }
    }
}
