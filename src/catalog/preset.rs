//! A public network by name: its shape as published.

use super::provenance::SourceId;
use serde::{Deserialize, Serialize};

/// Kinds of networks that work on tokens.
pub const TOKEN_KINDS: &[&str] = &["decoder", "encoder", "encoder-decoder"];

/// Kinds of networks that work on samples: images, denoising steps of an image, windows of audio.
pub const SAMPLE_KINDS: &[&str] = &["cnn", "detector", "vit", "diffusion", "speech"];

/// The shape of a public network; counts, no units. Conventions: `catalog/README.md`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Preset {
    /// Canonical name: `llama-3-8b`.
    pub name: String,
    /// Other names, Hugging Face ids among them.
    pub aliases: Vec<String>,
    /// `llama`, `qwen` …
    pub family: String,
    /// One of [`TOKEN_KINDS`] or [`SAMPLE_KINDS`].
    pub kind: String,
    /// All parameters.
    pub params: u64,
    /// Parameters that one token passes through, embeddings included.
    pub active_params: u64,
    /// Transformer layers.
    pub layers: u32,
    /// Width.
    pub hidden: u32,
    /// Query heads.
    pub heads: u32,
    /// Key/value heads.
    pub kv_heads: u32,
    /// Width of one head.
    pub head_dim: u32,
    /// Width of the dense MLP; 0 when every layer is a mixture of experts.
    pub ffn: u32,
    /// Gated MLP (three matrices) instead of two.
    pub gated_mlp: bool,
    /// Vocabulary.
    pub vocab: u32,
    /// Output matrix shared with the input embedding.
    pub tied_embeddings: bool,
    /// Context length it was trained for.
    pub native_context: u32,
    /// `mha`, `gqa`, `mqa` or `mla`.
    pub attention: String,
    /// Width of the MLA latent.
    pub mla_kv_lora_rank: Option<u32>,
    /// Width of the MLA rotary part.
    pub mla_rope_dim: Option<u32>,
    /// Window of the layers that are not full attention; 0 for linear-attention layers without per-token KV.
    pub sliding_window: Option<u32>,
    /// Every n-th layer is full attention; 0 for none.
    pub global_every: Option<u32>,
    /// Routed experts per mixture layer.
    pub experts: Option<u32>,
    /// Routed experts per token.
    pub experts_per_token: Option<u32>,
    /// Width of one expert.
    pub expert_ffn: Option<u32>,
    /// Shared experts, in units of `expert-ffn`.
    pub shared_experts: Option<f64>,
    /// Dense layers in front of the mixture layers.
    pub dense_first_layers: Option<u32>,
    /// Every n-th layer is a mixture (1 = all).
    pub moe_every: Option<u32>,
    /// Networks that work on samples: FLOPs of one forward pass of one sample, 2 for each multiply-add.
    pub flops_per_sample: Option<u64>,
    /// Networks that work on samples: values that the convolutions or layers of one forward pass put out.
    pub activations: Option<u64>,
    /// Parameters of what runs beside the network: the text encoders of a denoiser.
    pub companion_params: Option<u64>,
    /// Edge of the image that the FLOPs are for, in pixels.
    pub image_size: Option<u32>,
    /// Audio that the FLOPs are for, in seconds.
    pub window_s: Option<f64>,
    /// What the published checkpoint is stored in.
    pub checkpoint_dtype: Option<String>,
    /// Reason why the plain KV-cache rule does not hold for this network; the planner then refuses serving estimates.
    pub kv_caveat: Option<String>,
    /// Where the shape comes from.
    pub source: SourceId,
    /// Agreement with the published parameter count, cautions.
    pub note: Option<String>,
}

impl Preset {
    /// Whether it works on samples: it then has FLOPs of a sample, and no attention heads or vocabulary.
    pub fn works_on_samples(&self) -> bool {
        SAMPLE_KINDS.contains(&self.kind.as_str())
    }
}
