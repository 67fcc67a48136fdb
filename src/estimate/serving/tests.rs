//! Small parts of the serving model: searches and the split of a network.
#![allow(clippy::float_cmp, reason = "counts of bytes and FLOPs are exact")]

use super::memory::largest;
use super::shape::{Shape, decode_attention_flops, prefill_attention_flops};
use crate::model::{Architecture, Attention, Kind, Moe, Origin, Window};
use crate::workload::precision::Quantization;

fn arch() -> Architecture {
    Architecture {
        name: "small".to_owned(),
        origin: Origin::ByHand,
        kind: Kind::Decoder,
        params: 1000.0 * 64.0 * 2.0 + 4.0 * 100_000.0,
        active_params: 1000.0 * 64.0 * 2.0 + 4.0 * 100_000.0,
        layers: 4,
        hidden: 64,
        heads: 4,
        kv_heads: 2,
        head_dim: 16,
        ffn: 256,
        gated_mlp: true,
        vocab: 1000,
        tied_embeddings: false,
        native_context: None,
        attention: Attention::Heads,
        window: None,
        moe: None,
        kv_caveat: None,
        source: String::new(),
    }
}

fn stored(bits: f64, embeddings_too: bool) -> Quantization {
    Quantization { name: "test".to_owned(), bits, embeddings_too, compute: None }
}

#[test]
fn the_largest_that_holds_is_found_at_every_place() {
    for most in [1, 2, 3, 7, 100] {
        for limit in 0..=most {
            assert_eq!(largest(most, |n| n <= limit), limit, "{limit} of {most}");
        }
    }
    assert_eq!(largest(0, |_| true), 0);
    assert_eq!(largest(u32::MAX, |_| true), u32::MAX);
    assert_eq!(largest(u32::MAX, |n| n < u32::MAX), u32::MAX - 1);
}

#[test]
fn embeddings_stay_in_16_bit_unless_the_format_takes_them() {
    let plain = Shape::new(&arch(), &stored(4.0, false), None);
    assert_eq!(plain.total_bytes(), 2.0 * 64_000.0 * 2.0 + 400_000.0 / 2.0);
    let all = Shape::new(&arch(), &stored(4.0, true), None);
    assert_eq!(all.total_bytes(), arch().params / 2.0);
    let attention = Shape::new(&arch(), &stored(4.0, false), Some(16.0));
    let matrices = f64::from(4 * 64 * 2 * (4 + 2) * 16);
    assert_eq!(attention.total_bytes() - plain.total_bytes(), matrices * (16.0 - 4.0) / 8.0);
}

#[test]
fn one_token_reads_its_experts_and_many_tokens_read_all() {
    let moe = Moe {
        experts: 8,
        experts_per_token: 2,
        expert_ffn: 32,
        shared_experts: 0.0,
        dense_first_layers: 0,
        every: 1,
    };
    let shape = Shape::new(&Architecture { moe: Some(moe), ..arch() }, &stored(16.0, false), None);
    assert_eq!(shape.routed_bytes, f64::from(4 * 8 * 3 * 64 * 32) * 2.0);
    assert!((shape.routed_share_read(1.0) - 0.25).abs() < 1e-12);
    assert!(shape.routed_share_read(1000.0) > 0.999);
}

#[test]
fn windows_bound_the_work_of_attention() {
    let full = arch();
    let windowed = Architecture { window: Some(Window { tokens: 100, global_every: 2 }), ..arch() };
    let linear = Architecture { window: Some(Window { tokens: 0, global_every: 2 }), ..arch() };
    assert_eq!(decode_attention_flops(&full, 1000.0), 4.0 * 64.0 * 4.0 * 1000.0);
    assert_eq!(decode_attention_flops(&windowed, 1000.0), 4.0 * 64.0 * (2.0 * 1000.0 + 2.0 * 100.0));
    assert_eq!(decode_attention_flops(&linear, 1000.0), 4.0 * 64.0 * 2.0 * 1000.0);
    let at = |arch: &Architecture, tokens: f64| prefill_attention_flops(arch, tokens);
    assert_eq!(at(&full, 50.0), at(&windowed, 50.0), "below the window nothing is cut");
    let half = 1000.0 * 1000.0 / 2.0;
    assert_eq!(at(&windowed, 1000.0), 4.0 * 64.0 * (2.0 * half + 2.0 * (100.0 * 1000.0 - 5000.0)));
}
