//! What an offer costs: exact decimals of an hour, and what is paid at the start where the source says it.

use crate::catalog::price::Billing;
use crate::refresh::{Amount, Offer, Reason};
use rust_decimal::Decimal;

/// Nothing costs more than this an hour, as in the checks of the catalog.
const MOST_PER_HOUR: i64 = 1_000_000;

/// No fee at the start is as much, as in the checks of the catalog.
const MOST_FEE: i64 = 1_000_000_000;

/// Decimals of a price that are kept; the term of three years keeps its cents.
const DECIMALS: u32 = 8;

/// The exact amount, with at most [`DECIMALS`] decimals; and its parts, whose sum over the term is not rounded.
pub(super) fn amount(offer: &Offer<'_>) -> Result<(Decimal, Option<(Decimal, Decimal)>), Reason> {
    let exact = match offer.amount {
        Amount::Exact(exact) => exact,
        Amount::Text(text) if text.trim().is_empty() => return Err(Reason::NoPrice),
        Amount::Text(text) => decimal(text).ok_or(Reason::PriceNotUsable)?,
        Amount::Parts(fee, rest) => {
            let whole = spread(fee, rest, offer.billing).filter(|_| fee < Decimal::from(MOST_FEE));
            return Ok((usable(whole.ok_or(Reason::PriceNotUsable)?)?, Some((fee, rest))));
        }
    };
    Ok((usable(exact.round_dp(DECIMALS).normalize())?, None))
}

/// What an hour costs of a fee at the start and a rate for each hour, as the catalog adds them up.
fn spread(fee: Decimal, rest: Decimal, billing: Billing) -> Option<Decimal> {
    let term = Decimal::from(billing.term_hours()?);
    rest.checked_mul(term)?.checked_add(fee)?.checked_div(term)
}

fn usable(amount: Decimal) -> Result<Decimal, Reason> {
    let fits = amount > Decimal::ZERO && amount <= Decimal::from(MOST_PER_HOUR);
    fits.then_some(amount).ok_or(Reason::PriceNotUsable)
}

/// A decimal number as people and programs write it: `3.06`, `1e-3`; nothing else.
pub(in crate::refresh) fn decimal(text: &str) -> Option<Decimal> {
    let text = text.trim();
    // Of more digits than an exact decimal holds only the first count.
    let exact = text.parse().ok().or_else(|| Decimal::from_scientific(text).ok());
    exact.or_else(|| {
        let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
        Decimal::try_from(number).ok()
    })
}
