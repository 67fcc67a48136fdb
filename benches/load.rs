//! How long it takes to load the catalog: what every command pays before it can answer.

use std::path::PathBuf;

use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{CatalogProblem, Loaded, Sections, embedded, with_overlays};

fn main() {
    divan::main();
}

/// What `cost` loads.
#[divan::bench]
fn prices() -> Result<Catalog, CatalogProblem> {
    embedded(Sections::PRICES)
}

/// Everything.
#[divan::bench]
fn all() -> Result<Catalog, CatalogProblem> {
    embedded(Sections::ALL)
}

/// Everything with one small overlay.
#[divan::bench]
fn overlay() -> Result<Loaded, CatalogProblem> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/catalog_good/unknown-gpu.toml"));
    with_overlays(&[path], Sections::ALL)
}

/// One look-up of a GPU by its driver name.
#[divan::bench]
fn look_up(bencher: divan::Bencher<'_, '_>) {
    let catalog = embedded(Sections::HARDWARE).unwrap_or_default();
    bencher.bench(|| catalog.resolve_gpu_spec(divan::black_box("NVIDIA H100 80GB HBM3:8")));
}
