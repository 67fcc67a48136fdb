//! `[[instance]]` rows.

use std::collections::BTreeSet;

use super::gpus::required;
use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::codes;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::{Instance, Unit};
use crate::catalog::raw::{At, Row};
use crate::units::GIB;

/// Memory per GPU may differ from the GPU's by this share: clouds round, and print GB for GiB or usable for label.
const MEMORY_TOLERANCE: f64 = 0.05;

/// No machine or slice has more accelerators than this.
const MOST_GPUS: f64 = 100_000.0;

impl<'t> Layer<'t> {
    pub(super) fn read_instances(&mut self, tables: &[FileTable<'t>]) {
        let mut instances = Vec::new();
        let mut names = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("instance") {
                let Some(instance) = self.read_instance(&mut row, table) else {
                    self.mark_broken(&mut row);
                    continue;
                };
                if names.insert((instance.provider, instance.name.clone())) {
                    instances.push(instance);
                } else {
                    self.duplicate_name(&row, &self.qualified(instance.provider, &instance.name));
                }
            }
        }
        let key = |instance: &Instance| (instance.provider, instance.name.clone());
        let moves = lay_over(&mut self.catalog.instances, instances, key);
        self.instances_moved(&moves);
    }

    fn read_instance(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Instance> {
        let source = self.source_of(row, table);
        let provider = self.provider_of(row, table);
        let gpu = self.gpu_of(row);
        let f = &mut self.findings;
        let name = required(row, f, "name");
        let gpus = row.number(f, "gpus");
        let gpus = row.need(f, "gpus", gpus);
        let gpus = gpus.filter(|gpus| check_count(row, f, gpus));
        let memory = row.memory(f, "gpu-memory");
        let vcpus = row.amount(f, "vcpus", 0.0);
        let ram_gib = row.amount(f, "ram-gib", 0.0);
        let nvme_gb = row.amount(f, "nvme-gb", 0.0);
        let network_gbps = row.rate(f, "network-gbps");
        let smallest = row.amount(f, "smallest-count", 1.0);
        let unit = row.choice(f, "unit", Unit::NAMES, Unit::from_name);
        let note = row.owned(f, "note");
        let waivers = row.waivers(f);
        row.finish(f);
        let share = gpus.as_ref().map(|gpus| gpus.value.min(1.0));
        let memory_bytes =
            gpu.zip(share).map(|(gpu, share)| self.check_gpu_memory(row, gpu, share, memory.as_ref()));
        let full = name.as_deref().zip(provider).map(|(name, provider)| self.qualified(provider, name));
        self.name_note("instance", full.as_deref(), row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        Some(Instance {
            provider: provider?,
            name: name?,
            gpu: gpu?,
            gpus: gpus?.value,
            gpu_memory_bytes: memory_bytes?,
            vcpus,
            ram_gib,
            nvme_gb,
            network_gbps,
            smallest_count: smallest.map_or(1, |count| count.round() as u32),
            unit: unit.unwrap_or_default(),
            source: source?,
            note,
        })
    }

    /// The GPU of a row, by its name or by an alias that means one GPU.
    fn gpu_of(&mut self, row: &mut Row<'t>) -> Option<GpuId> {
        let name = row.text(&mut self.findings, "gpu");
        let name = row.need(&mut self.findings, "gpu", name)?;
        let found = self.catalog.gpus.iter().position(|gpu| gpu.name == name.value);
        let found = found.map(|at| GpuId(at as u16)).or_else(|| self.catalog.only_gpu_named(name.value));
        if found.is_none() {
            self.unknown_gpu(row, name.value, name.spot);
        }
        found
    }

    /// Memory of one GPU, or of the share, after comparing it with what the GPU itself has.
    fn check_gpu_memory(
        &mut self,
        row: &mut Row<'t>,
        gpu: GpuId,
        share: f64,
        memory: Option<&At<u64>>,
    ) -> u64 {
        let gpu = self.catalog.gpu(gpu);
        let own = |bytes: u64| bytes as f64 * share;
        let Some(memory) = memory else { return own(gpu.memory_bytes).round() as u64 };
        let near = |bytes: u64| (memory.value as f64 - own(bytes)).abs() <= own(bytes) * MEMORY_TOLERANCE;
        if !near(gpu.memory_bytes) && !near(gpu.usable_bytes) {
            let of = if share < 1.0 {
                format!("{share} of a `{}`", gpu.name)
            } else {
                format!("a `{}`", gpu.name)
            };
            let message = format!(
                "{:.1} GiB per GPU, but {of} has {:.1} GiB ({:.1} usable)",
                memory.value as f64 / GIB,
                own(gpu.memory_bytes) / GIB,
                own(gpu.usable_bytes) / GIB
            );
            let hint =
                "give the memory of one GPU, not of all; leave the key out to take the GPU's own figure";
            row.refuse(&mut self.findings, memory.spot, &codes::GPU_MEMORY_MISMATCH, message, hint);
        }
        memory.value
    }
}

/// Whether the count is a share of one GPU, or a whole number of them.
fn check_count(row: &mut Row<'_>, f: &mut super::Findings, gpus: &At<f64>) -> bool {
    let At { value: count, spot } = *gpus;
    let why = if !count.is_finite() || count <= 0.0 {
        "a machine here has at least a share of one GPU"
    } else if count > MOST_GPUS {
        "no machine or slice has so many"
    } else if count > 1.0 && count.fract() != 0.0 {
        "above one only whole GPUs are sold"
    } else {
        return true;
    };
    let hint = "write whole GPUs, or a share of one below 1 such as 0.125";
    row.refuse(f, spot, &codes::BAD_COUNT, format!("`gpus` is {count}, {why}"), hint);
    false
}
