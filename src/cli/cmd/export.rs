//! `export`: launch files for the tools that start machines, from one row of an answer.

use crate::advise::advise;
use crate::catalog::Catalog;
use crate::catalog::instance::InstanceId;
use crate::catalog::load::Sections;
use crate::catalog::select::Filter;
use crate::cli::args::{ExportArgs, ExportSource, WorkloadSourceArgs};
use crate::cli::constraint::ConstraintArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::{self, Frame};
use crate::cli::model_file::model_file;
use crate::cli::{advice, discount, limit, verdict};
use crate::diag::{Assumption, InputError, Warning};
use crate::export::chosen::{Chosen, Pick, too_high};
use crate::export::rows::Target;
use crate::export::{export, rows};
use crate::report::export::ExportAnswer;
use crate::report::recommend::Recommend;
use crate::report::{Body, Format, Used};
use crate::workload::resolve::resolve;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::mem::ManuallyDrop;
use std::path::Path;

/// What a launch file is made from.
struct Found {
    catalog: ManuallyDrop<Catalog>,
    /// `None` where the answer has no row, with the outcome that says why.
    chosen: Option<Chosen>,
    outcome: Outcome,
    used: Used,
    assumptions: Vec<Assumption>,
    warnings: Vec<Warning>,
}

/// Answers `export`. In the form for people the document is the file itself.
pub fn run(frame: &Frame, args: ExportArgs) -> anyhow::Result<Outcome> {
    let ExportArgs { source, workload, constraint } = args;
    let name = source.to.name();
    let target = rows::target(name)?;
    let pick = Pick { rank: source.rank, name: source.name.as_deref() };
    let found = match &source.from {
        Some(path) => stored(frame, path, pick, name)?,
        None => searched(frame, workload, constraint, &source, &target)?,
    };
    let Found { catalog, chosen, outcome, used, assumptions, warnings } = found;
    let Some(mut chosen) = chosen else {
        frame.answer(&catalog, &assumptions, &warnings, ExportAnswer::nothing(name))?;
        return Ok(outcome);
    };
    let told = warnings.iter().map(|warning| warning.message.clone());
    chosen.warnings.extend(told);
    let mut launch = export(&catalog, &target, &chosen)?;
    frame.step("files written");
    let file = source.file.as_deref();
    if let Some(wanted) = file {
        let names: Vec<&str> = launch.files.iter().map(|file| file.name.as_str()).collect();
        let at = names.iter().position(|own| *own == wanted).ok_or_else(|| {
            let hint = format!("{name} has: {}", names.join(", "));
            InputError::unknown("launch file", wanted, names.iter().copied(), hint)
        })?;
        launch.files = vec![launch.files.swap_remove(at)];
    }
    if frame.format() != Format::Table {
        let body = ExportAnswer::new(name, &chosen.command, chosen.whole, launch, used);
        frame.answer(&catalog, &assumptions, &warnings, body)?;
        return Ok(outcome);
    }
    for note in &launch.notes {
        frame.tell(&format!("note: {note}"));
    }
    for warning in &warnings {
        frame.tell(&format!("warning: {}", warning.message));
    }
    for more in launch.files.iter().skip(1) {
        frame.tell(&format!("note: there is another file, `--file {}`", more.name));
    }
    let content = launch.files.first().map(|file| file.content.as_str()).unwrap_or_default();
    frame.write(content.as_bytes())?;
    Ok(outcome)
}

/// The row of a stored answer.
fn stored(frame: &Frame, path: &Path, pick: Pick, target: &'static str) -> anyhow::Result<Found> {
    if let Some(flag) = frame.typed_of::<WorkloadSourceArgs>().or_else(|| frame.typed_of::<ConstraintArgs>())
    {
        let what = format!("`--{flag}` asks for a search, and `--from` has the answer of one");
        return Err(InputError::new(what, "leave one of them out").into());
    }
    let text = frame::stored(path)?;
    let name = path.display().to_string();
    let chosen = Chosen::read(&name, &text, pick)?;
    let catalog = frame
        .catalog_for(Sections { presets: true, ..Sections::HARDWARE }, || ExportAnswer::nothing(target))?;
    if chosen.is_none() {
        frame.complain(&format!("{name} has no row to launch"));
    }
    let outcome = if chosen.is_some() { Outcome::Answered } else { Outcome::Nothing };
    let (used, assumptions, warnings) = (Used::default(), Vec::new(), Vec::new());
    Ok(Found { catalog, chosen, outcome, used, assumptions, warnings })
}

/// The row of a search, as `recommend` does it.
fn searched(
    frame: &Frame,
    workload: WorkloadSourceArgs,
    constraint: ConstraintArgs,
    source: &ExportSource,
    target: &Target,
) -> anyhow::Result<Found> {
    if source.name.is_some() {
        let what = "`--name` is for an answer of `check`";
        return Err(InputError::new(what, "give it by `--from FILE`, or say `--rank N`").into());
    }
    let asked = frame.workload(workload)?;
    let constraint = frame.constraints(constraint)?;
    let sections =
        Sections { presets: true, scenarios: false, fabrics: false, ownership: false, ..Sections::ALL };
    let mut catalog = frame.catalog_for(sections, || ExportAnswer::nothing(source.to.name()))?;
    let discounts = discount::apply(frame.project()?, &mut catalog)?;
    let workload = resolve(&asked, &catalog, &model_file)?;
    let mut limits = limit::limits(&constraint, &catalog, frame.today()?)?;
    let among = machines(target, &catalog, &constraint, &mut limits.filter);
    let rank = source.rank.unwrap_or(1);
    limits.top = limits.top.max(rank as usize);
    let limit = &constraint.limit;
    let in_usd = limit.max_hourly.or(limit.budget).or(limit.fail_over).is_some();
    frame.confirm_currency(&catalog, &limits.filter, in_usd)?;
    let found = advise(&catalog, &workload, &limits);
    frame.step("search done");
    verdict::refuse_strict(
        &workload,
        found.recommendations.is_empty(),
        found.rejected.iter().map(|r| r.reason),
    )?;
    let mut assumptions = [workload.assumptions.as_slice(), &found.assumptions, &discounts].concat();
    assumptions.extend(among);
    let mut warnings = [workload.warnings.as_slice(), &found.warnings].concat();
    warnings.extend(verdict::owed_by(&catalog, found.recommendations.first()));
    let outcome = verdict::of_search(frame, &found, limit.fail_over, (&catalog, &limits.filter));
    let rows = found.recommendations.len();
    if rows > 0 && rank as usize > rows {
        return Err(too_high(rank, rows).into());
    }
    let mut body = Recommend::new(&catalog, &workload, &found);
    advice::add(&catalog, &found, &mut body)?;
    let used = Body::used(&body).clone();
    let chosen = Chosen::of("the search", &answer(&body)?, Pick { rank: Some(rank), name: None })?;
    Ok(Found { catalog, chosen, outcome, used, assumptions, warnings })
}

/// Keeps a search without providers to the machines that the target can start, and says so.
fn machines(
    target: &Target,
    catalog: &Catalog,
    constraint: &ConstraintArgs,
    filter: &mut Filter,
) -> Option<Assumption> {
    let named = constraint.filter.provider.is_some() || constraint.filter.instance.is_some();
    if target.any_provider || named {
        return None;
    }
    let mut providers = BTreeSet::new();
    for (instance, id) in catalog.instances.iter().zip(0..) {
        let provider = catalog.provider(instance.provider).name.as_str();
        let gpu = catalog.gpu(instance.gpu);
        if target.takes((provider, &instance.name), (&gpu.name, &gpu.vendor)) {
            filter.instances.push(InstanceId(id));
            providers.insert(provider);
        }
    }
    Some(Assumption {
        id: "export-machines",
        value: providers.into_iter().collect::<Vec<_>>().join(", "),
        why: format!("providers whose machines {} can start; name others by --provider", target.title),
        source: target.origin(&target.source),
    })
}

/// The answer of a search as `recommend --json` writes it, without what is around it.
fn answer(body: &Recommend) -> anyhow::Result<Value> {
    let mut answer = serde_json::to_value(body)?;
    answer["command"] = json!("recommend");
    answer["schema_version"] = json!(crate::report::document::SCHEMA_VERSION);
    Ok(answer)
}
