//! The shape of a network from the names and shapes of its tensors alone, for files without a configuration.
//!
//! The names are those of Hugging Face's decoders since `LLaMA`. What matrices cannot tell is taken as usual and said.

use super::{Tensor, Tensors};
use crate::diag::InputError;
use crate::model::count::{Details, count};
use crate::model::{Architecture, Attention, Kind, Origin, Reading};

/// What to do about a file whose names are not known.
const BESIDE: &str = "put the `config.json` of the model beside it, or name its folder";

/// Number of the layer that a tensor belongs to: `model.layers.7.mlp.up_proj.weight` is 7.
pub(super) fn layer(name: &str) -> Option<u32> {
    let (_, rest) =
        name.split_once("layers.").filter(|(before, _)| before.is_empty() || before.ends_with('.'))?;
    // Towers beside the language model have layers of their own.
    if ["vision", "visual", "audio", "encoder", "projector"].iter().any(|tower| name.starts_with(tower)) {
        return None;
    }
    rest.split('.').next()?.parse().ok()
}

/// Tensors that are no parameters: scales and zero points of quantization, tables of positions that follow from the shape.
pub(super) fn beside_weights(name: &str) -> bool {
    const ENDS: [&str; 11] = [
        "position_ids",
        "_scale",
        "_scales",
        "scale_inv",
        ".scales",
        "qzeros",
        "g_idx",
        "inv_freq",
        "absmax",
        "quant_map",
        "quant_state.bitsandbytes__nf4",
    ];
    ENDS.iter().any(|end| name.ends_with(end))
}

/// A decoder by its matrices.
pub(super) fn reading(file: &str, tensors: &Tensors) -> Result<Reading, InputError> {
    let unknown = |what: &str| InputError::new(format!("`{file}` does not tell its shape: {what}"), BESIDE);
    let prefix = ["model.", "", "language_model.model.", "model.language_model."]
        .into_iter()
        .find(|prefix| tensors.get(&format!("{prefix}embed_tokens.weight")).is_some())
        .ok_or_else(|| unknown("no tensor `model.embed_tokens.weight`"))?;
    let matrix = |name: &str| -> Result<(u32, u32), InputError> {
        let name = format!("{prefix}{name}");
        let tensor = tensors.get(&name).ok_or_else(|| unknown(&format!("no tensor `{name}`")))?;
        sides(tensor).ok_or_else(|| unknown(&format!("`{name}` is no matrix of plain numbers")))
    };
    if tensors.iter().any(|(name, _)| name.contains(".experts.")) {
        return Err(unknown("how many experts a token uses is not in the weights"));
    }
    let (vocab, hidden) = matrix("embed_tokens.weight")?;
    let (query, _) = matrix("layers.0.self_attn.q_proj.weight")?;
    let (key, _) = matrix("layers.0.self_attn.k_proj.weight")?;
    let (ffn, _) = matrix("layers.0.mlp.up_proj.weight")?;
    let layers =
        tensors.iter().filter_map(|(name, _)| layer(name)).max().map_or(0, |last| last.saturating_add(1));
    let norm = tensors.get(&format!("{prefix}layers.0.self_attn.q_norm.weight"));
    let told = norm.and_then(|norm| norm.shape.first().copied()).and_then(|width| u32::try_from(width).ok());
    let head_dim = told
        .filter(|&width| width > 0 && query.is_multiple_of(width) && key.is_multiple_of(width))
        .or_else(|| {
            [128, 64, 32].into_iter().find(|&width| query.is_multiple_of(width) && key.is_multiple_of(width))
        })
        .ok_or_else(|| unknown("the width of its heads is not in the weights"))?;
    let mut notes =
        vec![format!("`{file}` has no `config.json` beside it: the shape is read from its matrices")];
    if told.is_none() {
        notes.push(format!("heads are taken as {head_dim} wide, which the matrices do not tell; KV cache and FLOPs do not depend on it"));
    }
    let mut architecture = Architecture {
        name: file.to_owned(),
        origin: Origin::Safetensors,
        kind: Kind::Decoder,
        params: 0.0,
        active_params: 0.0,
        layers,
        hidden,
        heads: query / head_dim,
        kv_heads: key / head_dim,
        head_dim,
        ffn,
        gated_mlp: tensors.get(&format!("{prefix}layers.0.mlp.gate_proj.weight")).is_some(),
        vocab,
        tied_embeddings: !tensors.iter().any(|(name, _)| name.ends_with("lm_head.weight")),
        native_context: None,
        attention: Attention::Heads,
        window: None,
        moe: None,
        kv_caveat: None,
        source: format!("{file} (tensors of a safetensors file)"),
    };
    architecture.check()?;
    let counted = count(&architecture, &Details::default());
    architecture.params = counted.total;
    architecture.active_params = counted.active;
    Ok(Reading { architecture, checkpoint: None, image_tokens: 0, stored: None, notes })
}

/// Rows and columns of a matrix.
fn sides(tensor: &Tensor) -> Option<(u32, u32)> {
    let [rows, columns] = tensor.shape.as_slice() else { return None };
    super::plain_name(tensor.format)?;
    Some((u32::try_from(*rows).ok()?, u32::try_from(*columns).ok()?))
}
