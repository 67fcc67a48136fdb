//! Expert and context parallelism and offloading: what they divide, what they add, what published runs needed.

use super::*;

/// 64 fine experts of which a token visits 8, on the shape of a network of 7 billion parameters.
fn mixture() -> Architecture {
    let moe = Moe {
        experts: 64,
        experts_per_token: 8,
        expert_ffn: 1024,
        shared_experts: 0.0,
        dense_first_layers: 0,
        every: 1,
    };
    let shape = decoder(32, 4096, 32, 8, 0, 32_000);
    let experts = 32.0 * 64.0 * 3.0 * 4096.0 * 1024.0;
    let params = shape.params + experts;
    Architecture { moe: Some(moe), params, active_params: shape.params + experts / 8.0, ..shape }
}

fn states(memory: &MemoryEstimate) -> f64 {
    let t = memory.terms;
    t.weights + t.gradients + t.optimizer + t.master_weights
}

fn with(ep: u32, cp: u32, sharding: Sharding) -> Layout {
    Layout { ep, cp, ..layout(8, sharding, Recompute::Full, 1) }
}

#[test]
fn experts_are_divided_by_their_ranks_and_nothing_else_is() {
    let machine = node("H200-SXM", 8, None);
    let model = model(&mixture(), &job(), &machine, 8);
    let at = |ep| model.memory(&with(ep, 1, Sharding::Ddp)).terms;
    let experts = 32.0 * 64.0 * 3.0 * 4096.0 * 1024.0;
    let (one, eight) = (at(1), at(8));
    assert!((one.weights - eight.weights - 2.0 * experts * 7.0 / 8.0).abs() < 1.0);
    assert!((one.activations / eight.activations - 1.0).abs() < 1e-9);
    // Tokens on their way to eight experts and back, with room for uneven routing.
    let sent = 2.0 * 2048.0 * 8.0 * 4096.0 * 2.0 * 1.25;
    assert!((eight.communication - one.communication - sent).abs() < 1.0);
}

#[test]
fn what_is_shared_out_already_is_not_saved_twice() {
    let machine = node("H200-SXM", 8, None);
    let model = model(&mixture(), &job(), &machine, 8);
    let at = |ep| states(&model.memory(&with(ep, 1, Sharding::Zero3)));
    assert!((at(1) / at(8) - 1.0).abs() < 1e-9 && (at(1) / at(4) - 1.0).abs() < 1e-9);
}

#[test]
fn states_never_rise_with_the_expert_size() {
    let machine = node("H200-SXM", 8, None);
    let model = model(&mixture(), &job(), &machine, 8);
    for sharding in [Sharding::Ddp, Sharding::Zero1, Sharding::Zero2, Sharding::Zero3] {
        let sizes = [1, 2, 4, 8].map(|ep| states(&model.memory(&with(ep, 1, sharding))));
        assert!(sizes.is_sorted_by(|a, b| a >= &(b * (1.0 - 1e-12))), "{sharding:?} {sizes:?}");
    }
}

#[test]
fn context_parallel_ranks_share_out_the_sequence_and_keep_the_states() {
    let machine = node("H100-SXM", 8, None);
    let long = Training { seq_len: 65_536, ..job() };
    let model = model(&llama_7b(), &long, &machine, 8);
    let at = |cp| model.memory(&Layout { dp: 8 / cp, ..with(1, cp, Sharding::Zero3) });
    let (one, four) = (at(1), at(4));
    assert!((states(&one) / states(&four) - 1.0).abs() < 1e-9);
    for (whole, part) in
        [(one.terms.activations, four.terms.activations), (one.terms.logits, four.terms.logits)]
    {
        assert!((whole / part - 4.0).abs() < 1e-9, "{whole} {part}");
    }
    let ring = 6.0 * 4096.0 * 2.0 * 65_536.0 / 4.0;
    assert!((four.terms.communication - one.terms.communication - ring).abs() < 1.0);
    assert!(four.terms.total() < one.terms.total());
}

#[test]
fn what_leaves_the_gpu_arrives_at_the_host() {
    let factor = CATALOG.constant("host-buffers", None, None, None, 8).expect("a constant").value;
    for (gpus, sharding) in [(1, Sharding::Ddp), (8, Sharding::Zero2), (8, Sharding::Zero3)] {
        let machine = node("A100-80GB-SXM", gpus, None);
        let model = model(&llama_7b(), &job(), &machine, gpus);
        let at = |offload| model.memory(&Layout { offload, ..layout(gpus, sharding, Recompute::Full, 1) });
        let all = [Offload::None, Offload::Optimizer, Offload::All].map(at);
        for memory in &all {
            let hosted = memory.host_ram / factor / f64::from(gpus);
            assert!((states(memory) + hosted - states(&all[0])).abs() < 1.0, "{gpus} {sharding:?}");
        }
        assert!(all.is_sorted_by(|a, b| a.terms.total() >= b.terms.total() && a.host_ram <= b.host_ram));
        assert!(states(&all[2]) < 1.0);
    }
}

#[test]
fn offloading_is_done_on_request_only() {
    let machine = node("V100-32GB-SXM", 1, None);
    let gpt = decoder(40, 5120, 40, 40, 13_824, 50_257);
    let asked = |offload| Training { offload, global_batch: 8, seq_len: 1024, ..job() };
    assert_eq!(model(&gpt, &asked(Offload::None), &machine, 1).best(&FREE), None);
    let plan = model(&gpt, &asked(Offload::Optimizer), &machine, 1).best(&FREE).expect("a plan");
    assert_eq!(plan.layout.offload, Offload::Optimizer);
}

/// Ren et al. 2021, `ZeRO-Offload`, arXiv:2101.06840, section 6.2.1: 13 billion parameters on one V100 of 32 GB in a DGX-2,
/// whose host has 1.5 TB.
#[test]
fn thirteen_billion_parameters_train_on_one_v100_with_enough_main_memory() {
    let bare = node("V100-32GB-SXM", 1, None);
    let gpt = Architecture { gated_mlp: false, ..decoder(62, 4096, 32, 32, 16_384, 50_257) };
    let gpt = Architecture { params: 12.9e9, active_params: 12.9e9, ..gpt };
    let job = Training { offload: Offload::Optimizer, global_batch: 8, seq_len: 1024, ..job() };
    let verdict = |host_ram_bytes| {
        let machine = Machine { host_ram_bytes, ..bare };
        let model = model(&gpt, &job, &machine, 1);
        let best = model.best(&FREE).map(|plan| plan.verdict);
        let (_, memory) = model.leanest(&FREE).expect("a layout");
        (best, model.verdict(&memory), model.host_shortfall(&memory))
    };
    let (best, lean, short) = verdict(Some(1.5e12));
    assert!(best.is_some() && lean != Verdict::No && short.is_none());
    let (best, lean, short) = verdict(Some(128e9));
    assert_eq!((best, lean, short), (None, Verdict::No, Some(128e9)));
}

#[test]
fn long_sequences_and_mixtures_are_spread_over_ranks_of_their_own() {
    let machine = node("H100-SXM", 8, Some(3200.0));
    let long = Training { seq_len: 262_144, global_batch: 2, ..job() };
    let model_of = |architecture: &Architecture, job: &Training| model(architecture, job, &machine, 8);
    let plan = model_of(&llama_7b(), &long).best(&FREE).expect("a plan");
    assert!(plan.layout.cp > 1, "{:?}", plan.layout);
    let short = model_of(&llama_7b(), &job()).all_layouts(&FREE).any(|layout| layout.cp > 1);
    assert!(!short);
    let mixture = mixture();
    let sparse = model_of(&mixture, &job());
    let mut sizes: Vec<u32> = sparse.all_layouts(&FREE).map(|layout| layout.ep).collect();
    sizes.sort_unstable();
    sizes.dedup();
    assert_eq!(sizes, [1, 2, 4, 8]);
    let pinned: Vec<Layout> = sparse.all_layouts(&Pins { ep: Some(4), cp: Some(2), ..FREE }).collect();
    assert!(!pinned.is_empty() && pinned.iter().all(|layout| (layout.ep, layout.cp) == (4, 2)));
}

#[test]
fn a_search_leaves_a_block_of_tokens_on_each_rank() {
    let machine = node("A100-80GB-SXM", 8, Some(400.0));
    for (seq_len, most) in [(64, 1), (256, 2), (1024, 8)] {
        let job = Training { seq_len, global_batch: 1, ..job() };
        let architecture = llama_7b();
        let model = model(&architecture, &job, &machine, 8);
        let plan = model.best(&FREE).expect("a plan");
        assert!(plan.layout.cp <= most, "{seq_len}: {:?}", plan.layout);
        assert_eq!(model.most_contexts(&FREE), most);
    }
}
