//! What an account may start at all: quotas by provider, region, machines and billing kind.
//!
//! A quota of one billing kind says nothing about another one, and where none is stated nothing is limited.

use crate::catalog::Catalog;
use crate::catalog::instance::{InstanceId, ProviderId};
use crate::catalog::price::Billing;
use crate::catalog::region::RegionId;

/// One quota; it holds in each of its regions by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Quota {
    /// Whose.
    pub provider: ProviderId,
    /// Where; everywhere when empty.
    pub regions: Vec<RegionId>,
    /// For these machines; for all of the provider when empty.
    pub instances: Vec<InstanceId>,
    /// Under these contracts.
    pub billing: Vec<Billing>,
    /// What is counted.
    pub unit: Unit,
    /// How many may run.
    pub limit: f64,
    /// The quota as written, for messages.
    pub text: String,
}

/// What a quota counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// GPUs.
    Gpus,
    /// Virtual CPUs.
    Vcpus,
    /// Machines.
    Nodes,
}

impl Unit {
    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpus => "GPUs",
            Self::Vcpus => "vCPUs",
            Self::Nodes => "machines",
        }
    }
}

/// A quota that is too small.
#[derive(Clone, Debug, PartialEq)]
pub struct Shortfall {
    /// What is allowed, in `unit`.
    pub limit: f64,
    /// What it takes; `None` where the machine's figure is not known, which complies with no quota.
    pub needed: Option<f64>,
    /// `GPUs`, `vCPUs` or `machines`.
    pub unit: &'static str,
    /// The quota as written.
    pub quota: String,
}

impl Shortfall {
    /// Both numbers in words.
    pub fn message(&self) -> String {
        let needed = self.needed.map_or_else(|| "an unknown number of".to_owned(), |n| n.to_string());
        format!("takes {needed} {} and the quota allows {} ({})", self.unit, self.limit, self.quota)
    }
}

/// One configuration under one contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The machine.
    pub instance: InstanceId,
    /// How many.
    pub nodes: u32,
    /// Where.
    pub region: RegionId,
    /// Under which contract.
    pub billing: Billing,
    /// Spot that goes on on demand after too many interruptions: the plan needs both.
    pub falls_back: bool,
}

/// The first quota that does not allow a configuration.
pub fn shortfall(catalog: &Catalog, quotas: &[Quota], launch: &Launch) -> Option<Shortfall> {
    let later = (launch.falls_back && launch.billing == Billing::Spot).then_some(Billing::OnDemand);
    let legs = [Some(launch.billing), later].into_iter().flatten();
    legs.map(|billing| Launch { billing, ..*launch })
        .find_map(|leg| quotas.iter().find_map(|quota| quota.shortfall(catalog, &leg)))
}

impl Quota {
    fn shortfall(&self, catalog: &Catalog, launch: &Launch) -> Option<Shortfall> {
        let machine = catalog.instance(launch.instance);
        let concerns = machine.provider == self.provider
            && self.billing.contains(&launch.billing)
            && (self.regions.is_empty() || self.regions.contains(&launch.region))
            && (self.instances.is_empty() || self.instances.contains(&launch.instance));
        if !concerns {
            return None;
        }
        let nodes = f64::from(launch.nodes);
        let needed = match self.unit {
            Unit::Gpus => Some(machine.gpus * nodes),
            Unit::Vcpus => machine.vcpus.map(|vcpus| vcpus * nodes),
            Unit::Nodes => Some(nodes),
        };
        needed.is_none_or(|needed| needed > self.limit).then(|| Shortfall {
            limit: self.limit,
            needed,
            unit: self.unit.name(),
            quota: self.text.clone(),
        })
    }
}
