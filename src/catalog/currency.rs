//! Currencies: the decimals of an amount, and what a US dollar is worth where a source says so.

use super::price::Currency;
use super::provenance::SourceId;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// What is known of one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Money {
    /// ISO 4217 code.
    pub code: Currency,
    /// Name for people.
    pub name: String,
    /// Decimals of an amount, by ISO 4217.
    pub decimals: u32,
    /// Units for one US dollar, in the digits of the source; `None` where no source says so.
    pub per_usd: Option<String>,
    /// Where the row comes from, with its date.
    pub source: SourceId,
}

impl Money {
    /// Units for one US dollar; `None` is unknown.
    pub fn rate(&self) -> Option<Decimal> {
        self.per_usd.as_ref()?.parse().ok()
    }
}
