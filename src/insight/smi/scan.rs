//! Goes through the lines of a file, tells the shapes apart by their headers and hands each line to its reader.

use super::dcgmi::Dcgmi;
use super::dmon::{Dmon, Pmon};
use super::prometheus::{self, Prometheus};
use super::query::{Header, Rows};
use super::report::{self, Report};
use super::table::Table;
use super::{Log, line, time};
use std::collections::{BTreeMap, BTreeSet};

/// The reader of the lines below the last header.
enum Mode {
    None,
    Query(Rows),
    Dmon(Dmon),
    Pmon(Pmon),
    Dcgmi(Dcgmi),
}

impl Mode {
    /// Whether a header says what the last one said.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Query(one), Self::Query(other)) => one.is_like(other),
            (Self::Pmon(one), Self::Pmon(other)) => one.is_like(other),
            _ => false,
        }
    }
}

/// What was read so far of one host.
struct State {
    host: String,
    mode: Mode,
    table: Table,
    report: Report,
    metrics: Prometheus,
}

impl State {
    fn new(host: &str) -> Self {
        Self {
            host: host.to_owned(),
            mode: Mode::None,
            table: Table::default(),
            report: Report::default(),
            metrics: Prometheus::default(),
        }
    }

    fn line(&mut self, line: &str, last: bool, log: &mut Log) {
        let trimmed = boxed(line.trim());
        if self.report.line(line, last, &self.host, log) || trimmed.is_empty() {
            return;
        }
        if prometheus::is_metric(trimmed) {
            return self.metrics.line(trimmed, last, &self.host);
        }
        if let Some(failure) = failure(trimmed) {
            return failed(failure, &self.host, log);
        }
        if trimmed.starts_with('|') || trimmed.starts_with("+-") || trimmed.starts_with("+=") {
            self.table.line(trimmed, &self.host, log);
        } else if let Some(time) = time::banner(trimmed) {
            self.table.time(time);
            self.metrics.time(time);
        } else if let Some(mode) = header(line) {
            // The tools repeat their header every so many lines, also in the middle of a poll.
            if !self.mode.is_like(&mode) {
                self.finish(log);
                self.mode = mode;
            }
        } else {
            match &mut self.mode {
                Mode::None => {}
                Mode::Query(rows) => rows.line(trimmed, last, &self.host, log),
                Mode::Dmon(dmon) => dmon.line(trimmed, last, &self.host, log),
                Mode::Pmon(pmon) => pmon.line(trimmed, &self.host, log),
                Mode::Dcgmi(dcgmi) => dcgmi.line(line, last, &self.host, log),
            }
        }
    }

    /// Hands on what a reader still holds.
    fn finish(&mut self, log: &mut Log) {
        self.table.finish(&self.host, log);
        self.report.finish(&self.host, log);
        if let Mode::Pmon(pmon) = &mut self.mode {
            pmon.finish(&self.host, log);
        }
    }
}

/// A line of a table without what a log daemon put in front of it; other lines as they are.
fn boxed(line: &str) -> &str {
    let row = || line.find('|').filter(|_| line.ends_with('|') && line.matches('|').count() > 1);
    let border = || line.find("+--").filter(|_| line.ends_with("-+"));
    row().or_else(border).map_or(line, |at| &line[at..])
}

/// The reader that a header line calls for.
fn header(line: &str) -> Option<Mode> {
    if let Some(dcgmi) = Dcgmi::header(line) {
        return Some(Mode::Dcgmi(dcgmi));
    }
    if let Some(pmon) = Pmon::header(line) {
        return Some(Mode::Pmon(pmon));
    }
    if let Some(dmon) = Dmon::header(line) {
        return Some(Mode::Dmon(dmon));
    }
    Header::of(line.trim()).map(|header| Mode::Query(Rows::new(header)))
}

/// Sentences that the tools print instead of figures.
const FAILURES: [&str; 9] = [
    "nvidia-smi has failed",
    "couldn't communicate with the nvidia driver",
    "unable to determine the device handle",
    "failed to initialize nvml",
    "no devices were found",
    "gpu is lost",
    "gpu has fallen off the bus",
    "unable to connect to host engine",
    "error setting watches",
];

fn failure(line: &str) -> Option<String> {
    // A row of CSV says it in a cell, and is a sample.
    let small = line.to_ascii_lowercase();
    let is_failure = !line.starts_with('#')
        && line.matches(',').count() < 3
        && FAILURES.iter().any(|words| small.contains(words));
    is_failure.then(|| line.chars().take(160).collect())
}

/// Sentences that tell of a GPU that is gone.
const LOST: [&str; 3] = ["unable to determine the device handle", "gpu is lost", "fallen off the bus"];

fn failed(failure: String, host: &str, log: &mut Log) {
    let small = failure.to_ascii_lowercase();
    if LOST.iter().any(|words| small.contains(words)) {
        log.lost.insert((host.to_owned(), failure.clone()));
    }
    log.failures.insert(failure);
}

/// Reads all lines of a text.
pub(super) fn lines(text: &str, host: &str, log: &mut Log) {
    let mut states: BTreeMap<String, State> = BTreeMap::new();
    // Hosts that print names and values, of which no line by itself tells what it is.
    let mut known: BTreeSet<String> = BTreeSet::new();
    let all: Vec<(&str, bool)> = with_end(text).collect();
    let (mut at, mut block) = (0, host);
    while at < all.len() {
        if line::may_be_block(all[at].0)
            && let ahead = all[at..].iter().take(3).map(|(line, _)| *line).collect::<Vec<_>>()
            && let Some((name, lines)) = line::block(&ahead)
        {
            (at, block) = (at + lines, name);
            continue;
        }
        let (line, last) = all[at];
        let (label, line) = line::split(line, &known);
        known.extend(label.filter(|_| report::begins(line)).map(str::to_owned));
        let name = host_name(block, label);
        let state = states.entry(name).or_insert_with_key(|name| State::new(name));
        state.line(line, last, log);
        at += 1;
    }
    for state in states.values_mut() {
        state.finish(log);
        state.metrics.finish(log);
    }
}

/// Reads all lines as rows of CSV below a header that is not in the text.
pub(super) fn rows(text: &str, host: &str, header: Header, log: &mut Log) {
    let mut rows = Rows::new(header);
    for (line, last) in with_end(text) {
        let line = line.trim();
        if let Some(failure) = failure(line) {
            failed(failure, host, log);
        } else if !line.is_empty() {
            rows.line(line, last, host, log);
        }
    }
}

/// Lines, each with whether it is one that the end of the file may have cut.
fn with_end(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let whole = text.ends_with('\n');
    let count = text.lines().count();
    text.lines().enumerate().map(move |(at, line)| (line, !whole && at + 1 == count))
}

/// The host that a prefix names; a bare rank is told as such.
fn host_name(host: &str, label: Option<&str>) -> String {
    match label {
        None => host.to_owned(),
        Some(label) if label.bytes().all(|b| !b.is_ascii_alphabetic()) => format!("rank {label}"),
        Some(label) => label.to_owned(),
    }
}
