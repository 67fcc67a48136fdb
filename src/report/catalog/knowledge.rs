//! Rows of `catalog models`, `catalog scenarios` and `catalog rules`.

use super::CatalogRow;
use crate::catalog::Catalog;
use crate::catalog::knowledge::{Rule, Scenario};
use crate::catalog::preset::Preset;
use crate::report::date::Dated;
use crate::report::number::Num;
use crate::units::Count;
use serde::Serialize;

/// One model preset.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `catalog::preset::Preset`")]
pub struct ModelRow {
    pub name: String,
    pub aliases: Vec<String>,
    pub family: String,
    pub kind: String,
    pub params: u64,
    pub active_params: u64,
    pub layers: Option<u32>,
    pub hidden: Option<u32>,
    pub heads: Option<u32>,
    pub kv_heads: Option<u32>,
    pub head_dim: Option<u32>,
    pub ffn: Option<u32>,
    pub gated_mlp: Option<bool>,
    pub vocab: Option<u32>,
    pub tied_embeddings: Option<bool>,
    pub native_context: Option<u32>,
    pub attention: Option<String>,
    pub mla_kv_lora_rank: Option<u32>,
    pub mla_rope_dim: Option<u32>,
    pub sliding_window: Option<u32>,
    pub global_every: Option<u32>,
    pub experts: Option<u32>,
    pub experts_per_token: Option<u32>,
    pub expert_ffn: Option<u32>,
    pub shared_experts: Option<Num>,
    pub dense_first_layers: Option<u32>,
    pub moe_every: Option<u32>,
    pub flops_per_sample: Option<u64>,
    pub activations: Option<u64>,
    pub companion_params: Option<u64>,
    pub image_size: Option<u32>,
    pub window_s: Option<Num>,
    pub checkpoint_dtype: Option<String>,
    pub kv_caveat: Option<String>,
    pub source: String,
    pub as_of: Dated,
    pub note: Option<String>,
}

impl ModelRow {
    pub(super) fn new(catalog: &Catalog, preset: &Preset) -> Self {
        let source = catalog.source(preset.source);
        let p = preset.clone();
        let on_samples = p.works_on_samples();
        let known = |count: u32| (count > 0 || !on_samples).then_some(count);
        Self {
            name: p.name,
            aliases: p.aliases,
            family: p.family,
            kind: p.kind,
            params: p.params,
            active_params: p.active_params,
            layers: known(p.layers),
            hidden: known(p.hidden),
            heads: (!on_samples).then_some(p.heads),
            kv_heads: (!on_samples).then_some(p.kv_heads),
            head_dim: (!on_samples).then_some(p.head_dim),
            ffn: known(p.ffn),
            gated_mlp: (!on_samples).then_some(p.gated_mlp),
            vocab: (!on_samples).then_some(p.vocab),
            tied_embeddings: (!on_samples).then_some(p.tied_embeddings),
            native_context: (!on_samples).then_some(p.native_context),
            attention: (!on_samples).then_some(p.attention),
            mla_kv_lora_rank: p.mla_kv_lora_rank,
            mla_rope_dim: p.mla_rope_dim,
            sliding_window: p.sliding_window,
            global_every: p.global_every,
            experts: p.experts,
            experts_per_token: p.experts_per_token,
            expert_ffn: p.expert_ffn,
            shared_experts: p.shared_experts.map(Num::exact),
            dense_first_layers: p.dense_first_layers,
            moe_every: p.moe_every,
            flops_per_sample: p.flops_per_sample,
            activations: p.activations,
            companion_params: p.companion_params,
            image_size: p.image_size,
            window_s: p.window_s.map(Num::exact),
            checkpoint_dtype: p.checkpoint_dtype,
            kv_caveat: p.kv_caveat,
            source: source.text.clone(),
            as_of: Dated(source.as_of),
            note: p.note,
        }
    }
}

impl CatalogRow for ModelRow {
    const KIND: &'static str = "model";
    const EXPENDABLE: &'static [&'static str] =
        &["family", "hidden", "heads", "kind", "layers", "as of", "KV heads"];
    const COLUMNS: &'static [&'static str] = &[
        "name",
        "aliases",
        "family",
        "kind",
        "params",
        "active_params",
        "layers",
        "hidden",
        "heads",
        "kv_heads",
        "head_dim",
        "ffn",
        "gated_mlp",
        "vocab",
        "tied_embeddings",
        "native_context",
        "attention",
        "mla_kv_lora_rank",
        "mla_rope_dim",
        "sliding_window",
        "global_every",
        "experts",
        "experts_per_token",
        "expert_ffn",
        "shared_experts",
        "dense_first_layers",
        "moe_every",
        "flops_per_sample",
        "activations",
        "companion_params",
        "image_size",
        "window_s",
        "checkpoint_dtype",
        "kv_caveat",
        "source",
        "as_of",
        "note",
    ];

    fn titles() -> &'static [&'static str] {
        &[
            "model",
            "family",
            "kind",
            ">params",
            ">active",
            ">layers",
            ">hidden",
            ">heads",
            ">KV heads",
            "attention",
            ">experts",
            ">context",
            "as of",
        ]
    }

    fn cells(&self) -> Vec<String> {
        let count = |n: Option<u32>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
        vec![
            self.name.clone(),
            self.family.clone(),
            self.kind.clone(),
            Count(self.params).rounded(),
            Count(self.active_params).rounded(),
            count(self.layers),
            count(self.hidden),
            count(self.heads),
            count(self.kv_heads),
            self.attention.clone().unwrap_or_else(|| "-".to_owned()),
            count(self.experts),
            count(self.native_context),
            self.as_of.short(),
        ]
    }
}

/// One named scenario with the machine that its guide recommends.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `catalog::knowledge::Scenario`")]
pub struct ScenarioRow {
    pub name: String,
    pub title: String,
    pub guide_gpu: String,
    pub guide_gpus: u32,
    pub guide_vcpus: u32,
    pub workloads: Vec<ScenarioWorkloadRow>,
    pub source: String,
    pub as_of: Dated,
    pub note: Option<String>,
}

/// One workload of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScenarioWorkloadRow {
    /// What people call it.
    pub name: String,
    /// Its flags as typed; empty when it is not judged.
    pub flags: String,
    /// Why no verdict is given.
    pub not_judged: Option<String>,
}

impl ScenarioRow {
    pub(super) fn new(catalog: &Catalog, scenario: &Scenario) -> Self {
        let source = catalog.source(scenario.source);
        let workload = |w: &crate::catalog::knowledge::ScenarioWorkload| ScenarioWorkloadRow {
            name: w.name.clone(),
            flags: w
                .flags
                .iter()
                .map(|(flag, value)| format!("--{flag} {value}"))
                .collect::<Vec<_>>()
                .join(" "),
            not_judged: w.not_judged.clone(),
        };
        Self {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            guide_gpu: scenario.guide_gpu.clone(),
            guide_gpus: scenario.guide_gpus,
            guide_vcpus: scenario.guide_vcpus,
            workloads: scenario.workloads.iter().map(workload).collect(),
            source: source.text.clone(),
            as_of: Dated(source.as_of),
            note: scenario.note.clone(),
        }
    }
}

impl CatalogRow for ScenarioRow {
    const KIND: &'static str = "scenario";
    const EXPENDABLE: &'static [&'static str] = &["as of"];
    const COLUMNS: &'static [&'static str] =
        &["name", "title", "guide_gpu", "guide_gpus", "guide_vcpus", "workloads", "source", "as_of", "note"];

    fn titles() -> &'static [&'static str] {
        &["scenario", "for", "guide's machine", "workloads", "as of"]
    }

    fn cells(&self) -> Vec<String> {
        let workload = |w: &ScenarioWorkloadRow| match &w.not_judged {
            Some(_) => format!("{} (not judged)", w.name),
            None => w.name.clone(),
        };
        vec![
            self.name.clone(),
            self.title.clone(),
            format!("{}x\u{a0}{}, {} vCPU", self.guide_gpus, self.guide_gpu, self.guide_vcpus),
            self.workloads.iter().map(workload).collect::<Vec<_>>().join(", "),
            self.as_of.short(),
        ]
    }
}

/// One advice rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `catalog::knowledge::Rule`")]
pub struct RuleRow {
    pub id: String,
    pub level: String,
    pub when: String,
    pub message: String,
    pub explain: String,
    pub saves_usd: Option<String>,
    pub source: String,
    pub as_of: Dated,
    pub overridden: bool,
}

impl RuleRow {
    pub(super) fn new(catalog: &Catalog, rule: &Rule) -> Self {
        let source = catalog.source(rule.source);
        Self {
            id: rule.id.clone(),
            level: rule.level.clone(),
            when: rule.when.clone(),
            message: rule.message.clone(),
            explain: rule.explain.clone(),
            saves_usd: rule.saves_usd.clone(),
            source: source.text.clone(),
            as_of: Dated(source.as_of),
            overridden: rule.overridden,
        }
    }
}

impl CatalogRow for RuleRow {
    const KIND: &'static str = "rule";
    const EXPENDABLE: &'static [&'static str] = &["as of"];
    const COLUMNS: &'static [&'static str] =
        &["id", "level", "when", "message", "explain", "saves_usd", "source", "as_of", "overridden"];

    fn titles() -> &'static [&'static str] {
        &["rule", "level", "when", "as of"]
    }

    fn cells(&self) -> Vec<String> {
        vec![self.id.clone(), self.level.clone(), self.when.clone(), self.as_of.short()]
    }
}
