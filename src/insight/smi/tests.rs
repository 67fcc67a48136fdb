//! Shapes, quirks and limits of the readers, and what the judgement says of plain cases.

use super::*;
use crate::catalog::load::{Sections, embedded};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

mod lost;
mod shapes;

const MIB: f64 = 1024.0 * 1024.0;

fn lines() -> Thresholds {
    Thresholds::of(&embedded(Sections { constants: true, ..Sections::HARDWARE }).unwrap()).unwrap()
}

fn log(text: &str) -> Log {
    read("log", "", text.as_bytes()).unwrap()
}

fn first(log: &Log) -> &Series {
    log.gpus.values().next().unwrap()
}

/// All fixtures by name.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/smi");
    let mut all: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
        .collect();
    all.sort();
    all
}

fn read_any(name: &str, bytes: &[u8]) -> Result<Log, InputError> {
    match name {
        "query-no-header.csv" => {
            read_rows(name, "", bytes, "index,timestamp,utilization.gpu,memory.used,memory.total")
        }
        _ => read(name, "", bytes),
    }
}

/// Reads and judges; nothing of it may panic, and every figure must be one.
fn judged(log: &Log, lines: &Thresholds) -> Vec<Judged> {
    log.gpus
        .values()
        .map(|series| {
            let usage = Usage::of(series, lines.idle * 100.0);
            for sample in &series.samples {
                assert!(sample.values.iter().flatten().all(|value| value.is_finite() && *value >= 0.0));
            }
            judge(series, &usage, None, lines)
        })
        .collect()
}

#[test]
fn every_fixture_is_read() {
    let lines = lines();
    let fixtures = fixtures();
    assert!(fixtures.len() > 15);
    for (name, bytes) in fixtures {
        let log = read_any(&name, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!log.gpus.is_empty() || name == "failed.txt", "{name}");
        judged(&log, &lines);
    }
}

/// A cut file panics nowhere and makes no figure up: each one stands in the whole file too.
#[test]
fn files_cut_at_every_byte_make_nothing_up() {
    let lines = lines();
    // Sums over processes grow with the file.
    let plain = |sample: &Sample| {
        let mut sample = sample.clone();
        sample.values[Metric::ProcessMemory as usize] = None;
        sample
    };
    for (name, bytes) in fixtures() {
        let Ok(whole) = read_any(&name, &bytes) else { continue };
        let known = |metric: usize| -> Vec<f64> {
            whole
                .gpus
                .values()
                .flat_map(|series| &series.samples)
                .filter_map(|sample| sample.values[metric])
                .collect()
        };
        let known: Vec<Vec<f64>> = (0..Metric::COUNT).map(known).collect();
        // An odd step through long files meets every column in the end.
        let step = (bytes.len() / 1200) | 1;
        for end in (0..bytes.len()).step_by(step) {
            let Ok(cut) = read_any(&name, &bytes[..end]) else { continue };
            judged(&cut, &lines);
            if name == "pmon.txt" {
                continue;
            }
            for sample in cut.gpus.values().flat_map(|series| &series.samples).map(plain) {
                for (metric, value) in sample.values.iter().enumerate() {
                    let made_up = value.is_some_and(|value| !known[metric].contains(&value));
                    assert!(!made_up, "{name} cut at {end}: {value:?} of metric {metric}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        if let Ok(log) = read("random", "host", &bytes) {
            judged(&log, &lines());
        }
        let _ = read_rows("random", "", &bytes, "index,memory.used");
    }

    #[test]
    fn damaged_files_never_panic(
        which in 0_usize..100,
        at in any::<prop::sample::Index>(),
        put in prop::collection::vec(prop::sample::select(b"|#,:/<>[]. -%09eGMW\n\r\x1b\xff".to_vec()), 1..6),
    ) {
        let fixtures = fixtures();
        let (name, mut bytes) = fixtures[which % fixtures.len()].clone();
        let at = at.index(bytes.len());
        bytes.splice(at..(at + put.len() / 2).min(bytes.len()), put);
        if let Ok(log) = read_any(&name, &bytes) {
            judged(&log, &lines());
        }
    }
}

/// P008: `[N/A]` or 0 MiB is no GPU of 0 GB.
#[test]
fn no_total_is_that_of_the_catalog() {
    let catalog = embedded(Sections { constants: true, ..Sections::HARDWARE }).unwrap();
    let lines = Thresholds::of(&catalog).unwrap();
    let gpu = catalog.gpu(catalog.only_gpu_named("GB200").unwrap());
    for cells in ["0 MiB, 0 MiB", "[N/A], [N/A]", "0, 0", "[Not Supported], [Not Supported]"] {
        let text = format!("index, name, memory.used [MiB], memory.total [MiB]\n0, NVIDIA GB200, {cells}\n");
        let log = log(&text);
        let usage = Usage::of(first(&log), 5.0);
        let judged = judge(first(&log), &usage, Some(gpu), &lines);
        assert_eq!((usage.memory_total, usage.memory), (None, None), "{cells}");
        assert_eq!(judged.capacity, Some((gpu.usable_bytes as f64, false)), "{cells}");
        assert!(judged.findings.iter().any(|finding| finding.id == "memory-from-catalog"), "{cells}");
    }
}

/// P158: shares above 100 % are cut, and this is told.
#[test]
fn activity_above_all_is_cut() {
    let log = log("#Entity  SMACT  FBUSD\nID\nGPU 0  1.30  100\nGPU 0  0.50  100\nGPU 0  1.01  100\n");
    let usage = Usage::of(first(&log), 5.0);
    assert_eq!(usage.spread(Metric::Sm).map(|spread| spread.peak), Some(100.0));
    let (count, highest) = usage.clamped.unwrap();
    assert_eq!((count, highest.round()), (2, 130.0));
    let judged = judge(first(&log), &usage, None, &lines());
    assert!(judged.findings.iter().any(|f| f.id == "above-100-pct" && f.message.contains("130")));
}

fn series(sm: Option<f64>, util: f64, used_mib: f64, polls: i64) -> Series {
    let mut series = Series::default();
    for poll in 0..polls {
        let time = jiff::civil::date(2026, 1, 1).at(0, 0, 0, 0) + jiff::SignedDuration::from_mins(poll);
        let mut sample = Sample { time: Some(time), ..Sample::default() };
        sample.set(Metric::MemoryTotal, 81_920.0 * MIB);
        sample.set(Metric::MemoryUsed, used_mib * MIB);
        sample.set(Metric::Utilisation, util);
        if let Some(sm) = sm {
            sample.set(Metric::Sm, sm);
        }
        series.samples.push(sample);
    }
    series
}

fn verdict(series: &Series) -> (&'static str, &'static str) {
    let lines = lines();
    let judged = judge(series, &Usage::of(series, lines.idle * 100.0), None, &lines);
    (judged.verdict.name(), judged.confidence.name())
}

#[test]
fn plain_cases_have_plain_verdicts() {
    for (sm, util, used, polls, expected) in [
        (Some(20.0), 100.0, 20_000.0, 120, ("oversized", "high")),
        (Some(20.0), 100.0, 20_000.0, 60, ("oversized", "medium")),
        (Some(20.0), 100.0, 20_000.0, 5, ("oversized", "low")),
        (Some(90.0), 100.0, 20_000.0, 120, ("right-sized", "high")),
        (Some(20.0), 100.0, 70_000.0, 120, ("memory-bound", "high")),
        (Some(20.0), 100.0, 50_000.0, 120, ("right-sized", "high")),
        (Some(1.0), 0.0, 300.0, 120, ("idle", "high")),
        (Some(1.0), 0.0, 20_000.0, 120, ("idle", "low")),
        (Some(90.0), 100.0, 80_000.0, 120, ("memory-bound", "high")),
        (Some(1.0), 0.0, 20_000.0, 5, ("not-enough-data", "low")),
        (Some(90.0), 100.0, 80_000.0, 1, ("too-small", "low")),
        (Some(90.0), 100.0, 60_000.0, 1, ("not-enough-data", "low")),
    ] {
        assert_eq!(verdict(&series(sm, util, used, polls)), expected, "SM {sm:?}, {used} MiB, {polls} polls");
    }
}

/// P157: whatever the log, a high utilisation alone is low confidence.
#[test]
fn utilisation_alone_is_low_confidence() {
    for util in [30.0, 100.0] {
        for used in [1_000.0, 50_000.0, 76_000.0] {
            assert_eq!(verdict(&series(None, util, used, 500)).1, "low", "{util} %, {used} MiB");
        }
    }
}

/// What an engine takes ahead of need is not what it needs.
#[test]
fn preallocated_memory_is_no_need() {
    let lines = lines();
    let mut vllm = series(Some(20.0), 100.0, 79_000.0, 120);
    vllm.processes.insert("VLLM::EngineCore".to_owned());
    let judged = judge(&vllm, &Usage::of(&vllm, 5.0), None, &lines);
    assert_eq!((judged.verdict, judged.need), (Verdict::NotEnoughData, None));
    assert!(judged.findings.iter().any(|finding| finding.id == "memory-preallocated"));
}

#[test]
fn names_of_drivers_are_found() {
    let catalog = embedded(Sections::HARDWARE).unwrap();
    let gib = |mib: f64| Some(mib * MIB);
    for (name, total, limit, expected) in [
        ("NVIDIA H100 80GB HBM3", gib(81_559.0), None, Some("H100-SXM")),
        ("NVIDIA H200", gib(143_771.0), Some(700.0), Some("H200-SXM")),
        ("NVIDIA H100 PCIe", gib(81_559.0), None, Some("H100-PCIe")),
        ("Tesla V100-SXM2...", gib(16_160.0), None, Some("V100-16GB-SXM")),
        ("Tesla V100-SXM2...", gib(32_510.0), None, Some("V100-32GB-SXM")),
        ("NVIDIA A100-SXM...", gib(40_960.0), None, Some("A100-40GB-SXM")),
        ("NVIDIA A100-SXM4-80GB MIG 1g.10gb", None, None, Some("A100-80GB-SXM")),
        ("Tesla T4", gib(15_360.0), None, Some("T4")),
        ("GH200 120GB", gib(97_871.0), None, Some("GH200-96GB")),
        ("NVIDIA GeForce RTX 3080 ...", gib(12_288.0), None, None),
        ("NVIDIA GeForce RTX 2080 SUPER", gib(8_192.0), None, None),
        ("NVIDIA Toaster", None, None, None),
        ("", None, None, None),
        ("...", gib(8_192.0), None, None),
        ("24GB..80GB:8", None, None, None),
    ] {
        let found =
            card(&catalog, name, total, limit, &lines()).ok().map(|card| catalog.gpu(card.gpu).name.clone());
        assert_eq!(found.as_deref(), expected, "{name}");
    }
}

#[test]
fn text_of_other_machines_is_read() {
    let table = String::from_utf8(
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/smi/table-mig.txt")).unwrap(),
    )
    .unwrap();
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(table.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let plain = log(&table);
    assert_eq!(read("wide", "", &wide).unwrap(), plain, "UTF-16");
    assert_eq!(log(&table.replace('\n', "\r\n")), plain, "CRLF");
    assert_eq!(log(&format!("\u{1b}[H\u{1b}[2J{table}")), plain, "watch");
    let prefixed: Vec<String> = table.lines().map(|line| format!("[1,3]<stdout>:{line}")).collect();
    let prefixed = prefixed.join("\n") + "\n";
    let log = log(&prefixed);
    assert_eq!(first(&log).samples, first(&plain).samples);
    assert_eq!(log.gpus.keys().next().unwrap().host, "rank [1,3]");
}

/// Words that a wrapper puts into rows, with and without a column for them.
#[test]
fn words_of_wrappers_are_passed_over() {
    for text in [
        "#Entity   SMACT   FBUSD\nID\nGPU 0     0.250   1024   \n",
        "1788000000 #Entity   SMACT   FBUSD\nID\n1788000001 GPU 0     2.5e-01   1024   \n",
        "#Entity   SMACT   FBUSD\nID\nGPU 0     A100 job-7 0.250   1024   \n",
    ] {
        let log = log(text);
        let sample = &first(&log).samples[0];
        assert_eq!(
            (sample.get(Metric::Sm), sample.get(Metric::MemoryUsed)),
            (Some(25.0), Some(1024.0 * MIB)),
            "{text}"
        );
    }
    let table =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/smi/table-mig.txt"))
            .unwrap();
    let daemon: Vec<String> =
        table.lines().map(|line| format!("Apr 09 22:41:00 gpu1 smi[77]: {line}")).collect();
    let figures = |log: &Log| first(log).samples[0].values;
    assert_eq!(figures(&log(&daemon.join("\n"))), figures(&log(&table)));
}

#[test]
fn a_header_in_the_middle_of_a_poll_ends_nothing() {
    let pmon = fixtures().into_iter().find(|(name, _)| name == "pmon.txt").unwrap().1;
    let log = read("pmon", "", &pmon).unwrap();
    let busy: Vec<f64> =
        first(&log).samples.iter().filter_map(|sample| sample.get(Metric::Utilisation)).collect();
    assert_eq!(busy, [50.0, 50.0, 54.0, 50.0]);
}

#[test]
fn percentiles_are_values_that_were_seen() {
    let spread = Spread::of((1..=20).map(f64::from).collect()).unwrap();
    assert_eq!((spread.least, spread.p50, spread.p95, spread.peak), (1.0, 10.0, 19.0, 20.0));
    assert_eq!(Spread::of(vec![7.0]).map(|spread| spread.p95), Some(7.0));
    assert_eq!(Spread::of(Vec::new()), None);
}

#[test]
fn marks_for_no_reading_are_no_figures() {
    let log = log(
        "#Entity  GPUTL  FBUSD  POWER\nID\nGPU 0  9223372036854775794  2147483632  1e999\nGPU 0  50  100  70\n",
    );
    let samples = &first(&log).samples;
    assert_eq!(samples.len(), 1, "{samples:?}");
}

/// Rest is counted from poll to poll, ends at a gap that nobody watched, and counts for a machine where all its GPUs rest.
#[test]
fn rest_is_what_was_seen() {
    let at =
        |minute: i64| jiff::civil::date(2026, 1, 1).at(0, 0, 0, 0) + jiff::SignedDuration::from_mins(minute);
    let of = |minutes: &[i64], busy: fn(i64) -> bool| {
        let mut series = Series::default();
        for minute in minutes {
            let mut sample = Sample { time: Some(at(*minute)), ..Sample::default() };
            sample.set(Metric::Sm, if busy(*minute) { 80.0 } else { 0.0 });
            series.samples.push(sample);
        }
        let usage = Usage::of(&series, 5.0);
        trend::quiet(&series, &usage, 0.05, 1.0)
    };
    let whole: Vec<i64> = (0..600).step_by(10).collect();
    let one = of(&whole, |minute| (200..300).contains(&minute));
    assert_eq!(one, vec![(at(0), at(190)), (at(300), at(590))]);
    let other = of(&whole, |minute| !(60..=340).contains(&minute));
    assert_eq!(other, vec![(at(60), at(340))]);
    assert_eq!(trend::common(&one, &other, 1.0), vec![(at(60), at(190))]);
    let gap: Vec<i64> = whole.iter().copied().filter(|minute| !(100..400).contains(minute)).collect();
    assert_eq!(of(&gap, |_| false), vec![(at(0), at(90)), (at(400), at(590))]);
    assert_eq!(of(&whole, |minute| minute % 40 == 0), Vec::new());
}
