//! One GPU of a log as printed: a figure that the log does not have is `null`.

use super::Member;
use crate::catalog::Catalog;
use crate::insight::smi::{Finding, Metric, Shape, Slice};
use crate::report::number::Num;
use serde::Serialize;

/// One GPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuLine {
    /// Name of the host; empty where the log has none.
    pub host: String,
    /// Its number there.
    pub index: u32,
    /// What the driver calls it.
    pub name: Option<String>,
    /// What the catalog calls it.
    pub gpu: Option<String>,
    /// What its use says.
    pub verdict: &'static str,
    /// How far to trust that.
    pub confidence: &'static str,
    /// Why both.
    pub why: Vec<String>,
    /// Shapes that it was read from.
    pub shapes: Vec<&'static str>,
    /// Polls.
    pub samples: usize,
    /// From the first to the last of them.
    pub span_seconds: Option<Num>,
    /// Median between two of them.
    pub interval_seconds: Option<Num>,
    /// Memory in all.
    pub memory_total_gib: Option<Num>,
    /// `log` or `catalog`.
    pub memory_total_from: Option<&'static str>,
    /// Memory in use.
    pub memory_used_p50_gib: Option<Num>,
    /// Memory in use.
    pub memory_used_p95_gib: Option<Num>,
    /// Memory in use.
    pub memory_used_peak_gib: Option<Num>,
    /// Peak over what can be used.
    pub memory_used_peak_pct: Option<Num>,
    /// Time in which any kernel ran.
    pub utilisation_p50_pct: Option<Num>,
    /// Time in which any kernel ran.
    pub utilisation_p95_pct: Option<Num>,
    /// Time in which any kernel ran.
    pub utilisation_peak_pct: Option<Num>,
    /// Time in which memory was read or written.
    pub memory_controller_p50_pct: Option<Num>,
    /// Time in which memory was read or written.
    pub memory_controller_p95_pct: Option<Num>,
    /// Time in which the engine was active (GRACT).
    pub engine_activity_p50_pct: Option<Num>,
    /// Time in which the engine was active (GRACT).
    pub engine_activity_p95_pct: Option<Num>,
    /// Time in which the engine was active (GRACT).
    pub engine_activity_peak_pct: Option<Num>,
    /// SMs with a warp (SMACT).
    pub sm_activity_p50_pct: Option<Num>,
    /// SMs with a warp (SMACT).
    pub sm_activity_p95_pct: Option<Num>,
    /// SMs with a warp (SMACT).
    pub sm_activity_peak_pct: Option<Num>,
    /// Resident warps (SMOCC).
    pub sm_occupancy_p50_pct: Option<Num>,
    /// Resident warps (SMOCC).
    pub sm_occupancy_p95_pct: Option<Num>,
    /// Tensor cores (TENSO).
    pub tensor_activity_p50_pct: Option<Num>,
    /// Tensor cores (TENSO).
    pub tensor_activity_p95_pct: Option<Num>,
    /// Device memory (DRAMA).
    pub dram_activity_p50_pct: Option<Num>,
    /// Device memory (DRAMA).
    pub dram_activity_p95_pct: Option<Num>,
    /// Video encoder.
    pub encoder_p50_pct: Option<Num>,
    /// Video decoder.
    pub decoder_p50_pct: Option<Num>,
    /// Power.
    pub power_p50_w: Option<Num>,
    /// Power.
    pub power_peak_w: Option<Num>,
    /// Limit of power.
    pub power_limit_w: Option<Num>,
    /// Median power over its limit.
    pub power_p50_pct: Option<Num>,
    /// Temperature.
    pub temperature_peak_c: Option<Num>,
    /// Polls in which it was idle.
    pub idle_pct: Option<Num>,
    /// What "busy" rests on: `sm-activity`, `engine-activity` or `utilisation`.
    pub activity_from: Option<&'static str>,
    /// MIG is on.
    pub mig: bool,
    /// Instances, where MIG is on and the log has them.
    pub mig_instances: Vec<SliceLine>,
    /// Polls with errors in place of figures.
    pub errors: usize,
    /// Programs on it.
    pub processes: Vec<String>,
    /// What else to know.
    pub findings: Vec<FindingLine>,
}

/// One MIG instance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SliceLine {
    /// GPU instance id.
    pub gpu_instance: u32,
    /// Its memory.
    pub memory_total_gib: Option<Num>,
    /// Most of it that was used.
    pub memory_used_peak_gib: Option<Num>,
    /// Highest SM activity of the instance.
    pub sm_activity_peak_pct: Option<Num>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FindingLine {
    /// Stable id, for `explain`.
    pub id: &'static str,
    /// `info`, `suggest` or `warn`.
    pub level: &'static str,
    /// One sentence.
    pub message: String,
}

impl From<&Finding> for FindingLine {
    fn from(finding: &Finding) -> Self {
        Self { id: finding.id, level: finding.rank.name(), message: finding.message.clone() }
    }
}

impl SliceLine {
    fn new((id, slice): (&u32, &Slice)) -> Self {
        Self {
            gpu_instance: *id,
            memory_total_gib: slice.memory_bytes.map(Num::gib),
            memory_used_peak_gib: slice.used_peak_bytes.map(Num::gib),
            sm_activity_peak_pct: slice
                .activity
                .iter()
                .copied()
                .reduce(f64::max)
                .map(|peak| Num::percent(peak.min(100.0))),
        }
    }
}

impl GpuLine {
    /// One GPU as printed.
    pub(super) fn new(catalog: &Catalog, member: &Member) -> Self {
        let Member { place, series, usage, judged, .. } = member;
        let p50 = |metric: Metric| usage.spread(metric).map(|spread| Num::percent(spread.p50));
        let p95 = |metric: Metric| usage.spread(metric).map(|spread| Num::percent(spread.p95));
        let peak = |metric: Metric| usage.spread(metric).map(|spread| Num::percent(spread.peak));
        let total = usage.memory_total.map(|total| (total, "log"));
        let total = total.or(judged.capacity.map(|(bytes, _)| (bytes, "catalog")));
        let memory = usage.memory.as_ref();
        let of_capacity = |(capacity, _): (f64, bool)| Some(Num::percent(memory?.peak / capacity * 100.0));
        Self {
            host: place.host.clone(),
            index: place.index,
            name: series.name.clone(),
            gpu: member.gpu.map(|gpu| catalog.gpu(gpu).name.clone()),
            verdict: judged.verdict.name(),
            confidence: judged.confidence.name(),
            why: judged.why.clone(),
            shapes: series.shapes.iter().copied().map(Shape::name).collect(),
            samples: usage.samples,
            span_seconds: usage.span_s.map(|seconds| Num::rounded(seconds, 3)),
            interval_seconds: usage.interval_s.map(|seconds| Num::rounded(seconds, 3)),
            memory_total_gib: total.map(|(bytes, _)| Num::gib(bytes)),
            memory_total_from: total.map(|(_, from)| from),
            memory_used_p50_gib: memory.map(|memory| Num::gib(memory.p50)),
            memory_used_p95_gib: memory.map(|memory| Num::gib(memory.p95)),
            memory_used_peak_gib: memory.map(|memory| Num::gib(memory.peak)),
            memory_used_peak_pct: judged.capacity.and_then(of_capacity),
            utilisation_p50_pct: p50(Metric::Utilisation),
            utilisation_p95_pct: p95(Metric::Utilisation),
            utilisation_peak_pct: peak(Metric::Utilisation),
            memory_controller_p50_pct: p50(Metric::MemoryController),
            memory_controller_p95_pct: p95(Metric::MemoryController),
            engine_activity_p50_pct: p50(Metric::Engine),
            engine_activity_p95_pct: p95(Metric::Engine),
            engine_activity_peak_pct: peak(Metric::Engine),
            sm_activity_p50_pct: p50(Metric::Sm),
            sm_activity_p95_pct: p95(Metric::Sm),
            sm_activity_peak_pct: peak(Metric::Sm),
            sm_occupancy_p50_pct: p50(Metric::Occupancy),
            sm_occupancy_p95_pct: p95(Metric::Occupancy),
            tensor_activity_p50_pct: p50(Metric::Tensor),
            tensor_activity_p95_pct: p95(Metric::Tensor),
            dram_activity_p50_pct: p50(Metric::Dram),
            dram_activity_p95_pct: p95(Metric::Dram),
            encoder_p50_pct: p50(Metric::Encoder),
            decoder_p50_pct: p50(Metric::Decoder),
            power_p50_w: p50(Metric::Power),
            power_peak_w: peak(Metric::Power),
            power_limit_w: usage.power_limit.map(Num::percent),
            power_p50_pct: usage.power_share().map(|share| Num::percent(share * 100.0)),
            temperature_peak_c: peak(Metric::Temperature),
            idle_pct: usage.idle_share.map(|share| Num::percent(share * 100.0)),
            activity_from: usage.basis.map(crate::insight::smi::Basis::name),
            mig: series.mig,
            mig_instances: series.slices.iter().map(SliceLine::new).collect(),
            errors: usage.errors,
            processes: series.processes.iter().cloned().collect(),
            findings: judged.findings.iter().map(FindingLine::from).collect(),
        }
    }
}
