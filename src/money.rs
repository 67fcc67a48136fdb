//! Money as exact decimals. Physics is `f64`; what is owed is not.

use rust_decimal::prelude::{FromPrimitive, ToPrimitive};
use rust_decimal::{Decimal, RoundingStrategy};
use std::fmt;
use std::iter::Sum;
use std::ops::Add;
use std::str::FromStr;

/// An amount of US dollars, kept to the cent wherever it is a total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd(Decimal);

/// A price in US dollars for one hour, exactly as the source prints it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsdPerHour(Decimal);

/// Hours that are billed, as an exact decimal with at most six places (3.6 ms).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BilledHours(Decimal);

fn round(value: Decimal, places: u32) -> Decimal {
    value.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero).normalize()
}

impl Usd {
    /// Zero dollars.
    pub const ZERO: Self = Self(Decimal::ZERO);
    /// One cent: the least that a bill shows.
    pub const CENT: Self = Self(Decimal::from_parts(1, 0, 0, false, 2));

    /// The amount rounded to the cent, half away from zero.
    pub fn from_decimal(value: Decimal) -> Self {
        Self(round(value, 2))
    }

    /// The amount rounded to the cent; `None` for what is not a finite amount below 10^15.
    pub fn from_f64(value: f64) -> Option<Self> {
        (value.abs() < 1e15).then(|| Decimal::from_f64(value).map(Self::from_decimal)).flatten()
    }

    /// So many whole cents; beyond 10^24 the largest amount there is.
    pub fn from_cents(cents: i128) -> Self {
        Self(Decimal::try_from_i128_with_scale(cents, 2).unwrap_or(Decimal::MAX).normalize())
    }

    /// The amount times `factor`, rounded to the cent; `None` beyond what a decimal holds.
    pub fn scaled(self, factor: f64) -> Option<Self> {
        self.0.checked_mul(Decimal::from_f64(factor)?).map(Self::from_decimal)
    }

    /// In whole cents; `None` where they do not fit.
    pub fn cents(self) -> Option<i64> {
        self.0.checked_mul(Decimal::ONE_HUNDRED)?.round().to_i64()
    }

    /// So many of them.
    #[must_use]
    pub fn times(self, n: u32) -> Self {
        Self(self.0.checked_mul(Decimal::from(n)).unwrap_or(Decimal::MAX))
    }

    /// What amounts cost at their prices, added up exactly and rounded to the cent; a cent where it is less than half of
    /// one, so that nothing reads as free that is not. `None` for what is no finite amount below 10^15.
    pub fn charged(lines: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let exact = lines.into_iter().try_fold(Decimal::ZERO, |sum, (amount, price)| {
            let line = Decimal::from_f64(amount)?.checked_mul(Decimal::from_f64(price)?)?;
            sum.checked_add(line)
        })?;
        let sound = exact < Decimal::from(1_000_000_000_000_000_i64);
        sound.then(|| Self::rounded_up_from_nothing(exact))
    }

    fn rounded_up_from_nothing(exact: Decimal) -> Self {
        let rounded = Self::from_decimal(exact);
        if rounded == Self::ZERO && exact > Decimal::ZERO { Self::CENT } else { rounded }
    }

    /// As a number for JSON and for physics; exact for up to 15 digits.
    pub fn to_f64(self) -> f64 {
        self.0.to_f64().unwrap_or(f64::INFINITY)
    }

    /// The exact decimal.
    pub fn decimal(self) -> Decimal {
        self.0
    }

    /// What is left after `other`; negative when `other` is larger.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Add for Usd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl UsdPerHour {
    /// A price from an exact decimal.
    pub fn new(value: Decimal) -> Self {
        Self(value.normalize())
    }

    /// A price from a number as written in a file: 2.99 stays 2.99. `None` for NaN, infinities and absurd sizes.
    pub fn from_f64(value: f64) -> Option<Self> {
        (value.abs() < 1e9).then(|| Decimal::from_f64(value).map(Self::new)).flatten()
    }

    /// A price from the digits and decimals of a normalised one, as an image keeps it: `(299, 2)` is 2.99.
    pub fn from_digits(digits: i128, decimals: u32) -> Option<Self> {
        Decimal::try_from_i128_with_scale(digits, decimals).ok().map(Self)
    }

    /// As a number for JSON and for physics.
    pub fn to_f64(self) -> f64 {
        self.0.to_f64().unwrap_or(f64::INFINITY)
    }

    /// The exact decimal.
    pub fn decimal(self) -> Decimal {
        self.0
    }

    /// In whole billionths of a thousandth of a dollar (10^-12), where optima are counted; finer digits are rounded.
    pub fn picodollars(self) -> i128 {
        let places = round(self.0, 12);
        places.mantissa() * 10_i128.pow(12 - places.scale().min(12))
    }

    /// The price of `n` of these.
    #[must_use]
    pub fn times(self, n: u32) -> Self {
        Self((self.0 * Decimal::from(n)).normalize())
    }

    /// This price spread over `share` GPUs (which may be a fraction), rounded to 1/10,000 of a cent.
    #[must_use]
    pub fn per(self, share: f64) -> Option<Self> {
        let share = Decimal::from_f64(share).filter(|s| !s.is_zero())?;
        self.0.checked_div(share).map(|price| Self(round(price, 6)))
    }

    /// What `hours` cost, rounded to the cent; a cent where the hours cost less than half of one.
    pub fn cost(self, hours: BilledHours) -> Usd {
        let exact = self.0.checked_mul(hours.0).unwrap_or(Decimal::MAX);
        Usd::rounded_up_from_nothing(exact)
    }
}

impl BilledHours {
    /// Hours rounded to six places; `None` for what is negative, not finite or above 10^9.
    pub fn from_f64(hours: f64) -> Option<Self> {
        (0.0..=1e9).contains(&hours).then(|| Decimal::from_f64(hours).map(|h| Self(round(h, 6)))).flatten()
    }

    /// As a number.
    pub fn to_f64(self) -> f64 {
        self.0.to_f64().unwrap_or(f64::INFINITY)
    }

    /// The exact decimal.
    pub fn decimal(self) -> Decimal {
        self.0
    }
}

impl FromStr for UsdPerHour {
    type Err = rust_decimal::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Decimal::from_str(text).map(Self::new)
    }
}

impl fmt::Display for UsdPerHour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for Usd {
    /// Two decimals, thousands apart: `12,345.60`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.2}", self.0.abs());
        let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
        let mut grouped = String::new();
        for (i, digit) in whole.chars().enumerate() {
            if i > 0 && (whole.len() - i).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        let sign = if self.0.is_sign_negative() && !self.0.is_zero() { "-" } else { "" };
        f.pad(&format!("{sign}{grouped}.{cents}"))
    }
}
