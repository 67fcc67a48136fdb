//! `accuracy`: estimates beside measurements.

use crate::catalog::load::Sections;
use crate::cli::args::{AccuracyArgs, ByChoice};
use crate::cli::exit::Outcome;
use crate::cli::frame::{self, Frame};
use crate::cli::output;
use crate::insight::score::{By, Group, score};
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
        output::write(Some(path), picture.as_bytes())?;
    }
    let by = args.by.map_or_else(|| vec![By::Kind, By::Source], |by| vec![by_of(by)]);
    let body = Accuracy::new(&scores, &by);
    let overall = scores.groups(By::Overall);
    frame.answer(&catalog, &[], &[], body)?;
    if scores.scored.is_empty() && scores.judged.is_empty() {
        frame.complain("no row can be predicted; `skipped` says why");
        return Ok(Outcome::Nothing);
    }
    Ok(above(frame, &overall, args.fail_above.map(|percent| percent.0)))
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
