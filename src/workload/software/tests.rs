use super::*;
use crate::catalog::load::{Sections, embedded};

fn catalog() -> Catalog {
    embedded(Sections { constants: true, ..Sections::HARDWARE }).expect("a catalog")
}

#[test]
fn names_lead_to_classes_whatever_their_spelling() {
    let catalog = catalog();
    for (name, class) in
        [("TRT_LLM", "tensorrt-llm"), ("ollama", "llama.cpp"), ("lmdeploy", "tensorrt-llm"), ("tgi", "vllm")]
    {
        assert_eq!(engine_class(&catalog, name), Some(class), "{name}");
    }
    for (name, class) in [
        ("Hugging Face", None),
        ("PEFT", Some("generic")),
        ("nemo", Some("tuned")),
        ("litgpt", Some("litgpt")),
    ] {
        assert_eq!(framework_class(&catalog, name), class, "{name}");
    }
    assert_eq!(sample_class(&catalog, "timm", false), Some("generic"));
    assert_eq!(sample_class(&catalog, "timm", true), None);
}

#[test]
fn spellings_lead_to_the_name_of_the_rows() {
    let catalog = catalog();
    for (name, row) in [("TRT_LLM", "tensorrt-llm"), ("ollama", "llama.cpp"), ("lmdeploy", "lmdeploy")] {
        assert_eq!(row_name(&catalog, Use::Serve, name), row);
    }
    for (name, row) in [("PEFT", "generic"), ("unsloth", "unsloth"), ("Nobody Knows", "nobody-knows")] {
        assert_eq!(row_name(&catalog, Use::Train, name), row);
    }
}

#[test]
fn versions_choose_the_class() {
    let catalog = catalog();
    let at = |class, version| class_at(&catalog, class, version);
    assert_eq!(at("vllm", "0.6.3.post1"), Some("vllm-v0"));
    assert_eq!(at("vllm-v0", "v0.8.0"), Some("vllm"));
    assert_eq!(at("eager", "4.44.2"), Some("eager-v0"));
    assert_eq!(at("eager", "5.0"), Some("eager"));
    assert_eq!(at("sglang", "0.4"), None);
    assert_eq!(at("vllm", "main"), None);
}

#[test]
fn the_first_and_longest_name_of_a_text_counts() {
    let catalog = catalog();
    for (text, class) in [
        ("Triton + TensorRT-LLM", Some("tensorrt-llm")),
        ("HF Transformers", Some("eager")),
        ("llama.cpp fork", Some("llama.cpp")),
        ("vLLM on SGLang", Some("vllm")),
        ("pytorch-lightning", Some("eager")),
        ("nobody's engine", None),
    ] {
        assert_eq!(engine_class_in(&catalog, text), class, "{text}");
    }
}

#[test]
fn variants_have_their_base_and_others_none() {
    let catalog = catalog();
    for (class, base) in [
        ("eager-v0", Some("eager")),
        ("tensorrt-llm-pytorch", Some("tensorrt-llm")),
        ("litgpt", Some("pure-bf16")),
        ("unsloth", Some("generic")),
        ("auto-gptq", Some("generic")),
        ("vllm", None),
        ("tuned", None),
    ] {
        assert_eq!(base_class(&catalog, class), base, "{class}");
    }
}
