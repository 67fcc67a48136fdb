//! The whole search over the embedded catalog: what a user waits for between loading and drawing.

use gpuadvise::advise::limits::Limits;
use gpuadvise::advise::{Advice, advise};
use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::gpu::Stack;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::cli::request::Group;
use gpuadvise::workload::settings::WorkloadArgs;
use gpuadvise::workload::{Workload, resolve};
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| embedded(Sections::ALL).unwrap_or_default());

fn main() {
    divan::main();
}

fn workload(flags: &[(&str, &str)]) -> Option<Workload> {
    let args = <WorkloadArgs as Group>::from_pairs(flags.iter().copied()).ok()?;
    resolve(&args, &CATALOG, &|_| Ok(None)).ok()
}

fn search(flags: &[(&str, &str)], max_gpus: u32, bencher: divan::Bencher<'_, '_>) {
    let workload = workload(flags);
    let mut limits = Limits { max_gpus, ..Limits::default() };
    limits.filter.stacks = vec![Stack::Cuda];
    bencher.bench(|| -> Option<Advice> {
        workload.as_ref().map(|w| advise(&CATALOG, divan::black_box(w), &limits))
    });
}

/// Training, by size of the model and most GPUs.
#[divan::bench(args = [("1B", 512), ("70B", 1024)])]
fn train(bencher: divan::Bencher<'_, '_>, (params, gpus): (&str, u32)) {
    search(&[("params", params), ("task", "train")], gpus, bencher);
}

/// Serving a large model.
#[divan::bench]
fn serve(bencher: divan::Bencher<'_, '_>) {
    search(&[("model", "llama-3-70b"), ("task", "infer"), ("concurrency", "32")], 512, bencher);
}
