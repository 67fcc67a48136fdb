//! `check`: do the workloads of a project stay inside its budget and its policies?
//!
//! Exit code 4 when a limit, a policy or an unknown price denies; else 5 when every qualifying price is older than a
//! `max-age` allows; else 3 when nothing fits a workload; else 0, with warnings or without.

use crate::advise::limits::Limits;
use crate::advise::{Advice, Recommendation, Sort, advise};
use crate::catalog::Catalog;
use crate::catalog::load::Sections;
use crate::catalog::lookup::LookupError;
use crate::catalog::select::MaxAge;
use crate::cli::args::GateArgs;
use crate::cli::config::{Settings, at};
use crate::cli::constraint::{BillArgs, ConstraintArgs, FilterArgs, LimitArgs, SpotArgs};
use crate::cli::exit::{CatalogError, Outcome};
use crate::cli::frame::{self, Frame};
use crate::cli::model_file::model_file;
use crate::cli::policy::Policies;
use crate::cli::project::{Entry, Pick, Project};
use crate::cli::request::Group;
use crate::cli::value::Amount;
use crate::cli::{advice, discount, limit, verdict};
use crate::diag::{Assumption, InputError, Warning};
use crate::gate::{self, Found, Level, Spend, Totals, ids};
use crate::lang::quoted;
use crate::price::exchange;
use crate::report::check::{CheckAnswer, Judged};
use crate::report::explained;
use crate::report::junit::{junit, junit_of_error};
use crate::report::recommend::Recommend;
use crate::rule::facts;
use crate::workload::Workload;
use crate::workload::resolve::resolve;
use crate::workload::settings::WorkloadArgs;
use jiff::civil::Date;
use std::path::Path;

/// Answers `check`.
pub fn run(frame: &Frame, args: &GateArgs) -> anyhow::Result<Outcome> {
    let project = frame.project_of(args.file.as_deref())?;
    if project.workloads.is_empty() {
        let hint = "add a `[[workload]]` with a name, a task and a model or its size";
        return Err(InputError::new("the project file has no `[[workload]]`", hint).into());
    }
    let policies = Policies::compile(&project.policies)?;
    let mut catalog = frame
        .catalog_for(Sections::ALL, CheckAnswer::nothing)
        .or_else(|error| Err(without_catalog(frame, args, error)?))?;
    let mut assumptions = discount::apply(&project, &mut catalog)?;
    let mut warnings = Vec::new();
    let today = frame.today()?;
    let gate = Gate { frame, catalog: &catalog, project: &project, policies: &policies, today };
    let mut judged = Vec::new();
    for entry in &project.workloads {
        let one = gate.choose(entry, args.quota.as_deref()).map_err(|error| placed(entry, error))?;
        assumptions.extend(one.assumptions);
        warnings.extend(one.warnings);
        frame.warn_of_old_rates(one.max_age);
        judged.push(one.judged);
        frame.step(&format!("workload `{}` done", entry.name));
    }
    assumptions.extend(each_alone(&judged));
    frame.warn_of_old_rates(project.budget.max_age_days.map(|days| MaxAge { days, today }));
    let totals = Totals::of(judged.iter().map(|one| (one.name.as_str(), &one.found)));
    for one in &mut judged {
        let mut violations = project.budget.violations(&one.found, &totals);
        violations.append(&mut one.violations);
        one.violations = violations;
    }
    let outcome = outcome(&judged);
    let complaints = complaints(&judged);
    let answer = CheckAnswer::new(judged, &totals);
    if let Some(path) = &args.junit {
        frame.write_file(path, junit(&answer).as_bytes())?;
    }
    frame.answer(&catalog, &assumptions, &warnings, answer)?;
    for (level, line) in complaints {
        match level {
            Level::Deny => frame.complain(&line),
            Level::Warn => frame.tell(&format!("warning: {line}")),
        }
    }
    Ok(outcome)
}

/// Quotas are held against one workload at a time.
fn each_alone(judged: &[Judged]) -> Option<Assumption> {
    let several = judged.iter().filter(|one| one.asked.contains_key("quota")).count() > 1;
    several.then(|| Assumption {
        id: "quota-each",
        value: "each workload by itself".to_owned(),
        why: "workloads that run at the same time may need more of a quota together".to_owned(),
        source: "convention of gpuadvise".to_owned(),
    })
}

/// An invalid catalog is an error in the `JUnit` file too, so that no list of tests shows an older one.
fn without_catalog(frame: &Frame, args: &GateArgs, error: anyhow::Error) -> anyhow::Result<anyhow::Error> {
    if let Some(path) = args.junit.as_ref().filter(|_| error.is::<CatalogError>()) {
        frame.write_file(path, junit_of_error(&format!("{error:#}")).as_bytes())?;
    }
    Ok(error)
}

/// What all workloads are held against.
struct Gate<'a> {
    frame: &'a Frame,
    catalog: &'a Catalog,
    project: &'a Project,
    policies: &'a Policies,
    today: Date,
}

/// One workload with what its answer took for granted.
struct Chosen {
    judged: Judged,
    assumptions: Vec<Assumption>,
    warnings: Vec<Warning>,
    max_age: Option<MaxAge>,
}

impl Gate<'_> {
    /// Chooses the configuration of one workload and holds it against its own limit and the policies.
    fn choose(&self, entry: &Entry, quota: Option<&Path>) -> anyhow::Result<Chosen> {
        let (workload, constraint) = self.question(entry, quota)?;
        let mut limits = limit::limits(&constraint, self.catalog, self.today)?;
        limits.top = 1;
        limits.owed = true;
        limits.nodes = entry.nodes;
        if entry.nodes.is_some() && constraint.limit.gpus.or(constraint.limit.max_gpus).is_none() {
            limits.max_gpus = u32::MAX;
        }
        limits.sort = match entry.pick {
            Some(Pick::Cheapest) => Sort::Cost,
            Some(Pick::Fastest) => Sort::Time,
            None => limits.sort,
        };
        self.frame.confirm_currency(self.catalog, &limits.filter, self.limits_in_usd(&constraint.limit))?;
        let found = advise(self.catalog, &workload, &limits);
        let reasons = found.rejected.iter().map(|rejection| rejection.reason);
        verdict::refuse_strict(&workload, found.recommendations.is_empty(), reasons)?;
        let mut answer = Recommend::new(self.catalog, &workload, &found);
        advice::add(self.catalog, &found, &mut answer)?;
        if constraint.limit.explain == Some(true) {
            explained::rows(&workload, &mut answer);
        }
        let choice = self.found(&found, &limits);
        let mut violations: Vec<gate::Violation> =
            gate::fail_over(constraint.limit.fail_over.map(Amount::usd), &choice).into_iter().collect();
        if let (Some(row), Some(rec)) = (answer.recommendations.first(), found.recommendations.first()) {
            let (row, asked) = (serde_json::to_value(row)?, serde_json::to_value(&answer.workload)?);
            let place = (rec.instance, rec.region);
            let facts =
                facts::gather(self.catalog, place, (row, advice::sooner(self.catalog, &found)), asked);
            violations.extend(self.policies.judge(&facts));
        }
        let mut checked: Vec<String> = self.project.budget.checked().into_iter().map(str::to_owned).collect();
        checked.extend(constraint.filter.max_age.map(|_| ids::TOO_OLD.to_owned()));
        checked.extend(constraint.limit.fail_over.map(|_| ids::FAIL_OVER.to_owned()));
        checked.extend(self.policies.ids().map(str::to_owned));
        let mut asked = entry.settings.texts_over(&self.project.defaults);
        asked.extend(entry.pick.map(|pick| ("pick".to_owned(), vec![pick.name().to_owned()])));
        asked.extend(entry.nodes.map(|nodes| ("nodes".to_owned(), vec![nodes.to_string()])));
        asked.extend(entry.file.clone().map(|file| ("workload".to_owned(), vec![file])));
        asked.extend(entry.scenario.clone().map(|name| ("scenario".to_owned(), vec![name])));
        if !limits.quotas.is_empty() {
            asked.insert("quota".to_owned(), limits.quotas.iter().map(|quota| quota.text.clone()).collect());
        }
        Ok(Chosen {
            max_age: limits.filter.max_age,
            assumptions: [workload.assumptions, found.assumptions].concat(),
            warnings: [workload.warnings, found.warnings].concat(),
            judged: Judged { name: entry.name.clone(), asked, answer, found: choice, checked, violations },
        })
    }

    /// The settings of one workload over its scenario and `[defaults]`.
    fn question(&self, entry: &Entry, quota: Option<&Path>) -> anyhow::Result<(Workload, ConstraintArgs)> {
        let defaults = &self.project.defaults;
        let (filter, limit, spot): (FilterArgs, LimitArgs, SpotArgs) =
            (entry.settings.group()?, entry.settings.group()?, entry.settings.group()?);
        let mut constraint = ConstraintArgs {
            filter: filter.over(defaults.group()?),
            limit: limit.over(defaults.group()?),
            spot: spot.over(defaults.group()?),
            bill: entry.settings.group::<BillArgs>()?.over(defaults.group()?),
        };
        let own = constraint.limit.quota.map(|path| entry.path(&path));
        constraint.limit.quota = quota.map(Path::to_owned).or(own);
        let scenario = match &entry.scenario {
            Some(name) => super::scenario::flags(self.catalog, name)?,
            None => WorkloadArgs::default(),
        };
        let own: WorkloadArgs = entry.settings.group()?;
        let file = match &entry.file {
            Some(file) => {
                let path = entry.path(Path::new(file));
                Settings::from_workload(&path.display().to_string(), &frame::read(&path)?)?.group()?
            }
            None => WorkloadArgs::default(),
        };
        let asked = own.over(file).over(scenario).over(defaults.group()?);
        let model = |name: &str| model_file(&entry.path(Path::new(name)).to_string_lossy());
        Ok((resolve(&asked, self.catalog, &model)?, constraint))
    }

    /// Whether a limit or a policy counts in dollars.
    fn limits_in_usd(&self, own: &LimitArgs) -> bool {
        let budget = &self.project.budget;
        own.max_hourly.or(own.budget).or(own.fail_over).is_some()
            || budget.total.or(budget.monthly).is_some()
            || budget.hourly.is_some()
            || self.project.policies.iter().any(|policy| policy.when.contains("usd"))
    }

    fn found(&self, advice: &Advice, limits: &Limits) -> Found {
        let chosen = |rec: &Recommendation| {
            let is = |cost: &&crate::price::Cost| {
                cost.billing == rec.ranked_billing && cost.total == Some(rec.ranked_total)
            };
            let cost = rec.costs.iter().find(is)?;
            Spend::of(self.catalog, cost, self.today)
        };
        if let Some(rec) = advice.recommendations.first() {
            return chosen(rec).map_or(Found::UnknownPrice, Found::Choice);
        }
        if advice.only_unknown_prices {
            let too_old = advice.rejected.iter().any(|rejection| rejection.reason == "price-too-old");
            let without = exchange::without_rate(self.catalog, &limits.filter, &limits.billing);
            return match without.keys().next() {
                _ if too_old => Found::TooOld,
                None => Found::UnknownPrice,
                Some(_) => Found::NoRate(without.keys().map(|code| code.code().to_owned()).collect()),
            };
        }
        let nearest = advice.rejected.iter().find_map(|rejection| {
            rejection.nearest.as_ref().map(|miss| format!("{}: {}", rejection.reason, miss.message))
        });
        let reasons =
            || advice.rejected.iter().map(|rejection| rejection.reason).collect::<Vec<_>>().join(", ");
        Found::Nothing(nearest.unwrap_or_else(reasons))
    }
}

/// Bad input of one workload, with its name and place.
fn placed(entry: &Entry, error: anyhow::Error) -> anyhow::Error {
    let name = |message: &str| format!("workload `{}`: {message}", entry.name);
    match error.downcast::<InputError>() {
        // What has a place in a file already keeps it.
        Ok(error) if error.message.starts_with(&entry.place.file) => error.into(),
        Ok(mut error) => {
            error.message = name(&error.message);
            at(&entry.place, error).into()
        }
        Err(error) => match error.downcast::<LookupError>() {
            Ok(error) => at(&entry.place, InputError::new(name(&error.to_string()), "")).into(),
            Err(error) => error,
        },
    }
}

/// The exit code; see the top of this file.
fn outcome(judged: &[Judged]) -> Outcome {
    let denied = || {
        judged
            .iter()
            .flat_map(|one| &one.violations)
            .filter(|violation| violation.level == Level::Deny)
            .map(|violation| violation.id.as_str())
    };
    let only = |allowed: &[&str]| denied().all(|id| allowed.contains(&id));
    if denied().next().is_none() {
        Outcome::Answered
    } else if only(&[ids::NOTHING]) {
        Outcome::Nothing
    } else if only(&[ids::NOTHING, ids::TOO_OLD]) {
        Outcome::CatalogProblem
    } else {
        Outcome::OverLimit
    }
}

/// One line for each violation.
fn complaints(judged: &[Judged]) -> Vec<(Level, String)> {
    let lines = |one: &Judged| {
        let message = |v: &gate::Violation| if v.quoted { quoted(&v.message) } else { v.message.clone() };
        let line = |v: &gate::Violation| {
            (v.level, format!("workload `{}`: [{}] {}", quoted(&one.name), v.id, message(v)))
        };
        one.violations.iter().map(line).collect::<Vec<_>>()
    };
    judged.iter().flat_map(lines).collect()
}
