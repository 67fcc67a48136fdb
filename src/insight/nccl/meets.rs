//! Whether a measured bus bandwidth meets an expectation.

use super::expect::{Expectation, Limits};
use super::{Table, measure};

/// How a measured bus bandwidth stands to an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meets {
    Yes,
    No,
    /// Taken at sizes too small to say.
    TooSmall,
    /// More than the link between those GPUs can carry.
    AboveLink,
    /// More than the network cards of those nodes can carry.
    AboveWire,
}

impl Meets {
    /// More than that cluster can carry, so that it is another one.
    pub(super) fn is_above(self) -> bool {
        matches!(self, Self::AboveLink | Self::AboveWire)
    }
}

impl Expectation {
    /// The bus bandwidth to hold against it: at the size that its figure is of, else at the plateau.
    pub(super) fn compared(&self, table: &Table, figures: &measure::Figures) -> f64 {
        let same = self.size_bytes.and_then(|size| measure::at_size(table, size, figures.out_of_place));
        same.unwrap_or(figures.plateau_gb_per_s)
    }

    /// A size below 1 GiB that is no plateau yet is called slow only where it misses half of what it should reach there, with a
    /// latency that no healthy cluster has.
    pub(super) fn meets(
        &self,
        limits: &Limits,
        (table, figures): (&Table, &measure::Figures),
        nodes: u32,
    ) -> Meets {
        let value = self.compared(table, figures);
        // The rate of a slot is that of its encoded lines, which no copy reaches.
        let over = if self.pcie && nodes == 1 { 1.0 } else { limits.over };
        if self.most_link.is_some_and(|most| value > most * over) {
            return Meets::AboveLink;
        }
        if self.most_wire.is_some_and(|most| value > most * limits.over) {
            return Meets::AboveWire;
        }
        if value >= self.low {
            return Meets::Yes;
        }
        let at =
            self.size_bytes.filter(|&size| measure::at_size(table, size, figures.out_of_place).is_some());
        let settled = figures.plateau_bytes >= limits.plateau_bytes || figures.saturated == Some(true);
        if at.is_some() || settled {
            return Meets::No;
        }
        let latency_us = if nodes > 1 { limits.nodes_latency_us } else { limits.node_latency_us };
        let moved = figures.plateau_bytes / 1e9;
        let reachable = moved / (moved / self.low + latency_us / 1e6);
        if value < reachable / 2.0 { Meets::No } else { Meets::TooSmall }
    }
}
