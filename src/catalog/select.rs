//! Filters over machines and prices, for listings and for the search. Pure; an empty list filters nothing.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::Catalog;
use super::charge::{Charge, Charges};
use super::gpu::{GpuId, Stack};
use super::instance::{Instance, InstanceId, ProviderId, Tier};
use super::lookup::GpuSelection;
use super::price::{Billing, Price};
use super::region::RegionId;

/// What a machine, a region and a price must satisfy. What is not known does not comply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Only these machines.
    pub instances: Vec<InstanceId>,
    /// Only these providers.
    pub providers: Vec<ProviderId>,
    /// Only these kinds of providers.
    pub tiers: Vec<Tier>,
    /// Only accelerators with one of these stacks.
    pub stacks: Vec<Stack>,
    /// Only machines that one of these GPU specs means.
    pub gpus: Vec<GpuSelection>,
    /// Least virtual CPUs of one machine.
    pub min_vcpus: Option<f64>,
    /// Least main memory of one machine in GiB.
    pub min_ram_gib: Option<f64>,
    /// No shares of a GPU.
    pub no_fractional: bool,
    /// Only these regions.
    pub regions: Vec<RegionId>,
    /// Only regions in these countries, ISO 3166 codes.
    pub countries: Vec<String>,
    /// Only regions under one of these jurisdictions.
    pub jurisdictions: Vec<String>,
    /// Only regions whose operator has its seat in one of these countries, ISO 3166 codes.
    pub operator_countries: Vec<String>,
    /// The same for countries under one of the asked jurisdictions; both must hold.
    pub operator_under: Vec<String>,
    /// Only these billing kinds.
    pub billing: Vec<Billing>,
    /// Only prices that are young enough.
    pub max_age: Option<MaxAge>,
}

/// The oldest price that still counts; age runs from the earliest day that the source allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxAge {
    /// Days.
    pub days: u32,
    /// The day that age is counted to.
    pub today: Date,
}

/// The first thing that a machine, a region or a price fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Miss {
    /// Another machine.
    Instance,
    /// Another provider.
    Provider,
    /// Another kind of provider.
    Tier,
    /// An accelerator with another software stack.
    Stack,
    /// Another GPU.
    Gpu,
    /// Another number of GPUs per node.
    GpusPerNode,
    /// A share of a GPU.
    Fractional,
    /// Too few virtual CPUs, or not known.
    Vcpus,
    /// Too little main memory, or not known.
    Ram,
    /// Another region.
    Region,
    /// Another country, or not known.
    Country,
    /// Another jurisdiction, or not known.
    Jurisdiction,
    /// The operator has its seat elsewhere, or it is not known.
    Operator,
    /// Another billing kind.
    Billing,
    /// The price is too old.
    Age,
}

impl Miss {
    /// Stable kebab-case name, as in `rejected` of the outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Instance => "instance",
            Self::Provider => "provider",
            Self::Tier => "tier",
            Self::Stack => "stack",
            Self::Gpu => "gpu",
            Self::GpusPerNode => "gpus-per-node",
            Self::Fractional => "fractional",
            Self::Vcpus => "min-vcpus",
            Self::Ram => "min-ram",
            Self::Region => "region",
            Self::Country => "country",
            Self::Jurisdiction => "jurisdiction",
            Self::Operator => "operator",
            Self::Billing => "billing",
            Self::Age => "max-age",
        }
    }
}

impl MaxAge {
    /// Whether a price of this source is young enough.
    pub fn holds(self, earliest: Date) -> bool {
        age_days(earliest, self.today) <= i64::from(self.days)
    }
}

/// Days from one day to another.
pub fn age_days(from: Date, to: Date) -> i64 {
    from.until(to).map_or(i64::MAX, |span| i64::from(span.get_days()))
}

impl Filter {
    /// What a machine fails first; `None` when it passes.
    pub fn miss(&self, catalog: &Catalog, id: InstanceId) -> Option<Miss> {
        let instance = catalog.instance(id);
        let provider = catalog.provider(instance.provider);
        let outside = [
            (!allows(&self.instances, &id), Miss::Instance),
            (!allows(&self.providers, &instance.provider), Miss::Provider),
            (!allows(&self.tiers, &provider.tier), Miss::Tier),
            (!allows(&self.stacks, &catalog.gpu(instance.gpu).stack), Miss::Stack),
        ];
        if let Some((_, miss)) = outside.into_iter().find(|(missed, _)| *missed) {
            return Some(miss);
        }
        self.gpu_miss(instance).or_else(|| self.size_miss(instance))
    }

    fn gpu_miss(&self, instance: &Instance) -> Option<Miss> {
        if self.gpus.is_empty() {
            return None;
        }
        let named = || self.gpus.iter().filter(|selection| selection.gpus.contains(&instance.gpu));
        if named().next().is_none() {
            return Some(Miss::Gpu);
        }
        let holds = |count: u32| !instance.is_fractional() && instance.whole_gpus() == count;
        let counted = named().any(|selection| selection.per_node.is_none_or(holds));
        (!counted).then_some(Miss::GpusPerNode)
    }

    fn size_miss(&self, instance: &Instance) -> Option<Miss> {
        let below = |least: Option<f64>, have: Option<f64>| {
            least.is_some_and(|least| have.is_none_or(|have| have < least))
        };
        if self.no_fractional && instance.is_fractional() {
            return Some(Miss::Fractional);
        }
        if below(self.min_vcpus, instance.vcpus) {
            return Some(Miss::Vcpus);
        }
        below(self.min_ram_gib, instance.ram_gib).then_some(Miss::Ram)
    }

    /// What a region fails first; `None` when it passes. An unknown country complies with nothing.
    pub fn region_miss(&self, catalog: &Catalog, id: RegionId) -> Option<Miss> {
        let region = catalog.region(id);
        if !allows(&self.regions, &id) {
            return Some(Miss::Region);
        }
        let is = |wanted: &String, have: &str| wanted.eq_ignore_ascii_case(have);
        let country = region.country.as_deref();
        if !self.countries.is_empty()
            && !country.is_some_and(|have| self.countries.iter().any(|wanted| is(wanted, have)))
        {
            return Some(Miss::Country);
        }
        let under = |wanted: &String| region.jurisdictions.iter().any(|have| is(wanted, have));
        if !self.jurisdictions.is_empty() && !self.jurisdictions.iter().any(under) {
            return Some(Miss::Jurisdiction);
        }
        let seat = || catalog.operator_country(id);
        let lacks = |wanted: &[String]| {
            !wanted.is_empty() && !seat().is_some_and(|have| wanted.iter().any(|one| is(one, have)))
        };
        (lacks(&self.operator_countries) || lacks(&self.operator_under)).then_some(Miss::Operator)
    }

    /// Whether not every region passes.
    pub fn limits_places(&self) -> bool {
        let lists = [&self.countries, &self.jurisdictions, &self.operator_countries, &self.operator_under];
        !self.regions.is_empty() || lists.into_iter().any(|list| !list.is_empty())
    }

    /// What a price fails first: its region, its kind, its age; `None` when it passes. The machine is judged by `miss`.
    pub fn price_miss(&self, catalog: &Catalog, price: &Price) -> Option<Miss> {
        self.region_miss(catalog, price.region).or_else(|| {
            let too_old = |limit: MaxAge| !limit.holds(catalog.source(price.source).as_of.not_before());
            if allows(&self.billing, &price.billing) {
                self.max_age.is_some_and(too_old).then_some(Miss::Age)
            } else {
                Some(Miss::Billing)
            }
        })
    }

    /// What is billed besides the machine; a price of storage or egress that is too old counts as not known.
    pub fn charges<'c>(&self, catalog: &'c Catalog, instance: InstanceId, region: RegionId) -> Charges<'c> {
        let all = catalog.charges(instance, region);
        let young = |charge: &&Charge| {
            let earliest = catalog.source(charge.source).as_of.not_before();
            self.max_age.is_none_or(|limit| limit.holds(earliest))
        };
        Charges { storage: all.storage.filter(young), egress: all.egress.filter(young), ..all }
    }

    /// The machines that pass, in catalog order. With a limit on regions, those that have a price in one that passes.
    pub fn instances(&self, catalog: &Catalog) -> Vec<InstanceId> {
        let limits_regions = self.limits_places();
        let ids = (0..catalog.instances.len()).map(|at| InstanceId(at as u16));
        let passes = |&id: &InstanceId| {
            let sold = || {
                catalog.prices_of(id).iter().any(|price| self.region_miss(catalog, price.region).is_none())
            };
            self.miss(catalog, id).is_none() && (!limits_regions || sold())
        };
        ids.filter(passes).collect()
    }

    /// The prices that pass, machine included, in catalog order.
    pub fn prices<'c>(&self, catalog: &'c Catalog) -> Vec<&'c Price> {
        let ids = (0..catalog.instances.len()).map(|at| InstanceId(at as u16));
        let machines = ids.filter(|&id| self.miss(catalog, id).is_none());
        let prices = machines.flat_map(|id| catalog.prices_of(id));
        prices.filter(|price| self.price_miss(catalog, price).is_none()).collect()
    }

    /// Why nothing passes: each reason with the machines or prices that fail it first, most frequent first.
    pub fn misses(&self, catalog: &Catalog) -> Vec<(Miss, usize)> {
        let mut counts: BTreeMap<Miss, usize> = BTreeMap::new();
        for id in (0..catalog.instances.len()).map(|at| InstanceId(at as u16)) {
            if let Some(miss) = self.miss(catalog, id) {
                *counts.entry(miss).or_default() += 1;
                continue;
            }
            for miss in catalog.prices_of(id).iter().filter_map(|price| self.price_miss(catalog, price)) {
                *counts.entry(miss).or_default() += 1;
            }
        }
        let mut counts: Vec<(Miss, usize)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        counts
    }

    /// The GPUs that pass, in catalog order.
    pub fn gpus(&self, catalog: &Catalog) -> Vec<GpuId> {
        let ids = (0..catalog.gpus.len()).map(|at| GpuId(at as u16));
        let asked = |&id: &GpuId| {
            self.gpus.is_empty() || self.gpus.iter().any(|selection| selection.gpus.contains(&id))
        };
        ids.filter(|id| asked(id) && allows(&self.stacks, &catalog.gpu(*id).stack)).collect()
    }
}

/// Whether a list names a value, or filters nothing.
fn allows<T: PartialEq>(list: &[T], value: &T) -> bool {
    list.is_empty() || list.contains(value)
}

#[cfg(test)]
mod tests;
