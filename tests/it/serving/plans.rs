//! The search: fewest nodes, best layout, and what is said when there is none.

use super::{Work, close, networked, node, work};
use gpuadvise::estimate::serving::{ServingModel, ServingPlan};
use gpuadvise::estimate::{Machine, Verdict};
use gpuadvise::workload::Pins;

const FREE: Pins = Pins { dp: None, tp: None, pp: None, ep: None, cp: None };

fn constraints(work: &Work, machine: &Machine, nodes: u32) -> Vec<&'static str> {
    let miss = work.on(machine).best(&FREE, nodes).unwrap_err();
    miss.shortfalls.iter().map(|s| s.constraint).collect()
}

#[test]
fn p113_memory_is_not_reported_as_a_latency() {
    let work = work("--model llama-3-70b --ttft 1ms --tpot 1ms");
    assert_eq!(constraints(&work, &node("L4", 1), 1), ["memory"]);
    assert_eq!(constraints(&work, &node("H100-SXM", 8), 1), ["ttft", "tpot"]);
}

#[test]
fn each_limit_is_missed_with_its_number() {
    let slow = work("--model llama-3-8b --tpot 2ms");
    let machine = node("A100-80GB-SXM", 1);
    let miss = slow.on(&machine).best(&FREE, 1).unwrap_err();
    assert_eq!(miss.shortfalls[0].constraint, "tpot");
    assert!(miss.shortfalls[0].nearest > 8.0, "{:?}", miss.shortfalls);
    close(miss.shortfalls[0].limit, 2.0, 1e-9);
    let crowd = work("--model llama-3-8b --concurrency 100000");
    let machine = networked("A100-80GB-SXM", 8);
    let miss = crowd.on(&machine).best(&FREE, 4).unwrap_err();
    assert_eq!((miss.shortfalls[0].constraint, miss.shortfalls[0].limit), ("nodes", 4.0));
    assert!(miss.shortfalls[0].nearest > 4.0 && miss.shortfalls[0].nearest < 1000.0);
    let pinned = work("--model llama-3-8b");
    let miss = pinned.on(&node("A100-80GB-SXM", 8)).best(&Pins { tp: Some(3), ..FREE }, 1).unwrap_err();
    assert_eq!(miss.shortfalls[0].constraint, "layout");
}

#[test]
fn one_request_takes_the_whole_node_and_many_are_shared_out() {
    let machine = node("H100-SXM", 8);
    let one = work("--model llama-3-70b --concurrency 1");
    let plan = one.on(&machine).best(&FREE, 1).unwrap();
    assert_eq!((plan.replicas, plan.layout.tp, plan.layout.pp), (1, 8, 1));
    let many = work("--model llama-3-8b --concurrency 64");
    let plan = many.on(&machine).best(&FREE, 1).unwrap();
    assert_eq!(plan.layout.dp, plan.replicas);
    assert!(plan.replicas * plan.concurrency_per_replica >= 64);
    assert!(plan.replicas * plan.layout.tp * plan.layout.pp <= 8);
}

#[test]
fn more_load_needs_more_nodes_and_never_fewer() {
    let machine = networked("L4", 1);
    let mut last = 0;
    for concurrency in [1, 10, 40, 160, 640] {
        let work = work(&format!("--model llama-3-8b --concurrency {concurrency}"));
        let plan = work.on(&machine).best(&FREE, 1000).unwrap();
        assert!(plan.nodes >= last);
        if plan.nodes > 1 {
            let fewer = work.on(&machine).best_on(&FREE, plan.nodes - 1);
            assert!(
                fewer.map_or(true, |p| p.verdict > plan.verdict),
                "{concurrency}: one node less would do"
            );
        }
        last = plan.nodes;
    }
    assert!(last > 5, "{last}");
}

#[test]
fn a_rate_is_answered_and_its_peak_is_held() {
    let machine = networked("H100-SXM", 8);
    let mut last = 0;
    for rps in [0.1, 1.0, 20.0, 400.0, 4000.0] {
        let work = work(&format!("--model llama-3-8b --rps {rps} --input-len 1000 --output-len 300"));
        let plan = work.on(&machine).best(&FREE, 500).unwrap();
        let answered = f64::from(plan.replicas) * plan.speed.requests_per_s;
        assert!(answered >= 0.999 * rps, "{rps}: {answered}");
        assert!(plan.verdict <= Verdict::Tight && plan.nodes >= last);
        last = plan.nodes;
    }
    assert!(last > 1);
}

#[test]
fn latency_limits_hold_in_the_plan() {
    let machine = networked("A100-80GB-SXM", 8);
    let free = work("--model llama-3-70b --concurrency 200");
    let strict = work("--model llama-3-70b --concurrency 200 --tpot 45ms --ttft 2s");
    let (free, strict) =
        (free.on(&machine).best(&FREE, 64).unwrap(), strict.on(&machine).best(&FREE, 64).unwrap());
    assert!(strict.speed.tpot_ms.expected <= 45.0 && strict.speed.ttft_ms.expected <= 2000.0);
    assert!(strict.nodes >= free.nodes);
}

#[test]
fn pins_are_kept() {
    let machine = networked("H100-SXM", 8);
    let work = work("--model llama-3-8b --concurrency 32");
    let model = work.on(&machine);
    for (dp, tp, pp) in [(1, 2, 2), (4, 1, 1), (2, 4, 1), (1, 8, 2), (1, 16, 1)] {
        let plan = model.best(&Pins { dp: Some(dp), tp: Some(tp), pp: Some(pp), ..FREE }, 4).unwrap();
        assert_eq!((plan.layout.dp, plan.layout.tp, plan.layout.pp), (dp, tp, pp));
        assert_eq!(plan.nodes, (dp * tp * pp).div_ceil(8));
    }
}

#[test]
fn without_a_network_one_node_is_all() {
    let work = work("--model deepseek-v3 --precision fp8");
    let machine = node("H100-SXM", 8);
    assert_eq!(constraints(&work, &machine, 8), ["memory"]);
}

#[test]
fn engines_that_divide_only_layers_do_so() {
    let work = work("--model llama-3-70b --engine llama.cpp --quantization q4_k_m");
    let machine = node("RTX-4090", 4);
    let plan = work.on(&machine).best(&FREE, 1).unwrap();
    assert_eq!(plan.layout.tp, 1);
    assert!(plan.layout.pp >= 2);
}

#[test]
fn replicas_come_before_stages_inside_a_node() {
    for flags in ["--model llama-3-8b", "--model llama-3-70b", "--model qwen3-32b"] {
        for concurrency in [1, 8, 32, 100, 256, 1000] {
            let work = work(&format!("{flags} --concurrency {concurrency}"));
            for (gpu, gpus) in [("H100-SXM", 8), ("L4", 4), ("A100-80GB-SXM", 2)] {
                let machine = node(gpu, gpus);
                if let Ok(plan) = work.on(&machine).best(&FREE, 1) {
                    assert_eq!(
                        plan.layout.pp, 1,
                        "{flags} {concurrency} on {gpus} x {gpu}: {:?}",
                        plan.layout
                    );
                }
            }
        }
    }
}

#[test]
fn stages_use_the_gpus_that_no_tensor_size_can() {
    let work = work("--model qwen3-32b --engine vllm-v0 --max-model-len 4096");
    assert_eq!(constraints(&work, &node("V100-32GB-SXM", 2), 1), ["memory"]);
    let machine = node("V100-32GB-SXM", 3);
    let plan = work.on(&machine).best(&FREE, 1).unwrap();
    assert_eq!((plan.layout.tp, plan.layout.pp), (1, 3));
}

/// Every number of nodes is a limit of its own, and the plan on fewer nodes that is only tight is told too.
#[test]
fn plans_are_the_fewest_nodes_of_each_verdict() {
    let mut tight_on_fewer = 0;
    for (flags, gpu, gpus) in [
        ("--model llama-3-8b --concurrency 150", "L4", 1),
        ("--model qwen3-32b --concurrency 60", "L4", 4),
        ("--model llama-3-70b --concurrency 30", "A10G", 4),
        ("--model deepseek-v3 --quantization fp8", "H100-SXM", 8),
    ] {
        let work = work(flags);
        let machine = networked(gpu, gpus);
        let model = work.on(&machine);
        let on: Vec<Option<Verdict>> =
            (1..=13).map(|n| model.best_on(&FREE, n).ok().map(|p| p.verdict)).collect();
        let first = |limit: usize, worst: Verdict| {
            on.iter().take(limit).position(|v| v.is_some_and(|v| v <= worst)).map(|at| at as u32 + 1)
        };
        for limit in 1..=13_u32 {
            let (fits, tight) = (first(limit as usize, Verdict::Fits), first(limit as usize, Verdict::Tight));
            let expected: Vec<u32> =
                fits.into_iter().chain(tight.filter(|&n| fits.is_none_or(|f| n < f))).collect();
            let plans = model.plans(&FREE, limit).unwrap_or_default();
            let found: Vec<u32> = plans.iter().map(|p| p.nodes).collect();
            assert_eq!(found, expected, "{flags} on {gpus} x {gpu}, at most {limit} nodes");
            assert_eq!(model.best(&FREE, limit).ok().as_ref(), plans.first());
            tight_on_fewer += u32::from(found.len() == 2);
        }
    }
    assert!(tight_on_fewer > 0, "no case with a tight plan on fewer nodes");
}

/// Time of a whole answer of the usual length, its wait included.
fn answer_ms(plan: &ServingPlan) -> f64 {
    plan.speed.ttft_ms.expected + 256.0 * plan.speed.tpot_ms.expected
}

/// Verdict, nodes and time of an answer.
type Found = (Verdict, u32, f64);

/// The best plan by trying every layout on every number of nodes.
fn brute_force(model: &ServingModel, machine: &Machine, most: u32) -> Option<Found> {
    let node = machine.gpus_per_node;
    let mut best: Option<Found> = None;
    for nodes in 1..=most {
        for (tp, pp) in (1..=node).flat_map(|tp| (1..=nodes * node / tp).map(move |pp| (tp, pp))) {
            let spans = tp * pp > node;
            let even = |n: u32| n.is_power_of_two() || node.is_multiple_of(n);
            if (spans && (!(tp * pp).is_multiple_of(node) || tp != node)) || !even(tp) || (!spans && pp > 1) {
                continue;
            }
            let pins = Pins { tp: Some(tp), pp: Some(pp), ..FREE };
            let Ok(plan) = model.best_on(&pins, nodes) else { continue };
            let this = (plan.verdict, nodes, answer_ms(&plan));
            if best.is_none_or(|b| this < b) {
                best = Some(this);
            }
        }
    }
    best
}

#[test]
fn the_search_finds_what_brute_force_finds() {
    for (gpu, gpus) in [("L4", 1), ("L4", 4), ("A100-80GB-SXM", 8), ("H100-SXM", 2)] {
        let machine = networked(gpu, gpus);
        for flags in [
            "--model llama-3-8b --concurrency 1",
            "--model llama-3-8b --concurrency 200",
            "--model llama-3-70b --concurrency 16 --tpot 40ms",
            "--model qwen3-32b --concurrency 40 --ttft 3s",
            "--model qwen3-32b --rps 2",
        ] {
            let work = work(flags);
            let model = work.on(&machine);
            let found: Option<ServingPlan> = model.best(&FREE, 4).ok();
            let found = found.map(|p| (p.verdict, p.nodes, answer_ms(&p)));
            let expected = brute_force(&model, &machine, 4);
            assert_eq!(found.is_some(), expected.is_some(), "{flags} on {gpus} x {gpu}");
            if let (Some(found), Some(expected)) = (found, expected) {
                assert_eq!((found.0, found.1), (expected.0, expected.1), "{flags} on {gpus} x {gpu}");
                // What waits or is tight is left unless it answers 2 % sooner.
                close(found.2, expected.2, 0.045);
            }
        }
    }
}

#[test]
fn requests_that_wait_count_in_the_choice_of_a_layout() {
    let machine = node("A100-80GB-SXM", 8);
    for concurrency in [64, 512, 768, 1024] {
        let work = work(&format!("--model mixtral-8x7b --concurrency {concurrency}"));
        let plan = work.on(&machine).best_on(&FREE, 1).unwrap();
        for tp in [2, 4, 8] {
            let Ok(other) = work.on(&machine).best_on(&Pins { tp: Some(tp), ..FREE }, 1) else { continue };
            let better = other.verdict <= plan.verdict && answer_ms(&other) < 0.96 * answer_ms(&plan);
            assert!(!better, "{concurrency}: tp {tp} answers before {:?}", plan.layout);
        }
    }
}

/// Eager software is the exception: its kernels for stored formats were measured slower than 16 bit.
#[test]
fn stored_formats_are_not_slower_than_16_bit() {
    for engine in ["vllm", "sglang", "tensorrt-llm", "llama.cpp"] {
        for gpu in ["RTX-4090", "A100-80GB-SXM", "H100-SXM"] {
            let machine = node(gpu, 1);
            let tpot = |format: &str| {
                let work = work(&format!("--model llama-3-8b --engine {engine} --quantization {format}"));
                work.on(&machine).best_on(&FREE, 1).unwrap().speed.tpot_ms.expected
            };
            for format in ["int8", "q8_0", "int4"] {
                assert!(tpot(format) < tpot("none"), "{engine} {gpu} {format}");
            }
        }
    }
}

/// Little 1961, of what is printed: requests in flight = requests a second × the time of one, with the requests that wait and
/// with those that replicas cannot share evenly.
#[test]
fn requests_in_flight_are_their_rate_times_their_time() {
    let machine = node("H100-SXM", 8);
    for engine in ["vllm", "sglang", "tensorrt-llm"] {
        for (concurrency, lengths) in [
            (1, "--input-len 1024 --output-len 256"),
            (10, "--input-len 4096 --output-len 2"),
            (64, "--input-len 512 --output-len 1"),
            (777, "--input-len 2000 --output-len 64"),
            (2000, "--input-len 1024 --output-len 256"),
        ] {
            let flags =
                format!("--model llama-3.1-8b --engine {engine} --concurrency {concurrency} {lengths}");
            let work = work(&flags);
            let plan = work.on(&machine).best_on(&FREE, 1).unwrap();
            let steps = f64::from(work.job.output_len - 1);
            let seconds = (plan.speed.ttft_ms.expected + steps * plan.speed.tpot_ms.expected) / 1e3;
            let rate = f64::from(plan.replicas) * plan.speed.requests_per_s;
            close(rate * seconds, f64::from(concurrency), 1e-9);
        }
    }
}

/// Engines that put prompts first hold up first tokens, where prompts fall into the answers of the rest. The work is the same.
#[test]
fn prompts_delay_the_first_token_or_the_answer() {
    let machine = node("H100-SXM", 1);
    let speed = |engine: &str| {
        let work = work(&format!("--model llama-3.1-8b --engine {engine} --concurrency 128"));
        work.on(&machine).speed(&ServingModel::layout(1, 1, 1), 128)
    };
    let (first, mixed) = (speed("sglang"), speed("vllm"));
    assert!(first.ttft_ms.expected > 3.0 * mixed.ttft_ms.expected, "{first:?} {mixed:?}");
    close(first.requests_per_s, mixed.requests_per_s, 0.4);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(12))]

    /// In one layout more requests are never answered slower.
    #[test]
    fn more_requests_in_a_replica_are_answered_at_least_as_fast(
        few in 1u32..2000,
        more in 1u32..400,
        engine in proptest::sample::select(vec!["vllm", "sglang", "tensorrt-llm"]),
        input in 1u32..8000,
        output in 1u32..2000,
        tp in proptest::sample::select(vec![1_u32, 4, 8]),
    ) {
        let flags = format!("--model llama-3.1-8b --engine {engine} --input-len {input} --output-len {output}");
        let (work, machine) = (work(&flags), node("H100-SXM", 8));
        let model = work.on(&machine);
        let rate = |n: u32| model.speed(&ServingModel::layout(1, tp, 1), n).requests_per_s;
        proptest::prop_assert!(rate(few + more) >= rate(few) * (1.0 - 1e-9));
    }

    /// On the same machines more requests are answered at least as fast, as long as the layout of the fewer holds them too.
    #[test]
    fn more_requests_do_not_lower_the_throughput(
        few in 1u32..900,
        more in 1u32..400,
        model in proptest::sample::select(vec!["llama-3-8b", "llama-3-70b", "mixtral-8x7b"]),
        gpu in proptest::sample::select(vec!["A100-80GB-SXM", "H100-SXM"]),
    ) {
        let machine = node(gpu, 8);
        let planned = |concurrency: u32, pins: &Pins| {
            work(&format!("--model {model} --concurrency {concurrency}")).on(&machine).best_on(pins, 1).ok()
        };
        let all = |plan: &ServingPlan| f64::from(plan.replicas) * plan.speed.requests_per_s;
        if let (Some(low), Some(high)) = (planned(few, &FREE), planned(few + more, &FREE)) {
            let same = Pins { tp: Some(low.layout.tp), pp: Some(low.layout.pp), ..FREE };
            let held = planned(few + more, &same).is_some_and(|plan| plan.verdict <= high.verdict);
            proptest::prop_assert!(!held || all(&high) >= 0.95 * all(&low), "{low:?} {high:?}");
        }
    }
}
