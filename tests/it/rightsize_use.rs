//! What `rightsize` makes of a use that changes over time, of readings that cannot be, and of parts of machines.

use crate::program::Program;
use crate::rightsize::{has_finding, of_text};
use serde_json::Value;
use std::fmt::Write as _;

/// A log of one or more A100s, from midnight on: of each poll and GPU the memory in MiB, utilisation and power.
fn log_of(polls: u32, minutes: u32, gpus: u32, of: impl Fn(u32, u32) -> (u32, u32, u32)) -> String {
    let mut text = "timestamp, index, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%], power.draw [W], \
                    power.limit [W]\n"
        .to_owned();
    for poll in 0..polls {
        let at = poll * minutes;
        let (day, hour, minute) = (2 + at / 1440, at / 60 % 24, at % 60);
        for gpu in 0..gpus {
            let (used, busy, watts) = of(poll, gpu);
            let _ = writeln!(
                text,
                "2026/11/{day:02} {hour:02}:{minute:02}:00.000, {gpu}, NVIDIA A100-SXM4-80GB, 81920 MiB, {used} MiB, \
                 {busy} %, {watts} W, 400 W"
            );
        }
    }
    text
}

fn table(text: &str, more: &[&str]) -> String {
    let arguments = [&["rightsize", "log.txt"], more].concat();
    Program::new()
        .file("log.txt", text)
        .run(&arguments)
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Memory that rises until the end has no peak yet; one that rose at the start, or once for a moment, has.
#[test]
fn memory_that_grows_is_not_oversized() {
    for (from, per_poll) in [(5_000, 300), (25_000, 90), (2_000, 60)] {
        let document = of_text(&log_of(90, 1, 1, |poll, _| (from + per_poll * poll, 40, 180)));
        let gpu = &document["gpus"][0];
        assert_eq!(gpu["verdict"], "not-enough-data", "{from} + {per_poll}: {gpu:#}");
        assert!(has_finding(gpu, "memory-growing") && !has_finding(gpu, "mig-slice-holds-peak"), "{gpu:#}");
        assert_eq!(document["recommendation"], Value::Null);
        assert!(document["results"][0]["reason"].as_str().unwrap().contains("memory grows"));
    }
    let warm_up = |poll: u32, _| (5_000 + 1_000 * poll.min(15), 40, 180);
    let moment = |poll: u32, _| (if poll == 80 { 30_000 } else { 9_000 + poll % 7 }, 40, 180);
    let late = |poll: u32, _| (if poll < 65 { 2_000 } else { 30_000 + poll % 3 }, 40, 180);
    for text in [log_of(90, 1, 1, warm_up), log_of(90, 1, 1, moment), log_of(90, 1, 1, late)] {
        let gpu = of_text(&text)["gpus"][0].clone();
        assert_eq!((&gpu["verdict"], has_finding(&gpu, "memory-growing")), (&"oversized".into(), false));
    }
}

/// The 95th percentile hides bursts: their peak is what must be held, and it is printed.
#[test]
fn bursts_are_not_hidden() {
    for (polls, every, busy) in [(720, 25, 98), (30, 30, 100)] {
        let text = log_of(polls, 1, 1, |poll, _| (20_000, if poll % every == 7 { busy } else { 15 }, 150));
        let document = of_text(&text);
        let gpu = &document["gpus"][0];
        assert_eq!((&gpu["verdict"], &gpu["confidence"]), (&"right-sized".into(), &"low".into()));
        assert!(has_finding(gpu, "bursty") && !has_finding(gpu, "mig-slice-holds-peak"), "{gpu:#}");
        assert_eq!(document["results"][0]["activity_p95_pct"], 15);
        assert_eq!(document["results"][0]["activity_peak_pct"], busy);
        // Nothing with less arithmetic than an A100 holds such a peak.
        let then = &document["recommendation"];
        assert!(then["gpu"].is_null() || then["action"] == "move", "{then:#}");
        assert_ne!(then["gpu"], "RTX-A6000");
        let page = table(&text, &[]);
        assert!(page.contains(&format!("{busy} % at its peak")), "{page}");
    }
    let text = log_of(720, 1, 1, |poll, _| (20_000, if poll % 25 == 7 { 98 } else { 0 }, 70));
    let document = of_text(&text);
    assert_eq!(
        (&document["verdict"], &document["recommendation"]),
        (&"not-enough-data".into(), &Value::Null)
    );
}

/// An allocator that keeps what it took stays near the limit, and nothing fails.
#[test]
fn full_memory_that_never_moves_is_not_too_small() {
    let flat = of_text(&log_of(90, 1, 1, |_, _| (79_200, 99, 380)))["gpus"][0].clone();
    assert_eq!(flat["verdict"], "memory-bound");
    assert!(has_finding(&flat, "memory-flat") && !flat["why"].to_string().contains("next allocation"));
    let moving = of_text(&log_of(90, 1, 1, |poll, _| (70_000 + poll % 10 * 1_000, 99, 380)));
    assert_eq!(moving["verdict"], "too-small");
}

/// Nights without work: their hours are money, and the verdict does not speak against what is advised.
#[test]
fn hours_without_work_are_advised_to_be_saved() {
    // 72 % of the time idle, one GPU longer than the other.
    let work = |poll: u32, gpu: u32| {
        let hour = poll / 6 % 24;
        if hour < 7 && (gpu == 0 || hour < 3) { (40_000, 90, 330) } else { (40_000, 0, 60) }
    };
    let text = log_of(1_008, 10, 2, work);
    let document = of_text(&text);
    let result = &document["results"][0];
    let duty = &result["duty_cycle"];
    let figure = |value: &Value| value.as_f64().unwrap();
    assert!((figure(&duty["idle_pct"]) - 70.0).abs() < 1.5, "{duty:#}");
    let month = figure(&result["present"]["usd_per_month"]);
    let expected = month * figure(&duty["idle_hours"]) / figure(&duty["log_hours"]);
    assert!((figure(&duty["saves_usd_per_month"]) - expected).abs() < month / 500.0, "{duty:#}");
    assert!(document["gpus"].as_array().unwrap().iter().all(|gpu| has_finding(gpu, "duty-cycle")));
    assert!(document["assumptions"].to_string().contains("rightsize-stopped"));
    assert!(table(&text, &[]).contains("Stop the machine when nothing runs"));
    let then = &document["recommendation"];
    if !then.is_null() {
        assert_eq!((&document["verdict"], &then["action"]), (&"right-sized".into(), &"move".into()));
        assert!(then["notes"].to_string().contains("holds the same use"), "{then:#}");
    }
    // Polls of one hour, and work in every one of them, have no rest.
    let busy = of_text(&log_of(200, 10, 1, |poll, _| (40_000, if poll % 3 == 0 { 90 } else { 0 }, 200)));
    assert_eq!(busy["results"][0]["duty_cycle"], Value::Null);
}

/// A part of a machine cannot be given back: its price is the whole one, and no saving is promised.
#[test]
fn a_share_of_a_machine_saves_nothing() {
    let text = log_of(90, 1, 1, |_, _| (6_000, 20, 90));
    let file = Program::new().file("log.txt", &text);
    let of = ["rightsize", "log.txt", "--instance", "aws/p4de.24xlarge"];
    let document = file.run(&[&of[..], &["--json"]].concat()).json();
    let now = &document["results"][0]["present"];
    let figure = |key: &str| now[key].as_f64().unwrap();
    assert_eq!((&now["gpus_in_log"], &now["gpus_not_in_log"]), (&1.into(), &7.into()));
    assert!((figure("usd_per_hour") / figure("share_usd_per_hour") - 8.0).abs() < 1e-6, "{now:#}");
    assert!((figure("usd_per_hour") * 730.0 - figure("usd_per_month")).abs() < 0.01);
    let then = &document["recommendation"];
    assert!(then["usd_per_hour"].as_f64().unwrap() < figure("share_usd_per_hour"));
    for key in ["saves_usd_per_hour", "saves_usd_per_month", "saves_pct"] {
        assert_eq!(then[key], Value::Null, "{then:#}");
    }
    assert!(then["notes"].to_string().contains("a part of a machine cannot be given back"));
    let page = table(&text, &of[2..]);
    assert!(page.contains("share of 1 of 8 GPUs") && !page.contains("Saves "), "{page}");
}

/// 80 GB in the log are no A100 of 40 GB, whether the log names the GPU or not.
#[test]
fn memory_of_another_card_is_refused() {
    let dcgm = format!("#Entity  SMACT  FBTTL  FBUSD\nID\n{}", "GPU 0  0.5  81920  30000\n".repeat(9));
    let program = Program::new().file("d.txt", &dcgm);
    for (machine, code) in [("aws/p4d.24xlarge", 2), ("aws/p4de.24xlarge", 0)] {
        let finished = program.run(&["rightsize", "d.txt", "--instance", machine]);
        assert_eq!(finished.code, code, "{machine}: {}", finished.stderr);
    }
    let finished = program.run(&["rightsize", "d.txt", "--gpu", "A100-40GB-SXM"]);
    assert!(finished.stderr.contains("80.0 GiB") && finished.stderr.contains("A100-40GB-SXM"));
}

/// A reading of nothing is proof; memory that is held and power that is drawn speak against it.
#[test]
fn idle_is_as_sure_as_what_is_seen() {
    for (used, watts, confidence) in
        [(4, 55, "high"), (400, 55, "high"), (73_800, 65, "low"), (4, 300, "low")]
    {
        let document = of_text(&log_of(90, 1, 1, |_, _| (used, 0, watts)));
        let gpu = &document["gpus"][0];
        assert_eq!(
            (&gpu["verdict"], &gpu["confidence"]),
            (&"idle".into(), &confidence.into()),
            "{used} {watts}"
        );
        assert!(
            !has_finding(gpu, "utilisation-only") && !has_finding(gpu, "mig-slice-holds-peak"),
            "{gpu:#}"
        );
        assert!(!gpu["why"].to_string().contains("busy SM"));
        assert_eq!(has_finding(gpu, "loaded-but-idle"), used > 10_000);
        let notes = document["recommendation"]["notes"].to_string();
        assert_eq!(notes.contains("something is loaded"), used > 10_000, "{notes}");
    }
}

/// More memory in use than there is is a bad reading, and the others still count.
#[test]
fn impossible_memory_does_not_count() {
    let document = of_text(&log_of(90, 1, 1, |_, _| (900_000, 99, 380)));
    let gpu = &document["gpus"][0];
    assert_eq!((&gpu["verdict"], &gpu["memory_used_peak_gib"]), (&"not-enough-data".into(), &Value::Null));
    assert!(has_finding(gpu, "memory-impossible") && !has_finding(gpu, "memory-unknown"), "{gpu:#}");
    let some = of_text(&log_of(90, 1, 1, |poll, _| (if poll == 3 { 900_000 } else { 60_000 }, 99, 380)));
    assert_eq!(some["gpus"][0]["memory_used_peak_gib"], 58.594);
    assert_eq!(some["verdict"], "right-sized");
    // Where the log has no total, that of the catalog bounds it.
    let no_total = "index, name, memory.used [MiB]\n0, NVIDIA A100-SXM4-80GB, 900000 MiB\n".to_owned();
    assert!(has_finding(&of_text(&no_total)["gpus"][0], "memory-impossible"));
}

/// One poll is no series, and what it reads is printed all the same.
#[test]
fn a_single_poll_is_told() {
    let document = of_text(&log_of(1, 1, 1, |_, _| (20_480, 37, 180)));
    assert_eq!(document["verdict"], "not-enough-data");
    let why = document["gpus"][0]["why"].to_string();
    for part in ["20.0 GiB of 80.0 GiB", "utilisation 37 %", "180 W of 400 W"] {
        assert!(why.contains(part), "{why}");
    }
}
