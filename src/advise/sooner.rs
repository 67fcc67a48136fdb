//! The row that is done sooner for little more money, which a ranking by cost alone hides.

use super::limits::DEFAULT_TOP;
use super::search::Candidate;
use crate::catalog::instance::InstanceId;

/// A row of the ranking that is done before the first one for little more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sooner {
    /// Its place in the ranking, from 1; it may lie past the rows that were asked for.
    pub rank: usize,
    /// The machine.
    pub instance: InstanceId,
    /// How many of it.
    pub nodes: u32,
    /// Hours of the job, expected.
    pub hours: f64,
    /// USD of the whole job, expected, under the contract it is ranked by.
    pub total_usd: f64,
}

/// The candidate that is done first among those whose total is at most `at_most` times that of the first, looking at the
/// first rows of the ranking: as many as an answer has by default, so that the number of rows asked for changes nothing.
/// `None` where that is the first row itself. Both have the verdict of the first, and no total lacks a part.
pub(super) fn sooner(ranked: &[Candidate], at_most: f64) -> Option<Sooner> {
    let first = ranked.first().filter(|first| !first.deal.at_least)?;
    let comparable = |row: &Candidate| row.verdict == first.verdict && !row.deal.at_least;
    let affordable = |row: &Candidate| row.deal.exact_usd <= at_most * first.deal.exact_usd;
    (1..)
        .zip(ranked.iter().take(DEFAULT_TOP))
        .filter(|(_, row)| comparable(row) && affordable(row) && row.hours < first.hours)
        .min_by(|(_, a), (_, b)| a.hours.total_cmp(&b.hours))
        .map(|(rank, row)| Sooner {
            rank,
            instance: row.instance,
            nodes: row.nodes,
            hours: row.hours,
            total_usd: row.deal.total.to_f64(),
        })
}
