//! `commitments`: how much of a usage to commit to, what stays burst, from when on each contract pays.

use crate::catalog::Catalog;
use crate::catalog::load::Sections;
use crate::catalog::price::Billing;
use crate::catalog::select::Filter;
use crate::cli::commitment_args::{CommitmentsArgs, DemandArgs, PlanArgs};
use crate::cli::exit::Outcome;
use crate::cli::frame::{self, Frame};
use crate::cli::{discount, limit, verdict};
use crate::diag::{Assumption, InputError, Warning};
use crate::price::commit::demand::{Demand, Horizon, MICRO, week};
use crate::price::commit::offer::{Candidate, Choice, Priced, Unit, choose, single_gpus};
use crate::price::commit::{Bill, Plan, Question, Rules, Whole, said, usage};
use crate::report::commitments::{Commitments, Found};
use crate::report::plot_commitments;
use crate::report::recommend::RejectedLine;
use std::collections::BTreeSet;

/// The best place to buy, with the plan for it.
struct Best<'a> {
    candidate: &'a Candidate,
    priced: Priced,
    question: Question,
    plan: Plan,
    bill: Bill,
}

/// Answers `commitments`.
pub fn run(frame: &Frame, args: CommitmentsArgs) -> anyhow::Result<Outcome> {
    let CommitmentsArgs { demand, filter, plan } = args;
    let asked = frame.group(filter)?;
    if asked.instance.is_none() && asked.gpu.is_none() {
        let hint = "say `--instance PROVIDER/TYPE --region REGION`, or `--gpu SPEC` for its cheapest offers";
        return Err(InputError::new("nothing says which machine is used", hint).into());
    }
    let (usage, mut assumptions) = usage_of(&demand)?;
    let horizon = plan.horizon.map_or_else(Horizon::default, |choice| choice.0);
    let growth = plan.growth.map_or(0.0, |growth| growth.0);
    assumptions.extend(said::length(usage.len(), horizon));
    assumptions.extend(said::growth(growth));
    let demand = Demand::over(&usage, horizon, growth / 100.0);
    let nothing = |unit| Commitments::nothing(Some(&demand), horizon, unit);
    let rules = rules(&plan);
    let sections = Sections { constants: rules.spot_share > 0.0, ..Sections::PRICES };
    let mut catalog = frame.catalog_for(sections, || nothing(Unit::Machine))?;
    assumptions.extend(discount::apply(frame.project()?, &mut catalog)?);
    let mut filter = limit::cost_filter(&asked, &catalog, frame.today()?)?;
    frame.confirm_currency(&catalog, &filter, false)?;
    let kinds = kinds(std::mem::take(&mut filter.billing));
    one_machine(&filter, &catalog)?;
    one_size(&filter, &catalog)?;
    let mut billing = vec![Billing::OnDemand];
    billing.extend((rules.spot_share > 0.0).then_some(Billing::Spot));
    billing.extend(&kinds);
    let choice = choose(&catalog, filter.clone(), billing.clone());
    frame.step("offers found");
    let mut warnings = verdict::price_warnings(&choice.listing);
    let Some(best) = best(&choice, rules, &demand)? else {
        let not_known =
            choice.candidates.first().map(|it| it.not_known(&catalog, &kinds)).unwrap_or_default();
        let body = nothing(choice.unit).without_price_of(&not_known);
        let filter = Filter { billing, ..filter };
        return no_plan(frame, &catalog, &filter, &choice, (&assumptions, &warnings), body);
    };
    let regret = best.question.regret(&best.plan, &demand).ok_or_else(no_exact_answer)?;
    frame.step("plan found");
    let found = Found {
        catalog: &catalog,
        candidate: best.candidate,
        priced: &best.priced,
        question: &best.question,
        demand: &demand,
        plan: &best.plan,
        bill: &best.bill,
        regret: &regret,
    };
    let mut not_known = best.candidate.not_known(&catalog, &kinds);
    not_known.extend((rules.spot_share > 0.0 && best.priced.spot.is_none()).then_some((Billing::Spot, None)));
    let body = nothing(choice.unit).with(&found).without_price_of(&not_known);
    assumptions.extend(about(&best, &choice, &catalog, (horizon, rules)));
    assumptions.extend(said::gap(best.question.gap(&best.bill, &demand)));
    warnings.extend(said::warnings(&catalog, best.candidate, &best.priced, &best.bill));
    if let Some(path) = &plan.plot {
        frame.write_file(path, frame.picture(plot_commitments::svg(&body)).as_bytes())?;
    }
    frame.answer(&catalog, &assumptions, &warnings, body)?;
    Ok(Outcome::Answered)
}

/// Hourly usage from a file or from a profile.
fn usage_of(args: &DemandArgs) -> Result<(Vec<u64>, Vec<Assumption>), InputError> {
    let profile = args.hours_per_day.is_some() || args.days_per_week.is_some() || args.instances.is_some();
    match &args.usage {
        Some(path) if profile => {
            let message = format!(
                "`--usage {}` and `--hours-per-day`, `--days-per-week` or `--instances` both say what is used",
                path.display()
            );
            Err(InputError::new(message, "leave one of them out"))
        }
        Some(path) => {
            Ok((usage::read(&path.display().to_string(), &frame::measurements(path)?)?, Vec::new()))
        }
        None if profile => {
            let hours = args.hours_per_day.map_or(24.0, |hours| hours.0);
            let days = args.days_per_week.unwrap_or(7);
            let instances = args.instances.map_or(MICRO, |instances| instances.0);
            Ok((week(hours, days, instances), vec![said::profile(hours, days, instances)]))
        }
        None => {
            let hint = "say `--usage FILE.csv`, or `--hours-per-day 8 --days-per-week 5 --instances 4`";
            Err(InputError::new("nothing says what is used", hint))
        }
    }
}

/// Commitments that may be bought: those of `--billing`, or all.
fn kinds(asked: Vec<Billing>) -> Vec<Billing> {
    let all = if asked.is_empty() { Billing::ALL.to_vec() } else { asked };
    all.into_iter().filter(|kind| kind.is_committed()).collect()
}

fn rules(plan: &PlanArgs) -> Rules {
    Rules {
        whole: match plan.whole {
            None => Whole::ByKind,
            Some(true) => Whole::Always,
            Some(false) => Whole::Never,
        },
        spot_share: plan.max_spot_share.map_or(0.0, |percent| percent.0 / 100.0),
    }
}

/// Instances of several machines cannot be counted together.
fn one_machine(filter: &Filter, catalog: &Catalog) -> Result<(), InputError> {
    if filter.instances.len() < 2 {
        return Ok(());
    }
    let name = |id: &_| {
        let instance = catalog.instance(*id);
        format!("{}/{}", catalog.provider(instance.provider).name, instance.name)
    };
    let names: Vec<String> = filter.instances.iter().map(name).collect();
    let message = format!("`--instance` names several machines: {}", names.join(", "));
    Err(InputError::new(message, "ask for one machine at a time: usage is counted in instances of it"))
}

/// Usage counts machines of one size. Where every machine of the asked GPUs has several, the number must be said.
fn one_size(filter: &Filter, catalog: &Catalog) -> Result<(), InputError> {
    let sizes: BTreeSet<u32> = filter.gpus.iter().map(|asked| asked.per_node.unwrap_or(1)).collect();
    if !filter.instances.is_empty() || sizes.is_empty() {
        return Ok(());
    }
    if sizes.len() > 1 {
        let message = "`--gpu` names machines of several sizes";
        return Err(InputError::new(
            message,
            "write the same `:N` behind each: usage is counted in machines",
        ));
    }
    let mut single = filter.clone();
    single_gpus(&mut single);
    let machines = filter.instances(catalog);
    if machines.is_empty() || !single.instances(catalog).is_empty() {
        return Ok(());
    }
    let mut sold: Vec<(u32, &str)> = machines
        .iter()
        .map(|&id| catalog.instance(id))
        .filter(|machine| !machine.is_fractional())
        .map(|machine| (machine.whole_gpus(), catalog.gpu(machine.gpu).name.as_str()))
        .collect();
    sold.sort_unstable();
    sold.dedup();
    let names: Vec<String> = sold.iter().map(|(count, name)| format!("`--gpu {name}:{count}`")).collect();
    let message = "no machine that qualifies has exactly one of the GPUs asked for, and parts of a machine are not sold";
    let hint = if names.is_empty() {
        "name one with `--instance PROVIDER/TYPE`".to_owned()
    } else {
        format!("count whole machines with {}", names.join(" or "))
    };
    Err(InputError::new(message, hint))
}

/// The candidate with the lowest total, the first of equal ones.
fn best<'a>(choice: &'a Choice, rules: Rules, demand: &Demand) -> Result<Option<Best<'a>>, InputError> {
    let mut best: Option<Best> = None;
    for candidate in &choice.candidates {
        let Some(priced) = candidate.priced() else { continue };
        let question = Question::new(priced.market.clone(), rules);
        let (plan, bill) = question.best(demand).ok_or_else(no_exact_answer)?;
        if best.as_ref().is_none_or(|best| bill.total < best.bill.total) {
            best = Some(Best { candidate, priced, question, plan, bill });
        }
    }
    Ok(best)
}

/// Whole instances and a share of spot, with very many plans that are as good as each other.
fn no_exact_answer() -> InputError {
    let message =
        "whole instances and `--max-spot-share` together leave too many plans that are as good as each other";
    InputError::new(
        message,
        "leave `--max-spot-share` out, allow parts with `--whole=false`, or keep to the terms of the horizon with `--billing`",
    )
}

/// What was taken for granted about contracts and places.
fn about(
    best: &Best,
    choice: &Choice,
    catalog: &Catalog,
    (horizon, rules): (Horizon, Rules),
) -> Vec<Assumption> {
    let mut all = Vec::new();
    all.extend(said::together(catalog, best.candidate).or_else(|| said::unit(choice.unit)));
    all.extend(said::place(catalog, choice, best.candidate));
    all.extend(said::terms(&best.priced.market, horizon));
    all.extend(said::parts(&best.priced.market, rules.whole));
    all.extend(said::spot(catalog, best.candidate, &best.priced, &best.bill));
    all
}

/// Nothing can be planned: the whole document with what is known, and why on stderr.
fn no_plan(
    frame: &Frame,
    catalog: &Catalog,
    filter: &Filter,
    choice: &Choice,
    (assumptions, warnings): (&[Assumption], &[Warning]),
    body: Commitments,
) -> anyhow::Result<Outcome> {
    let listing = &choice.listing;
    let unusable = listing.unknown + listing.too_old;
    let counts = [("price-unknown", listing.unknown), ("price-too-old", listing.too_old)];
    let mut rejected: Vec<RejectedLine> =
        counts.iter().filter(|(_, n)| *n > 0).map(|&(reason, n)| RejectedLine::counted(reason, n)).collect();
    if choice.candidates.is_empty() && rejected.is_empty() {
        let misses = filter.misses(catalog).into_iter();
        rejected.extend(misses.map(|(miss, count)| RejectedLine::counted(miss.name(), count)));
    }
    frame.answer(catalog, assumptions, warnings, body.rejecting(rejected.clone()))?;
    if !choice.candidates.is_empty() {
        frame.complain("no price on demand is known, without which burst cannot be priced");
        return Ok(Outcome::CatalogProblem);
    }
    if let Some(where_else) = verdict::sold_elsewhere(catalog, filter) {
        frame.complain(&where_else);
        return Ok(Outcome::Nothing);
    }
    Ok(verdict::no_offer(frame, &rejected, unusable))
}
