//! What can be rented and what is known of it: GPUs, instances, prices, regions, model presets, rules, scenarios.
//!
//! Read-only after loading. Nothing here estimates, ranks or prints; only `load` reads files.

pub mod cause;
pub mod charge;
pub mod codes;
pub mod currency;
pub mod fabric;
pub mod gpu;
pub mod image;
pub mod instance;
pub mod knowledge;
#[cfg(embedded_catalog)]
pub mod load;
pub mod lookup;
pub mod measured;
pub mod ownership;
pub mod preset;
pub mod price;
pub mod provenance;
mod raw;
pub mod region;
pub mod select;
pub mod software;
pub mod validate;

use cause::Cause;
use charge::Charge;
use currency::Money;
use fabric::Fabric;
use gpu::{Family, Gpu, GpuId};
use instance::{Instance, InstanceId, Provider, ProviderId};
use knowledge::{Constant, Rule, Scenario};
use measured::MeasuredRate;
use ownership::{Carbon, TokenPrice};
use preset::Preset;
use price::Price;
use provenance::{Source, SourceId};
use region::{Region, RegionId};
use software::Software;

/// The whole catalog, validated and indexed. Ids are positions in these lists.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Where figures come from, each with its date.
    pub sources: Vec<Source>,
    /// Accelerators, by name.
    pub gpus: Vec<Gpu>,
    /// Names that stand for several accelerators, default member first.
    pub families: Vec<Family>,
    /// Who rents machines out.
    pub providers: Vec<Provider>,
    /// Regions of the providers.
    pub regions: Vec<Region>,
    /// Machines, by provider and name.
    pub instances: Vec<Instance>,
    /// What providers bill besides machines, and how they count time.
    pub charges: Vec<Charge>,
    /// Currencies, by code.
    pub currencies: Vec<Money>,
    /// Prices, by instance, then region, billing kind and upfront.
    pub prices: Vec<Price>,
    /// Model presets, by name.
    pub presets: Vec<Preset>,
    /// Measured rates, by network and accelerator.
    pub measured: Vec<MeasuredRate>,
    /// What the networks of clusters were seen to carry, by name.
    pub fabrics: Vec<Fabric>,
    /// Words behind the verdicts on networks, by id.
    pub causes: Vec<Cause>,
    /// Calibrated and assumed constants of the estimates.
    pub constants: Vec<Constant>,
    /// Names of engines and frameworks, those with a base class first.
    pub software: Vec<Software>,
    /// Advice rules.
    pub rules: Vec<Rule>,
    /// Named workloads.
    pub scenarios: Vec<Scenario>,
    /// Prices of tokens at APIs, by API and model.
    pub token_prices: Vec<TokenPrice>,
    /// Carbon of electricity, by region.
    pub carbon: Vec<Carbon>,
}

impl Catalog {
    /// The accelerator behind an id.
    pub fn gpu(&self, id: GpuId) -> &Gpu {
        &self.gpus[usize::from(id.0)]
    }

    /// The machine behind an id.
    pub fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[usize::from(id.0)]
    }

    /// The provider behind an id.
    pub fn provider(&self, id: ProviderId) -> &Provider {
        &self.providers[usize::from(id.0)]
    }

    /// The region behind an id.
    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[usize::from(id.0)]
    }

    /// Seat of the company that runs a region: its own operator, else the provider. `None` is unknown, as for a
    /// partition of its own abroad (AWS in China) whose operator no source names.
    pub fn operator_country(&self, id: RegionId) -> Option<&str> {
        let region = self.region(id);
        let at_home = |country: &&str| !region.is_apart() || region.country.as_deref() == Some(*country);
        let operator = self.provider(region.provider).operator.as_ref();
        let provider = || operator.map(|it| it.country.as_str()).filter(at_home);
        region.operator_country.as_deref().or_else(provider)
    }

    /// The source behind an id.
    pub fn source(&self, id: SourceId) -> &Source {
        &self.sources[usize::from(id.0)]
    }

    /// All prices of one machine, ordered by region, billing kind and upfront.
    pub fn prices_of(&self, id: InstanceId) -> &[Price] {
        let start = self.prices.partition_point(|p| p.instance < id);
        let len = self.prices[start..].partition_point(|p| p.instance == id);
        &self.prices[start..start + len]
    }
}
