//! Machines, providers and GPUs that the text around a table, or the name of its file, names. What could mean several is
//! nobody's name.

use super::cluster::Cluster;
use crate::catalog::Catalog;
use crate::catalog::fabric::Fabric;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::{InstanceId, ProviderId};
use crate::catalog::lookup::names::{normalise, squeeze};
use std::collections::{BTreeMap, BTreeSet};

/// The only machine of the catalog that a text names, by its whole name or by the part before the first dot. Names that are
/// as much those of a GPU are no evidence of a machine.
pub(super) fn machine_in(
    catalog: &Catalog,
    words: &BTreeSet<String>,
    cluster: &Cluster,
) -> Option<InstanceId> {
    let telling = |name: &str| name.contains(['.', '_']) || name.contains("gpu");
    let whole = |name: &str| {
        let name = name.to_lowercase();
        telling(&name) && (words.contains(&name) || words.contains(name.trim_start_matches("standard_")))
    };
    let series = |name: &str| {
        let short = name.split_once('.').map_or("", |(short, _)| short).to_lowercase();
        short.len() >= 2 && short.bytes().any(|b| b.is_ascii_digit()) && words.contains(&short)
    };
    let fits = |id: InstanceId| {
        let instance = catalog.instance(id);
        cluster.gpu.is_none_or(|gpu| gpu == instance.gpu)
            && cluster.gpus.is_none_or(|gpus| gpus.is_multiple_of(instance.whole_gpus()))
    };
    let all = || (0..catalog.instances.len()).map(|at| InstanceId(at as u16)).filter(|&id| fits(id));
    let named = |test: &dyn Fn(&str) -> bool| -> Vec<InstanceId> {
        all().filter(|&id| test(&catalog.instance(id).name)).collect()
    };
    let mut found = named(&whole);
    if found.is_empty() {
        found = named(&series);
        // `p5` is `p5.48xlarge` rather than the one with a single GPU.
        let most = found.iter().map(|&id| catalog.instance(id).whole_gpus()).max();
        found.retain(|&id| Some(catalog.instance(id).whole_gpus()) == most);
    }
    match found.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// The only provider that a text names.
pub(super) fn provider_in(catalog: &Catalog, words: &BTreeSet<String>) -> Option<ProviderId> {
    let named = |at: &usize| {
        let provider = &catalog.providers[*at];
        provider.aliases.iter().chain([&provider.name]).any(|name| words.contains(&name.to_lowercase()))
    };
    let found: Vec<usize> = (0..catalog.providers.len()).filter(named).collect();
    match found.as_slice() {
        [only] => Some(ProviderId(*only as u16)),
        _ => None,
    }
}

/// The machine of a published platform whose name without its provider is a piece of the file's: `a3mega`.
pub(super) fn platform_in(catalog: &Catalog, stem: &str, gpu: Option<GpuId>) -> Option<InstanceId> {
    let stem = squeeze(stem);
    let names = |fabric: &&Fabric| {
        let short = fabric.platform.split_once(' ').map_or("", |(_, rest)| rest);
        let short = squeeze(short);
        short.len() >= 5 && stem.contains(&short)
    };
    let machines = catalog.fabrics.iter().filter(names).flat_map(|fabric| &fabric.instances);
    let found: BTreeSet<InstanceId> =
        machines.filter_map(|name| catalog.resolve_instance(name).ok()).collect();
    let mut found = found.into_iter().filter(|&id| gpu.is_none_or(|gpu| gpu == catalog.instance(id).gpu));
    found.next().filter(|_| found.next().is_none())
}

/// The only accelerator that a text names; a family counts as its default member.
pub(super) fn gpu_in(catalog: &Catalog, words: &BTreeSet<String>) -> Option<GpuId> {
    let mut pieces: BTreeSet<&str> = words.iter().map(String::as_str).collect();
    pieces.extend(words.iter().flat_map(|word| word.split(['-', '_', '.', '+'])));
    let mut known: BTreeMap<String, GpuId> = BTreeMap::new();
    for (at, gpu) in catalog.gpus.iter().enumerate() {
        for name in gpu.aliases.iter().chain([&gpu.name]) {
            known.insert(normalise(name), GpuId(at as u16));
        }
    }
    for family in &catalog.families {
        for name in family.aliases.iter().chain([&family.name]) {
            family.members.first().map(|&first| known.insert(normalise(name), first));
        }
    }
    let named: BTreeSet<GpuId> = pieces
        .into_iter()
        .map(|word| word.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('x'))
        .chain(words.iter().map(String::as_str))
        .filter(|word| (4..=40).contains(&word.len()) && word.bytes().any(|b| b.is_ascii_digit()))
        .filter(|word| word.bytes().any(|b| b.is_ascii_alphabetic()))
        .filter_map(|word| known.get(&normalise(word)).copied())
        .collect();
    match named.iter().copied().collect::<Vec<_>>().as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}
