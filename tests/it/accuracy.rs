//! `accuracy`: what reaches a prediction, what is skipped, and what is refused.

use crate::program::{Program, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Columns that hold what was measured, where it comes from and what it is called.
const ANSWERS: [&str; 21] = [
    "id",
    "source_group",
    "source",
    "as_of",
    "metric_tokens_per_s_total",
    "metric_tokens_per_s_per_gpu",
    "metric_samples_per_s",
    "metric_tflops_per_gpu",
    "metric_mfu_pct",
    "peak_memory_gb",
    "fits",
    "train_hours_total",
    "tokens_total",
    "metric_output_tokens_per_s_total",
    "metric_total_tokens_per_s",
    "metric_requests_per_s",
    "ttft_ms",
    "tpot_ms",
    "latency_ms",
    "kv_cache_tokens_capacity",
    "images_per_s",
];

const SAMPLES: [(&str, &str); 2] = [
    ("training.csv", include_str!("../../catalog/measurements/training.csv")),
    ("inference.csv", include_str!("../../catalog/measurements/inference.csv")),
];

/// The table with the cells of the columns that hold answers changed: `change(cells of one column)`.
fn altered(table: &str, change: impl Fn(&str, Vec<String>) -> Vec<String>) -> String {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let columns: Vec<Vec<String>> = header
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let cells = rows.iter().map(|row| row[at].to_owned()).collect();
            if ANSWERS.contains(&name) { change(name, cells) } else { cells }
        })
        .collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header).unwrap();
    for at in 0..rows.len() {
        writer.write_record(columns.iter().map(|column| column[at].as_str())).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Predictions in order, without ids and measured figures.
fn predictions(name: &str, table: &str) -> Vec<Value> {
    let program = Program::new().file(name, table);
    let answer = program.run(&["accuracy", "--measurements", name, "--json"]).json();
    let rows = answer["rows"].as_array().unwrap().iter();
    rows.map(|row| json!([row["kind"], row["metric"], row["predicted"], row["low"], row["high"]])).collect()
}

#[test]
fn measured_cells_ids_and_sources_never_reach_a_prediction() {
    for (name, table) in SAMPLES {
        let asked = predictions(name, table);
        assert!(asked.len() > 100, "{name}: {}", asked.len());
        let blank = altered(table, |_, cells| vec![String::new(); cells.len()]);
        assert_eq!(predictions(name, &blank), asked, "{name}: blanked");
        let rotated = altered(table, |_, mut cells| {
            cells.rotate_left(7);
            cells
        });
        assert_eq!(predictions(name, &rotated), asked, "{name}: shuffled");
    }
}

#[test]
fn the_sample_is_mostly_predicted_and_says_why_not_elsewhere() {
    let answer = run(&["accuracy", "--json"]).json();
    let skipped = answer["skipped"].as_array().unwrap();
    assert!(skipped.iter().all(|row| row["reason"].as_str().is_some_and(|reason| reason.len() > 8)));
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    for row in answer["rows"].as_array().unwrap() {
        *rows.entry(row["id"].as_str().unwrap()).or_default() += 1;
    }
    assert!(rows.len() >= 4 * skipped.len(), "{} predicted, {} skipped", rows.len(), skipped.len());
    for group in answer["groups"].as_array().unwrap() {
        let figure = |name: &str| group[name].as_f64().unwrap_or_else(|| panic!("{name} of {group}"));
        assert!(figure("median_ape_pct") <= figure("p90_ape_pct") || group["by"] == "overall", "{group}");
        assert!((0.0..=100.0).contains(&figure("interval_coverage_pct")), "{group}");
        assert!(figure("interval_width_ratio") >= 1.0, "{group}");
    }
    let by: Vec<&str> =
        answer["groups"].as_array().unwrap().iter().filter_map(|g| g["by"].as_str()).collect();
    assert!(by.contains(&"overall") && by.contains(&"kind") && by.contains(&"source"));
}

/// One dense run whose settings are all stated; 12,000 tokens/s and GPU is not the figure of a source.
const ONE: &str = "\
gpu,model,params_b,layers,hidden,heads,kv_heads,ffn_hidden,vocab,seq_len,method,precision,framework,sharding,tp,pp,dp,\
micro_batch,global_batch_seqs,gpu_count,activation_checkpointing,my_note,metric_tokens_per_s_per_gpu
H100-SXM,llama-3-8b,8.03,32,4096,32,8,14336,128256,8192,pretrain,bf16,nemo,,1,1,8,1,128,8,none,\"a, note\",12000
";

#[test]
fn order_of_columns_unknown_columns_and_line_ends_do_not_matter() {
    let plain = predictions("one.csv", ONE);
    assert!(plain.iter().any(|row| row[1] == "tokens_per_s_per_gpu"), "{plain:?}");
    assert_eq!(predictions("one.csv", &format!("\u{feff}{}", ONE.replace('\n', "\r\n"))), plain);
    let mut reader = csv::Reader::from_reader(ONE.as_bytes());
    let header = reader.headers().unwrap().clone();
    let row = reader.records().next().unwrap().unwrap();
    let quoted = |cells: Vec<&str>| format!("\"{}\"", cells.join("\",\""));
    let (header, row): (Vec<&str>, Vec<&str>) = (header.iter().rev().collect(), row.iter().rev().collect());
    assert_eq!(predictions("one.csv", &format!("{}\n{}\n", quoted(header), quoted(row))), plain);
}

#[test]
fn a_table_may_come_from_stdin() {
    use std::io::Write;
    let program = Program::new();
    let mut command = program.command(&["accuracy", "--measurements", "-", "--json"]);
    let mut child =
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(ONE.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["rows"][0]["measured"], 12000);
    assert_eq!(answer["rows"][0]["id"], "line 2");
}

#[test]
fn fail_above_is_exit_4_with_the_whole_document() {
    let program = Program::new().file("one.csv", ONE);
    let ask = |limit: &str| {
        program.run(&["accuracy", "--measurements", "one.csv", "--json", "--fail-above", limit])
    };
    let (strict, lax) = (ask("0"), ask("100"));
    assert_eq!((strict.code, lax.code), (4, 0), "{}", strict.stderr);
    assert!(strict.stderr.contains("tokens_per_s_per_gpu"), "{}", strict.stderr);
    assert_eq!(strict.json()["rows"], lax.json()["rows"]);
}

#[test]
fn what_is_no_table_is_refused_with_its_place() {
    let refused = |text: &[u8], wanted: &str| {
        let program = Program::new();
        std::fs::write(program.folder().join("bad.csv"), text).unwrap();
        let finished = program.run(&["accuracy", "--measurements", "bad.csv"]);
        assert_eq!(finished.code, 2, "{wanted}: {}", finished.stderr);
        assert!(finished.stderr.contains(wanted), "{wanted}: {}", finished.stderr);
    };
    refused(b"", "bad.csv:1:1: the header has no column `model`");
    refused(b"a,b,c\n1,2,3\n", "no column `model`");
    refused(b"model,gpu\nx,y\n", "neither training nor inference");
    refused(b"model,gpu,seq_len\nx,\xff,2\n", "bad.csv:2:1");
    refused(b"model,gpu,seq_len,gpu\nx,y,2,z\n", "the column `gpu` stands there twice");
    refused(b"model,gpu,seq_len\nx,y,2\nx,y\n", "bad.csv:3:1");
    refused(b"model,gpu,seq_len\nx,\"y,2\nx,y,2\n", "bad.csv:2:1");
    refused(b"model,gpu,method,kind\nx,y,lora,vision\n", "both training and inference");
    let missing = run(&["accuracy", "--measurements", "nowhere.csv"]);
    assert_eq!(missing.code, 2, "{}", missing.stderr);
}

#[test]
fn what_cannot_be_predicted_is_skipped_with_the_reason() {
    let rows = "model,gpu,seq_len,gpu_count,micro_batch,layers\n\
                llama-3-8b,Abacus-1,2048,1,1,32\n\
                llama-3-8b,H100-SXM,-3,1,1,32\n\
                llama-3-8b,H100-SXM,many,1,1,32\n\
                llama-3-8b,,2048,1,1,32\n\
                llama-3-8b,H100-SXM,1e17,1,1,32\n";
    let program = Program::new().file("rows.csv", rows);
    let finished = program.run(&["accuracy", "--measurements", "rows.csv", "--json"]);
    assert_eq!(finished.code, 3, "{}", finished.stderr);
    let answer = finished.json();
    let reasons: Vec<&str> =
        answer["skipped"].as_array().unwrap().iter().map(|row| row["reason"].as_str().unwrap()).collect();
    for (reason, wanted) in reasons.iter().zip([
        "Abacus-1",
        "`seq_len` is not above 0",
        "`seq_len` is not a number",
        "gpu",
        "`seq_len` is beyond reason",
    ]) {
        assert!(reason.contains(wanted), "{reason}");
    }
    assert_eq!(reasons.len(), 5);
}

/// Whole runs as their authors published them, with restarts and checkpoints: three quarters within 30 %.
#[test]
fn gpu_hours_of_published_runs_are_within_30_per_cent_for_three_quarters() {
    let runs = include_str!("../../catalog/measurements/runs.csv");
    let program = Program::new().file("runs.csv", runs);
    let answer = program.run(&["accuracy", "--measurements", "runs.csv", "--json"]).json();
    let hours = answer["rows"].as_array().unwrap().iter().filter(|row| row["metric"] == "train_gpu_hours");
    let errors: Vec<f64> = hours.filter_map(|row| row["ape_pct"].as_f64()).collect();
    assert!(errors.len() >= 12, "{errors:?}");
    let near = errors.iter().filter(|&&error| error <= 30.0).count();
    assert!(4 * near >= 3 * errors.len(), "{near} of {}: {errors:?}", errors.len());
}

#[test]
fn the_picture_is_one_svg_with_a_panel_for_each_kind_and_metric() {
    let (header, row) = ONE.split_once('\n').unwrap();
    let program = Program::new().file("one.csv", &format!("{header}\n{row}{row}{row}"));
    let finished = program.run(&["accuracy", "--measurements", "one.csv", "--plot", "picture.svg", "-q"]);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let picture = std::fs::read_to_string(program.folder().join("picture.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{picture}");
    assert!(picture.contains("pretrain"), "{picture}");
    let nowhere = program.run(&["accuracy", "--measurements", "one.csv", "--plot", "no/such/folder.svg"]);
    assert_eq!((nowhere.code, nowhere.stdout.as_str()), (1, ""), "{}", nowhere.stderr);
}

/// Figures that are none count as blank and are told of; words for a verdict are read as people write them.
#[test]
fn measured_cells_that_are_no_figures_are_told_of() {
    let (header, row) = ONE.trim_end().split_once('\n').unwrap();
    let with = |measured: &str, fits: &str| {
        let row = row.rsplit_once(',').unwrap().0;
        let program = Program::new().file("one.csv", &format!("{header},fits\n{row},{measured},{fits}\n"));
        program.run(&["accuracy", "--measurements", "one.csv", "--json"]).json()
    };
    for bad in ["\"1,007\"", "-3", "NaN", "fast", "1e308"] {
        let answer = with(bad, "yes");
        assert_eq!(answer["warnings"][0]["id"], "measured-unreadable", "{bad}");
        assert_eq!(answer["rows"][0]["measured"], Value::Null, "{bad}");
    }
    for word in ["OOM", "no", "out of memory", "false"] {
        let answer = with("12000", word);
        assert_eq!(answer["warnings"], json!([]), "{word}");
        assert_eq!(answer["rows"].as_array().unwrap().last().unwrap()["measured"], "oom", "{word}");
    }
    assert_eq!(with("12000", "perhaps")["warnings"][0]["id"], "measured-unreadable");
}

#[test]
fn a_gate_without_anything_to_judge_does_not_pass() {
    let (header, row) = ONE.trim_end().split_once('\n').unwrap();
    let blank = format!("{header}\n{},\n", row.rsplit_once(',').unwrap().0);
    let program = Program::new().file("one.csv", &blank);
    let finished = program.run(&["accuracy", "--measurements", "one.csv", "--fail-above", "20"]);
    assert_eq!(finished.code, 3, "{}", finished.stderr);
}
