//! The architecture of a network: what its parameters, FLOPs and KV cache follow from.
//!
//! Shapes come from a preset, a `config.json`, the headers of weight files, flags or a bare count; nothing here knows a machine or a price.

pub mod count;
pub mod file;
pub mod hf;
pub mod infer;
pub mod preset;

use crate::diag::InputError;

/// A transformer on tokens, or the name and size of a network that works on samples. Counts, no units.
#[derive(Clone, Debug, PartialEq)]
pub struct Architecture {
    /// Name as asked or found: `llama-3-8b`, `inferred-1.0B`, the path of a `config.json`.
    pub name: String,
    /// How the shape came about.
    pub origin: Origin,
    /// What sort of network.
    pub kind: Kind,
    /// All parameters.
    pub params: f64,
    /// Parameters that one token passes through, embeddings included.
    pub active_params: f64,
    /// Transformer layers; of an encoder-decoder those of one stack.
    pub layers: u32,
    /// Width.
    pub hidden: u32,
    /// Query heads.
    pub heads: u32,
    /// Key/value heads.
    pub kv_heads: u32,
    /// Width of one head; for MLA that of query and key.
    pub head_dim: u32,
    /// Width of the dense MLP; 0 when every layer is a mixture of experts.
    pub ffn: u32,
    /// Gated MLP (three matrices) instead of two.
    pub gated_mlp: bool,
    /// Vocabulary.
    pub vocab: u32,
    /// Output matrix shared with the input embedding.
    pub tied_embeddings: bool,
    /// Context length it was trained for, where known.
    pub native_context: Option<u32>,
    /// What one token leaves in the KV cache.
    pub attention: Attention,
    /// Window of the layers that are not full attention.
    pub window: Option<Window>,
    /// Mixture of experts.
    pub moe: Option<Moe>,
    /// Why the plain KV rule does not hold; serving estimates are then refused.
    pub kv_caveat: Option<String>,
    /// Where the shape comes from, with its date.
    pub source: String,
}

/// How a shape came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A preset of the catalog.
    Preset,
    /// A Hugging Face `config.json`.
    HuggingFace,
    /// Flags.
    ByHand,
    /// The tensors of a safetensors file without a configuration.
    Safetensors,
    /// The header of a GGUF file.
    Gguf,
    /// Guessed from a parameter count: a range, not a fact.
    Inferred,
}

/// Sort of network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Generates token by token.
    Decoder,
    /// Reads a whole sequence.
    Encoder,
    /// Reads a sequence with one stack and generates with the other: a token passes through one of them.
    EncoderDecoder,
    /// Works on samples; the shape of a transformer does not apply, and is 0 where it is not known.
    Sample(Sample),
}

impl Kind {
    /// What a network works on when it is not tokens.
    pub fn sample(self) -> Option<Sample> {
        match self {
            Self::Sample(sample) => Some(sample),
            Self::Decoder | Self::Encoder | Self::EncoderDecoder => None,
        }
    }
}

/// A network that works on samples: one image, one denoising step of an image, one window of audio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// What it works on, and so how it uses a GPU.
    pub family: SampleFamily,
    /// Operations of one forward pass of one sample, 2 for each multiply-add.
    pub flops: f64,
    /// Values that one forward pass puts out, where they are counted.
    pub activations: Option<f64>,
    /// Pixels of the image that the FLOPs are for.
    pub pixels: Option<f64>,
    /// Parameters of what runs beside the network: text encoders of a denoiser.
    pub companion_params: f64,
}

/// Networks by what they work on and what they do most of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SampleFamily {
    /// Convolutions over images.
    Cnn,
    /// Convolutions that find objects in images.
    Detector,
    /// Transformers over image patches.
    Vit,
    /// Denoisers of images; a sample is one step.
    Diffusion,
    /// Encoders of audio; a sample is one window.
    Speech,
}

impl SampleFamily {
    /// Name in the catalog.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cnn => "cnn",
            Self::Detector => "detector",
            Self::Vit => "vit",
            Self::Diffusion => "diffusion",
            Self::Speech => "speech",
        }
    }

    /// What one sample is called.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Cnn | Self::Detector | Self::Vit => "images",
            Self::Diffusion => "denoising steps",
            Self::Speech => "windows of 30 s",
        }
    }
}

/// What one token leaves in the KV cache of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// A key and a value for each KV head (MHA, GQA, MQA).
    Heads,
    /// Multi-head latent attention: one latent and one rotary key (DeepSeek-V2, 2024).
    Latent {
        /// Width of the latent.
        kv_lora_rank: u32,
        /// Width of the rotary part.
        rope_dim: u32,
    },
}

/// Layers that do not attend to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Tokens in the window; 0 for linear attention, which keeps no KV per token.
    pub tokens: u32,
    /// Every n-th layer is full attention; 0 for none.
    pub global_every: u32,
}

/// Mixture of experts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moe {
    /// Routed experts per layer.
    pub experts: u32,
    /// Routed experts per token.
    pub experts_per_token: u32,
    /// Width of one expert.
    pub expert_ffn: u32,
    /// Shared experts in units of `expert_ffn`.
    pub shared_experts: f64,
    /// Dense layers in front.
    pub dense_first_layers: u32,
    /// Every n-th layer is a mixture.
    pub every: u32,
}

/// An architecture with what was noticed while reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The shape.
    pub architecture: Architecture,
    /// What the published weights are stored in, where it is said: `bfloat16`, `fp8_e4m3`, `mxfp4 experts+bf16` …
    pub checkpoint: Option<String>,
    /// Tokens that one image puts into the prompt; 0 for a model without an image encoder.
    pub image_tokens: u32,
    /// What the weights take in the file that was read, where one was.
    pub stored: Option<file::Stored>,
    /// What was taken for granted or left out, one sentence each.
    pub notes: Vec<String>,
}

impl Architecture {
    /// Refuses what no network has: sizes of nothing or beyond reason, heads that cannot share their KV heads, more
    /// experts per token than experts. Sizes within these limits multiply without overflow.
    pub fn check(&self) -> Result<(), InputError> {
        if let Kind::Sample(sample) = self.kind {
            let sound = sample.flops > 0.0 && self.params > 0.0;
            let message = format!("{} has no parameters or no FLOPs of a sample", self.name);
            return if sound { Ok(()) } else { Err(InputError::new(message, "check the row of the model")) };
        }
        let mut sizes = vec![
            ("layers", self.layers, 1, 4096),
            ("hidden", self.hidden, 1, 1 << 20),
            ("heads", self.heads, 1, 1 << 16),
            ("kv-heads", self.kv_heads, 1, 1 << 16),
            ("head-dim", self.head_dim, 1, 8192),
            ("ffn", self.ffn, u32::from(self.moe.is_none()), 1 << 24),
            ("vocab", self.vocab, 1, 1 << 24),
        ];
        if let Some(moe) = self.moe {
            sizes.push(("experts", moe.experts, 1, 1 << 16));
            sizes.push(("experts-per-token", moe.experts_per_token, 1, moe.experts));
            sizes.push(("expert-ffn", moe.expert_ffn, 1, 1 << 24));
        }
        if let Attention::Latent { kv_lora_rank, rope_dim } = self.attention {
            sizes.push(("kv-lora-rank", kv_lora_rank, 1, 1 << 16));
            sizes.push(("rope-dim", rope_dim, 0, self.head_dim));
        }
        for (name, size, low, high) in sizes {
            if !(low..=high).contains(&size) {
                let message = format!("a shape with {name} {size} is none: {low} to {high} can be computed");
                return Err(InputError::new(message, "check the shape of the model"));
            }
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            let message = format!("{} heads cannot share {} KV heads evenly", self.heads, self.kv_heads);
            return Err(InputError::new(message, "the KV heads divide the heads"));
        }
        Ok(())
    }

    /// Layers with full attention.
    pub fn full_attention_layers(&self) -> u32 {
        match self.window {
            None => self.layers,
            Some(Window { global_every: 0, .. }) => 0,
            Some(Window { global_every, .. }) => self.layers / global_every,
        }
    }

    /// Layers that are mixtures of experts.
    pub fn moe_layers(&self) -> u32 {
        self.moe.map_or(0, |m| self.layers.saturating_sub(m.dense_first_layers) / m.every.max(1))
    }

    /// Parameters of the input embedding, and of the output matrix where it is a matrix of its own.
    pub fn embedding_params(&self) -> f64 {
        let one = f64::from(self.vocab) * f64::from(self.hidden);
        if self.tied_embeddings { one } else { 2.0 * one }
    }

    /// Parameters that do arithmetic for one token: active ones without the look-up of an untied input embedding
    /// (2 FLOPs each forward; Kaplan et al. 2020, section 2.1).
    pub fn flop_params(&self) -> f64 {
        let lookup = if self.tied_embeddings { 0.0 } else { f64::from(self.vocab) * f64::from(self.hidden) };
        let output = self.embedding_params() - lookup;
        self.body_flop_params() + output
    }

    /// Parameters of the layers that one token is multiplied with: of two stacks one, and so half of both
    /// (Raffel et al. 2020, section 2.1: an encoder-decoder costs what a decoder of half its parameters does).
    pub fn body_flop_params(&self) -> f64 {
        let body = (self.active_params - self.embedding_params()).max(0.0);
        if self.kind == Kind::EncoderDecoder { body / 2.0 } else { body }
    }

    /// Values that one token leaves in the KV cache of one full-attention layer.
    pub fn kv_values_per_layer(&self) -> u32 {
        match self.attention {
            Attention::Heads => 2 * self.kv_heads * self.head_dim,
            Attention::Latent { kv_lora_rank, rope_dim } => kv_lora_rank + rope_dim,
        }
    }
}

#[cfg(test)]
mod tests;
