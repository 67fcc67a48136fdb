//! Physics, pure: memory, time and serving capacity of a workload on a machine under a layout.
//!
//! Bytes, seconds and FLOPs as `f64` with the unit in the name. No file, clock, environment or price is known here.

pub mod machine;
pub mod sample;
pub mod serving;
pub mod training;

use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::catalog::knowledge::Constant;
use crate::workload::{Offload, Recompute, Sharding};

/// The hardware shape that physics depends on; instances with the same shape share one estimate.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// The accelerator.
    pub gpu: &'a Gpu,
    /// Accelerators in one node.
    pub gpus_per_node: u32,
    /// Share of one accelerator that this machine holds: 1, or below for fractions.
    pub share: f64,
    /// Memory on the label of one GPU (or share), in bytes.
    pub memory_bytes: f64,
    /// Memory that one GPU (or share) really offers, in bytes; verdicts are against this.
    pub usable_bytes: f64,
    /// Bandwidth between GPUs of a node, per GPU and direction, in bytes/s.
    pub intra_bytes_per_s: f64,
    /// Whether that is a fast fabric (NVLink, xGMI, ICI) rather than PCIe.
    pub fast_intra: bool,
    /// Bandwidth between nodes, per node and direction, in bytes/s; `None` means a single node only.
    pub inter_bytes_per_s: Option<f64>,
    /// Main memory of a node in bytes, where known.
    pub host_ram_bytes: Option<f64>,
    /// What collectives were measured to reach on such a machine of the user's own.
    pub measured: MeasuredLinks,
}

/// Links of somebody's own cluster as nccl-tests measured them; `None` where the catalog's stand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeasuredLinks {
    /// Inside a node.
    pub intra: Option<MeasuredLink>,
    /// Between nodes.
    pub inter: Option<MeasuredLink>,
}

/// What collectives reach over one link: no share of a peak is to be taken off again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredLink {
    /// Bytes per second and direction: of one GPU inside a node, of a node between nodes.
    pub bytes_per_s: f64,
    /// Seconds of one collective for each doubling of its group, where small messages were measured.
    pub latency_s: Option<f64>,
}

/// Why a workload cannot be planned on a machine at all, whatever the layout.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unplannable {
    /// Stable kebab-case id, explained by `gpuadvise explain ID`.
    pub id: &'static str,
    /// One sentence.
    pub message: String,
}

impl Unplannable {
    /// A formula for tokens was asked about a network that works on samples.
    pub fn not_on_tokens(network: &str) -> Self {
        Self {
            id: "not-on-tokens",
            message: format!("{network} works on samples; formulas for tokens say nothing about it"),
        }
    }
}

/// A parallel layout on `dp x cp x tp x pp` GPUs, as Megatron-Core counts them; experts are spread over `ep` of the
/// `dp x cp x tp` ranks of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Layout {
    /// Data parallel replicas.
    pub dp: u32,
    /// Tensor parallel size.
    pub tp: u32,
    /// Pipeline stages.
    pub pp: u32,
    /// Expert parallel size: ranks that share out the experts of a layer.
    pub ep: u32,
    /// Context parallel size: ranks that share out the tokens of a sequence.
    pub cp: u32,
    /// What data-parallel ranks share out.
    pub sharding: Sharding,
    /// What the memory of the host keeps.
    pub offload: Offload,
    /// Activation recomputation.
    pub recompute: Recompute,
    /// Sequences per GPU and pass.
    pub micro_batch: u32,
    /// Passes per optimizer step.
    pub grad_accumulation: u32,
}

impl Layout {
    /// GPUs that the layout takes.
    pub fn gpus(&self) -> u32 {
        self.dp * self.cp * self.tp * self.pp
    }
}

/// Memory of the fullest GPU, in bytes, term by term. What does not apply is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryTerms {
    /// Weights (for training in mixed precision: the working copy).
    pub weights: f64,
    /// Gradients.
    pub gradients: f64,
    /// Optimizer moments.
    pub optimizer: f64,
    /// FP32 master weights.
    pub master_weights: f64,
    /// Activations kept for the backward pass, or of one serving pass.
    pub activations: f64,
    /// Logits and the loss.
    pub logits: f64,
    /// KV cache.
    pub kv_cache: f64,
    /// Temporary buffers of kernels.
    pub workspace: f64,
    /// Gather and reduce buffers.
    pub communication: f64,
    /// Context, libraries, allocator.
    pub framework: f64,
}

impl MemoryTerms {
    /// The terms with their contract names, in order.
    pub fn named(&self) -> [(&'static str, f64); 10] {
        [
            ("weights", self.weights),
            ("gradients", self.gradients),
            ("optimizer", self.optimizer),
            ("master_weights", self.master_weights),
            ("activations", self.activations),
            ("logits", self.logits),
            ("kv_cache", self.kv_cache),
            ("workspace", self.workspace),
            ("communication", self.communication),
            ("framework", self.framework),
        ]
    }

    /// The sum: the expected peak.
    pub fn total(&self) -> f64 {
        self.named().iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Memory of the fullest GPU with its range, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryEstimate {
    /// The parts.
    pub terms: MemoryTerms,
    /// Optimistic total.
    pub low: f64,
    /// Pessimistic total; `fits` is judged on it.
    pub high: f64,
    /// Main memory that offloading needs on each node, in bytes.
    pub host_ram: f64,
}

/// Does it fit?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The high estimate is within 95 % of the usable memory.
    Fits,
    /// The expected estimate is within the usable memory, but the high one is not within 95 %.
    Tight,
    /// The expected estimate exceeds the usable memory.
    No,
}

impl Verdict {
    /// Headroom that `fits` keeps free of the usable memory (contract).
    const FITS_SHARE: f64 = 0.95;

    /// The verdict of the contract.
    pub fn of(memory: &MemoryEstimate, usable_bytes: f64) -> Self {
        if memory.high <= Self::FITS_SHARE * usable_bytes {
            Self::Fits
        } else if memory.terms.total() <= usable_bytes {
            Self::Tight
        } else {
            Self::No
        }
    }

    /// `fits`, `tight` or `no`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Tight => "tight",
            Self::No => "no",
        }
    }
}

/// A layout with its memory and verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// How the job is spread.
    pub layout: Layout,
    /// Memory of the fullest GPU.
    pub memory: MemoryEstimate,
    /// Whether it fits.
    pub verdict: Verdict,
}

/// A value with its optimistic and pessimistic ends; `low <= expected <= high`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// Lower end.
    pub low: f64,
    /// Best estimate.
    pub expected: f64,
    /// Upper end.
    pub high: f64,
}

/// What an estimate rests on, the most trusted first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// A published rate of this very case, or one between two such rates.
    Measured,
    /// A formula whose constants were fitted on the user's own runs.
    Calibrated,
    /// A formula with the constants of the catalog.
    #[default]
    Formula,
}

impl Basis {
    /// A formula with these constants: calibrated where one of them was fitted on the user's own runs.
    pub fn of<'a>(catalog: &Catalog, constants: impl IntoIterator<Item = &'a Constant>) -> Self {
        let own = |constant: &Constant| catalog.source(constant.source).is_calibration();
        if constants.into_iter().any(own) { Self::Calibrated } else { Self::Formula }
    }

    /// `measured`, `calibrated` or `formula`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Calibrated => "calibrated",
            Self::Formula => "formula",
        }
    }
}

/// How fast a training layout runs.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSpeed {
    /// Seconds of one optimizer step.
    pub step_s: Range,
    /// Tokens per second over all GPUs (expected).
    pub tokens_per_s: f64,
    /// Model FLOP/s per GPU reached (6N + attention; recomputation not counted), in FLOP/s.
    pub flops_per_gpu: f64,
    /// That over the dense peak of the precision used.
    pub mfu: f64,
    /// Share of the step that is communication not hidden behind compute.
    pub communication_share: f64,
    /// Share of the speed in one node of all GPUs that the network between nodes leaves; 1 for a single node.
    pub scaling_efficiency: f64,
    /// `compute`, `memory`, `communication`, `latency` or `pipeline-bubble`.
    pub bound: &'static str,
    /// The constant that moves the answer most, in words with its source.
    pub dominant_assumption: String,
    /// What the figures rest on.
    pub basis: Basis,
}

/// How fast one serving replica runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ServingSpeed {
    /// Mean time to first token at the planned concurrency, waiting included, in ms.
    pub ttft_ms: Range,
    /// Time per output token at the planned concurrency, in ms.
    pub tpot_ms: Range,
    /// Output tokens per second of one replica at that concurrency, or at the rate that was asked.
    pub output_tokens_per_s: f64,
    /// Requests per second of one replica.
    pub requests_per_s: f64,
    /// Requests that one replica works on at once, on average over replicas; others wait.
    pub running: f64,
    /// Requests of the asked lengths that fit the KV cache of one replica.
    pub max_concurrency: u32,
    /// KV cache of one replica in tokens.
    pub kv_capacity_tokens: u64,
    /// `compute`, `memory`, `communication` or `latency`.
    pub bound: &'static str,
    /// The constant that moves the answer most, in words with its source.
    pub dominant_assumption: String,
    /// What the figures rest on.
    pub basis: Basis,
}

/// How fast a network works on samples, over all GPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleSpeed {
    /// Samples per second.
    pub samples_per_s: Range,
    /// Time of one pass, in ms.
    pub latency_ms: f64,
    /// FLOP/s per GPU reached.
    pub flops_per_gpu: f64,
    /// That over the dense peak of the precision used.
    pub mfu: f64,
    /// Share of the step that is communication not hidden behind compute.
    pub communication_share: f64,
    /// The very case was measured, or one between two measured ones.
    pub measured: bool,
    /// `compute` or `communication`.
    pub bound: &'static str,
    /// The measured rate that it rests on.
    pub dominant_assumption: String,
    /// What the figures rest on.
    pub basis: Basis,
}
