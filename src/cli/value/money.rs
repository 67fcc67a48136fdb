//! Values of the flags about currencies: codes, rates, assumed discounts.

use crate::catalog::price::{Billing, Currency, percent_paid};
use crate::price::assumed::Assumed;
use jiff::civil::Date;
use rust_decimal::Decimal;
use std::str::FromStr;

/// `--currency`: an ISO 4217 code, case-blind; `RMB` is CNY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrencyCode(pub Currency);

impl FromStr for CurrencyCode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let code = match text.trim().to_ascii_uppercase().as_str() {
            "RMB" => "CNY".to_owned(),
            code => code.to_owned(),
        };
        Currency::from_code(&code)
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not a currency code of three letters such as `CNY` or `EUR`"))
    }
}

/// `--fx CODE=RATE` or `CODE=RATE@DAY`: units of a currency for one US dollar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fx {
    /// The currency.
    pub currency: Currency,
    /// Units for one dollar, above 0.
    pub rate: Decimal,
    /// When it was true, where said.
    pub day: Option<Date>,
}

/// No currency has more units for a dollar, nor so many dollars for a unit.
const MOST: i64 = 1_000_000;

impl FromStr for Fx {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = |what: &str| {
            format!("`{text}`: {what}; write `CNY=7.2` (7.2 CNY for one US dollar) or `CNY=7.2@2026-11-30`")
        };
        let (code, rest) = text.split_once('=').ok_or_else(|| refused("not a code and a rate"))?;
        let CurrencyCode(currency) = code.parse()?;
        if currency == Currency::USD {
            return Err(refused("a dollar is one dollar"));
        }
        let (rate, day) = rest.split_once('@').map_or((rest, None), |(rate, day)| (rate, Some(day)));
        let day = day.map(|day| day.trim().parse().map_err(|_| refused("not a day"))).transpose()?;
        let least = Decimal::ONE / Decimal::from(MOST);
        let rate = Decimal::from_str(rate.trim())
            .ok()
            .filter(|rate| *rate >= least && *rate <= Decimal::from(MOST) && rate.scale() <= 12)
            .ok_or_else(|| refused("the rate must be a number above 0"))?;
        Ok(Self { currency, rate, day })
    }
}

/// `--assume-commitment-discount`: `40` for one year, `3y=55`, `6折` (60 % are paid).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term(pub Assumed);

impl FromStr for Term {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (term, percent) = text.split_once('=').unwrap_or(("1y", text));
        let billing = match term.trim() {
            "1y" => Some(Billing::Reserved1y),
            "3y" => Some(Billing::Reserved3y),
            _ => None,
        };
        let off = percent_off(percent).filter(|off| !off.is_zero());
        billing.zip(off).map(|(billing, percent)| Self(Assumed { billing, percent })).ok_or_else(|| {
            format!("`{text}` is not per cent off on-demand between 0 and 100, such as `40`, `1y=40`, `3y=55` or `6折` (60 % are paid)")
        })
    }
}

/// Per cent off a price, from 0 to below 100: a number, or `8折` (80 % are paid, 20 % are off).
pub fn percent_off(text: &str) -> Option<Decimal> {
    let percent = percent_paid(text)?;
    let off = if text.trim().ends_with('折') { Decimal::ONE_HUNDRED - percent } else { percent };
    (off < Decimal::ONE_HUNDRED).then_some(off)
}

#[cfg(test)]
mod tests;
