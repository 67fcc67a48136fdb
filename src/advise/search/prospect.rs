//! A machine in a lot before it is worked out, in the order in which a search looks at them.

use crate::catalog::instance::InstanceId;
use std::cmp::Ordering;

/// A machine in a lot with what it cannot beat. In a heap the one with the lowest bound comes first: a search ends long
/// before it has seen all of them, so that sorting them would be lost work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prospect {
    pub(super) instance: InstanceId,
    pub(super) offers: usize,
    pub(super) lot: usize,
    pub(super) least_usd: f64,
    pub(super) least_key: f64,
}

impl Ord for Prospect {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = other.least_key.total_cmp(&self.least_key);
        by_bound.then(other.lot.cmp(&self.lot)).then(other.instance.cmp(&self.instance))
    }
}

impl PartialOrd for Prospect {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Prospect {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Prospect {}
