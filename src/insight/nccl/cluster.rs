//! Which cluster a table is of: collective, GPUs, nodes, machine. What the file does not say is inferred from the figures
//! themselves, or from the text around them, and each inference is an assumption.

use super::names::{gpu_in, machine_in, platform_in, provider_in};
use super::{Collective, Log, Point, Table};
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::{InstanceId, ProviderId};
use crate::diag::Assumption;
use std::collections::{BTreeMap, BTreeSet};

/// What the user says about a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// The collective.
    pub collective: Option<Collective>,
    /// The accelerator, or the members of a family.
    pub gpu: Vec<GpuId>,
    /// Ranks, one for each accelerator.
    pub ranks: Option<u32>,
    /// Accelerators in one machine.
    pub per_node: Option<u32>,
    /// Machines.
    pub nodes: Option<u32>,
    /// The machine.
    pub instance: Option<InstanceId>,
}

/// A table's cluster, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cluster {
    /// Collectives that it can be; one when it is known.
    pub collectives: Vec<Collective>,
    /// Ranks in all.
    pub gpus: Option<u32>,
    /// Machines.
    pub nodes: Option<u32>,
    /// The accelerator.
    pub gpu: Option<GpuId>,
    /// Its name as the tool printed it.
    pub printed: Option<String>,
    /// The machine.
    pub instance: Option<InstanceId>,
    /// The only provider that the file names: published figures of others are left out where there are some of it.
    pub provider: Option<ProviderId>,
    /// The accelerator or the machine comes from the text around the table, not from its header.
    pub guessed: bool,
    /// What the file lists and what is said of it cannot both be true: ids of causes, and what contradicts what.
    pub conflicts: Vec<(&'static str, String)>,
    /// What was inferred.
    pub assumptions: Vec<Assumption>,
}

impl Cluster {
    /// The collective, where it is known.
    pub fn collective(&self) -> Option<Collective> {
        match self.collectives.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Ranks on one machine.
    pub fn per_node(&self) -> Option<u32> {
        let (gpus, nodes) = (self.gpus?, self.nodes?);
        (nodes > 0 && gpus.is_multiple_of(nodes)).then(|| gpus / nodes)
    }

    fn assume(&mut self, id: &'static str, value: &dyn ToString, why: &str) {
        let (value, why) = (value.to_string(), why.to_owned());
        self.assumptions.push(Assumption { id, value, why, source: "the file".to_owned() });
    }
}

/// Attributes a table.
pub fn of(catalog: &Catalog, file: &str, log: &Log, table: &Table, said: &Said) -> Cluster {
    let mut words = log.words.clone();
    let stem = file.rsplit(['/', '\\']).next().unwrap_or(file).to_lowercase();
    words.extend(stem.split(['_', '.', ' ']).map(str::to_owned));
    words.insert(stem.clone());
    let mut cluster = Cluster::default();
    collective(&mut cluster, table, &stem, &words, said);
    count(&mut cluster, table, said);
    hardware(&mut cluster, catalog, table, (&words, &stem), said);
    nodes(&mut cluster, catalog, table, said);
    cluster.conflicts = super::conflicts::of(catalog, table, &cluster, said);
    cluster
}

/// The row with the most digits.
fn widest(table: &Table) -> Option<&Point> {
    let digits = |point: &Point| point.sample().map_or(0.0, |sample| sample.algbw_gb_per_s);
    table.rows.iter().filter(|point| point.size_bytes > 0.0).max_by(|a, b| digits(a).total_cmp(&digits(b)))
}

/// Ranks whose parts make up the size, where the count is that of one part.
fn parts(point: &Point) -> f64 {
    if point.count <= 0.0 { 1.0 } else { point.size_bytes / (point.count * point.element_bytes) }
}

fn collective(cluster: &mut Cluster, table: &Table, stem: &str, words: &BTreeSet<String>, said: &Said) {
    if let Some(said) = said.collective {
        cluster.collectives = vec![said];
        return;
    }
    let mut named = table.named.clone();
    named.sort_unstable();
    named.dedup();
    if let [only] = named.as_slice() {
        cluster.collectives = vec![*only];
        return;
    }
    let possible = widest(table).map(possible).unwrap_or_default();
    if possible.len() == 1 {
        cluster.collectives = possible;
        return;
    }
    let mut texts: Vec<Collective> = words.iter().filter_map(|word| Collective::from_name(word)).collect();
    texts.extend(Collective::names().filter(|name| stem.contains(name)).filter_map(Collective::from_name));
    texts.extend(stem.contains("allgather").then_some(Collective::AllGather));
    texts.extend(stem.contains("allreduce").then_some(Collective::AllReduce));
    texts.retain(|it| it.is_plain() && (possible.is_empty() || possible.contains(it)));
    texts.sort_unstable();
    texts.dedup();
    if let [only] = texts.as_slice() {
        cluster.collectives = vec![*only];
        cluster.assume(
            "nccl-collective",
            &only.name(),
            "its name stands in the text of the file, not in a header",
        );
        return;
    }
    cluster.collectives = possible;
}

/// What a row can be: by its operation, its root, its count and the ratio of its bandwidths.
fn possible(point: &Point) -> Vec<Collective> {
    use Collective::{
        AllGather, AllReduce, AllToAll, Broadcast, Gather, Reduce, ReduceScatter, Scatter, SendRecv,
    };
    let shared = parts(point) > 1.5;
    let sums = point.operation.as_deref().is_some_and(|operation| operation != "none");
    let rooted = point.root.is_some_and(|root| root >= 0);
    let ratio = point.sample().filter(|it| it.algbw_gb_per_s > 1.0 && it.busbw_gb_per_s > 0.0);
    let ratio = ratio.map(|it| it.busbw_gb_per_s / it.algbw_gb_per_s);
    match (sums, shared, rooted) {
        (true, true, _) => vec![ReduceScatter],
        (true, false, true) => vec![Reduce],
        (true, false, false) if ratio.is_some_and(|ratio| ratio < 0.98) => vec![ReduceScatter],
        (true, false, false) => vec![AllReduce],
        (false, true, true) => vec![Gather, Scatter],
        (false, true, false) => vec![AllGather, AllToAll],
        (false, false, true) => vec![Broadcast],
        (false, false, false) => match ratio {
            Some(ratio) if ratio > 1.02 => vec![AllReduce],
            Some(ratio) if ratio < 0.98 => vec![AllGather, AllToAll],
            // nccom-test has neither operation nor root; two ranks have the factor 1.
            _ if point.operation.is_none() => vec![],
            _ => vec![SendRecv],
        },
    }
}

/// Ranks in all: as said, as listed, else what the columns themselves tell.
fn count(cluster: &mut Cluster, table: &Table, said: &Said) {
    let listed = table.ranks.iter().map(|rank| rank.rank.saturating_add(1)).max();
    if let Some(known) = said.ranks.or(listed).or(table.asked.0) {
        cluster.gpus = Some(known);
        return;
    }
    let Some(point) = widest(table) else {
        cluster.gpus = table.threads_by_gpus.filter(|&gpus| gpus > 1);
        return;
    };
    let inferred = by_parts(point).or_else(|| by_ratio(point, cluster.collective()?));
    if let Some(gpus) = inferred {
        cluster.gpus = Some(gpus);
        cluster.assume(
            "nccl-gpus",
            &gpus,
            "no ranks are listed; the columns of the table are those of so many",
        );
    } else if let Some(gpus) = table.threads_by_gpus.filter(|&gpus| gpus > 1) {
        cluster.gpus = Some(gpus);
        cluster.assume("nccl-gpus", &gpus, "no ranks are listed; one process has so many GPUs");
    }
}

fn by_parts(point: &Point) -> Option<u32> {
    let parts = parts(point);
    let whole = parts.round();
    ((parts - whole).abs() < 1e-6 && (2.0..1e6).contains(&whole)).then_some(whole as u32)
}

/// n of 2(n-1)/n or (n-1)/n; bandwidths are printed with two decimals, so that n has a range. The usual number in it is
/// taken: the only one, else the only multiple of 8, else the only one of 4.
fn by_ratio(point: &Point, collective: Collective) -> Option<u32> {
    let sample = point.sample().filter(|sample| sample.algbw_gb_per_s >= 1.0)?;
    let steps = match collective {
        Collective::AllReduce => 2.0,
        Collective::AllGather | Collective::ReduceScatter | Collective::AllToAll => 1.0,
        _ => return None,
    };
    let n = |busbw: f64, algbw: f64| {
        let missing = 1.0 - busbw / algbw / steps;
        if missing > 1e-6 { 1.0 / missing } else { f64::INFINITY }
    };
    let (algbw, busbw) = (sample.algbw_gb_per_s, sample.busbw_gb_per_s);
    let (low, high) = (n(busbw - 0.006, algbw + 0.006), n(busbw + 0.006, algbw - 0.006));
    if !(low.is_finite() && (1.5..5e4).contains(&high)) {
        return None;
    }
    let multiples = |of: f64| -> Vec<u32> {
        let (first, last) = ((low / of).ceil(), (high / of).floor());
        let last = last.min(first + 2.0);
        (0..3).map(|i| first + f64::from(i)).filter(|at| *at <= last).map(|at| (at * of) as u32).collect()
    };
    [1.0, 8.0, 4.0].into_iter().find_map(|of| match multiples(of).as_slice() {
        [only] if *only >= 2 => Some(*only),
        _ => None,
    })
}

/// Accelerator and machine: as said, as printed, else the only ones that the text names.
fn hardware(
    cluster: &mut Cluster,
    catalog: &Catalog,
    table: &Table,
    (words, stem): (&BTreeSet<String>, &str),
    said: &Said,
) {
    cluster.provider = provider_in(catalog, words);
    let names: BTreeSet<&str> =
        table.ranks.iter().map(|rank| rank.gpu.as_str()).filter(|name| !name.is_empty()).collect();
    cluster.printed = names.first().map(|name| (*name).to_owned());
    cluster.instance = said.instance;
    let printed = cluster.printed.as_deref().filter(|name| !name.contains(':'));
    let printed = printed.and_then(|name| catalog.resolve_gpu_spec(name).ok()?.gpus.first().copied());
    cluster.gpu = match (said.gpu.first(), printed) {
        (Some(_), Some(printed)) if said.gpu.contains(&printed) => Some(printed),
        (Some(said), _) => Some(*said),
        (None, printed) => printed,
    };
    if cluster.instance.is_none()
        && let Some(id) =
            machine_in(catalog, words, cluster).or_else(|| platform_in(catalog, stem, cluster.gpu))
    {
        cluster.instance = Some(id);
        let name = catalog.full_name(catalog.instance(id));
        cluster.assume("nccl-platform", &name, "the file names this machine; say `--platform PROVIDER/TYPE`");
        cluster.guessed = true;
    }
    if let (None, Some(id)) = (cluster.gpu, cluster.instance) {
        cluster.gpu = Some(catalog.instance(id).gpu);
    }
    if cluster.gpu.is_none()
        && let Some(id) = gpu_in(catalog, words)
    {
        cluster.gpu = Some(id);
        let name = catalog.gpu(id).name.clone();
        cluster.assume(
            "nccl-gpu",
            &name,
            "the table does not name its GPU, the text around it does; say `--gpu NAME`",
        );
        cluster.guessed = true;
    }
}

/// Machines: as said; by hosts and devices of the listed ranks; by the size of the machine; 8 GPUs each.
fn nodes(cluster: &mut Cluster, catalog: &Catalog, table: &Table, said: &Said) {
    if let Some(nodes) = said.nodes.or_else(|| listed_nodes(table, cluster.gpus)).or(table.asked.1) {
        cluster.nodes = Some(nodes);
        return;
    }
    let Some(gpus) = cluster.gpus else { return };
    if let Some(each) = said.per_node.filter(|&each| gpus.is_multiple_of(each) || gpus < each) {
        cluster.nodes = Some((gpus / each).max(1));
        return;
    }
    if let Some(hosts) = table.hosts.filter(|&hosts| gpus.is_multiple_of(hosts)) {
        cluster.nodes = Some(hosts);
        let why = "the log lists so many hosts; say `--nodes N` where not all of them took part";
        cluster.assume("nccl-nodes", &hosts, why);
        return;
    }
    if let Some(id) = cluster.instance {
        let each = catalog.instance(id).whole_gpus();
        if gpus.is_multiple_of(each) || gpus < each {
            cluster.nodes = Some((gpus / each).max(1));
            let name = catalog.full_name(catalog.instance(id));
            cluster.assume("nccl-nodes", &(gpus / each).max(1), &format!("{name} has {each} GPUs"));
            return;
        }
    }
    if gpus > 8 && !gpus.is_multiple_of(8) {
        return;
    }
    let nodes = (gpus / 8).max(1);
    cluster.nodes = Some(nodes);
    cluster.assume(
        "nccl-nodes",
        &nodes,
        "no hosts are listed; nodes of eight GPUs are taken; say `--nodes N`",
    );
}

/// Hosts of the ranks. Where some ranks are missing from the list, the highest device tells how many a host has; where all
/// hosts have one name, how often a device stands there.
fn listed_nodes(table: &Table, gpus: Option<u32>) -> Option<u32> {
    let mut devices: BTreeMap<(&str, u32, &str), u32> = BTreeMap::new();
    for rank in &table.ranks {
        *devices.entry((&rank.host, rank.device, &rank.bus)).or_default() += 1;
    }
    let hosts = devices.keys().map(|(host, ..)| *host).collect::<BTreeSet<_>>().len() as u32;
    let each = devices.keys().map(|(_, device, _)| device.saturating_add(1)).max()?;
    let gpus = gpus?;
    if table.ranks.len() as u32 >= gpus {
        let repeated = devices.values().copied().max().unwrap_or(1);
        return Some(if hosts == 1 { repeated.max(1) } else { hosts });
    }
    gpus.is_multiple_of(each).then(|| (gpus / each).max(hosts))
}
