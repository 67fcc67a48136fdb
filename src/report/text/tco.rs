//! The page of `tco`.

use super::{grouped, overlay_legend, price_text};
use crate::report::number::Num;
use crate::report::tco::{BreakEven, CarbonLine, OptionLine, Tco, YearLine};
use crate::report::view::{Block, Grid};

/// The page of `tco`.
pub(in crate::report) fn tco(answer: &Tco) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(traffic) = &answer.traffic {
        let busy = traffic.busy_pct.zip(traffic.idle_hours_per_month).map_or_else(
            || "how busy the machines are is not predicted".to_owned(),
            |(busy, idle)| format!("the machines are {busy} % busy, as if idle for {idle} of 730 h"),
        );
        blocks.push(Block::Text(format!(
            "Tokens a month: {} input ({} cached), {} output; {} requests/s of {} + {} tokens: {busy}.",
            grouped(traffic.input_tokens_per_month),
            grouped(traffic.cached_tokens_per_month),
            grouped(traffic.output_tokens_per_month),
            traffic.requests_per_s,
            traffic.input_len,
            traffic.output_len,
        )));
    }
    if answer.options.is_empty() {
        return blocks;
    }
    blocks.push(Block::Table(options(answer)));
    blocks.extend(overlay_legend(answer.options.iter().any(|line| line.overridden)));
    blocks.extend(parts(answer));
    if !answer.break_even.is_empty() {
        blocks.push(Block::Heading("Break-even".to_owned()));
        blocks.push(Block::List(answer.break_even.iter().map(break_even).collect()));
    }
    if !answer.cash.is_empty() {
        blocks.push(Block::Heading("Cash up to the end of each year".to_owned()));
        blocks.push(Block::Table(cash(&answer.cash, answer.years)));
    }
    if !answer.carbon.is_empty() {
        blocks.push(Block::Heading("Carbon".to_owned()));
        blocks.push(Block::List(answer.carbon.iter().map(carbon).collect()));
    }
    blocks.extend(notes(answer));
    blocks
}

fn options(answer: &Tco) -> Grid {
    let mut grid = Grid::new(&[
        "option",
        "where",
        "region",
        ">USD/h",
        ">paid h/year",
        ">USD/year",
        ">total USD",
        ">USD/busy GPU-h",
        ">USD/M tokens",
        "price of",
    ]);
    for line in &answer.options {
        grid.push(vec![
            format!("{}{}", kind(line), if line.overridden { " *" } else { "" }),
            place(line),
            line.region.clone().unwrap_or_default(),
            line.usd_per_hour.map_or_else(String::new, |usd| price_text(Some(usd))),
            line.billed_hours_per_year.map_or_else(String::new, grouped),
            bound(line, line.usd_per_year),
            bound(line, line.total_usd),
            line.usd_per_busy_gpu_hour.map_or_else(String::new, |usd| bound(line, Some(usd))),
            line.usd_per_million_tokens.map_or_else(String::new, |usd| bound(line, Some(usd))),
            line.price_as_of.map_or_else(String::new, crate::report::date::Dated::short),
        ]);
    }
    if answer.traffic.is_none() {
        grid.remove_titled("USD/M tokens");
    }
    grid.expendable(&["price of", "region", "paid h/year", "USD/busy GPU-h", "USD/h"])
}

/// `rent on-demand`, `own`, `api`.
fn kind(line: &OptionLine) -> String {
    if line.option == "api" { "api".to_owned() } else { line.name() }
}

fn place(line: &OptionLine) -> String {
    match (&line.provider, &line.instance_type, &line.api_model) {
        (Some(provider), Some(machine), _) => {
            format!("{}x\u{a0}{provider}/{machine}", line.nodes.unwrap_or(1))
        }
        (Some(provider), None, Some(model)) => format!("{provider}/{model}"),
        _ => {
            let (gpus, gpu) =
                (line.gpus_per_node.unwrap_or_default(), line.gpu.as_deref().unwrap_or_default());
            format!("{}x\u{a0}{gpus}\u{a0}{gpu}", line.nodes.unwrap_or(1))
        }
    }
}

/// A figure, said to be the least where a part of it is not known.
fn bound(line: &OptionLine, usd: Option<Num>) -> String {
    let text = price_text(usd);
    if line.at_least && usd.is_some() { format!("at least {text}") } else { text }
}

fn parts(answer: &Tco) -> Vec<Block> {
    let Some(own) = answer.options.iter().find(|line| line.option == "own") else { return Vec::new() };
    let mut grid = Grid::new(&["own, an average year", ">USD"]);
    for part in &own.parts {
        grid.push(vec![part.name.to_owned(), price_text(part.usd_per_year)]);
    }
    vec![Block::Table(grid)]
}

fn break_even(line: &BreakEven) -> String {
    let tokens =
        line.tokens_per_month.map(|count| format!(", {} tokens a month", grouped(count))).unwrap_or_default();
    match (line.verdict, line.utilisation_pct) {
        // Its costs are a lower bound, and so is where it breaks even.
        ("from", Some(percent)) if line.at_least => format!(
            "{} breaks even with {} at {percent} % utilisation{tokens} at the earliest: a part of its costs is not known",
            line.option, line.against
        ),
        ("from", Some(percent)) => {
            format!("{} is cheaper than {} from {percent} % utilisation{tokens}", line.option, line.against)
        }
        ("never", _) => format!("{} is never cheaper than {}, however busy", line.option, line.against),
        _ => format!("{} against {}: n/a, a figure is not known{tokens}", line.option, line.against),
    }
}

fn cash(lines: &[YearLine], years: u32) -> Grid {
    let mut names: Vec<&str> = Vec::new();
    for line in lines {
        if !names.contains(&line.option.as_str()) {
            names.push(&line.option);
        }
    }
    let mut titles = vec!["option".to_owned()];
    titles.extend((1..=years).map(|year| format!(">USD to year {year}")));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut grid = Grid::new(&titles);
    for name in names {
        let of_option = lines.iter().filter(|line| line.option == name);
        let cells = of_option.map(|line| price_text(line.cumulative_usd));
        grid.push([name.to_owned()].into_iter().chain(cells).collect());
    }
    grid
}

fn carbon(line: &CarbonLine) -> String {
    let place = match (&line.provider, &line.region) {
        (Some(provider), Some(region)) => format!(" in {provider}/{region}"),
        _ => String::new(),
    };
    let figure = |number: Option<Num>| number.map_or_else(|| "n/a".to_owned(), grouped);
    let free = line.carbon_free_pct.map_or_else(String::new, |percent| {
        format!("; {percent} % of the provider's energy there is carbon-free hour by hour")
    });
    let as_of = line.as_of.map_or_else(String::new, |as_of| format!(" as of {as_of}"));
    format!(
        "{}{place}: {} kWh a year (PUE {}) at {} g CO2e/kWh{as_of} ({}): {} kg CO2e a year{free}",
        line.option,
        figure(line.kwh_per_year),
        line.pue.map_or_else(|| "n/a".to_owned(), |pue| pue.to_string()),
        line.g_co2e_per_kwh.map_or_else(|| "n/a".to_owned(), |grams| grams.to_string()),
        line.method,
        figure(line.kg_co2e_per_year),
    )
}

fn notes(answer: &Tco) -> Vec<Block> {
    let mut lines: Vec<String> = Vec::new();
    for option in &answer.options {
        for note in &option.notes {
            let line = format!("{}: {note}", kind(option));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    if lines.is_empty() { Vec::new() } else { vec![Block::Heading("Notes".to_owned()), Block::List(lines)] }
}
