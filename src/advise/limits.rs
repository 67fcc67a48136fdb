//! What the user allows, and the order of the answer: the constraint flags, resolved.

use super::Sort;
use super::quota::Quota;
use crate::catalog::price::Billing;
use crate::catalog::select::Filter;
use crate::money::Usd;

/// Hard limits and ranking.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Which machines, regions and ages of prices are considered at all; its billing kinds stay empty (see `billing`).
    pub filter: Filter,
    /// Exactly this many GPUs.
    pub gpus: Option<u32>,
    /// At most this many GPUs.
    pub max_gpus: u32,
    /// Exactly this many nodes.
    pub nodes: Option<u32>,
    /// At most this many nodes.
    pub max_nodes: Option<u32>,
    /// At most this much for an hour of the whole configuration.
    pub max_hourly: Option<Usd>,
    /// At most this much for the whole job.
    pub budget: Option<Usd>,
    /// At most this many hours of wall time.
    pub deadline_hours: Option<f64>,
    /// A commitment counts with all that it owes, in the order and against the budget; else with the job's share.
    pub owed: bool,
    /// Contracts that compete.
    pub billing: Vec<Billing>,
    /// Spot counts only when its price is at least this share below on-demand.
    pub min_spot_discount: Option<f64>,
    /// Stands in where the catalog has no figure for the network between nodes, in Gbit/s.
    pub assume_network_gbps: Option<f64>,
    /// What may be started at all.
    pub quotas: Vec<Quota>,
    /// What the user says about interruptions.
    pub spot: SpotFlags,
    /// Order of the answer.
    pub sort: Sort,
    /// Rows at most.
    pub top: usize,
    /// Only rows that no other row beats in both cost and time.
    pub pareto: bool,
}

/// The spot flags; `None` takes the catalog's sourced figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpotFlags {
    /// Interruptions per node and hour.
    pub interruptions_per_node_hour: Option<f64>,
    /// Hours between checkpoints, `auto`, or `none`.
    pub checkpoints: Checkpoints,
    /// Hours that writing one checkpoint takes.
    pub checkpoint_hours: Option<f64>,
    /// Billed hours from a restart until work goes on.
    pub restart_hours: Option<f64>,
}

/// `--checkpoint-interval`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Checkpoints {
    /// The interval with the least expected time.
    #[default]
    Auto,
    /// None are written: every interruption starts the job again.
    Never,
    /// Every so many hours.
    Every(f64),
}

/// GPUs that the search goes up to unless told otherwise.
pub const DEFAULT_MAX_GPUS: u32 = 512;

impl Default for Limits {
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            gpus: None,
            max_gpus: DEFAULT_MAX_GPUS,
            nodes: None,
            max_nodes: None,
            max_hourly: None,
            budget: None,
            deadline_hours: None,
            owed: false,
            billing: vec![Billing::OnDemand],
            min_spot_discount: None,
            assume_network_gbps: None,
            quotas: Vec::new(),
            spot: SpotFlags::default(),
            sort: Sort::Cost,
            top: 10,
            pareto: false,
        }
    }
}
