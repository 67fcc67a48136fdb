//! Memory of the fullest GPU, term by term, linear in the micro-batch.
//!
//! States after Rajbhandari et al. 2020 (ZeRO), activations after Korthikanti et al. 2022, in-flight micro-batches
//! after Narayanan et al. 2021. Constants come from the catalog.

use super::TrainingModel;
use super::numeric;
use crate::estimate::{MemoryEstimate, MemoryTerms};
use crate::workload::{Method, Recompute, Sharding};

/// A layout without its batch: what decides over the memory of a sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    pub(super) dp: f64,
    pub(super) tp: f64,
    pub(super) pp: f64,
    pub(super) sharding: Sharding,
    pub(super) recompute: Recompute,
}

/// Memory of one pipeline stage: `fixed + micro_batch x per_sequence`, term by term.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageMemory {
    pub(super) fixed: MemoryTerms,
    pub(super) per_sequence: MemoryTerms,
}

/// Memory of a split at any micro-batch: that of the fuller end of the pipeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitMemory {
    first: StageMemory,
    last: Option<StageMemory>,
}

/// Which part of the model a stage holds besides its layers.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Whole,
    First,
    Last,
}

impl StageMemory {
    fn at(&self, micro_batch: f64) -> MemoryTerms {
        let add = |fixed: f64, slope: f64| fixed + micro_batch * slope;
        let (f, s) = (&self.fixed, &self.per_sequence);
        MemoryTerms {
            weights: f.weights,
            gradients: f.gradients,
            optimizer: f.optimizer,
            master_weights: f.master_weights,
            activations: add(f.activations, s.activations),
            logits: add(f.logits, s.logits),
            kv_cache: 0.0,
            workspace: add(f.workspace, s.workspace),
            communication: f.communication,
            framework: add(f.framework, s.framework),
        }
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
        let first = self.with_range(memory.first.at(micro_batch));
        match memory.last.map(|last| self.with_range(last.at(micro_batch))) {
            Some(last) if last.high > first.high => last,
            _ => first,
        }
    }

    /// Adds the ends of the range: known states vary little but for the width of gradients, activations and libraries
    /// more.
    fn with_range(&self, terms: MemoryTerms) -> MemoryEstimate {
        let c = &self.constants.memory;
        let states = terms.weights + terms.gradients + terms.optimizer + terms.master_weights;
        let work = terms.activations + terms.logits + terms.workspace;
        let other = terms.communication + terms.framework;
        let gradients = |bytes: f64| terms.gradients * (bytes / c.gradient_bytes.expected - 1.0);
        let sum = |gradient_bytes: f64, states_by: f64, work_by: f64, other_by: f64| {
            (states + gradients(gradient_bytes)) * states_by + work * work_by + other * other_by
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
        let mut fixed = self.states(split, place);
        let mut per_sequence = MemoryTerms {
            activations: self.activation_bytes(split, seq_len, place),
            ..MemoryTerms::default()
        };
        let c = &self.constants.memory;
        if place != Place::First && !self.fused_loss {
            let entries = seq_len * self.shape.vocab / split.tp;
            per_sequence.logits = entries * c.logit_bytes;
            per_sequence.workspace = entries * c.loss_copy_bytes;
        }
        fixed.workspace = c.workspace_bytes;
        fixed.communication = self.buffer_bytes(split, place);
        // The allocator cannot reuse every gap that tensors of changing sizes leave behind.
        fixed.framework = c.context_bytes + c.fragmentation * fixed.workspace;
        per_sequence.framework =
            c.fragmentation * (per_sequence.activations + per_sequence.logits + per_sequence.workspace);
        StageMemory { fixed, per_sequence }
    }

    /// Layers on the fullest stage.
    fn stage_layers(&self, split: &Split) -> f64 {
        (self.shape.layers / split.pp).ceil()
    }

    /// Parameters of one rank of a stage: layers, and embeddings.
    fn stage_params(&self, split: &Split, place: Place) -> (f64, f64) {
        let shape = &self.shape;
        let body = shape.body_params * self.stage_layers(split) / shape.layers;
        let matrices = if place == Place::Whole && !shape.tied { 2.0 } else { 1.0 };
        (body / split.tp, matrices * shape.embedding_params / split.tp)
    }

    /// Weights, gradients, optimizer and master weights. ZeRO 1 shares out optimizer and master weights between the
    /// data-parallel ranks, 2 the gradients as well, 3 the weights as well.
    fn states(&self, split: &Split, place: Place) -> MemoryTerms {
        let c = &self.constants.memory;
        let (body, embeddings) = self.stage_params(split, place);
        let element = numeric::element_bytes(self.precision);
        let narrow = if numeric::has_narrow_copy(self.precision) { c.fp8_copy_bytes } else { 0.0 };
        let shared_from = |stage: Sharding| if split.sharding >= stage { split.dp } else { 1.0 };
        let adapters = self.shape.adapter_params / (split.tp * split.pp);
        let (frozen, trained) = match self.method {
            Method::Full => (0.0, body + embeddings),
            Method::Lora => ((body + embeddings) * element, adapters),
            Method::Qlora => (body * c.qlora_bytes + embeddings * element, adapters),
        };
        let narrow_params = if self.method == Method::Qlora { 0.0 } else { body };
        MemoryTerms {
            weights: (frozen + trained * element + narrow_params * narrow) / shared_from(Sharding::Zero3),
            gradients: trained * c.gradient_bytes.expected / shared_from(Sharding::Zero2),
            optimizer: trained * c.optimizer_bytes / shared_from(Sharding::Zero1),
            master_weights: trained * c.master_bytes / shared_from(Sharding::Zero1),
            ..MemoryTerms::default()
        }
    }

    /// Bytes that one sequence keeps for the backward pass on a stage. With full recomputation each layer keeps its
    /// input, and the layers at work are whole (Chen et al. 2016). The first stage of a 1F1B pipeline holds `pp`
    /// micro-batches (Narayanan et al. 2021), the last one.
    fn activation_bytes(&self, split: &Split, seq_len: f64, place: Place) -> f64 {
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
        let inputs = seq_len * self.shape.hidden * element;
        let outer = 4.0 * inputs / between;
        let inner = seq_len * (self.shape.kept_values - 4.0 * self.shape.hidden) * element / split.tp;
        let values = (outer + inner) * c.activation_scale;
        let pairs = seq_len * seq_len * self.shape.score_heads / split.tp;
        let scores = pairs * c.eager_score_bytes * element / 2.0;
        match split.recompute {
            Recompute::None => in_flight * layers * (values * trained_share + scores),
            Recompute::Selective => in_flight * layers * values * trained_share * c.selective_share,
            Recompute::Full => {
                let at_work = c.recompute_layers.min(layers) * (values + scores);
                in_flight * layers * inputs / between + at_work
            }
        }
    }

    /// Gather, reduce and library buffers: layers in flight for ZeRO 3, a bucket for the others.
    fn buffer_bytes(&self, split: &Split, place: Place) -> f64 {
        let c = &self.constants.memory;
        let element = numeric::element_bytes(self.precision);
        let (body, embeddings) = self.stage_params(split, place);
        let sharing = if split.dp > 1.0 {
            if split.sharding == Sharding::Zero3 {
                let body_bytes = if self.method == Method::Qlora { c.qlora_bytes } else { element };
                let layers = self.stage_layers(split);
                c.gather_units.min(layers) * body * body_bytes / layers + embeddings * element
            } else {
                let trained =
                    if self.method == Method::Full { body + embeddings } else { self.shape.adapter_params };
                c.bucket_bytes.min(trained * element)
            }
        } else {
            0.0
        };
        let ranks = split.dp * split.tp * split.pp;
        sharing + if ranks > 1.0 { c.collective_buffer_bytes } else { 0.0 }
    }
}
