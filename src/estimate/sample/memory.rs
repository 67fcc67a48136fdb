//! Memory of one GPU that works on samples: states, what a batch leaves for the backward pass, context.

use super::constants::Constants;
use crate::catalog::gpu::{Gpu, Stack};
use crate::estimate::{MemoryEstimate, MemoryTerms};
use crate::model::{Architecture, Kind, SampleFamily};
use crate::workload::Optimizer;
use crate::workload::precision::Precision;

/// What decides the memory of a network that works on samples.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy<'a> {
    /// The network.
    pub model: &'a Architecture,
    /// Values that one sample leaves behind, and whether they were counted for this network.
    pub activations: (f64, bool),
    /// Class of software.
    pub software: &'a str,
    /// Format of the arithmetic.
    pub precision: Precision,
    /// Optimizer of a training job; `None` for inference.
    pub optimizer: Option<Optimizer>,
    /// Samples in a pass.
    pub batch: f64,
    /// Software for this GPU is of before fused attention: see [`unfused`].
    pub unfused: bool,
}

/// Year from which GPUs have the matrix units that tiled attention was first written for (Dao et al. 2022: Ampere).
const TILED_SINCE: u16 = 2020;

/// Whether the kernels of a GPU fuse neither attention nor what lies around it: all of it stays in memory.
pub fn unfused(gpu: &Gpu) -> bool {
    gpu.stack == Stack::Cuda && gpu.year < TILED_SINCE
}

/// Bytes of a stored weight in inference, and of a value that a layer puts out.
fn bytes(precision: Precision) -> f64 {
    match precision {
        Precision::Fp32 | Precision::Tf32 => 4.0,
        Precision::Fp16 | Precision::Bf16 => 2.0,
        Precision::Fp8 | Precision::Int8 => 1.0,
        Precision::Fp4 => 0.5,
    }
}

/// Class of the constants of activations.
fn class(kind: Kind) -> &'static str {
    match kind.sample().map(|sample| sample.family) {
        None => "tokens",
        Some(SampleFamily::Cnn | SampleFamily::Detector) => "cnn",
        Some(family) => family.name(),
    }
}

/// Memory of the fullest GPU: every one holds the whole network.
///
/// Mixed precision keeps weights and gradients in FP32 beside the moments of the optimizer (Micikevicius et al. 2018,
/// section 3.1); activations follow the counted values of a sample, times what is kept of each.
pub fn memory(constants: &Constants, case: &Occupancy<'_>) -> MemoryEstimate {
    let class = class(case.model.kind);
    let params = case.model.params;
    let companions = case.model.kind.sample().map_or(0.0, |sample| sample.companion_params);
    let (values, counted) = case.activations;
    let kept = |key: &str| constants.get(key, class).unwrap_or(1.0);
    // Layers between narrow ones put out 16 bits, never less.
    let value_bytes = bytes(case.precision).max(2.0);
    let context = constants.get("context-bytes", "").unwrap_or_default();
    let software = constants.get("kept-software", case.software).unwrap_or(1.0);
    let fusing = if case.unfused { kept("kept-unfused") } else { 1.0 };
    let pixels = case.model.kind.sample().and_then(|sample| sample.pixels).unwrap_or_default();
    let terms = MemoryTerms { framework: context, ..MemoryTerms::default() };
    let (terms, spread) = if let Some(optimizer) = case.optimizer {
        let states = MemoryTerms {
            weights: 4.0 * params,
            gradients: 4.0 * params,
            optimizer: moments(optimizer) * params,
            activations: case.batch * values * value_bytes * kept("kept") * software * fusing,
            ..terms
        };
        (states, kept("kept-spread"))
    } else {
        let decoded = pixels * constants.get("decoder-values", class).unwrap_or_default();
        let serving = MemoryTerms {
            weights: (params + companions) * bytes(case.precision),
            activations: case.batch * (values * kept("live") + decoded) * value_bytes,
            ..terms
        };
        (serving, kept("live-spread"))
    };
    let uncounted = if counted { 1.0 } else { constants.get("uncounted-spread", "").unwrap_or(1.0) };
    let scripts = if case.unfused && case.optimizer.is_some() { kept("kept-spread-unfused") } else { 1.0 };
    let loose = spread * uncounted * scripts;
    let firm = terms.total() - terms.activations - terms.framework;
    let context_spread = constants.get("context-spread", "").unwrap_or(1.0);
    MemoryEstimate {
        terms,
        low: firm + terms.activations / loose + terms.framework / context_spread,
        high: firm + terms.activations * loose + terms.framework * context_spread,
        host_ram: 0.0,
    }
}

/// Bytes of optimizer state for each parameter, by definition of the optimizer (Loshchilov & Hutter 2019, Dettmers et
/// al. 2022, Shazeer & Stern 2018, Chen et al. 2023).
fn moments(optimizer: Optimizer) -> f64 {
    match optimizer {
        Optimizer::Adamw | Optimizer::PagedAdamw => 8.0,
        Optimizer::Adamw8bit => 2.0,
        Optimizer::Adafactor => 0.0,
        Optimizer::Sgd | Optimizer::Lion => 4.0,
    }
}
