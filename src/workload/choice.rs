//! Values of workload flags that are not values of a resolved workload: `auto`, and storage formats.

use super::precision::Precision;
use super::{Recompute, Sharding};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// `--precision`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrecisionChoice {
    /// Single precision.
    Fp32,
    /// FP32 storage, TF32 matrix arithmetic.
    Tf32,
    /// FP16 mixed precision.
    Fp16,
    /// BF16 mixed precision.
    Bf16,
    /// FP8 matrix arithmetic; in serving FP8 weights too.
    Fp8,
    /// FP4 matrix arithmetic; in serving FP4 weights too.
    Fp4,
    /// Serving: INT8 weights and arithmetic.
    Int8,
    /// Serving: plain 4-bit integer weights, 16-bit arithmetic.
    Int4,
}

impl PrecisionChoice {
    /// The arithmetic; `None` where only the storage is meant.
    pub fn arithmetic(self) -> Option<Precision> {
        match self {
            Self::Fp32 => Some(Precision::Fp32),
            Self::Tf32 => Some(Precision::Tf32),
            Self::Fp16 => Some(Precision::Fp16),
            Self::Bf16 => Some(Precision::Bf16),
            Self::Fp8 => Some(Precision::Fp8),
            Self::Fp4 => Some(Precision::Fp4),
            Self::Int8 => Some(Precision::Int8),
            Self::Int4 => None,
        }
    }
}

/// `--recompute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecomputeChoice {
    /// The cheapest one that fits.
    Auto,
    /// Everything is kept.
    None,
    /// Attention is recomputed.
    Selective,
    /// Each layer is recomputed.
    Full,
}

impl RecomputeChoice {
    /// `None` leaves it to the search.
    pub fn pinned(self) -> Option<Recompute> {
        match self {
            Self::Auto => None,
            Self::None => Some(Recompute::None),
            Self::Selective => Some(Recompute::Selective),
            Self::Full => Some(Recompute::Full),
        }
    }
}

/// `--sharding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShardingChoice {
    /// The cheapest one that fits.
    Auto,
    /// Nothing is shared out.
    Ddp,
    /// Optimizer states.
    Zero1,
    /// Optimizer states and gradients.
    Zero2,
    /// Everything (FSDP full shard).
    Zero3,
}

impl ShardingChoice {
    /// `None` leaves it to the search.
    pub fn pinned(self) -> Option<Sharding> {
        match self {
            Self::Auto => None,
            Self::Ddp => Some(Sharding::Ddp),
            Self::Zero1 => Some(Sharding::Zero1),
            Self::Zero2 => Some(Sharding::Zero2),
            Self::Zero3 => Some(Sharding::Zero3),
        }
    }
}

/// `--kv-precision`: how keys and values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum KvPrecision {
    /// Single precision.
    Fp32,
    /// Half precision.
    #[value(alias = "f16")]
    Fp16,
    /// Brain float.
    Bf16,
    /// 8-bit float.
    #[value(alias = "fp8_e4m3", alias = "fp8_e5m2")]
    Fp8,
    /// 8-bit integer.
    Int8,
    /// 4-bit integer.
    Int4,
    /// GGUF blocks of 32 8-bit values and a 16-bit scale.
    #[serde(rename = "q8_0")]
    #[value(name = "q8_0")]
    Q8_0,
    /// GGUF blocks of 32 4-bit values and a 16-bit scale.
    #[serde(rename = "q4_0")]
    #[value(name = "q4_0")]
    Q4_0,
}

impl KvPrecision {
    /// Bytes of one value, from the definition of the format; the GGUF ones are 34 and 18 bytes per block of 32
    /// (`block_q8_0`, `block_q4_0` of ggml).
    pub fn bytes(self) -> f64 {
        match self {
            Self::Fp32 => 4.0,
            Self::Fp16 | Self::Bf16 => 2.0,
            Self::Fp8 | Self::Int8 => 1.0,
            Self::Int4 => 0.5,
            Self::Q8_0 => 34.0 / 32.0,
            Self::Q4_0 => 18.0 / 32.0,
        }
    }

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Int8 => "int8",
            Self::Int4 => "int4",
            Self::Q8_0 => "q8_0",
            Self::Q4_0 => "q4_0",
        }
    }
}
