//! The body of `check`: each workload of a project with its choice and what it breaks, sums, and the verdict.

use super::document::{Body, Csv, Used};
use super::number::Num;
use super::recommend::{Recommend, RejectedLine};
use super::row::Row;
use super::view::Block;
use super::workload::WorkloadLine;
use crate::gate::{Found, Totals, Verdict, Violation};
use serde::Serialize;
use std::collections::BTreeMap;

/// Columns of CSV: one line for each violation of each workload, one without any for a workload that passes.
const COLUMNS: [&str; 22] = [
    "name",
    "verdict",
    "pick_provider",
    "pick_region",
    "pick_instance_type",
    "pick_gpu",
    "pick_gpus_per_node",
    "pick_nodes",
    "pick_total_gpus",
    "pick_verdict",
    "pick_ranked_billing",
    "pick_duration_hours_expected",
    "usd_per_hour",
    "monthly_usd",
    "total_usd",
    "at_least",
    "price_age_days",
    "id",
    "level",
    "limit",
    "actual",
    "message",
];

/// First line of the Markdown, by which a pull-request comment is found again.
const TAG: &str = "<!-- gpuadvise -->";

/// The answer of `check`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckAnswer {
    /// In the order of the project file.
    pub workloads: Vec<CheckedWorkload>,
    /// What all of them cost together.
    pub totals: TotalsLine,
    /// `pass`, `warn` or `fail`.
    pub verdict: &'static str,
    #[serde(skip)]
    used: Used,
}

/// One workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedWorkload {
    /// Its name.
    pub name: String,
    /// `pass`, `warn` or `fail`: its own violations alone.
    pub verdict: &'static str,
    /// The question: every setting as written, `[defaults]` included.
    pub asked: BTreeMap<String, Vec<String>>,
    /// The workload with defaults filled in.
    pub workload: WorkloadLine,
    /// The chosen configuration, as in `recommend`; `null` where nothing fits or no price is known.
    pub pick: Option<Row>,
    /// What it costs to its end; for a commitment all that is owed. Unknown is `null`.
    pub total_usd: Option<Num>,
    /// A part of it, storage or egress, is not known; or no price at all, and there is no total.
    pub at_least: bool,
    /// What falls into a month of 730 hours.
    pub monthly_usd: Option<Num>,
    /// An hour of the whole configuration.
    pub usd_per_hour: Option<Num>,
    /// Age of the price, from the earliest day that its source allows.
    pub price_age_days: Option<Num>,
    /// Ids of the limits and policies that it was held against.
    pub checked: Vec<String>,
    /// What it breaks.
    pub violations: Vec<ViolationLine>,
    /// Why nothing was chosen; empty where something was.
    pub rejected: Vec<RejectedLine>,
}

/// Something that is broken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViolationLine {
    /// Id of the limit or policy.
    pub id: String,
    /// `deny` or `warn`.
    pub level: &'static str,
    /// What is allowed, where that is a number.
    pub limit: Option<Num>,
    /// What it is, where that is known.
    pub actual: Option<Num>,
    /// One sentence.
    pub message: String,
    /// The sentence is that of a policy, in the words of whoever wrote it.
    #[serde(skip)]
    pub quoted: bool,
}

/// Sums over all workloads.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TotalsLine {
    /// How many there are.
    pub workloads: usize,
    /// Each to its end.
    pub total_usd: Option<Num>,
    /// A month of 730 hours.
    pub monthly_usd: Option<Num>,
    /// An hour in which all run.
    pub usd_per_hour: Option<Num>,
    /// A part is not known: the sums are at least what they say.
    pub at_least: bool,
    /// Names of the workloads without a cost, in alphabetical order.
    pub unknown: Vec<String>,
    /// Names of the workloads whose cost lacks a part, in alphabetical order.
    pub lacking: Vec<String>,
}

/// What one workload came to, before it is printed.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its name.
    pub name: String,
    /// Every setting as written.
    pub asked: BTreeMap<String, Vec<String>>,
    /// Its recommendation of one row, or of none.
    pub answer: Recommend,
    /// What was found.
    pub found: Found,
    /// Ids that it was held against.
    pub checked: Vec<String>,
    /// What it breaks.
    pub violations: Vec<Violation>,
}

impl CheckAnswer {
    /// The body for these workloads, in their order.
    pub fn new(judged: Vec<Judged>, totals: &Totals) -> Self {
        let verdict = Verdict::of(judged.iter().flat_map(|one| &one.violations)).name();
        let mut used = Used::default();
        let count = judged.len();
        let spent = || {
            judged.iter().filter_map(|one| match &one.found {
                Found::Choice(spend) => Some(spend),
                _ => None,
            })
        };
        used.listed_mut().sum(totals.total, spent().map(|spend| spend.total));
        used.listed_mut().sum(totals.monthly, spent().map(|spend| spend.monthly));
        let workloads = judged.into_iter().map(|one| CheckedWorkload::new(one, &mut used)).collect();
        Self { workloads, totals: TotalsLine::new(count, totals), verdict, used }
    }

    /// The answer of a run whose catalog cannot be used.
    pub fn nothing() -> Self {
        let mut answer = Self { verdict: Verdict::Fail.name(), ..Self::new(Vec::new(), &Totals::default()) };
        // What is not known is no least either way.
        answer.totals.at_least = true;
        answer
    }
}

impl CheckedWorkload {
    fn new(judged: Judged, used: &mut Used) -> Self {
        used.also(&judged.answer.used);
        let spend = match &judged.found {
            Found::Choice(spend) => Some(spend),
            _ => None,
        };
        let pick = judged.answer.recommendations.into_iter().next();
        Self {
            verdict: Verdict::of(&judged.violations).name(),
            workload: judged.answer.workload.unwrap_or_default(),
            total_usd: spend.map(|s| Num::usd(s.total)),
            at_least: judged.found.is_at_least(),
            monthly_usd: spend.map(|s| Num::usd(s.monthly)),
            usd_per_hour: spend.map(|s| Num::usd_per_hour(s.hourly)),
            price_age_days: spend.map(|s| Num::exact(s.price_age_days as f64)),
            rejected: if pick.is_none() { judged.answer.rejected } else { Vec::new() },
            pick,
            name: judged.name,
            asked: judged.asked,
            checked: judged.checked,
            violations: judged.violations.into_iter().map(ViolationLine::from).collect(),
        }
    }
}

impl From<Violation> for ViolationLine {
    fn from(violation: Violation) -> Self {
        Self {
            id: violation.id,
            level: violation.level.name(),
            limit: violation.limit.map(Num::exact),
            actual: violation.actual.map(Num::exact),
            message: violation.message,
            quoted: violation.quoted,
        }
    }
}

impl TotalsLine {
    fn new(workloads: usize, totals: &Totals) -> Self {
        Self {
            workloads,
            total_usd: totals.total.map(Num::usd),
            monthly_usd: totals.monthly.map(Num::usd),
            usd_per_hour: totals.hourly.map(Num::usd_per_hour),
            at_least: totals.at_least(),
            unknown: totals.unknown.clone(),
            lacking: totals.lacking.clone(),
        }
    }
}

impl Body for CheckAnswer {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "workloads", spread: Some("violations"), columns: &COLUMNS }
    }

    fn tag(&self) -> Option<&'static str> {
        Some(TAG)
    }

    fn headline(&self) -> Option<String> {
        let of = |level: &str| {
            self.workloads.iter().flat_map(|w| &w.violations).filter(|v| v.level == level).count()
        };
        let (denied, warned) = (of("deny"), of("warn"));
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let count = self.workloads.len();
        Some(format!(
            "{}: {count} workload{}, {denied} violation{}, {warned} warning{}",
            self.verdict,
            s(count),
            s(denied),
            s(warned)
        ))
    }

    fn blocks(&self) -> Vec<Block> {
        super::text::check(self)
    }
}
