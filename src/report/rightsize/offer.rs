//! Machines and money of `rightsize`: what is rented now, what would do, what that saves.

use super::{Group, Member};
use crate::advise::smaller::Offer;
use crate::catalog::Catalog;
use crate::insight::smi::{Thresholds, Verdict};
use crate::money::{BilledHours, Usd, UsdPerHour};
use crate::report::date::Dated;
use crate::report::number::Num;
use serde::Serialize;

/// Hours of a month, by the contract.
const MONTH_HOURS: f64 = 730.0;

/// What is rented now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PresentLine {
    /// Short name of the provider.
    pub provider: String,
    /// Region.
    pub region: String,
    /// The provider's name of the machine.
    pub instance_type: String,
    /// Canonical name of the accelerator.
    pub gpu: String,
    /// GPUs in one machine.
    pub gpus_per_node: Num,
    /// Machines.
    pub nodes: u32,
    /// GPUs of the machines that the log has.
    pub gpus_in_log: u32,
    /// GPUs of the machines that the log does not have.
    pub gpus_not_in_log: u32,
    /// Billing kind.
    pub billing: &'static str,
    /// Price of the machines, whole.
    pub usd_per_hour: Num,
    /// The part of it that the GPUs in the log make up.
    pub share_usd_per_hour: Num,
    /// The same for 730 hours.
    pub usd_per_month: Num,
    /// Date of the price.
    pub price_as_of: Dated,
    /// Where the price comes from.
    pub price_source: String,
    /// The price came from an overlay.
    pub overridden: bool,
}

/// What would do for less.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecommendationLine {
    /// `replace` by something smaller, `move` to something cheaper that does what is done now, or `release` where nothing
    /// runs: then there is no machine.
    pub action: &'static str,
    /// Short name of the provider.
    pub provider: Option<String>,
    /// Region.
    pub region: Option<String>,
    /// The provider's name of the machine.
    pub instance_type: Option<String>,
    /// Canonical name of the accelerator.
    pub gpu: Option<String>,
    /// GPUs in one machine; a fraction for shares.
    pub gpus_per_node: Option<Num>,
    /// Machines.
    pub nodes: u32,
    /// GPUs of them that are used.
    pub gpus_used: u32,
    /// Memory on the label of one GPU or share.
    pub gpu_memory_gib: Option<Num>,
    /// Peak memory of all that runs, with headroom.
    pub memory_needed_gib: Option<Num>,
    /// Billing kind.
    pub billing: Option<&'static str>,
    /// Price of all machines.
    pub usd_per_hour: Num,
    /// The same for 730 hours.
    pub usd_per_month: Num,
    /// Below what is paid now; `null` where the machine has GPUs that the log does not show: no part of it can be given
    /// back.
    pub saves_usd_per_hour: Option<Num>,
    /// The same for 730 hours.
    pub saves_usd_per_month: Option<Num>,
    /// In per cent of what is paid now.
    pub saves_pct: Option<Num>,
    /// Date of the price.
    pub price_as_of: Option<Dated>,
    /// Where the price comes from.
    pub price_source: Option<String>,
    /// The price came from an overlay.
    pub overridden: bool,
    /// Cautions.
    pub notes: Vec<String>,
}

pub(super) fn month(rate: UsdPerHour) -> Usd {
    BilledHours::from_f64(MONTH_HOURS).map_or(Usd::ZERO, |hours| rate.cost(hours))
}

impl PresentLine {
    pub(super) fn new(catalog: &Catalog, offer: &Offer) -> Self {
        let instance = catalog.instance(offer.instance);
        let source = catalog.source(offer.source);
        Self {
            provider: catalog.provider(instance.provider).name.clone(),
            region: catalog.region(offer.region).name.clone(),
            instance_type: instance.name.clone(),
            gpu: catalog.gpu(instance.gpu).name.clone(),
            gpus_per_node: Num::exact(instance.gpus),
            nodes: offer.nodes,
            gpus_in_log: offer.gpus_used,
            gpus_not_in_log: offer.gpus_unseen,
            billing: offer.billing.name(),
            usd_per_hour: Num::usd_per_hour(offer.per_hour),
            share_usd_per_hour: Num::usd_per_hour(offer.share_per_hour),
            usd_per_month: Num::usd(month(offer.per_hour)),
            price_as_of: Dated(source.as_of),
            price_source: source.text.clone(),
            overridden: offer.overridden,
        }
    }
}

impl RecommendationLine {
    /// What a group would better rent; `None` where nothing cheaper is known to do.
    pub(super) fn new(catalog: &Catalog, group: &Group, thresholds: &Thresholds) -> Option<Self> {
        let present = group.present.as_ref()?;
        if group.verdict == Verdict::Idle {
            return Some(Self::release(present, group));
        }
        let offer = group.instead.as_ref()?;
        let instance = catalog.instance(offer.instance);
        let source = catalog.source(offer.source);
        let needed = |member: &&Member| Some(member.judged.need?.memory * (1.0 + thresholds.memory_headroom));
        let money = Saved::new(present, offer.per_hour);
        Some(Self {
            action: if group.verdict == Verdict::Oversized { "replace" } else { "move" },
            provider: Some(catalog.provider(instance.provider).name.clone()),
            region: Some(catalog.region(offer.region).name.clone()),
            instance_type: Some(instance.name.clone()),
            gpu: Some(catalog.gpu(instance.gpu).name.clone()),
            gpus_per_node: Some(Num::exact(instance.gpus)),
            nodes: offer.nodes,
            gpus_used: offer.gpus_used,
            gpu_memory_gib: Some(Num::gib(instance.gpu_memory_bytes as f64)),
            memory_needed_gib: Some(Num::gib(group.members.iter().filter_map(needed).sum())),
            billing: Some(offer.billing.name()),
            usd_per_hour: Num::usd_per_hour(offer.per_hour),
            usd_per_month: Num::usd(month(offer.per_hour)),
            saves_usd_per_hour: money.per_hour,
            saves_usd_per_month: money.per_month,
            saves_pct: money.percent,
            price_as_of: Some(Dated(source.as_of)),
            price_source: Some(source.text.clone()),
            overridden: offer.overridden,
            notes: notes(catalog, group, offer),
        })
    }

    /// Nothing runs: the whole price is saved.
    fn release(present: &Offer, group: &Group) -> Self {
        let nothing = UsdPerHour::default();
        let money = Saved::new(present, nothing);
        Self {
            action: "release",
            provider: None,
            region: None,
            instance_type: None,
            gpu: None,
            gpus_per_node: None,
            nodes: 0,
            gpus_used: 0,
            gpu_memory_gib: None,
            memory_needed_gib: None,
            billing: None,
            usd_per_hour: Num::usd_per_hour(nothing),
            usd_per_month: Num::usd(Usd::ZERO),
            saves_usd_per_hour: money.per_hour,
            saves_usd_per_month: money.per_month,
            saves_pct: money.percent,
            price_as_of: None,
            price_source: None,
            overridden: false,
            notes: release_notes(present, group),
        }
    }
}

/// The difference of two prices; nothing where a part of a machine cannot be given back.
#[derive(Default)]
struct Saved {
    per_hour: Option<Num>,
    per_month: Option<Num>,
    percent: Option<Num>,
}

impl Saved {
    fn new(present: &Offer, then: UsdPerHour) -> Self {
        if present.gpus_unseen > 0 {
            return Self::default();
        }
        let now = present.per_hour;
        let less = less(now, then);
        Self {
            per_hour: Some(Num::usd_per_hour(less)),
            per_month: Some(Num::usd(month(now).minus(month(then)))),
            percent: Some(Num::percent(less.to_f64() / now.to_f64() * 100.0)),
        }
    }
}

fn less(now: UsdPerHour, then: UsdPerHour) -> UsdPerHour {
    UsdPerHour::new(now.decimal() - then.decimal())
}

/// What must hold before anything is saved, where the log shows a part of a machine.
fn whole_machine(present: &Offer, then: UsdPerHour) -> Option<String> {
    let others = Some(present.gpus_unseen).filter(|unseen| *unseen > 0)?;
    let (are, s) = if others == 1 { ("is", "") } else { ("are", "s") };
    Some(format!(
        "nothing is saved while {others} GPU{s} that the log does not show {are} rented with it: a part of a machine cannot \
         be given back; {} USD an hour if all of it can go",
        Num::usd_per_hour(less(present.per_hour, then))
    ))
}

fn release_notes(present: &Offer, group: &Group) -> Vec<String> {
    let loaded =
        |member: &&Member| member.judged.findings.iter().any(|finding| finding.id == "loaded-but-idle");
    let first = if group.members.iter().any(loaded) {
        "something is loaded and had no work while the log was written: look what it is first; if nobody waits for it, \
         release the machine, or start it when it is needed"
    } else {
        "nothing ran while the log was written: release it, or start it when it is needed"
    };
    std::iter::once(first.to_owned()).chain(whole_machine(present, UsdPerHour::default())).collect()
}

fn notes(catalog: &Catalog, group: &Group, offer: &Offer) -> Vec<String> {
    let mut notes: Vec<String> =
        group.present.iter().filter_map(|present| whole_machine(present, offer.per_hour)).collect();
    if group.verdict != Verdict::Oversized {
        let verdict = group.verdict.name();
        notes.push(format!(
            "`{verdict}` is what the GPU's use says; this machine holds the same use, with headroom, for less"
        ));
    }
    let instance = catalog.instance(offer.instance);
    let gpu = catalog.gpu(instance.gpu);
    if offer.slower_link {
        notes.push(format!("several {} are linked more slowly than the GPUs are now", gpu.name));
    }
    if group.gpu.is_some_and(|present| catalog.gpu(present).fp8 && !gpu.fp8) {
        notes.push(format!("{} has no FP8", gpu.name));
    }
    let busy = group.members.iter().filter(|member| member.judged.verdict != Verdict::Idle).count();
    if (offer.gpus_used as usize) < busy {
        notes.push(format!("what runs on {busy} GPUs now shares {}", offer.gpus_used));
    }
    if gpu.form_factor == "SuperChip" {
        notes.push(format!("{} has an Arm CPU beside it: images and wheels must be built for it", gpu.name));
    }
    if instance.is_fractional() {
        notes.push(format!("a share of {} of a GPU", Num::exact(instance.gpus)));
    }
    notes
}
