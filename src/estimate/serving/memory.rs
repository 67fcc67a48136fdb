//! Memory of one GPU of a serving replica, term by term, and what follows from it: most requests, longest context.
//!
//! No time is estimated here.

use super::ServingModel;
use super::constants::Amount;
use super::kv;
use crate::estimate::{Layout, MemoryEstimate, MemoryTerms, Range, Verdict};
use crate::model::{Architecture, Origin};

/// Bytes of one activation value: engines keep the residual stream in 16 bit.
const ACTIVATION_BYTES: f64 = 2.0;
/// Bytes of one logit: the model's 16-bit output and the FP32 copy that sampling works on.
const LOGIT_BYTES: f64 = 6.0;
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
        let mut terms = self.resident(layout, concurrency, max_model_len);
        let request = f64::from(self.serving.input_len) + f64::from(self.serving.output_len);
        let all = f64::from(concurrency) * self.kv_per_gpu(layout, request);
        terms.kv_cache = all.max(self.kv_per_gpu(layout, f64::from(max_model_len)));
        self.with_range(layout, terms)
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

    /// All terms but the KV cache.
    pub(super) fn resident(&self, layout: &Layout, concurrency: u32, max_model_len: u32) -> MemoryTerms {
        let gpus = layout.tp * layout.pp;
        let tokens = self.tokens_in_pass(concurrency, max_model_len);
        let activations = self.constants.activation.expected
            * tokens
            * activation_values(self.arch, layout.tp)
            * ACTIVATION_BYTES;
        let logits = self.tokens_with_logits(concurrency) * f64::from(self.arch.vocab) * LOGIT_BYTES
            / f64::from(layout.tp);
        // The engine samples when the activations of a pass are gone.
        let sampling = self.sampling(f64::from(concurrency));
        MemoryTerms {
            weights: self.weights_per_gpu(layout),
            activations,
            logits: logits.max(sampling - activations),
            workspace: self.constants.workspace.expected,
            communication: if gpus > 1 { self.constants.communication.expected } else { 0.0 },
            framework: self.constants.framework.expected,
            ..MemoryTerms::default()
        }
    }

    /// Bytes of sampling from so many sequences on the first rank, which holds all logits: those that run in one pass.
    fn sampling(&self, sequences: f64) -> f64 {
        let c = &self.constants;
        c.sampler_bytes * sequences.min(c.max_batch) * f64::from(self.arch.vocab)
    }

    /// Weights of the fullest stage: its layers, and the larger of embedding and output matrix (both on a single stage).
    fn weights_per_gpu(&self, layout: &Layout) -> f64 {
        let shape = &self.shape;
        let layers = (shape.shared_bytes + shape.routed_bytes) * kv::stage_share(self.arch, layout.pp);
        let outer = if layout.pp <= 1 {
            shape.embedding_bytes + shape.head_bytes
        } else {
            shape.embedding_bytes.max(shape.head_bytes)
        };
        (layers + outer) / f64::from(layout.tp)
    }

    /// Prompt tokens that one pass works on: the engine's limit, or whole prompts where it does not cut them.
    fn tokens_in_pass(&self, concurrency: u32, max_model_len: u32) -> f64 {
        let (limit, whole_up_to) = (self.constants.batched_tokens, self.constants.whole_prompts);
        let whole = f64::from(max_model_len).max(f64::from(concurrency) * f64::from(self.serving.input_len));
        if limit > 0.0 {
            limit
        } else if whole_up_to > 0.0 {
            whole.min(whole_up_to)
        } else {
            whole
        }
    }

    /// Tokens whose logits one pass computes.
    fn tokens_with_logits(&self, concurrency: u32) -> f64 {
        let each =
            if self.constants.prompt_logits { f64::from(self.serving.input_len).max(1.0) } else { 1.0 };
        f64::from(concurrency) * each
    }

    /// Total and range: weights and a known KV cache are counted, not guessed; the rest has the catalog's ranges.
    fn with_range(&self, layout: &Layout, terms: MemoryTerms) -> MemoryEstimate {
        let c = &self.constants;
        let kv = if self.arch.origin == Origin::Inferred { Some(&c.inferred_kv) } else { None };
        let shift = |pick: fn(&Amount) -> f64| {
            let by = |amount: &Amount| pick(amount) - amount.expected;
            by(&c.framework)
                + by(&c.workspace)
                + if layout.tp * layout.pp > 1 { by(&c.communication) } else { 0.0 }
                + terms.activations * (pick(&c.activation) / c.activation.expected - 1.0)
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
        let mut terms = self.resident(layout, 1, tokens);
        terms.kv_cache = self.kv_per_gpu(layout, f64::from(tokens));
        self.with_range(layout, terms)
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
        let resident = self.resident(layout, 1, self.serving.max_model_len);
        let sampling = self.sampling(sequences);
        let terms = MemoryTerms {
            workspace: 0.0,
            activations: resident.activations.max(sampling),
            logits: if sampling > 0.0 { 0.0 } else { resident.logits },
            ..resident
        };
        let estimate = self.with_range(layout, terms);
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
        let terms = self.resident(layout, 1, self.serving.max_model_len);
        let outside = terms.framework + terms.workspace + terms.communication;
        let held = |bytes: f64| bytes + terms.weights;
        Range { low: held(pool.low), expected: held(pool.expected), high: held(pool.high) + outside }
    }
}

/// Values that one token of a pass keeps alive at the widest point of a layer: gate, up and their product, divided by
/// tensor parallelism, and one and a half residual streams (measured on vLLM: about 2 B · (3 · MLP + 1.5 · hidden)). Each
/// expert that a token visits has these, and an output of its own.
fn activation_values(arch: &Architecture, tp: u32) -> f64 {
    let hidden = f64::from(arch.hidden);
    let dense = 3.0 * f64::from(arch.ffn) / f64::from(tp);
    let experts = arch.moe.map_or(0.0, |moe| {
        let visited = f64::from(moe.experts_per_token) + moe.shared_experts;
        visited * (3.0 * f64::from(moe.expert_ffn) / f64::from(tp) + hidden)
    });
    dense.max(experts) + 1.5 * hidden
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
