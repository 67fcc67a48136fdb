//! Exit codes, and the way from an error to one. The codes are part of the contract.

use crate::catalog::lookup::LookupError;
use crate::diag::{Finding, InputError, Level};
use std::io::{self, Write};
use std::process::ExitCode;

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

/// The exit code of what clap stopped at: help and version are answers, everything else is bad input.
pub fn usage(error: &clap::Error) -> ExitCode {
    match error.print() {
        Err(failure) if failure.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(FAILED),
        _ if error.use_stderr() => ExitCode::from(BAD_INPUT),
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

/// `error: …` on stderr. A stderr that cannot be written to changes nothing: the code still tells.
pub fn complain(message: &str) {
    let _ = writeln!(io::stderr().lock(), "error: {message}");
}

/// `note: …` on stderr, below an error.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr().lock(), "note: {message}");
}
