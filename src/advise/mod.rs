//! The search: from a workload and limits to ranked configurations, and why everything else was rejected.

mod best;
pub mod fit;
pub mod limits;
mod lot;
mod miss;
mod offer;
pub mod quota;
mod rank;
mod reject;
mod search;
mod shape;
pub mod smaller;
mod software;
mod sooner;
mod spot;

use crate::catalog::instance::InstanceId;
use crate::catalog::price::Billing;
use crate::catalog::region::RegionId;
use crate::diag::{Assumption, Warning};
use crate::estimate::{Layout, MemoryEstimate, Range, SampleSpeed, ServingSpeed, TrainingSpeed, Verdict};
use crate::money::Usd;
use crate::price::Cost;

pub use search::advise;
pub use sooner::Sooner;

/// Order of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// Lowest expected total first.
    #[default]
    Cost,
    /// Shortest first.
    Time,
    /// Lowest product of cost and time first.
    Value,
}

/// One configuration that holds the workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// The machine.
    pub instance: InstanceId,
    /// How many of it.
    pub nodes: u32,
    /// Copies of the model: data-parallel ranks, or serving replicas.
    pub replicas: u32,
    /// GPUs in all; a fraction for shares.
    pub total_gpus: f64,
    /// The cheapest allowed region.
    pub region: RegionId,
    /// Other allowed regions that have it within the limits, by the total of the job.
    pub also_in: Vec<RegionId>,
    /// Parallel layout.
    pub layout: Layout,
    /// Memory of the fullest GPU.
    pub memory: MemoryEstimate,
    /// Label memory of one GPU (or share), in bytes.
    pub capacity_bytes: f64,
    /// Usable memory of one GPU (or share), in bytes.
    pub usable_bytes: f64,
    /// Does it fit?
    pub verdict: Verdict,
    /// How fast.
    pub performance: Performance,
    /// Hours of the job (training: wall time with goodput; serving: the asked hours).
    pub duration_hours: Range,
    /// Every contract of this machine in this region.
    pub costs: Vec<Cost>,
    /// The lowest expected total among the asked kinds: what the row is ranked by.
    pub ranked_total: Usd,
    /// That total lacks a part whose price is not known.
    pub at_least: bool,
    /// The kind that gave it.
    pub ranked_billing: Billing,
}

/// Speed of the whole configuration.
#[derive(Clone, Debug, PartialEq)]
pub enum Performance {
    /// Training.
    Training(TrainingSpeed),
    /// One serving replica.
    Serving(ServingSpeed),
    /// Work on samples, all GPUs.
    Samples(SampleSpeed),
}

/// Why configurations were rejected, and the one that came nearest.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    /// Stable id: `memory`, `deadline`, `budget`, `max-hourly`, `price-unknown`, `precision`, `region` …
    pub reason: &'static str,
    /// How many.
    pub count: usize,
    /// The nearest miss.
    pub nearest: Option<NearMiss>,
}

/// A rejected configuration and by how much it missed.
#[derive(Clone, Debug, PartialEq)]
pub struct NearMiss {
    /// The machine.
    pub instance: InstanceId,
    /// How many of it.
    pub nodes: u32,
    /// What was allowed, in `unit`.
    pub limit: Option<f64>,
    /// What it needs, in `unit`.
    pub actual: Option<f64>,
    /// `GiB`, `hours`, `USD`, `USD/hour`, `ms` …
    pub unit: &'static str,
    /// One sentence.
    pub message: String,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// Best first, at most as many as asked.
    pub recommendations: Vec<Recommendation>,
    /// A row that is done before the first for little more. Training only.
    pub sooner: Option<Sooner>,
    /// Configurations that were looked at: machines times node counts.
    pub considered: usize,
    /// Why the others did not.
    pub rejected: Vec<Rejection>,
    /// What the search took for granted.
    pub assumptions: Vec<Assumption>,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
    /// Every price that would have qualified is unknown or too old (exit 5).
    pub only_unknown_prices: bool,
}
