//! The body of `rightsize`: what each GPU of a log was used for, and what would do for less.

mod duty;
mod gpu;
pub mod offer;
pub mod said;

pub use duty::DutyLine;
pub use gpu::{FindingLine, GpuLine};
pub use offer::{PresentLine, RecommendationLine};

use super::document::{Body, Csv, Used};
use super::number::Num;
use super::view::Block;
use crate::advise::smaller::Offer;
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::insight::Confidence;
use crate::insight::smi::{Judged, Log, Place, Series, Thresholds, Usage, Verdict, together};
use serde::Serialize;

/// Columns of CSV: one line a GPU.
const COLUMNS: [&str; 47] = [
    "host",
    "index",
    "name",
    "gpu",
    "verdict",
    "confidence",
    "samples",
    "span_seconds",
    "interval_seconds",
    "memory_total_gib",
    "memory_total_from",
    "memory_used_p50_gib",
    "memory_used_p95_gib",
    "memory_used_peak_gib",
    "memory_used_peak_pct",
    "utilisation_p50_pct",
    "utilisation_p95_pct",
    "utilisation_peak_pct",
    "memory_controller_p50_pct",
    "memory_controller_p95_pct",
    "engine_activity_p50_pct",
    "engine_activity_p95_pct",
    "engine_activity_peak_pct",
    "sm_activity_p50_pct",
    "sm_activity_p95_pct",
    "sm_activity_peak_pct",
    "sm_occupancy_p50_pct",
    "sm_occupancy_p95_pct",
    "tensor_activity_p50_pct",
    "tensor_activity_p95_pct",
    "dram_activity_p50_pct",
    "dram_activity_p95_pct",
    "encoder_p50_pct",
    "decoder_p50_pct",
    "power_p50_w",
    "power_peak_w",
    "power_limit_w",
    "power_p50_pct",
    "temperature_peak_c",
    "idle_pct",
    "activity_from",
    "mig",
    "errors",
    "processes",
    "shapes",
    "why",
    "findings",
];

/// One GPU of a log with all that is known of it.
#[derive(Clone, Debug)]
pub struct Member<'l> {
    /// Where it is.
    pub place: &'l Place,
    /// What was read.
    pub series: &'l Series,
    /// The numbers.
    pub usage: Usage,
    /// What it is in the catalog.
    pub gpu: Option<GpuId>,
    /// What it could be too, by its name.
    pub or: Vec<GpuId>,
    /// What its use says.
    pub judged: Judged,
}

impl Member<'_> {
    /// Whether video engines are busy, which the catalog knows nothing of.
    pub fn is_video(&self) -> bool {
        self.judged.findings.iter().any(|finding| finding.id == "video-engine")
    }
}

/// All GPUs of one model.
#[derive(Clone, Debug)]
pub struct Group<'m> {
    /// They.
    pub members: Vec<&'m Member<'m>>,
    /// The model, where the catalog has it.
    pub gpu: Option<GpuId>,
    /// Hosts that they are in.
    pub hosts: u32,
    /// On all of them.
    pub verdict: Verdict,
    /// Least of all of them.
    pub confidence: Confidence,
    /// What they cost now.
    pub present: Option<Offer>,
    /// What would do for less.
    pub instead: Option<Offer>,
}

/// The answer of `rightsize`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Rightsize {
    /// On all GPUs; `null` where the catalog is invalid.
    pub verdict: Option<&'static str>,
    /// Least of all GPUs.
    pub confidence: Option<&'static str>,
    /// Names of the hosts, where there are names.
    pub hosts: Vec<String>,
    /// Polls of all GPUs together.
    pub samples: usize,
    /// What would do for less, where all GPUs are of one model.
    pub recommendation: Option<RecommendationLine>,
    /// By model of GPU.
    pub results: Vec<ResultLine>,
    /// One for each GPU.
    pub gpus: Vec<GpuLine>,
    /// What the tools said instead of figures.
    pub failures: Vec<String>,
    #[serde(skip)]
    used: Used,
}

/// All GPUs of one model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultLine {
    /// Canonical name; `null` where the catalog does not have it, or the log does not name it.
    pub gpu: Option<String>,
    /// How many in all hosts.
    pub gpus: usize,
    /// Hosts.
    pub hosts: u32,
    /// GPUs on which nothing runs.
    pub idle_gpus: usize,
    /// On all of them.
    pub verdict: &'static str,
    /// Least of all of them.
    pub confidence: &'static str,
    /// Largest peak of one GPU.
    pub memory_used_peak_gib: Option<Num>,
    /// Sum of the peaks.
    pub memory_used_sum_gib: Option<Num>,
    /// Highest 95th percentile of activity of one GPU.
    pub activity_p95_pct: Option<Num>,
    /// Highest activity of one GPU.
    pub activity_peak_pct: Option<Num>,
    /// What they cost now.
    pub present: Option<PresentLine>,
    /// What would do for less.
    pub recommendation: Option<RecommendationLine>,
    /// Stretches without work, where they are worth a stop.
    pub duty_cycle: Option<DutyLine>,
    /// Why nothing is recommended.
    pub reason: Option<String>,
}

impl Rightsize {
    /// The body for the groups of a log.
    pub fn new(catalog: &Catalog, log: &Log, groups: &[Group], thresholds: &Thresholds) -> Self {
        let mut used = Used::default();
        for group in groups {
            group.present.iter().chain(&group.instead).for_each(|offer| used.price(offer.source));
            group.gpu.into_iter().for_each(|gpu| used.figure(catalog.gpu(gpu).source));
        }
        let results: Vec<ResultLine> =
            groups.iter().map(|group| ResultLine::new(catalog, group, thresholds)).collect();
        let mut members: Vec<&Member> =
            groups.iter().flat_map(|group| group.members.iter().copied()).collect();
        members.sort_by_key(|member| member.place);
        let mut hosts: Vec<String> = log.gpus.keys().map(|place| place.host.clone()).collect();
        hosts.retain(|host| !host.is_empty());
        hosts.dedup();
        let judged: Vec<&Judged> = members.iter().map(|member| &member.judged).collect();
        let (mut verdict, mut confidence) = together(&judged);
        if members.is_empty() && !log.failures.is_empty() {
            (verdict, confidence) = (Verdict::Errors, Confidence::High);
        }
        let one = if let [only] = results.as_slice() { only.recommendation.clone() } else { None };
        Self {
            verdict: Some(verdict.name()),
            confidence: Some(confidence.name()),
            hosts,
            samples: members.iter().map(|member| member.usage.samples).sum(),
            recommendation: one,
            results,
            gpus: members.iter().map(|member| GpuLine::new(catalog, member)).collect(),
            failures: log.failures.iter().cloned().collect(),
            used,
        }
    }

    /// The answer of a run whose catalog cannot be used.
    pub fn nothing() -> Self {
        Self::default()
    }
}

impl ResultLine {
    fn new(catalog: &Catalog, group: &Group, thresholds: &Thresholds) -> Self {
        let peaks: Vec<f64> = group.members.iter().filter_map(|m| Some(m.usage.memory?.peak)).collect();
        let all = peaks.len() == group.members.len() && !peaks.is_empty();
        let busy = group.members.iter().filter_map(|m| Some(m.usage.activity()?.p95)).reduce(f64::max);
        let peak = group.members.iter().filter_map(|m| Some(m.usage.activity()?.peak)).reduce(f64::max);
        let idle = |member: &&&Member| member.judged.verdict == Verdict::Idle;
        let recommendation = RecommendationLine::new(catalog, group, thresholds);
        let reason = if recommendation.is_some() { None } else { said::why_nothing(group) };
        Self {
            gpu: group.gpu.map(|gpu| catalog.gpu(gpu).name.clone()),
            gpus: group.members.len(),
            hosts: group.hosts,
            idle_gpus: group.members.iter().filter(idle).count(),
            verdict: group.verdict.name(),
            confidence: group.confidence.name(),
            memory_used_peak_gib: peaks.iter().copied().reduce(f64::max).map(Num::gib),
            memory_used_sum_gib: all.then(|| Num::gib(peaks.iter().sum())),
            activity_p95_pct: busy.map(Num::percent),
            activity_peak_pct: peak.map(Num::percent),
            present: group.present.as_ref().map(|offer| PresentLine::new(catalog, offer)),
            recommendation,
            duty_cycle: DutyLine::new(group, thresholds),
            reason,
        }
    }
}

impl Body for Rightsize {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "gpus", spread: None, columns: &COLUMNS }
    }

    fn headline(&self) -> Option<String> {
        let verdict = self.verdict?;
        let gpus = self.gpus.len();
        let s = if gpus == 1 { "" } else { "s" };
        let hosts =
            if self.hosts.len() > 1 { format!(" in {} hosts", self.hosts.len()) } else { String::new() };
        let confidence = self.confidence.unwrap_or("low");
        Some(format!("{gpus} GPU{s}{hosts}: {verdict} ({confidence} confidence)"))
    }

    fn blocks(&self) -> Vec<Block> {
        super::text::rightsize(self)
    }
}
