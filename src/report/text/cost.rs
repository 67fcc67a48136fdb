//! The page of `cost`.

use super::{billing, count_by_memory, curve, na, overlay_legend, parts, price_text, total_text};
use crate::report::cost::{CostAnswer, CostRow};
use crate::report::view::{Block, Grid};
use std::collections::BTreeSet;

/// The page of `cost`.
pub(in crate::report) fn cost(answer: &CostAnswer) -> Vec<Block> {
    // Interruptions, steps of billing and what is used besides make the billed hours differ from the asked ones.
    let differ = answer.rows.iter().any(|row| row.billed_hours.is_some_and(|hours| hours != answer.hours));
    let mut grid = Grid::new(&[
        "GPU",
        "billing",
        "machine",
        "region",
        "memory per GPU",
        ">USD/GPU-h",
        ">USD/h",
        if differ { ">billed h" } else { ">" },
        ">total USD",
        ">owed USD",
        ">break-even h",
        "price of",
    ]);
    for row in &answer.rows {
        grid.push(cost_cells(row, differ));
    }
    let grid = grid.expendable(&[
        "memory per GPU",
        "break-even h",
        "price of",
        if differ { "billed h" } else { "" },
        "owed USD",
        "region",
        "USD/h",
    ]);
    let mut blocks = vec![Block::Table(grid)];
    if let Ok(kinds) = answer.kinds() {
        blocks.push(Block::Heading(kinds.title.clone()));
        blocks.extend(curve::break_even(&kinds.levels));
    }
    blocks.extend(spot(&answer.rows));
    let rows = answer.rows.iter().map(|row| {
        let name = format!("{}x\u{a0}{}/{}", row.nodes, row.provider, row.instance_type);
        let first = vec![name, row.region.clone(), billing(row.billing, row.upfront, row.overridden)];
        (first, &row.parts, total_text(row.total_usd, row.at_least))
    });
    blocks.extend(parts(&["machine", "region", "billing"], rows));
    let mut notes: Vec<String> = terms(&answer.rows);
    for row in &answer.rows {
        for note in &row.notes[..row.notes.len() - row.terms.len()] {
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

/// How providers bill, each sentence once with those that it holds for.
fn terms(rows: &[CostRow]) -> Vec<String> {
    let mut said: Vec<(&str, BTreeSet<&str>)> = Vec::new();
    for (term, row) in rows.iter().flat_map(|row| row.terms.iter().map(move |term| (term.as_str(), row))) {
        match said.iter_mut().find(|(known, _)| *known == term) {
            Some((_, providers)) => _ = providers.insert(&row.provider),
            None => said.push((term, BTreeSet::from([row.provider.as_str()]))),
        }
    }
    let line = |(term, providers): &(&str, BTreeSet<&str>)| {
        format!("{}: {term}", providers.iter().copied().collect::<Vec<_>>().join(", "))
    };
    said.iter().map(line).collect()
}

/// What interruptions do, where nothing but spot is asked for.
fn spot(rows: &[CostRow]) -> Vec<Block> {
    if rows.is_empty() || rows.iter().any(|row| row.expected_interruptions.is_none()) {
        return Vec::new();
    }
    let timed = rows.iter().any(|row| row.deadline_probability.is_some());
    let mut grid = Grid::new(&[
        "machine",
        "region",
        ">billed h",
        ">wall h",
        ">interruptions",
        ">checkpoint every h",
        ">USD/h of work",
        ">low USD",
        ">total USD",
        ">high USD",
        if timed { ">in time" } else { ">" },
    ]);
    for row in rows {
        grid.push(vec![
            format!("{}x\u{a0}{}/{}", row.nodes, row.provider, row.instance_type),
            row.region.clone(),
            na(row.billed_hours),
            na(row.expected_wall_hours),
            na(row.expected_interruptions),
            na(row.checkpoint_interval_hours),
            price_text(row.effective_usd_per_hour),
            price_text(row.low_usd),
            total_text(row.total_usd, row.at_least),
            price_text(row.high_usd),
            if timed { na(row.deadline_probability) } else { String::new() },
        ]);
    }
    let late = if timed { "in time" } else { "" };
    let grid = grid.expendable(&["total USD", "checkpoint every h", "wall h", "billed h", "region", late]);
    vec![Block::Heading("Spot, with what interruptions cost".to_owned()), Block::Table(grid)]
}

fn cost_cells(row: &CostRow, differ: bool) -> Vec<String> {
    vec![
        row.gpu.clone(),
        billing(row.billing, row.upfront, row.overridden),
        format!("{}x\u{a0}{}/{}", row.nodes, row.provider, row.instance_type),
        row.region.clone(),
        count_by_memory(row.gpus_per_node, row.gpu_memory_gib),
        price_text(row.usd_per_gpu_hour),
        price_text(row.usd_per_hour),
        if differ { na(row.billed_hours) } else { String::new() },
        total_text(row.total_usd, row.at_least),
        row.commitment_usd.map_or_else(String::new, |owed| price_text(Some(owed))),
        row.break_even_hours.map_or_else(String::new, |hours| hours.to_string()),
        row.price_as_of.short(),
    ]
}
