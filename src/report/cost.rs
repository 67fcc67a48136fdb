//! The body of `cost`: machines, hours and contracts.

use super::contract::{CostLine, PartsLine};
use super::date::Dated;
use super::document::{Body, Csv, Used};
use super::number::Num;
use super::recommend::{NearestLine, RejectedLine};
use super::view::Block;
use crate::advise::quota::{Launch, Shortfall};
use crate::catalog::Catalog;
use crate::diag::told_apart;
use crate::estimate::Range;
use crate::price::listing;
use serde::Serialize;

/// Columns of CSV.
const COLUMNS: [&str; 38] = [
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
    "price_unit",
    "billing_increment_s",
    "billing_minimum_s",
    "parts_compute_usd",
    "parts_startup_usd",
    "parts_idle_usd",
    "parts_storage_usd",
    "parts_egress_usd",
    "total_usd",
    "at_least",
    "low_usd",
    "high_usd",
    "upfront_usd",
    "commitment_usd",
    "break_even_hours",
    "saves_pct",
    "expected_interruptions",
    "expected_wall_hours",
    "checkpoint_interval_hours",
    "effective_usd_per_hour",
    "deadline_probability",
    "on_demand_hours",
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
    /// Hours that are billed, rounded up to the steps of billing.
    pub billed_hours: Option<Num>,
    /// What the price is for: `hour`.
    pub price_unit: &'static str,
    /// Seconds in which time is billed; `null` is not known, or a term or block is owed anyway.
    pub billing_increment_s: Option<u32>,
    /// Seconds that are billed at least; `null` likewise.
    pub billing_minimum_s: Option<u32>,
    /// What the total is made of.
    pub parts: PartsLine,
    /// Cost of the hours; for commitments their share of the term. The sum of the parts that are known.
    pub total_usd: Option<Num>,
    /// The total lacks a part whose price is not known; a total that is not known lacks all.
    pub at_least: bool,
    /// Optimistic: spot with the fewest interruptions that a source supports.
    pub low_usd: Option<Num>,
    /// Pessimistic: spot with the most.
    pub high_usd: Option<Num>,
    /// Paid at the start of a commitment.
    pub upfront_usd: Option<Num>,
    /// Owed over its whole term.
    pub commitment_usd: Option<Num>,
    /// Hours of the term from which it is cheaper than on-demand.
    pub break_even_hours: Option<Num>,
    /// Per cent below on-demand of the same machine and region.
    pub saves_pct: Option<Num>,
    /// Spot: interruptions in the hours of work.
    pub expected_interruptions: Option<Num>,
    /// Spot: expected hours until the hours of work are done, with reruns and waits for capacity.
    pub expected_wall_hours: Option<Num>,
    /// Spot: hours between checkpoints.
    pub checkpoint_interval_hours: Option<Num>,
    /// Spot: expected cost of one hour of work.
    pub effective_usd_per_hour: Option<Num>,
    /// Spot: chance to be done within the deadline.
    pub deadline_probability: Option<Num>,
    /// Spot that gives way to on-demand: the billed hours that are on demand.
    pub on_demand_hours: Option<Num>,
    /// Date of the price.
    pub price_as_of: Dated,
    /// Where the price comes from.
    pub price_source: String,
    /// The price came from an overlay.
    pub overridden: bool,
    /// Cautions, then how the provider bills.
    pub notes: Vec<String>,
    /// The last of the notes: how the provider bills.
    #[serde(skip)]
    pub(super) terms: Vec<String>,
}

impl CostAnswer {
    /// The body for these results, in their order.
    pub fn new(catalog: &Catalog, hours: f64, rows: &[listing::CostRow]) -> Self {
        let mut used = Used::default();
        for row in rows {
            used.cost(&row.cost);
        }
        Self {
            hours: Num::exact(hours),
            rows: rows.iter().map(|row| CostRow::new(catalog, hours, row)).collect(),
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
    let (needed, allowed) = told_apart(actual, limit);
    let message = format!(
        "{} x {provider}/{} ({gpu}), {}: {needed} {unit}, {allowed} {unit} allowed",
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
            limit: Some(Num::exact(limit)),
            actual: Some(Num::exact(actual)),
            unit,
            message,
        }),
    })
}

/// Offers that no quota allows: how many, and the one that needs least more.
pub fn over_quota(catalog: &Catalog, launch: &Launch, short: &Shortfall, count: usize) -> RejectedLine {
    let instance = catalog.instance(launch.instance);
    let (provider, gpu) = (&catalog.provider(instance.provider).name, &catalog.gpu(instance.gpu).name);
    let message = format!(
        "{} x {provider}/{} ({gpu}) in {}, {}: {}",
        launch.nodes,
        instance.name,
        catalog.region(launch.region).name,
        launch.billing.name(),
        short.message()
    );
    RejectedLine {
        reason: "quota",
        count,
        nearest: Some(NearestLine {
            provider: provider.clone(),
            instance_type: instance.name.clone(),
            gpu: gpu.clone(),
            nodes: launch.nodes,
            limit: Some(Num::exact(short.limit)),
            actual: short.needed.map(Num::exact),
            unit: short.unit,
            message,
        }),
    }
}

impl CostRow {
    /// One row as printed.
    pub fn new(catalog: &Catalog, hours: f64, row: &listing::CostRow) -> Self {
        let instance = catalog.instance(row.instance);
        let cost = &row.cost;
        let hours = Range { low: hours, expected: hours, high: hours };
        let line = CostLine::new(catalog, cost, &hours, None);
        Self {
            provider: catalog.provider(instance.provider).name.clone(),
            region: catalog.region(row.region).name.clone(),
            instance_type: instance.name.clone(),
            gpu: catalog.gpu(instance.gpu).name.clone(),
            gpus_per_node: Num::exact(instance.gpus),
            gpu_memory_gib: Num::gib(instance.gpu_memory_bytes as f64),
            nodes: row.nodes,
            billing: line.billing,
            upfront: line.upfront,
            usd_per_hour: line.usd_per_hour,
            usd_per_gpu_hour: line.usd_per_gpu_hour,
            billed_hours: line.billed_hours,
            price_unit: line.price_unit,
            billing_increment_s: line.billing_increment_s,
            billing_minimum_s: line.billing_minimum_s,
            parts: line.parts,
            total_usd: line.total_usd,
            at_least: line.at_least,
            low_usd: line.low_usd,
            high_usd: line.high_usd,
            upfront_usd: line.upfront_usd,
            commitment_usd: line.commitment_usd,
            break_even_hours: row.break_even_hours.map(|hours| Num::rounded(hours, 1)),
            saves_pct: line.saves_pct,
            expected_interruptions: line.expected_interruptions,
            expected_wall_hours: line.expected_wall_hours,
            checkpoint_interval_hours: line.checkpoint_interval_hours,
            effective_usd_per_hour: line.effective_usd_per_hour,
            deadline_probability: line.deadline_probability,
            on_demand_hours: line.on_demand_hours,
            price_as_of: line.price_as_of,
            price_source: line.price_source,
            overridden: line.overridden,
            notes: line.notes,
            terms: cost.terms.clone(),
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
