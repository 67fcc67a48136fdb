//! The page of `cost`.

use super::{billing, count_by_memory, overlay_legend, price_text};
use crate::report::cost::{CostAnswer, CostRow};
use crate::report::view::{Block, Grid};

/// The page of `cost`.
pub(in crate::report) fn cost(answer: &CostAnswer) -> Vec<Block> {
    let mut grid = Grid::new(&[
        "GPU",
        "billing",
        "machine",
        "region",
        "memory per GPU",
        ">USD/GPU-h",
        ">USD/h",
        ">total USD",
        ">owed USD",
        ">break-even h",
        "price of",
    ]);
    for row in &answer.rows {
        grid.push(cost_cells(row));
    }
    let grid =
        grid.expendable(&["memory per GPU", "break-even h", "price of", "owed USD", "region", "USD/h"]);
    let mut blocks = vec![Block::Table(grid)];
    let mut notes: Vec<String> = Vec::new();
    for row in &answer.rows {
        for note in &row.notes {
            let line = format!("{}: {note}", row.billing);
            if !notes.contains(&line) {
                notes.push(line);
            }
        }
    }
    blocks.extend(overlay_legend(answer.rows.iter().any(|row| row.overridden)));
    if !notes.is_empty() {
        blocks.push(Block::Heading("Notes".to_owned()));
        blocks.push(Block::List(notes));
    }
    blocks
}

fn cost_cells(row: &CostRow) -> Vec<String> {
    vec![
        row.gpu.clone(),
        billing(row.billing, row.upfront, row.overridden),
        format!("{}x\u{a0}{}/{}", row.nodes, row.provider, row.instance_type),
        row.region.clone(),
        count_by_memory(row.gpus_per_node, row.gpu_memory_gib),
        price_text(row.usd_per_gpu_hour),
        price_text(row.usd_per_hour),
        price_text(row.total_usd),
        row.commitment_usd.map_or_else(String::new, |owed| price_text(Some(owed))),
        row.break_even_hours.map_or_else(String::new, |hours| hours.to_string()),
        row.price_as_of.short(),
    ]
}
