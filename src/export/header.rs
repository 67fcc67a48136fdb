//! The comment that begins each file: what it was made from, what it is expected to cost, and what to look out for.

use super::chosen::{Chosen, Cost, one_line};
use super::rows::Target;
use crate::report::document::GENERATED_WITH;
use serde_json::{Number, Value};

/// The lines of the comment, without its marks. No clock is asked.
pub(super) fn lines(target: &Target, chosen: &Chosen, notes: &[String]) -> Vec<String> {
    let row = &chosen.row;
    let origin = chosen.name.as_ref().map_or_else(
        || format!("row {} of `{}`", row.rank, chosen.command),
        |name| format!("workload {name} of `{}`", chosen.command),
    );
    let mut lines = vec![
        format!("{GENERATED_WITH}, {origin}, for {} {}", target.title, target.version),
        format!(
            "{} x {}/{} ({} x {} each) in {}, {}",
            row.nodes,
            row.provider,
            row.instance_type,
            row.gpus_per_node,
            row.gpu,
            row.region,
            row.ranked_billing
        ),
    ];
    if !row.also_in.is_empty() {
        lines.push(format!("Also allowed, at other prices: {}", row.also_in.join(", ")));
    }
    if let Some(cost) = chosen.cost() {
        lines.extend(money(chosen, cost));
    }
    let memory = &row.memory;
    lines.push(format!(
        "Memory: {}, {:.1} of {:.1} usable GiB a GPU expected ({:.1} to {:.1})",
        memory.verdict, memory.total_gib, memory.usable_gib, memory.low_gib, memory.high_gib
    ));
    lines.push(layout(chosen));
    lines.extend(notes.iter().map(|note| format!("Note: {note}")));
    lines.extend(chosen.warnings.iter().map(|warning| format!("Warning: {warning}")));
    let strong = row.advice.iter().filter(|advice| matches!(advice.level.as_str(), "warn" | "deny"));
    lines.extend(strong.map(|advice| format!("Warning [{}]: {}", advice.id, advice.message)));
    lines.iter().map(|line| one_line(line)).collect()
}

/// What it costs, how long it takes, and where that comes from.
fn money(chosen: &Chosen, cost: &Cost) -> Vec<String> {
    let hours = &chosen.row.duration_hours;
    let known = |amount: &Option<Number>| amount.as_ref().map_or_else(|| "n/a".to_owned(), usd);
    let span = if chosen.serves() {
        format!("{:.1} hours asked for", hours.expected)
    } else {
        format!("{:.1} hours expected ({:.1} to {:.1})", hours.expected, hours.low, hours.high)
    };
    let least = if cost.at_least && cost.total_usd.is_some() { "at least " } else { "" };
    let mut lines = vec![format!(
        "Cost: {} USD an hour for all nodes, {span}, {least}{} USD ({} to {}), without tax",
        known(&cost.usd_per_hour),
        known(&cost.total_usd),
        known(&cost.low_usd),
        known(&cost.high_usd)
    )];
    lines.push(format!("Price as of {}: {}", day(&cost.price_as_of), cost.price_source));
    if let Some(owed) = &cost.commitment_usd {
        lines.push(format!("The contract owes {} USD in all, used or not", usd(owed)));
    }
    if let (Some(count), Some(wall)) = (cost.expected_interruptions, cost.expected_wall_hours) {
        lines.push(format!("Spot: {count:.1} interruptions expected, {}", spot_means(chosen, wall)));
    }
    lines
}

/// What interruptions mean for the work.
fn spot_means(chosen: &Chosen, wall_hours: f64) -> String {
    if chosen.serves() {
        return "and a copy answers nothing while one of its machines is away".to_owned();
    }
    format!("{wall_hours:.1} hours until the work is done")
}

/// How the work is laid out.
fn layout(chosen: &Chosen) -> String {
    let layout = &chosen.row.parallelism;
    let sizes =
        format!("dp {}, tp {}, pp {}, ep {}, cp {}", layout.dp, layout.tp, layout.pp, layout.ep, layout.cp);
    if chosen.serves() {
        return format!(
            "Layout: {} {} of {}, tp {}, pp {}",
            chosen.row.replicas,
            if chosen.row.replicas == 1 { "copy" } else { "copies" },
            chosen.workload.model,
            layout.tp,
            layout.pp
        );
    }
    format!(
        "Layout of {}: {sizes}, {}, micro-batch {}, accumulation {}, recompute {}, offload {}, {}",
        chosen.workload.model,
        layout.sharding,
        layout.micro_batch,
        layout.grad_accumulation,
        layout.recompute,
        layout.offload,
        chosen.row.precision
    )
}

/// An amount as the answer has it, with two decimals or more.
fn usd(amount: &Number) -> String {
    let text = amount.to_string();
    match text.split_once('.') {
        Some((whole, decimals)) => format!("{whole}.{decimals:0<2}"),
        None => format!("{text}.00"),
    }
}

/// A date of a price as the answer has it.
fn day(date: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("n/a").to_owned();
    match date {
        Value::Object(range) => {
            let end = |name: &str| range.get(name).map(text).unwrap_or_default();
            format!("{}..{}", end("not_before"), end("not_after"))
        }
        day => text(day),
    }
}
