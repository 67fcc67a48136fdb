//! The body of `recommend`: workload, ranked rows, and why the rest was rejected.

use super::document::{Body, Csv, Used};
use super::number::Num;
use super::row::Row;
use super::scenario::ScenarioAnswer;
use super::view::Block;
use super::workload::WorkloadLine;
use crate::advise::{Advice, Rejection};
use crate::catalog::Catalog;
use crate::workload::Workload;
use serde::Serialize;

/// Columns of CSV: one line for each contract of each recommendation.
const COLUMNS: [&str; 103] = [
    "rank",
    "provider",
    "region",
    "also_in",
    "tier",
    "instance_type",
    "gpu",
    "gpus_per_node",
    "nodes",
    "replicas",
    "total_gpus",
    "vcpus",
    "ram_gib",
    "precision",
    "ranked_billing",
    "ranked_total_usd",
    "ranked_at_least",
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
    "verdict",
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
    "tokens_per_s",
    "tokens_per_s_per_gpu",
    "samples_per_s",
    "tflops_per_gpu",
    "mfu",
    "communication_share",
    "scaling_efficiency",
    "ttft_ms",
    "ttft_low_ms",
    "ttft_high_ms",
    "tpot_ms",
    "tpot_low_ms",
    "tpot_high_ms",
    "output_tokens_per_s",
    "requests_per_s",
    "max_concurrency",
    "running_requests",
    "bound",
    "dominant_assumption",
    "basis",
    "duration_hours_low",
    "duration_hours_expected",
    "duration_hours_high",
    "billing",
    "upfront",
    "usd_per_hour",
    "usd_per_gpu_hour",
    "billed_hours",
    "price_unit",
    "billing_increment_s",
    "billing_minimum_s",
    "parts_compute_usd",
    "parts_startup_usd",
    "parts_idle_usd",
    "parts_storage_usd",
    "parts_egress_usd",
    "total_usd",
    "at_least",
    "low_usd",
    "high_usd",
    "commitment_usd",
    "upfront_usd",
    "saves_pct",
    "usd_per_million_output_tokens",
    "expected_interruptions",
    "expected_wall_hours",
    "checkpoint_interval_hours",
    "effective_usd_per_hour",
    "deadline_probability",
    "on_demand_hours",
    "price_as_of",
    "price_source",
    "overridden",
    "notes",
    "advice",
    "explain",
];

/// The answer of `recommend`. Rules fill `recommendations[i].advice` in after it is built.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recommend {
    /// What the guide of the asked scenario recommends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<ScenarioAnswer>,
    /// What was asked, defaults filled in; `null` for a scenario of which no workload can be judged.
    pub workload: Option<WorkloadLine>,
    /// Best first.
    pub recommendations: Vec<Row>,
    /// Configurations that were looked at: machines times node counts.
    pub considered: usize,
    /// Why the others did not, most frequent reason as given by the search.
    pub rejected: Vec<RejectedLine>,
    #[serde(skip)]
    pub(super) used: Used,
}

/// One reason for rejection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RejectedLine {
    /// Stable id.
    pub reason: &'static str,
    /// How many configurations.
    pub count: usize,
    /// The one that came nearest.
    pub nearest: Option<NearestLine>,
}

/// A rejected configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearestLine {
    /// Provider.
    pub provider: String,
    /// Machine.
    pub instance_type: String,
    /// Accelerator.
    pub gpu: String,
    /// How many machines.
    pub nodes: u32,
    /// What was allowed, in `unit`.
    pub limit: Option<Num>,
    /// What it needs, in `unit`.
    pub actual: Option<Num>,
    /// Unit of the two.
    pub unit: &'static str,
    /// One sentence.
    pub message: String,
}

impl Recommend {
    /// The body of an answer of the search.
    pub fn new(catalog: &Catalog, workload: &Workload, advice: &Advice) -> Self {
        let mut used = Used::default();
        let mut rows = Vec::with_capacity(advice.recommendations.len());
        for (rank, rec) in (1..).zip(&advice.recommendations) {
            let instance = catalog.instance(rec.instance);
            used.figure(instance.source);
            used.figure(catalog.gpu(instance.gpu).source);
            for cost in &rec.costs {
                used.cost(cost);
            }
            let mut row = Row::new(catalog, workload, rec);
            row.rank = rank;
            rows.push(row);
        }
        Self {
            scenario: None,
            workload: Some(WorkloadLine::new(workload)),
            recommendations: rows,
            considered: advice.considered,
            rejected: advice.rejected.iter().map(|r| RejectedLine::new(catalog, r)).collect(),
            used,
        }
    }
}

impl Recommend {
    /// The same answer with what the guide of a scenario recommends.
    #[must_use]
    pub fn with_scenario(mut self, scenario: ScenarioAnswer) -> Self {
        self.used.also(&scenario.used);
        self.scenario = Some(scenario);
        self
    }

    /// The body for a scenario of which no workload can be judged.
    pub fn of_scenario(scenario: ScenarioAnswer) -> Self {
        Self::nothing().with_scenario(scenario)
    }

    /// The answer of a run that comes to nothing.
    pub fn nothing() -> Self {
        Self {
            scenario: None,
            workload: None,
            recommendations: Vec::new(),
            considered: 0,
            rejected: Vec::new(),
            used: Used::default(),
        }
    }
}

impl RejectedLine {
    /// A reason of which only the count is known.
    pub fn counted(reason: &'static str, count: usize) -> Self {
        Self { reason, count, nearest: None }
    }

    /// One reason as printed.
    pub fn new(catalog: &Catalog, rejection: &Rejection) -> Self {
        Self {
            reason: rejection.reason,
            count: rejection.count,
            nearest: rejection.nearest.as_ref().map(|miss| {
                let instance = catalog.instance(miss.instance);
                let rounded = |v: Option<f64>| v.map(|v| Num::rounded(v, 3));
                let (mut limit, mut actual) = (rounded(miss.limit), rounded(miss.actual));
                if limit == actual {
                    // Rounding must not make a miss read as none.
                    (limit, actual) = (miss.limit.map(Num::exact), miss.actual.map(Num::exact));
                }
                NearestLine {
                    provider: catalog.provider(instance.provider).name.clone(),
                    instance_type: instance.name.clone(),
                    gpu: catalog.gpu(instance.gpu).name.clone(),
                    nodes: miss.nodes,
                    limit,
                    actual,
                    unit: miss.unit,
                    message: miss.message.clone(),
                }
            }),
        }
    }
}

impl Body for Recommend {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "recommendations", spread: Some("costs"), columns: &COLUMNS }
    }

    fn headline(&self) -> Option<String> {
        match (&self.workload, &self.scenario) {
            (Some(workload), _) => Some(workload.headline()),
            (None, scenario) => scenario.as_ref().map(|s| format!("{}: {}", s.name, s.title)),
        }
    }

    fn blocks(&self) -> Vec<Block> {
        super::text::recommend(self)
    }
}
