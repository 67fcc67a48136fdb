//! The load-duration curve: hours sorted by demand, the busiest first, and what pays for them.

use super::bill::height_of;
use super::demand::Demand;
use super::{Bill, Part, Plan};

/// Some hours of about the same demand, in instances on average.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What is needed.
    pub demand: f64,
    /// What runs in each tier of the bill, from the base up.
    pub used: Vec<f64>,
    /// Commitments that stand idle.
    pub idle: f64,
}

/// The curve in so many columns.
pub fn load_duration(plan: &Plan, bill: &Bill, demand: &Demand, columns: usize) -> Vec<Column> {
    let mut order: Vec<usize> = (0..demand.hours().len()).collect();
    order.sort_by_key(|&hour| std::cmp::Reverse(demand.hours()[hour]));
    let left: Vec<u64> =
        demand.hours().iter().enumerate().map(|(at, needed)| needed.saturating_sub(plan.at(at))).collect();
    let spot = bill.tiers.iter().find(|tier| tier.part == Part::Spot).map_or(0, |tier| tier.busy);
    let spot_height = height_of(&left, spot);
    let columns = columns.clamp(1, order.len().max(1));
    let column = |at: usize| {
        let hours = &order[at * order.len() / columns..(at + 1) * order.len() / columns];
        let mean = |of: &dyn Fn(usize) -> u64| {
            let sum: u64 = hours.iter().map(|&hour| of(hour)).sum();
            sum as f64 / 1e6 / hours.len().max(1) as f64
        };
        let used = bill.tiers.iter().enumerate().map(|(tier, it)| match it.part {
            Part::Commitment(_) => mean(&|hour| in_tier(bill, tier, hour, demand.hours()[hour])),
            Part::Spot => mean(&|hour| left[hour].min(spot_height)),
            Part::OnDemand => mean(&|hour| left[hour].saturating_sub(spot_height)),
        });
        Column {
            used: used.collect(),
            demand: mean(&|hour| demand.hours()[hour]),
            idle: mean(&|hour| plan.at(hour).saturating_sub(demand.hours()[hour])),
        }
    };
    (0..columns).map(column).collect()
}

/// What of a demand falls into a commitment: what the tiers below it in that hour leave over.
fn in_tier(bill: &Bill, tier: usize, hour: usize, demand: u64) -> u64 {
    let active = |it: &&super::Tier| (it.from_hour..it.to_hour).contains(&hour);
    let below: u64 = bill.tiers[..tier].iter().filter(active).map(|it| it.instances).sum();
    let own = &bill.tiers[tier];
    if active(&own) { demand.saturating_sub(below).min(own.instances) } else { 0 }
}
