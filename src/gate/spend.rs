//! What a chosen configuration costs, and what all of them cost together. Sums are exact decimals.

use super::Found;
use crate::catalog::Catalog;
use crate::catalog::select::age_days;
use crate::money::{BilledHours, Usd, UsdPerHour};
use crate::price::Cost;
use jiff::civil::Date;
use rust_decimal::Decimal;

/// Hours of a month, by the contract.
const MONTH: f64 = 730.0;

/// The cost of one workload under the contract that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Spend {
    /// What it costs to its end; for a commitment all that is owed.
    pub total: Usd,
    /// What falls into one month: the total where it ends within 730 billed hours, else the share of 730 of them.
    pub monthly: Usd,
    /// An hour of the whole configuration.
    pub hourly: UsdPerHour,
    /// A part of it, storage or egress, is not known: it costs at least this.
    pub at_least: bool,
    /// Whether a term is owed in full.
    pub committed: bool,
    /// Age of the price in days, from the earliest day that its source allows.
    pub price_age_days: i64,
    /// That day.
    pub priced_on: Date,
}

impl Spend {
    /// The cost of one bill; `None` where a part of it is not known.
    pub fn of(catalog: &Catalog, cost: &Cost, today: Date) -> Option<Self> {
        let (share, hourly, hours) = (cost.total?, cost.usd_per_hour?, cost.billed_hours?);
        let term = cost.billing.term_hours();
        let beside = cost.parts.beside_machines();
        let owed = cost.commitment.filter(|_| term.is_some()).map(|owed| owed + beside);
        let total = owed.unwrap_or(share).max(share);
        let monthly = if term.is_some() {
            hourly.cost(BilledHours::from_f64(MONTH)?) + month_of(beside, hours)?
        } else {
            month_of(share, hours)?
        };
        let priced_on = catalog.source(cost.source).as_of.not_before();
        Some(Self {
            total,
            monthly,
            hourly,
            at_least: cost.at_least,
            committed: term.is_some(),
            price_age_days: age_days(priced_on, today),
            priced_on,
        })
    }
}

/// The share of a total that 730 of its hours have.
fn month_of(total: Usd, hours: BilledHours) -> Option<Usd> {
    let (hours, month) = (hours.decimal(), Decimal::from(MONTH as u32));
    if hours <= month {
        return Some(total);
    }
    total.decimal().checked_mul(month)?.checked_div(hours).map(Usd::from_decimal)
}

/// What all workloads cost together: the sum of those that are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Each to its end; `None` where none is known.
    pub total: Option<Usd>,
    /// A month.
    pub monthly: Option<Usd>,
    /// An hour in which all run.
    pub hourly: Option<UsdPerHour>,
    /// How many have a cost.
    pub known: usize,
    /// Names of those that have none, in alphabetical order: the sums are at least what they say.
    pub unknown: Vec<String>,
    /// Names of those that lack a part, in alphabetical order, likewise.
    pub lacking: Vec<String>,
}

impl Totals {
    /// Whether the sums lack something.
    pub fn at_least(&self) -> bool {
        !(self.unknown.is_empty() && self.lacking.is_empty())
    }

    /// Adds all up.
    pub fn of<'f>(found: impl IntoIterator<Item = (&'f str, &'f Found)>) -> Self {
        let mut totals = Self::default();
        for (name, found) in found {
            let Found::Choice(spend) = found else {
                totals.unknown.push(name.to_owned());
                continue;
            };
            let hourly = totals.hourly.unwrap_or_default().decimal().saturating_add(spend.hourly.decimal());
            totals.total = Some(totals.total.unwrap_or_default() + spend.total);
            totals.monthly = Some(totals.monthly.unwrap_or_default() + spend.monthly);
            totals.hourly = Some(UsdPerHour::new(hourly));
            totals.known += 1;
            totals.lacking.extend(spend.at_least.then(|| name.to_owned()));
        }
        totals.lacking.sort();
        totals.unknown.sort();
        totals
    }
}
