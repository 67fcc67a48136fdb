//! The batch of each GPU when a rate is offered and nobody says how many samples are in flight.
//!
//! A rate keeps rate x time of a pass in flight (Little 1961): a server that batches what waits takes larger passes the
//! more is offered, until memory or the largest batch that was measured ends it.

use super::SampleModel;
use crate::estimate::{Machine, Unplannable, Verdict};

impl SampleModel<'_> {
    /// The smallest power of two, or the largest batch of all, with which so many GPUs bear the rate; the largest where
    /// none does.
    pub(super) fn batch_under_load(
        &self,
        machine: &Machine,
        gpus: u32,
        rps: f64,
    ) -> Result<u32, Unplannable> {
        let (precision, _) = Self::precision(self.job, machine.gpu)?;
        let point = self.point(machine, precision, gpus, 1);
        let measured = self.table.largest_batch(&point);
        let most = match self.largest_batch(machine, measured, Verdict::Fits)? {
            0 => self.largest_batch(machine, measured, Verdict::Tight)?,
            fits => fits,
        };
        let each = rps / (f64::from(gpus.max(1)) * machine.share);
        let bears = |batch: u32| {
            let rate = self.rate(machine, precision, gpus, batch);
            rate.is_ok_and(|rate| rate.per_gpu.expected >= each)
        };
        let most = most.max(1);
        if !bears(most) {
            return Ok(most);
        }
        let (mut low, mut high) = (0, most.ilog2());
        while low < high {
            let middle = low.midpoint(high);
            if bears(1 << middle) { high = middle } else { low = middle + 1 }
        }
        let power = 1 << low;
        Ok(if bears(power) { power } else { most })
    }
}
