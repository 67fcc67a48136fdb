//! `rightsize` on logs of every shape, and the money that it names.

use crate::program::{Finished, Program, run};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/smi")
}

fn logs() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn rightsize(path: &Path, more: &[&str]) -> Finished {
    let mut arguments = vec!["rightsize", path.to_str().unwrap()];
    if path.ends_with("query-no-header.csv") {
        arguments.extend(["--columns", "index,timestamp,utilization.gpu,memory.used,memory.total"]);
    }
    arguments.extend(more);
    run(&arguments)
}

/// `tests/golden/rightsize/NAME.csv` holds what is read of each log; `UPDATE_GOLDEN=1` rewrites them.
#[test]
fn logs_are_read_as_recorded() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/rightsize");
    for path in logs() {
        let finished = rightsize(&path, &["--format", "csv"]);
        assert_eq!(finished.code, 0, "{}: {}", path.display(), finished.stderr);
        let name = format!("{}.csv", path.file_stem().unwrap().to_string_lossy());
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(&golden).unwrap();
            fs::write(golden.join(&name), &finished.stdout).unwrap();
        }
        let recorded = fs::read_to_string(golden.join(&name)).unwrap_or_default();
        assert_eq!(finished.stdout, recorded, "{name}: UPDATE_GOLDEN=1 rewrites it");
    }
}

#[test]
fn every_log_is_answered_in_every_format() {
    let schema = run(&["schema", "rightsize"]).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for path in logs() {
        for format in ["table", "markdown"] {
            let finished = rightsize(&path, &["--format", format, "--ascii"]);
            assert_eq!(finished.code, 0, "{}", path.display());
            assert!(finished.stdout.is_ascii() && !finished.stdout.is_empty(), "{}", path.display());
        }
        let document = rightsize(&path, &["--json"]).json();
        if let Err(error) = validator.validate(&document) {
            panic!("{}: {error} at {}", path.display(), error.instance_path());
        }
        for id in ids(&document) {
            assert_eq!(run(&["explain", &id]).code, 0, "`{id}` of {}", path.display());
        }
    }
}

/// All ids and verdicts of a document.
fn ids(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![document];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(map) => {
                for key in ["id", "verdict"] {
                    found.extend(map.get(key).and_then(Value::as_str).map(str::to_owned));
                }
                open.extend(map.values());
            }
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found
}

/// A day of a machine: a poll a minute, with DCGM beside it.
fn day(gpus: usize, name: &str, total: u32, used: u32, sm: f64) -> (String, String) {
    let mut query =
        "timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], power.limit [W]\n"
            .to_owned();
    let mut dcgm = "#Entity   SMACT   TENSO   DRAMA\nID\n".to_owned();
    for minute in 0..90 {
        for gpu in 0..gpus {
            let (hour, minute) = (9 + minute / 60, minute % 60);
            let _ = writeln!(
                query,
                "2026/11/02 {hour:02}:{minute:02}:00.000, {gpu}, {name}, 97 %, {used} MiB, {total} MiB, 180.00 W, 400.00 W"
            );
            let _ = writeln!(dcgm, "GPU {gpu}     {sm:.3}   0.050   0.100");
        }
    }
    (query, dcgm)
}

fn of_day(gpus: usize, used: u32, sm: f64, more: &[&str]) -> Finished {
    let (query, dcgm) = day(gpus, "NVIDIA A100-SXM4-80GB", 81_920, used, sm);
    let program = Program::new().file("q.csv", &query).file("d.txt", &dcgm);
    program.run(&[&["rightsize", "q.csv", "d.txt", "--same-host", "--json"], more].concat())
}

#[test]
fn an_oversized_machine_is_replaced_by_one_that_holds_the_peak() {
    for (gpus, used) in [(1, 6_000), (1, 30_000), (8, 12_000), (8, 38_000)] {
        let document = of_day(gpus, used, 0.15, &[]).json();
        assert_eq!((&document["verdict"], &document["confidence"]), (&"oversized".into(), &"high".into()));
        let (then, now) = (&document["recommendation"], &document["results"][0]["present"]);
        let figure = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("no figure in {document:#}"));
        let holds = figure(&then["gpu_memory_gib"]) * figure(&then["gpus_used"]);
        assert!(holds >= f64::from(used) / 1024.0 * gpus as f64, "{then:#}");
        assert!(figure(&then["gpu_memory_gib"]) >= f64::from(used) / 1024.0, "{then:#}");
        let cents = |value: f64| (value * 100.0).round();
        let saved = figure(&now["usd_per_hour"]) - figure(&then["usd_per_hour"]);
        assert!(saved > 0.0);
        assert!((figure(&then["saves_usd_per_hour"]) - saved).abs() < 1e-6);
        let month = figure(&now["usd_per_month"]) - figure(&then["usd_per_month"]);
        assert!((cents(figure(&then["saves_usd_per_month"])) - cents(month)).abs() < 0.5);
        assert!((figure(&now["usd_per_hour"]) * 730.0 - figure(&now["usd_per_month"])).abs() < 0.01);
    }
}

#[test]
fn what_is_used_is_not_taken_away() {
    for (used, sm, verdict) in
        [(79_000, 0.9, "memory-bound"), (60_000, 0.95, "right-sized"), (70_000, 0.2, "memory-bound")]
    {
        let document = of_day(1, used, sm, &[]).json();
        assert_eq!(document["verdict"], verdict, "{used} MiB");
        let then = &document["recommendation"];
        let holds = then["gpu_memory_gib"].as_f64().is_none_or(|gib| gib >= f64::from(used) / 1024.0);
        assert!(holds, "{then:#}");
    }
}

#[test]
fn nothing_runs_so_all_of_it_is_saved() {
    let document = of_day(8, 3, 0.0, &["--instance", "aws/p4de.24xlarge"]).json();
    let (then, now) = (&document["recommendation"], &document["results"][0]["present"]);
    assert_eq!((&document["verdict"], &then["action"]), (&"idle".into(), &"release".into()));
    assert_eq!(then["saves_usd_per_hour"], now["usd_per_hour"]);
    assert_eq!(now["instance_type"], "p4de.24xlarge");
}

/// Constraints hold for what is rented now and for what would do.
#[test]
fn constraints_hold_for_both_machines() {
    let document = of_day(1, 6_000, 0.1, &["--provider", "gcp", "--region", "us-*"]).json();
    let (then, now) = (&document["recommendation"], &document["results"][0]["present"]);
    for line in [then, now] {
        assert_eq!(line["provider"], "gcp", "{document:#}");
        assert!(line["region"].as_str().unwrap().starts_with("us-"));
    }
}

/// A machine that has other GPUs than the log is bad input.
#[test]
fn the_log_and_the_flags_must_agree() {
    let finished = of_day(1, 6_000, 0.1, &["--instance", "aws/p5.48xlarge"]);
    assert_eq!(finished.code, 2);
    assert!(
        finished.stderr.contains("H100-SXM") && finished.stderr.contains("A100-80GB-SXM"),
        "{}",
        finished.stderr
    );
}

/// A GPU that the catalog does not have is summed up and not priced.
#[test]
fn an_unknown_gpu_is_summed_up() {
    let (query, _) = day(1, "NVIDIA GeForce RTX 4080 SUPR", 16_376, 900, 0.0);
    let finished = Program::new().file("q.csv", &query).run(&["rightsize", "q.csv", "--json"]);
    let document = finished.json();
    assert_eq!(finished.code, 0);
    assert_eq!(document["gpus"][0]["memory_used_peak_gib"], 0.879);
    assert_eq!((&document["gpus"][0]["gpu"], &document["recommendation"]), (&Value::Null, &Value::Null));
    let warned = document["warnings"][0].clone();
    assert_eq!(warned["id"], "gpu-not-in-catalog");
    assert!(warned["message"].as_str().unwrap().contains("RTX-4080"), "{warned}");
}

#[test]
fn several_files_are_several_hosts() {
    let (a, _) = day(2, "NVIDIA L4", 23_034, 5_000, 0.0);
    let program = Program::new().file("node-a.csv", &a).file("node-b.csv", &a);
    let document = program.run(&["rightsize", "node-a.csv", "node-b.csv", "--json"]).json();
    assert_eq!(document["hosts"], serde_json::json!(["node-a", "node-b"]));
    assert_eq!(document["gpus"].as_array().unwrap().len(), 4);
    assert_eq!((&document["results"][0]["hosts"], &document["results"][0]["gpus"]), (&2.into(), &4.into()));
}

#[test]
fn a_file_of_no_known_shape_says_what_is_read() {
    let program = Program::new().file("x.txt", "hello\nworld\n");
    let finished = program.run(&["rightsize", "x.txt"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (2, ""));
    for word in ["x.txt:1:1", "--query-gpu", "dmon", "XML", "dcgmi"] {
        assert!(finished.stderr.contains(word), "{}", finished.stderr);
    }
}

pub(crate) fn of_text(text: &str) -> Value {
    Program::new().file("log.txt", text).run(&["rightsize", "log.txt", "--json"]).json()
}

pub(crate) fn has_finding(gpu: &Value, id: &str) -> bool {
    gpu["findings"].as_array().unwrap().iter().any(|finding| finding["id"] == id)
}

/// A GPU without a total, or with 0 MiB, has the memory of the catalog, and this is told.
#[test]
fn p008_unified_memory_is_no_gpu_of_0_gb() {
    for cells in ["0 MiB, 0 MiB", "[N/A], [N/A]"] {
        let text =
            format!("index, name, memory.used [MiB], memory.total [MiB]\n0, NVIDIA GH200 480GB, {cells}\n");
        let gpu = of_text(&text)["gpus"][0].clone();
        assert_eq!(
            (&gpu["memory_total_from"], &gpu["memory_used_peak_gib"]),
            (&"catalog".into(), &Value::Null)
        );
        assert!(gpu["memory_total_gib"].as_f64().unwrap() > 90.0, "{gpu:#}");
        assert!(has_finding(&gpu, "memory-from-catalog"));
    }
}

/// Utilisation alone is low confidence; SM activity is preferred where it is there.
#[test]
fn p157_utilisation_alone_is_low_confidence() {
    let (query, dcgm) = day(1, "NVIDIA A100-SXM4-80GB", 81_920, 20_000, 0.2);
    let program = Program::new().file("q.csv", &query).file("d.txt", &dcgm);
    let alone = program.run(&["rightsize", "q.csv", "--json"]).json();
    let both = program.run(&["rightsize", "q.csv", "d.txt", "--same-host", "--json"]).json();
    assert_eq!(
        (&alone["confidence"], &alone["gpus"][0]["activity_from"]),
        (&"low".into(), &"utilisation".into())
    );
    assert!(has_finding(&alone["gpus"][0], "utilisation-only"));
    assert_eq!(
        (&both["confidence"], &both["gpus"][0]["activity_from"]),
        (&"high".into(), &"sm-activity".into())
    );
    assert_eq!((&alone["verdict"], &both["verdict"]), (&"right-sized".into(), &"oversized".into()));
}

/// Activity above 100 % counts as 100 %, with a warning.
#[test]
fn p158_activity_above_100_pct_is_cut_with_a_warning() {
    let text = "#Entity  SMACT  TENSO\nID\nGPU 0  1.25  0.30\nGPU-I 1  1.31  0.30\nGPU 0  0.90  0.30\n";
    let document = of_text(text);
    let gpu = &document["gpus"][0];
    assert_eq!(
        (&gpu["sm_activity_peak_pct"], &gpu["mig_instances"][0]["sm_activity_peak_pct"]),
        (&100.into(), &100.into())
    );
    let warned = document["warnings"].as_array().unwrap();
    assert!(warned.iter().any(|warning| warning["id"] == "above-100-pct"), "{warned:?}");
}
