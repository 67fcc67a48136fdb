//! Memory of one GPU of a serving replica, term by term, and what follows from it: most requests, longest context.
//!
//! No time is estimated here.

use super::ServingModel;
use super::constants::Amount;
use super::kept::Work;
use super::kv;
use crate::estimate::{Layout, MemoryEstimate, MemoryTerms, Range, Verdict};
use crate::model::Origin;

/// FP32 logits, which a model returns, in units of what they take while they are made: 4 of 6 bytes.
const RETURNED_SHARE: f64 = 4.0 / 6.0;
/// More requests than any replica is asked to hold; ends the search for the most.
const MOST_REQUESTS: u32 = 1 << 20;
/// Longer than any context; ends the search for the longest.
const LONGEST: u32 = 1 << 28;

impl ServingModel<'_> {
    /// Memory of the fullest GPU when each replica holds `concurrency` requests of the asked lengths.
    ///
    /// KV cache needed: the larger of one sequence of the longest length and all requests at their full length, each
    /// evaluated as a sequence of its own.
    pub fn memory(&self, layout: &Layout, concurrency: u32) -> MemoryEstimate {
        self.memory_with(layout, concurrency, self.serving.max_model_len)
    }

    /// The same for another longest sequence.
    pub(super) fn memory_with(
        &self,
        layout: &Layout,
        concurrency: u32,
        max_model_len: u32,
    ) -> MemoryEstimate {
        let work = self.work(layout, concurrency, max_model_len);
        let mut terms = self.resident(layout, work);
        let request = self.serving.input_len.saturating_add(self.serving.output_len);
        let all = f64::from(concurrency) * self.kv_per_gpu(layout, self.cached(request));
        terms.kv_cache = all.max(self.kv_per_gpu(layout, self.cached(max_model_len)));
        self.with_range(layout, terms, work)
    }

    /// Memory of a process that has its layers on so many GPUs one after the other, and tells the sum of the peaks of each:
    /// every GPU works on the whole prompt when it is its turn, only the last one on logits, and what it returns is copied to
    /// the first one (`AlignDevicesHook` of Accelerate).
    pub fn memory_of_process(&self, gpus: u32, concurrency: u32) -> MemoryEstimate {
        let layout = Self::layout(1, 1, 1);
        let work = self.work(&layout, concurrency, self.serving.max_model_len);
        let (gpus, one) = (f64::from(gpus.max(1)), work.activations);
        let least = if work.least > 0.0 {
            let first = one.max(work.least * RETURNED_SHARE);
            work.least + if gpus > 1.0 { first + one * (gpus - 2.0) } else { 0.0 }
        } else {
            0.0
        };
        let all = Work { activations: one * gpus, least, ..work };
        let mut terms = self.resident(&layout, all);
        terms.kv_cache = self.memory(&layout, concurrency).terms.kv_cache;
        self.with_range(&layout, terms, all)
    }

    /// Tokens of the cache of one sequence of `tokens` tokens.
    fn cached(&self, tokens: u32) -> f64 {
        let answer = self.serving.output_len;
        let rolls = self.constants.kept.cache_rolls;
        f64::from(if rolls { tokens.saturating_sub(answer).max(answer.min(tokens)) } else { tokens })
    }

    /// Bytes of one sequence of `tokens` tokens on the fullest GPU.
    pub(super) fn kv_per_gpu(&self, layout: &Layout, tokens: f64) -> f64 {
        kv::bytes_at_per_gpu(
            self.arch,
            tokens,
            self.serving.kv_bytes,
            self.serving.kv_rule,
            layout.tp,
            layout.pp,
        )
    }

    /// All terms but the KV cache, with this work on prompts.
    pub(super) fn resident(&self, layout: &Layout, work: Work) -> MemoryTerms {
        let (activations, logits) = work.terms();
        MemoryTerms {
            weights: self.weights_per_gpu(layout),
            activations,
            logits,
            workspace: self.constants.workspace.expected + self.tables(layout),
            communication: if layout.tp * layout.pp > 1 {
                self.constants.communication.expected
            } else {
                0.0
            },
            framework: self.constants.framework.expected,
            ..MemoryTerms::default()
        }
    }

    /// Bytes of sampling from so many sequences on the first rank, which holds all logits: those that run in one pass.
    pub(super) fn sampling(&self, sequences: f64) -> f64 {
        let c = &self.constants;
        c.sampler_bytes * sequences.min(c.max_batch) * f64::from(self.arch.vocab)
    }

    /// Weights of the fullest stage: its layers, and the larger of embedding and output matrix (both on a single stage).
    fn weights_per_gpu(&self, layout: &Layout) -> f64 {
        let (shape, kept) = (&self.shape, &self.constants.kept);
        let layers = (shape.shared_bytes + shape.routed_bytes) * kv::stage_share(self.arch, layout.pp);
        let copies = if kept.embedding_on_host { 1.0 } else { kept.output_copies };
        let shared = if shape.head_bytes > 0.0 { 0.0 } else { copies * shape.embedding_bytes };
        let output = shape.head_bytes + shared;
        let embedding = if kept.embedding_on_host { 0.0 } else { shape.embedding_bytes };
        let outer = if layout.pp <= 1 { embedding + output } else { embedding.max(output) };
        (layers + outer) / f64::from(layout.tp)
    }

    /// Prompt tokens that one pass works on: the engine's limit, or whole prompts where it does not cut them.
    pub(super) fn tokens_in_pass(&self, concurrency: u32, max_model_len: u32) -> f64 {
        let (limit, whole_up_to) = (self.constants.batched_tokens, self.constants.whole_prompts);
        let all = f64::from(concurrency) * f64::from(self.serving.input_len);
        if limit > 0.0 {
            limit
        } else if whole_up_to > 0.0 {
            // A trial at the start is of the longest sequence.
            all.max(f64::from(max_model_len)).min(whole_up_to)
        } else {
            all.max(f64::from(self.longest_prompt(max_model_len)))
        }
    }

    /// Total and range: weights and a known KV cache are counted, not guessed; the rest has the catalog's ranges.
    fn with_range(&self, layout: &Layout, terms: MemoryTerms, work: Work) -> MemoryEstimate {
        let c = &self.constants;
        let kv = if self.arch.origin == Origin::Inferred { Some(&c.inferred_kv) } else { None };
        let shift = |pick: fn(&Amount) -> f64| {
            let by = |amount: &Amount| pick(amount) - amount.expected;
            by(&c.framework)
                + by(&c.workspace)
                + if layout.tp * layout.pp > 1 { by(&c.communication) } else { 0.0 }
                + work.bytes(pick(&c.kept.activation) / c.kept.activation.expected)
                - work.bytes(1.0)
                + kv.map_or(0.0, |range| terms.kv_cache * (pick(range) - 1.0))
        };
        let total = terms.total();
        MemoryEstimate {
            terms,
            low: total + shift(|a| a.low),
            high: total + shift(|a| a.high),
            host_ram: 0.0,
        }
    }

    /// The verdict of a layout at a concurrency per replica.
    pub fn verdict(&self, layout: &Layout, concurrency: u32) -> Verdict {
        Verdict::of(&self.memory(layout, concurrency), self.machine.usable_bytes)
    }

    /// Most requests of the asked lengths that one replica holds: as many as `fits`, and never fewer than `load` where that
    /// is held, if only tightly. More memory never gives less.
    pub fn max_concurrency(&self, layout: &Layout, load: u32) -> u32 {
        let fits = largest(MOST_REQUESTS, |n| self.verdict(layout, n) == Verdict::Fits);
        if load > fits && self.verdict(layout, load) == Verdict::Tight { load } else { fits }
    }

    /// Longest single sequence that one replica holds, up to the model's own context where it is known: as long as it
    /// `fits`, and never shorter than the asked longest one where that is held, if only tightly. More memory never gives
    /// less.
    pub fn max_model_len(&self, layout: &Layout) -> u32 {
        let usable = self.machine.usable_bytes;
        let cap = self.arch.native_context.unwrap_or(LONGEST);
        let verdict = |n: u32| Verdict::of(&self.memory_of_one(layout, n), usable);
        let fits = largest(cap, |n| verdict(n) == Verdict::Fits);
        let asked = self.serving.max_model_len.min(cap);
        if asked > fits && verdict(asked) == Verdict::Tight { asked } else { fits }
    }

    /// Memory with a single sequence of `tokens` tokens.
    fn memory_of_one(&self, layout: &Layout, tokens: u32) -> MemoryEstimate {
        let work = self.work(layout, 1, tokens);
        let mut terms = self.resident(layout, work);
        terms.kv_cache = self.kv_per_gpu(layout, self.cached(tokens));
        self.with_range(layout, terms, work)
    }

    /// Tokens that the engine's KV cache holds in one replica when the engine takes its usual share of the memory; in
    /// sequences of the longest length, as engines count when layers differ.
    pub fn kv_capacity_tokens(&self, layout: &Layout) -> u64 {
        self.kv_capacity(layout).expected as u64
    }

    /// The same with its range, which follows from that of what else is in memory.
    pub fn kv_capacity(&self, layout: &Layout) -> Range {
        let length = f64::from(self.serving.max_model_len.max(1));
        let each = self.kv_per_gpu(layout, length).max(1.0);
        let pool = self.kv_pool(layout);
        let tokens = |bytes: f64| bytes / each * length;
        Range { low: tokens(pool.low), expected: tokens(pool.expected), high: tokens(pool.high) }
    }

    /// Bytes of the KV cache that the engine lays out at start on each GPU: its share of the memory without weights, the
    /// most that a trial of a full pass takes and the context. The trial runs the longest prompt and then samples from the
    /// largest batch; the first rank holds all logits. Graphs are captured afterwards and lie outside of the share. The low end
    /// has room for a checkpoint whose attention is wider than its format says.
    pub(super) fn kv_pool(&self, layout: &Layout) -> Range {
        self.kv_pool_for(layout, self.constants.max_batch)
    }

    /// The same of an engine that is told to run at most so many sequences.
    pub(super) fn kv_pool_for(&self, layout: &Layout, sequences: f64) -> Range {
        let work = self.work(layout, 1, self.serving.max_model_len);
        let resident = self.resident(layout, work);
        let sampling = self.sampling(sequences);
        let activations = resident.activations.max(sampling);
        let terms = MemoryTerms {
            workspace: 0.0,
            activations,
            logits: if sampling > 0.0 { 0.0 } else { resident.logits },
            ..resident
        };
        let estimate = self.with_range(layout, terms, Work { activations, ..Work::default() });
        let workspace = &self.constants.workspace;
        let share = &self.constants.memory_share;
        let bytes = |share: f64, other: f64| (share * self.machine.usable_bytes - other).max(0.0);
        let wider = self.wider_bytes * kv::stage_share(self.arch, layout.pp) / f64::from(layout.tp);
        Range {
            low: bytes(share.low, estimate.high - (workspace.high - workspace.expected) + wider),
            expected: bytes(share.expected, estimate.terms.total()),
            high: bytes(share.high, estimate.low + (workspace.expected - workspace.low)),
        }
    }

    /// Bytes that an engine which lays out its KV cache at start holds on each GPU: weights and cache as frameworks print
    /// them; the tools of the driver add the context and the graphs.
    pub fn reservation(&self, layout: &Layout) -> Range {
        let pool = self.kv_pool(layout);
        let terms = self.resident(layout, self.work(layout, 1, self.serving.max_model_len));
        let outside = terms.framework + terms.workspace + terms.communication;
        let held = |bytes: f64| bytes + terms.weights;
        Range { low: held(pool.low), expected: held(pool.expected), high: held(pool.high) + outside }
    }
}

/// The largest number up to `most` for which `holds`, which must be true below and false above it; 0 for none.
pub(super) fn largest(most: u32, holds: impl Fn(u32) -> bool) -> u32 {
    if most == 0 || !holds(1) {
        return 0;
    }
    if holds(most) {
        return most;
    }
    let mut good = 1_u32;
    let mut step = 1_u32;
    // Doubling first: answers are small more often than large.
    while good < most {
        let next = good.saturating_add(step).min(most);
        if !holds(next) {
            break;
        }
        good = next;
        step = step.saturating_mul(2);
    }
    let mut bad = good.saturating_add(step).min(most.saturating_add(1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}
