//! Where what the user says, and what the file itself lists, cannot both be true.

use super::Table;
use super::cluster::{Cluster, Said};
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use std::collections::{BTreeMap, BTreeSet};

/// The id of a cause, and what contradicts what.
type Conflict = (&'static str, String);

/// All contradictions of a table, the gravest first.
pub(super) fn of(catalog: &Catalog, table: &Table, cluster: &Cluster, said: &Said) -> Vec<Conflict> {
    let mut found = Vec::new();
    let kinds = kinds(catalog, table);
    found.extend(mixed(&kinds));
    found.extend(other_gpu(catalog, &kinds, cluster, said));
    found.extend(counts(table, cluster, said));
    found.extend(too_many_each(catalog, cluster, said));
    found
}

/// Names of GPUs that the ranks list and the catalog knows, with what each can mean and how many ranks have it.
fn kinds<'a>(catalog: &Catalog, table: &'a Table) -> BTreeMap<&'a str, (Vec<GpuId>, usize)> {
    let mut kinds: BTreeMap<&str, (Vec<GpuId>, usize)> = BTreeMap::new();
    for name in table.ranks.iter().map(|rank| rank.gpu.as_str()) {
        if name.is_empty() || name.contains(':') {
            continue;
        }
        if let Some(kind) = kinds.get_mut(name) {
            kind.1 += 1;
        } else if let Ok(spec) = catalog.resolve_gpu_spec(name) {
            kinds.insert(name, (spec.gpus, 1));
        }
    }
    kinds
}

fn mixed(kinds: &BTreeMap<&str, (Vec<GpuId>, usize)>) -> Option<Conflict> {
    let all: Vec<(&&str, &(Vec<GpuId>, usize))> = kinds.iter().collect();
    let apart = |a: &[GpuId], b: &[GpuId]| a.iter().all(|gpu| !b.contains(gpu));
    let unlike =
        all.iter().enumerate().any(|(at, (_, a))| all[at + 1..].iter().any(|(_, b)| apart(&a.0, &b.0)));
    if !unlike {
        return None;
    }
    let names: Vec<String> = all.iter().map(|(name, (_, ranks))| format!("{ranks} x {name}")).collect();
    let message = format!(
        "the run mixes unlike GPUs ({}): it is as fast as the slowest of them, and no figure of one kind is its measure",
        names.join(", ")
    );
    Some(("mixed-gpus", message))
}

fn other_gpu(
    catalog: &Catalog,
    kinds: &BTreeMap<&str, (Vec<GpuId>, usize)>,
    cluster: &Cluster,
    said: &Said,
) -> Option<Conflict> {
    let first = *said.gpu.first()?;
    let (name, _) = kinds.iter().find(|(_, (gpus, _))| gpus.iter().all(|gpu| !said.gpu.contains(gpu)))?;
    let has = &catalog.gpu(first).name;
    let what = match said.instance.and(cluster.instance) {
        Some(id) => format!("`--platform {}` has {has}", catalog.full_name(catalog.instance(id))),
        None => format!("`--gpu` says {has}"),
    };
    Some(("said-otherwise", format!("the ranks are listed as {name}, and {what}")))
}

/// Ranks and nodes as said against those listed.
fn counts(table: &Table, cluster: &Cluster, said: &Said) -> Option<Conflict> {
    let listed = table.ranks.iter().map(|rank| rank.rank.saturating_add(1)).max().unwrap_or(0);
    if let Some(ranks) = said.ranks.filter(|&ranks| ranks < listed) {
        return Some(("said-otherwise", format!("{listed} ranks are listed, and `--ranks` says {ranks}")));
    }
    let (nodes, gpus) = (said.nodes?, cluster.gpus?);
    let hosts = table.ranks.iter().map(|rank| rank.host.as_str()).collect::<BTreeSet<_>>().len() as u32;
    let whole = table.ranks.len() as u32 >= gpus && hosts > 1;
    // One device of one address on several hosts is one on each of several machines.
    let mut places: BTreeMap<(u32, &str), BTreeSet<&str>> = BTreeMap::new();
    for rank in table.ranks.iter().filter(|rank| rank.device > 0 || rank.bus.contains(':')) {
        places.entry((rank.device, &rank.bus)).or_default().insert(&rank.host);
    }
    let least = places.values().map(BTreeSet::len).max().unwrap_or(1) as u32;
    let why = if nodes > gpus || !gpus.is_multiple_of(nodes) {
        format!("{gpus} ranks do not spread over {nodes} nodes (`--nodes`)")
    } else if whole && nodes > hosts || least > 1 && nodes < least {
        format!("the ranks are listed on {hosts} hosts, and `--nodes` says {nodes}")
    } else {
        return None;
    };
    Some(("said-otherwise", why))
}

fn too_many_each(catalog: &Catalog, cluster: &Cluster, said: &Said) -> Option<Conflict> {
    let each = cluster.per_node()?;
    let (has, what) = match (said.instance, said.per_node) {
        (Some(id), _) => {
            let instance = catalog.instance(id);
            (instance.whole_gpus().max(1), format!("`--platform {}`", catalog.full_name(instance)))
        }
        (None, Some(has)) => (has, "a node of `--gpu`".to_owned()),
        (None, None) => return None,
    };
    (each > has).then(|| ("said-otherwise", format!("each node has {each} ranks, and {what} has {has} GPUs")))
}
