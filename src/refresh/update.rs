//! Whether the new prices of one source may replace the last good ones. Catalogs in, a verdict out.

use super::compare::{Change, Comparison, told};
use crate::catalog::Catalog;
use rust_decimal::Decimal;

/// What a source may lose or change, per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guards {
    /// Of its own prices.
    pub max_lost: f64,
    /// Any one price, up or down, of the lower of the two amounts; absent is no limit on it.
    pub max_change: Option<f64>,
    /// The price in the middle of all changes; absent is no limit.
    pub max_median_change: Option<f64>,
}

/// What the new prices of a source come to beside the last good ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// Prices that are new.
    pub added: usize,
    /// Prices that are gone.
    pub removed: usize,
    /// Prices with another amount.
    pub changed: usize,
    /// The same prices.
    pub same: usize,
    /// Prices that are gone, per cent of those before.
    pub lost_pct: Decimal,
    /// The change of the price that is farthest from what it was, in per cent of that, with its sign.
    pub greatest_pct: Option<Decimal>,
    /// Which limits are broken, in sentences.
    pub broken: Vec<String>,
}

/// Compares and judges. Both catalogs hold the prices of the source alone.
pub fn judge(old: &Catalog, new: &Catalog, guards: Guards) -> Judgement {
    let compared = Comparison::new(old, new);
    let greatest = compared.greatest_change();
    let lost_pct = compared.lost_percent();
    let mut broken = Vec::new();
    if above(lost_pct, guards.max_lost) {
        let removed = compared.lost();
        broken.push(format!(
            "{removed} of {} prices are gone ({} %; --max-lost allows {} %)",
            compared.before,
            lost_pct.round_dp(1).normalize(),
            guards.max_lost
        ));
    }
    if let Some((most, greatest)) = guards.max_change.zip(greatest)
        && above(greatest.distance, most)
    {
        let (name, percent) = (name(greatest.change), told(greatest.percent));
        broken.push(if percent.is_sign_negative() {
            let back = greatest.distance.round_dp(1).normalize();
            format!("{name} changes by {percent} %, {back} % seen from the new price (--max-change allows {most} %)")
        } else {
            format!("{name} changes by {percent} % (--max-change allows {most} %)")
        });
    }
    let median = median_change(&compared);
    if let Some((most, median)) = guards.max_median_change.zip(median)
        && above(median, most)
    {
        let median = median.round_dp(1).normalize();
        broken.push(format!(
            "half of the prices change by {median} % of the lower amount or more (at most {most} %): another unit? --max-change PCT \
             judges each price instead"
        ));
    }
    Judgement {
        added: compared.count("added"),
        removed: compared.count("removed"),
        changed: compared.count("changed"),
        same: compared.same,
        lost_pct,
        greatest_pct: greatest.map(|it| it.percent),
        broken,
    }
}

fn above(actual: Decimal, allowed: f64) -> bool {
    Decimal::try_from(allowed).is_ok_and(|allowed| actual > allowed)
}

fn name(change: &Change<'_>) -> String {
    let (provider, machine, region, billing, _) = change.name;
    format!("{provider}/{machine} {region} {}", billing.name())
}

/// The change in the middle of all prices that both have, those that stay the same counted as 0.
fn median_change(compared: &Comparison<'_>) -> Option<Decimal> {
    let mut all: Vec<Decimal> = compared.changes.iter().filter_map(Change::distance).collect();
    all.sort_unstable();
    let middle = (compared.same + all.len()).checked_sub(1)? / 2;
    Some(middle.checked_sub(compared.same).and_then(|at| all.get(at).copied()).unwrap_or_default())
}
