//! Tokens bought from an API: input, cached input and output apart.

use crate::catalog::ownership::TokenPrice;
use crate::money::Usd;

/// Tokens in one million.
const MILLION: f64 = 1e6;

/// Tokens of a month. Cached input is a part of the input, never beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tokens {
    /// Input, cached or not.
    pub input: f64,
    /// The part of the input that the API finds in its cache.
    pub cached: f64,
    /// Output.
    pub output: f64,
}

/// What tokens cost at one API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBill {
    /// Input that is not cached.
    pub input: Usd,
    /// Cached input.
    pub cached: Usd,
    /// Output.
    pub output: Usd,
    /// The price of cached input is not known: it stands at the price of plain input, an upper bound.
    pub cached_at_input_price: bool,
}

impl TokenBill {
    /// The sum of the parts.
    pub fn total(&self) -> Usd {
        self.input + self.cached + self.output
    }
}

/// The bill of `tokens`; `cached` is a price of cached input per million that the user knows. `None` beyond what money
/// can be counted in.
pub fn bill(price: &TokenPrice, tokens: &Tokens, cached: Option<f64>) -> Option<TokenBill> {
    let per_million = |usd: f64, count: f64| Usd::from_f64(usd * count / MILLION);
    let cached_price = cached.or(price.cached_usd_per_mtok);
    Some(TokenBill {
        input: per_million(price.input_usd_per_mtok, (tokens.input - tokens.cached).max(0.0))?,
        cached: per_million(cached_price.unwrap_or(price.input_usd_per_mtok), tokens.cached)?,
        output: per_million(price.output_usd_per_mtok, tokens.output)?,
        cached_at_input_price: cached_price.is_none() && tokens.cached > 0.0,
    })
}

#[cfg(test)]
mod tests;
