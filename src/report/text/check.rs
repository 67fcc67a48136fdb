//! The page of `check`, which is also the body of a pull-request comment.

use super::{count_by_memory, na, own, price_text, total_text, unknown};
use crate::gate::ids;
use crate::lang::quoted;
use crate::report::check::{CheckAnswer, CheckedWorkload, TotalsLine};
use crate::report::number::Num;
use crate::report::view::{Block, Grid};

/// The page of `check`.
pub(in crate::report) fn check(answer: &CheckAnswer) -> Vec<Block> {
    let mut blocks = vec![Block::Table(workloads(&answer.workloads)), Block::Text(sums(&answer.totals))];
    blocks.extend(violations(&answer.workloads));
    let notes: Vec<String> = answer.workloads.iter().flat_map(notes).collect();
    if !notes.is_empty() {
        blocks.push(Block::Heading("Notes on the prices".to_owned()));
        blocks.push(Block::List(notes));
    }
    blocks
}

fn workloads(all: &[CheckedWorkload]) -> Grid {
    let mut grid = Grid::new(&[
        "workload",
        "verdict",
        "machines",
        "region",
        "GPUs",
        "memory",
        ">hours",
        "contract",
        ">USD/h",
        ">USD/month",
        ">total USD",
    ]);
    for one in all {
        let mut cells = vec![one.name.clone(), one.verdict.to_owned()];
        match &one.pick {
            Some(row) => {
                let memory = count_by_memory(row.total_gpus, row.memory.per_gpu_capacity_gib);
                cells.extend([
                    format!("{}x\u{a0}{}/{}", row.nodes, row.provider, row.instance_type),
                    row.region.clone(),
                    format!("{} {memory}", row.gpu),
                    row.memory.verdict.to_owned(),
                    row.duration_hours.expected.to_string(),
                    row.ranked_billing.to_owned(),
                ]);
            }
            None => cells.extend(std::iter::repeat_with(unknown).take(6)),
        }
        cells.push(price_text(one.usd_per_hour));
        cells.extend([one.monthly_usd, one.total_usd].map(|usd| total_text(usd, one.at_least)));
        grid.push(cells);
    }
    grid.expendable(&["memory", "GPUs", "hours", "region", "contract"])
}

fn sums(totals: &TotalsLine) -> String {
    let known = totals.total_usd.is_some();
    let least = if totals.at_least && known { "at least " } else { "" };
    let least_hour = if totals.unknown.is_empty() || !known { "" } else { "at least " };
    let sums = format!(
        "All together: {least}{} USD to their end, {least}{} USD a month of 730 h, {least_hour}{} USD/h at once.",
        price_text(totals.total_usd),
        price_text(totals.monthly_usd),
        price_text(totals.usd_per_hour),
    );
    let of = |names: &[String], what: &str| {
        if names.is_empty() {
            String::new()
        } else {
            format!(
                " {what} of {} is not known.",
                names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
            )
        }
    };
    let (whole, part) = (of(&totals.unknown, "The cost"), of(&totals.lacking, "A part of the cost"));
    format!("{sums}{whole}{part}")
}

/// A figure of a violation: limits of money are in dollars, whatever the currency of the page; ages are days.
fn figure(number: Option<Num>, id: &str) -> String {
    let unit = match id {
        ids::AGE => "days",
        ids::HOURLY => "USD/h",
        _ => "USD",
    };
    number.map_or_else(|| na(number), |number| format!("{number} {unit}"))
}

fn violations(all: &[CheckedWorkload]) -> Vec<Block> {
    let mut grid = Grid::new(&["level", "workload", "id", ">limit", ">actual", "message"]);
    for level in ["deny", "warn"] {
        for one in all {
            for violation in one.violations.iter().filter(|violation| violation.level == level) {
                grid.push(vec![
                    level.to_owned(),
                    one.name.clone(),
                    violation.id.clone(),
                    figure(violation.limit, &violation.id),
                    figure(violation.actual, &violation.id),
                    own(&violation.message, violation.quoted),
                ]);
            }
        }
    }
    if grid.rows.is_empty() {
        return Vec::new();
    }
    vec![Block::Heading("Violations".to_owned()), Block::Table(grid.expendable(&["actual", "limit"]))]
}

/// What the chosen contract of a workload says about itself: discounts, terms that are owed, statistics.
fn notes(one: &CheckedWorkload) -> Vec<String> {
    let Some(row) = &one.pick else { return Vec::new() };
    let chosen = row
        .costs
        .iter()
        .find(|cost| cost.billing == row.ranked_billing && cost.total_usd == Some(row.ranked_total_usd));
    let notes = chosen.map(|cost| cost.notes.as_slice()).unwrap_or_default();
    notes.iter().map(|note| format!("{}, {}: {note}", quoted(&one.name), row.ranked_billing)).collect()
}
