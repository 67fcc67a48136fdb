//! `explain CODE`: what a finding, rule, assumption, warning, constant or rejection means, and what to do.

use crate::catalog::load::Sections;
use crate::cli::args::ExplainArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use crate::cli::glossary;

/// Explains it.
pub fn run(frame: &Frame, args: &ExplainArgs) -> anyhow::Result<Outcome> {
    let catalog =
        frame.catalog(Sections { rules: true, constants: true, fabrics: true, ..Sections::HARDWARE })?;
    let body = glossary::explain(&catalog, args.code.trim())?;
    frame.answer(&catalog, &[], &[], body)?;
    Ok(Outcome::Answered)
}
