//! What answers say of themselves: reasons, dates, products that can be computed again, what names stand for.

use crate::program::{Program, run};
use std::collections::BTreeSet;

/// An empty answer has its reasons in the document and on stderr, each limit by its own name.
#[test]
fn offers_that_are_left_out_have_a_reason() {
    for (line, code, reason, nearest) in [
        ("gpuadvise cost --gpu H100 --max-hourly 0.01 --json", 3, "max-hourly", true),
        ("gpuadvise cost --gpu H100 --budget 1 --json", 3, "budget", true),
        ("gpuadvise cost --gpu H100 --max-age 0 --json", 5, "price-too-old", false),
        ("gpuadvise cost --provider lambda --billing spot --json", 3, "billing", false),
        ("gpuadvise cost --gpus 8 --provider lambda --billing spot --json", 3, "billing", false),
        ("gpuadvise cost --gpus 8 --max-age 0 --json", 5, "price-too-old", false),
        (
            "gpuadvise recommend --params 1e9 --task train --provider lambda --billing spot --json",
            3,
            "not-offered",
            true,
        ),
    ] {
        let finished = Program::new().run_line(line);
        assert_eq!(finished.code, code, "{line}: {}", finished.stderr);
        let document = finished.json();
        let rejected = document["rejected"].as_array().expect("reasons");
        let found = rejected.iter().find(|line| line["reason"] == reason);
        let found = found.unwrap_or_else(|| panic!("{line}: no `{reason}` in {rejected:?}"));
        assert!(found["count"].as_u64().is_some_and(|count| count > 0), "{line}");
        assert_eq!(found["nearest"].is_object(), nearest, "{line}: {found}");
        assert_eq!(run(&["explain", reason]).code, 0, "{reason}");
        assert!(code == 5 || finished.stderr.contains(reason), "{line}: {}", finished.stderr);
    }
    let some =
        Program::new().run_line("gpuadvise cost --gpu H100 --max-hourly 40 --budget 20000 --json").json();
    let reasons: Vec<&str> =
        some["rejected"].as_array().expect("reasons").iter().filter_map(|r| r["reason"].as_str()).collect();
    assert!(reasons.contains(&"max-hourly") && reasons.contains(&"budget"), "{reasons:?}");
}

/// The number of GPUs and the discount of spot select in `cost` as they do in `recommend`.
#[test]
fn costs_of_so_many_gpus_and_of_spot_that_is_worth_it() {
    let rows = |line: &str| {
        let finished = Program::new().run_line(line);
        let document = finished.json();
        (finished.code, document["rows"].as_array().expect("rows").clone())
    };
    let total = |row: &serde_json::Value| {
        row["gpus_per_node"].as_f64().expect("GPUs") * row["nodes"].as_f64().expect("nodes")
    };
    let (code, exact) = rows("gpuadvise cost --gpu H100 --gpus 16 --json");
    assert!(code == 0 && exact.iter().all(|row| (total(row) - 16.0).abs() < 1e-9));
    assert!(exact.iter().any(|row| row["nodes"] == 2) && exact.iter().any(|row| row["nodes"] == 16));
    let (_, most) = rows("gpuadvise cost --gpu H100 --nodes 2 --max-gpus 8 --json");
    assert!(!most.is_empty() && most.iter().all(|row| row["nodes"] == 2 && total(row) <= 8.0));
    let (code, none) = rows("gpuadvise cost --gpu H100 --nodes 3 --gpus 16 --json");
    assert_eq!((code, none.len()), (3, 0));
    // The discount is one of prices; what reruns leave of it is another figure.
    let spot =
        "gpuadvise cost --gpu A100 --provider aws,gcp,azure --billing spot --interruptions-per-hour 0 --json";
    let ((_, all), (_, worth)) = (rows(spot), rows(&format!("{spot} --min-spot-discount 60")));
    assert!(!worth.is_empty() && worth.len() < all.len(), "{} of {}", worth.len(), all.len());
    assert!(worth.iter().all(|row| row["saves_pct"].as_f64().is_some_and(|saves| saves >= 60.0)));
}

/// P162: the two dates of an answer are those of the sources beside them.
#[test]
fn the_dates_of_an_answer_are_those_of_its_sources() {
    for line in [
        "gpuadvise recommend --params 1e9 --task train --json",
        "gpuadvise cost --json",
        "gpuadvise fit --params 1e9 --task train --json",
    ] {
        let stamp = Program::new().run_line(line).json()["catalog"].clone();
        let day = |source: &serde_json::Value, end: &str| {
            let as_of = &source["as_of"];
            as_of.as_str().or(as_of[end].as_str()).expect("a day").to_owned()
        };
        let sources = stamp["sources"].as_array().expect("sources");
        let oldest = sources.iter().map(|source| day(source, "not_before")).min();
        let newest = sources.iter().map(|source| day(source, "not_after")).max();
        assert_eq!(stamp["as_of_oldest"].as_str(), oldest.as_deref(), "{line}");
        assert_eq!(stamp["as_of_newest"].as_str(), newest.as_deref(), "{line}");
    }
}

/// A form factor or a size of memory alone means all members that have it, not one of them.
#[test]
fn names_that_leave_something_open_mean_a_family() {
    for (name, members) in [
        ("A100-SXM", &["A100-80GB-SXM", "A100-40GB-SXM"][..]),
        ("A100 PCIe", &["A100-80GB-PCIe", "A100-40GB-PCIe"]),
        ("A100-80", &["A100-80GB-SXM", "A100-80GB-PCIe"]),
        ("Trainium", &["Trainium1", "Trainium2", "Trainium3"]),
    ] {
        let line = ["catalog", "gpus", "--stack", "any", "--gpu", name, "--json"];
        let rows = run(&line).json()["rows"].as_array().cloned().unwrap_or_default();
        let found: BTreeSet<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
        assert_eq!(found, members.iter().copied().collect(), "{name}");
    }
}

/// What is told of time and batch can be computed again.
#[test]
fn told_products_are_right() {
    let line = "gpuadvise recommend --params 7B --task train --seq-len 4096 --explain -n 3 --json";
    let document = Program::new().run_line(line).json();
    let assumed = |id: &str| {
        let all = document["assumptions"].as_array().expect("assumptions");
        all.iter().find(|a| a["id"] == id).unwrap_or_else(|| panic!("no {id}")).clone()
    };
    let batch = assumed("global-batch");
    let sequences: u64 = batch["value"].as_str().and_then(|v| v.parse().ok()).expect("a number");
    let tokens = gpuadvise::units::Count(sequences * 4096).rounded();
    let why = batch["why"].as_str().expect("why");
    assert!(why.contains(&format!("x 4096 tokens = {tokens} tokens per step")), "{why}");
    assert!(assumed("goodput")["value"].as_str().is_some_and(|v| v.contains(" up to 8 GPUs, ")));
    for row in document["recommendations"].as_array().expect("rows") {
        let lines = row["explain"].as_array().expect("formulas");
        let time = lines.iter().filter_map(|l| l.as_str()).find(|l| l.starts_with("time = ")).expect("time");
        let numbers: Vec<f64> = time.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [tokens, rate, goodput, seconds, hours] = numbers[..] else { panic!("{time}") };
        assert!(((tokens / rate / goodput / seconds) / hours - 1.0).abs() < 0.01, "{time}");
        assert_eq!(Some(hours), row["duration_hours"]["expected"].as_f64());
    }
}
