//! Metrics in the text format of Prometheus: of dcgm-exporter (`NVIDIA/dcgm-exporter` METRICS.md) and
//! `nvidia_gpu_exporter` (`utkuozdemir/nvidia_gpu_exporter` docs/METRICS.md), one scrape after the other or series dumped
//! with their times.

use super::dmon::MOST_GPUS;
use super::{Log, Metric, Sample, Shape, time, usage};
use jiff::civil::DateTime;
use std::collections::{BTreeMap, BTreeSet};

/// One metric: what it holds, and what makes its unit the metric's own.
type Known = (&'static str, Metric, f64);

/// Metrics of `nvidia_gpu_exporter` that are of a whole GPU: shares are of 1, memory is bytes.
const OF_GPU: [Known; 13] = [
    ("utilization_gpu_ratio", Metric::Utilisation, 100.0),
    ("utilization_memory_ratio", Metric::MemoryController, 100.0),
    ("utilization_encoder_ratio", Metric::Encoder, 100.0),
    ("utilization_decoder_ratio", Metric::Decoder, 100.0),
    ("memory_total_bytes", Metric::MemoryTotal, 1.0),
    ("memory_used_bytes", Metric::MemoryUsed, 1.0),
    ("memory_free_bytes", Metric::MemoryFree, 1.0),
    ("power_draw_watts", Metric::Power, 1.0),
    ("power_draw_average_watts", Metric::Power, 1.0),
    ("power_limit_watts", Metric::PowerLimit, 1.0),
    ("enforced_power_limit_watts", Metric::PowerLimit, 1.0),
    ("temperature_gpu", Metric::Temperature, 1.0),
    ("compute_app_used_memory_bytes", Metric::ProcessMemory, 1.0),
];

/// Those of a MIG instance.
const OF_INSTANCE: [Known; 5] = [
    ("mig_memory_total_bytes", Metric::MemoryTotal, 1.0),
    ("mig_memory_used_bytes", Metric::MemoryUsed, 1.0),
    ("mig_memory_free_bytes", Metric::MemoryFree, 1.0),
    ("mig_sm_activity_ratio", Metric::Sm, 100.0),
    ("mig_graphics_activity_ratio", Metric::Engine, 100.0),
];

/// What `nvidia_gpu_exporter` puts in front of its metrics.
const SMI: &str = "nvidia_smi_";
/// What dcgm-exporter puts in front of the fields of DCGM.
const DCGM: &str = "DCGM_FI_";

/// Whether a line is one of these metrics, or a comment on one.
pub(super) fn is_metric(line: &str) -> bool {
    let named = |text: &str| text.starts_with(SMI) || text.starts_with(DCGM);
    let comment = line.strip_prefix("# HELP ").or_else(|| line.strip_prefix("# TYPE "));
    named(comment.unwrap_or(line))
}

/// A GPU, by the labels of its metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    host: String,
    /// Its number, where the labels have it.
    index: Option<u32>,
    uuid: String,
}

/// One scrape, or one time of a dump.
#[derive(Debug, Default)]
struct Poll {
    /// Series that were seen in it: one that comes again is of the next scrape.
    seen: BTreeSet<String>,
    time: Option<DateTime>,
    samples: BTreeMap<(Option<DateTime>, Key), Sample>,
    instances: BTreeMap<(Option<DateTime>, Key, u32), Sample>,
}

/// What stays the same over all scrapes.
#[derive(Debug, Default)]
struct Card {
    index: Option<u32>,
    name: Option<String>,
    mig: bool,
    processes: BTreeSet<String>,
}

/// Reads metrics line by line.
#[derive(Debug, Default)]
pub(super) struct Prometheus {
    poll: Poll,
    polls: Vec<Poll>,
    cards: BTreeMap<Key, Card>,
}

/// One line: name, labels, figure, and its time where one stands there.
struct Line<'t> {
    name: &'t str,
    labels: BTreeMap<&'t str, String>,
    /// Name and labels as they stand there.
    series: &'t str,
    value: f64,
    time: Option<DateTime>,
}

impl Prometheus {
    /// A time that stands between two scrapes.
    pub(super) fn time(&mut self, time: DateTime) {
        if !self.poll.seen.is_empty() {
            self.next();
        }
        self.poll.time = Some(time);
    }

    /// One line of metrics or comments; the figure of one that the end of the file may have cut does not count.
    pub(super) fn line(&mut self, line: &str, last: bool, host: &str) {
        let Some(line) = Line::of(line).filter(|_| !last) else { return };
        let id = format!("{}@{:?}", line.series, line.time);
        if self.poll.seen.contains(&id) {
            self.next();
        }
        self.poll.seen.insert(id);
        if line.name == "nvidia_smi_last_collect_success_timestamp_seconds" {
            self.poll.time = self.poll.time.or(of_epoch(line.value));
            return;
        }
        let Some(key) = line.key(host) else { return };
        let card = self.cards.entry(key.clone()).or_default();
        card.read(&line);
        let instance = line.label(&["GPU_I_ID", "gpu_instance_id"]).and_then(|id| id.parse::<u32>().ok());
        let Some((metric, value)) = line.figure() else { return };
        let Some(value) = metric.in_own_unit(value, metric.plain_unit()) else { return };
        let sample = match instance {
            Some(id) if metric != Metric::ProcessMemory => {
                card.mig = true;
                self.poll.instances.entry((line.time, key, id)).or_default()
            }
            _ => self.poll.samples.entry((line.time, key)).or_default(),
        };
        let before = sample.get(metric).filter(|_| metric == Metric::ProcessMemory);
        sample.set(metric, value + before.unwrap_or(0.0));
    }

    fn next(&mut self) {
        self.polls.push(std::mem::take(&mut self.poll));
    }

    /// Hands on all that was read.
    pub(super) fn finish(&mut self, log: &mut Log) {
        self.next();
        let numbers = self.numbers();
        for (key, card) in std::mem::take(&mut self.cards) {
            let series = log.gpu(&key.host, numbers[&key], Shape::Prometheus);
            series.name = series.name.take().or(card.name);
            series.bus = series.bus.take().or((!key.uuid.is_empty()).then_some(key.uuid));
            series.mig |= card.mig;
            series.processes.extend(card.processes);
        }
        for poll in std::mem::take(&mut self.polls) {
            for ((time, key), sample) in poll.samples {
                let series = log.gpu(&key.host, numbers[&key], Shape::Prometheus);
                series.samples.push(Sample { time: time.or(poll.time), ..sample });
            }
            for ((_, key, id), sample) in poll.instances {
                let series = log.gpu(&key.host, numbers[&key], Shape::Prometheus);
                let slice = series.slices.entry(id).or_default();
                slice.activity.extend(sample.get(Metric::Sm).or(sample.get(Metric::Engine)));
                let both = sample.get(Metric::MemoryUsed).zip(sample.get(Metric::MemoryFree));
                let total = sample.get(Metric::MemoryTotal).or(both.map(|(used, free)| used + free));
                slice.memory_bytes = slice.memory_bytes.or(total);
                slice.used_peak_bytes = usage::most(slice.used_peak_bytes, sample.get(Metric::MemoryUsed));
            }
        }
    }

    /// Numbers of all GPUs: as the labels say, else the next that is free on the host.
    fn numbers(&self) -> BTreeMap<Key, u32> {
        let mut numbers: BTreeMap<Key, u32> = BTreeMap::new();
        let mut taken: BTreeSet<(&str, u32)> = BTreeSet::new();
        let said = |key: &Key, card: &Card| key.index.or(card.index).filter(|index| *index < MOST_GPUS);
        for (key, index) in self.cards.iter().filter_map(|(key, card)| Some((key, said(key, card)?))) {
            taken.insert((&key.host, index));
            numbers.insert(key.clone(), index);
        }
        for key in self.cards.keys() {
            if !numbers.contains_key(key) {
                let free = (0..MOST_GPUS).find(|index| !taken.contains(&(key.host.as_str(), *index)));
                let index = free.unwrap_or(MOST_GPUS);
                taken.insert((&key.host, index));
                numbers.insert(key.clone(), index);
            }
        }
        numbers
    }
}

impl Card {
    fn read(&mut self, line: &Line) {
        let name = line.label(&["modelName", "model_name"]);
        let info = line.name == "nvidia_smi_gpu_info";
        let name = name.or_else(|| line.label(&["name"]).filter(|_| info));
        self.name = self.name.take().or(name.map(str::to_owned));
        if info {
            self.index = self.index.or(line.label(&["index"]).and_then(|index| index.parse().ok()));
        } else if line.name == "nvidia_smi_index" && line.value >= 0.0 {
            self.index = self.index.or(Some(line.value as u32));
        }
        self.mig |= line.name == "nvidia_smi_mig_mode_current" && line.value > 0.0;
        self.processes.extend(line.label(&["process_name"]).map(str::to_owned));
    }
}

impl<'t> Line<'t> {
    /// `NAME{label="value",…} FIGURE [TIME]`; `None` for comments and for what is no such line.
    fn of(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let end = text.find(['{', ' ', '\t'])?;
        let name = &text[..end];
        let (labels, behind) = match text[end..].strip_prefix('{') {
            Some(inside) => labels(inside)?,
            None => (BTreeMap::new(), &text[end..]),
        };
        let mut words = behind.split_whitespace();
        let value: f64 = words.next()?.parse().ok()?;
        let time = words.next().and_then(|word| word.parse().ok()).and_then(of_epoch);
        let series = &text[..text.len() - behind.len()];
        let is_figure = value.is_finite() && value >= 0.0;
        (is_figure && !name.starts_with('#')).then_some(Self { name, labels, series, value, time })
    }

    fn label(&self, names: &[&str]) -> Option<&str> {
        names
            .iter()
            .find_map(|name| self.labels.get(*name))
            .map(String::as_str)
            .filter(|text| !text.is_empty())
    }

    /// The GPU that it is of; metrics of an exporter itself are of none.
    fn key(&self, host: &str) -> Option<Key> {
        let index = self.label(&["gpu"]).and_then(|gpu| gpu.parse().ok());
        let uuid = self.label(&["UUID", "uuid"]).unwrap_or_default().to_owned();
        let named = self.label(&["Hostname", "hostname", "instance"]).unwrap_or(host);
        let key = Key { host: named.to_owned(), index, uuid };
        (index.is_some() || !key.uuid.is_empty()).then_some(key)
    }

    /// What it holds, in the metric's unit but for memory of DCGM, which is MiB.
    fn figure(&self) -> Option<(Metric, f64)> {
        if let Some(name) = self.name.strip_prefix(SMI) {
            let known = OF_GPU.iter().chain(&OF_INSTANCE).find(|(own, ..)| *own == name);
            return known.map(|(_, metric, times)| (*metric, self.value * times));
        }
        let metric = Metric::of_column(self.name)?;
        let times = match metric {
            _ if metric.is_profiled() => 100.0,
            Metric::MemoryTotal | Metric::MemoryUsed | Metric::MemoryFree => 1024.0 * 1024.0,
            _ => 1.0,
        };
        Some((metric, self.value * times))
    }
}

/// Labels up to the closing brace, and what stands behind it. Values are quoted, and `\` takes the next character as it is.
fn labels(text: &str) -> Option<(BTreeMap<&str, String>, &str)> {
    let mut labels = BTreeMap::new();
    let mut rest = text.trim_start();
    loop {
        if let Some(behind) = rest.strip_prefix('}') {
            return Some((labels, behind));
        }
        let (name, quoted) = rest.split_once("=\"")?;
        let (mut value, mut escaped, mut end) = (String::new(), false, None);
        for (at, c) in quoted.char_indices() {
            match c {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => {
                    end = Some(at + 1);
                    break;
                }
                c => {
                    value.push(c);
                    escaped = false;
                }
            }
        }
        labels.insert(name.trim(), value);
        rest = quoted.get(end?..)?.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
}

/// Seconds from which on a time since 1970 is in milliseconds: the year 5138.
const MOST_SECONDS: f64 = 1e11;

/// A time since 1970, in seconds as `OpenMetrics` has it or in milliseconds as the exposition format does.
fn of_epoch(value: f64) -> Option<DateTime> {
    let seconds = if value >= MOST_SECONDS { value / 1000.0 } else { value };
    time::epoch(seconds).filter(|_| value > 0.0)
}
