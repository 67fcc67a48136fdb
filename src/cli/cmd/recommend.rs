//! `recommend`: what to rent for a workload.

use crate::advise::advise;
use crate::catalog::load::Sections;
use crate::cli::args::RecommendArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use crate::cli::model_file::model_file;
use crate::cli::{advice, discount, limit, verdict};
use crate::report::explained;
use crate::report::recommend::Recommend;
use crate::workload::resolve::resolve;

/// Answers `recommend`.
pub fn run(frame: &Frame, args: RecommendArgs) -> anyhow::Result<Outcome> {
    if let Some(name) = &args.scenario {
        let constraint = frame.constraints(args.constraint)?;
        return super::scenario::run(frame, name, &args.workload, &constraint);
    }
    let asked = frame.workload(args.workload)?;
    let constraint = frame.constraints(args.constraint)?;
    let presets = asked.model.is_some();
    let mut catalog = frame.catalog_for(
        Sections { presets, scenarios: false, fabrics: false, ownership: false, ..Sections::ALL },
        Recommend::nothing,
    )?;
    let discounts = discount::apply(frame.project()?, &mut catalog)?;
    let workload = resolve(&asked, &catalog, &model_file)?;
    let limits = limit::limits(&constraint, &catalog, frame.today()?)?;
    let limit = &constraint.limit;
    let in_usd = limit.max_hourly.or(limit.budget).or(limit.fail_over).is_some();
    frame.confirm_currency(&catalog, &limits.filter, in_usd)?;
    let found = advise(&catalog, &workload, &limits);
    frame.step("search done");
    let mut body = Recommend::new(&catalog, &workload, &found);
    advice::add(&catalog, &found, &mut body)?;
    if constraint.limit.explain == Some(true) {
        explained::rows(&workload, &mut body);
    }
    frame.step("rules done");
    let assumptions = [workload.assumptions.as_slice(), &found.assumptions, &discounts].concat();
    let mut warnings = [workload.warnings.as_slice(), &found.warnings].concat();
    warnings.extend(verdict::owed_by(&catalog, found.recommendations.first()));
    warnings.extend(verdict::parts_unknown(found.recommendations.iter().flat_map(|row| &row.costs)));
    verdict::refuse_strict(
        &workload,
        found.recommendations.is_empty(),
        found.rejected.iter().map(|r| r.reason),
    )?;
    frame.answer(&catalog, &assumptions, &warnings, body)?;
    Ok(verdict::of_search(frame, &found, constraint.limit.fail_over, (&catalog, &limits.filter)))
}
