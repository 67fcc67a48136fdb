//! Money: what a configuration costs for some hours under each contract. Exact decimals; no physics.

pub mod assumed;
pub mod bill;
pub mod commit;
pub mod discount;
pub mod exchange;
pub mod listing;
pub mod own;
pub mod part;
pub mod spot;
pub mod terms;
pub mod tokens;

use crate::catalog::price::{Billing, Currency, Price, Upfront};
use crate::catalog::provenance::SourceId;
use crate::money::{BilledHours, Usd, UsdPerHour};

/// What one contract costs for a job on a configuration. Unknown stays `None`, never zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The contract.
    pub billing: Billing,
    /// How much of a commitment is paid at its start.
    pub upfront: Option<Upfront>,
    /// Price of the whole configuration for one hour.
    pub usd_per_hour: Option<UsdPerHour>,
    /// Price of one GPU for one hour.
    pub usd_per_gpu_hour: Option<UsdPerHour>,
    /// Hours that are billed for the job, reruns of spot and the steps of billing included.
    pub billed_hours: Option<BilledHours>,
    /// Seconds in which time is counted; `None` is not known, or does not matter since a term or a block is owed.
    pub increment_s: Option<u32>,
    /// Seconds that are billed at least; `None` likewise.
    pub minimum_s: Option<u32>,
    /// What the expected total is made of.
    pub parts: part::Parts,
    /// Expected cost of the job; for commitments the job's share of the term. The sum of the parts that are known.
    pub total: Option<Usd>,
    /// The total lacks a part whose price is not known; also where that is the machine's own and there is no total.
    pub at_least: bool,
    /// Optimistic cost of the job.
    pub low: Option<Usd>,
    /// Pessimistic cost of the job.
    pub high: Option<Usd>,
    /// What a commitment owes over its whole term.
    pub commitment: Option<Usd>,
    /// What is paid at the start of a commitment; where terms follow each other, of the first.
    pub upfront_paid: Option<Usd>,
    /// Job total over the on-demand total of the same machine and region: 0.4 is 60 % saved.
    pub ratio_to_on_demand: Option<f64>,
    /// What spot does to the job.
    pub spot: Option<spot::SpotRun>,
    /// The same money in the currency of the source, where that is another one.
    pub listed: Option<Listed>,
    /// Where the price comes from, with its date.
    pub source: SourceId,
    /// Where the prices of disks and data come from, if they are used.
    pub more_sources: Vec<SourceId>,
    /// The price came from an overlay.
    pub overridden: bool,
    /// How the provider counts time and what it takes for disks and data, in words.
    pub terms: Vec<String>,
    /// Cautions: statistic behind a spot price, whole term owed, unknown currency …
    pub notes: Vec<String>,
}

/// What a contract costs in the currency that it is sold in, worked out without any rate. The amounts only look like
/// dollars: they are units of the currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The currency.
    pub currency: Currency,
    /// Price of the whole configuration for one hour.
    pub per_hour: UsdPerHour,
    /// Price of one GPU for one hour.
    pub per_gpu_hour: Option<UsdPerHour>,
    /// Expected cost of the job; `None` where it has parts with another price.
    pub total: Option<Usd>,
    /// What a commitment owes over its whole term.
    pub commitment: Option<Usd>,
    /// What is paid at its start.
    pub upfront_paid: Option<Usd>,
}

/// The hours of a job that money depends on: optimistic, expected, pessimistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobHours {
    /// Optimistic.
    pub low: f64,
    /// Expected.
    pub expected: f64,
    /// Pessimistic.
    pub high: f64,
}

impl JobHours {
    /// Hours that are known exactly.
    pub fn exactly(hours: f64) -> Self {
        Self { low: hours, expected: hours, high: hours }
    }
}

/// The price in US dollars, or `None` when it is unknown or in a currency without a rate.
pub fn in_usd(price: &Price) -> Option<UsdPerHour> {
    price.per_hour.filter(|_| price.currency == Currency::USD)
}
