//! The body of `cost`: machines, hours and contracts.

use super::date::Dated;
use super::document::{Body, Csv, Used};
use super::number::Num;
use super::recommend::{NearestLine, RejectedLine};
use super::view::Block;
use crate::catalog::Catalog;
use crate::catalog::price::Upfront;
use crate::price::listing;
use serde::Serialize;

/// Columns of CSV.
const COLUMNS: [&str; 21] = [
    "provider",
    "region",
    "instance_type",
    "gpu",
    "gpus_per_node",
    "gpu_memory_gib",
    "nodes",
    "billing",
    "upfront",
    "usd_per_hour",
    "usd_per_gpu_hour",
    "billed_hours",
    "total_usd",
    "upfront_usd",
    "commitment_usd",
    "break_even_hours",
    "saves_pct",
    "price_as_of",
    "price_source",
    "overridden",
    "notes",
];

/// The answer of `cost`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostAnswer {
    /// Hours asked for.
    pub hours: Num,
    /// In the order given.
    pub rows: Vec<CostRow>,
    /// Why other offers are not among the rows, most frequent reason first.
    pub rejected: Vec<RejectedLine>,
    #[serde(skip)]
    pub(super) used: Used,
}

/// One row as printed. Unknown is `null`, never 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostRow {
    /// Short name of the provider.
    pub provider: String,
    /// Region.
    pub region: String,
    /// The provider's name of the machine.
    pub instance_type: String,
    /// Canonical name of the accelerator.
    pub gpu: String,
    /// Accelerators in one machine; a fraction for shares.
    pub gpus_per_node: Num,
    /// Memory on the label of one GPU or share, GiB.
    pub gpu_memory_gib: Num,
    /// Machines.
    pub nodes: u32,
    /// Billing kind.
    pub billing: &'static str,
    /// `none`, `partial` or `all` for commitments.
    pub upfront: Option<&'static str>,
    /// Price of all machines.
    pub usd_per_hour: Option<Num>,
    /// Price of one GPU.
    pub usd_per_gpu_hour: Option<Num>,
    /// Hours that are billed.
    pub billed_hours: Option<Num>,
    /// Cost of the hours; for commitments their share of the term.
    pub total_usd: Option<Num>,
    /// Paid at the start of a commitment.
    pub upfront_usd: Option<Num>,
    /// Owed over its whole term.
    pub commitment_usd: Option<Num>,
    /// Hours of the term from which it is cheaper than on-demand.
    pub break_even_hours: Option<Num>,
    /// Per cent below on-demand of the same machine and region.
    pub saves_pct: Option<Num>,
    /// Date of the price.
    pub price_as_of: Dated,
    /// Where the price comes from.
    pub price_source: String,
    /// The price came from an overlay.
    pub overridden: bool,
    /// Cautions.
    pub notes: Vec<String>,
}

impl CostAnswer {
    /// The body for these results, in their order.
    pub fn new(catalog: &Catalog, hours: f64, rows: &[listing::CostRow]) -> Self {
        let mut used = Used::default();
        for row in rows {
            used.price(row.cost.source);
        }
        Self {
            hours: Num::exact(hours),
            rows: rows.iter().map(|row| CostRow::new(catalog, row)).collect(),
            rejected: Vec::new(),
            used,
        }
    }

    /// The same answer with the reasons why other offers are not in it.
    #[must_use]
    pub fn rejecting(mut self, mut rejected: Vec<RejectedLine>) -> Self {
        rejected.sort_by(|a, b| b.count.cmp(&a.count).then(a.reason.cmp(b.reason)));
        self.rejected = rejected;
        self
    }

    /// The answer of a run whose catalog cannot be used.
    pub fn nothing(hours: f64) -> Self {
        Self { hours: Num::exact(hours), rows: Vec::new(), rejected: Vec::new(), used: Used::default() }
    }
}

/// A limit of money that offers break: how many, and the one that comes nearest. Each row stands with its figure.
pub fn over_limit(
    catalog: &Catalog,
    reason: &'static str,
    unit: &'static str,
    limit: f64,
    rows: &[(&listing::CostRow, f64)],
) -> Option<RejectedLine> {
    let (row, actual) = rows.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (instance, actual) = (catalog.instance(row.instance), *actual);
    let (provider, gpu) = (&catalog.provider(instance.provider).name, &catalog.gpu(instance.gpu).name);
    let message = format!(
        "{} x {provider}/{} ({gpu}), {}: {actual:.2} {unit}, {limit:.2} allowed",
        row.nodes,
        instance.name,
        row.cost.billing.name()
    );
    Some(RejectedLine {
        reason,
        count: rows.len(),
        nearest: Some(NearestLine {
            provider: provider.clone(),
            instance_type: instance.name.clone(),
            gpu: gpu.clone(),
            nodes: row.nodes,
            limit: Some(Num::rounded(limit, 3)),
            actual: Some(Num::rounded(actual, 3)),
            unit,
            message,
        }),
    })
}

impl CostRow {
    /// One row as printed.
    pub fn new(catalog: &Catalog, row: &listing::CostRow) -> Self {
        let instance = catalog.instance(row.instance);
        let cost = &row.cost;
        let source = catalog.source(cost.source);
        Self {
            provider: catalog.provider(instance.provider).name.clone(),
            region: catalog.region(row.region).name.clone(),
            instance_type: instance.name.clone(),
            gpu: catalog.gpu(instance.gpu).name.clone(),
            gpus_per_node: Num::exact(instance.gpus),
            gpu_memory_gib: Num::gib(instance.gpu_memory_bytes as f64),
            nodes: row.nodes,
            billing: cost.billing.name(),
            upfront: cost.upfront.map(Upfront::name),
            usd_per_hour: cost.usd_per_hour.map(Num::usd_per_hour),
            usd_per_gpu_hour: cost.usd_per_gpu_hour.map(Num::usd_per_gpu_hour),
            billed_hours: cost.billed_hours.map(Num::billed_hours),
            total_usd: cost.total.map(Num::usd),
            upfront_usd: cost.upfront_paid.map(Num::usd),
            commitment_usd: cost.commitment.map(Num::usd),
            break_even_hours: row.break_even_hours.map(|hours| Num::rounded(hours, 1)),
            saves_pct: cost.ratio_to_on_demand.map(|ratio| Num::percent((1.0 - ratio) * 100.0)),
            price_as_of: Dated(source.as_of),
            price_source: source.text.clone(),
            overridden: cost.overridden,
            notes: cost.notes.clone(),
        }
    }
}

impl Body for CostAnswer {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "rows", spread: None, columns: &COLUMNS }
    }

    fn headline(&self) -> Option<String> {
        Some(format!("Cost of {} hours", self.hours))
    }

    fn blocks(&self) -> Vec<Block> {
        super::text::cost(self)
    }
}
