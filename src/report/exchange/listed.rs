//! Amounts that are not just dollars times the rate, by the dollars that they are printed as: what needs no rate is told
//! as the source says it, to the last decimal, and totals are the sum of the amounts that are printed beside them.

use super::{Exchange, Grain, Kind};
use crate::catalog::price::Currency;
use crate::money::{Usd, UsdPerHour};
use crate::price::Cost;
use crate::price::part::Parts;
use crate::report::number::Num;
use rust_decimal::Decimal;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Amounts that are more than printed dollars times the rate, by these dollars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedAmounts {
    /// The amount that a contract is sold for; `None` where several contracts print the same dollars and differ.
    sold: BTreeMap<(Grain, Decimal), Option<(Currency, Decimal)>>,
    /// Totals and the parts that are printed beside them: total, then parts.
    sums: BTreeSet<(Decimal, Vec<Decimal>)>,
    /// What is left of an amount less another, and both.
    rests: BTreeSet<(Decimal, Decimal, Decimal)>,
}

/// A number as it is printed.
fn printed(usd: Num) -> Option<Decimal> {
    usd.to_string().parse().ok()
}

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
            (
                Grain::Total,
                cost.upfront_paid.map(Num::usd),
                listed.and_then(|it| it.upfront_paid).map(Usd::decimal),
            ),
        ];
        for (grain, usd, amount) in figures {
            let Some(usd) = usd.and_then(printed) else { continue };
            let currency = listed.map(|it| it.currency);
            self.insert((grain, usd), currency.zip(amount));
        }
        let Parts { compute, startup, idle, storage, egress } = cost.parts;
        self.sum(cost.total, [compute, startup, idle, storage, egress].into_iter().flatten());
    }

    /// A price for an hour and what it comes to in the currency that it is sold in.
    pub fn add_rate(&mut self, usd: UsdPerHour, listed: Option<(Currency, UsdPerHour)>) {
        if let Some(usd) = printed(Num::usd_per_hour(usd)) {
            self.insert((Grain::Hourly, usd), listed.map(|(currency, amount)| (currency, amount.decimal())));
        }
    }

    /// A total that is printed with the parts that it is the sum of.
    pub fn sum(&mut self, total: Option<Usd>, parts: impl Iterator<Item = Usd>) {
        let parts: Vec<Decimal> =
            parts.filter(|&part| part != Usd::ZERO).filter_map(|part| printed(Num::usd(part))).collect();
        // One part is the total itself.
        if let (Some(total), true) = (total.and_then(|usd| printed(Num::usd(usd))), parts.len() > 1) {
            self.sums.insert((total, parts));
        }
    }

    /// What is left of an amount less another one, where all three are printed.
    pub fn rest(&mut self, of: Option<Num>, less: Option<Num>, left: Option<Num>) {
        let printed = |usd: Option<Num>| usd.and_then(printed);
        let Some(((of, less), left)) = printed(of).zip(printed(less)).zip(printed(left)) else { return };
        if !of.is_zero() && !less.is_zero() {
            self.rests.insert((left, of, less));
        }
    }

    /// The amount of a total in the currency that it is sold in.
    pub fn add_total(&mut self, usd: Usd, listed: Option<(Currency, Usd)>) {
        if let Some(usd) = printed(Num::usd(usd)) {
            self.insert((Grain::Total, usd), listed.map(|(currency, amount)| (currency, amount.decimal())));
        }
    }

    /// Those of another part of an answer.
    pub fn also(&mut self, other: &Self) {
        other.sold.iter().for_each(|(&key, &amount)| self.insert(key, amount));
        self.sums.extend(other.sums.iter().cloned());
        self.rests.extend(&other.rests);
    }

    fn insert(&mut self, key: (Grain, Decimal), amount: Option<(Currency, Decimal)>) {
        match self.sold.entry(key) {
            Entry::Vacant(slot) => _ = slot.insert(amount),
            Entry::Occupied(mut slot) if *slot.get() != amount => _ = slot.insert(None),
            Entry::Occupied(_) => {}
        }
    }
}

impl Exchange {
    /// The same exchange that tells these amounts as they are sold, where that is its currency, and totals as the sum
    /// of the amounts beside them.
    #[must_use]
    pub fn with_listed(mut self, amounts: &ListedAmounts) -> Self {
        self.listed = amounts.clone();
        self.sums.clear();
        if let Kind::Converted(_) = &self.kind {
            // Smallest first, so that a part that is a sum itself is settled before what it is a part of.
            for (total, parts) in &amounts.sums {
                let all: Option<Decimal> = parts.iter().map(|&usd| self.amount(Grain::Total, usd)).sum();
                self.settle(*total, all);
            }
            for &(left, of, less) in &amounts.rests {
                let amounts = self.amount(Grain::Total, of).zip(self.amount(Grain::Total, less));
                let amount = amounts.map(|(of, less)| of - less);
                self.settle(left, amount);
                // Pages print the sign apart.
                self.settle(-left, amount.map(|amount| -amount));
            }
        }
        self
    }

    /// The amount of a total that nothing else says.
    fn settle(&mut self, usd: Decimal, amount: Option<Decimal>) {
        if let Some(amount) = amount.filter(|_| self.listed_amount(Grain::Total, usd).is_none()) {
            self.sums.entry(usd).or_insert(amount);
        }
    }

    pub(super) fn listed_amount(&self, grain: Grain, usd: Decimal) -> Option<Decimal> {
        let (currency, amount) = self.listed.sold.get(&(grain, usd)).copied().flatten()?;
        (currency.code() == self.code).then_some(amount)
    }
}
