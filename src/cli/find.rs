//! One name, one thing: what `catalog show NAME` means. Kinds are tried in a fixed order; within one kind a name that
//! means several things is an error with the list.

use crate::catalog::Catalog;
use crate::catalog::gpu::{Family, GpuId};
use crate::catalog::instance::{InstanceId, ProviderId};
use crate::catalog::knowledge::{Rule, Scenario};
use crate::catalog::lookup::Reason;
use crate::catalog::lookup::names::squeeze;
use crate::catalog::preset::Preset;
use crate::catalog::region::Region;
use crate::diag::{InputError, near_names};

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub enum Found<'c> {
    /// One accelerator.
    Gpu(GpuId),
    /// A name for several accelerators.
    Family(&'c Family),
    /// A machine.
    Instance(InstanceId),
    /// Who rents machines out.
    Provider(ProviderId),
    /// A model preset.
    Model(&'c Preset),
    /// A named workload.
    Scenario(&'c Scenario),
    /// An advice rule.
    Rule(&'c Rule),
    /// A region.
    Region(&'c Region),
}

/// Looks among GPUs, families, machines, providers, models, scenarios, rules and regions, in this order.
pub fn find<'c>(catalog: &'c Catalog, name: &str) -> anyhow::Result<Found<'c>> {
    let name = name.trim();
    if let Some(found) = gpu(catalog, name)? {
        return Ok(found);
    }
    match catalog.resolve_instance(name) {
        Ok(id) => return Ok(Found::Instance(id)),
        Err(error) if error.reason == Reason::Ambiguous => return Err(error.into()),
        Err(_) => {}
    }
    let wanted = squeeze(name);
    let provider = catalog.resolve_provider(name).ok().map(Found::Provider);
    let model = || catalog.resolve_preset(name).ok().map(Found::Model);
    let scenario = || catalog.scenarios.iter().find(|it| squeeze(&it.name) == wanted).map(Found::Scenario);
    let rule = || catalog.rules.iter().find(|it| squeeze(&it.id) == wanted).map(Found::Rule);
    match provider.or_else(model).or_else(scenario).or_else(rule) {
        Some(found) => Ok(found),
        None => region(catalog, name),
    }
}

fn gpu<'c>(catalog: &'c Catalog, name: &str) -> anyhow::Result<Option<Found<'c>>> {
    let wanted = squeeze(name);
    let family = catalog
        .families
        .iter()
        .find(|family| family.aliases.iter().chain([&family.name]).any(|own| squeeze(own) == wanted));
    match catalog.resolve_gpu_spec(name) {
        // A range of memory or a count names no one thing.
        Ok(spec) if spec.memory.is_some() || spec.per_node.is_some() => Ok(None),
        Ok(spec) => match spec.gpus.as_slice() {
            [gpu] => Ok(Some(Found::Gpu(*gpu))),
            _ => Ok(family.map(Found::Family)),
        },
        Err(error) if error.reason == Reason::Ambiguous => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// `us-east-1`, or `gcp/us-east-1` where several providers have it.
fn region<'c>(catalog: &'c Catalog, name: &str) -> anyhow::Result<Found<'c>> {
    let (owner, bare) = match name.split_once('/') {
        Some((provider, region)) => (catalog.resolve_provider(provider).ok(), region),
        None => (None, name),
    };
    let found = catalog.resolve_region(bare).unwrap_or_default();
    let found = found.iter().map(|&id| catalog.region(id));
    let found: Vec<&Region> = found.filter(|it| owner.is_none_or(|owner| it.provider == owner)).collect();
    match found.as_slice() {
        [] => Err(unknown(catalog, name).into()),
        [region] => Ok(Found::Region(region)),
        several => {
            let full = |it: &&Region| format!("`{}/{}`", catalog.provider(it.provider).name, it.name);
            let names: Vec<String> = several.iter().map(full).collect();
            let message = format!("`{name}` could mean several regions: {}", names.join(", "));
            Err(InputError::new(message, "put the provider in front").into())
        }
    }
}

fn unknown(catalog: &Catalog, name: &str) -> InputError {
    let gpus = catalog.gpus.iter().map(|it| it.name.as_str());
    let names = gpus
        .chain(catalog.families.iter().map(|it| it.name.as_str()))
        .chain(catalog.instances.iter().map(|it| it.name.as_str()))
        .chain(catalog.providers.iter().map(|it| it.name.as_str()))
        .chain(catalog.presets.iter().map(|it| it.name.as_str()))
        .chain(catalog.scenarios.iter().map(|it| it.name.as_str()))
        .chain(catalog.rules.iter().map(|it| it.id.as_str()))
        .chain(catalog.regions.iter().map(|it| it.name.as_str()));
    let near = near_names(name, names).into_iter().map(str::to_owned).collect();
    let message = format!("nothing in the catalog is called `{name}`");
    let hint =
        "`gpuadvise catalog gpus`, `instances`, `models`, `scenarios` and `rules` list the names".to_owned();
    InputError { message, hint, near }
}

#[cfg(test)]
mod tests;
