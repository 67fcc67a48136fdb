//! The numbers of one series: percentiles, peaks, shares of time. Percentiles are by nearest rank, so that each is a
//! value that was seen.

use super::{Growth, Metric, Sample, Series, time, trend};
use std::collections::BTreeMap;

/// Percentiles of one metric, in its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Highest.
    pub peak: f64,
    /// Lowest.
    pub least: f64,
    /// How many samples have the metric.
    pub samples: usize,
}

/// What "how busy" rests on, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// SM activity of DCGM or GPM.
    SmActivity,
    /// Time in which the engine was active at all (GRACT).
    Engine,
    /// GPU utilisation: any kernel at all.
    Utilisation,
}

impl Basis {
    /// Name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::SmActivity => "sm-activity",
            Self::Engine => "engine-activity",
            Self::Utilisation => "utilisation",
        }
    }

    /// The metric behind it.
    pub fn metric(self) -> Metric {
        match self {
            Self::SmActivity => Metric::Sm,
            Self::Engine => Metric::Engine,
            Self::Utilisation => Metric::Utilisation,
        }
    }
}

/// The use of one GPU over a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Polls with a figure of activity; where none has one, those with memory, with power, or all.
    pub samples: usize,
    /// Seconds from the first to the last poll, where the log has times.
    pub span_s: Option<f64>,
    /// Median seconds between polls.
    pub interval_s: Option<f64>,
    /// Memory that the driver reports in all, in bytes; `None` where it says nothing or 0.
    pub memory_total: Option<f64>,
    /// Memory in use, in bytes.
    pub memory: Option<Spread>,
    /// Memory in use is the sum over processes, since the driver gives no figure of the GPU.
    pub memory_by_process: bool,
    /// It is the sum of the peaks of all MIG instances, for the same reason.
    pub memory_by_instance: bool,
    /// How it moves over the series.
    pub growth: Option<Growth>,
    /// Figures of memory in use above all that there is, which do not count: how many, and the highest in bytes.
    pub impossible: Option<(usize, f64)>,
    /// Share of samples, 0 to 1, in which it was no busier than `idle` allows.
    pub idle_share: Option<f64>,
    /// What "busy" rests on.
    pub basis: Option<Basis>,
    /// Highest limit of power that was seen, in watts.
    pub power_limit: Option<f64>,
    /// Samples with an error in place of a figure.
    pub errors: usize,
    /// Shares above 100 %, which were cut to 100: how many, and the highest.
    pub clamped: Option<(usize, f64)>,
    /// Percentiles by metric.
    spreads: BTreeMap<Metric, Spread>,
}

/// The larger of two figures that may be unknown.
pub(super) fn most(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        _ => one.or(other),
    }
}

impl Spread {
    /// Percentiles of values in any order; `None` without any.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let rank = |share: f64| {
            let at = (share * values.len() as f64).ceil() as usize;
            values.get(at.max(1) - 1).copied()
        };
        Some(Self {
            p50: rank(0.5)?,
            p95: rank(0.95)?,
            peak: values.last().copied()?,
            least: values.first().copied()?,
            samples: values.len(),
        })
    }
}

impl Usage {
    /// The numbers of a series; per cent values up to `idle` count as idle.
    pub fn of(series: &Series, idle: f64) -> Self {
        let mut usage = Self::default();
        for metric in ALL {
            let values: Vec<f64> =
                series.samples.iter().filter_map(|sample| usage.value(sample, metric)).collect();
            if let Some(spread) = Spread::of(values) {
                usage.spreads.insert(metric, spread);
            }
        }
        let slices = series.slices.values().flat_map(|slice| slice.activity.iter().copied());
        slices.filter(|activity| *activity > 100.0).for_each(|activity| usage.above(activity));
        let peak = |metric| usage.spreads.get(&metric).map(|spread| spread.peak);
        usage.memory_total =
            peak(Metric::MemoryTotal).filter(|total| *total > 0.0).or_else(|| in_all(series));
        usage.power_limit = peak(Metric::PowerLimit).filter(|limit| *limit > 0.0);
        usage.errors = series.samples.iter().filter(|sample| sample.error).count();
        usage.memory_of(series, usage.memory_total);
        let bases = [Basis::SmActivity, Basis::Engine, Basis::Utilisation];
        usage.basis = bases.into_iter().find(|basis| usage.spreads.contains_key(&basis.metric()));
        if let Some(basis) = usage.basis {
            let busy: Vec<f64> =
                series.samples.iter().filter_map(|sample| sample.get(basis.metric())).collect();
            let idle = busy.iter().filter(|value| **value <= idle).count();
            usage.idle_share = Some(idle as f64 / busy.len() as f64);
        }
        let counted = |spread: Option<&Spread>| spread.map(|spread| spread.samples);
        usage.samples = counted(usage.activity())
            .or(series.slices.values().map(|slice| slice.activity.len()).max().filter(|polls| *polls > 0))
            .or(counted(usage.memory.as_ref()))
            .or(counted(usage.spread(Metric::Power)))
            .unwrap_or(series.samples.len());
        usage.times(series);
        usage
    }

    /// A value of a sample; shares above 100 % are cut and counted.
    fn value(&mut self, sample: &Sample, metric: Metric) -> Option<f64> {
        let value = sample.get(metric)?;
        if !metric.is_share() || value <= 100.0 {
            return Some(value);
        }
        self.above(value);
        Some(100.0)
    }

    fn above(&mut self, value: f64) {
        let (count, highest) = self.clamped.unwrap_or((0, 0.0));
        self.clamped = Some((count + 1, value.max(highest)));
    }

    /// Memory in use: the driver's figure, unless it has no total to go with a 0, else the sum over processes. What is
    /// above `most` bytes cannot be and does not count.
    pub fn memory_of(&mut self, series: &Series, most: Option<f64>) {
        let has_total = self.memory_total.is_some() || !series.total_missing;
        let read = |metric: Metric| -> Vec<f64> {
            let values = series.samples.iter().filter_map(|sample| sample.get(metric));
            values.filter(|used| metric != Metric::MemoryUsed || *used > 0.0 || has_total).collect()
        };
        (self.memory, self.growth, self.impossible) = (None, None, None);
        (self.memory_by_process, self.memory_by_instance) = (false, false);
        for metric in [Metric::MemoryUsed, Metric::ProcessMemory] {
            let (likely, above): (Vec<f64>, Vec<f64>) =
                read(metric).into_iter().partition(|used| most.is_none_or(|most| *used <= most));
            let highest = above.iter().copied().reduce(f64::max);
            self.impossible = self.impossible.or(highest.map(|highest| (above.len(), highest)));
            self.memory = Spread::of(likely);
            if self.memory.is_some() {
                self.memory_by_process = metric == Metric::ProcessMemory;
                self.growth = Growth::of(&trend::in_order(series, metric, most));
                return;
            }
        }
        let peaks: Vec<f64> = series.slices.values().filter_map(|slice| slice.used_peak_bytes).collect();
        let sum: f64 = peaks.iter().sum();
        if !peaks.is_empty() && most.is_none_or(|most| sum <= most) {
            self.memory = Spread::of(vec![sum]);
            self.memory_by_instance = true;
        }
    }

    fn times(&mut self, series: &Series) {
        let mut stamps: Vec<_> = series.samples.iter().filter_map(|sample| sample.time).collect();
        stamps.sort_unstable();
        stamps.dedup();
        if let (Some(first), Some(last)) = (stamps.first(), stamps.last()) {
            self.span_s = Some(time::seconds(*first, *last));
        }
        let gaps = stamps.windows(2).map(|pair| time::seconds(pair[0], pair[1])).collect();
        self.interval_s = Spread::of(gaps).map(|gaps| gaps.p50);
    }

    /// Seconds that the polls stand for: the last one as long as the others.
    pub fn covered_s(&self) -> Option<f64> {
        Some(self.span_s? + self.interval_s.unwrap_or(0.0))
    }

    /// Percentiles of a metric; `None` where the log has none of it.
    pub fn spread(&self, metric: Metric) -> Option<&Spread> {
        self.spreads.get(&metric)
    }

    /// How busy it was, in per cent, by the best metric that is there.
    pub fn activity(&self) -> Option<&Spread> {
        self.spreads.get(&self.basis?.metric())
    }

    /// Median power over the limit, 0 to 1 and a little above.
    pub fn power_share(&self) -> Option<f64> {
        Some(self.spread(Metric::Power)?.p50 / self.power_limit?)
    }
}

/// What is used and what is free together, where the log has no total, as dcgm-exporter.
fn in_all(series: &Series) -> Option<f64> {
    let both = |sample: &Sample| Some(sample.get(Metric::MemoryUsed)? + sample.get(Metric::MemoryFree)?);
    series.samples.iter().filter_map(both).reduce(f64::max).filter(|total| *total > 0.0)
}

/// Metrics that get percentiles.
const ALL: [Metric; 14] = [
    Metric::Utilisation,
    Metric::MemoryController,
    Metric::MemoryTotal,
    Metric::MemoryFree,
    Metric::Power,
    Metric::PowerLimit,
    Metric::Temperature,
    Metric::Engine,
    Metric::Sm,
    Metric::Occupancy,
    Metric::Tensor,
    Metric::Dram,
    Metric::Encoder,
    Metric::Decoder,
];
