//! The bill of one configuration in one region: a row for each contract that the catalog knows there.

use super::spot::{self, SpotTerms};
use super::{Cost, JobHours, in_usd};
use crate::catalog::price::{Billing, Price, Upfront};
use crate::money::{BilledHours, Usd};

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
}

/// Interruptions as the data have them: a range, never one certain rate.
#[derive(Clone, Copy, Debug)]
pub struct SpotOutlook {
    /// Fewest interruptions that a source supports.
    pub low: SpotTerms,
    /// Expected.
    pub expected: SpotTerms,
    /// Most interruptions that a source supports.
    pub high: SpotTerms,
}

impl SpotOutlook {
    /// No interruption at all: for contracts that cannot be interrupted.
    pub const CALM: Self = Self { low: SpotTerms::CALM, expected: SpotTerms::CALM, high: SpotTerms::CALM };
}

/// From this multiple of on-demand on a spot job is not priced at all: its expectation is made of endless reruns.
const HOPELESS_RATIO: f64 = 10.0;

/// Hours that a contract bills for the job, optimistic to pessimistic; `None` when spot would never end.
struct Billed {
    low: Option<f64>,
    expected: Option<f64>,
    high: Option<f64>,
    run: Option<spot::SpotRun>,
}

impl Billed {
    fn of(billing: Billing, job: &Job) -> Self {
        let JobHours { low, expected, high } = job.hours;
        if billing != Billing::Spot {
            return Self { low: Some(low), expected: Some(expected), high: Some(high), run: None };
        }
        if !job.reruns {
            let interruptions =
                job.spot.expected.interruptions_per_node_hour * f64::from(job.nodes) * expected;
            let run =
                spot::SpotRun { billed_hours: expected, interruptions, checkpoint_interval_hours: None };
            return Self { low: Some(low), expected: Some(expected), high: Some(high), run: Some(run) };
        }
        let run = |hours, terms| spot::run(hours, job.nodes, terms);
        let expected_run = run(expected, &job.spot.expected);
        Self {
            low: run(low, &job.spot.low).map(|r| r.billed_hours),
            expected: expected_run.map(|r| r.billed_hours),
            high: run(high, &job.spot.high).map(|r| r.billed_hours),
            run: expected_run,
        }
    }
}

/// Expected hours that a contract bills for the job; `None` when spot would never end.
pub fn billed_hours(billing: Billing, job: &Job) -> Option<f64> {
    if billing == Billing::Spot && job.reruns {
        spot::run(job.hours.expected, job.nodes, &job.spot.expected).map(|run| run.billed_hours)
    } else {
        Some(job.hours.expected)
    }
}

/// One row for each price of a machine in one region, in the order of [`Billing::ALL`].
pub fn costs(prices: &[&Price], job: &Job) -> Vec<Cost> {
    let mut rows: Vec<Cost> = prices.iter().map(|price| cost(price, job)).collect();
    rows.sort_by_key(|row| (row.billing, row.upfront));
    let exact = |row: &Cost| Some(row.usd_per_hour?.to_f64() * row.billed_hours?.to_f64());
    let on_demand = rows.iter().find(|row| row.billing == Billing::OnDemand).and_then(exact);
    let on_demand = on_demand.filter(|&usd| usd > 0.0);
    for row in &mut rows {
        row.ratio_to_on_demand = exact(row).zip(on_demand).map(|(own, other)| own / other);
        if row.billing == Billing::Spot {
            warn_about_spot(row);
        }
    }
    rows
}

/// A spot row that saves nothing once its reruns are counted says so.
fn warn_about_spot(row: &mut Cost) {
    if row.usd_per_hour.is_some() && row.total.is_none() {
        row.notes.push(
            "at the expected rate of interruptions this job would practically never end on spot".into(),
        );
    } else if row.ratio_to_on_demand.is_some_and(|r| r >= HOPELESS_RATIO) {
        row.notes.push(format!(
            "refused: with its reruns the job would cost more than {HOPELESS_RATIO} times on-demand"
        ));
        (row.total, row.low, row.high, row.ratio_to_on_demand, row.spot) = (None, None, None, None, None);
    } else if row.ratio_to_on_demand.is_some_and(|r| r >= 1.0) {
        row.notes.push("not cheaper than on-demand once reruns are counted".into());
    }
}

fn cost(price: &Price, job: &Job) -> Cost {
    let rate = in_usd(price);
    let whole = rate.map(|r| r.times(job.nodes));
    let billed = Billed::of(price.billing, job);
    let total = |hours: Option<f64>| Some(whole?.cost(BilledHours::from_f64(hours?)?));
    let terms = price.billing.term_hours().map(|term| (term, terms_owed(job.hours.expected, term)));
    let commitment =
        terms.and_then(|(term, n)| Some(whole?.cost(BilledHours::from_f64(f64::from(term) * n)?)));
    Cost {
        billing: price.billing,
        upfront: price.upfront,
        usd_per_hour: whole,
        usd_per_gpu_hour: rate.and_then(|r| r.per(job.gpus_per_node)),
        billed_hours: billed.expected.and_then(BilledHours::from_f64),
        total: total(billed.expected),
        low: total(billed.low),
        high: total(billed.high),
        commitment,
        upfront_paid: upfront_paid(price, commitment),
        ratio_to_on_demand: None,
        spot: billed.run,
        source: price.source,
        overridden: price.overridden,
        notes: notes(price, job),
    }
}

/// Whole terms that a job of these hours takes out one after another: at least one.
fn terms_owed(hours: f64, term_hours: u32) -> f64 {
    (hours / f64::from(term_hours)).ceil().max(1.0)
}

/// What is paid at the start: nothing, everything, or (for a part) what no price list in the catalog says.
fn upfront_paid(price: &Price, commitment: Option<Usd>) -> Option<Usd> {
    match price.upfront? {
        Upfront::No => Some(Usd::ZERO),
        Upfront::All => commitment,
        Upfront::Partial => None,
    }
}

fn notes(price: &Price, job: &Job) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(stat) = &price.stat {
        notes.push(format!("the price is the {stat}"));
    }
    if let Some(percent) = price.off_list_pct {
        notes.push(format!("{percent} % off the list price by the project's `[discount]`"));
    }
    if price.per_hour.is_none() {
        notes.push("no price is known".into());
    } else if in_usd(price).is_none() {
        notes.push(format!("priced in {} and no exchange rate is given", price.currency.code()));
    }
    if let Some(term) = price.billing.term_hours() {
        let n = terms_owed(job.hours.expected, term);
        if n > 1.0 {
            notes.push(format!("{n} whole terms of {term} h are owed, one after another"));
        } else if f64::from(term) > job.hours.expected {
            notes.push(format!("the whole term of {term} h is owed, whatever the job uses"));
        }
    }
    if price.billing == Billing::CapacityBlock {
        notes.push("sold in fixed blocks of days and paid at their start".into());
    }
    notes
}

#[cfg(test)]
mod tests;
