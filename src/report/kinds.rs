//! Contracts of one machine side by side, as the pictures of break-even need them.

use super::commitments::Commitments;
use super::cost::{CostAnswer, CostRow};
use super::number::Num;
use std::collections::BTreeSet;

/// One machine in one place, or what a plan may buy.
#[derive(Clone, Debug, PartialEq)]
pub struct Kinds {
    /// What the picture is of.
    pub title: String,
    /// Price on demand for an hour.
    pub on_demand: Option<Num>,
    /// Cost of an hour of work on spot, interruptions included where they are known.
    pub spot: Option<Num>,
    /// Contracts whose whole term is owed.
    pub levels: Vec<Level>,
}

/// A contract that costs the same for every hour of its term, used or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Billing kind, upfront, mark of an overlay.
    pub name: String,
    /// For an hour of the term.
    pub usd_per_hour: Num,
    /// Share of the hours that must be used; above 100 it never pays.
    pub percent: Option<Num>,
    /// Whether it can pay within what is looked at.
    pub within_horizon: bool,
}

fn name(billing: &str, upfront: Option<&str>, overridden: bool) -> String {
    super::text::billing(billing, upfront, overridden).replace('\u{a0}', " ")
}

impl Commitments {
    /// The contracts of the table of break-even.
    pub(super) fn kinds(&self) -> Kinds {
        let level = |line: &super::commitments::BreakEvenLine| Level {
            name: name(line.billing, line.upfront, line.overridden),
            usd_per_hour: line.usd_per_hour,
            percent: line.utilisation_pct,
            within_horizon: line.within_horizon,
        };
        Kinds {
            title: "Break-even: cost of an instance per hour of the term".to_owned(),
            on_demand: self.on_demand_usd_per_hour,
            spot: None,
            levels: self.break_even.iter().map(level).collect(),
        }
    }
}

impl CostAnswer {
    /// The contracts of the one machine that the rows are of, in the region with the lowest price on demand among those
    /// that sell a term; or why there is nothing to draw.
    pub fn kinds(&self) -> Result<Kinds, String> {
        let machine = |row: &CostRow| format!("{}x {}/{}", row.nodes, row.provider, row.instance_type);
        let machines: BTreeSet<String> = self.rows.iter().map(machine).collect();
        let one = machines.first().filter(|_| machines.len() == 1);
        let one = one.ok_or_else(|| format!("the rows are of {} machines", machines.len()))?;
        let of = |region: &str, billing: &str| {
            let mut rows = self.rows.iter().filter(|row| row.region == region && row.billing == billing);
            rows.find(|row| row.usd_per_hour.is_some())
        };
        let levels = |region: &str| -> Vec<Level> {
            self.rows.iter().filter(|row| row.region == region).filter_map(level).collect()
        };
        let regions: BTreeSet<&str> = self.rows.iter().map(|row| row.region.as_str()).collect();
        let priced = regions.iter().filter_map(|&region| {
            let rate = of(region, "on-demand")?.usd_per_hour?;
            (!levels(region).is_empty()).then_some((region, rate))
        });
        let best = priced.min_by(|a, b| a.1.value().total_cmp(&b.1.value()));
        let (region, rate) = best.ok_or_else(|| {
            format!("no region has a price of {one} on demand and one with a term among the rows")
        })?;
        let spot = of(region, "spot").and_then(|row| row.effective_usd_per_hour.or(row.usd_per_hour));
        let beside = |level: Level| Level {
            percent: (rate.value() > 0.0)
                .then(|| Num::rounded(level.usd_per_hour.value() / rate.value() * 100.0, 2)),
            ..level
        };
        Ok(Kinds {
            title: format!("Break-even: {one} in {region}, cost for an hour of the term"),
            on_demand: Some(rate),
            spot,
            levels: levels(region).into_iter().map(beside).collect(),
        })
    }
}

/// A row of a contract with a term and a known price.
fn level(row: &CostRow) -> Option<Level> {
    let usd_per_hour =
        row.usd_per_hour.filter(|_| row.commitment_usd.is_some() && row.billing != "capacity-block")?;
    let name = name(row.billing, row.upfront, row.overridden);
    Some(Level { name, usd_per_hour, percent: None, within_horizon: true })
}
