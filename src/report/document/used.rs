//! What an answer drew on: sources of prices and of other figures, amounts in other currencies.

use crate::catalog::provenance::SourceId;
use crate::price::Cost;
use crate::report::exchange::ListedAmounts;
use std::collections::BTreeSet;

/// Sources that an answer drew on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used {
    pub(super) prices: BTreeSet<SourceId>,
    pub(super) figures: BTreeSet<SourceId>,
    listed: ListedAmounts,
}

impl Used {
    /// A price of this source is in the answer.
    pub fn price(&mut self, source: SourceId) {
        self.prices.insert(source);
    }

    /// Whether a price of one of these sources is in the answer.
    pub fn draws_on(&self, sources: &BTreeSet<SourceId>) -> bool {
        !self.prices.is_disjoint(sources)
    }

    /// A contract that is in the answer: its price, and what it costs in the currency that it is sold in.
    pub fn cost(&mut self, cost: &Cost) {
        self.price(cost.source);
        cost.more_sources.iter().for_each(|&source| self.price(source));
        self.listed.add(cost);
    }

    /// The price for an hour of a contract that is in the answer for other hours than those of its bill.
    pub fn cost_per_hour(&mut self, cost: &Cost) {
        self.price(cost.source);
        let listed = cost.listed.as_ref().map(|it| (it.currency, it.per_hour));
        cost.usd_per_hour.into_iter().for_each(|rate| self.listed.add_rate(rate, listed));
    }

    /// Amounts that are known without a rate, and what totals are made of.
    pub fn listed_mut(&mut self) -> &mut ListedAmounts {
        &mut self.listed
    }

    /// The same to read.
    pub fn listed(&self) -> &ListedAmounts {
        &self.listed
    }

    /// What another part of the answer drew on.
    pub(in crate::report) fn also(&mut self, other: &Self) {
        self.prices.extend(&other.prices);
        self.figures.extend(&other.figures);
        self.listed.also(&other.listed);
    }

    /// Another figure of this source is in the answer.
    pub fn figure(&mut self, source: SourceId) {
        self.figures.insert(source);
    }
}
