//! What practitioners know: which model runs where, and about how fast.

use super::{CATALOG, networked, node, work};
use gpuadvise::estimate::serving::ServingModel;
use gpuadvise::estimate::{Machine, Verdict};
use gpuadvise::workload::Pins;

fn verdict(flags: &str, gpu: &str, tp: u32) -> Verdict {
    let work = work(flags);
    let machine = node(gpu, tp);
    work.on(&machine).verdict(&ServingModel::layout(1, tp, 1), 1)
}

#[test]
fn an_8b_model_in_16_bit_fits_a_24_gb_card_at_8k() {
    assert_eq!(verdict("--model llama-3-8b --max-model-len 8192", "L4", 1), Verdict::Fits);
    assert_eq!(verdict("--model llama-3-8b --max-model-len 8192", "A10G", 1), Verdict::Fits);
    assert_eq!(verdict("--model llama-3-8b --precision fp16", "T4", 1), Verdict::No);
}

#[test]
fn a_70b_model_in_16_bit_needs_two_80_gb_cards_and_has_room_on_four() {
    let flags = "--model llama-3-70b --max-model-len 8192";
    assert_eq!(verdict(flags, "H100-SXM", 1), Verdict::No);
    assert_ne!(verdict(flags, "H100-SXM", 2), Verdict::No);
    assert_eq!(verdict(flags, "H100-SXM", 4), Verdict::Fits);
    let work = work("--model llama-3-70b --input-len 4096 --output-len 1024 --max-model-len 8192");
    let most = |gpus| {
        let machine = node("H100-SXM", gpus);
        work.on(&machine).max_concurrency(&ServingModel::layout(1, gpus, 1), 1)
    };
    assert!(most(2) < 20, "{}", most(2));
    assert!(most(4) > 80, "{}", most(4));
    assert_eq!(verdict("--model llama-3-70b --quantization fp8", "H100-SXM", 2), Verdict::Fits);
}

#[test]
fn deepseek_v3_in_fp8_needs_eight_h200_or_two_nodes_of_h100() {
    let flags = "--model deepseek-v3 --precision fp8";
    assert_eq!(verdict(flags, "H100-SXM", 8), Verdict::No);
    assert_eq!(verdict(flags, "H200-SXM", 8), Verdict::Fits);
    let work = work(flags);
    let machine = networked("H100-SXM", 8);
    let plan = work.on(&machine).best(&Pins::default(), 8).unwrap();
    assert_eq!((plan.nodes, plan.replicas, plan.layout.tp * plan.layout.pp), (2, 1, 16));
}

#[test]
fn p005_memory_of_several_cards_is_no_pool() {
    let work = work("--model llama-3-70b --max-model-len 4096");
    let machine = node("RTX-4090", 4);
    let miss = work.on(&machine).best(&Pins::default(), 1).unwrap_err();
    assert_eq!(miss.verdict, Verdict::No);
    assert_eq!(miss.layout.tp * miss.layout.pp, 4, "the layout that was judged is named");
    assert!(miss.memory.terms.total() > machine.usable_bytes);
    assert!(miss.memory.terms.weights > 35e9 && miss.memory.terms.weights < 36e9);
}

#[test]
fn p073_a_sixth_of_an_a10_does_not_hold_a_7b_model() {
    let a10 = CATALOG.only_gpu_named("A10").unwrap();
    let instance =
        CATALOG.instances.iter().find(|i| i.gpu == a10 && i.gpus < 0.2).expect("a sixth of an A10");
    let machine = Machine::of_instance(&CATALOG, instance, None).unwrap();
    let work = work("--model llama-2-7b --precision fp16");
    let miss = work.on(&machine).best(&Pins::default(), 1).unwrap_err();
    assert_eq!(miss.verdict, Verdict::No);
    assert_eq!(miss.shortfalls[0].constraint, "memory");
}

#[test]
fn decode_of_an_8b_model_takes_milliseconds() {
    let tpot = |gpu: &str| {
        let work = work("--model llama-3-8b --concurrency 1");
        let machine = node(gpu, 1);
        work.on(&machine).speed(&ServingModel::layout(1, 1, 1), 1).tpot_ms.expected
    };
    let (h100, a100, l4) = (tpot("H100-SXM"), tpot("A100-80GB-SXM"), tpot("L4"));
    assert!((5.5..8.5).contains(&h100), "H100 {h100}");
    assert!((9.0..12.5).contains(&a100), "A100 {a100}");
    assert!((50.0..75.0).contains(&l4), "L4 {l4}");
}

#[test]
fn arithmetic_that_the_gpu_lacks_is_refused() {
    for (flags, gpu) in [
        ("--model llama-3-8b --precision fp8", "A100-80GB-SXM"),
        ("--model llama-3-8b --engine vllm-v0 --quantization int8", "V100-32GB-SXM"),
        ("--model llama-3-8b --engine vllm-v0 --precision bf16", "V100-32GB-SXM"),
        ("--model llama-3-8b --precision bf16", "T4"),
    ] {
        let work = work(flags);
        let machine = node(gpu, 1);
        let refused = work.try_on(&machine).unwrap_err();
        assert_eq!(refused.id, "precision-unsupported", "{flags} on {gpu}");
        assert!(refused.message.contains(gpu), "{}", refused.message);
    }
    let without_asking = work("--model llama-3-8b --engine vllm-v0");
    let machine = node("V100-32GB-SXM", 1);
    assert_eq!(without_asking.on(&machine).precisions(), ("fp16", "fp16"));
}

#[test]
fn a_cache_without_a_known_rule_is_refused() {
    let mut work = work("--model llama-3-8b");
    work.model.kv_caveat = Some("layers of two sorts".to_owned());
    let machine = node("H100-SXM", 1);
    let refused = work.try_on(&machine).unwrap_err();
    assert_eq!(refused.id, "kv-rule-unknown");
    assert!(refused.message.contains("layers of two sorts"));
}

/// Measured on eight H100: 79,392 tokens. The checkpoint keeps attention in 16 bit, which its format does not tell.
#[test]
fn a_405b_model_in_fp8_is_not_promised_its_whole_context_on_eight_h100() {
    let work = work("--model llama-3.1-405b --quantization fp8 --max-model-len 131072");
    let machine = node("H100-SXM", 8);
    let capacity = work.on(&machine).kv_capacity(&ServingModel::layout(1, 8, 1));
    assert!(capacity.low < 79_392.0 && capacity.high > 131_072.0, "{capacity:?}");
}

/// ggml-org/llama.cpp pull request 6017 measured a fall from 8,668 to 5,112 tokens a second on an A100: scores go through
/// memory there. Engines with fused attention lose less.
#[test]
fn long_prompts_cost_more_without_fused_attention() {
    let machine = node("A100-80GB-PCIe", 1);
    let rate = |engine: &str, format: &str, tokens: u32| {
        let flags = format!(
            "--model llama-2-7b --engine {engine} --quantization {format} --input-len {tokens} --max-model-len 16384"
        );
        let work = work(&flags);
        f64::from(tokens)
            / work.on(&machine).prefill_pass(&ServingModel::layout(1, 1, 1), 1.0, f64::from(tokens)).total
    };
    let loss = |engine: &str| rate(engine, "none", 8192) / rate(engine, "none", 512);
    assert!((0.45..0.75).contains(&loss("llama.cpp")), "{}", loss("llama.cpp"));
    assert!(loss("vllm") > loss("llama.cpp") + 0.1, "{}", loss("vllm"));
    // Weights that are unpacked first make prompts slower, though they are read faster.
    assert!(rate("llama.cpp", "q4_0", 512) < 0.95 * rate("llama.cpp", "none", 512));
}

/// vLLM holds more beside PyTorch on GPUs with fast links (vllm-project/vllm pull request 10511).
#[test]
fn communication_buffers_are_larger_on_fast_links() {
    let work = work("--model llama-3.1-8b");
    let term = |gpu: &str| {
        let machine = node(gpu, 2);
        work.on(&machine).memory(&ServingModel::layout(1, 2, 1), 1).terms.communication
    };
    assert!(term("A100-80GB-SXM") > 2.0 * term("L40S"), "{} {}", term("A100-80GB-SXM"), term("L40S"));
}
