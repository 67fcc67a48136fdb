//! What a healthy cluster of that kind reaches: published figures of the same platform, else shares of the links.

use super::cluster::Cluster;
use super::{Collective, measure};
use crate::catalog::Catalog;
use crate::catalog::fabric::{Fabric, FabricKind};
use crate::catalog::gpu::Gpu;
use crate::catalog::knowledge::Constant;
use crate::catalog::provenance::SourceId;
use crate::estimate::Machine;
use std::collections::BTreeMap;

/// Gbit/s in 10^9 bytes per second.
const GB_PER_GBIT: f64 = 1.0 / 8.0;

/// What one platform that the table could be of is expected to reach, in 10^9 bytes per second.
#[derive(Clone, Debug, PartialEq)]
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
    /// The nodes are joined by the links of their GPUs, not by network cards.
    pub domain: bool,
    /// That link is PCIe.
    pub pcie: bool,
    /// Where the figures come from, the most telling first.
    pub sources: Vec<SourceId>,
}

/// What an expectation rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// Published runs of that platform, or what its operator expects.
    Published,
    /// The limit of a health check.
    Threshold,
    /// A share of the link between the GPUs of a node.
    Link,
    /// A share of PCIe.
    Pcie,
    /// A share of the network cards.
    Network,
}

impl Basis {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Threshold => "threshold",
            Self::Link => "link-share",
            Self::Pcie => "pcie-share",
            Self::Network => "network-share",
        }
    }
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
    pub(super) fallback: f64,
    pub(super) plateau_bytes: f64,
    /// Growth of the last doubling below which a table is at its plateau.
    pub growth: f64,
    pub(super) node_latency_us: f64,
    pub(super) nodes_latency_us: f64,
    pub(super) latency_factor: f64,
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
            fallback: value("network-fallback-share", None)?,
            plateau_bytes: value("network-plateau-bytes", None)?,
            growth: value("network-saturated-growth", None)?,
            node_latency_us: value("network-latency-us", Some("node"))?,
            nodes_latency_us: value("network-latency-us", Some("nodes"))?,
            latency_factor: value("network-latency-factor", None)?,
        })
    }
}

fn low_of(constant: &Constant) -> f64 {
    constant.range.map_or(constant.value, |range| range.0)
}

fn high_of(constant: &Constant) -> f64 {
    constant.range.map_or(constant.value, |range| range.1)
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

struct Place<'a> {
    catalog: &'a Catalog,
    limits: &'a Limits<'a>,
    cluster: &'a Cluster,
    gpu: &'a Gpu,
    gpus: u32,
    nodes: u32,
}

impl Place<'_> {
    fn of(&self, collective: Collective) -> Vec<Expectation> {
        let rows = self.rows(collective);
        if rows.is_empty() {
            return self.by_formula(collective);
        }
        let mut platforms: BTreeMap<&str, Vec<&Fabric>> = BTreeMap::new();
        for row in rows {
            // Nodes with one sort of GPU and switch are alike, whoever rents them out.
            let platform = if self.nodes == 1 { self.gpu.name.as_str() } else { row.platform.as_str() };
            platforms.entry(platform).or_default().push(row);
        }
        let known: Vec<f64> = platforms.values().flatten().filter_map(|row| row.network_gbps).collect();
        let mut all: Vec<Expectation> =
            platforms.into_values().filter_map(|rows| self.published(&rows)).collect();
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

    /// Published figures of the machine where there are any, else of any with that GPU; one node, two, or more; of these the
    /// nearest in number of ranks.
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
        let distance = |row: &Fabric| {
            row.gpus.map_or(f64::INFINITY, |gpus| (f64::from(gpus) / f64::from(self.gpus)).ln().abs())
        };
        let nearest = rows.iter().map(|row| distance(row)).fold(f64::INFINITY, f64::min);
        rows.retain(|row| distance(row) <= nearest + 1e-9);
        rows
    }

    /// The machine by its full name, where it is known.
    fn own(&self) -> Option<String> {
        self.cluster.instance.map(|id| self.catalog.full_name(self.catalog.instance(id)))
    }

    fn is_gpu(&self, name: &str) -> bool {
        let family = self.catalog.families.iter().find(|family| family.name == name);
        let member = |id: &crate::catalog::gpu::GpuId| self.catalog.gpu(*id).name == self.gpu.name;
        name == self.gpu.name || family.is_some_and(|family| family.members.iter().any(member))
    }

    /// Limits of health checks are taken as they are; of runs and expectations the share that operators warn at.
    fn published(&self, rows: &[&Fabric]) -> Option<Expectation> {
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
        Some(Expectation {
            platform: first.platform.clone(),
            low: low.min(expected),
            expected,
            high: values.last().copied().unwrap_or(expected).max(expected),
            size_bytes: size_bytes.filter(|_| sizes.len() == 1),
            basis: if figures.is_empty() { Basis::Threshold } else { Basis::Published },
            latency_us: rows.iter().filter_map(|row| row.latency_us).reduce(f64::max),
            link_gb_per_s: self.link().map(|(link, _)| link),
            pcie: self.link().is_some_and(|(_, fast)| !fast),
            domain: self.nodes > 1 && rows.iter().all(|row| row.network_gbps.is_none()),
            sources,
        })
    }

    /// Link between the GPUs of a node in 10^9 bytes per second and direction, and whether it is more than PCIe.
    fn link(&self) -> Option<(f64, bool)> {
        let each = self.cluster.per_node().unwrap_or(self.gpus);
        let machine = Machine::of_gpu(self.catalog, self.gpu, each).ok()?;
        (machine.intra_bytes_per_s > 0.0).then_some((machine.intra_bytes_per_s / 1e9, machine.fast_intra))
    }

    fn by_formula(&self, collective: Collective) -> Vec<Expectation> {
        if self.nodes == 1 {
            return self.link_share().into_iter().collect();
        }
        self.network_shares(collective, self.networks())
    }

    /// Networks in thousandths of a Gbit/s of the machine, else of all with so many of that GPU, each with one that has it.
    fn networks(&self) -> BTreeMap<u64, String> {
        let mut networks: BTreeMap<u64, String> = BTreeMap::new();
        let mut add = |gbps: f64, name: String| {
            networks.entry((gbps * 1e3) as u64).or_insert(name);
        };
        if let Some(id) = self.cluster.instance {
            let instance = self.catalog.instance(id);
            if let Some(gbps) = instance.network_gbps {
                add(gbps, self.catalog.full_name(instance));
            }
        } else {
            let each = self.cluster.per_node();
            let alike = self.catalog.instances.iter().filter(|it| {
                self.catalog.gpu(it.gpu).name == self.gpu.name
                    && Some(it.whole_gpus()) == each
                    && !it.is_fractional()
                    && self.cluster.provider.is_none_or(|own| own == it.provider)
            });
            for instance in alike {
                if let Some(gbps) = instance.network_gbps {
                    add(gbps, self.catalog.full_name(instance));
                }
            }
        }
        networks
    }

    fn network_shares(&self, collective: Collective, networks: BTreeMap<u64, String>) -> Vec<Expectation> {
        networks
            .into_iter()
            .filter_map(|(milli, name)| self.network_share(collective, milli as f64 / 1e3, name))
            .collect()
    }

    /// One node: a share of the link of its GPUs, or of PCIe.
    fn link_share(&self) -> Option<Expectation> {
        let (link, fast) = self.link()?;
        let share = if fast { self.limits.link } else { self.limits.pcie };
        let low = if fast { share.value * self.limits.warn.value } else { low_of(share) };
        Some(Expectation {
            platform: format!("{} x {}", self.gpus, self.gpu.name),
            low: low * link,
            expected: share.value * link,
            high: high_of(share) * link,
            size_bytes: None,
            basis: if fast { Basis::Link } else { Basis::Pcie },
            latency_us: None,
            link_gb_per_s: Some(link),
            pcie: !fast,
            domain: false,
            sources: vec![share.source, self.gpu.source],
        })
    }

    /// Several nodes: a ring crosses the cards of each node once, so that its bus bandwidth is a share of them all; an exchange
    /// of everyone with everyone, or one between neighbours, is bound by the card of each GPU.
    fn network_share(&self, collective: Collective, gbps: f64, platform: String) -> Option<Expectation> {
        let each = f64::from(self.cluster.per_node()?);
        let (n, k) = (f64::from(self.gpus), f64::from(self.nodes));
        let node = gbps * GB_PER_GBIT;
        let card = node / each;
        let link = self.link();
        let bound = |value: f64, share: f64| link.map_or(value, |(link, _)| value.min(share * link));
        let (share, carried) = match collective.wire_share(n, k) {
            _ if collective.is_ring() => (self.limits.nic, node),
            Some(wire) => (self.limits.wire, card / wire),
            None => (self.limits.wire, card),
        };
        // A tree in the network moves the data of a node once: up to the cards over that share.
        let most = collective.wire_share(n, k).map_or(carried, |wire| card / wire).max(carried);
        let expected = bound(share.value * carried, self.limits.link.value);
        Some(Expectation {
            platform,
            low: bound(low_of(share) * carried, self.limits.link.value * self.limits.warn.value),
            expected,
            high: bound(most, high_of(self.limits.link)).max(expected),
            size_bytes: None,
            basis: Basis::Network,
            latency_us: None,
            link_gb_per_s: link.map(|(link, _)| link),
            pcie: link.is_some_and(|(_, fast)| !fast),
            domain: false,
            sources: vec![share.source],
        })
    }
}

/// Whether a measured bus bandwidth meets an expectation, misses it, or was taken at sizes too small to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meets {
    Yes,
    No,
    TooSmall,
}

impl Expectation {
    /// The bus bandwidth to hold against it: at the size that its figure is of, else at the plateau.
    pub(super) fn compared(&self, table: &super::Table, figures: &measure::Figures) -> f64 {
        let same = self.size_bytes.and_then(|size| measure::at_size(table, size));
        same.unwrap_or(figures.plateau_gb_per_s)
    }

    /// A size below 1 GiB that is no plateau yet is called slow only where it misses half of what it should reach there, with a
    /// latency that no healthy cluster has.
    pub(super) fn meets(
        &self,
        limits: &Limits,
        (table, figures): (&super::Table, &measure::Figures),
        nodes: u32,
    ) -> Meets {
        let value = self.compared(table, figures);
        if value >= self.low {
            return Meets::Yes;
        }
        let at = self.size_bytes.filter(|&size| measure::at_size(table, size).is_some());
        let settled = figures.plateau_bytes >= limits.plateau_bytes || figures.saturated == Some(true);
        if at.is_some() || settled {
            return Meets::No;
        }
        let latency_us = if nodes > 1 { limits.nodes_latency_us } else { limits.node_latency_us };
        let moved = figures.plateau_bytes / 1e9;
        let reachable = moved / (moved / self.low + latency_us / 1e6);
        if value < reachable / 2.0 { Meets::No } else { Meets::TooSmall }
    }
}
