//! How a row was spread over its GPUs: what is stated, what follows from it, and what the planner has to choose.

use crate::catalog::Catalog;
use crate::insight::Skip;
use crate::insight::question::Question;
use crate::workload::Pins;
use crate::workload::software::framework_class;

/// Sizes of a row; `None` is left to the planner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    /// Tensor, pipeline and context parallel sizes; 1 where the source states others but not these.
    pub(super) tp: u32,
    pub(super) pp: u32,
    pub(super) cp: u32,
    /// Expert parallel size.
    pub(super) ep: u32,
    /// Data-parallel replicas.
    pub(super) dp: u32,
    /// Any of it is stated, so the planner must not choose.
    pub(super) stated: bool,
    /// Sequences of a step over all GPUs.
    pub(super) global_batch: f64,
    /// Sequences per GPU and pass.
    pub(super) micro_batch: Option<f64>,
}

impl Spread {
    /// Reads the sizes; what does not multiply out is a reason to skip.
    pub(super) fn of(
        catalog: &Catalog,
        question: &Question,
        total_gpus: u32,
        per_node: u32,
    ) -> Result<Self, Skip> {
        let text = question.lower("sharding");
        if text.contains("naive pipeline") {
            return Err(Skip::new("layers on several GPUs in turn (`device_map`) are not modelled"));
        }
        let size = |column: &str, mark: &str| question.count(column).or_else(|| after(&text, mark));
        let (mut tp, mut pp) = (size("tp", "tp"), size("pp", "pp"));
        if let Some(ranks) = after(&text, "model-parallel ") {
            let tensor = (1..=per_node.min(ranks)).rev().find(|&tp| ranks.is_multiple_of(tp)).unwrap_or(1);
            (tp, pp) = (Some(tensor), Some(ranks / tensor));
        }
        let cp = size("cp", "cp");
        let ep = size("ep", "ep").unwrap_or(1);
        let one_kind = ["fsdp", "zero", "ddp"].iter().any(|kind| text.contains(kind));
        // Software that splits a layer or a network says so; what is silent about it copies or shards (DDP, FSDP, ZeRO).
        let class = framework_class(catalog, &question.lower("framework"));
        let replicas_only = class.is_some_and(|class| !matches!(class, "tuned" | "legacy" | "auto-gptq"));
        let said = tp.is_some() || pp.is_some() || cp.is_some() || one_kind;
        let stated = said || replicas_only || total_gpus == 1;
        let (tp, pp, cp) = (tp.unwrap_or(1), pp.unwrap_or(1), cp.unwrap_or(1));
        let ranks = u64::from(tp) * u64::from(pp) * u64::from(cp);
        let dp = u64::from(total_gpus) / ranks.max(1);
        let unequal = || Skip::new("tp x pp x cp x dp is not the number of GPUs");
        if dp == 0 || dp * ranks != u64::from(total_gpus) {
            return Err(unequal());
        }
        let dp = dp as u32;
        if stated && question.count("dp").is_some_and(|said| said != dp && said != dp * cp) {
            return Err(unequal());
        }
        let (global_batch, mut micro_batch) = batch(question, dp)?;
        // A pipeline with a single pass is none: the batch of a rank is cut into passes of one sequence.
        if pp > 1 && micro_batch.is_some_and(|micro| micro * f64::from(dp) >= global_batch) {
            micro_batch = Some(1.0);
        }
        Ok(Self { tp, pp, cp, ep, dp, stated, global_batch, micro_batch })
    }

    /// What the planner may not choose.
    pub(super) fn pins(&self) -> Pins {
        if !self.stated {
            return Pins::default();
        }
        Pins { dp: Some(self.dp), tp: Some(self.tp), pp: Some(self.pp), ep: Some(self.ep), cp: Some(self.cp) }
    }
}

/// Global batch and micro-batch. One follows from the other where passes are stated too, and without any word of
/// accumulation a step is one pass.
fn batch(question: &Question, dp: u32) -> Result<(f64, Option<f64>), Skip> {
    let ranks = f64::from(dp);
    let (micro, passes) = (question.number("micro_batch"), question.number("grad_accum"));
    let stated = question.number("global_batch_seqs");
    match (stated, micro) {
        (None, None) => Err(Skip::new("neither `micro_batch` nor `global_batch_seqs` is stated")),
        (None, Some(micro)) => Ok((micro * passes.unwrap_or(1.0) * ranks, Some(micro))),
        (Some(global), micro) => Ok((global, micro)),
    }
}

/// The number right behind a mark: 8 in `tp8+pp16` behind `tp`.
fn after(text: &str, mark: &str) -> Option<u32> {
    text.match_indices(mark).find_map(|(at, _)| {
        let rest = &text[at + mark.len()..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok().filter(|&number| number > 0)
    })
}
