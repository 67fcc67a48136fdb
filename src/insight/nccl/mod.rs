//! Outputs of nccl-tests, rccl-tests and nccom-test: read, attributed to a cluster, held against what such clusters reach.
//!
//! Pure: bytes and a catalog in, judgements out. What the plan of a workload makes of a measured link is `planner`'s.

pub mod bounds;
pub mod cluster;
mod collective;
mod conflicts;
pub mod expect;
mod header;
mod hosts;
pub mod impact;
mod json;
pub mod judge;
mod links;
mod log;
pub mod measure;
mod meets;
mod names;
pub mod planner;
mod reporter;
mod row;
mod slow;
#[cfg(test)]
mod tests;
mod units;
pub mod verdict;

pub use collective::Collective;
pub use header::{Evidence, Rank};

use crate::diag::InputError;
use std::collections::BTreeSet;

/// Everything that was found in one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// The runs, in the order of the file; at least one.
    pub tables: Vec<Table>,
    /// Words of the text around them that could name machines, GPUs or collectives, in lower case.
    words: BTreeSet<String>,
    /// Something in it is of nccl-tests or NCCL.
    known: bool,
}

/// One run of one collective.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a run, always named")]
pub struct Table {
    /// What printed it.
    pub tool: Tool,
    /// Columns of its rows; `None` without rows.
    pub layout: Option<Layout>,
    /// Collectives that its header or command line names.
    named: Vec<Collective>,
    /// Threads times GPUs of one process, as the header says.
    threads_by_gpus: Option<u32>,
    /// Ranks and machines that the command line of nccom-test names.
    asked: (Option<u32>, Option<u32>),
    /// Hosts that a batch system lists around it.
    hosts: Option<u32>,
    /// The ranks that the header lists; some headers are cut.
    pub ranks: Vec<Rank>,
    /// The measurements.
    pub rows: Vec<Point>,
    /// Sizes of rows whose figures are none: not a number, infinite, negative.
    broken: Vec<f64>,
    /// Average bus bandwidth over all sizes as printed, in 10^9 bytes per second.
    pub average_gb_per_s: Option<f64>,
    /// The test's own limit on that average was missed.
    pub average_failed: bool,
    /// Values that were out of bounds, as the footer says.
    pub out_of_bounds: Option<u64>,
    out_of_bounds_failed: bool,
    /// Rows and footers that hold `XX.XX` in place of figures.
    pub template_rows: usize,
    /// What failed, in the words of the log.
    pub failures: Vec<String>,
    /// What NCCL tells about the path that data takes.
    pub evidence: Evidence,
    /// A footer stands below the rows.
    pub complete: bool,
    ended: bool,
    /// A header of it was seen.
    begun: bool,
    /// It stopped with an error after some rows.
    died: bool,
    /// Bandwidths were written in 2^30 bytes per second, and are in 10^9 here.
    pub binary_units: bool,
}

impl Table {
    fn is_over(&self) -> bool {
        self.complete
    }

    /// Values that arrived wrong: the most of any row, or what the footer counts.
    pub fn wrong_values(&self) -> u64 {
        let of_rows = self.rows.iter().flat_map(Point::samples).filter_map(|sample| sample.wrong).max();
        of_rows.unwrap_or(0).max(self.out_of_bounds.unwrap_or(0))
    }

    /// Whether the test itself found its results wrong.
    pub fn is_wrong(&self) -> bool {
        self.out_of_bounds_failed || self.wrong_values() > 0
    }
}

/// What printed a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// NVIDIA's.
    #[default]
    NcclTests,
    /// AMD's.
    RcclTests,
    /// AWS Neuron's.
    NccomTest,
}

impl Tool {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NcclTests => "nccl-tests",
            Self::RcclTests => "rccl-tests",
            Self::NccomTest => "nccom-test",
        }
    }
}

/// Columns of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Size, count, type, operation, time, bandwidths, rounding error.
    Old,
    /// The same without the operation.
    OldWithoutOperation,
    /// With the root, and a count of wrong elements.
    Root,
    /// With the number of iterations at the end besides.
    Iterations,
    /// Of nccom-test: size, count, type, time, bandwidths.
    Nccom,
    /// The file of `-J`, not the printed table.
    Json,
    /// The file of `-Z` of rccl-tests.
    Reporter,
}

impl Layout {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::OldWithoutOperation => "old-without-operation",
            Self::Root => "root",
            Self::Iterations => "iterations",
            Self::Nccom => "nccom",
            Self::Json => "json",
            Self::Reporter => "reporter",
        }
    }
}

/// One size.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Size of the message in bytes.
    pub size_bytes: f64,
    count: f64,
    element_bytes: f64,
    operation: Option<String>,
    root: Option<i64>,
    /// With two buffers.
    pub out_of_place: Option<Sample>,
    /// With one buffer.
    pub in_place: Option<Sample>,
}

impl Point {
    /// What was measured, out of place first.
    pub fn samples(&self) -> impl Iterator<Item = Sample> {
        self.out_of_place.into_iter().chain(self.in_place)
    }

    /// The sample that is compared: out of place, as published figures are.
    pub fn sample(&self) -> Option<Sample> {
        self.out_of_place.or(self.in_place)
    }
}

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Microseconds of one collective.
    pub time_us: f64,
    /// Size over time, in 10^9 bytes per second.
    pub algbw_gb_per_s: f64,
    /// What each link carries in a ring, in 10^9 bytes per second.
    pub busbw_gb_per_s: f64,
    /// Elements that arrived wrong; `None` where that was not checked.
    pub wrong: Option<u64>,
}

/// Reads a file; `name` is what messages call it. A file that holds nothing of the tests is refused.
pub fn read(name: &str, bytes: &[u8]) -> Result<Log, InputError> {
    let log = log::read(bytes);
    if log.known {
        return Ok(log);
    }
    let what =
        if bytes.iter().all(u8::is_ascii_whitespace) { "is empty" } else { "is no output of nccl-tests" };
    let hint = "expected what all_reduce_perf and its like print: a line with `size count type ... time algbw busbw` and rows \
                below it (rccl-tests and nccom-test work too); run `all_reduce_perf -b 8 -e 8G -f 2 -g 8` and give its output";
    Err(InputError::new(format!("`{name}` {what}"), hint))
}
