//! A dense network of the shape that a row states. Which of the readings of a shape is meant is decided by who asks.

use super::question::Question;
use crate::model::count::{Details, count};
use crate::model::{Architecture, Attention, Kind, Origin, infer};

/// What a row says of the size of a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stated {
    pub(super) kind: Kind,
    pub(super) layers: u32,
    pub(super) hidden: u32,
    /// Query heads, at least 1.
    pub(super) heads: u32,
}

/// A dense network with this gating and tying; parameters are counted. What is not stated is as in plain attention, four
/// times the width in the MLP, and the vocabulary that is usual at this width.
pub(super) fn dense(
    question: &Question,
    name: &str,
    stated: Stated,
    gated_mlp: bool,
    tied: bool,
) -> Architecture {
    let Stated { kind, layers, hidden, heads } = stated;
    let mut arch = Architecture {
        name: name.to_owned(),
        origin: Origin::ByHand,
        kind,
        params: 0.0,
        active_params: 0.0,
        layers,
        hidden,
        heads,
        kv_heads: question.count("kv_heads").unwrap_or(heads),
        head_dim: (hidden / heads).max(1),
        ffn: question.count("ffn_hidden").unwrap_or(hidden.saturating_mul(4)),
        gated_mlp,
        vocab: question.count("vocab").unwrap_or_else(|| infer::vocab(hidden)),
        tied_embeddings: tied,
        native_context: None,
        attention: Attention::Heads,
        window: None,
        moe: None,
        kv_caveat: None,
        source: "stated with the measurement".to_owned(),
    };
    arch.params = count(&arch, &Details::default()).total;
    arch.active_params = arch.params;
    arch
}
