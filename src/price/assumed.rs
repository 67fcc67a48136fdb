//! Commitments that nobody offers: a flat discount on the price on demand, only where somebody asks for it. Each is
//! marked, in its source as well; the catalog's own prices always win.

use crate::catalog::Catalog;
use crate::catalog::price::{Billing, More, Price, Upfront};
use crate::catalog::provenance::{ASSUMED, Source, SourceId};
use crate::money::UsdPerHour;
use rust_decimal::{Decimal, RoundingStrategy};
use std::collections::{BTreeMap, BTreeSet};

/// A discount on a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assumed {
    /// The contract that is assumed: `reserved-1y` or `reserved-3y`.
    pub billing: Billing,
    /// Per cent off the price on demand, above 0 and below 100.
    pub percent: Decimal,
}

/// Decimals of an assumed price.
const PLACES: u32 = 12;

/// Adds an assumed commitment, without upfront, to every machine and region that has a price on demand and none known of
/// a term as long; returns how many, and which source of an assumed price stands for which one of the catalog.
pub fn add(catalog: &mut Catalog, assumed: &[Assumed]) -> (usize, BTreeMap<SourceId, SourceId>) {
    let mut added: Vec<Price> = Vec::new();
    let mut made = BTreeMap::new();
    for offers in catalog.prices.chunk_by(|a, b| (a.instance, a.region) == (b.instance, b.region)) {
        let on_demand = offers.iter().find(|price| price.billing == Billing::OnDemand);
        let Some((on_demand, rate)) = on_demand.and_then(|price| Some((price, price.per_hour?))) else {
            continue;
        };
        for &Assumed { billing, percent } in assumed {
            let same_term = |price: &&Price| price.billing.term_hours() == billing.term_hours();
            if offers.iter().filter(same_term).any(|price| price.per_hour.is_some()) {
                continue;
            }
            let left = (Decimal::ONE_HUNDRED - percent) / Decimal::ONE_HUNDRED;
            let Some(reduced) = rate.decimal().checked_mul(left) else { continue };
            let reduced = reduced.round_dp_with_strategy(PLACES, RoundingStrategy::MidpointAwayFromZero);
            let what = format!(
                "price on demand less an assumed {} %, which nobody offers (--assume-commitment-discount)",
                percent.normalize()
            );
            let Source { text, as_of } = catalog.sources[usize::from(on_demand.source.0)].clone();
            let percent = percent.normalize();
            let text =
                format!("{ASSUMED}{percent} % below on-demand (--assume-commitment-discount), of {text}");
            let Some(source) = intern(&mut catalog.sources, Source { text, as_of }) else { continue };
            made.insert(source, on_demand.source);
            added.push(Price {
                source,
                overridden: true,
                billing,
                upfront: Some(Upfront::No),
                per_hour: Some(UsdPerHour::new(reduced)),
                stat: Some(what.into()),
                fee: None,
                seldom: More {
                    listed: None,
                    listed_fee: None,
                    allow: Vec::new(),
                    ..(*on_demand.seldom).clone()
                }
                .into(),
                ..on_demand.clone()
            });
        }
    }
    let count = added.len();
    let key = |price: &Price| (price.instance, price.region, price.billing, price.upfront);
    // A row that says "unknown" for the same offer gives way.
    let taken: BTreeSet<_> = added.iter().map(key).collect();
    catalog.prices.retain(|price| !taken.contains(&key(price)));
    catalog.prices.extend(added);
    catalog.prices.sort_by_key(key);
    (count, made)
}

fn intern(all: &mut Vec<Source>, source: Source) -> Option<SourceId> {
    let at = all.iter().position(|known| *known == source).unwrap_or(all.len());
    let id = u16::try_from(at).ok().map(SourceId)?;
    if at == all.len() {
        all.push(source);
    }
    Some(id)
}

#[cfg(test)]
mod tests;
