//! Workload flags as typed: the one list behind the command line, `--workload FILE`, `[defaults]` and scenarios.
//!
//! Only names, types and help. What a missing flag means is decided in [`super::resolve::resolve`].

use super::choice::{KvPrecision, PrecisionChoice, RecomputeChoice, ShardingChoice};
use super::{AttentionKernel, KvRule, Method, Offload, Optimizer, Task};
use crate::units::{Count, Fraction, Hours};
use serde::{Deserialize, Serialize};

/// The workload as asked; `None` is not asked.
#[derive(Clone, Debug, Default, PartialEq, clap::Args, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct WorkloadArgs {
    /// What to do with the model
    #[arg(long, env = "GPUADVISE_TASK", hide_env = true, value_enum, help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// Preset, Hugging Face id of a preset, a `config.json` (or its folder), a safetensors file or index, a GGUF file
    #[arg(long, env = "GPUADVISE_MODEL", hide_env = true, value_name = "NAME|PATH", help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Parameters (`1e9`, `7B`); the shape is inferred
    #[arg(
        long,
        env = "GPUADVISE_PARAMS",
        hide_env = true,
        value_name = "N",
        allow_hyphen_values = true,
        help_heading = "Model"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Count>,
    /// Parameters that one token uses, for a mixture of experts of `--params`
    #[arg(
        long,
        env = "GPUADVISE_ACTIVE_PARAMS",
        hide_env = true,
        value_name = "N",
        allow_hyphen_values = true,
        help_heading = "Model"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_params: Option<Count>,
    /// Transformer layers (shape by hand, with `--hidden`)
    #[arg(long, env = "GPUADVISE_LAYERS", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<u32>,
    /// Width
    #[arg(long, env = "GPUADVISE_HIDDEN", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<u32>,
    /// Query heads [default: hidden / head-dim]
    #[arg(long, env = "GPUADVISE_HEADS", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heads: Option<u32>,
    /// Key/value heads [default: heads]
    #[arg(long, env = "GPUADVISE_KV_HEADS", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_heads: Option<u32>,
    /// Width of a head [default: hidden / heads]
    #[arg(long, env = "GPUADVISE_HEAD_DIM", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<u32>,
    /// Width of the MLP [default: 8/3 hidden gated, 4 hidden plain]
    #[arg(long, env = "GPUADVISE_FFN", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ffn: Option<u32>,
    /// Vocabulary
    #[arg(long, env = "GPUADVISE_VOCAB", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocab: Option<u32>,
    /// Routed experts per layer
    #[arg(long, env = "GPUADVISE_EXPERTS", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experts: Option<u32>,
    /// Routed experts per token
    #[arg(long, env = "GPUADVISE_EXPERTS_PER_TOKEN", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experts_per_token: Option<u32>,
    /// Width of one expert [default: ffn]
    #[arg(long, env = "GPUADVISE_EXPERT_FFN", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expert_ffn: Option<u32>,
    /// MLP of two matrices instead of a gated one of three
    #[arg(long, env = "GPUADVISE_PLAIN_MLP", hide_env = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true, value_name = "BOOL", help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain_mlp: Option<bool>,
    /// Output matrix shared with the input embedding
    #[arg(long, env = "GPUADVISE_TIED_EMBEDDINGS", hide_env = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true, value_name = "BOOL", help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tied_embeddings: Option<bool>,
    /// What is trained [default: full]
    #[arg(long, env = "GPUADVISE_METHOD", hide_env = true, value_enum, help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// Rank of the adapters [default: 16]
    #[arg(long, env = "GPUADVISE_LORA_RANK", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lora_rank: Option<u32>,
    /// Arithmetic [default: bf16 where the GPU has it]
    #[arg(long, env = "GPUADVISE_PRECISION", hide_env = true, value_enum, help_heading = "Model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<PrecisionChoice>,
    /// Refuse GPUs without BF16 instead of falling back to FP16
    #[arg(long, env = "GPUADVISE_STRICT", hide_env = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true, value_name = "BOOL", help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
    /// Optimizer [default: adamw]
    #[arg(long, env = "GPUADVISE_OPTIMIZER", hide_env = true, value_enum, help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<Optimizer>,
    /// Tokens per sequence [default: 2048, or the model's up to 8192]
    #[arg(long, env = "GPUADVISE_SEQ_LEN", hide_env = true, value_name = "TOKENS", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq_len: Option<u32>,
    /// Sequences per optimizer step over all GPUs [default: by size]
    #[arg(long, env = "GPUADVISE_GLOBAL_BATCH", hide_env = true, value_name = "SEQS", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_batch: Option<u32>,
    /// Sequences per GPU and pass [default: searched]
    #[arg(long, env = "GPUADVISE_MICRO_BATCH", hide_env = true, value_name = "SEQS", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_batch: Option<u32>,
    /// Tokens of the whole job [default: 20 per parameter; fine-tuning 50M]
    #[arg(
        long,
        env = "GPUADVISE_TOKENS",
        hide_env = true,
        value_name = "N",
        allow_hyphen_values = true,
        help_heading = "Training"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Count>,
    /// Sequences of the data set, with `--epochs`, instead of `--tokens`
    #[arg(
        long,
        env = "GPUADVISE_SAMPLES",
        hide_env = true,
        value_name = "N",
        allow_hyphen_values = true,
        help_heading = "Training"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<Count>,
    /// Passes over the samples [default: 1]
    #[arg(
        long,
        env = "GPUADVISE_EPOCHS",
        hide_env = true,
        value_name = "N",
        allow_hyphen_values = true,
        help_heading = "Training"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<f64>,
    /// Recomputation of activations [default: auto]
    #[arg(
        long,
        env = "GPUADVISE_RECOMPUTE",
        hide_env = true,
        value_enum,
        visible_alias = "activation-checkpointing",
        help_heading = "Training"
    )]
    #[serde(alias = "activation-checkpointing", skip_serializing_if = "Option::is_none")]
    pub recompute: Option<RecomputeChoice>,
    /// What data-parallel GPUs share out [default: auto]
    #[arg(long, env = "GPUADVISE_SHARDING", hide_env = true, value_enum, help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharding: Option<ShardingChoice>,
    /// What the memory of the host keeps [default: none]
    #[arg(long, env = "GPUADVISE_OFFLOAD", hide_env = true, value_enum, help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offload: Option<Offload>,
    /// Attention kernel [default: flash]
    #[arg(long, env = "GPUADVISE_ATTENTION", hide_env = true, value_enum, help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attention: Option<AttentionKernel>,
    /// Training software, or its class `tuned` or `generic` [default: generic]
    #[arg(
        long,
        env = "GPUADVISE_FRAMEWORK",
        hide_env = true,
        value_name = "NAME",
        help_heading = "Training"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// Share of wall time that trains [default: by size of job]
    #[arg(
        long,
        env = "GPUADVISE_GOODPUT",
        hide_env = true,
        value_name = "SHARE",
        allow_hyphen_values = true,
        help_heading = "Training"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goodput: Option<Fraction>,
    /// Share of the speed in one node that each GPU keeps in several, 0 to 1 [default: estimated from the network]
    #[arg(
        long,
        env = "GPUADVISE_SCALING_EFFICIENCY",
        hide_env = true,
        value_name = "FRACTION",
        allow_hyphen_values = true,
        help_heading = "Training"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaling_efficiency: Option<Fraction>,
    /// Loss kernel that keeps no logits
    #[arg(long, env = "GPUADVISE_FUSED_LOSS", hide_env = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true, value_name = "BOOL", help_heading = "Training")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fused_loss: Option<bool>,
    /// Weights: none, fp8, int8, int4, awq, gptq, mxfp4, `q4_k_m` … [default: as published]
    #[arg(
        long,
        env = "GPUADVISE_QUANTIZATION",
        hide_env = true,
        value_name = "FORMAT",
        help_heading = "Serving"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantization: Option<String>,
    /// KV cache [default: 16 bits]
    #[arg(long, env = "GPUADVISE_KV_PRECISION", hide_env = true, value_enum, help_heading = "Serving")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_precision: Option<KvPrecision>,
    /// Prompt of a request [default: 1024]
    #[arg(long, env = "GPUADVISE_INPUT_LEN", hide_env = true, value_name = "TOKENS", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Serving")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_len: Option<u32>,
    /// Answer of a request [default: 256]
    #[arg(long, env = "GPUADVISE_OUTPUT_LEN", hide_env = true, value_name = "TOKENS", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Serving")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_len: Option<u32>,
    /// Requests in flight over all replicas [default: 1]
    #[arg(long, env = "GPUADVISE_CONCURRENCY", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Serving")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Requests per second, instead of `--concurrency`
    #[arg(
        long,
        env = "GPUADVISE_RPS",
        hide_env = true,
        value_name = "N",
        allow_hyphen_values = true,
        help_heading = "Serving"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rps: Option<f64>,
    /// Longest time to first token (`500ms`)
    #[arg(
        long,
        env = "GPUADVISE_TTFT",
        hide_env = true,
        value_name = "DUR",
        allow_hyphen_values = true,
        help_heading = "Serving"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft: Option<Hours>,
    /// Longest time per output token (`50ms`)
    #[arg(
        long,
        env = "GPUADVISE_TPOT",
        hide_env = true,
        value_name = "DUR",
        allow_hyphen_values = true,
        help_heading = "Serving"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot: Option<Hours>,
    /// Longest sequence the engine must hold [default: the model's up to 8192]
    #[arg(long, env = "GPUADVISE_MAX_MODEL_LEN", hide_env = true, value_name = "TOKENS", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Serving")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_model_len: Option<u32>,
    /// Serving software [default: vllm]
    #[arg(long, env = "GPUADVISE_ENGINE", hide_env = true, value_name = "NAME", help_heading = "Serving")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// KV of layers with a window or latent [default: windowed]
    #[arg(long, env = "GPUADVISE_KV_RULE", hide_env = true, value_enum, help_heading = "Serving")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_rule: Option<KvRule>,
    /// Hours of operation to pay [default: 730]
    #[arg(
        long,
        env = "GPUADVISE_HOURS",
        hide_env = true,
        value_name = "DUR",
        allow_hyphen_values = true,
        help_heading = "Serving"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Hours>,
    /// Data-parallel replicas [default: searched]
    #[arg(long, env = "GPUADVISE_DP", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Layout")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dp: Option<u32>,
    /// Tensor-parallel GPUs [default: searched]
    #[arg(long, env = "GPUADVISE_TP", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Layout")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tp: Option<u32>,
    /// Pipeline stages [default: searched]
    #[arg(long, env = "GPUADVISE_PP", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Layout")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pp: Option<u32>,
    /// Expert-parallel GPUs (training) [default: searched]
    #[arg(long, env = "GPUADVISE_EP", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Layout")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ep: Option<u32>,
    /// Context-parallel GPUs (training) [default: searched]
    #[arg(long, env = "GPUADVISE_CP", hide_env = true, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Layout")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cp: Option<u32>,
}
