//! Size of the KV cache: what a sequence of a given length leaves behind, by attention kind and allocation rule.
//!
//! The size is a function of the length, not a size per token times the length: layers with a window stop growing.
//! Only the architecture is known here, no machine and no engine.

use crate::model::{Architecture, Attention, Window};
use crate::workload::KvRule;

/// Bytes that the first token of a sequence leaves in all layers. Lengths are never judged by multiples of this: layers
/// with a window stop growing, see [`bytes_at`].
pub fn bytes_per_token(arch: &Architecture, kv_bytes: f64, rule: KvRule) -> f64 {
    bytes_at(arch, 1.0, kv_bytes, rule)
}

/// Bytes of one sequence of `tokens` tokens over all layers, before any division between GPUs.
///
/// A full-attention layer keeps every token: 2 · KV heads · head size values of `kv_bytes` each (Shazeer 2019; Ainslie et
/// al. 2023), or one latent and one rotary key for MLA (DeepSeek-V2, 2024). A layer with a window keeps at most the window
/// under [`KvRule::Windowed`], everything under the other rules; a linear-attention layer (window 0) nothing.
pub fn bytes_at(arch: &Architecture, tokens: f64, kv_bytes: f64, rule: KvRule) -> f64 {
    let (full, windowed, window) = layers(arch);
    let kept = match rule {
        KvRule::Windowed => tokens.min(window),
        KvRule::FullPages | KvRule::Expanded => {
            if window > 0.0 {
                tokens
            } else {
                0.0
            }
        }
    };
    values_per_layer(arch, rule) * kv_bytes * (full * tokens + windowed * kept)
}

/// Bytes of one sequence on the fullest GPU of a replica of `tp` × `pp` GPUs.
///
/// Tensor parallelism divides by the smaller of `tp` and the KV heads (more ranks than heads hold copies), pipeline stages
/// by layers. The latent of MLA has no heads to divide: each tensor-parallel rank keeps it whole.
pub fn bytes_at_per_gpu(
    arch: &Architecture,
    tokens: f64,
    kv_bytes: f64,
    rule: KvRule,
    tp: u32,
    pp: u32,
) -> f64 {
    bytes_at(arch, tokens, kv_bytes, rule) * stage_share(arch, pp) / divisor(arch, rule, tp)
}

/// The formula of [`bytes_at`] with its numbers put in; the product equals the bytes.
pub fn formula(arch: &Architecture, tokens: f64, kv_bytes: f64, rule: KvRule) -> String {
    let (full, windowed, window) = layers(arch);
    let values = match (arch.attention, rule) {
        (Attention::Heads, _) => format!("2 * {} KV heads * {} head size", arch.kv_heads, arch.head_dim),
        (Attention::Latent { rope_dim, .. }, KvRule::Expanded) => {
            let value_dim = arch.head_dim.saturating_sub(rope_dim);
            format!("{} heads * ({} key + {value_dim} value)", arch.heads, arch.head_dim)
        }
        (Attention::Latent { kv_lora_rank, rope_dim }, _) => {
            format!("({kv_lora_rank} latent + {rope_dim} rotary)")
        }
    };
    let kept = match rule {
        KvRule::Windowed => tokens.min(window),
        KvRule::FullPages | KvRule::Expanded => tokens,
    };
    let lengths = if windowed == 0.0 {
        format!("{full} layers * {tokens} tokens")
    } else if window == 0.0 {
        format!("{full} layers with a KV cache * {tokens} tokens")
    } else {
        format!("({full} layers * {tokens} tokens + {windowed} layers with a window * {kept} tokens)")
    };
    format!("{values} * {kv_bytes} bytes * {lengths} = {} bytes", bytes_at(arch, tokens, kv_bytes, rule))
}

/// By how much tensor parallelism divides the cache of one sequence.
pub(super) fn divisor(arch: &Architecture, rule: KvRule, tp: u32) -> f64 {
    let copies_from = match (arch.attention, rule) {
        (Attention::Heads, _) => arch.kv_heads,
        (Attention::Latent { .. }, KvRule::Expanded) => arch.heads,
        (Attention::Latent { .. }, _) => 1,
    };
    f64::from(tp.min(copies_from).max(1))
}

/// Share of the layers that the fullest of `pp` stages holds.
pub(super) fn stage_share(arch: &Architecture, pp: u32) -> f64 {
    f64::from(arch.layers.div_ceil(pp.max(1))) / f64::from(arch.layers.max(1))
}

/// Layers with full attention, layers with a window, and that window in tokens.
fn layers(arch: &Architecture) -> (f64, f64, f64) {
    let full = arch.full_attention_layers();
    let Window { tokens, .. } = arch.window.unwrap_or(Window { tokens: 0, global_every: 1 });
    (f64::from(full), f64::from(arch.layers.saturating_sub(full)), f64::from(tokens))
}

/// Values that one token leaves in one layer.
fn values_per_layer(arch: &Architecture, rule: KvRule) -> f64 {
    match (arch.attention, rule) {
        (Attention::Latent { rope_dim, .. }, KvRule::Expanded) => {
            // Keys are as wide as queries; values lack the rotary part (DeepSeek-V2, section 2.1).
            f64::from(arch.heads) * f64::from(2 * arch.head_dim - rope_dim.min(arch.head_dim))
        }
        _ => f64::from(arch.kv_values_per_layer()),
    }
}
