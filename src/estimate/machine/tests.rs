//! Tests of the hardware shapes that catalog rows become.

use super::*;
use crate::catalog::load::{Sections, embedded};
use crate::units::GIB;
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    embedded(Sections { constants: true, ..Sections::HARDWARE }).expect("the embedded catalog")
});

fn bare(name: &str, gpus: u32) -> Machine<'static> {
    let gpu = CATALOG.gpus.iter().find(|gpu| gpu.name == name).expect("a GPU");
    Machine::of_gpu(&CATALOG, gpu, gpus).expect("links")
}

fn rented(name: &str) -> &'static Instance {
    CATALOG.instances.iter().find(|instance| instance.name == name).expect("an instance")
}

#[test]
fn links_follow_the_form_factor() {
    let half_of = |name: &str, gpus| bare(name, gpus).intra_bytes_per_s;
    assert!((half_of("H100-SXM", 8) - 450e9).abs() < 1.0);
    assert!(bare("H100-SXM", 8).fast_intra);
    // A bridge joins two cards; four fall back to PCIe 5.
    assert!((half_of("H100-PCIe", 2) - 300e9).abs() < 1.0);
    assert!((half_of("H100-PCIe", 4) - 63e9).abs() < 1.0);
    assert!(!bare("H100-PCIe", 4).fast_intra);
    assert!((half_of("T4", 4) - 15.8e9).abs() < 1e8);
}

#[test]
fn bare_gpus_have_no_network() {
    let machine = bare("H100-SXM", 8);
    assert!(machine.inter_bytes_per_s.is_none() && !machine.can_scale_out());
}

#[test]
fn an_instance_brings_its_network_and_main_memory() {
    let machine = Machine::of_instance(&CATALOG, rented("p4d.24xlarge"), None).expect("a machine");
    assert_eq!(machine.gpus_per_node, 8);
    assert_eq!(machine.inter_bytes_per_s, Some(50e9));
    assert!(machine.host_ram_bytes.is_some_and(|bytes| bytes > 1000.0 * GIB));
    assert!(machine.can_scale_out());
    assert!(machine.usable_bytes <= machine.memory_bytes);
}

#[test]
fn an_assumed_network_stands_in_only_where_none_is_known() {
    let known = Machine::of_instance(&CATALOG, rented("p4d.24xlarge"), Some(10.0)).expect("a machine");
    assert_eq!(known.inter_bytes_per_s, Some(50e9));
    let unknown = CATALOG
        .instances
        .iter()
        .find(|i| i.network_gbps.is_none() && i.gpus >= 1.0 && i.unit == Unit::Instance)
        .expect("an instance without a network");
    let alone = Machine::of_instance(&CATALOG, unknown, None).expect("a machine");
    assert!(!alone.can_scale_out());
    let assumed = Machine::of_instance(&CATALOG, unknown, Some(8.0)).expect("a machine");
    assert_eq!(assumed.inter_bytes_per_s, Some(1e9));
}

#[test]
fn a_share_keeps_its_own_memory_and_never_scales_out() {
    let shared = CATALOG.instances.iter().find(|i| i.is_fractional()).expect("a fraction");
    let machine = Machine::of_instance(&CATALOG, shared, Some(100.0)).expect("a machine");
    let whole = CATALOG.gpu(shared.gpu);
    assert!(machine.share < 1.0 && machine.gpus_per_node == 1 && !machine.can_scale_out());
    assert!(machine.memory_bytes < 0.9 * whole.memory_bytes as f64);
    assert!(machine.usable_bytes <= machine.memory_bytes);
    assert!(machine.bandwidth() < whole.bandwidth_bytes_per_s);
}

#[test]
fn chips_of_a_slice_talk_over_their_fabric() {
    let chip = CATALOG
        .instances
        .iter()
        .find(|i| i.unit == Unit::Chip && CATALOG.gpu(i.gpu).link_bytes_per_s.is_some())
        .expect("a TPU chip");
    let machine = Machine::of_instance(&CATALOG, chip, None).expect("a machine");
    assert_eq!(machine.inter_bytes_per_s, Some(machine.intra_bytes_per_s));
}

#[test]
fn several_accelerators_with_an_unknown_link_are_refused() {
    let gpu = Gpu { link_bytes_per_s: None, pcie_gen: None, ..bare("H100-SXM", 1).gpu.clone() };
    assert!(Machine::of_gpu(&CATALOG, &gpu, 1).is_ok());
    assert_eq!(Machine::of_gpu(&CATALOG, &gpu, 2).expect_err("a refusal").id, "link-unknown");
}
