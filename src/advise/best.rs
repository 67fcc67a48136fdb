//! The best keys of a search so far: when nothing that is left can make the answer.

/// The lowest keys found so far, as many as rows are wanted.
#[derive(Debug)]
pub(super) struct BestKeys {
    keys: Vec<f64>,
    wanted: usize,
}

impl BestKeys {
    /// None yet of so many.
    pub(super) fn wanted(wanted: usize) -> Self {
        Self { keys: Vec::new(), wanted }
    }

    /// Takes a key in.
    pub(super) fn insert(&mut self, key: f64) {
        let at = self.keys.partition_point(|&k| k <= key);
        self.keys.insert(at, key);
        self.keys.truncate(self.wanted);
    }

    /// Whether enough rows are better than anything from this bound on.
    pub(super) fn all_below(&self, bound: f64) -> bool {
        self.keys.len() >= self.wanted && self.keys.last().is_none_or(|&worst| worst < bound)
    }
}
