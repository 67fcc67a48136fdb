//! What else a reader should know: limits of the figures, programs that take memory ahead of need, slices that would do.

use super::{Finding, Growth, Rank, Seen, Spread, Verdict, found, gib, percent};
use crate::catalog::gpu::Gpu;
use crate::insight::smi::usage::Basis;
use crate::insight::smi::{Metric, Series, Slice, Thresholds, is_other_memory, trend};

/// The first program that takes memory ahead of need.
pub(super) fn ahead_of_need<'a>(series: &Series, lines: &'a Thresholds) -> Option<&'a str> {
    let runs =
        |name: &str| series.processes.iter().any(|program| program.to_ascii_lowercase().contains(name));
    lines.preallocate.iter().map(|(name, _)| name.as_str()).find(|name| runs(name))
}

/// All findings, in the order of the code.
pub(super) fn findings(seen: &Seen, verdict: Verdict) -> Vec<Finding> {
    let all = [
        errors(seen),
        other_memory(seen),
        memory_of_catalog(seen),
        memory_of_processes(seen),
        memory_of_instances(seen),
        memory_unknown(seen),
        reserve(seen),
        above_all(seen),
        mig(seen),
        empty_instances(seen),
        no_activity(seen),
        utilisation_only(seen),
        few_sms(seen),
        impossible(seen),
        growing(seen),
        bursty(seen),
        loaded(seen, verdict),
        rest(seen, verdict),
        ahead(seen),
        flat(seen),
        video(seen),
        no_time(seen),
        log_longer(seen, verdict),
        slice(seen).filter(|_| verdict != Verdict::Idle),
    ];
    all.into_iter().flatten().collect()
}

fn errors(seen: &Seen) -> Option<Finding> {
    let polls = seen.usage.errors;
    let message =
        "the driver reports an error: drain the GPU and look for its Xid in the kernel log".to_owned();
    (polls > 0 || seen.series.lost.is_some()).then(|| found("gpu-errors", Rank::Warn, message))
}

/// A card of that name with another memory: modified, or one that the catalog does not have.
fn other_memory(seen: &Seen) -> Option<Finding> {
    let (gpu, total) = (seen.gpu?, seen.usage.memory_total?);
    let message = format!(
        "the log shows {} of memory, and {} of the catalog has {}: a modified card, or one that the catalog lacks; prices and \
         figures are those of the card of the catalog",
        gib(total),
        gpu.name,
        gib(gpu.usable_bytes as f64)
    );
    is_other_memory(gpu, seen.series, Some(total), seen.lines)
        .then(|| found("unlisted-memory", Rank::Warn, message))
}

/// P008: no total, or 0 MiB, is no GPU of 0 GB.
fn memory_of_catalog(seen: &Seen) -> Option<Finding> {
    let (capacity, from_log) = seen.capacity?;
    let gpu = seen.gpu.filter(|_| !from_log)?;
    let what = if seen.series.total_missing {
        "the driver reports no memory in all"
    } else {
        "the log has no total memory"
    };
    let message = format!("{what}: {} of the catalog ({}) is taken", gib(capacity), gpu.name);
    Some(found("memory-from-catalog", Rank::Info, message))
}

fn memory_of_processes(seen: &Seen) -> Option<Finding> {
    let message =
        "memory in use is the sum over processes; contexts and reserves of the driver are not in it"
            .to_owned();
    seen.usage.memory_by_process.then(|| found("memory-by-process", Rank::Info, message))
}

fn memory_of_instances(seen: &Seen) -> Option<Finding> {
    let message =
        "memory in use is the sum of the peaks of the MIG instances, which need not come together".to_owned();
    seen.usage.memory_by_instance.then(|| found("memory-by-instance", Rank::Info, message))
}

fn memory_unknown(seen: &Seen) -> Option<Finding> {
    let message =
        "memory in use is not in the log, so nothing smaller is advised: add `memory.used` to the query, or \
                   `dmon -s pucm`"
            .to_owned();
    let unknown = seen.usage.memory.is_none() && seen.usage.impossible.is_none();
    unknown.then(|| found("memory-unknown", Rank::Warn, message))
}

fn reserve(seen: &Seen) -> Option<Finding> {
    let total = seen.usage.memory_total?;
    let reserved = total - seen.capacity.filter(|(_, from_log)| *from_log)?.0;
    let message = format!("the driver keeps {} of {} for itself", gib(reserved), gib(total));
    (reserved > 0.0).then(|| found("driver-reserve", Rank::Info, message))
}

/// P158: a share of more than everything.
fn above_all(seen: &Seen) -> Option<Finding> {
    let (count, highest) = seen.usage.clamped?;
    let message = format!("{count} figures are above 100 %, up to {highest:.0} %: they count as 100 %");
    Some(found("above-100-pct", Rank::Warn, message))
}

fn mig(seen: &Seen) -> Option<Finding> {
    let message = "MIG is on, so the driver has no utilisation of the GPU; DCGM has SMACT of each instance (`dcgmi dmon \
                   -e 1002,1004,1005`)"
        .to_owned();
    let silent = seen.series.slices.values().all(|slice| slice.activity.is_empty());
    (seen.series.mig && silent && seen.usage.basis.is_none())
        .then(|| found("mig-no-utilisation", Rank::Info, message))
}

/// Instances that are there and hold nothing, beside others that work.
fn empty_instances(seen: &Seen) -> Option<Finding> {
    let is_empty = |slice: &Slice| {
        let holds = slice.used_peak_bytes.is_none_or(|used| used > seen.lines.empty_slice_bytes);
        !holds && slice.activity.iter().all(|activity| *activity <= 0.0)
    };
    let empty: Vec<String> = seen
        .series
        .slices
        .iter()
        .filter(|(_, slice)| is_empty(slice))
        .map(|(id, _)| id.to_string())
        .collect();
    let (count, all) = (empty.len(), seen.series.slices.len());
    let message = format!(
        "{count} of {all} MIG instances hold nothing ({}): give them to other work, or make larger ones of them",
        empty.join(", ")
    );
    (count > 0 && count < all).then(|| found("mig-empty-instances", Rank::Suggest, message))
}

fn no_activity(seen: &Seen) -> Option<Finding> {
    let message =
        "no figure says how busy it is (`-` or `N/A` stands there): MIG is on, or the card does not tell"
            .to_owned();
    let nothing = seen.usage.basis.is_none() && !seen.series.mig && seen.usage.errors == 0;
    (nothing && seen.usage.samples > 0).then(|| found("activity-unknown", Rank::Info, message))
}

/// P157: utilisation does not say how busy a GPU is.
fn utilisation_only(seen: &Seen) -> Option<Finding> {
    let basis = seen.usage.basis.filter(|basis| *basis != Basis::SmActivity)?;
    // A reading of nothing needs no better metric.
    seen.top.filter(|top| *top > seen.lines.idle)?;
    let what = if basis == Basis::Engine { "GRACT" } else { "GPU utilisation" };
    let message = format!(
        "{what} is the time in which any kernel ran, not how much of the GPU was busy: `dcgmi dmon -e 1002,1004,1005` \
         has SM, tensor and memory activity"
    );
    Some(found("utilisation-only", Rank::Warn, message))
}

/// All the time something runs, and hardly any power is drawn: a few SMs.
fn few_sms(seen: &Seen) -> Option<Finding> {
    let usage = seen.usage;
    let busy = usage.activity().filter(|_| usage.basis != Some(Basis::SmActivity))?.p50;
    let power = usage.power_share().filter(|share| *share < seen.lines.faint_power)?;
    let message =
        format!("utilisation is {busy:.0} % at {} of the power limit: few SMs may be busy", percent(power));
    (busy / 100.0 >= seen.lines.poor).then(|| found("busy-at-low-power", Rank::Info, message))
}

fn ahead(seen: &Seen) -> Option<Finding> {
    let program = seen.ahead?;
    let (_, share) = seen.lines.preallocate.iter().find(|(name, _)| name == program)?;
    let message = format!(
        "`{program}` takes {} of the memory at its start by default: what it needs is in its own log",
        percent(*share)
    );
    Some(found("memory-preallocated", Rank::Warn, message))
}

/// More memory in use than there is.
fn impossible(seen: &Seen) -> Option<Finding> {
    let (count, highest) = seen.usage.impossible?;
    let there = seen.capacity.map_or_else(String::new, |(bytes, _)| format!(" of {}", gib(bytes)));
    let message = format!(
        "{count} figures of memory in use are above all that there is, up to {}{there}: they do not count",
        gib(highest)
    );
    Some(found("memory-impossible", Rank::Warn, message))
}

fn growing(seen: &Seen) -> Option<Finding> {
    let Growth { first, last, .. } = seen.growing()?;
    let message = format!(
        "memory grows ({}, then {}): a leak, a cache or longer inputs. Nothing smaller is advised: look at it until it \
         stays, or mend the leak",
        gib(first),
        gib(last)
    );
    Some(found("memory-growing", Rank::Warn, message))
}

/// What the 95th percentile hides.
fn bursty(seen: &Seen) -> Option<Finding> {
    let (busy, top) = (seen.busy?, seen.top.filter(|_| seen.bursty)?);
    let message = format!(
        "work comes in bursts: {} at the peak, {} or less in 95 % of the polls. What is advised holds the peak; a smaller \
         GPU would stretch the bursts",
        percent(top),
        percent(busy)
    );
    Some(found("bursty", Rank::Warn, message))
}

fn loaded(seen: &Seen, verdict: Verdict) -> Option<Finding> {
    let share = seen.loaded().filter(|_| verdict == Verdict::Idle)?;
    let message = format!(
        "{} ({}) of memory stays taken with nothing running: a server without requests, or a process that was left \
         behind. Look what it is (`nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv`) before you release \
         the GPU",
        gib(seen.usage.memory?.peak),
        percent(share)
    );
    Some(found("loaded-but-idle", Rank::Warn, message))
}

/// Long stretches in which nothing runs.
fn rest(seen: &Seen, verdict: Verdict) -> Option<Finding> {
    let span = seen.usage.covered_s()? / 3600.0;
    let lines = seen.lines;
    if matches!(verdict, Verdict::Idle | Verdict::Errors) || span < lines.rhythm_hours {
        return None;
    }
    let stretches = trend::quiet(seen.series, seen.usage, lines.idle, lines.stop_hours);
    let hours: f64 = stretches.iter().copied().map(trend::hours).sum();
    let message = format!(
        "nothing ran in {hours:.1} of {span:.1} h, in {} stretches of {} h or more: stop the machine in them",
        stretches.len(),
        lines.stop_hours
    );
    (hours / span >= lines.rest).then(|| found("duty-cycle", Rank::Suggest, message))
}

/// Memory that never moves and is most of it looks like an engine that takes it at the start, or an allocator that keeps
/// what it took.
fn flat(seen: &Seen) -> Option<Finding> {
    let memory = seen.usage.memory.filter(|memory| seen.ahead.is_none() && memory.samples > 1)?;
    let share = seen.share.filter(|share| *share >= seen.lines.bound)?;
    let message = format!(
        "memory stays at {} in all {} polls: engines that take it ahead of need (vLLM takes 90 %) and allocators that keep \
         what they took (PyTorch) look so",
        percent(share),
        memory.samples
    );
    (memory.peak - memory.least <= memory.peak * seen.lines.flat)
        .then(|| found("memory-flat", Rank::Info, message))
}

/// What a log too short for a verdict reads.
pub(super) fn reading(seen: &Seen) -> Option<String> {
    let usage = seen.usage;
    let mut parts = Vec::new();
    if let Some(memory) = usage.memory {
        let of = seen.capacity.map_or_else(String::new, |(bytes, _)| format!(" of {}", gib(bytes)));
        parts.push(format!("{}{of} in use", gib(memory.peak)));
    }
    if let Some((basis, activity)) = usage.basis.zip(usage.activity()) {
        parts.push(format!("{} {:.0} %", basis.name().replace('-', " "), activity.peak));
    }
    let watts = |metric| usage.spread(metric).map(|spread: &Spread| format!("{:.0} W", spread.peak));
    if let Some(power) = watts(Metric::Power) {
        let of = watts(Metric::PowerLimit).map_or_else(String::new, |limit| format!(" of {limit}"));
        parts.push(format!("power {power}{of}"));
    }
    let when = if usage.samples > 1 { "at most" } else { "at that moment" };
    (!parts.is_empty()).then(|| format!("{when}: {}", parts.join(", ")))
}

/// What a moment shows is a lower bound of what is needed.
fn log_longer(seen: &Seen, verdict: Verdict) -> Option<Finding> {
    let polls = seen.usage.samples;
    let short = verdict == Verdict::NotEnoughData && (1.0..seen.lines.series).contains(&(polls as f64));
    let message = "a moment says little, and its memory is a lower bound of what the work needs: log the whole of it, \
                   `nvidia-smi --query-gpu=timestamp,index,name,utilization.gpu,utilization.memory,memory.used,\
                   memory.free,memory.total,power.draw,power.limit --format=csv -l 5 > gpu.csv`"
        .to_owned();
    short.then(|| found("log-longer", Rank::Suggest, message))
}

fn video(seen: &Seen) -> Option<Finding> {
    let spread = |metric| seen.usage.spread(metric).map_or(0.0, |spread| spread.p50);
    let (encoder, decoder) = (spread(Metric::Encoder), spread(Metric::Decoder));
    let message = format!(
        "the video encoder is busy {encoder:.0} % and the decoder {decoder:.0} % of the time: another GPU needs them too"
    );
    let busy = encoder.max(decoder) / 100.0 >= seen.lines.poor;
    busy.then(|| found("video-engine", Rank::Warn, message))
}

fn no_time(seen: &Seen) -> Option<Finding> {
    let message = "the polls have no times, so how long they cover is not known".to_owned();
    let many = seen.usage.samples as f64 >= seen.lines.series;
    (many && seen.usage.span_s.is_none()).then(|| found("no-timestamps", Rank::Info, message))
}

/// The smallest MIG instance that would hold the workload, where the GPU can be cut and is not.
fn slice(seen: &Seen) -> Option<Finding> {
    let gpu = seen.gpu.filter(|gpu| gpu.mig_max_instances > 0 && !seen.series.mig && seen.ahead.is_none())?;
    let (memory, busy) = (seen.usage.memory?.peak, if seen.bursty { seen.top? } else { seen.busy? });
    if seen.growing().is_some() {
        return None;
    }
    let memory = memory * (1.0 + seen.lines.memory_headroom);
    let busy = busy * (1.0 + seen.lines.compute_headroom);
    let fits = |profile: &&Profile| profile.bytes >= memory && profile.compute(gpu) >= busy;
    let profiles: Vec<Profile> = gpu.mig_profiles.iter().filter_map(|text| Profile::of(text)).collect();
    let best = profiles
        .iter()
        .filter(|profile| profile.count > 1)
        .filter(fits)
        .max_by_key(|profile| profile.count)?;
    let message =
        format!("the peak fits a MIG instance {}, of which the GPU holds {}", best.name, best.count);
    (seen.usage.samples as f64 >= seen.lines.series)
        .then(|| found("mig-slice-holds-peak", Rank::Suggest, message))
}

/// A MIG profile of the catalog: `3g.71gb x2`.
struct Profile<'t> {
    name: &'t str,
    slices: f64,
    bytes: f64,
    count: u32,
}

impl<'t> Profile<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let (name, count) = text.split_once(" x")?;
        let (slices, memory) = name.split_once("g.")?;
        let gb: f64 = memory.strip_suffix("gb")?.parse().ok()?;
        Some(Self { name, slices: slices.parse().ok()?, bytes: gb * GB, count: count.trim().parse().ok()? })
    }

    fn compute(&self, gpu: &Gpu) -> f64 {
        self.slices / f64::from(gpu.mig_max_instances.max(1))
    }
}

/// Names of profiles count 10^9 bytes, rounded up: `1g.18gb` shows 16384 MiB.
const GB: f64 = 0.9e9;

/// Share of a GPU's compute that an instance with so much memory has: the largest of the profiles near to it.
pub(super) fn compute_share(gpu: &Gpu, memory: f64, tolerance: f64) -> Option<f64> {
    let near = |profile: &Profile| (profile.bytes / GB * 1e9 - memory).abs() <= tolerance * memory;
    let profiles = gpu.mig_profiles.iter().filter_map(|text| Profile::of(text));
    profiles.filter(near).map(|profile| profile.compute(gpu)).reduce(f64::max)
}
