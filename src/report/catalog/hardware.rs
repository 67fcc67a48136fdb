//! Rows of `catalog gpus` and `catalog instances`.

use super::CatalogRow;
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::InstanceId;
use crate::report::date::Dated;
use crate::report::number::Num;
use crate::report::text::{count_by_memory, na};
use serde::Serialize;

/// One accelerator. Peaks are dense.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `catalog::gpu::Gpu`, units in the names")]
#[expect(clippy::struct_excessive_bools, reason = "a row of a table, not a state")]
pub struct GpuRow {
    pub name: String,
    pub aliases: Vec<String>,
    pub vendor: String,
    pub architecture: String,
    pub year: u16,
    pub form_factor: String,
    pub stack: &'static str,
    pub memory_gib: Num,
    pub usable_gib: Num,
    /// The usable figure is a driver's; `false` where it is the rule of 98 % of the label.
    pub usable_measured: bool,
    /// Its source, where that is another than the row's.
    pub usable_source: Option<String>,
    pub memory_type: String,
    pub bandwidth_gb_per_s: Num,
    pub fp64_tflops: Option<Num>,
    pub fp32_tflops: Option<Num>,
    pub tf32_tflops: Option<Num>,
    pub fp16_tflops: Option<Num>,
    pub bf16_tflops: Option<Num>,
    pub fp8_tflops: Option<Num>,
    pub fp4_tflops: Option<Num>,
    pub int8_tops: Option<Num>,
    pub link_gb_per_s: Option<Num>,
    pub link_pairs_only: bool,
    pub pcie_gen: Option<u8>,
    pub tdp_w: Option<Num>,
    pub mig_max_instances: u8,
    pub mig_profiles: Vec<String>,
    pub compute_capability: Option<String>,
    pub bf16: bool,
    pub fp8: bool,
    pub families: Vec<String>,
    pub source: String,
    pub as_of: Dated,
    pub note: Option<String>,
}

impl GpuRow {
    pub(super) fn new(catalog: &Catalog, id: GpuId) -> Self {
        let gpu = catalog.gpu(id);
        let source = catalog.source(gpu.source);
        let tera = |peak: Option<f64>| peak.map(|flops| Num::rounded(flops / 1e12, 3));
        let giga = |rate: f64| Num::rounded(rate / 1e9, 3);
        let families = catalog.families.iter().filter(|f| f.members.contains(&id));
        Self {
            name: gpu.name.clone(),
            aliases: gpu.aliases.clone(),
            vendor: gpu.vendor.clone(),
            architecture: gpu.architecture.clone(),
            year: gpu.year,
            form_factor: gpu.form_factor.clone(),
            stack: gpu.stack.name(),
            memory_gib: Num::gib(gpu.memory_bytes as f64),
            usable_gib: Num::gib(gpu.usable_bytes as f64),
            usable_measured: gpu.usable_measured,
            usable_source: gpu.usable_source.map(|id| catalog.source(id).text.clone()),
            memory_type: gpu.memory_type.clone(),
            bandwidth_gb_per_s: giga(gpu.bandwidth_bytes_per_s),
            fp64_tflops: tera(gpu.peaks.fp64),
            fp32_tflops: tera(gpu.peaks.fp32),
            tf32_tflops: tera(gpu.peaks.tf32),
            fp16_tflops: tera(gpu.peaks.fp16),
            bf16_tflops: tera(gpu.peaks.bf16),
            fp8_tflops: tera(gpu.peaks.fp8),
            fp4_tflops: tera(gpu.peaks.fp4),
            int8_tops: tera(gpu.peaks.int8),
            link_gb_per_s: gpu.link_bytes_per_s.map(giga),
            link_pairs_only: gpu.link_pairs_only,
            pcie_gen: gpu.pcie_gen,
            tdp_w: gpu.tdp_w.map(Num::exact),
            mig_max_instances: gpu.mig_max_instances,
            mig_profiles: gpu.mig_profiles.clone(),
            compute_capability: gpu.compute_capability.clone(),
            bf16: gpu.bf16,
            fp8: gpu.fp8,
            families: families.map(|f| f.name.clone()).collect(),
            source: source.text.clone(),
            as_of: Dated(source.as_of),
            note: gpu.note.clone(),
        }
    }
}

impl CatalogRow for GpuRow {
    const KIND: &'static str = "gpu";
    const EXPENDABLE: &'static [&'static str] =
        &["vendor", "year", "link GB/s", "as of", "stack", "FP8 TFLOPS"];
    const COLUMNS: &'static [&'static str] = &[
        "name",
        "aliases",
        "vendor",
        "architecture",
        "year",
        "form_factor",
        "stack",
        "memory_gib",
        "usable_gib",
        "usable_measured",
        "usable_source",
        "memory_type",
        "bandwidth_gb_per_s",
        "fp64_tflops",
        "fp32_tflops",
        "tf32_tflops",
        "fp16_tflops",
        "bf16_tflops",
        "fp8_tflops",
        "fp4_tflops",
        "int8_tops",
        "link_gb_per_s",
        "link_pairs_only",
        "pcie_gen",
        "tdp_w",
        "mig_max_instances",
        "mig_profiles",
        "compute_capability",
        "bf16",
        "fp8",
        "families",
        "source",
        "as_of",
        "note",
    ];

    fn titles() -> &'static [&'static str] {
        &[
            "GPU",
            "vendor",
            "year",
            ">GiB",
            ">usable GiB",
            ">GB/s",
            ">FP32 TFLOPS",
            ">BF16 TFLOPS",
            ">FP8 TFLOPS",
            ">link GB/s",
            "stack",
            "as of",
        ]
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.vendor.clone(),
            self.year.to_string(),
            self.memory_gib.to_string(),
            self.usable_gib.to_string(),
            self.bandwidth_gb_per_s.to_string(),
            na(self.fp32_tflops),
            na(self.bf16_tflops),
            na(self.fp8_tflops),
            na(self.link_gb_per_s),
            self.stack.to_owned(),
            self.as_of.short(),
        ]
    }
}

/// One machine type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `catalog::instance::Instance`, units in the names")]
pub struct InstanceRow {
    pub provider: String,
    pub tier: &'static str,
    pub instance_type: String,
    pub gpu: String,
    pub gpus_per_node: Num,
    /// Memory on the label of one GPU or share.
    pub gpu_memory_gib: Num,
    /// That times the count; for a share its own memory.
    pub total_gpu_memory_gib: Num,
    pub vcpus: Option<Num>,
    pub ram_gib: Option<Num>,
    pub nvme_gb: Option<Num>,
    pub network_gbps: Option<Num>,
    pub unit: &'static str,
    /// Fewest of this unit that are sold together.
    pub smallest_count: u32,
    /// Regions with a price row.
    pub regions: Vec<String>,
    pub source: String,
    pub as_of: Dated,
    pub note: Option<String>,
}

impl InstanceRow {
    pub(super) fn new(catalog: &Catalog, id: InstanceId) -> Self {
        let instance = catalog.instance(id);
        let provider = catalog.provider(instance.provider);
        let source = catalog.source(instance.source);
        let mut regions: Vec<String> = Vec::new();
        for price in catalog.prices_of(id) {
            let name = &catalog.region(price.region).name;
            if !regions.contains(name) {
                regions.push(name.clone());
            }
        }
        regions.sort();
        let memory = Num::gib(instance.gpu_memory_bytes as f64);
        Self {
            provider: provider.name.clone(),
            tier: provider.tier.name(),
            instance_type: instance.name.clone(),
            gpu: catalog.gpu(instance.gpu).name.clone(),
            gpus_per_node: Num::exact(instance.gpus),
            gpu_memory_gib: memory,
            total_gpu_memory_gib: Num::rounded(memory.value() * instance.gpus.max(1.0), 3),
            vcpus: instance.vcpus.map(Num::exact),
            ram_gib: instance.ram_gib.map(|gib| Num::rounded(gib, 3)),
            nvme_gb: instance.nvme_gb.map(Num::exact),
            network_gbps: instance.network_gbps.map(Num::exact),
            unit: instance.unit.name(),
            smallest_count: instance.smallest_count,
            regions,
            source: source.text.clone(),
            as_of: Dated(source.as_of),
            note: instance.note.clone(),
        }
    }
}

impl CatalogRow for InstanceRow {
    const KIND: &'static str = "instance";
    const EXPENDABLE: &'static [&'static str] = &["unit", "NVMe GB", "total GiB", "as of", "net Gbit/s"];
    const COLUMNS: &'static [&'static str] = &[
        "provider",
        "tier",
        "instance_type",
        "gpu",
        "gpus_per_node",
        "gpu_memory_gib",
        "total_gpu_memory_gib",
        "vcpus",
        "ram_gib",
        "nvme_gb",
        "network_gbps",
        "unit",
        "smallest_count",
        "regions",
        "source",
        "as_of",
        "note",
    ];

    fn titles() -> &'static [&'static str] {
        &[
            "provider",
            "instance",
            "GPU",
            "memory per GPU",
            ">total GiB",
            ">vCPU",
            ">RAM GiB",
            ">NVMe GB",
            ">net Gbit/s",
            "unit",
            "as of",
        ]
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.provider.clone(),
            self.instance_type.clone(),
            self.gpu.clone(),
            count_by_memory(self.gpus_per_node, self.gpu_memory_gib),
            self.total_gpu_memory_gib.to_string(),
            na(self.vcpus),
            na(self.ram_gib),
            na(self.nvme_gb),
            na(self.network_gbps),
            self.unit.to_owned(),
            self.as_of.short(),
        ]
    }
}
