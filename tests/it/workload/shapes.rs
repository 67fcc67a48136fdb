//! Shapes of presets and shapes by hand, and their parameter counts.

use super::{CATALOG, workload};
use gpuadvise::model::count::{Details, count};
use gpuadvise::model::{Attention, Origin, preset};

#[test]
fn every_preset_gives_a_sound_shape() {
    assert!(CATALOG.presets.len() >= 250);
    for row in &CATALOG.presets {
        let arch = preset::architecture(row, &CATALOG).architecture;
        arch.check().unwrap_or_else(|error| panic!("{}: {error}", row.name));
        assert!(arch.active_params <= arch.params && arch.params > 0.0, "{}", row.name);
        assert!(arch.full_attention_layers() <= arch.layers, "{}", row.name);
        assert!(!arch.source.is_empty(), "{}", row.name);
    }
}

#[test]
fn counting_the_shape_agrees_with_the_preset_table() {
    let (mut compared, mut close) = (0, 0);
    for row in CATALOG.presets.iter().filter(|row| row.kind == "decoder") {
        let arch = preset::architecture(row, &CATALOG).architecture;
        let linear = arch.window.is_some_and(|window| window.tokens == 0);
        if arch.attention != Attention::Heads || arch.kv_caveat.is_some() || linear {
            continue;
        }
        compared += 1;
        let counted = count(&arch, &Details::default());
        close += usize::from((counted.total / arch.params - 1.0).abs() < 0.02);
        assert!((counted.total / arch.params - 1.0).abs() < 0.15, "{}: {}", row.name, counted.total);
        assert!((counted.active / arch.active_params - 1.0).abs() < 0.2, "{}: {}", row.name, counted.active);
    }
    assert!(compared >= 200 && close * 100 >= compared * 95, "{close} of {compared} within 2 %");
}

#[test]
fn shapes_by_hand_are_counted() {
    let llama = [
        "--layers=32",
        "--hidden=4096",
        "--heads=32",
        "--kv-heads=8",
        "--ffn=14336",
        "--vocab=128256",
        "--task=train",
    ];
    let workload_of = |more: &[&str]| workload(&[&llama[..], more].concat());
    let plain = workload_of(&[]);
    assert_eq!(plain.model.params as u64, 8_030_261_248);
    assert_eq!(plain.model.origin, Origin::ByHand);
    assert!(workload_of(&["--tied-embeddings"]).model.params < plain.model.params);
    assert!(workload_of(&["--plain-mlp"]).model.params < plain.model.params);
    let agreed = workload_of(&["--params=8B"]);
    assert!((agreed.model.params - 8e9).abs() < 1.0 && agreed.warnings.is_empty());
    let other = workload_of(&["--params=13B"]);
    assert_eq!(other.model.params as u64, 8_030_261_248, "the shape is used");
    assert_eq!(other.warnings[0].id, "params-disagree");
    let moe = workload(&[
        "--layers=32",
        "--hidden=4096",
        "--heads=32",
        "--kv-heads=8",
        "--vocab=32000",
        "--experts=8",
        "--experts-per-token=2",
        "--expert-ffn=14336",
        "--task=infer",
    ]);
    assert_eq!((moe.model.params as u64, moe.model.ffn), (46_702_792_704, 0));
    let least = workload(&["--layers=12", "--hidden=768", "--task=train"]);
    assert_eq!((least.model.heads, least.model.head_dim, least.model.ffn), (6, 128, 2048));
}
