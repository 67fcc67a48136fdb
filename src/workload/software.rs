//! Names of training frameworks and serving engines, and the class of software whose constants hold for them.

/// Frameworks by class. `tuned` is software of hardware makers and the like, with fused kernels and overlap everywhere;
/// `fused` is `PyTorch` with fused kernels or `torch.compile`; `pure-bf16` keeps all states in BF16; `legacy` is software
/// of before fused attention; what is not here counts as `generic`.
const FRAMEWORKS: [(&str, &[&str]); 5] = [
    (
        "tuned",
        &["megatron", "megatron-lm", "megatron-bridge", "nemo", "maxtext", "nvidia-examples", "mlperf"],
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
            "unsloth",
            "colossalai",
            "internevo",
            "gpt-neox",
            "jax",
        ],
    ),
    ("fused", &["torchtitan", "llm-foundry", "fms-fsdp"]),
    ("pure-bf16", &["torchtune", "litgpt"]),
    ("legacy", &["megatron-deepspeed"]),
];

/// Engines by class. `vllm` is what has its one engine core and prompts in chunks (from 0.8 on), `vllm-v0` what came before.
const ENGINES: [(&str, &[&str]); 9] = [
    ("vllm", &["tgi", "text-generation-inference"]),
    ("vllm-v0", &["nm-vllm"]),
    ("sglang", &[]),
    ("tensorrt-llm", &["trt-llm", "tensorrt", "trtllm", "nim", "lmdeploy", "turbomind"]),
    ("fastertransformer", &["ft"]),
    ("deepspeed-mii", &["mii", "deepspeed", "deepspeed-fastgen"]),
    ("llama.cpp", &["llamacpp", "llama-cpp", "ollama", "lm-studio", "koboldcpp"]),
    ("exllama", &["exllamav2", "exllamav3", "tabbyapi", "autoawq"]),
    ("eager", &["transformers", "hf-transformers", "pytorch", "accelerate", "huggingface"]),
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
