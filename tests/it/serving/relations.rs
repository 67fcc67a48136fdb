//! Relations that hold for every workload.

use super::{CATALOG, networked, node, work};
use gpuadvise::estimate::serving::{ServingModel, kv};
use gpuadvise::estimate::{Machine, Verdict};
use gpuadvise::workload::{KvRule, Pins};
use proptest::prelude::{Just, Strategy, prop_assert, prop_assert_eq, prop_oneof, proptest};

const MODELS: [&str; 8] = [
    "llama-3-8b",
    "llama-3-70b",
    "deepseek-v3",
    "gpt-oss-20b",
    "gemma-3-27b",
    "mixtral-8x7b",
    "qwen3-0.6b",
    "gpt2",
];
const GPUS: [&str; 6] = ["L4", "A100-80GB-SXM", "H100-SXM", "MI300X", "T4", "B200"];

fn model() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&MODELS[..])
}

fn gpu() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&GPUS[..])
}

fn rule() -> impl Strategy<Value = KvRule> {
    prop_oneof![Just(KvRule::Windowed), Just(KvRule::FullPages), Just(KvRule::Expanded)]
}

fn layout() -> impl Strategy<Value = (u32, u32)> {
    proptest::sample::select(&[(1, 1), (2, 1), (4, 1), (8, 1), (1, 2), (2, 4), (4, 2)][..])
}

proptest! {
    #[test]
    fn a_longer_context_never_needs_less(name in model(), rule in rule(), a in 1_u32..200_000, b in 1_u32..200_000) {
        let arch = super::architecture(name);
        let at = |tokens: u32| kv::bytes_at(&arch, f64::from(tokens), 2.0, rule);
        prop_assert!(at(a.min(b)) <= at(a.max(b)));
        prop_assert!(at(a) > 0.0);
        prop_assert!(kv::bytes_at(&arch, f64::from(a), 2.0, KvRule::Windowed) <= kv::bytes_at(&arch, f64::from(a), 2.0, KvRule::FullPages));
    }

    #[test]
    fn terms_add_up_and_the_range_holds_the_total(name in model(), gpu in gpu(), (tp, pp) in layout(), n in 1_u32..500) {
        let work = work(&format!("--model {name} --quantization none"));
        let machine = node(gpu, 8);
        let memory = work.on(&machine).memory(&ServingModel::layout(1, tp, pp), n);
        let sum: f64 = memory.terms.named().iter().map(|(_, bytes)| bytes).sum();
        prop_assert_eq!(sum, memory.terms.total());
        prop_assert!(memory.low <= sum && sum <= memory.high);
        prop_assert!(memory.terms.named().iter().all(|&(_, bytes)| bytes >= 0.0 && bytes.is_finite()));
    }

    #[test]
    fn more_memory_is_never_worse(name in model(), gpu in gpu(), n in 1_u32..300, more in 1.0_f64..4.0) {
        let work = work(&format!("--model {name} --quantization none --concurrency {n}"));
        let small = networked(gpu, 8);
        let large = Machine { usable_bytes: small.usable_bytes * more, memory_bytes: small.memory_bytes * more, ..small };
        let plan = |machine: &Machine| {
            work.on(machine).best(&Pins::default(), 64).map_or((Verdict::No, u32::MAX), |p| (p.verdict, p.nodes))
        };
        prop_assert!(plan(&large) <= plan(&small));
    }

    #[test]
    fn speed_is_finite_and_ordered(name in model(), gpu in gpu(), (tp, pp) in layout(), n in 1_u32..2000) {
        let work = work(&format!("--model {name} --quantization none"));
        let machine = node(gpu, 8);
        let model = work.on(&machine);
        let layout = ServingModel::layout(1, tp, pp);
        let speed = model.speed(&layout, n);
        for range in [speed.ttft_ms, speed.tpot_ms] {
            prop_assert!(0.0 < range.low && range.low <= range.expected && range.expected <= range.high);
            prop_assert!(range.high.is_finite());
        }
        prop_assert!(speed.output_tokens_per_s > 0.0 && speed.output_tokens_per_s.is_finite());
        let more = model.speed(&layout, n + 1);
        prop_assert!(more.tpot_ms.expected >= speed.tpot_ms.expected * (1.0 - 1e-9));
        prop_assert!(more.ttft_ms.expected >= speed.ttft_ms.expected * (1.0 - 1e-9));
    }

    #[test]
    fn the_most_requests_fit_and_one_more_does_not(name in model(), gpu in gpu(), (tp, pp) in layout()) {
        let work = work(&format!("--model {name} --quantization none"));
        let machine = node(gpu, 8);
        let model = work.on(&machine);
        let layout = ServingModel::layout(1, tp, pp);
        let most = model.max_concurrency(&layout, 1);
        if most > 0 {
            let verdict = model.verdict(&layout, most);
            prop_assert!(verdict == Verdict::Fits || (verdict == Verdict::Tight && most == 1));
            prop_assert!(model.verdict(&layout, most + 1) > verdict || verdict == Verdict::Tight);
        } else {
            prop_assert_eq!(model.verdict(&layout, 1), Verdict::No);
        }
    }

    #[test]
    fn more_memory_never_holds_less(name in model(), gpu in gpu(), (tp, pp) in layout(), n in 1_u32..2000, more in 1.0_f64..1.5, share in 0.05_f64..1.0) {
        let work = work(&format!("--model {name} --quantization none"));
        let whole = node(gpu, 8);
        let small = Machine { usable_bytes: whole.usable_bytes * share, ..whole };
        let large = Machine { usable_bytes: small.usable_bytes * more, ..small };
        let layout = ServingModel::layout(1, tp, pp);
        let (few, many) = (work.on(&small), work.on(&large));
        prop_assert!(few.max_concurrency(&layout, n) <= many.max_concurrency(&layout, n));
        prop_assert!(few.max_model_len(&layout) <= many.max_model_len(&layout));
        if few.verdict(&layout, n) < Verdict::No {
            prop_assert!(few.speed(&layout, n).max_concurrency >= n);
        }
    }
}

#[test]
fn every_gpu_of_the_catalog_gives_an_answer_or_a_reason() {
    let work = work("--model llama-3-8b");
    for gpu in &CATALOG.gpus {
        let machine = match Machine::of_gpu(&CATALOG, gpu, 8) {
            Ok(machine) => machine,
            Err(refused) => {
                assert_eq!(refused.id, "link-unknown", "{}", gpu.name);
                continue;
            }
        };
        match work.try_on(&machine) {
            Ok(model) => match model.best(&Pins::default(), 1) {
                Ok(plan) => assert!(plan.verdict < Verdict::No && !plan.speed.dominant_assumption.is_empty()),
                Err(miss) => assert!(!miss.shortfalls.is_empty(), "{}", gpu.name),
            },
            Err(refused) => {
                let known = ["precision-unsupported", "unsupported-by-engine"].contains(&refused.id);
                assert!(known, "{}: {}", gpu.name, refused.message);
            }
        }
    }
}
