//! Memory of the fullest GPU, term by term, linear in the micro-batch.
//!
//! States after Rajbhandari et al. 2020 (ZeRO), activations after Korthikanti et al. 2022, in-flight micro-batches
//! after Narayanan et al. 2021. Constants come from the catalog.

use super::TrainingModel;
use super::numeric;
use super::split::Split;
use crate::estimate::{MemoryEstimate, MemoryTerms, Range};
use crate::workload::{Method, Offload, Recompute, Sharding};

/// Memory of one pipeline stage: `fixed + micro_batch x per_sequence`, term by term, but no less than while the weights are
/// loaded or the optimizer steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageMemory {
    pub(super) fixed: MemoryTerms,
    pub(super) per_sequence: MemoryTerms,
    /// Bytes of one rank in the memory of the host, and for each sequence of a micro-batch.
    pub(super) host: f64,
    pub(super) host_per_sequence: f64,
    /// Bytes of whole weights while they are loaded, before they are shared out.
    pub(super) loading: Range,
    /// Bytes of temporary tensors while the optimizer steps, when activations and logits are gone.
    pub(super) step: f64,
}

/// Memory of a split at any micro-batch: that of the fuller end of the pipeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitMemory {
    first: StageMemory,
    last: Option<StageMemory>,
}

/// Which part of the model a stage holds besides its layers.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    Whole,
    First,
    Last,
}

impl StageMemory {
    /// The terms at a micro-batch, and what of their workspace the step or the loading adds to that of a pass.
    fn at(&self, micro_batch: f64) -> (MemoryTerms, f64) {
        let add = |fixed: f64, slope: f64| fixed + micro_batch * slope;
        let (f, s) = (&self.fixed, &self.per_sequence);
        let pass = micro_batch * (s.activations + s.logits + s.workspace);
        let step = (self.step - pass).max(0.0);
        let terms = MemoryTerms {
            weights: f.weights,
            gradients: f.gradients,
            optimizer: f.optimizer,
            master_weights: f.master_weights,
            activations: add(f.activations, s.activations),
            logits: add(f.logits, s.logits),
            kv_cache: 0.0,
            workspace: add(f.workspace, s.workspace) + step,
            communication: add(f.communication, s.communication),
            framework: add(f.framework, s.framework),
        };
        // Buffers and context are there while weights are loaded, too.
        let loading = self.loading.expected + f.workspace + f.communication + f.framework;
        let loading = if self.loading.expected > 0.0 { loading - terms.total() } else { 0.0 };
        let loading = loading.max(0.0);
        (MemoryTerms { workspace: terms.workspace + loading, ..terms }, step + loading)
    }
}

impl TrainingModel<'_> {
    /// Memory of a split, to be evaluated at micro-batches.
    pub(super) fn split_memory(&self, split: &Split, seq_len: f64) -> SplitMemory {
        if split.pp > 1.0 {
            SplitMemory {
                first: self.stage_memory(split, seq_len, Place::First),
                last: Some(self.stage_memory(split, seq_len, Place::Last)),
            }
        } else {
            SplitMemory { first: self.stage_memory(split, seq_len, Place::Whole), last: None }
        }
    }

    /// The estimate of the fuller stage at a micro-batch.
    pub(super) fn estimate_at(&self, memory: &SplitMemory, micro_batch: f64) -> MemoryEstimate {
        let at = |stage: &StageMemory| {
            let (terms, counted) = stage.at(micro_batch);
            let estimate = self.with_range(terms, counted);
            MemoryEstimate { high: estimate.high.max(stage.loading.high), ..estimate }
        };
        let first = at(&memory.first);
        let fuller = match memory.last.as_ref().map(at) {
            Some(last) if last.high > first.high => last,
            _ => first,
        };
        MemoryEstimate { host_ram: self.host_ram(memory, micro_batch), ..fuller }
    }

    /// Main memory of a node: what its ranks keep there, and the buffers that transfers need.
    fn host_ram(&self, memory: &SplitMemory, micro_batch: f64) -> f64 {
        let at = |stage: &StageMemory| stage.host + micro_batch * stage.host_per_sequence;
        let rank = at(&memory.first).max(memory.last.as_ref().map_or(0.0, at));
        let ranks = self.machine.gpus_per_node.min(self.total_gpus);
        rank * f64::from(ranks) * self.constants.memory.host_buffers
    }

    /// Adds the ends of the range: known states vary little but for the width of gradients, activations and libraries
    /// more. What the step or the loading adds is `counted` in parameters, as the states are.
    fn with_range(&self, terms: MemoryTerms, counted: f64) -> MemoryEstimate {
        let c = &self.constants.memory;
        let states = terms.weights + terms.gradients + terms.optimizer + terms.master_weights;
        let work = terms.activations + terms.logits + terms.workspace - counted;
        let other = terms.communication + terms.framework;
        let gradients = |bytes: f64| terms.gradients * (bytes / c.gradient_bytes.expected - 1.0);
        let sum = |gradient_bytes: f64, states_by: f64, work_by: f64, other_by: f64| {
            (states + counted + gradients(gradient_bytes)) * states_by + work * work_by + other * other_by
        };
        MemoryEstimate {
            terms,
            low: sum(c.gradient_bytes.low, c.states_spread.low, c.activations_spread.low, c.other_spread.low),
            high: sum(
                c.gradient_bytes.high,
                c.states_spread.high,
                c.activations_spread.high,
                c.other_spread.high,
            ),
            host_ram: 0.0,
        }
    }

    fn stage_memory(&self, split: &Split, seq_len: f64, place: Place) -> StageMemory {
        let states = self.states(split, place);
        let mut fixed = states.gpu;
        let c = &self.constants.memory;
        let mut per_sequence =
            MemoryTerms { communication: self.exchange_bytes(split, seq_len), ..MemoryTerms::default() };
        if place != Place::First && !self.fused_loss {
            let entries = seq_len / split.cp * self.shape.vocab / split.tp;
            per_sequence.logits = entries * c.logit_bytes;
            per_sequence.workspace = entries * c.loss_copy_bytes;
        }
        let loss = per_sequence.logits + per_sequence.workspace;
        per_sequence.activations = self.activation_bytes(split, seq_len, place, loss);
        fixed.workspace = c.workspace_bytes;
        fixed.communication = self.buffer_bytes(split, place);
        // The allocator cannot reuse every gap that tensors of changing sizes leave behind.
        fixed.framework = c.context_bytes + c.fragmentation * fixed.workspace;
        per_sequence.framework =
            c.fragmentation * (per_sequence.activations + per_sequence.logits + per_sequence.workspace);
        let loading = self.loading_bytes(split, fixed.weights);
        let host_per_sequence = self.host_inputs(split, seq_len);
        StageMemory { fixed, per_sequence, host: states.host, host_per_sequence, loading, step: states.step }
    }

    /// Whether the inputs of recomputed layers wait in the memory of the host (`--checkpoint-in-cpu` of `DeepSpeed`).
    fn host_keeps_inputs(&self, split: &Split) -> bool {
        self.constants.memory.host_checkpoints > 0.0
            && split.sharding == Sharding::Zero3
            && split.recompute == Recompute::Full
    }

    /// Bytes of such inputs of one sequence; tensor parallel ranks keep a part each (`--partition-activations`).
    fn host_inputs(&self, split: &Split, seq_len: f64) -> f64 {
        if !self.host_keeps_inputs(split) {
            return 0.0;
        }
        let element = numeric::element_bytes(self.precision);
        self.stage_layers(split) * seq_len / split.cp * self.shape.hidden * element / split.tp
    }

    /// Software that shares frozen weights out only once they are loaded holds them whole beside its shard until then.
    fn loading_bytes(&self, split: &Split, shard: f64) -> Range {
        let copies = self.constants.memory.loading_copies;
        if self.method == Method::Full || split.sharding != Sharding::Zero3 {
            return Range::default();
        }
        let at = |copies: f64| copies * (split.replicas() + 1.0) * shard;
        Range { low: at(copies.low), expected: at(copies.expected), high: at(copies.high) }
    }

    /// Bytes that one sequence keeps for the backward pass on a stage. With full recomputation each layer keeps its
    /// input, and the layers at work are whole (Chen et al. 2016); by then the loss is done with its logits. The first stage of a 1F1B pipeline holds `pp`
    /// micro-batches (Narayanan et al. 2021), the last one.
    fn activation_bytes(&self, split: &Split, seq_len: f64, place: Place, loss: f64) -> f64 {
        let c = &self.constants.memory;
        let element = numeric::element_bytes(self.precision);
        let layers = self.stage_layers(split);
        let in_flight = if place == Place::First { split.pp } else { 1.0 };
        let trained_share = match self.method {
            Method::Full => 1.0,
            Method::Lora => c.lora_share,
            Method::Qlora => c.qlora_share,
        };
        // Sequence parallelism (Korthikanti et al. 2022, section 4.2.2) splits what lies between the linear layers.
        let between = if c.sequence_parallel > 0.0 { split.tp } else { 1.0 };
        let tokens = seq_len / split.cp;
        let inputs = tokens * self.shape.hidden * element;
        let norms = c.norm_copies * tokens * self.shape.norm_width * element;
        let outer = (4.0 * inputs + norms) / between;
        let inner = tokens * (self.shape.kept_values - 4.0 * self.shape.hidden) * element / split.tp;
        let kernels = if self.shape.score_heads > 0.0 { c.eager_scale } else { 1.0 };
        let values = (outer + inner) * c.activation_scale * kernels;
        let pairs = tokens * seq_len * self.shape.score_heads / split.tp;
        let scores = pairs * c.eager_score_bytes * element / 2.0;
        // The backward pass of one layer makes gradients of its scores; by then the loss is done with its logits.
        let gradients = pairs * c.eager_work_bytes * element / 2.0;
        let beyond_loss = |at_work: f64| (at_work - loss).max(0.0);
        match split.recompute {
            Recompute::None => {
                in_flight * layers * (values * trained_share + scores) + beyond_loss(gradients)
            }
            Recompute::Selective => {
                in_flight * layers * values * trained_share * c.selective_share
                    + beyond_loss(scores + gradients)
            }
            Recompute::Full => {
                let at_work = c.recompute_layers.min(layers) * (values + scores) + gradients;
                let kept = if self.host_keeps_inputs(split) { 0.0 } else { inputs / between };
                in_flight * layers * kept + beyond_loss(at_work)
            }
        }
    }

    /// Buffers of what ranks exchange within a layer. Context parallel ranks pass keys, values and their gradients on
    /// (ring attention, Liu et al. 2023); expert parallel ones send each token to its experts and get as many back,
    /// with room for uneven routing (Lepikhin et al. 2020; Fedus et al. 2021).
    fn exchange_bytes(&self, split: &Split, seq_len: f64) -> f64 {
        let c = &self.constants.memory;
        let element = numeric::element_bytes(self.precision);
        let tokens = seq_len / split.cp / split.tp;
        let ring = if split.cp > 1.0 { c.ring_copies * self.shape.key_width } else { 0.0 };
        let routed = if split.ep > 1.0 {
            2.0 * self.shape.experts_per_token * self.shape.hidden * c.expert_capacity
        } else {
            0.0
        };
        tokens * (ring + routed) * element
    }

    /// Gather, reduce and library buffers: layers in flight for ZeRO 3 and offloaded weights, a bucket for the others.
    fn buffer_bytes(&self, split: &Split, place: Place) -> f64 {
        let c = &self.constants.memory;
        let element = numeric::element_bytes(self.precision);
        let held = self.held(split, place);
        let shared = split.replicas() > 1.0;
        let gathers = shared && split.sharding == Sharding::Zero3 || split.offloads(Offload::All);
        let sharing = if gathers {
            let body_bytes = if self.method == Method::Qlora { c.qlora_bytes } else { element };
            let layers = self.stage_layers(split);
            let body = held.dense + held.experts;
            if split.pp > 1.0 {
                // A stage uses its weights for every micro-batch in flight, and keeps them whole with their gradients.
                (body + held.embeddings) * c.pipeline_gathered_bytes
            } else {
                c.gather_units.min(layers) * body * body_bytes / layers + held.embeddings * element
            }
        } else if shared || split.offloads(Offload::Optimizer) {
            let trained = match self.method {
                Method::Full => held.dense + held.experts + held.embeddings,
                Method::Lora | Method::Qlora => self.shape.adapter_params,
            };
            c.bucket_bytes.min(trained * element)
        } else {
            0.0
        };
        sharing + if split.ranks() > 1.0 { c.collective_buffer_bytes } else { 0.0 }
    }
}
