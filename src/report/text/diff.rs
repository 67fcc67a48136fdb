//! The page of `diff`.

use super::{billing, price_text, unknown};
use crate::lang::quoted;
use crate::report::diff::{DiffAnswer, Side};
use crate::report::number::Num;
use crate::report::view::{Block, Grid};

/// The change as a whole in one line.
pub(in crate::report) fn diff_headline(answer: &DiffAnswer) -> String {
    let totals = &answer.totals;
    let side = |usd: Option<Num>| {
        let least = if totals.at_least && usd.is_some() { "at least " } else { "" };
        format!("{least}{}", price_text(usd))
    };
    let sides = format!(
        "{}, {}: {} USD before, {} USD now",
        answer.compares,
        totals.of,
        side(totals.old_usd),
        side(totals.new_usd)
    );
    if totals.change_usd.is_none() {
        let names = if totals.unknown.is_empty() {
            String::new()
        } else {
            format!(" ({})", totals.unknown.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
        };
        return format!("{sides}; the change is not known{names}");
    }
    let share = totals.change_pct.map(|pct| format!(" ({} %)", plus(pct, pct.to_string())));
    format!(
        "{sides}: {} USD{}; by prices {} USD, by the workload {} USD",
        signed(totals.change_usd),
        share.unwrap_or_default(),
        signed(totals.price_usd),
        signed(totals.workload_usd)
    )
}

/// The page of `diff`: what changed, with its parts.
pub(in crate::report) fn diff(answer: &DiffAnswer) -> Vec<Block> {
    let checked = answer.compares == "check";
    // A workload is called by whoever wrote it, other rows by the machine and its contract.
    let name = |name: &String| if checked { quoted(name) } else { name.clone() };
    let mut grid = Grid::new(&[
        if checked { "workload" } else { "row" },
        "status",
        "before",
        "now",
        ">before USD",
        ">now USD",
        ">change USD",
        ">by prices USD",
        ">by workload USD",
    ]);
    let moved = || answer.rows.iter().filter(|row| row.status != "same");
    for row in moved() {
        grid.push(vec![
            name(&row.name),
            row.status.to_owned(),
            choice(row.old.as_ref()),
            choice(row.new.as_ref()),
            price_text(row.old.as_ref().and_then(|side| side.total_usd)),
            price_text(row.new.as_ref().and_then(|side| side.total_usd)),
            signed(row.change_usd),
            signed(row.price_usd),
            signed(row.workload_usd),
        ]);
    }
    let mut blocks = Vec::new();
    if !grid.rows.is_empty() {
        blocks.push(Block::Table(grid.expendable(&["before", "now", "before USD"])));
    }
    let same = answer.rows.len() - moved().count();
    if same > 0 {
        blocks.push(Block::Text(format!("{same} unchanged.")));
    }
    let notes: Vec<String> = moved()
        .filter_map(|row| row.note.as_ref().map(|note| format!("{}: {note}", name(&row.name))))
        .collect();
    if !notes.is_empty() {
        blocks.push(Block::List(notes));
    }
    let dates = |side: &Option<String>| side.clone().unwrap_or_else(unknown);
    blocks.push(Block::Text(format!(
        "Prices: oldest {} and newest {} before, oldest {} and newest {} now.",
        dates(&answer.old.as_of_oldest),
        dates(&answer.old.as_of_newest),
        dates(&answer.new.as_of_oldest),
        dates(&answer.new.as_of_newest)
    )));
    if let Some(limit) = &answer.limit {
        let kept = || format!("The limit of {} is kept.", limit.max_increase);
        blocks.push(Block::Text(limit.message.clone().map_or_else(kept, |message| format!("{message}."))));
    }
    blocks
}

fn choice(side: Option<&Side>) -> String {
    let Some(side) = side else { return String::new() };
    match (&side.provider, &side.instance_type, &side.region, &side.billing, side.nodes) {
        (Some(provider), Some(machine), Some(region), Some(kind), Some(nodes)) => {
            format!("{nodes}x\u{a0}{provider}/{machine} {region} {}", billing(kind, None, false))
        }
        _ => unknown(),
    }
}

fn plus(number: Num, text: String) -> String {
    if number.value() > 0.0 { format!("+{text}") } else { text }
}

fn signed(amount: Option<Num>) -> String {
    amount.map_or_else(unknown, |number| plus(number, price_text(Some(number))))
}
