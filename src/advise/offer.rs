//! The cheapest offers of a machine: per asked contract the best allowed region, found once and used for every node count.

use super::limits::Limits;
use super::miss::{Figures, over_limit};
use super::quota::{self, Launch, Shortfall};
use crate::catalog::Catalog;
use crate::catalog::charge::Charges;
use crate::catalog::instance::InstanceId;
use crate::catalog::price::{Billing, Price};
use crate::catalog::region::RegionId;
use crate::catalog::select::Miss;
use crate::money::{BilledHours, Usd, UsdPerHour};
use crate::price::bill::{Due, Job, due, terms_owed};
use crate::price::in_usd;
use crate::price::part::Quote;
use std::collections::BTreeSet;

/// The lowest rate of one contract over the allowed regions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer<'c> {
    pub(super) billing: Billing,
    pub(super) region: RegionId,
    pub(super) rate: UsdPerHour,
    /// On-demand rate in the same region, where known.
    on_demand: Option<UsdPerHour>,
    /// How time, disks and data are billed there.
    charges: Charges<'c>,
}

/// What an allowed machine can be had for.
#[derive(Clone, Debug, Default)]
pub(super) struct Offers<'c> {
    /// At most one for each asked contract; one for each region too for spot, and where quotas or the prices of disks
    /// and data decide between regions, since that depends on the number of nodes and on the job.
    pub(super) offers: Vec<Offer<'c>>,
    /// Why there is none: `price-too-old` beats `price-unknown` beats `not-offered`.
    pub(super) missing: &'static str,
}

/// The best priced contract for one configuration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deal {
    pub(super) billing: Billing,
    pub(super) region: RegionId,
    pub(super) total: Usd,
    /// The total lacks a part whose price is not known.
    pub(super) at_least: bool,
    /// What is held against the budget: the total, or all that a commitment owes where that counts.
    pub(super) counted: Usd,
    pub(super) rate: UsdPerHour,
    /// Expected hours until the job is done: its own, or with the reruns of spot and its waits for capacity.
    pub(super) wall_hours: f64,
    /// What counts, before it is rounded to the cent: what rows are ranked by.
    pub(super) exact_usd: f64,
}

impl<'c> Offers<'c> {
    /// Looks through the prices of one machine once.
    pub(super) fn of(catalog: &'c Catalog, instance: InstanceId, limits: &Limits) -> Self {
        let prices = catalog.prices_of(instance);
        let mut found = Self { offers: Vec::new(), missing: "not-offered" };
        for &billing in &limits.billing {
            // Whether spot pays is a matter of on-demand in the same region.
            let each =
                !limits.quotas.is_empty() || limits.extras.depend_on_place() || billing == Billing::Spot;
            let (mut best, mut others): (Option<Offer<'c>>, Vec<Offer<'c>>) = (None, Vec::new());
            for price in prices
                .iter()
                .filter(|p| p.billing == billing && limits.filter.region_miss(catalog, p.region).is_none())
            {
                let Some(rate) = in_usd(price) else {
                    found.note_missing("price-unknown");
                    continue;
                };
                if is_too_old(catalog, price, limits) {
                    found.note_missing("price-too-old");
                    continue;
                }
                if best.is_none_or(|b| rate < b.rate) || each {
                    let Some(offer) = Offer::bare(catalog, instance, price) else { continue };
                    if offer.is_worth_it(limits) {
                        others.extend(best.filter(|_| each));
                        best = Some(offer);
                    } else {
                        found.note_missing("spot-not-worth-it");
                    }
                }
            }
            found.offers.extend(best);
            found.offers.append(&mut others);
        }
        // Looked up for those that are left only: most prices are beaten by a later one.
        for offer in &mut found.offers {
            *offer = offer.charged(catalog, instance, limits);
        }
        found
    }

    fn note_missing(&mut self, reason: &'static str) {
        let weight = |r| match r {
            "price-too-old" => 3,
            "price-unknown" => 2,
            "spot-not-worth-it" => 1,
            _ => 0,
        };
        if weight(reason) > weight(self.missing) {
            self.missing = reason;
        }
    }

    /// Whether spot is one of them.
    pub(super) fn has_spot(&self) -> bool {
        self.offers.iter().any(|offer| offer.billing == Billing::Spot)
    }

    /// The quota that keeps `nodes` of the machine from the offer that needs least more; `None` where one is allowed.
    pub(super) fn shortfall(
        &self,
        catalog: &Catalog,
        limits: &Limits,
        (instance, nodes): (InstanceId, u32),
    ) -> Option<Shortfall> {
        let of = |offer: &Offer| {
            quota::shortfall(catalog, &limits.quotas, &offer.launch((instance, nodes), limits))
        };
        let all: Option<Vec<Shortfall>> = self.offers.iter().map(of).collect();
        all?.into_iter().max_by(|a, b| a.limit.total_cmp(&b.limit))
    }

    /// The lowest rate of all offers, in USD for an hour of one machine.
    pub(super) fn lowest_rate(&self) -> f64 {
        self.offers.iter().map(|offer| offer.rate.to_f64()).fold(f64::INFINITY, f64::min)
    }

    /// The contract with the lowest expected cost, of those that meet the deadline where one does; `None` when spot is all
    /// there is and does not pay. With `owed` a commitment costs all that it owes, like [`crate::gate::Spend`].
    pub(super) fn best(&self, job: &Job, limits: &Limits, may: impl Fn(&Offer) -> bool) -> Option<Deal> {
        let late = |deal: &Deal| limits.deadline_hours.is_some_and(|deadline| deal.wall_hours > deadline);
        let offers = self.offers.iter().filter(|offer| may(offer));
        offers.filter_map(|offer| offer.deal(job, limits.owed)).min_by(|a, b| {
            (late(a), a.at_least)
                .cmp(&(late(b), b.at_least))
                .then(a.exact_usd.total_cmp(&b.exact_usd))
                .then(a.billing.cmp(&b.billing))
                .then(a.region.cmp(&b.region))
        })
    }
}

/// Spot that does not pay: what it comes to beside on-demand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DearSpot {
    /// Expected billed hours; `None` when it never ends.
    pub(super) billed_hours: Option<f64>,
    pub(super) total: Option<Usd>,
    pub(super) on_demand: Option<Usd>,
}

impl DearSpot {
    /// How far off; lower is nearer.
    pub(super) fn score(&self) -> f64 {
        let ratio = self.total.zip(self.on_demand).map(|(spot, other)| spot.to_f64() / other.to_f64());
        ratio.unwrap_or(f64::INFINITY)
    }
}

impl Offers<'_> {
    /// The spot offer that comes nearest to on-demand.
    pub(super) fn dear_spot(&self, job: &Job) -> DearSpot {
        let hours = due(Billing::Spot, job);
        let of = |offer: &Offer| DearSpot {
            billed_hours: hours.map(|due| due.billed_hours),
            total: hours.and_then(|due| offer.quote(job, &due)?.parts.total()),
            on_demand: offer.on_demand_total(job),
        };
        let spot = self.offers.iter().filter(|offer| offer.billing == Billing::Spot).map(of);
        spot.min_by(|a, b| a.score().total_cmp(&b.score())).unwrap_or_default()
    }
}

impl<'c> Offer<'c> {
    /// One price of the catalog without its charges; `None` where it is not known in US dollars.
    fn bare(catalog: &'c Catalog, instance: InstanceId, price: &Price) -> Option<Self> {
        let rate = in_usd(price)?;
        let on_demand = catalog
            .prices_of(instance)
            .iter()
            .find(|p| p.region == price.region && p.billing == Billing::OnDemand)
            .and_then(in_usd);
        let charges = Charges::default();
        Some(Offer { billing: price.billing, region: price.region, rate, on_demand, charges })
    }

    /// The same with how time, disks and data are billed there.
    fn charged(self, catalog: &'c Catalog, instance: InstanceId, limits: &Limits) -> Self {
        Self { charges: limits.filter.charges(catalog, instance, self.region), ..self }
    }
}

impl Offer<'_> {
    /// So many machines under this offer.
    pub(super) fn launch(&self, (instance, nodes): (InstanceId, u32), limits: &Limits) -> Launch {
        let falls_back = limits.spot.fallback_after.is_some();
        Launch { instance, nodes, region: self.region, billing: self.billing, falls_back }
    }

    /// What a job comes to under this offer, in its parts; `None` when it gives way to an unknown price.
    fn quote(&self, job: &Job, due: &Due) -> Option<Quote> {
        let rates = (self.rate.times(job.nodes), self.on_demand.map(|rate| rate.times(job.nodes)));
        job.extras.quote(rates, due, self.billing, &self.charges)
    }

    /// What it comes to on demand in the same region.
    fn on_demand_total(&self, job: &Job) -> Option<Usd> {
        let rates = (self.on_demand?.times(job.nodes), None);
        let due = due(Billing::OnDemand, job)?;
        job.extras.quote(rates, &due, Billing::OnDemand, &self.charges)?.parts.total()
    }

    /// What the offer comes to for a job; `None` for spot that costs no less than on-demand, or would never end.
    fn deal(&self, job: &Job, owed: bool) -> Option<Deal> {
        let due = due(self.billing, job)?;
        let quote = self.quote(job, &due)?;
        let total = quote.parts.total()?;
        let spot = self.billing == Billing::Spot;
        if spot && self.on_demand_total(job).is_some_and(|on_demand| total >= on_demand) {
            return None;
        }
        let term = self.billing.term_hours().filter(|_| owed);
        let term = term.map_or(0.0, |term| f64::from(term) * terms_owed(job.hours.expected, term));
        let beside = quote.parts.beside_machines();
        let (machines, counted) = if term > quote.hours {
            let rate = self.rate.times(job.nodes);
            (rate.to_f64() * term, rate.cost(BilledHours::from_f64(term)?) + beside)
        } else {
            (quote.machines_usd, total)
        };
        Some(Deal {
            billing: self.billing,
            region: self.region,
            total,
            at_least: quote.parts.at_least(),
            counted,
            rate: self.rate,
            wall_hours: job.extras.startup_hours + due.wall_hours,
            exact_usd: machines + beside.to_f64(),
        })
    }

    /// Spot must be below on-demand, and by the asked share where one is asked.
    fn is_worth_it(&self, limits: &Limits) -> bool {
        let Some(on_demand) = self.on_demand.filter(|_| self.billing == Billing::Spot) else {
            return self.billing != Billing::Spot || limits.min_spot_discount.is_none();
        };
        let discount = 1.0 - self.rate.to_f64() / on_demand.to_f64();
        self.rate < on_demand && limits.min_spot_discount.is_none_or(|least| discount >= least)
    }
}

/// Whether a price is older than `--max-age` allows.
pub(super) fn is_too_old(catalog: &Catalog, price: &Price, limits: &Limits) -> bool {
    limits.filter.price_miss(catalog, price) == Some(Miss::Age)
}

/// The other allowed regions that sell the machine under the same contract within the limits: the one with the lowest
/// total of the job first, disks and data in it; behind them those where a part of it is not known.
pub(super) fn also_in(
    catalog: &Catalog,
    instance: InstanceId,
    (chosen, job): (&Deal, &Job),
    limits: &Limits,
) -> Vec<RegionId> {
    let nodes = job.nodes;
    let allowed = |offer: &Offer| {
        quota::shortfall(catalog, &limits.quotas, &offer.launch((instance, nodes), limits)).is_none()
    };
    let within = |deal: &Deal| {
        let figures = Figures {
            instance,
            nodes,
            hourly_usd: deal.rate.times(nodes).to_f64(),
            hours: deal.wall_hours,
            total_usd: deal.counted.to_f64(),
        };
        over_limit(limits, &figures).is_none() && !(limits.budget.is_some() && deal.at_least)
    };
    let mut others: Vec<Deal> = catalog
        .prices_of(instance)
        .iter()
        .filter(|p| p.billing == chosen.billing && p.region != chosen.region)
        .filter(|p| limits.filter.region_miss(catalog, p.region).is_none() && !is_too_old(catalog, p, limits))
        .filter_map(|p| Some(Offer::bare(catalog, instance, p)?.charged(catalog, instance, limits)))
        .filter(|offer| offer.is_worth_it(limits) && allowed(offer))
        .filter_map(|offer| offer.deal(job, limits.owed))
        .filter(within)
        .collect();
    others.sort_by(|a, b| {
        a.at_least.cmp(&b.at_least).then(a.exact_usd.total_cmp(&b.exact_usd)).then(a.region.cmp(&b.region))
    });
    let mut seen = BTreeSet::new();
    others.into_iter().map(|deal| deal.region).filter(|&region| seen.insert(region)).collect()
}

/// All prices of a machine in one region that are young enough, for the side-by-side bill.
pub(super) fn prices_in<'a>(
    catalog: &'a Catalog,
    instance: InstanceId,
    region: RegionId,
    limits: &Limits,
) -> Vec<&'a Price> {
    catalog
        .prices_of(instance)
        .iter()
        .filter(|p| p.region == region && !is_too_old(catalog, p, limits))
        .collect()
}
