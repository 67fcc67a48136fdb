//! The `workload` of a document: shape and every setting, defaults filled in.

use super::number::Num;
use crate::catalog::gpu::Gpu;
use crate::estimate::sample::SampleModel;
use crate::estimate::serving::arithmetic;
use crate::estimate::training::precision_on as precision_of;
use crate::model::{Architecture, Attention, Kind, Origin};
use crate::workload::precision::Precision;
use crate::workload::{
    AttentionKernel, Job, KvRule, Method, Optimizer, SampleWork, Samples, Serving, Task, Training, Workload,
};
use serde::Serialize;

/// A workload as printed. What belongs to the other sort of work is `null`; `auto` is decided for each machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkloadLine {
    /// Name of the network.
    pub model: String,
    /// `preset`, `hugging-face`, `safetensors`, `gguf`, `by-hand` or `inferred`.
    pub origin: &'static str,
    /// `decoder` or `encoder`.
    pub kind: &'static str,
    /// Where the shape comes from.
    pub model_source: String,
    /// `train`, `finetune` or `infer`.
    pub task: &'static str,
    /// Transformer layers; like all shapes `null` where a network that works on samples has none.
    pub layers: Option<u32>,
    /// Width.
    pub hidden: Option<u32>,
    /// Query heads.
    pub heads: Option<u32>,
    /// Key/value heads.
    pub kv_heads: Option<u32>,
    /// Width of one head.
    pub head_dim: Option<u32>,
    /// Width of the dense MLP.
    pub ffn: Option<u32>,
    /// Vocabulary.
    pub vocab: Option<u32>,
    /// All parameters.
    pub params: Num,
    /// Parameters that one token passes through.
    pub active_params: Num,
    /// Three MLP matrices instead of two.
    pub gated_mlp: bool,
    /// Output matrix shared with the input embedding.
    pub tied_embeddings: bool,
    /// `mha`, `mqa`, `gqa` or `mla`.
    pub attention_type: &'static str,
    /// MLA: width of the latent that a token leaves in the KV cache of a layer.
    pub kv_lora_rank: Option<u32>,
    /// MLA: width of its rotary part.
    pub rope_dim: Option<u32>,
    /// Context length it was trained for.
    pub native_context: Option<u32>,
    /// Tokens in the window of the layers without full attention.
    pub sliding_window: Option<u32>,
    /// Layers with full attention.
    pub full_attention_layers: u32,
    /// Routed experts per mixture layer.
    pub experts: Option<u32>,
    /// Routed experts per token.
    pub experts_per_token: Option<u32>,
    /// Width of one expert.
    pub expert_ffn: Option<u32>,
    /// Shared experts.
    pub shared_experts: Option<Num>,
    /// Arithmetic: a format or `auto`.
    pub precision: &'static str,
    /// `full`, `lora` or `qlora`.
    pub method: Option<&'static str>,
    /// Rank of the adapters, where there are any.
    pub lora_rank: Option<u32>,
    /// Refuse instead of falling back from BF16.
    pub strict: Option<bool>,
    /// Optimizer.
    pub optimizer: Option<&'static str>,
    /// Tokens per sequence.
    pub seq_len: Option<u32>,
    /// Sequences per optimizer step.
    pub global_batch: Option<u32>,
    /// Sequences per GPU and pass; `null` is searched.
    pub micro_batch: Option<u32>,
    /// Tokens of the whole job.
    pub tokens: Option<Num>,
    /// Samples of the data set; of networks that work on samples.
    pub samples: Option<Num>,
    /// Passes over them.
    pub epochs: Option<Num>,
    /// Passes of the network for one sample.
    pub evaluations: Option<Num>,
    /// Activation recomputation or `auto`.
    pub recompute: Option<&'static str>,
    /// Sharding or `auto`.
    pub sharding: Option<&'static str>,
    /// What is kept in the memory of the host.
    pub offload: Option<&'static str>,
    /// Attention kernel.
    pub attention: Option<&'static str>,
    /// Class of training software.
    pub framework: Option<String>,
    /// The software itself, where it was named: narrower than its class.
    pub software: Option<String>,
    /// Share of useful wall time; `null` takes the sourced table.
    pub goodput: Option<Num>,
    /// Training: share of the speed in one node that each GPU keeps in several, as asked; `None` follows from the network.
    pub scaling_efficiency: Option<Num>,
    /// Loss without keeping the logits.
    pub fused_loss: Option<bool>,
    /// How weights are stored for serving.
    pub quantization: Option<String>,
    /// Effective bits per quantised weight.
    pub quantization_bits: Option<Num>,
    /// Format of the KV cache.
    pub kv_precision: Option<String>,
    /// What is reserved for layers with a window.
    pub kv_rule: Option<&'static str>,
    /// Prompt tokens of a request.
    pub input_len: Option<u32>,
    /// Generated tokens of a request.
    pub output_len: Option<u32>,
    /// Requests at the same time.
    pub concurrency: Option<u32>,
    /// Requests per second, when asked.
    pub rps: Option<Num>,
    /// Highest time to first token.
    pub ttft_ms: Option<Num>,
    /// Highest time per output token.
    pub tpot_ms: Option<Num>,
    /// Longest sequence to hold.
    pub max_model_len: Option<u32>,
    /// Class of engine.
    pub engine: Option<String>,
    /// Hours of operation.
    pub hours: Option<Num>,
    /// Pinned data parallel size; `null` is free.
    pub dp: Option<u32>,
    /// Pinned tensor parallel size.
    pub tp: Option<u32>,
    /// Pinned pipeline stages.
    pub pp: Option<u32>,
    /// Pinned expert parallel size.
    pub ep: Option<u32>,
    /// Pinned context parallel size.
    pub cp: Option<u32>,
}

impl WorkloadLine {
    /// The workload as printed.
    pub fn new(workload: &Workload) -> Self {
        let mut line = Self::shape(&workload.model);
        (line.dp, line.tp, line.pp) = (workload.pins.dp, workload.pins.tp, workload.pins.pp);
        (line.ep, line.cp) = (workload.pins.ep, workload.pins.cp);
        match &workload.job {
            Job::Training(job) => line.training(job),
            Job::Serving(job) => line.serving(job),
            Job::Samples(job) => line.on_samples(job),
        }
        line
    }

    fn shape(model: &Architecture) -> Self {
        let known = |count: u32| (count > 0 || model.kind.sample().is_none()).then_some(count);
        let latent = match model.attention {
            Attention::Latent { kv_lora_rank, rope_dim } => Some((kv_lora_rank, rope_dim)),
            Attention::Heads => None,
        };
        Self {
            model: model.name.clone(),
            origin: match model.origin {
                Origin::Preset => "preset",
                Origin::HuggingFace => "hugging-face",
                Origin::Safetensors => "safetensors",
                Origin::Gguf => "gguf",
                Origin::ByHand => "by-hand",
                Origin::Inferred => "inferred",
            },
            kind: match model.kind {
                Kind::Decoder => "decoder",
                Kind::Encoder => "encoder",
                Kind::EncoderDecoder => "encoder-decoder",
                Kind::Sample(sample) => sample.family.name(),
            },
            model_source: model.source.clone(),
            layers: known(model.layers),
            hidden: known(model.hidden),
            heads: known(model.heads),
            kv_heads: known(model.kv_heads),
            head_dim: known(model.head_dim),
            ffn: known(model.ffn),
            vocab: known(model.vocab),
            params: Num::rounded(model.params, 0),
            active_params: Num::rounded(model.active_params, 0),
            gated_mlp: model.gated_mlp,
            tied_embeddings: model.tied_embeddings,
            attention_type: attention_type(model),
            kv_lora_rank: latent.map(|(rank, _)| rank),
            rope_dim: latent.map(|(_, dim)| dim),
            native_context: model.native_context,
            sliding_window: model.window.map(|w| w.tokens),
            full_attention_layers: model.full_attention_layers(),
            experts: model.moe.map(|m| m.experts),
            experts_per_token: model.moe.map(|m| m.experts_per_token),
            expert_ffn: model.moe.map(|m| m.expert_ffn),
            shared_experts: model.moe.map(|m| Num::exact(m.shared_experts)),
            ..Self::default()
        }
    }

    fn training(&mut self, job: &Training) {
        self.task = task_name(job.task);
        self.precision = job.precision.map_or("auto", Precision::name);
        self.method = Some(match job.method {
            Method::Full => "full",
            Method::Lora => "lora",
            Method::Qlora => "qlora",
        });
        self.lora_rank = (job.method != Method::Full).then_some(job.lora_rank);
        self.strict = Some(job.strict);
        self.optimizer = Some(optimizer_name(job.optimizer));
        self.seq_len = Some(job.seq_len);
        self.global_batch = Some(job.global_batch);
        self.micro_batch = job.micro_batch;
        self.tokens = Some(Num::rounded(job.tokens, 0));
        self.recompute = Some(job.recompute.map_or("auto", super::row::recompute_name));
        self.sharding = Some(job.sharding.map_or("auto", super::row::sharding_name));
        self.offload = Some(job.offload.name());
        self.attention = Some(match job.attention {
            AttentionKernel::Flash => "flash",
            AttentionKernel::Eager => "eager",
        });
        self.framework = Some(job.framework.clone());
        self.software = named(&job.software);
        self.goodput = job.goodput.map(Num::share);
        self.scaling_efficiency = job.scaling_efficiency.map(Num::share);
        self.fused_loss = Some(job.fused_loss);
    }

    fn serving(&mut self, job: &Serving) {
        self.task = "infer";
        self.precision = job.precision.map_or("auto", Precision::name);
        self.quantization = Some(job.quantization.name.clone());
        self.quantization_bits = Some(Num::rounded(job.quantization.bits, 3));
        self.kv_precision = Some(job.kv_precision.clone());
        self.kv_rule = Some(match job.kv_rule {
            KvRule::Windowed => "windowed",
            KvRule::FullPages => "full-pages",
            KvRule::Expanded => "expanded",
        });
        self.input_len = Some(job.input_len);
        self.output_len = Some(job.output_len);
        self.concurrency = Some(job.concurrency);
        self.rps = job.rps.map(Num::exact);
        self.ttft_ms = job.ttft_ms.map(Num::exact);
        self.tpot_ms = job.tpot_ms.map(Num::exact);
        self.max_model_len = Some(job.max_model_len);
        self.engine = Some(job.engine.clone());
        self.software = named(&job.software);
        self.hours = Some(Num::exact(job.hours));
    }
}

impl WorkloadLine {
    fn on_samples(&mut self, job: &Samples) {
        self.task = task_name(job.task);
        self.precision = job.precision.map_or("auto", Precision::name);
        self.evaluations = Some(Num::exact(job.evaluations));
        self.software = named(&job.software);
        match &job.work {
            SampleWork::Training(training) => {
                self.strict = Some(job.strict);
                self.optimizer = Some(optimizer_name(training.optimizer));
                self.global_batch = Some(training.global_batch);
                self.micro_batch = training.micro_batch;
                self.samples = Some(Num::rounded(training.samples, 0));
                self.epochs = Some(Num::exact(training.epochs));
                self.framework = Some(job.class.clone());
                self.goodput = training.goodput.map(Num::share);
                self.scaling_efficiency = training.scaling_efficiency.map(Num::share);
            }
            SampleWork::Serving(serving) => {
                self.concurrency = serving.concurrency;
                self.input_len = job.seq_len;
                self.rps = serving.rps.map(Num::exact);
                self.engine = Some(job.class.clone());
                self.hours = Some(Num::exact(serving.hours));
            }
        }
    }
}

fn named(software: &str) -> Option<String> {
    Some(software.to_owned()).filter(|name| !name.is_empty())
}

fn task_name(task: Task) -> &'static str {
    match task {
        Task::Train => "train",
        Task::Finetune => "finetune",
        Task::Infer => "infer",
    }
}

fn optimizer_name(optimizer: Optimizer) -> &'static str {
    match optimizer {
        Optimizer::Adamw => "adamw",
        Optimizer::Adamw8bit => "adamw-8bit",
        Optimizer::PagedAdamw => "paged-adamw",
        Optimizer::Adafactor => "adafactor",
        Optimizer::Sgd => "sgd",
        Optimizer::Lion => "lion",
    }
}

fn attention_type(model: &Architecture) -> &'static str {
    match model.attention {
        Attention::Latent { .. } => "mla",
        Attention::Heads if model.kv_heads == model.heads => "mha",
        Attention::Heads if model.kv_heads == 1 => "mqa",
        Attention::Heads => "gqa",
    }
}

/// The arithmetic that a workload runs in on one accelerator: what the estimate uses, or would have used. For serving that
/// of the matrices: weights in a format that the accelerator cannot compute in are unpacked.
pub(super) fn precision_on(workload: &Workload, gpu: &Gpu) -> &'static str {
    let (asked, found) = match &workload.job {
        Job::Training(job) => (job.precision, precision_of(job, gpu).ok()),
        Job::Samples(job) => {
            (job.precision, SampleModel::precision(job, gpu).ok().map(|(precision, _)| precision))
        }
        Job::Serving(job) => {
            // What is asked in vain is refused, and the refusal names it; only FP4 is unpacked instead.
            let refused = job.precision.filter(|&p| p != Precision::Fp4 && p.peak(gpu).is_none());
            (job.precision, refused.or_else(|| arithmetic(job, gpu).map(|(_, matrices)| matrices)))
        }
    };
    found.or(asked).unwrap_or(Precision::Bf16).name()
}

impl WorkloadLine {
    /// What was asked, in one line.
    pub(super) fn headline(&self) -> String {
        let size = |n: Num| crate::units::Count(n.value() as u64).rounded();
        let mut parts = vec![format!("{} {}: {} parameters", self.task, self.model, size(self.params))];
        if self.active_params < self.params {
            parts.push(format!("{} active", size(self.active_params)));
        }
        parts.extend(self.layers.map(|layers| format!("{layers} layers")));
        parts.extend(self.method.filter(|&method| method != "full").map(str::to_owned));
        parts.extend(self.seq_len.map(|n| format!("sequences of {n}")));
        parts.extend(self.global_batch.map(|n| format!("batch {n}")));
        parts.extend(self.tokens.map(|n| format!("{} tokens", size(n))));
        parts.extend(
            self.samples.zip(self.epochs).map(|(n, epochs)| format!("{} samples x {epochs}", size(n))),
        );
        parts.extend(self.optimizer.map(str::to_owned));
        parts.extend(self.quantization.as_ref().map(|name| format!("quantization {name}")));
        parts.extend(self.input_len.zip(self.output_len).map(|(i, o)| format!("{i} tokens in, {o} out")));
        parts.extend(self.rps.map(|rps| format!("{rps} requests/s")));
        parts.extend(self.concurrency.map(|n| format!("{n} at a time")));
        parts.extend(self.max_model_len.map(|n| format!("context {n}")));
        parts.push(format!("precision {}", self.precision));
        parts.join(", ")
    }
}
