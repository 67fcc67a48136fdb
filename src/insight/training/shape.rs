//! The network of a row: a preset where the name is one, else the shape in the cells, else a guess from the count.

use crate::catalog::Catalog;
use crate::insight::Skip;
use crate::insight::question::Question;
use crate::insight::shape::{Stated, dense};
use crate::model::{Architecture, Kind, Origin, infer, preset};

/// How far a printed count may be from that of the preset: sources round 6.74 to 7.
const SAME_COUNT: f64 = 0.15;
/// How far a count from the shape may be from the printed one, to be the better figure of the two.
const SAME_SHAPE: f64 = 0.25;

/// The network that a row means.
pub(super) fn architecture(catalog: &Catalog, question: &Question) -> Result<Architecture, Skip> {
    let name = question.text("model").ok_or_else(|| Skip::blank("model"))?;
    let lower = name.to_lowercase();
    if lower.starts_with("transformer-xl") {
        return Err(Skip::new("recurrence over segments (Transformer-XL) is not modelled"));
    }
    if ["t5-", "mt5-", "t0", "flan-t5"].iter().any(|family| lower.starts_with(family)) {
        return Err(Skip::new(
            "training of encoder-decoders is not modelled: a token crosses only one of the two",
        ));
    }
    if let Some(found) = named(catalog, question, name) {
        return Ok(found);
    }
    let params = question.number("params_b").map(|billions| billions * 1e9);
    let active = question.number("active_params_b").map(|billions| billions * 1e9);
    let refused = |error: crate::diag::InputError| Skip::new(format!("the shape is none: {}", error.message));
    match (question.count("layers").zip(question.count("hidden")), params, active) {
        (_, Some(params), Some(active)) => infer::mixture(params, active).map_err(refused),
        (_, None, Some(_)) => Err(Skip::blank("params_b")),
        (Some((layers, hidden)), _, None) => {
            let found = by_hand(question, name, layers, hidden, params);
            found.check().map_err(refused)?;
            Ok(found)
        }
        (None, Some(params), None) => {
            let found = infer::dense(params).map_err(refused)?;
            let vocab = question.count("vocab").unwrap_or(found.vocab);
            Ok(Architecture { vocab, ..found })
        }
        (None, None, None) => Err(Skip::new("neither shape nor parameter count is stated")),
    }
}

/// The preset whose name a text begins with, as long as the cells do not contradict it: what follows the name is a
/// variant (`-Chat`), a remark or a proxy with fewer layers.
fn named(catalog: &Catalog, question: &Question, name: &str) -> Option<Architecture> {
    let decimal = with_point(name.trim());
    let mut text = decimal.as_str();
    loop {
        if let Ok(preset) = catalog.resolve_preset(text) {
            let found = preset::architecture(preset, catalog).architecture;
            return agreed(question, found);
        }
        text = text[..text.rfind([' ', '-', '(', '/'])?].trim_end();
    }
}

/// A name with the point of a size that hubs write as `_`: `qwen-1_8b` is Qwen 1.8B.
fn with_point(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
    let point = |(at, &c): (usize, &char)| {
        if c == '_' && digit(at.checked_sub(1)) && digit(at.checked_add(1)) { '.' } else { c }
    };
    letters.iter().enumerate().map(point).collect()
}

/// A preset that the cells agree with; its layers may be fewer.
fn agreed(question: &Question, found: Architecture) -> Option<Architecture> {
    if question.count("hidden").is_some_and(|hidden| hidden != found.hidden) {
        return None;
    }
    if let Some(layers) = question.count("layers").filter(|&layers| layers != found.layers) {
        return (question.count("hidden").is_some()).then(|| with_layers(found, layers));
    }
    let count = question.number("params_b").map(|billions| billions * 1e9);
    let differs = |count: f64| (count / found.params - 1.0).abs() > SAME_COUNT;
    let unproven = question.count("hidden").is_none();
    (!(unproven && count.is_some_and(differs))).then_some(found)
}

/// The same network with another depth.
fn with_layers(found: Architecture, layers: u32) -> Architecture {
    let embedding = found.embedding_params();
    let scaled =
        |all: f64| embedding + (all - embedding) * f64::from(layers) / f64::from(found.layers.max(1));
    Architecture {
        params: scaled(found.params),
        active_params: scaled(found.active_params),
        layers,
        origin: Origin::ByHand,
        ..found
    }
}

/// A dense shape from cells. Whether the MLP is gated and the embeddings are tied follows from the count.
fn by_hand(question: &Question, name: &str, layers: u32, hidden: u32, params: Option<f64>) -> Architecture {
    let heads = question.count("heads").unwrap_or((hidden / 128).max(1));
    let kind = if name.to_lowercase().contains("bert") { Kind::Encoder } else { Kind::Decoder };
    let size = Stated { kind, layers, hidden, heads };
    let shape = |gated_mlp: bool, tied: bool| dense(question, name, size, gated_mlp, tied);
    let all = [shape(true, false), shape(true, true), shape(false, false), shape(false, true)];
    let [first, ..] = &all;
    let off = |shape: &Architecture| params.map_or(0.0, |params| (shape.params / params - 1.0).abs());
    let best = all.iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(first);
    let mut best = best.clone();
    if let Some(params) = params.filter(|_| off(&best) > SAME_SHAPE) {
        best.params = params;
        best.active_params = params;
    }
    best
}
