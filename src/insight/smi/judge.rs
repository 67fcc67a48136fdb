//! What the use of one GPU says: a verdict, how far it can be trusted and why, and what the workload needs.

use super::usage::Usage;
use super::{Growth, Metric, Series, Slice, Spread, Thresholds};
use crate::catalog::gpu::Gpu;
use crate::insight::Confidence;
use crate::units::GIB;

mod notes;
mod trust;
mod whole;

pub use whole::together;

/// What the log says of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It fails.
    Errors,
    /// The next allocation may fail.
    TooSmall,
    /// The log does not say.
    NotEnoughData,
    /// Nothing runs on it.
    Idle,
    /// Less than half of its memory and of its time is used.
    Oversized,
    /// Memory, or its bandwidth, is what keeps the workload here.
    MemoryBound,
    /// It is used.
    RightSized,
}

impl Verdict {
    /// Name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Errors => "errors",
            Self::TooSmall => "too-small",
            Self::NotEnoughData => "not-enough-data",
            Self::Idle => "idle",
            Self::Oversized => "oversized",
            Self::MemoryBound => "memory-bound",
            Self::RightSized => "right-sized",
        }
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Good to know.
    Info,
    /// Something to do.
    Suggest,
    /// Something is wrong, or the figures are.
    Warn,
}

impl Rank {
    /// Name in outputs, as that of advice.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Suggest => "suggest",
            Self::Warn => "warn",
        }
    }
}

/// One thing that a reader should know of a GPU.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Stable id, explained by `gpuadvise explain ID`.
    pub id: &'static str,
    /// How much it matters.
    pub rank: Rank,
    /// One sentence.
    pub message: String,
}

pub(super) fn found(id: &'static str, rank: Rank, message: String) -> Finding {
    Finding { id, rank, message }
}

/// What the workload of one GPU needs at its peak, without headroom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Need {
    /// Memory in bytes.
    pub memory: f64,
    /// Share of the GPU's arithmetic, 0 to 1.
    pub compute: f64,
    /// Share of the GPU's memory bandwidth, 0 to 1.
    pub bandwidth: f64,
}

/// The judgement of one GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// What the log says.
    pub verdict: Verdict,
    /// How far to trust it.
    pub confidence: Confidence,
    /// Why this verdict and this confidence, in sentences.
    pub why: Vec<String>,
    /// What else to know.
    pub findings: Vec<Finding>,
    /// Memory that can be used in all, in bytes, and whether the log says so (else the catalog).
    pub capacity: Option<(f64, bool)>,
    /// What it needs; `None` where the log does not say, and for a GPU that is idle or fails.
    pub need: Option<Need>,
}

/// All that the judgement of one GPU looks at.
pub(super) struct Seen<'a> {
    pub(super) series: &'a Series,
    pub(super) usage: &'a Usage,
    pub(super) gpu: Option<&'a Gpu>,
    pub(super) lines: &'a Thresholds,
    /// Memory that can be used, in bytes; from the log.
    pub(super) capacity: Option<(f64, bool)>,
    /// Peak memory over capacity.
    pub(super) share: Option<f64>,
    /// Busiest unit, 0 to 1, 95th percentile.
    pub(super) busy: Option<f64>,
    /// The same at its peak.
    pub(super) top: Option<f64>,
    /// The peak is far above the 95th percentile.
    pub(super) bursty: bool,
    /// Program that takes memory ahead of need.
    pub(super) ahead: Option<&'a str>,
}

impl Seen<'_> {
    /// Share of memory that is held, where it is more than a context takes.
    pub(super) fn loaded(&self) -> Option<f64> {
        self.share.filter(|share| *share >= self.lines.loaded)
    }

    /// Memory that still rises, so that the peak is not the end of it.
    pub(super) fn growing(&self) -> Option<Growth> {
        let memory = self.usage.memory.filter(|memory| memory.samples as f64 >= self.lines.idle_series)?;
        let share = self.lines.growth;
        let grows = |growth: &Growth| {
            let risen = growth.last - growth.first;
            growth.last > growth.before && risen >= memory.peak * share && growth.rise >= risen * share
        };
        self.usage.growth.filter(grows).filter(|_| self.loaded().is_some())
    }

    /// Memory that does not move in a long series, as where an allocator keeps what it once took.
    pub(super) fn flat(&self) -> bool {
        let still = |memory: &Spread| memory.peak - memory.least <= memory.peak * self.lines.flat;
        self.usage
            .memory
            .is_some_and(|memory| memory.samples as f64 >= self.lines.long_series && still(&memory))
    }
}

/// Judges one GPU; `gpu` is what the catalog has of it.
pub fn judge(series: &Series, usage: &Usage, gpu: Option<&Gpu>, lines: &Thresholds) -> Judged {
    let capacity = capacity(usage, gpu, lines);
    let share = usage.memory.zip(capacity).map(|(memory, (capacity, _))| memory.peak / capacity);
    let ahead = notes::ahead_of_need(series, lines);
    let busy = busy(series, usage, gpu, lines);
    let top = top(usage).or(busy);
    let bursty = busy.zip(top).is_some_and(|(busy, top)| top - busy >= lines.burst);
    let seen = Seen { series, usage, gpu, lines, capacity, share, busy, top, bursty, ahead };
    let (verdict, mut why) = verdict(&seen);
    let (confidence, because) = trust::confidence(&seen, verdict);
    why.extend(because);
    let need = need(&seen, verdict);
    Judged { verdict, confidence, why, findings: notes::findings(&seen, verdict), capacity, need }
}

/// What can be used of the memory: in use and free together where both are known, since the driver reserves some.
fn capacity(usage: &Usage, gpu: Option<&Gpu>, lines: &Thresholds) -> Option<(f64, bool)> {
    if let Some(total) = usage.memory_total {
        let free = usage.spread(Metric::MemoryFree);
        let both = usage.memory.zip(free).map(|(used, free)| used.least + free.peak);
        let likely = |both: &f64| *both <= total && *both >= total * (1.0 - lines.other_memory);
        return Some((both.filter(likely).unwrap_or(total), true));
    }
    gpu.map(|gpu| (gpu.usable_bytes as f64, false))
}

/// The busiest unit at the 95th percentile: SMs or engine, or one that works beside them, such as the video encoder.
/// With MIG on, the instances that hold memory bound it from above.
fn busy(series: &Series, usage: &Usage, gpu: Option<&Gpu>, lines: &Thresholds) -> Option<f64> {
    let Some(activity) = usage.activity() else { return in_slices(series, usage, gpu, lines) };
    let video = [Metric::Encoder, Metric::Decoder].into_iter().filter_map(|metric| usage.spread(metric));
    Some(video.map(|spread| spread.p95).fold(activity.p95, f64::max) / 100.0)
}

/// The busiest unit at its peak.
fn top(usage: &Usage) -> Option<f64> {
    let video = [Metric::Encoder, Metric::Decoder].into_iter().filter_map(|metric| usage.spread(metric));
    Some(video.map(|spread| spread.peak).fold(usage.activity()?.peak, f64::max) / 100.0)
}

/// Share of a GPU that its used MIG instances have, times how busy they are where DCGM tells it: compute slices by the
/// profile of that memory, else its memory.
fn in_slices(series: &Series, usage: &Usage, gpu: Option<&Gpu>, lines: &Thresholds) -> Option<f64> {
    let whole = usage.memory_total.or(gpu.map(|gpu| gpu.usable_bytes as f64))?;
    let works = |slice: &&Slice| {
        let active = slice.activity.iter().any(|activity| *activity > 0.0);
        active || slice.used_peak_bytes.is_some_and(|used| used > lines.empty_slice_bytes)
    };
    let share = |slice: &Slice| {
        let memory = slice.memory_bytes?;
        let share = gpu
            .and_then(|gpu| notes::compute_share(gpu, memory, lines.other_memory))
            .unwrap_or(memory / whole);
        // DCGM tells how busy an instance is; else all of it counts.
        let active = Spread::of(slice.activity.clone()).map_or(100.0, |spread| spread.p95.min(100.0));
        Some(share * active / 100.0)
    };
    // One that works and is of unknown size leaves the whole unknown.
    let shares: Vec<f64> = series.slices.values().filter(works).map(share).collect::<Option<_>>()?;
    (!series.slices.is_empty()).then(|| shares.iter().sum::<f64>().min(1.0))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn verdict(seen: &Seen) -> (Verdict, Vec<String>) {
    let Seen { usage, lines, share, busy, .. } = *seen;
    if let Some(words) = &seen.series.lost {
        return (Verdict::Errors, vec![format!("the driver lost a GPU of this host: {words}")]);
    }
    if usage.errors > 0 {
        let polls = usage.errors;
        return (
            Verdict::Errors,
            vec![format!(
                "errors stand in place of figures in {polls} of {} polls",
                seen.series.samples.len()
            )],
        );
    }
    let near = |share: &f64| *share >= lines.full && seen.ahead.is_none() && !seen.flat();
    if let Some(share) = share.filter(near) {
        let what = format!("peak memory is {} of what can be used", percent(share));
        return (Verdict::TooSmall, vec![format!("{what}: the next allocation may fail")]);
    }
    if (usage.samples as f64) < lines.series {
        let mut why = vec![match usage.samples {
            0 => "no poll has a figure of use".to_owned(),
            1 => "one poll is no series: a busy GPU can read 0 % in it".to_owned(),
            polls => format!("{polls} polls are no series"),
        }];
        why.extend(notes::reading(seen));
        return (Verdict::NotEnoughData, why);
    }
    if let Some(Growth { first, last, .. }) = seen.growing() {
        let from = format!("memory grows, from {} in the first third of the polls", gib(first));
        let why = format!("{from} to {} in the last one: the peak is not the end of it", gib(last));
        return (Verdict::NotEnoughData, vec![why]);
    }
    let Some(busy) = busy else {
        return (Verdict::NotEnoughData, vec!["no figure says how busy it is".to_owned()]);
    };
    if busy <= lines.idle {
        return idle(seen, busy);
    }
    let Some(share) = share else {
        let why = if usage.memory.is_some() {
            "the log says neither how much memory the GPU has nor what it is: `--gpu` does"
        } else if usage.impossible.is_some() {
            "the figures of memory in use are above all that the GPU has"
        } else {
            "no figure says how much memory it uses"
        };
        return (Verdict::NotEnoughData, vec![why.to_owned()]);
    };
    sized(seen, share, busy)
}

/// The verdict where nothing runs in nearly all polls.
fn idle(seen: &Seen, busy: f64) -> (Verdict, Vec<String>) {
    let (polls, top) = (seen.usage.samples, percent(seen.top.unwrap_or(busy)));
    let why = format!("activity is at most {} in 95 % of {polls} polls, {top} at its peak", percent(busy));
    if (polls as f64) < seen.lines.idle_series {
        let needed = seen.lines.idle_series;
        let more = format!("{why}, which are too few to call it idle: {needed} are needed");
        return (Verdict::NotEnoughData, vec![more]);
    }
    if seen.bursty {
        let more = format!("{why}: hardly ever used, and then much");
        return (Verdict::NotEnoughData, vec![more]);
    }
    (Verdict::Idle, vec![why])
}

/// The verdict where both memory and activity are known.
fn sized(seen: &Seen, share: f64, busy: f64) -> (Verdict, Vec<String>) {
    let Seen { usage, lines, .. } = *seen;
    let top = seen.top.unwrap_or(busy);
    let both = format!(
        "peak memory {}, activity {} at the 95th percentile and {} at its peak",
        percent(share),
        percent(busy),
        percent(top)
    );
    // Bursts are work too: a GPU that is too slow for them is too small.
    let busy = if seen.bursty { top } else { busy };
    if let Some(dram) = usage.spread(Metric::Dram).filter(|dram| dram.p95 / 100.0 >= lines.bandwidth) {
        let why = format!("device memory moves data in {} of its cycles", percent(dram.p95 / 100.0));
        return (Verdict::MemoryBound, vec![why]);
    }
    if let Some(program) = seen.ahead {
        let why = format!("`{program}` takes memory ahead of need, so memory in use is not what it needs");
        let verdict = if busy < lines.poor { Verdict::NotEnoughData } else { Verdict::RightSized };
        return (verdict, vec![both, why]);
    }
    if share >= lines.full {
        let polls = usage.memory.map_or(0, |memory| memory.samples);
        let why =
            format!("memory did not move in {polls} polls: an allocator that keeps what it took looks so");
        return (Verdict::MemoryBound, vec![both, why]);
    }
    if busy >= lines.poor {
        return (Verdict::RightSized, vec![both]);
    }
    if share >= lines.bound {
        return (Verdict::MemoryBound, vec![format!("{both}: it is there for its memory")]);
    }
    let verdict = if share < lines.roomy { Verdict::Oversized } else { Verdict::RightSized };
    (verdict, vec![both])
}

/// What the workload needs: memory at its peak, arithmetic and bandwidth at the 95th percentile, and at their peak where
/// work comes in bursts. A share of time in which
/// a unit was busy bounds from above what is needed of it, and no unit moves data while nothing runs.
fn need(seen: &Seen, verdict: Verdict) -> Option<Need> {
    let sized = matches!(verdict, Verdict::Oversized | Verdict::MemoryBound | Verdict::RightSized);
    let busy = if seen.bursty { seen.top } else { seen.busy };
    let (memory, compute) = (seen.usage.memory?, busy.filter(|_| sized)?);
    let of = |spread: &Spread| if seen.bursty { spread.peak } else { spread.p95 };
    let moves = |metric: Metric| seen.usage.spread(metric).map(|spread| of(spread) / 100.0);
    let bandwidth =
        moves(Metric::Dram).or_else(|| moves(Metric::MemoryController)).map_or(compute, |b| b.min(1.0));
    // With MIG on, the peak of the GPU is that of all its instances.
    Some(Need { memory: memory.peak, compute, bandwidth })
}

/// Bytes as GiB with one decimal.
pub(super) fn gib(bytes: f64) -> String {
    format!("{:.1} GiB", bytes / GIB)
}
