//! What the classes of architectures leave unsaid in their files, and which ones cannot be modelled.
//!
//! Defaults of the configuration classes of transformers 5.24 (2026-11); a class is named by its `model_type`.

use super::config::Config;
use crate::diag::InputError;
use crate::model::count::Bias;
use serde_json::Value;

/// What holds for a class when its file does not say otherwise.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties, always named")]
pub(super) struct Class {
    /// `model_type`s that it stands for.
    types: &'static [&'static str],
    /// Gated MLP.
    pub(super) gated: bool,
    /// Biases.
    bias: Bias,
    /// Norms with a bias.
    pub(super) norm_bias: bool,
    /// A learned table of positions.
    pub(super) positions: bool,
    /// `tie_word_embeddings` when absent.
    pub(super) tied: bool,
    /// The MLP is four times as wide as the network when no width is given.
    pub(super) fourfold_mlp: bool,
    /// `intermediate_size` counts both halves of the gate.
    pub(super) doubled_mlp: bool,
    /// One key/value head unless `multi_query` is false.
    pub(super) multi_query: bool,
    /// No window unless `use_sliding_window` is true.
    pub(super) window_off: bool,
    /// Every n-th layer has no window when no pattern is given; 0 for none.
    pub(super) global_every: u32,
    /// Shared experts when no key tells.
    pub(super) shared_experts: f64,
    /// Reads a whole sequence.
    pub(super) encoder: bool,
}

/// Gated MLP, no biases, RMS norms: most decoders since 2023.
const MODERN: Class = Class {
    types: &[],
    gated: true,
    bias: Bias::Absent,
    norm_bias: false,
    positions: false,
    tied: false,
    fourfold_mlp: false,
    doubled_mlp: false,
    multi_query: false,
    window_off: false,
    global_every: 0,
    shared_experts: 0.0,
    encoder: false,
};

/// Plain MLP of four times the width, biases, layer norms.
const CLASSIC: Class =
    Class { gated: false, bias: Bias::All, norm_bias: true, tied: true, fourfold_mlp: true, ..MODERN };

const ENCODER: Class = Class { positions: true, encoder: true, ..CLASSIC };

const CLASSES: &[Class] = &[
    Class {
        types: &[
            "llama",
            "mistral",
            "mixtral",
            "phi3",
            "phimoe",
            "deepseek",
            "deepseek_v2",
            "deepseek_v3",
            "deepseek_v32",
            "kimi_k2",
            "internlm",
            "internlm2",
            "internlm3",
            "baichuan",
            "olmo",
            "olmo2",
            "olmoe",
            "granite",
            "granitemoe",
            "exaone",
            "stablelm",
            "minimax",
            "minimax_m2",
            "seed_oss",
            "mimo",
            "arctic",
            "dbrx",
            "bitnet",
            "hunyuan_v1_dense",
            "hunyuan_v1_moe",
            "dots1",
            "hy_v3",
            "helium",
            "cwm",
            "flex_olmo",
            "solar_open",
            "ministral",
            "ministral3",
            "glm4_moe",
            "glm4_moe_lite",
            "Yi",
            "aquila",
            "xverse",
            "orion",
            "decilm",
        ],
        ..MODERN
    },
    Class { types: &["glm", "glm4", "chatglm"], bias: Bias::Qkv, ..MODERN },
    Class {
        types: &["qwen2", "qwen2_moe", "qwen2_vl", "qwen2_5_vl", "qwen2_vl_text", "qwen2_5_vl_text"],
        bias: Bias::Qkv,
        window_off: true,
        ..MODERN
    },
    Class {
        types: &["qwen3", "qwen3_moe", "qwen3_vl_text", "qwen3_vl_moe_text"],
        window_off: true,
        ..MODERN
    },
    Class { types: &["qwen"], bias: Bias::Qkv, doubled_mlp: true, ..MODERN },
    Class { types: &["gpt_oss"], bias: Bias::All, global_every: 2, ..MODERN },
    Class { types: &["llama4", "llama4_text"], global_every: 4, shared_experts: 1.0, ..MODERN },
    Class { types: &["olmo3"], global_every: 4, ..MODERN },
    Class { types: &["exaone4"], global_every: 4, ..MODERN },
    Class {
        types: &["gemma", "smollm3", "ernie4_5", "ernie4_5_moe", "jetmoe", "hunyuan_v1_dense", "minicpm"],
        tied: true,
        ..MODERN
    },
    Class { types: &["gemma2"], tied: true, global_every: 2, ..MODERN },
    Class { types: &["gemma3", "gemma3_text"], tied: true, global_every: 6, ..MODERN },
    Class { types: &["cohere"], tied: true, norm_bias: false, ..MODERN },
    Class { types: &["cohere2"], tied: true, global_every: 4, ..MODERN },
    Class { types: &["arcee", "apertus", "nanochat"], gated: false, ..MODERN },
    Class { types: &["nemotron", "jais2"], gated: false, norm_bias: true, ..MODERN },
    Class {
        types: &["gpt2", "gpt_neo", "opt", "xglm", "biogpt"],
        positions: true,
        global_every: 2,
        ..CLASSIC
    },
    Class { types: &["gpt_bigcode"], positions: true, multi_query: true, ..CLASSIC },
    Class { types: &["bloom", "starcoder2"], ..CLASSIC },
    Class {
        types: &["falcon", "RefinedWeb", "RefinedWebModel"],
        multi_query: true,
        bias: Bias::Absent,
        ..CLASSIC
    },
    Class { types: &["mpt"], bias: Bias::Absent, norm_bias: false, ..CLASSIC },
    Class { types: &["gpt_neox", "phi", "persimmon"], tied: false, ..CLASSIC },
    Class { types: &["gptj", "codegen"], tied: false, bias: Bias::Mlp, ..CLASSIC },
    Class {
        types: &[
            "bert",
            "roberta",
            "xlm-roberta",
            "camembert",
            "electra",
            "distilbert",
            "deberta",
            "deberta-v2",
            "mpnet",
            "ernie",
            "esm",
            "xlm-roberta-xl",
            "data2vec-text",
            "megatron-bert",
        ],
        ..ENCODER
    },
    Class { types: &["modernbert"], encoder: true, tied: true, global_every: 3, ..MODERN },
    Class { types: &["nomic_bert", "new", "gte"], encoder: true, tied: true, norm_bias: true, ..MODERN },
];

/// Families whose parts are shared between layers, or that are no language models.
const REFUSED: [(&str, &str); 11] = [
    ("albert", "shares its parameters between layers"),
    ("clip", "is an image and text encoder pair"),
    ("siglip", "is an image and text encoder pair"),
    ("whisper", "is a speech model"),
    ("wav2vec2", "is a speech model"),
    ("vit", "is an image model"),
    ("t5", "is an encoder-decoder"),
    ("gemma3n", "keeps several streams per layer"),
    ("deepseek_v4", "compresses keys and values over time"),
    ("longcat_flash", "has two attention blocks per layer"),
    ("rwkv", "keeps a recurrent state instead of a KV cache"),
];

/// Kinds of layers that are attention.
const ATTENTION_LAYERS: [&str; 7] = [
    "full_attention",
    "sliding_attention",
    "chunked_attention",
    "attention",
    "global",
    "local",
    "dense_attention",
];

/// The class of a file; unknown types count as [`MODERN`] with tied embeddings, the default of all configurations.
pub(super) fn find(config: &Config<'_>, notes: &mut Vec<String>) -> Result<&'static Class, InputError> {
    const UNKNOWN: Class = Class { tied: true, ..MODERN };
    let outer = config.outer("model_type").and_then(Value::as_str).unwrap_or_default();
    let own = config.text("model_type").unwrap_or(outer);
    for kind in [outer, own] {
        if let Some((_, why)) =
            REFUSED.iter().find(|(name, _)| kind == *name || kind.starts_with(&format!("{name}_")))
        {
            return Err(config.refused(format!("model type `{kind}` {why}, which is not modelled")));
        }
    }
    if [config.own("is_encoder_decoder"), config.outer("is_encoder_decoder")]
        .contains(&Some(&Value::Bool(true)))
    {
        return Err(config.refused("encoder-decoders are not modelled"));
    }
    let known = CLASSES.iter().find(|class| class.types.contains(&own));
    if known.is_none() {
        let kind = if own.is_empty() { "no model type".to_owned() } else { format!("model type `{own}`") };
        notes.push(format!("{kind} is unknown: read by its keys as a gated decoder without biases"));
    }
    Ok(known.unwrap_or(&UNKNOWN))
}

/// Refuses networks with layers that are not attention; lists of layers decide, else telling keys.
pub(super) fn refuse_hybrids(config: &Config<'_>) -> Result<(), InputError> {
    for key in ["layer_types", "layers_block_type", "attention_layers", "block_types"] {
        let Some(layers) = config.texts(key) else { continue };
        return match layers.iter().find(|layer| !ATTENTION_LAYERS.contains(layer)) {
            Some(layer) => {
                Err(config.refused(format!("`{key}` has `{layer}` layers, which are not modelled")))
            }
            None => Ok(()),
        };
    }
    if let Some(Value::Array(kinds)) = config.own("attn_type_list") {
        return match kinds.iter().find(|kind| kind.as_u64() != Some(1)) {
            Some(_) => {
                Err(config.refused("`attn_type_list` has linear-attention layers, which are not modelled"))
            }
            None => Ok(()),
        };
    }
    let telling = |key: &&String| {
        ["mamba_", "ssm_", "linear_num_", "linear_attn_", "conv_L", "lru_"]
            .iter()
            .any(|start| key.starts_with(start))
            || [
                "hybrid_override_pattern",
                "attn_layer_period",
                "full_attention_interval",
                "full_attn_idxs",
                "state_size",
                "time_step_rank",
            ]
            .contains(&key.as_str())
    };
    if let Some(key) = config.keys().find(telling) {
        return Err(
            config.refused(format!("`{key}` tells of layers that are not attention, which are not modelled"))
        );
    }
    for key in ["block_configs", "num_query_heads", "num_key_value_heads_per_layer"] {
        if config.own(key).is_some() {
            return Err(
                config.refused(format!("`{key}` gives each layer its own shape, which is not modelled"))
            );
        }
    }
    Ok(())
}

impl Class {
    /// Biases: a key that says so wins over the class.
    pub(super) fn bias(&self, config: &Config<'_>) -> Result<Bias, InputError> {
        let attention = match config.flag("attention_bias")? {
            Some(bias) => Some(bias),
            None => config.flag("add_qkv_bias")?,
        };
        Ok(match (attention, self.bias) {
            (Some(true), Bias::Absent) => Bias::Qkv,
            (Some(false), Bias::Qkv) => Bias::Absent,
            (_, bias) => bias,
        })
    }
}
