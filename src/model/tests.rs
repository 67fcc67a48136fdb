use super::count::{Bias, Details, LatentWidths, count};
use super::{Architecture, Attention, Kind, Moe, Origin, Window, infer};
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

/// A Llama-like shape; tests change what differs.
pub(super) fn llama(
    layers: u32,
    hidden: u32,
    heads: u32,
    kv_heads: u32,
    ffn: u32,
    vocab: u32,
) -> Architecture {
    Architecture {
        name: "test".to_owned(),
        origin: Origin::ByHand,
        kind: Kind::Decoder,
        params: 0.0,
        active_params: 0.0,
        layers,
        hidden,
        heads,
        kv_heads,
        head_dim: hidden / heads,
        ffn,
        gated_mlp: true,
        vocab,
        tied_embeddings: false,
        native_context: None,
        attention: Attention::Heads,
        window: None,
        moe: None,
        kv_caveat: None,
        source: String::new(),
    }
}

fn total(arch: &Architecture, details: &Details) -> u64 {
    count(arch, details).total as u64
}

#[test]
fn dense_counts_match_the_published_ones() {
    let plain = Details::default();
    assert_eq!(total(&llama(32, 4096, 32, 8, 14336, 128_256), &plain), 8_030_261_248, "Llama 3 8B");
    assert_eq!(total(&llama(80, 8192, 64, 8, 28672, 32000), &plain), 68_976_648_192, "Llama 2 70B");
    assert_eq!(total(&llama(32, 4096, 32, 32, 11008, 32000), &plain), 6_738_415_616, "Llama 2 7B");
    let qkv = Details { bias: Bias::Qkv, ..plain };
    assert_eq!(total(&llama(28, 3584, 28, 4, 18944, 152_064), &qkv), 7_615_616_512, "Qwen2 7B");
    let gemma =
        Architecture { head_dim: 256, tied_embeddings: true, ..llama(28, 3072, 16, 16, 24576, 256_000) };
    assert_eq!(total(&gemma, &plain), 8_537_680_896, "Gemma 7B");
}

#[test]
fn a_classic_network_counts_its_positions_biases_and_norms() {
    let gpt2 =
        Architecture { gated_mlp: false, tied_embeddings: true, ..llama(12, 768, 12, 12, 3072, 50257) };
    let details = Details { positions: 1024, bias: Bias::All, norm_bias: true, latent: None };
    assert_eq!(total(&gpt2, &details), 124_439_808);
}

#[test]
fn mixtures_count_all_experts_and_the_active_ones() {
    let moe = Moe {
        experts: 8,
        experts_per_token: 2,
        expert_ffn: 14336,
        shared_experts: 0.0,
        dense_first_layers: 0,
        every: 1,
    };
    let mixtral = Architecture { moe: Some(moe), ffn: 0, ..llama(32, 4096, 32, 8, 0, 32000) };
    let counted = count(&mixtral, &Details::default());
    assert_eq!(counted.total as u64, 46_702_792_704);
    assert_eq!(counted.active as u64, 12_879_925_248);
}

#[test]
fn latent_attention_counts_its_projections() {
    let moe = Moe {
        experts: 256,
        experts_per_token: 8,
        expert_ffn: 2048,
        shared_experts: 1.0,
        dense_first_layers: 3,
        every: 1,
    };
    let deepseek_v3 = Architecture {
        head_dim: 192,
        attention: Attention::Latent { kv_lora_rank: 512, rope_dim: 64 },
        moe: Some(moe),
        ..llama(61, 7168, 128, 128, 18432, 129_280)
    };
    let latent = LatentWidths { q_lora_rank: Some(1536), nope_dim: 128, value_dim: 128 };
    let counted = count(&deepseek_v3, &Details { latent: Some(latent), ..Details::default() });
    assert!((counted.total / 671.026e9 - 1.0).abs() < 1e-5, "{}", counted.total);
    assert!((counted.active / 37.55e9 - 1.0).abs() < 1e-2, "{}", counted.active);
    // P014: 61 layers of 512 + 64 values in 2 bytes.
    assert_eq!(deepseek_v3.kv_values_per_layer() * deepseek_v3.layers * 2, 70_272);
}

#[test]
fn kv_of_a_token_follows_the_kv_heads() {
    // P017: 32 layers, 8 KV heads of 128, two bytes.
    let arch = llama(32, 4096, 32, 8, 14336, 128_256);
    assert_eq!(arch.kv_values_per_layer() * arch.layers * 2, 131_072);
    // P010: 36 layers, 8 KV heads of 64, every second one with a window: one token fills each layer's slot.
    let window = Some(Window { tokens: 128, global_every: 2 });
    let gpt_oss = Architecture { head_dim: 64, window, ..llama(36, 2880, 64, 8, 2880, 201_088) };
    assert_eq!(gpt_oss.kv_values_per_layer() * gpt_oss.layers * 2, 73_728);
    assert_eq!(gpt_oss.full_attention_layers(), 18);
}

#[test]
fn shapes_beyond_reason_are_refused() {
    let sound = llama(32, 4096, 32, 8, 14336, 128_256);
    assert!(sound.check().is_ok());
    for (broken, word) in [
        (Architecture { layers: 0, ..sound.clone() }, "layers 0"),
        (Architecture { hidden: u32::MAX, ..sound.clone() }, "hidden"),
        (Architecture { kv_heads: 5, ..sound.clone() }, "KV heads"),
        (Architecture { kv_heads: 0, ..sound.clone() }, "kv-heads 0"),
        (Architecture { ffn: 0, ..sound.clone() }, "ffn 0"),
    ] {
        let error = broken.check().unwrap_err();
        assert!(error.message.contains(word), "{error}");
    }
}

#[test]
fn inferred_shapes_look_like_public_ones() {
    for (params, layers, hidden) in [
        (124e6, 8..=16, 640..=896),
        (1e9, 16..=28, 1536..=2560),
        (8e9, 28..=40, 3584..=4608),
        (70e9, 64..=96, 7168..=9216),
        (405e9, 100..=140, 12288..=18432),
    ] {
        let arch = infer::dense(params).unwrap();
        assert!(layers.contains(&arch.layers), "{params:e}: {} layers", arch.layers);
        assert!(hidden.contains(&arch.hidden), "{params:e}: {} wide", arch.hidden);
        assert_eq!(arch.origin, Origin::Inferred);
    }
    assert_eq!(infer::dense(1e9).unwrap().name, "inferred-1.0B");
    assert!(infer::dense(1e5).is_err() && infer::dense(1e15).is_err());
}

#[test]
fn inferred_mixtures_keep_all_and_active_parameters() {
    for (params, active) in [(46.7e9, 12.9e9), (671e9, 37e9), (30.5e9, 3.3e9), (1e12, 32e9), (10e9, 9e9)] {
        let arch = infer::mixture(params, active).unwrap();
        arch.check().unwrap();
        let counted = count(&arch, &Details::default());
        assert!((counted.total / params - 1.0).abs() < 0.01, "{params:e}: {:e}", counted.total);
        assert!((counted.active / active - 1.0).abs() < 0.06, "{active:e}: {:e}", counted.active);
    }
    assert!(infer::mixture(7e9, 7e9).is_err());
}

proptest! {
    #[test]
    fn inferred_shapes_match_their_count(exponent in 6.0..14.0_f64) {
        let params = 10_f64.powf(exponent).round();
        let arch = infer::dense(params).unwrap();
        prop_assert!(arch.check().is_ok(), "{:?}", arch);
        let counted = count(&arch, &Details::default()).total;
        prop_assert!((counted / params - 1.0).abs() < 0.01, "{params:e}: {counted:e} {arch:?}");
        prop_assert!(arch.ffn >= 2 * arch.hidden && arch.ffn < 9 * arch.hidden, "{arch:?}");
    }

    #[test]
    fn inferred_shapes_grow_with_their_count(exponent in 6.0..13.6_f64, factor in 1.0..2.0_f64) {
        let params = 10_f64.powf(exponent);
        let (small, large) = (infer::dense(params).unwrap(), infer::dense(params * factor).unwrap());
        prop_assert!(small.layers <= large.layers && small.hidden <= large.hidden);
        prop_assert!(small.heads * small.head_dim <= large.heads * large.head_dim && small.vocab <= large.vocab);
        let counted = |arch| count(arch, &Details::default()).total;
        prop_assert!(counted(&small) <= counted(&large) * 1.01);
    }

    #[test]
    fn inferred_networks_never_keep_fewer_keys_than_smaller_ones(exponent in 6.0..13.3_f64, factor in 1.0..4.0_f64) {
        let params = 10_f64.powf(exponent);
        let kept = |params| infer::dense(params).map(|a| a.layers * a.kv_heads * a.head_dim).unwrap();
        prop_assert!(kept(params) <= kept(params * factor));
        if params >= 1e9 {
            prop_assert_eq!(infer::dense(params).unwrap().kv_heads, 8);
        }
    }

    #[test]
    fn inferred_mixtures_never_fail_far_from_dense(exponent in 7.0..13.5_f64, ratio in 1.2..60.0_f64) {
        let params = 10_f64.powf(exponent);
        if params / ratio >= 1e7 {
            let arch = infer::mixture(params, params / ratio).unwrap();
            prop_assert!(arch.check().is_ok(), "{:?}", arch);
            let counted = count(&arch, &Details::default()).total;
            prop_assert!((counted / params - 1.0).abs() < 0.01, "{params:e}/{ratio}: {counted:e} {arch:?}");
        }
    }
}
