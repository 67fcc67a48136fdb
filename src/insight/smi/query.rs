//! CSV of `nvidia-smi --query-gpu` and `--query-compute-apps`: columns by name in any order, units in cells, in the
//! header or nowhere.

use super::value::{Cell, cell, number};
use super::{Log, Metric, Sample, Shape, time};
use jiff::civil::DateTime;
use std::collections::BTreeMap;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Figure(Metric),
    Time,
    Index,
    Name,
    Bus,
    Uuid,
    Mig,
    Pid,
    Process,
    Other,
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    columns: Vec<Column>,
    /// The unit stands in the header, so that it stands in each cell too.
    units: Vec<bool>,
    shape: Shape,
    /// What parts the fields: a comma, or what a spreadsheet of another country puts there, with decimal commas.
    separator: char,
}

/// Names as given to `--query-gpu`.
pub(super) fn header(columns: &str) -> Option<Header> {
    Header::of(columns)
}

impl Header {
    /// The header that a line is; `None` for other lines.
    pub(super) fn of(line: &str) -> Option<Self> {
        let separator = [';', '\t'].into_iter().find(|separator| line.contains(*separator)).unwrap_or(',');
        let fields: Vec<(&str, bool)> = line.split(separator).map(field).collect::<Option<_>>()?;
        let columns: Vec<Column> = fields.iter().map(|(name, _)| column(name)).collect();
        let known = columns.iter().filter(|column| **column != Column::Other).count();
        let alone = fields.len() == 1 && fields[0].0.contains('.') && known == 1;
        if known < 2 && !alone {
            return None;
        }
        let apps = columns.contains(&Column::Pid) || columns.contains(&Column::Process);
        let shape = if apps { Shape::ComputeApps } else { Shape::QueryGpu };
        Some(Self { columns, units: fields.iter().map(|(_, unit)| *unit).collect(), shape, separator })
    }
}

/// A name such as `memory.used [MiB]` and whether it has a unit; `None` for what is no name of a column.
fn field(text: &str) -> Option<(&str, bool)> {
    let text = text.trim().trim_matches('"');
    let (name, unit) = match text.split_once('[') {
        Some((name, unit)) if unit.ends_with(']') => (name.trim(), true),
        Some(_) => return None,
        None => (text, false),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (starts && name.chars().all(is_name)).then_some((name, unit))
}

fn column(name: &str) -> Column {
    match name.to_ascii_lowercase().as_str() {
        "timestamp" | "time" => Column::Time,
        "index" | "gpu" | "gpu_index" => Column::Index,
        "name" | "gpu_name" | "modelname" => Column::Name,
        "pci.bus_id" | "gpu_bus_id" | "pci.bus" if name.contains("bus_id") => Column::Bus,
        "uuid" | "gpu_uuid" => Column::Uuid,
        "mig.mode.current" => Column::Mig,
        "pid" => Column::Pid,
        "process_name" => Column::Process,
        _ => Metric::of_column(name).map_or(Column::Other, Column::Figure),
    }
}

/// Polls that lie nearer together than this, in seconds, are one poll of several GPUs: the tool's least interval is one
/// second, and its rows of one poll lie milliseconds apart.
const ONE_POLL_S: f64 = 0.5;

/// Reads the rows below a header.
pub(super) struct Rows {
    header: Header,
    /// Numbers given to GPUs that have no index, by UUID or PCI address.
    numbers: BTreeMap<String, u32>,
    /// Start of the poll, and how many GPUs it had so far.
    poll: (Option<DateTime>, u32),
    /// Time of the last row of each GPU, for rows of one process each.
    apps: BTreeMap<u32, Option<String>>,
}

impl Rows {
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.header == other.header
    }

    pub(super) fn new(header: Header) -> Self {
        Self { header, numbers: BTreeMap::new(), poll: (None, 0), apps: BTreeMap::new() }
    }

    /// One line; rows with fewer or more fields than the header are cut or of another table.
    pub(super) fn line(&mut self, line: &str, last: bool, host: &str, log: &mut Log) {
        let Some(fields) = self.fields(line) else { return };
        let text = |wanted: Column| {
            let at = self.header.columns.iter().position(|column| *column == wanted)?;
            Some(fields[at].as_str()).filter(|text| !text.is_empty())
        };
        let stamp = text(Column::Time).map(str::to_owned);
        let time = stamp.as_deref().and_then(time::stamp);
        let name = text(Column::Name).map(str::to_owned);
        let printed = text(Column::Index).and_then(|text| text.parse().ok());
        let has = |text: &&str| !matches!(cell(text), Cell::Nothing) || text.contains(['-', ':']);
        let unmasked = |text: &&str| text.chars().any(|c| c.is_ascii_digit() && c != '0');
        let bus = text(Column::Bus).filter(has);
        let own = bus.or_else(|| text(Column::Uuid).filter(unmasked)).map(str::to_owned);
        let mig = text(Column::Mig) == Some("Enabled");
        let process = text(Column::Process).map(str::to_owned);
        if text(Column::Index).is_some() && printed.is_none() && own.is_none() {
            return;
        }
        let sample = self.sample(&fields, last, time);
        if self.header.shape == Shape::ComputeApps {
            let index = printed.unwrap_or_else(|| self.number(own.as_deref().unwrap_or_default()));
            return self.app(App { index, name, process, stamp, sample }, host, log);
        }
        let index = printed.unwrap_or_else(|| self.place(own.as_deref(), time));
        let series = log.gpu(host, index, self.header.shape);
        let broken = name.as_deref().is_some_and(|name| matches!(cell(name), Cell::Error));
        series.name = series.name.take().or(name.filter(|_| !broken));
        series.bus = series.bus.take().or(own);
        series.mig |= mig;
        let asks_total = self.header.columns.contains(&Column::Figure(Metric::MemoryTotal));
        series.total_missing |=
            asks_total && sample.get(Metric::MemoryTotal).is_none_or(|total| total <= 0.0);
        series.samples.push(Sample { error: sample.error || broken, ..sample });
    }

    fn fields(&self, line: &str) -> Option<Vec<String>> {
        let separator = self.header.separator;
        let mut fields: Vec<String> =
            line.split(separator).map(|field| field.trim().trim_matches('"').trim().to_owned()).collect();
        if separator != ',' {
            self.with_points(&mut fields);
        }
        let columns = self.header.columns.len();
        if fields.len() > columns {
            // Names of programs may hold commas.
            let at = self.header.columns.iter().position(|column| *column == Column::Process)?;
            let extra = fields.len() - columns;
            let name = fields[at..=at + extra].join(", ");
            fields.splice(at..=at + extra, [name]);
        }
        (fields.len() == columns).then_some(fields)
    }

    /// Figures with decimal points in place of commas.
    fn with_points(&self, fields: &mut [String]) {
        for (field, column) in fields.iter_mut().zip(&self.header.columns) {
            if matches!(column, Column::Figure(_)) {
                *field = field.replacen(',', ".", 1);
            }
        }
    }

    fn sample(&self, fields: &[String], last: bool, time: Option<DateTime>) -> Sample {
        let mut sample = Sample { time, ..Sample::default() };
        let end = fields.len() - 1;
        for (at, (column, text)) in self.header.columns.iter().zip(fields).enumerate() {
            let Column::Figure(metric) = *column else { continue };
            // A cell without the unit of its column is cut; without units the last cell of a cut file may be.
            let bare = number(text).is_some_and(|(_, unit)| unit.is_empty());
            let cut = last && at == end && bare && (self.header.units[at] || fields.len() > 1);
            if sample.get(metric).is_none() && !cut {
                sample.read(metric, text);
                let profiled = metric.is_profiled() && !self.header.units[at];
                if let Some(value) = sample.get(metric).filter(|_| profiled && !text.contains('%')) {
                    sample.set(metric, value * 100.0);
                }
            }
        }
        sample
    }

    /// The number of a GPU that has an address but no index.
    fn number(&mut self, own: &str) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(own.to_owned()).or_insert(next)
    }

    /// The number of a GPU without index: by address, else by its place in the poll.
    fn place(&mut self, own: Option<&str>, time: Option<DateTime>) -> u32 {
        if let Some(own) = own {
            return self.number(own);
        }
        let Some(time) = time else { return 0 };
        match self.poll {
            (Some(start), count) if time::seconds(start, time).abs() < ONE_POLL_S => {
                self.poll.1 = count + 1;
                count
            }
            _ => {
                self.poll = (Some(time), 1);
                0
            }
        }
    }

    /// One process of one GPU: memory of all processes with the same time is one sample.
    fn app(&mut self, app: App, host: &str, log: &mut Log) {
        let App { index, name, process, stamp, sample } = app;
        let series = log.gpu(host, index, Shape::ComputeApps);
        series.name = series.name.take().or(name);
        series.processes.extend(process);
        let same = self.apps.get(&index).is_some_and(|before| *before == stamp);
        self.apps.insert(index, stamp);
        match series.samples.last_mut().filter(|_| same) {
            Some(last) => {
                let memory = sample.get(Metric::ProcessMemory);
                if let Some(more) = memory {
                    last.set(Metric::ProcessMemory, last.get(Metric::ProcessMemory).unwrap_or(0.0) + more);
                }
                last.error |= sample.error;
            }
            None => series.samples.push(sample),
        }
    }
}

/// One row of `--query-compute-apps`.
struct App {
    index: u32,
    name: Option<String>,
    process: Option<String>,
    stamp: Option<String>,
    sample: Sample,
}
