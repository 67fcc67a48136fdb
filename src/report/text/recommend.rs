//! The page of `recommend`: ranking, the best row in full, advice, what was rejected.

use super::{
    advice_text, billing, count_by_memory, formulas, grouped, layout, memory, na, overlay_legend, parts,
    price_text, total_text, unknown, whole_layout,
};
use crate::report::contract::CostLine;
use crate::report::number::Num;
use crate::report::recommend::{Recommend, RejectedLine};
use crate::report::row::{AdviceLine, Memory, Row};
use crate::report::scenario::ScenarioAnswer;
use crate::report::view::{Block, Grid};

/// The page of `recommend`.
pub(in crate::report) fn recommend(answer: &Recommend) -> Vec<Block> {
    let mut blocks = answer.scenario.as_ref().map(guide).unwrap_or_default();
    if let Some(best) = answer.recommendations.first() {
        blocks.push(Block::Table(ranking(&answer.recommendations)));
        let shown = answer.recommendations.len();
        blocks.push(Block::Text(format!("{shown} of {} configurations looked at.", answer.considered)));
        blocks.extend(best_row(best));
        blocks.extend(advice(&answer.recommendations));
        blocks.extend(formulas(
            answer.recommendations.iter().map(|row| (format!("rank {}", row.rank), row.explain.as_ref())),
        ));
    } else if answer.workload.is_some() {
        blocks.push(Block::Text("Nothing qualifies.".to_owned()));
    }
    blocks.extend(rejected(&answer.rejected));
    blocks
}

/// The contract that nobody has to ask for.
const ON_DEMAND: &str = "on-demand";

/// What the guide of a scenario says and whether it holds.
fn guide(scenario: &ScenarioAnswer) -> Vec<Block> {
    let mut lines = vec![
        format!(
            "the guide says {}x {} with {} vCPU ({}, {})",
            scenario.guide_gpus, scenario.guide_gpu, scenario.guide_vcpus, scenario.source, scenario.as_of
        ),
        scenario.message.clone(),
    ];
    lines.extend(scenario.lowest_on_demand().map(|(row, usd)| {
        format!(
            "its cheapest on-demand machine today is {}x {}/{} in {} at {usd} USD/h (price of {})",
            row.nodes, row.provider, row.instance_type, row.region, row.price_as_of
        )
    }));
    lines.extend(scenario.also_judged.iter().map(|w| w.message.clone()));
    lines.extend(scenario.not_judged.iter().map(|w| format!("{} is not judged: {}", w.name, w.reason)));
    lines.extend(scenario.note.clone());
    let mut blocks =
        vec![Block::Heading(format!("Scenario {}: {}", scenario.name, scenario.title)), Block::List(lines)];
    if let Some(memory) = scenario.guide_fit.as_ref().and_then(|fit| fit.memory.as_ref()) {
        blocks.push(Block::Heading("Memory per GPU on the guide's machine, fullest stage".to_owned()));
        blocks.push(Block::Table(super::memory(memory)));
    }
    blocks
}

/// The rows by the contract they are ranked by, and what the other contracts cost.
fn ranking(rows: &[Row]) -> Grid {
    let plain = rows.iter().all(|row| row.ranked_billing == ON_DEMAND);
    let mut grid = Grid::new(&[
        ">#",
        "machines",
        "region",
        "GPUs",
        "layout",
        "memory",
        ">hours",
        "contract",
        ">USD/h",
        if plain { ">on-demand USD" } else { ">total USD" },
        if plain { ">" } else { ">on-demand USD" },
        ">spot USD",
        ">committed USD",
    ]);
    for row in rows {
        let total_of = |billing: &str| {
            let cost = row.costs.iter().find(|c| c.billing == billing);
            total_text(cost.and_then(|c| c.total_usd), cost.is_some_and(|c| c.at_least))
        };
        let ranked = row
            .costs
            .iter()
            .find(|c| c.billing == row.ranked_billing && c.total_usd == Some(row.ranked_total_usd));
        grid.push(vec![
            row.rank.to_string(),
            format!("{}x\u{a0}{}/{}", row.nodes, row.provider, row.instance_type),
            row.region.clone(),
            format!("{}x\u{a0}{} ({}\u{a0}GiB)", row.total_gpus, row.gpu, row.memory.per_gpu_capacity_gib),
            layout(&row.parallelism),
            used(&row.memory),
            wall_hours(row).to_string(),
            if plain { String::new() } else { row.ranked_billing.to_owned() },
            price_text(ranked.and_then(|c| c.usd_per_hour)),
            total_text(Some(row.ranked_total_usd), row.ranked_at_least),
            if plain { String::new() } else { total_of(ON_DEMAND) },
            total_of("spot"),
            cheapest_commitment(&row.costs),
        ]);
    }
    let other = if plain { "" } else { "on-demand USD" };
    grid.expendable(&["committed USD", other, "layout", "spot USD", "region", "USD/h", "contract"])
}

/// Hours until the job is done under the contract that the row is ranked by: on spot with its reruns.
fn wall_hours(row: &Row) -> Num {
    let ranked = row.costs.iter().find(|c| c.billing == row.ranked_billing);
    ranked.and_then(|c| c.expected_wall_hours).unwrap_or(row.duration_hours.expected)
}

fn cheapest_commitment(costs: &[CostLine]) -> String {
    let committed = costs.iter().filter(|c| c.commitment_usd.is_some());
    let priced = committed.filter_map(|c| c.total_usd.map(|total| (total, c)));
    let least = priced.min_by(|a, b| a.0.value().total_cmp(&b.0.value()));
    least.map_or_else(unknown, |(total, c)| format!("{} {}", total_text(Some(total), c.at_least), c.billing))
}

/// `fits 76.9%`: verdict and share of the usable memory that is expected to be needed.
fn used(memory: &Memory) -> String {
    let share = Num::percent(memory.total_gib.value() / memory.usable_gib.value() * 100.0);
    format!("{}\u{a0}{share}%", memory.verdict)
}

/// Regions named beside the best row; JSON has all.
const ALSO_SHOWN: usize = 5;

fn also_in(row: &Row) -> String {
    let Some(more) = row.also_in.len().checked_sub(ALSO_SHOWN).filter(|&more| more > 0) else {
        let names = row.also_in.join(", ");
        return if names.is_empty() { names } else { format!(" (also in {names})") };
    };
    format!(" (also in {} and {more} more)", row.also_in[..ALSO_SHOWN].join(", "))
}

/// Memory, speed and contracts of the best row.
fn best_row(row: &Row) -> Vec<Block> {
    let mut blocks = vec![
        Block::Heading(format!(
            "Best: {}x {}/{} in {}{}",
            row.nodes,
            row.provider,
            row.instance_type,
            row.region,
            also_in(row)
        )),
        Block::Text(machine(row)),
        Block::Text(speed(row)),
        Block::Heading("Memory per GPU, fullest stage".to_owned()),
        Block::Table(memory(&row.memory)),
    ];
    if !row.costs.is_empty() {
        blocks.push(Block::Heading("Contracts side by side".to_owned()));
        blocks.push(Block::Table(contracts(&row.costs)));
        let lines = row.costs.iter().map(|cost| {
            let first = vec![billing(cost.billing, cost.upfront, cost.overridden)];
            (first, &cost.parts, total_text(cost.total_usd, cost.at_least))
        });
        blocks.extend(parts(&["billing"], lines));
        blocks.extend(overlay_legend(row.costs.iter().any(|cost| cost.overridden)));
        let with_cautions = row.costs.iter().filter(|c| !c.notes.is_empty());
        let lines = with_cautions.map(|c| format!("{}: {}", c.billing, c.notes.join("; ")));
        let notes: Vec<String> = spot(row).into_iter().chain(lines).collect();
        if !notes.is_empty() {
            blocks.push(Block::List(notes));
        }
    }
    blocks
}

/// What interruptions do to the job on spot, where it is one that they set back.
fn spot(row: &Row) -> Option<String> {
    let cost =
        row.costs.iter().find(|cost| cost.billing == "spot" && cost.expected_interruptions.is_some())?;
    let chance = cost
        .deadline_probability
        .map_or_else(String::new, |chance| format!(", chance to meet the deadline {chance}"));
    let saved = cost
        .checkpoint_interval_hours
        .map_or_else(|| "no checkpoints".to_owned(), |interval| format!("a checkpoint every {interval} h"));
    Some(format!(
        "spot: {} billed h for {} h of work ({} interruptions expected, {saved}), {} h until it is done with waits for \
         capacity, {} USD for an hour of work{chance}",
        na(cost.billed_hours),
        row.duration_hours.expected,
        na(cost.expected_interruptions),
        na(cost.expected_wall_hours),
        price_text(cost.effective_usd_per_hour),
    ))
}

fn machine(row: &Row) -> String {
    format!(
        "Each machine: {} {}, {} vCPU, {} GiB RAM ({}). {}.",
        count_by_memory(row.gpus_per_node, row.memory.per_gpu_capacity_gib),
        row.gpu,
        na(row.vcpus),
        na(row.ram_gib),
        row.tier,
        whole_layout(&row.parallelism, row.precision),
    )
}

fn speed(row: &Row) -> String {
    let p = &row.performance;
    let hours = &row.duration_hours;
    let rate = |rate: Option<Num>| rate.map_or_else(unknown, grouped);
    let what = if p.output_tokens_per_s.is_some() {
        format!(
            "{} output tokens/s, {} requests/s, TTFT {} ms ({} to {}), TPOT {} ms ({} to {}), up to {} requests at a time; {} \
             hours asked.",
            rate(p.output_tokens_per_s),
            rate(p.requests_per_s),
            na(p.ttft_ms),
            na(p.ttft_low_ms),
            na(p.ttft_high_ms),
            na(p.tpot_ms),
            na(p.tpot_low_ms),
            na(p.tpot_high_ms),
            rate(p.max_concurrency),
            hours.expected,
        )
    } else if p.tokens_per_s.is_none() {
        let asked = if p.mfu.is_some() { "expected" } else { "asked" };
        format!(
            "{} hours {asked} ({} to {}): {} samples/s{}.",
            hours.expected,
            hours.low,
            hours.high,
            rate(p.samples_per_s),
            p.mfu.map_or_else(String::new, |mfu| format!(
                ", {} TFLOP/s per GPU, MFU {mfu}, communication share {}",
                rate(p.tflops_per_gpu),
                na(p.communication_share)
            )),
        )
    } else {
        format!(
            "{} hours expected ({} to {}): {} tokens/s, {} per GPU, {} TFLOP/s per GPU, MFU {}, communication share {}{}.",
            hours.expected,
            hours.low,
            hours.high,
            rate(p.tokens_per_s),
            rate(p.tokens_per_s_per_gpu),
            rate(p.tflops_per_gpu),
            na(p.mfu),
            na(p.communication_share),
            p.scaling_efficiency
                .filter(|kept| kept.value() < 1.0)
                .map_or_else(String::new, |kept| format!(", scaling efficiency over nodes {kept}")),
        )
    };
    let basis = match p.basis {
        "measured" => "from measured rates",
        "calibrated" => "from a formula calibrated on your runs",
        _ => "from a formula",
    };
    let assumption = p.dominant_assumption.trim_end_matches('.');
    format!("{what} Bound by {}; {basis}, depends most on {assumption}.", p.bound)
}

fn contracts(costs: &[CostLine]) -> Grid {
    let mut grid = Grid::new(&[
        "billing",
        ">USD/h",
        ">USD/GPU-h",
        ">billed h",
        ">total USD",
        ">low USD",
        ">high USD",
        ">owed USD",
        ">saves %",
        ">USD/M tokens",
        "price of",
    ]);
    for cost in costs {
        grid.push(vec![
            billing(cost.billing, cost.upfront, cost.overridden),
            price_text(cost.usd_per_hour),
            price_text(cost.usd_per_gpu_hour),
            na(cost.billed_hours),
            total_text(cost.total_usd, cost.at_least),
            price_text(cost.low_usd),
            price_text(cost.high_usd),
            cost.commitment_usd.map_or_else(String::new, |owed| price_text(Some(owed))),
            na(cost.saves_pct),
            price_text(cost.usd_per_million_output_tokens),
            cost.price_as_of.short(),
        ]);
    }
    grid.expendable(&["low USD", "high USD", "saves %", "USD/M tokens", "owed USD", "USD/GPU-h", "billed h"])
}

/// Each rule once, with the figures of the best row that it speaks of and the ranks of the others.
fn advice(rows: &[Row]) -> Vec<Block> {
    let mut seen: Vec<(&AdviceLine, Vec<u32>)> = Vec::new();
    for (row, advice) in rows.iter().flat_map(|row| row.advice.iter().map(move |advice| (row, advice))) {
        match seen.iter_mut().find(|(first, _)| first.id == advice.id) {
            Some((_, ranks)) => ranks.push(row.rank),
            None => seen.push((advice, vec![row.rank])),
        }
    }
    if seen.is_empty() {
        return Vec::new();
    }
    let line = |(advice, ranks): &(&AdviceLine, Vec<u32>)| {
        let others: Vec<String> = ranks.iter().skip(1).map(u32::to_string).collect();
        let also =
            if others.is_empty() { String::new() } else { format!(" (Also rank {}.)", others.join(", ")) };
        let first = ranks.first().copied().unwrap_or_default();
        format!("rank {first}: {}{also}", advice_text(advice))
    };
    vec![Block::Heading("Advice".to_owned()), Block::List(seen.iter().map(line).collect())]
}

fn rejected(lines: &[RejectedLine]) -> Vec<Block> {
    if lines.is_empty() {
        return Vec::new();
    }
    let mut grid = Grid::new(&["rejected for", ">count", "nearest miss"]);
    for line in lines {
        let nearest = line.nearest.as_ref().map_or_else(String::new, |miss| miss.message.clone());
        grid.push(vec![line.reason.to_owned(), line.count.to_string(), nearest]);
    }
    vec![Block::Table(grid)]
}
