//! What the quotes of one price come to, and the result of an import.
//!
//! Rules, in this order: prices of a marketplace are the median of its offers; on-demand and committed prices of one region
//! must agree, else none is taken; spot is the median of the zones below on-demand, or of all where none is (as everywhere
//! in the catalog). What the checks of a catalog refuse is left out here with its reason.

use super::ledger::{Key, Ledger, Origin, Quote, newer};
use super::overlay::Overlay;
use super::{Reason, shown};
use crate::catalog::instance::Tier;
use crate::catalog::price::{Billing, Currency, Upfront};
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// A price that all its quotes come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stated {
    /// For one hour of the machine.
    pub amount: Decimal,
    /// Paid at the start of the term and for each of its hours, where the source says both.
    pub parts: Option<(Decimal, Decimal)>,
    /// In this currency.
    pub currency: Currency,
    /// What it is where there were several: `median-of-zones`, `median-of-offers`.
    pub stat: Option<&'static str>,
    /// Position of its origin.
    pub(super) source: u16,
}

/// Quotes that were left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Why.
    pub reason: Reason,
    /// How many.
    pub count: u64,
    /// The first of them, with its place.
    pub example: String,
}

/// A region that the catalog does not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewRegion {
    /// Whose.
    pub provider: String,
    /// Its name as the source has it.
    pub name: String,
}

/// What an import comes to.
#[derive(Clone, Debug)]
pub struct Import {
    /// Quotes that were read: rows, or prices in a row.
    pub quotes: u64,
    /// Quotes that stand behind a price of the overlay.
    pub used: u64,
    /// What was left out, by reason.
    pub skipped: Vec<Skipped>,
    /// Regions that the overlay adds.
    pub regions: Vec<NewRegion>,
    /// The overlay.
    pub overlay: Overlay,
}

impl Ledger<'_> {
    /// Settles all prices.
    pub fn finish(mut self) -> Import {
        let quotes = std::mem::take(&mut self.quotes);
        let mut stated: BTreeMap<Key, (Stated, u64)> = BTreeMap::new();
        for (key, quotes) in &quotes {
            // Spot comes behind on-demand in the order of keys.
            let on_demand = stated.get(&(key.0, key.1, Billing::OnDemand, None)).map(|(stated, _)| *stated);
            let (quotes, older) = apart(&self.origins, key.2, quotes, self.rules.spot_days_apart);
            if !older.is_empty() {
                self.leave_out(Reason::OlderQuote, key, self::rows(&older), &listed(&older));
            }
            let rows = self::rows(&quotes);
            match settle(&self.origins, key.2, &quotes, on_demand) {
                Ok(price) => {
                    stated.insert(*key, (price, rows));
                }
                Err(reason) => self.leave_out(reason, key, rows, &listed(&quotes)),
            }
        }
        drop(quotes);
        let refused: Vec<(Key, Reason)> = stated
            .iter()
            .filter_map(|(key, (price, _))| Some((*key, self.refusal(key, price, &stated)?)))
            .collect();
        for (key, reason) in refused {
            if let Some((price, rows)) = stated.remove(&key) {
                self.leave_out(reason, &key, rows, &price.amount.to_string());
            }
        }
        let used = stated.values().map(|(_, rows)| rows).sum();
        let stated: BTreeMap<Key, Stated> =
            stated.into_iter().map(|(key, (price, _))| (key, price)).collect();
        let skipped = std::mem::take(&mut self.skipped);
        let skipped = skipped
            .into_iter()
            .map(|(reason, (count, example))| Skipped { reason, count, example })
            .collect();
        let overlay = Overlay::new(&self, stated);
        Import { quotes: self.read, used, skipped, regions: overlay.new_regions(), overlay }
    }

    fn leave_out(&mut self, reason: Reason, key: &Key, rows: u64, what: &str) {
        let (machine, place) = (&self.machines[key.0 as usize], &self.places[key.1 as usize]);
        let provider = &self.catalog.provider(machine.provider).name;
        let example = format!("{provider}/{} {} {}: {what}", machine.name, place.name, key.2.name());
        let entry = self.skipped.entry(reason).or_insert_with(|| (0, shown(&example)));
        entry.0 += rows;
    }

    /// Why the checks of a catalog would refuse a price.
    fn refusal(&self, key: &Key, price: &Stated, all: &BTreeMap<Key, (Stated, u64)>) -> Option<Reason> {
        let (machine, place, billing, upfront) = *key;
        let other = |billing: Billing, upfront: Option<Upfront>| {
            let own = all
                .get(&(machine, place, billing, upfront))
                .map(|(stated, _)| (stated.amount, stated.currency));
            own.or_else(|| self.held(key, billing, upfront))
        };
        let compared = |other: Option<(Decimal, Currency)>| {
            other
                .filter(|(_, currency)| *currency == price.currency)
                .map(|(amount, _)| price.amount.cmp(&amount))
        };
        let on_demand = || compared(other(Billing::OnDemand, None));
        if billing.is_committed() && on_demand().is_some_and(std::cmp::Ordering::is_gt) {
            return Some(Reason::CommitmentNotBelow);
        }
        let shorter = billing.one_year_sibling();
        if shorter.is_some_and(|kind| compared(other(kind, upfront)).is_some_and(std::cmp::Ordering::is_gt)) {
            return Some(Reason::ThreeYearAbove);
        }
        let provider = self.catalog.provider(self.machines[machine as usize].provider);
        let equal = billing == Billing::Spot && on_demand().is_some_and(std::cmp::Ordering::is_eq);
        (equal && provider.tier != Tier::Hyperscaler).then_some(Reason::SpotEqualsOnDemand)
    }

    /// A price that the catalog has already.
    fn held(&self, key: &Key, billing: Billing, upfront: Option<Upfront>) -> Option<(Decimal, Currency)> {
        let (machine, place) = (&self.machines[key.0 as usize], &self.places[key.1 as usize]);
        let id = *machine.known.as_ref().ok()?;
        let region = place.known?;
        let found =
            self.catalog.prices_of(id).iter().find(|price| {
                price.region == region && price.billing == billing && price.upfront == upfront
            })?;
        Some((found.per_hour?.decimal(), found.currency))
    }
}

fn rows(quotes: &[Quote]) -> u64 {
    quotes.iter().map(|quote| u64::from(quote.rows)).sum()
}

fn listed(quotes: &[Quote]) -> String {
    let amounts: Vec<String> = quotes.iter().take(3).map(|quote| quote.amount.to_string()).collect();
    amounts.join(" and ")
}

/// Spot prices of one region, and those of them that are older than the newest by more than so many days: a median of
/// both would be of no day.
fn apart(origins: &[Origin], billing: Billing, quotes: &[Quote], days: i32) -> (Vec<Quote>, Vec<Quote>) {
    let day = |quote: &Quote| origins.get(usize::from(quote.source)).and_then(|origin| origin.day);
    let newest = quotes.iter().filter_map(day).max().filter(|_| billing == Billing::Spot);
    let first = newest.and_then(|day| day.checked_sub(jiff::Span::new().try_days(days).ok()?).ok());
    quotes
        .iter()
        .cloned()
        .partition(|quote| first.is_none_or(|first| day(quote).is_none_or(|day| day >= first)))
}

fn settle(
    origins: &[Origin],
    billing: Billing,
    quotes: &[Quote],
    on_demand: Option<Stated>,
) -> Result<Stated, Reason> {
    let Some(first) = quotes.first() else { return Err(Reason::NoPrice) };
    if quotes.iter().any(|quote| quote.currency != first.currency) {
        return Err(Reason::ConflictingPrices);
    }
    // What is made of several days is as old as the oldest; elsewhere rows repeat what the newest says.
    let spot = billing == Billing::Spot;
    let source = quotes.iter().fold(first.source, |one, quote| {
        let newest = newer(origins, one, quote.source);
        let other = if newest == one { quote.source } else { one };
        if spot { other } else { newest }
    });
    let price = |amount, stat| Stated { amount, parts: None, currency: first.currency, stat, source };
    let same = quotes.iter().all(|quote| (quote.amount, quote.parts) == (first.amount, first.parts));
    let mut slots: Vec<u32> = quotes.iter().map(|quote| quote.slot).collect();
    slots.sort_unstable();
    let twice = slots.windows(2).any(|pair| pair[0] == pair[1]);
    if quotes.iter().all(|quote| quote.pooled) && quotes.len() > 1 {
        return Ok(price(
            median(quotes.iter().map(|quote| quote.amount).collect()),
            Some("median-of-offers"),
        ));
    }
    if same {
        return Ok(Stated { parts: first.parts, ..price(first.amount, None) });
    }
    if billing != Billing::Spot || twice {
        return Err(Reason::ConflictingPrices);
    }
    let limit = on_demand.filter(|stated| stated.currency == first.currency).map(|stated| stated.amount);
    let all = || quotes.iter().map(|quote| quote.amount);
    let mut below: Vec<Decimal> = all().filter(|amount| limit.is_none_or(|limit| *amount < limit)).collect();
    if below.is_empty() {
        below = all().collect();
    }
    Ok(price(median(below), Some("median-of-zones")))
}

/// The middle of a list that is not empty, or the mean of the two in the middle.
fn median(mut amounts: Vec<Decimal>) -> Decimal {
    amounts.sort_unstable();
    let half = amounts.len() / 2;
    let at = |at: usize| amounts.get(at).copied().unwrap_or_default();
    if amounts.len() % 2 == 1 { at(half) } else { ((at(half - 1) + at(half)) / Decimal::TWO).normalize() }
}
