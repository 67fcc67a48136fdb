//! How a series moves: memory that still grows, and the stretches of time in which nothing ran.

use super::{Metric, Series, Usage, time};
use jiff::civil::DateTime;

/// Memory in use over the three thirds of a series, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Median of the first third.
    pub first: f64,
    /// 95th percentile of the first two thirds.
    pub before: f64,
    /// Median of the last third.
    pub last: f64,
    /// Rise inside the last third: from the median of its first half to that of its second. What took memory once and
    /// keeps it has none.
    pub rise: f64,
}

impl Growth {
    /// By values in the order of time; `None` where a third would have none.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let third = values.len() / 3;
        let at = |values: &[f64], share: f64| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.max(1) - 1).copied()
        };
        let (early, late) = values.split_at_checked(values.len() - third)?;
        let (middle, end) = late.split_at(third / 2);
        Some(Self {
            first: at(early.get(..third)?, 0.5)?,
            before: at(early, 0.95)?,
            last: at(late, 0.5)?,
            rise: at(end, 0.5)? - at(middle, 0.5)?,
        })
    }
}

/// A stretch of time: from its first poll to its last one.
pub type Stretch = (DateTime, DateTime);

/// Hours of a stretch.
pub fn hours((from, to): Stretch) -> f64 {
    time::seconds(from, to) / 3600.0
}

/// Stretches of at least `least` hours in which every poll was idle (activity up to `idle`, of 1); a gap between polls as
/// long as that ends one, since nobody knows what ran in it.
pub fn quiet(series: &Series, usage: &Usage, idle: f64, least: f64) -> Vec<Stretch> {
    let Some(basis) = usage.basis else { return Vec::new() };
    let mut polls: Vec<(DateTime, bool)> = series
        .samples
        .iter()
        .filter_map(|sample| Some((sample.time?, sample.get(basis.metric())? / 100.0 <= idle)))
        .collect();
    polls.sort_by_key(|(at, _)| *at);
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut open: Option<Stretch> = None;
    for (at, is_idle) in polls {
        open = match (open, is_idle) {
            (Some((from, to)), true) if hours((to, at)) < least => Some((from, at)),
            (before, _) => {
                stretches.extend(before);
                is_idle.then_some((at, at))
            }
        };
    }
    stretches.extend(open);
    stretches.retain(|stretch| hours(*stretch) >= least);
    stretches
}

/// What two lists of stretches have in common, in pieces of at least `least` hours.
pub fn common(one: &[Stretch], other: &[Stretch], least: f64) -> Vec<Stretch> {
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
    pairs.filter(|(from, to)| from < to && hours((*from, *to)) >= least).collect()
}

/// Memory in use of the polls in the order of time; those without a time stand in the order of the log, and only where no
/// poll has one.
pub(super) fn in_order(series: &Series, metric: Metric, most: Option<f64>) -> Vec<f64> {
    let timed = series.samples.iter().any(|sample| sample.time.is_some() && sample.get(metric).is_some());
    let mut polls: Vec<(Option<DateTime>, f64)> = series
        .samples
        .iter()
        .filter(|sample| !timed || sample.time.is_some())
        .filter_map(|sample| Some((sample.time, sample.get(metric)?)))
        .filter(|(_, value)| most.is_none_or(|most| *value <= most))
        .collect();
    polls.sort_by_key(|(at, _)| *at);
    polls.into_iter().map(|(_, value)| value).collect()
}
