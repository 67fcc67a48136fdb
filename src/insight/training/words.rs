//! Cells that are words: number format, method, optimizer, sharding, recomputation, class of software.
//!
//! Sources write them in many ways; each way is read here once, and what has no counterpart is a reason to skip.

use crate::catalog::Catalog;
use crate::catalog::gpu::{Gpu, Stack};
use crate::insight::Skip;
use crate::insight::question::Question;
use crate::workload::precision::Precision;
use crate::workload::{AttentionKernel, Method, Offload, Optimizer, Recompute, Sharding, Task, software};

/// Year from which GPUs have the matrix units that tiled attention was first written for (Dao et al. 2022: Ampere).
const TILED_SINCE: u16 = 2020;

/// GPUs from which a pretraining of unnamed software counts as tuned: nobody keeps so many of them waiting for kernels
/// that are not fused.
const LARGE_RUN: f64 = 256.0;

/// Words of arithmetic in 16 bit, or in 16 bit over weights that are stored narrower.
const SIXTEEN: [&str; 13] =
    ["16", "amp", "mixed", "half", "autocast", "nf4", "int4", "4bit", "4-bit", "gptq", "bnb", "awq", "8bit"];

/// What is trained, and whether from scratch.
pub(super) fn method(question: &Question) -> Result<(Task, Method), Skip> {
    let narrow = ["nf4", "int4", "gptq", "bnb"].iter().any(|mark| question.lower("precision").contains(mark));
    let wide = question.lower("precision").contains("int8 gptq");
    match question.lower("method").as_str() {
        "lora" | "qlora" if wide => Err(Skip::new("adapters on 8-bit weights are not modelled")),
        "pretrain" => Ok((Task::Train, Method::Full)),
        "full" | "" => Ok((Task::Finetune, Method::Full)),
        "lora" if narrow => Ok((Task::Finetune, Method::Qlora)),
        "lora" => Ok((Task::Finetune, Method::Lora)),
        "qlora" => Ok((Task::Finetune, Method::Qlora)),
        other => Err(Skip::new(format!("method `{other}` is not modelled"))),
    }
}

/// The format of the matrix arithmetic; what is not stated is 16 bits on a GPU that has
/// nothing narrower.
pub(super) fn precision(question: &Question, gpu: &Gpu) -> Result<Precision, Skip> {
    let text = question.lower("precision");
    let has = |mark: &str| text.contains(mark);
    let sixteen = if gpu.bf16 { Precision::Bf16 } else { Precision::Fp16 };
    let asked = if has("fp4") && !has("nf4") {
        Precision::Fp4
    } else if has("int8") && !has("gptq") {
        return Err(Skip::new("training in INT8 is not modelled"));
    } else if has("fp8") || has("float8") {
        Precision::Fp8
    } else if has("tf32") && (gpu.peaks.tf32.is_some() || !has("fp32")) {
        Precision::Tf32
    } else if has("fp32") && !has("bf") && !has("bfloat") && !has("amp") {
        Precision::Fp32
    } else if has("fp16") && !has("bf16") {
        Precision::Fp16
    } else if text.is_empty() && gpu.fp8 {
        return Err(Skip::new("`precision` is not stated, and the GPU has several"));
    } else if !text.is_empty() && !SIXTEEN.iter().any(|mark| has(mark)) {
        return Err(Skip(format!("`precision` is `{text}`, which is no number format that is known")));
    } else {
        sixteen
    };
    if asked.peak(gpu).is_none() {
        return Err(Skip::new(format!("the catalog has no {} peak of {}", asked.name(), gpu.name)));
    }
    Ok(asked)
}

/// The optimizer; ones with two moments of full width count as AdamW.
pub(super) fn optimizer(question: &Question) -> Optimizer {
    let text = question.lower("optimizer");
    let has = |mark: &str| text.contains(mark);
    if has("8bit") || has("8-bit") {
        Optimizer::Adamw8bit
    } else if has("paged") {
        Optimizer::PagedAdamw
    } else if has("adafactor") {
        Optimizer::Adafactor
    } else if has("sgd") || has("lars") || has("muon") {
        Optimizer::Sgd
    } else if has("lion") {
        Optimizer::Lion
    } else {
        Optimizer::Adamw
    }
}

/// Recomputation as stated; else that of the software: `MaxText` recomputes everything unless told otherwise, and so do
/// Unsloth, the fine-tuning scripts of Hugging Face and, with adapters on several GPUs, litgpt (`finetune/lora.py`: FSDP
/// with an `activation_checkpointing_policy` of all blocks, 2024-03); others nothing.
pub(super) fn recompute(question: &Question, method: Method, gpus: u32) -> Recompute {
    let text = question.lower("activation_checkpointing");
    let framework = question.lower("framework");
    let adapters = method != Method::Full;
    match text.as_str() {
        "" if ["maxtext", "unsloth", "hf-transformers", "transformers", "trl"]
            .contains(&framework.as_str()) =>
        {
            Recompute::Full
        }
        "" if framework == "litgpt" && adapters && gpus > 1 => Recompute::Full,
        "" | "none" | "no" | "false" => Recompute::None,
        _ if text.contains("selective") => Recompute::Selective,
        _ => Recompute::Full,
    }
}

/// What a printed peak of memory counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counter {
    /// All that the driver has given away: `nvidia-smi`.
    Driver,
    /// What the allocator of the framework holds.
    Reserved,
    /// What tensors take of that.
    Allocated,
}

/// The counter as named; else that of the software. litgpt prints `torch.cuda.max_memory_allocated` at the end of a run
/// (`finetune/lora.py`, 2024-03); torchtune, torchtitan, Unsloth and ms-swift (`torch.cuda.max_memory_reserved`, trainers of
/// 2024-01) print what is reserved; trainers without a figure of
/// their own (Transformers, DeepSpeed, `InternEvo`) leave it to `nvidia-smi`.
pub(super) fn counter(kind: &str, class: &str) -> Counter {
    match kind {
        "nvidia_smi" => Counter::Driver,
        "allocated" => Counter::Allocated,
        "reserved" => Counter::Reserved,
        _ => match class {
            "litgpt" => Counter::Allocated,
            "generic" | "deepspeed" | "auto-gptq" => Counter::Driver,
            _ => Counter::Reserved,
        },
    }
}

/// Rank of adapters as stated; else 64 for `QLoRA`, as in its paper (Dettmers et al. 2023, section 5), where the software has
/// no usual rank of its own (litgpt 8 to 32, Unsloth 16), and 16 for `LoRA`, the middle of the defaults of common tools (8 to
/// 64).
pub(super) fn lora_rank(question: &Question, method: Method, class: &str) -> u32 {
    let of_the_paper =
        method == Method::Qlora && matches!(class, "generic" | "deepspeed" | "ms-swift" | "auto-gptq");
    question.count("lora_rank").unwrap_or(if of_the_paper { 64 } else { 16 })
}

/// What the memory of the host keeps.
pub(super) fn offload(question: &Question) -> Result<Offload, Skip> {
    let text = question.lower("offload");
    let sharding = question.lower("sharding");
    if text.contains("activation") {
        return Err(Skip::new("offloading of activations is not modelled"));
    }
    let weights = text.contains("param") || text.contains("all") || text == "cpu" || text.ends_with(" cpu");
    Ok(match text.as_str() {
        "" if sharding.contains("offload") => Offload::All,
        "" | "none" | "no" => Offload::None,
        _ if weights => Offload::All,
        _ => Offload::Optimizer,
    })
}

/// Sharding as stated; else that of the software: Megatron's distributed optimizer, XLA's sharded weights, FSDP of litgpt.
pub(super) fn sharding(question: &Question, class: &str, gpu: &Gpu) -> Option<Sharding> {
    let text = question.lower("sharding");
    let has = |mark: &str| text.contains(mark);
    if has("zero3") || has("zero-3") || has("fsdp_full") || has("fsdp+dp") || has("gemini") || text == "fsdp"
    {
        Some(Sharding::Zero3)
    } else if has("zero2") || has("grad_op") || has("low_level_zero") {
        Some(Sharding::Zero2)
    } else if has("zero1") || has("zero-1") {
        Some(Sharding::Zero1)
    } else if has("ddp") {
        Some(Sharding::Ddp)
    } else if gpu.stack == Stack::Xla || class == "litgpt" {
        Some(Sharding::Zero3)
    } else if has("tp") || has("model-parallel") || has("megatron") || class == "tuned" || class == "legacy" {
        Some(Sharding::Zero1)
    } else {
        None
    }
}

/// The class of software. FP16 on a GPU with BF16 dates Megatron and DeepSpeed to before fused attention, as does a GPU
/// that such kernels were never written for.
pub(super) fn class<'a>(catalog: &'a Catalog, question: &Question, gpu: &Gpu) -> &'a str {
    let precision = question.lower("precision");
    let half = precision.contains("fp16") && !precision.contains("bf16");
    let pretraining = question.lower("method") == "pretrain";
    let large = pretraining && question.number("gpu_count").is_some_and(|gpus| gpus >= LARGE_RUN);
    let unstated = if large && question.text("framework").is_none() { "tuned" } else { "generic" };
    let class = software::framework_class(catalog, &question.lower("framework")).unwrap_or(unstated);
    match class {
        "generic" if precision.contains("bf16-true") => "pure-bf16",
        "generic" | "ms-swift" if precision.contains("gptq") => "auto-gptq",
        "generic" if under_deepspeed(question) => "deepspeed",
        "tuned" if half && pretraining && (gpu.bf16 || gpu.year < TILED_SINCE) => "legacy",
        class => class,
    }
}

/// Whether plain software trains under `DeepSpeed`: the names of its sharding say so, and the scripts of models that train
/// all weights with Transformers run under it (QwenLM/Qwen `finetune/finetune_ds.sh`, 2023-11).
fn under_deepspeed(question: &Question) -> bool {
    let scripts = ["hf-transformers", "transformers"].contains(&question.lower("framework").as_str());
    let all_weights = matches!(question.lower("method").as_str(), "full" | "");
    question.lower("sharding").contains("zero") || scripts && all_weights
}

/// Attention that keeps its scores: software of before 2022, and GPUs that tiled kernels do not run on.
pub(super) fn attention(class: &str, gpu: &Gpu) -> AttentionKernel {
    if class == "legacy" || (gpu.stack == Stack::Cuda && gpu.year < TILED_SINCE) {
        AttentionKernel::Eager
    } else {
        AttentionKernel::Flash
    }
}
