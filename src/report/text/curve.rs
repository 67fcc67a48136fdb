//! Pictures made of characters: the load-duration curve with its tiers, and break-even lines. Each character has its
//! counterpart in ASCII, see [`super::super::table`].

use super::{billing, grouped};
use crate::price::commit::Column;
use crate::report::commitments::{Commitments, PartKind};
use crate::report::kinds::Level;
use crate::report::number::Num;
use crate::report::view::Block;

/// Characters across.
const WIDTH: usize = 60;

/// Lines up.
const HEIGHT: usize = 12;

/// Commitments, from the base up; the last one stands for all further ones.
const COMMITTED: [char; 3] = ['\u{2588}', '\u{2593}', '\u{259a}'];
const SPOT: char = '\u{2592}';
const ON_DEMAND: char = '\u{2591}';
const IDLE: char = '\u{22c5}';

/// Hours sorted by demand, the busiest first, and what pays for them.
pub(super) fn load(answer: &Commitments) -> Vec<Block> {
    let columns = halved(&answer.curve);
    let top = columns.iter().map(|column| column.demand + column.idle).fold(0.0, f64::max);
    if top <= 0.0 {
        return Vec::new();
    }
    let glyphs: Vec<char> = answer.tiers.iter().map(|tier| glyph(answer, tier.part)).collect();
    let mut lines = Vec::new();
    for row in (0..HEIGHT).rev() {
        let height = (row as f64 + 0.5) / HEIGHT as f64 * top;
        let cells: String = columns.iter().map(|column| cell(column, height, &glyphs)).collect();
        let label = if row + 1 == HEIGHT { short(top) } else { String::new() };
        lines.push(format!("{label:>9} \u{2502}{}", cells.trim_end()));
    }
    lines.push(format!("{:>9} \u{2514}{}", 0, "\u{2500}".repeat(columns.len())));
    let last = format!("{} h", grouped(answer.hours));
    lines.push(format!("{:>11}busiest hour{last:>width$}", "", width = columns.len().saturating_sub(12)));
    lines.extend(legend(answer, &glyphs));
    vec![Block::Heading("Base and burst: hours sorted by demand".to_owned()), Block::Picture(lines)]
}

/// What each character is; every contract once.
fn legend(answer: &Commitments, glyphs: &[char]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (tier, glyph) in answer.tiers.iter().zip(glyphs) {
        let name = billing(tier.billing, tier.upfront, false).replace('\u{a0}', " ");
        let line = format!("{:>11}{glyph} {name}", "");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if answer.curve.iter().any(|column| column.idle > 1e-6) {
        lines.push(format!("{:>11}{IDLE} committed, not used", ""));
    }
    lines
}

fn glyph(answer: &Commitments, part: PartKind) -> char {
    match part {
        PartKind::Spot => SPOT,
        PartKind::OnDemand => ON_DEMAND,
        PartKind::Committed(_) => {
            let mut kinds: Vec<PartKind> = Vec::new();
            for tier in &answer.tiers {
                if !kinds.contains(&tier.part) {
                    kinds.push(tier.part);
                }
            }
            let at = kinds.iter().position(|&kind| kind == part).unwrap_or(0);
            COMMITTED[at.min(COMMITTED.len() - 1)]
        }
    }
}

fn cell(column: &Column, height: f64, glyphs: &[char]) -> char {
    let mut below = 0.0;
    for (used, glyph) in column.used.iter().zip(glyphs) {
        below += used;
        if height < below {
            return *glyph;
        }
    }
    if height < below + column.idle { IDLE } else { ' ' }
}

/// Two columns as one.
fn halved(curve: &[Column]) -> Vec<Column> {
    let pairs = curve.len().div_ceil(WIDTH).max(1);
    let mean = |columns: &[Column]| {
        let of =
            |value: &dyn Fn(&Column) -> f64| columns.iter().map(value).sum::<f64>() / columns.len() as f64;
        Column {
            demand: of(&|column| column.demand),
            used: (0..columns[0].used.len()).map(|tier| of(&|column| column.used[tier])).collect(),
            idle: of(&|column| column.idle),
        }
    };
    curve.chunks(pairs).map(mean).collect()
}

/// Three digits or so.
fn short(value: f64) -> String {
    Num::rounded(value, if value < 10.0 { 2 } else { 1 }).to_string()
}

/// For each contract a line from 0 to 100 % of its hours: below its break-even on demand is cheaper.
pub(super) fn break_even(lines: &[Level]) -> Vec<Block> {
    const CELLS: usize = 24;
    let width = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
    let mut picture = Vec::new();
    for line in lines {
        let Some(percent) = line.percent else { continue };
        let cheaper = (percent.value() / 100.0 * CELLS as f64).round().clamp(0.0, CELLS as f64) as usize;
        let bar: String = (0..CELLS).map(|at| if at < cheaper { ON_DEMAND } else { COMMITTED[0] }).collect();
        let from = match (percent.value() > 100.0, line.within_horizon) {
            (true, _) => "never".to_owned(),
            (_, false) => format!("from {percent} %, which is beyond the horizon"),
            _ => format!("from {percent} %"),
        };
        picture.push(format!("{:width$}  0 % {bar} 100 %  {from}", line.name));
    }
    if picture.is_empty() {
        return Vec::new();
    }
    let legend =
        format!("{:width$}  {ON_DEMAND} on demand is cheaper, {} the commitment is", "", COMMITTED[0]);
    picture.push(legend);
    vec![Block::Picture(picture)]
}
