//! `--nccl FILE`: the links of the user's own cluster for plans.

use super::frame;
use crate::advise::limits::Measured;
use crate::catalog::Catalog;
use crate::diag::InputError;
use crate::estimate::MeasuredLinks;
use crate::insight::nccl::cluster::Said;
use crate::insight::nccl::expect::Limits;
use crate::insight::nccl::judge::{Judged, judge};
use crate::insight::nccl::{self, planner};
use std::path::Path;

/// What the flags say of the machines that a measurement may stand for.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// GPUs or machines are named.
    pub any: bool,
    /// Machines are.
    pub machines: bool,
    /// A network is assumed where the catalog has none.
    pub assumed: bool,
}

/// Reads the links that a file measured. The last table of a kind counts; a file without any is bad input.
///
/// The less a file says of its cluster, the fewer machines it stands for: the machine that it names or shows; else those with
/// its GPU whose own network could carry as much; else what the flags name, and nothing without them.
pub fn measured(path: &Path, catalog: &Catalog, named: Named) -> Result<Measured, InputError> {
    let name = path.display().to_string();
    let log = nccl::read(&name, &frame::measurements(path)?)?;
    let limits = Limits::of(catalog).ok_or_else(|| {
        InputError::new(
            "the catalog lacks the constants that networks are judged with",
            "use its own `network.toml`",
        )
    })?;
    let judged: Vec<Judged> = log
        .tables
        .iter()
        .map(|table| judge(catalog, &limits, &name, (&log, table), &Said::default()))
        .collect();
    let mut links = MeasuredLinks::default();
    let (mut of, mut least) = (None, None);
    for table in &judged {
        let Some(found) = planner::links(table) else { continue };
        links = MeasuredLinks { intra: found.intra.or(links.intra), inter: found.inter.or(links.inter) };
        least = planner::least_gbps(table, &limits).or(least);
        of = Some(&table.cluster);
    }
    let Some(cluster) = of else { return Err(useless(&name, &judged)) };
    if cluster.gpu.is_none() && !named.any {
        return Err(nameless(&name));
    }
    Ok(Measured {
        links,
        gpu: cluster.gpu,
        gpus_per_node: cluster.per_node(),
        instance: cluster.instance,
        provider: cluster.provider.filter(|_| cluster.instance.is_none() && !named.machines),
        least_gbps: least,
        unlinked: named.machines || named.assumed,
        from: name,
    })
}

fn nameless(name: &str) -> InputError {
    let message = format!("`{name}` does not say which machines it was measured on");
    InputError::new(
        message,
        "name those that it stands for with `--gpu NAME`, or give the whole output of the test",
    )
}

fn useless(name: &str, judged: &[Judged]) -> InputError {
    let verdicts: Vec<&str> = judged.iter().map(|table| table.verdict.name()).collect();
    let message = format!("`{name}` gives no bandwidth that a plan could use ({})", verdicts.join(", "));
    let hint = "give an all_reduce over all GPUs with sizes up to 8 GiB; `gpuadvise network FILE` says what is wrong with it";
    InputError::new(message, hint)
}
