//! What is cheaper holds what runs, and is cheaper.

use super::*;
use crate::catalog::load::{Sections, embedded};
use crate::catalog::price::Currency;
use crate::units::GIB;

/// On-demand offers of hyperscalers and specialists.
fn filter(catalog: &Catalog, gpu: GpuId) -> Filter {
    use crate::catalog::instance::Tier;
    Filter {
        billing: vec![Billing::OnDemand],
        tiers: vec![Tier::Hyperscaler, Tier::Specialist],
        stacks: vec![catalog.gpu(gpu).stack],
        ..Filter::default()
    }
}

fn gpu(catalog: &Catalog, name: &str) -> GpuId {
    catalog.only_gpu_named(name).unwrap()
}

fn piece(gib: f64, share: f64) -> Piece {
    Piece { memory: gib * GIB, compute: share, bandwidth: share }
}

#[test]
fn what_is_advised_holds_the_memory_and_costs_less() {
    let catalog = embedded(Sections::PRICES).unwrap();
    for name in ["H100-SXM", "A100-80GB-SXM", "A10G", "L40S", "T4"] {
        let from = gpu(&catalog, name);
        let filter = filter(&catalog, from);
        let now = rented(&catalog, &filter, from, &[1]).unwrap();
        for gib in [1.0, 9.0, 20.0, 39.0, 75.0] {
            let Some(best) = smaller(&catalog, &filter, from, &[piece(gib, 0.1)], 1, now.per_hour) else {
                continue;
            };
            let machine = catalog.instance(best.instance);
            assert!(machine.gpu_memory_bytes as f64 >= gib * GIB, "{name} {gib}: {}", machine.name);
            assert!(best.per_hour < now.per_hour && best.nodes == 1, "{name} {gib}");
            assert!(
                !catalog.gpu(from).bf16 || catalog.gpu(machine.gpu).bf16,
                "{name} {gib}: {}",
                machine.name
            );
        }
    }
}

#[test]
fn more_need_never_costs_less() {
    let catalog = embedded(Sections::PRICES).unwrap();
    let from = gpu(&catalog, "H100-SXM");
    let filter = filter(&catalog, from);
    let most = UsdPerHour::from_f64(1000.0).unwrap();
    let price =
        |pieces: &[Piece]| smaller(&catalog, &filter, from, pieces, 1, most).map(|offer| offer.per_hour);
    let mut before = price(&[piece(1.0, 0.05)]).unwrap();
    for (gib, share) in [(10.0, 0.05), (10.0, 0.3), (30.0, 0.3), (60.0, 0.6), (79.0, 1.0)] {
        let now = price(&[piece(gib, share)]).unwrap();
        assert!(now >= before, "{gib} GiB at {share}");
        before = now;
    }
    assert_eq!(price(&[piece(2000.0, 0.1)]), None, "nothing holds it");
    assert_eq!(price(&[]), None, "nothing runs");
}

#[test]
fn pieces_share_a_gpu_only_as_far_as_it_holds_them() {
    let catalog = embedded(Sections::PRICES).unwrap();
    let card = catalog.gpu(gpu(&catalog, "A100-80GB-SXM"));
    let machine = catalog
        .instances
        .iter()
        .find(|machine| machine.gpu == gpu(&catalog, "A100-80GB-SXM") && machine.whole_gpus() == 8)
        .unwrap();
    let gpus = |pieces: &[Piece]| gpus_for(card, card, machine, pieces);
    assert_eq!(gpus(&[piece(30.0, 0.1); 2]), Some(1));
    assert_eq!(gpus(&[piece(45.0, 0.1); 2]), Some(2), "memory");
    assert_eq!(gpus(&[piece(10.0, 0.6); 3]), Some(3), "activity");
    assert_eq!(gpus(&[piece(70.0, 0.1), piece(5.0, 0.1), piece(5.0, 0.1)]), Some(2));
    assert_eq!(gpus(&[piece(81.0, 0.1)]), None);
}

#[test]
fn a_machine_is_priced_whole_with_the_share_of_the_log_beside_it() {
    let catalog = embedded(Sections::PRICES).unwrap();
    let id = catalog.resolve_instance("aws/p5.48xlarge").unwrap();
    let from = catalog.instance(id).gpu;
    let filter = Filter { instances: vec![id], ..filter(&catalog, from) };
    let whole = rented(&catalog, &filter, from, &[8]).unwrap();
    let part = rented(&catalog, &filter, from, &[2]).unwrap();
    assert_eq!((whole.nodes, whole.gpus_unseen, part.gpus_unseen), (1, 0, 6));
    assert_eq!((part.per_hour, whole.share_per_hour), (whole.per_hour, whole.per_hour));
    assert!((part.share_per_hour.to_f64() * 4.0 - whole.per_hour.to_f64()).abs() < 1e-4);
    assert_eq!(rented(&catalog, &filter, from, &[8, 8]).unwrap().per_hour, whole.per_hour.times(2));
    assert_eq!(rented(&catalog, &filter, from, &[]), None);
}

#[test]
fn a_price_in_another_currency_is_no_price() {
    let mut catalog = embedded(Sections::PRICES).unwrap();
    let from = gpu(&catalog, "T4");
    let filter = filter(&catalog, from);
    catalog.prices.iter_mut().for_each(|price| price.currency = Currency(*b"EUR"));
    assert_eq!(rented(&catalog, &filter, from, &[1]), None);
}
