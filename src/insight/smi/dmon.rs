//! `nvidia-smi dmon` and `pmon`: columns by their header, `-` where there is no figure.

use super::{Log, Metric, Sample, Shape, time};
use std::collections::{BTreeMap, BTreeSet};

/// The words of a header line `# gpu pwr …`, in small letters; `None` for other lines.
fn header_words(line: &str) -> Option<Vec<String>> {
    let rest = line.trim().strip_prefix('#')?.replace(',', " ");
    let words: Vec<String> = rest.split_whitespace().map(str::to_ascii_lowercase).collect();
    words.iter().take(3).any(|word| word == "gpu").then_some(words)
}

fn words(line: &str) -> Vec<String> {
    line.replace(',', " ").split_whitespace().map(str::to_owned).collect()
}

/// Date and time of a row, where `-o D`, `T` or `DT` prints them.
fn stamp(columns: &[String], words: &[String]) -> Option<jiff::civil::DateTime> {
    let cell = |name: &str| words.get(columns.iter().position(|column| column == name)?);
    time::stamp(&format!("{} {}", cell("date").map_or("19700101", String::as_str), cell("time")?))
}

/// `dmon`: one row a GPU and poll.
pub(super) struct Dmon {
    columns: Vec<String>,
    gpu: usize,
}

impl Dmon {
    pub(super) fn header(line: &str) -> Option<Self> {
        let columns = header_words(line)?;
        let gpu = columns.iter().position(|column| column == "gpu")?;
        let known = columns.iter().any(|column| Metric::of_column(column).is_some());
        (known && !columns.iter().any(|column| column == "pid")).then_some(Self { columns, gpu })
    }

    /// One line; the last figure of one that the end of the file may have cut does not count.
    pub(super) fn line(&self, line: &str, last: bool, host: &str, log: &mut Log) {
        let words = words(line);
        if line.starts_with('#') || words.len() < self.columns.len() {
            return;
        }
        let Some(index) = words[self.gpu].parse().ok().filter(|index| *index < MOST_GPUS) else { return };
        let mut sample = Sample { time: stamp(&self.columns, &words), ..Sample::default() };
        for (at, (column, word)) in self.columns.iter().zip(&words).enumerate() {
            let cut = last && at + 1 == words.len();
            if let Some(metric) = Metric::of_column(column).filter(|_| !cut) {
                sample.read(metric, word);
            }
        }
        log.gpu(host, index, Shape::Dmon).samples.push(sample);
    }
}

/// Numbers of GPUs from here on are no numbers of GPUs.
pub(super) const MOST_GPUS: u32 = 4096;

/// `pmon`: one row a process, GPU and poll. A poll ends where a process comes again.
pub(super) struct Pmon {
    columns: Vec<String>,
    polls: BTreeMap<u32, Poll>,
}

/// What was read of one poll of one GPU.
#[derive(Default)]
struct Poll {
    processes: BTreeSet<String>,
    time: Option<jiff::civil::DateTime>,
    busy: Option<f64>,
    memory: Option<f64>,
}

impl Pmon {
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.columns == other.columns
    }

    pub(super) fn header(line: &str) -> Option<Self> {
        let columns = header_words(line)?;
        let has = |name: &str| columns.iter().any(|column| column == name);
        (has("gpu") && has("pid")).then_some(Self { columns, polls: BTreeMap::new() })
    }

    pub(super) fn line(&mut self, line: &str, host: &str, log: &mut Log) {
        let words = words(line);
        // The last column is the name of the program, which may be cut or hold spaces.
        if line.starts_with('#') || words.len() + 1 < self.columns.len() {
            return;
        }
        let at = |name: &str| self.columns.iter().position(|column| column == name);
        let cell = |name: &str| at(name).and_then(|at| words.get(at)).map(String::as_str);
        let Some(index) = cell("gpu").and_then(|word| word.parse().ok()).filter(|index| *index < MOST_GPUS)
        else {
            return;
        };
        let pid = cell("pid").unwrap_or("-").to_owned();
        if self.polls.get(&index).is_some_and(|poll| poll.processes.contains(&pid)) {
            self.flush(index, host, log);
        }
        let mut figures = Sample::default();
        for (metric, name) in [(Metric::Utilisation, "sm"), (Metric::ProcessMemory, "fb")] {
            if let Some(word) = self.columns.iter().position(|c| c == name).and_then(|at| words.get(at)) {
                figures.read(metric, word);
            }
        }
        let command = self.columns.iter().position(|column| column == "command");
        let program = command.and_then(|at| words.get(at..)).map(|words| words.join(" "));
        let time = stamp(&self.columns, &words);
        let poll = self.polls.entry(index).or_default();
        poll.processes.insert(pid);
        poll.time = poll.time.or(time);
        let add = |sum: &mut Option<f64>, more: Option<f64>| {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0.0) + more);
            }
        };
        add(&mut poll.busy, figures.get(Metric::Utilisation));
        add(&mut poll.memory, figures.get(Metric::ProcessMemory));
        let series = log.gpu(host, index, Shape::Pmon);
        series.processes.extend(program.filter(|name| !name.is_empty() && name != "-"));
    }

    fn flush(&mut self, index: u32, host: &str, log: &mut Log) {
        let Some(poll) = self.polls.remove(&index) else { return };
        let mut sample = Sample { time: poll.time, ..Sample::default() };
        if let Some(busy) = poll.busy {
            sample.set(Metric::Utilisation, busy);
        }
        if let Some(memory) = poll.memory {
            sample.set(Metric::ProcessMemory, memory);
        }
        log.gpu(host, index, Shape::Pmon).samples.push(sample);
    }

    pub(super) fn finish(&mut self, host: &str, log: &mut Log) {
        let open: Vec<u32> = self.polls.keys().copied().collect();
        for index in open {
            self.flush(index, host, log);
        }
    }
}
