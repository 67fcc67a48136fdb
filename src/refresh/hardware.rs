//! From what a source says of a machine to a GPU and a machine of the catalog. Never guesses: a text that could mean two
//! GPUs means one only where the memory, or the machines of the provider, leave one.

use super::{Hardware, Reason};
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::{Instance, InstanceId, ProviderId};
use crate::catalog::lookup::names::squeeze;
use crate::catalog::region::RegionId;
use std::collections::BTreeMap;

/// A label of memory may differ from the GPU's by this share, as in the checks of the catalog.
const MEMORY_TOLERANCE: f64 = 0.06;

/// No machine has more accelerators than this, as in the checks of the catalog.
const MOST_GPUS: f64 = 100_000.0;

const GIB: f64 = 1_073_741_824.0;

/// The GPU that a source means.
pub(super) fn gpu(catalog: &Catalog, of: ProviderId, said: &Hardware<'_>) -> Result<GpuId, Reason> {
    let name: String = said.gpu.chars().map(|c| if matches!(c, '(' | ')' | ':') { ' ' } else { c }).collect();
    if name.trim().is_empty() {
        return Err(Reason::MachineNotKnown);
    }
    if name.contains("..") {
        return Err(Reason::GpuNotKnown);
    }
    let found = catalog.resolve_gpu_spec(&name).map_err(|_| Reason::GpuNotKnown)?.gpus;
    let matches: Vec<GpuId> = found.iter().copied().filter(|&id| memory_agrees(catalog, id, said)).collect();
    match matches.as_slice() {
        [] => Err(Reason::GpuMemoryDiffers),
        [one] => Ok(*one),
        several => {
            let held = |id: &GpuId| {
                catalog.instances.iter().any(|instance| instance.provider == of && instance.gpu == *id)
            };
            let mut rented = several.iter().copied().filter(held);
            match (rented.next(), rented.next()) {
                (Some(one), None) => Ok(one),
                _ => Err(Reason::GpuAmbiguous),
            }
        }
    }
}

/// Whether the memory that a source gives is that of one GPU: per GPU, as a total of all, or as GiB where MiB is written.
fn memory_agrees(catalog: &Catalog, id: GpuId, said: &Hardware<'_>) -> bool {
    let Some(said_gib) = said.memory_gib.filter(|gib| *gib > 0.0) else { return true };
    let gpu = catalog.gpu(id);
    let count = said.gpus.unwrap_or(1.0);
    let near = |gib: f64, own: u64| {
        let own = own as f64 / GIB;
        (gib - own).abs() <= own * MEMORY_TOLERANCE
    };
    let share = count.min(1.0);
    let forms = [said_gib, said_gib / count.max(1.0), said_gib * 1024.0, said_gib / share];
    forms.into_iter().any(|gib| near(gib, gpu.memory_bytes) || near(gib, gpu.usable_bytes))
}

/// How many GPUs a machine has, as a catalog may hold it.
pub(super) fn count(said: &Hardware<'_>) -> Result<f64, Reason> {
    let count = said.gpus.ok_or(Reason::MachineNotKnown)?;
    if count == 0.0 {
        return Err(Reason::NoGpu);
    }
    let sound = count > 0.0 && count <= MOST_GPUS && (count < 1.0 || count.fract() == 0.0);
    if sound { Ok(count) } else { Err(Reason::GpuCountDiffers) }
}

/// The machine of a provider with this name, whatever its case.
pub(super) fn named(catalog: &Catalog, of: ProviderId, name: &str) -> Option<InstanceId> {
    let is = |it: &Instance| it.provider == of && it.name.eq_ignore_ascii_case(name);
    catalog.instances.iter().position(is).map(|at| InstanceId(at as u16))
}

/// The one machine of a provider with this hardware.
pub(super) fn alike(catalog: &Catalog, of: ProviderId, gpu: GpuId, count: f64) -> Option<InstanceId> {
    let is = |it: &Instance| it.provider == of && it.gpu == gpu && (it.gpus - count).abs() < 1e-9;
    let mut found = (0..catalog.instances.len()).filter(|&at| is(&catalog.instances[at]));
    let first = found.next()?;
    found.next().is_none().then_some(InstanceId(first as u16))
}

/// Regions of the catalog by what they are called; case and separators do not count.
pub(super) struct Regions {
    names: BTreeMap<(ProviderId, String), RegionId>,
    only: BTreeMap<ProviderId, RegionId>,
}

impl Regions {
    /// Of all providers.
    pub(super) fn new(catalog: &Catalog) -> Self {
        let mut regions = Self { names: BTreeMap::new(), only: BTreeMap::new() };
        let all = || catalog.regions.iter().enumerate().map(|(at, region)| (RegionId(at as u16), region));
        for (id, region) in all() {
            regions.names.insert((region.provider, squeeze(&region.name)), id);
            regions.only.insert(region.provider, id);
        }
        for (id, region) in all() {
            if let Some(display) = &region.display {
                regions.names.entry((region.provider, squeeze(display))).or_insert(id);
            }
        }
        let count = |of: ProviderId| all().filter(|(_, region)| region.provider == of).count();
        regions.only.retain(|of, id| catalog.region(*id).name == "global" && count(*of) == 1);
        regions
    }

    /// The region with this squeezed name or display name.
    pub(super) fn named(&self, of: ProviderId, squeezed: &str) -> Option<RegionId> {
        self.names.get(&(of, squeezed.to_owned())).copied()
    }

    /// The only region of a provider, where it is called `global`: the place of prices that are the same everywhere.
    pub(super) fn only(&self, of: ProviderId) -> Option<RegionId> {
        self.only.get(&of).copied()
    }
}
