//! `calibrate`: a machine that is not like the table, from its runs to a recommendation.

use crate::program::Program;
use serde_json::Value;
use std::fmt::Write as _;

/// Settings of training runs on one node, and of serving runs.
const TRAINING: &str = "id,as_of,framework,model,params_b,layers,hidden,heads,kv_heads,ffn_hidden,vocab,seq_len,method,\
    precision,sharding,tp,pp,dp,activation_checkpointing,micro_batch,grad_accum,global_batch_seqs,gpu,gpu_memory_gb,\
    gpu_count,nodes,metric_tokens_per_s_per_gpu";

/// What differs between the runs: sequence, micro-batch, sequences of a step.
const RUNS: [(u32, u32, u32); 4] = [(2048, 4, 128), (4096, 2, 64), (4096, 1, 32), (8192, 1, 32)];

/// A table of runs, measured as `rate(run)` says.
fn table(rate: impl Fn(usize) -> String) -> String {
    let mut text = format!("{TRAINING}\n");
    for (at, (seq, micro, batch)) in RUNS.iter().enumerate() {
        let passes = batch / 8 / micro;
        let _ = writeln!(
            text,
            "run-{at},2026-10-0{},generic,llama-3-8b,8.03,32,4096,32,8,14336,128256,{seq},pretrain,bf16,fsdp_full,1,1,8,full,\
             {micro},{passes},{batch},A100-80GB,80,8,1,{}",
            at + 1,
            rate(at)
        );
    }
    text
}

/// What the tool predicts for the runs.
fn predicted() -> Vec<f64> {
    let program = Program::new().file("blank.csv", &table(|_| String::new()));
    let answer = program.run(&["accuracy", "--measurements", "blank.csv", "--json"]);
    let rows = answer.json()["rows"].as_array().cloned().unwrap();
    let rates: Vec<f64> = rows
        .iter()
        .filter(|row| row["metric"] == "tokens_per_s_per_gpu")
        .map(|row| row["predicted"].as_f64().unwrap())
        .collect();
    assert_eq!(rates.len(), RUNS.len(), "{}", answer.stderr);
    rates
}

/// The runs of a machine that is 30 % slower than the table.
fn slow() -> String {
    let noise = [1.0, 1.02, 0.98, 1.01];
    let rates = predicted();
    table(|at| format!("{:.1}", rates[at] * 0.7 * noise[at]))
}

fn median(answer: &Value) -> f64 {
    let groups = answer["groups"].as_array().unwrap();
    let own = groups.iter().find(|group| group["metric"] == "tokens_per_s_per_gpu").unwrap();
    own["median_ape_pct"].as_f64().unwrap()
}

const RECOMMEND: [&str; 11] = [
    "recommend",
    "--model",
    "llama-3-8b",
    "--task",
    "train",
    "--tokens",
    "1e9",
    "--gpu",
    "A100-80GB:8",
    "--max-nodes=1",
    "--json",
];

#[test]
fn runs_of_a_slow_machine_make_its_estimates_right() {
    let program = Program::new().file("runs.csv", &slow());
    let done = program.run(&["calibrate", "--runs", "runs.csv", "--output", "mine.toml"]);
    assert_eq!((done.code, done.stdout.as_str()), (0, ""), "{}", done.stderr);
    let errors = |more: &[&str]| {
        let ask: Vec<&str> =
            ["accuracy", "--measurements", "runs.csv", "--json"].iter().chain(more).copied().collect();
        program.run(&ask).json()
    };
    let (before, after) = (errors(&[]), errors(&["--catalog", "mine.toml"]));
    assert!(median(&before) > 35.0 && median(&after) < 3.0, "{} and {}", median(&before), median(&after));
    let bases = |answer: &Value| -> Vec<Value> {
        let rows = answer["rows"].as_array().unwrap().iter();
        rows.filter(|row| row["metric"] == "tokens_per_s_per_gpu").map(|row| row["basis"].clone()).collect()
    };
    assert!(bases(&after).iter().all(|basis| basis == "calibrated"), "{:?}", bases(&after));
    assert!(bases(&before).iter().all(|basis| basis == "formula"), "{:?}", bases(&before));

    let best = |more: &[&str]| {
        let ask: Vec<&str> = RECOMMEND.iter().chain(more).copied().collect();
        program.run(&ask).json()["recommendations"][0].clone()
    };
    let (table, own) = (best(&[]), best(&["--catalog", "mine.toml"]));
    let hours = |row: &Value| row["duration_hours"]["expected"].as_f64().unwrap();
    let slower = hours(&own) / hours(&table);
    assert!((1.3..=1.55).contains(&slower), "{slower} times the hours of a machine as the table has it");
    assert_eq!(table["performance"]["basis"], "formula");
    assert_eq!(own["performance"]["basis"], "calibrated");
    let said = own["performance"]["dominant_assumption"].as_str().unwrap();
    assert!(said.contains("calibrated on your 4 runs of runs.csv"), "{said}");
}

#[test]
fn other_hardware_and_other_software_stay_as_they_were() {
    let program = Program::new().file("runs.csv", &slow());
    program.run(&["calibrate", "--runs", "runs.csv", "--output", "mine.toml"]);
    for other in [
        ["--gpu", "H100:8", "--framework", "generic"],
        ["--gpu", "A100-80GB:8", "--framework", "tuned"],
        ["--gpu", "V100:8", "--framework", "generic"],
    ] {
        let ask = |more: &[&str]| {
            let model = ["recommend", "--params", "1e9", "--task", "train", "--max-nodes=1", "--json"];
            let ask: Vec<&str> = model.iter().chain(&other).chain(more).copied().collect();
            program.run(&ask).json()["recommendations"][0]["performance"].clone()
        };
        assert_eq!(ask(&[]), ask(&["--catalog", "mine.toml"]), "{other:?}");
    }
}

#[test]
fn calibrating_again_changes_nothing() {
    let program = Program::new().file("runs.csv", &slow());
    program.run(&["calibrate", "--runs", "runs.csv", "--output", "first.toml"]);
    let ask = ["calibrate", "--runs", "runs.csv", "--catalog", "first.toml", "--json"];
    let again = program.run(&ask).json();
    for constant in again["constants"].as_array().unwrap() {
        let (before, value) = (constant["before"].as_f64().unwrap(), constant["value"].as_f64().unwrap());
        assert!((value / before - 1.0).abs() < 0.01, "{constant}");
    }
}

#[test]
fn a_few_runs_move_a_few_constants_and_each_says_where_from() {
    let program = Program::new().file("runs.csv", &slow());
    let answer = program.run(&["calibrate", "--runs", "runs.csv", "--json"]).json();
    let constants = answer["constants"].as_array().unwrap();
    assert!((1..=2).contains(&constants.len()), "{constants:?}");
    let first = &constants[0];
    assert_eq!((&first["key"], &first["gpu"]), (&"train-efficiency".into(), &"Ampere".into()));
    assert!(first["class"].is_string() && first["precision"].is_string(), "{first}");
    assert_eq!(answer["source"], "calibrated on your 4 runs of runs.csv");
    let overlay = answer["overlay"].as_str().unwrap();
    assert!(overlay.contains("as-of = 2026-10-04"), "{overlay}");
    let schema = program.run(&["schema", "calibrate"]).json();
    jsonschema::validator_for(&schema).unwrap().validate(&answer).unwrap();
    let checked = program.file("mine.toml", overlay).run(&["catalog", "check", "mine.toml"]);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
}

#[test]
fn a_machine_like_the_table_moves_nothing() {
    let rates = predicted();
    let program = Program::new().file("runs.csv", &table(|at| format!("{:.1}", rates[at])));
    let answer = program.run(&["calibrate", "--runs", "runs.csv", "--json"]).json();
    assert_eq!(answer["constants"].as_array().map(Vec::len), Some(0), "{}", answer["constants"]);
    let overlay = answer["overlay"].as_str().unwrap();
    let program = program.file("none.toml", overlay);
    assert_eq!(program.run(&["cost", "--catalog", "none.toml"]).code, 0, "{overlay}");
}

#[test]
fn what_cannot_be_fitted_to_is_refused_with_its_place() {
    let blank = table(|_| String::new());
    let one = table(|at| if at == 0 { "2000".to_owned() } else { String::new() });
    let head = format!("{TRAINING}\n");
    let dateless = slow().replace("2026-10-0", "sometime ");
    for (text, named) in [
        (table(|at| if at == 2 { "0" } else { "2000" }.to_owned()), "runs.csv:4:1"),
        (table(|_| "fast".to_owned()), "runs.csv:2:1"),
        (table(|_| "-3".to_owned()), "above 0"),
        (head, "no run"),
        (String::new(), "runs.csv"),
        (blank, "0 usable runs"),
        (one, "1 usable runs"),
        (dateless, "--as-of"),
        (table(|_| "2000000".to_owned()), "of the dense peak"),
    ] {
        let finished = Program::new().file("runs.csv", &text).run(&["calibrate", "--runs", "runs.csv"]);
        assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{named}: {}", finished.stderr);
        assert!(finished.stderr.contains(named), "{named}: {}", finished.stderr);
    }
    let monthly = Program::new().file("runs.csv", &slow().replace("2026-10-01", "2026-12"));
    let answer = monthly.run(&["calibrate", "--runs", "runs.csv", "--json"]).json();
    let overlay = answer["overlay"].as_str().unwrap();
    assert!(overlay.contains("as-of = { not-before = 2026-12-01, not-after = 2026-12-31 }"), "{overlay}");
    let dated = ["calibrate", "--runs", "runs.csv", "--as-of", "2026-11-30"];
    let program = Program::new().file("runs.csv", &slow().replace("2026-10-0", "sometime "));
    assert_eq!(program.run(&dated).code, 0);
}
