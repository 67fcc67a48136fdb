//! The change as a whole, and whether it keeps `--max-increase`.

use super::split::Split;
use super::stored::Stored;
use super::{DiffLine, Pair, Side, num, percent};
use crate::money::Usd;
use crate::report::exchange::ListedAmounts;
use crate::report::number::Num;
use rust_decimal::Decimal;
use serde::Serialize;

/// What the figures of `check` are of.
const SUM: &str = "sum of workloads";

/// The change as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TotalsLine {
    /// What the figures are of: `sum of workloads`, `best row`, or `row with the largest increase`.
    pub of: &'static str,
    /// Before, as far as it is known.
    pub old_usd: Option<Num>,
    /// Now, as far as it is known.
    pub new_usd: Option<Num>,
    /// A part of a side is not known.
    pub at_least: bool,
    /// New less old; `null` where a part is not known.
    pub change_usd: Option<Num>,
    /// The same in per cent of the old cost.
    pub change_pct: Option<Num>,
    /// The part that prices made.
    pub price_usd: Option<Num>,
    /// The rest.
    pub workload_usd: Option<Num>,
    /// Names of what has no known change.
    pub unknown: Vec<String>,
}

/// `--max-increase`, and how it was kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitLine {
    /// As given, in dollars or per cent.
    pub max_increase: String,
    /// In dollars, for the figures of `totals`.
    pub allowed_usd: Option<Num>,
    /// Whether it is broken; a change that is not known does not keep it.
    pub exceeded: bool,
    /// One sentence; `null` where it is kept.
    pub message: Option<String>,
}

/// How much a cost may rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Increase {
    /// So many dollars.
    Usd(Usd),
    /// So many per cent of what it was.
    Percent(Decimal),
}

impl Increase {
    /// In dollars, on top of `old`.
    fn allowed(self, old: Option<Decimal>) -> Option<Decimal> {
        match self {
            Self::Usd(usd) => Some(usd.decimal()),
            Self::Percent(percent) => old?.checked_mul(percent)?.checked_div(Decimal::ONE_HUNDRED),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Usd(usd) => format!("{usd} USD"),
            Self::Percent(percent) => format!("{} %", percent.normalize()),
        }
    }
}

/// What a limit is held against.
pub(super) struct Judged {
    name: String,
    old: Option<Decimal>,
    change: Option<Decimal>,
}

/// Sum of what is known; `None` where nothing is.
fn known(values: impl Iterator<Item = Option<Decimal>>) -> Option<Decimal> {
    values.flatten().reduce(Decimal::saturating_add)
}

/// Sum of all; `None` where one is not known.
fn all(values: impl Iterator<Item = Option<Decimal>>) -> Option<Decimal> {
    values.sum()
}

/// The change as a whole, and what a limit is held against: the sum of workloads, the best row, or each row of `cost`,
/// which stand side by side and add up to nothing: one that is new counts with all that it costs.
pub(super) fn totals(before: &Stored, now: &Stored, pairs: &[Pair]) -> (TotalsLine, Vec<Judged>) {
    match now.command.as_str() {
        "check" => {
            let line = TotalsLine::sum(pairs);
            let old = known(pairs.iter().map(|pair| pair.old?.total));
            let change = all(pairs.iter().map(|pair| pair.split.change));
            (line, vec![Judged { name: "the sum of all workloads".to_owned(), old, change }])
        }
        "recommend" => {
            let best = before.items.first().zip(now.items.first());
            let split = best.map(|(old, new)| Split::between((before, old), (now, new)));
            let pair = Pair {
                name: "best row",
                old: before.items.first(),
                new: now.items.first(),
                split: split.unwrap_or_default(),
                alike: false,
            };
            let name = "the best row".to_owned();
            let judged = Judged { name, old: pair.old.and_then(|old| old.total), change: pair.split.change };
            (TotalsLine::of_pair("best row", &pair), vec![judged])
        }
        _ => {
            let new = || pairs.iter().filter(|pair| pair.new.is_some() && !pair.alike);
            // What is new rises from nothing.
            let before = |pair: &Pair| pair.old.map_or(Some(Decimal::ZERO), |old| old.total);
            let judged = new().map(|pair| Judged {
                name: pair.name.to_owned(),
                old: before(pair),
                change: pair.split.change,
            });
            let unknown = new().filter(|pair| pair.split.change.is_none()).map(|pair| pair.name.to_owned());
            let of = "row with the largest increase";
            let largest = new()
                .filter(|pair| pair.split.change.is_some())
                .reduce(|most, pair| if pair.split.change > most.split.change { pair } else { most });
            let line = largest
                .map(|pair| TotalsLine { old_usd: num(before(pair)), ..TotalsLine::of_pair(of, pair) });
            let line = line.unwrap_or_default();
            (TotalsLine { of, unknown: unknown.collect(), ..line }, judged.collect())
        }
    }
}

impl TotalsLine {
    /// What the printed figures are made of.
    pub(super) fn sums(&self, rows: &[DiffLine], amounts: &mut ListedAmounts) {
        if self.of == SUM {
            let usd = |side: &Option<Side>| Usd::from_f64(side.as_ref()?.total_usd?.value());
            amounts.sum(
                self.old_usd.and_then(|it| Usd::from_f64(it.value())),
                rows.iter().filter_map(|row| usd(&row.old)),
            );
            amounts.sum(
                self.new_usd.and_then(|it| Usd::from_f64(it.value())),
                rows.iter().filter_map(|row| usd(&row.new)),
            );
        }
        amounts.rest(self.new_usd, self.old_usd, self.change_usd);
        amounts.rest(self.change_usd, self.price_usd, self.workload_usd);
        for row in rows {
            let total = |side: &Option<Side>| side.as_ref().and_then(|side| side.total_usd);
            amounts.rest(total(&row.new), total(&row.old), row.change_usd);
            amounts.rest(row.change_usd, row.price_usd, row.workload_usd);
        }
    }

    fn sum(pairs: &[Pair]) -> Self {
        let unknown: Vec<String> =
            pairs.iter().filter(|p| p.split.change.is_none()).map(|p| p.name.to_owned()).collect();
        let old = known(pairs.iter().map(|pair| pair.old?.total));
        let change = all(pairs.iter().map(|pair| pair.split.change));
        Self {
            of: SUM,
            old_usd: num(old),
            new_usd: num(known(pairs.iter().map(|pair| pair.new?.total))),
            at_least: !unknown.is_empty(),
            change_usd: num(change),
            change_pct: percent(change, old),
            price_usd: num(all(pairs.iter().map(|pair| pair.split.price))),
            workload_usd: num(all(pairs.iter().map(|pair| pair.split.workload))),
            unknown,
        }
    }

    fn of_pair(of: &'static str, pair: &Pair) -> Self {
        let (old, new) = (pair.old.and_then(|old| old.total), pair.new.and_then(|new| new.total));
        let name = |known: bool| if known { Vec::new() } else { vec![pair.name.to_owned()] };
        Self {
            of,
            old_usd: num(old),
            new_usd: num(new),
            at_least: pair.split.change.is_none(),
            change_usd: num(pair.split.change),
            change_pct: percent(pair.split.change, old),
            price_usd: num(pair.split.price),
            workload_usd: num(pair.split.workload),
            unknown: name(pair.split.change.is_some()),
        }
    }
}

impl LimitLine {
    pub(super) fn new(limit: Increase, judged: &[Judged]) -> Self {
        let mut by_change: Vec<&Judged> = judged.iter().collect();
        by_change.sort_by_key(|one| std::cmp::Reverse(one.change));
        let broken = by_change.iter().find_map(|one| {
            let name = &one.name;
            match (one.change, limit.allowed(one.old)) {
                (Some(change), Some(allowed)) if change <= allowed => None,
                (Some(change), Some(allowed)) => {
                    let (rises, may) = (Usd::from_decimal(change), Usd::from_decimal(allowed));
                    Some(format!("{name} rises by {rises} USD, {may} USD is allowed ({})", limit.text()))
                }
                _ => Some(format!("the change of {name} is not known, so {} cannot be held", limit.text())),
            }
        });
        let nothing = || "no row with a price is left, so nothing can be held".to_owned();
        let message = if judged.is_empty() { Some(nothing()) } else { broken };
        Self {
            max_increase: limit.text(),
            allowed_usd: num(by_change.first().and_then(|one| limit.allowed(one.old))),
            exceeded: message.is_some(),
            message,
        }
    }
}
