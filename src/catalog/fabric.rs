//! What the network of GPU clusters was seen to carry: published outputs of nccl-tests, and limits of health checks.
//!
//! Figures as published. What is made of them is the affair of whoever judges a cluster.

use super::provenance::SourceId;
use serde::{Deserialize, Serialize};

/// One published bus bandwidth of one platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fabric {
    /// Its name, unique in the catalog.
    pub name: String,
    /// What people call the platform: `AWS p5.48xlarge`.
    pub platform: String,
    /// Machines of the catalog that it is, as `provider/type`.
    pub instances: Vec<String>,
    /// An accelerator or a family of the catalog.
    pub gpu: String,
    /// Machines; `None` where the source does not say.
    pub nodes: Option<u32>,
    /// Accelerators in all.
    pub gpus: Option<u32>,
    /// What they are linked with, in words: `EFA 3200 Gbit/s`.
    pub link: String,
    /// Network of one machine in Gbit/s, where the source tells it.
    pub network_gbps: Option<f64>,
    /// `all_reduce`, `all_gather` …
    pub collective: String,
    /// Size of the message in bytes; `None` where the source does not say.
    pub size_bytes: Option<f64>,
    /// Bus bandwidth in 10^9 bytes per second, out of place.
    pub busbw_gb_per_s: f64,
    /// What the figure is.
    pub kind: FabricKind,
    /// Where the source itself begins to warn, in 10^9 bytes per second.
    pub warn_gb_per_s: Option<f64>,
    /// Time of the smallest message in microseconds.
    pub latency_us: Option<f64>,
    /// Where it was published.
    pub source: SourceId,
    /// Cautions.
    pub note: Option<String>,
    /// Came from an overlay.
    pub overridden: bool,
}

/// What a published bus bandwidth is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FabricKind {
    /// Somebody's run.
    Measured,
    /// What an operator expects of a healthy machine.
    Expected,
    /// A health check fails below it.
    Threshold,
}

impl FabricKind {
    /// Names of all kinds.
    pub const NAMES: &[&'static str] = &["measured", "expected", "threshold"];

    /// Name in files and outputs.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Measured, Self::Expected, Self::Threshold].into_iter().find(|kind| kind.name() == name)
    }
}

/// Collectives that nccl-tests has a program for, by the name of that program without `_perf`.
pub const COLLECTIVES: &[&str] = &[
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "alltoall",
    "broadcast",
    "reduce",
    "sendrecv",
    "gather",
    "scatter",
    "hypercube",
];
