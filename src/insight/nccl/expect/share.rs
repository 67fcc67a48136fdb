//! What nobody published a run of: a share of the links between the GPUs of a node, or of the network between nodes.

use super::{Expectation, Place};
use crate::catalog::instance::Instance;
use crate::catalog::knowledge::Constant;
use crate::insight::nccl::Collective;
use crate::insight::nccl::links::{self, Link};
use crate::insight::nccl::verdict::Basis;
use std::collections::BTreeMap;

pub(in crate::insight::nccl) fn low_of(constant: &Constant) -> f64 {
    constant.range.map_or(constant.value, |range| range.0)
}

fn high_of(constant: &Constant) -> f64 {
    constant.range.map_or(constant.value, |range| range.1)
}

impl Place<'_> {
    pub(super) fn by_formula(&self, collective: Collective) -> Vec<Expectation> {
        if self.nodes == 1 {
            let link = self.link();
            let optional = self.gpu.link_pairs_only && link.is_some_and(|link| link.fast);
            let without = optional.then(|| self.unbridged(collective)).flatten();
            return link.map(|link| self.link_share(collective, link)).into_iter().chain(without).collect();
        }
        self.network_shares(collective, self.networks())
    }

    /// Networks in thousandths of a Gbit/s of the machine, else of all with at least so many of that GPU, each with one that has
    /// it and with all that it has in Gbit/s: ranks on a part of a node have their part of its cards to themselves.
    pub(super) fn networks(&self) -> BTreeMap<u64, (String, f64)> {
        let mut networks: BTreeMap<u64, (String, f64)> = BTreeMap::new();
        let Some(each) = self.cluster.per_node() else { return networks };
        let mut add = |instance: &Instance| {
            let Some(gbps) = instance.network_gbps else { return };
            let part = (f64::from(each) / f64::from(instance.whole_gpus().max(1))).min(1.0);
            let known = networks
                .entry((gbps * part * 1e3) as u64)
                .or_insert_with(|| (self.catalog.full_name(instance), gbps));
            known.1 = known.1.max(gbps);
        };
        if let Some(id) = self.cluster.instance {
            add(self.catalog.instance(id));
        } else {
            let alike = self.catalog.instances.iter().filter(|it| {
                self.catalog.gpu(it.gpu).name == self.gpu.name
                    && it.whole_gpus() >= each
                    && !it.is_fractional()
                    && self.cluster.provider.is_none_or(|own| own == it.provider)
            });
            alike.for_each(add);
        }
        networks
    }

    pub(super) fn network_shares(
        &self,
        collective: Collective,
        networks: BTreeMap<u64, (String, f64)>,
    ) -> Vec<Expectation> {
        networks
            .into_iter()
            .filter_map(|(milli, network)| self.network_share(collective, milli as f64 / 1e3, network))
            .collect()
    }

    /// The two cards of a pair, or all, without the bridges that could join them.
    pub(super) fn unbridged(&self, collective: Collective) -> Option<Expectation> {
        Some(self.link_share(collective, links::slot(self.catalog, self.gpu)?))
    }

    /// One node: a share of the link of its GPUs, or of PCIe. The low end of PCIe is an assumption, so that only what misses it
    /// by as much as operators warn at is called slow.
    fn link_share(&self, collective: Collective, link: Link) -> Expectation {
        let share = if link.fast { self.limits.link } else { self.limits.pcie };
        let low = if link.fast { share.value } else { low_of(share) };
        Expectation {
            platform: format!("{} x {}", self.gpus, self.gpu.name),
            low: low * self.limits.warn.value * link.low,
            expected: share.value * link.usual,
            high: high_of(share) * link.usual,
            size_bytes: None,
            basis: if link.fast { Basis::Link } else { Basis::Pcie },
            latency_us: None,
            link_gb_per_s: Some(link.usual),
            most_link: self.most_link(collective, Some(link)),
            most_wire: None,
            mesh: link.mesh,
            pcie: !link.fast,
            domain: false,
            between: false,
            ranks: None,
            sources: vec![share.source, self.gpu.source],
        }
    }

    /// Several nodes: a ring crosses the cards of each node once, so that its bus bandwidth is a share of them all; an exchange
    /// of everyone with everyone, or one between neighbours, is bound by the card of each GPU.
    fn network_share(
        &self,
        collective: Collective,
        gbps: f64,
        (platform, whole): (String, f64),
    ) -> Option<Expectation> {
        let each = f64::from(self.cluster.per_node()?);
        let (n, k) = (f64::from(self.gpus), f64::from(self.nodes));
        let node = gbps / 8.0;
        let card = node / each;
        let link = self.link();
        let bound = |value: f64, share: f64| link.map_or(value, |link| value.min(share * link.usual));
        let (share, carried) = match collective.wire_share(n, k) {
            _ if collective.is_ring() => (self.limits.nic, node),
            Some(wire) => (self.limits.wire, card / wire),
            None => (self.limits.wire, card),
        };
        // A tree in the network moves the data of a node once: up to the cards over that share.
        let most = collective.wire_share(n, k).map_or(carried, |wire| card / wire).max(carried);
        let expected = bound(share.value * carried, self.limits.link.value);
        let sums = self.machine_sums(&platform);
        Some(Expectation {
            platform,
            low: bound(low_of(share) * carried, self.limits.link.value * self.limits.warn.value),
            expected,
            high: bound(most, high_of(self.limits.link)).max(expected),
            size_bytes: None,
            basis: Basis::Network,
            latency_us: None,
            link_gb_per_s: link.map(|link| link.usual),
            most_link: self.most_link(collective, link),
            most_wire: self.most_wire(collective, (whole, sums)),
            mesh: link.is_some_and(|link| link.mesh),
            pcie: link.is_some_and(|link| !link.fast),
            domain: false,
            between: false,
            ranks: None,
            sources: vec![share.source],
        })
    }
}
