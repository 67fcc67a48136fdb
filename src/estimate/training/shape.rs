//! What the formulas need of an architecture: parameters by place, bytes and FLOPs per token and layer.
//!
//! Derived from shapes alone; no GPU and no layout is known here.

use crate::model::{Architecture, Attention, Kind, Moe};
use crate::workload::{AttentionKernel, Method, Task, Training};

/// An architecture boiled down for training with one method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Layers, at least 1.
    pub(super) layers: f64,
    /// Attention heads: what tensor parallelism divides.
    pub(super) heads: u32,
    /// Width.
    pub(super) hidden: f64,
    /// Vocabulary entries that get a logit for each token; 0 where the job has no language-model head.
    pub(super) vocab: f64,
    /// Parameters of all layers, every expert included.
    pub(super) body_params: f64,
    /// Those of the routed experts among them.
    pub(super) expert_params: f64,
    /// Those of the routed experts that one token is multiplied with.
    pub(super) expert_flop_params: f64,
    /// Width of one expert.
    pub(super) expert_width: f64,
    /// Layers that are mixtures of experts.
    pub(super) moe_layers: f64,
    /// Routed experts that a token visits; 0 without any.
    pub(super) experts_per_token: f64,
    /// Parameters of one embedding matrix.
    pub(super) embedding_params: f64,
    /// Input and output embedding are one matrix.
    pub(super) tied: bool,
    /// Parameters of the layers that one token is multiplied with.
    pub(super) body_flop_params: f64,
    /// Trainable adapter parameters; 0 for full training.
    pub(super) adapter_params: f64,
    /// Inputs and outputs of the matrices of an average layer that have adapters; 0 for full training.
    pub(super) adapted_values: f64,
    /// Values that one token leaves for the backward pass in one layer, without attention scores.
    pub(super) kept_values: f64,
    /// Width of norms that software may compute in FP32: the root-mean-square norms that came with gated MLPs (Touvron et
    /// al. 2023, section 2.2); 0 for layer norms, which are one kernel everywhere.
    pub(super) norm_width: f64,
    /// Heads whose scores are materialised: 0 with a tiled attention kernel.
    pub(super) score_heads: f64,
    /// Width of all query heads.
    pub(super) attention_width: f64,
    /// Width of all keys, or of all values.
    pub(super) key_width: f64,
    /// Share of the sequence that a token attends to on average: 1/2 causal, 1 bidirectional.
    pub(super) attended_share: f64,
    /// Layers that attend to the whole sequence.
    pub(super) full_layers: f64,
    /// Layers that attend to a window, and its width.
    pub(super) window_layers: f64,
    /// Tokens in the window.
    pub(super) window: f64,
}

impl Shape {
    pub(super) fn new(model: &Architecture, training: &Training) -> Self {
        let hidden = f64::from(model.hidden);
        let embedding_params = f64::from(model.vocab) * hidden;
        let body = |all: f64| (all - model.embedding_params()).max(0.0);
        let attention_width = f64::from(model.heads) * f64::from(model.head_dim);
        let full_layers = f64::from(model.full_attention_layers());
        let has_head = model.kind != Kind::Encoder || training.task == Task::Train;
        Self {
            layers: f64::from(model.layers.max(1)),
            heads: model.heads.max(1),
            hidden,
            vocab: if has_head { f64::from(model.vocab) } else { 0.0 },
            body_params: body(model.params),
            expert_params: expert_params(model).min(body(model.params)),
            expert_flop_params: expert_flop_params(model).min(body(model.active_params)),
            expert_width: model.moe.map_or(0.0, |moe| f64::from(moe.expert_ffn)),
            moe_layers: f64::from(model.moe_layers()),
            experts_per_token: model.moe.map_or(0.0, |moe| f64::from(moe.experts_per_token)),
            embedding_params,
            tied: model.tied_embeddings,
            body_flop_params: model.body_flop_params(),
            adapter_params: match training.method {
                Method::Full => 0.0,
                Method::Lora | Method::Qlora => adapter_params(model, training.lora_rank),
            },
            adapted_values: match training.method {
                Method::Full => 0.0,
                Method::Lora | Method::Qlora => adapter_params(model, 1) / f64::from(model.layers.max(1)),
            },
            kept_values: kept_values(model),
            norm_width: if model.gated_mlp { hidden } else { 0.0 },
            score_heads: match training.attention {
                AttentionKernel::Flash => 0.0,
                AttentionKernel::Eager => f64::from(model.heads),
            },
            attention_width,
            key_width: key_width(model),
            attended_share: match model.kind {
                Kind::Decoder => 0.5,
                // The encoder sees both sides; a token of the decoder half of what came, and the whole input.
                Kind::Encoder | Kind::EncoderDecoder | Kind::Sample(_) => 1.0,
            },
            full_layers,
            window_layers: f64::from(model.layers) - full_layers,
            window: model.window.map_or(0.0, |window| f64::from(window.tokens)),
        }
    }

    /// Forward FLOPs of scores and weighted sums for one token, all layers: 2 FLOPs for each of two products over the
    /// attended tokens (Kaplan et al. 2020, table 1, with the causal half left out where it is skipped).
    pub(super) fn attention_flops_per_token(&self, seq_len: f64) -> f64 {
        let full = self.attended_share * seq_len;
        let windowed = full.min(self.window);
        4.0 * self.attention_width * (self.full_layers * full + self.window_layers * windowed)
    }
}

/// Parameters of all routed experts: the matrices of their MLPs.
fn expert_params(model: &Architecture) -> f64 {
    let matrices = if model.gated_mlp { 3.0 } else { 2.0 };
    model.moe.map_or(0.0, |moe| {
        let one = matrices * f64::from(model.hidden) * f64::from(moe.expert_ffn);
        f64::from(model.moe_layers()) * f64::from(moe.experts) * one
    })
}

/// Parameters of the routed experts that one token visits.
fn expert_flop_params(model: &Architecture) -> f64 {
    let share = |moe: Moe| f64::from(moe.experts_per_token) / f64::from(moe.experts.max(1));
    model.moe.map_or(0.0, |moe| expert_params(model) * share(moe))
}

/// Width of all keys, or of all values: multi-head latent attention is expanded for training.
fn key_width(model: &Architecture) -> f64 {
    let heads = match model.attention {
        Attention::Heads => model.kv_heads,
        Attention::Latent { .. } => model.heads,
    };
    f64::from(heads) * f64::from(model.head_dim)
}

/// Width of the MLP that one token passes through in an average layer, and of the dense MLP alone.
fn mlp_width(model: &Architecture) -> f64 {
    let layers = f64::from(model.layers.max(1));
    let moe_layers = f64::from(model.moe_layers());
    let dense = f64::from(model.ffn) * (layers - moe_layers);
    let routed = model.moe.map_or(0.0, |moe| {
        (f64::from(moe.experts_per_token) + moe.shared_experts) * f64::from(moe.expert_ffn) * moe_layers
    });
    (dense + routed) / layers
}

/// Values kept per token and layer: two norms with input and output (4h), query and attention output (2a), key and
/// value, and the MLP: gate, up, activated gate and product (4f), or input and output of the activation (2f).
/// Korthikanti et al. 2022, section 4.1, without dropout and with a tiled attention kernel; a routed token is copied
/// to and from each of its experts besides (2h each).
fn kept_values(model: &Architecture) -> f64 {
    let hidden = f64::from(model.hidden);
    let attention = f64::from(model.heads) * f64::from(model.head_dim);
    let mlp = mlp_width(model) * if model.gated_mlp { 4.0 } else { 2.0 };
    let moe_share = f64::from(model.moe_layers()) / f64::from(model.layers.max(1));
    let routed = model.moe.map_or(0.0, |moe| 2.0 * hidden * f64::from(moe.experts_per_token) * moe_share);
    4.0 * hidden + 2.0 * attention + 2.0 * key_width(model) + mlp + routed
}

/// Adapters of rank r on every linear layer of attention and of the dense MLPs: r (in + out) each (Hu et al. 2021;
/// on all linear layers as in Dettmers et al. 2023). Routed experts get none, as common tools do.
pub(super) fn adapter_params(model: &Architecture, rank: u32) -> f64 {
    let hidden = f64::from(model.hidden);
    let attention = f64::from(model.heads) * f64::from(model.head_dim);
    let layers = f64::from(model.layers);
    let dense_layers = layers - f64::from(model.moe_layers());
    let in_and_out = 2.0 * (hidden + attention) + 2.0 * (hidden + key_width(model));
    let mlp = if model.gated_mlp { 3.0 } else { 2.0 } * (hidden + f64::from(model.ffn));
    f64::from(rank) * (layers * in_and_out + dense_layers * mlp)
}
