//! Money of a document in another currency, in one place for every command and format: each `…_usd…` field gets a twin
//! `…_amount…`, each column and sentence of a page its currency.
//!
//! Works on finished figures: the amounts are those that are printed, times the rate, exact to the last decimal; a total is
//! the sum of the amounts that are printed as its parts, which may be some of the last decimals away from that.

mod json;
mod listed;
mod page;

pub use listed::ListedAmounts;

use super::date::Dated;
use super::node::Node;
use crate::catalog::provenance::AsOf;
use rust_decimal::{Decimal, RoundingStrategy};
use std::collections::BTreeMap;
use std::str::FromStr;

/// In which currency the money of a document is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// ISO 4217 code of the amounts.
    pub code: String,
    /// Decimals of an amount, by ISO 4217.
    pub decimals: u32,
    /// How amounts come about.
    pub kind: Kind,
    /// Amounts that need no rate, and what totals are made of.
    pub listed: ListedAmounts,
    /// Totals that are the sum of printed amounts, by their dollars.
    pub sums: BTreeMap<Decimal, Decimal>,
}

/// How amounts come about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Dollars times a rate.
    Converted(Rate),
    /// Everything was counted in the currency from the start, without any rate; no figure is in dollars.
    Native,
    /// Amounts are dollars, and some prices came from this currency.
    From(String, Rate),
}

/// Units of a currency for one US dollar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The rate.
    pub per_usd: Decimal,
    /// When it was true.
    pub as_of: AsOf,
}

/// Decimals of prices for an hour, as `Num` has them at most.
const HOURLY: u32 = 9;

/// Decimals of prices for a GPU-hour and for a million tokens.
const SHARED: u32 = 4;

/// The field beside a money field: `total_usd` has `total_amount`, `usd_per_hour` has `amount_per_hour`.
pub(super) fn twin(field: &str) -> Option<String> {
    let mut parts: Vec<&str> = field.split('_').collect();
    let at = parts.iter().position(|&part| part == "usd")?;
    parts[at] = "amount";
    Some(parts.join("_"))
}

impl Exchange {
    /// An exchange that knows no amount yet.
    pub fn new(code: String, decimals: u32, kind: Kind) -> Self {
        Self { code, decimals, kind, listed: ListedAmounts::default(), sums: BTreeMap::new() }
    }

    /// The amount of a dollar figure that is rounded as the field or column `what` is.
    fn amount(&self, what: Grain, usd: Decimal) -> Option<Decimal> {
        let Kind::Converted(rate) = &self.kind else { return Some(usd) };
        if let Some(listed) = self.listed_amount(what, usd) {
            let places = if what == Grain::Total { self.decimals } else { what.most_places() };
            return Some(listed.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero));
        }
        if let Some(&sum) = self.sums.get(&usd).filter(|_| what == Grain::Total) {
            return Some(sum);
        }
        let exact = usd.checked_mul(rate.per_usd)?;
        Some(exact.round_dp_with_strategy(self.places(what, rate), RoundingStrategy::MidpointAwayFromZero))
    }

    /// Decimals that a product has right: one fewer for each power of ten of the rate.
    fn places(&self, what: Grain, rate: &Rate) -> u32 {
        let mut lost = 0;
        let mut power = Decimal::ONE;
        while power < rate.per_usd && lost < HOURLY {
            power *= Decimal::TEN;
            lost += 1;
        }
        match what {
            Grain::Total => self.decimals,
            Grain::Hourly => (HOURLY - 1).saturating_sub(lost),
            Grain::Shared => SHARED.saturating_sub(lost),
            Grain::Unit => SHARED.max(self.decimals),
        }
    }

    /// The figure of a field as JSON has it; `None` where the text is no number.
    fn figure(&self, field: &str, text: &str) -> Option<String> {
        if text == "null" {
            return Some(text.to_owned());
        }
        let usd = Decimal::from_str(text).or_else(|_| Decimal::from_scientific(text)).ok()?;
        self.amount(Grain::of(field), usd).map(|amount| amount.normalize().to_string())
    }

    fn has_twins(&self) -> bool {
        !matches!(self.kind, Kind::From(..))
    }

    /// The rate and the currency that it is of.
    fn rate(&self) -> Option<(&str, &Rate)> {
        match &self.kind {
            Kind::Converted(rate) => Some((&self.code, rate)),
            Kind::From(code, rate) => Some((code, rate)),
            Kind::Native => None,
        }
    }

    /// The columns of CSV with their twins, the currency and the rate.
    pub(super) fn columns(&self, columns: &[&str]) -> Vec<String> {
        let mut all: Vec<String> = columns.iter().map(|&column| column.to_owned()).collect();
        let twins = columns.iter().filter_map(|column| twin(column)).filter(|_| self.has_twins());
        let new: Vec<String> = twins.chain(["currency", "fx_rate", "fx_as_of"].map(str::to_owned)).collect();
        for column in new {
            if !all.contains(&column) {
                all.push(column);
            }
        }
        all
    }

    /// The same for the tree of a document.
    pub(super) fn tree(&self, node: &mut Node) {
        match node {
            Node::List(items) => items.iter_mut().for_each(|item| self.tree(item)),
            Node::Map(fields) if self.has_twins() => self.map(fields),
            Node::Map(fields) => fields.iter_mut().for_each(|(_, node)| self.tree(node)),
            Node::Null | Node::Leaf(_) => {}
        }
    }

    fn map(&self, fields: &mut Vec<(String, Node)>) {
        let mut twins: Vec<(String, Node)> = Vec::new();
        for (field, node) in fields.iter_mut() {
            let text = match node {
                Node::Leaf(text) => text.as_str(),
                Node::Null => "null",
                Node::List(_) | Node::Map(_) => {
                    self.tree(node);
                    continue;
                }
            };
            let Some(name) = twin(field) else { continue };
            let Some(figure) = self.figure(field, text) else { continue };
            twins.push((name, if figure == "null" { Node::Null } else { Node::Leaf(figure) }));
            if self.kind == Kind::Native {
                *node = Node::Null;
            }
        }
        if !twins.is_empty() {
            fields.retain(|(name, _)| name != "currency" && !twins.iter().any(|(twin, _)| twin == name));
            fields.append(&mut twins);
        }
    }

    /// The cells behind every row of CSV.
    pub(super) fn cells(&self) -> Vec<(String, String)> {
        let mut cells = vec![("currency".to_owned(), self.code.clone())];
        if let Some((_, rate)) = self.rate() {
            cells.push(("fx_rate".to_owned(), rate.per_usd.normalize().to_string()));
            cells.push(("fx_as_of".to_owned(), Dated(rate.as_of).to_string()));
        }
        cells
    }
}

/// How a figure is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Grain {
    /// A sum of money.
    Total,
    /// A price for an hour.
    Hourly,
    /// A price for a share of a machine or for tokens.
    Shared,
    /// A price for a unit of disk or of data, as a source prints it.
    Unit,
}

impl Grain {
    /// Decimals of a price as a source prints it.
    fn most_places(self) -> u32 {
        if self == Self::Shared { SHARED } else { HOURLY }
    }

    fn of(field: &str) -> Self {
        if ["gpu_hour", "per_million", "effective"].iter().any(|part| field.contains(part)) {
            Self::Shared
        } else if field.contains("per_hour") {
            Self::Hourly
        } else {
            Self::Total
        }
    }
}

#[cfg(test)]
mod tests;
