//! The machine of a row: GPUs that one fabric joins, and the network between nodes, as stated or as the maker's
//! reference system has them.

use crate::catalog::Catalog;
use crate::catalog::gpu::{GpuId, Stack};
use crate::estimate::Machine;
use crate::insight::Skip;
use crate::insight::question::Question;

/// Bits per byte times 10^9: Gbit/s to bytes/s.
const BYTES_PER_S_PER_GBPS: f64 = 1e9 / 8.0;

/// Gbit/s of one link by the name of its generation: InfiniBand Trade Association roadmap (four lanes), Intel Omni-Path.
const GENERATIONS: [(&str, f64); 6] =
    [("edr", 100.0), ("hdr", 200.0), ("ndr", 400.0), ("xdr", 800.0), ("omnipath", 100.0), ("fdr", 56.0)];

/// GPUs of a node and the network between nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    /// GPUs that one fabric joins.
    pub(super) gpus: u32,
    /// Bandwidth between nodes, per node and direction, in bytes/s; `None` with one node, or where nothing is known.
    pub(super) network: Option<f64>,
}

impl Node {
    /// The node of a row.
    pub(super) fn of(catalog: &Catalog, question: &Question, gpu: GpuId, total_gpus: u32) -> Self {
        let chip = catalog.gpu(gpu);
        let reference =
            |key: &str| catalog.constant(key, Some(chip), None, None, total_gpus).map(|c| c.value);
        let fabric = reference("reference-node-gpus").unwrap_or(8.0) as u32;
        let text = question.text("interconnect").unwrap_or_default();
        let stated = question
            .count("nodes")
            .filter(|&nodes| nodes <= total_gpus)
            .map(|nodes| total_gpus.div_ceil(nodes))
            .or_else(|| gpus_per_node(text));
        // Trays of a rack and hosts of a slice are nodes to the scheduler, but one fabric joins them.
        let joined = chip.stack == Stack::Xla || fabric > 16;
        let gpus = if joined { fabric } else { stated.unwrap_or(fabric) }.min(total_gpus).max(1);
        if total_gpus <= gpus {
            return Self { gpus, network: None };
        }
        let usual = || reference("reference-network-gbps").map(|each| each * f64::from(gpus));
        let gbps = network_gbps(text, gpus).or_else(usual);
        Self { gpus, network: gbps.map(|gbps| gbps * BYTES_PER_S_PER_GBPS) }
    }

    /// The machine that physics knows.
    pub(super) fn machine(self, catalog: &Catalog, gpu: GpuId) -> Result<Machine<'_>, Skip> {
        let machine = Machine::of_gpu(catalog, catalog.gpu(gpu), self.gpus)
            .map_err(|error| Skip::new(error.message))?;
        Ok(Machine { inter_bytes_per_s: self.network, ..machine })
    }
}

/// `4 V100/node`: the number before what is `/node`.
fn gpus_per_node(text: &str) -> Option<u32> {
    let before = text.split("/node").next().filter(|before| before.len() < text.len())?;
    let words: Vec<&str> = before.split([' ', ':', ';', ',']).collect();
    words.iter().rev().find_map(|word| word.parse().ok()).filter(|&gpus| gpus > 0)
}

/// Gbit/s of a node for compute: links times their speed, the largest sum of what is not for storage or management.
fn network_gbps(text: &str, gpus: u32) -> Option<f64> {
    let clauses = text.split([',', ';']).filter(|clause| {
        let other = clause.contains("storage") || clause.contains("management");
        !clause.contains("data bandwidth")
            && !clause.contains("pcie")
            && (!other || clause.contains("compute"))
    });
    clauses.filter_map(|clause| clause_gbps(clause, gpus)).max_by(f64::total_cmp)
}

/// Gbit/s of one clause: `8x ConnectX-7 IB NDR 400Gb/s`, `1600 Gbps RoCE per node`, `400Gb/s RDMA per GPU`.
fn clause_gbps(clause: &str, gpus: u32) -> Option<f64> {
    let lower = clause.to_lowercase();
    let speed = written_speed(clause)
        .or_else(|| GENERATIONS.iter().find(|(name, _)| lower.contains(name)).map(|&(_, gbps)| gbps))?;
    let times = if lower.contains("per gpu") { f64::from(gpus) } else { f64::from(links(clause)) };
    Some(speed * times)
}

/// The number in front of `x `: how many links.
fn links(clause: &str) -> u32 {
    let at = clause.char_indices().filter(|&(_, c)| c == 'x');
    at.filter_map(|(at, _)| {
        let before = clause[..at].trim_end();
        let digits = before.trim_start_matches(|c: char| !c.is_ascii_digit());
        let digits = digits.rsplit(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok().filter(|_| before.ends_with(digits))
    })
    .find(|&links| links > 0)
    .unwrap_or(1)
}

/// A number with a unit of bits (`Gb`) or bytes (`GB`) per second behind it, in Gbit/s.
fn written_speed(clause: &str) -> Option<f64> {
    let units = [("GB/s", 8.0), ("Gb", 1.0), ("G Ethernet", 1.0)];
    units.iter().find_map(|&(unit, factor)| {
        let at = clause.find(unit)?;
        let before = clause[..at].trim_end();
        let start = before.rfind(|c: char| !c.is_ascii_digit() && c != '.').map_or(0, |at| at + 1);
        before.get(start..)?.parse::<f64>().ok().map(|number| number * factor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_of_nodes_are_read_from_words() {
        for (text, gpus, gbps) in [
            ("1600 Gbps RoCE per node", 8, Some(1600.0)),
            ("NVLink; 400Gb/s RDMA per GPU", 8, Some(3200.0)),
            ("NVLink4; IB 8x50GB/s", 8, Some(3200.0)),
            ("Jean Zay: NVLink, 4x OmniPath 100Gb per node", 8, Some(400.0)),
            ("Storage: 2x ConnectX-7 IB NDR 400Gb/s, Compute: 8x ConnectX-7 IB NDR 400Gb/s", 8, Some(3200.0)),
            ("GCP A3 (8x200Gbps GPUDirect-TCPX)", 8, Some(1600.0)),
            ("Selene DGX A100 8x HDR IB", 8, Some(1600.0)),
            ("10G Ethernet", 8, Some(10.0)),
            ("DGX SuperPOD", 8, None),
            ("TODO", 8, None),
        ] {
            assert_eq!(network_gbps(text, gpus), gbps, "{text}");
        }
        assert_eq!(gpus_per_node("Jean Zay: 4 V100/node NVLink"), Some(4));
        assert_eq!(gpus_per_node("DGX A100"), None);
    }
}
