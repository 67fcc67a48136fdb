//! Numbers of the documents: rounded once, printed alike in every format.

use crate::money::{BilledHours, Usd, UsdPerHour};
use crate::units::GIB;
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};
use std::fmt;

/// A number of a document, already rounded. Whole numbers print without a point; what is not finite is `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Num(f64);

/// Above this a whole number may lose digits in `f64`, so it is no longer rounded or printed as an integer.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Num {
    /// A number as it is, without float noise beyond nine decimals.
    pub fn exact(value: f64) -> Self {
        Self::rounded(value, 9)
    }

    /// A number rounded to `places` decimals, half away from zero.
    pub fn rounded(value: f64, places: i32) -> Self {
        let scale = 10_f64.powi(places);
        let scaled = value * scale;
        if !scaled.is_finite() || scaled.abs() >= EXACT {
            return Self(value);
        }
        let rounded = scaled.round() / scale;
        Self(if rounded == 0.0 { 0.0 } else { rounded })
    }

    /// Bytes as GiB (2^30) with three decimals.
    pub fn gib(bytes: f64) -> Self {
        Self::rounded(bytes / GIB, 3)
    }

    /// A total in dollars, to the cent.
    pub fn usd(amount: Usd) -> Self {
        Self::decimal(amount.decimal())
    }

    /// A price for one hour, as the source prints it, to a billionth of a dollar.
    pub fn usd_per_hour(price: UsdPerHour) -> Self {
        Self::decimal(
            price.decimal().round_dp_with_strategy(9, rust_decimal::RoundingStrategy::MidpointAwayFromZero),
        )
    }

    /// A price spread over GPUs, to a hundredth of a cent.
    pub fn usd_per_gpu_hour(price: UsdPerHour) -> Self {
        Self::decimal(
            price.decimal().round_dp_with_strategy(4, rust_decimal::RoundingStrategy::MidpointAwayFromZero),
        )
    }

    /// Billed hours with their six decimals, so that hours times price is the total.
    pub fn billed_hours(hours: BilledHours) -> Self {
        Self::rounded(hours.to_f64(), 6)
    }

    /// Hours: three decimals, six below one hour.
    pub fn hours(hours: f64) -> Self {
        Self::rounded(hours, if hours.abs() < 1.0 { 6 } else { 3 })
    }

    /// A rate or a time: one decimal from 100 on, three below.
    pub fn rate(value: f64) -> Self {
        Self::rounded(value, if value.abs() < 100.0 { 3 } else { 1 })
    }

    /// A share between 0 and 1, four decimals.
    pub fn share(value: f64) -> Self {
        Self::rounded(value, 4)
    }

    /// A per cent value, one decimal.
    pub fn percent(value: f64) -> Self {
        Self::rounded(value, 1)
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Through text, so that 2.99 is the `f64` that prints as 2.99.
    fn decimal(value: Decimal) -> Self {
        Self(value.normalize().to_string().parse().unwrap_or(f64::NAN))
    }

    fn whole(self) -> Option<i64> {
        (self.0.fract() == 0.0 && self.0.abs() < EXACT).then_some(self.0 as i64)
    }
}

impl From<u32> for Num {
    fn from(value: u32) -> Self {
        Self(f64::from(value))
    }
}

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(whole) => serializer.serialize_i64(whole),
            None if self.0.is_finite() => serializer.serialize_f64(self.0),
            None => serializer.serialize_none(),
        }
    }
}

impl fmt::Display for Num {
    /// The digits of JSON; `n/a` for what is not finite.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole() {
            Some(whole) => f.pad(&whole.to_string()),
            None if self.0.is_finite() => f.pad(&self.0.to_string()),
            None => f.pad("n/a"),
        }
    }
}

#[cfg(test)]
mod tests;
