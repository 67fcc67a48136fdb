//! The pages of `recommend`, `fit`, `cost`, `check` and `diff` as people read them, and here the texts of single figures.

mod check;
mod commitments;
mod cost;
mod curve;
mod diff;
mod fit;
mod network;
mod recommend;
mod rightsize;
mod tco;

pub(super) use check::check;
pub(super) use commitments::commitments;
pub(super) use cost::cost;
pub(super) use diff::{diff, diff_headline};
pub(super) use fit::fit;
pub(super) use network::network;
pub(super) use recommend::recommend;
pub(super) use rightsize::rightsize;
pub(super) use tco::tco;

use super::contract::PartsLine;
use super::number::Num;
use super::row::{AdviceLine, Memory, Parallelism};
use super::view::{Block, Grid};
use crate::lang::quoted;

fn unknown() -> String {
    "n/a".to_owned()
}

/// A figure, `n/a` when unknown.
pub(super) fn na(value: Option<Num>) -> String {
    value.map_or_else(unknown, |value| value.to_string())
}

/// A whole count, `n/a` when unknown.
fn count(value: Option<u32>) -> String {
    value.map_or_else(unknown, |value| value.to_string())
}

/// An amount with thousands apart and two decimals or more: `12,345.60`.
pub(super) fn price_text(amount: Option<Num>) -> String {
    amount.map_or_else(unknown, |amount| {
        let text = grouped(amount);
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        format!("{whole}.{decimals:0<2}")
    })
}

/// A total, `at least` where a part of it is not known.
fn total_text(total: Option<Num>, at_least: bool) -> String {
    let least = if at_least && total.is_some() { "at least\u{a0}" } else { "" };
    format!("{least}{}", price_text(total))
}

/// What totals are made of, where there is more in them than hours of work; each row stands with its first cells.
fn parts<'a>(
    titles: &[&str],
    rows: impl Iterator<Item = (Vec<String>, &'a PartsLine, String)> + Clone,
) -> Vec<Block> {
    if !rows.clone().any(|(_, parts, _)| parts.has_more()) {
        return Vec::new();
    }
    let names = ["compute", "start-up", "idle", "storage", "egress"].map(|name| format!(">{name} USD"));
    let mut head = titles.to_vec();
    head.extend(names.iter().map(String::as_str));
    head.push(">total USD");
    let mut grid = Grid::new(&head);
    for (mut cells, parts, total) in rows {
        cells.extend(parts.all().map(price_text));
        cells.push(total);
        grid.push(cells);
    }
    vec![Block::Heading("Parts of the bill".to_owned()), Block::Table(grid)]
}

/// A number with thousands apart: `450,000.1`.
fn grouped(number: Num) -> String {
    let text = number.to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    let whole = digits.find('.').unwrap_or(digits.len());
    if !digits[..whole].bytes().all(|digit| digit.is_ascii_digit()) {
        return text;
    }
    let mut grouped = sign.to_owned();
    for (i, digit) in digits[..whole].chars().enumerate() {
        if i > 0 && (whole - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped.push_str(&digits[whole..]);
    grouped
}

/// `8x80 GiB`, not to be broken.
pub(super) fn count_by_memory(gpus: Num, memory: Num) -> String {
    format!("{gpus}x{memory}\u{a0}GiB")
}

fn layout(layout: &Parallelism) -> String {
    let sizes =
        [("dp", layout.dp), ("tp", layout.tp), ("pp", layout.pp), ("ep", layout.ep), ("cp", layout.cp)];
    let mut parts: Vec<String> =
        sizes.into_iter().filter(|&(_, size)| size > 1).map(|(name, size)| format!("{name}{size}")).collect();
    if parts.is_empty() {
        parts.push("one GPU".to_owned());
    }
    if layout.sharding != "ddp" {
        parts.push(layout.sharding.to_owned());
    }
    if layout.offload != "none" {
        parts.push(format!("offload {}", layout.offload));
    }
    parts.join(" ")
}

fn whole_layout(layout: &Parallelism, precision: &str) -> String {
    let size = |name: &str, size: u32| if size > 1 { format!(", {name} {size}") } else { String::new() };
    let more = size("ep", layout.ep) + &size("cp", layout.cp);
    let offload =
        if layout.offload == "none" { String::new() } else { format!(", offload {}", layout.offload) };
    format!(
        "Layout: dp {}, tp {}, pp {}{more}, {}{offload}, micro-batch {}, accumulation {}, recompute {}, {precision}",
        layout.dp,
        layout.tp,
        layout.pp,
        layout.sharding,
        layout.micro_batch,
        layout.grad_accumulation,
        layout.recompute,
    )
}

/// The terms that are not zero, then the sums.
fn memory(memory: &Memory) -> Grid {
    let mut grid = Grid::new(&["term", ">GiB", "from"]);
    for (name, gib) in memory.terms.all() {
        if gib.value() > 0.0 {
            let estimated = memory.estimated_terms.contains(&name);
            let from = if estimated { "estimate" } else { "shape" };
            grid.push(vec![name.to_owned(), fixed(gib), from.to_owned()]);
        }
    }
    let mut push = |name: String, figure: String, from: String| grid.push(vec![name, figure, from]);
    push("total expected".to_owned(), fixed(memory.total_gib), String::new());
    let range = format!("{} to {}", fixed(memory.low_gib), fixed(memory.high_gib));
    push("low to high".to_owned(), range, String::new());
    push("usable".to_owned(), fixed(memory.usable_gib), String::new());
    let share = format!("{:.1} %", memory.margin_pct.value());
    push(format!("margin ({})", memory.verdict), fixed(memory.margin_gib), share);
    if memory.host_ram_gib.value() > 0.0 {
        push("host RAM".to_owned(), fixed(memory.host_ram_gib), String::new());
    }
    grid
}

fn fixed(gib: Num) -> String {
    format!("{:.3}", gib.value())
}

/// `savings-3y (no upfront)`; a star where the price comes from an overlay.
pub(super) fn billing(kind: &str, upfront: Option<&str>, overridden: bool) -> String {
    let upfront = match upfront {
        Some("none") => " (no\u{a0}upfront)".to_owned(),
        Some(upfront) => format!(" ({upfront}\u{a0}upfront)"),
        None => String::new(),
    };
    format!("{kind}{upfront}{}", if overridden { " *" } else { "" })
}

fn advice_text(advice: &AdviceLine) -> String {
    let saves =
        advice.saves_usd.map(|usd| format!(" Saves {} USD.", price_text(Some(usd)))).unwrap_or_default();
    let message = own(advice.message.trim_end_matches('.'), advice.quoted);
    format!("{}[{}]: {message}.{saves}", advice.level, advice.id)
}

/// A message, quoted where it is in the words of a user.
fn own(message: &str, is_quoted: bool) -> String {
    if is_quoted { quoted(message) } else { message.to_owned() }
}

fn formulas<'a>(rows: impl Iterator<Item = (String, Option<&'a Vec<String>>)>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (name, lines) in rows {
        if let Some(lines) = lines.filter(|lines| !lines.is_empty()) {
            blocks.push(Block::Heading(format!("Formulas, {name}")));
            blocks.push(Block::List(lines.clone()));
        }
    }
    blocks
}

/// What the star behind a contract means.
fn overlay_legend(any: bool) -> Option<Block> {
    any.then(|| Block::Text("* price from an overlay, `catalog update` or an assumed discount.".to_owned()))
}
