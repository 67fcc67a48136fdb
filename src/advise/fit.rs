//! `fit`: does the workload fit these GPUs, without any price?

use super::limits::Measured;
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::diag::Warning;
use crate::estimate::sample::SampleModel;
use crate::estimate::serving::ServingModel;
use crate::estimate::training::TrainingModel;
use crate::estimate::{Layout, Machine, MemoryEstimate, Unplannable, Verdict};
use crate::workload::{Job, Samples, Serving, Task, Training, Workload};

/// One accelerator, or one node of several, held against the workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The accelerator.
    pub gpu: GpuId,
    /// How many, in one node.
    pub gpus: u32,
    /// Label memory of one GPU, in bytes.
    pub capacity_bytes: f64,
    /// Usable memory of one GPU, in bytes.
    pub usable_bytes: f64,
    /// The judgement; `Err` where nothing can be said, with the reason.
    pub judged: Result<Judged, Unplannable>,
}

/// A judged layout and how far it could go.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The best layout that holds the workload, else the leanest one.
    pub layout: Layout,
    /// Memory of the fullest GPU under it.
    pub memory: MemoryEstimate,
    /// Does it fit?
    pub verdict: Verdict,
    /// Most sequences per GPU and pass that are not `no` (training).
    pub max_micro_batch: Option<u32>,
    /// Longest sequence that some layout holds (training), or context of the layout (serving), that is not `no`.
    pub max_seq_len: Option<u32>,
    /// Most requests in flight (serving).
    pub max_concurrency: Option<u32>,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

/// Judges each accelerator, as one node of `gpus`.
pub fn fit(catalog: &Catalog, workload: &Workload, gpus: &[GpuId], per_node: u32) -> Vec<Fit> {
    fit_with(catalog, workload, gpus, per_node, None)
}

/// The same, with links of the user's own cluster for the accelerators that it has.
pub fn fit_with(
    catalog: &Catalog,
    workload: &Workload,
    gpus: &[GpuId],
    per_node: u32,
    measured: Option<&Measured>,
) -> Vec<Fit> {
    let own = |gpu: GpuId| {
        measured.filter(|own| {
            own.gpu.is_none_or(|it| it == gpu) && own.gpus_per_node.is_none_or(|count| count == per_node)
        })
    };
    gpus.iter().map(|&gpu| fit_one(catalog, workload, gpu, per_node, own(gpu))).collect()
}

fn fit_one(catalog: &Catalog, workload: &Workload, id: GpuId, gpus: u32, own: Option<&Measured>) -> Fit {
    let gpu = catalog.gpu(id);
    let machine = Machine::of_gpu(catalog, gpu, gpus);
    let machine = machine.map(|machine| own.map_or(machine, |own| machine.with_measured(own.links)));
    let known = super::software::judge(catalog, workload, gpu);
    let judged = machine.and_then(|machine| match &workload.job {
        Job::Training(job) => training(catalog, workload, job, &machine),
        Job::Serving(job) => serving(catalog, workload, job, &machine),
        Job::Samples(job) => samples(catalog, workload, job, &machine),
    });
    let judged = known.and_then(|warnings| {
        judged.map(|judged| Judged { warnings: [judged.warnings, warnings].concat(), ..judged })
    });
    Fit {
        gpu: id,
        gpus,
        capacity_bytes: gpu.memory_bytes as f64,
        usable_bytes: gpu.usable_bytes as f64,
        judged,
    }
}

fn training(
    catalog: &Catalog,
    workload: &Workload,
    job: &Training,
    machine: &Machine,
) -> Result<Judged, Unplannable> {
    let model = TrainingModel::new(catalog, &workload.model, job, machine, machine.gpus_per_node)?;
    let best = model.best(&workload.pins).map(|plan| (plan.layout, plan.memory));
    let Some((layout, memory)) = best.or_else(|| model.nearest_miss(&workload.pins)) else {
        return Err(no_layout(machine, machine.gpus_per_node));
    };
    Ok(Judged {
        layout,
        memory,
        verdict: model.verdict(&memory),
        max_micro_batch: Some(model.max_micro_batch(&layout)),
        max_seq_len: Some(model.longest_sequence(&workload.pins)),
        max_concurrency: None,
        warnings: model.warnings(),
    })
}

fn serving(
    catalog: &Catalog,
    workload: &Workload,
    job: &Serving,
    machine: &Machine,
) -> Result<Judged, Unplannable> {
    let model = ServingModel::new(catalog, &workload.model, job, machine)?;
    let (layout, memory, verdict, load) = match model.best_on(&workload.pins, 1) {
        Ok(plan) => (plan.layout, plan.memory, plan.verdict, plan.concurrency_per_replica),
        Err(miss) if miss.shortfalls.iter().all(|s| s.constraint == "layout") => {
            return Err(no_layout(machine, machine.gpus_per_node));
        }
        Err(miss) => (miss.layout, miss.memory, miss.verdict, 1),
    };
    Ok(Judged {
        layout,
        memory,
        verdict,
        max_micro_batch: None,
        max_seq_len: Some(model.max_model_len(&layout)),
        max_concurrency: Some(model.max_concurrency(&layout, load)),
        warnings: Vec::new(),
    })
}

fn samples(
    catalog: &Catalog,
    workload: &Workload,
    job: &Samples,
    machine: &Machine,
) -> Result<Judged, Unplannable> {
    let model = SampleModel::new(catalog, &workload.model, job)?;
    let held = model.held(machine, machine.gpus_per_node)?;
    let most = model.largest_batch(machine, MOST_SAMPLES, Verdict::Tight)?;
    let trains = job.task != Task::Infer;
    Ok(Judged {
        layout: held.layout,
        memory: held.memory,
        verdict: held.verdict,
        max_micro_batch: trains.then_some(most),
        max_seq_len: None,
        max_concurrency: (!trains).then(|| most.saturating_mul(machine.gpus_per_node)),
        warnings: held.warnings,
    })
}

/// Far above any batch of samples.
const MOST_SAMPLES: u32 = 1 << 20;

/// The pinned sizes, heads, layers and batch leave no layout at all on so many accelerators.
pub(super) fn no_layout(machine: &Machine, gpus: u32) -> Unplannable {
    Unplannable {
        id: "layout",
        message: format!("no parallel layout with the pinned sizes exists on {gpus} x {}", machine.gpu.name),
    }
}
