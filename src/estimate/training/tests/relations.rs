//! Relations that hold whatever the constants are: more hardware is not slower, slower links cost time.

use super::*;
use crate::workload::precision::Precision;

fn tokens_per_s(architecture: &Architecture, job: &Training, machine: &Machine<'static>, gpus: u32) -> f64 {
    let model = model(architecture, job, machine, gpus);
    let plan = model.best(&FREE).expect("a plan");
    model.speed(&plan.layout).tokens_per_s
}

#[test]
fn narrower_formats_are_faster() {
    let machine = node("H100-SXM", 8, None);
    let rate = |precision| {
        let job = Training { precision: Some(precision), framework: "tuned".to_owned(), ..job() };
        tokens_per_s(&llama_7b(), &job, &machine, 8)
    };
    let rates = [Precision::Fp32, Precision::Tf32, Precision::Bf16, Precision::Fp8].map(rate);
    assert!(rates.is_sorted_by(|a, b| a < b), "{rates:?}");
}

#[test]
fn the_pcie_card_is_a_fifth_slower_than_the_sxm_module() {
    let one = |name| tokens_per_s(&one_billion(), &job(), &node(name, 1, None), 1);
    assert!(one("H100-PCIe") < 0.8 * one("H100-SXM"));
    let eight = |name| tokens_per_s(&llama_7b(), &job(), &node(name, 8, None), 8);
    assert!(eight("H100-PCIe") < 0.8 * eight("H100-SXM"));
}

#[test]
fn two_nodes_on_a_slow_link_are_not_twice_as_fast() {
    let one = tokens_per_s(&llama_7b(), &job(), &node("H100-SXM", 8, Some(3200.0)), 8);
    let two = |gbps| tokens_per_s(&llama_7b(), &job(), &node("H100-SXM", 8, Some(gbps)), 16);
    let rates = [10.0, 25.0, 100.0, 400.0, 3200.0].map(two);
    assert!(rates.is_sorted(), "{rates:?}");
    assert!(rates[0] < one, "10 Gbit/s should lose to one node: {rates:?} against {one}");
    assert!(rates[2] < 1.8 * one, "{rates:?} against {one}");
    // Twice the memory to share the states out in may allow larger micro-batches.
    assert!(rates[4] < 2.05 * one && rates[4] > 1.7 * one, "{rates:?} against {one}");
}

#[test]
fn a_slow_network_shows_in_the_communication_share() {
    let share = |gbps| {
        let machine = node("H100-SXM", 8, Some(gbps));
        let model = model(&llama_7b(), &job(), &machine, 16);
        let at = Layout { grad_accumulation: 2, ..layout(16, Sharding::Zero3, Recompute::None, 8) };
        let speed = model.speed(&at);
        (speed.communication_share, speed.bound)
    };
    let ((slow, bound), (fast, _)) = (share(10.0), share(3200.0));
    assert!(slow > 0.8 && fast < 0.2, "{slow} {fast}");
    assert_eq!(bound, "communication");
}

#[test]
fn pcie_slows_down_what_nvlink_does_not() {
    let job = Training { sharding: Some(Sharding::Zero3), global_batch: 16, ..job() };
    let fast = node("A100-80GB-SXM", 8, None);
    let slow = Machine { intra_bytes_per_s: 31.5e9, fast_intra: false, ..fast };
    let ratio = tokens_per_s(&llama_7b(), &job, &slow, 8) / tokens_per_s(&llama_7b(), &job, &fast, 8);
    assert!((0.2..0.9).contains(&ratio), "{ratio}");
    let bridge = node("A100-80GB-PCIe", 2, None);
    let pairs = node("A100-80GB-PCIe", 4, None);
    assert!(bridge.fast_intra && !pairs.fast_intra);
}

#[test]
fn a_fraction_of_a_gpu_has_a_fraction_of_its_speed() {
    let whole = node("A100-80GB-SXM", 1, None);
    let half = Machine { share: 0.5, ..whole };
    let ratio =
        tokens_per_s(&one_billion(), &job(), &half, 1) / tokens_per_s(&one_billion(), &job(), &whole, 1);
    assert!((ratio - 0.5).abs() < 0.02, "{ratio}");
}

#[test]
fn doubling_the_ranks_of_zero_3_lowers_only_what_is_shared() {
    let machine = node("A100-80GB-SXM", 8, Some(1600.0));
    // Temporary tensors of a step would be shared as well.
    let job = Training { optimizer: Optimizer::Adamw8bit, ..job() };
    let at = |dp| {
        model(&llama_7b(), &job, &machine, dp).memory(&layout(dp, Sharding::Zero3, Recompute::Full, 1)).terms
    };
    let (few, many) = (at(8), at(16));
    let shared = ["weights", "gradients", "optimizer", "master_weights"];
    for ((name, before), (_, after)) in few.named().into_iter().zip(many.named()) {
        if shared.contains(&name) {
            assert!((before / after - 2.0).abs() < 1e-9, "{name}");
        } else {
            assert!((before - after).abs() < 1.0, "{name}: {before} {after}");
        }
    }
}

#[test]
fn recomputation_trades_memory_for_time() {
    let machine = node("A100-80GB-SXM", 8, None);
    let model = model(&llama_7b(), &job(), &machine, 8);
    let at = |recompute| {
        let layout = layout(8, Sharding::Zero3, recompute, 4);
        (model.memory(&layout).terms.total(), model.step_seconds(&layout))
    };
    let [none, selective, full] = [Recompute::None, Recompute::Selective, Recompute::Full].map(at);
    assert!(none.0 > selective.0 && selective.0 > full.0);
    assert!(none.1 < selective.1 && selective.1 < full.1);
}

#[test]
fn a_deep_pipeline_with_few_passes_is_bound_by_its_bubble() {
    let machine = node("H100-SXM", 8, None);
    let model = model(&llama_7b(), &Training { global_batch: 64, ..job() }, &machine, 8);
    let speed = |passes| {
        let at = Layout {
            dp: 1,
            pp: 8,
            micro_batch: 64 / passes,
            grad_accumulation: passes,
            ..layout(1, Sharding::Ddp, Recompute::Full, 1)
        };
        model.speed(&at)
    };
    let (few, many) = (speed(2), speed(64));
    assert_eq!((few.bound, many.bound), ("pipeline-bubble", "compute"));
    assert!(few.dominant_assumption.contains("chunks"), "{}", few.dominant_assumption);
}

#[test]
fn small_adapter_batches_wait_for_launches() {
    let machine = node("A100-80GB-SXM", 1, None);
    let rate = |seq_len| {
        // What was measured is GPTQ, whose weights many small kernels unpack.
        let job = Training { framework: "auto-gptq".to_owned(), ..adapters(Method::Qlora, seq_len) };
        let model = model(&llama_7b(), &job, &machine, 1);
        let at = Layout { grad_accumulation: 8, ..layout(1, Sharding::Ddp, Recompute::Full, 1) };
        model.speed(&at)
    };
    let (short, long) = (rate(128), rate(4096));
    assert_eq!((short.bound, long.bound), ("latency", "compute"));
    assert!(short.tokens_per_s < 0.4 * long.tokens_per_s);
}

#[test]
fn hours_are_tokens_over_rate_over_goodput() {
    let machine = node("A100-80GB-SXM", 8, None);
    let job = Training { goodput: Some(0.5), tokens: 3.6e9, ..job() };
    let model = model(&one_billion(), &job, &machine, 8);
    let speed = model.speed(&model.best(&FREE).expect("a plan").layout);
    let hours = model.hours(&speed);
    assert!((hours.expected * speed.tokens_per_s - 2e6).abs() < 1.0);
    assert!(hours.low < hours.expected && hours.expected < hours.high);
    assert!((hours.high / hours.expected - speed.step_s.high / speed.step_s.expected).abs() < 1e-9);
}

#[test]
fn the_dominant_assumption_names_its_value_and_source() {
    let machine = node("A100-80GB-SXM", 8, None);
    let model = model(&one_billion(), &job(), &machine, 8);
    let said = model.speed(&model.best(&FREE).expect("a plan").layout).dominant_assumption;
    assert!(said.contains("bf16") && said.contains("A100-80GB-SXM") && said.contains("2026"), "{said}");
}

#[test]
fn the_first_stage_of_a_pipeline_holds_a_micro_batch_for_each_stage() {
    let machine = node("A100-80GB-SXM", 8, None);
    let model = model(&llama_7b(), &job(), &machine, 8);
    let at = |pp, recompute| {
        let layout = Layout { dp: 8 / pp, pp, ..layout(1, Sharding::Zero1, recompute, 1) };
        model.memory(&layout).terms.activations
    };
    // A quarter of the layers, four times in flight.
    assert!((at(4, Recompute::None) / at(1, Recompute::None) - 1.0).abs() < 1e-9);
    assert!(at(4, Recompute::Full) < at(1, Recompute::Full) * 1.01);
}

#[test]
fn more_passes_shrink_the_bubble_of_a_pipeline() {
    let machine = node("A100-80GB-SXM", 8, None);
    let share = |global_batch| {
        let job = Training { global_batch, ..job() };
        let model = model(&llama_7b(), &job, &machine, 8);
        let at = |pp: u32| {
            let dp = 8 / pp;
            let grad_accumulation = global_batch / dp;
            Layout { dp, pp, grad_accumulation, ..layout(1, Sharding::Zero1, Recompute::Full, 1) }
        };
        model.step_seconds(&at(8)) / model.step_seconds(&at(1))
    };
    let (few, many) = (share(8), share(256));
    // Eight stages and eight passes wait 7/8 of a step; 256 passes next to nothing.
    assert!(few > 1.6 && many < 1.2, "{few} {many}");
}

/// Rate of each GPU on many GPUs over that on few, with the batch growing along.
fn kept(architecture: &Architecture, job: &Training, name: &str, at: Layout, few: u32, many: u32) -> f64 {
    let gbps = if name.starts_with("A100") { 1600.0 } else { 3200.0 };
    let machine = node(name, 8, Some(gbps));
    let rate = |gpus: u32| {
        let dp = gpus / (at.tp * at.pp);
        let layout = Layout { dp, ..at };
        let job = Training { global_batch: dp * at.micro_batch * at.grad_accumulation, ..job.clone() };
        model(architecture, &job, &machine, gpus).speed(&layout).tokens_per_s / f64::from(gpus)
    };
    rate(many) / rate(few)
}

#[test]
fn weak_scaling_loses_as_little_as_published_tables_do() {
    let tuned = |seq_len| Training { framework: "tuned".to_owned(), seq_len, ..job() };
    // DGX Cloud benchmarks, 2025: 8B on 8 to 128 H100 keeps 97 to 99.5 %, 70B on 64 to 2048 keeps 98.5 to 100 %.
    let one = Layout { grad_accumulation: 16, ..layout(1, Sharding::Zero1, Recompute::None, 1) };
    let small = kept(&llama_8b(), &tuned(8192), "H100-SXM", one, 8, 128);
    assert!((0.96..=1.0).contains(&small), "{small}");
    let large = Layout { tp: 4, pp: 4, grad_accumulation: 32, ..one };
    let large = kept(&llama_70b(), &tuned(8192), "H100-SXM", large, 64, 2048);
    assert!((0.97..=1.0).contains(&large), "{large}");
    // llm-foundry, 2023: 125M to 7B on 8 to 128 A100 keep 91 to 98.5 %.
    let fused = Training { framework: "fused".to_owned(), ..job() };
    let shards = layout(1, Sharding::Zero3, Recompute::None, 8);
    let foundry = kept(&one_billion(), &fused, "A100-40GB-SXM", shards, 8, 128);
    assert!((0.9..=1.0).contains(&foundry), "{foundry}");
}

#[test]
fn strong_scaling_of_175b_from_512_to_8192_gpus_keeps_about_two_thirds() {
    // MLPerf Training 3.1 and 4.0, GPT-3 175B: 790 tokens/s and H100 on 512, 547 on 8192.
    let gpt3 = Architecture { gated_mlp: false, ..decoder(96, 12_288, 96, 96, 49_152, 50_257) };
    let gpt3 = Architecture { params: 174.6e9, active_params: 174.6e9, ..gpt3 };
    let machine = node("H100-SXM", 8, Some(3200.0));
    let rate = |gpus: u32, global_batch| {
        let precision = Some(Precision::Fp8);
        let job = Training { framework: "tuned".to_owned(), global_batch, precision, ..job() };
        tokens_per_s(&gpt3, &job, &machine, gpus) / f64::from(gpus)
    };
    let ratio = rate(8192, 4096) / rate(512, 2048);
    assert!((0.5..0.95).contains(&ratio), "{ratio}");
}

#[test]
fn experts_that_cross_a_slow_network_cost_more_than_experts_within_a_node() {
    let moe = Moe {
        experts: 64,
        experts_per_token: 8,
        expert_ffn: 1024,
        shared_experts: 0.0,
        dense_first_layers: 0,
        every: 1,
    };
    let dense = decoder(24, 2048, 16, 16, 1024, 32_000);
    let experts = 24.0 * 64.0 * 3.0 * 2048.0 * 1024.0;
    let mixture = Architecture {
        params: dense.params + experts,
        active_params: dense.params + experts / 8.0,
        moe: Some(moe),
        ..dense
    };
    let step = |gbps, ep| {
        let machine = node("H100-SXM", 8, Some(gbps));
        let job = Training { framework: "tuned".to_owned(), ..job() };
        let at = Layout { ep, grad_accumulation: 4, ..layout(16, Sharding::Zero1, Recompute::None, 4) };
        model(&mixture, &job, &machine, 16).step_seconds(&at)
    };
    let inside = step(3200.0, 8);
    let (fast, slow) = (step(3200.0, 16), step(100.0, 16));
    assert!(inside < fast && slow > 2.0 * fast, "{inside} {fast} {slow}");
}

#[test]
fn offloading_costs_the_time_of_the_link_to_the_host() {
    let machine = node("A100-80GB-SXM", 1, None);
    let model = model(&one_billion(), &job(), &machine, 1);
    let step = |offload| {
        let at = layout(1, Sharding::Ddp, Recompute::None, 4);
        model.step_seconds(&Layout { offload, grad_accumulation: 4, ..at })
    };
    let times = [Offload::None, Offload::Optimizer, Offload::All].map(step);
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
}

#[test]
fn adapters_of_plain_software_are_slower_than_fused_ones() {
    let machine = node("A100-80GB-SXM", 1, None);
    let rate = |rank_class: &str| {
        let job = Training { framework: rank_class.to_owned(), ..adapters(Method::Lora, 4096) };
        let model = model(&llama_7b(), &job, &machine, 1);
        model.speed(&layout(1, Sharding::Ddp, Recompute::Full, 1)).tokens_per_s
    };
    // Plain PyTorch moves inputs and outputs of every adapted matrix again; software with fused adapters hardly does.
    assert!(rate("generic") < 0.9 * rate("tuned"));
}

#[test]
fn the_later_generation_is_no_slower_in_16_bit() {
    for (architecture, job) in
        [(llama_8b(), adapters(Method::Lora, 2048)), (llama_7b(), job()), (llama_8b(), job())]
    {
        let job = Training { precision: Some(Precision::Bf16), ..job };
        let rate = |name| tokens_per_s(&architecture, &job, &node(name, 8, None), 8);
        assert!(rate("B300") >= rate("B200"), "{} {}", rate("B300"), rate("B200"));
    }
}

#[test]
fn a_faster_gpu_is_faster_at_micro_batches_of_one() {
    let rate = |architecture: &Architecture, name| {
        let machine = node(name, 1, None);
        let job = Training { precision: Some(Precision::Bf16), ..job() };
        let at = Layout { grad_accumulation: 8, ..layout(1, Sharding::Ddp, Recompute::None, 1) };
        let job = Training { global_batch: 8, ..job };
        model(architecture, &job, &machine, 1).speed(&at)
    };
    let at_7b = |name| rate(&llama_7b(), name);
    let (ampere, hopper, blackwell) = (at_7b("A100-80GB-SXM"), at_7b("H100-SXM"), at_7b("B200"));
    // MPT-7B of llm-foundry, 2,048 tokens, micro-batch 6, 8 GPUs: 4,641 and 10,643 tokens/s and GPU.
    let gain = hopper.tokens_per_s / ampere.tokens_per_s;
    assert!((1.7..3.0).contains(&gain), "{gain}");
    assert!(blackwell.tokens_per_s > 1.2 * hopper.tokens_per_s);
    for speed in [ampere, hopper, blackwell] {
        assert_eq!(speed.bound, "compute");
    }
    // Matrices of one billion parameters are small: from Hopper on the host is what is waited for, at that 2 ms a layer.
    let small = |name| rate(&one_billion(), name).tokens_per_s;
    assert!(small("H100-SXM") > 1.3 * small("A100-80GB-SXM"));
}
