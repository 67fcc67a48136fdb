//! A layout without its batch: how many ranks share what. No byte and no second is counted here.

use crate::estimate::Layout;
use crate::workload::{Offload, Recompute, Sharding};

/// A layout without its batch: what decides over the memory and time of a sequence. Sizes are whole numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    pub(super) dp: f64,
    pub(super) tp: f64,
    pub(super) pp: f64,
    pub(super) ep: f64,
    pub(super) cp: f64,
    pub(super) sharding: Sharding,
    pub(super) offload: Offload,
    pub(super) recompute: Recompute,
}

impl Split {
    /// The split of a layout.
    pub(super) fn of(layout: &Layout) -> Self {
        Self {
            dp: f64::from(layout.dp),
            tp: f64::from(layout.tp),
            pp: f64::from(layout.pp),
            ep: f64::from(layout.ep),
            cp: f64::from(layout.cp),
            sharding: layout.sharding,
            offload: layout.offload,
            recompute: layout.recompute,
        }
    }

    /// All ranks.
    pub(super) fn ranks(&self) -> f64 {
        self.dp * self.cp * self.tp * self.pp
    }

    /// Ranks that hold the same part of everything but the experts. ZeRO shares out between them: ranks of one context
    /// have the same weights and add their gradients up (Megatron-Core, data and context parallel group).
    pub(super) fn replicas(&self) -> f64 {
        self.dp * self.cp
    }

    /// Parts that the experts of a layer are cut into: over `ep` ranks, and each of them over `tp` more as the rest of
    /// the layer is, where the stage has that many ranks.
    pub(super) fn expert_parts(&self) -> f64 {
        let stage = self.replicas() * self.tp;
        let both = self.ep * self.tp;
        // Counts are whole, and the remainder of integers takes a tenth of the time.
        if both <= stage && (stage as u64).is_multiple_of(both as u64) { both } else { self.ep }
    }

    /// Ranks that hold the same part of the experts.
    pub(super) fn expert_replicas(&self) -> f64 {
        (self.replicas() * self.tp / self.expert_parts()).max(1.0)
    }

    /// Whether something lies in the memory of the host.
    pub(super) fn offloads(&self, least: Offload) -> bool {
        self.offload >= least
    }
}
