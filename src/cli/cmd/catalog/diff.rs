//! `catalog diff`: what prices two catalogs differ in, and whether that is within limits.

use crate::catalog::Catalog;
use crate::catalog::load::{CatalogProblem, Sections};
use crate::cli::args::CatalogDiffArgs;
use crate::cli::exit::{CatalogError, Outcome};
use crate::cli::frame::{Frame, catalog_problem};
use crate::report::catalog::{Broken, CatalogDiff, Findings, Limits};
use std::path::{Path, PathBuf};

/// The word for the catalog of the program.
const EMBEDDED: &str = "embedded";

/// Answers `catalog diff`.
pub(super) fn run(frame: &Frame, args: &CatalogDiffArgs) -> anyhow::Result<Outcome> {
    let is_own = |path: &Path| path == Path::new(EMBEDDED);
    let whole = is_own(&args.old) || is_own(&args.new);
    let side = |path: &PathBuf| -> anyhow::Result<Catalog> {
        let overlays = if is_own(path) { Vec::new() } else { vec![path.clone()] };
        let mut catalog = frame.catalog_beside(overlays, Sections::PRICES)?;
        frame.exchange(&mut catalog)?;
        if !whole {
            catalog.prices.retain(|price| price.overridden);
        }
        Ok(catalog)
    };
    let both = side(&args.old).and_then(|old| Ok((old, side(&args.new)?)));
    let (old, new) = match both {
        Ok(both) => both,
        Err(error) => return Err(invalid(frame, error)?),
    };
    frame.step("catalogs loaded");
    let limits = Limits { lost: args.max_lost.map(|it| it.0), change: args.max_change.map(|it| it.0) };
    let (old_name, new_name) = (args.old.display().to_string(), args.new.display().to_string());
    let answer = CatalogDiff::new((&old_name, &old), (&new_name, &new), limits);
    let broken = answer.broken();
    frame.answer(&new, &[], &[], answer)?;
    if broken.is_empty() {
        return Ok(Outcome::Answered);
    }
    for line in &broken {
        frame.complain(line);
    }
    Ok(Outcome::OverLimit)
}

/// Findings of a broken side go out as the document.
fn invalid(frame: &Frame, error: anyhow::Error) -> anyhow::Result<anyhow::Error> {
    match error.downcast::<CatalogProblem>() {
        Ok(CatalogProblem::Invalid { findings }) => {
            let empty = CatalogDiff::default();
            let document = Broken::new(&empty, Findings::new(&findings));
            frame.answer(&Catalog::default(), &[], &[], document)?;
            Ok(CatalogError::of(&findings).into())
        }
        Ok(problem) => Ok(catalog_problem(problem)),
        Err(error) => Ok(error),
    }
}
