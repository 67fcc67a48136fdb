//! The table that `nvidia-smi` prints, of any driver: cells between bars, widths that change from driver to driver.

use super::dmon::MOST_GPUS;
use super::value::{Cell, cell, number};
use super::{Log, Metric, Sample, Shape, usage};
use jiff::civil::DateTime;

/// Which of the tables the rows belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Gpus,
    Mig,
    Processes,
}

/// A GPU whose lines are being read.
#[derive(Debug, Default)]
struct Open {
    index: u32,
    name: Option<String>,
    bus: Option<String>,
    sample: Sample,
    /// Lines read so far.
    lines: u32,
    mig: bool,
    total_missing: bool,
}

/// Reads tables line by line.
#[derive(Debug, Default)]
pub(super) struct Table {
    section: Section,
    time: Option<DateTime>,
    open: Option<Open>,
}

/// Words of the column behind the name: persistence, or the driver model on Windows.
const MODES: [&str; 7] = ["On", "Off", "WDDM", "TCC", "MCDM", "N/A", "ERR!"];

impl Table {
    /// The time that stands above the next table.
    pub(super) fn time(&mut self, time: DateTime) {
        self.time = Some(time);
    }

    /// One line that begins with a bar or a corner.
    pub(super) fn line(&mut self, line: &str, host: &str, log: &mut Log) {
        if line.starts_with('+') {
            return self.finish(host, log);
        }
        let section = |words: &str| line.contains(words);
        if section("NVIDIA-SMI") || section("GPU  Name") {
            self.finish(host, log);
            self.section = Section::Gpus;
        } else if section("MIG devices") {
            self.section = Section::Mig;
        } else if section("Processes:") {
            self.section = Section::Processes;
        }
        let cells: Vec<&str> = line.split('|').skip(1).map(str::trim).collect();
        if let [name, bus, ..] = cells.as_slice()
            && let Some(open) = first_line(name, bus, self.time)
        {
            self.finish(host, log);
            self.section = Section::Gpus;
            self.open = Some(open);
            return;
        }
        match self.section {
            Section::Gpus => {
                if let Some(open) = &mut self.open {
                    open.more(&cells);
                }
            }
            Section::Mig => mig_device(&cells, host, log),
            Section::Processes => process(cells.first().copied().unwrap_or_default(), host, log),
        }
    }

    /// Hands on the GPU whose lines are at an end.
    pub(super) fn finish(&mut self, host: &str, log: &mut Log) {
        let Some(open) = self.open.take() else { return };
        let series = log.gpu(host, open.index, Shape::Table);
        series.name = series.name.take().or(open.name);
        series.bus = series.bus.take().or(open.bus);
        series.mig |= open.mig;
        series.total_missing |= open.total_missing;
        if open.lines > 1 || open.sample.error {
            series.samples.push(open.sample);
        }
    }
}

/// `0  Tesla V100-SXM2...  Off` beside `0000B57E:00:00.0 Off`.
fn first_line(name: &str, bus: &str, time: Option<DateTime>) -> Option<Open> {
    let bus = bus.split_whitespace().next()?;
    let is_bus = bus.matches(':').count() == 2 && bus.contains('.') && bus.len() >= 12;
    let mut words: Vec<&str> = name.split_whitespace().collect();
    if !is_bus || words.len() < 2 {
        return None;
    }
    let index = words.remove(0).parse().ok().filter(|index| *index < MOST_GPUS)?;
    if words.len() > 1 && words.last().is_some_and(|word| MODES.contains(word)) {
        words.pop();
    }
    let name = words.join(" ");
    let broken = matches!(cell(&name), Cell::Error);
    Some(Open {
        index,
        name: (!broken).then_some(name),
        bus: Some(bus.to_owned()),
        sample: Sample { time, error: broken, ..Sample::default() },
        lines: 1,
        ..Open::default()
    })
}

impl Open {
    /// The second line has the figures, the third one the MIG mode.
    fn more(&mut self, cells: &[&str]) {
        self.lines += 1;
        let at = |at: usize| cells.get(at).copied().unwrap_or_default();
        if self.lines > 2 {
            self.mig |= at(2) == "Enabled";
            self.sample.error |= matches!(cell(at(2)), Cell::Error);
            return;
        }
        let (power, limit) = around_slash(at(0));
        for (metric, text, unit) in [
            (Metric::Power, power, "W"),
            (Metric::PowerLimit, limit, "W"),
            (Metric::Utilisation, first(at(2)), "%"),
        ] {
            let whole = number(text).is_none_or(|(_, behind)| behind.starts_with(unit));
            if whole {
                self.sample.read(metric, text);
            }
        }
        let celsius = at(0).split_whitespace().find_map(|word| number(word).filter(|(_, unit)| *unit == "C"));
        if let Some((degrees, _)) = celsius {
            self.sample.set(Metric::Temperature, degrees);
        }
        let (used, total) = at(1).split_once('/').unwrap_or((at(1), ""));
        for (metric, text) in [(Metric::MemoryUsed, used.trim()), (Metric::MemoryTotal, total.trim())] {
            if number(text).is_none_or(|(_, unit)| !unit.is_empty()) {
                self.sample.read(metric, text);
            }
        }
        let complete = cells.len() > 2;
        self.total_missing =
            complete && self.sample.get(Metric::MemoryTotal).is_none_or(|total| total <= 0.0);
    }
}

fn first(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// The words on both sides of the slash of `N/A   59C    P0            629W /  700W`: the last one in the text.
fn around_slash(text: &str) -> (&str, &str) {
    let Some((left, right)) = text.rsplit_once(" /") else { return ("", "") };
    (left.split_whitespace().next_back().unwrap_or_default(), first(right))
}

/// `0    2   0   0` beside `16925MiB / 71424MiB`: GPU, GPU instance, compute instance, device.
fn mig_device(cells: &[&str], host: &str, log: &mut Log) {
    let [ids, memory, ..] = cells else { return };
    let ids: Option<Vec<u32>> = ids.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some([gpu, instance, _, _]) = ids.as_deref() else { return };
    let Some((used, total)) = memory.split_once('/').filter(|_| *gpu < MOST_GPUS) else { return };
    let mut sample = Sample::default();
    sample.read(Metric::MemoryUsed, used.trim());
    if number(total.trim()).is_some_and(|(_, unit)| !unit.is_empty()) {
        sample.read(Metric::MemoryTotal, total.trim());
    }
    let series = log.gpu(host, *gpu, Shape::Table);
    series.mig = true;
    let slice = series.slices.entry(*instance).or_default();
    slice.memory_bytes = slice.memory_bytes.or(sample.get(Metric::MemoryTotal));
    slice.used_peak_bytes = usage::most(slice.used_peak_bytes, sample.get(Metric::MemoryUsed));
}

/// `0   N/A  N/A   11327   C   python3   2566MiB`; old drivers print no instance ids.
fn process(text: &str, host: &str, log: &mut Log) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some(kind) = words.iter().position(|word| matches!(*word, "C" | "G" | "C+G" | "M" | "M+C")) else {
        return;
    };
    let Some(index) = words[0].parse().ok().filter(|index: &u32| *index < MOST_GPUS) else { return };
    let is_pid = kind > 1 && words[kind - 1].bytes().all(|b| b.is_ascii_digit());
    let (Some((memory, name)), true) = (words[kind + 1..].split_last(), is_pid) else { return };
    let series = log.gpu(host, index, Shape::Table);
    series.processes.extend((!name.is_empty()).then(|| name.join(" ")));
    if let (Cell::Figure(figure, unit), Some(sample)) = (cell(memory), series.samples.last_mut())
        && let Some(bytes) = Metric::ProcessMemory.in_own_unit(figure, unit)
        && !unit.is_empty()
    {
        sample.set(Metric::ProcessMemory, sample.get(Metric::ProcessMemory).unwrap_or(0.0) + bytes);
    }
}
