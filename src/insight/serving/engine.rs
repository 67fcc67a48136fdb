//! Which class of engine a row means, by name and version, and how that engine takes memory.

use super::super::Skip;
use super::super::question::Question;
use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::model::{Architecture, Attention};
use crate::workload::precision::Precision;
use crate::workload::software;

/// More routed experts than a mixture had before version 0.8 of vLLM.
const MANY_EXPERTS: u32 = 16;

/// The class of engine of a row.
pub(super) fn class<'a>(
    catalog: &'a Catalog,
    question: &Question,
    arch: &Architecture,
    gpu: &Gpu,
    arithmetic: Option<Precision>,
) -> Result<&'a str, Skip> {
    let name = question.text("engine").ok_or_else(|| Skip::blank("engine"))?;
    let class = software::engine_class_in(catalog, name)
        .ok_or_else(|| Skip::new(format!("no class of engine is known for `{name}`")))?;
    let version =
        question.text("engine_version").and_then(|version| software::class_at(catalog, class, version));
    let lower = name.to_ascii_lowercase();
    Ok(match (class, version) {
        ("vllm", _) if !lower.contains("vllm") => class,
        ("eager", Some(version)) if lower.contains("transformers") => version,
        ("eager", _) => class,
        ("exllama", _) if lower.contains("autoawq") => "autoawq-fused",
        (_, Some(version)) => version,
        ("vllm", None) if !is_recent(arch, gpu, arithmetic) => "vllm-v0",
        ("tensorrt-llm", None) if lower.contains("pytorch") => "tensorrt-llm-pytorch",
        _ => class,
    })
}

/// Whether only a recent engine can have run it: kernels for FP8 and FP4, Blackwell, many experts and latent attention came with
/// and after the one engine core.
fn is_recent(arch: &Architecture, gpu: &Gpu, arithmetic: Option<Precision>) -> bool {
    matches!(arithmetic, Some(Precision::Fp4 | Precision::Fp8))
        || gpu.architecture.starts_with("Blackwell")
        || gpu.vendor == "Google"
        || arch.moe.is_some_and(|moe| moe.experts > MANY_EXPERTS)
        || matches!(arch.attention, Attention::Latent { .. })
}

/// Whether the engine takes its share of the memory at start: what is then measured is the reservation.
pub(super) fn reserves(class: &str) -> bool {
    matches!(class, "vllm" | "vllm-v0" | "sglang" | "deepspeed-mii") || class.starts_with("tensorrt-llm")
}

/// Whether the engine runs the longest prompt whole at start to see what it needs.
pub(super) fn tries_whole_prompts(class: &str) -> bool {
    class == "vllm-v0"
}

/// Whether what is printed as peak is what the framework allocated, without the context of the GPU.
pub(super) fn prints_allocated(class: &str) -> bool {
    matches!(class, "eager" | "eager-v0" | "exllama" | "autoawq-fused")
}

/// Whether the software lists its own buffers, so that a peak may be told with the context of the GPU or without.
pub(super) fn lists_buffers(class: &str) -> bool {
    class == "llama.cpp"
}

/// Whether the class of a row could be another one by its version, which the row does not state, with caches that are held
/// twice: those of Transformers before 4.36 are tuples of tensors.
pub(super) fn may_be_old(question: &Question, class: &str) -> bool {
    class == "eager" && question.text("engine_version").is_none()
}

/// Whether what does not fit the KV cache waits for its turn; otherwise the whole batch must fit.
pub(super) fn queues(class: &str) -> bool {
    reserves(class)
}
