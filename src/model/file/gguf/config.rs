//! From the metadata of a GGUF file to the keys of a Hugging Face configuration.

use super::header::{Metadata, Value};
use crate::diag::InputError;
use crate::model::file::{Tensors, broken, shown};
use serde_json::{Map, Value as Json};

/// Keys that mean the same under another name. The GGUF ones stand below the name of the architecture.
const NUMBERS: [(&str, &str); 17] = [
    ("block_count", "num_hidden_layers"),
    ("embedding_length", "hidden_size"),
    ("feed_forward_length", "intermediate_size"),
    ("attention.head_count", "num_attention_heads"),
    ("attention.head_count_kv", "num_key_value_heads"),
    ("context_length", "max_position_embeddings"),
    ("vocab_size", "vocab_size"),
    ("attention.sliding_window", "sliding_window"),
    ("expert_count", "num_experts"),
    ("expert_used_count", "num_experts_per_tok"),
    ("expert_feed_forward_length", "moe_intermediate_size"),
    ("expert_shared_count", "n_shared_experts"),
    ("expert_shared_feed_forward_length", "shared_expert_intermediate_size"),
    ("leading_dense_block_count", "first_k_dense_replace"),
    ("attention.kv_lora_rank", "kv_lora_rank"),
    ("attention.q_lora_rank", "q_lora_rank"),
    ("nextn_predict_layers", "num_nextn_predict_layers"),
];

/// Architectures whose `model_type` is another word.
const TYPES: [(&str, &str); 22] = [
    ("qwen2moe", "qwen2_moe"),
    ("qwen3moe", "qwen3_moe"),
    ("qwen2vl", "qwen2_vl_text"),
    ("qwen3vl", "qwen3_vl_text"),
    ("gemma3", "gemma3_text"),
    ("phi2", "phi"),
    ("deepseek2", "deepseek_v3"),
    ("gpt-oss", "gpt_oss"),
    ("gptoss", "gpt_oss"),
    ("command-r", "cohere"),
    ("gptneox", "gpt_neox"),
    ("llama4", "llama4_text"),
    ("granitemoe", "granitemoe"),
    ("glm4moe", "glm4_moe"),
    ("ernie4_5-moe", "ernie4_5_moe"),
    ("hunyuan-moe", "hunyuan_v1_moe"),
    ("hunyuan-dense", "hunyuan_v1_dense"),
    ("minimax-m2", "minimax_m2"),
    ("seed_oss", "seed_oss"),
    ("nomic-bert", "nomic_bert"),
    ("modern-bert", "modernbert"),
    ("refact", "gpt_bigcode"),
];

/// The configuration that the metadata of `file` amounts to.
pub(super) fn config(
    file: &str,
    metadata: &Metadata,
    tensors: &Tensors,
) -> Result<Map<String, Json>, InputError> {
    let Some(kind) = metadata.text("general.architecture") else {
        return Err(broken(file, "its metadata has no `general.architecture`"));
    };
    if metadata.text("general.type").is_some_and(|kind| kind != "model") || kind == "clip" {
        let message = format!("`{file}` holds an adapter or an image encoder, not a language model");
        return Err(InputError::new(message, "name the GGUF file of the model"));
    }
    let mut config = Map::new();
    let model_type = TYPES.iter().find(|(name, _)| *name == kind).map_or(kind, |&(_, name)| name);
    config.insert("model_type".into(), model_type.into());
    let prefix = format!("{kind}.");
    for (key, value) in metadata.below(&prefix) {
        if let Some((_, name)) = NUMBERS.iter().find(|(known, _)| *known == key) {
            config.insert((*name).to_owned(), same_everywhere(file, key, value)?);
        } else if key.starts_with("ssm.") || key.starts_with("wkv.") {
            // Layers that are not attention: the reader of configurations refuses them by these keys.
            config.insert(format!("ssm_{}", shown(&key[4..])), Json::Bool(true));
        }
    }
    heads(&mut config, metadata, &prefix);
    layers_ahead(&mut config);
    if !config.contains_key("vocab_size")
        && let Some(vocab) = vocab(metadata, tensors)
    {
        config.insert("vocab_size".into(), vocab.into());
    }
    config.insert("tie_word_embeddings".into(), tensors.get("output.weight").is_none().into());
    Ok(config)
}

/// A number, or a list that says the same for every layer.
fn same_everywhere(file: &str, key: &str, value: &Value) -> Result<Json, InputError> {
    let number = match value {
        Value::Number(number) => Some(*number),
        Value::Numbers(numbers) => {
            let first = numbers.first().copied();
            if numbers.iter().any(|&number| Some(number) != first) {
                let message = format!("`{file}`: `{key}` differs between layers, which is not modelled");
                return Err(InputError::new(
                    message,
                    "give the shape by hand with `--layers`, `--hidden` and their companions",
                ));
            }
            first
        }
        _ => None,
    };
    Ok(number.map_or(Json::Null, |number| {
        if number.fract() == 0.0 && (0.0..1e15).contains(&number) {
            Json::from(number as u64)
        } else {
            Json::from(number)
        }
    }))
}

/// Widths of heads. Latent attention tells the width of its keys under `_mla` since 2025, before as `key_length`.
fn heads(config: &mut Map<String, Json>, metadata: &Metadata, prefix: &str) {
    let number = |key: &str| metadata.number(&format!("{prefix}{key}"));
    let key = number("attention.key_length_mla").or_else(|| number("attention.key_length"));
    let value = number("attention.value_length_mla").or_else(|| number("attention.value_length"));
    if config.get("kv_lora_rank").and_then(Json::as_u64).is_some_and(|rank| rank > 0) {
        let rope = number("rope.dimension_count").unwrap_or(0);
        config.insert("qk_rope_head_dim".into(), rope.into());
        if let Some(key) = key {
            config.insert("qk_nope_head_dim".into(), key.saturating_sub(rope).into());
        }
        if let Some(value) = value {
            config.insert("v_head_dim".into(), value.into());
        }
        return;
    }
    if let Some(key) = key {
        config.insert("head_dim".into(), key.into());
        if let Some(value) = value.filter(|&value| value != key) {
            config.insert("v_head_dim".into(), value.into());
        }
    }
}

/// Layers that predict further tokens are counted among the blocks, but do no work unless asked for.
fn layers_ahead(config: &mut Map<String, Json>) {
    let number = |key: &str| config.get(key).and_then(Json::as_u64);
    if let (Some(layers), Some(ahead)) = (number("num_hidden_layers"), number("num_nextn_predict_layers"))
        && ahead < layers
    {
        config.insert("num_hidden_layers".into(), (layers - ahead).into());
    }
}

/// Rows of the vocabulary: the tokens, else the embedding.
fn vocab(metadata: &Metadata, tensors: &Tensors) -> Option<u64> {
    match metadata.get("tokenizer.ggml.tokens") {
        Some(Value::Length(length)) => Some(*length),
        _ => tensors.get("token_embd.weight")?.shape.get(1).copied(),
    }
}
