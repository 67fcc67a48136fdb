//! Number formats: of arithmetic in training and serving, and of stored weights.

use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;

/// Format of the matrix arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// Single precision outside the matrix units.
    Fp32,
    /// 19-bit matrix format of NVIDIA GPUs since Ampere, FP32 storage.
    Tf32,
    /// Half precision.
    Fp16,
    /// Brain float.
    Bf16,
    /// 8-bit float.
    Fp8,
    /// 4-bit float.
    Fp4,
    /// 8-bit integer (serving).
    Int8,
}

impl Precision {
    /// Name on the command line and in the constants.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Tf32 => "tf32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Fp4 => "fp4",
            Self::Int8 => "int8",
        }
    }

    /// The format of a name in the catalog.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Fp32, Self::Tf32, Self::Fp16, Self::Bf16, Self::Fp8, Self::Fp4, Self::Int8];
        all.into_iter().find(|format| format.name() == name)
    }

    /// Dense peak of a GPU in this format, in operations per second; `None` where the GPU lacks it or no source has it.
    pub fn peak(self, gpu: &Gpu) -> Option<f64> {
        match self {
            Self::Fp32 => gpu.peaks.fp32,
            Self::Tf32 => gpu.peaks.tf32,
            Self::Fp16 => gpu.peaks.fp16,
            Self::Bf16 => gpu.peaks.bf16.filter(|_| gpu.bf16),
            Self::Fp8 => gpu.peaks.fp8.filter(|_| gpu.fp8),
            Self::Fp4 => gpu.peaks.fp4,
            Self::Int8 => gpu.peaks.int8,
        }
    }
}

/// How weights are stored for serving.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantization {
    /// `none`, `fp8`, `awq`, `q4_k_m` …
    pub name: String,
    /// Effective bits per quantised weight, scales included.
    pub bits: f64,
    /// Whether embedding and output matrix are quantised too (GGUF, EXL2).
    pub embeddings_too: bool,
    /// Format of the arithmetic when it is not that of the activations: FP8 and INT8 kernels.
    pub compute: Option<Precision>,
}

impl Quantization {
    /// A storage format by its name in the catalog: bits from there, arithmetic from its definition. `none` is 16 bits.
    pub fn named(catalog: &Catalog, name: &str) -> Option<Self> {
        let bits = if name == "none" {
            16.0
        } else {
            let row = catalog.constant("weight-bits", None, None, Some(name), 1)?;
            row.class.as_deref().filter(|class| *class == name)?;
            row.value
        };
        let compute = match name {
            "fp8" => Some(Precision::Fp8),
            "int8" => Some(Precision::Int8),
            "nvfp4" | "mxfp4" => Some(Precision::Fp4),
            _ => None,
        };
        Some(Self { name: name.to_owned(), bits, embeddings_too: quantizes_embeddings(name), compute })
    }
}

/// GGUF files (`q4_k_m`, `iq3_xxs`, `q8_0`) and EXL2 hold embedding and output matrix in the same sort of blocks.
fn quantizes_embeddings(name: &str) -> bool {
    let gguf = name.strip_prefix('i').unwrap_or(name).strip_prefix('q');
    gguf.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) || name.starts_with("exl")
}
