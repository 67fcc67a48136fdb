//! The page of `rightsize`.

use super::{billing, na, price_text};
use crate::report::rightsize::{DutyLine, GpuLine, PresentLine, RecommendationLine, ResultLine, Rightsize};
use crate::report::view::{Block, Grid};

/// The page of `rightsize`.
pub(in crate::report) fn rightsize(answer: &Rightsize) -> Vec<Block> {
    let mut blocks = Vec::new();
    for failure in &answer.failures {
        blocks.push(Block::Text(format!("The log says: {failure}")));
    }
    if !answer.gpus.is_empty() {
        blocks.push(Block::Table(use_of(&answer.gpus)));
    }
    if answer.gpus.iter().any(|gpu| !gpu.mig_instances.is_empty()) {
        blocks.push(Block::Heading("MIG instances".to_owned()));
        blocks.push(Block::Table(instances(&answer.gpus)));
    }
    for result in &answer.results {
        blocks.extend(money(result));
    }
    blocks.push(Block::Heading("Why".to_owned()));
    blocks.push(Block::List(points(&answer.gpus)));
    blocks.retain(|block| !matches!(block, Block::List(points) if points.is_empty()));
    blocks
}

/// `node1/3`.
fn place(gpu: &GpuLine) -> String {
    if gpu.host.is_empty() { gpu.index.to_string() } else { format!("{}/{}", gpu.host, gpu.index) }
}

/// Columns that a narrow terminal may do without, the first to go first.
const EXPENDABLE: &[&str] = &[
    "peak",
    "tensor p50 %",
    "DRAM p50 %",
    "util p50 %",
    "SM p50 %",
    "util p95 %",
    "SM p95 %",
    "util peak %",
    "SM peak %",
    "power %",
    "idle %",
    "peak %",
    "memory GiB",
    "p95",
    "p50",
    "polls",
];

fn use_of(gpus: &[GpuLine]) -> Grid {
    let mut grid = Grid::new(&[
        "GPU",
        "model",
        "verdict",
        "confidence",
        ">polls",
        ">memory GiB",
        ">p50",
        ">p95",
        ">peak",
        ">peak %",
        ">util p50 %",
        ">util p95 %",
        ">util peak %",
        ">SM p50 %",
        ">SM p95 %",
        ">SM peak %",
        ">tensor p50 %",
        ">DRAM p50 %",
        ">power %",
        ">idle %",
    ]);
    for gpu in gpus {
        let model = gpu.gpu.clone().or_else(|| gpu.name.clone()).unwrap_or_else(super::unknown);
        grid.push(vec![
            place(gpu),
            model,
            gpu.verdict.to_owned(),
            gpu.confidence.to_owned(),
            gpu.samples.to_string(),
            na(gpu.memory_total_gib),
            na(gpu.memory_used_p50_gib),
            na(gpu.memory_used_p95_gib),
            na(gpu.memory_used_peak_gib),
            na(gpu.memory_used_peak_pct),
            na(gpu.utilisation_p50_pct),
            na(gpu.utilisation_p95_pct),
            na(gpu.utilisation_peak_pct),
            na(gpu.sm_activity_p50_pct),
            na(gpu.sm_activity_p95_pct),
            na(gpu.sm_activity_peak_pct),
            na(gpu.tensor_activity_p50_pct),
            na(gpu.dram_activity_p50_pct),
            na(gpu.power_p50_pct),
            na(gpu.idle_pct),
        ]);
    }
    grid.expendable(EXPENDABLE)
}

fn instances(gpus: &[GpuLine]) -> Grid {
    let mut grid = Grid::new(&["GPU", ">instance", ">memory GiB", ">used peak GiB", ">SM peak %"]);
    for gpu in gpus {
        for slice in &gpu.mig_instances {
            grid.push(vec![
                place(gpu),
                slice.gpu_instance.to_string(),
                na(slice.memory_total_gib),
                na(slice.memory_used_peak_gib),
                na(slice.sm_activity_peak_pct),
            ]);
        }
    }
    grid.expendable(&["SM peak %"])
}

/// What is paid now, what would do, or why nothing is said.
fn money(result: &ResultLine) -> Vec<Block> {
    let model = result.gpu.clone().unwrap_or_else(|| "GPU not in the catalog".to_owned());
    let mut blocks = vec![Block::Heading(format!("{} x {model}: {}", result.gpus, result.verdict))];
    let mut grid =
        Grid::new(&["", "machine", "GPUs", "region", "contract", ">USD/h", ">USD/month", "price of"]);
    if let Some(now) = &result.present {
        grid.push(vec![
            "now".to_owned(),
            format!("{}x {}/{}", now.nodes, now.provider, now.instance_type),
            format!("{}x {}", now.gpus_per_node, now.gpu),
            now.region.clone(),
            billing(now.billing, None, now.overridden),
            price_text(Some(now.usd_per_hour)),
            price_text(Some(now.usd_per_month)),
            now.price_as_of.short(),
        ]);
        if now.gpus_not_in_log > 0 {
            grid.push(share(now));
        }
    }
    if let Some(then) = &result.recommendation {
        grid.push(instead(then));
    }
    let overlay = result.present.as_ref().is_some_and(|now| now.overridden)
        || result.recommendation.as_ref().is_some_and(|then| then.overridden);
    if !grid.rows.is_empty() {
        blocks.push(Block::Table(grid.expendable(&["region", "contract", "price of", "GPUs"])));
        blocks.extend(super::overlay_legend(overlay));
    }
    match (&result.recommendation, &result.reason) {
        (Some(then), _) => {
            blocks.extend(saved(then).map(Block::Text));
            blocks.push(Block::List(then.notes.clone()));
        }
        (None, Some(reason)) => blocks.push(Block::Text(format!("Nothing else is advised: {reason}."))),
        (None, None) => {}
    }
    blocks.extend(result.duty_cycle.as_ref().map(|duty| Block::Text(stops(duty))));
    blocks
}

/// The part of a machine that the log shows: a share of its price, and none that can be given back.
fn share(now: &PresentLine) -> Vec<String> {
    let all = now.gpus_in_log + now.gpus_not_in_log;
    let mut row = vec!["of it".to_owned(), format!("share of {} of {all} GPUs", now.gpus_in_log)];
    row.extend(["", "", ""].map(str::to_owned));
    row.extend([price_text(Some(now.share_usd_per_hour)), String::new(), String::new()]);
    row
}

fn saved(then: &RecommendationLine) -> Option<String> {
    Some(format!(
        "{} {} USD an hour, {} USD a month of 730 h ({} %).",
        if then.action == "move" { "Moving there saves" } else { "Saves" },
        price_text(Some(then.saves_usd_per_hour?)),
        price_text(Some(then.saves_usd_per_month?)),
        then.saves_pct?
    ))
}

/// What stopping saves.
fn stops(duty: &DutyLine) -> String {
    let rest = format!(
        "Stop the machine when nothing runs: {} of {} h in the log, in stretches of {} h or more ({} %)",
        duty.idle_hours, duty.log_hours, duty.stretch_hours, duty.idle_pct
    );
    match duty.saves_usd_per_month {
        Some(saved) => format!(
            "{rest}. That saves {} USD a month of 730 h at the price of now.",
            price_text(Some(saved))
        ),
        None => format!(
            "{rest}. What that saves is not said: the price is not known, it is a commitment, or other GPUs of the machine \
             are not in the log."
        ),
    }
}

fn instead(then: &RecommendationLine) -> Vec<String> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    if then.action == "release" {
        let mut row = vec![then.action.to_owned(), "none".to_owned()];
        row.extend(["", "", ""].map(str::to_owned));
        row.extend([
            price_text(Some(then.usd_per_hour)),
            price_text(Some(then.usd_per_month)),
            String::new(),
        ]);
        return row;
    }
    let gpus = then.gpus_per_node.map_or_else(String::new, |gpus| format!("{gpus}x {}", text(&then.gpu)));
    vec![
        if then.action == "move" { "or" } else { "instead" }.to_owned(),
        format!("{}x {}/{}", then.nodes, text(&then.provider), text(&then.instance_type)),
        gpus,
        text(&then.region),
        billing(then.billing.unwrap_or_default(), None, then.overridden),
        price_text(Some(then.usd_per_hour)),
        price_text(Some(then.usd_per_month)),
        then.price_as_of.map_or_else(String::new, crate::report::date::Dated::short),
    ]
}

/// Reasons and findings; those that are true of several GPUs once.
fn points(gpus: &[GpuLine]) -> Vec<String> {
    let mut points: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |text: String, gpu: &GpuLine| match points.iter_mut().find(|(own, _)| *own == text) {
        Some((_, places)) => places.push(place(gpu)),
        None => points.push((text, vec![place(gpu)])),
    };
    for gpu in gpus {
        add(format!("{} ({}): {}", gpu.verdict, gpu.confidence, gpu.why.join("; ")), gpu);
        for finding in &gpu.findings {
            add(format!("{}[{}]: {}", finding.level, finding.id, finding.message), gpu);
        }
    }
    let line = |(text, places): (String, Vec<String>)| format!("GPU {}: {text}.", places.join(", "));
    points.into_iter().map(line).collect()
}
