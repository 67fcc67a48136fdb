//! From bytes to tables: one pass over the lines, a new table wherever a new run begins.

use super::super::text;
use super::collective::Collective;
use super::header::{self, Footer};
use super::{Layout, Log, Point, Table, Tool, hosts, json, reporter, row};
use std::collections::BTreeSet;

/// Longest line that is looked at, characters: nothing of a table is longer.
const LONGEST_LINE: usize = 4096;

/// Words of the surrounding text that are kept, for the names of machines and GPUs in them.
const MOST_WORDS: usize = 20_000;

/// Failures that are kept of one table.
const MOST_FAILURES: usize = 8;

/// Everything in a file that a run of the tests left.
pub(super) fn read(bytes: &[u8]) -> Log {
    let text = text::decode(bytes);
    let mut reader = Reader::default();
    if let Some(runs) = reporter::read(&text) {
        reader.reported(runs);
        return reader.finish();
    }
    if let Some(document) = json::read(&text) {
        reader.document(document);
        return reader.finish();
    }
    for line in text.split(['\n', '\r']) {
        reader.line(&plain(line));
    }
    reader.finish()
}

/// A line without control sequences of terminals, cut to what can matter.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut characters = line.chars().take(LONGEST_LINE);
    while let Some(c) = characters.next() {
        match c {
            '\u{1b}' => {
                // `ESC [ … letter`
                if characters.next() == Some('[') {
                    characters.by_ref().find(char::is_ascii_alphabetic);
                }
            }
            '\u{feff}' => {}
            c if c.is_control() && c != '\t' => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

/// Takes tags of ranks out, which launchers also put into the middle of lines: `[1,0]<stdout>:`, `[0]`.
fn without_tags(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('[') {
        text.push_str(&rest[..at]);
        let inside = &rest[at + 1..];
        let end = inside
            .find(']')
            .filter(|&end| end > 0 && inside[..end].bytes().all(|b| b.is_ascii_digit() || b == b','));
        let Some(end) = end else {
            text.push('[');
            rest = inside;
            continue;
        };
        rest = &inside[end + 1..];
        for stream in ["<stdout>:", "<stderr>:", "<stdout>", "<stderr>", ":"] {
            if let Some(stripped) = rest.strip_prefix(stream) {
                rest = stripped;
                break;
            }
        }
        text.push(' ');
    }
    text.push_str(rest);
    text
}

#[derive(Default)]
struct Reader {
    tables: Vec<Table>,
    table: Table,
    /// Collectives that were named after the current table ended.
    next: Vec<Collective>,
    named: Vec<Collective>,
    words: BTreeSet<String>,
    /// Hosts that a batch system lists.
    hosts: Option<u32>,
    known: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let tagless = without_tags(line);
        let words: Vec<&str> = tagless
            .split_whitespace()
            .map(|word| word.trim_start_matches('#'))
            .filter(|word| !word.is_empty())
            .collect();
        if let Some((point, layout)) = row::parse(&words) {
            self.point(point, layout);
        } else if let Some(size) = row::broken(&words) {
            self.known = true;
            self.table.broken.push(size);
        } else if row::is_template(&words) {
            self.table.template_rows += 1;
            self.known = true;
        } else {
            self.text(line, &words);
        }
    }

    fn point(&mut self, point: Point, layout: Layout) {
        if self.table.is_over() {
            self.next_table();
        }
        self.known = true;
        self.table.layout = Some(layout);
        if layout == Layout::Nccom {
            self.table.tool = Tool::NccomTest;
        }
        self.table.rows.push(point);
    }

    /// A file of `-Z` of rccl-tests.
    fn reported(&mut self, runs: Vec<reporter::Run>) {
        for run in runs {
            self.begin();
            let table = &mut self.table;
            (table.tool, table.layout) = (Tool::RcclTests, Some(Layout::Reporter));
            table.named.extend(run.collective);
            table.asked = (run.gpus, None);
            (table.rows, table.broken) = (run.rows, run.broken);
            // Such a file has no footer whose absence would tell of a cut.
            table.complete = true;
        }
    }

    /// A file of `-J`.
    fn document(&mut self, document: json::Document) {
        self.begin();
        self.other(&document.arguments, &document.arguments.split_whitespace().collect::<Vec<_>>());
        let table = &mut self.table;
        table.threads_by_gpus = document.threads_by_gpus;
        table.evidence.version = document.version;
        table.layout = (!document.rows.is_empty()).then_some(Layout::Json);
        (table.ranks, table.rows, table.broken) = (document.ranks, document.rows, document.broken);
        for footer in document.footers {
            self.footer(footer, "");
        }
        // A warning that NCCL kept from a run that came to its end is no failure of it.
        let failed = document.errors.into_iter().filter(|_| !self.table.complete);
        self.table.failures =
            failed.map(|error| error.chars().take(300).collect()).take(MOST_FAILURES).collect();
        self.table.died = !self.table.failures.is_empty() && !self.table.rows.is_empty();
    }

    fn text(&mut self, line: &str, words: &[&str]) {
        let tagged: Vec<&str> = line.split_whitespace().collect();
        if let Some(rank) = header::rank(&tagged) {
            self.begin();
            self.table.ranks.push(rank);
        } else if let Some(footer) = header::footer(line) {
            self.footer(footer, line);
        } else if header::names_columns(line) {
            self.begin();
        } else if let (Some(threads), Some(gpus)) =
            (header::setting(words, "nThread"), header::setting(words, "nGpus"))
        {
            self.begin();
            self.table.threads_by_gpus = Some(threads.saturating_mul(gpus));
        } else {
            self.other(line, words);
        }
    }

    fn other(&mut self, line: &str, words: &[&str]) {
        if header::failure(line) {
            self.known |= ["NCCL", "nccl", "common.cu", "Test "].iter().any(|sign| line.contains(sign));
            if self.table.failures.len() < MOST_FAILURES {
                self.table.failures.push(line.trim().chars().take(300).collect());
            }
            let final_word = line.contains("Test ") || !self.table.complete;
            self.table.died |= !self.table.rows.is_empty() && final_word && !line.contains("NCCL WARN");
        }
        if line.contains("Collective test starting") {
            self.begin();
        }
        self.known |= line.contains("NCCL INFO") || line.contains("NCCL version");
        self.table.evidence.read(line);
        self.hosts = self.hosts.or_else(|| hosts::listed(line));
        self.name(line, words);
        let lower = line.to_lowercase();
        if lower.contains("rccl") {
            self.table.tool = Tool::RcclTests;
        } else if lower.contains("nccom-test ") {
            self.table.tool = Tool::NccomTest;
        }
        self.keep_words(&lower);
    }

    /// What a line says about the collective: of the table that runs, or of the next one.
    fn name(&mut self, line: &str, words: &[&str]) {
        if line.contains("Collective test concluded") {
            return;
        }
        let mut named = header::programs(line);
        named.extend(header::nccom_command(words));
        if let Some(asked) = header::nccom_asked(words) {
            self.table.asked = asked;
        }
        if named.is_empty() {
            return;
        }
        self.known |= line.contains("Collective test starting");
        self.named.extend(&named);
        if self.table.rows.is_empty() && !self.table.is_over() {
            self.table.named.extend(named);
        } else {
            self.next.extend(named);
        }
    }

    fn keep_words(&mut self, lower: &str) {
        let words = lower.split(|c: char| c.is_whitespace() || "=,;:'\"()[]<>/|`".contains(c));
        for word in words {
            let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            let named = word.bytes().any(|b| b.is_ascii_alphabetic()) && !word.starts_with("0x");
            if named && (2..=60).contains(&word.len()) && self.words.len() < MOST_WORDS {
                self.words.insert(word.to_owned());
            }
        }
    }

    fn footer(&mut self, footer: Footer, line: &str) {
        self.known = true;
        match footer {
            Footer::Average(average, passed) => {
                let filled = line.split_whitespace().any(row::is_placeholder);
                self.table.template_rows += usize::from(filled);
                self.table.average_gb_per_s = average;
                self.table.average_failed |= !passed;
                self.table.ended = true;
            }
            Footer::OutOfBounds(count, passed) => {
                self.table.out_of_bounds = Some(count);
                self.table.out_of_bounds_failed |= !passed || count > 0;
                self.table.complete = true;
            }
        }
        self.table.complete |= self.table.ended;
    }

    /// A header begins: that of the next table where the current one has figures already.
    fn begin(&mut self) {
        self.known = true;
        let filled = !self.table.rows.is_empty() || self.table.template_rows > 0;
        if filled || self.table.is_over() {
            self.next_table();
        }
        self.table.begun = true;
    }

    fn next_table(&mut self) {
        let mut next = Table { tool: self.table.tool, ..Table::default() };
        next.named = std::mem::take(&mut self.next);
        let last = std::mem::replace(&mut self.table, next);
        // Words about a run, such as a comment that quotes a footer, are no run.
        let words_alone = last.rows.is_empty() && last.template_rows == 0 && !last.begun;
        if words_alone {
            self.table.named.extend(last.named);
        } else {
            self.tables.push(last);
        }
    }

    fn finish(mut self) -> Log {
        let last = std::mem::take(&mut self.table);
        let empty = last.rows.is_empty() && last.template_rows == 0 && last.failures.is_empty();
        if !empty || self.tables.is_empty() {
            self.tables.push(last);
        }
        // One program for the whole file, where a table itself names none.
        self.named.sort_unstable();
        self.named.dedup();
        if let [only] = self.named.as_slice() {
            for table in self.tables.iter_mut().filter(|table| table.named.is_empty()) {
                table.named.push(*only);
            }
        }
        for table in &mut self.tables {
            super::units::settle(table);
            table.hosts = self.hosts;
        }
        Log { known: self.known, tables: self.tables, words: self.words }
    }
}
