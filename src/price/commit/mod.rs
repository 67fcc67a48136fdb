//! How much of a demand to commit to: the exact optimum of commitments that start with the horizon, with burst on
//! demand and on spot.
//!
//! # Why it is exact
//!
//! In hour `t` of the horizon `d(t)` instances are needed. A commitment owes its price for every hour of its term,
//! used or not; terms begin with the horizon and follow each other, so the stretches that they can cover are nested:
//! months in years, years in the whole horizon. A term that is longer than the horizon covers all of it and is owed
//! in full. What the commitments `c(t)` leave over, `max(0, d(t) − c(t))`, is burst.
//!
//! *Levels are independent.* Take any plan and stack it: the commitments of the longest stretches at the bottom, those
//! of the next length on top of them, and so on. Since stretches are nested, every slice of the stack, from instance
//! `x` to instance `x + dx`, is in each hour either covered by one commitment or not at all, and the burst of the hour
//! is made of the slices between `c(t)` and `d(t)`. So the cost of the plan is the sum over slices of (what the slice
//! owes) + (burst price × hours in which `d(t) > x` and it is not covered), and is no less than the sum of the optima
//! of the slices, each on its own. Conversely the optima of the slices together are a plan that costs their sum, or
//! less where a higher slice is covered while a lower one is not. Hence both are equal. The optimum of one slice is a
//! matter of comparing: a stretch is committed where that costs less than the best for its parts, from months up to
//! the horizon. With a single stretch this is the rule that a level is committed when it is busy for at least
//! `reserved / on-demand` of the time.
//!
//! *Whole instances.* The same holds with slices of one instance, if an hour that needs a part of an instance counts
//! for that part, `min(1, max(0, d(t) − k))`: these parts fall with `k`, so covering lower slices first is best.
//!
//! *A cap on spot* couples the slices: spot may take `S` instance-hours. Let `K(B)` be what must be owed to leave `B`
//! hours of burst. Over slices of any width `K` is convex: each slice offers its convex hull of (owed, hours left), and
//! their sum takes the cheapest hours first. The total is `K(B) + p_spot·min(B, S) + p_on_demand·max(0, B − S)`, which
//! is convex too when spot is cheaper. So steps are taken in the order of their price per hour saved while they cost
//! less than the burst that they save, and one that meets `S` is taken in part. With whole instances that is exact
//! where all commitments cover the whole horizon (the total is convex in their number); where they do not, the few
//! ways that can beat it are gone through, see `whole.rs`. If they are too many there is no answer.
//!
//! *As they are sold* whole instances of some contracts stand beside parts of others: see `mixed.rs`.
//!
//! Demand and amounts are whole millionths of an instance, prices whole 10^-12 dollars, sums exact integers.

mod band;
mod bill;
pub mod demand;
mod market;
mod mixed;
pub mod offer;
mod optimum;
pub mod said;
mod shape;
mod step;
pub mod usage;
mod whole;

pub use bill::{Bill, Part, Tier, all_at};
pub use market::{Commitment, Market};
pub use shape::{Column, load_duration};

use crate::money::{Usd, UsdPerHour};
use demand::Demand;

/// Which commitments come in whole instances only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Whole {
    /// None: each may be of a part of an instance.
    #[default]
    Never,
    /// All.
    Always,
    /// As they are sold, see [`crate::catalog::price::Billing::is_sold_in_parts`].
    ByKind,
}

/// What may be bought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rules {
    /// Commitments of whole instances.
    pub whole: Whole,
    /// Most of all instance-hours that spot may take, as a share.
    pub spot_share: f64,
}

/// A demand and a market.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    market: Market,
    rules: Rules,
}

/// Commitments of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bought {
    /// Which, in [`Market::commitments`].
    pub commitment: usize,
    /// Hours of one stretch.
    pub hours: usize,
    /// Millionths of an instance in each stretch.
    pub instances: Vec<u64>,
}

/// What is committed, longest stretches first; everything else is burst.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Commitments by length.
    pub bought: Vec<Bought>,
}

/// A usage that is so many per cent from what was planned for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regret {
    /// Change of usage in per cent.
    pub change: i32,
    /// What the plan costs then.
    pub total: Usd,
    /// What the best plan for that usage would cost.
    pub best: Usd,
}

/// Changes of usage that regret is told for, per cent.
const CHANGES: [i32; 11] = [-50, -40, -30, -20, -10, 0, 10, 20, 30, 40, 50];

impl Market {
    /// The price on spot where it is cheaper than on demand.
    fn cheaper_spot(&self) -> Option<UsdPerHour> {
        self.spot.filter(|&spot| spot < self.on_demand)
    }
}

impl Question {
    /// A question.
    pub fn new(market: Market, rules: Rules) -> Self {
        Self { market, rules }
    }

    /// What can be bought.
    pub fn market(&self) -> &Market {
        &self.market
    }

    /// The cheapest plan for a demand, and its bill. `None` where no exact answer is found, which only whole instances
    /// together with a share of spot can come to.
    pub fn best(&self, demand: &Demand) -> Option<(Plan, Bill)> {
        let plan = optimum::plan(self, demand)?;
        let bill = self.bill(&plan, demand);
        let nothing = Plan::default();
        let without = self.bill(&nothing, demand);
        // A commitment that does not save a cent binds for nothing.
        Some(if without.total <= bill.total { (nothing, without) } else { (plan, bill) })
    }

    /// How much dearer than the cheapest plan a bill may be at most; `None` where it is the cheapest. Only contracts in
    /// whole instances beside others in parts leave something open.
    pub fn gap(&self, bill: &Bill, demand: &Demand) -> Option<Usd> {
        mixed::gap(self, demand, bill)
    }

    /// What a plan costs for a demand.
    pub fn bill(&self, plan: &Plan, demand: &Demand) -> Bill {
        bill::bill(self, plan, demand)
    }

    /// What everything on demand costs.
    pub fn all_on_demand(&self, demand: &Demand) -> Usd {
        all_at(self.market.on_demand, demand)
    }

    /// What the plan costs when usage is not as planned, beside the best that could be done then; `None` as in
    /// [`Question::best`].
    pub fn regret(&self, plan: &Plan, demand: &Demand) -> Option<Vec<Regret>> {
        let row = |&change: &i32| {
            let changed = demand.changed(change);
            let total = self.bill(plan, &changed).total;
            Some(Regret { change, total, best: self.best(&changed)?.1.total.min(total) })
        };
        CHANGES.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests;
