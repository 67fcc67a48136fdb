//! The order of the answer: what `fits` before what is `tight`, each by the asked key, ties broken to the last.

use super::Sort;
use super::search::Candidate;
use crate::catalog::Catalog;
use crate::estimate::Verdict;
use std::cmp::Ordering;

/// Sorts by verdict, then what is wholly priced before what lacks a part, then the key; ties by more RAM, more vCPUs, fewer nodes, then names (the catalog's own order).
pub(super) fn sort(candidates: &mut [Candidate], catalog: &Catalog, sort: Sort) {
    candidates.sort_by(|a, b| {
        a.verdict
            .cmp(&b.verdict)
            .then(a.deal.at_least.cmp(&b.deal.at_least))
            .then_with(|| by_key(a, b, sort))
            .then_with(|| roomier_first(a, b, catalog))
            .then(a.nodes.cmp(&b.nodes))
            .then(a.instance.cmp(&b.instance))
    });
}

fn by_key(a: &Candidate, b: &Candidate, sort: Sort) -> Ordering {
    a.key(sort).total_cmp(&b.key(sort)).then_with(|| a.deal.exact_usd.total_cmp(&b.deal.exact_usd))
}

fn roomier_first(a: &Candidate, b: &Candidate, catalog: &Catalog) -> Ordering {
    let room = |c: &Candidate| {
        let instance = catalog.instance(c.instance);
        let times = f64::from(c.nodes);
        (instance.ram_gib.unwrap_or(0.0) * times, instance.vcpus.unwrap_or(0.0) * times)
    };
    let ((ram_a, cpu_a), (ram_b, cpu_b)) = (room(a), room(b));
    ram_b.total_cmp(&ram_a).then(cpu_b.total_cmp(&cpu_a))
}

/// Keeps the rows that no other row of the same verdict or better beats in both cost and time; the order stays.
pub(super) fn keep_pareto(candidates: &mut Vec<Candidate>) {
    let all = candidates.clone();
    candidates.retain(|c| !all.iter().any(|other| dominates(other, c)));
}

fn dominates(a: &Candidate, b: &Candidate) -> bool {
    let no_worse = a.verdict <= b.verdict
        && a.deal.at_least <= b.deal.at_least
        && a.deal.exact_usd <= b.deal.exact_usd
        && a.hours <= b.hours;
    no_worse && (a.verdict < b.verdict || a.deal.exact_usd < b.deal.exact_usd || a.hours < b.hours)
}

/// `fits` comes first in the derived order, which the sort above relies on.
const _: () = assert!((Verdict::Fits as u8) < (Verdict::Tight as u8));
