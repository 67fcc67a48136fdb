//! What a measured network means for a workload, as printed.

use super::number::Num;
use super::row::Parallelism;
use crate::insight::nccl::impact::Impact;
use serde::Serialize;

/// A plan of the workload with one kind of links.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ImpactLine {
    /// The file.
    pub file: String,
    /// Its place in the file.
    pub table: usize,
    /// `measured` or `catalog`.
    pub links: &'static str,
    /// GPUs in all.
    pub gpus: u32,
    /// Machines.
    pub nodes: u32,
    /// What collectives reach between the nodes, or inside the only one.
    pub reached_gb_per_s: Option<Num>,
    /// The fastest layout.
    pub parallelism: Option<Parallelism>,
    /// Seconds of one optimizer step.
    pub step_s: Option<Num>,
    /// Share of a step that is communication which nothing hides.
    pub communication_share: Option<Num>,
    /// Share of the speed in one node that the network leaves.
    pub scaling_efficiency: Option<Num>,
    /// Rate over all GPUs.
    pub tokens_per_s: Option<Num>,
    /// Why there is no plan.
    pub reason: Option<String>,
}

impl ImpactLine {
    /// The plan of one table.
    pub fn new(file: &str, at: usize, plan: &Impact) -> Self {
        let planned = plan.planned.as_ref().ok();
        let speed = planned.map(|(_, speed)| speed);
        Self {
            file: file.to_owned(),
            table: at + 1,
            links: if plan.measured { "measured" } else { "catalog" },
            gpus: plan.gpus,
            nodes: plan.nodes,
            reached_gb_per_s: plan.bytes_per_s.map(|bytes| Num::rounded(bytes / 1e9, 2)),
            parallelism: planned.map(|(layout, _)| Parallelism::from(layout)),
            step_s: speed.map(|speed| Num::rate(speed.step_s.expected)),
            communication_share: speed.map(|speed| Num::share(speed.communication_share)),
            scaling_efficiency: speed.map(|speed| Num::share(speed.scaling_efficiency)),
            tokens_per_s: speed.map(|speed| Num::rate(speed.tokens_per_s)),
            reason: plan.planned.as_ref().err().map(|why| why.message.clone()),
        }
    }
}
