//! Heads, latent attention and windows of a `config.json`.

use super::class::Class;
use super::config::Config;
use crate::diag::InputError;
use crate::model::count::LatentWidths;
use crate::model::{Attention, Window};
use serde_json::Value;

/// What the attention of a layer looks like.
pub(super) struct Layer {
    pub(super) heads: u32,
    pub(super) kv_heads: u32,
    pub(super) head_dim: u32,
    pub(super) attention: Attention,
    pub(super) latent: Option<LatentWidths>,
    pub(super) kv_caveat: Option<String>,
}

/// Reads heads and their width; a width that the file declares wins over hidden / heads.
pub(super) fn heads(config: &Config<'_>, class: &Class, hidden: u32) -> Result<Layer, InputError> {
    let heads = config.need(&["num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads"])?;
    if let Some(kv_lora_rank) = config.number("kv_lora_rank")?.filter(|&rank| rank > 0) {
        return latent(config, heads, kv_lora_rank);
    }
    let head_dim = match config.first(&["head_dim", "kv_channels", "attention_head_dim"])? {
        Some(width) => width,
        None if heads > 0 && hidden.is_multiple_of(heads) => hidden / heads,
        None => return Err(config.missing(&["head_dim"])),
    };
    Ok(Layer {
        heads,
        kv_heads: kv_heads(config, class, heads)?,
        head_dim,
        attention: Attention::Heads,
        latent: None,
        kv_caveat: kv_caveat(config, head_dim)?,
    })
}

/// Multi-head latent attention: query and key have a part without and a part with position.
fn latent(config: &Config<'_>, heads: u32, kv_lora_rank: u32) -> Result<Layer, InputError> {
    let rope_dim = config.need(&["qk_rope_head_dim"])?;
    let nope_dim = config.need(&["qk_nope_head_dim"])?;
    let value_dim = config.first(&["v_head_dim"])?;
    let q_lora_rank = config.number("q_lora_rank")?.filter(|&rank| rank > 0);
    Ok(Layer {
        heads,
        kv_heads: heads,
        head_dim: nope_dim.saturating_add(rope_dim),
        attention: Attention::Latent { kv_lora_rank, rope_dim },
        latent: value_dim.map(|value_dim| LatentWidths { q_lora_rank, nope_dim, value_dim }),
        kv_caveat: None,
    })
}

fn kv_heads(config: &Config<'_>, class: &Class, heads: u32) -> Result<u32, InputError> {
    let new_falcon = config.flag("new_decoder_architecture")? == Some(true);
    if config.flag("multi_query")?.unwrap_or(class.multi_query) && !new_falcon {
        return Ok(1);
    }
    if config.flag("multi_query_attention")? == Some(true) {
        return config.need(&["multi_query_group_num"]);
    }
    if let Some(nested) = config.nested("attn_config") {
        if nested.text("attn_type") == Some("multiquery_attention") {
            return Ok(1);
        }
        if let Some(kv_heads) = nested.first(&["kv_n_heads"])? {
            return Ok(kv_heads);
        }
    }
    Ok(config.first(&["num_key_value_heads", "num_kv_heads", "n_head_kv"])?.unwrap_or(heads))
}

/// Keys of layers that keep keys and values of a shape of their own.
const OWN_SHAPES: [&str; 5] = [
    "global_head_dim",
    "num_global_key_value_heads",
    "swa_num_key_value_heads",
    "swa_head_dim",
    "num_kv_shared_layers",
];

/// Why keys and values do not follow the plain rule.
fn kv_caveat(config: &Config<'_>, head_dim: u32) -> Result<Option<String>, InputError> {
    if let Some(value_dim) = config.number("v_head_dim")?.filter(|&width| width > 0 && width != head_dim) {
        return Ok(Some(format!("keys are {head_dim} wide and values {value_dim}")));
    }
    for key in OWN_SHAPES {
        if config.own(key).is_some_and(|value| value.as_f64() != Some(0.0)) {
            return Ok(Some(format!("`{key}`: layers keep keys and values of different shapes")));
        }
    }
    Ok(None)
}

/// The window of the layers that are not full attention.
pub(super) fn window(
    config: &Config<'_>,
    class: &Class,
    layers: u32,
    notes: &mut Vec<String>,
) -> Result<Option<Window>, InputError> {
    let used = config.flag("use_sliding_window")?.unwrap_or(!class.window_off);
    let tokens =
        ["sliding_window", "sliding_window_size", "attention_chunk_size", "window_size", "local_attention"]
            .iter()
            .find_map(|key| config.own(key).and_then(Value::as_u64))
            .and_then(|tokens| u32::try_from(tokens).ok())
            .filter(|&tokens| tokens > 0);
    let Some(tokens) = tokens.filter(|_| used) else { return Ok(None) };
    let full = match full_layers(config, layers)? {
        Some(full) => full,
        None if class.global_every > 0 => layers / class.global_every,
        None => 0,
    };
    if full >= layers {
        return Ok(None);
    }
    let every = if full == 0 { Some(0) } else { (2..=layers).find(|&n| layers / n == full) };
    if every.is_none() {
        let windowed = layers - full;
        notes.push(format!(
            "{windowed} of {layers} layers have a window of {tokens}; all are counted as full attention"
        ));
    }
    Ok(every.map(|global_every| Window { tokens, global_every }))
}

/// Layers with full attention, where the file tells.
fn full_layers(config: &Config<'_>, layers: u32) -> Result<Option<u32>, InputError> {
    for key in ["layer_types", "attention_layers"] {
        if let Some(kinds) = config.texts(key) {
            let full =
                kinds.iter().filter(|kind| matches!(**kind, "full_attention" | "global" | "attention"));
            return Ok(Some(full.count() as u32));
        }
    }
    for key in ["sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers"] {
        if let Some(pattern) = config.text(key).filter(|pattern| !pattern.is_empty()) {
            // One letter a layer, `G` for a global one, repeated.
            let mut letters = pattern.bytes().cycle();
            let full = (0..layers.min(4096)).filter(|_| letters.next() == Some(b'G')).count();
            return Ok(Some(full as u32));
        }
        if let Some(every) = config.number(key)? {
            return Ok(Some(layers.checked_div(every).unwrap_or(0)));
        }
    }
    // Qwen2: windows begin behind the first `max_window_layers`.
    Ok(match config.flag("use_sliding_window")? {
        Some(true) => config.number("max_window_layers")?,
        _ => None,
    })
}
