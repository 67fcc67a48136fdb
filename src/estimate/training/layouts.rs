//! The layouts of a job on a machine: which exist, which is the fastest that fits, which comes nearest.
//!
//! The search prunes; a test compares it with brute force over [`TrainingModel::all_layouts`].

use super::TrainingModel;
use super::memory::{Place, SplitMemory};
use super::split::Split;
use crate::estimate::{Layout, MemoryEstimate, Plan, Verdict};
use crate::model::Architecture;
use crate::workload::{Method, Offload, Pins, Recompute, Sharding, Training};

/// Parallel sizes, in integers.
#[derive(Clone, Copy, Debug)]
struct Grid {
    dp: u32,
    tp: u32,
    pp: u32,
    ep: u32,
    cp: u32,
}

impl Grid {
    fn split(self, sharding: Sharding, offload: Offload, recompute: Recompute) -> Split {
        Split {
            dp: f64::from(self.dp),
            tp: f64::from(self.tp),
            pp: f64::from(self.pp),
            ep: f64::from(self.ep),
            cp: f64::from(self.cp),
            sharding,
            offload,
            recompute,
        }
    }
}

/// Tokens from which on a search splits sequences over GPUs without need.
const LONG_SEQUENCE: f64 = 32_768.0;

/// Most context parallel ranks that a search looks at.
const MOST_CONTEXTS: u32 = 32;

/// Fewest tokens of a sequence that a search leaves on one rank: a block of rows of the attention kernel (Dao 2023, section
/// 3.3).
const LEAST_TOKENS: f64 = 128.0;

/// Divisors of a batch, largest first.
pub(super) fn divisors(batch: u32) -> Vec<u32> {
    let root = batch.isqrt();
    let small = (1..=root).filter(|&d| batch.is_multiple_of(d));
    let mut all: Vec<u32> = small.flat_map(|d| [batch / d, d]).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    all.dedup();
    all
}

/// Divisors of the number of experts, smallest first. Adapters on 4-bit weights split no layer, and not all software
/// spreads experts.
pub(super) fn expert_sizes(model: &Architecture, job: &Training) -> Vec<u32> {
    let spread = job.method != Method::Qlora && job.layouts.experts;
    let experts = model.moe.filter(|_| spread).map_or(1, |moe| moe.experts.max(1));
    let mut sizes = divisors(experts);
    sizes.reverse();
    sizes
}

impl TrainingModel<'_> {
    /// Every layout that the rules allow. Tensor parallelism divides heads and node and stays inside the node; QLoRA
    /// splits no layer unless sizes are pinned; stages
    /// hold at least one layer; ZeRO 2 and 3 go without a pipeline; ranks, micro-batch and passes multiply out to the
    /// global batch exactly.
    pub fn all_layouts(&self, pins: &Pins) -> impl Iterator<Item = Layout> + '_ {
        let pins = *pins;
        self.splits(pins, self.contexts(&pins)).flat_map(move |(grid, split)| {
            self.micro_batches(grid).map(move |micro_batch| self.layout(grid, &split, micro_batch))
        })
    }

    /// The fastest layout that fits, else the fastest that is tight; the simpler one where times are equal.
    pub fn best(&self, pins: &Pins) -> Option<Plan> {
        if self.least_states() > self.machine.usable_bytes {
            return None;
        }
        let contexts = self.contexts(pins);
        let (grid, split, micro_batch) = self
            .fastest(pins, contexts, Verdict::Fits)
            .or_else(|| self.fastest(pins, contexts, Verdict::Tight))?;
        let memory = self.estimate_at(&self.split_memory(&split, self.seq_len), f64::from(micro_batch));
        let verdict = self.verdict(&memory);
        Some(Plan { layout: self.layout(grid, &split, micro_batch), memory, verdict })
    }

    /// The layout that needs the least memory; `None` when the rules allow none at all.
    pub fn nearest_miss(&self, pins: &Pins) -> Option<(Layout, MemoryEstimate)> {
        self.nearest_within(pins, self.contexts(pins))
    }

    fn nearest_within(&self, pins: &Pins, contexts: u32) -> Option<(Layout, MemoryEstimate)> {
        let mut best: Option<(Layout, MemoryEstimate)> = None;
        // What holds comes first; with a host that is too small, the least need of a GPU may not.
        let rank = |memory: &MemoryEstimate| (self.verdict(memory) == Verdict::No, memory.terms.total());
        for grid in self.grids(*pins, contexts) {
            let Some(micro_batch) = self.smallest_micro_batch(grid) else { continue };
            for sharding in self.shardings(grid, *pins) {
                // The states alone tell of most that they come no nearer, however much is recomputed.
                let states = self.states_bytes(&grid.split(sharding, self.offload, Recompute::Full));
                let bound = (states > self.machine.usable_bytes, states);
                if best.as_ref().is_some_and(|(_, least)| bound >= rank(least)) {
                    continue;
                }
                for recompute in self.recomputes() {
                    let split = grid.split(sharding, self.offload, recompute);
                    let memory =
                        self.estimate_at(&self.split_memory(&split, self.seq_len), f64::from(micro_batch));
                    if best.as_ref().is_none_or(|(_, least)| rank(&memory) < rank(least)) {
                        best = Some((self.layout(grid, &split, micro_batch), memory));
                    }
                }
            }
        }
        best
    }

    /// A layout that is better than `no`, else the least demanding one: the lean ones are tried first (everything
    /// recomputed, as much sharded as the rules allow, the smallest micro-batch), the others only where those come near.
    /// `None` when the rules allow no layout.
    pub fn leanest(&self, pins: &Pins) -> Option<(Layout, MemoryEstimate)> {
        let few = self.leanest_within(pins, 1);
        if few.is_some_and(|(_, memory)| self.verdict(&memory) != Verdict::No) {
            return few;
        }
        match self.most_contexts(pins) {
            1 => few,
            most => self.leanest_within(pins, most),
        }
    }

    /// The same with context parallelism up to a size.
    fn leanest_within(&self, pins: &Pins, contexts: u32) -> Option<(Layout, MemoryEstimate)> {
        let recompute = self.recompute.unwrap_or(Recompute::Full);
        let mut best: Option<(Layout, MemoryEstimate)> = None;
        for grid in self.grids(*pins, contexts) {
            let Some(sharding) = self.shardings(grid, *pins).last() else { continue };
            let Some(micro_batch) = self.smallest_micro_batch(grid) else { continue };
            let split = grid.split(sharding, self.offload, recompute);
            // The states alone tell of most that they do not fit and need no less than what was found.
            if let Some((_, least)) = &best {
                let states = self.states_bytes(&split);
                if states > self.machine.usable_bytes && states >= least.terms.total() {
                    continue;
                }
            }
            let memory = self.estimate_at(&self.split_memory(&split, self.seq_len), f64::from(micro_batch));
            let found = (self.layout(grid, &split, micro_batch), memory);
            if self.verdict(&memory) != Verdict::No {
                return Some(found);
            }
            if best.as_ref().is_none_or(|(_, least)| memory.terms.total() < least.terms.total()) {
                best = Some(found);
            }
        }
        let lean = best?;
        // Buffers that only sharding or recomputation needs are far smaller than this.
        let out_of_reach = lean.1.terms.total() > 1.5 * self.machine.usable_bytes;
        if out_of_reach { Some(lean) } else { self.nearest_within(pins, contexts) }
    }

    /// The longest sequence that some layout holds without a verdict of `no`, with the pinned micro-batch or 1, else 0. The
    /// length that was asked for plays no part in it.
    pub fn longest_sequence(&self, pins: &Pins) -> u32 {
        let mut longest = 0;
        for (grid, split) in self.splits(*pins, self.most_contexts_for(pins, f64::INFINITY)) {
            let Some(micro_batch) = self.smallest_micro_batch(grid) else { continue };
            longest = longest.max(self.last_within(Verdict::Tight, |seq_len| {
                self.estimate_at(&self.split_memory(&split, f64::from(seq_len)), f64::from(micro_batch))
            }));
        }
        longest
    }

    fn fastest(&self, pins: &Pins, contexts: u32, wanted: Verdict) -> Option<(Grid, Split, u32)> {
        let mut best: Option<(f64, (Grid, Split, u32))> = None;
        for (grid, split) in self.splits(*pins, contexts) {
            let sequences = f64::from(self.sequences(grid));
            if best.as_ref().is_some_and(|&(seconds, _)| self.least_seconds(&split, sequences) >= seconds) {
                continue;
            }
            let memory = self.split_memory(&split, self.seq_len);
            let Some(largest) = self.largest_micro_batch(grid, &memory, wanted) else { continue };
            let time = self.split_time(&split);
            // Without a pipeline fewer passes are never slower; with one they lengthen its bubble.
            let tried = if grid.pp == 1 { 1 } else { usize::MAX };
            for micro_batch in self.micro_batches_from(grid, largest).take(tried) {
                let passes = f64::from(self.sequences(grid) / micro_batch);
                let seconds = time.parts(sequences, passes).total();
                if best.as_ref().is_none_or(|&(least, _)| seconds < least) {
                    best = Some((seconds, (grid, split, micro_batch)));
                }
            }
        }
        best.map(|(_, found)| found)
    }

    /// The largest micro-batch whose verdict is at least `wanted`: memory grows with the micro-batch.
    fn largest_micro_batch(&self, grid: Grid, memory: &SplitMemory, wanted: Verdict) -> Option<u32> {
        let holds = |micro_batch: u32| {
            let estimate = self.estimate_at(memory, f64::from(micro_batch));
            self.verdict(&estimate) <= wanted
        };
        self.smallest_micro_batch(grid).filter(|&smallest| holds(smallest))?;
        self.micro_batches(grid).find(|&micro_batch| holds(micro_batch))
    }

    /// Sequences of one data-parallel rank in a step: a grid divides the batch.
    fn sequences(&self, grid: Grid) -> u32 {
        self.global_batch / grid.dp
    }

    /// Micro-batches that divide the sequences of a rank, largest first.
    fn micro_batches(&self, grid: Grid) -> impl Iterator<Item = u32> + '_ {
        let sequences = self.sequences(grid);
        let pinned = self.micro_batch;
        self.divisors.iter().copied().filter(move |&micro_batch| {
            sequences.is_multiple_of(micro_batch) && pinned.is_none_or(|pinned| pinned == micro_batch)
        })
    }

    fn smallest_micro_batch(&self, grid: Grid) -> Option<u32> {
        let sequences = self.sequences(grid);
        Some(self.micro_batch.unwrap_or(1)).filter(|&smallest| sequences.is_multiple_of(smallest))
    }

    fn micro_batches_from(&self, grid: Grid, largest: u32) -> impl Iterator<Item = u32> + '_ {
        self.micro_batches(grid).filter(move |&micro_batch| micro_batch <= largest)
    }

    fn layout(&self, grid: Grid, split: &Split, micro_batch: u32) -> Layout {
        Layout {
            dp: grid.dp,
            tp: grid.tp,
            pp: grid.pp,
            ep: grid.ep,
            cp: grid.cp,
            sharding: split.sharding,
            offload: split.offload,
            recompute: split.recompute,
            micro_batch,
            grad_accumulation: self.sequences(grid) / micro_batch,
        }
    }

    /// Grids with their shardings and recomputations, the simple ones first.
    fn splits(&self, pins: Pins, contexts: u32) -> impl Iterator<Item = (Grid, Split)> + '_ {
        self.grids(pins, contexts).flat_map(move |grid| {
            self.shardings(grid, pins).flat_map(move |sharding| {
                self.recomputes().map(move |recompute| (grid, grid.split(sharding, self.offload, recompute)))
            })
        })
    }

    /// Context parallel sizes to look at, up to this one: many for long sequences, and where nothing holds without.
    fn contexts(&self, pins: &Pins) -> u32 {
        let most = self.most_contexts(pins);
        if most == 1 || self.seq_len >= LONG_SEQUENCE {
            return most;
        }
        let few = self.leanest_within(pins, 1);
        if few.is_some_and(|(_, memory)| self.verdict(&memory) != Verdict::No) { 1 } else { most }
    }

    /// Most context parallel ranks that a search may use; pins are asked for by the grids. Where the states alone are too
    /// much, shorter pieces of a sequence do not help.
    pub(super) fn most_contexts(&self, pins: &Pins) -> u32 {
        self.most_contexts_for(pins, self.seq_len)
    }

    /// The same for sequences of another length.
    fn most_contexts_for(&self, pins: &Pins, seq_len: f64) -> u32 {
        let whole = self.method == Method::Qlora || !self.layouts.context;
        let never = pins.cp.is_some() || whole || self.total_gpus == 1;
        if never || self.least_states() > self.machine.usable_bytes {
            1
        } else {
            let shortest = (seq_len / LEAST_TOKENS).max(1.0) as u32;
            MOST_CONTEXTS.min(self.total_gpus).min(shortest)
        }
    }

    /// Bytes of the states on each GPU when all of them share everything evenly: no layout has less on its fullest one.
    fn least_states(&self) -> f64 {
        let even = Grid { dp: self.total_gpus, tp: 1, pp: 1, ep: 1, cp: 1 };
        self.states_bytes(&even.split(Sharding::Zero3, self.offload, Recompute::Full))
    }

    /// Bytes of the states on the fullest GPU; both ends of a pipeline hold one matrix besides their layers.
    fn states_bytes(&self, split: &Split) -> f64 {
        let place = if split.pp > 1.0 { Place::First } else { Place::Whole };
        self.states(split, place).gpu.total()
    }

    /// Parallel sizes that the rules allow, with context parallelism up to `contexts` unless it is pinned.
    fn grids(&self, pins: Pins, contexts: u32) -> impl Iterator<Item = Grid> + '_ {
        let gpus = self.total_gpus;
        // 4-bit weights are split over data-parallel ranks only (FSDP): bitsandbytes has no tensor or pipeline layers.
        let may_split = self.method != Method::Qlora;
        let (tensor, pipeline) = (may_split && self.layouts.tensor, may_split && self.layouts.pipeline);
        let allows = move |pin: Option<u32>, value: u32| pin.is_none_or(|pin| pin == value);
        let splits = move |pin: Option<u32>, value: u32, searched: bool| {
            allows(pin, value) && (value == 1 || pin.is_some() || searched)
        };
        let tensors = (1..=self.machine.gpus_per_node.min(gpus)).filter(move |&tp| {
            splits(pins.tp, tp, tensor)
                && gpus.is_multiple_of(tp)
                && self.machine.gpus_per_node.is_multiple_of(tp)
                && self.shape.heads.is_multiple_of(tp)
        });
        tensors.flat_map(move |tp| {
            let rest = gpus / tp;
            (1..=rest.min(self.shape.layers as u32))
                .filter(move |&pp| {
                    // Weights that come from the host are whole for one layer at a time: no stage owns any.
                    let one_stage = pins.pp.is_none() && self.offload == Offload::All;
                    splits(pins.pp, pp, pipeline) && rest.is_multiple_of(pp) && (pp == 1 || !one_stage)
                })
                .flat_map(move |pp| self.ranks(pins, contexts, tp, pp))
        })
    }

    /// The ways to use the ranks that tensor and pipeline parallelism leave: for data, contexts and experts.
    fn ranks(&self, pins: Pins, contexts: u32, tp: u32, pp: u32) -> impl Iterator<Item = Grid> + '_ {
        let replicas = self.total_gpus / (tp * pp);
        let pinned = pins.cp.filter(|&cp| replicas.is_multiple_of(cp));
        let most = if pins.cp.is_some() { 0 } else { contexts };
        let searched = (0..32).map(|power| 1 << power).take_while(move |&cp| cp <= most);
        pinned
            .into_iter()
            .chain(searched)
            .filter(move |&cp| replicas.is_multiple_of(cp))
            .map(move |cp| (cp, replicas / cp))
            .filter(move |&(_, dp)| {
                pins.dp.is_none_or(|pin| pin == dp) && self.global_batch.is_multiple_of(dp)
            })
            .flat_map(move |(cp, dp)| {
                let sizes = if pins.ep.is_some() { &[][..] } else { &self.expert_sizes[..] };
                let searched = sizes.iter().copied().filter(move |&ep| replicas.is_multiple_of(ep));
                let pinned = pins.ep.filter(move |&ep| (replicas * tp).is_multiple_of(ep));
                pinned.into_iter().chain(searched).map(move |ep| Grid { dp, tp, pp, ep, cp })
            })
    }

    fn shardings(&self, grid: Grid, pins: Pins) -> impl Iterator<Item = Sharding> + use<> {
        const ALL: [Sharding; 4] = [Sharding::Ddp, Sharding::Zero1, Sharding::Zero2, Sharding::Zero3];
        let (asked, most) = (self.sharding, self.layouts.most);
        let alone = grid.dp * grid.cp == 1;
        // Offloaded weights are shared out as ZeRO 3 does it (ZeRO-Infinity, FSDP).
        let least = if self.offload == Offload::All { Sharding::Zero3 } else { Sharding::Ddp };
        // With one rank there is nothing to share out; who asked for sharding gets such a layout only without a choice.
        let forced = self.total_gpus == 1 || pins.dp == Some(1);
        ALL.into_iter().filter(move |&sharding| {
            if alone {
                sharding == Sharding::Ddp && (forced || asked.is_none_or(|asked| asked == Sharding::Ddp))
            } else {
                asked.is_none_or(|asked| asked == sharding)
                    && sharding >= least
                    && sharding <= most.max(least)
                    && (grid.pp == 1 || sharding <= Sharding::Zero1)
            }
        })
    }

    fn recomputes(&self) -> impl Iterator<Item = Recompute> + use<> {
        let asked = self.recompute;
        [Recompute::None, Recompute::Selective, Recompute::Full]
            .into_iter()
            .filter(move |&recompute| asked.is_none_or(|asked| asked == recompute))
    }
}
