//! `fit`: does a workload fit these GPUs?

use crate::advise::fit::fit_with;
use crate::advise::limits::Measured;
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::load::Sections;
use crate::cli::args::{FitArgs, TargetArgs};
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use crate::cli::model_file::model_file;
use crate::cli::{nccl, verdict};
use crate::diag::InputError;
use crate::diag::Warning;
use crate::estimate::Verdict;
use crate::report::explained;
use crate::report::fit::Fit as Body;
use crate::workload::resolve::resolve;
use std::collections::BTreeSet;

/// Answers `fit`.
pub fn run(frame: &Frame, args: FitArgs) -> anyhow::Result<Outcome> {
    let asked = frame.workload(args.workload)?;
    let target = frame.group(args.target)?;
    let sections = Sections { presets: asked.model.is_some(), constants: true, ..Sections::HARDWARE };
    let catalog = frame.catalog_for(sections, Body::nothing)?;
    let workload = resolve(&asked, &catalog, &model_file)?;
    let named = nccl::Named { any: target.gpu.is_some(), machines: false, assumed: false };
    let own = target.nccl.as_deref().map(|file| nccl::measured(file, &catalog, named)).transpose()?;
    let mut results = Vec::new();
    for (per_node, gpus) in targets(&catalog, &target)? {
        results.extend(fit_with(&catalog, &workload, &gpus, per_node, own.as_ref()));
    }
    let mut body = Body::new(&catalog, &workload, &results);
    if target.explain == Some(true) {
        explained::fits(&workload, &mut body);
    }
    let warned: BTreeSet<Warning> =
        results.iter().filter_map(|r| r.judged.as_ref().ok()).flat_map(|j| j.warnings.clone()).collect();
    let mut warnings: Vec<Warning> = workload.warnings.iter().cloned().chain(warned).collect();
    let mut assumptions = workload.assumptions.clone();
    match &own {
        Some(own) if own.links.intra.is_some() => assumptions.push(own.assumption(&catalog)),
        Some(own) => warnings.push(unused(own)),
        None => {}
    }
    let refused = results.iter().filter_map(|result| result.judged.as_ref().err()).map(|why| why.id);
    let judged = results.iter().any(|result| result.judged.is_ok());
    verdict::refuse_strict(&workload, !judged, refused)?;
    frame.answer(&catalog, &assumptions, &warnings, body)?;
    if results.iter().any(|r| r.judged.as_ref().is_ok_and(|j| j.verdict != Verdict::No)) {
        return Ok(Outcome::Answered);
    }
    frame.complain("the workload fits none of the GPUs asked for");
    Ok(Outcome::Nothing)
}

/// A node has no network between nodes.
fn unused(own: &Measured) -> Warning {
    let message = format!(
        "`{}` measured the network between nodes, and one node is looked at: give the output of a single node",
        own.from
    );
    Warning { id: "nccl-not-used", message }
}

/// The accelerators to judge, with how many of them in a node; all of the catalog, one each, when none is asked for.
fn targets(catalog: &Catalog, target: &TargetArgs) -> anyhow::Result<Vec<(u32, Vec<GpuId>)>> {
    let Some(specs) = &target.gpu else {
        let all = (0..catalog.gpus.len()).map(|at| GpuId(at as u16)).collect();
        return Ok(vec![(target.gpus.unwrap_or(1), all)]);
    };
    specs
        .iter()
        .map(|spec| {
            let selection = catalog.resolve_gpu_spec(spec)?;
            if let (Some(a), Some(b)) = (selection.per_node, target.gpus)
                && a != b
            {
                let message = format!("`--gpu {spec}` and `--gpus {b}` name different numbers of GPUs");
                return Err(InputError::new(message, "leave one of them out").into());
            }
            Ok((selection.per_node.or(target.gpus).unwrap_or(1), selection.gpus))
        })
        .collect()
}
