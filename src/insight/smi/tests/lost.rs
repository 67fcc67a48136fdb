//! GPUs that are gone, cards of another size, and days that are logged by the minute.

use super::*;
use crate::catalog::Catalog;

const HEADER: &str =
    "timestamp, index, pci.bus_id, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n";

fn row(minute: usize, index: u32, (name, total): (&str, u32), busy: u32) -> String {
    let (day, hour, minute) = (1 + minute / 1440, minute / 60 % 24, minute % 60);
    format!(
        "2026/06/{day:02} {hour:02}:{minute:02}:00.000, {index}, 00000000:{index}8:00.0, {name}, {busy} %, 8000 MiB, {total} MiB\n"
    )
}

fn verdicts(log: &Log) -> Vec<Verdict> {
    judged(log, &lines()).iter().map(|one| one.verdict).collect()
}

const H100: (&str, u32) = ("NVIDIA H100 80GB HBM3", 81_559);

#[test]
fn a_lost_gpu_is_an_error_however_good_it_was() {
    let good: String =
        (0..100).flat_map(|minute| [row(minute, 0, H100, 90), row(minute, 1, H100, 90)]).collect();
    let of = |words: &str| verdicts(&log(&format!("{HEADER}{good}{words}\n")));
    assert!(of("").iter().all(|verdict| *verdict != Verdict::Errors));
    // Of the one that is named.
    assert_eq!(
        of("Unable to determine the device handle for GPU 0000:18:00.0: GPU is lost.")[1],
        Verdict::Errors
    );
    assert_ne!(
        of("Unable to determine the device handle for GPU 0000:18:00.0: GPU is lost.")[0],
        Verdict::Errors
    );
    // One whose address nobody printed is the one that is not seen any more.
    let text =
        format!("{HEADER}{good}Unable to determine the device handle for GPU0: GPU has fallen off the bus\n");
    let text =
        text.replace("pci.bus_id, ", "").replace(" 00000000:08:00.0,", "").replace(" 00000000:18:00.0,", "");
    assert_eq!(verdicts(&log(&text)), [Verdict::Errors; 2]);
    // A driver that does not answer is told, and is no word about a GPU.
    assert!(
        of("Failed to initialize NVML: Driver/library version mismatch")
            .iter()
            .all(|it| *it != Verdict::Errors)
    );
}

/// A day that is logged every minute has 1,440 polls and 1,439 minutes between the first and the last.
#[test]
fn a_day_by_the_minute_is_a_day() {
    let lines = lines();
    let day = |minutes: usize| -> bool {
        let rows: String =
            (0..minutes).map(|minute| row(minute, 0, H100, if minute < 720 { 0 } else { 90 })).collect();
        let log = log(&format!("{HEADER}{rows}"));
        judged(&log, &lines)[0].findings.iter().any(|finding| finding.id == "duty-cycle")
    };
    assert_eq!([day(1430), day(1440), day(1441)], [false, true, true]);
}

#[test]
fn a_card_of_another_size_is_told() {
    let catalog: Catalog = embedded(Sections { constants: true, ..Sections::HARDWARE }).unwrap();
    let gpu = catalog.gpu(catalog.resolve_gpu_spec("RTX-4090").unwrap().gpus[0]);
    let told = |total: u32| {
        let rows: String =
            (0..100).map(|minute| row(minute, 0, ("NVIDIA GeForce RTX 4090", total), 30)).collect();
        let log = log(&format!("{HEADER}{rows}"));
        let usage = Usage::of(first(&log), 5.0);
        let judged = judge(first(&log), &usage, Some(gpu), &lines());
        judged
            .findings
            .into_iter()
            .find(|finding| finding.id == "unlisted-memory")
            .map(|finding| finding.message)
    };
    assert_eq!(told(24_564), None);
    let message = told(49_140).expect("a finding");
    assert!(message.contains("48.0 GiB") && message.contains("24.0 GiB"), "{message}");
}
