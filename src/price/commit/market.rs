//! What can be bought, as numbers: the price on demand, on spot, and the cheapest commitment of each length.

use crate::catalog::price::{Billing, Upfront};
use crate::money::{BilledHours, Usd, UsdPerHour};

/// Prices of one instance for one hour.
#[derive(Clone, Debug, PartialEq)]
pub struct Market {
    /// Burst.
    pub on_demand: UsdPerHour,
    /// Burst that may be taken away; `None` is not used.
    pub spot: Option<UsdPerHour>,
    /// What can be committed to.
    pub commitments: Vec<Commitment>,
}

/// One contract with a term that is owed in full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Commitment {
    /// The contract.
    pub billing: Billing,
    /// How much is paid at its start; already spread over the price.
    pub upfront: Option<Upfront>,
    /// Price of one instance for one hour of the term.
    pub per_hour: UsdPerHour,
    /// Hours that are owed.
    pub term_hours: u32,
    /// What one instance pays at the start of a term, where `upfront` is a part that the source tells.
    pub fee: Option<Usd>,
}

impl Commitment {
    /// What one instance owes, in units of 10^-12 dollars.
    pub(super) fn owed(&self) -> i128 {
        self.per_hour.picodollars() * i128::from(self.term_hours)
    }

    /// What one instance owes for one term.
    pub fn owed_by_one(&self) -> Usd {
        BilledHours::from_f64(f64::from(self.term_hours)).map_or(Usd::ZERO, |hours| self.per_hour.cost(hours))
    }

    /// Share of its hours from which it is cheaper than on-demand; above 1 it never is. `None` when on-demand is free.
    pub fn break_even(&self, on_demand: UsdPerHour) -> Option<f64> {
        let rate = on_demand.to_f64();
        (rate > 0.0).then(|| self.per_hour.to_f64() / rate)
    }
}

/// The cheapest commitment among those that cover stretches of the same length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layer {
    /// Its place in [`Market::commitments`].
    pub(super) commitment: usize,
    /// Hours of one stretch: the term, at most the horizon.
    pub(super) hours: usize,
    /// What one instance for one stretch owes, in units of 10^-12 dollars.
    pub(super) owed: i128,
}

/// The stretches that commitments can cover, longest first; each divides the one before it.
///
/// A commitment is good for nothing but hours, so of two that cover the same stretch the cheaper one is enough; of
/// equal ones that with less upfront, then the first.
pub(super) fn layers(market: &Market, horizon: usize, allowed: fn(&Commitment) -> bool) -> Vec<Layer> {
    let mut all: Vec<Layer> = market
        .commitments
        .iter()
        .enumerate()
        .filter(|(_, it)| allowed(it))
        .map(|(commitment, it)| Layer {
            commitment,
            hours: (it.term_hours as usize).min(horizon),
            owed: it.owed(),
        })
        .collect();
    let upfront = |layer: &Layer| market.commitments[layer.commitment].upfront;
    all.sort_by(|a, b| b.hours.cmp(&a.hours).then(a.owed.cmp(&b.owed)).then(upfront(a).cmp(&upfront(b))));
    let mut layers: Vec<Layer> = Vec::new();
    for layer in all {
        let outer = layers.last().map_or(horizon, |outer| outer.hours);
        // Terms of the catalog nest (a test holds that); one that does not would break the proof of the optimum.
        let nests = layer.hours > 0 && outer.is_multiple_of(layer.hours);
        let is_new = layers.last().is_none_or(|outer| outer.hours != layer.hours);
        if nests && is_new {
            layers.push(layer);
        }
    }
    layers
}
