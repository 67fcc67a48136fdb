//! Parameters counted from a shape: embeddings, attention, MLP, experts, norms and biases.
//!
//! Used where no published count exists (shapes by hand, `config.json`) and to infer a shape from a count.

use super::{Architecture, Attention};

/// What a count needs beyond the [`Architecture`]; the default is a bias-free network with RMS norms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Details {
    /// Rows of a learned position table; 0 for rotary or `ALiBi` positions.
    pub positions: u32,
    /// Which matrices have a bias.
    pub bias: Bias,
    /// Norms with a bias as well as a scale (`LayerNorm`).
    pub norm_bias: bool,
    /// Widths of multi-head latent attention that its KV cache does not show.
    pub latent: Option<LatentWidths>,
}

/// Which matrices of a layer have a bias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bias {
    /// None.
    #[default]
    Absent,
    /// Query, key and value.
    Qkv,
    /// The MLP.
    Mlp,
    /// All of attention and MLP.
    All,
}

/// Widths of multi-head latent attention (DeepSeek-V2, 2024, section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatentWidths {
    /// Rank of the query compression; `None` for a plain query matrix.
    pub q_lora_rank: Option<u32>,
    /// Width of a head without its rotary part.
    pub nope_dim: u32,
    /// Width of a value head.
    pub value_dim: u32,
}

/// A parameter count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counted {
    /// All parameters.
    pub total: f64,
    /// Parameters that one token passes through, embeddings included.
    pub active: f64,
}

/// Counts the parameters of a shape; `params` and `active_params` of the architecture are not read.
pub fn count(arch: &Architecture, details: &Details) -> Counted {
    let hidden = f64::from(arch.hidden);
    let layers = f64::from(arch.layers);
    let norm = hidden * if details.norm_bias { 2.0 } else { 1.0 };
    let around = arch.embedding_params() + f64::from(details.positions) * hidden + norm;
    let every_layer = attention(arch, details) + 2.0 * norm;
    let moe_layers = f64::from(arch.moe_layers());
    let dense = mlp(arch, details, f64::from(arch.ffn)) * (layers - moe_layers);
    let (mut all, mut active) = (0.0, 0.0);
    if let Some(moe) = arch.moe {
        let expert = mlp(arch, details, f64::from(moe.expert_ffn));
        let fixed = hidden * f64::from(moe.experts) + expert * moe.shared_experts;
        all = fixed + expert * f64::from(moe.experts);
        active = fixed + expert * f64::from(moe.experts_per_token);
    }
    let common = around + layers * every_layer + dense;
    Counted { total: common + moe_layers * all, active: common + moe_layers * active }
}

/// Attention of one layer: query, key, value and output matrices.
fn attention(arch: &Architecture, details: &Details) -> f64 {
    let hidden = f64::from(arch.hidden);
    let heads = f64::from(arch.heads);
    if let Attention::Latent { kv_lora_rank, rope_dim } = arch.attention {
        return latent_attention(arch, details, f64::from(kv_lora_rank), f64::from(rope_dim));
    }
    let query = heads * f64::from(arch.head_dim);
    let key_value = 2.0 * f64::from(arch.kv_heads) * f64::from(arch.head_dim);
    let bias = match details.bias {
        Bias::Absent | Bias::Mlp => 0.0,
        Bias::Qkv => query + key_value,
        Bias::All => query + key_value + hidden,
    };
    hidden * (query + key_value) + query * hidden + bias
}

fn latent_attention(arch: &Architecture, details: &Details, rank: f64, rope: f64) -> f64 {
    let hidden = f64::from(arch.hidden);
    let heads = f64::from(arch.heads);
    let query_dim = f64::from(arch.head_dim);
    // Without the widths: values as wide as the part of the key that carries no position, as in DeepSeek-V2.
    let fallback = arch.head_dim.saturating_sub(rope as u32);
    let widths =
        details.latent.unwrap_or(LatentWidths { q_lora_rank: None, nope_dim: fallback, value_dim: fallback });
    let query = match widths.q_lora_rank.map(f64::from) {
        Some(q_rank) => hidden * q_rank + q_rank + q_rank * heads * query_dim,
        None => hidden * heads * query_dim,
    };
    let (nope, value) = (f64::from(widths.nope_dim), f64::from(widths.value_dim));
    let down = hidden * (rank + rope) + rank;
    query + down + rank * heads * (nope + value) + heads * value * hidden
}

/// One MLP of width `ffn`.
fn mlp(arch: &Architecture, details: &Details, ffn: f64) -> f64 {
    let hidden = f64::from(arch.hidden);
    let into = if arch.gated_mlp { 2.0 } else { 1.0 };
    let bias = if matches!(details.bias, Bias::Mlp | Bias::All) { into * ffn + hidden } else { 0.0 };
    hidden * ffn * (into + 1.0) + if ffn > 0.0 { bias } else { 0.0 }
}
