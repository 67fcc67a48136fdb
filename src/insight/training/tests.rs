//! Rows become workloads from what they state, or say why not.

use super::Case;
use crate::catalog::Catalog;
use crate::catalog::load::{Sections, embedded};
use crate::insight::Skip;
use crate::insight::metric::{Answer, Metric};
use crate::insight::question::{Question, Sort};
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| embedded(Sections::ALL).expect("the embedded catalog"));

/// A pretraining row of Llama 3 8B on a node of H100, with some cells set otherwise.
fn row(cells: &[(&'static str, &'static str)]) -> Result<f64, Skip> {
    let usual = [
        ("framework", "nemo"),
        ("model", "Llama-3-8B"),
        ("seq_len", "8192"),
        ("method", "pretrain"),
        ("precision", "bf16"),
        ("sharding", "tp1+pp1"),
        ("tp", "1"),
        ("pp", "1"),
        ("micro_batch", "1"),
        ("global_batch_seqs", "128"),
        ("gpu", "H100-SXM5-80GB"),
        ("gpu_count", "8"),
    ];
    let kept = usual.into_iter().filter(|(column, _)| cells.iter().all(|(other, _)| other != column));
    let question = Question::new(Sort::Training, kept.chain(cells.iter().copied()))?;
    let prediction = Case::of(&CATALOG, &question)?.predict(&CATALOG)?;
    let rate = prediction.values.iter().find(|(metric, _)| *metric == Metric::TokensPerSPerGpu);
    rate.map(|(_, rate)| rate.expected).ok_or_else(|| Skip::new("no rate"))
}

#[test]
fn a_row_that_states_its_settings_is_predicted() {
    let rate = row(&[]).expect("a rate");
    assert!((7_000.0..14_000.0).contains(&rate), "{rate}");
    let long = row(&[("seq_len", "32768"), ("cp", "4"), ("sharding", "tp1+pp1+cp4")]).expect("a rate");
    assert!(long < rate, "{long} {rate}");
    let narrow = row(&[("precision", "FP8-CS")]).expect("a rate");
    assert!(narrow > 1.2 * rate, "{narrow} {rate}");
    let tpu = [("framework", "maxtext"), ("gpu", "TPU v5p"), ("gpu_count", "128"), ("sharding", "")];
    assert!(row(&tpu).is_ok());
}

#[test]
fn what_contradicts_itself_or_is_not_stated_is_skipped_with_its_reason() {
    let reason = |cells: &[(&'static str, &'static str)]| {
        let fine_tuning = [("method", "full")].into_iter().filter(|_| cells[0].0 != "method");
        let cells: Vec<_> = fine_tuning.chain(cells.iter().copied()).collect();
        row(&cells).expect_err("a reason").0
    };
    assert!(reason(&[("tp", "3")]).contains("number of GPUs"));
    assert!(reason(&[("dp", "4")]).contains("number of GPUs"));
    assert!(reason(&[("seq_len", "")]).contains("`seq_len`"));
    assert!(reason(&[("gpu_count", "")]).contains("`gpu_count`"));
    assert!(reason(&[("precision", "")]).contains("`precision`"));
    assert!(reason(&[("micro_batch", ""), ("global_batch_seqs", "")]).contains("micro_batch"));
    assert!(reason(&[("gpu", "24GB VRAM budget")]).contains("no GPU"));
    assert!(reason(&[("method", "rlhf-ppo")]).contains("rlhf-ppo"));
    assert!(reason(&[("model", "T5-3B")]).contains("encoder-decoder"));
}

#[test]
fn half_precision_on_a_gpu_with_bf16_dates_megatron_to_before_fused_attention() {
    let cells = [("framework", "megatron-lm"), ("gpu", "A100-80GB"), ("activation_checkpointing", "full")];
    let old = row(&[&cells[..], &[("precision", "fp16")]].concat()).expect("a rate");
    let new = row(&cells).expect("a rate");
    assert!(old < 0.9 * new, "{old} {new}");
}

#[test]
fn a_slow_network_between_the_nodes_of_a_row_is_heard() {
    let on = |network| {
        let cells =
            [("gpu_count", "16"), ("nodes", "2"), ("sharding", "fsdp_full"), ("interconnect", network)];
        row(&cells).expect("a rate")
    };
    assert!(on("10G Ethernet") < 0.5 * on("8x ConnectX-7 IB NDR 400Gb/s"));
}

/// Peak of the expected memory of a row, GiB.
fn peak(cells: &[(&'static str, &'static str)]) -> f64 {
    let usual = [
        ("framework", "hf-transformers"),
        ("model", "Llama-2-7B"),
        ("seq_len", "512"),
        ("method", "lora"),
        ("precision", "bf16"),
        ("micro_batch", "1"),
        ("gpu", "A100-80GB"),
        ("gpu_count", "1"),
    ];
    let kept = usual.into_iter().filter(|(column, _)| cells.iter().all(|(other, _)| other != column));
    let question = Question::new(Sort::Training, kept.chain(cells.iter().copied())).expect("a question");
    let prediction = Case::of(&CATALOG, &question).expect("a case").predict(&CATALOG).expect("figures");
    let peak = prediction.values.iter().find(|(metric, _)| *metric == Metric::PeakMemoryGib);
    peak.expect("a peak").1.expected
}

#[test]
fn the_point_of_a_size_may_be_written_as_an_underscore() {
    assert_eq!(peak(&[("model", "qwen-1_8b-chat")]).to_bits(), peak(&[("model", "Qwen-1.8B")]).to_bits());
    // A small body with a vocabulary of 152 thousand: its logits are more than a twentieth of a gibibyte for each hundred tokens.
    let long = peak(&[("model", "qwen-1_8b-chat"), ("seq_len", "4096")]);
    assert!(long > peak(&[("model", "qwen-1_8b-chat")]) + 2.0, "{long}");
}

#[test]
fn litgpt_loads_whole_weights_and_recomputes_with_adapters_on_several_gpus() {
    let on = |framework, gpus, batch| {
        peak(&[
            ("framework", framework),
            ("gpu_count", gpus),
            ("micro_batch", batch),
            ("sharding", "fsdp_full"),
        ])
    };
    // Two GPUs hold a copy and a half at most: more than a GPU of torchtune, whatever its shard.
    let weights = 13.48e9 / crate::units::GIB;
    assert!(on("litgpt", "2", "1") > 1.5 * weights);
    assert!(on("torchtune", "2", "1") < weights);
    // What is recomputed does not grow as what is kept does.
    let growth = |framework| on(framework, "2", "8") - on(framework, "2", "4");
    assert!(growth("litgpt") < 0.5 * growth("torchtune"), "{} {}", growth("litgpt"), growth("torchtune"));
    assert!(on("litgpt", "1", "2") > on("litgpt", "1", "1") + 1.0);
}

#[test]
fn full_fine_tuning_of_short_sequences_peaks_in_the_step_of_the_optimizer() {
    let at = |seq_len, optimizer| peak(&[("method", "full"), ("seq_len", seq_len), ("optimizer", optimizer)]);
    let (short, longer) = (at("128", "adamw"), at("512", "adamw"));
    assert!(longer - short < 0.02 * short, "{short} {longer}");
    // 16 bytes of states, 8 of temporary tensors; none of those in 8 bit.
    let params = 6.74e9 / crate::units::GIB;
    assert!((24.0 * params..26.0 * params).contains(&short), "{short}");
    assert!(at("128", "adamw_8bit") < 14.0 * params);
}

#[test]
fn adapters_on_eight_bit_weights_are_skipped() {
    let cells = [("method", "qlora"), ("precision", "int8 gptq"), ("activation_checkpointing", "full")];
    assert!(row(&cells).expect_err("a reason").0.contains("8-bit"));
}

#[test]
fn nvidia_smi_counts_in_mebibytes_whatever_its_reader_calls_them() {
    let peak = |counter: &'static str| {
        let question =
            Question::new(Sort::Training, [("memory_kind", counter)].into_iter()).expect("a question");
        let cells = |column: &str| match column {
            "peak_memory_gb" => Some("40".to_owned()),
            "memory_unit" => Some("gb".to_owned()),
            _ => None,
        };
        Answer::new(&question, cells).values[&Metric::PeakMemoryGib]
    };
    assert!((peak("nvidia_smi") - 40.0).abs() < 1e-9);
    assert!((peak("allocated") - 37.25).abs() < 0.01);
}
