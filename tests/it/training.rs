//! Training estimates against published measurements (`tests/golden/training.toml`).

use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::estimate::training::TrainingModel;
use gpuadvise::estimate::{Layout, Machine, Verdict};
use gpuadvise::model::{Architecture, Attention, Kind, Origin};
use gpuadvise::units::GIB;
use gpuadvise::workload::precision::Precision;
use gpuadvise::workload::software::framework_class;
use gpuadvise::workload::{
    AttentionKernel, Layouts, Method, Offload, Optimizer, Recompute, Sharding, Task, Training,
};
use serde::Deserialize;
use std::fmt::Write as _;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    measurement: Vec<Measurement>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Measurement {
    name: String,
    source: String,
    as_of: String,
    gpu: String,
    gpus_per_node: u32,
    network_gbps: Option<f64>,
    shape: Shape,
    method: Method,
    #[serde(default)]
    lora_rank: u32,
    precision: String,
    framework: String,
    attention: AttentionKernel,
    seq_len: u32,
    layout: Spread,
    tokens_per_s_per_gpu: Option<f64>,
    peak_gib: Option<f64>,
    #[serde(default)]
    driver: bool,
    #[serde(default)]
    out_of_memory: bool,
    #[serde(default)]
    tolerance: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Shape {
    layers: u32,
    hidden: u32,
    heads: u32,
    kv_heads: u32,
    ffn: u32,
    vocab: u32,
    gated: bool,
    tied: bool,
    #[serde(default)]
    encoder: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Spread {
    dp: u32,
    tp: u32,
    pp: u32,
    sharding: String,
    recompute: String,
    micro_batch: u32,
    grad_accumulation: u32,
}

impl Shape {
    fn architecture(&self) -> Architecture {
        let (hidden, ffn) = (f64::from(self.hidden), f64::from(self.ffn));
        let head_dim = self.hidden / self.heads;
        let attention = 2.0 * hidden * (hidden + f64::from(self.kv_heads * head_dim));
        let mlp = if self.gated { 3.0 } else { 2.0 } * hidden * ffn;
        let embeddings = if self.tied { 1.0 } else { 2.0 } * f64::from(self.vocab) * hidden;
        let params = f64::from(self.layers) * (attention + mlp) + embeddings;
        Architecture {
            name: String::new(),
            origin: Origin::ByHand,
            kind: if self.encoder { Kind::Encoder } else { Kind::Decoder },
            params,
            active_params: params,
            layers: self.layers,
            hidden: self.hidden,
            heads: self.heads,
            kv_heads: self.kv_heads,
            head_dim,
            ffn: self.ffn,
            gated_mlp: self.gated,
            vocab: self.vocab,
            tied_embeddings: self.tied,
            native_context: None,
            attention: Attention::Heads,
            window: None,
            moe: None,
            kv_caveat: None,
            source: String::new(),
        }
    }
}

impl Measurement {
    fn layout(&self) -> Layout {
        let spread = &self.layout;
        Layout {
            dp: spread.dp,
            tp: spread.tp,
            pp: spread.pp,
            ep: 1,
            cp: 1,
            offload: Offload::None,
            sharding: match spread.sharding.as_str() {
                "ddp" => Sharding::Ddp,
                "zero1" => Sharding::Zero1,
                "zero3" => Sharding::Zero3,
                other => panic!("sharding {other}"),
            },
            recompute: match spread.recompute.as_str() {
                "none" => Recompute::None,
                "selective" => Recompute::Selective,
                "full" => Recompute::Full,
                other => panic!("recompute {other}"),
            },
            micro_batch: spread.micro_batch,
            grad_accumulation: spread.grad_accumulation,
        }
    }

    fn job(&self, catalog: &Catalog) -> Training {
        let layout = self.layout();
        Training {
            task: if self.method == Method::Full && !self.shape.encoder {
                Task::Train
            } else {
                Task::Finetune
            },
            method: self.method,
            lora_rank: self.lora_rank,
            precision: Some(match self.precision.as_str() {
                "bf16" => Precision::Bf16,
                "fp16" => Precision::Fp16,
                "fp8" => Precision::Fp8,
                other => panic!("precision {other}"),
            }),
            strict: false,
            optimizer: Optimizer::Adamw,
            seq_len: self.seq_len,
            global_batch: layout.dp * layout.micro_batch * layout.grad_accumulation,
            micro_batch: Some(layout.micro_batch),
            tokens: 1e9,
            recompute: Some(layout.recompute),
            sharding: Some(layout.sharding),
            offload: Offload::None,
            attention: self.attention,
            framework: framework_class(catalog, &self.framework).expect("a known framework").to_owned(),
            goodput: None,
            scaling_efficiency: None,
            fused_loss: false,
            software: String::new(),
            layouts: Layouts::default(),
        }
    }

    /// One line for each figure that is further off than its tolerance.
    fn misses(&self, catalog: &Catalog) -> String {
        let gpu = catalog.gpus.iter().find(|gpu| gpu.name == self.gpu).expect("a known GPU");
        let machine = Machine {
            inter_bytes_per_s: self.network_gbps.map(|gbps| gbps * 1e9 / 8.0),
            ..Machine::of_gpu(catalog, gpu, self.gpus_per_node).expect("links")
        };
        let layout = self.layout();
        let gpus = layout.dp * layout.tp * layout.pp;
        let architecture = self.shape.architecture();
        let model =
            TrainingModel::new(catalog, &architecture, &self.job(catalog), &machine, gpus).expect("a plan");
        let mut misses = String::new();
        let mut compare = |what: &str, predicted: f64, measured: f64| {
            let error = predicted / measured - 1.0;
            if error.abs() > self.tolerance {
                let _ = writeln!(
                    misses,
                    "{} ({}, {}): {what} {predicted:.1} instead of {measured:.1}, {:+.0} %",
                    self.name,
                    self.source,
                    self.as_of,
                    100.0 * error
                );
            }
        };
        if let Some(measured) = self.tokens_per_s_per_gpu {
            let predicted = model.speed(&layout).tokens_per_s / f64::from(gpus);
            compare("tokens/s/GPU", predicted, measured);
        }
        let memory = model.memory(&layout);
        if let Some(measured) = self.peak_gib {
            // Frameworks do not see the context that the driver counts.
            let context = catalog
                .constant("context-bytes", Some(gpu), None, None, gpus)
                .map_or(0.0, |constant| constant.value);
            let seen = memory.terms.total() - if self.driver { 0.0 } else { context };
            compare("GiB", seen / GIB, measured);
        }
        if self.out_of_memory && Verdict::of(&memory, machine.usable_bytes) == Verdict::Fits {
            let _ = writeln!(misses, "{}: ran out of memory, but `fits`", self.name);
        }
        misses
    }
}

#[test]
fn published_measurements_are_met() {
    let catalog = embedded(Sections { constants: true, ..Sections::HARDWARE }).expect("the catalog");
    let text = include_str!("../golden/training.toml");
    let file: File = toml::from_str(text).expect("measurements");
    assert!(file.measurement.len() >= 20);
    let misses: String = file.measurement.iter().map(|one| one.misses(&catalog)).collect();
    assert!(misses.is_empty(), "{misses}");
}
