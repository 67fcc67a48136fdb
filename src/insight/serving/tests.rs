//! Rows of serving: what they are read as, and that only their workload decides.

use super::*;
use crate::catalog::load::{Sections, embedded};
use crate::insight::metric::Metric;
use crate::insight::question::Sort;

fn question(cells: &[(&str, &str)]) -> Question {
    Question::new(Sort::Inference, cells.iter().copied()).expect("a question")
}

const ROW: [(&str, &str); 10] = [
    ("kind", "serve_closed_loop"),
    ("engine", "vLLM"),
    ("engine_version", "0.12.0"),
    ("model", "Llama 3.1 8B"),
    ("gpu", "H100-SXM"),
    ("gpu_count", "1"),
    ("weight_precision", "bf16"),
    ("input_len", "1024"),
    ("output_len", "256"),
    ("batch_or_concurrency", "8"),
];

fn with(changes: &[(&'static str, &'static str)]) -> Question {
    let mut cells = ROW.to_vec();
    for change in changes {
        match cells.iter_mut().find(|cell| cell.0 == change.0) {
            Some(cell) => *cell = *change,
            None => cells.push(*change),
        }
    }
    question(&cells)
}

#[test]
fn an_engine_is_read_with_its_version() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    let class = |changes: &[(&'static str, &'static str)]| {
        Case::of(&catalog, &with(changes)).map(|case| case.serving.engine)
    };
    assert_eq!(class(&[]), Ok("vllm".to_owned()));
    assert_eq!(class(&[("engine_version", "0.6.3.post1")]), Ok("vllm-v0".to_owned()));
    assert_eq!(class(&[("engine", "Triton + TensorRT-LLM")]), Ok("tensorrt-llm".to_owned()));
    let transformers = |version| class(&[("engine", "HF Transformers"), ("engine_version", version)]);
    assert_eq!(transformers("4.51.3"), Ok("eager".to_owned()));
    assert_eq!(transformers("4.38.2"), Ok("eager-v0".to_owned()));
    assert_eq!(class(&[("engine", "llama.cpp fork")]), Ok("llama.cpp".to_owned()));
    assert!(class(&[("engine", "nobody's engine")]).is_err());
}

#[test]
fn a_row_without_what_its_kind_needs_is_skipped_with_the_column() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    for column in ["model", "gpu", "kind", "engine", "input_len", "output_len", "batch_or_concurrency"] {
        let cells: Vec<_> = ROW.iter().copied().filter(|cell| cell.0 != column).collect();
        let skip = Case::of(&catalog, &question(&cells)).expect_err(column);
        assert!(skip.0.contains(column), "{column}: {}", skip.0);
    }
}

#[test]
fn words_behind_the_name_of_a_model_do_not_matter_but_its_size_does() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    let layers = |name: &'static str, size: &'static str| {
        Case::of(&catalog, &with(&[("model", name), ("params_b", size)])).map(|case| case.arch.layers)
    };
    assert_eq!(layers("meta-llama/Llama-3.1-8B-Instruct-GGUF", "8.03"), Ok(32));
    assert!(layers("Llama 3.1 8B", "70.6").is_err());
}

#[test]
fn measured_cells_do_not_change_a_prediction() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    let predict = |question: &Question| Case::of(&catalog, question)?.predict(&catalog);
    let plain = predict(&with(&[])).expect("a prediction");
    let measured =
        with(&[("tpot_ms", "7.5"), ("ttft_ms", "90"), ("id", "x-1"), ("source_group", "somebody")]);
    assert_eq!(predict(&measured), Ok(plain));
}

/// The expected peak of a row, in bytes.
fn peak_bytes(catalog: &Catalog, changes: &[(&'static str, &'static str)]) -> f64 {
    let prediction =
        Case::of(catalog, &with(changes)).expect("a case").predict(catalog).expect("a prediction");
    let peak = prediction.values.iter().find(|value| value.0 == Metric::PeakMemoryGib).expect("a peak");
    peak.1.expected * crate::units::GIB
}

#[test]
fn logits_of_whole_prompts_and_tables_are_held_by_old_transformers_only() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    let peak = |version: &'static str| {
        let row = [("engine", "HF Transformers"), ("engine_version", version), ("kind", "static_b1")];
        peak_bytes(&catalog, &row)
    };
    // Batch 8 of 1,024 tokens: logits in 16 and 32 bit beside one stream, where there were 3 MLP widths and 4 streams.
    let tokens = 8.0 * 1024.0;
    let (logits, stream) = (tokens * 128_256.0 * 6.0, tokens * 4096.0 * 2.0);
    let activations = tokens * (3.0 * 14_336.0 + 4.0 * 4096.0) * 2.0 + 8.0 * 128_256.0 * 6.0;
    // cos and sin of 32,768 positions in each of 32 layers.
    let tables = 2.0 * 32_768.0 * 128.0 * 2.0 * 32.0;
    let more = logits + stream - activations + tables;
    let found = peak("4.38.2") - peak("4.51.3");
    assert!((found - more).abs() < 1e-3 * more, "{found} {more}");
}

#[test]
fn a_cache_that_grows_is_not_there_while_the_prompt_is_worked_on() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    let peak = |output: &'static str| {
        let row = [
            ("engine", "HF Transformers"),
            ("engine_version", "4.51.3"),
            ("kind", "static_b1"),
            ("input_len", "8192"),
            ("output_len", output),
            ("batch_or_concurrency", "1"),
        ];
        peak_bytes(&catalog, &row)
    };
    // An answer of 256 tokens is smaller than what the prompt takes; one of 16,384 tokens is larger.
    assert!((peak("1") - peak("256")).abs() < 1e6);
    assert!(peak("16384") > peak("256") + 1e9);
}

#[test]
fn autoawq_holds_the_scores_of_each_prompt_and_a_rolling_cache() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    let peak = |batch: &'static str| {
        let row = [
            ("kind", "static_batch"),
            ("engine", "AutoAWQ 0.1.6"),
            ("model", "Mistral 7B"),
            ("weight_precision", "AWQ-4bit (GEMM)"),
            ("gpu", "A100-80GB"),
            ("input_len", "2048"),
            ("output_len", "2048"),
            ("batch_or_concurrency", batch),
        ];
        peak_bytes(&catalog, &row)
    };
    let scores = 32.0 * 2048.0 * 2048.0 * 10.0;
    let cache = 2048.0 * 2.0 * 8.0 * 128.0 * 2.0 * 32.0;
    let activations = 2048.0 * (3.0 * 14_336.0 + 4.0 * 4096.0) * 2.0;
    let more = 7.0 * (scores + cache + activations);
    let found = peak("8") - peak("1");
    assert!((found - more).abs() < 1e-3 * more, "{found} {more}");
}

#[test]
fn smaller_groups_of_weights_have_more_scales() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    let peak = |format: &'static str| {
        let row = [("engine", "ExLlama v1"), ("kind", "decode_b1"), ("weight_precision", format)];
        peak_bytes(&catalog, &row)
    };
    // 6.98e9 weights besides embeddings, 20 bits a group.
    let more = 6.98e9 * 20.0 * (1.0 / 32.0 - 1.0 / 128.0) / 8.0;
    let found = peak("GPTQ-4bit g32 act-order=yes") - peak("GPTQ-4bit g128 act-order=yes");
    assert!((found - more).abs() < 0.01 * more, "{found} {more}");
    assert!((peak("GPTQ") - peak("GPTQ-4bit g128")).abs() < 5e6);
}

#[test]
fn a_far_too_large_model_has_a_verdict_and_no_speed() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    let row = with(&[("model", "Llama 3.1 405B")]);
    let prediction = Case::of(&catalog, &row).expect("a case").predict(&catalog).expect("a prediction");
    assert_eq!(prediction.verdict, Some(Verdict::No));
    assert!(prediction.values.iter().all(|value| value.0 == Metric::PeakMemoryGib));
}

#[test]
fn one_process_on_several_gpus_tells_what_it_holds_on_all_of_them() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    let peak = |gpus: &'static str| {
        let row = with(&[
            ("kind", "decode_b1"),
            ("engine", "HF Transformers"),
            ("model", "Llama 3.1 70B"),
            ("gpu", "A100-80GB"),
            ("gpu_count", gpus),
            ("batch_or_concurrency", "1"),
        ]);
        let prediction = Case::of(&catalog, &row).expect("a case").predict(&catalog).expect("a prediction");
        prediction.values.iter().find(|value| value.0 == Metric::PeakMemoryGib).expect("a peak").1.expected
    };
    // 70.6e9 weights of 2 bytes are 131.4 GiB, however many GPUs hold them; each works on the prompt of 1,024 tokens.
    let pass = 1024.0 * (3.0 * 28_672.0 + 4.0 * 8192.0) * 2.0 / crate::units::GIB;
    assert!((131.4..136.0).contains(&peak("2")), "{}", peak("2"));
    assert!((peak("4") - peak("2") - 2.0 * pass).abs() < 0.01, "{} {}", peak("4"), peak("2"));
}

#[test]
fn a_gpu_of_several_sizes_that_is_not_told_apart_is_tight_where_they_differ() {
    let catalog = embedded(Sections::ALL).expect("a catalog");
    let verdict = |model: &'static str, gib: &'static str| {
        let row = with(&[
            ("kind", "decode_b1"),
            ("engine", "HF Transformers"),
            ("model", model),
            ("weight_precision", "fp16"),
            ("gpu", "V100"),
            ("gpu_memory_gb", gib),
            ("batch_or_concurrency", "1"),
        ]);
        crate::insight::answer(&catalog, &row).expect("a prediction").verdict
    };
    assert_eq!(verdict("Llama 3.1 8B", "16"), Some(Verdict::No));
    assert_eq!(verdict("Llama 3.1 8B", "32"), Some(Verdict::Fits));
    assert_eq!(verdict("Llama 3.1 8B", ""), Some(Verdict::Tight));
    assert_eq!(verdict("Llama 3.1 70B", ""), Some(Verdict::No));
}
