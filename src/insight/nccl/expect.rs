//! What a healthy cluster of that kind reaches: published figures of the same platform, else shares of the links.

mod share;

pub(super) use share::low_of;

use super::Collective;
use super::cluster::Cluster;
use super::links::{self, Link};
use super::verdict::Basis;
use crate::catalog::Catalog;
use crate::catalog::fabric::{Fabric, FabricKind};
use crate::catalog::gpu::Gpu;
use crate::catalog::knowledge::Constant;
use crate::catalog::provenance::SourceId;
use std::collections::BTreeMap;

/// What one platform that the table could be of is expected to reach, in 10^9 bytes per second.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is told or asked for alone")]
pub struct Expectation {
    /// The platform.
    pub platform: String,
    /// Below it the cluster is slow.
    pub low: f64,
    /// What it should reach.
    pub expected: f64,
    /// The most that is known of such clusters.
    pub high: f64,
    /// Size of the message that the figures are of; `None` for the plateau.
    pub size_bytes: Option<f64>,
    /// What it rests on.
    pub basis: Basis,
    /// Time of a small message there, in microseconds.
    pub latency_us: Option<f64>,
    /// What the links could carry, where that is known.
    pub link_gb_per_s: Option<f64>,
    /// The most that this link can carry, whatever the run.
    pub(super) most_link: Option<f64>,
    /// The most that the network cards of the nodes can carry, whatever the run.
    pub(super) most_wire: Option<f64>,
    /// It is a mesh without a switch, whose rate depends on how many GPUs take part.
    pub(super) mesh: bool,
    /// The nodes are joined by the links of their GPUs, not by network cards.
    pub domain: bool,
    /// The published runs are of fewer and of more GPUs than took part.
    pub(super) between: bool,
    /// GPUs of the published runs.
    pub(super) ranks: Option<u32>,
    /// That link is PCIe.
    pub pcie: bool,
    /// Where the figures come from, the most telling first.
    pub sources: Vec<SourceId>,
}

/// The constants of judging, each a row of the catalog; a catalog that lacks one judges nothing.
#[derive(Clone, Debug)]
pub struct Limits<'a> {
    pub(super) warn: &'a Constant,
    pub(super) report: &'a Constant,
    pub(super) link: &'a Constant,
    pub(super) pcie: &'a Constant,
    pub(super) nic: &'a Constant,
    pub(super) wire: &'a Constant,
    /// Beyond this share of what a link or a network card can carry, the figure is of something else.
    pub(super) over: f64,
    pub(super) fallback: f64,
    pub(super) plateau_bytes: f64,
    /// Growth of the last doubling below which a table is at its plateau.
    pub growth: f64,
    pub(super) node_latency_us: f64,
    pub(super) nodes_latency_us: f64,
    pub(super) latency_factor: f64,
    /// Messages up to so many bytes show the latency alone.
    pub(super) small_bytes: f64,
    /// How far the columns of a row may disagree, as a share.
    pub(super) agree: f64,
    /// Bandwidths below this have too few digits to be compared with each other, 10^9 bytes per second.
    pub(super) least_gb_per_s: f64,
}

impl<'a> Limits<'a> {
    /// Looks them up.
    pub fn of(catalog: &'a Catalog) -> Option<Self> {
        let get = |key: &str, class: Option<&str>| catalog.constant(key, None, None, class, 1);
        let value = |key: &str, class: Option<&str>| get(key, class).map(|constant| constant.value);
        Some(Self {
            warn: get("network-warn-share", None)?,
            report: get("network-report-share", None)?,
            link: get("network-link-share", None)?,
            pcie: get("network-pcie-share", None)?,
            nic: get("network-nic-share", None)?,
            wire: get("network-wire-share", None)?,
            over: value("network-over-share", None)?,
            fallback: value("network-fallback-share", None)?,
            plateau_bytes: value("network-plateau-bytes", None)?,
            growth: value("network-saturated-growth", None)?,
            node_latency_us: value("network-latency-us", Some("node"))?,
            nodes_latency_us: value("network-latency-us", Some("nodes"))?,
            latency_factor: value("network-latency-factor", None)?,
            small_bytes: value("network-small-bytes", None)?,
            agree: value("network-agree-share", None)?,
            least_gb_per_s: value("network-least-gb-s", None)?,
        })
    }
}

/// All that the table can be held against; empty where GPU, ranks or nodes are not known, or no figure exists.
pub fn expectations(catalog: &Catalog, limits: &Limits, cluster: &Cluster) -> Vec<Expectation> {
    let (Some(id), Some(gpus), Some(nodes)) = (cluster.gpu, cluster.gpus, cluster.nodes) else {
        return Vec::new();
    };
    if gpus < 2 {
        return Vec::new();
    }
    let gpu = catalog.gpu(id);
    let place = Place { catalog, limits, cluster, gpu, gpus, nodes };
    cluster.collectives.iter().flat_map(|&collective| place.of(collective)).collect()
}

pub(super) struct Place<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) limits: &'a Limits<'a>,
    pub(super) cluster: &'a Cluster,
    pub(super) gpu: &'a Gpu,
    pub(super) gpus: u32,
    pub(super) nodes: u32,
}

impl Place<'_> {
    fn of(&self, collective: Collective) -> Vec<Expectation> {
        let mut rows = self.rows(collective);
        if rows.is_empty() {
            rows = self.of_other_rings(collective);
        }
        if rows.is_empty() {
            let formula = self.by_formula(collective).into_iter();
            return formula.map(|it| self.bounded(collective, it)).collect();
        }
        let own = self.own();
        let of_own = rows.iter().any(|row| own.as_ref().is_some_and(|own| row.instances.contains(own)));
        let mut platforms: BTreeMap<(&str, Option<u32>), Vec<&Fabric>> = BTreeMap::new();
        let between = rows.iter().any(|row| row.gpus < Some(self.gpus))
            && rows.iter().any(|row| row.gpus > Some(self.gpus));
        for row in rows {
            // Nodes with one sort of GPU and switch are alike, whoever rents them out.
            let platform = if self.nodes == 1 { self.gpu.name.as_str() } else { row.platform.as_str() };
            platforms.entry((platform, row.gpus)).or_default().push(row);
        }
        let known: Vec<f64> = platforms.values().flatten().filter_map(|row| row.network_gbps).collect();
        let mut all: Vec<Expectation> =
            platforms.into_values().filter_map(|rows| self.published(collective, &rows)).collect();
        for it in &mut all {
            it.between = between;
        }
        if self.nodes == 1 && self.gpu.link_pairs_only && !of_own {
            all.extend(self.unbridged(collective));
        }
        if self.nodes > 1
            && self.cluster.instance.is_none()
            && self.cluster.provider.is_none()
            && !known.is_empty()
        {
            // Others rent such GPUs out with slower or faster networks, of which nobody published a run.
            let mut networks = self.networks();
            networks.retain(|milli, _| !known.contains(&(*milli as f64 / 1e3)));
            all.extend(self.network_shares(collective, networks));
        }
        all
    }

    /// Published figures of the machine where there are any, else of any with that GPU; one node, two, or more.
    fn rows(&self, collective: Collective) -> Vec<&Fabric> {
        let own = self.own();
        let class = |nodes: u32| nodes.min(3);
        let fits = |row: &&Fabric| {
            row.collective == collective.name()
                && self.is_gpu(&row.gpu)
                && row.nodes.is_some_and(|nodes| class(nodes) == class(self.nodes))
                && row.gpus.is_some_and(|gpus| self.nodes > 1 || gpus == self.gpus)
        };
        let mut rows: Vec<&Fabric> = self.catalog.fabrics.iter().filter(fits).collect();
        let of_own = |row: &&Fabric| own.as_ref().is_some_and(|own| row.instances.contains(own));
        if rows.iter().any(of_own) {
            rows.retain(of_own);
        } else if own.is_some() && self.nodes > 1 {
            return Vec::new();
        }
        let of_provider = |row: &&Fabric| {
            let provider = self.cluster.provider.map(|id| self.catalog.provider(id));
            provider.is_some_and(|it| {
                let first = row.platform.split(' ').next().unwrap_or_default().to_lowercase();
                it.name == first || it.aliases.iter().any(|alias| alias.to_lowercase() == first)
            })
        };
        if self.nodes > 1 && rows.iter().any(of_provider) {
            rows.retain(of_provider);
        }
        self.nearest(&mut rows);
        rows
    }

    /// The machine by its full name, where it is known.
    pub(super) fn own(&self) -> Option<String> {
        self.cluster.instance.map(|id| self.catalog.full_name(self.catalog.instance(id)))
    }

    pub(super) fn is_gpu(&self, name: &str) -> bool {
        let family = self.catalog.families.iter().find(|family| family.name == name);
        let member = |id: &crate::catalog::gpu::GpuId| self.catalog.gpu(*id).name == self.gpu.name;
        name == self.gpu.name || family.is_some_and(|family| family.members.iter().any(member))
    }

    /// Limits of health checks are taken as they are; of runs and expectations the share that operators warn at.
    fn published(&self, collective: Collective, rows: &[&Fabric]) -> Option<Expectation> {
        let (limits, figures): (Vec<&Fabric>, Vec<&Fabric>) =
            rows.iter().copied().partition(|row| row.kind == FabricKind::Threshold);
        let value = |row: &&Fabric| row.busbw_gb_per_s;
        let warn = self.limits.warn.value;
        let mut values: Vec<f64> = figures.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        let lowest = |rows: &mut dyn Iterator<Item = f64>| rows.fold(f64::INFINITY, f64::min);
        let limit = lowest(&mut limits.iter().map(value));
        // An operator's own limit is for its own machines.
        let own = self.own();
        let of_own = |row: &Fabric| own.as_ref().is_some_and(|own| row.instances.contains(own));
        let warned = lowest(
            &mut figures
                .iter()
                .map(|row| row.warn_gb_per_s.filter(|_| of_own(row)).unwrap_or(row.busbw_gb_per_s * warn)),
        );
        let low = if limit.is_finite() { limit } else { warned };
        let expected = values.get(values.len() / 2).copied().unwrap_or(limit);
        let first = figures.first().or(limits.first())?;
        let sizes: Vec<f64> = figures.iter().filter_map(|row| row.size_bytes).collect();
        // A figure of a small size is compared at that size.
        let size_bytes = sizes.iter().copied().find(|size| *size < self.limits.plateau_bytes);
        let mut sources: Vec<SourceId> = figures.iter().chain(&limits).map(|row| row.source).collect();
        let mut seen = std::collections::BTreeSet::new();
        sources.retain(|source| seen.insert(*source));
        let link = self.link();
        let gbps = rows.iter().filter_map(|row| row.network_gbps).reduce(f64::max);
        let sums = rows.iter().any(|row| self.link_sums(&row.link));
        Some(Expectation {
            platform: first.platform.clone(),
            low: low.min(expected),
            expected,
            high: values.last().copied().unwrap_or(expected).max(expected),
            size_bytes: size_bytes.filter(|_| sizes.len() == 1),
            basis: if figures.is_empty() { Basis::Threshold } else { Basis::Published },
            latency_us: rows.iter().filter_map(|row| row.latency_us).reduce(f64::max),
            link_gb_per_s: link.map(|link| link.usual),
            most_link: self.most_link(collective, link),
            most_wire: gbps.and_then(|gbps| self.most_wire(collective, (gbps, sums))),
            mesh: link.is_some_and(|link| link.mesh),
            pcie: link.is_some_and(|link| !link.fast),
            domain: self.nodes > 1 && rows.iter().all(|row| row.network_gbps.is_none()),
            between: false,
            ranks: first.gpus,
            sources,
        })
    }

    fn link(&self) -> Option<Link> {
        let each = self.cluster.per_node().unwrap_or(self.gpus);
        links::of(self.catalog, self.gpu, each, self.cluster.printed.as_deref())
    }

    fn most_link(&self, collective: Collective, link: Option<Link>) -> Option<f64> {
        link.map(|link| link.carries(collective, f64::from(self.gpus)))
    }

    fn most_wire(&self, collective: Collective, (gbps, sums): (f64, bool)) -> Option<f64> {
        let (n, k) = (f64::from(self.gpus), f64::from(self.nodes));
        (self.nodes > 1).then(|| links::wire(collective, n, k, (gbps / 8.0, sums)))
    }
}
