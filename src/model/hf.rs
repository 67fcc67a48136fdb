//! From the text of a Hugging Face `config.json` to an [`Architecture`]: pure, and safe on any text.
//!
//! Keys are read by what they mean, so that unknown model types with the usual keys work; what an architecture class
//! leaves unsaid is in `class`. What the planner cannot model (state-space layers, encoder-decoders) is refused.

mod attention;
mod class;
mod config;
mod experts;
mod vision;

use super::count::{Details, count};
use super::{Architecture, Attention, Kind, Origin, Reading};
use crate::diag::InputError;
use class::Class;
use config::Config;
use serde_json::{Map, Value};

/// Largest text that is read: real files are below 100 KB.
pub const MAX_BYTES: usize = 4 << 20;

/// Where a composite model keeps its language model.
const NESTED: [&str; 4] = ["text_config", "llm_config", "language_config", "thinker_config"];

/// Names of the context length.
const CONTEXT: [&str; 7] = [
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "n_ctx",
    "max_sequence_length",
    "model_max_length",
];

/// Reads a `config.json`. `name` is the path as given, for messages and as the model's name.
pub fn parse(name: &str, text: &str) -> Result<Reading, InputError> {
    if text.len() > MAX_BYTES {
        let message = format!("`{name}` has {} bytes, too many for a `config.json`", text.len());
        return Err(InputError::new(message, "give the `config.json` of the model, not its weights"));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
        InputError::new(format!("`{name}` is not JSON: {error}"), "give the `config.json` of a model")
    })?;
    let Value::Object(outer) = value else {
        return Err(InputError::new(
            format!("`{name}` holds no JSON object"),
            "give the `config.json` of a model",
        ));
    };
    of_object(name, &outer)
}

/// The same from an object that is read already.
pub(super) fn of_object(name: &str, outer: &Map<String, Value>) -> Result<Reading, InputError> {
    let (inner, path) = language_model(outer);
    let config = Config::new(name, inner, outer, path);
    read(&config)
}

/// What the weights of a configuration are stored in.
pub(super) fn checkpoint_name(outer: &Map<String, Value>) -> Option<String> {
    let (inner, path) = language_model(outer);
    checkpoint(&Config::new("", inner, outer, path))
}

/// The object that describes the language model, with its path.
fn language_model(outer: &Map<String, Value>) -> (&Map<String, Value>, String) {
    let (mut inner, mut path) = (outer, String::new());
    for _ in 0..3 {
        let Some((key, next)) =
            NESTED.iter().find_map(|&key| inner.get(key).and_then(Value::as_object).map(|next| (key, next)))
        else {
            break;
        };
        inner = next;
        path = format!("{path}{key}.");
    }
    (inner, path)
}

fn read(config: &Config<'_>) -> Result<Reading, InputError> {
    let mut notes = Vec::new();
    let class = class::find(config, &mut notes)?;
    class::refuse_hybrids(config)?;
    let layers = config.need(&["num_hidden_layers", "n_layer", "num_layers", "n_layers"])?;
    let hidden = config.need(&["hidden_size", "n_embd", "n_embed", "d_model", "dim"])?;
    let vocab = config.need(&["padded_vocab_size", "vocab_size"])?;
    let context = config.first(&CONTEXT)?;
    let heads = attention::heads(config, class, hidden)?;
    let moe = experts::moe(config, class, layers, &mut notes)?;
    let dense_layers = moe.is_none_or(|moe| moe.dense_first_layers > 0 || moe.every > 1);
    let mut architecture = Architecture {
        name: config.name().to_owned(),
        origin: Origin::HuggingFace,
        kind: if class.encoder { Kind::Encoder } else { Kind::Decoder },
        params: 0.0,
        active_params: 0.0,
        layers,
        hidden,
        heads: heads.heads,
        kv_heads: heads.kv_heads,
        head_dim: heads.head_dim,
        ffn: if dense_layers { mlp_width(config, class, hidden)? } else { 0 },
        gated_mlp: gated(config, class),
        vocab,
        tied_embeddings: tied(config, class)?,
        native_context: context,
        attention: heads.attention,
        window: attention::window(config, class, layers, &mut notes)?,
        moe,
        kv_caveat: heads.kv_caveat,
        source: format!("{} (Hugging Face configuration)", config.name()),
    };
    architecture
        .check()
        .map_err(|error| InputError::new(format!("`{}`: {}", config.name(), error.message), error.hint))?;
    let positions = if class.positions { context.unwrap_or(0).min(1 << 24) } else { 0 };
    let details =
        Details { positions, bias: class.bias(config)?, norm_bias: class.norm_bias, latent: heads.latent };
    let counted = count(&architecture, &details);
    architecture.params = counted.total;
    architecture.active_params = counted.active;
    if let Attention::Latent { .. } = architecture.attention
        && heads.latent.is_none()
    {
        notes.push(
            "the widths of the latent attention are not in the file, so its parameters are a guess".into(),
        );
    }
    let vision = vision::read(config.whole(), hidden);
    if let Some(vision) = &vision {
        // The language model's own tokens do not pass through it.
        architecture.params += vision.params;
        notes.push(vision.note.clone());
    }
    let image_tokens = vision.map_or(0, |vision| vision.tokens);
    Ok(Reading { architecture, checkpoint: checkpoint(config), image_tokens, stored: None, notes })
}

/// Width of the dense MLP.
fn mlp_width(config: &Config<'_>, class: &Class, hidden: u32) -> Result<u32, InputError> {
    const KEYS: [&str; 8] = [
        "intermediate_size_mlp",
        "intermediate_size",
        "ffn_dim",
        "n_inner",
        "ffn_hidden_size",
        "ff_intermediate_size",
        "hidden_dim",
        "d_ff",
    ];
    let nested = config.nested("ffn_config");
    let width = match config.first(&KEYS)? {
        Some(width) => Some(width),
        None => match &nested {
            Some(nested) => nested.first(&["ffn_hidden_size"])?,
            None => None,
        },
    };
    match (width, config.first(&["expansion_ratio"])?) {
        (Some(width), _) if class.doubled_mlp => Ok(width / 2),
        (Some(width), _) => Ok(width),
        (None, Some(ratio)) => Ok(hidden.saturating_mul(ratio)),
        (None, None) if class.fourfold_mlp => Ok(hidden.saturating_mul(4)),
        (None, None) => config.need(&["intermediate_size"]),
    }
}

/// An activation that names a gate wins over the class.
fn gated(config: &Config<'_>, class: &Class) -> bool {
    let activation =
        ["hidden_act", "activation_function", "activation"].iter().find_map(|key| config.text(key));
    class.gated || activation.is_some_and(|a| a.contains("glu"))
}

/// The language model's own key, else that of the whole, else the default of the class.
fn tied(config: &Config<'_>, class: &Class) -> Result<bool, InputError> {
    let own = config.flag("tie_word_embeddings")?;
    let outer = config.outer("tie_word_embeddings").and_then(Value::as_bool);
    Ok(own.or(outer).unwrap_or(class.tied))
}

/// What the weights are stored in: a quantization where there is one, else the number format.
fn checkpoint(config: &Config<'_>) -> Option<String> {
    let quantization = config.outer("quantization_config").or_else(|| config.own("quantization_config"));
    if let Some(Value::Object(keys)) = quantization {
        let text = |key: &str| keys.get(key).and_then(Value::as_str).map(str::to_ascii_lowercase);
        let method = text("quant_method").unwrap_or_default();
        let bits = keys.get("bits").and_then(Value::as_u64);
        let four = ["load_in_4bit", "_load_in_4bit"]
            .iter()
            .any(|&key| keys.get(key).and_then(Value::as_bool) == Some(true));
        let format = match (method.as_str(), bits) {
            ("gptq", Some(8)) => "gptq-int8".to_owned(),
            // Older files of bitsandbytes do not name the method.
            ("bitsandbytes" | "", _) if four => "nf4".to_owned(),
            ("bitsandbytes", _) => "int8".to_owned(),
            ("compressed-tensors", _) => compressed(keys)?,
            ("modelopt", _) => text("quant_algo")?,
            _ => method,
        };
        return Some(format).filter(|format| !format.is_empty());
    }
    ["torch_dtype", "dtype"].iter().find_map(|key| config.text(key)).map(str::to_owned)
}

/// Format of the first weight group of the compressed-tensors scheme.
fn compressed(keys: &Map<String, Value>) -> Option<String> {
    let groups = keys.get("config_groups")?.as_object()?;
    let weights = groups.values().next()?.get("weights")?;
    let float = weights.get("type").and_then(Value::as_str) == Some("float");
    match (weights.get("num_bits").and_then(Value::as_u64)?, float) {
        (8, true) => Some("fp8".to_owned()),
        (8, false) => Some("int8".to_owned()),
        (4, true) => Some("nvfp4".to_owned()),
        (4, false) => Some("int4".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
