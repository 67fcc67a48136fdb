//! Rows in every layout, what is inferred from columns, the laws of the figures, and that nothing panics.

mod bounds;
mod clusters;

use super::cluster::Said;
use super::expect::Limits;
use super::judge::{Judged, judge};
use super::verdict::{Status, Verdict};
use super::*;
use crate::catalog::Catalog;
use crate::catalog::load::{Sections, embedded};
use proptest::prelude::*;
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    embedded(Sections { constants: true, fabrics: true, ..Sections::HARDWARE }).expect("the embedded catalog")
});

const HEADER: &str = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n";

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn only(text: &str) -> Table {
    let mut log = read("x", text.as_bytes()).expect("a log");
    assert_eq!(log.tables.len(), 1, "{text}");
    log.tables.remove(0)
}

fn judged(text: &str, said: &Said) -> Judged {
    let log = read("x", text.as_bytes()).expect("a log");
    let limits = Limits::of(&CATALOG).expect("the constants");
    judge(&CATALOG, &limits, "x", (&log, &log.tables[0]), said)
}

/// A row as an all-reduce over `n` ranks prints it.
fn row(size: u64, algbw: f64, n: f64) -> String {
    let (busbw, us) = (algbw * 2.0 * (n - 1.0) / n, size as f64 / algbw / 1e3);
    let half = format!("{us:.1} {algbw:.2} {busbw:.2} 0");
    format!("{size} {} float sum -1 {half} {half}\n", size / 4)
}

fn ranks(n: u32, per_node: u32, gpu: &str) -> String {
    let line = |rank: u32| {
        let (node, device) = (rank / per_node, rank % per_node);
        format!(
            "#  Rank {rank} Group  0 Pid {} on n{node} device {device} [0x{device:02x}] {gpu}\n",
            900 + rank
        )
    };
    (0..n).map(line).collect()
}

#[test]
fn rows_of_all_layouts_are_read() {
    for (line, layout, busbw) in [
        ("8 2 float sum 145.4 0.00 0.31 2e-07 152.8 0.00 0.00 1e-07", Layout::Old, 0.31),
        ("33554432 8388608 float sum 16964 3.96 7.42 5e-07 16846 3.98 7.47 5e-07", Layout::Old, 7.42),
        ("32 1 float 89.00 0.00 0.25 N/A 85.13 0.00 0.00 N/A", Layout::OldWithoutOperation, 0.25),
        ("8 2 float sum -1 36.50 0.00 0.5 0 36.16 0.00 0.00 0", Layout::Root, 0.5),
        ("8388608 131072 float none -1 166.6 50.34 47.19 N/A 164.1 51.11 47.92 N/A", Layout::Root, 47.19),
        ("# 1048576 262144 float none 0 461.9 2.27 2.27 0 401.4 2.61 2.61 0", Layout::Root, 2.27),
        ("8 2 float sum -1 25.70 1305.8 0.1 0 0.19 175724 0.00 0 20", Layout::Iterations, 0.1),
        ("33554432 33554432 uint8 768 40.69 40.69", Layout::Nccom, 40.69),
        ("0: 8 2 float sum -1 164.3 0.00 0.02 0 163.3 0.00 0.00 0", Layout::Root, 0.02),
        (
            "2026-01-02T03:04:05Z pod/x 8 2 bfloat16 avg -1 1.5 0.00 0.02 0 1.4 0.00 0.00 0",
            Layout::Root,
            0.02,
        ),
        ("8 2 float sum -1 164.3 0.00 0.02 0 N/A N/A N/A N/A", Layout::Root, 0.02),
    ] {
        let line = line.trim_start_matches('#');
        let (point, found) = row::parse(&words(line)).unwrap_or_else(|| panic!("no row: {line}"));
        assert_eq!(found, layout, "{line}");
        assert_eq!(point.sample().map(|it| it.busbw_gb_per_s), Some(busbw), "{line}");
    }
    for line in [
        "8 2 float sum -1 36.50 0.00",
        "8 2 float sum -1 NaN 0.00 0.00 0 36.16 0.00 0.00 0",
        "8 2 float sum -1 -5 0.00 0.00 0 36.16 0.00 0.00 0",
        "size count type redop root time algbw busbw #wrong",
        "8 2 flaot sum -1 36.50 0.00 0.5 0 36.16 0.00 0.00 0",
        "one two float three four five six",
    ] {
        assert!(row::parse(&words(line)).is_none(), "{line}");
    }
}

#[test]
fn rounding_errors_of_the_old_column_are_no_wrong_values() {
    let table =
        only("8 2 float sum 145.4 0.00 0.00 2e-07 152.8 0.00 0.00 1e-07\n# Out of bounds values : 0 OK\n");
    assert!(!table.is_wrong());
    let table = only("8 2 float sum -1 145.4 0.00 0.00 0 152.8 0.00 0.00 7\n");
    assert!(table.is_wrong() && table.wrong_values() == 7);
}

#[test]
fn tags_of_launchers_stand_anywhere() {
    let plain = only(&format!("{HEADER}{}", row(1 << 30, 100.0, 16.0)));
    for tag in ["0: ", "[1,0]<stdout>:", "[1,0]<stdout>: ", "[0] ", "# ", "worker-0: "] {
        let text = format!("{HEADER}{tag}{}", row(1 << 30, 100.0, 16.0));
        assert_eq!(only(&text).rows, plain.rows, "{tag}");
    }
    let inside = row(1 << 30, 100.0, 16.0).replace(" -1 ", " -1[0]  ");
    assert_eq!(only(&format!("{HEADER}{inside}")).rows, plain.rows);
}

#[test]
fn a_comment_that_quotes_a_footer_is_no_run() {
    let text = format!(
        "# note: the run ended with Avg bus bandwidth : 0 FAILED\n# nThread 1 nGpus 8\n{HEADER}{}",
        row(8, 1.0, 8.0)
    );
    let table = only(&text);
    assert!(!table.average_failed && table.rows.len() == 1);
}

#[test]
fn several_runs_are_several_tables_with_their_own_collectives() {
    let run = |program: &str| {
        format!(
            "mpirun -np 8 ./build/{program}_perf -b 8 -e 8G\n# nThread 1 nGpus 8\n{HEADER}{}# Out of bounds values : 0 OK\n# Avg bus bandwidth : 1.5\n",
            row(1 << 20, 5.0, 8.0)
        )
    };
    let log = read("x", [run("all_reduce"), run("all_gather"), run("alltoall")].concat().as_bytes())
        .expect("a log");
    let named: Vec<&[Collective]> = log.tables.iter().map(|table| table.named.as_slice()).collect();
    assert_eq!(named, [&[Collective::AllReduce], &[Collective::AllGather], &[Collective::AllToAll]]);
    // Cut before their footers, too.
    let cut = |program: &str| format!("./{program}_perf\n{HEADER}{}", row(1 << 20, 5.0, 8.0));
    let log = read("x", [cut("all_reduce"), cut("all_gather")].concat().as_bytes()).expect("a log");
    assert_eq!(log.tables.len(), 2);
}

#[test]
fn what_is_no_output_of_the_tests_is_refused() {
    for text in ["", "hello\n", "size,count\n1,2\n", "\u{0}\u{1}", "root:x:0:0:root\n"] {
        assert!(read("x", text.as_bytes()).is_err(), "{text:?}");
    }
    let error = read("some.csv", b"a,b\n").expect_err("no output");
    assert!(error.message.contains("some.csv") && error.hint.contains("all_reduce_perf"));
}

#[test]
fn ranks_follow_from_the_columns() {
    for n in [2_u32, 4, 8, 16, 32, 64] {
        let text = format!("./all_reduce_perf\n{HEADER}{}", row(8 << 30, 187.65, f64::from(n)));
        assert_eq!(judged(&text, &Said::default()).cluster.gpus, (n > 2).then_some(n).or(Some(2)), "{n}");
    }
    // The count of a gather is that of one rank's part.
    let gather = "8388608 131072 float none -1 166.6 50.34 47.19 N/A 164.1 51.11 47.92 N/A\n";
    let found = judged(&format!("./all_gather_perf\n{HEADER}{gather}"), &Said::default()).cluster;
    assert_eq!((found.gpus, found.nodes), (Some(16), Some(2)));
}

#[test]
fn nodes_follow_from_hosts_or_devices() {
    let nodes = |ranks: String| {
        judged(&format!("{ranks}{HEADER}{}", row(1 << 30, 50.0, 8.0)), &Said::default()).cluster.nodes
    };
    assert_eq!(nodes(ranks(16, 8, "NVIDIA H100 80GB HBM3")), Some(2));
    assert_eq!(nodes(ranks(8, 8, "NVIDIA H100 80GB HBM3")), Some(1));
    // Containers that are all called alike, and a header that is cut to its last rank.
    assert_eq!(nodes(ranks(16, 8, "X").replace(" on n1 ", " on n0 ")), Some(2));
    assert_eq!(
        nodes("# Rank 71 Group 0 Pid 1 on n device 3 [0x01] NVIDIA Graphics Device\n".to_owned()),
        Some(18)
    );
    // One device each, as seen inside tasks of one GPU.
    let alone = "# Rank 0 Group 0 Pid 1 on n device 0 [0000:01:00] X\n# Rank 1 Group 0 Pid 2 on n device 0 [0000:02:00] X\n";
    assert_eq!(nodes(alone.to_owned()), Some(1));
}

#[test]
fn the_plateau_is_compared_and_not_the_average() {
    let table = |smallest: u32| {
        let rows: String = (smallest..34)
            .map(|e| {
                let size = 1_u64 << e;
                row(size, 134.0 * size as f64 / (size as f64 + 4e7), 8.0)
            })
            .collect();
        judged(
            &format!("./all_reduce_perf\n{}{HEADER}{rows}", ranks(8, 8, "NVIDIA A100-SXM4-80GB")),
            &Said::default(),
        )
    };
    let (few, many) = (table(28), table(3));
    assert_eq!((few.verdict, many.verdict), (Verdict::Healthy, Verdict::Healthy));
    let figures = |judged: &Judged| judged.figures.expect("figures");
    assert!(figures(&many).mean_gb_per_s < 0.5 * figures(&few).mean_gb_per_s);
    assert!((figures(&many).plateau_gb_per_s - figures(&few).plateau_gb_per_s).abs() < 1e-9);
}

#[test]
fn bandwidths_that_contradict_each_other_are_told() {
    let rows: String = (26..34).map(|e| row(1 << e, 134.0, 8.0)).collect();
    let text = format!("./all_reduce_perf\n{}{HEADER}{rows}", ranks(8, 8, "NVIDIA A100-SXM4-80GB"));
    assert_eq!(judged(&text, &Said::default()).verdict, Verdict::Healthy);
    let wrong = Said { collective: Some(Collective::AllGather), ..Said::default() };
    assert_eq!(judged(&text, &wrong).verdict, Verdict::Inconsistent);
    assert_eq!(judged(&text.replace("234.50", "334.50"), &Said::default()).verdict, Verdict::Inconsistent);
}

#[test]
fn what_is_said_wins_over_what_is_inferred() {
    let rows: String = (26..34).map(|e| row(1 << e, 41.77, 16.0)).collect();
    let text = format!("./all_reduce_perf\n{HEADER}{rows}");
    assert_eq!(judged(&text, &Said::default()).verdict, Verdict::UnknownPlatform);
    let instance = CATALOG.resolve_instance("aws/p4de.24xlarge").expect("a machine");
    let said =
        Said { instance: Some(instance), gpu: vec![CATALOG.instance(instance).gpu], ..Said::default() };
    let found = judged(&text, &said);
    assert_eq!((found.verdict, found.cluster.nodes), (Verdict::Healthy, Some(2)));
}

#[test]
fn binary_units_are_told_by_size_over_time() {
    let binary = only(
        "size(B) count(elems) type time(us) algbw(GB/s) busbw(GB/s)\n33554432 33554432 uint8 768 40.69 40.69\n",
    );
    assert!(
        binary.binary_units
            && (binary.rows[0].sample().expect("a sample").busbw_gb_per_s - 43.69).abs() < 0.01
    );
    let decimal = only(
        "size(B) count(elems) type time(us) algbw(GB/s) busbw(GB/s)\n33554432 33554432 uint8 768 43.69 43.69\n",
    );
    assert!(!decimal.binary_units);
}

/// The file of `-J` says what the table would: rows, ranks, footer. What is cut counts as far as it is whole.
#[test]
fn json_is_read_as_the_table_is() {
    let whole = include_str!("../../../tests/data/nccl/json-h100.json");
    let log = read("x.json", whole.as_bytes()).expect("a file");
    let table = &log.tables[0];
    assert_eq!((table.rows.len(), table.ranks.len(), table.layout), (4, 8, Some(Layout::Json)));
    assert_eq!((table.complete, table.out_of_bounds, table.is_wrong()), (true, Some(0), false));
    assert_eq!(table.evidence.version.as_deref(), Some("2.27.5"));
    assert_eq!(judged(whole, &Said::default()).cluster.collective(), Some(Collective::AllReduce));
    let wrong = whole.replace("\"count\":0,\"okay\":\"true\"", "\"count\":3,\"okay\":\"false\"");
    assert_eq!(judged(&wrong, &Said::default()).verdict, Verdict::WrongResults);
    let mut rows = 0;
    for end in (0..whole.len()).step_by(7) {
        let Ok(log) = read("x.json", &whole.as_bytes()[..end]) else { continue };
        judges_without_panic(&whole.as_bytes()[..end]);
        let now = log.tables.iter().map(|table| table.rows.len()).sum();
        assert!(now >= rows && now <= 4, "{now} rows after {rows}");
        rows = now;
    }
    assert_eq!(rows, 4);
}

/// Times of single iterations, and the time of day, stand beside what is read.
#[test]
fn longer_rows_are_read() {
    let (part, time) = ("21000.5 204.51 383.46 0", "2026-11-02 10:00:11");
    let spread = "20500.1 22000.2 21900.3 1.20";
    for row in [
        format!("4294967296 1073741824 float sum -1 {part} {part} {time}"),
        format!("4294967296 1073741824 float sum -1 {part} {spread} {part} {spread}"),
        format!("4294967296 1073741824 float sum -1 {part} {spread} {part} {spread} {time}"),
    ] {
        let words: Vec<&str> = row.split(' ').collect();
        let (point, _) = row::parse(&words).unwrap_or_else(|| panic!("no row: {row}"));
        let samples: Vec<f64> = point.samples().map(|sample| sample.busbw_gb_per_s).collect();
        assert_eq!(samples, [383.46, 383.46], "{row}");
    }
}

#[test]
fn nccom_test_tells_ranks_and_machines() {
    let text = include_str!("../../../tests/data/nccl/nccom-two-machines.txt");
    let judged = judged(text, &Said::default());
    assert_eq!((judged.cluster.gpus, judged.cluster.nodes), (Some(64), Some(2)));
    assert!(judged.causes.iter().any(|cause| cause.id == "neuron-no-reference" && !cause.message.is_empty()));
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let log = read("x", &wide).expect("UTF-16");
    assert_eq!(log.tables[0].rows.len(), 5);
}

#[test]
fn every_cause_that_is_blamed_has_its_words() {
    let text = [include_str!("judge.rs"), include_str!("slow.rs"), include_str!("conflicts.rs")].concat();
    let text = text
        .replace("explain(\"", "blame(\"")
        .replace("Some((\"", "blame(\"")
        .replace(".then(|| (\"", "blame(\"");
    let blamed: Vec<&str> = text
        .split("blame(\"")
        .skip(1)
        .chain(text.split("Cause::of(\"").skip(1))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert!(blamed.len() > 15);
    let missing: Vec<&&str> =
        blamed.iter().filter(|id| CATALOG.causes.iter().all(|cause| cause.id != **id)).collect();
    assert!(missing.is_empty(), "no words for {missing:?}");
}

fn judges_without_panic(bytes: &[u8]) {
    let Ok(log) = read("x_h100_2node.txt", bytes) else { return };
    let limits = Limits::of(&CATALOG).expect("the constants");
    for table in &log.tables {
        let judged = judge(&CATALOG, &limits, "x_h100_2node.txt", (&log, table), &Said::default());
        let _ = planner::links(&judged);
    }
}

/// A run in which everything is in: tags, ranks, lines of NCCL, rows, footer, failure.
fn whole() -> String {
    let rows: String = [0, 3, 12, 20, 28, 33].iter().map(|e| row(1 << e, 180.5, 16.0)).collect();
    format!(
        "[1,0]<stdout>:# nThread 1 nGpus 1\n{}n0:1:2 [0] NCCL INFO Using network Socket\n{HEADER}{rows}# Out of bounds values : 0 OK\n\
         # Avg bus bandwidth    : 12.5\n n0 pid 1: Test failure common.cu:1\nnccom-test -r 2 allr\n  8 8 uint8 1 2.5 2.5\n",
        ranks(16, 8, "NVIDIA H100 80GB HBM3")
    )
}

#[test]
fn a_file_cut_at_any_byte_is_judged() {
    let text = whole();
    for end in 0..text.len() {
        judges_without_panic(&text.as_bytes()[..end]);
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        judges_without_panic(&bytes);
    }

    #[test]
    fn no_mutation_panics(at in 0_usize..2000, with in proptest::collection::vec(any::<u8>(), 0..8)) {
        let mut bytes = whole().into_bytes();
        let at = at.min(bytes.len() - 1);
        bytes.splice(at..(at + with.len()).min(bytes.len()), with);
        judges_without_panic(&bytes);
    }

    #[test]
    fn no_figures_panic(
        size in any::<u64>(),
        count in any::<u64>(),
        figures in proptest::collection::vec(prop_oneof![any::<f64>().prop_map(|x| x.to_string()), any::<u64>().prop_map(|x| x.to_string()), Just("N/A".to_owned())], 8),
        rank in any::<u64>(),
        device in any::<u32>(),
    ) {
        let text = format!(
            "# Rank {rank} Group 0 Pid 1 on h device {device} [0x00] NVIDIA H100 80GB HBM3\n{HEADER}{size} {count} float sum -1 {}\n",
            figures.join(" ")
        );
        judges_without_panic(text.as_bytes());
    }
}
