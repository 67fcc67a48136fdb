//! Whole runs: GPU-hours of a training from the first token to the last, with what restarts and checkpoints cost.
//!
//! A source that tells of a whole run seldom states its settings. What it leaves open is then what the planner takes for
//! a job of which it knows as little; such a row has no other figure than its GPU-hours.

use super::{Case, shape};
use crate::catalog::Catalog;
use crate::estimate::{Range, training::TrainingModel};
use crate::insight::question::Question;
use crate::insight::{Skip, runs};
use crate::workload::resolve::training::usual_batch;

/// Tokens per sequence of a run that does not say.
const SEQ_LEN: f64 = 2048.0;

/// Tokens of the whole run, as the authors of the network say. What the row says of them was measured with its hours.
pub(super) fn tokens(question: &Question) -> Option<f64> {
    if question.lower("method") != "pretrain" {
        return None;
    }
    runs::tokens(question.text("model")?)
}

/// The case of a run whose row leaves settings open.
pub(super) fn case(catalog: &Catalog, question: &Question, tokens: f64) -> Result<Case, Skip> {
    let gpus = question.needs("gpu_count")?;
    let params = shape::architecture(catalog, question)?.params;
    let question = question.clone().or_number("seq_len", SEQ_LEN);
    let seq_len = question.needs_count("seq_len")?;
    let usual = usual_batch(catalog, params, seq_len).ok_or_else(|| Skip::blank("global_batch_seqs"))?;
    // Every GPU has the same number of sequences in a step.
    let each = (f64::from(usual) / gpus).round().max(1.0);
    let case = Case::told(catalog, &question.or_number("global_batch_seqs", each * gpus))?;
    Ok(Case { run_tokens: Some(tokens), only_run: true, ..case })
}

/// GPU-hours of the run at this speed.
pub(super) fn gpu_hours(
    model: &TrainingModel,
    step_s: Range,
    tokens_per_step: f64,
    tokens: f64,
    gpus: u32,
) -> Range {
    let hours = model.hours_of(step_s, tokens / tokens_per_step);
    let gpus = f64::from(gpus);
    Range { low: hours.low * gpus, expected: hours.expected * gpus, high: hours.high * gpus }
}
