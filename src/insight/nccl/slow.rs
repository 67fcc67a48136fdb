//! What is behind a rate below, or above, all that such clusters reach.

use super::expect::{Expectation, Limits, low_of};
use super::judge::Judged;
use super::links;
use super::measure::Figures;
use super::meets::Meets;
use super::verdict::{Status, Verdict};
use super::{Collective, Table};
use crate::catalog::Catalog;
use crate::insight::Confidence;

/// Two decimals at most.
pub(super) fn figure(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Whether a bridge may join pairs of these cards.
pub(super) fn bridged(judged: &Judged, catalog: &Catalog) -> bool {
    judged.cluster.gpu.is_some_and(|gpu| catalog.gpu(gpu).link_pairs_only)
}

/// Fast enough for the published run of one size and too slow for that of another, with nothing known between them.
pub(super) fn between(judged: &mut Judged, all: &[Expectation]) {
    let gpus = judged.cluster.gpus.unwrap_or(0);
    let side = |fewer: bool| {
        let of = |it: &&Expectation| it.ranks.is_some_and(|ranks| (ranks < gpus) == fewer);
        all.iter().find(of).and_then(|it| Some((it.ranks?, figure(it.expected))))
    };
    let (Some((few, fast)), Some((many, slow))) = (side(true), side(false)) else { return };
    let message = format!(
        "{few} GPUs were published with {fast} GB/s and {many} GPUs with {slow}: what {gpus} reach lies between, and is not known"
    );
    judged.explain("between-references", message);
}

/// Why PCIe is all there is.
pub(super) fn pcie(judged: &mut Judged, catalog: &Catalog) {
    if bridged(judged, catalog) {
        judged.blame("pcie-pairs");
    } else {
        judged.blame("pcie-cards");
    }
}

/// Faster than every cluster that it could be: a link that the catalog does not know, or another machine than is said.
pub(super) fn too_fast(judged: &mut Judged, all: &[Expectation], answers: &[Meets], value: f64) {
    let most =
        |of: &dyn Fn(&Expectation) -> Option<f64>| figure(all.iter().filter_map(of).fold(0.0, f64::max));
    let (link, wire) = (most(&|it| it.most_link), most(&|it| it.most_wire));
    let said = judged.cluster.instance.is_some() || judged.cluster.provider.is_some();
    let value = figure(value);
    if judged.cluster.nodes == Some(1) && all.iter().all(|it| it.pcie) {
        judged.say(Verdict::UnknownPlatform, Status::Unknown, Confidence::Low);
        let message = format!(
            "{value} GB/s is more than the {link} GB/s of a PCIe slot, so a link joins these cards, of which the catalog has no \
             figure for so many of them"
        );
        judged.explain("link-unlisted", message);
    } else if judged.cluster.nodes == Some(1) && all.iter().any(|it| it.mesh) {
        judged.say(Verdict::UnknownPlatform, Status::Unknown, Confidence::Low);
        let message = format!(
            "{value} GB/s is more than so many GPUs of a hybrid cube mesh carry ({link} GB/s), so they are wired in another way, \
             of which the catalog has no figure"
        );
        judged.explain("link-unlisted", message);
    } else if answers.iter().all(|answer| *answer == Meets::AboveLink) {
        judged.say(Verdict::Inconsistent, Status::Unknown, Confidence::High);
        let message =
            format!("{value} GB/s is more than the links between such GPUs can carry ({link} GB/s)");
        judged.explain("above-the-link", message);
    } else if said {
        judged.say(Verdict::Inconsistent, Status::Unknown, Confidence::High);
        let message = format!(
            "{value} GB/s is more than the network cards of that machine can carry ({wire} GB/s at most): it is not this platform"
        );
        judged.explain("not-this-platform", message);
    } else {
        judged.say(Verdict::UnknownPlatform, Status::Unknown, Confidence::Low);
        judged.blame("no-reference");
    }
}

/// Slower than all that it could be.
pub(super) fn slow(judged: &mut Judged, catalog: &Catalog, limits: &Limits, table: &Table, sure: Confidence) {
    let (Some(expected), Some(value)) = (judged.expected.clone(), judged.compared_gb_per_s) else { return };
    if judged.cluster.nodes.is_none_or(|nodes| nodes < 2) {
        in_node(judged, catalog, limits, (table, &expected, value), sure);
        return;
    }
    let share = value / expected.expected;
    let evidence = &table.evidence;
    let sockets = evidence.socket && !evidence.fast;
    let told = sockets || evidence.no_plugin && !evidence.fast;
    let known = judged.cluster.instance.is_some() || judged.cluster.provider.is_some() || expected.domain;
    if !known && !told {
        // A machine of which nothing is known may have no more than that.
        judged.say(Verdict::DependsOnPlatform, Status::Unknown, Confidence::Low);
        judged.blame("platform-needed");
        ethernet(judged, catalog, limits, value);
        if share < limits.fallback {
            judged.blame("plugin-missing");
        }
    } else if share < limits.fallback || sockets {
        let id = if evidence.no_plugin { "no-plugin-found" } else { "socket" };
        let sure = if told { Confidence::High } else { sure };
        judged.say(Verdict::SocketFallback, Status::Fail, sure);
        judged.causes.push(super::judge::Cause::of(id));
        judged.blame("plugin-missing");
        ethernet(judged, catalog, limits, value);
    } else {
        judged.say(Verdict::Degraded, grave(limits, share), sure);
        judged.blame("cards-missing");
        judged.blame("no-gpudirect");
        judged.blame("congestion");
    }
}

/// The slowest usual Ethernet that a ring at that rate fills.
fn ethernet(judged: &mut Judged, catalog: &Catalog, limits: &Limits, value: f64) {
    let rates = catalog.constants.iter().filter(|it| it.key == "network-ethernet-gbps").map(|it| it.value);
    let filled = |gbps: &f64| (low_of(limits.nic)..=1.0).contains(&(value * 8.0 / gbps));
    let ring = judged.cluster.collective().is_some_and(Collective::is_ring);
    let Some(gbps) = rates.filter(filled).reduce(f64::min).filter(|_| ring) else { return };
    let message = format!("{} GB/s is what {gbps} Gbit/s Ethernet gives", figure(value));
    judged.explain("ethernet-rate", message);
}

/// Slow inside a node: below PCIe, at PCIe, at the rate of a ring where the switch could sum, or a weak link. Without copies
/// from card to card NCCL goes through the memory of the host; no network is in it.
fn in_node(
    judged: &mut Judged,
    catalog: &Catalog,
    limits: &Limits,
    (table, expected, value): (&Table, &Expectation, f64),
    sure: Confidence,
) {
    let share = value / expected.expected;
    let slot = judged.cluster.gpu.and_then(|gpu| links::slot(catalog, catalog.gpu(gpu)));
    let of_slot = slot.map(|slot| value / slot.usual);
    if expected.pcie {
        let lost = value < limits.fallback * expected.low;
        judged.say(Verdict::PcieOnly, if lost { Status::Fail } else { Status::Warn }, sure);
        let geforce = judged.cluster.printed.as_deref().is_some_and(|name| name.contains("GeForce"));
        if geforce {
            judged.blame("peer-off");
        } else {
            judged.blame("peer-off-cards");
        }
        pcie(judged, catalog);
    } else if of_slot.is_some_and(|of| of <= 1.0) {
        judged.say(Verdict::PcieOnly, Status::Fail, sure);
        judged.blame("no-nvlink-path");
        if table.evidence.no_peer || of_slot.is_some_and(|of| of < limits.fallback) {
            judged.blame("host-memory-path");
        }
    } else {
        judged.say(Verdict::Degraded, grave(limits, share), sure);
        let link = expected.link_gb_per_s.unwrap_or(f64::INFINITY);
        let ring = value >= limits.link.value * limits.warn.value * link && expected.expected > link;
        if ring || table.evidence.no_nvls {
            judged.blame("nvls-off");
        }
        judged.blame("link-degraded");
    }
}

/// The in-place column is the slower one and was judged. Where the other one passes, links and cards are sound.
pub(super) fn in_place(
    judged: &mut Judged,
    other: &Judged,
    limits: &Limits,
    (first, in_place): (&Figures, &Figures),
) {
    if other.status == Status::Pass
        && judged.status != Status::Pass
        && let Some(share) = judged.share()
    {
        judged.causes.clear();
        judged.say(Verdict::Degraded, grave(limits, share), judged.confidence);
    }
    let message = format!(
        "in place {} GB/s, out of place {}: the slower one is compared, since training sums its gradients in place",
        figure(in_place.plateau_gb_per_s),
        figure(first.plateau_gb_per_s)
    );
    judged.explain("in-place-slower", message);
}

fn grave(limits: &Limits, share: f64) -> Status {
    if share < limits.report.value { Status::Fail } else { Status::Warn }
}
