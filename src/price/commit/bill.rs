//! The bill of a plan, tier by tier from the base up. Exact until the end; the printed cents add up to the total.

use super::demand::{Demand, MICRO};
use super::{Market, Plan, Question};
use crate::catalog::price::{Billing, Upfront};
use crate::money::{Usd, UsdPerHour};

/// Units of 10^-18 dollars (prices times millionths of an instance-hour) in a cent.
const CENT: i128 = 10_000_000_000_000_000;

/// What a plan costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Bill {
    /// From the base up: commitments, spot, on demand. Tiers without instances are left out.
    pub tiers: Vec<Tier>,
    /// The sum of the tiers.
    pub total: Usd,
    /// What is owed whatever is used: the sum of the commitments.
    pub commitment: Usd,
}

/// What a tier is bought as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One of [`Market::commitments`].
    Commitment(usize),
    /// Burst that may be taken away.
    Spot,
    /// Burst.
    OnDemand,
}

/// Instances that are paid in the same way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tier {
    /// How.
    pub part: Part,
    /// The contract.
    pub billing: Billing,
    /// Millionths of an instance: what is committed, the most at a time for burst.
    pub instances: u64,
    /// Price of one instance for one hour.
    pub per_hour: UsdPerHour,
    /// Instance-hours in which they are used, in millionths.
    pub busy: u64,
    /// First hour.
    pub from_hour: usize,
    /// Hour after the last one.
    pub to_hour: usize,
    /// Terms that follow each other.
    pub terms: usize,
    /// Cost over the horizon; what is owed, for commitments.
    pub total: Usd,
    /// Paid at the start of the terms; `None` for a part that no source tells.
    pub upfront: Option<Usd>,
}

/// A tier before its cents are known: its cost in 10^-18 dollars.
struct Exact {
    tier: Tier,
    cost: i128,
}

pub(super) fn bill(question: &Question, plan: &Plan, demand: &Demand) -> Bill {
    let Question { market, rules } = question;
    let mut exact = commitments(market, plan, demand);
    let mut left: Vec<u64> = Vec::with_capacity(demand.hours().len());
    for (hour, &needed) in demand.hours().iter().enumerate() {
        left.push(needed.saturating_sub(plan.at(hour)));
    }
    let cap = market.cheaper_spot().map_or(0, |_| demand.share(rules.spot_share));
    exact.extend(burst(market, &left, cap));
    let cents = apportioned(&exact.iter().map(|it| it.cost).collect::<Vec<_>>());
    let tiers: Vec<Tier> = exact
        .iter()
        .zip(cents)
        .map(|(it, total)| Tier { total, upfront: upfront(market, &it.tier, total), ..it.tier })
        .collect();
    let committed = |tier: &&Tier| matches!(tier.part, Part::Commitment(_));
    Bill {
        total: tiers.iter().map(|tier| tier.total).sum(),
        commitment: tiers.iter().filter(committed).map(|tier| tier.total).sum(),
        tiers,
    }
}

/// All instance-hours of a demand at one price, to the cent.
pub fn all_at(per_hour: UsdPerHour, demand: &Demand) -> Usd {
    cents(per_hour.picodollars() * i128::from(demand.total()))
}

impl Tier {
    /// Instance-hours that are paid, in millionths: whole terms of what is committed, busy hours of burst.
    fn paid(&self) -> u64 {
        match self.billing.term_hours().filter(|_| matches!(self.part, Part::Commitment(_))) {
            Some(term) => self.instances * u64::from(term) * self.terms as u64,
            None => self.busy,
        }
    }

    /// What the tier costs at another price for one instance and hour, to the cent.
    pub fn at(&self, per_hour: UsdPerHour) -> Usd {
        cents(per_hour.picodollars() * i128::from(self.paid()))
    }
}

impl Plan {
    /// Millionths of an instance that are committed in an hour.
    pub(super) fn at(&self, hour: usize) -> u64 {
        self.bought.iter().map(|it| it.instances[hour / it.hours]).sum()
    }

    /// The same of the layers below one: the height that it stands on.
    pub(super) fn below(&self, layer: usize, hour: usize) -> u64 {
        self.bought[..layer].iter().map(|it| it.instances[hour / it.hours]).sum()
    }
}

/// One tier for each commitment, from the longest stretches up; equal amounts in a row are one tier.
fn commitments(market: &Market, plan: &Plan, demand: &Demand) -> Vec<Exact> {
    let mut tiers = Vec::new();
    for (layer, bought) in plan.bought.iter().enumerate() {
        let commitment = &market.commitments[bought.commitment];
        let mut slot = 0;
        for run in bought.instances.chunk_by(|a, b| a == b) {
            let (from_hour, to_hour) = (slot * bought.hours, (slot + run.len()) * bought.hours);
            slot += run.len();
            let instances = run[0];
            if instances == 0 {
                continue;
            }
            let used =
                |hour: usize| demand.hours()[hour].saturating_sub(plan.below(layer, hour)).min(instances);
            tiers.push(Exact {
                cost: commitment.owed() * i128::from(instances) * run.len() as i128,
                tier: Tier {
                    part: Part::Commitment(bought.commitment),
                    billing: commitment.billing,
                    instances,
                    per_hour: commitment.per_hour,
                    busy: (from_hour..to_hour).map(used).sum(),
                    from_hour,
                    to_hour,
                    terms: run.len(),
                    total: Usd::ZERO,
                    upfront: None,
                },
            });
        }
    }
    tiers
}

/// Spot below, on demand above: spot takes as many instances as use up the hours that it may take.
fn burst(market: &Market, left: &[u64], cap: u64) -> Vec<Exact> {
    let total: u64 = left.iter().sum();
    let spot_hours = total.min(cap);
    let peak = left.iter().copied().max().unwrap_or(0);
    let spot_height = height_of(left, spot_hours);
    let tier = |part, billing, instances, per_hour: UsdPerHour, busy| Exact {
        cost: per_hour.picodollars() * i128::from(busy),
        tier: Tier {
            part,
            billing,
            instances,
            per_hour,
            busy,
            from_hour: 0,
            to_hour: left.len(),
            terms: 0,
            total: Usd::ZERO,
            upfront: None,
        },
    };
    let spot = market.spot.filter(|_| spot_hours > 0);
    let spot = spot.map(|rate| tier(Part::Spot, Billing::Spot, spot_height, rate, spot_hours));
    let rest = total - spot_hours;
    let on_demand = (rest > 0).then(|| {
        let above = if spot.is_some() { peak - spot_height } else { peak };
        tier(Part::OnDemand, Billing::OnDemand, above, market.on_demand, rest)
    });
    spot.into_iter().chain(on_demand).collect()
}

/// The height up to which these hours hold so many instance-hours.
pub(super) fn height_of(left: &[u64], hours: u64) -> u64 {
    let mut sorted: Vec<u64> = left.iter().copied().filter(|&height| height > 0).collect();
    sorted.sort_unstable();
    let (mut rest, mut height) = (hours, 0);
    for (at, &next) in sorted.iter().enumerate() {
        let wide = (sorted.len() - at) as u64;
        let step = (next - height).min(rest / wide);
        height += step;
        rest -= step * wide;
        if height < next {
            break;
        }
    }
    height
}

fn upfront(market: &Market, tier: &Tier, total: Usd) -> Option<Usd> {
    let Part::Commitment(at) = tier.part else { return None };
    let commitment = &market.commitments[at];
    match commitment.upfront? {
        Upfront::No => Some(Usd::ZERO),
        Upfront::All => Some(total),
        Upfront::Partial => {
            let instances = tier.instances as f64 / MICRO as f64;
            commitment.fee?.scaled(instances * tier.terms as f64).map(|paid| paid.min(total))
        }
    }
}

/// Cents of each part so that they add up to the cents of the whole: the running sum is what is rounded.
fn apportioned(exact: &[i128]) -> Vec<Usd> {
    let mut before = Usd::ZERO;
    let mut sum = 0;
    let part = |&cost: &i128| {
        sum += cost;
        let after = cents(sum);
        let own = after.minus(before);
        before = after;
        own
    };
    exact.iter().map(part).collect()
}

/// To the cent, half away from zero; what costs something never reads as free.
fn cents(exact: i128) -> Usd {
    let rounded = (exact + CENT / 2) / CENT;
    Usd::from_cents(if rounded == 0 && exact > 0 { 1 } else { rounded })
}
