//! What a measured network means for a training job: the share of a step that is communication, and how it scales,
//! beside the same with the links of the catalog.

use super::judge::Judged;
use super::planner;
use crate::catalog::Catalog;
use crate::diag::Warning;
use crate::estimate::training::TrainingModel;
use crate::estimate::{Layout, Machine, TrainingSpeed, Unplannable};
use crate::workload::{Job, Workload};

/// One plan on one kind of links.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// With the links as measured; else with those of the catalog.
    pub measured: bool,
    /// GPUs in all.
    pub gpus: u32,
    /// Machines.
    pub nodes: u32,
    /// Bytes per second that collectives reach between nodes, or inside the only one; `None` where the catalog has none.
    pub bytes_per_s: Option<f64>,
    /// The fastest layout with its speed, or why there is none.
    pub planned: Result<(Layout, TrainingSpeed), Unplannable>,
}

/// The job on `gpus` GPUs of the measured cluster, with its links and with those of the catalog.
pub fn impact(
    catalog: &Catalog,
    workload: &Workload,
    judged: &Judged,
    gpus: Option<u32>,
) -> Result<Vec<Impact>, Warning> {
    let no =
        |why: &str| Warning { id: "impact-unknown", message: format!("no plan for the workload: {why}") };
    if !matches!(workload.job, Job::Training(_)) {
        return Err(no("only training of networks that work on tokens is planned step by step here"));
    }
    let cluster = &judged.cluster;
    let Some(links) = planner::links(judged) else {
        return Err(no("the table gives no bandwidth of a ring that a plan could use"));
    };
    let Some(gpu) = cluster.gpu else {
        return Err(no("the GPU of the table is not known; say `--gpu NAME`"));
    };
    let Some(each) = cluster.per_node() else {
        return Err(no("the nodes of the table are not known; say `--nodes N`"));
    };
    let bare = match cluster.instance {
        Some(id) => Machine::of_instance(catalog, catalog.instance(id), None),
        None => Machine::of_gpu(catalog, catalog.gpu(gpu), each),
    };
    let bare = bare.map_err(|why| no(&why.message))?;
    let bare = Machine { gpus_per_node: each, ..bare };
    let gpus = gpus.or(cluster.gpus).unwrap_or(each);
    let nodes = gpus.div_ceil(each);
    if nodes > 1 && !gpus.is_multiple_of(each) {
        return Err(no(&format!("{gpus} GPUs are no whole number of nodes of {each}")));
    }
    let of = |machine: &Machine, measured| Impact {
        measured,
        gpus,
        nodes,
        bytes_per_s: reached(catalog, machine, nodes),
        planned: plan(catalog, workload, machine, gpus),
    };
    Ok(vec![of(&bare.with_measured(links), true), of(&bare, false)])
}

/// What the estimates count with, over the network or inside the only node.
fn reached(catalog: &Catalog, machine: &Machine, nodes: u32) -> Option<f64> {
    let share = |key: &str| {
        catalog.constant(key, Some(machine.gpu), None, None, machine.gpus_per_node).map(|it| it.value)
    };
    if nodes > 1 {
        return machine.inter_reached(share("network-efficiency")?);
    }
    let key = if machine.fast_intra { "link-efficiency" } else { "pcie-efficiency" };
    Some(machine.intra_reached(share(key)?)).filter(|reached| *reached > 0.0)
}

fn plan(
    catalog: &Catalog,
    workload: &Workload,
    machine: &Machine,
    gpus: u32,
) -> Result<(Layout, TrainingSpeed), Unplannable> {
    let Job::Training(job) = &workload.job else {
        return Err(Unplannable::not_on_tokens(&workload.model.name));
    };
    let model = TrainingModel::new(catalog, &workload.model, job, machine, gpus)?;
    let best = model.best(&workload.pins).ok_or_else(|| Unplannable {
        id: "memory",
        message: format!("it does not fit {gpus} x {}", machine.gpu.name),
    })?;
    let speed = model.speed(&best.layout);
    Ok((best.layout, speed))
}
