//! The answer of `catalog history`: lowest, mean and highest price over a window.

use crate::refresh::history::{History, Trend};
use crate::report::document::{Body, Csv, Used};
use crate::report::number::Num;
use crate::report::view::{Block, Grid};
use rust_decimal::Decimal;
use serde::Serialize;

/// How prices moved.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HistoryAnswer {
    /// So many days back from today.
    pub window_days: i32,
    /// Days of snapshots that are kept, of all providers.
    pub snapshots_kept: usize,
    /// By name.
    pub rows: Vec<HistoryRow>,
    #[serde(skip)]
    used: Used,
}

/// One price. Amounts are for one hour of one machine, in its own currency.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names of `catalog prices`, and what the table says")]
pub struct HistoryRow {
    pub provider: String,
    pub region: String,
    pub instance_type: String,
    pub billing: String,
    pub upfront: Option<String>,
    pub currency: String,
    /// How many snapshots of the window have the price.
    pub snapshots: usize,
    pub first_day: String,
    pub last_day: String,
    pub first_per_hour: Num,
    pub last_per_hour: Num,
    pub min_per_hour: Num,
    /// Mean of the snapshots, each counted once.
    pub mean_per_hour: Num,
    pub max_per_hour: Num,
    /// From the first to the last snapshot, per cent.
    pub change_pct: Option<Num>,
}

impl HistoryAnswer {
    /// The answer for these trends.
    pub fn new(window_days: i32, history: &History, trends: &[Trend<'_>]) -> Self {
        Self {
            window_days,
            snapshots_kept: history.days().len(),
            rows: trends.iter().map(HistoryRow::new).collect(),
            used: Used::default(),
        }
    }
}

impl HistoryRow {
    fn new(trend: &Trend<'_>) -> Self {
        let [provider, machine, region, billing, upfront, currency] = trend.line.clone();
        Self {
            provider,
            region,
            instance_type: machine,
            billing,
            upfront: Some(upfront).filter(|it| !it.is_empty()),
            currency,
            snapshots: trend.snapshots,
            first_day: trend.days.0.to_string(),
            last_day: trend.days.1.to_string(),
            first_per_hour: number(trend.ends.0, 8),
            last_per_hour: number(trend.ends.1, 8),
            min_per_hour: number(trend.min, 8),
            mean_per_hour: number(trend.mean, 6),
            max_per_hour: number(trend.max, 8),
            change_pct: trend.change_percent().map(|it| number(it, 1)),
        }
    }
}

fn number(value: Decimal, places: u32) -> Num {
    Num::exact(value.round_dp(places).normalize().to_string().parse().unwrap_or(f64::NAN))
}

impl Body for HistoryAnswer {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv {
            rows: "rows",
            spread: None,
            columns: &[
                "provider",
                "region",
                "instance_type",
                "billing",
                "upfront",
                "currency",
                "snapshots",
                "first_day",
                "last_day",
                "first_per_hour",
                "last_per_hour",
                "min_per_hour",
                "mean_per_hour",
                "max_per_hour",
                "change_pct",
            ],
        }
    }

    fn headline(&self) -> Option<String> {
        let s = if self.rows.len() == 1 { "" } else { "s" };
        Some(format!(
            "{} price{s} in the snapshots of the last {} days ({} days kept in all).",
            self.rows.len(),
            self.window_days,
            self.snapshots_kept
        ))
    }

    fn blocks(&self) -> Vec<Block> {
        let mut grid = Grid::new(&[
            "provider",
            "region",
            "instance",
            "billing",
            "currency",
            ">n",
            ">lowest/h",
            ">mean/h",
            ">highest/h",
            ">now/h",
            ">change %",
            "first",
            "last",
        ]);
        for row in &self.rows {
            let contract = row.upfront.as_ref().map_or(String::new(), |it| format!(" ({it} upfront)"));
            grid.push(vec![
                row.provider.clone(),
                row.region.clone(),
                row.instance_type.clone(),
                format!("{}{contract}", row.billing),
                row.currency.clone(),
                row.snapshots.to_string(),
                row.min_per_hour.to_string(),
                row.mean_per_hour.to_string(),
                row.max_per_hour.to_string(),
                row.last_per_hour.to_string(),
                row.change_pct.map_or_else(String::new, |it| it.to_string()),
                row.first_day.clone(),
                row.last_day.clone(),
            ]);
        }
        if self.rows.is_empty() {
            Vec::new()
        } else {
            vec![Block::Table(grid.expendable(&["first", "currency", "last"]))]
        }
    }
}
