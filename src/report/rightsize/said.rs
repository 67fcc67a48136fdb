//! What `rightsize` takes for granted and warns of, in words.

use super::{Group, Member};
use crate::catalog::Catalog;
use crate::diag::{Assumption, Warning};
use crate::insight::smi::{Log, Rank, Thresholds, Verdict};
use std::collections::BTreeMap;

/// What was taken for granted; `named` when the machine was named.
pub fn assumptions(
    catalog: &Catalog,
    groups: &[Group],
    thresholds: &Thresholds,
    named: bool,
) -> Vec<Assumption> {
    let mut all = Vec::new();
    let assume = |id, value: String, why: &str, source: &str| Assumption {
        id,
        value,
        why: why.to_owned(),
        source: source.to_owned(),
    };
    for group in groups {
        let (Some(present), false) = (&group.present, named) else { continue };
        let instance = catalog.instance(present.instance);
        let machine = format!("{}/{}", catalog.provider(instance.provider).name, instance.name);
        let why = "which machine is rented was not said: the cheapest one with these GPUs; say `--instance`";
        all.push(assume("present-machine", machine, why, "catalog"));
    }
    if groups.iter().any(|group| super::DutyLine::new(group, thresholds).is_some()) {
        all.push(assume(
            "rightsize-stopped",
            "costs nothing".to_owned(),
            "a machine that is stopped is not billed; its disks and addresses are, and a stopped machine may not start again \
             where GPUs are scarce. The log stands for every month",
            "catalog/rightsize.toml",
        ));
    }
    if groups.iter().any(|group| group.instead.is_some()) {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        all.push(assume(
            "rightsize-headroom",
            format!(
                "{} memory, {} activity",
                percent(thresholds.memory_headroom),
                percent(thresholds.compute_headroom)
            ),
            "added to the peak memory and to the 95th percentile of activity (to its peak, where work comes in bursts), up to \
             what the present GPU has",
            "catalog/rightsize.toml",
        ));
        all.push(assume(
            "rightsize-scaling",
            "by dense peaks and by memory bandwidth".to_owned(),
            "activity is a share of this GPU, worth the ratio of the two GPUs' BF16 (else FP16, else FP32) peaks and of their \
             memory bandwidth on another one; real software reaches other shares of them",
            "catalog/gpus",
        ));
        all.push(assume(
            "rightsize-host",
            "not judged".to_owned(),
            "the logs say nothing of CPUs, main memory and disks of the host; `--min-vcpus` and `--min-ram` hold them",
            "the logs",
        ));
    }
    all
}

/// What the reader should know before anything else: each sort of warning once, with how many GPUs it is true of.
pub fn warnings(log: &Log, groups: &[Group]) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = log
        .failures
        .iter()
        .map(|failure| Warning { id: "driver-failure", message: format!("the log says: {failure}") })
        .collect();
    let mut found: BTreeMap<&'static str, (String, usize)> = BTreeMap::new();
    for member in groups.iter().flat_map(|group| &group.members) {
        for finding in member.judged.findings.iter().filter(|finding| finding.rank == Rank::Warn) {
            let text = || (format!("{}: {}", place(member), finding.message), 0);
            found.entry(finding.id).or_insert_with(text).1 += 1;
        }
    }
    warnings.extend(found.into_iter().map(|(id, (message, count))| {
        let more = if count > 1 { format!(" (and {} more GPUs)", count - 1) } else { String::new() };
        Warning { id, message: format!("{message}{more}") }
    }));
    let unseen =
        groups.iter().filter_map(|group| group.present.as_ref()).map(|offer| offer.gpus_unseen).sum::<u32>();
    if unseen > 0 {
        let message = format!(
            "GPUs of the machine that the log does not show: {unseen}. Something cheaper is looked for below the share of the \
             price that those in the log make up, and it is saved only when the whole machine can go"
        );
        warnings.push(Warning { id: "part-of-machine", message });
    }
    warnings.extend(groups.iter().filter_map(several_cards));
    warnings
}

fn several_cards(group: &Group) -> Option<Warning> {
    let member = group.members.iter().find(|member| !member.or.is_empty())?;
    let name = member.series.name.as_deref().unwrap_or_default();
    let message =
        format!("`{name}` is the name of several cards; the first of the family is taken: say `--gpu`");
    Some(Warning { id: "several-cards", message })
}

/// `node1 GPU 3`.
pub fn place(member: &Member) -> String {
    let host = &member.place.host;
    let space = if host.is_empty() { "" } else { " " };
    format!("{host}{space}GPU {}", member.place.index)
}

/// Why nothing is recommended.
pub(super) fn why_nothing(group: &Group) -> Option<String> {
    let first = |verdict: Verdict| group.members.iter().find(|member| member.judged.verdict == verdict);
    let because = |verdict: Verdict| {
        let member = first(verdict)?;
        Some(format!("{}: {}", place(member), member.judged.why.first()?))
    };
    let text = match group.verdict {
        Verdict::Errors => because(Verdict::Errors).unwrap_or_else(|| "GPUs fail".to_owned()),
        Verdict::TooSmall => because(Verdict::TooSmall)?,
        Verdict::NotEnoughData => because(Verdict::NotEnoughData)?,
        _ if group.gpu.is_none() && group.members.iter().all(|member| member.series.name.is_none()) => {
            "the log does not name the GPU: say `--gpu` or `--instance`".to_owned()
        }
        _ if group.gpu.is_none() => "the catalog does not have this GPU".to_owned(),
        _ if group.present.is_none() => {
            "no price is known of a machine with these GPUs, so nothing can be compared".to_owned()
        }
        _ if group.members.iter().any(|member| member.is_video()) => {
            "video engines are busy, and the catalog does not know which GPUs have how many".to_owned()
        }
        _ if group.members.iter().any(|m| m.judged.need.is_none() && m.judged.verdict != Verdict::Idle) => {
            "memory in use is not known".to_owned()
        }
        _ => "nothing cheaper in the catalog holds the peak memory and the activity with headroom".to_owned(),
    };
    Some(text)
}
