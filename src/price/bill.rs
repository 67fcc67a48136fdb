//! The bill of one configuration in one region: a row for each contract that the catalog knows there.

use super::part::{self, Extras};
pub use super::spot::outlook::SpotOutlook;
use super::spot::{self, SpotRun};
use super::{Cost, JobHours, Listed, in_usd};
use crate::catalog::charge::{Charge, Charges};
use crate::catalog::price::{Billing, Currency, Price, Upfront};
use crate::money::{BilledHours, Usd, UsdPerHour};

/// What money needs to know of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Machines.
    pub nodes: u32,
    /// GPUs in one machine; a fraction for shares.
    pub gpus_per_node: f64,
    /// Hours of work.
    pub hours: JobHours,
    /// Whether lost work is done again (training), or only capacity is missing for a while (serving).
    pub reruns: bool,
    /// How spot is survived: optimistic, expected, pessimistic rate of interruptions.
    pub spot: &'a SpotOutlook,
    /// How the provider counts time there, and what it takes for disks and data.
    pub charges: Charges<'a>,
    /// What is used besides the hours of work.
    pub extras: Extras,
}

/// Hours that the work of a job takes under a contract, before the steps of billing and what is used besides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due {
    /// Hours in which machines run, the reruns of spot included.
    pub billed_hours: f64,
    /// Those of them that are on demand, where spot gives way to it.
    pub on_demand_hours: f64,
    /// Hours until the job is done, waits for spot capacity included.
    pub wall_hours: f64,
}

impl Due {
    /// Hours of work without an interruption.
    pub fn plain(hours: f64) -> Self {
        Self { billed_hours: hours, on_demand_hours: 0.0, wall_hours: hours }
    }

    fn of(run: &SpotRun) -> Self {
        let SpotRun { billed_hours, on_demand_hours, wall_hours, .. } = *run;
        Self { billed_hours, on_demand_hours, wall_hours }
    }
}

/// What a contract takes for the job, optimistic to pessimistic; `None` when spot would never end.
struct Billed {
    low: Option<Due>,
    expected: Option<Due>,
    high: Option<Due>,
    run: Option<SpotRun>,
}

impl Billed {
    fn of(billing: Billing, job: &Job) -> Self {
        let JobHours { low, expected, high } = job.hours;
        let plain = |hours| Some(Due::plain(hours));
        let none = Self { low: plain(low), expected: plain(expected), high: plain(high), run: None };
        if billing != Billing::Spot {
            return none;
        }
        if !job.reruns {
            let run = SpotRun {
                billed_hours: expected,
                on_demand_hours: 0.0,
                wall_hours: expected,
                interruptions: job.spot.per_node_hour * f64::from(job.nodes) * expected,
                checkpoint_interval_hours: None,
                fallback_probability: None,
                deadline_probability: None,
            };
            return Self { run: Some(run), ..none };
        }
        let due = |hours, terms| spot::run(hours, terms).map(|run| Due::of(&run));
        let chance = |hours| spot::deadline_probability(expected, &job.spot.expected, hours);
        let run = spot::run(expected, &job.spot.expected)
            .map(|run| SpotRun { deadline_probability: job.spot.deadline_hours.map(chance), ..run });
        Self {
            low: due(low, &job.spot.low),
            expected: run.map(|run| Due::of(&run)),
            high: due(high, &job.spot.high),
            run,
        }
    }
}

/// What a contract takes for the job, expected; `None` when spot would never end.
pub fn due(billing: Billing, job: &Job) -> Option<Due> {
    if billing == Billing::Spot && job.reruns {
        spot::run(job.hours.expected, &job.spot.expected).map(|run| Due::of(&run))
    } else {
        Some(Due::plain(job.hours.expected))
    }
}

/// One row for each price of a machine in one region, in the order of [`Billing::ALL`].
pub fn costs(prices: &[&Price], job: &Job) -> Vec<Cost> {
    let on_demand = prices.iter().find(|price| price.billing == Billing::OnDemand);
    let on_demand = on_demand.and_then(|price| in_usd(price)).map(|rate| rate.times(job.nodes));
    let mut rows: Vec<Cost> = prices.iter().map(|price| cost(price, job, on_demand)).collect();
    rows.sort_by_key(|row| (row.billing, row.upfront));
    let plain = Due::plain(job.hours.expected);
    for row in rows.iter_mut().filter(|row| row.billing == Billing::Spot) {
        let against = on_demand.and_then(|rate| {
            job.extras.quote((rate, None), &plain, Billing::OnDemand, &job.charges)?.parts.total()
        });
        row.notes.extend(spot::note::of(row, job, against));
    }
    rows
}

fn cost(price: &Price, job: &Job, on_demand: Option<UsdPerHour>) -> Cost {
    let rate = in_usd(price);
    let whole = rate.map(|r| r.times(job.nodes));
    let billed = Billed::of(price.billing, job);
    let quote = |due: Option<Due>| job.extras.quote((whole?, on_demand), &due?, price.billing, &job.charges);
    let total = |due: Option<Due>| quote(due)?.parts.total();
    let expected = quote(billed.expected);
    let parts = expected.map(|quote| quote.parts).unwrap_or_default();
    let compute = job.charges.compute.filter(|_| part::counting(price.billing, None).is_some());
    let ratio = || {
        let plain = Due::plain(job.hours.expected);
        let other = job.extras.quote((on_demand?, None), &plain, Billing::OnDemand, &job.charges)?;
        (other.machines_usd > 0.0).then_some(expected?.machines_usd / other.machines_usd)
    };
    let owed = billed.expected.and_then(|due| job.extras.owed_hours(&due, price.billing, &job.charges));
    let terms = price.billing.term_hours().map(|term| (term, terms_owed(job.hours.expected, term)));
    let in_term = terms.and_then(|(term, n)| Some(whole?.cost(BilledHours::from_f64(f64::from(term) * n)?)));
    let block = || Some(whole?.cost(BilledHours::from_f64(owed?)?));
    let block = (price.billing == Billing::CapacityBlock).then(block).flatten();
    let commitment = in_term.or(block);
    let one_term = terms.and_then(|(term, _)| Some(whole?.cost(BilledHours::from_f64(f64::from(term))?)));
    Cost {
        billing: price.billing,
        upfront: price.upfront,
        usd_per_hour: whole,
        usd_per_gpu_hour: rate.and_then(|r| r.per(job.gpus_per_node)),
        billed_hours: owed.and_then(BilledHours::from_f64),
        increment_s: compute.map(|charge| charge.increment_s),
        minimum_s: compute.map(|charge| charge.minimum_s.max(charge.increment_s)),
        parts,
        total: parts.total(),
        at_least: whole.is_none() || parts.at_least(),
        low: total(billed.low),
        high: total(billed.high),
        commitment,
        upfront_paid: upfront_paid(price, block.or(one_term), price.fee, job),
        ratio_to_on_demand: ratio(),
        spot: billed.run,
        listed: listed(price, job, owed.filter(|_| only_hours(&parts, &billed)), terms),
        source: price.source,
        more_sources: used(price.billing, job).into_iter().flatten().map(|charge| charge.source).collect(),
        overridden: price.overridden,
        terms: said_terms(price.billing, job, owed),
        notes: notes(price, job),
    }
}

/// Whether a total is nothing but hours at one price.
fn only_hours(parts: &part::Parts, billed: &Billed) -> bool {
    let beside = [parts.startup, parts.idle, parts.storage, parts.egress];
    let at_one_price = billed.expected.is_some_and(|due| due.on_demand_hours <= 0.0);
    at_one_price && beside.iter().all(|part| *part == Some(Usd::ZERO))
}

/// The bill in the currency of the source, for these hours and terms.
fn listed(price: &Price, job: &Job, hours: Option<f64>, terms: Option<(u32, f64)>) -> Option<Listed> {
    let (currency, each) = price.seldom.listed?;
    let per_hour = each.times(job.nodes);
    let cost = |hours: f64| BilledHours::from_f64(hours).map(|hours| per_hour.cost(hours));
    Some(Listed {
        currency,
        per_hour,
        per_gpu_hour: each.per(job.gpus_per_node),
        total: hours.and_then(cost),
        commitment: terms.and_then(|(term, n)| cost(f64::from(term) * n)),
        upfront_paid: terms
            .and_then(|(term, _)| upfront_paid(price, cost(f64::from(term)), price.seldom.listed_fee, job)),
    })
}

fn said_terms(billing: Billing, job: &Job, owed: Option<f64>) -> Vec<String> {
    let counting = part::counting(billing, job.charges.compute);
    let blocks = (billing == Billing::CapacityBlock).then(|| part::blocks(job.charges.blocks, owed));
    counting.into_iter().chain(blocks).chain(part::priced(&job.extras, &job.charges)).collect()
}

/// The charges for disks and data, where a job uses them and they are known, and the lengths of blocks.
fn used<'a>(billing: Billing, job: &Job<'a>) -> [Option<&'a Charge>; 3] {
    [
        job.charges.storage.filter(|_| job.extras.storage_bytes > 0.0),
        job.charges.egress.filter(|_| job.extras.egress_bytes > 0.0),
        job.charges.blocks.filter(|_| billing == Billing::CapacityBlock),
    ]
}

/// Whole terms that a job of these hours takes out one after another: at least one.
pub fn terms_owed(hours: f64, term_hours: u32) -> f64 {
    (hours / f64::from(term_hours)).ceil().max(1.0)
}

/// What is paid at the start of a term or of a block, the first where several follow each other: nothing, all that it
/// owes, or the part that the source tells (`fee`, of one machine).
fn upfront_paid(price: &Price, owed: Option<Usd>, fee: Option<Usd>, job: &Job) -> Option<Usd> {
    if price.billing == Billing::CapacityBlock {
        return owed;
    }
    match price.upfront? {
        Upfront::No => Some(Usd::ZERO),
        Upfront::All => owed,
        Upfront::Partial => {
            let fee = fee.filter(|_| price.currency == Currency::USD)?;
            Some(fee.times(job.nodes).min(owed?))
        }
    }
}

fn notes(price: &Price, job: &Job) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(stat) = &price.stat {
        // A discount is off what the source says.
        let what = if price.seldom.off_list_pct.is_some() { "list price" } else { "price" };
        notes.push(format!("the {what} is the {stat}"));
    }
    if let Some((currency, amount)) = price.seldom.listed {
        let amount = amount.decimal().round_dp(9).normalize();
        let after = if price.seldom.off_list_pct.is_some() { ", after the discount" } else { "" };
        notes.push(format!("listed at {amount} {} an hour of one machine{after}", currency.code()));
    }
    if let Some(percent) = price.seldom.off_list_pct {
        notes.push(format!("{percent} % off the list price by the project's `[discount]`"));
    }
    if price.per_hour.is_none() {
        notes.push("no price is known".into());
    } else if in_usd(price).is_none() {
        let code = price.currency.code();
        notes.push(format!("priced in {code} and no exchange rate is given: say --fx {code}=RATE"));
    }
    if let Some(term) = price.billing.term_hours() {
        let n = terms_owed(job.hours.expected, term);
        if n > 1.0 {
            notes.push(format!("{n} whole terms of {term} h are owed, one after another"));
        } else if f64::from(term) > job.hours.expected {
            notes.push(format!("the whole term of {term} h is owed, whatever the job uses"));
        }
    }
    notes
}

#[cfg(test)]
mod tests;
