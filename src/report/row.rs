//! One recommended configuration with the field names of the contract: plain data, which rules and policies read as
//! `row.region`, `row.memory.verdict`, `row.costs[0].total_usd`.

mod performance;

pub use performance::{Performance, Span};

use super::contract::CostLine;
use super::number::Num;
use crate::advise::{self, Recommendation};
use crate::catalog::Catalog;
use crate::estimate::{Layout, MemoryEstimate, Verdict};
use crate::rule;
use crate::workload::{Job, Recompute, Sharding, Workload};
use serde::Serialize;

/// One recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// 1 is best; 0 until the order is known.
    pub rank: u32,
    /// Short name of the provider.
    pub provider: String,
    /// The cheapest allowed region.
    pub region: String,
    /// Other allowed regions that have it, cheapest first.
    pub also_in: Vec<String>,
    /// `hyperscaler`, `specialist` or `marketplace`.
    pub tier: &'static str,
    /// The provider's name of the machine.
    pub instance_type: String,
    /// Canonical name of the accelerator.
    pub gpu: String,
    /// Accelerators in one machine; a fraction for shares.
    pub gpus_per_node: Num,
    /// Machines.
    pub nodes: u32,
    /// Copies of the model.
    pub replicas: u32,
    /// Accelerators in all.
    pub total_gpus: Num,
    /// Virtual CPUs of one machine.
    pub vcpus: Option<Num>,
    /// Main memory of one machine, GiB.
    pub ram_gib: Option<Num>,
    /// Arithmetic on this accelerator: as asked, else BF16 where it has BF16, else FP16.
    pub precision: &'static str,
    /// The contract that the row is ranked by: the cheapest of those asked for.
    pub ranked_billing: &'static str,
    /// Its expected total.
    pub ranked_total_usd: Num,
    /// That total lacks a part whose price is not known.
    pub ranked_at_least: bool,
    /// Parallel layout.
    pub parallelism: Parallelism,
    /// Memory of the fullest GPU.
    pub memory: Memory,
    /// Speed of the whole configuration.
    pub performance: Performance,
    /// Hours of the job.
    pub duration_hours: Span,
    /// Every contract side by side.
    pub costs: Vec<CostLine>,
    /// What the rules say; filled in after the row is built.
    pub advice: Vec<AdviceLine>,
    /// Formulas with the numbers put in, when asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<String>>,
}

/// A parallel layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parallelism {
    /// Data parallel replicas.
    pub dp: u32,
    /// Tensor parallel size.
    pub tp: u32,
    /// Pipeline stages.
    pub pp: u32,
    /// Expert parallel size.
    pub ep: u32,
    /// Context parallel size.
    pub cp: u32,
    /// `ddp`, `zero1`, `zero2` or `zero3`.
    pub sharding: &'static str,
    /// Sequences per GPU and pass.
    pub micro_batch: u32,
    /// Passes per optimizer step.
    pub grad_accumulation: u32,
    /// `none`, `selective` or `full`.
    pub recompute: &'static str,
    /// What is kept in the memory of the host: `none`, `optimizer` or `all`.
    pub offload: &'static str,
}

/// Memory of the fullest GPU, GiB (2^30). `total_gib` is the expected need and the sum of the terms as printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Memory {
    /// Memory on the label of one GPU or share.
    pub per_gpu_capacity_gib: Num,
    /// What the driver really offers; verdicts are against it.
    pub usable_gib: Num,
    /// Expected need.
    pub total_gib: Num,
    /// Optimistic need.
    pub low_gib: Num,
    /// Pessimistic need.
    pub high_gib: Num,
    /// Usable less expected.
    pub margin_gib: Num,
    /// The same in per cent of usable.
    pub margin_pct: Num,
    /// `fits`, `tight` or `no`.
    pub verdict: &'static str,
    /// Main memory that offloading needs on each node.
    pub host_ram_gib: Num,
    /// The parts.
    pub terms: Terms,
    /// Names of the parts that are estimates from measured peaks; the others are counted from the shape.
    pub estimated_terms: Vec<&'static str>,
}

/// The parts of the expected need, GiB.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `estimate::MemoryTerms`")]
pub struct Terms {
    pub weights_gib: Num,
    pub gradients_gib: Num,
    pub optimizer_gib: Num,
    pub master_weights_gib: Num,
    pub activations_gib: Num,
    pub logits_gib: Num,
    pub kv_cache_gib: Num,
    pub workspace_gib: Num,
    pub communication_gib: Num,
    pub framework_gib: Num,
}

/// What one rule says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AdviceLine {
    /// Id of the rule.
    pub id: String,
    /// `info`, `suggest`, `warn` or `deny`.
    pub level: String,
    /// One sentence with its figures.
    pub message: String,
    /// What following it saves.
    pub saves_usd: Option<Num>,
    /// Where the advice comes from.
    pub source: String,
    /// The message is in the words of a user.
    #[serde(skip)]
    pub quoted: bool,
}

impl From<rule::Advice> for AdviceLine {
    fn from(advice: rule::Advice) -> Self {
        Self {
            id: advice.id,
            level: advice.level,
            message: advice.message,
            saves_usd: advice.saves_usd.map(|usd| Num::rounded(usd, 2)),
            source: advice.source,
            quoted: advice.quoted,
        }
    }
}

impl Row {
    /// The row of one recommendation, without rank, advice and formulas.
    pub fn new(catalog: &Catalog, workload: &Workload, rec: &Recommendation) -> Self {
        let instance = catalog.instance(rec.instance);
        let provider = catalog.provider(instance.provider);
        let gpu = catalog.gpu(instance.gpu);
        let useful = useful_output_tokens_per_s(workload, rec);
        Self {
            rank: 0,
            provider: provider.name.clone(),
            region: catalog.region(rec.region).name.clone(),
            also_in: rec.also_in.iter().map(|&id| catalog.region(id).name.clone()).collect(),
            tier: provider.tier.name(),
            instance_type: instance.name.clone(),
            gpu: gpu.name.clone(),
            gpus_per_node: Num::exact(instance.gpus),
            nodes: rec.nodes,
            replicas: rec.replicas,
            total_gpus: Num::exact(rec.total_gpus),
            vcpus: instance.vcpus.map(Num::exact),
            ram_gib: instance.ram_gib.map(|gib| Num::rounded(gib, 3)),
            precision: super::workload::precision_on(workload, gpu),
            ranked_billing: rec.ranked_billing.name(),
            ranked_total_usd: Num::usd(rec.ranked_total),
            ranked_at_least: rec.at_least,
            parallelism: Parallelism::from(&rec.layout),
            memory: Memory::new(&rec.memory, rec.capacity_bytes, rec.usable_bytes, rec.verdict),
            performance: Performance::new(workload, rec),
            duration_hours: Span::hours(&rec.duration_hours),
            costs: rec.costs.iter().map(|c| CostLine::new(catalog, c, &rec.duration_hours, useful)).collect(),
            advice: Vec::new(),
            explain: None,
        }
    }
}

impl From<&Layout> for Parallelism {
    fn from(layout: &Layout) -> Self {
        Self {
            dp: layout.dp,
            tp: layout.tp,
            pp: layout.pp,
            ep: layout.ep,
            cp: layout.cp,
            sharding: sharding_name(layout.sharding),
            micro_batch: layout.micro_batch,
            grad_accumulation: layout.grad_accumulation,
            recompute: recompute_name(layout.recompute),
            offload: layout.offload.name(),
        }
    }
}

impl Memory {
    /// The memory of one GPU. The total is the sum of the rounded terms, so that what is printed adds up.
    pub fn new(memory: &MemoryEstimate, capacity_bytes: f64, usable_bytes: f64, verdict: Verdict) -> Self {
        let terms = Terms::from(memory);
        let total = Num::rounded(terms.all().iter().map(|(_, term)| term.value()).sum(), 3);
        let usable = Num::gib(usable_bytes);
        Self {
            per_gpu_capacity_gib: Num::gib(capacity_bytes),
            usable_gib: usable,
            total_gib: total,
            low_gib: Num::rounded(Num::gib(memory.low).value().min(total.value()), 3),
            high_gib: Num::rounded(Num::gib(memory.high).value().max(total.value()), 3),
            margin_gib: Num::rounded(usable.value() - total.value(), 3),
            margin_pct: Num::percent((1.0 - total.value() / usable.value()) * 100.0),
            verdict: verdict.name(),
            host_ram_gib: Num::gib(memory.host_ram),
            estimated_terms: terms.estimated(),
            terms,
        }
    }
}

impl Terms {
    /// The terms with their printed names, in order.
    pub fn all(&self) -> [(&'static str, Num); 10] {
        [
            ("weights", self.weights_gib),
            ("gradients", self.gradients_gib),
            ("optimizer", self.optimizer_gib),
            ("master weights", self.master_weights_gib),
            ("activations", self.activations_gib),
            ("logits", self.logits_gib),
            ("KV cache", self.kv_cache_gib),
            ("workspace", self.workspace_gib),
            ("communication", self.communication_gib),
            ("framework", self.framework_gib),
        ]
    }
}

impl Terms {
    /// Parts that rest on constants fitted to measured peaks, as far as there are any of them.
    fn estimated(&self) -> Vec<&'static str> {
        const FITTED: [&str; 5] = ["activations", "logits", "workspace", "communication", "framework"];
        let is =
            |(name, gib): (&'static str, Num)| (FITTED.contains(&name) && gib.value() > 0.0).then_some(name);
        self.all().into_iter().filter_map(is).collect()
    }
}

impl From<&MemoryEstimate> for Terms {
    fn from(memory: &MemoryEstimate) -> Self {
        let t = &memory.terms;
        Self {
            weights_gib: Num::gib(t.weights),
            gradients_gib: Num::gib(t.gradients),
            optimizer_gib: Num::gib(t.optimizer),
            master_weights_gib: Num::gib(t.master_weights),
            activations_gib: Num::gib(t.activations),
            logits_gib: Num::gib(t.logits),
            kv_cache_gib: Num::gib(t.kv_cache),
            workspace_gib: Num::gib(t.workspace),
            communication_gib: Num::gib(t.communication),
            framework_gib: Num::gib(t.framework),
        }
    }
}

/// Generated tokens per second that count: what is offered when a request rate was asked, else what all replicas reach.
fn useful_output_tokens_per_s(workload: &Workload, rec: &Recommendation) -> Option<f64> {
    let (Job::Serving(job), advise::Performance::Serving(speed)) = (&workload.job, &rec.performance) else {
        return None;
    };
    let reached = speed.output_tokens_per_s * f64::from(rec.replicas);
    Some(job.rps.map_or(reached, |rps| reached.min(rps * f64::from(job.output_len))))
}

pub(super) fn sharding_name(sharding: Sharding) -> &'static str {
    match sharding {
        Sharding::Ddp => "ddp",
        Sharding::Zero1 => "zero1",
        Sharding::Zero2 => "zero2",
        Sharding::Zero3 => "zero3",
    }
}

pub(super) fn recompute_name(recompute: Recompute) -> &'static str {
    match recompute {
        Recompute::None => "none",
        Recompute::Selective => "selective",
        Recompute::Full => "full",
    }
}
