//! Spot as a user meets it: expected hours and money, what is refused, the chance to be in time, the way back to on-demand.

use crate::program::{Finished, Program, run};
use serde_json::Value;

/// One machine at a dollar an hour on demand and a third of it on spot: totals read as hours.
fn program() -> Program {
    let row = |billing: &str, usd: &str| {
        format!(
            "  {{ instance = \"p3.2xlarge\", region = \"us-east-1\", billing = \"{billing}\", usd-per-hour = {usd} }},\n"
        )
    };
    let text = format!(
        "schema = 1\nprovider = \"aws\"\nsource = \"OWN\"\nprice = [\n{}{}]\n\n[sources.OWN]\ntext = \"Private price list\"\n\
         as-of = 2026-11-01\n",
        row("on-demand", "1"),
        row("spot", "0.3325")
    );
    Program::new().file("prices.toml", &text)
}

fn cost(more: &str) -> Value {
    let line = "cost --catalog prices.toml --instance aws/p3.2xlarge --region us-east-1 --billing on-demand,spot --json";
    let all: Vec<&str> = line.split_whitespace().chain(more.split_whitespace()).collect();
    let finished = program().run(&all);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    finished.json()
}

fn recommend(more: &str) -> Finished {
    let line =
        "recommend --params 1e9 --task train --tokens 2e9 --gpu V100-16GB-SXM:8 --gpus 8 --provider aws";
    run(&line.split_whitespace().chain(more.split_whitespace()).collect::<Vec<_>>())
}

fn row<'v>(document: &'v Value, billing: &str) -> &'v Value {
    let rows = document["rows"].as_array().expect("rows");
    rows.iter().find(|row| row["billing"] == billing).unwrap_or_else(|| panic!("no {billing} in {document}"))
}

fn spot_of(row: &Value) -> &Value {
    let costs = row["costs"].as_array().expect("costs");
    costs.iter().find(|cost| cost["billing"] == "spot").unwrap_or_else(|| panic!("no spot in {row}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn notes(row: &Value) -> String {
    let notes = row["notes"].as_array().expect("notes").iter();
    notes.filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}

fn ids<'v>(document: &'v Value, list: &str) -> Vec<&'v str> {
    document[list].as_array().expect("a list").iter().filter_map(|item| item["id"].as_str()).collect()
}

const FIELDS: [&str; 6] = [
    "billed_hours",
    "expected_wall_hours",
    "expected_interruptions",
    "checkpoint_interval_hours",
    "effective_usd_per_hour",
    "deadline_probability",
];

/// The hours that are billed hold the reruns, and the number of interruptions stands beside them.
#[test]
fn p097_restarts_are_added_up() {
    let document = cost("--hours 48.5 --interruptions-per-hour 0.15 --capacity-wait 2h --deadline 4d");
    let spot = row(&document, "spot");
    for field in FIELDS {
        assert!(spot[field].is_number(), "{field}: {spot}");
        assert!(field == "billed_hours" || row(&document, "on-demand")[field].is_null());
    }
    let (billed, interruptions) = (number(&spot["billed_hours"]), number(&spot["expected_interruptions"]));
    assert!(billed > 48.5 && (interruptions / (0.15 * billed) - 1.0).abs() < 1e-3, "{spot}");
    assert!((number(&spot["expected_wall_hours"]) - billed - 2.0 * interruptions).abs() < 2e-3, "{spot}");
    assert!(
        (number(&spot["effective_usd_per_hour"]) - number(&spot["total_usd"]) / 48.5).abs() < 1e-4,
        "{spot}"
    );
    assert!((number(&spot["total_usd"]) - 0.3325 * billed).abs() < 0.01, "{spot}");
    assert!((0.5..=1.0).contains(&number(&spot["deadline_probability"])), "{spot}");
    for id in ["checkpoint-time", "restart-time", "checkpoint-interval"] {
        assert!(ids(&document, "assumptions").contains(&id), "{id}");
    }
}

/// The report's 48.5 hours at 0.15 interruptions an hour: 9,617 hours without checkpoints, which at a third of the price are
/// its 3,198 dollars against 48.5 on demand, and some 17.9 with checkpoints every 30 minutes.
#[test]
fn p115_long_jobs_without_checkpoints_are_refused() {
    let asked = "--hours 48.5 --interruptions-per-hour 0.15 --checkpoint-interval";
    let document = cost(&format!("{asked} none --restart-time 0"));
    let spot = row(&document, "spot");
    let law = (0.15_f64 * 48.5).exp_m1() / 0.15;
    assert!((number(&spot["billed_hours"]) - law).abs() < 1e-3, "{spot}");
    assert!((number(&spot["total_usd"]) - 3198.0).abs() < 1.0, "{spot}");
    assert!(notes(spot).contains("refused: 9618") || notes(spot).contains("refused: 9617"), "{spot}");
    assert_eq!(document["rows"][0]["billing"], "on-demand");
    let saving = cost(&format!("{asked} 30m"));
    let spot = row(&saving, "spot");
    assert!((17.4..18.4).contains(&number(&spot["total_usd"])), "{spot}");
    assert!(!notes(spot).contains("refused"), "{spot}");
    assert_eq!(spot["checkpoint_interval_hours"], 0.5);
}

#[test]
fn a_job_that_never_ends_on_spot_has_no_figures() {
    let finished =
        recommend("--interruptions-per-hour 5 --checkpoint-interval none --billing on-demand,spot --json");
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let document = finished.json();
    let best = &document["recommendations"][0];
    assert_eq!(best["ranked_billing"], "on-demand");
    let spot = spot_of(best);
    for field in ["total_usd", "billed_hours", "expected_wall_hours", "high_usd", "effective_usd_per_hour"] {
        assert!(spot[field].is_null(), "{field}: {spot}");
    }
    assert!(notes(spot).contains("never ends on spot"), "{spot}");
    assert!(ids(&document, "warnings").contains(&"spot-refused"), "{}", document["warnings"]);
    let finished = recommend("--interruptions-per-hour 5 --checkpoint-interval none --billing spot --json");
    assert_eq!(finished.code, 3);
    let rejected = &finished.json()["rejected"];
    let line = rejected.as_array().expect("a list").iter().find(|line| line["reason"] == "spot-not-worth-it");
    let message = line.unwrap_or_else(|| panic!("{rejected}"))["nearest"]["message"].to_string();
    assert!(message.contains("on spot for") && message.contains("on demand"), "{message}");
}

/// Spot counts only from the asked discount on.
#[test]
fn p119_spot_must_be_as_much_cheaper_as_asked() {
    let kinds = |percent: &str| {
        let document = cost(&format!("--hours 10 --min-spot-discount {percent}"));
        document["rows"].as_array().expect("rows").len()
    };
    assert_eq!((kinds("66"), kinds("67")), (2, 1));
    let finished = recommend("--billing spot --min-spot-discount 99 --json");
    assert_eq!(finished.code, 3, "{}", finished.stdout);
}

/// What is paid is the price of the machine; nobody's bid is a cost, and the risk is a figure of its own.
#[test]
fn p123_risk_stands_apart_from_the_price() {
    for format in ["table", "json", "csv", "markdown"] {
        let finished = recommend(&format!("--billing spot --format {format}"));
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        let words =
            |text: &str| text.to_lowercase().split(|c: char| !c.is_alphabetic()).any(|word| word == "bid");
        assert!(!words(&finished.stdout), "{}", finished.stdout);
        assert!(finished.stdout.contains("interruptions"), "{}", finished.stdout);
    }
    let document = recommend("--billing spot --json").json();
    let calm = recommend("--billing spot --interruptions-per-hour 0 --json").json();
    let (risky, calm) = (spot_of(&document["recommendations"][0]), spot_of(&calm["recommendations"][0]));
    assert_eq!(risky["usd_per_gpu_hour"], calm["usd_per_gpu_hour"]);
    assert!(number(&risky["expected_interruptions"]) > number(&calm["expected_interruptions"]));
    assert!(
        number(&risky["low_usd"]) <= number(&risky["total_usd"]) && risky["high_usd"] != risky["low_usd"]
    );
}

/// With n interruptions allowed the cost lies between spot alone and on-demand alone.
#[test]
fn p124_spot_gives_way_to_on_demand() {
    let asked = "--hours 24 --interruptions-per-hour 0.05";
    let total = |more: &str| number(&row(&cost(&format!("{asked} {more}")), "spot")["total_usd"]);
    let (alone, on_demand) = (total(""), 24.0);
    let mut last = on_demand;
    for allowed in ["1", "2", "4", "8"] {
        let plan = total(&format!("--spot-fallback-after {allowed}"));
        assert!(alone <= plan && plan < last, "{allowed}: {alone} {plan} {last}");
        last = plan;
    }
    let document = cost(&format!("{asked} --spot-fallback-after 1"));
    let spot = row(&document, "spot");
    let (billed, rest) = (number(&spot["billed_hours"]), number(&spot["on_demand_hours"]));
    assert!((number(&spot["total_usd"]) - 0.3325 * (billed - rest) - rest).abs() < 0.02, "{spot}");
    assert!(notes(spot).contains("on demand after 1 interruption"), "{spot}");
    assert!(row(&cost(asked), "spot")["on_demand_hours"].is_null());
}

/// Deadlines are held against the wall time with reruns and waits; where spot is late, on-demand is taken.
#[test]
fn deadlines_count_reruns_and_waits() {
    let calm = recommend("--billing spot --interruptions-per-hour 0 -n 1 --json").json();
    let hours = number(&calm["recommendations"][0]["duration_hours"]["expected"]);
    let deadline = format!("--deadline {:.0}m", hours * 60.0 * 1.1);
    let risky = "--interruptions-per-hour 0.5 --capacity-wait 3h";
    let finished = recommend(&format!("--billing spot {risky} {deadline} --json"));
    assert_eq!(finished.code, 3, "{}", finished.stdout);
    assert!(finished.json()["rejected"].to_string().contains("deadline"));
    let both = recommend(&format!("--billing on-demand,spot {risky} {deadline} --json")).json();
    let best = &both["recommendations"][0];
    assert_eq!(best["ranked_billing"], "on-demand");
    let spot = spot_of(best);
    assert!(number(&spot["total_usd"]) < number(&best["ranked_total_usd"]), "{spot}");
    assert!(number(&spot["deadline_probability"]) < 0.5, "{spot}");
}

/// Interruptions take machines from a service; no work is done twice.
#[test]
fn a_service_loses_capacity_and_no_work() {
    let line = "recommend --model llama-3-8b --task infer --gpu A100-80GB --provider azure --billing spot -n 1 --json";
    let document = run(&line.split_whitespace().collect::<Vec<_>>()).json();
    let spot = spot_of(&document["recommendations"][0]);
    assert_eq!(spot["billed_hours"], 730);
    assert!(spot["checkpoint_interval_hours"].is_null() && spot["deadline_probability"].is_null());
    assert!(notes(spot).contains("capacity and no reruns"), "{spot}");
}

/// Adapters are all that LoRA must save: its checkpoints are written sooner, and so more often.
#[test]
fn checkpoints_are_those_of_the_method() {
    let ask = |method: &str| {
        let line = "recommend --model llama-3-8b --task finetune --gpu A100-80GB:8 --max-gpus 8 --provider gcp --billing spot -n 1 --json";
        let all: Vec<&str> = line.split_whitespace().chain(["--method", method]).collect();
        let document = run(&all).json();
        let assumed = document["assumptions"].as_array().expect("assumptions").iter();
        let size = assumed.filter(|a| a["id"] == "checkpoint-size").find_map(|a| a["value"].as_str());
        size.and_then(|text| text.strip_suffix(" GB"))
            .and_then(|text| text.parse::<f64>().ok())
            .expect("a size")
    };
    let (full, lora) = (ask("full"), ask("lora"));
    // BLOOM: 2.3 TB for 176 billion parameters, 13.07 bytes each; counted are 2 + 4 + 8.
    assert!((full / 8.03 / 13.07 - 1.0).abs() < 0.08, "{full} GB");
    assert!(lora < 0.02 * full, "{lora} GB against {full} GB");
}

/// What is no sensible figure is bad input.
#[test]
fn nonsense_is_refused() {
    for flags in [
        "--interruptions-per-hour -1",
        "--interruptions-per-hour NaN",
        "--checkpoint-interval 0",
        "--checkpoint-interval often",
        "--checkpoint-time -5m",
        "--restart-time inf",
        "--capacity-wait -1h",
        "--spot-fallback-after 0",
        "--spot-fallback-after 21",
    ] {
        let finished = recommend(&format!("--billing spot {flags}"));
        assert_eq!(finished.code, 2, "{flags}: {}", finished.stderr);
        assert!(
            finished.stdout.is_empty() && finished.stderr.contains(flags.split(' ').next().unwrap()),
            "{flags}"
        );
    }
}
