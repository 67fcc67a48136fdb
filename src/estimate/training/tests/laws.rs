//! Properties of random jobs, and the search against brute force.

use super::*;
use proptest::prelude::*;
use std::cmp::Ordering;

#[derive(Clone, Debug)]
struct Case {
    architecture: Architecture,
    job: Training,
    machine: Machine<'static>,
    gpus: u32,
}

impl Case {
    fn model(&self) -> TrainingModel<'static> {
        model(&self.architecture, &self.job, &self.machine, self.gpus)
    }
}

fn architectures() -> impl Strategy<Value = Architecture> {
    (
        1..40u32,
        1..=6u32,
        prop::sample::select(vec![8u32, 12, 16, 32]),
        prop::sample::select(vec![1u32, 2, 4]),
        1000..200_000u32,
    )
        .prop_map(|(layers, width, heads, groups, vocab)| {
            let hidden = heads * 32 * width;
            decoder(layers, hidden, heads, heads / groups, hidden * 3, vocab)
        })
        .prop_flat_map(|dense| {
            let experts = prop::option::weighted(0.25, (prop::sample::select(vec![2u32, 4, 6, 8]), 1..=2u32));
            experts.prop_map(move |experts| mixed(&dense, experts))
        })
}

/// The network with its MLPs as experts.
fn mixed(dense: &Architecture, experts: Option<(u32, u32)>) -> Architecture {
    let Some((experts, experts_per_token)) = experts else { return dense.clone() };
    let moe = Moe {
        experts,
        experts_per_token,
        expert_ffn: dense.ffn,
        shared_experts: 0.0,
        dense_first_layers: 0,
        every: 1,
    };
    let one = f64::from(dense.layers) * 3.0 * f64::from(dense.hidden) * f64::from(dense.ffn);
    let with = |count: u32| dense.params + one * f64::from(count - 1);
    let (params, active_params) = (with(experts), with(experts_per_token));
    Architecture { moe: Some(moe), ffn: 0, params, active_params, ..dense.clone() }
}

fn jobs() -> impl Strategy<Value = Training> {
    let method = prop::sample::select(vec![Method::Full, Method::Lora, Method::Qlora]);
    let optimizer = prop::sample::select(vec![Optimizer::Adamw, Optimizer::Adamw8bit, Optimizer::Sgd]);
    let attention = prop::sample::select(vec![AttentionKernel::Flash, AttentionKernel::Eager]);
    let framework = prop::sample::select(vec!["generic", "tuned", "legacy", "pure-bf16", "fused"]);
    (method, optimizer, attention, framework, 7..13u32, 1..600u32).prop_map(
        |(method, optimizer, attention, framework, seq_log, global_batch)| Training {
            method,
            lora_rank: if method == Method::Full { 0 } else { 16 },
            optimizer,
            attention,
            framework: framework.to_owned(),
            seq_len: 1 << seq_log,
            global_batch,
            ..job()
        },
    )
}

fn cases() -> impl Strategy<Value = Case> {
    let machine =
        prop::sample::select(vec!["A100-80GB-SXM", "A10G", "H100-SXM", "L40S", "V100-16GB-SXM", "B200"]);
    let per_node = prop::sample::select(vec![1u32, 2, 4, 8]);
    let nodes = prop::sample::select(vec![1u32, 2, 3, 8]);
    (architectures(), jobs(), machine, per_node, nodes, 10.0..3200.0).prop_map(
        |(architecture, job, name, per_node, nodes, gbps)| Case {
            architecture,
            job,
            machine: node(name, per_node, Some(gbps)),
            gpus: per_node * nodes,
        },
    )
}

/// Any layout that the rules allow, picked by a number.
fn pick(model: &TrainingModel, seed: usize) -> Option<Layout> {
    let all: Vec<Layout> = model.all_layouts(&FREE).collect();
    (!all.is_empty()).then(|| all[seed % all.len()])
}

/// The fastest of all layouts with the best verdict, by looking at each.
fn brute_force(model: &TrainingModel, pins: &Pins) -> Option<(Verdict, f64)> {
    model
        .all_layouts(pins)
        .map(|layout| (verdict(model, &model.memory(&layout)), model.step_seconds(&layout)))
        .filter(|&(verdict, _)| verdict != Verdict::No)
        .min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_search_finds_what_brute_force_finds(
        case in cases(),
        tp in prop::option::of(prop::sample::select(vec![1u32, 2])),
        pp in prop::option::of(prop::sample::select(vec![2u32, 4, 8])),
    ) {
        let model = case.model();
        let pins = Pins { tp, pp, ..FREE };
        let found = model.best(&pins).map(|plan| (plan.verdict, model.step_seconds(&plan.layout)));
        match (found, brute_force(&model, &pins)) {
            (None, None) => {}
            (Some(found), Some(best)) => {
                prop_assert_eq!(found.0, best.0);
                prop_assert!((found.1 / best.1 - 1.0).abs() < 1e-12, "{found:?} {best:?}");
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn layouts_keep_the_rules(case in cases()) {
        let model = case.model();
        for layout in model.all_layouts(&FREE) {
            prop_assert_eq!(layout.gpus(), case.gpus);
            prop_assert!(case.architecture.heads.is_multiple_of(layout.tp) && case.machine.gpus_per_node.is_multiple_of(layout.tp));
            prop_assert!(layout.pp <= case.architecture.layers);
            prop_assert!(layout.pp == 1 || layout.sharding <= Sharding::Zero1);
            prop_assert!(layout.dp * layout.cp > 1 || layout.sharding == Sharding::Ddp);
            prop_assert_eq!(layout.dp * layout.micro_batch * layout.grad_accumulation, case.job.global_batch);
        }
    }

    #[test]
    fn terms_add_up_and_lie_inside_the_range(case in cases(), seed in 0usize..10_000) {
        let model = case.model();
        if let Some(layout) = pick(&model, seed) {
            let memory = model.memory(&layout);
            let sum: f64 = memory.terms.named().iter().map(|(_, bytes)| bytes).sum();
            prop_assert!(memory.terms.named().iter().all(|&(_, bytes)| bytes >= 0.0 && bytes.is_finite()));
            prop_assert!(memory.low <= sum && sum <= memory.high);
            let speed = model.speed(&layout);
            prop_assert!(speed.step_s.low <= speed.step_s.expected && speed.step_s.expected <= speed.step_s.high);
            prop_assert!(speed.step_s.expected.is_finite() && speed.step_s.expected > 0.0);
            prop_assert!((0.0..=1.0).contains(&speed.communication_share));
            prop_assert!(speed.mfu > 0.0 && speed.mfu < 1.0, "{}", speed.mfu);
            prop_assert!((speed.step_s.expected / model.step_seconds(&layout) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn states_never_rise_with_the_stage(case in cases(), seed in 0usize..10_000) {
        let model = case.model();
        if let Some(layout) = pick(&model, seed).filter(|layout| layout.pp == 1) {
            let states = |sharding| {
                let terms = model.memory(&Layout { sharding, ..layout }).terms;
                terms.weights + terms.gradients + terms.optimizer + terms.master_weights
            };
            let stages = [Sharding::Ddp, Sharding::Zero1, Sharding::Zero2, Sharding::Zero3].map(states);
            prop_assert!(stages.is_sorted_by(|a, b| a >= b), "{stages:?}");
        }
    }

    #[test]
    fn more_memory_never_turns_a_plan_into_none(case in cases(), more in 1.0..4.0) {
        let small = case.model();
        let larger = Machine { usable_bytes: case.machine.usable_bytes * more, ..case.machine };
        let large = model(&case.architecture, &case.job, &larger, case.gpus);
        if let Some(before) = small.best(&FREE) {
            let after = large.best(&FREE);
            prop_assert!(after.is_some_and(|after| after.verdict <= before.verdict));
            prop_assert!(verdict(&large, &large.memory(&before.layout)) <= before.verdict);
        }
    }

    #[test]
    fn limits_are_the_last_that_hold(case in cases(), seed in 0usize..10_000) {
        let model = case.model();
        let Some(layout) = pick(&model, seed) else { return Ok(()) };
        let at = |micro_batch| verdict(&model, &model.memory(&Layout { micro_batch, ..layout }));
        let most = model.max_micro_batch(&layout);
        if most > 0 && most < 1 << 20 {
            let own = most == layout.micro_batch && at(most) != Verdict::No;
            prop_assert!(own || at(most) < at(most + 1) || at(most + 1) == Verdict::No);
        }
        if most == 0 {
            prop_assert_eq!(at(1), Verdict::No);
        }
        let mut longer = case.clone();
        longer.job.seq_len = model.max_seq_len(&layout);
        if longer.job.seq_len > 0 && longer.job.seq_len < 1 << 29 {
            prop_assert!(verdict(&longer.model(), &longer.model().memory(&layout)) != Verdict::No);
            let wanted = verdict(&longer.model(), &longer.model().memory(&layout));
            longer.job.seq_len += 1;
            prop_assert!(verdict(&longer.model(), &longer.model().memory(&layout)).cmp(&wanted) == Ordering::Greater);
        }
    }

    #[test]
    fn the_longest_sequence_does_not_depend_on_the_one_asked_for(case in cases(), seq_log in 5..15u32) {
        let longest = case.model().longest_sequence(&FREE);
        let mut other = case.clone();
        other.job.seq_len = 1 << seq_log;
        prop_assert_eq!(other.model().longest_sequence(&FREE), longest);
        let held = case.model().best(&FREE).is_some();
        prop_assert!(!held || longest >= case.job.seq_len);
        // Sequences that are too short for the most contexts are not split as far as longer ones.
        prop_assert!(held || longest < case.job.seq_len || case.job.seq_len < 32 * 128);
        let mut double = case.clone();
        double.machine.usable_bytes *= 2.0;
        prop_assert!(double.model().longest_sequence(&FREE) >= longest);
    }

    #[test]
    fn no_layout_beats_the_bound(case in cases(), seed in 0usize..10_000) {
        let model = case.model();
        if let Some(layout) = pick(&model, seed) {
            prop_assert!(model.least_hours() <= model.hours(&model.speed(&layout)).expected * (1.0 + 1e-9));
        }
    }

    #[test]
    fn nothing_needs_less_than_the_nearest_miss(case in cases(), seed in 0usize..10_000) {
        let model = case.model();
        match (pick(&model, seed), model.nearest_miss(&FREE)) {
            (None, None) => {}
            (Some(layout), Some((_, least))) => {
                prop_assert!(least.terms.total() <= model.memory(&layout).terms.total());
                let holds = model.all_layouts(&FREE).any(|l| verdict(&model, &model.memory(&l)) != Verdict::No);
                let lean = model.leanest(&FREE).map(|(_, memory)| verdict(&model, &memory) != Verdict::No);
                prop_assert_eq!(lean, Some(holds));
                prop_assert_eq!(model.best(&FREE).is_some(), holds);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }
}
