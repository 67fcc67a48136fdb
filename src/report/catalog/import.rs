//! The answer of `catalog import`: what was read, what became of it, and the overlay as a finished file.

use crate::refresh::{Doubt, Import, NewRegion, Skipped};
use crate::report::document::{Body, Csv, Used};
use crate::report::view::{Block, Grid};
use serde::Serialize;

/// What an import comes to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ImportAnswer {
    /// Format of the files.
    pub format: &'static str,
    /// The files, as named.
    pub files: Vec<String>,
    /// Prices that were read: rows, or several in a row.
    pub quotes_read: u64,
    /// How many of them stand behind a price of the overlay. The others are counted in `skipped`.
    pub quotes_used: u64,
    /// What the overlay holds.
    pub imported: Imported,
    /// Regions that the overlay adds, without country: they comply with no jurisdiction.
    pub added_regions: Vec<String>,
    /// What its prices come from, with the days.
    pub sources: Vec<SourceLine>,
    /// What was left out, by reason.
    pub skipped: Vec<SkippedLine>,
    /// What is taken although a check of the catalog warns of it, by code.
    pub doubtful: Vec<DoubtLine>,
    /// The catalog file.
    pub overlay: String,
    #[serde(skip)]
    used: Used,
}

/// Rows of the overlay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Prices.
    pub prices: usize,
    /// Machines that the catalog did not have.
    pub instances: usize,
    /// Regions that the catalog did not have.
    pub regions: usize,
}

/// A source of imported prices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceLine {
    /// What it is.
    pub source: String,
    /// The day of its prices.
    pub as_of: String,
}

/// Quotes that were left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedLine {
    /// Why, for `explain`.
    pub reason: &'static str,
    /// How many.
    pub count: u64,
    /// The first of them, with its place.
    pub example: String,
}

/// Prices that a check of the catalog warns of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoubtLine {
    /// Of the check, for `explain`.
    pub code: &'static str,
    /// How many.
    pub count: u64,
    /// The first of them, and what is odd about it.
    pub example: String,
}

impl DoubtLine {
    fn new(doubt: &Doubt) -> Self {
        Self { code: doubt.code, count: doubt.count, example: doubt.example.clone() }
    }

    /// As a line for people.
    pub fn sentence(&self) -> String {
        format!("{DOUBTFUL}{} {} (such as {})", self.count, self.code, self.example)
    }
}

/// How lines about doubtful prices begin.
const DOUBTFUL: &str = "doubtful: ";

impl ImportAnswer {
    /// The answer for an import of these files.
    pub fn new(format: &'static str, files: &[String], import: &Import, doubts: &[Doubt]) -> Self {
        let region = |region: &NewRegion| format!("{}/{}", region.provider, region.name);
        let skipped = |it: &Skipped| SkippedLine {
            reason: it.reason.name(),
            count: it.count,
            example: it.example.clone(),
        };
        let mut answer = Self {
            format,
            files: files.to_vec(),
            quotes_read: import.quotes,
            quotes_used: import.used,
            imported: Imported {
                prices: import.overlay.prices(),
                instances: import.overlay.instances(),
                regions: import.regions.len(),
            },
            added_regions: import.regions.iter().map(region).collect(),
            sources: import
                .overlay
                .sources()
                .into_iter()
                .map(|(source, as_of)| SourceLine { source, as_of })
                .collect(),
            skipped: import.skipped.iter().map(skipped).collect(),
            doubtful: doubts.iter().map(DoubtLine::new).collect(),
            overlay: String::new(),
            used: Used::default(),
        };
        answer.overlay = import.overlay.text(&answer.summary());
        answer
    }

    /// What was read and left out, in lines for people.
    pub fn summary(&self) -> Vec<String> {
        let Imported { prices, instances, regions } = self.imported;
        let mut lines = vec![
            format!(
                "Prices imported from {} ({}). Use: gpuadvise recommend --catalog THIS-FILE",
                self.files.join(", "),
                self.format
            ),
            format!(
                "{} quotes read, {} used; prices: {prices}, new machines: {instances}, new regions: {regions}",
                self.quotes_read, self.quotes_used
            ),
        ];
        lines.extend(self.sources.iter().map(|line| format!("{}, as of {}", line.source, line.as_of)));
        let skipped = |line: &SkippedLine| {
            format!("left out: {} {} (such as {})", line.count, line.reason, line.example)
        };
        lines.extend(self.skipped.iter().map(skipped));
        lines.extend(self.doubtful.iter().map(DoubtLine::sentence));
        let shown: Vec<&str> = self.added_regions.iter().take(10).map(String::as_str).collect();
        if !shown.is_empty() {
            let more = self.added_regions.len() - shown.len();
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            lines.push(format!("new regions, without a country: {}{more}", shown.join(", ")));
        }
        lines
    }
}

impl Body for ImportAnswer {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "skipped", spread: None, columns: &["reason", "count", "example"] }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut lines = self.summary();
        lines.retain(|line| !line.starts_with("left out: ") && !line.starts_with(DOUBTFUL));
        let mut blocks = vec![Block::List(lines)];
        if !self.skipped.is_empty() {
            let mut grid = Grid::new(&["left out because of", ">quotes", "such as"]);
            for line in &self.skipped {
                grid.push(vec![line.reason.to_owned(), line.count.to_string(), line.example.clone()]);
            }
            blocks.push(Block::Table(grid));
        }
        if !self.doubtful.is_empty() {
            let mut grid = Grid::new(&["doubtful because of", ">prices", "such as"]);
            for line in &self.doubtful {
                grid.push(vec![line.code.to_owned(), line.count.to_string(), line.example.clone()]);
            }
            blocks.push(Block::Table(grid));
        }
        blocks
    }
}
