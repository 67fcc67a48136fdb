//! `accuracy`: estimates beside measurements.

use crate::catalog::load::Sections;
use crate::cli::args::{AccuracyArgs, ByChoice};
use crate::cli::exit::Outcome;
use crate::cli::frame::{self, Frame};
use crate::diag::{Assumption, Warning};
use crate::insight::score::{By, Group, score};
use crate::insight::table::Measurement;
use crate::insight::{sample, table};
use crate::report::accuracy::Accuracy;
use crate::report::plot;

/// Answers `accuracy`.
pub fn run(frame: &Frame, args: &AccuracyArgs) -> anyhow::Result<Outcome> {
    let rows = match &args.measurements {
        Some(path) => table::read(&path.display().to_string(), &frame::measurements(path)?)?,
        None => sample::sample()?,
    };
    let sections = Sections { presets: true, constants: true, ..Sections::HARDWARE };
    let catalog = frame.catalog_for(sections, Accuracy::nothing)?;
    let scores = score(&catalog, &rows);
    frame.step("rows predicted");
    if let Some(path) = &args.plot {
        let picture = plot::sheet("Predicted against measured", &plot::panels(&scores));
        frame.write_file(path, picture.as_bytes())?;
    }
    let by = args.by.map_or_else(|| vec![By::Kind, By::Source], |by| vec![by_of(by)]);
    let body = Accuracy::new(&scores, &by);
    let overall = scores.groups(By::Overall);
    let warnings: Vec<Warning> = unreadable(&rows).into_iter().collect();
    let assumed: Vec<Assumption> = args.measurements.is_none().then(in_sample).into_iter().collect();
    frame.answer(&catalog, &assumed, &warnings, body)?;
    if scores.scored.is_empty() && scores.judged.is_empty() {
        frame.complain("no row can be predicted; `skipped` says why");
        return Ok(Outcome::Nothing);
    }
    if args.fail_above.is_some() && overall.is_empty() {
        frame.complain(
            "no row has a measured figure that is predicted, so `--fail-above` has nothing to judge",
        );
        return Ok(Outcome::Nothing);
    }
    Ok(above(frame, &overall, args.fail_above.map(|percent| percent.0)))
}

/// The sample is no test of what was fitted on it.
fn in_sample() -> Assumption {
    Assumption {
        id: "in-sample",
        value: "the constants have seen these sources".to_owned(),
        why: "the rows are a sample of what the constants and measured rates come from; docs/estimates.md has the errors \
              with constants that never saw the source they are judged on"
            .to_owned(),
        source: "catalog/measurements".to_owned(),
    }
}

/// Measured cells that cannot be read, with the first of them.
fn unreadable(rows: &[Measurement]) -> Option<Warning> {
    let bad: Vec<(&str, &str)> = rows
        .iter()
        .flat_map(|row| row.answer.unreadable.iter().map(|column| (row.id.as_str(), *column)))
        .collect();
    let (id, column) = bad.first()?;
    let message = format!(
        "{} measured cells count as blank, being no figure above 0 or no known word; the first is `{column}` of {id}",
        bad.len()
    );
    Some(Warning { id: "measured-unreadable", message })
}

fn by_of(choice: ByChoice) -> By {
    match choice {
        ByChoice::Source => By::Source,
        ByChoice::Gpu => By::Gpu,
        ByChoice::Framework => By::Framework,
        ByChoice::Engine => By::Engine,
        ByChoice::Kind => By::Kind,
    }
}

/// Whether the median error of a metric over all sources is above the limit.
fn above(frame: &Frame, overall: &[Group], limit: Option<f64>) -> Outcome {
    let Some(limit) = limit else { return Outcome::Answered };
    let over: Vec<&Group> = overall.iter().filter(|group| group.median * 100.0 > limit).collect();
    for group in &over {
        let error = group.median * 100.0;
        frame.complain(&format!("median error of {}: {error:.1} %, {limit} % allowed", group.metric.name()));
    }
    if over.is_empty() { Outcome::Answered } else { Outcome::OverLimit }
}
