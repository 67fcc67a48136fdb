//! Collectives: bytes that each rank moves, over the slowest link that its group crosses.
//!
//! Ring volumes: 2 (n-1)/n of the buffer for an all-reduce, (n-1)/n for a gather or a scatter (Thakur et al. 2005); the
//! latency grows with the logarithm of the group (trees, as in NCCL 2.4 and later).

use super::constants::TimeConstants;
use crate::estimate::{Machine, MeasuredLink};

/// Achieved bandwidths and latency of one machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fabric {
    /// Inside a node, per GPU and direction, in bytes/s.
    intra: f64,
    /// Between nodes, per node and direction, in bytes/s; 0 with a single node.
    inter: f64,
    gpus_per_node: f64,
    latency_s: f64,
    /// Seconds per collective and doubling of its group, where the group crosses nodes.
    inter_latency_s: f64,
}

/// Sends between all ranks of a group at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    /// Seconds for each byte that a rank hands out, its own share included.
    pub(super) seconds_per_byte: f64,
    /// Latency of one exchange in seconds.
    pub(super) latency_s: f64,
}

/// A group of ranks that talk to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    ranks: f64,
    bytes_per_s: f64,
    /// Latency of one collective in seconds.
    latency_s: f64,
}

impl Fabric {
    pub(super) fn new(machine: &Machine, constants: &TimeConstants) -> Self {
        let expected = constants.collective_latency_s;
        let latency = |link: Option<MeasuredLink>| link.and_then(|link| link.latency_s).unwrap_or(expected);
        Self {
            intra: machine.intra_reached(constants.intra_efficiency),
            inter: machine.inter_reached(constants.network_efficiency.expected).unwrap_or(0.0),
            gpus_per_node: f64::from(machine.gpus_per_node),
            latency_s: latency(machine.measured.intra),
            inter_latency_s: latency(machine.measured.inter),
        }
    }

    /// The same with all GPUs in one node: what is lost to the network between nodes is the difference to this.
    pub(super) fn joined(self) -> Self {
        Self { gpus_per_node: f64::INFINITY, ..self }
    }

    /// Nodes that so many GPUs spread over; 1 or more, fractions too.
    pub(super) fn nodes(&self, gpus: f64) -> f64 {
        (gpus / self.gpus_per_node).max(1.0)
    }

    /// A group of `ranks` with `stride` GPUs between neighbours: tensor parallel ranks are neighbours (stride 1), data
    /// parallel ones stand `tp` apart, pipeline stages `tp x dp`. All groups of a node share its network; a ring
    /// crosses it once for each of its ranks in the node.
    pub(super) fn group(&self, ranks: f64, stride: f64) -> Group {
        let doublings = ranks.max(1.0).log2().ceil();
        if ranks * stride <= self.gpus_per_node {
            return Group { ranks, bytes_per_s: self.intra, latency_s: self.latency_s * doublings };
        }
        let latency_s = self.inter_latency_s * doublings;
        let local_ranks = (self.gpus_per_node / stride).floor().max(1.0);
        let network = self.inter * local_ranks / self.gpus_per_node;
        let bytes_per_s = if local_ranks > 1.0 { self.intra.min(network) } else { network };
        Group { ranks, bytes_per_s, latency_s }
    }

    /// An all-to-all of `ranks` neighbours: each hands an even share to every other. What stays in the node goes over the
    /// links of the GPU, the rest over its share of the network; both run at a time.
    pub(super) fn exchange(&self, ranks: f64) -> Exchange {
        if ranks <= 1.0 {
            return Exchange { seconds_per_byte: 0.0, latency_s: 0.0 };
        }
        let local = ranks.min(self.gpus_per_node);
        let inside = (local - 1.0) / ranks / self.intra;
        let outside =
            if ranks > local { (ranks - local) / ranks * self.gpus_per_node / self.inter } else { 0.0 };
        let doubling = if ranks > local { self.inter_latency_s } else { self.latency_s };
        let latency_s = doubling * ranks.log2().ceil();
        Exchange { seconds_per_byte: inside.max(outside), latency_s }
    }
}

impl Group {
    /// Seconds to add up a buffer over the group and leave the sum with everyone.
    pub(super) fn all_reduce(&self, bytes: f64) -> f64 {
        2.0 * self.gather(bytes)
    }

    /// Seconds to collect a buffer of which each rank holds a part, or to add up and scatter it.
    pub(super) fn gather(&self, bytes: f64) -> f64 {
        if self.ranks <= 1.0 {
            return 0.0;
        }
        (self.ranks - 1.0) / self.ranks * bytes / self.bytes_per_s + self.latency_s
    }

    /// Seconds to hand a buffer to the next rank.
    pub(super) fn send(&self, bytes: f64) -> f64 {
        if self.ranks <= 1.0 { 0.0 } else { bytes / self.bytes_per_s + self.latency_s }
    }
}
