//! What an hour costs, under which contract.

use super::instance::InstanceId;
use super::provenance::SourceId;
use super::region::RegionId;
use crate::money::{Usd, UsdPerHour};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// One price of one machine in one region under one contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The machine.
    pub instance: InstanceId,
    /// Where.
    pub region: RegionId,
    /// The contract.
    pub billing: Billing,
    /// How much of a commitment is paid at its start; `None` for kinds without a term.
    pub upfront: Option<Upfront>,
    /// Price per instance-hour in `currency`, upfront spread over the term. `None` is unknown, never zero.
    pub per_hour: Option<UsdPerHour>,
    /// ISO 4217 code; anything but `USD` needs a rate before it is compared.
    pub currency: Currency,
    /// What the figure is where the source says so: `median-of-zones`, `current`, `median-of-offers` …; with a
    /// note of the row behind it.
    pub stat: Option<Arc<str>>,
    /// Where the price comes from, with its date.
    pub source: SourceId,
    /// Came from an overlay instead of the embedded catalog.
    pub overridden: bool,
    /// What is paid at the start of a term for one machine, in `currency`, where the source tells it.
    pub fee: Option<Usd>,
    /// What few prices have.
    pub seldom: Seldom,
}

/// What few of thousands of prices have, kept apart so that the others stay small.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct More {
    /// The price as the source has it, where `per_hour` was converted from its currency.
    pub listed: Option<(Currency, UsdPerHour)>,
    /// The fee as the source has it, in the currency of `listed`.
    pub listed_fee: Option<Usd>,
    /// The list price that an overlay took per cent of.
    pub list: Option<ListPrice>,
    /// Per cent that a project has taken off already; no file of a catalog has this.
    pub off_list_pct: Option<Decimal>,
    /// Findings that the row's author accepts: (code, reason).
    pub allow: Vec<(String, String)>,
}

/// [`More`] where a price has any of it; reads as nothing elsewhere, and is made when it is written to.
#[derive(Clone, Debug, Default)]
pub struct Seldom(Option<Box<More>>);

static NOTHING: More =
    More { listed: None, listed_fee: None, list: None, off_list_pct: None, allow: Vec::new() };

impl Deref for Seldom {
    type Target = More;

    fn deref(&self) -> &More {
        self.0.as_deref().unwrap_or(&NOTHING)
    }
}

impl DerefMut for Seldom {
    fn deref_mut(&mut self) -> &mut More {
        self.0.get_or_insert_default()
    }
}

impl PartialEq for Seldom {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl From<More> for Seldom {
    fn from(more: More) -> Self {
        Self((more != NOTHING).then(|| Box::new(more)))
    }
}

/// A price before per cent of it were taken, in the currency of the price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPrice {
    /// For one hour.
    pub per_hour: UsdPerHour,
    /// What is paid at the start of a term for one machine.
    pub fee: Option<Usd>,
    /// Where it comes from, with its date.
    pub source: SourceId,
}

/// ISO 4217 code in three ASCII letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Currency(pub [u8; 3]);

impl Currency {
    /// US dollars.
    pub const USD: Self = Self(*b"USD");

    /// The currency with this code: three capital letters.
    pub fn from_code(code: &str) -> Option<Self> {
        let letters: [u8; 3] = code.as_bytes().try_into().ok()?;
        letters.iter().all(u8::is_ascii_uppercase).then_some(Self(letters))
    }

    /// The three letters.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("???")
    }
}

/// Billing kinds; none is derived from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Billing {
    /// Pay as you go.
    OnDemand,
    /// Spare capacity that can be taken away.
    Spot,
    /// Reserved instance, one year.
    Reserved1y,
    /// Reserved instance, three years.
    Reserved3y,
    /// Savings plan, one year.
    Savings1y,
    /// Savings plan, three years.
    Savings3y,
    /// Committed use discount, one year.
    Cud1y,
    /// Committed use discount, three years.
    Cud3y,
    /// Subscription by the month.
    Subscription1m,
    /// Subscription by the year.
    Subscription1y,
    /// A block of capacity for fixed days, paid at its start.
    CapacityBlock,
}

impl Billing {
    /// All kinds, in the order of tables.
    pub const ALL: [Self; 11] = [
        Self::OnDemand,
        Self::Spot,
        Self::Reserved1y,
        Self::Reserved3y,
        Self::Savings1y,
        Self::Savings3y,
        Self::Cud1y,
        Self::Cud3y,
        Self::Subscription1m,
        Self::Subscription1y,
        Self::CapacityBlock,
    ];

    /// Name on the command line and in every output.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Names of all kinds, in the same order.
    pub const NAMES: &[&'static str] = &[
        "on-demand",
        "spot",
        "reserved-1y",
        "reserved-3y",
        "savings-1y",
        "savings-3y",
        "cud-1y",
        "cud-3y",
        "subscription-1m",
        "subscription-1y",
        "capacity-block",
    ];

    /// Kinds with a term of a month or more that is owed in full.
    pub fn is_committed(self) -> bool {
        self.term_hours().is_some()
    }

    /// Whether a commitment may be of a part of a machine: savings plans are a sum of money for each hour, see
    /// <https://docs.aws.amazon.com/savingsplans/latest/userguide/what-is-savings-plans.html> (2026-11-30). Reserved
    /// machines, committed use of GPUs and subscriptions are of whole ones.
    pub fn is_sold_in_parts(self) -> bool {
        matches!(self, Self::Savings1y | Self::Savings3y)
    }

    /// The one-year kind of the same contract, for three-year kinds.
    pub fn one_year_sibling(self) -> Option<Self> {
        match self {
            Self::Reserved3y => Some(Self::Reserved1y),
            Self::Savings3y => Some(Self::Savings1y),
            Self::Cud3y => Some(Self::Cud1y),
            _ => None,
        }
    }

    /// Hours of the term that is owed in full; `None` where nothing is committed. A month is 730 h, a year 8,760 h.
    pub fn term_hours(self) -> Option<u32> {
        match self {
            Self::OnDemand | Self::Spot | Self::CapacityBlock => None,
            Self::Subscription1m => Some(730),
            Self::Reserved1y | Self::Savings1y | Self::Cud1y | Self::Subscription1y => Some(8760),
            Self::Reserved3y | Self::Savings3y | Self::Cud3y => Some(26_280),
        }
    }
}

/// How much of a commitment is paid at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Upfront {
    /// Nothing; paid by the hour or month.
    No,
    /// A part.
    Partial,
    /// Everything.
    All,
}

impl Upfront {
    /// All amounts.
    pub const ALL: [Self; 3] = [Self::No, Self::Partial, Self::All];

    /// Names of all amounts.
    pub const NAMES: &[&'static str] = &["none", "partial", "all"];

    /// The amount with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|upfront| upfront.name() == name)
    }

    /// `none`, `partial` or `all`.
    pub fn name(self) -> &'static str {
        match self {
            Self::No => "none",
            Self::Partial => "partial",
            Self::All => "all",
        }
    }
}

/// Per cent of the list price that a text says are paid: `80`, `80 %`, or as Chinese price lists write it `8折` (eight
/// tenths are paid, so 20 % are off), `八五折` (85 %), `一折` (10 %). `None` for anything else.
pub fn percent_paid(text: &str) -> Option<Decimal> {
    let text = text.trim();
    let Some(tenths) = text.strip_suffix('折') else {
        return text
            .trim_end_matches('%')
            .trim_end()
            .parse()
            .ok()
            .filter(|percent: &Decimal| !percent.is_sign_negative());
    };
    let tenths = tenths.trim();
    let digit = |c: char| "〇一二三四五六七八九".chars().position(|it| it == c).map(|at| at.to_string());
    let digits: Option<Vec<String>> = tenths.chars().map(digit).collect();
    let plain = match digits.as_deref() {
        Some([one]) => one.clone(),
        // 八五折 is 8.5 tenths.
        Some([whole, part]) => format!("{whole}.{part}"),
        _ => tenths.to_owned(),
    };
    let tenths: Decimal = plain.parse().ok()?;
    // 11折 to 19折 may be more than the list or 1.1 to 1.9 tenths: nobody can know.
    if tenths > Decimal::TEN && tenths < Decimal::from(20) {
        return None;
    }
    // 85折 is the same as 8.5折.
    let percent = if tenths > Decimal::TEN { tenths } else { tenths * Decimal::TEN };
    (tenths > Decimal::ZERO && percent < Decimal::ONE_HUNDRED).then_some(percent)
}

#[cfg(test)]
mod tests;
