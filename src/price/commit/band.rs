//! Demand cut into horizontal bands: how long each band is busy in each stretch of time.

use super::demand::{Demand, MICRO};

/// Bands from the bottom up. Within a band every slice has the same busy hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bands {
    /// How much of a band one decision is about: a slice of a millionth (1), or a whole instance (`MICRO`).
    pub(super) slice: u64,
    /// Slices of each band.
    pub(super) slices: Vec<u64>,
    /// Stretches of time.
    slots: usize,
    /// Busy hours of one slice, in units that make a whole slice busy for one hour `slice`; band by band, slot by slot.
    busy: Vec<u64>,
}

impl Bands {
    /// Bands between the distinct demands. `slot` is the length of a stretch in hours.
    pub(super) fn fractional(demand: &Demand, slot: usize) -> Self {
        Self::between(demand.hours().to_vec(), demand, slot)
    }

    /// The same with none that reaches over a multiple of `unit`, up to the one that holds the peak.
    pub(super) fn fractional_within(demand: &Demand, slot: usize, unit: u64) -> Self {
        let ends = (1..=demand.peak() / unit).map(|at| at * unit);
        Self::between(demand.hours().iter().copied().chain(ends).collect(), demand, slot)
    }

    fn between(mut levels: Vec<u64>, demand: &Demand, slot: usize) -> Self {
        levels.sort_unstable();
        levels.dedup();
        levels.retain(|&level| level > 0);
        let slices: Vec<u64> =
            levels.iter().scan(0, |below, &level| Some(level - std::mem::replace(below, level))).collect();
        let slots = demand.hours().len() / slot.max(1);
        let mut busy = vec![0; levels.len() * slots];
        for (at, stretch) in demand.hours().chunks_exact(slot).enumerate() {
            let mut sorted = stretch.to_vec();
            sorted.sort_unstable();
            let mut idle = 0;
            for (band, level) in levels.iter().enumerate() {
                while sorted.get(idle).is_some_and(|demand| demand < level) {
                    idle += 1;
                }
                busy[band * slots + at] = (sorted.len() - idle) as u64;
            }
        }
        Self { slice: 1, slices, slots, busy }
    }

    /// One band for each whole instance; an hour that needs a part of it is busy for that part.
    pub(super) fn whole(demand: &Demand, slot: usize) -> Self {
        let bands = demand.peak().div_ceil(MICRO) as usize;
        let slots = demand.hours().len() / slot.max(1);
        let mut busy = vec![0; bands * slots];
        for (at, stretch) in demand.hours().chunks_exact(slot).enumerate() {
            // Hours whose demand ends in each band, and the parts of it that they need: a band is busy in all hours
            // that end above it, and in part in those that end in it.
            for &demand in stretch.iter().filter(|&&demand| demand > 0) {
                let last = ((demand - 1) / MICRO) as usize;
                busy[last * slots + at] += demand - last as u64 * MICRO;
            }
            let mut ends = vec![0_u64; bands + 1];
            for &demand in stretch.iter().filter(|&&demand| demand > 0) {
                ends[((demand - 1) / MICRO) as usize] += 1;
            }
            let mut above = 0;
            for band in (0..bands).rev() {
                busy[band * slots + at] += above * MICRO;
                above += ends[band];
            }
        }
        Self { slice: MICRO, slices: vec![1; bands], slots, busy }
    }

    /// Busy hours of one slice of a band in each stretch.
    pub(super) fn busy(&self, band: usize) -> &[u64] {
        &self.busy[band * self.slots..(band + 1) * self.slots]
    }
}
