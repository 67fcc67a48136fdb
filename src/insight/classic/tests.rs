//! Rows of networks that work on samples: names, cases, figures.

use super::*;
use crate::catalog::load::{Sections, embedded};

fn catalog() -> Catalog {
    embedded(Sections::ALL).unwrap()
}

fn question(sort: Sort, cells: &[(&str, &str)]) -> Question {
    Question::new(sort, cells.iter().copied()).unwrap()
}

fn predicted(sort: Sort, cells: &[(&str, &str)]) -> Prediction {
    let catalog = catalog();
    let question = question(sort, cells);
    assert!(is_classic(&catalog, &question));
    Case::of(&catalog, &question).unwrap().predict(&catalog).unwrap()
}

fn expected(prediction: &Prediction, metric: Metric) -> Option<f64> {
    prediction.values.iter().find(|(own, _)| *own == metric).map(|(_, range)| range.expected)
}

#[test]
fn names_lose_the_task_and_the_benchmark() {
    let catalog = catalog();
    for (text, name) in [
        ("ResNet-50 v1.5 (MLPerf)", "resnet-50"),
        ("BERT-large SQuAD fine-tune", "bert-large-uncased"),
        ("BERT-base (12 layers, hidden 768)", "bert-base-uncased"),
        ("Stable Diffusion XL 1.0", "sdxl-base"),
        ("Whisper large-v3", "whisper-large-v3"),
        ("vit_large_patch16_224", "vit-l-16"),
        ("SSD300 v1.1 (ResNet-50)", "ssd300"),
        ("SD 1.5 + ControlNet", "sd-1.5-controlnet"),
    ] {
        assert_eq!(
            Network::named(&catalog, text).map(|n| n.name().to_owned()).as_deref(),
            Some(name),
            "{text}"
        );
    }
    for text in ["llama-3-8b", "t5-base", "GPT-2", "RoFormer-X"] {
        assert_eq!(Network::named(&catalog, text), None, "{text}");
    }
}

#[test]
fn accelerators_are_found_whatever_stands_beside_their_name() {
    let catalog = catalog();
    for (text, memory, name) in [
        ("A100-SXM4 (40GB)", "40", "A100-40GB-SXM"),
        ("NVIDIA A100-PCIe-80GB", "80", "A100-80GB-PCIe"),
        ("H100 80GB SXM5", "80", "H100-SXM"),
        ("NVIDIA GRID T4-16Q", "16", "T4"),
        ("Virtualized NVIDIA H200-SXM-141GB", "141", "H200-SXM"),
        ("NVIDIA GH200 Grace Hopper Superchip 96GB", "96", "GH200-96GB"),
        ("V100", "32", "V100-32GB-SXM"),
        ("RTX 2080 Ti", "11", "RTX-2080-Ti"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "96", "RTX-PRO-6000"),
    ] {
        let asked = question(Sort::Training, &[("gpu", text), ("gpu_memory_gb", memory)]);
        let found = Accelerator::of(&catalog, &asked).unwrap();
        assert_eq!(found.name(), name, "{text}");
    }
    let asked = question(Sort::Training, &[("gpu", "Voodoo 2")]);
    assert!(Accelerator::of(&catalog, &asked).unwrap_err().0.contains("Voodoo 2"));
}

#[test]
fn a_training_row_gives_samples_and_memory() {
    let cells = [
        ("framework", "lambda-benchmark"),
        ("model", "ResNet-50"),
        ("precision", "fp16 amp"),
        ("optimizer", "sgd"),
        ("micro_batch", "448"),
        ("gpu", "RTX 3090"),
        ("gpu_memory_gb", "24"),
        ("gpu_count", "1"),
        ("memory_kind", "nvidia_smi"),
    ];
    let prediction = predicted(Sort::Training, &cells);
    let rate = expected(&prediction, Metric::SamplesPerS).unwrap();
    assert!((800.0..1300.0).contains(&rate), "{rate}");
    let peak = expected(&prediction, Metric::PeakMemoryGib).unwrap();
    assert!((20.0..25.0).contains(&peak), "{peak}");
    assert_eq!(expected(&prediction, Metric::TokensPerSPerGpu), None);
    assert_ne!(prediction.verdict, Some(Verdict::No));
    // What a framework counts leaves the context out.
    let mut reserved = cells;
    reserved[8].1 = "reserved";
    assert!(expected(&predicted(Sort::Training, &reserved), Metric::PeakMemoryGib).unwrap() < peak - 1.0);
}

#[test]
fn an_encoder_row_gives_tokens_too() {
    let prediction = predicted(
        Sort::Inference,
        &[
            ("kind", "encoder"),
            ("engine", "FasterTransformer (PyTorch op)"),
            ("model", "BERT-base (12 layers, hidden 768)"),
            ("weight_precision", "FP16"),
            ("gpu", "T4"),
            ("gpu_count", "1"),
            ("input_len", "128"),
            ("batch_or_concurrency", "32"),
        ],
    );
    let (rate, tokens) = (
        expected(&prediction, Metric::SamplesPerS).unwrap(),
        expected(&prediction, Metric::TotalTokensPerS).unwrap(),
    );
    assert!((tokens / rate - 128.0).abs() < 1e-6);
    let latency = expected(&prediction, Metric::LatencyMs).unwrap();
    assert!((latency * rate / 32e3 - 1.0).abs() < 1e-6);
    assert_eq!(expected(&prediction, Metric::ImagesPerS), None);
}

#[test]
fn latency_under_load_is_not_predicted_and_a_single_stream_is_one_gpu() {
    let cells = |kind: &'static str| {
        [
            ("kind", kind),
            ("engine", "TensorRT"),
            ("model", "ResNet-50 v1.5"),
            ("weight_precision", "int8"),
            ("gpu", "NVIDIA A30"),
            ("gpu_memory_gb", "24"),
            ("gpu_count", "2"),
        ]
    };
    let server = predicted(Sort::Inference, &cells("mlperf_server"));
    assert_eq!(expected(&server, Metric::LatencyMs), None);
    let offline = predicted(Sort::Inference, &cells("mlperf_offline"));
    assert!(expected(&offline, Metric::ImagesPerS) >= expected(&server, Metric::ImagesPerS));
    let single = predicted(Sort::Inference, &cells("mlperf_singlestream"));
    assert!(expected(&single, Metric::LatencyMs).unwrap() < 2.0);
}

#[test]
fn what_cannot_be_said_is_skipped_with_the_reason() {
    let catalog = catalog();
    let skip = |cells: &[(&str, &str)]| {
        let asked = question(Sort::Inference, cells);
        Case::of(&catalog, &asked).and_then(|case| case.predict(&catalog)).unwrap_err().0
    };
    let image = [("kind", "vision"), ("model", "AlexNet 9000"), ("gpu", "T4")];
    assert!(skip(&image).contains("AlexNet 9000"));
    let blank = [("kind", "vision"), ("model", "ResNet-50"), ("gpu", "T4"), ("gpu_count", "1")];
    assert!(skip(&blank).contains("engine"));
}

#[test]
fn every_source_of_a_rate_can_be_left_out() {
    let whole = catalog();
    for group in [
        "lambdal/deeplearning-benchmark",
        "NVIDIA/DeepLearningExamples",
        "FasterTransformer",
        "MLPerf inference",
        "mlcommons/training_results_v4.0",
        "whisper",
        "sd",
    ] {
        let mut less = whole.clone();
        leave_out(&mut less, group);
        assert!(less.measured.len() < whole.measured.len(), "{group}");
        assert!(less.measured.len() * 2 > whole.measured.len(), "{group} takes most rates away");
    }
    let mut same = whole.clone();
    leave_out(&mut same, "nobody/nothing");
    assert_eq!(same.measured.len(), whole.measured.len());
}

#[test]
fn encoders_keep_more_where_nothing_fuses_attention() {
    let peak = |gpu: &str| {
        let cells = [
            ("framework", "lambda-benchmark"),
            ("model", "BERT-base SQuAD"),
            ("method", "full"),
            ("precision", "fp16 amp"),
            ("memory_kind", "nvidia_smi"),
            ("micro_batch", "108"),
            ("gpu", gpu),
            ("gpu_count", "1"),
        ];
        expected(&predicted(Sort::Training, &cells), Metric::PeakMemoryGib).unwrap()
    };
    // Both have 48 GiB and took the same batch.
    assert!(peak("Quadro RTX 8000") > 1.3 * peak("A40"));
    assert!(peak("Quadro RTX 8000") < 1.5 * peak("A40"));
}
