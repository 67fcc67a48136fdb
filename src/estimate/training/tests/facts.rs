//! What practitioners know: what fits where, what each term is, which formats a GPU trains in.

use super::*;
use crate::estimate::TrainingSpeed;
use crate::estimate::Unplannable;
use crate::estimate::training::precision_on;
use crate::workload::precision::Precision;

fn best_verdict(architecture: &Architecture, job: &Training, name: &str, gpus: u32) -> Verdict {
    let machine = node(name, gpus, None);
    model(architecture, job, &machine, gpus).best(&FREE).map_or(Verdict::No, |plan| plan.verdict)
}

fn refusal(job: &Training, name: &str) -> Unplannable {
    let machine = node(name, 1, None);
    TrainingModel::new(&CATALOG, &one_billion(), job, &machine, 1).expect_err("a refusal")
}

#[test]
fn full_training_of_7b_does_not_fit_one_80_gb_gpu_and_fits_eight() {
    assert_eq!(best_verdict(&llama_7b(), &job(), "A100-80GB-SXM", 1), Verdict::No);
    assert_eq!(best_verdict(&llama_7b(), &job(), "A100-80GB-SXM", 8), Verdict::Fits);
}

#[test]
fn full_training_of_1b_fits_one_40_gb_gpu() {
    assert_eq!(best_verdict(&one_billion(), &job(), "A100-40GB-SXM", 1), Verdict::Fits);
}

#[test]
fn full_training_of_175b_does_not_fit_eight_80_gb_gpus() {
    let gpt3 = Architecture { gated_mlp: false, ..decoder(96, 12_288, 96, 96, 49_152, 50_257) };
    let gpt3 = Architecture { params: 174.6e9, active_params: 174.6e9, ..gpt3 };
    assert_eq!(best_verdict(&gpt3, &job(), "A100-80GB-SXM", 8), Verdict::No);
}

#[test]
fn lora_of_7b_fits_24_gb_at_short_sequences_with_recomputation() {
    for (name, seq_len) in [("A10G", 512), ("A10G", 1024), ("RTX-4090", 1024)] {
        let job = adapters(Method::Lora, seq_len);
        assert_eq!(best_verdict(&llama_7b(), &job, name, 1), Verdict::Fits, "{name} at {seq_len}");
    }
}

#[test]
fn qlora_of_70b_fits_one_80_gb_gpu_and_not_one_of_24_gb() {
    let job = adapters(Method::Qlora, 512);
    assert_eq!(best_verdict(&llama_70b(), &job, "A100-80GB-SXM", 1), Verdict::Fits);
    assert_eq!(best_verdict(&llama_70b(), &job, "A10G", 1), Verdict::No);
    let machine = node("A100-80GB-SXM", 1, None);
    let total = model(&llama_70b(), &job, &machine, 1)
        .memory(&layout(1, Sharding::Ddp, Recompute::Full, 1))
        .terms
        .total();
    assert!((38e9..52e9).contains(&total), "{total:e}");
}

#[test]
fn states_of_mixed_precision_are_16_bytes_a_parameter() {
    let architecture = llama_7b();
    let machine = node("A100-80GB-SXM", 1, None);
    let terms =
        model(&architecture, &job(), &machine, 1).memory(&layout(1, Sharding::Ddp, Recompute::Full, 1)).terms;
    let states = terms.weights + terms.gradients + terms.optimizer + terms.master_weights;
    assert!((states / architecture.params - 16.0).abs() < 1e-9);
}

#[test]
fn logits_are_batch_by_sequence_by_vocabulary_by_four_bytes_unless_the_loss_is_fused() {
    let architecture = decoder(24, 896, 14, 2, 4864, 151_665);
    let machine = node("A100-80GB-SXM", 1, None);
    let at = layout(1, Sharding::Ddp, Recompute::None, 2);
    // An optimizer without temporary tensors: with them the step is the peak.
    let job = || Training { optimizer: Optimizer::Adamw8bit, ..job() };
    let plain = model(&architecture, &Training { seq_len: 256, ..job() }, &machine, 1).memory(&at).terms;
    assert!((plain.logits - 310_609_920.0).abs() < 1.0, "{}", plain.logits);
    let fused = Training { seq_len: 256, fused_loss: true, ..job() };
    let fused = model(&architecture, &fused, &machine, 1).memory(&at).terms;
    assert_eq!(fused.logits.to_bits(), 0.0_f64.to_bits());
    assert!(fused.workspace < plain.workspace);
    assert!((fused.activations - plain.activations).abs() < 1.0);
}

#[test]
fn every_expert_counts_for_memory_and_the_active_ones_for_time() {
    let dense = llama_7b();
    let moe = Moe {
        experts: 64,
        experts_per_token: 8,
        expert_ffn: 1376,
        shared_experts: 0.0,
        dense_first_layers: 0,
        every: 1,
    };
    let sparse = Architecture { params: 8.0 * dense.params, moe: Some(moe), ffn: 0, ..dense.clone() };
    let machine = node("H200-SXM", 8, None);
    let at = layout(8, Sharding::Zero3, Recompute::Full, 1);
    let (dense, sparse) = (model(&dense, &job(), &machine, 8), model(&sparse, &job(), &machine, 8));
    let ratio = sparse.memory(&at).terms.weights / dense.memory(&at).terms.weights;
    assert!((ratio - 8.0).abs() < 1e-9, "{ratio}");
    assert!(
        (sparse.speed(&at).flops_per_gpu * sparse.step_seconds(&at)
            / (dense.speed(&at).flops_per_gpu * dense.step_seconds(&at))
            - 1.0)
            .abs()
            < 1e-6
    );
}

#[test]
fn adapters_need_less_than_half_of_full_training() {
    let architecture = decoder(26, 2304, 8, 4, 9216, 32_000);
    let machine = node("A100-80GB-SXM", 1, None);
    let at = layout(1, Sharding::Ddp, Recompute::Full, 1);
    let total = |job: &Training| model(&architecture, job, &machine, 1).memory(&at).terms.total();
    let full = total(&Training { task: Task::Finetune, seq_len: 512, ..job() });
    assert!(total(&adapters(Method::Lora, 512)) < full / 2.0);
}

#[test]
fn formats_that_a_gpu_lacks_are_refused_by_name() {
    let with = |precision| Training { precision: Some(precision), ..job() };
    for (precision, name) in [
        (Precision::Fp8, "A100-80GB-SXM"),
        (Precision::Bf16, "V100-32GB-SXM"),
        (Precision::Bf16, "T4"),
        (Precision::Int8, "H100-SXM"),
        (Precision::Fp4, "H100-SXM"),
    ] {
        let refusal = refusal(&with(precision), name);
        assert_eq!(refusal.id, "precision-unsupported", "{name}");
        assert!(refusal.message.contains(name) && refusal.message.contains(precision.name()), "{refusal:?}");
    }
    assert_eq!(refusal(&with(Precision::Tf32), "V100-32GB-SXM").id, "peak-unknown");
}

#[test]
fn without_bf16_the_plan_is_fp16_with_a_warning_unless_strict() {
    let machine = node("V100-32GB-SXM", 8, None);
    let fallback = model(&one_billion(), &job(), &machine, 8);
    assert_eq!(fallback.precision(), Precision::Fp16);
    assert!(fallback.warnings()[0].message.contains("V100-32GB-SXM"));
    assert_eq!(refusal(&Training { strict: true, ..job() }, "V100-32GB-SXM").id, "precision-unsupported");
    let native = model(&one_billion(), &job(), &node("A100-80GB-SXM", 1, None), 1);
    assert_eq!((native.precision(), native.warnings()), (Precision::Bf16, vec![]));
}

#[test]
fn a_peak_that_no_source_gives_is_not_a_lack_of_the_format() {
    let mut gpu = gpu("H100-SXM").clone();
    (gpu.peaks.bf16, gpu.peaks.fp8) = (None, None);
    for precision in [None, Some(Precision::Bf16), Some(Precision::Fp8)] {
        let refusal = precision_on(&Training { precision, ..job() }, &gpu).expect_err("a refusal");
        assert_eq!(refusal.id, "specification-missing", "{precision:?}");
    }
    gpu.bf16 = false;
    assert_eq!(precision_on(&job(), &gpu), Ok(Precision::Fp16));
    let k80 = CATALOG.gpus.iter().find(|gpu| gpu.name == "K80").expect("K80");
    assert_eq!(precision_on(&job(), k80), Ok(Precision::Fp32));
}

#[test]
fn a_mixture_of_fine_experts_is_slower_and_less_certain_than_its_active_parameters() {
    let machine = node("H100-SXM", 8, None);
    let job = || Training { framework: "tuned".to_owned(), ..job() };
    let speed = |expert_ffn, experts_per_token| {
        let moe = Moe {
            experts: 64,
            experts_per_token,
            expert_ffn,
            shared_experts: 0.0,
            dense_first_layers: 0,
            every: 1,
        };
        let mixture = Architecture { moe: Some(moe), ..one_billion() };
        let model = model(&mixture, &job(), &machine, 8);
        assert_eq!(model.warnings()[0].id, "moe-balanced-routing");
        model.speed(&layout(8, Sharding::Zero1, Recompute::None, 8))
    };
    let dense = model(&one_billion(), &job(), &machine, 8);
    assert_eq!(dense.warnings(), vec![]);
    let dense = dense.speed(&layout(8, Sharding::Zero1, Recompute::None, 8));
    // As wide in all as the dense network.
    let (coarse, fine) = (speed(2816, 2), speed(704, 8));
    let spread = |speed: &TrainingSpeed| speed.step_s.high / speed.step_s.low;
    assert!(dense.mfu > coarse.mfu && coarse.mfu > 1.2 * fine.mfu);
    assert!(spread(&fine) > 1.3 * spread(&dense));
    assert!(fine.dominant_assumption.contains("experts"), "{}", fine.dominant_assumption);
}

#[test]
fn a_second_node_needs_a_known_network() {
    let machine = node("H100-SXM", 8, None);
    let refusal = TrainingModel::new(&CATALOG, &llama_7b(), &job(), &machine, 16).expect_err("a refusal");
    assert_eq!(refusal.id, "network-unknown");
}

#[test]
fn every_gpu_with_a_training_peak_finds_its_constants() {
    let precisions =
        [Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16, Precision::Fp8, Precision::Fp4];
    for gpu in &CATALOG.gpus {
        for framework in
            ["generic", "tuned", "fused", "pure-bf16", "litgpt", "legacy", "deepspeed", "ms-swift", "unsloth"]
        {
            for precision in precisions.into_iter().filter(|precision| precision.peak(gpu).is_some()) {
                let job = Training { framework: framework.to_owned(), precision: Some(precision), ..job() };
                let machine = Machine::of_gpu(&CATALOG, gpu, 1).expect("links");
                let found = TrainingModel::new(&CATALOG, &one_billion(), &job, &machine, 1);
                assert!(found.is_ok(), "{} {}: {:?}", gpu.name, precision.name(), found.err());
            }
        }
    }
}

#[test]
fn qlora_of_65b_runs_on_48_gb_and_33b_on_24_gb_with_paged_moments() {
    // Dettmers et al. 2023, section 4: rank 64 on all linear layers, 512 tokens, NF4 with double quantisation.
    let large = decoder(80, 8192, 64, 64, 22_016, 32_000);
    let medium = decoder(60, 6656, 52, 52, 17_920, 32_000);
    for (architecture, name) in [(large, "RTX-A6000"), (medium, "RTX-3090")] {
        let verdict_of = |optimizer| {
            let machine = node(name, 1, None);
            let job = Training { optimizer, lora_rank: 64, ..adapters(Method::Qlora, 512) };
            let model = model(&architecture, &job, &machine, 1);
            let memory = model.memory(&layout(1, Sharding::Ddp, Recompute::Full, 1));
            (verdict(&model, &memory), memory)
        };
        let (paged, memory) = verdict_of(Optimizer::PagedAdamw);
        assert_ne!(paged, Verdict::No, "{name}: {:?}", memory.terms);
        assert!(memory.host_ram > 0.0 && memory.terms.optimizer <= 0.0, "{name}: {memory:?}");
        // Paging is what makes it possible.
        assert_eq!(verdict_of(Optimizer::Adamw).0, Verdict::No, "{name}");
    }
}

#[test]
fn weights_that_are_bf16_alone_take_8_bytes_a_parameter_until_deepspeed_shares_them_out() {
    let qwen = decoder(24, 2048, 16, 16, 5504, 151_936);
    let machine = node("A100-80GB-SXM", 2, None);
    let job = Training { framework: "ms-swift".to_owned(), seq_len: 512, ..job() };
    let model = model(&qwen, &job, &machine, 2);
    let states = |sharding| {
        let terms = model.memory(&layout(2, sharding, Recompute::Full, 1)).terms;
        (terms.weights + terms.gradients + terms.optimizer + terms.master_weights) / qwen.params
    };
    assert!((states(Sharding::Ddp) - 8.0).abs() < 1e-9);
    // Weights and gradients in BF16, half of an FP32 copy and of two FP32 moments.
    assert!((states(Sharding::Zero1) - 10.0).abs() < 1e-9);
}

#[test]
fn single_precision_never_peaks_below_16_bit() {
    let machine = node("A100-80GB-SXM", 1, None);
    // Megatron adds FP32 gradients to BF16 weights: 18 bytes a parameter where FP32 alone takes 16 (its documentation says so).
    for framework in ["generic", "deepspeed", "fused"] {
        for recompute in [Recompute::None, Recompute::Full] {
            let total = |precision| {
                let job = Training {
                    framework: framework.to_owned(),
                    precision: Some(precision),
                    seq_len: 512,
                    ..job()
                };
                let model = model(&one_billion(), &job, &machine, 1);
                model.memory(&layout(1, Sharding::Ddp, recompute, 1)).terms.total()
            };
            let (single, half) = (total(Precision::Fp32), total(Precision::Bf16));
            assert!(single >= half, "{framework} {recompute:?}: {single:e} {half:e}");
        }
    }
}
