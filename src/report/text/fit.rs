//! The page of `fit`.

use super::{advice_text, count, fixed, formulas, layout, memory, unknown, whole_layout};
use crate::report::fit::{Fit, FitLine};
use crate::report::number::Num;
use crate::report::row::Memory;
use crate::report::view::{Block, Grid};

/// The page of `fit`: all results, then the memory of the first that fits, else of the first.
pub(in crate::report) fn fit(answer: &Fit) -> Vec<Block> {
    let mut grid = Grid::new(&[
        "GPU",
        "verdict",
        ">need GiB",
        ">low GiB",
        ">high GiB",
        ">usable GiB",
        ">margin GiB",
        "layout",
        ">max batch",
        ">max tokens",
        ">max requests",
    ]);
    for line in &answer.results {
        grid.push(fit_cells(line));
    }
    let grid =
        grid.expendable(&["layout", "low GiB", "margin GiB", "max requests", "max batch", "max tokens"]);
    let mut blocks = vec![Block::Table(grid)];
    let first = |verdict: &str| answer.results.iter().find(|line| line.verdict == verdict);
    let shown = first("fits").or_else(|| first("tight")).or_else(|| answer.results.first());
    if let Some((line, need)) = shown.and_then(|line| line.memory.as_ref().map(|memory| (line, memory))) {
        blocks.push(Block::Heading(format!("Memory per GPU on {}, fullest stage", fit_name(line))));
        blocks.push(Block::Table(memory(need)));
        blocks.extend(
            line.parallelism.as_ref().map(|p| Block::Text(format!("{}.", whole_layout(p, line.precision)))),
        );
    }
    let advice = |line: &FitLine| {
        let name = fit_name(line);
        line.advice.iter().map(move |a| format!("{name}: {}", advice_text(a))).collect::<Vec<_>>()
    };
    let lines: Vec<String> = answer.results.iter().flat_map(advice).collect();
    if !lines.is_empty() {
        blocks.push(Block::Heading("Advice".to_owned()));
        blocks.push(Block::List(lines));
    }
    blocks.extend(not_judged(&answer.results));
    blocks.extend(formulas(answer.results.iter().map(|line| (fit_name(line), line.explain.as_ref()))));
    blocks
}

/// Each reason once, with the sentence of the first GPU that it speaks of and the names of the others.
fn not_judged(results: &[FitLine]) -> Vec<Block> {
    let mut seen: Vec<(&str, String, Vec<&str>)> = Vec::new();
    for (line, reason) in results.iter().filter_map(|line| line.reason.as_ref().map(|reason| (line, reason)))
    {
        match seen.iter_mut().find(|(id, _, _)| *id == reason.id) {
            Some((_, _, others)) => others.push(&line.gpu),
            None => seen.push((reason.id, format!("{}: {}", fit_name(line), reason.message), Vec::new())),
        }
    }
    if seen.is_empty() {
        return Vec::new();
    }
    let line = |(id, message, others): &(&str, String, Vec<&str>)| {
        let also = if others.is_empty() { String::new() } else { format!(" (Also {}.)", others.join(", ")) };
        format!("[{id}] {}.{also}", message.trim_end_matches('.'))
    };
    vec![Block::Heading("Not judged".to_owned()), Block::List(seen.iter().map(line).collect())]
}

fn fit_name(line: &FitLine) -> String {
    format!("{}x\u{a0}{}", line.gpus, line.gpu)
}

fn fit_cells(line: &FitLine) -> Vec<String> {
    let memory = |figure: fn(&Memory) -> Num| line.memory.as_ref().map_or_else(unknown, |m| fixed(figure(m)));
    vec![
        fit_name(line),
        line.verdict.to_owned(),
        memory(|m| m.total_gib),
        memory(|m| m.low_gib),
        memory(|m| m.high_gib),
        memory(|m| m.usable_gib),
        memory(|m| m.margin_gib),
        line.parallelism.as_ref().map_or_else(unknown, layout),
        count(line.max_micro_batch),
        count(line.max_seq_len),
        count(line.max_concurrency),
    ]
}
