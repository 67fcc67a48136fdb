//! From a preset of the catalog to an [`Architecture`]. Parameter counts are the published ones, not recounted.

use super::{Architecture, Attention, Kind, Moe, Origin, Reading, Sample, SampleFamily, Window};
use crate::catalog::Catalog;
use crate::catalog::preset::Preset;

/// The shape of a preset.
pub fn architecture(preset: &Preset, catalog: &Catalog) -> Reading {
    let source = catalog
        .sources
        .get(usize::from(preset.source.0))
        .map_or_else(String::new, |source| format!("{} ({})", source.text, source.as_of));
    let attention = match (preset.mla_kv_lora_rank, preset.mla_rope_dim) {
        (Some(kv_lora_rank), Some(rope_dim)) => Attention::Latent { kv_lora_rank, rope_dim },
        _ => Attention::Heads,
    };
    let architecture = Architecture {
        name: preset.name.clone(),
        origin: Origin::Preset,
        kind: kind(preset),
        params: preset.params as f64,
        active_params: preset.active_params as f64,
        layers: preset.layers,
        hidden: preset.hidden,
        heads: preset.heads,
        kv_heads: preset.kv_heads,
        head_dim: preset.head_dim,
        ffn: preset.ffn,
        gated_mlp: preset.gated_mlp,
        vocab: preset.vocab,
        tied_embeddings: preset.tied_embeddings,
        native_context: (preset.native_context > 0).then_some(preset.native_context),
        attention,
        window: window(preset),
        moe: moe(preset),
        kv_caveat: preset.kv_caveat.clone(),
        source,
    };
    Reading {
        architecture,
        checkpoint: preset.checkpoint_dtype.clone(),
        image_tokens: 0,
        stored: None,
        notes: Vec::new(),
    }
}

/// What sort of network a preset is.
pub fn kind(preset: &Preset) -> Kind {
    let family = match preset.kind.as_str() {
        "encoder" => return Kind::Encoder,
        "encoder-decoder" => return Kind::EncoderDecoder,
        "cnn" => SampleFamily::Cnn,
        "detector" => SampleFamily::Detector,
        "vit" => SampleFamily::Vit,
        "diffusion" => SampleFamily::Diffusion,
        "speech" => SampleFamily::Speech,
        _ => return Kind::Decoder,
    };
    Kind::Sample(Sample {
        family,
        flops: preset.flops_per_sample.unwrap_or_default() as f64,
        activations: preset.activations.map(|count| count as f64),
        pixels: preset.image_size.map(|edge| f64::from(edge) * f64::from(edge)),
        companion_params: preset.companion_params.unwrap_or_default() as f64,
    })
}

/// A window without a pattern holds in every layer.
fn window(preset: &Preset) -> Option<Window> {
    let tokens = preset.sliding_window?;
    Some(Window { tokens, global_every: preset.global_every.unwrap_or(0) }).filter(|w| w.global_every != 1)
}

fn moe(preset: &Preset) -> Option<Moe> {
    let experts = preset.experts.filter(|&n| n > 0)?;
    Some(Moe {
        experts,
        experts_per_token: preset.experts_per_token?,
        expert_ffn: preset.expert_ffn?,
        shared_experts: preset.shared_experts.unwrap_or(0.0),
        dense_first_layers: preset.dense_first_layers.unwrap_or(0),
        every: preset.moe_every.unwrap_or(1).max(1),
    })
}
