//! Which network a row means: a preset by its name, checked against what the row states, or the shape that it states.

use super::super::Skip;
use super::super::question::Question;
use super::super::shape::{Stated, dense};
use crate::catalog::Catalog;
use crate::catalog::lookup::names::squeeze;
use crate::model::{Architecture, Kind, preset};

/// By how much a stated parameter count may differ from the preset that the name means: sources count with or without
/// embeddings, and round to billions.
const SIZE_TOLERANCE: f64 = 0.2;
const ROUNDED_TO: f64 = 0.5e9;
/// The same for a shape: a count beyond this means a part that the row does not state.
const SHAPE_TOLERANCE: f64 = 0.15;

/// The network of a row.
pub(super) fn architecture(catalog: &Catalog, question: &Question) -> Result<Architecture, Skip> {
    let name = question.text("model").ok_or_else(|| Skip::blank("model"))?;
    let stated = question.number("params_b").map(|billions| billions * 1e9);
    let named = by_name(catalog, name).filter(|arch| {
        let size = stated
            .is_none_or(|stated| (arch.params - stated).abs() <= ROUNDED_TO.max(SIZE_TOLERANCE * stated));
        size && question.count("layers").is_none_or(|layers| layers == arch.layers)
    });
    named
        .or_else(|| by_shape(question, name))
        .ok_or_else(|| Skip::new(format!("`{name}` is no preset, and the row does not state its shape")))
}

/// The preset that a name means. Words behind the name say what was done to the weights (`-Instruct`, `-GGUF`, a format,
/// whose fine-tune), so they are dropped one by one until something has the name.
fn by_name(catalog: &Catalog, name: &str) -> Option<Architecture> {
    let own = name.rsplit('/').next().unwrap_or(name);
    let words: Vec<&str> = own.split([' ', '-', '_', '(']).filter(|word| !word.is_empty()).collect();
    let tail = |alias: &String| squeeze(alias.rsplit('/').next().unwrap_or(alias)) == squeeze(own);
    let whole = [name, own]
        .into_iter()
        .find_map(|text| catalog.resolve_preset(text).ok())
        .or_else(|| catalog.presets.iter().find(|preset| preset.aliases.iter().any(tail)));
    let shorter = || {
        // A size stands in every name: nothing shorter than that can be meant.
        let least = words.iter().position(|word| word.chars().any(|c| c.is_ascii_digit()))? + 1;
        (least..=words.len()).rev().find_map(|n| catalog.resolve_preset(&words[..n].join("-")).ok())
    };
    let preset = whole.or_else(shorter)?;
    Some(preset::architecture(preset, catalog).architecture)
}

/// A dense decoder of the stated shape. Whether its MLP is gated is what meets the stated count better.
fn by_shape(question: &Question, name: &str) -> Option<Architecture> {
    let (layers, hidden, heads) =
        (question.count("layers")?, question.count("hidden")?, question.count("heads")?);
    let stated = question.number("params_b")? * 1e9;
    if heads == 0 || !hidden.is_multiple_of(heads) {
        return None;
    }
    let size = Stated { kind: Kind::Decoder, layers, hidden, heads };
    let shape = |gated_mlp: bool| dense(question, name, size, gated_mlp, false);
    let off = |arch: &Architecture| (arch.params / stated - 1.0).abs();
    [shape(true), shape(false)]
        .into_iter()
        .min_by(|a, b| off(a).total_cmp(&off(b)))
        .filter(|arch| off(arch) <= SHAPE_TOLERANCE && arch.check().is_ok())
}
