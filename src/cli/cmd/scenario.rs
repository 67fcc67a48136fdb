//! `recommend --scenario NAME`: the guide's machine, whether it holds, its price, and what is better today.

use crate::advise::advise;
use crate::advise::fit::fit;
use crate::catalog::Catalog;
use crate::catalog::knowledge::{Scenario, ScenarioWorkload};
use crate::catalog::load::Sections;
use crate::catalog::lookup::names::squeeze;
use crate::catalog::price::Billing;
use crate::catalog::select::Filter;
use crate::cli::args::WorkloadSourceArgs;
use crate::cli::constraint::ConstraintArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use crate::cli::model_file::model_file;
use crate::cli::request::Group;
use crate::cli::{advice, discount, limit, verdict};
use crate::diag::InputError;
use crate::price::listing::{CostRow, Detail, Query, list};
use crate::price::part::Extras;
use crate::report::recommend::Recommend;
use crate::report::scenario::ScenarioAnswer;
use crate::workload::Workload;
use crate::workload::resolve::resolve;
use crate::workload::settings::WorkloadArgs;

/// Answers `recommend --scenario`.
pub fn run(
    frame: &Frame,
    name: &str,
    typed: &WorkloadSourceArgs,
    constraint: &ConstraintArgs,
) -> anyhow::Result<Outcome> {
    let mut catalog = frame.catalog_for(Sections::ALL, Recommend::nothing)?;
    let discounts = discount::apply(frame.project()?, &mut catalog)?;
    let scenario = find(&catalog, name)?;
    let limits = limit::limits(constraint, &catalog, frame.today()?)?;
    let answer = ScenarioAnswer::new(&catalog, scenario)
        .price(&catalog, &guide_costs(&catalog, scenario, &limits.filter)?);
    let mut judged = scenario.workloads.iter().filter(|workload| workload.not_judged.is_none());
    let Some(first) = judged.next() else {
        frame.answer(&catalog, &discounts, &[], Recommend::of_scenario(answer))?;
        frame.complain("no workload of this scenario can be judged yet");
        return Ok(Outcome::Nothing);
    };
    let asked = frame.workload_over(typed.clone(), flags_of(first)?)?;
    let workload = resolve(&asked, &catalog, &model_file)?;
    let selection = catalog.resolve_gpu_spec(&scenario.guide_gpu)?;
    let on_guide = |workload: &Workload| fit(&catalog, workload, &selection.gpus[..1], scenario.guide_gpus);
    let fits = on_guide(&workload);
    let mut answer =
        fits.iter().fold(answer, |answer, fit| answer.judge(&catalog, &first.name, &workload, fit));
    for other in judged {
        let asked = frame.workload_over(typed.clone(), flags_of(other)?)?;
        let workload = resolve(&asked, &catalog, &model_file)?;
        for fit in on_guide(&workload) {
            answer = answer.judge_also(&catalog, &other.name, &workload, &fit);
        }
    }
    let found = advise(&catalog, &workload, &limits);
    let mut body = Recommend::new(&catalog, &workload, &found);
    advice::add(&catalog, &found, &mut body)?;
    let assumptions = [workload.assumptions.as_slice(), &found.assumptions, &discounts].concat();
    let mut warnings = [workload.warnings.as_slice(), &found.warnings].concat();
    warnings.extend(verdict::owed_by(&catalog, found.recommendations.first()));
    warnings.extend(verdict::parts_unknown(found.recommendations.iter().flat_map(|row| &row.costs)));
    verdict::refuse_strict(
        &workload,
        found.recommendations.is_empty(),
        found.rejected.iter().map(|r| r.reason),
    )?;
    frame.answer(&catalog, &assumptions, &warnings, body.with_scenario(answer))?;
    Ok(verdict::of_search(frame, &found, constraint.limit.fail_over, (&catalog, &limits.filter)))
}

/// What one machine like the guide's costs for an hour, contract by contract.
fn guide_costs(catalog: &Catalog, scenario: &Scenario, filter: &Filter) -> anyhow::Result<Vec<CostRow>> {
    let spec = format!("{}:{}", scenario.guide_gpu, scenario.guide_gpus);
    let filter = Filter {
        gpus: vec![catalog.resolve_gpu_spec(&spec)?],
        min_vcpus: Some(f64::from(scenario.guide_vcpus)),
        ..filter.clone()
    };
    let billing = Billing::ALL.to_vec();
    let query = Query {
        filter,
        billing,
        nodes: Some(1),
        gpus: None,
        max_gpus: None,
        min_spot_discount: None,
        hours: 1.0,
        extras: Extras::default(),
        spot: None,
        detail: Detail::CheapestRegion,
    };
    Ok(list(catalog, &query).rows)
}

/// The flags of the first workload of a scenario that can be judged.
pub(super) fn flags(catalog: &Catalog, name: &str) -> Result<WorkloadArgs, InputError> {
    let scenario = find(catalog, name)?;
    let first = scenario.workloads.iter().find(|workload| workload.not_judged.is_none());
    first.map_or_else(
        || {
            let message = format!("no workload of the scenario `{}` can be judged yet", scenario.name);
            Err(InputError::new(message, "describe the workload by its own settings"))
        },
        flags_of,
    )
}

fn find<'a>(catalog: &'a Catalog, name: &str) -> Result<&'a Scenario, InputError> {
    let names = || catalog.scenarios.iter().map(|scenario| scenario.name.as_str());
    let wanted = squeeze(name);
    catalog.scenarios.iter().find(|scenario| squeeze(&scenario.name) == wanted).ok_or_else(|| {
        let hint = format!("the catalog has {}", names().collect::<Vec<_>>().join(", "));
        InputError::unknown("scenario", name, names(), hint)
    })
}

/// The flags that the scenario itself sets; what is typed comes before them.
fn flags_of(workload: &ScenarioWorkload) -> Result<WorkloadArgs, InputError> {
    let pairs = workload.flags.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    <WorkloadArgs as Group>::from_pairs(pairs).map_err(|error| InputError::new(error, ""))
}
