//! The body of `commitments`: what to commit to, what stays burst, from when on each contract pays.

mod amounts;
mod found;

pub use found::Found;

use super::date::Dated;
use super::document::{Body, Csv, Used};
use super::number::Num;
use super::recommend::RejectedLine;
use super::view::Block;
use crate::catalog::Catalog;
use crate::catalog::price::{Billing, Upfront};
use crate::money::Usd;
use crate::price::commit::demand::{Demand, Horizon};
use crate::price::commit::offer::{Offer, Unit};
use crate::price::commit::{Column, Commitment, Regret, Tier, load_duration};
use serde::Serialize;

/// Columns of CSV.
const COLUMNS: [&str; 20] = [
    "billing",
    "upfront",
    "provider",
    "region",
    "instance_type",
    "gpu",
    "instances",
    "usd_per_hour",
    "busy_hours",
    "utilisation_pct",
    "from_hour",
    "to_hour",
    "terms",
    "total_usd",
    "upfront_usd",
    "price_as_of",
    "price_source",
    "overridden",
    "notes",
    "term_hours",
];

/// Columns of the curve that pictures are drawn from.
pub(super) const CURVE: usize = 120;

/// The answer of `commitments`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Commitments {
    /// `1y` or `3y`.
    pub horizon: &'static str,
    /// What one instance is: a `machine`, or a `gpu`.
    pub unit: &'static str,
    /// Hours of the horizon.
    pub hours: Num,
    /// Most instances in one hour.
    pub peak: Num,
    /// Instances on average.
    pub mean: Num,
    /// Instance-hours of all hours.
    pub instance_hours: Num,
    /// Price of one instance on demand.
    pub on_demand_usd_per_hour: Option<Num>,
    /// From the base up.
    pub tiers: Vec<TierLine>,
    /// The sum of the tiers.
    pub total_usd: Option<Num>,
    /// The same hours on demand.
    pub all_on_demand_usd: Option<Num>,
    /// What the plan saves.
    pub saves_usd: Option<Num>,
    /// In per cent.
    pub saves_pct: Option<Num>,
    /// From when on each contract pays.
    pub break_even: Vec<BreakEvenLine>,
    /// Contracts that are sold there and of which no price is known.
    pub not_known: Vec<NotKnownLine>,
    /// What is owed whatever is used.
    pub commitment_usd: Option<Num>,
    /// What the plan costs when usage changes.
    pub regret: Vec<RegretLine>,
    /// Why there is no plan.
    pub rejected: Vec<RejectedLine>,
    #[serde(skip)]
    pub(super) curve: Vec<Column>,
    #[serde(skip)]
    used: Used,
}

/// Where an offer is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Short name of the provider.
    pub provider: String,
    /// Region.
    pub region: String,
    /// The provider's name of the machine.
    pub instance_type: String,
    /// Canonical name of the accelerator.
    pub gpu: String,
}

/// One tier.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TierLine {
    /// Billing kind.
    pub billing: &'static str,
    /// `none`, `partial` or `all` for commitments.
    pub upfront: Option<&'static str>,
    /// Where it is bought.
    #[serde(flatten)]
    pub place: Place,
    /// Committed instances; the most at a time for burst.
    pub instances: Num,
    /// Price of one instance.
    pub usd_per_hour: Num,
    /// Instance-hours in which they are used.
    pub busy_hours: Num,
    /// Share of the committed hours within the horizon that are used.
    pub utilisation_pct: Option<Num>,
    /// First hour of the horizon.
    pub from_hour: usize,
    /// Hour after the last one.
    pub to_hour: usize,
    /// Terms one after another.
    pub terms: Option<usize>,
    /// Hours of one term.
    pub term_hours: Option<u32>,
    /// Cost over the horizon; what is owed, for commitments.
    pub total_usd: Num,
    /// Paid at the start of the terms.
    pub upfront_usd: Option<Num>,
    /// Date of the price.
    pub price_as_of: Dated,
    /// Where the price comes from.
    pub price_source: String,
    /// The price came from an overlay.
    pub overridden: bool,
    /// Cautions.
    pub notes: Vec<String>,
    #[serde(skip)]
    pub(super) part: PartKind,
}

/// What a tier is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    /// The commitment with this place in the market.
    Committed(usize),
    Spot,
    OnDemand,
}

/// From when on one contract pays.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreakEvenLine {
    /// Billing kind.
    pub billing: &'static str,
    /// `none`, `partial` or `all`.
    pub upfront: Option<&'static str>,
    /// Where it is sold.
    #[serde(flatten)]
    pub place: Place,
    /// Price of one instance.
    pub usd_per_hour: Num,
    /// Share of its hours that must be used; above 100 it never pays.
    pub utilisation_pct: Option<Num>,
    /// The same in hours of the term.
    pub hours_per_term: Option<Num>,
    /// Whether it can pay within the horizon, over which a longer term is owed in full.
    pub within_horizon: bool,
    /// Hours that are owed.
    pub term_hours: u32,
    /// What one instance owes for one term.
    pub commitment_usd: Num,
    /// Date of the price.
    pub price_as_of: Dated,
    /// Where the price comes from.
    pub price_source: String,
    /// The price came from an overlay.
    pub overridden: bool,
}

/// A contract without a known price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotKnownLine {
    /// Billing kind.
    pub billing: &'static str,
    /// With this upfront; `null` is any.
    pub upfront: Option<&'static str>,
}

/// What the plan costs when usage changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegretLine {
    /// Change of usage in every hour.
    pub usage_change_pct: i32,
    /// What the plan costs then.
    pub total_usd: Num,
    /// What the best plan for that usage would cost.
    pub best_usd: Num,
}

impl Commitments {
    /// An answer without a plan: the demand alone.
    pub fn nothing(demand: Option<&Demand>, horizon: Horizon, unit: Unit) -> Self {
        let hours = horizon.hours();
        let total = demand.map_or(0, Demand::total);
        Self {
            horizon: horizon.name(),
            unit: if unit == Unit::Gpu { "gpu" } else { "machine" },
            hours: Num::exact(hours as f64),
            peak: micro(demand.map_or(0, Demand::peak)),
            mean: Num::rounded(total as f64 / 1e6 / hours as f64, 6),
            instance_hours: micro(total),
            ..Self::default()
        }
    }

    /// The same with a plan.
    #[must_use]
    pub fn with(self, found: &Found) -> Self {
        let all = found.question.all_on_demand(found.demand);
        let total = found.bill.total;
        let saves = all.minus(total);
        let share = saves.to_f64() / all.to_f64() * 100.0;
        let offers = &found.candidate.offers;
        let mut used = Used::default();
        offers.iter().filter(|offer| offer.per_hour.is_some()).for_each(|offer| used.price(offer.source));
        found.amounts(used.listed_mut());
        used.listed_mut().rest(Some(Num::usd(all)), Some(Num::usd(total)), Some(Num::usd(saves)));
        let commitments = found.priced.market.commitments.iter().zip(&found.priced.commitments);
        Self {
            tiers: found.bill.tiers.iter().map(|tier| TierLine::new(found, tier)).collect(),
            on_demand_usd_per_hour: Some(Num::usd_per_hour(found.priced.market.on_demand)),
            total_usd: Some(Num::usd(total)),
            all_on_demand_usd: Some(Num::usd(all)),
            saves_usd: Some(Num::usd(saves)),
            saves_pct: (all > Usd::ZERO).then(|| Num::percent(share)),
            break_even: commitments.map(|(it, &at)| BreakEvenLine::new(found, it, &offers[at])).collect(),
            commitment_usd: Some(Num::usd(found.bill.commitment)),
            regret: found.regret.iter().map(RegretLine::new).collect(),
            curve: load_duration(found.plan, found.bill, found.demand, CURVE),
            used,
            ..self
        }
    }

    /// The same with the contracts of which no price is known.
    #[must_use]
    pub fn without_price_of(mut self, contracts: &[(Billing, Option<Upfront>)]) -> Self {
        let line = |&(billing, upfront): &(Billing, Option<Upfront>)| NotKnownLine {
            billing: billing.name(),
            upfront: upfront.map(Upfront::name),
        };
        self.not_known = contracts.iter().map(line).collect();
        self
    }

    /// The same with the reasons why offers are left out.
    #[must_use]
    pub fn rejecting(mut self, rejected: Vec<RejectedLine>) -> Self {
        self.rejected = rejected;
        self
    }
}

fn micro(amount: u64) -> Num {
    Num::rounded(amount as f64 / 1e6, 6)
}

impl Place {
    fn new(catalog: &Catalog, offer: &Offer) -> Self {
        let instance = catalog.instance(offer.instance);
        Self {
            provider: catalog.provider(instance.provider).name.clone(),
            region: catalog.region(offer.region).name.clone(),
            instance_type: instance.name.clone(),
            gpu: catalog.gpu(instance.gpu).name.clone(),
        }
    }
}

impl TierLine {
    fn new(found: &Found, tier: &Tier) -> Self {
        let (offer, part) = found.offer(tier.part);
        let source = found.catalog.source(offer.source);
        let committed = matches!(part, PartKind::Committed(_));
        let held = tier.instances as f64 * (tier.to_hour - tier.from_hour) as f64;
        Self {
            billing: tier.billing.name(),
            upfront: offer.upfront.map(Upfront::name),
            place: Place::new(found.catalog, offer),
            instances: micro(tier.instances),
            usd_per_hour: Num::usd_per_hour(tier.per_hour),
            busy_hours: micro(tier.busy),
            utilisation_pct: committed.then(|| Num::percent(tier.busy as f64 / held * 100.0)),
            from_hour: tier.from_hour,
            to_hour: tier.to_hour,
            terms: committed.then_some(tier.terms),
            term_hours: tier.billing.term_hours(),
            total_usd: Num::usd(tier.total),
            upfront_usd: tier.upfront.map(Num::usd),
            price_as_of: Dated(source.as_of),
            price_source: source.text.clone(),
            overridden: offer.overridden,
            notes: offer.notes.clone(),
            part,
        }
    }
}

impl BreakEvenLine {
    fn new(found: &Found, commitment: &Commitment, offer: &Offer) -> Self {
        let source = found.catalog.source(offer.source);
        let share = commitment.break_even(found.priced.market.on_demand);
        let term = commitment.term_hours;
        Self {
            billing: commitment.billing.name(),
            upfront: commitment.upfront.map(Upfront::name),
            place: Place::new(found.catalog, offer),
            usd_per_hour: Num::usd_per_hour(commitment.per_hour),
            utilisation_pct: share.map(|share| Num::rounded(share * 100.0, 2)),
            hours_per_term: share.map(|share| Num::rounded(share * f64::from(term), 1)),
            within_horizon: share.is_some_and(|share| {
                share * f64::from(term) <= found.demand.hours().len().min(term as usize) as f64
            }),
            term_hours: term,
            commitment_usd: Num::usd(commitment.owed_by_one()),
            price_as_of: Dated(source.as_of),
            price_source: source.text.clone(),
            overridden: offer.overridden,
        }
    }
}

impl RegretLine {
    /// What a plan costs more than the best one.
    pub(super) fn more(total: Num, best: Num) -> Num {
        Num::rounded(total.value() - best.value(), 2)
    }

    fn new(regret: &Regret) -> Self {
        Self {
            usage_change_pct: regret.change,
            total_usd: Num::usd(regret.total),
            best_usd: Num::usd(regret.best),
        }
    }
}

impl Body for Commitments {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "tiers", spread: None, columns: &COLUMNS }
    }

    fn headline(&self) -> Option<String> {
        let unit = if self.unit == "gpu" { "GPUs" } else { "instances" };
        Some(format!(
            "Commitments over {} h: {unit} at peak {}, on average {}",
            self.hours, self.peak, self.mean
        ))
    }

    fn blocks(&self) -> Vec<Block> {
        super::text::commitments(self)
    }
}
