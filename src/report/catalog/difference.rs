//! The answer of `catalog diff`: prices added, removed and changed between two catalogs, and whether limits are kept.

use crate::catalog::Catalog;
use crate::catalog::price::{Currency, Price, Upfront};
use crate::refresh::compare::{self, Change, Comparison, Greatest, redenominated};
use crate::report::date::Dated;
use crate::report::document::{Body, Csv, Used};
use crate::report::number::Num;
use crate::report::text::price_text;
use crate::report::view::{Block, Grid};
use rust_decimal::Decimal;
use serde::Serialize;

/// Columns of CSV.
const COLUMNS: &[&str] = &[
    "status",
    "provider",
    "region",
    "instance_type",
    "billing",
    "upfront",
    "old_usd_per_hour",
    "new_usd_per_hour",
    "currency",
    "old_amount_per_hour",
    "new_amount_per_hour",
    "change_pct",
    "old_as_of",
    "new_as_of",
    "old_source",
    "new_source",
];

/// What changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CatalogDiff {
    /// The earlier catalog, as named.
    pub old: String,
    /// The later one.
    pub new: String,
    /// How many prices there are, and how many of them changed.
    pub prices: Counts,
    /// Prices that are gone, in per cent of those before.
    pub lost_pct: Option<Num>,
    /// The change of the price that is farthest from what it was, in per cent of that, with its sign.
    pub greatest_change_pct: Option<Num>,
    /// Limits that were set.
    pub limits: Vec<LimitLine>,
    /// What changed, by name.
    pub rows: Vec<DifferenceRow>,
    #[serde(skip)]
    used: Used,
}

/// Counts of prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// In the earlier catalog.
    pub before: usize,
    /// In the later one.
    pub now: usize,
    /// The same in both.
    pub same: usize,
    /// Only in the later one.
    pub added: usize,
    /// Only in the earlier one.
    pub removed: usize,
    /// In both with another amount.
    pub changed: usize,
    /// In both, but not to be compared: unknown, or in another currency.
    pub unknown: usize,
}

/// One limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitLine {
    /// `max-lost` or `max-change`.
    pub limit: &'static str,
    /// What it allows, per cent.
    pub allowed_pct: Num,
    /// What is, per cent; of `max-change` in per cent of the lower of the two prices.
    pub actual_pct: Option<Num>,
    /// How it is broken; `null` when it is kept.
    pub message: Option<String>,
}

/// One changed price. Unknown is `null`, never 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names of `catalog prices`, before and now")]
pub struct DifferenceRow {
    pub status: &'static str,
    pub provider: String,
    pub region: String,
    pub instance_type: String,
    pub billing: &'static str,
    pub upfront: Option<&'static str>,
    pub old_usd_per_hour: Option<Num>,
    pub new_usd_per_hour: Option<Num>,
    /// Currency of the later price, or of the one that is gone.
    pub currency: String,
    pub old_amount_per_hour: Option<Num>,
    pub new_amount_per_hour: Option<Num>,
    pub change_pct: Option<Num>,
    pub old_as_of: Option<Dated>,
    pub new_as_of: Option<Dated>,
    pub old_source: Option<String>,
    pub new_source: Option<String>,
}

/// Limits on what may change, in per cent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Most prices that may be gone.
    pub lost: Option<f64>,
    /// Most that a price may rise or fall.
    pub change: Option<f64>,
}

impl CatalogDiff {
    /// The answer for two catalogs under these names.
    pub fn new((old_name, old): (&str, &Catalog), (new_name, new): (&str, &Catalog), limits: Limits) -> Self {
        let compared = Comparison::new(old, new);
        let greatest = compared.greatest_change();
        let mut lines = Vec::new();
        if let Some(allowed) = limits.lost {
            let actual = compared.lost_percent();
            let broken = exceeds(actual, allowed);
            let lost = compared.lost();
            let message =
                format!("{lost} of {} prices are lost, {} %", compared.before, told(actual, allowed));
            lines.push(limit("max-lost", allowed, Some(actual), broken.then_some(message)));
        }
        if let Some(allowed) = limits.change {
            let actual = greatest.map(|it| it.distance);
            let other_currency = redenominated(&compared).map(not_comparable);
            let broken = actual.is_some_and(|percent| exceeds(percent, allowed));
            let named = greatest.map_or_else(String::new, |it| moved(&it, allowed));
            lines.push(limit("max-change", allowed, actual, broken.then_some(named).or(other_currency)));
        }
        let mut used = Used::default();
        new.prices.iter().for_each(|price| used.price(price.source));
        Self {
            old: old_name.to_owned(),
            new: new_name.to_owned(),
            prices: Counts {
                before: compared.before,
                now: compared.now,
                same: compared.same,
                added: compared.count("added"),
                removed: compared.count("removed"),
                changed: compared.count("changed"),
                unknown: compared.count("unknown"),
            },
            lost_pct: Some(percent(compared.lost_percent())),
            greatest_change_pct: greatest.map(|it| number(compare::told(it.percent))),
            limits: lines,
            rows: compared.changes.iter().map(|change| DifferenceRow::new(old, new, change)).collect(),
            used,
        }
    }

    /// The limits that are broken, in sentences.
    pub fn broken(&self) -> Vec<String> {
        self.limits.iter().filter_map(LimitLine::sentence).collect()
    }
}

impl LimitLine {
    fn sentence(&self) -> Option<String> {
        let message = self.message.as_ref()?;
        Some(format!("{message}; --{} allows {} %", self.limit, self.allowed_pct))
    }
}

fn limit(limit: &'static str, allowed: f64, actual: Option<Decimal>, message: Option<String>) -> LimitLine {
    LimitLine {
        limit,
        allowed_pct: Num::exact(allowed),
        actual_pct: actual.map(|actual| number(told(actual, allowed))),
        message,
    }
}

/// How a price moved, and for a fall how much of the new price that is, which the limit holds.
fn moved(greatest: &Greatest<'_, '_>, allowed: f64) -> String {
    let (provider, machine, region, billing, _) = greatest.change.name;
    let name = format!("{provider}/{machine} {region} {}", billing.name());
    let distance = told(greatest.distance, allowed);
    if greatest.percent.is_sign_negative() {
        let percent = compare::told(greatest.percent);
        format!("{name} changed by {percent} %, {distance} % seen from the new price")
    } else {
        format!("{name} changed by {distance} %")
    }
}

/// Why a price cannot be judged that is in another currency now.
fn not_comparable((change, count): (&Change<'_>, usize)) -> String {
    let (provider, machine, region, billing, _) = change.name;
    let code = |price: Option<&Price>| price.map_or("", |price| price.currency.code()).to_owned();
    let (old, new) = (code(change.old), code(change.new));
    let others = if count > 1 { format!(" and {} others", count - 1) } else { String::new() };
    let stated = if new == "USD" { &old } else { &new };
    format!(
        "{provider}/{machine} {region} {}{others} went from {old} to {new} and cannot be compared without `--fx {stated}=RATE`",
        billing.name()
    )
}

/// A figure with as many decimals as tell it from its limit.
fn told(actual: Decimal, allowed: f64) -> Decimal {
    let limit = Decimal::try_from(allowed).unwrap_or_default();
    let broken = actual.abs() > limit;
    let mut all = (1..=8).map(|decimals| actual.round_dp(decimals).normalize());
    all.find(|told| (told.abs() > limit) == broken).unwrap_or(actual)
}

fn exceeds(actual: Decimal, allowed: f64) -> bool {
    Decimal::try_from(allowed).is_ok_and(|allowed| actual > allowed)
}

fn rounded(value: Decimal) -> Decimal {
    value.round_dp(1).normalize()
}

fn percent(value: Decimal) -> Num {
    number(rounded(value))
}

fn number(value: Decimal) -> Num {
    Num::exact(value.to_string().parse().unwrap_or_default())
}

impl DifferenceRow {
    fn new(old: &Catalog, new: &Catalog, change: &Change<'_>) -> Self {
        let (provider, machine, region, billing, upfront) = change.name;
        let dollars = |price: &&Price| price.currency == Currency::USD;
        let usd = |price: &Price| price.per_hour.map(Num::usd_per_hour);
        let amount = |price: &Price| match price.seldom.listed {
            Some((_, listed)) => Some(Num::usd_per_hour(listed)),
            None => price.per_hour.map(Num::usd_per_hour),
        };
        let code = |price: &Price| {
            price.seldom.listed.map_or(price.currency, |(listed, _)| listed).code().to_owned()
        };
        let of = |catalog: &Catalog, price: &Price| catalog.source(price.source).clone();
        let (before, now) = (change.old, change.new);
        let currency = now.or(before).map_or_else(String::new, code);
        Self {
            status: change.status(),
            provider: provider.to_owned(),
            region: region.to_owned(),
            instance_type: machine.to_owned(),
            billing: billing.name(),
            upfront: upfront.map(Upfront::name),
            old_usd_per_hour: before.filter(dollars).and_then(usd),
            new_usd_per_hour: now.filter(dollars).and_then(usd),
            currency,
            old_amount_per_hour: before.and_then(amount),
            new_amount_per_hour: now.and_then(amount),
            change_pct: change.percent().map(|it| number(compare::told(it))),
            old_as_of: before.map(|price| Dated(of(old, price).as_of)),
            new_as_of: now.map(|price| Dated(of(new, price).as_of)),
            old_source: before.map(|price| of(old, price).text),
            new_source: now.map(|price| of(new, price).text),
        }
    }
}

impl Body for CatalogDiff {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "rows", spread: None, columns: COLUMNS }
    }

    fn headline(&self) -> Option<String> {
        let Counts { before, now, same, added, removed, changed, unknown } = self.prices;
        let lost = self.lost_pct.map(|pct| format!(" ({pct} % lost)")).unwrap_or_default();
        let unknown = if unknown == 0 { String::new() } else { format!(", {unknown} not to be compared") };
        let s = if before == 1 { "" } else { "s" };
        Some(format!(
            "{} to {}: {before} price{s} before, {now} now: {added} added, {removed} removed{lost}, {changed} changed, {same} the \
             same{unknown}.",
            self.old, self.new
        ))
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> =
            self.broken().into_iter().map(|line| Block::Text(format!("{line}."))).collect();
        let mut grid = Grid::new(&[
            "status",
            "provider",
            "region",
            "instance",
            "billing",
            ">before/h",
            ">now/h",
            "currency",
            ">change %",
            "before as of",
            "now as of",
        ]);
        let day = |day: Option<Dated>| day.map_or_else(String::new, Dated::short);
        for row in &self.rows {
            grid.push(vec![
                row.status.to_owned(),
                row.provider.clone(),
                row.region.clone(),
                row.instance_type.clone(),
                crate::report::text::billing(row.billing, row.upfront, false),
                if row.status == "added" { String::new() } else { price_text(row.old_amount_per_hour) },
                if row.status == "removed" { String::new() } else { price_text(row.new_amount_per_hour) },
                row.currency.clone(),
                row.change_pct.map_or_else(String::new, |change| change.to_string()),
                day(row.old_as_of),
                day(row.new_as_of),
            ]);
        }
        if !self.rows.is_empty() {
            blocks.push(Block::Table(grid.expendable(&["before as of", "now as of", "currency"])));
        }
        blocks
    }
}
