//! What published runs of a machine say of cases without one, and figures that no cluster can have.

use super::super::cluster::Cluster;
use super::super::expect::expectations;
use super::*;

const H100: &str = "NVIDIA H100 80GB HBM3";

fn on(platform: &str) -> Said {
    let instance = CATALOG.resolve_instance(platform).expect("a machine");
    Said { instance: Some(instance), gpu: vec![CATALOG.instance(instance).gpu], ..Said::default() }
}

/// A table of `n` ranks, eight (four of a superchip) in a node, at one bus bandwidth.
fn table(collective: &str, busbw: f64, gpu: &str, (n, per_node): (u32, u32)) -> String {
    let ranks_in_all = f64::from(n);
    let rows: Vec<String> = (26..34_u32)
        .map(|e| {
            let size = 1_u64 << e;
            if collective == "all_reduce" {
                return row(size, busbw / (2.0 * (ranks_in_all - 1.0) / ranks_in_all), ranks_in_all);
            }
            let algbw = busbw / ((ranks_in_all - 1.0) / ranks_in_all);
            let us = size as f64 / algbw / 1e3;
            let half = format!("{us:.1} {algbw:.2} {busbw:.2} 0");
            format!("{size} {} float none -1 {half} {half}\n", size / 4 / u64::from(n))
        })
        .collect();
    format!("./{collective}_perf\n{}{HEADER}{}", ranks(n, per_node, gpu), rows.concat())
}

fn status(collective: &str, busbw: f64, nodes: u32, platform: &str) -> (Verdict, Status) {
    let found = judged(&table(collective, busbw, H100, (8 * nodes, 8)), &on(platform));
    (found.verdict, found.status)
}

#[test]
fn fewer_nodes_are_held_against_no_less() {
    for busbw in [290.0, 390.0] {
        let of = |nodes| status("all_reduce", busbw, nodes, "azure/Standard_ND96isr_H100_v5").0;
        assert_eq!([of(2), of(4), of(8)], [Verdict::Degraded; 3], "{busbw}");
    }
    let limits = Limits::of(&CATALOG).expect("the constants");
    let mut looked = 0;
    for (at, machine) in CATALOG.instances.iter().enumerate().filter(|(_, it)| it.whole_gpus() == 8) {
        let id = CATALOG.resolve_instance(&CATALOG.full_name(machine)).expect("a machine");
        let lows: Vec<(u32, f64)> = [2, 3, 4, 6, 8, 16, 32]
            .into_iter()
            .filter_map(|nodes| {
                let cluster = Cluster {
                    collectives: vec![Collective::AllReduce],
                    gpus: Some(8 * nodes),
                    nodes: Some(nodes),
                    gpu: Some(machine.gpu),
                    instance: Some(id),
                    ..Cluster::default()
                };
                Some((nodes, expectations(&CATALOG, &limits, &cluster).first()?.low))
            })
            .collect();
        looked += usize::from(!lows.is_empty());
        for pair in lows.windows(2) {
            assert!(pair[0].1 >= pair[1].1 - 1e-9, "{at} {}: {lows:?}", CATALOG.full_name(machine));
        }
    }
    assert!(looked > 10, "{looked}");
}

#[test]
fn rings_of_one_machine_agree() {
    for (busbw, platform, wanted) in [
        (65.0, "gcp/a3-highgpu-8g", Status::Pass),
        (150.0, "gcp/a3-megagpu-8g", Status::Warn),
        (8.0, "gcp/a3-highgpu-8g", Status::Fail),
    ] {
        for collective in ["all_gather", "all_reduce", "reduce_scatter"] {
            // The rows of a reduce_scatter are those of an all_gather with a sum.
            let text = table(
                if collective == "all_reduce" { collective } else { "all_gather" },
                busbw,
                H100,
                (16, 8),
            );
            let text = if collective == "reduce_scatter" {
                text.replace("all_gather", collective).replace(" none ", " sum ")
            } else {
                text
            };
            assert_eq!(judged(&text, &on(platform)).status, wanted, "{collective} at {busbw} on {platform}");
        }
    }
}

/// Each node of a fabric that does not sum sends 2(k-1)/k of the data: 411 GB/s at most over 32 nodes of 3,200 Gbit/s.
#[test]
fn sums_in_the_network_need_a_network_that_sums() {
    assert_eq!(status("all_reduce", 750.0, 32, "aws/p5.48xlarge").0, Verdict::Inconsistent);
    assert_eq!(status("all_reduce", 400.0, 32, "aws/p5.48xlarge").1, Status::Pass);
    assert_eq!(status("all_reduce", 480.0, 32, "azure/Standard_ND96isr_H100_v5").1, Status::Pass);
}

#[test]
fn between_two_far_references_nothing_is_firm() {
    let of = |busbw: f64, nodes: u32| {
        judged(&table("all_reduce", busbw, "NVIDIA GB200", (4 * nodes, 4)), &Said::default())
    };
    let found = of(500.0, 54);
    assert_eq!((found.verdict, found.status), (Verdict::DependsOnPlatform, Status::Unknown));
    let said = &found.causes.iter().find(|it| it.id == "between-references").expect("the cause").message;
    assert!(said.contains("144 GPUs") && said.contains("1440 GPUs"), "{said}");
    // What both sides agree on is firm.
    assert_eq!(of(700.0, 54).status, Status::Pass);
    assert_ne!(of(60.0, 54).verdict, Verdict::DependsOnPlatform);
    assert_eq!(of(500.0, 36).verdict, Verdict::Degraded);
}

#[test]
fn the_largest_row_without_a_figure_is_no_pass() {
    let good = table("all_reduce", 470.0, H100, (8, 8));
    assert_eq!(judged(&good, &Said::default()).status, Status::Pass);
    let (last, small) = (1_u64 << 33, 1_u64 << 26);
    for figure in ["nan", "inf", "-470.00"] {
        let broken = |size: u64| -> String {
            let mend = |line: &str| {
                let of = line.starts_with(&format!("{size} "));
                if of { line.replace(" 470.00 ", &format!(" {figure} ")) } else { line.to_owned() }
            };
            good.lines().map(|line| mend(line) + "\n").collect()
        };
        let found = judged(&broken(last), &Said::default());
        assert_eq!((found.verdict, found.status), (Verdict::Inconsistent, Status::Unknown), "{figure}");
        assert_eq!(found.causes[0].id, "broken-rows");
        let found = judged(&broken(small), &Said::default());
        assert_eq!(found.status, Status::Pass, "{figure}");
        assert!(found.causes.iter().any(|cause| cause.id == "broken-rows"), "{figure}");
    }
}

/// However a program lays the file of `-J` out, and in which order it writes the keys.
#[test]
fn json_of_every_layout_is_read() {
    let text = include_str!("../../../../tests/data/nccl/json-h100.json");
    let whole = &read("x.json", text.as_bytes()).expect("a file").tables[0];
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("a text");
    let sorted = value.to_string();
    for text in [&pretty, &sorted, &text.replace(':', " : ").replace("10 : 00 : 00", "10:00:00")] {
        let log = read("x.json", text.as_bytes()).expect("a file");
        assert_eq!((&log.tables[0].rows, log.tables[0].ranks.len()), (&whole.rows, whole.ranks.len()));
    }
    let spread = text.replace("{\"", "{\n  \"").replace(",\"", ",\n  \"").replace("\":", "\": ");
    let cut = spread.rfind("\"in_place\"").expect("a last row");
    let log = read("x.json", &spread.as_bytes()[..cut]).expect("a file");
    assert_eq!(log.tables[0].rows, whole.rows[..whole.rows.len() - 1]);
}
