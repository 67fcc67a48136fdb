//! Prices in other currencies as prices in one. Only at a rate that somebody states; without one a price stays what it
//! is and counts as unknown.

use crate::catalog::Catalog;
use crate::catalog::price::{Billing, Currency, Price};
use crate::catalog::provenance::SourceId;
use crate::catalog::select::Filter;
use crate::diag::Warning;
use crate::money::{Usd, UsdPerHour};
use rust_decimal::{Decimal, RoundingStrategy};
use std::collections::{BTreeMap, BTreeSet};

/// Decimals that a converted price keeps: those in which optima are counted (10^-12 dollars).
const PLACES: u32 = 12;

/// Rates by currency: units for one US dollar, all above 0.
pub type Rates = BTreeMap<Currency, Decimal>;

/// Where prices of which currency stood that were converted.
pub type Converted = BTreeMap<Currency, BTreeSet<SourceId>>;

/// Converts every price whose currency has a rate into US dollars, and keeps what the source says beside it.
pub fn into_usd(catalog: &mut Catalog, rates: &Rates) -> Converted {
    let mut converted = Converted::new();
    for price in catalog.prices.iter_mut().filter(|price| price.currency != Currency::USD) {
        let Some(&rate) = rates.get(&price.currency) else { continue };
        let Some(listed) = price.per_hour else { continue };
        let into = |amount: Decimal| amount.checked_div(rate);
        let Some(usd) = into(listed.decimal()).map(rounded).filter(|usd| !usd.is_zero()) else { continue };
        price.seldom.listed = Some((price.currency, listed));
        price.seldom.listed_fee = price.fee;
        price.fee = price.fee.and_then(|fee| into(fee.decimal())).map(Usd::from_decimal);
        price.per_hour = Some(UsdPerHour::new(usd));
        converted.entry(price.currency).or_default().insert(price.source);
        price.currency = Currency::USD;
    }
    converted
}

fn rounded(amount: Decimal) -> Decimal {
    amount.round_dp_with_strategy(PLACES, RoundingStrategy::MidpointAwayFromZero)
}

/// How many prices of each currency pass a filter and have no rate, so that they count as unknown.
pub fn without_rate(catalog: &Catalog, filter: &Filter, billing: &[Billing]) -> BTreeMap<Currency, usize> {
    let mut counts = BTreeMap::new();
    for price in catalog.prices.iter().filter(|price| has_no_rate(price)) {
        let passes = billing.contains(&price.billing)
            && filter.miss(catalog, price.instance).is_none()
            && filter.price_miss(catalog, price).is_none();
        if passes {
            *counts.entry(price.currency).or_default() += 1;
        }
    }
    counts
}

/// Whether a price is known, but in a currency of which no rate is.
pub fn has_no_rate(price: &Price) -> bool {
    price.per_hour.is_some() && is_foreign(price) && price.currency != FOREIGN_USD
}

/// Says how many prices of each currency have no rate, with the remedy.
pub fn no_rate_warning(counts: &BTreeMap<Currency, usize>) -> Option<Warning> {
    let total: usize = counts.values().sum();
    let list = |one: &dyn Fn(&str, usize) -> String, between: &str| {
        counts.iter().map(|(code, &count)| one(code.code(), count)).collect::<Vec<_>>().join(between)
    };
    let message = format!(
        "{total} price{} in a currency without an exchange rate cannot compete ({}): say `{}`, units for one US dollar",
        if total == 1 { "" } else { "s" },
        list(&|code, count| format!("{count} in {code}"), ", "),
        list(&|code, _| format!("--fx {code}=RATE"), " ")
    );
    (total > 0).then_some(Warning { id: "no-exchange-rate", message })
}

/// US dollars where everything else is counted in another currency: no code, so that nothing takes them for it.
const FOREIGN_USD: Currency = Currency([b'u', b's', b'd']);

/// Counts in `currency` instead of US dollars, without any rate: prices in it are taken as they are, all others stay
/// unknown. What is called dollars inside is this currency from here on.
pub fn count_in(catalog: &mut Catalog, currency: Currency) {
    // Disks and data are priced in dollars.
    catalog.charges.retain(|charge| charge.steps.is_empty());
    for price in &mut catalog.prices {
        if price.currency == Currency::USD {
            price.currency = FOREIGN_USD;
        } else if price.currency == currency {
            price.currency = Currency::USD;
        }
    }
}

/// Whether [`count_in`] left this price unknown.
pub fn is_foreign(price: &Price) -> bool {
    price.currency != Currency::USD
}

#[cfg(test)]
mod tests;
