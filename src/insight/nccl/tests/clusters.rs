//! Verdicts on clusters of every kind: links, wires, contradictions, and what is not known.

use super::*;

/// A table of `gpu` with all sizes at one algorithm bandwidth.
fn flat(algbw: f64, gpu: &str, n: u32, per_node: u32) -> String {
    let rows: String = (26..34).map(|e| row(1 << e, algbw, f64::from(n))).collect();
    format!("./all_reduce_perf\n{}{HEADER}{rows}", ranks(n, per_node, gpu))
}

/// The same at one bus bandwidth, judged.
fn at(busbw: f64, gpu: &str, (n, per_node): (u32, u32), said: &Said) -> Judged {
    let factor = 2.0 * f64::from(n - 1) / f64::from(n);
    judged(&flat(busbw / factor, gpu, n, per_node), said)
}

fn on(platform: &str) -> Said {
    let instance = CATALOG.resolve_instance(platform).expect("a machine");
    Said { instance: Some(instance), gpu: vec![CATALOG.instance(instance).gpu], ..Said::default() }
}

fn blamed(judged: &Judged) -> Vec<&'static str> {
    judged.causes.iter().map(|cause| cause.id).filter(|id| *id != "cut-off").collect()
}

const H100: &str = "NVIDIA H100 80GB HBM3";
const A100: &str = "NVIDIA A100-SXM4-80GB";

/// The verdict does not get worse when every size is faster, until no such cluster could be that fast.
#[test]
fn faster_is_never_worse() {
    let of = |busbw: f64, gpu: &str, n: u32| at(busbw, gpu, (n, 8), &Said::default()).status;
    let grade = |status| match status {
        Status::Fail => 0,
        Status::Warn => 1,
        Status::Unknown => 2,
        Status::Pass => 3,
    };
    for (gpu, n, most) in [
        (H100, 8, 787.0),
        (A100, 8, 300.0),
        (H100, 16, 750.0),
        ("NVIDIA GeForce RTX 4090", 8, 31.5),
        ("Tesla V100-SXM2-16GB", 8, 150.0),
    ] {
        let mut last = 0;
        for step in 1..=50 {
            let busbw = most * f64::from(step) / 50.0;
            let now = grade(of(busbw, gpu, n));
            assert!(now >= last, "{n} x {gpu} at {busbw} GB/s: {now} after {last}");
            last = now;
        }
        assert_eq!(last, 3, "{n} x {gpu}");
        assert_eq!(of(most * 1.2, gpu, n), Status::Unknown, "{n} x {gpu} beyond its link");
    }
}

#[test]
fn what_is_said_must_agree_with_what_is_listed() {
    let four = (32, 8);
    for (said, word) in [
        (on("aws/p4d.24xlarge"), "A100-40GB-SXM"),
        (Said { nodes: Some(33), ..Said::default() }, "33 nodes"),
        (Said { nodes: Some(2), ..Said::default() }, "4 hosts"),
        (Said { nodes: Some(8), ..Said::default() }, "4 hosts"),
        (Said { ranks: Some(16), ..Said::default() }, "`--ranks` says 16"),
        (on("aws/p5.4xlarge"), "has 1 GPUs"),
    ] {
        let found = at(370.0, H100, four, &said);
        assert_eq!((found.verdict, found.status), (Verdict::Inconsistent, Status::Unknown), "{word}");
        assert!(found.causes[0].message.contains(word), "{word}: {:?}", found.causes);
    }
    for said in [on("aws/p5.48xlarge"), Said { nodes: Some(4), ranks: Some(32), ..Said::default() }] {
        assert_ne!(at(370.0, H100, four, &said).verdict, Verdict::Inconsistent);
    }
    // One container for each GPU of a node.
    let pods = flat(270.0, H100, 8, 1);
    let pods = (0..8).fold(pods, |text, at| {
        text.replace(&format!("on n{at} device 0 [0x00]"), &format!("on n{at} device 0 [0000:{at:02x}:00]"))
    });
    assert_eq!(judged(&pods, &Said { nodes: Some(1), ..Said::default() }).verdict, Verdict::Healthy);
}

#[test]
fn unlike_gpus_in_one_run_are_told() {
    let text = flat(190.0, A100, 32, 8);
    let mixed: String = text
        .lines()
        .map(|line| if line.contains(" on n3 ") { line.replace(A100, H100) } else { line.to_owned() } + "\n")
        .collect();
    let found = judged(&mixed, &Said::default());
    assert_eq!((found.verdict, blamed(&found)), (Verdict::Inconsistent, vec!["mixed-gpus"]));
    let message = &found.causes[0].message;
    assert!(message.contains("24 x NVIDIA A100") && message.contains("8 x NVIDIA H100"), "{message}");
}

/// 400 Gbit/s of p4d carry 97 GB/s over four nodes at the very most.
#[test]
fn more_than_the_wire_carries_is_another_machine() {
    let gpu = "NVIDIA A100-SXM4-40GB";
    let found = at(180.0, gpu, (32, 8), &on("aws/p4d.24xlarge"));
    assert_eq!((found.verdict, blamed(&found)), (Verdict::Inconsistent, vec!["not-this-platform"]));
    assert_eq!(at(45.0, gpu, (32, 8), &on("aws/p4d.24xlarge")).status, Status::Pass);
}

#[test]
fn a_rate_above_the_slot_proves_a_link() {
    for (gpu, n, busbw) in [("NVIDIA H200 NVL", 4, 330.0), ("NVIDIA GeForce RTX 3090", 2, 44.0)] {
        let found = at(busbw, gpu, (n, 8), &Said::default());
        assert_eq!((found.verdict, found.status), (Verdict::UnknownPlatform, Status::Unknown), "{gpu}");
        assert_eq!(blamed(&found), ["link-unlisted"], "{gpu}");
        assert!(found.expected.is_none(), "{gpu}");
    }
}

#[test]
fn an_optional_bridge_is_no_failure() {
    for (gpu, busbw) in [("NVIDIA A100 80GB PCIe", 19.0), ("NVIDIA H100 PCIe", 40.0)] {
        let found = at(busbw, gpu, (2, 8), &Said::default());
        assert_eq!((found.verdict, found.status), (Verdict::DependsOnPlatform, Status::Unknown), "{gpu}");
        assert_eq!(blamed(&found), ["bridge-needed"], "{gpu}");
    }
    // That machine has the bridge.
    let bridged = at(19.0, "NVIDIA A100 80GB PCIe", (2, 8), &on("azure/Standard_NC48ads_A100_v4"));
    assert_eq!((bridged.verdict, bridged.status), (Verdict::PcieOnly, Status::Fail));
}

#[test]
fn no_network_is_blamed_inside_a_node() {
    for (gpu, busbw, cause) in [
        ("NVIDIA A100 80GB PCIe", 7.0, "peer-off-cards"),
        ("NVIDIA L4", 9.0, "peer-off-cards"),
        ("Tesla T4", 3.0, "peer-off-cards"),
        ("NVIDIA A40", 7.0, "peer-off-cards"),
        ("NVIDIA A10G", 7.0, "peer-off-cards"),
        ("NVIDIA GeForce RTX 4090", 7.0, "peer-off"),
        (H100, 7.0, "no-nvlink-path"),
    ] {
        let found = at(busbw, gpu, (8, 8), &Said::default());
        assert_eq!((found.verdict, found.causes[0].id), (Verdict::PcieOnly, cause), "{gpu}");
        let said: Vec<String> =
            found.causes.iter().map(|it| format!("{} {}", it.message, it.advice)).collect();
        let said = said.concat();
        assert!(!said.contains("NCCL_IB_HCA") && !said.contains("TCP"), "{gpu}: {said}");
        assert_eq!(said.contains("GeForce"), gpu.contains("GeForce"), "{gpu}: {said}");
    }
    // The low end of what a slot gives is an assumption.
    assert_eq!(at(10.0, "Tesla V100-PCIE-16GB", (4, 8), &Said::default()).status, Status::Pass);
}

#[test]
fn a_part_of_a_mesh_is_held_against_its_own_links() {
    let v100 = "Tesla V100-SXM2-16GB";
    let of = |n: u32, busbw: f64| at(busbw, v100, (n, 8), &Said::default());
    for (n, busbw, expected) in [(2, 45.0, 40.0), (4, 85.0, 80.0), (8, 125.0, 120.0)] {
        let found = of(n, busbw);
        assert_eq!(found.verdict, Verdict::Healthy, "{n}");
        assert!((found.expected.expect("figures").expected - expected).abs() < 0.1, "{n}");
    }
    assert_eq!(of(2, 10.0).status, Status::Fail);
    assert_eq!(of(8, 45.0).status, Status::Fail);
    assert_eq!(blamed(&of(4, 140.0)), ["link-unlisted"]);
    assert_eq!(of(6, 60.0).status, Status::Unknown);
}

#[test]
fn a_slow_network_of_an_unknown_machine_may_be_all_it_has() {
    let v100 = "Tesla V100-SXM2-16GB";
    let found = at(1.15, v100, (16, 8), &Said::default());
    assert_eq!((found.verdict, found.status), (Verdict::DependsOnPlatform, Status::Unknown));
    assert!(
        found.causes.iter().any(|it| it.message == "1.15 GB/s is what 10 Gbit/s Ethernet gives"),
        "{found:?}"
    );
    assert_eq!(at(1.15, v100, (16, 8), &on("aws/p3.16xlarge")).status, Status::Fail);
    // The log tells it.
    let text = format!("n0:1:2 [0] NCCL INFO Using network Socket\n{}", flat(0.613, v100, 16, 8));
    assert_eq!(judged(&text, &Said::default()).verdict, Verdict::SocketFallback);
}

#[test]
fn the_slower_column_counts() {
    let half = |us: f64, algbw: f64| format!("{us:.1} {algbw:.2} {:.2} 0", algbw * 1.75);
    let rows: Vec<String> = (26..34_u32)
        .map(|e| {
            let (size, us) = (1_u64 << e, (1_u64 << e) as f64 / 274e3);
            format!("{size} {} float sum -1 {} {}\n", size / 4, half(us, 274.0), half(us * 10.0, 27.4))
        })
        .collect();
    let rows = rows.concat();
    let found = judged(&format!("./all_reduce_perf\n{}{HEADER}{rows}", ranks(8, 8, H100)), &Said::default());
    assert_eq!((found.verdict, found.status), (Verdict::Degraded, Status::Fail));
    assert_eq!(blamed(&found), ["in-place-slower"]);
    assert!(found.share().is_some_and(|share| share < 0.11), "{found:?}");
    assert!(found.figures.is_some_and(|figures| !figures.out_of_place));
}
