//! What changed between two catalogs: prices added, removed, lost, dearer, cheaper; and limits on it.

use crate::catalog::Catalog;
use crate::catalog::price::{Billing, Currency, Price, Upfront};
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// What makes a price: provider, machine, region, kind, upfront.
pub type Name<'c> = (&'c str, &'c str, &'c str, Billing, Option<Upfront>);

/// What became of one price.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<'c> {
    /// The price.
    pub name: Name<'c>,
    /// Before; `None` when it is new.
    pub old: Option<&'c Price>,
    /// Now; `None` when it is gone.
    pub new: Option<&'c Price>,
}

/// All changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison<'c> {
    /// In the order of names, without what stayed the same.
    pub changes: Vec<Change<'c>>,
    /// Prices before.
    pub before: usize,
    /// Prices now.
    pub now: usize,
    /// Prices that are the same.
    pub same: usize,
}

impl Change<'_> {
    /// `added`, `removed`, `changed`, or `unknown` where one of the two amounts is not known or in another currency.
    pub fn status(&self) -> &'static str {
        match (self.old, self.new) {
            (None, _) => "added",
            (_, None) => "removed",
            (Some(old), Some(new)) if comparable(old, new) => "changed",
            _ => "unknown",
        }
    }

    /// A price that was known and is gone, is not known any more, or is in a currency in which it says nothing of the old.
    pub fn is_lost(&self) -> bool {
        let known = self.old.is_some_and(|old| old.per_hour.is_some());
        match self.status() {
            "removed" => true,
            "unknown" => known,
            _ => false,
        }
    }

    /// Both amounts are known, in currencies between which no rate is.
    pub fn is_redenominated(&self) -> bool {
        let both = self.old.zip(self.new).filter(|(old, new)| old.currency != new.currency);
        both.is_some_and(|(old, new)| old.per_hour.is_some() && new.per_hour.is_some())
    }

    /// Change in per cent of the old price; `None` where there are not two that can be compared.
    pub fn percent(&self) -> Option<Decimal> {
        let (old, new) = self.amounts()?;
        new.checked_sub(old)?.checked_div(old)?.checked_mul(Decimal::ONE_HUNDRED)
    }

    /// How far the two are apart, in per cent of the lower one: a price that is halved and one that is doubled are both 100
    /// apart. Limits hold this, since no fall is more than 100 per cent of the old price.
    pub fn distance(&self) -> Option<Decimal> {
        let (old, new) = self.amounts()?;
        let (low, high) = (old.min(new), old.max(new));
        let times = high.checked_div(low).and_then(|times| times.checked_mul(Decimal::ONE_HUNDRED));
        Some(times.map_or(Decimal::MAX, |percent| percent - Decimal::ONE_HUNDRED))
    }

    fn amounts(&self) -> Option<(Decimal, Decimal)> {
        let (old, new) = self.old.zip(self.new).filter(|(old, new)| comparable(old, new))?;
        match old.seldom.listed.zip(new.seldom.listed) {
            // What needs no rate is compared without one.
            Some(((from, old), (to, new))) if from == to => Some((old.decimal(), new.decimal())),
            _ => Some((old.per_hour?.decimal(), new.per_hour?.decimal())),
        }
    }
}

impl<'c> Comparison<'c> {
    /// Compares the prices of two catalogs by the names of what is priced. What only a date tells apart is the same.
    pub fn new(old: &'c Catalog, new: &'c Catalog) -> Self {
        let (before, now) = (named(old), named(new));
        let mut changes: Vec<Change<'c>> = Vec::new();
        let mut same = 0;
        for (name, price) in &before {
            match now.get(name) {
                Some(other) if amount(price) == amount(other) => same += 1,
                other => changes.push(Change { name: *name, old: Some(price), new: other.copied() }),
            }
        }
        let added = now.iter().filter(|(name, _)| !before.contains_key(*name));
        changes.extend(added.map(|(name, price)| Change { name: *name, old: None, new: Some(price) }));
        changes.sort_by(|a, b| a.name.cmp(&b.name));
        Self { changes, before: before.len(), now: now.len(), same }
    }

    /// How many changes have this status.
    pub fn count(&self, status: &str) -> usize {
        self.changes.iter().filter(|change| change.status() == status).count()
    }

    /// Prices that are lost.
    pub fn lost(&self) -> usize {
        self.changes.iter().filter(|change| change.is_lost()).count()
    }

    /// Prices that are lost, in per cent of those before; 0 where there were none.
    pub fn lost_percent(&self) -> Decimal {
        let lost = Decimal::from(self.lost()) * Decimal::ONE_HUNDRED;
        lost.checked_div(Decimal::from(self.before)).unwrap_or_default()
    }

    /// The change of the price that is farthest from what it was, up or down.
    pub fn greatest_change(&self) -> Option<Greatest<'_, 'c>> {
        let all = self.changes.iter().filter_map(|change| {
            Some(Greatest { change, percent: change.percent()?, distance: change.distance()? })
        });
        all.max_by(|a, b| a.distance.cmp(&b.distance).then_with(|| b.change.name.cmp(&a.change.name)))
    }
}

/// The greatest change of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Greatest<'a, 'c> {
    /// Of which price.
    pub change: &'a Change<'c>,
    /// In per cent of the old price, with its sign.
    pub percent: Decimal,
    /// As limits hold it: see [`Change::distance`].
    pub distance: Decimal,
}

/// A change in per cent with one decimal, and with more where fewer would say that a price fell to nothing.
pub fn told(percent: Decimal) -> Decimal {
    let nothing = -Decimal::ONE_HUNDRED;
    let mut all = (1..=12).map(|decimals| percent.round_dp(decimals).normalize());
    all.find(|told| *told != nothing || percent == nothing).unwrap_or(percent)
}

fn comparable(old: &Price, new: &Price) -> bool {
    old.currency == new.currency && old.per_hour.is_some() && new.per_hour.is_some()
}

/// What a source says, whether it was converted or not.
fn amount(price: &Price) -> (Option<Decimal>, Currency) {
    match (price.seldom.listed, price.per_hour) {
        (Some((currency, amount)), _) => (Some(amount.decimal()), currency),
        (None, Some(amount)) => (Some(amount.decimal()), price.currency),
        (None, None) => (None, price.currency),
    }
}

/// Of a change to another currency: the first, and how many there are.
pub fn redenominated<'a, 'c>(compared: &'a Comparison<'c>) -> Option<(&'a Change<'c>, usize)> {
    let mut all = compared.changes.iter().filter(|change| change.is_redenominated());
    let first = all.next()?;
    Some((first, all.count() + 1))
}

fn named(catalog: &Catalog) -> BTreeMap<Name<'_>, &Price> {
    catalog.prices.iter().map(|price| (name_of(catalog, price), price)).collect()
}

/// What makes a price of this catalog.
pub fn name_of<'c>(catalog: &'c Catalog, price: &Price) -> Name<'c> {
    let instance = catalog.instance(price.instance);
    let provider = catalog.provider(instance.provider).name.as_str();
    let region = catalog.region(price.region).name.as_str();
    (provider, instance.name.as_str(), region, price.billing, price.upfront)
}
