//! From the driver's name of a GPU to the catalog: cut names, families of several cards, MIG and vGPU suffixes.

use super::{Series, Thresholds};
use crate::catalog::Catalog;
use crate::catalog::gpu::{Gpu, GpuId};
use crate::catalog::lookup::names::normalise;
use crate::catalog::lookup::{GpuSelection, LookupError, Reason};

/// The GPU of the catalog behind a driver's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// It.
    pub gpu: GpuId,
    /// Others that the driver calls by the same name, and that memory and power do not tell apart.
    pub or: Vec<GpuId>,
}

/// Finds the card; `total` (bytes) and `limit` (watts), as the driver shows them, choose among cards of one name.
pub fn card(
    catalog: &Catalog,
    name: &str,
    total: Option<f64>,
    limit: Option<f64>,
    lines: &Thresholds,
) -> Result<Card, LookupError> {
    let whole = name.split(" MIG ").next().unwrap_or(name).trim();
    let plain = whole.strip_prefix("GRID ").unwrap_or(whole).trim_end_matches('.').replace([':', '.'], " ");
    let resolved = catalog.resolve_gpu_spec(&plain);
    let mut left = if whole.ends_with("...") {
        let found = starting_with(catalog, &plain, total, lines.same_memory);
        if found.is_empty() {
            return Err(unknown(catalog, name, resolved));
        }
        found
    } else {
        resolved.map_err(|error| LookupError { text: name.to_owned(), ..error })?.gpus
    };
    let near = |have: f64, seen: f64, share: f64| ((have - seen) / seen).abs() <= share;
    if let Some(total) = total {
        keep(&mut left, |id| near(catalog.gpu(id).usable_bytes as f64, total, lines.same_memory));
    }
    if let Some(limit) = limit {
        keep(&mut left, |id| catalog.gpu(id).tdp_w.is_some_and(|tdp| near(tdp, limit, lines.same_power)));
    }
    let mut ids = left.into_iter();
    match ids.next() {
        Some(gpu) => Ok(Card { gpu, or: ids.collect() }),
        None => Err(unknown(catalog, name, catalog.resolve_gpu_spec(&plain))),
    }
}

/// Whether a total that the driver shows (bytes) cannot be that of this GPU. With MIG, and for shares of virtual GPUs,
/// nothing can be said.
pub fn is_other_memory(gpu: &Gpu, series: &Series, total: Option<f64>, lines: &Thresholds) -> bool {
    let name = series.name.as_deref().unwrap_or_default();
    let in_parts = series.mig || name.contains(" MIG ") || name.starts_with("GRID ");
    let off = |total: f64| ((gpu.usable_bytes as f64 - total) / total).abs() > lines.other_memory;
    !in_parts && total.is_some_and(off)
}

/// A name that was cut before it could be told from others.
fn unknown(catalog: &Catalog, name: &str, near: Result<GpuSelection, LookupError>) -> LookupError {
    let names = match near {
        Ok(selection) => selection.gpus.iter().map(|&id| catalog.gpu(id).name.clone()).collect(),
        Err(error) => error.names,
    };
    let hint = "the table cuts names; `nvidia-smi --query-gpu=name --format=csv` prints them whole";
    LookupError { what: "GPU", text: name.to_owned(), reason: Reason::Unknown, names, hint }
}

/// Keeps those that pass, unless none does.
fn keep(ids: &mut Vec<GpuId>, passes: impl Fn(GpuId) -> bool) {
    if ids.iter().any(|&id| passes(id)) {
        ids.retain(|&id| passes(id));
    }
}

/// GPUs with a name that goes on after the start that is left of a cut one. Only those of that memory: a cut name fits
/// many cards.
fn starting_with(catalog: &Catalog, start: &str, total: Option<f64>, same_memory: f64) -> Vec<GpuId> {
    let start = normalise(start);
    let Some(total) = total.filter(|_| start.len() > 2) else { return Vec::new() };
    let longer = |name: &String| {
        let name = normalise(name);
        name.len() > start.len() && name.starts_with(&start)
    };
    let same = |gpu: &Gpu| ((gpu.usable_bytes as f64 - total) / total).abs() <= same_memory;
    let fits = |gpu: &Gpu| same(gpu) && gpu.aliases.iter().chain([&gpu.name]).any(longer);
    (0..catalog.gpus.len()).map(|at| GpuId(at as u16)).filter(|&id| fits(catalog.gpu(id))).collect()
}
