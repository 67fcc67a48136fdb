//! Rates and memory of networks that work on samples: published figures, and relations that physics asks for.

use super::rate::{Point, RateTable};
use super::*;
use crate::catalog::load::{Sections, embedded};
use crate::model::{SampleFamily, preset};
use crate::workload::{Optimizer, SampleServing, SampleTraining, Task};

fn catalog() -> Catalog {
    embedded(Sections::ALL).unwrap()
}

fn model(catalog: &Catalog, name: &str) -> Architecture {
    preset::architecture(catalog.resolve_preset(name).unwrap(), catalog).architecture
}

fn training(global_batch: u32, class: &str) -> Samples {
    let work = SampleWork::Training(SampleTraining {
        optimizer: Optimizer::Sgd,
        global_batch,
        micro_batch: None,
        samples: 1_281_167.0,
        epochs: 90.0,
        goodput: Some(1.0),
        scaling_efficiency: None,
    });
    let class = class.to_owned();
    Samples {
        task: Task::Train,
        precision: None,
        strict: false,
        class,
        software: String::new(),
        evaluations: 1.0,
        seq_len: None,
        work,
    }
}

fn serving(concurrency: u32, class: &str) -> Samples {
    let work = SampleWork::Serving(SampleServing { concurrency: Some(concurrency), rps: None, hours: 730.0 });
    Samples { task: Task::Infer, work, ..training(1, class) }
}

fn planned(catalog: &Catalog, name: &str, gpu: &str, gpus: u32, job: &Samples) -> SamplePlan {
    let model = model(catalog, name);
    let id = catalog.resolve_gpu_spec(gpu).unwrap().gpus[0];
    let machine = Machine::of_gpu(catalog, catalog.gpu(id), gpus).unwrap();
    SampleModel::new(catalog, &model, job).unwrap().plan(&machine, 1).unwrap()
}

fn rate(catalog: &Catalog, name: &str, gpu: &str, gpus: u32, job: &Samples) -> f64 {
    planned(catalog, name, gpu, gpus, job).speed.samples_per_s.expected
}

/// Images per second of ResNet-50 in the range that `MLPerf` Training and Lambda saw on eight GPUs of each kind.
#[test]
fn resnet_50_trains_as_fast_as_was_measured() {
    let catalog = catalog();
    for (gpu, class, batch, low, high) in [
        ("V100-16GB-SXM", "tuned", 2048, 7_500.0, 9_500.0),
        ("H100-SXM", "generic", 8 * 1280, 19_000.0, 25_000.0),
        ("H100-SXM", "mlperf", 3264, 45_000.0, 65_000.0),
    ] {
        let job = training(batch, class);
        let images = rate(&catalog, "resnet-50", gpu, 8, &job);
        assert!((low..=high).contains(&images), "{gpu} {class}: {images}");
    }
}

#[test]
fn a_larger_network_of_the_same_kind_is_slower_in_proportion() {
    let catalog = catalog();
    let job = training(1024, "generic");
    let of = |name: &str| rate(&catalog, name, "A100-80GB-SXM", 8, &job);
    assert!(of("resnet-18") > of("resnet-50") && of("resnet-50") > of("resnet-152"));
    // 23.1 against 8.2 GFLOPs, 22.6 against 11.1 million values.
    let ratio = of("resnet-50") / of("resnet-152");
    assert!((1.8..3.5).contains(&ratio), "{ratio}");
}

#[test]
fn more_samples_in_a_pass_and_more_gpus_keep_the_rate() {
    let catalog = catalog();
    let mut last = 0.0;
    for concurrency in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
        let images = rate(&catalog, "resnet-50", "T4", 1, &serving(concurrency, "eager"));
        // A T4 throttles under large batches; nothing else takes rate away.
        assert!(images >= 0.85 * last, "{concurrency}: {images} after {last}");
        last = images;
    }
    for gpus in [1, 2, 4, 8] {
        let one = rate(&catalog, "resnet-50", "A100-80GB-SXM", gpus, &training(4096, "generic"));
        let two = rate(&catalog, "resnet-50", "A100-80GB-SXM", 2 * gpus, &training(8192, "generic"));
        assert!(two > one, "{gpus}: {one} {two}");
    }
}

#[test]
fn nodes_on_a_slow_link_are_slower_than_on_a_fast_one() {
    let catalog = catalog();
    let (model, job) = (model(&catalog, "vit-h-14"), training(512, "generic"));
    let samples = SampleModel::new(&catalog, &model, &job).unwrap();
    let id = catalog.resolve_gpu_spec("H100-SXM").unwrap().gpus[0];
    let machine = |gbps: f64| Machine {
        inter_bytes_per_s: Some(gbps * 1e9 / 8.0),
        ..Machine::of_gpu(&catalog, catalog.gpu(id), 8).unwrap()
    };
    let rate = |gbps: f64| samples.plan(&machine(gbps), 4).unwrap().speed;
    let (slow, fast) = (rate(1.0), rate(3200.0));
    assert!(slow.samples_per_s.expected < 0.8 * fast.samples_per_s.expected);
    assert!(slow.communication_share > 0.2 && fast.communication_share < 0.01);
}

#[test]
fn what_was_measured_says_so_and_has_the_narrower_range() {
    let catalog = catalog();
    let width = |speed: &SampleSpeed| speed.samples_per_s.high / speed.samples_per_s.low;
    let seen = planned(&catalog, "resnet-50", "H100-SXM", 8, &training(8 * 1280, "generic")).speed;
    let carried = planned(&catalog, "convnext-base", "H200-SXM", 8, &training(1024, "generic")).speed;
    assert!(seen.measured && seen.dominant_assumption.contains("measured resnet-50"));
    assert!(!carried.measured && carried.dominant_assumption.contains("carried by formula"));
    assert!(width(&carried) > 1.3 * width(&seen));
}

#[test]
fn a_rate_is_not_carried_to_networks_that_use_a_gpu_otherwise() {
    let catalog = catalog();
    let (model, job) = (model(&catalog, "whisper-large-v3"), training(256, "generic"));
    let id = catalog.resolve_gpu_spec("H100-SXM").unwrap().gpus[0];
    let machine = Machine::of_gpu(&catalog, catalog.gpu(id), 8).unwrap();
    let refused = SampleModel::new(&catalog, &model, &job).unwrap().plan(&machine, 1).unwrap_err();
    assert_eq!(refused.id, "rate-unknown");
}

#[test]
fn a_row_answers_its_own_case() {
    let catalog = catalog();
    let table = RateTable::new(&catalog).unwrap();
    let row = catalog
        .measured
        .iter()
        .find(|row| row.network == "resnet-50" && row.gpu == "H100-SXM" && row.class == "mlperf")
        .unwrap();
    let preset = catalog.resolve_preset("resnet-50").unwrap();
    let gpu = catalog.gpus.iter().find(|gpu| gpu.name == row.gpu);
    let point = Point {
        network: "resnet-50",
        work: Work::of(&Size::of_preset(preset), None, table.constants()),
        gpu_name: &row.gpu,
        gpu,
        train: true,
        precision: Precision::Fp16,
        class: "mlperf",
        gpus: row.gpus,
        batch: row.batch,
        seq_len: None,
        evaluations: 1.0,
    };
    let own = table.rate(&point).unwrap();
    let error = own.per_gpu.expected * f64::from(row.gpus) / row.samples_per_s - 1.0;
    assert!(own.measured && error.abs() < 0.1, "{error}");
}

/// Peaks that nvidia-smi showed (Lambda's logs): ResNet-50 in FP16 at 448 images 23.0 GiB, in FP32 at 224 images 23.2.
#[test]
fn memory_of_resnet_50_is_what_was_seen() {
    let catalog = catalog();
    let resnet = model(&catalog, "resnet-50");
    let mut job = training(448, "generic");
    let gib = |job: &Samples, batch: u32| {
        let samples = SampleModel::new(&catalog, &resnet, job).unwrap();
        let id = catalog.resolve_gpu_spec("RTX-3090").unwrap().gpus[0];
        samples.memory(catalog.gpu(id), batch).unwrap().terms.total() / crate::units::GIB
    };
    job.precision = Some(Precision::Fp16);
    assert!((gib(&job, 448) / 23.0 - 1.0).abs() < 0.1, "{}", gib(&job, 448));
    job.precision = Some(Precision::Fp32);
    assert!((gib(&job, 224) / 23.2 - 1.0).abs() < 0.1, "{}", gib(&job, 224));
}

#[test]
fn a_batch_is_cut_into_passes_that_fit() {
    let catalog = catalog();
    let plan = planned(&catalog, "vit-l-16", "V100-16GB-SXM", 1, &training(1024, "generic"));
    assert_ne!(plan.verdict, Verdict::No);
    assert!(plan.layout.grad_accumulation > 1);
    assert!(plan.layout.micro_batch * plan.layout.grad_accumulation >= 1024);
    // More GPUs than samples in a step is no layout.
    let (model, job) = (model(&catalog, "resnet-50"), training(4, "generic"));
    let id = catalog.resolve_gpu_spec("H100-SXM").unwrap().gpus[0];
    let machine = Machine::of_gpu(&catalog, catalog.gpu(id), 8).unwrap();
    assert_eq!(SampleModel::new(&catalog, &model, &job).unwrap().plan(&machine, 1).unwrap_err().id, "layout");
}

#[test]
fn values_that_were_not_counted_widen_the_range() {
    let catalog = catalog();
    let spread = |name: &str| {
        let memory = planned(&catalog, name, "A100-80GB-SXM", 1, &training(64, "generic")).memory;
        let act = memory.terms.activations;
        (memory.high - memory.terms.total()) / act
    };
    assert!(spread("yolov8m") > 2.0 * spread("resnet-50"));
    assert_eq!(model(&catalog, "yolov8m").kind.sample().unwrap().family, SampleFamily::Detector);
}

/// Peak and bandwidth of the first GPU are at most those of the second.
const STRONGER: [(&str, &str); 5] = [
    ("L4", "A100-80GB-SXM"),
    ("V100-16GB-SXM", "A100-40GB-SXM"),
    ("A100-80GB-SXM", "H100-SXM"),
    ("H100-SXM", "H200-SXM"),
    ("H200-SXM", "B200"),
];

#[test]
fn a_stronger_gpu_is_not_much_slower() {
    let catalog = catalog();
    for (job, pairs) in [(serving(1, "eager"), &STRONGER[..2]), (training(256, "generic"), &STRONGER[..])] {
        for &(weak, strong) in pairs {
            let of = |gpu: &str| rate(&catalog, "resnet-50", gpu, 1, &job);
            assert!(of(strong) >= 0.85 * of(weak), "{weak} {} {strong} {}", of(weak), of(strong));
        }
    }
}

#[test]
#[allow(clippy::float_cmp, reason = "a bound is the measured rate itself")]
fn what_is_carried_keeps_between_measured_rows() {
    let catalog = catalog();
    let table = RateTable::new(&catalog).unwrap();
    let gpu = |name: &str| catalog.gpus.iter().find(|gpu| gpu.name == name);
    let t4 =
        table.rows.iter().find(|row| row.point.gpu_name == "T4" && row.point.batch == Some(1.0)).unwrap();
    let measured = t4.rate.samples_per_s / f64::from(t4.rate.gpus);
    let keep = |name: &str, batch: f64, carried: f64| {
        let asked = Point { gpu_name: "", gpu: gpu(name), batch: Some(batch), ..t4.point };
        bounds::keep(&[*t4], &asked, carried)
    };
    assert_eq!(keep("H100-SXM", 1.0, 0.5 * measured), measured);
    assert_eq!(keep("H100-SXM", 8.0, 2.0 * measured), 2.0 * measured);
    assert_eq!(keep("T4", 8.0, 0.5 * measured), measured);
    // A smaller batch may be slower; a weaker GPU is not faster.
    assert_eq!(keep("H100-SXM", 0.5, 0.5 * measured), 0.5 * measured);
    assert_eq!(keep("P4", 1.0, 2.0 * measured), measured);
}

#[test]
fn a_larger_batch_is_not_carried_to_less() {
    let catalog = catalog();
    for name in ["whisper-large-v3", "resnet-50", "vit-l-14"] {
        let mut last = 0.0;
        for concurrency in [1, 2, 4, 8, 16, 32, 64] {
            let reached = rate(&catalog, name, "A100-80GB-SXM", 1, &serving(concurrency, "eager"));
            assert!(reached >= 0.97 * last, "{name} {concurrency}: {reached} after {last}");
            last = reached;
        }
    }
}

#[test]
fn a_rate_fills_the_batches_that_it_needs() {
    let catalog = catalog();
    let offered = |rps: f64| {
        let work = SampleWork::Serving(SampleServing { concurrency: None, rps: Some(rps), hours: 730.0 });
        planned(&catalog, "resnet-50", "T4", 1, &Samples { work, ..serving(1, "eager") })
    };
    let (idle, busy) = (offered(1.0), offered(400.0));
    assert_eq!(idle.layout.micro_batch, 1);
    assert!(busy.layout.micro_batch > 1 && busy.speed.samples_per_s.expected >= 400.0, "{:?}", busy.layout);
    let more = offered(1e6);
    assert!(more.layout.micro_batch > busy.layout.micro_batch && more.verdict != Verdict::No);
    assert!(more.speed.samples_per_s.expected < 1e6);
}
