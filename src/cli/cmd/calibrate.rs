//! `calibrate`: a user's own runs become an overlay of the table of constants.

use crate::calibrate::free::Choice;
use crate::calibrate::own::{FEWEST, TooFew, calibrate};
use crate::calibrate::runs;
use crate::catalog::Catalog;
use crate::catalog::load::Sections;
use crate::catalog::provenance::{AsOf, CALIBRATED, Source};
use crate::cli::args::CalibrateArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::{Frame, measurements};
use crate::diag::InputError;
use crate::insight::Case;
use crate::insight::metric::Metric;
use crate::insight::table::Measurement;
use crate::report::Format;
use crate::report::calibrate::{Calibration, SkipLine};
use anyhow::anyhow;

/// Answers `calibrate`. In the form for people the document is the overlay itself, ready for `--catalog`.
pub fn run(frame: &Frame, args: &CalibrateArgs) -> anyhow::Result<Outcome> {
    let name = args.runs.display().to_string();
    let runs = runs::read(&name, &measurements(&args.runs)?)?;
    let Some(day) = args.as_of.map(AsOf::Day).or(runs.newest) else {
        let message = format!("{name} does not say when the runs were measured");
        return Err(InputError::new(message, "give `--as-of 2026-11-30`, or a column `as_of`").into());
    };
    let catalog = frame.catalog_for(
        Sections { presets: true, constants: true, ..Sections::HARDWARE },
        Calibration::default,
    )?;
    let choice = Choice::own().map_err(|error| anyhow!("the list of constants is damaged: {error}"))?;
    let said = |used: usize| format!("{CALIBRATED}{used} runs of {name}");
    possible(&catalog, &name, &runs.rows)?;
    let source = |used| Source { text: said(used), as_of: day };
    let calibrated = calibrate(&catalog, &choice, &runs.rows, source).map_err(|few| too_few(&name, &few))?;
    frame.step("constants fitted");
    let body = Calibration::new(&calibrated, &said(calibrated.used));
    if frame.format() != Format::Table {
        frame.answer(&calibrated.catalog, &[], &[], body)?;
        return Ok(Outcome::Answered);
    }
    body.summary(&body.labels()).iter().for_each(|line| frame.tell(line));
    frame.write(body.overlay.as_bytes())?;
    Ok(Outcome::Answered)
}

/// Refuses runs that would have used more than all of a GPU: a rate of the whole job, or of another model, as that of one
/// GPU.
fn possible(catalog: &Catalog, name: &str, rows: &[Measurement]) -> Result<(), InputError> {
    for row in rows {
        let Ok(Ok(Case::Training(case))) = row.question.as_ref().map(|question| Case::of(catalog, question))
        else {
            continue;
        };
        let measured = row.answer.values.get(&Metric::TokensPerSPerGpu);
        let share = measured.and_then(|&rate| case.utilisation(catalog, rate)).unwrap_or(0.0);
        if share > 1.0 {
            let message = format!(
                "{name}: {} would have used {:.0} % of the dense peak of its GPU",
                row.id,
                share * 100.0
            );
            let hint =
                "check the number of GPUs, the sequence length and whether the rate is that of one GPU";
            return Err(InputError::new(message, hint));
        }
    }
    Ok(())
}

fn too_few(name: &str, few: &TooFew) -> InputError {
    let reasons: Vec<String> = few
        .skipped
        .iter()
        .take(5)
        .map(SkipLine::new)
        .map(|line| format!("{}: {}", line.id, line.reason))
        .collect();
    let message = format!("{name}: {} usable runs, {FEWEST} are needed", few.used);
    let hint = if reasons.is_empty() { "measure more runs".to_owned() } else { reasons.join("; ") };
    InputError::new(message, hint)
}
