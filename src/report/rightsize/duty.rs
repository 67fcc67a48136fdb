//! What a machine costs in stretches in which nothing runs on any of its GPUs.

use super::{Group, Member, offer};
use crate::insight::smi::trend::{self, Stretch};
use crate::insight::smi::{Thresholds, Verdict};
use crate::report::number::Num;
use serde::Serialize;
use std::collections::BTreeMap;

/// Hours without work, and what stopping the machines in them saves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DutyLine {
    /// Hours that the log covers.
    pub log_hours: Num,
    /// Hours of them in which nothing ran on any GPU of a machine, in stretches worth a stop; the mean of the hosts.
    pub idle_hours: Num,
    /// The same in per cent.
    pub idle_pct: Num,
    /// Shortest stretch that counts, in hours.
    pub stretch_hours: Num,
    /// Per cent of 730 hours at the price of now; `null` where no price is known, for a commitment, which is owed all the
    /// same, and where the machine has GPUs that the log does not show.
    pub saves_usd_per_month: Option<Num>,
}

impl DutyLine {
    /// The rhythm of a group; `None` where nothing is worth a stop.
    pub(super) fn new(group: &Group, lines: &Thresholds) -> Option<Self> {
        if matches!(group.verdict, Verdict::Idle | Verdict::Errors) {
            return None;
        }
        let mut hosts: BTreeMap<&str, Vec<&Member>> = BTreeMap::new();
        for member in &group.members {
            hosts.entry(member.place.host.as_str()).or_default().push(member);
        }
        let spans =
            group.members.iter().map(|member| member.usage.covered_s().map(|seconds| seconds / 3600.0));
        let log = spans.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)?;
        let rest: f64 = hosts.values().map(|members| rest(members, lines)).sum::<f64>() / hosts.len() as f64;
        if log < lines.rhythm_hours || rest / log < lines.rest {
            return None;
        }
        let priced = group.present.as_ref();
        let priced = priced.filter(|now| now.gpus_unseen == 0 && !now.billing.is_committed());
        let saved = priced.and_then(|now| offer::month(now.per_hour).scaled(rest / log));
        Some(Self {
            log_hours: Num::rounded(log, 1),
            idle_hours: Num::rounded(rest, 1),
            idle_pct: Num::percent(rest / log * 100.0),
            stretch_hours: Num::exact(lines.stop_hours),
            saves_usd_per_month: saved.map(Num::usd),
        })
    }
}

/// Hours in which none of the GPUs of a host had work.
fn rest(members: &[&Member], lines: &Thresholds) -> f64 {
    let quiet = |member: &&Member| trend::quiet(member.series, &member.usage, lines.idle, lines.stop_hours);
    let all = members.iter().map(quiet);
    let common: Option<Vec<Stretch>> = all.reduce(|one, other| trend::common(&one, &other, lines.stop_hours));
    common.unwrap_or_default().into_iter().map(trend::hours).sum()
}
