//! Weights in bytes and work in FLOPs of one network, split by how serving treats them.
//!
//! Counts follow from the architecture and the quantisation; no machine and no engine is known here.

use crate::model::{Architecture, Attention};
use crate::workload::precision::Quantization;

/// Bits of embeddings and output matrix when the format leaves them alone.
const PLAIN_BITS: f64 = 16.0;

/// Sizes of the parts of a network, in bytes as stored and FLOPs per token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// Input embedding; also the output matrix where they are shared.
    pub(super) embedding_bytes: f64,
    /// Output matrix, 0 where it is the input embedding.
    pub(super) head_bytes: f64,
    /// Everything in the layers that every token passes through.
    pub(super) shared_bytes: f64,
    /// Queries, keys and values of all layers.
    pub(super) joined_bytes: f64,
    /// Routed experts of all layers.
    pub(super) routed_bytes: f64,
    /// Share of the routed experts that one token passes through.
    pub(super) routed_share: f64,
    /// FLOPs of the layers' matrices for one token: 2 for each active parameter (Kaplan et al. 2020, section 2.1).
    pub(super) layer_flops: f64,
    /// FLOPs of the output matrix for one token.
    pub(super) head_flops: f64,
}

impl Shape {
    /// Splits `arch` as stored in `quantization`; `attention_bits` where the attention matrices keep another format.
    pub(super) fn new(arch: &Architecture, quantization: &Quantization, attention_bits: Option<f64>) -> Self {
        let matrix = f64::from(arch.vocab) * f64::from(arch.hidden);
        let head = if arch.tied_embeddings { 0.0 } else { matrix };
        let linear = (arch.params - arch.embedding_params()).max(0.0);
        let active = (arch.active_params - arch.embedding_params()).clamp(0.0, linear);
        let (routed, routed_share) = routed(arch, linear, active);
        let attention = attention_params(arch).min(linear - routed);
        let outer_bits = if quantization.embeddings_too { quantization.bits } else { PLAIN_BITS };
        let attention_bits = attention_bits.unwrap_or(quantization.bits);
        Self {
            embedding_bytes: matrix * outer_bits / 8.0,
            head_bytes: head * outer_bits / 8.0,
            shared_bytes: ((linear - routed - attention) * quantization.bits + attention * attention_bits)
                / 8.0,
            joined_bytes: joined_params(arch).min(linear) * quantization.bits / 8.0,
            routed_bytes: routed * quantization.bits / 8.0,
            routed_share,
            layer_flops: 2.0 * active,
            head_flops: 2.0 * matrix,
        }
    }

    /// All weights in bytes.
    pub(super) fn total_bytes(&self) -> f64 {
        self.embedding_bytes + self.head_bytes + self.shared_bytes + self.routed_bytes
    }

    /// Share of the routed experts that a pass over `tokens` tokens reads: 1 − (1 − k/E)^tokens with even routing.
    pub(super) fn routed_share_read(&self, tokens: f64) -> f64 {
        1.0 - (1.0 - self.routed_share).powf(tokens)
    }

    /// Bytes of the output matrix, whichever matrix that is.
    pub(super) fn output_bytes(&self) -> f64 {
        if self.head_bytes > 0.0 { self.head_bytes } else { self.embedding_bytes }
    }
}

/// Routed parameters, and the share of them that one token passes through.
fn routed(arch: &Architecture, linear: f64, active: f64) -> (f64, f64) {
    match arch.moe {
        Some(moe) if moe.experts > 0 => {
            let matrices = if arch.gated_mlp { 3.0 } else { 2.0 };
            let expert = matrices * f64::from(arch.hidden) * f64::from(moe.expert_ffn);
            let all = f64::from(arch.moe_layers()) * f64::from(moe.experts) * expert;
            (all.min(linear), f64::from(moe.experts_per_token.min(moe.experts)) / f64::from(moe.experts))
        }
        // A sparse network of which only the counts are known: all of it counts as routed.
        _ if active < linear * 0.99 => (linear, active / linear),
        _ => (0.0, 0.0),
    }
}

/// Parameters of the queries, keys and values of all layers; 0 for latent attention, whose matrices are not joined.
fn joined_params(arch: &Architecture) -> f64 {
    match arch.attention {
        Attention::Heads => {
            let width = f64::from(arch.heads + 2 * arch.kv_heads) * f64::from(arch.head_dim);
            f64::from(arch.layers) * f64::from(arch.hidden) * width
        }
        Attention::Latent { .. } => 0.0,
    }
}

/// Parameters of the attention matrices of all layers: queries and outputs, keys and values. For MLA the projections to
/// and from the latents are left to the rest of the layer.
fn attention_params(arch: &Architecture) -> f64 {
    match arch.attention {
        Attention::Heads => {
            let width = f64::from(2 * (arch.heads + arch.kv_heads)) * f64::from(arch.head_dim);
            f64::from(arch.layers) * f64::from(arch.hidden) * width
        }
        Attention::Latent { .. } => 0.0,
    }
}

/// FLOPs of attention itself for one new token that looks back at `context` tokens, over all layers.
///
/// 2 FLOPs for each value of queries times keys and of their product with the values: 4 · heads · head size · tokens seen (Korthikanti et al. 2022,
/// appendix A). MLA decodes in the latent space: queries meet the latent and the rotary key, values are the latent.
pub(super) fn decode_attention_flops(arch: &Architecture, context: f64) -> f64 {
    let per_token_seen = match arch.attention {
        Attention::Heads => 4.0 * f64::from(arch.heads) * f64::from(arch.head_dim),
        Attention::Latent { kv_lora_rank, rope_dim } => {
            2.0 * f64::from(arch.heads) * f64::from(2 * kv_lora_rank + rope_dim)
        }
    };
    per_token_seen * tokens_seen(arch, context, |window| context.min(window))
}

/// FLOPs of causal attention over a prompt of `tokens` tokens, over all layers: half of the full square.
pub(super) fn prefill_attention_flops(arch: &Architecture, tokens: f64) -> f64 {
    4.0 * f64::from(arch.head_dim) * prefill_scores(arch, tokens)
}

/// Scores of causal attention over a prompt of `tokens` tokens, over all heads and layers.
pub(super) fn prefill_scores(arch: &Architecture, tokens: f64) -> f64 {
    let full = tokens * tokens / 2.0;
    // Of a window w the i-th token sees min(i, w).
    f64::from(arch.heads)
        * (f64::from(arch.full_attention_layers()) * full
            + windowed_layers(arch)
                * windowed(arch, |w| if tokens <= w { full } else { w * tokens - w * w / 2.0 }))
}

fn tokens_seen(arch: &Architecture, context: f64, inside: impl Fn(f64) -> f64) -> f64 {
    f64::from(arch.full_attention_layers()) * context + windowed_layers(arch) * windowed(arch, inside)
}

fn windowed_layers(arch: &Architecture) -> f64 {
    f64::from(arch.layers.saturating_sub(arch.full_attention_layers()))
}

fn windowed(arch: &Architecture, inside: impl Fn(f64) -> f64) -> f64 {
    arch.window.map_or(0.0, |window| inside(f64::from(window.tokens)))
}
