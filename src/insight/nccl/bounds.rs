//! Published runs of the same machine that hold where there is none of the very case: of another number of nodes, or of
//! another collective that a ring carries.

use super::Collective;
use super::expect::{Expectation, Place};
use super::verdict::Basis;
use crate::catalog::Catalog;
use crate::catalog::fabric::Fabric;

impl Place<'_> {
    /// Keeps the rows of as many GPUs; else the nearest with fewer and the nearest with more, since what lies between two
    /// runs is known only as far as both agree.
    pub(super) fn nearest(&self, rows: &mut Vec<&Fabric>) {
        let counts = || rows.iter().filter_map(|row| row.gpus);
        let below = counts().filter(|&gpus| gpus <= self.gpus).max();
        let above = counts().filter(|&gpus| gpus >= self.gpus).min();
        let keep = |row: &&Fabric| row.gpus.is_some() && (row.gpus == below || row.gpus == above);
        rows.retain(keep);
    }

    /// Runs of the machine itself over several nodes.
    fn runs(&self) -> Vec<(&Fabric, Collective, u32)> {
        let Some(own) = self.own().filter(|_| self.nodes > 1) else { return Vec::new() };
        let several = |row: &&Fabric| row.instances.contains(&own) && self.is_gpu(&row.gpu);
        self.catalog
            .fabrics
            .iter()
            .filter(several)
            .filter_map(|row| Some((row, Collective::from_name(&row.collective)?, row.nodes?)))
            .filter(|(_, collective, nodes)| collective.is_ring() && *nodes > 1)
            .collect()
    }

    /// What other rings reach on the machine: each link of a ring is as busy whatever it carries. An all-reduce may be
    /// summed on its way, so that it is no measure of the others.
    pub(super) fn of_other_rings(&self, collective: Collective) -> Vec<&Fabric> {
        if !collective.is_ring() {
            return Vec::new();
        }
        let class = |nodes: u32| nodes.min(3);
        let alike = |(_, of, nodes): &(&Fabric, Collective, u32)| {
            *of != Collective::AllReduce && class(*nodes) == class(self.nodes)
        };
        let mut rows: Vec<&Fabric> = self.runs().into_iter().filter(alike).map(|(row, ..)| row).collect();
        self.nearest(&mut rows);
        rows
    }

    /// A formula within what was published of the machine: fewer nodes are no slower over the same cards, more are no
    /// faster; an all-reduce is no slower than other rings.
    pub(super) fn bounded(&self, collective: Collective, mut it: Expectation) -> Expectation {
        let runs = self.runs();
        let sums = self.own().is_some_and(|own| self.machine_sums(&own));
        let ring = |of: Collective| of == collective || of != Collective::AllReduce;
        let tops = |of: Collective| of == collective || of == Collective::AllReduce || !sums;
        if !collective.is_ring() {
            return it;
        }
        let warned = |row: &Fabric| row.warn_gb_per_s.unwrap_or(row.busbw_gb_per_s * self.limits.warn.value);
        for (row, of, nodes) in &runs {
            if *nodes >= self.nodes && ring(*of) {
                it.low = it.low.max(warned(row));
                it.rest_on(row, row.busbw_gb_per_s > it.expected);
            }
        }
        for (row, of, nodes) in &runs {
            if *nodes <= self.nodes && tops(*of) {
                it.low = it.low.min(warned(row));
                it.rest_on(row, row.busbw_gb_per_s < it.expected);
            }
        }
        it.low = it.low.min(it.expected);
        it.high = it.high.max(it.expected);
        it
    }

    /// Whether the switches between machines of this name can sum, by the links of its published runs, else of its provider's.
    /// Of what nothing is published nothing is ruled out.
    pub(super) fn machine_sums(&self, machine: &str) -> bool {
        let provider = machine.split('/').next().unwrap_or_default();
        let of = |row: &&Fabric, own: &dyn Fn(&str) -> bool| row.instances.iter().any(|name| own(name));
        let links = |own: &dyn Fn(&str) -> bool| -> Vec<&Fabric> {
            let several = |row: &&Fabric| row.nodes.is_some_and(|nodes| nodes > 1) && of(row, own);
            self.catalog.fabrics.iter().filter(several).collect()
        };
        let mut rows = links(&|name| name == machine);
        if rows.is_empty() {
            rows = links(&|name| name.split('/').next() == Some(provider));
        }
        rows.is_empty() || rows.iter().any(|row| self.link_sums(&row.link))
    }

    /// Whether a link, in the words of its source, is of a fabric whose switches can sum.
    pub(super) fn link_sums(&self, link: &str) -> bool {
        let constants = self.catalog.constants.iter().filter(|it| it.key == "network-sums-fabric");
        constants.filter_map(|it| it.class.as_deref()).any(|word| link.contains(word))
    }
}

impl Expectation {
    /// Takes the figure of a published run in place of that of the formula.
    fn rest_on(&mut self, row: &Fabric, is_better: bool) {
        if !is_better {
            return;
        }
        self.expected = row.busbw_gb_per_s;
        self.platform.clone_from(&row.platform);
        self.basis = Basis::Published;
        self.sources.insert(0, row.source);
        if row.network_gbps.is_none() {
            (self.domain, self.most_wire) = (true, None);
        }
    }
}

/// Whether nodes with these GPUs were published as one domain of their links, of so many GPUs or more: no network card need
/// carry anything between them.
pub fn may_be_domain(catalog: &Catalog, gpu: &str, gpus: u32) -> bool {
    catalog.fabrics.iter().any(|row| {
        let several = row.nodes.is_some_and(|nodes| nodes > 1) && row.network_gbps.is_none();
        several && row.gpu == gpu && row.gpus.is_some_and(|most| gpus <= most)
    })
}
