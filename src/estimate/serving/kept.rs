//! What software keeps on a GPU beside weights and cache while it works on a prompt, counted from its public code.
//!
//! No range and no verdict is here; which software keeps what stands in the catalog, never here.

use super::ServingModel;
use super::constants::Amount;
use crate::estimate::Layout;
use crate::model::Architecture;

/// Bytes of one activation value, one entry of a rotary table and one unpacked weight: 16 bit.
const HALF_BYTES: f64 = 2.0;
/// Bytes of one logit: the model's 16-bit output and the FP32 copy that sampling works on.
const LOGIT_BYTES: f64 = 6.0;

/// Constants of what a class of software keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    /// All of a pass in units of the count, with the range.
    pub(super) activation: Amount,
    /// MLP widths that a token keeps at the widest point of a layer; widths of its heads, divided by tensor parallelism as
    /// well; and residual streams.
    pub(super) widths: f64,
    pub(super) head_widths: f64,
    pub(super) streams: f64,
    /// Bytes of one score of attention over a prompt that are kept at a time; 0 where attention is fused.
    pub(super) score_bytes: f64,
    /// Share of the answer's cache that is not there during the prompt: 1 where the cache grows with the sequence.
    pub(super) cache_grows: f64,
    /// Whether the cache is a window as long as the longer of prompt and answer.
    pub(super) cache_rolls: bool,
    /// Most positions of the rotary tables that each layer holds; 0 where it holds none.
    pub(super) rotary_positions: f64,
    /// Whether the input embedding stays in the host's memory.
    pub(super) embedding_on_host: bool,
    /// Copies of the output matrix where it is the input embedding.
    pub(super) output_copies: f64,
    /// How often queries, keys and values of all layers are held besides while they are joined at the start.
    pub(super) joined_attention: f64,
    /// Buffers for the largest matrix, unpacked.
    pub(super) unpacked_matrices: f64,
    /// Whether the logits of the whole prompt are computed, not only those of its last token.
    pub(super) prompt_logits: bool,
}

impl Kept {
    /// Reads them: `value` finds a constant of the class, `amount` one with its range, `of_format` one by the format of weights.
    pub(super) fn find<E>(
        value: impl Fn(&'static str) -> Result<f64, E>,
        amount: impl Fn(&'static str) -> Result<Amount, E>,
        of_format: impl Fn(&'static str) -> Result<f64, E>,
    ) -> Result<Self, E> {
        Ok(Self {
            activation: amount("serve-activation")?,
            widths: value("serve-activation-widths")?,
            head_widths: value("serve-activation-heads")?,
            streams: value("serve-activation-streams")?,
            score_bytes: value("serve-kept-score-bytes")?,
            cache_grows: value("serve-cache-grows")?,
            cache_rolls: value("serve-cache-rolls")? > 0.0,
            rotary_positions: value("serve-rotary-positions")?,
            embedding_on_host: value("serve-embedding-on-host")? > 0.0,
            output_copies: value("serve-output-copied")?,
            joined_attention: value("serve-joined-attention")?,
            unpacked_matrices: of_format("serve-unpacked-matrix")?,
            prompt_logits: value("serve-prompt-logits")? > 0.0,
        })
    }
}

/// What the work on a prompt takes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    /// Bytes that follow the activations, at their expected size.
    pub(super) activations: f64,
    /// Bytes of logits beside them.
    pub(super) logits: f64,
    /// Bytes that are needed whatever the activations are: logits of whole prompts, matrices that are joined.
    pub(super) least: f64,
    /// Bytes of the whole cache that are not yet there during the prompt.
    pub(super) absent: f64,
}

impl Work {
    /// Bytes beside weights and the whole cache when activations are `scale` times as large as expected.
    pub(super) fn bytes(&self, scale: f64) -> f64 {
        ((self.activations * scale + self.logits).max(self.least) - self.absent).max(0.0)
    }

    /// The same as activations and logits.
    pub(super) fn terms(&self) -> (f64, f64) {
        let all = self.bytes(1.0);
        let activations = self.activations.min(all);
        (activations, all - activations)
    }
}

impl ServingModel<'_> {
    /// Work on the longest prompts of a batch; `max_model_len` is the longest sequence.
    pub(super) fn work(&self, layout: &Layout, concurrency: u32, max_model_len: u32) -> Work {
        let (kept, tp) = (&self.constants.kept, f64::from(layout.tp));
        let tokens = self.tokens_in_pass(concurrency, max_model_len);
        let values = activation_values(self.arch, layout.tp, kept) * HALF_BYTES;
        let scores = kept.score_bytes * self.scores(concurrency, max_model_len) / tp;
        let activations = kept.activation.expected * (tokens * values + scores);
        let logits = self.tokens_with_logits(concurrency) * f64::from(self.arch.vocab) * LOGIT_BYTES / tp;
        // Logits of whole prompts come when the last layer is done: one residual stream is left beside them.
        let stream = tokens * f64::from(self.arch.hidden) * HALF_BYTES;
        let whole = if kept.prompt_logits { logits + stream } else { 0.0 };
        // The engine samples when the activations of a pass are gone.
        let sampling = self.sampling(f64::from(concurrency));
        let answer = self.kv_per_gpu(layout, f64::from(self.serving.output_len));
        Work {
            activations,
            logits: if kept.prompt_logits { 0.0 } else { logits.max(sampling - activations) },
            least: whole.max(kept.joined_attention * self.shape.joined_bytes / tp),
            absent: kept.cache_grows * f64::from(concurrency) * answer,
        }
    }

    /// Scores of one layer over the prompts of a pass, all heads.
    fn scores(&self, concurrency: u32, max_model_len: u32) -> f64 {
        let (limit, prompt) = (self.constants.batched_tokens, f64::from(self.longest_prompt(max_model_len)));
        let piece = if limit > 0.0 { prompt.min(limit) } else { prompt };
        f64::from(concurrency) * f64::from(self.arch.heads) * piece * piece
    }

    /// The longest prompt: it leaves room for its answer in the longest sequence.
    pub(super) fn longest_prompt(&self, max_model_len: u32) -> u32 {
        max_model_len.saturating_sub(self.serving.output_len).max(self.serving.input_len)
    }

    /// Tokens whose logits one pass computes.
    fn tokens_with_logits(&self, concurrency: u32) -> f64 {
        let whole = self.constants.kept.prompt_logits;
        let each = if whole { f64::from(self.serving.input_len).max(1.0) } else { 1.0 };
        f64::from(concurrency) * each
    }

    /// Bytes that lie beside the weights from the start on one GPU: rotary tables and a buffer for unpacked weights.
    pub(super) fn tables(&self, layout: &Layout) -> f64 {
        let (arch, kept) = (self.arch, &self.constants.kept);
        let longest = f64::from(arch.native_context.unwrap_or(self.serving.max_model_len));
        let table = 2.0 * longest.min(kept.rotary_positions) * f64::from(arch.head_dim) * HALF_BYTES;
        let layers = f64::from(arch.layers.div_ceil(layout.pp.max(1)));
        let widest = arch.moe.map_or(arch.ffn, |moe| arch.ffn.max(moe.expert_ffn));
        let matrix = f64::from(arch.hidden) * f64::from(widest) * HALF_BYTES / f64::from(layout.tp);
        let unpacked = if self.serving.quantization.bits < 16.0 { kept.unpacked_matrices } else { 0.0 };
        table * layers + unpacked * matrix
    }
}

/// Values that one token of a pass keeps alive at the widest point of a layer: MLP widths (gate, up and their product in most
/// software), divided by tensor parallelism, and residual streams. Each expert that a token visits has these, and an output of
/// its own.
fn activation_values(arch: &Architecture, tp: u32, kept: &Kept) -> f64 {
    let hidden = f64::from(arch.hidden);
    let dense = kept.widths * f64::from(arch.ffn) / f64::from(tp);
    let heads = kept.head_widths * f64::from(arch.heads) * f64::from(arch.head_dim) / f64::from(tp);
    let experts = arch.moe.map_or(0.0, |moe| {
        let visited = f64::from(moe.experts_per_token) + moe.shared_experts;
        visited * (kept.widths * f64::from(moe.expert_ffn) / f64::from(tp) + hidden)
    });
    dense.max(experts) + heads + kept.streams * hidden
}
