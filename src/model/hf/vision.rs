//! The image encoder that a composite model carries: what it weighs, and how many tokens an image becomes.
//!
//! Its keys vary by family; what cannot be read is left out with a note, never refused, since the language model decides.

use serde_json::{Map, Value};

/// Side of an image of which nothing is said, in pixels: a photograph after the usual scaling down.
const USUAL_PIXELS: u32 = 1024;
/// Side of a patch of which nothing is said, in pixels (Dosovitskiy et al. 2021; Radford et al. 2021: 14 for ViT-L).
const USUAL_PATCH: u32 = 14;

/// What the image encoder adds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Vision {
    /// Parameters of the encoder.
    pub(super) params: f64,
    /// Tokens that one image puts into the prompt.
    pub(super) tokens: u32,
    /// What was read and what was taken for granted, in one sentence.
    pub(super) note: String,
}

/// Reads `vision_config`; `None` where there is none. `text_hidden` is the width that its output is projected to.
pub(super) fn read(outer: &Map<String, Value>, text_hidden: u32) -> Option<Vision> {
    let own = ["vision_config", "vision_tower_config", "visual"]
        .iter()
        .find_map(|key| outer.get(*key)?.as_object())?;
    let number = |keys: &[&str]| {
        let read = |key: &&str| {
            own.get(*key)?.as_f64().filter(|n| (1.0..=f64::from(1 << 20)).contains(n)).map(|n| n as u32)
        };
        keys.iter().find_map(read)
    };
    let hidden = number(&["embed_dim", "hidden_size", "width"])?;
    let layers = number(&["num_hidden_layers", "depth", "layers"])?;
    let ratio = own.get("mlp_ratio").and_then(Value::as_f64).filter(|ratio| (0.5..=16.0).contains(ratio));
    let ffn = number(&["intermediate_size"]).map_or(f64::from(hidden) * ratio.unwrap_or(4.0), f64::from);
    let patch = number(&["patch_size"]).unwrap_or(USUAL_PATCH);
    let merge = number(&["spatial_merge_size"]).unwrap_or(1);
    let stated = number(&["image_size"]);
    let pixels = stated.unwrap_or(USUAL_PIXELS);
    let patches = f64::from((pixels / patch).max(1)).powi(2);
    let tokens = (patches / f64::from(merge * merge)).ceil();
    let width = f64::from(hidden);
    // Two matrices of the MLP and four of attention in each layer, the patch embedding, and a projector of two matrices.
    let body = f64::from(layers) * (4.0 * width * width + 2.0 * width * ffn);
    let projector = (width * f64::from(merge * merge) + f64::from(text_hidden)) * f64::from(text_hidden);
    let params = body + 3.0 * f64::from(patch * patch) * width + projector;
    let size = match stated {
        Some(pixels) => format!("an image of {pixels} x {pixels} pixels"),
        None => format!(
            "the file does not say how large an image is, so one of {USUAL_PIXELS} x {USUAL_PIXELS} pixels is planned for; it"
        ),
    };
    let note = format!(
        "an image encoder of {:.2} billion parameters counts among the weights; {size} takes {tokens} tokens of the \
         prompt, and one is part of the default `--input-len`",
        params / 1e9
    );
    Some(Vision { params, tokens: tokens as u32, note })
}
