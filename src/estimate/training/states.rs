//! Weights, gradients and optimizer states of one rank: on the GPU, and in the memory of the host.
//!
//! Sharding after Rajbhandari et al. 2020 (ZeRO), offloading after Ren et al. 2021 (`ZeRO-Offload`) and Rajbhandari et
//! al. 2021 (`ZeRO-Infinity`), experts after Lepikhin et al. 2020 (`GShard`). No activation is counted here.

use super::TrainingModel;
use super::memory::Place;
use super::numeric;
use super::split::Split;
use crate::estimate::MemoryTerms;
use crate::workload::{Method, Offload, Sharding};

/// Parameters of one rank of a stage, before ZeRO shares them out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// Attention, dense MLPs, shared experts, routers, norms.
    pub(super) dense: f64,
    /// Routed experts.
    pub(super) experts: f64,
    /// Embedding and output matrix.
    pub(super) embeddings: f64,
}

/// Bytes of the states of one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct States {
    /// On the GPU.
    pub(super) gpu: MemoryTerms,
    /// In the memory of the host.
    pub(super) host: f64,
    /// Of temporary tensors on the GPU while the optimizer steps.
    pub(super) step: f64,
}

/// Bytes a parameter of the four sorts of states, and how many ranks share each of them out.
struct Kind {
    frozen: f64,
    trained: f64,
    replicas: f64,
}

impl TrainingModel<'_> {
    /// Layers on the fullest stage.
    pub(super) fn stage_layers(&self, split: &Split) -> f64 {
        let even = self.shape.layers / split.pp;
        // As `ceil`, which is a call into a library where the instruction may be missing; this is asked a million times.
        let whole = even as u64 as f64;
        if whole < even { whole + 1.0 } else { whole }
    }

    /// Parameters of one rank of a stage: layers, and embeddings.
    pub(super) fn held(&self, split: &Split, place: Place) -> Held {
        let shape = &self.shape;
        let stage = self.stage_layers(split) / shape.layers;
        let matrices = if place == Place::Whole && !shape.tied { 2.0 } else { 1.0 };
        Held {
            dense: (shape.body_params - shape.expert_params) * stage / split.tp,
            experts: shape.expert_params * stage / split.expert_parts(),
            embeddings: matrices * shape.embedding_params / split.tp,
        }
    }

    /// Weights, gradients, optimizer and master weights. ZeRO 1 shares out optimizer and master weights between the
    /// ranks that hold the same weights, 2 the gradients as well, 3 the weights as well; experts have fewer such ranks.
    pub(super) fn states(&self, split: &Split, place: Place) -> States {
        let held = self.held(split, place);
        let c = &self.constants.memory;
        let element = numeric::element_bytes(self.precision);
        let adapters = self.shape.adapter_params / (split.tp * split.pp);
        let body_bytes = if self.method == Method::Qlora { c.qlora_bytes } else { element };
        let full = self.method == Method::Full;
        let narrow = if numeric::has_narrow_copy(self.precision) && self.method != Method::Qlora {
            c.fp8_copy_bytes
        } else {
            0.0
        };
        let kinds = [
            Kind {
                frozen: if full {
                    0.0
                } else {
                    held.dense * body_bytes + held.embeddings * element.max(c.frozen_embedding_bytes)
                },
                trained: if full { held.dense + held.embeddings } else { adapters },
                replicas: split.replicas(),
            },
            Kind {
                frozen: if full { 0.0 } else { held.experts * body_bytes },
                trained: if full { held.experts } else { 0.0 },
                replicas: split.expert_replicas(),
            },
        ];
        let narrow_params = [held.dense, held.experts];
        let mut all = MemoryTerms::default();
        let mut stepped = 0.0;
        for (kind, narrow_params) in kinds.iter().zip(narrow_params) {
            let shared_from = |stage: Sharding| if split.sharding >= stage { kind.replicas } else { 1.0 };
            let weights = kind.frozen + kind.trained * element + narrow_params * narrow;
            all.weights += weights / shared_from(Sharding::Zero3);
            all.gradients += kind.trained * c.gradient_bytes.expected / shared_from(Sharding::Zero2);
            let sharded = if split.sharding == Sharding::Ddp { 0.0 } else { c.sharded_state_bytes };
            let moments = c.optimizer_bytes + c.share_gradient_bytes + sharded;
            all.optimizer += kind.trained * moments / shared_from(Sharding::Zero1);
            all.master_weights += kind.trained * c.master_bytes / shared_from(Sharding::Zero1);
            stepped += kind.trained / shared_from(Sharding::Zero1);
        }
        let group = if split.sharding == Sharding::Zero3 { c.step_group } else { f64::INFINITY };
        let step = if split.offloads(Offload::Optimizer) { 0.0 } else { c.step_bytes * stepped.min(group) };
        let paged = if c.paged { std::mem::take(&mut all.optimizer) } else { 0.0 };
        let states = offloaded(all, split.offload);
        States { step, host: states.host + paged, ..states }
    }
}

/// Moves what is offloaded to the host: gradients, moments and master weights, where the host does the step, or the
/// weights too.
fn offloaded(all: MemoryTerms, offload: Offload) -> States {
    let mut gpu = all;
    let mut host = 0.0;
    if offload >= Offload::Optimizer {
        host += gpu.gradients + gpu.optimizer + gpu.master_weights;
        (gpu.gradients, gpu.optimizer, gpu.master_weights) = (0.0, 0.0, 0.0);
    }
    if offload >= Offload::All {
        host += gpu.weights;
        gpu.weights = 0.0;
    }
    States { gpu, host, step: 0.0 }
}
