//! Which GPU of the catalog a cell means.

use super::Skip;
use super::question::Question;
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::units::GIB;

/// How far a stated memory may be from the label of the GPU that is meant: sources write 40, 79.2 or 141 GB.
const MEMORY_TOLERANCE: f64 = 0.12;

/// The GPU that a row means: by name, and among members of a family by the stated memory.
pub fn resolve(catalog: &Catalog, question: &Question) -> Result<GpuId, Skip> {
    let name = question.text("gpu").ok_or_else(|| Skip::blank("gpu"))?;
    let unknown = || Skip::new(format!("the catalog has no GPU `{name}`"));
    let named = catalog.resolve_gpu_spec(name).map_err(|_| unknown())?.gpus;
    let Some(stated) = question.number("gpu_memory_gb") else {
        return named.first().copied().ok_or_else(unknown);
    };
    let label = |id: GpuId| catalog.gpu(id).memory_bytes as f64 / GIB;
    let fits = |id: &GpuId| (label(*id) / stated - 1.0).abs() <= MEMORY_TOLERANCE;
    named.iter().copied().find(fits).or(named.first().copied()).ok_or_else(unknown)
}

/// Memory in GiB of each size in which the named GPU is sold, where that are several and the row does not say which it is;
/// else nothing.
pub fn sizes(catalog: &Catalog, question: &Question) -> Vec<f64> {
    let named = question.text("gpu").and_then(|name| catalog.resolve_gpu_spec(name).ok());
    let named = named.filter(|_| question.number("gpu_memory_gb").is_none());
    let mut sizes: Vec<f64> = Vec::new();
    for id in named.into_iter().flat_map(|named| named.gpus) {
        let size = catalog.gpu(id).memory_bytes as f64 / GIB;
        if sizes.iter().all(|known| (size / known - 1.0).abs() > MEMORY_TOLERANCE) {
            sizes.push(size);
        }
    }
    if sizes.len() > 1 { sizes } else { Vec::new() }
}
