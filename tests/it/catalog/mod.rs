//! The embedded catalog, its checks, overlays and look-ups.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its fixture must fail")]

mod aged;
mod big;
mod cache;
mod constants;
mod fixtures;
mod hostile;
mod import;
mod overlays;
mod readme;
mod reports;
mod robust;

use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, check, embedded};
use gpuadvise::catalog::validate::{SourceFile, validate};
use gpuadvise::catalog::{image, lookup};
use gpuadvise::diag::Finding;

/// Checks a text as an overlay on the embedded catalog.
fn overlay(text: &str) -> (Catalog, Vec<Finding>) {
    let file = SourceFile { label: "overlay.toml".to_owned(), text: text.to_owned() };
    validate(&[file], embedded(Sections::ALL).unwrap(), true)
}

/// The codes of all findings.
fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn the_embedded_catalog_is_full_and_sound() {
    let catalog = embedded(Sections::ALL).unwrap();
    assert!(catalog.instances.len() >= 370, "{} instances", catalog.instances.len());
    assert!(catalog.prices.len() >= 4000, "{} prices", catalog.prices.len());
    assert!(catalog.gpus.len() >= 55, "{} GPUs", catalog.gpus.len());
    assert!(catalog.presets.len() >= 250, "{} models", catalog.presets.len());
    let findings: Vec<String> = check(&[]).unwrap().iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn every_list_is_sorted_and_every_id_points_into_it() {
    let catalog = embedded(Sections::ALL).unwrap();
    assert!(catalog.gpus.is_sorted_by(|a, b| a.name < b.name));
    assert!(catalog.providers.is_sorted_by(|a, b| a.name < b.name));
    assert!(catalog.presets.is_sorted_by(|a, b| a.name < b.name));
    assert!(catalog.regions.is_sorted_by(|a, b| (a.provider, &a.name) < (b.provider, &b.name)));
    assert!(catalog.instances.is_sorted_by(|a, b| (a.provider, &a.name) < (b.provider, &b.name)));
    let key = |price: &gpuadvise::catalog::price::Price| {
        (price.instance, price.region, price.billing, price.upfront)
    };
    assert!(catalog.prices.is_sorted_by(|a, b| key(a) < key(b)));
    for price in &catalog.prices {
        let (instance, region) = (catalog.instance(price.instance), catalog.region(price.region));
        assert_eq!(instance.provider, region.provider, "{price:?}");
        assert!(!catalog.source(price.source).text.is_empty());
    }
    for family in &catalog.families {
        assert!(!family.members.is_empty(), "{}", family.name);
    }
}

#[test]
fn the_image_gives_back_what_was_written() {
    let catalog = embedded(Sections::ALL).unwrap();
    let mut read = Catalog::default();
    for section in image::SECTIONS {
        image::read(section, &image::write(section, &catalog, &[]).unwrap(), &mut read).unwrap();
    }
    assert_eq!(format!("{catalog:?}"), format!("{read:?}"));
}

#[test]
fn sections_that_are_not_asked_for_stay_empty() {
    let catalog = embedded(Sections::PRICES).unwrap();
    assert!(!catalog.prices.is_empty() && !catalog.gpus.is_empty());
    assert!(catalog.presets.is_empty() && catalog.rules.is_empty() && catalog.constants.is_empty());
}

#[test]
fn every_name_and_alias_resolves_to_its_own_row() {
    let catalog = embedded(Sections::ALL).unwrap();
    for gpu in &catalog.gpus {
        for name in gpu.aliases.iter().chain([&gpu.name]) {
            let found = catalog.resolve_gpu_spec(name).unwrap().gpus;
            assert_eq!(catalog.gpu(found[0]).name, gpu.name, "{name}");
        }
    }
    for preset in &catalog.presets {
        for name in preset.aliases.iter().chain([&preset.name]) {
            assert_eq!(catalog.resolve_preset(name).unwrap().name, preset.name, "{name}");
        }
    }
    for instance in &catalog.instances {
        let name = catalog.full_name(instance);
        assert_eq!(catalog.full_name(catalog.instance(catalog.resolve_instance(&name).unwrap())), name);
    }
    for region in &catalog.regions {
        assert!(lookup::region_matches(&region.name, region), "{}", region.name);
    }
}
