//! Why configurations were rejected: a count for each reason and the one that came nearest.

use super::{NearMiss, Rejection};
use std::collections::BTreeMap;

/// Collects rejections; reasons come out in the order of the constraint list below, then by name.
#[derive(Debug, Default)]
pub(super) struct Rejects {
    reasons: BTreeMap<&'static str, Tally>,
}

/// How many were rejected for one reason, and the nearest with its score.
#[derive(Debug, Default)]
struct Tally {
    count: usize,
    nearest: Option<(f64, NearMiss)>,
}

impl Rejects {
    /// Counts one configuration. The lower the score, the nearer it came; `miss` is only built when it is the nearest.
    pub(super) fn add(&mut self, reason: &'static str, score: f64, miss: impl FnOnce() -> NearMiss) {
        let tally = self.reasons.entry(reason).or_default();
        tally.count += 1;
        if tally.nearest.as_ref().is_none_or(|(best, _)| score < *best) {
            tally.nearest = Some((score, miss()));
        }
    }

    /// Counts `n` more without a nearer miss.
    pub(super) fn add_more(&mut self, reason: &'static str, n: usize) {
        self.reasons.entry(reason).or_default().count += n;
    }

    /// How many were rejected in all.
    pub(super) fn count(&self) -> usize {
        self.reasons.values().map(|tally| tally.count).sum()
    }

    /// Whether nothing was rejected for anything but these reasons.
    pub(super) fn only(&self, reasons: &[&str]) -> bool {
        !self.reasons.is_empty() && self.reasons.keys().all(|reason| reasons.contains(reason))
    }

    /// Forgets reasons that turned out not to be the first ones.
    pub(super) fn drop(&mut self, reasons: &[&str]) {
        self.reasons.retain(|reason, _| !reasons.contains(reason));
    }

    /// All reasons, most frequent first.
    pub(super) fn finish(self) -> Vec<Rejection> {
        let mut all: Vec<Rejection> = self
            .reasons
            .into_iter()
            .map(|(reason, tally)| Rejection {
                reason,
                count: tally.count,
                nearest: tally.nearest.map(|(_, miss)| miss),
            })
            .collect();
        all.sort_by(|a, b| b.count.cmp(&a.count).then(a.reason.cmp(b.reason)));
        all
    }
}
