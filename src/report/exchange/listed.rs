//! Amounts in the currency that a contract is sold in, by the dollars that they are printed as: what needs no rate is told
//! as the source says it, to the last decimal.

use super::{Exchange, Grain};
use crate::catalog::price::Currency;
use crate::money::{Usd, UsdPerHour};
use crate::price::Cost;
use crate::report::number::Num;
use rust_decimal::Decimal;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Dollars as printed, and the amount behind them; `None` where several contracts print the same dollars and differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedAmounts(BTreeMap<(Grain, Decimal), Option<(Currency, Decimal)>>);

impl ListedAmounts {
    /// The figures of one contract.
    pub fn add(&mut self, cost: &Cost) {
        let listed = cost.listed.as_ref();
        let figures = [
            (Grain::Hourly, cost.usd_per_hour.map(Num::usd_per_hour), listed.map(|it| it.per_hour.decimal())),
            (
                Grain::Shared,
                cost.usd_per_gpu_hour.map(Num::usd_per_gpu_hour),
                listed.and_then(|it| it.per_gpu_hour).map(UsdPerHour::decimal),
            ),
            (Grain::Total, cost.total.map(Num::usd), listed.and_then(|it| it.total).map(Usd::decimal)),
            (
                Grain::Total,
                cost.commitment.map(Num::usd),
                listed.and_then(|it| it.commitment).map(Usd::decimal),
            ),
        ];
        for (grain, usd, amount) in figures {
            let Some(usd) = usd.and_then(|usd| usd.to_string().parse::<Decimal>().ok()) else { continue };
            let currency = listed.map(|it| it.currency);
            self.insert((grain, usd), currency.zip(amount));
        }
    }

    /// Those of another part of an answer.
    pub fn also(&mut self, other: &Self) {
        other.0.iter().for_each(|(&key, &amount)| self.insert(key, amount));
    }

    fn insert(&mut self, key: (Grain, Decimal), amount: Option<(Currency, Decimal)>) {
        match self.0.entry(key) {
            Entry::Vacant(slot) => _ = slot.insert(amount),
            Entry::Occupied(mut slot) if *slot.get() != amount => _ = slot.insert(None),
            Entry::Occupied(_) => {}
        }
    }
}

impl Exchange {
    /// The same exchange that tells these amounts as they are sold, where that is its currency.
    #[must_use]
    pub fn with_listed(mut self, amounts: &ListedAmounts) -> Self {
        self.listed = amounts.clone();
        self
    }

    pub(super) fn listed_amount(&self, grain: Grain, usd: Decimal) -> Option<Decimal> {
        let (currency, amount) = self.listed.0.get(&(grain, usd)).copied().flatten()?;
        (currency.code() == self.code).then_some(amount)
    }
}
