//! The budget of a project: what its workloads may cost together, how old their prices may be, and what follows from an
//! unknown one. Pure: no row of a document, no file, no clock.
//!
//! A limit of money holds for the sum over all workloads, so the order in which they stand changes nothing. What is not
//! known is never counted as 0 and never passes: it is a violation of its own.

mod spend;

pub use spend::{Spend, Totals};

use crate::money::{Usd, UsdPerHour};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

/// An amount and how it is printed.
type Money = (Decimal, String);

/// How grave a violation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The gate stays open.
    Warn,
    /// The gate closes.
    #[default]
    Deny,
}

impl Level {
    /// Names of all levels, gravest first.
    pub const NAMES: [&str; 2] = ["deny", "warn"];

    /// `deny` or `warn`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deny => Self::NAMES[0],
            Self::Warn => Self::NAMES[1],
        }
    }

    /// The level with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Deny, Self::Warn].into_iter().find(|level| level.name() == name)
    }
}

/// What all violations come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// None.
    #[default]
    Pass,
    /// Only warnings.
    Warn,
    /// One denies.
    Fail,
}

impl Verdict {
    /// `pass`, `warn` or `fail`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }

    /// The gravest of these violations, whatever their order.
    pub fn of<'v>(violations: impl IntoIterator<Item = &'v Violation>) -> Self {
        let each = |violation: &Violation| match violation.level {
            Level::Warn => Self::Warn,
            Level::Deny => Self::Fail,
        };
        violations.into_iter().map(each).max().unwrap_or_default()
    }
}

/// Something that a workload breaks.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Stable id: one of [`ids`], or that of a policy.
    pub id: String,
    /// How grave.
    pub level: Level,
    /// What is allowed, where that is a number.
    pub limit: Option<f64>,
    /// What it is, where that is known.
    pub actual: Option<f64>,
    /// One sentence.
    pub message: String,
    /// The sentence is that of a policy, in the words of whoever wrote it.
    pub quoted: bool,
}

/// Ids of violations that are no policy. A policy may not be called like one of them.
pub mod ids {
    /// All workloads cost more than the budget.
    pub const TOTAL: &str = "budget-total";
    /// A month of all workloads costs more than the budget.
    pub const MONTHLY: &str = "budget-monthly";
    /// An hour of all workloads costs more than the budget.
    pub const HOURLY: &str = "budget-hourly";
    /// The price is older than the budget allows.
    pub const AGE: &str = "budget-max-age-days";
    /// No price is known.
    pub const UNKNOWN: &str = "unknown-price";
    /// Every price is older than `max-age` allows.
    pub const TOO_OLD: &str = "every-price-too-old";
    /// Nothing holds the workload under its constraints.
    pub const NOTHING: &str = "nothing-fits";
    /// The workload costs more than its own `fail-over`.
    pub const FAIL_OVER: &str = "workload-fail-over";
    /// All of them.
    pub const ALL: [&str; 8] = [TOTAL, MONTHLY, HOURLY, AGE, UNKNOWN, TOO_OLD, NOTHING, FAIL_OVER];
}

/// `[budget]` of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// For all workloads, each once, to their end.
    pub total: Option<Usd>,
    /// For a month of 730 hours of all workloads.
    pub monthly: Option<Usd>,
    /// For an hour in which all workloads run.
    pub hourly: Option<UsdPerHour>,
    /// Oldest price, in days.
    pub max_age_days: Option<u32>,
    /// What an unknown price means.
    pub unknown_price: Level,
    /// How grave it is to break each limit.
    pub levels: Levels,
}

/// How grave it is to break each limit of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// `total`.
    pub total: Level,
    /// `monthly`.
    pub monthly: Level,
    /// `hourly`.
    pub hourly: Level,
    /// `max-age-days`.
    pub age: Level,
}

/// What was found for one workload.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A configuration with its cost.
    Choice(Spend),
    /// Configurations, but no price of any of them.
    UnknownPrice,
    /// Configurations, but no price of any of them in dollars: the currencies that have no rate.
    NoRate(Vec<String>),
    /// Configurations, but every price of them is older than a constraint allows.
    TooOld,
    /// Nothing; with the nearest miss in words.
    Nothing(String),
}

impl Found {
    /// Whether a price that belongs to the cost is not known.
    pub fn is_at_least(&self) -> bool {
        match self {
            Self::Choice(spend) => spend.at_least,
            Self::UnknownPrice | Self::NoRate(_) | Self::TooOld => true,
            Self::Nothing(_) => false,
        }
    }
}

impl Budget {
    /// Ids of the limits that every workload is held against.
    pub fn checked(&self) -> Vec<&'static str> {
        let asked = [
            (true, ids::NOTHING),
            (true, ids::UNKNOWN),
            (self.total.is_some(), ids::TOTAL),
            (self.monthly.is_some(), ids::MONTHLY),
            (self.hourly.is_some(), ids::HOURLY),
            (self.max_age_days.is_some(), ids::AGE),
        ];
        asked.into_iter().filter_map(|(is, id)| is.then_some(id)).collect()
    }

    /// What one workload breaks, given what all cost together.
    pub fn violations(&self, found: &Found, totals: &Totals) -> Vec<Violation> {
        let deny = |id: &str, message: String| Violation {
            id: id.to_owned(),
            level: Level::Deny,
            limit: None,
            actual: None,
            message,
            quoted: false,
        };
        match found {
            Found::Choice(spend) => {
                let age = self.age(spend);
                let part = spend.at_least.then(|| {
                    let message =
                        "the price of its storage or egress is not known there; add it with a --catalog overlay";
                    Violation { level: self.unknown_price, ..deny(ids::UNKNOWN, message.to_owned()) }
                });
                self.money(spend, totals).into_iter().chain(age).chain(part).collect()
            }
            Found::UnknownPrice => {
                let message =
                    "no price is known for anything that qualifies; add one with a --catalog overlay";
                vec![Violation { level: self.unknown_price, ..deny(ids::UNKNOWN, message.to_owned()) }]
            }
            Found::NoRate(codes) => {
                let flags: Vec<String> = codes.iter().map(|code| format!("--fx {code}=RATE")).collect();
                let message = format!(
                    "no exchange rate is known for the prices of what qualifies: say `{}`",
                    flags.join(" ")
                );
                vec![Violation { level: self.unknown_price, ..deny(ids::UNKNOWN, message) }]
            }
            Found::TooOld => {
                let message = "every price that would qualify is older than `max-age` allows";
                vec![deny(ids::TOO_OLD, message.to_owned())]
            }
            Found::Nothing(nearest) => {
                vec![deny(ids::NOTHING, format!("nothing qualifies under the constraints: {nearest}"))]
            }
        }
    }

    fn money(&self, spend: &Spend, totals: &Totals) -> Vec<Violation> {
        let several = totals.known + totals.unknown.len() > 1;
        let all = if several { " of all workloads together" } else { "" };
        let owed = if spend.committed { " (a commitment is owed in full)" } else { "" };
        let total = if several { "the sum of all workloads" } else { "the workload" };
        let least_hour = if totals.unknown.is_empty() { "" } else { "at least " };
        let least = if totals.at_least() { "at least " } else { "" };
        let over = |(id, level): (&str, Level),
                    what: String,
                    limit: Option<Money>,
                    actual: Option<Money>,
                    own: String| {
            let (limit, actual) = limit.zip(actual).filter(|(limit, actual)| actual.0 > limit.0)?;
            let shared = if several { format!("; {own} USD of it here") } else { String::new() };
            Some(Violation {
                id: id.to_owned(),
                level,
                limit: limit.0.to_f64(),
                actual: actual.0.to_f64(),
                message: format!(
                    "{what} costs {}{} USD, {} USD is allowed{shared}",
                    if id == ids::HOURLY { least_hour } else { least },
                    actual.1,
                    limit.1
                ),
                quoted: false,
            })
        };
        let (cents, rate) =
            (|usd: Usd| (usd.decimal(), usd.to_string()), |usd: UsdPerHour| (usd.decimal(), usd.to_string()));
        let own = [spend.total.to_string(), spend.monthly.to_string(), spend.hourly.to_string()];
        let [own_total, own_month, own_hour] = own;
        [
            over(
                (ids::TOTAL, self.levels.total),
                format!("{total}{owed}"),
                self.total.map(cents),
                totals.total.map(cents),
                own_total,
            ),
            over(
                (ids::MONTHLY, self.levels.monthly),
                format!("a month{all}"),
                self.monthly.map(cents),
                totals.monthly.map(cents),
                own_month,
            ),
            over(
                (ids::HOURLY, self.levels.hourly),
                format!("an hour{all}"),
                self.hourly.map(rate),
                totals.hourly.map(rate),
                own_hour,
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn age(&self, spend: &Spend) -> Option<Violation> {
        let limit = self.max_age_days.filter(|&days| spend.price_age_days > i64::from(days))?;
        let message = format!(
            "the price may be {} days old ({}), {limit} days are allowed",
            spend.price_age_days, spend.priced_on
        );
        Some(Violation {
            id: ids::AGE.to_owned(),
            level: self.levels.age,
            limit: Some(f64::from(limit)),
            actual: Some(spend.price_age_days as f64),
            message,
            quoted: false,
        })
    }
}

/// What a workload breaks whose own `fail-over` is below its cost.
pub fn fail_over(limit: Option<Usd>, found: &Found) -> Option<Violation> {
    let Found::Choice(spend) = found else { return None };
    let limit = limit.filter(|&limit| spend.total > limit)?;
    let least = if spend.at_least { "at least " } else { "" };
    Some(Violation {
        id: ids::FAIL_OVER.to_owned(),
        level: Level::Deny,
        limit: Some(limit.to_f64()),
        actual: Some(spend.total.to_f64()),
        message: format!("the workload costs {least}{} USD, its `fail-over` allows {limit} USD", spend.total),
        quoted: false,
    })
}

#[cfg(test)]
mod tests;
