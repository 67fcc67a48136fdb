//! The KV cache and the weights, to the byte where users reported a byte count.

use super::{Work, architecture, close, node, work};
use gpuadvise::estimate::serving::{ServingModel, kv};
use gpuadvise::estimate::{MemoryEstimate, MemoryTerms, Verdict};
use gpuadvise::model::{Architecture, Window};
use gpuadvise::units::GIB;
use gpuadvise::workload::KvRule;

/// Llama-like attention of any shape.
fn shape(layers: u32, kv_heads: u32, head_dim: u32, window: Option<Window>) -> Architecture {
    Architecture { layers, kv_heads, head_dim, window, ..architecture("llama-3-8b") }
}

fn weights(flags: &str) -> f64 {
    let work = work(flags);
    let machine = node("B200", 8);
    work.on(&machine).weights_bytes()
}

#[test]
fn p002_all_parameters_of_a_mixture_count() {
    close(weights("--model deepseek-v3 --quantization nvfp4"), 377e9, 0.01);
    close(weights("--params 671e9 --active-params 37e9 --quantization nvfp4"), 377e9, 0.01);
    close(weights("--params 671e9 --active-params 5e9 --quantization nvfp4"), 377e9, 0.01);
}

#[test]
fn p004_the_context_that_is_judged_shows_in_a_term_of_its_own() {
    let (short, long) = (
        work("--model qwen3-30b-a3b --max-model-len 4096"),
        work("--model qwen3-30b-a3b --max-model-len 262144"),
    );
    let machine = node("H100-SXM", 1);
    let layout = ServingModel::layout(1, 1, 1);
    let (a, b) = (short.on(&machine).memory(&layout, 1).terms, long.on(&machine).memory(&layout, 1).terms);
    close(b.kv_cache / a.kv_cache, 64.0, 1e-9);
    assert_eq!(MemoryTerms { kv_cache: a.kv_cache, ..b }, a, "only the KV cache follows the context");
}

#[test]
fn p010_layers_with_a_window_hold_the_first_token_too() {
    let arch = shape(36, 8, 64, Some(Window { tokens: 128, global_every: 2 }));
    assert_eq!(kv::bytes_per_token(&arch, 2.0, KvRule::Windowed), 73_728.0);
    assert_eq!(kv::bytes_per_token(&architecture("gpt-oss-120b"), 2.0, KvRule::FullPages), 73_728.0);
}

#[test]
fn p011_hybrid_attention_by_either_rule() {
    let arch = architecture("gpt-oss-20b");
    let batch = |rule| 32.0 * kv::bytes_at(&arch, 8192.0, 2.0, rule) / GIB;
    assert_eq!(batch(KvRule::FullPages), 12.0);
    assert_eq!(format!("{:.2}", batch(KvRule::Windowed)), "6.09");
}

#[test]
fn p013_a_window_bends_the_growth() {
    let arch = architecture("gemma-3-27b");
    let at = |rule| kv::bytes_at(&arch, 131_072.0, 2.0, rule);
    assert!(at(KvRule::Windowed) < 0.25 * at(KvRule::FullPages));
}

#[test]
fn p014_the_latent_unless_expanded_is_asked() {
    let arch = architecture("deepseek-v3");
    assert_eq!(kv::bytes_per_token(&arch, 2.0, KvRule::Windowed), 70_272.0);
    assert_eq!(kv::bytes_per_token(&arch, 2.0, KvRule::FullPages), 70_272.0);
    // 128 heads with keys of 192 and values of 128.
    assert_eq!(kv::bytes_per_token(&arch, 2.0, KvRule::Expanded), 61.0 * 128.0 * (192.0 + 128.0) * 2.0);
    let per_gpu = |tp| kv::bytes_at_per_gpu(&arch, 1000.0, 2.0, KvRule::Windowed, tp, 1);
    assert_eq!(per_gpu(1), per_gpu(8), "each rank keeps the latent whole");
}

#[test]
fn p015_the_longest_context_is_where_the_cache_of_that_length_fits() {
    let work = work("--model gemma-3-27b --concurrency 1 --kv-rule windowed");
    let machine = node("L40S", 2);
    let (model, layout) = (work.on(&machine), ServingModel::layout(1, 2, 1));
    let longest = model.max_model_len(&layout);
    let fits = |tokens: u32| {
        let mut at = work.job.clone();
        (at.max_model_len, at.input_len, at.output_len) = (tokens, 1, 1);
        let model = Work { model: work.model.clone(), job: at };
        model.on(&machine).verdict(&layout, 1) == Verdict::Fits
    };
    assert!(fits(longest), "{longest}");
    assert!(longest == work.model.native_context.unwrap() || !fits(longest + 1), "{longest}");
    let linear = {
        let spare = 0.95 * machine.usable_bytes
            - (model.memory(&layout, 1).high - model.memory(&layout, 1).terms.kv_cache);
        spare / kv::bytes_at_per_gpu(&work.model, 1.0, 2.0, KvRule::Windowed, 2, 1)
    };
    assert!(f64::from(longest) > 2.0 * linear, "{longest} against {linear} by the first token");
}

#[test]
fn p016_a_declared_head_size_counts_and_the_workspace_is_a_line() {
    let arch = architecture("qwen3-0.6b");
    assert_ne!(arch.head_dim, arch.hidden / arch.heads);
    let expected = 2 * arch.layers * arch.kv_heads * arch.head_dim * 2;
    assert_eq!(kv::bytes_per_token(&arch, 2.0, KvRule::Windowed), f64::from(expected));
    let work = work("--model qwen3-0.6b");
    let machine = node("L4", 1);
    assert!(work.on(&machine).memory(&ServingModel::layout(1, 1, 1), 1).terms.workspace > 0.0);
}

#[test]
fn p017_grouped_heads() {
    assert_eq!(kv::bytes_per_token(&shape(32, 8, 128, None), 2.0, KvRule::FullPages), 131_072.0);
}

#[test]
fn p021_the_formula_gives_the_bytes() {
    for (name, rule) in [
        ("llama-3-8b", KvRule::Windowed),
        ("deepseek-v3", KvRule::Windowed),
        ("deepseek-v3", KvRule::Expanded),
        ("gpt-oss-20b", KvRule::Windowed),
        ("gpt-oss-20b", KvRule::FullPages),
        ("minimax-text-01", KvRule::Windowed),
    ] {
        let arch = architecture(name);
        let text = kv::formula(&arch, 8192.0, 2.0, rule);
        let (product, bytes) = text.split_once(" = ").unwrap();
        let bytes: f64 = bytes.trim_end_matches(" bytes").parse().unwrap();
        assert_eq!(bytes, kv::bytes_at(&arch, 8192.0, 2.0, rule));
        assert_eq!(value(product), bytes, "{text}");
    }
}

/// The value of sums and products of numbers with words between them.
fn value(text: &str) -> f64 {
    let mut total = 1.0;
    for factor in split_outside(text, '*') {
        let factor = factor.trim();
        total *= match factor.strip_prefix('(') {
            Some(inner) => {
                split_outside(&inner[..inner.rfind(')').unwrap()], '+').into_iter().map(value).sum()
            }
            None => factor.split_whitespace().find_map(|word| word.parse::<f64>().ok()).unwrap(),
        };
    }
    total
}

fn split_outside(text: &str, at: char) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            c if c == at && depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[test]
fn p023_more_ranks_than_kv_heads_hold_copies() {
    let arch = architecture("llama-3-70b");
    let at = |tp| kv::bytes_at_per_gpu(&arch, 4096.0, 2.0, KvRule::FullPages, tp, 1);
    assert_eq!(at(32), at(8));
    assert!(at(8) < at(4));
}

#[test]
fn p024_tensor_parallelism_shares_the_cache_out() {
    let arch = architecture("llama-3-70b");
    let free = 20.0 * GIB;
    let tokens = |tp| free / kv::bytes_at_per_gpu(&arch, 1.0, 2.0, KvRule::FullPages, tp, 1);
    close(tokens(4), 4.0 * tokens(1), 1e-12);
}

#[test]
fn p025_weights_are_parameters_times_bytes() {
    let mut work = work("--model llama-3-70b --precision fp16");
    work.model.params = 70.55e9;
    work.model.active_params = 70.55e9;
    let machine = node("B200", 1);
    let bytes = work.on(&machine).weights_bytes();
    assert_eq!(format!("{:.1} GB, {:.1} GiB", bytes / 1e9, bytes / GIB), "141.1 GB, 131.4 GiB");
}

#[test]
fn p163_a_7b_model_at_fp16() {
    let bytes = weights("--model mistral-7b-v0.1 --precision fp16");
    assert_eq!(format!("{:.1} GB, {:.1} GiB", bytes / 1e9, bytes / GIB), "14.5 GB, 13.5 GiB");
}

#[test]
fn p104_usable_memory_tells_h100_variants_apart() {
    let terms = MemoryTerms { weights: 90e9, ..MemoryTerms::default() };
    let need = MemoryEstimate { terms, low: 90e9, high: 90e9, host_ram: 0.0 };
    let verdict = |gpu| Verdict::of(&need, node(gpu, 1).usable_bytes);
    assert_eq!(verdict("H100-NVL"), Verdict::Fits);
    assert_eq!(verdict("H100-PCIe"), Verdict::No);
    assert_eq!(verdict("H100-SXM"), Verdict::No);
}

#[test]
fn measured_gguf_files_have_the_size_of_their_weights() {
    // GGUF sizes of Llama 3 70B and 8B as listed in XiongjieDai/GPU-Benchmarks-on-LLM-Inference (2024-05), in GiB.
    for (flags, gib) in [
        ("--model llama-3-70b --quantization q4_k_m", 39.59),
        ("--model llama-3-8b --quantization q4_k_m", 4.58),
        ("--model llama-3-8b --quantization q8_0", 7.95),
        ("--model llama-3-8b", 14.96),
    ] {
        close(weights(flags) / GIB, gib, 0.02);
    }
}
