//! `diff`: what changed between two stored answers, and whether the cost may rise by that.

use crate::catalog::Catalog;
use crate::catalog::load::Sections;
use crate::cli::args::DiffArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::{self, Frame};
use crate::cli::value;
use crate::diag::InputError;
use crate::report::diff::{DiffAnswer, Increase};
use std::path::Path;

/// Answers `diff`.
pub fn run(frame: &Frame, args: &DiffArgs) -> anyhow::Result<Outcome> {
    let is_stdin = |path: &Path| path == Path::new("-");
    if is_stdin(&args.old) && is_stdin(&args.new) {
        return Err(InputError::new("both answers are `-`", "stdin holds one of them").into());
    }
    let (old, new) = (frame::stored(&args.old)?, frame::stored(&args.new)?);
    let limit = args.max_increase.map(|limit| match limit {
        value::Increase::Usd(amount) => Increase::Usd(amount.usd()),
        value::Increase::Percent(percent) => Increase::Percent(percent),
    });
    let (old_name, new_name) = (args.old.display().to_string(), args.new.display().to_string());
    let answer = DiffAnswer::new((&old_name, &old), (&new_name, &new), limit)?;
    let broken = answer.limit.as_ref().and_then(|limit| limit.message.clone());
    let warnings = answer.warnings();
    if frame.asks_for_currency() {
        // Rates may stand in overlays.
        frame.catalog_for(Sections::PRICES, || answer.clone())?;
    }
    frame.answer(&Catalog::default(), &[], &warnings, answer)?;
    Ok(match broken {
        Some(message) => {
            frame.complain(&message);
            Outcome::OverLimit
        }
        None => Outcome::Answered,
    })
}
