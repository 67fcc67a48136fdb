//! One machine shape at one node count, from a promise (a bound that costs nearly nothing) to a worked-out run.

use super::Performance;
use super::limits::Limits;
use super::shape::{most_nodes, node_counts};
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::{InstanceId, Unit};
use crate::diag::Warning;
use crate::estimate::sample::{SampleModel, SamplePlan};
use crate::estimate::serving::{ServingMiss, ServingModel, ServingPlan};
use crate::estimate::training::TrainingModel;
use crate::estimate::{Layout, Machine, MemoryEstimate, Range, Unplannable, Verdict};
use crate::workload::{Job, Pins, SampleServing, SampleWork, Samples, Serving, Training, Workload};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A shape at a node count that holds the workload.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) nodes: u32,
    pub(super) replicas: u32,
    pub(super) layout: Layout,
    pub(super) memory: MemoryEstimate,
    pub(super) usable_bytes: f64,
    pub(super) verdict: Verdict,
    pub(super) performance: Performance,
    pub(super) hours: Range,
    pub(super) warnings: Vec<Warning>,
    /// Bytes of a checkpoint of a job that loses work without one; 0 for services.
    pub(super) checkpoint_bytes: f64,
}

/// Why a shape at a node count does not hold the workload.
#[derive(Clone, Debug)]
pub(super) enum Miss {
    /// Nothing can be said or run here at all, at any node count.
    Unplannable(Unplannable),
    /// The least demanding layout needs more memory than a GPU has, in bytes.
    Memory { nodes: u32, needed: f64, usable: f64 },
    /// Offloading needs more main memory than a node has, in bytes.
    HostMemory { nodes: u32, needed: f64, bytes: f64 },
    /// A serving constraint is missed.
    Serving(ServingMiss),
    /// The asked GPU count cannot be made of this machine.
    Count,
}

/// A shape at a node count that may hold the workload.
#[derive(Clone, Debug)]
pub(super) struct Lot<'a> {
    /// Machines (or chips).
    pub(super) nodes: u32,
    /// Hours that it cannot beat.
    pub(super) least_hours: f64,
    work: Work<'a>,
}

#[derive(Clone, Debug)]
enum Work<'a> {
    /// The model of the fewest machines of the shape, and how many GPUs this lot has: most lots are never worked out.
    Training(Rc<TrainingModel<'a>>, u32),
    Done(Box<Run>),
}

impl Lot<'_> {
    /// The best layout and what follows from it. A training lot is known to have one that is not `no`.
    pub(super) fn work_out(&self, pins: &Pins) -> Option<Run> {
        match &self.work {
            Work::Done(run) => Some((**run).clone()),
            Work::Training(model, gpus) => trained(&model.resized(*gpus).ok()?, self.nodes, pins),
        }
    }
}

/// Training models by GPU and sort of link inside a node: constants are looked up once for all machines that share them.
pub(super) type Models<'a> = BTreeMap<(GpuId, bool), Option<TrainingModel<'a>>>;

/// Everything that one shape may do for the workload, by node count.
pub(super) fn lots<'a>(
    catalog: &'a Catalog,
    workload: &'a Workload,
    id: InstanceId,
    limits: &Limits,
    models: &mut Models<'a>,
) -> Vec<Result<Lot<'a>, Miss>> {
    let instance = catalog.instance(id);
    let own = limits.measured.as_ref().filter(|measured| measured.holds_for(id, instance));
    let machine = match Machine::of_instance(catalog, instance, limits.assume_network_gbps) {
        Ok(machine) => own.map_or(machine, |own| machine.with_measured(own.links)),
        Err(unplannable) => return vec![Err(Miss::Unplannable(unplannable))],
    };
    let counts = node_counts(instance, limits, machine.can_scale_out());
    if counts.is_empty() {
        return vec![Err(Miss::Count)];
    }
    match &workload.job {
        Job::Samples(job) => sample_lots(catalog, workload, job, &machine, &counts),
        Job::Training(job) => {
            let of_gpu = models.entry((instance.gpu, machine.fast_intra)).or_default();
            training_lots(catalog, workload, job, (&machine, instance.unit), &counts, of_gpu)
        }
        Job::Serving(job) if instance.unit == Unit::Chip => {
            let one =
                |&chips: &u32| served(catalog, workload, job, &slice(&machine, chips), (1, Some(chips)));
            smallest_slice(counts.iter().map(one))
        }
        Job::Serving(job) if limits.gpus.or(limits.nodes).is_some() => {
            counts.iter().map(|&nodes| served(catalog, workload, job, &machine, (nodes, None))).collect()
        }
        Job::Serving(job) => {
            let most = most_nodes(instance, limits, machine.can_scale_out());
            served_on_fewest(catalog, workload, job, &machine, most)
        }
    }
}

/// The chips of a TPU slice act as one node of that many chips.
fn slice<'a>(machine: &Machine<'a>, chips: u32) -> Machine<'a> {
    Machine { gpus_per_node: chips, ..*machine }
}

fn training_lots<'a>(
    catalog: &'a Catalog,
    workload: &'a Workload,
    job: &'a Training,
    (machine, unit): (&Machine<'a>, Unit),
    counts: &[u32],
    of_gpu: &mut Option<TrainingModel<'a>>,
) -> Vec<Result<Lot<'a>, Miss>> {
    let mut base: Option<Rc<TrainingModel>> = None;
    let mut lots = Vec::with_capacity(counts.len());
    for &nodes in counts {
        let gpus = machine.gpus_per_node * nodes;
        let model = match &base {
            Some(model) if unit != Unit::Chip => model.resized(gpus),
            _ => {
                let machine = if unit == Unit::Chip { slice(machine, nodes) } else { *machine };
                match of_gpu {
                    Some(known) => known.on(&machine, gpus),
                    None => TrainingModel::new(catalog, &workload.model, job, &machine, gpus),
                }
            }
        };
        match model {
            Ok(model) => {
                of_gpu.get_or_insert_with(|| model.clone());
                if unit == Unit::Chip {
                    base = None;
                }
                let base = base.get_or_insert_with(|| Rc::new(model.clone()));
                lots.push(promise(&model, base, machine, nodes, &workload.pins));
            }
            Err(unplannable) => {
                // No other count would change that.
                lots.push(Err(Miss::Unplannable(unplannable)));
                break;
            }
        }
    }
    lots
}

fn promise<'a>(
    model: &TrainingModel<'a>,
    base: &Rc<TrainingModel<'a>>,
    machine: &Machine,
    nodes: u32,
    pins: &Pins,
) -> Result<Lot<'a>, Miss> {
    let Some((_, lean)) = model.leanest(pins) else {
        let gpus = machine.gpus_per_node * nodes;
        return Err(Miss::Unplannable(super::fit::no_layout(machine, gpus)));
    };
    if model.verdict(&lean) != Verdict::No {
        let work = Work::Training(Rc::clone(base), machine.gpus_per_node * nodes);
        return Ok(Lot { nodes, least_hours: model.least_hours(), work });
    }
    if let Some(bytes) = model.host_shortfall(&lean) {
        return Err(Miss::HostMemory { nodes, needed: lean.host_ram, bytes });
    }
    Err(Miss::Memory { nodes, needed: lean.terms.total(), usable: machine.usable_bytes })
}

fn trained(model: &TrainingModel, nodes: u32, pins: &Pins) -> Option<Run> {
    let plan = model.best(pins)?;
    let speed = model.speed(&plan.layout);
    Some(Run {
        nodes,
        replicas: plan.layout.dp,
        layout: plan.layout,
        memory: plan.memory,
        usable_bytes: model.usable_bytes(),
        verdict: plan.verdict,
        hours: model.hours(&speed),
        performance: Performance::Training(speed),
        warnings: model.warnings(),
        checkpoint_bytes: model.checkpoint_bytes(),
    })
}

/// Work on samples on each number of nodes; inference on the fewest that bear the load, or on the asked ones. Cheap
/// enough to be worked out at once.
fn sample_lots<'a>(
    catalog: &'a Catalog,
    workload: &'a Workload,
    job: &'a Samples,
    machine: &Machine<'a>,
    counts: &[u32],
) -> Vec<Result<Lot<'a>, Miss>> {
    let model = match SampleModel::new(catalog, &workload.model, job) {
        Ok(model) => model,
        Err(unplannable) => return vec![Err(Miss::Unplannable(unplannable))],
    };
    let offered = match &job.work {
        SampleWork::Serving(serving) => Some(serving.rps.unwrap_or_default()),
        SampleWork::Training(_) => None,
    };
    let mut lots = Vec::new();
    let mut least = 0.0;
    for &nodes in counts {
        if f64::from(nodes) < least {
            continue;
        }
        let plan = match model.plan(machine, nodes) {
            Ok(plan) => plan,
            Err(unplannable) => {
                lots.push(Err(Miss::Unplannable(unplannable)));
                break;
            }
        };
        if plan.verdict == Verdict::No {
            let needed = plan.memory.terms.total();
            lots.push(Err(Miss::Memory { nodes, needed, usable: machine.usable_bytes }));
            // More machines take the batch apart, but every GPU still holds the whole network.
            if plan.layout.micro_batch <= 1 {
                break;
            }
            continue;
        }
        let bears = offered.is_none_or(|rps| plan.speed.samples_per_s.expected >= rps);
        if !bears {
            if let SampleWork::Serving(SampleServing { concurrency: None, rps: Some(rps), .. }) = job.work {
                // Batches are the largest already: the rate grows with the machines alone.
                least = 0.99 * f64::from(nodes) * rps / plan.speed.samples_per_s.expected;
            }
            continue;
        }
        lots.push(Ok(sample_lot(plan, machine, nodes)));
        if offered.is_some() {
            break;
        }
    }
    if lots.is_empty() {
        lots.push(Err(Miss::Unplannable(Unplannable {
            id: "load",
            message: format!("as many {} as may be rented do not bear the asked rate", machine.gpu.name),
        })));
    }
    lots
}

fn sample_lot<'a>(plan: SamplePlan, machine: &Machine, nodes: u32) -> Lot<'a> {
    let states = plan.memory.terms;
    let run = Run {
        nodes,
        replicas: plan.layout.dp,
        layout: plan.layout,
        memory: plan.memory,
        usable_bytes: machine.usable_bytes,
        verdict: plan.verdict,
        performance: Performance::Samples(plan.speed),
        hours: plan.hours,
        warnings: plan.warnings,
        // Every GPU holds all of the network, and the states are the same on each.
        checkpoint_bytes: states.weights + states.optimizer + states.master_weights,
    };
    Lot { nodes, least_hours: plan.hours.expected, work: Work::Done(Box::new(run)) }
}

/// The best plan on exactly `nodes` nodes; a slice of TPU chips is one node. Cheap enough to be worked out at once.
fn served<'a>(
    catalog: &'a Catalog,
    workload: &'a Workload,
    job: &'a Serving,
    machine: &Machine<'a>,
    (nodes, chips): (u32, Option<u32>),
) -> Result<Lot<'a>, Miss> {
    let model = ServingModel::new(catalog, &workload.model, job, machine).map_err(Miss::Unplannable)?;
    let plan = model.best_on(&workload.pins, nodes).map_err(Miss::Serving)?;
    Ok(served_lot(plan, job, machine, chips))
}

/// The plan that fits on the fewest nodes, and the one that is tight on still fewer, each a row of its own.
fn served_on_fewest<'a>(
    catalog: &'a Catalog,
    workload: &'a Workload,
    job: &'a Serving,
    machine: &Machine<'a>,
    most: u32,
) -> Vec<Result<Lot<'a>, Miss>> {
    let model = match ServingModel::new(catalog, &workload.model, job, machine) {
        Ok(model) => model,
        Err(unplannable) => return vec![Err(Miss::Unplannable(unplannable))],
    };
    match model.plans(&workload.pins, most) {
        Ok(plans) => plans.into_iter().map(|plan| Ok(served_lot(plan, job, machine, None))).collect(),
        Err(miss) => vec![Err(Miss::Serving(miss))],
    }
}

fn served_lot<'a>(plan: ServingPlan, job: &Serving, machine: &Machine, chips: Option<u32>) -> Lot<'a> {
    let run = Run {
        nodes: chips.unwrap_or(plan.nodes),
        replicas: plan.replicas,
        layout: plan.layout,
        memory: plan.memory,
        usable_bytes: machine.usable_bytes,
        verdict: plan.verdict,
        performance: Performance::Serving(plan.speed),
        hours: Range { low: job.hours, expected: job.hours, high: job.hours },
        warnings: Vec::new(),
        checkpoint_bytes: 0.0,
    };
    Lot { nodes: run.nodes, least_hours: job.hours, work: Work::Done(Box::new(run)) }
}

/// Slices up to the smallest one that fits; larger ones only cost more.
fn smallest_slice<'a>(outcomes: impl Iterator<Item = Result<Lot<'a>, Miss>>) -> Vec<Result<Lot<'a>, Miss>> {
    let mut kept = Vec::new();
    for outcome in outcomes {
        let enough = match &outcome {
            Ok(Lot { work: Work::Done(run), .. }) => run.verdict == Verdict::Fits,
            Ok(_) => false,
            Err(miss) => matches!(miss, Miss::Unplannable(_)),
        };
        kept.push(outcome);
        if enough {
            break;
        }
    }
    kept
}
