//! What is read of `nvidia-smi -q`, of exporters, of spreadsheets and of files that hold several hosts.

use super::*;

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/smi").join(name)).unwrap()
}

fn of(name: &str) -> Log {
    read(name, "", &fixture(name)).unwrap()
}

/// Host, number, name and polls of every GPU.
fn gpus(log: &Log) -> Vec<(&str, u32, &str, usize)> {
    log.gpus
        .iter()
        .map(|(place, series)| {
            (place.host.as_str(), place.index, series.name.as_deref().unwrap_or("-"), series.samples.len())
        })
        .collect()
}

/// Figures of one GPU: those of its polls in order.
fn figures(log: &Log, host: &str, index: u32, metric: Metric) -> Vec<Option<f64>> {
    let series = &log.gpus[&Place { host: host.to_owned(), index }];
    series.samples.iter().map(|sample| sample.get(metric)).collect()
}

#[test]
fn reports_in_text_are_read_poll_by_poll() {
    let log = of("report-two-polls.txt");
    assert_eq!(gpus(&log), [("", 0, "NVIDIA L40S", 2), ("", 1, "NVIDIA L40S", 2)]);
    let busy = |metric| figures(&log, "", 0, metric);
    assert_eq!(busy(Metric::Utilisation), [Some(38.0), Some(44.0)]);
    assert_eq!(busy(Metric::MemoryUsed), [Some(9120.0 * MIB), Some(9344.0 * MIB)]);
    assert_eq!(busy(Metric::MemoryTotal), [Some(46_068.0 * MIB); 2]);
    assert_eq!(busy(Metric::Power), [Some(121.44), Some(130.02)]);
    assert_eq!(busy(Metric::PowerLimit), [Some(350.0); 2]);
    assert_eq!(busy(Metric::Temperature), [Some(51.0); 2]);
    assert_eq!(busy(Metric::ProcessMemory)[0], Some(9112.0 * MIB));
    let usage = Usage::of(first(&log), 5.0);
    assert_eq!(usage.span_s, Some(10.0));
    assert!(first(&log).processes.contains("/opt/venv/bin/python"));
}

/// What was sampled since the last poll is not the utilisation of now, and each host has its own GPUs.
#[test]
fn parts_of_reports_from_several_hosts() {
    let log = of("report-parts-pdsh.txt");
    assert_eq!(gpus(&log), [("gpu-a", 0, "-", 2), ("gpu-b", 0, "-", 2)]);
    assert_eq!(figures(&log, "gpu-a", 0, Metric::Utilisation), [Some(71.0), Some(69.0)]);
    assert_eq!(figures(&log, "gpu-b", 0, Metric::Power), [Some(40.02), Some(40.1)]);
    assert_eq!(figures(&log, "gpu-b", 0, Metric::MemoryUsed), [Some(402.0 * MIB); 2]);
}

#[test]
fn reports_tell_instances_and_errors() {
    let log = of("report-mig.txt");
    let whole = first(&log);
    assert!(whole.mig && !whole.samples[0].error);
    let instances: Vec<_> =
        whole.slices.iter().map(|(id, slice)| (*id, slice.memory_bytes, slice.used_peak_bytes)).collect();
    let mib = |mib: f64| Some(mib * MIB);
    assert_eq!(instances, [(3, mib(19_968.0), mib(7421.0)), (5, mib(9728.0), mib(12.0))]);
    assert!(log.gpus.values().nth(1).unwrap().samples[0].error);
    let judged = judge(whole, &Usage::of(whole, 5.0), None, &lines());
    let empty = judged.findings.iter().find(|finding| finding.id == "mig-empty-instances").unwrap();
    assert!(empty.message.starts_with("1 of 2 MIG instances hold nothing (5)"), "{}", empty.message);
}

#[test]
fn scrapes_of_dcgm_exporter_are_polls() {
    let log = of("prometheus-dcgm.txt");
    let name = "NVIDIA H100 80GB HBM3";
    assert_eq!(gpus(&log), [("dgx-07", 0, name, 3), ("dgx-07", 1, name, 3)]);
    let of = |metric| figures(&log, "dgx-07", 0, metric);
    assert_eq!(of(Metric::Utilisation), [Some(97.0), Some(98.0), Some(97.0)]);
    assert_eq!(of(Metric::MemoryUsed)[2], Some(30_144.0 * MIB));
    assert!((of(Metric::Sm)[0].unwrap() - 28.1114).abs() < 1e-9);
    let usage = Usage::of(first(&log), 5.0);
    assert_eq!(usage.memory_total, Some((30_112.0 + 50_960.0) * MIB));
    assert_eq!(usage.basis, Some(Basis::SmActivity));
}

/// Marks for no reading are none, a share above 1 is told, and lines with times may come in any order.
#[test]
fn dumped_series_are_sorted_by_their_times() {
    let text = String::from_utf8(fixture("prometheus-dcgm-mig.txt")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    let (log, reversed) = (log(&text), log(&(lines.join("\n") + "\n")));
    for log in [&log, &reversed] {
        assert_eq!(gpus(log), [("mig-1", 2, "NVIDIA A100-SXM4-40GB", 4)]);
        let series = first(log);
        assert!(series.mig && figures(log, "mig-1", 2, Metric::Utilisation) == [None; 4]);
        assert_eq!(series.slices[&1].memory_bytes, Some((11_210.0 + 8502.0) * MIB));
        let usage = Usage::of(series, 5.0);
        assert_eq!((usage.span_s, usage.samples), (Some(45.0), 4));
        assert!(usage.memory_by_instance && usage.clamped == Some((1, 102.0)));
    }
    assert_eq!(log.gpus.values().next().unwrap().samples, reversed.gpus.values().next().unwrap().samples);
}

/// An instance works with half a GPU's compute slices and is half busy: a quarter of the GPU.
#[test]
fn instances_count_by_how_busy_they_are() {
    let mut series = Series { mig: true, ..Series::default() };
    let slice = |memory: Option<f64>, activity: f64| Slice {
        memory_bytes: memory,
        used_peak_bytes: Some(8.0 * 1024.0 * MIB),
        activity: vec![activity; 90],
    };
    let mut sample = Sample::default();
    sample.set(Metric::MemoryTotal, 40_960.0 * MIB);
    series.samples = vec![sample; 90];
    series.slices.insert(1, slice(Some(20_480.0 * MIB), 50.0));
    let judge = |series: &Series| judge(series, &Usage::of(series, 5.0), None, &lines());
    let judged = judge(&series);
    assert_eq!(judged.verdict, Verdict::Oversized, "{:?}", judged.why);
    assert!((judged.need.unwrap().compute - 0.25).abs() < 1e-9);
    // One of unknown size leaves all unknown.
    series.slices.insert(2, slice(None, 90.0));
    assert_eq!(judge(&series).verdict, Verdict::NotEnoughData);
}

#[test]
fn metrics_of_nvidia_gpu_exporter_have_numbers_and_times() {
    let log = of("prometheus-smi.txt");
    let name = "NVIDIA GeForce RTX 4090";
    assert_eq!(gpus(&log), [("", 0, name, 3), ("", 1, name, 3)]);
    let busy = figures(&log, "", 1, Metric::Utilisation);
    assert!(busy.iter().zip([36.0, 40.0, 38.0]).all(|(found, is)| (found.unwrap() - is).abs() < 1e-9));
    assert_eq!(figures(&log, "", 1, Metric::MemoryUsed)[2], Some(6.21e9));
    let series = log.gpus.values().nth(1).unwrap();
    assert_eq!(Usage::of(series, 5.0).span_s, Some(60.0));
    assert!(series.processes.contains("python3"));
}

/// What `date` prints between two scrapes is their time.
#[test]
fn dates_between_scrapes_count() {
    let scrape = |busy| format!("DCGM_FI_DEV_GPU_UTIL{{gpu=\"0\",UUID=\"GPU-1\"}} {busy}\n");
    let text =
        format!("Mon Nov  2 09:00:00 UTC 2026\n{}Mon Nov  2 09:00:30 UTC 2026\n{}", scrape(10), scrape(20));
    assert_eq!(Usage::of(first(&log(&text)), 5.0).span_s, Some(30.0));
}

#[test]
fn spreadsheets_of_other_countries() {
    let log = of("query-semicolon-utf16.csv");
    assert_eq!(gpus(&log), [("", 0, "Tesla T4", 4)]);
    assert_eq!(figures(&log, "", 0, Metric::Power)[3], Some(43.25));
    assert_eq!(figures(&log, "", 0, Metric::MemoryTotal)[0], Some(15_360.0 * MIB));
    let wide = fixture("query-semicolon-utf16.csv");
    assert_eq!(read("x", "", &wide[2..]).unwrap(), log, "without its mark");
}

#[test]
fn every_way_to_name_a_host() {
    let hosts = |log: &Log| log.gpus.keys().map(|place| place.host.clone()).collect::<Vec<_>>();
    assert_eq!(
        hosts(&of("blocks-of-hosts.txt")),
        ["node11", "node11", "node12", "node12", "node13", "node14"]
    );
    assert_eq!(hosts(&of("kubectl-prefix.txt")), ["gpu-watch-6xk2p", "gpu-watch-qq8zt"]);
    let rows = "index, utilization.gpu [%], memory.used [MiB]\n0, 20 %, 700 MiB\n";
    let compose: Vec<String> = rows.lines().map(|line| format!("watch-1  | {line}")).collect();
    assert_eq!(hosts(&log(&(compose.join("\n") + "\n"))), ["watch-1"]);
    let scrape = "node7: DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-1\"} 5\n";
    assert_eq!(hosts(&log(scrape)), ["node7"]);
}

/// One poll is a moment: what it shows is told with a way to see more, and nothing is advised.
#[test]
fn one_poll_tells_how_to_log() {
    let log = of("table-errors.txt");
    let judged = judge(first(&log), &Usage::of(first(&log), 5.0), None, &lines());
    assert_eq!(judged.verdict, Verdict::NotEnoughData);
    assert!(judged.why.iter().any(|why| why.starts_with("at that moment: ")), "{:?}", judged.why);
    assert!(judged.findings.iter().any(|finding| finding.id == "log-longer"));
    let hours = series(Some(20.0), 100.0, 9_000.0, 90);
    let judged = judge(&hours, &Usage::of(&hours, 5.0), None, &lines());
    assert!(judged.findings.iter().all(|finding| finding.id != "log-longer"));
}
