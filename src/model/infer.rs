//! A plausible shape for a bare parameter count: a guess that is flagged, never a fact.
//!
//! The rule follows the dense decoders of the preset table (150 shapes of 14M to 530B, as of 2026-08):
//! - layers by width: the medians of the table at its common widths, interpolated in logarithms (`LAYERS_BY_WIDTH`);
//! - heads 128 wide and 8 KV heads from a width of 1,024 (64 and 32 wide and none shared below): public networks since
//!   2024 share at 1B too (Llama 3.2 1B and 3B, Qwen3 0.6B and 1.7B), and a larger one must not keep fewer keys;
//! - gated MLP of 8/3 of the width without shared KV heads, 13/4 with them, then widened until the count is met;
//! - 25 tokens of vocabulary per unit of width up to 128,000, untied.
//!
//! Layers and width only grow with the count; the MLP takes up what is left, so that the counted parameters match.

use super::count::{Details, count};
use super::{Architecture, Attention, Kind, Moe, Origin};
use crate::diag::InputError;
use crate::units::Count;

/// Median layers of the preset table at its common widths.
const LAYERS_BY_WIDTH: [(f64, f64); 7] = [
    (128.0, 6.0),
    (768.0, 12.0),
    (2048.0, 24.0),
    (4096.0, 32.0),
    (5120.0, 40.0),
    (8192.0, 80.0),
    (16384.0, 126.0),
];

/// Width from which query heads share KV heads: what is below it keeps no more keys and values than what is above.
const SHARED_FROM: u32 = 1024;
/// KV heads from there on.
const SHARED_KV_HEADS: u32 = 8;

/// Counts that a shape can be inferred for.
const LIMITS: std::ops::RangeInclusive<f64> = 1e6..=1e14;

/// The rule of [`vocab`], for assumptions.
pub const VOCAB_RULE: &str = "25 tokens per unit of width up to 128,000, the median of the preset table";

/// Vocabulary of a decoder of this width, when nobody says.
pub fn vocab(hidden: u32) -> u32 {
    hidden.saturating_mul(25).min(128_000)
}

/// A dense decoder of `params` parameters.
pub fn dense(params: f64) -> Result<Architecture, InputError> {
    check_size(params)?;
    let (layers, hidden) = skeleton(params);
    let mut arch = shape(layers, hidden);
    let narrow = Architecture { ffn: 0, ..arch.clone() };
    let without = count(&narrow, &Details::default()).total;
    let per_unit = 3.0 * f64::from(hidden) * f64::from(layers);
    arch.ffn = to_step((params - without) / per_unit, (hidden / 32).next_power_of_two().clamp(8, 256));
    Ok(Architecture { params, active_params: params, name: name(params), ..arch })
}

/// A mixture of experts of `params` parameters of which a token uses `active`: the skeleton of a dense decoder of
/// `active` parameters, with the fewest experts (a power of two from 8) of which a whole number per token comes within
/// 5 % of the ratio asked.
pub fn mixture(params: f64, active: f64) -> Result<Architecture, InputError> {
    check_size(params)?;
    check_size(active)?;
    if active * 1.1 > params {
        return Err(InputError::new(
            format!(
                "--active-params {} is not well below --params {}",
                Count(active as u64),
                Count(params as u64)
            ),
            "leave `--active-params` out for a dense model",
        ));
    }
    let (layers, hidden) = skeleton(active);
    let arch = Architecture { ffn: 0, ..shape(layers, hidden) };
    let without = count(&arch, &Details::default()).total;
    let ratio = (params - without) / (active - without);
    let (experts, experts_per_token) = experts_for(ratio);
    let per_unit = 3.0 * f64::from(hidden) * f64::from(layers) * f64::from(experts);
    let router = f64::from(layers) * f64::from(hidden) * f64::from(experts);
    let width = (params - without - router) / per_unit;
    let expert_ffn = to_step(width, if width >= 1024.0 { 8 } else { 1 });
    let moe =
        Moe { experts, experts_per_token, expert_ffn, shared_experts: 0.0, dense_first_layers: 0, every: 1 };
    let name = format!("{}-a{}", name(params), Count(active as u64).rounded());
    Ok(Architecture { params, active_params: active, name, moe: Some(moe), ..arch })
}

fn check_size(params: f64) -> Result<(), InputError> {
    if LIMITS.contains(&params) {
        return Ok(());
    }
    Err(InputError::new(
        format!("no shape can be inferred for {} parameters: the range is 1M to 100T", Count(params as u64)),
        "give the shape by hand with `--layers`, `--hidden` and their companions",
    ))
}

fn name(params: f64) -> String {
    format!("inferred-{}", Count(params as u64).rounded())
}

/// Layers and width: the last step, on a path on which both only grow, whose narrowest network is not above `params`.
fn skeleton(params: f64) -> (u32, u32) {
    let (mut layers, mut hidden) = (2, 64);
    loop {
        let wider = hidden + width_step(hidden);
        let step = layer_step(hidden);
        let next = if layers + step <= target_layers(wider) {
            ((layers / step + 1) * step, hidden)
        } else {
            (layers, wider)
        };
        if count(&shape(next.0, next.1), &Details::default()).total > params {
            return (layers, hidden);
        }
        (layers, hidden) = next;
    }
}

fn width_step(hidden: u32) -> u32 {
    match hidden {
        0..512 => 32,
        512..1536 => 64,
        _ => 256,
    }
}

/// Deep networks keep a number of layers that pipeline stages divide.
fn layer_step(hidden: u32) -> u32 {
    match hidden {
        0..512 => 1,
        512..3072 => 2,
        _ => 4,
    }
}

fn target_layers(hidden: u32) -> u32 {
    let width = f64::from(hidden);
    let last = LAYERS_BY_WIDTH.len() - 2;
    let at = LAYERS_BY_WIDTH[1..].iter().position(|&(w, _)| width <= w).unwrap_or(last);
    let ((w0, l0), (w1, l1)) = (LAYERS_BY_WIDTH[at], LAYERS_BY_WIDTH[at + 1]);
    let share = (width / w0).ln() / (w1 / w0).ln();
    (l0 * (l1 / l0).powf(share)).round() as u32
}

/// The narrowest network of this depth and width.
fn shape(layers: u32, hidden: u32) -> Architecture {
    let (head_dim, together) = match hidden {
        0..512 => (32, 2),
        512..SHARED_FROM => (64, 4),
        _ => (128, SHARED_KV_HEADS),
    };
    let shares = hidden >= SHARED_FROM;
    let units = hidden / head_dim;
    // Below a width of 2,048 a second query head for each KV head wants more width than the network has (Qwen3-0.6B).
    let heads =
        if shares && hidden < 2048 { units.next_multiple_of(together) } else { units / together * together };
    Architecture {
        name: String::new(),
        origin: Origin::Inferred,
        kind: Kind::Decoder,
        params: 0.0,
        active_params: 0.0,
        layers,
        hidden,
        heads,
        kv_heads: if shares { SHARED_KV_HEADS } else { heads },
        head_dim,
        ffn: if shares { hidden * 13 / 4 } else { hidden * 8 / 3 },
        gated_mlp: true,
        vocab: vocab(hidden),
        tied_embeddings: false,
        native_context: None,
        attention: Attention::Heads,
        window: None,
        moe: None,
        kv_caveat: None,
        source: "inferred from the parameter count by the medians of the preset table".to_owned(),
    }
}

fn experts_for(ratio: f64) -> (u32, u32) {
    let mut best = (8, 1, f64::INFINITY);
    for power in 3..=10 {
        let experts = 1_u32 << power;
        let per_token = (f64::from(experts) / ratio).round().clamp(1.0, f64::from(experts - 1));
        let error = (per_token * ratio / f64::from(experts) - 1.0).abs();
        if error <= 0.05 && per_token >= 2.0 {
            return (experts, per_token as u32);
        }
        if error < best.2 {
            best = (experts, per_token as u32, error);
        }
    }
    (best.0, best.1)
}

fn to_step(width: f64, step: u32) -> u32 {
    ((width / f64::from(step)).round().max(1.0) as u32) * step
}
