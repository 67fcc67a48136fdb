//! The page of `network`.

use super::{count, layout, na, unknown};
use crate::lang::quoted;
use crate::report::impact::ImpactLine;
use crate::report::network::{Network, NetworkLine};
use crate::report::number::Num;
use crate::report::view::{Block, Grid};

/// One line a table, then what is behind each verdict, then what it means for the workload.
pub(in crate::report) fn network(answer: &Network) -> Vec<Block> {
    if answer.results.is_empty() {
        return Vec::new();
    }
    let mut grid = Grid::new(&[
        "verdict",
        "collective",
        "cluster",
        ">busbw GB/s",
        "at",
        ">expected",
        ">slow below",
        ">share %",
        ">latency us",
        ">NIC/GPU GB/s",
        "sure",
        "file",
    ]);
    for line in &answer.results {
        grid.push(cells(line));
    }
    let grid = grid.expendable(&["file", "at", "NIC/GPU GB/s", "slow below", "sure", "latency us"]);
    let mut blocks = vec![Block::Table(grid)];
    for line in &answer.results {
        blocks.push(Block::Heading(format!("{}: {}", name(line), line.verdict)));
        blocks.push(Block::List(behind(line)));
    }
    blocks.extend(impact(answer));
    blocks
}

fn name(line: &NetworkLine) -> String {
    if line.table > 1 { format!("{}, table {}", line.file, line.table) } else { line.file.clone() }
}

fn cells(line: &NetworkLine) -> Vec<String> {
    let expected = line.expected.as_ref();
    vec![
        line.verdict.to_owned(),
        line.collective.map_or_else(unknown, str::to_owned),
        cluster(line),
        na(line.plateau_busbw_gb_per_s),
        line.plateau_size_bytes.map_or_else(unknown, size),
        na(expected.map(|it| it.gb_per_s)),
        na(expected.map(|it| it.low)),
        na(line.share_of_expected_pct),
        na(line.latency_us),
        na(line.per_gpu_nic_gb_per_s),
        line.confidence.to_owned(),
        name(line),
    ]
}

/// `2 nodes, 16x H100-SXM`.
fn cluster(line: &NetworkLine) -> String {
    let nodes = line.nodes.map_or_else(String::new, |nodes| {
        format!("{nodes}\u{a0}node{}, ", if nodes == 1 { "" } else { "s" })
    });
    match (line.gpus, line.gpu.as_deref()) {
        (None, None) => unknown(),
        (gpus, gpu) => format!("{nodes}{}x {}", count(gpus), gpu.unwrap_or("GPU of unknown name")),
    }
}

/// Bytes as people ask for them: `8 GiB`.
fn size(bytes: Num) -> String {
    let mut value = bytes.value();
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{}\u{a0}{}", Num::rounded(value, 1), units[unit])
}

fn behind(line: &NetworkLine) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(expected), Some(compared)) = (&line.expected, line.compared_busbw_gb_per_s) {
        let at = expected.size_bytes.map_or_else(String::new, |bytes| format!(" at {}", size(bytes)));
        lines.push(format!(
            "{compared} GB/s{at} against {} GB/s expected of {} ({}, {} to {}): {}",
            expected.gb_per_s,
            expected.platform,
            expected.basis,
            expected.low,
            expected.high,
            expected.source
        ));
    }
    if let (Some(average), Some(plateau)) = (line.avg_busbw_gb_per_s, line.plateau_busbw_gb_per_s) {
        lines.push(format!(
            "the average over all sizes, {average} GB/s, depends on the sizes and is not what is compared; the plateau is {plateau}"
        ));
    }
    lines.extend(line.failures.iter().take(2).map(|failure| format!("the log says: {}", quoted(failure))));
    lines.extend(line.causes.iter().map(|cause| format!("[{}] {}", cause.id, cause.message)));
    lines.extend(line.advice.iter().map(|advice| format!("to do: {advice}")));
    lines
}

fn impact(answer: &Network) -> Vec<Block> {
    if answer.impact.is_empty() {
        return Vec::new();
    }
    let mut grid = Grid::new(&[
        "links",
        ">GPUs",
        ">nodes",
        ">reached GB/s",
        ">step s",
        ">communication %",
        ">scaling %",
        ">tokens/s",
        "layout",
        "file",
    ]);
    let mut reasons = Vec::new();
    for line in &answer.impact {
        grid.push(impact_cells(line));
        reasons.extend(line.reason.iter().map(|reason| format!("{} links: {reason}", line.links)));
    }
    let headline = answer.workload.as_ref().map(crate::report::workload::WorkloadLine::headline);
    let title = headline.map_or_else(|| "For the workload".to_owned(), |headline| format!("For {headline}"));
    let mut blocks = vec![
        Block::Heading(title),
        Block::Table(grid.expendable(&["file", "layout", "nodes", "reached GB/s"])),
    ];
    if !reasons.is_empty() {
        blocks.push(Block::List(reasons));
    }
    blocks
}

fn impact_cells(line: &ImpactLine) -> Vec<String> {
    let percent = |share: Option<Num>| na(share.map(|share| Num::percent(share.value() * 100.0)));
    vec![
        line.links.to_owned(),
        line.gpus.to_string(),
        line.nodes.to_string(),
        na(line.reached_gb_per_s),
        na(line.step_s),
        percent(line.communication_share),
        percent(line.scaling_efficiency),
        na(line.tokens_per_s),
        line.parallelism.as_ref().map_or_else(unknown, layout),
        line.file.clone(),
    ]
}
