//! More hardware never answers slower, longer requests never faster, and more of them never lower what is planned.

use super::{networked, node, work};
use gpuadvise::catalog::gpu::Gpu;
use gpuadvise::estimate::Machine;
use gpuadvise::estimate::serving::{Queue, ServingModel, ServingPlan};
use gpuadvise::workload::Pins;
use proptest::prelude::{ProptestConfig, prop_assert, proptest};
use proptest::sample::select;

const MODELS: [&str; 4] = ["llama-3.1-8b", "llama-3-70b", "mixtral-8x7b", "deepseek-v3"];
const ENGINES: [&str; 3] = ["vllm", "sglang", "tensorrt-llm"];

/// Less than this is rounding.
const ROUNDING: f64 = 1.0 - 1e-9;

fn all(plan: &ServingPlan) -> f64 {
    f64::from(plan.replicas) * plan.speed.requests_per_s
}

/// A GPU with so many times the arithmetic in every format.
fn stronger(gpu: &Gpu, by: f64) -> Gpu {
    let mut gpu = gpu.clone();
    let peaks = &mut gpu.peaks;
    for peak in
        [&mut peaks.fp32, &mut peaks.fp16, &mut peaks.bf16, &mut peaks.fp8, &mut peaks.fp4, &mut peaks.int8]
    {
        *peak = peak.map(|peak| peak * by);
    }
    gpu
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn faster_memory_and_more_arithmetic_are_never_slower(
        name in select(&MODELS[..]),
        engine in select(&ENGINES[..]),
        tp in select(&[1_u32, 2, 8][..]),
        n in 1_u32..600,
        by in 1.0_f64..3.0,
    ) {
        let work = work(&format!("--model {name} --engine {engine}"));
        let machine = node("H200-SXM", 8);
        let layout = ServingModel::layout(1, tp, 1);
        let rate = |machine: &Machine| work.on(machine).speed(&layout, n).requests_per_s;
        let memory = Gpu { bandwidth_bytes_per_s: machine.gpu.bandwidth_bytes_per_s * by, ..machine.gpu.clone() };
        let arithmetic = stronger(machine.gpu, by);
        for gpu in [&memory, &arithmetic] {
            let better = Machine { gpu, ..machine };
            prop_assert!(rate(&better) >= rate(&machine) * ROUNDING);
        }
        let links = Machine { intra_bytes_per_s: machine.intra_bytes_per_s * by, ..machine };
        prop_assert!(rate(&links) >= rate(&machine) * ROUNDING);
    }

    #[test]
    fn longer_requests_are_never_answered_faster(
        name in select(&MODELS[..]),
        engine in select(&ENGINES[..]),
        n in 1_u32..600,
        (input, output) in (1_u32..5000, 2_u32..1000),
        (longer, further) in (0_u32..2000, 0_u32..1000),
    ) {
        // No model of these has a shorter context: 8,192 tokens.
        let input = input.min(8_192 - output - longer - further);
        let machine = node("H200-SXM", 8);
        let layout = ServingModel::layout(1, 8, 1);
        let rate = |input: u32, output: u32| {
            let work = work(&format!("--model {name} --engine {engine} --input-len {input} --output-len {output}"));
            let model = work.on(&machine);
            let queue = Queue { requests: None, varied: false };
            (model.speed(&layout, n).requests_per_s, model.queue_requests_per_s(&layout, queue))
        };
        let (short, long) = (rate(input, output), rate(input + longer, output + further));
        prop_assert!(long.0 <= short.0 / ROUNDING, "{short:?} {long:?}");
        prop_assert!(long.1 <= short.1 / ROUNDING, "{short:?} {long:?}");
    }

    #[test]
    fn more_gpus_in_a_machine_never_answer_fewer_requests(
        name in select(&MODELS[..3]),
        gpu in select(&["A100-80GB-SXM", "H100-SXM", "B200"][..]),
        n in 1_u32..1500,
    ) {
        let work = work(&format!("--model {name} --concurrency {n}"));
        let mut before = 0.0;
        for gpus in [1, 2, 4, 8] {
            let machine = node(gpu, gpus);
            let now = work.on(&machine).best_on(&Pins::default(), 1).map_or(0.0, |plan| all(&plan));
            prop_assert!(now >= before * ROUNDING, "{gpus} GPUs: {now} after {before}");
            before = now;
        }
    }

    /// What holds few requests does not become slower by more: they wait, or a layout is found that answers more.
    #[test]
    fn more_requests_never_lower_the_throughput_of_a_plan(
        name in select(&MODELS[..3]),
        gpu in select(&["A100-80GB-SXM", "H100-SXM"][..]),
        few in 1_u32..5000,
        more in 1_u32..1000,
    ) {
        let machine = node(gpu, 8);
        let planned = |n: u32| work(&format!("--model {name} --concurrency {n}")).on(&machine).best_on(&Pins::default(), 1);
        prop_assert!(planned(few).is_ok() || planned(few + more).is_err());
        if let (Ok(low), Ok(high)) = (planned(few), planned(few + more)) {
            prop_assert!(all(&high) >= 0.95 * all(&low), "{low:?} {high:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// What is recommended is the same when it is pinned, also where requests wait in it.
    #[test]
    fn a_pin_of_what_is_planned_changes_nothing(
        name in select(&MODELS[..3]),
        gpu in select(&["L4", "A100-80GB-SXM", "H100-SXM"][..]),
        n in 1_u32..5000,
        nodes in 1_u32..6,
        output in select(&[16_u32, 256, 2000][..]),
    ) {
        let machine = networked(gpu, 8);
        let work = work(&format!("--model {name} --concurrency {n} --output-len {output}"));
        let model = work.on(&machine);
        if let Ok(plan) = model.best(&Pins::default(), nodes) {
            let layout = plan.layout;
            let pins = Pins { dp: Some(layout.dp), tp: Some(layout.tp), pp: Some(layout.pp), ..Pins::default() };
            let pinned = model.best(&pins, nodes);
            prop_assert!(pinned.as_ref().ok() == Some(&plan), "{plan:?} {pinned:?}");
        }
    }

    /// Speed and memory know one capacity: what the memory holds runs, up to the scheduler.
    #[test]
    fn what_the_memory_holds_runs(
        (name, flags, gpu, gpus) in select(&[
            ("llama-3-70b", "--quantization fp8", "H100-SXM", 1_u32),
            ("llama-3-8b", "", "L4", 1),
            ("kimi-k2", "", "H200-SXM", 8),
        ][..]),
        n in 1_u32..60,
    ) {
        let work = work(&format!("--model {name} {flags} --concurrency {n}"));
        let machine = node(gpu, gpus);
        if let Ok(plan) = work.on(&machine).best_on(&Pins::default(), 1) {
            let running = plan.speed.running * f64::from(plan.replicas);
            let held = f64::from(n.min(plan.speed.max_concurrency * plan.replicas));
            prop_assert!((running - held).abs() < 1e-6, "{plan:?}");
        }
    }
}

/// A model that leaves the cache of a default engine empty is served with fewer sequences, faster with two than with one.
#[test]
fn more_requests_than_one_run_beside_large_weights() {
    let machine = node("H100-SXM", 1);
    let rate = |n: u32| {
        let work = work(&format!("--model llama-3-70b --quantization fp8 --concurrency {n}"));
        work.on(&machine)
            .best_on(&Pins::default(), 1)
            .map(|plan| (plan.speed.output_tokens_per_s, plan.speed.ttft_ms.expected))
    };
    let (one, four) = (rate(1).unwrap(), rate(4).unwrap());
    assert!(four.0 > 2.5 * one.0 && four.1 < 5.0 * one.1, "{one:?} {four:?}");
}

#[test]
fn what_would_slow_all_down_waits() {
    let machine = node("H100-SXM", 8);
    let planned = |n: u32| {
        work(&format!("--model llama-3-70b --concurrency {n}"))
            .on(&machine)
            .best_on(&Pins::default(), 1)
            .unwrap()
    };
    let (all_at_once, some_wait) = (planned(700), planned(800));
    assert_eq!(all_at_once.layout, some_wait.layout);
    assert!(some_wait.concurrency_per_replica * some_wait.replicas < 800);
    assert!(some_wait.speed.ttft_ms.expected > all_at_once.speed.ttft_ms.expected);
}
