//! What the user allows, and the order of the answer: the constraint flags, resolved.

use super::Sort;
use super::quota::Quota;
use crate::catalog::price::Billing;
use crate::catalog::select::Filter;
use crate::money::{Usd, UsdPerHour};
use crate::price::part::Extras;
use crate::price::spot::outlook::SpotFlags;

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
    pub max_hourly: Option<UsdPerHour>,
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
    /// What is used besides the hours of work.
    pub extras: Extras,
    /// What the user says about interruptions.
    pub spot: SpotFlags,
    /// Order of the answer.
    pub sort: Sort,
    /// Rows at most.
    pub top: usize,
    /// Only rows that no other row beats in both cost and time.
    pub pareto: bool,
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
            extras: Extras::default(),
            spot: SpotFlags::default(),
            sort: Sort::Cost,
            top: 10,
            pareto: false,
        }
    }
}
