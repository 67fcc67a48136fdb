//! How long one sample takes by arithmetic and traffic alone: what rates of different GPUs, networks and batches are
//! compared by. The formula carries a measured rate from one case to another; it is no estimate of its own.

use super::constants::Constants;
use crate::catalog::gpu::Gpu;
use crate::catalog::preset::Preset;
use crate::model::{Architecture, Kind, SampleFamily, preset};
use crate::workload::precision::Precision;

/// What one forward pass of one sample does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Networks that use a GPU alike.
    pub family: Family,
    /// Operations, 2 for each multiply-add.
    pub flops: f64,
    /// Values that the layers put out.
    pub activations: f64,
    /// Parameters.
    pub params: f64,
}

/// Networks that use a GPU alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Works on samples.
    Sample(SampleFamily),
    /// A transformer on tokens; a sample is a sequence.
    Tokens,
}

impl Family {
    /// Whether rates of one tell anything about the other: networks of images do, and transformers of patches and of
    /// tokens; denoisers and networks of audio stand alone.
    pub(super) fn is_kin(self, other: Self) -> bool {
        let images = |family| {
            matches!(family, Self::Sample(SampleFamily::Cnn | SampleFamily::Detector | SampleFamily::Vit))
        };
        let encoders = |family| matches!(family, Self::Sample(SampleFamily::Vit) | Self::Tokens);
        self == other || (images(self) && images(other)) || (encoders(self) && encoders(other))
    }

    /// Whether a decoder follows whose pace the software sets.
    pub(super) fn decodes(self) -> bool {
        self == Self::Sample(SampleFamily::Speech)
    }

    /// Class of the constants: convolutions write far more for each operation than matrix products.
    fn traffic(self) -> &'static str {
        match self {
            Self::Sample(SampleFamily::Cnn | SampleFamily::Detector) => "cnn",
            Self::Sample(_) | Self::Tokens => "transformer",
        }
    }
}

/// What the work of a network follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    kind: Kind,
    params: f64,
    body_flop_params: f64,
    layers: u32,
    hidden: u32,
    ffn: u32,
}

impl Size {
    /// Of a network as resolved.
    pub fn of(model: &Architecture) -> Self {
        Self {
            kind: model.kind,
            params: model.params,
            body_flop_params: model.body_flop_params(),
            layers: model.layers,
            hidden: model.hidden,
            ffn: model.ffn,
        }
    }

    /// Of a dense preset.
    pub fn of_preset(row: &Preset) -> Self {
        let matrix = f64::from(row.vocab) * f64::from(row.hidden);
        let outside = if row.tied_embeddings { matrix } else { 2.0 * matrix };
        let (layers, hidden, ffn) = (row.layers, row.hidden, row.ffn);
        let params = row.params as f64;
        let body_flop_params = (row.active_params as f64 - outside).max(0.0);
        Self { kind: preset::kind(row), params, body_flop_params, layers, hidden, ffn }
    }
}

impl Work {
    /// The work of one sample; of a network on tokens that of one sequence.
    pub fn of(model: &Size, seq_len: Option<u32>, constants: &Constants) -> Option<Self> {
        let params = model.params;
        if let Kind::Sample(sample) = model.kind {
            let family = Family::Sample(sample.family);
            // A layer of width h puts out a number of values in proportion to h for operations in proportion to h².
            let width = f64::from(model.hidden);
            let per_flop = match constants.get("values-per-width", "") {
                Some(values) if model.hidden > 0 => values / width,
                _ => constants.values_per_flop(family.traffic()),
            };
            let activations = sample.activations.unwrap_or(sample.flops * per_flop);
            return Some(Self { family, flops: sample.flops, activations, params });
        }
        let tokens = seq_len.map(f64::from).or_else(|| constants.get("usual-length", ""))?;
        let (layers, hidden) = (f64::from(model.layers), f64::from(model.hidden));
        // Matrix products of all weights, scores and weighted sums over the whole sequence (Kaplan et al. 2020, table 1).
        let flops = 2.0 * model.body_flop_params * tokens + 4.0 * layers * hidden * tokens * tokens;
        // Inputs and outputs of attention and MLP (Korthikanti et al. 2022, section 4.1, without scores).
        let activations = tokens * layers * (8.0 * hidden + 2.0 * f64::from(model.ffn));
        Some(Self { family: Family::Tokens, flops, activations, params })
    }
}

/// Bytes of one value that a layer puts out.
fn value_bytes(precision: Precision) -> f64 {
    match precision {
        Precision::Fp32 | Precision::Tf32 => 4.0,
        Precision::Fp16 | Precision::Bf16 => 2.0,
        // Layers between the narrow ones keep 16 bits.
        Precision::Fp8 | Precision::Fp4 => 1.5,
        Precision::Int8 => 1.0,
    }
}

/// Peak in a format, else in the next wider one that the GPU has; twice the 16-bit one stands in for integers.
pub(super) fn peak(gpu: &Gpu, precision: Precision) -> Option<f64> {
    let wide = gpu.peaks.fp16.or(gpu.peaks.fp32);
    precision.peak(gpu).or_else(|| match precision {
        Precision::Int8 => gpu.peaks.fp8.or(wide.map(|peak| 2.0 * peak)),
        Precision::Fp4 => gpu.peaks.fp8.or(wide),
        Precision::Fp8 | Precision::Fp16 | Precision::Bf16 => wide,
        Precision::Tf32 | Precision::Fp32 => gpu.peaks.fp32,
    })
}

/// Seconds of one sample on one GPU: arithmetic and traffic one after the other, and the latency of a pass shared by its
/// batch. Training passes three times as much through the network as inference does.
pub(super) fn seconds(work: &Work, case: &Pass, constants: &Constants) -> Option<f64> {
    let passes = if case.train { 3.0 } else { 1.0 };
    let arithmetic = passes * work.flops / (peak(case.gpu, case.precision)? * constants.compute);
    let traffic =
        work.activations * value_bytes(case.precision) * constants.traffic(work.family.traffic(), case.train)
            / (case.gpu.bandwidth_bytes_per_s * constants.bandwidth);
    let latency = constants.latency(case.class) * passes / case.batch.max(1.0);
    Some((arithmetic + traffic + latency) * case.evaluations)
}

/// The circumstances of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass<'a> {
    /// The accelerator.
    pub(super) gpu: &'a Gpu,
    /// Training rather than inference.
    pub(super) train: bool,
    /// Format of the arithmetic.
    pub(super) precision: Precision,
    /// Class of software.
    pub(super) class: &'a str,
    /// Samples in a pass.
    pub(super) batch: f64,
    /// Passes for one sample.
    pub(super) evaluations: f64,
}
