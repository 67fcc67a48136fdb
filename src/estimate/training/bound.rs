//! A time that no layout beats: what lets the search skip machines without working their layouts out.

use super::split::Split;
use super::{TrainingModel, numeric};
use crate::estimate::{Machine, Unplannable};
use crate::workload::{Offload, Recompute, Sharding};

impl<'a> TrainingModel<'a> {
    /// The same job on another machine with the same GPU and the same sort of link inside a node, for which the constants
    /// that were looked up hold too.
    pub fn on(&self, machine: &Machine<'a>, total_gpus: u32) -> Result<Self, Unplannable> {
        let peak = machine.peak(self.precision).unwrap_or_default();
        let wide = machine.peak(numeric::wide(self.precision, machine.gpu));
        let other = Self { machine: *machine, peak, wide_peak: wide.unwrap_or(peak), ..self.clone() };
        other.resized(total_gpus)
    }

    /// The same job on another number of the same machines.
    pub fn resized(&self, total_gpus: u32) -> Result<Self, Unplannable> {
        let total_gpus = total_gpus.max(1);
        let mut other = Self { total_gpus, ..self.clone() };
        other.goodput = super::constants::goodput_at(&self.goodputs, total_gpus)?;
        other.check_network()?;
        other.settle_fabric();
        Ok(other)
    }

    /// Wall hours that no layout on these GPUs can beat: all compute and memory traffic shared out evenly, nothing
    /// recomputed that need not be, no communication, no pipeline bubble.
    pub fn least_hours(&self) -> f64 {
        let ideal = Split {
            dp: f64::from(self.total_gpus),
            tp: 1.0,
            pp: 1.0,
            ep: 1.0,
            cp: 1.0,
            sharding: Sharding::Ddp,
            offload: Offload::None,
            recompute: self.recompute.unwrap_or(Recompute::None),
        };
        let batch = f64::from(self.global_batch);
        let seconds = self.least_seconds(&ideal, batch / f64::from(self.total_gpus));
        let steps = self.tokens / (batch * self.seq_len);
        steps * seconds / self.goodput().expected / 3600.0
    }
}
