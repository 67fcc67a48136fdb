//! The page of `commitments`.

use super::{billing, curve, grouped, overlay_legend, price_text};
use crate::report::commitments::{BreakEvenLine, Commitments, Place, RegretLine, TierLine};
use crate::report::view::{Block, Grid};

/// The page of `commitments`.
pub(in crate::report) fn commitments(answer: &Commitments) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(summary) = summary(answer) {
        blocks.push(Block::Text(summary));
        blocks.push(Block::Table(tiers(&answer.tiers)));
        let overlay = answer.tiers.iter().any(|tier| tier.overridden)
            || answer.break_even.iter().any(|line| line.overridden);
        blocks.extend(overlay_legend(overlay));
        blocks.extend(notes(answer));
        blocks.extend(curve::load(answer));
    }
    if !answer.break_even.is_empty() {
        blocks.push(Block::Heading("Break-even".to_owned()));
        blocks.push(Block::Table(break_even(&answer.break_even)));
        blocks.extend(curve::break_even(&answer.kinds().levels));
    }
    if !answer.not_known.is_empty() {
        let name = |line: &crate::report::commitments::NotKnownLine| match line.upfront {
            Some(_) => billing(line.billing, line.upfront, false),
            None => line.billing.to_owned(),
        };
        let names: Vec<String> = answer.not_known.iter().map(name).collect();
        blocks.push(Block::Text(format!("No price is known of: {}.", names.join(", "))));
    }
    if !answer.regret.is_empty() {
        blocks.push(Block::Heading("When usage is not as planned".to_owned()));
        blocks.push(Block::Table(regret(answer)));
    }
    if answer.tiers.is_empty() {
        for line in &answer.rejected {
            blocks.push(Block::Text(format!("Left out by `{}`: {} offers.", line.reason, line.count)));
        }
    }
    blocks
}

fn summary(answer: &Commitments) -> Option<String> {
    let (total, all) = (answer.total_usd?, answer.all_on_demand_usd?);
    let saves = answer.saves_usd?;
    let percent = answer.saves_pct.map_or_else(String::new, |percent| format!(" ({percent} %)"));
    let owed = price_text(answer.commitment_usd);
    let against = format!(
        "Total {} USD, all on demand {} USD: saves {} USD{percent}.",
        price_text(Some(total)),
        price_text(Some(all)),
        price_text(Some(saves))
    );
    Some(if answer.commitment_usd.is_some_and(|usd| usd.value() > 0.0) {
        format!("{against} {owed} USD are owed whatever is used.")
    } else {
        format!("{against} No commitment that starts with the horizon pays for this usage.")
    })
}

fn machine(place: &Place) -> String {
    format!("{}/{}", place.provider, place.instance_type)
}

fn tiers(tiers: &[TierLine]) -> Grid {
    let mut grid = Grid::new(&[
        "tier",
        "machine",
        "region",
        ">instances",
        ">USD/h each",
        ">busy instance-h",
        ">used %",
        "hours",
        ">total USD",
        ">upfront USD",
        "price of",
    ]);
    let whole = tiers.iter().map(|tier| tier.to_hour).max().unwrap_or(0);
    let all_the_time = |tier: &TierLine| tier.from_hour == 0 && tier.to_hour == whole;
    for tier in tiers {
        let hours =
            if all_the_time(tier) { String::new() } else { format!("{}..{}", tier.from_hour, tier.to_hour) };
        grid.push(vec![
            billing(tier.billing, tier.upfront, tier.overridden),
            machine(&tier.place),
            tier.place.region.clone(),
            grouped(tier.instances),
            price_text(Some(tier.usd_per_hour)),
            grouped(tier.busy_hours),
            tier.utilisation_pct.map_or_else(String::new, |percent| percent.to_string()),
            hours,
            price_text(Some(tier.total_usd)),
            if tier.terms.is_some() { price_text(tier.upfront_usd) } else { String::new() },
            tier.price_as_of.short(),
        ]);
    }
    grid.expendable(&["machine", "region", "hours", "used %", "price of", "upfront USD"])
}

fn break_even(lines: &[BreakEvenLine]) -> Grid {
    let mut grid = Grid::new(&[
        "contract",
        "machine",
        "region",
        ">USD/h each",
        ">break-even %",
        ">hours of the term",
        ">owed USD each",
        "price of",
    ]);
    for line in lines {
        let percent = line.utilisation_pct.map_or_else(|| "n/a".to_owned(), |percent| percent.to_string());
        let of_term = line.hours_per_term.map_or_else(
            || "n/a".to_owned(),
            |hours| format!("{} of {}", grouped(hours), grouped(line.term_hours.into())),
        );
        grid.push(vec![
            billing(line.billing, line.upfront, line.overridden),
            machine(&line.place),
            line.place.region.clone(),
            price_text(Some(line.usd_per_hour)),
            percent,
            of_term,
            price_text(Some(line.commitment_usd)),
            line.price_as_of.short(),
        ]);
    }
    grid.expendable(&["machine", "region", "price of", "owed USD each"])
}

fn regret(answer: &Commitments) -> Grid {
    let mut grid = Grid::new(&[">usage %", ">this plan USD", ">best plan USD", ">regret USD"]);
    for line in &answer.regret {
        let more = RegretLine::more(line.total_usd, line.best_usd);
        grid.push(vec![
            format!("{:+}", line.usage_change_pct),
            price_text(Some(line.total_usd)),
            price_text(Some(line.best_usd)),
            price_text(Some(more)),
        ]);
    }
    grid
}

fn notes(answer: &Commitments) -> Option<Block> {
    let mut lines: Vec<String> = Vec::new();
    for tier in &answer.tiers {
        for note in &tier.notes {
            let line = format!("{}: {note}", tier.billing);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    (!lines.is_empty()).then_some(Block::List(lines))
}
