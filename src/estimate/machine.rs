//! From catalog rows to the hardware shape that physics needs: link speeds by form factor, usable memory, shares.
//!
//! No workload is known here.

use super::{Machine, MeasuredLink, MeasuredLinks, Unplannable};
use crate::catalog::Catalog;
use crate::catalog::gpu::{Gpu, Stack};
use crate::catalog::instance::{Instance, Unit};
use crate::workload::precision::Precision;

/// Bits per byte times 10^9: Gbit/s to bytes/s.
const BYTES_PER_S_PER_GBPS: f64 = 1e9 / 8.0;

impl<'a> Machine<'a> {
    /// One node of `gpus` bare accelerators, with nothing known of a host or a network.
    pub fn of_gpu(catalog: &Catalog, gpu: &'a Gpu, gpus: u32) -> Result<Self, Unplannable> {
        let (intra_bytes_per_s, fast_intra) = intra_link(catalog, gpu, gpus)?;
        Ok(Self {
            gpu,
            gpus_per_node: gpus.max(1),
            share: 1.0,
            memory_bytes: gpu.memory_bytes as f64,
            usable_bytes: gpu.usable_bytes as f64,
            intra_bytes_per_s,
            fast_intra,
            inter_bytes_per_s: None,
            host_ram_bytes: None,
            measured: MeasuredLinks::default(),
        })
    }

    /// One machine of the catalog. `assumed_network_gbps` stands in where the catalog has no figure for the network.
    pub fn of_instance(
        catalog: &'a Catalog,
        instance: &Instance,
        assumed_network_gbps: Option<f64>,
    ) -> Result<Self, Unplannable> {
        let gpu = catalog.gpu(instance.gpu);
        let gpus = instance.whole_gpus();
        let memory_bytes = instance.gpu_memory_bytes as f64;
        let bare = Self::of_gpu(catalog, gpu, gpus)?;
        let network = instance.network_gbps.or(assumed_network_gbps).map(|gbps| gbps * BYTES_PER_S_PER_GBPS);
        Ok(Self {
            share: instance.gpus.min(1.0),
            memory_bytes,
            // What the driver keeps for itself is in proportion on a share.
            usable_bytes: bare.usable_bytes * memory_bytes / bare.memory_bytes,
            inter_bytes_per_s: slice_link(&bare, instance.unit).or(network),
            host_ram_bytes: instance.ram_gib.map(|gib| gib * crate::units::GIB),
            ..bare
        })
    }

    /// Dense peak of one GPU (or share) in operations/s; `None` where the GPU lacks the format or no source has it.
    pub fn peak(&self, precision: Precision) -> Option<f64> {
        precision.peak(self.gpu).map(|peak| peak * self.share)
    }

    /// Memory bandwidth of one GPU (or share) in bytes/s.
    pub fn bandwidth(&self) -> f64 {
        self.gpu.bandwidth_bytes_per_s * self.share
    }

    /// The same machine with links of the user's own cluster. A tree moves fewer bytes over the network than the formula of
    /// the bus bandwidth counts, so that a figure above the network cards of a node is one of the tree: the cards are the
    /// bound then. Where nothing is known of the cards, the measured figure stands.
    #[must_use]
    pub fn with_measured(self, measured: MeasuredLinks) -> Self {
        let cards = self.inter_bytes_per_s;
        let inter = measured.inter.map(|link| MeasuredLink {
            bytes_per_s: link.bytes_per_s.min(cards.unwrap_or(f64::INFINITY)),
            ..link
        });
        Self {
            inter_bytes_per_s: cards.or(inter.map(|link| link.bytes_per_s)),
            measured: MeasuredLinks { intra: measured.intra, inter },
            ..self
        }
    }

    /// Bytes per second that collectives reach inside a node, per GPU and direction: as measured, else this share of the link.
    pub fn intra_reached(&self, share: f64) -> f64 {
        self.measured.intra.map_or(self.intra_bytes_per_s * share, |link| link.bytes_per_s)
    }

    /// The same between nodes, per node and direction; `None` where nothing is known.
    pub fn inter_reached(&self, share: f64) -> Option<f64> {
        let measured = self.measured.inter.map(|link| link.bytes_per_s);
        measured.or_else(|| self.inter_bytes_per_s.map(|link| link * share))
    }

    /// Whether a plan may use several of these: not where nothing is known of the network, and not of shares.
    pub fn can_scale_out(&self) -> bool {
        self.inter_bytes_per_s.is_some() && self.share >= 1.0
    }
}

/// Bandwidth between the GPUs of a node per GPU and direction in bytes/s, and whether it is a fast fabric.
///
/// The catalog's link figure adds both directions. A bridge that joins pairs carries nothing between the pairs, so a
/// collective over more than two cards runs at the speed of PCIe.
fn intra_link(catalog: &Catalog, gpu: &Gpu, gpus: u32) -> Result<(f64, bool), Unplannable> {
    let linked = gpu.link_bytes_per_s.filter(|&link| link > 0.0 && !(gpu.link_pairs_only && gpus > 2));
    if let Some(link) = linked {
        return Ok((link / 2.0, true));
    }
    let Some(generation) = gpu.pcie_gen else { return unknown_link(gpu, gpus) };
    let class = format!("gen{generation}");
    match catalog.constant("pcie-bandwidth", Some(gpu), None, Some(&class), gpus) {
        Some(constant) => Ok((constant.value, false)),
        None => Err(Unplannable {
            id: "constant-missing",
            message: format!("no constant `pcie-bandwidth` of class `{class}` for {}", gpu.name),
        }),
    }
}

/// A single accelerator needs no link; several whose link has no source cannot be judged.
fn unknown_link(gpu: &Gpu, gpus: u32) -> Result<(f64, bool), Unplannable> {
    if gpus <= 1 {
        return Ok((0.0, false));
    }
    Err(Unplannable {
        id: "link-unknown",
        message: format!("no source says how fast {} accelerators of a node are linked", gpu.name),
    })
}

/// The link of a TPU pod goes on from host to host: chips and hosts of one slice talk at the speed of the fabric.
fn slice_link(bare: &Machine, unit: Unit) -> Option<f64> {
    let sliced = matches!(unit, Unit::Chip | Unit::Host) && bare.gpu.stack == Stack::Xla && bare.fast_intra;
    sliced.then(|| bare.intra_bytes_per_s * f64::from(bare.gpus_per_node))
}

#[cfg(test)]
mod tests;
