//! How long one estimate takes: a plan for a machine and a number of GPUs, and the look-ups before it.

use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::estimate::Machine;
use gpuadvise::estimate::training::TrainingModel;
use gpuadvise::model::Architecture;
use gpuadvise::model::infer::dense;
use gpuadvise::workload::{AttentionKernel, Layouts, Method, Offload, Optimizer, Pins, Task, Training};
use std::sync::LazyLock;

fn main() {
    divan::main();
}

static CATALOG: LazyLock<Catalog> =
    LazyLock::new(|| embedded(Sections { constants: true, ..Sections::HARDWARE }).unwrap_or_default());

/// Pre-training with 1 M tokens a step.
fn job() -> Training {
    Training {
        task: Task::Train,
        method: Method::Full,
        lora_rank: 0,
        precision: None,
        strict: false,
        optimizer: Optimizer::Adamw,
        seq_len: 2048,
        global_batch: 1024,
        micro_batch: None,
        tokens: 1e11,
        recompute: None,
        sharding: None,
        offload: Offload::None,
        attention: AttentionKernel::Flash,
        framework: "generic".to_owned(),
        goodput: None,
        scaling_efficiency: None,
        fused_loss: false,
        software: "generic".to_owned(),
        layouts: Layouts::default(),
    }
}

/// A model on nodes of eight H100; `None` would be a catalog without them.
fn model(architecture: &Architecture, gpus: u32) -> Option<TrainingModel<'static>> {
    let gpu = CATALOG.gpus.iter().find(|gpu| gpu.name == "H100-SXM")?;
    let machine = Machine { inter_bytes_per_s: Some(4e11), ..Machine::of_gpu(&CATALOG, gpu, 8).ok()? };
    TrainingModel::new(&CATALOG, architecture, &job(), &machine, gpus).ok()
}

/// Resolving the format and looking all constants up.
#[divan::bench]
fn look_up(bencher: divan::Bencher<'_, '_>) {
    let architecture = dense(8e9);
    bencher.bench(|| architecture.as_ref().ok().and_then(|a| model(divan::black_box(a), 8)));
}

/// The best layout of 1B, 8B and 70B on so many GPUs.
#[divan::bench(args = [(1, 8), (8, 8), (8, 64), (70, 64), (70, 1024)])]
fn best(bencher: divan::Bencher<'_, '_>, (billions, gpus): (u32, u32)) {
    let architecture = dense(f64::from(billions) * 1e9);
    let model = architecture.as_ref().ok().and_then(|a| model(a, gpus));
    bencher.bench(|| model.as_ref().and_then(|m| m.best(divan::black_box(&Pins::default()))));
}

/// The memory of one layout with its range.
#[divan::bench]
fn memory(bencher: divan::Bencher<'_, '_>) {
    let architecture = dense(8e9);
    let model = architecture.as_ref().ok().and_then(|a| model(a, 64));
    let layout = model.as_ref().and_then(|m| m.best(&Pins::default())).map(|plan| plan.layout);
    bencher.bench(|| model.as_ref().zip(layout.as_ref()).map(|(m, l)| m.memory(divan::black_box(l))));
}

/// The time of one layout: the hot path of the search.
#[divan::bench]
fn step(bencher: divan::Bencher<'_, '_>) {
    let architecture = dense(8e9);
    let model = architecture.as_ref().ok().and_then(|a| model(a, 64));
    let layout = model.as_ref().and_then(|m| m.best(&Pins::default())).map(|plan| plan.layout);
    bencher.bench(|| model.as_ref().zip(layout.as_ref()).map(|(m, l)| m.step_seconds(divan::black_box(l))));
}
