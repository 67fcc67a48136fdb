//! Near misses in words: what was allowed, what it would have taken.

use super::NearMiss;
use super::limits::Limits;
use super::lot::Miss;
use super::offer::DearSpot;
use super::quota::Shortfall;
use crate::catalog::Catalog;
use crate::catalog::instance::InstanceId;
use crate::diag::told_apart;
use crate::estimate::serving::ServingMiss;
use crate::money::{Usd, UsdPerHour};
use crate::price::bill::Job;
use crate::units::GIB;

fn name(catalog: &Catalog, instance: InstanceId) -> String {
    let i = catalog.instance(instance);
    format!("{}/{} ({})", catalog.provider(i.provider).name, i.name, catalog.gpu(i.gpu).name)
}

/// A machine without a usable price.
pub(super) fn unpriced(catalog: &Catalog, instance: InstanceId, reason: &str) -> NearMiss {
    let name = name(catalog, instance);
    let message = match reason {
        "price-too-old" => format!("every price of {name} is older than --max-age allows"),
        "price-unknown" => {
            format!("{name} is sold, but its price is unknown or in a currency without a rate")
        }
        "spot-not-worth-it" => {
            format!("spot on {name} is not cheaper than on-demand, or not by the asked discount")
        }
        _ => format!("{name} is not sold under the asked contracts in the allowed regions"),
    };
    NearMiss { instance, nodes: 1, limit: None, actual: None, unit: "", message }
}

/// Spot that costs no less than on-demand once its reruns are counted, or that never ends.
pub(super) fn dear_spot(catalog: &Catalog, instance: InstanceId, job: &Job, spot: &DearSpot) -> NearMiss {
    let (nodes, hours) = (job.nodes, job.hours.expected);
    let billed = spot.billed_hours.map_or_else(
        || "the job never ends on spot".to_owned(),
        |billed| format!("{billed:.1} billed hours are expected on spot"),
    );
    let money = |usd: Option<Usd>| usd.map_or_else(|| "n/a".to_owned(), |usd| usd.to_string());
    let message = format!(
        "{nodes} x {}: {billed} for {hours:.1} h of work, {} USD against {} USD on demand",
        name(catalog, instance),
        money(spot.total),
        money(spot.on_demand)
    );
    let (limit, actual) = (spot.on_demand.map(Usd::to_f64), spot.total.map(Usd::to_f64));
    NearMiss { instance, nodes, limit, actual, unit: "USD", message }
}

/// A configuration that no quota allows.
pub(super) fn over_quota(catalog: &Catalog, instance: InstanceId, nodes: u32, short: &Shortfall) -> NearMiss {
    NearMiss {
        instance,
        nodes,
        limit: Some(short.limit),
        actual: short.needed,
        unit: short.unit,
        message: format!("{nodes} x {}: not launchable, {}", name(catalog, instance), short.message()),
    }
}

/// A configuration whose whole price is not known, so that no budget can be held.
pub(super) fn part_unknown(catalog: &Catalog, instance: InstanceId, nodes: u32, least: Usd) -> NearMiss {
    let message = format!(
        "{nodes} x {}: at least {least} USD; the price of storage or egress is not known, so no budget holds",
        name(catalog, instance)
    );
    NearMiss { instance, nodes, limit: None, actual: None, unit: "", message }
}

impl Miss {
    /// Stable reason id, and how far off this is (lower is nearer).
    pub(super) fn reason(&self) -> (&'static str, f64) {
        match self {
            Self::Unplannable(unplannable) => (unplannable.id, 0.0),
            Self::Memory { needed, usable, .. } => ("memory", needed / usable),
            Self::HostMemory { needed, bytes, .. } => ("host-memory", needed / bytes),
            Self::Serving(miss) => miss
                .shortfalls
                .first()
                .map_or(("layout", f64::INFINITY), |s| (s.constraint, s.nearest / s.limit)),
            Self::Count => ("gpu-count", 0.0),
        }
    }

    /// The miss on one machine.
    pub(super) fn describe(&self, catalog: &Catalog, instance: InstanceId) -> NearMiss {
        let name = name(catalog, instance);
        let (nodes, limit, actual, unit, message) = match self {
            Self::Unplannable(unplannable) => (1, None, None, "", unplannable.message.clone()),
            Self::Memory { nodes, needed, usable } => {
                let (needed, usable) = (needed / GIB, usable / GIB);
                let message = format!(
                    "{nodes} x {name}: the leanest layout needs {needed:.1} GiB a GPU of {usable:.1} GiB usable"
                );
                (*nodes, Some(usable), Some(needed), "GiB", message)
            }
            Self::HostMemory { nodes, needed, bytes } => {
                let (needed, has) = (needed / GIB, bytes / GIB);
                let message = format!(
                    "{nodes} x {name}: offloading needs {needed:.0} GiB of main memory a node, which has {has:.0} GiB"
                );
                (*nodes, Some(has), Some(needed), "GiB", message)
            }
            Self::Serving(miss) => return serving_miss(miss, &name, instance),
            Self::Count => {
                (1, None, None, "GPUs", format!("the asked number of GPUs cannot be made of {name}"))
            }
        };
        NearMiss { instance, nodes, limit, actual, unit, message }
    }
}

/// The most basic constraint that serving misses on a machine.
fn serving_miss(miss: &ServingMiss, name: &str, instance: InstanceId) -> NearMiss {
    let Some(shortfall) = miss.shortfalls.first() else {
        return NearMiss {
            instance,
            nodes: 1,
            limit: None,
            actual: None,
            unit: "",
            message: format!("no layout exists on {name}"),
        };
    };
    let (scale, unit) = match shortfall.constraint {
        "memory" => (GIB, "GiB"),
        "ttft" | "tpot" => (1.0, "ms"),
        other => (1.0, if other == "nodes" { "nodes" } else { "" }),
    };
    NearMiss {
        instance,
        nodes: 1,
        limit: Some(shortfall.limit / scale),
        actual: Some(shortfall.nearest / scale),
        unit,
        message: format!("{name}: {}", shortfall.message),
    }
}

/// What a configuration costs and takes, or can at least be said not to go below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    pub(super) instance: InstanceId,
    pub(super) nodes: u32,
    pub(super) hourly_usd: f64,
    pub(super) hours: f64,
    pub(super) total_usd: f64,
}

/// A broken limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Broken {
    pub(super) reason: &'static str,
    unit: &'static str,
    limit: f64,
    actual: f64,
    instance: InstanceId,
    nodes: u32,
    /// The figure is a bound that the configuration cannot go below, not its own.
    at_least: bool,
}

impl Broken {
    /// The same, known from a bound.
    pub(super) fn at_least(self) -> Self {
        Self { at_least: true, ..self }
    }

    /// How far off; lower is nearer.
    pub(super) fn score(&self) -> f64 {
        self.actual / self.limit
    }

    /// The near miss in words.
    pub(super) fn describe(&self, catalog: &Catalog) -> NearMiss {
        let Self { unit, limit, actual, instance, nodes, at_least, .. } = *self;
        let least = if at_least { "at least " } else { "" };
        let (needed, allowed) = told_apart(actual, limit);
        let message = format!(
            "{nodes} x {}: {least}{needed} {unit}, {allowed} {unit} allowed",
            name(catalog, instance)
        );
        NearMiss { instance, nodes, limit: Some(limit), actual: Some(actual), unit, message }
    }
}

/// The first limit of time or money that the figures break.
pub(super) fn over_limit(limits: &Limits, figures: &Figures) -> Option<Broken> {
    let checks = [
        ("deadline", limits.deadline_hours, figures.hours, "hours"),
        ("max-hourly", limits.max_hourly.map(UsdPerHour::to_f64), figures.hourly_usd, "USD/hour"),
        ("budget", limits.budget.map(Usd::to_f64), figures.total_usd, "USD"),
    ];
    checks.into_iter().find_map(|(reason, limit, actual, unit)| {
        let limit = limit.filter(|&limit| actual > limit)?;
        let (instance, nodes) = (figures.instance, figures.nodes);
        Some(Broken { reason, unit, limit, actual, instance, nodes, at_least: false })
    })
}
