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

/// Reads the links that a file measured. The last table of a kind counts; a file without any is bad input.
pub fn measured(path: &Path, catalog: &Catalog) -> Result<Measured, InputError> {
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
    let mut of = None;
    for table in &judged {
        let Some(found) = planner::links(table) else { continue };
        links = MeasuredLinks { intra: found.intra.or(links.intra), inter: found.inter.or(links.inter) };
        of = Some(&table.cluster);
    }
    let Some(cluster) = of else { return Err(useless(&name, &judged)) };
    let sure = cluster.gpu.filter(|_| !cluster.guessed || cluster.instance.is_none());
    Ok(Measured {
        links,
        gpu: sure,
        gpus_per_node: cluster.per_node(),
        instance: cluster.instance.filter(|_| !cluster.guessed),
        from: name,
    })
}

fn useless(name: &str, judged: &[Judged]) -> InputError {
    let verdicts: Vec<&str> = judged.iter().map(|table| table.verdict.name()).collect();
    let message = format!("`{name}` gives no bandwidth that a plan could use ({})", verdicts.join(", "));
    let hint = "give an all_reduce over all GPUs with sizes up to 8 GiB; `gpuadvise network FILE` says what is wrong with it";
    InputError::new(message, hint)
}
