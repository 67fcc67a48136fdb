//! The body of `diff`: two stored answers, and what of each change the prices did and what the workload.

mod split;
mod stored;
mod whole;

pub use whole::{Increase, LimitLine, TotalsLine};

use super::document::{Body, Csv, Used};
use super::number::Num;
use super::view::Block;
use crate::diag::{InputError, Warning};
use rust_decimal::Decimal;
use serde::Serialize;
use split::Split;
use std::collections::BTreeMap;
use stored::{Item, Stored};
use whole::totals;

/// Columns of CSV.
const COLUMNS: [&str; 23] = [
    "name",
    "status",
    "old_provider",
    "old_region",
    "old_instance_type",
    "old_nodes",
    "old_billing",
    "old_usd_per_hour",
    "old_billed_hours",
    "old_total_usd",
    "new_provider",
    "new_region",
    "new_instance_type",
    "new_nodes",
    "new_billing",
    "new_usd_per_hour",
    "new_billed_hours",
    "new_total_usd",
    "change_usd",
    "change_pct",
    "price_usd",
    "workload_usd",
    "note",
];

/// The answer of `diff`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffAnswer {
    /// Command of both answers.
    pub compares: String,
    /// The earlier answer.
    pub old: Origin,
    /// The later one.
    pub new: Origin,
    /// In the order of the later answer, then what is gone.
    pub rows: Vec<DiffLine>,
    /// The change as a whole.
    pub totals: TotalsLine,
    /// `--max-increase`; `null` without one.
    pub limit: Option<LimitLine>,
    #[serde(skip)]
    used: Used,
}

/// Where one side comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// Program and version.
    pub generated_with: String,
    /// Oldest price in it.
    pub as_of_oldest: Option<String>,
    /// Newest price in it.
    pub as_of_newest: Option<String>,
}

/// One workload or row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffLine {
    /// What it was matched by.
    pub name: String,
    /// `same`, `changed`, `added`, `removed` or `unknown`.
    pub status: &'static str,
    /// Before; `null` where it was not there.
    pub old: Option<Side>,
    /// Now; `null` where it is gone.
    pub new: Option<Side>,
    /// New less old; `null` where a side is not known.
    pub change_usd: Option<Num>,
    /// The same in per cent of the old cost.
    pub change_pct: Option<Num>,
    /// The part that prices made.
    pub price_usd: Option<Num>,
    /// The rest.
    pub workload_usd: Option<Num>,
    /// How the parts came about, where that is not plain.
    pub note: Option<String>,
}

/// One side of a line. Unknown is `null`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of the answers that are compared")]
pub struct Side {
    pub provider: Option<String>,
    pub region: Option<String>,
    pub instance_type: Option<String>,
    pub nodes: Option<Num>,
    pub billing: Option<String>,
    pub usd_per_hour: Option<Num>,
    pub billed_hours: Option<Num>,
    pub total_usd: Option<Num>,
}

/// One matched pair with its split.
struct Pair<'s> {
    name: &'s str,
    old: Option<&'s Item>,
    new: Option<&'s Item>,
    split: Split,
    /// Rows that are alike and whose cost neither answer knows: nothing has changed.
    alike: bool,
}

impl DiffAnswer {
    /// Compares two stored answers, given as (name of the file, its text).
    pub fn new(
        (old_file, old): (&str, &str),
        (new_file, new): (&str, &str),
        limit: Option<Increase>,
    ) -> Result<Self, InputError> {
        let (before, now) = (Stored::read(old_file, old)?, Stored::read(new_file, new)?);
        if before.command != now.command {
            let message = format!(
                "{old_file} is an answer of `{}` and {new_file} one of `{}`",
                before.command, now.command
            );
            return Err(InputError::new(message, "compare two answers of the same command"));
        }
        let pairs = pairs(&before, &now);
        let (totals, judged) = totals(&before, &now, &pairs);
        let rows: Vec<DiffLine> = pairs.iter().map(DiffLine::new).collect();
        let mut used = Used::default();
        totals.sums(&rows, used.listed_mut());
        Ok(Self {
            rows,
            limit: limit.map(|limit| LimitLine::new(limit, &judged)),
            totals,
            old: Origin::new(&before),
            new: Origin::new(&now),
            compares: now.command,
            used,
        })
    }

    /// What the reader should know before trusting the split.
    pub fn warnings(&self) -> Vec<Warning> {
        if self.old.generated_with == self.new.generated_with {
            return Vec::new();
        }
        let message = format!(
            "the answers are of {} and {}: what another version estimates differently counts as workload",
            self.old.generated_with, self.new.generated_with
        );
        vec![Warning { id: "other-version", message }]
    }
}

/// The pairs in the order of the new answer, then what is gone.
fn pairs<'s>(before: &'s Stored, now: &'s Stored) -> Vec<Pair<'s>> {
    let old: BTreeMap<&str, &Item> = before.items.iter().map(|item| (item.name.as_str(), item)).collect();
    let new: BTreeMap<&str, &Item> = now.items.iter().map(|item| (item.name.as_str(), item)).collect();
    let mut pairs: Vec<Pair> = now
        .items
        .iter()
        .map(|item| {
            let was = old.get(item.name.as_str()).copied();
            let split =
                was.map_or_else(|| Split::added(item), |was| Split::between((before, was), (now, item)));
            Pair { name: &item.name, old: was, new: Some(item), split, alike: alike(now, was, item) }
        })
        .collect();
    let gone = before.items.iter().filter(|item| !new.contains_key(item.name.as_str()));
    pairs.extend(gone.map(|item| Pair {
        name: &item.name,
        old: Some(item),
        new: None,
        split: Split::removed(item),
        alike: false,
    }));
    pairs
}

/// Whether a row stands in both answers without a cost. In `check` what is unknown stays a finding: it is owed.
fn alike(now: &Stored, was: Option<&Item>, item: &Item) -> bool {
    now.command != "check"
        && item.total.is_none()
        && item.choice.is_some()
        && was.is_some_and(|was| was.total.is_none() && was.choice == item.choice)
}

fn num(value: Option<Decimal>) -> Option<Num> {
    value.and_then(|value| value.normalize().to_string().parse().ok()).map(Num::exact)
}

fn percent(change: Option<Decimal>, old: Option<Decimal>) -> Option<Num> {
    let share = change?.checked_div(old.filter(|old| !old.is_zero())?)?;
    num(Some(share)).map(|share| Num::percent(share.value() * 100.0))
}

impl Origin {
    fn new(stored: &Stored) -> Self {
        Self {
            generated_with: stored.generated_with.clone(),
            as_of_oldest: stored.as_of_oldest.clone(),
            as_of_newest: stored.as_of_newest.clone(),
        }
    }
}

impl DiffLine {
    fn new(pair: &Pair) -> Self {
        let old_total = pair.old.and_then(|old| old.total);
        let changed = |change: Decimal| {
            let same = change.is_zero() && pair.old.map(|o| &o.choice) == pair.new.map(|n| &n.choice);
            if same { "same" } else { "changed" }
        };
        Self {
            name: pair.name.to_owned(),
            status: match (pair.old, pair.new, pair.split.change) {
                (_, _, None) if pair.alike => "same",
                (_, _, None) => "unknown",
                (None, _, _) => "added",
                (_, None, _) => "removed",
                (_, _, Some(change)) => changed(change),
            },
            old: pair.old.map(Side::new),
            new: pair.new.map(Side::new),
            change_usd: num(pair.split.change),
            change_pct: percent(pair.split.change, old_total),
            price_usd: num(pair.split.price),
            workload_usd: num(pair.split.workload),
            note: pair.split.note.clone(),
        }
    }
}

impl Side {
    fn new(item: &Item) -> Self {
        let total_usd = num(item.total);
        let Some(choice) = &item.choice else { return Self { total_usd, ..Self::default() } };
        Self {
            provider: Some(choice.contract.provider.clone()),
            region: Some(choice.contract.region.clone()),
            instance_type: Some(choice.contract.instance_type.clone()),
            nodes: num(Some(choice.nodes)),
            billing: Some(choice.contract.billing.clone()),
            usd_per_hour: num(choice.rate),
            billed_hours: num(choice.hours),
            total_usd,
        }
    }
}

impl Body for DiffAnswer {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "rows", spread: None, columns: &COLUMNS }
    }

    fn headline(&self) -> Option<String> {
        Some(super::text::diff_headline(self))
    }

    fn blocks(&self) -> Vec<Block> {
        super::text::diff(self)
    }
}

#[cfg(test)]
mod tests;
