//! What the user wants to run, every default filled in and listed.
//!
//! Defaults that depend on the GPU (training precision) stay open here and are resolved for each machine.

pub mod choice;
mod merge;
pub mod precision;
pub mod resolve;
pub mod settings;
pub mod software;
pub mod support;

pub use resolve::resolve;
pub use support::Layouts;

use crate::diag::{Assumption, Warning};
use crate::model::Architecture;
use precision::{Precision, Quantization};

/// A workload, complete but for what depends on the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// What runs.
    pub model: Architecture,
    /// Training or serving, with its settings.
    pub job: Job,
    /// Layout pins; `None` is free.
    pub pins: Pins,
    /// Everything that was filled in.
    pub assumptions: Vec<Assumption>,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

impl Workload {
    /// Whether it is training or fine-tuning, which spot interruptions set back.
    pub fn trains(&self) -> bool {
        match &self.job {
            Job::Training(_) => true,
            Job::Serving(_) => false,
            Job::Samples(job) => job.task != Task::Infer,
        }
    }

    /// Whether a fallback from the default precision is refused.
    pub fn is_strict(&self) -> bool {
        match &self.job {
            Job::Training(job) => job.strict,
            Job::Samples(job) => job.strict,
            Job::Serving(_) => false,
        }
    }
}

/// The two sorts of work.
#[derive(Clone, Debug, PartialEq)]
pub enum Job {
    /// `--task train` and `--task finetune`.
    Training(Training),
    /// `--task infer`.
    Serving(Serving),
    /// Either, of a network that works on samples.
    Samples(Samples),
}

/// Training or inference of a network that works on samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// `Train`, `Finetune` or `Infer`.
    pub task: Task,
    /// As asked; `None` means BF16 where the GPU has it, else FP16.
    pub precision: Option<Precision>,
    /// Refuse instead of falling back from BF16.
    pub strict: bool,
    /// Class of software as in the measured rates.
    pub class: String,
    /// Software as rows of the catalog name it; empty is not judged.
    pub software: String,
    /// Passes of the network for one sample.
    pub evaluations: f64,
    /// Tokens of a sample, of encoders.
    pub seq_len: Option<u32>,
    /// What is done.
    pub work: SampleWork,
}

/// What is done with samples.
#[derive(Clone, Debug, PartialEq)]
pub enum SampleWork {
    /// Training.
    Training(SampleTraining),
    /// Inference.
    Serving(SampleServing),
}

/// Training on samples.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleTraining {
    /// Optimizer.
    pub optimizer: Optimizer,
    /// Samples per optimizer step over all GPUs.
    pub global_batch: u32,
    /// Samples per GPU and pass; `None` is searched.
    pub micro_batch: Option<u32>,
    /// Samples of the data set.
    pub samples: f64,
    /// Passes over them.
    pub epochs: f64,
    /// Share of the wall time that does useful work; `None` takes the sourced table by size.
    pub goodput: Option<f64>,
    /// Share of the speed in one node that each GPU keeps in several; `None` follows from the network.
    pub scaling_efficiency: Option<f64>,
}

/// Inference on samples.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleServing {
    /// Samples in flight at the same time, over all replicas; `None` where a rate decides how many there are.
    pub concurrency: Option<u32>,
    /// Samples per second offered.
    pub rps: Option<f64>,
    /// Hours of operation that are paid.
    pub hours: f64,
}

/// `--task`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Training from scratch.
    Train,
    /// Fine-tuning of an existing model.
    Finetune,
    /// Serving.
    Infer,
}

/// Pins of the parallel layout; `None` leaves a dimension to the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    /// Data parallel replicas.
    pub dp: Option<u32>,
    /// Tensor parallel size.
    pub tp: Option<u32>,
    /// Pipeline stages.
    pub pp: Option<u32>,
    /// Expert parallel size (training).
    pub ep: Option<u32>,
    /// Context parallel size (training).
    pub cp: Option<u32>,
}

/// A training or fine-tuning job.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// `Train` or `Finetune`.
    pub task: Task,
    /// What is trained.
    pub method: Method,
    /// Rank of the LoRA adapters; 0 when all weights are trained.
    pub lora_rank: u32,
    /// As asked; `None` means BF16 where the GPU has it, else FP16 with a warning.
    pub precision: Option<Precision>,
    /// Refuse instead of falling back from BF16.
    pub strict: bool,
    /// Optimizer.
    pub optimizer: Optimizer,
    /// Tokens per sequence.
    pub seq_len: u32,
    /// Sequences per optimizer step over all GPUs.
    pub global_batch: u32,
    /// Sequences per GPU and pass; `None` is searched.
    pub micro_batch: Option<u32>,
    /// Tokens of the whole job.
    pub tokens: f64,
    /// Activation recomputation; `None` is searched.
    pub recompute: Option<Recompute>,
    /// Sharding of the states; `None` is searched.
    pub sharding: Option<Sharding>,
    /// What is kept in the memory of the host.
    pub offload: Offload,
    /// Attention kernel.
    pub attention: AttentionKernel,
    /// Class of software as in the constants' `class`: `generic`, `tuned` …
    pub framework: String,
    /// Share of the wall time that does useful work; `None` takes the sourced table by size.
    pub goodput: Option<f64>,
    /// Share of the speed in one node that each GPU keeps in several; `None` follows from the network.
    pub scaling_efficiency: Option<f64>,
    /// The loss is computed without keeping the logits (a fused cross-entropy kernel).
    pub fused_loss: bool,
    /// The software itself as the rows of the catalog name it, which is narrower than its class; empty where nobody said.
    pub software: String,
    /// The parallel layouts that it has.
    pub layouts: Layouts,
}

/// A serving job.
#[derive(Clone, Debug, PartialEq)]
pub struct Serving {
    /// Activation and compute precision as asked; `None` follows the GPU (BF16, else FP16).
    pub precision: Option<Precision>,
    /// How weights are stored.
    pub quantization: Quantization,
    /// Bytes of one KV value; from `--kv-precision`, else 2.
    pub kv_bytes: f64,
    /// Name of the KV precision.
    pub kv_precision: String,
    /// Prompt tokens of a request.
    pub input_len: u32,
    /// Generated tokens of a request.
    pub output_len: u32,
    /// Requests in flight at the same time, over all replicas.
    pub concurrency: u32,
    /// Requests per second offered, when asked instead of a concurrency.
    pub rps: Option<f64>,
    /// Highest time to first token, in ms.
    pub ttft_ms: Option<f64>,
    /// Highest time per output token, in ms.
    pub tpot_ms: Option<f64>,
    /// Longest sequence that the engine must be able to hold.
    pub max_model_len: u32,
    /// Class of engine as in the constants' `class`: `vllm`, `tensorrt-llm`, `llama.cpp`, `eager` …
    pub engine: String,
    /// KV rule for layers with a window.
    pub kv_rule: KvRule,
    /// The engine itself as the rows of the catalog name it, which is narrower than its class; empty where nobody said.
    pub software: String,
    /// Hours of operation that are paid.
    pub hours: f64,
}

/// What is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// All weights.
    Full,
    /// Low-rank adapters on frozen 16-bit weights (Hu et al. 2021).
    Lora,
    /// Low-rank adapters on frozen 4-bit weights (Dettmers et al. 2023).
    Qlora,
}

impl Method {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Lora => "lora",
            Self::Qlora => "qlora",
        }
    }
}

/// Optimizers by the states they keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimizer {
    /// Two FP32 moments.
    Adamw,
    /// Two 8-bit moments (Dettmers et al. 2022).
    #[value(name = "adamw-8bit")]
    #[serde(rename = "adamw-8bit")]
    Adamw8bit,
    /// Two FP32 moments in memory that GPU and host share (Dettmers et al. 2023).
    PagedAdamw,
    /// Factored second moment (Shazeer & Stern 2018).
    Adafactor,
    /// One momentum.
    Sgd,
    /// One momentum (Chen et al. 2023).
    Lion,
}

/// Activation recomputation, also called activation checkpointing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Recompute {
    /// Everything is kept.
    None,
    /// Attention is recomputed (Korthikanti et al. 2022).
    Selective,
    /// Each layer is recomputed from its input (Chen et al. 2016).
    Full,
}

impl Recompute {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Selective => "selective",
            Self::Full => "full",
        }
    }
}

/// What data-parallel ranks share out between them (Rajbhandari et al. 2020).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharding {
    /// Nothing: each rank holds everything.
    Ddp,
    /// Optimizer states.
    Zero1,
    /// Optimizer states and gradients.
    Zero2,
    /// Optimizer states, gradients and weights (FSDP full shard).
    Zero3,
}

impl Sharding {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ddp => "ddp",
            Self::Zero1 => "zero1",
            Self::Zero2 => "zero2",
            Self::Zero3 => "zero3",
        }
    }
}

/// What training keeps in the memory of the host instead of on the GPU.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    clap::ValueEnum,
    serde::Deserialize,
    serde::Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Offload {
    /// Nothing.
    #[default]
    None,
    /// Gradients, optimizer states and master weights; the host does the step (ZeRO-Offload, Ren et al. 2021).
    Optimizer,
    /// The weights as well (ZeRO-Infinity, Rajbhandari et al. 2021; FSDP with CPU offload).
    All,
}

impl Offload {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Optimizer => "optimizer",
            Self::All => "all",
        }
    }
}

/// Attention kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttentionKernel {
    /// Tiled, memory linear in the sequence (Dao et al. 2022).
    Flash,
    /// Materialised scores, memory quadratic in the sequence.
    Eager,
}

/// What an engine reserves for layers with a sliding window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KvRule {
    /// At most the window.
    Windowed,
    /// Full pages, as if every layer were global.
    FullPages,
    /// MLA expanded to full keys and values instead of the latent; windows as full pages.
    Expanded,
}
