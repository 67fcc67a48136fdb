//! The machines that are compared: as asked, or what the tokens need.

use super::CONVENTION;
use super::traffic::request_lengths;
use crate::advise::{Performance, Recommendation, advise};
use crate::catalog::Catalog;
use crate::catalog::lookup::GpuSelection;
use crate::catalog::price::Billing;
use crate::catalog::select::Filter;
use crate::cli::constraint::{ConstraintArgs, FilterArgs};
use crate::cli::frame::Frame;
use crate::cli::limit;
use crate::cli::model_file::model_file;
use crate::cli::tco_args::TrafficArgs;
use crate::diag::{Assumption, InputError, Warning};
use crate::price::listing::{Detail, Listing, Query, list};
use crate::price::own::YEAR_HOURS;
use crate::price::part::Extras;
use crate::price::tokens::Tokens;
use crate::report::tco::{Load, Machine};
use crate::workload::resolve::resolve;
use crate::workload::settings::WorkloadArgs;
use crate::workload::{Job, Task, Workload};

/// Seconds of a month of 730 hours.
const MONTH_SECONDS: f64 = 730.0 * 3600.0;

/// What is compared.
pub(super) struct Chosen {
    pub(super) machine: Machine,
    /// The model that it serves, where it is a preset.
    pub(super) preset: Option<String>,
}

/// The choice, and every contract for it.
#[derive(Default)]
pub(super) struct Machines {
    pub(super) chosen: Option<Chosen>,
    pub(super) listing: Listing,
    pub(super) assumptions: Vec<Assumption>,
    pub(super) warnings: Vec<Warning>,
    /// Why there is none, one line a reason.
    pub(super) reasons: Vec<String>,
}

/// The cheapest offer on demand of the machines asked for, and the contracts of all that are like it.
pub(super) fn asked(catalog: &Catalog, mut filter: Filter, nodes: Option<u32>) -> anyhow::Result<Machines> {
    if filter.instances.is_empty() && filter.gpus.is_empty() {
        let hint = "say `--gpu H100:8` or `--instance PROVIDER/TYPE`; or `--model NAME` with `--input-tokens` and `--output-tokens`";
        return Err(InputError::new("nothing says which machines are compared", hint).into());
    }
    let kinds = kinds(&mut filter);
    limit::sold_together(catalog, &filter, nodes)?;
    let query = |filter: Filter, billing: Vec<Billing>, detail: Detail, nodes: Option<u32>| {
        let nothing_else = Query {
            filter,
            billing,
            nodes,
            gpus: None,
            max_gpus: None,
            min_spot_discount: None,
            spot: None,
            hours: YEAR_HOURS,
            extras: Extras::default(),
            detail,
        };
        list(catalog, &nothing_else)
    };
    let on_demand = query(filter.clone(), vec![Billing::OnDemand], Detail::CheapestRegion, nodes);
    let per_gpu = |row: &&crate::price::listing::CostRow| row.cost.usd_per_gpu_hour;
    let best = on_demand.rows.iter().filter(|row| row.cost.total.is_some()).min_by_key(per_gpu);
    let Some(best) = best else {
        let reasons =
            filter.misses(catalog).iter().map(|(miss, count)| format!("{} {count}", miss.name())).collect();
        return Ok(Machines { listing: on_demand, reasons, ..Machines::default() });
    };
    let instance = catalog.instance(best.instance);
    let (detail, alike) = if filter.instances.is_empty() && instance.gpus.fract() == 0.0 {
        let per_node = Some(instance.gpus as u32);
        let gpus = vec![GpuSelection { gpus: vec![instance.gpu], per_node, memory: None }];
        (Detail::CheapestOfGpu, Filter { gpus, ..filter })
    } else {
        (Detail::CheapestRegion, Filter { instances: vec![best.instance], ..filter })
    };
    let nodes = best.nodes;
    let listing = query(alike, kinds, detail, Some(nodes));
    let machine = Machine { instance: best.instance, region: best.region, nodes, load: None };
    Ok(Machines { chosen: Some(Chosen { machine, preset: None }), listing, ..Machines::default() })
}

/// Contracts that are compared: on demand with those asked for, or with all commitments. Spot is no steady machine, and
/// its reruns depend on the job; capacity blocks end after half a year at most, and are left out even when asked for.
fn kinds(filter: &mut Filter) -> Vec<Billing> {
    let asked = std::mem::take(&mut filter.billing);
    let steady = || Billing::ALL.into_iter().filter(|kind| kind.is_committed()).collect();
    let mut all = if asked.is_empty() { steady() } else { asked };
    all.retain(|kind| *kind != Billing::CapacityBlock);
    let mut kinds: Vec<Billing> = [Billing::OnDemand].into_iter().chain(all).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// The cheapest machines that serve the tokens of a month at their peak.
pub(super) fn serving(
    frame: &Frame,
    catalog: &Catalog,
    asked: &WorkloadArgs,
    traffic: &TrafficArgs,
    tokens: &Tokens,
    (filter, nodes): (&FilterArgs, Option<u32>),
) -> anyhow::Result<Machines> {
    let mut machines = Machines::default();
    let workload = workload(catalog, asked, traffic, tokens, &mut machines.assumptions)?;
    let constraint = ConstraintArgs { filter: filter.clone(), ..ConstraintArgs::default() };
    let mut limits = limit::limits(&constraint, catalog, frame.today()?)?;
    limits.nodes = nodes;
    limits.billing = vec![Billing::OnDemand];
    let found = advise(catalog, &workload, &limits);
    machines.assumptions.extend(found.assumptions.iter().cloned());
    machines.warnings.extend(workload.warnings.iter().chain(&found.warnings).cloned());
    let Some(best) = found.recommendations.first() else {
        machines.reasons =
            found.rejected.iter().map(|line| format!("{} {}", line.reason, line.count)).collect();
        return Ok(machines);
    };
    let Job::Serving(job) = &workload.job else {
        return Err(InputError::new(
            "tokens are compared for models that generate text",
            "name another `--model`",
        )
        .into());
    };
    let offered = job.rps.unwrap_or_default();
    let load = Load {
        requests_per_s: offered / traffic.peak.map_or(1.0, |peak| peak.0),
        capacity_requests_per_s: capacity(catalog, &workload, &limits, best),
        input_len: job.input_len,
        output_len: job.output_len,
    };
    let mut alike = limits.filter.clone();
    alike.instances = vec![best.instance];
    let mut filter = limit::cost_filter(filter, catalog, frame.today()?)?;
    let kinds = kinds(&mut filter);
    machines.listing = list(
        catalog,
        &Query {
            filter: alike,
            billing: kinds,
            nodes: Some(best.nodes),
            gpus: None,
            max_gpus: None,
            min_spot_discount: None,
            spot: None,
            hours: YEAR_HOURS,
            extras: Extras::default(),
            detail: Detail::CheapestRegion,
        },
    );
    let machine =
        Machine { instance: best.instance, region: best.region, nodes: best.nodes, load: Some(load) };
    machines.chosen = Some(Chosen { machine, preset: Some(workload.model.name.clone()) });
    Ok(machines)
}

/// Serving at the rate that the tokens of a month mean.
fn workload(
    catalog: &Catalog,
    asked: &WorkloadArgs,
    traffic: &TrafficArgs,
    tokens: &Tokens,
    assumptions: &mut Vec<Assumption>,
) -> anyhow::Result<Workload> {
    if asked.concurrency.is_some() || asked.rps.is_some() {
        let message = "`--concurrency` and `--rps` follow from the tokens of a month here";
        return Err(InputError::new(
            message,
            "leave them out; `--peak` says how much busier the busiest hour is",
        )
        .into());
    }
    let (input_len, output_len) = request_lengths(asked, tokens);
    let peak = traffic.peak.map_or(1.0, |peak| peak.0);
    let mean = tokens.output / f64::from(output_len) / MONTH_SECONDS;
    let args = WorkloadArgs {
        task: Some(Task::Infer),
        input_len: Some(input_len),
        output_len: Some(output_len),
        rps: Some(mean * peak),
        ..asked.clone()
    };
    let workload = resolve(&args, catalog, &model_file)?;
    assumptions.extend(workload.assumptions.iter().cloned());
    let mut assume = |id: &'static str, value: String, why: String| {
        assumptions.push(Assumption { id, value, why, source: CONVENTION.to_owned() });
    };
    if asked.input_len.is_none() {
        let why = "tokens of a prompt in the proportion of the month's input to its output".to_owned();
        assume("input-len", input_len.to_string(), why);
    }
    if asked.output_len.is_none() {
        assume("output-len", output_len.to_string(), "tokens of an answer".to_owned());
    }
    if traffic.peak.is_none() {
        assume(
            "peak",
            "1".to_owned(),
            "the tokens come evenly over the month; a busiest hour needs more machines".to_owned(),
        );
    }
    Ok(workload)
}

/// Requests per second that the machines of `best` answer at most: with as many in flight as their memory holds.
fn capacity(
    catalog: &Catalog,
    workload: &Workload,
    limits: &crate::advise::limits::Limits,
    best: &Recommendation,
) -> Option<f64> {
    let Performance::Serving(speed) = &best.performance else { return None };
    let mut full = workload.clone();
    let Job::Serving(job) = &mut full.job else { return None };
    job.rps = None;
    job.concurrency = speed.max_concurrency.checked_mul(best.replicas)?.max(1);
    let mut limits = limits.clone();
    limits.filter.instances = vec![best.instance];
    limits.nodes = Some(best.nodes);
    let found = advise(catalog, &full, &limits);
    let best = found.recommendations.first()?;
    let Performance::Serving(speed) = &best.performance else { return None };
    Some(speed.requests_per_s * f64::from(best.replicas))
}
