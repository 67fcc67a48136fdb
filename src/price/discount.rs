//! Private discounts: per cent off the list price, by provider and billing kind. Only what somebody states; none is
//! ever assumed, and the price keeps its date and source and says what was taken off.

use crate::catalog::Catalog;
use crate::catalog::instance::ProviderId;
use crate::catalog::price::Billing;
use crate::money::{Usd, UsdPerHour};
use rust_decimal::Decimal;

/// One discount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discount {
    /// Whose prices.
    pub provider: ProviderId,
    /// Under which contract.
    pub billing: Billing,
    /// Per cent off, from 0 to below 100.
    pub percent: Decimal,
}

/// Takes the discounts off the prices of a catalog, fees at the start and those of overlays included; the number of prices it changed.
///
/// What is unknown stays unknown. Of two discounts for the same provider and kind the first counts.
pub fn apply(catalog: &mut Catalog, discounts: &[Discount]) -> usize {
    let mut changed = 0;
    for price in &mut catalog.prices {
        let Some(instance) = catalog.instances.get(usize::from(price.instance.0)) else { continue };
        let is = |d: &&Discount| d.provider == instance.provider && d.billing == price.billing;
        let Some(discount) = discounts.iter().find(is).filter(|d| !d.percent.is_zero()) else { continue };
        let left = (Decimal::ONE_HUNDRED - discount.percent) / Decimal::ONE_HUNDRED;
        let reduced = price.per_hour.and_then(|list| list.decimal().checked_mul(left));
        if let Some(reduced) = reduced.filter(|reduced| !reduced.is_zero()) {
            price.per_hour = Some(UsdPerHour::new(reduced));
            price.fee = price.fee.and_then(|fee| fee.decimal().checked_mul(left)).map(Usd::from_decimal);
            price.seldom.listed_fee = price
                .seldom
                .listed_fee
                .and_then(|fee| fee.decimal().checked_mul(left))
                .map(Usd::from_decimal);
            price.seldom.listed = price.seldom.listed.and_then(|(currency, listed)| {
                Some((currency, UsdPerHour::new(listed.decimal().checked_mul(left)?)))
            });
            price.seldom.off_list_pct = Some(discount.percent.normalize());
            changed += 1;
        }
    }
    changed
}

#[cfg(test)]
mod tests;
