//! `[[gpu]]` rows: read, lay over, and look for peaks that are sparse figures.

use std::collections::BTreeSet;

use super::findings::{Findings, Spot};
use super::merge::lay_over;
use super::{FileTable, Layer, RowId};
use crate::catalog::codes;
use crate::catalog::gpu::{Gpu, Peaks, Stack};
use crate::catalog::provenance::SourceId;
use crate::catalog::raw::{At, Row};

/// Share of the label that counts as usable where no driver figure is sourced: drivers of HBM cards report 97.5 to
/// 100 % of the label as total (H100 SXM: 81,559 MiB of 81,920). Such rows say so: `usable_measured` is false.
const USABLE_SHARE_OF_LABEL: f64 = 0.98;

/// No accelerator has more memory than this.
const MOST_GPU_MEMORY: u64 = 16 << 40;

/// From this ratio to the next wider format on, a peak looks sparse. Halving the width doubles the dense rate; a sparse
/// figure makes it four times. FP4 on some chips is three times FP8, so the line lies between.
const SPARSE_RATIO: f64 = 3.3;

/// From this ratio to another member of the family on, a peak looks sparse: form factors of one chip differ by clocks,
/// up to 1.4.
const SPARSE_RATIO_IN_FAMILY: f64 = 1.8;

impl<'t> Layer<'t> {
    pub(super) fn read_gpus(&mut self, tables: &[FileTable<'t>]) {
        let mut gpus = Vec::new();
        let mut names: BTreeSet<String> = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("gpu") {
                let Some(gpu) = self.read_gpu(&mut row, table) else {
                    self.mark_broken(&mut row);
                    continue;
                };
                if names.insert(gpu.name.clone()) {
                    gpus.push(gpu);
                } else {
                    self.duplicate_name(&row, &gpu.name);
                }
            }
        }
        let moves = lay_over(&mut self.catalog.gpus, gpus, |gpu| gpu.name.clone());
        self.gpus_moved(&moves);
    }

    fn read_gpu(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Gpu> {
        let source = self.source_of(row, table);
        let usable_source = row.text(&mut self.findings, "usable-source");
        let usable_source = usable_source.and_then(|id| self.source_named(row, table, &id));
        let f = &mut self.findings;
        let name = required(row, f, "name");
        let memory = row.memory(f, "memory");
        let memory = row.need(f, "memory", memory);
        let usable = row.memory(f, "usable");
        let stack = row.choice(f, "stack", Stack::NAMES, Stack::from_name);
        let stack = row.need(f, "stack", stack);
        let year = row.whole(f, "year", 1990);
        let year = row.need(f, "year", year);
        let bandwidth = row.rate(f, "bandwidth-gb-s");
        let bandwidth = row.need(f, "bandwidth-gb-s", bandwidth);
        let vendor = required(row, f, "vendor");
        let architecture = required(row, f, "architecture");
        let form_factor = required(row, f, "form-factor");
        let memory_type = required(row, f, "memory-type");
        let peaks = read_peaks(row, f);
        let optional = read_optional(row, f);
        if let (Some(memory), usable) = (&memory, &usable) {
            check_memory(row, f, memory, usable.as_ref());
        }
        let waivers = row.waivers(f);
        row.finish(f);
        self.name_note("gpu", name.as_deref(), row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        let memory_bytes = memory?.value;
        let by_rule = (memory_bytes as f64 * USABLE_SHARE_OF_LABEL).round() as u64;
        Some(Gpu {
            name: name?,
            vendor: vendor?,
            architecture: architecture?,
            year: year?,
            form_factor: form_factor?,
            stack: stack?,
            memory_bytes,
            usable_measured: usable.is_some(),
            usable_bytes: usable.map_or(by_rule, |usable| usable.value),
            usable_source,
            memory_type: memory_type?,
            bandwidth_bytes_per_s: bandwidth? * 1e9,
            peaks,
            source: source?,
            ..optional
        })
    }

    /// Warns about peaks that look like figures with structured sparsity.
    pub(super) fn check_peaks(&mut self) {
        for (kind, name, row) in self.names.clone() {
            if kind != "gpu" {
                continue;
            }
            let Some(gpu) = self.catalog.gpus.iter().find(|gpu| gpu.name == name) else { continue };
            let found = sparse_against_itself(&gpu.peaks).or_else(|| self.sparse_against_family(gpu));
            if let Some(why) = found {
                let message = format!("a peak of `{name}` looks like a figure with sparsity: {why}");
                self.raise(
                    row,
                    &codes::PEAK_LOOKS_SPARSE,
                    message,
                    "enter the dense figure, usually half of it",
                );
            }
        }
    }

    fn sparse_against_family(&self, gpu: &Gpu) -> Option<String> {
        let families =
            self.catalog.families.iter().filter(|family| {
                family.members.iter().any(|&member| self.catalog.gpu(member).name == gpu.name)
            });
        let siblings = families.flat_map(|family| &family.members).map(|&member| self.catalog.gpu(member));
        siblings
            .filter(|sibling| sibling.name != gpu.name && sibling.architecture == gpu.architecture)
            .find_map(|sibling| {
                let (own, other) = (gpu.peaks.named(), sibling.peaks.named());
                own.into_iter().zip(other).find_map(|((format, own), (_, other))| {
                    let (own, other) = (own?, other?);
                    (own > other * SPARSE_RATIO_IN_FAMILY).then(|| {
                        format!(
                            "{format} is {:.1}, {:.1} times the {:.1} of `{}`",
                            own / 1e12,
                            own / other,
                            other / 1e12,
                            sibling.name
                        )
                    })
                })
            })
    }
}

/// The text of a key that every row must have.
pub(super) fn required(row: &mut Row<'_>, f: &mut Findings, key: &'static str) -> Option<String> {
    let text = row.owned(f, key);
    row.need(f, key, text)
}

fn read_peaks(row: &mut Row<'_>, f: &mut Findings) -> Peaks {
    let mut tera = |key: &'static str| row.rate(f, key).map(|rate| rate * 1e12);
    Peaks {
        fp64: tera("fp64-tflops"),
        fp32: tera("fp32-tflops"),
        tf32: tera("tf32-tflops"),
        fp16: tera("fp16-tflops"),
        bf16: tera("bf16-tflops"),
        fp8: tera("fp8-tflops"),
        int8: tera("int8-tops"),
        fp4: tera("fp4-tflops"),
    }
}

/// The fields that a row may leave out, in an otherwise empty GPU.
fn read_optional(row: &mut Row<'_>, f: &mut Findings) -> Gpu {
    Gpu {
        link_bytes_per_s: row.rate(f, "link-gb-s").map(|rate| rate * 1e9),
        link_pairs_only: row.flag(f, "link-pairs-only").unwrap_or(false),
        pcie_gen: row.whole(f, "pcie-gen", 1),
        tdp_w: row.rate(f, "tdp-w"),
        mig_max_instances: row.whole(f, "mig-max-instances", 0).unwrap_or(0),
        mig_profiles: row.owned_texts(f, "mig-profiles"),
        compute_capability: row.owned(f, "compute-capability"),
        bf16: row.flag(f, "bf16").unwrap_or(false),
        fp8: row.flag(f, "fp8").unwrap_or(false),
        aliases: row.owned_texts(f, "aliases"),
        note: row.owned(f, "note"),
        ..Gpu::empty(SourceId(0))
    }
}

fn check_memory(row: &mut Row<'_>, f: &mut Findings, label: &At<u64>, usable: Option<&At<u64>>) {
    let refuse = |row: &mut Row<'_>, f: &mut Findings, spot: Spot, message: String| {
        row.refuse(
            f,
            spot,
            &codes::BAD_MEMORY,
            message,
            "check the unit: drivers print MiB, labels mean GiB",
        );
    };
    if label.value == 0 || label.value > MOST_GPU_MEMORY {
        refuse(row, f, label.spot, "no accelerator has this much memory".to_owned());
        return;
    }
    let Some(usable) = usable else { return };
    // Labels are rounded: 95,830 MiB stand on a label of 94 GiB nowhere, 81,920 MiB on one of 80 do.
    if usable.value as f64 > label.value as f64 * 1.02 || usable.value * 2 < label.value {
        let gib = |bytes: u64| bytes as f64 / crate::units::GIB;
        let message = format!(
            "usable memory of {:.1} GiB does not go with a label of {:.1} GiB",
            gib(usable.value),
            gib(label.value)
        );
        refuse(row, f, usable.spot, message);
    }
}

/// The first format whose peak is too far above the next wider one.
fn sparse_against_itself(peaks: &Peaks) -> Option<String> {
    let half = peaks.bf16.or(peaks.fp16);
    // Without matrix units INT8 has no tie to FP16 (P40: 47 TOPS beside a crippled FP16).
    let matrix = half.zip(peaks.fp32).is_some_and(|(half, fp32)| half > 1.5 * fp32);
    let int8 = peaks.int8.filter(|_| matrix);
    let pairs = [
        ("bf16 against tf32", peaks.bf16, peaks.tf32),
        ("fp16 against tf32", peaks.fp16, peaks.tf32),
        ("fp8 against bf16", peaks.fp8, half),
        ("int8 against fp16", int8, peaks.fp16.or(half)),
        ("fp4 against fp8", peaks.fp4, peaks.fp8),
    ];
    for (what, narrow, wide) in pairs {
        if let (Some(narrow), Some(wide)) = (narrow, wide)
            && narrow > wide * SPARSE_RATIO
        {
            return Some(format!("{what} is {:.1} times, dense formats double", narrow / wide));
        }
    }
    let (fp16, bf16) = peaks.fp16.zip(peaks.bf16)?;
    let ratio = fp16.max(bf16) / fp16.min(bf16);
    (ratio > SPARSE_RATIO_IN_FAMILY)
        .then(|| format!("fp16 and bf16 differ {ratio:.1} times, they run at one rate"))
}

impl RowId {
    /// The position as a number.
    pub(super) fn index(self) -> usize {
        self.0
    }
}
