//! What the user allows, and the order of the answer: the constraint flags, resolved.

use super::Sort;
use super::quota::Quota;
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::{Instance, InstanceId, ProviderId};
use crate::catalog::price::Billing;
use crate::catalog::select::Filter;
use crate::diag::Assumption;
use crate::estimate::{MeasuredLink, MeasuredLinks};
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
    /// Links of the user's own cluster, and the machines that they stand for.
    pub measured: Option<Measured>,
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

/// Links that nccl-tests measured, and which machines of the catalog the measured cluster is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The links.
    pub links: MeasuredLinks,
    /// Its accelerator; `None` holds for any.
    pub gpu: Option<GpuId>,
    /// Accelerators in one machine; `None` holds for any number.
    pub gpus_per_node: Option<u32>,
    /// The machine itself, where it is known.
    pub instance: Option<InstanceId>,
    /// Who rents it out, where that alone is known.
    pub provider: Option<ProviderId>,
    /// Where the machine itself is not known: the least network of one machine, in Gbit/s, that could carry what was measured
    /// between nodes.
    pub least_gbps: Option<f64>,
    /// It may stand for machines of whose network nothing is known: the user names them, or assumes a network.
    pub unlinked: bool,
    /// The file.
    pub from: String,
}

impl Measured {
    /// What stands in for the catalog's links, for the list of assumptions.
    pub fn assumption(&self, catalog: &Catalog) -> Assumption {
        let link = |name: &str, link: Option<MeasuredLink>| {
            link.map(|link| {
                let latency = link
                    .latency_s
                    .map_or(String::new(), |s| format!(", {:.1} us for each doubling of a group", s * 1e6));
                format!("{:.1} GB/s {name}{latency}", link.bytes_per_s / 1e9)
            })
        };
        let links = [link("between nodes", self.links.inter), link("inside a node", self.links.intra)];
        let machines = match (self.instance, self.gpu) {
            (Some(id), _) => catalog.full_name(catalog.instance(id)),
            (None, Some(gpu)) => {
                let each = self.gpus_per_node.map_or(String::new(), |gpus| format!("{gpus} x "));
                format!("machines with {each}{}", catalog.gpu(gpu).name)
            }
            (None, None) => "the machines asked for".to_owned(),
        };
        let why = if self.instance.is_none() && self.links.inter.is_some() && !self.unlinked {
            format!(
                "measured on your cluster, whose machine the file does not name; stands for {machines} whose own network is \
                 known and could carry as much, in place of the catalog's links"
            )
        } else {
            format!("measured on your cluster; stands for {machines} in place of the catalog's links")
        };
        Assumption {
            id: "measured-network",
            value: links.into_iter().flatten().collect::<Vec<_>>().join("; "),
            why,
            source: self.from.clone(),
        }
    }

    /// Whether the measurement speaks of this machine: the one that was measured; where that is not known, one like it whose
    /// own network could carry as much. What is not known of a network is not filled in with that of another cluster.
    pub fn holds_for(&self, id: InstanceId, instance: &Instance) -> bool {
        let carries = |gbps: f64| self.least_gbps.is_none_or(|least| gbps >= least);
        let linked = self.links.inter.is_none() || instance.network_gbps.map_or(self.unlinked, carries);
        self.instance.map_or(linked, |own| own == id)
            && self.provider.is_none_or(|own| own == instance.provider)
            && self.gpu.is_none_or(|gpu| gpu == instance.gpu)
            && self.gpus_per_node.is_none_or(|gpus| gpus == instance.whole_gpus())
    }
}

/// Rows of an answer without `--top`.
pub const DEFAULT_TOP: usize = 10;

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
            measured: None,
            quotas: Vec::new(),
            extras: Extras::default(),
            spot: SpotFlags::default(),
            sort: Sort::Cost,
            top: DEFAULT_TOP,
            pareto: false,
        }
    }
}
