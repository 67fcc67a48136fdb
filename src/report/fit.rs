//! The body of `fit`: does the workload fit, memory term by term.

use super::document::{Body, Csv, Used};
use super::row::{AdviceLine, Memory, Parallelism};
use super::view::Block;
use super::workload::WorkloadLine;
use crate::advise::fit;
use crate::catalog::Catalog;
use crate::estimate::{Unplannable, Verdict};
use crate::workload::Workload;
use serde::Serialize;

/// Columns of CSV.
const COLUMNS: [&str; 40] = [
    "gpu",
    "gpus",
    "precision",
    "dp",
    "tp",
    "pp",
    "ep",
    "cp",
    "sharding",
    "micro_batch",
    "grad_accumulation",
    "recompute",
    "offload",
    "per_gpu_capacity_gib",
    "usable_gib",
    "total_gib",
    "low_gib",
    "high_gib",
    "margin_gib",
    "margin_pct",
    "estimated_terms",
    "host_ram_gib",
    "weights_gib",
    "gradients_gib",
    "optimizer_gib",
    "master_weights_gib",
    "activations_gib",
    "logits_gib",
    "kv_cache_gib",
    "workspace_gib",
    "communication_gib",
    "framework_gib",
    "verdict",
    "max_micro_batch",
    "max_seq_len",
    "max_concurrency",
    "reason_id",
    "reason_message",
    "advice",
    "explain",
];

/// The answer of `fit`. Rules fill `results[i].advice` in after it is built.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// What was asked, defaults filled in; `null` where the catalog is invalid.
    pub workload: Option<WorkloadLine>,
    /// One for each GPU model.
    pub results: Vec<FitLine>,
    #[serde(skip)]
    pub(super) used: Used,
}

/// One result as printed. Where nothing can be said, `reason` says why and the verdict is `no`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FitLine {
    /// Canonical name.
    pub gpu: String,
    /// How many, in one node.
    pub gpus: u32,
    /// Arithmetic on this accelerator.
    pub precision: &'static str,
    /// Layout.
    pub parallelism: Option<Parallelism>,
    /// Memory of the fullest GPU.
    pub memory: Option<Memory>,
    /// `fits`, `tight` or `no`.
    pub verdict: &'static str,
    /// Most sequences per GPU and pass; training.
    pub max_micro_batch: Option<u32>,
    /// Longest sequence, or context.
    pub max_seq_len: Option<u32>,
    /// Most requests at the same time; serving.
    pub max_concurrency: Option<u32>,
    /// Why nothing can be said.
    pub reason: Option<ReasonLine>,
    /// What the rules say.
    pub advice: Vec<AdviceLine>,
    /// Formulas with the numbers put in, when asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<String>>,
}

/// Why a workload cannot be judged on an accelerator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonLine {
    /// Stable id, for `explain`.
    pub id: &'static str,
    /// One sentence.
    pub message: String,
}

impl From<&Unplannable> for ReasonLine {
    fn from(unplannable: &Unplannable) -> Self {
        Self { id: unplannable.id, message: unplannable.message.clone() }
    }
}

impl Fit {
    /// The body for these results, in their order.
    pub fn new(catalog: &Catalog, workload: &Workload, results: &[fit::Fit]) -> Self {
        let mut used = Used::default();
        for result in results {
            let gpu = catalog.gpu(result.gpu);
            used.figure(gpu.source);
            if let Some(source) = gpu.usable_source {
                used.figure(source);
            }
        }
        Self {
            workload: Some(WorkloadLine::new(workload)),
            results: results.iter().map(|r| FitLine::new(catalog, workload, r)).collect(),
            used,
        }
    }

    /// The answer of a run whose catalog cannot be used.
    pub fn nothing() -> Self {
        Self { workload: None, results: Vec::new(), used: Used::default() }
    }
}

impl FitLine {
    /// One result as printed, without advice and formulas.
    pub fn new(catalog: &Catalog, workload: &Workload, result: &fit::Fit) -> Self {
        let gpu = catalog.gpu(result.gpu);
        let judged = result.judged.as_ref();
        let memory =
            |j: &fit::Judged| Memory::new(&j.memory, result.capacity_bytes, result.usable_bytes, j.verdict);
        Self {
            gpu: gpu.name.clone(),
            gpus: result.gpus,
            precision: super::workload::precision_on(workload, gpu),
            parallelism: judged.ok().map(|j| Parallelism::from(&j.layout)),
            memory: judged.ok().map(memory),
            verdict: judged.map_or(Verdict::No, |j| j.verdict).name(),
            max_micro_batch: judged.ok().and_then(|j| j.max_micro_batch),
            max_seq_len: judged.ok().and_then(|j| j.max_seq_len),
            max_concurrency: judged.ok().and_then(|j| j.max_concurrency),
            reason: judged.err().map(ReasonLine::from),
            advice: Vec::new(),
            explain: None,
        }
    }
}

impl Body for Fit {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "results", spread: None, columns: &COLUMNS }
    }

    fn headline(&self) -> Option<String> {
        self.workload.as_ref().map(WorkloadLine::headline)
    }

    fn blocks(&self) -> Vec<Block> {
        super::text::fit(self)
    }
}
