//! One contract of one recommended configuration.

use super::date::Dated;
use super::number::Num;
use crate::catalog::Catalog;
use crate::catalog::price::Upfront;
use crate::estimate::Range;
use crate::price::Cost;
use crate::price::part::Parts;
use serde::Serialize;

/// What every price is for.
pub(super) const PRICE_UNIT: &str = "hour";

/// What a total is made of, in US dollars to the cent. Unknown is `None`; what is not used is 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `price::part::Parts`")]
pub struct PartsLine {
    pub compute_usd: Option<Num>,
    pub startup_usd: Option<Num>,
    pub idle_usd: Option<Num>,
    pub storage_usd: Option<Num>,
    pub egress_usd: Option<Num>,
}

impl From<&Parts> for PartsLine {
    fn from(parts: &Parts) -> Self {
        Self {
            compute_usd: parts.compute.map(Num::usd),
            startup_usd: parts.startup.map(Num::usd),
            idle_usd: parts.idle.map(Num::usd),
            storage_usd: parts.storage.map(Num::usd),
            egress_usd: parts.egress.map(Num::usd),
        }
    }
}

impl PartsLine {
    /// Compute, start-up, idle, storage, egress.
    pub(super) fn all(&self) -> [Option<Num>; 5] {
        [self.compute_usd, self.startup_usd, self.idle_usd, self.storage_usd, self.egress_usd]
    }

    /// Whether something besides the hours of work is in the bill.
    pub(super) fn has_more(&self) -> bool {
        let more = |usd: &Option<Num>| usd.is_none_or(|usd| usd.value() > 0.0);
        self.compute_usd.is_some() && self.all().iter().skip(1).any(more)
    }
}

/// One contract. Unknown is `None`, never 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostLine {
    /// Billing kind.
    pub billing: &'static str,
    /// `none`, `partial` or `all` for commitments.
    pub upfront: Option<&'static str>,
    /// Price of the whole configuration.
    pub usd_per_hour: Option<Num>,
    /// Price of one GPU.
    pub usd_per_gpu_hour: Option<Num>,
    /// Hours that are billed, rounded up to the steps of billing.
    pub billed_hours: Option<Num>,
    /// What the price is for: `hour`.
    pub price_unit: &'static str,
    /// Seconds in which time is billed; `null` is not known, or a term or block is owed anyway.
    pub billing_increment_s: Option<u32>,
    /// Seconds that are billed at least; `null` likewise.
    pub billing_minimum_s: Option<u32>,
    /// What the total is made of.
    pub parts: PartsLine,
    /// Expected cost of the job; for commitments its share of the term. The sum of the parts that are known.
    pub total_usd: Option<Num>,
    /// The total lacks a part whose price is not known; a total that is not known lacks all.
    pub at_least: bool,
    /// Optimistic.
    pub low_usd: Option<Num>,
    /// Pessimistic.
    pub high_usd: Option<Num>,
    /// Owed over the whole term of a commitment.
    pub commitment_usd: Option<Num>,
    /// Paid at its start.
    pub upfront_usd: Option<Num>,
    /// Per cent below on-demand for the same job, machine and region; negative is dearer.
    pub saves_pct: Option<Num>,
    /// Serving: cost of a million generated tokens.
    pub usd_per_million_output_tokens: Option<Num>,
    /// Spot: interruptions of the job.
    pub expected_interruptions: Option<Num>,
    /// Spot: expected hours until the job is done, with reruns and waits for capacity.
    pub expected_wall_hours: Option<Num>,
    /// Spot: hours between checkpoints.
    pub checkpoint_interval_hours: Option<Num>,
    /// Spot: expected cost of one hour of useful work.
    pub effective_usd_per_hour: Option<Num>,
    /// Spot: chance to meet the deadline.
    pub deadline_probability: Option<Num>,
    /// Spot that gives way to on-demand: the billed hours that are on demand.
    pub on_demand_hours: Option<Num>,
    /// Date of the price.
    pub price_as_of: Dated,
    /// Where the price comes from.
    pub price_source: String,
    /// The price came from an overlay.
    pub overridden: bool,
    /// Cautions.
    pub notes: Vec<String>,
}

impl CostLine {
    /// One contract for a job of `hours`; `output_tokens_per_s` is what the configuration generates, for serving.
    pub fn new(catalog: &Catalog, cost: &Cost, hours: &Range, output_tokens_per_s: Option<f64>) -> Self {
        let source = catalog.source(cost.source);
        let spend = cost.usd_per_hour.zip(cost.billed_hours).map(|(p, h)| p.to_f64() * h.to_f64());
        let per_million = spend.zip(output_tokens_per_s).and_then(|(usd, rate)| {
            let tokens = rate * hours.expected * 3600.0;
            (tokens > 0.0).then(|| Num::rounded(usd / tokens * 1e6, 4))
        });
        let spot = cost.spot.as_ref();
        let effective = spot.and(cost.total).filter(|_| hours.expected > 0.0);
        Self {
            billing: cost.billing.name(),
            upfront: cost.upfront.map(Upfront::name),
            usd_per_hour: cost.usd_per_hour.map(Num::usd_per_hour),
            usd_per_gpu_hour: cost.usd_per_gpu_hour.map(Num::usd_per_gpu_hour),
            billed_hours: cost.billed_hours.map(Num::billed_hours),
            price_unit: PRICE_UNIT,
            billing_increment_s: cost.increment_s,
            billing_minimum_s: cost.minimum_s,
            parts: PartsLine::from(&cost.parts),
            total_usd: cost.total.map(Num::usd),
            at_least: cost.at_least,
            low_usd: cost.low.map(Num::usd),
            high_usd: cost.high.map(Num::usd),
            commitment_usd: cost.commitment.map(Num::usd),
            upfront_usd: cost.upfront_paid.map(Num::usd),
            saves_pct: cost.ratio_to_on_demand.map(|ratio| Num::percent((1.0 - ratio) * 100.0)),
            usd_per_million_output_tokens: per_million,
            expected_interruptions: spot.map(|run| Num::rounded(run.interruptions, 3)),
            expected_wall_hours: spot.map(|run| Num::hours(run.wall_hours)),
            checkpoint_interval_hours: spot.and_then(|run| run.checkpoint_interval_hours).map(Num::hours),
            effective_usd_per_hour: effective.map(|usd| Num::rounded(usd.to_f64() / hours.expected, 4)),
            deadline_probability: spot.and_then(|run| run.deadline_probability).map(Num::share),
            on_demand_hours: spot
                .filter(|run| run.fallback_probability.is_some())
                .map(|run| Num::hours(run.on_demand_hours)),
            price_as_of: Dated(source.as_of),
            price_source: source.text.clone(),
            overridden: cost.overridden,
            notes: [cost.notes.as_slice(), &cost.terms].concat(),
        }
    }
}
