//! Logs of `nvidia-smi` and DCGM: bytes become samples of each GPU over time, samples become what they say of its use.
//!
//! Readers (one file a shape), the numbers of a series, and the judgement with its thresholds from the catalog. No price
//! and no machine to rent: what would be cheaper is asked elsewhere. Nothing here reads a file or the clock.

mod card;
mod dcgmi;
mod dmon;
mod judge;
mod line;
mod metric;
mod poll;
mod prometheus;
mod query;
mod report;
mod scan;
mod table;

#[cfg(test)]
mod tests;
mod thresholds;
mod time;
pub mod trend;
mod usage;
mod value;
mod xml;

pub use card::{Card, card, is_other_memory};
pub use judge::{Finding, Judged, Need, Rank, Verdict, judge, together};
pub use metric::Metric;
pub use thresholds::Thresholds;
pub use trend::Growth;
pub use usage::{Basis, Spread, Usage};

use super::text;
use crate::diag::InputError;
use jiff::civil::DateTime;
use std::collections::{BTreeMap, BTreeSet};

/// The shapes that are read, as messages list them.
pub const SHAPES: &str = "the nvidia-smi table, `nvidia-smi --query-gpu=… --format=csv` and `--query-compute-apps=…` (with \
    their header line), `nvidia-smi dmon` and `pmon`, `nvidia-smi -q` (text and XML), `dcgmi dmon`, and the metrics of \
    dcgm-exporter and nvidia_gpu_exporter";

/// A shape of log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// The table that `nvidia-smi` prints.
    Table,
    /// `nvidia-smi --query-gpu --format=csv`.
    QueryGpu,
    /// `nvidia-smi --query-compute-apps --format=csv`.
    ComputeApps,
    /// `nvidia-smi dmon`.
    Dmon,
    /// `nvidia-smi pmon`.
    Pmon,
    /// `nvidia-smi -q -x`.
    Xml,
    /// `dcgmi dmon`.
    Dcgmi,
    /// `nvidia-smi -q`.
    Report,
    /// Metrics of an exporter for Prometheus.
    Prometheus,
}

impl Shape {
    /// Name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::QueryGpu => "query-gpu",
            Self::ComputeApps => "query-compute-apps",
            Self::Dmon => "dmon",
            Self::Pmon => "pmon",
            Self::Xml => "xml",
            Self::Dcgmi => "dcgmi-dmon",
            Self::Report => "query-text",
            Self::Prometheus => "prometheus",
        }
    }
}

/// One GPU of one host. Hosts without a name are told apart by the file that they come from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Name of the host as a prefix of the lines tells it, else of the file; empty for stdin.
    pub host: String,
    /// The GPU's number on that host; its place in the log where none is printed.
    pub index: u32,
}

/// What one poll says of one GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// When, without a zone, where the log says so.
    pub time: Option<DateTime>,
    /// `ERR!`, a lost GPU or the like stands where a figure should.
    pub error: bool,
    values: [Option<f64>; Metric::COUNT],
}

impl Sample {
    /// One figure in the unit of its metric; `None` where the log has none.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.values[metric as usize]
    }

    /// Puts a figure in.
    pub fn set(&mut self, metric: Metric, value: f64) {
        self.values[metric as usize] = Some(value);
    }

    /// Puts a printed cell in: a figure, nothing, or an error.
    pub(crate) fn read(&mut self, metric: Metric, text: &str) {
        match value::cell(text) {
            value::Cell::Figure(number, unit) => {
                if let Some(value) = metric.in_own_unit(number, unit) {
                    self.set(metric, value);
                }
            }
            value::Cell::Error => self.error = true,
            value::Cell::Nothing => {}
        }
    }

    fn is_empty(&self) -> bool {
        !self.error && self.values.iter().all(Option::is_none)
    }
}

/// One MIG instance of a GPU: a share of its memory and its SMs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    /// Its memory in bytes.
    pub memory_bytes: Option<f64>,
    /// Most of it that was used, in bytes.
    pub used_peak_bytes: Option<f64>,
    /// SM activity in per cent of the instance, one figure a poll; DCGM alone has it.
    pub activity: Vec<f64>,
}

/// All that a log says of one GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The driver's name of it; a cut one ends with three dots.
    pub name: Option<String>,
    /// PCI address or UUID, by which GPUs without a number are told apart.
    pub bus: Option<String>,
    /// MIG is on.
    pub mig: bool,
    /// The driver says a total of 0, or none at all.
    pub total_missing: bool,
    /// The polls, in the order of the log.
    pub samples: Vec<Sample>,
    /// MIG instances by GPU instance id.
    pub slices: BTreeMap<u32, Slice>,
    /// Names of the programs that were seen on it.
    pub processes: BTreeSet<String>,
    /// Shapes that it was read from.
    pub shapes: BTreeSet<Shape>,
    /// The driver lost it, in its words, or one of the GPUs of its host without saying which.
    pub lost: Option<String>,
}

/// A whole log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// GPUs by host and number.
    pub gpus: BTreeMap<Place, Series>,
    /// What the tools said instead of figures, such as that the driver does not answer.
    pub failures: BTreeSet<String>,
    /// Those of them by which a host lost a GPU.
    lost: BTreeSet<(String, String)>,
}

impl Log {
    /// The GPU at a place, made where it is not there.
    fn gpu(&mut self, host: &str, index: u32, shape: Shape) -> &mut Series {
        let series = self.gpus.entry(Place { host: host.to_owned(), index }).or_default();
        series.shapes.insert(shape);
        series
    }

    /// Marks the GPUs that were lost: the one at the address that the words name, else all of which no address is known.
    fn mark_lost(&mut self) {
        for (host, words) in std::mem::take(&mut self.lost) {
            let small = words.to_ascii_lowercase();
            let named = |series: &Series| {
                let bus = series.bus.as_deref()?.to_ascii_lowercase();
                // Domains are printed with four digits or with eight.
                let place = bus.split_once(':').map_or(bus.as_str(), |(_, place)| place);
                Some(small.contains(place))
            };
            let mut all: Vec<&mut Series> = self
                .gpus
                .iter_mut()
                .filter(|(place, _)| place.host == host)
                .map(|(_, series)| series)
                .collect();
            let hit = all.iter().any(|series| named(series) == Some(true));
            all.retain(|series| if hit { named(series) == Some(true) } else { named(series).is_none() });
            for series in all {
                series.lost = Some(words.clone());
            }
        }
    }

    /// Adds the GPUs of another log; those of the same place become one series.
    pub fn join(&mut self, other: Self) {
        self.failures.extend(other.failures);
        for (place, series) in other.gpus {
            let own = self.gpus.entry(place).or_default();
            own.name = own.name.take().or(series.name);
            own.bus = own.bus.take().or(series.bus);
            own.mig |= series.mig;
            own.total_missing |= series.total_missing;
            own.lost = own.lost.take().or(series.lost);
            own.samples.extend(series.samples);
            own.processes.extend(series.processes);
            own.shapes.extend(series.shapes);
            for (id, slice) in series.slices {
                let part = own.slices.entry(id).or_default();
                part.memory_bytes = part.memory_bytes.or(slice.memory_bytes);
                part.used_peak_bytes = usage::most(part.used_peak_bytes, slice.used_peak_bytes);
                part.activity.extend(slice.activity);
            }
        }
    }
}

/// Reads one file; `name` stands in messages, `host` is the name of the host unless the lines tell it.
///
/// What is not a known shape is passed over: logs come with prompts, banners and prefixes of launchers. A file without
/// any known shape is an error that lists them.
pub fn read(name: &str, host: &str, bytes: &[u8]) -> Result<Log, InputError> {
    let text = text::decode(bytes);
    let mut log = Log::default();
    let rest = xml::documents(&text, host, &mut log);
    scan::lines(&rest, host, &mut log);
    log.mark_lost();
    log.gpus.retain(|_, series| {
        !series.samples.is_empty() || series.name.is_some() || !series.processes.is_empty() || series.mig
    });
    if log.gpus.is_empty() && log.failures.is_empty() {
        let message = format!("{name}:1:1: no output of nvidia-smi or dcgmi that is read here");
        return Err(InputError::new(
            message,
            format!("it reads {SHAPES}; CSV without a header needs `--columns`"),
        ));
    }
    Ok(log)
}

/// The same for rows of CSV without a header; `columns` are those that were given to `--query-gpu`.
pub fn read_rows(name: &str, host: &str, bytes: &[u8], columns: &str) -> Result<Log, InputError> {
    let header = query::header(columns).ok_or_else(|| {
        let hint =
            "give the names as for `--query-gpu`, such as `timestamp,index,utilization.gpu,memory.used`";
        InputError::new(format!("`--columns {columns}` has no column that is read here"), hint)
    })?;
    let text = text::decode(bytes);
    let mut log = Log::default();
    scan::rows(&text, host, header, &mut log);
    log.mark_lost();
    if log.gpus.is_empty() {
        let message = format!("{name}:1:1: no row has as many fields as `--columns` has names");
        return Err(InputError::new(message, "give the names in the order of the fields"));
    }
    Ok(log)
}
