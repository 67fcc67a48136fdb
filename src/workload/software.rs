//! Names of training frameworks and serving engines, and the class of software whose constants hold for them.

/// Frameworks by class. `tuned` is software of hardware makers and the like, with fused kernels and overlap everywhere;
/// `fused` is `PyTorch` with fused kernels or `torch.compile`; `pure-bf16` keeps all states in BF16, `litgpt` as well
/// but loads whole weights before it shards them; `unsloth` is like `generic`, but never copies its logits; `legacy` is
/// software of before fused attention; what is not here counts as `generic`.
const FRAMEWORKS: [(&str, &[&str]); 8] = [
    (
        "tuned",
        &[
            "megatron",
            "megatron-core",
            "megatron-lm",
            "megatron-bridge",
            "nemo",
            "maxtext",
            "paxml",
            "nvidia-examples",
            "lambda-benchmark",
            "mlperf",
            "levanter",
            "llm.c",
        ],
    ),
    (
        "generic",
        &[
            "pytorch",
            "torch",
            "fsdp",
            "deepspeed",
            "accelerate",
            "transformers",
            "hf-transformers",
            "hf-peft",
            "peft",
            "trl",
            "lightning",
            "axolotl",
            "llama-factory",
            "ms-swift",
            "colossalai",
            "internevo",
            "gpt-neox",
            "jax",
        ],
    ),
    (
        "fused",
        &[
            "torchtitan",
            "llm-foundry",
            "fms-fsdp",
            "fms",
            "kempnerforge",
            "nemo-automodel",
            "automodel",
            "nanochat",
            "modded-nanogpt",
            "tinyllama",
            "flash-attention",
        ],
    ),
    ("pure-bf16", &["torchtune"]),
    ("litgpt", &["lit-gpt"]),
    ("unsloth", &[]),
    ("auto-gptq", &["autogptq", "gptqmodel"]),
    ("legacy", &["megatron-deepspeed", "tensorflow-1"]),
];

/// Engines by class. `vllm` is what has its one engine core and prompts in chunks (from 0.8 on), `vllm-v0` what came before.
const ENGINES: [(&str, &[&str]); 9] = [
    ("vllm", &["tgi", "text-generation-inference"]),
    ("vllm-v0", &["nm-vllm"]),
    ("sglang", &[]),
    (
        "tensorrt-llm",
        &["trt-llm", "tensorrt", "trtllm", "nim", "lmdeploy", "turbomind", "qserve", "optimum-nvidia"],
    ),
    ("fastertransformer", &["ft"]),
    ("deepspeed-mii", &["mii", "deepspeed", "deepspeed-fastgen"]),
    ("llama.cpp", &["llamacpp", "llama-cpp", "ollama", "lm-studio", "koboldcpp", "ctransformers"]),
    ("exllama", &["exllamav2", "exllamav3", "tabbyapi", "autoawq"]),
    (
        "eager",
        &["transformers", "hf-transformers", "pytorch", "accelerate", "huggingface", "autogptq", "lightning"],
    ),
];

/// Software of networks that work on samples by class, as in the measured rates: `mlperf` and `tensorrt` are submissions
/// tuned for the record, far above what others see; `tensorrt-server` keeps the latency bound of the benchmark.
const SAMPLE_TRAINING: [(&str, &[&str]); 3] = [
    (
        "generic",
        &[
            "pytorch",
            "torch",
            "timm",
            "deepspeed",
            "lambda-benchmark",
            "accelerate",
            "lightning",
            "transformers",
        ],
    ),
    ("tuned", &["nvidia-examples", "nemo", "megatron", "dali"]),
    ("mlperf", &[]),
];

/// Inference software of networks that work on samples by class.
const SAMPLE_INFERENCE: [(&str, &[&str]); 7] = [
    (
        "eager",
        &[
            "pytorch",
            "torch",
            "transformers",
            "diffusers",
            "vanilla-pytorch",
            "openai-whisper",
            "comfyui",
            "auto1111-webui",
        ],
    ),
    ("compiled", &["torch.compile", "stable-fast", "onediff", "oneflow", "aitemplate", "tensorrt-demo"]),
    ("tensorflow", &["tensorflow-1", "tf"]),
    ("fastertransformer", &["ft"]),
    ("faster-whisper", &["ctranslate2"]),
    ("tensorrt", &["trt", "cuda"]),
    ("tensorrt-server", &["triton"]),
];

fn class(name: &str, table: &[(&'static str, &[&str])]) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    table
        .iter()
        .find(|(class, names)| *class == name || names.contains(&name.as_str()))
        .map(|&(class, _)| class)
}

/// The class of a training framework; `None` for a name that is not known.
pub fn framework_class(name: &str) -> Option<&'static str> {
    class(name, &FRAMEWORKS)
}

/// The class of a serving engine; `None` for a name that is not known.
pub fn engine_class(name: &str) -> Option<&'static str> {
    class(name, &ENGINES)
}

/// The class of software of a network that works on samples; `None` for a name that is not known.
pub fn sample_class(name: &str, inference: bool) -> Option<&'static str> {
    if inference { class(name, &SAMPLE_INFERENCE) } else { class(name, &SAMPLE_TRAINING) }
}

/// The class of the engine whose name stands first in a longer text such as `Triton + TensorRT-LLM` or
/// `HF Transformers`; where several begin there, the longest.
pub fn engine_class_in(text: &str) -> Option<&'static str> {
    let text = text.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    let names = ENGINES
        .iter()
        .flat_map(|&(class, names)| names.iter().copied().chain([class]).map(move |name| (name, class)));
    let found = names.filter_map(|(name, class)| {
        let word = |at: &(usize, &str)| {
            let before = text[..at.0].chars().next_back();
            before.is_none_or(|c| !c.is_ascii_alphanumeric())
        };
        let (at, _) = text.match_indices(name).find(word)?;
        Some((at, std::cmp::Reverse(name.len()), class))
    });
    found.min().map(|(.., class)| class)
}

/// Classes that differ from another in a few constants only, and that other.
const VARIANTS: [(&str, &str); 5] = [
    ("eager-v0", "eager"),
    ("tensorrt-llm-pytorch", "tensorrt-llm"),
    ("litgpt", "pure-bf16"),
    ("unsloth", "generic"),
    ("auto-gptq", "generic"),
];

/// The class whose constants hold where a class has none of its own.
pub fn base_class(class: &str) -> Option<&'static str> {
    VARIANTS.iter().find(|(variant, _)| *variant == class).map(|&(_, base)| base)
}

/// The class of an engine at a version; `None` where nothing, or nothing but the class itself, is told by it.
///
/// vLLM has its one engine core and prompts in chunks from 0.8 on; Transformers keeps the logits of the last token only
/// from 4.45 on.
pub fn class_at(class: &str, version: &str) -> Option<&'static str> {
    let start = version.find(|c: char| c.is_ascii_digit())?;
    let mut numbers = version[start..].split('.').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    });
    let version = (numbers.next()??, numbers.next()??);
    match class {
        "vllm" | "vllm-v0" => Some(if version >= (0, 8) { "vllm" } else { "vllm-v0" }),
        "eager" => Some(if version >= (4, 45) { "eager" } else { "eager-v0" }),
        _ => None,
    }
}

/// All names of frameworks, classes first.
pub fn framework_names() -> impl Iterator<Item = &'static str> {
    FRAMEWORKS
        .iter()
        .map(|&(class, _)| class)
        .chain(FRAMEWORKS.iter().flat_map(|&(_, names)| names.iter().copied()))
}

/// All names of engines, classes first.
pub fn engine_names() -> impl Iterator<Item = &'static str> {
    ENGINES
        .iter()
        .map(|&(class, _)| class)
        .chain(ENGINES.iter().flat_map(|&(_, names)| names.iter().copied()))
}
