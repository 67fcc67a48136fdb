//! Engines and formats of weights against compute capabilities, and the arithmetic that is really done.

use super::{CATALOG, Work, node, work};
use gpuadvise::advise::fit::fit;
use gpuadvise::estimate::Unplannable;
use gpuadvise::report::fit::FitLine;
use gpuadvise::workload::{Job, Pins, Workload};

fn refusal(flags: &str, gpu: &str) -> Unplannable {
    let work = work(flags);
    let machine = node(gpu, 1);
    work.try_on(&machine).expect_err(&format!("{flags} on {gpu}"))
}

fn precisions(work: &Work, gpu: &str) -> (&'static str, &'static str) {
    work.on(&node(gpu, 1)).precisions()
}

#[test]
fn engines_are_refused_on_gpus_they_do_not_run_on() {
    for (engine, gpu, needs) in [
        ("vllm", "K80", "7.5"),
        ("vllm", "V100-32GB-SXM", "7.5"),
        ("vllm-v0", "P100-SXM", "7.0"),
        ("tgi", "P100-SXM", "7"),
        ("sglang", "T4", "8.0"),
        ("tensorrt-llm", "V100-32GB-SXM", "8.0"),
    ] {
        let refused = refusal(&format!("--model qwen3-0.6b --engine {engine}"), gpu);
        assert_eq!(refused.id, "unsupported-by-engine", "{engine} on {gpu}");
        for part in [gpu, needs, "compute capability"] {
            assert!(refused.message.contains(part), "{}", refused.message);
        }
    }
    for (engine, gpu) in
        [("vllm-v0", "V100-32GB-SXM"), ("vllm", "MI300X"), ("llama.cpp", "P100-SXM"), ("sglang", "A10G")]
    {
        work(&format!("--model qwen3-0.6b --engine {engine}")).on(&node(gpu, 1));
    }
}

#[test]
fn weights_are_refused_where_no_kernel_reads_them() {
    for (format, gpu, needs) in [
        ("awq", "V100-32GB-SXM", "7.5"),
        ("mxfp4", "V100-32GB-SXM", "8.0"),
        ("nvfp4", "V100-32GB-SXM", "7.5"),
        ("mxfp4", "T4", "8.0"),
        ("fp8", "V100-32GB-SXM", "7.5"),
    ] {
        let refused = refusal(&format!("--model llama-3-8b --engine vllm-v0 --quantization {format}"), gpu);
        assert_eq!(refused.id, "quantization-unsupported", "{format} on {gpu}");
        assert!(refused.message.contains(format) && refused.message.contains(needs), "{}", refused.message);
    }
    for (format, gpu) in [("gptq", "V100-32GB-SXM"), ("awq", "T4"), ("nvfp4", "T4"), ("mxfp4", "A10G")] {
        work(&format!("--model llama-3-8b --engine vllm-v0 --quantization {format}")).on(&node(gpu, 1));
    }
}

#[test]
fn fp8_weights_are_unpacked_where_fp8_arithmetic_is_missing() {
    let weights = work("--model llama-3-8b --quantization fp8");
    assert_eq!(precisions(&weights, "A100-80GB-SXM"), ("bf16", "bf16"));
    assert_eq!(precisions(&weights, "T4"), ("fp16", "fp16"));
    assert_eq!(precisions(&weights, "H100-SXM"), ("bf16", "fp8"));
    let arithmetic = "--model llama-3-8b --precision fp8";
    assert_eq!(refusal(arithmetic, "A100-80GB-SXM").id, "precision-unsupported");
    assert_eq!(refusal("--model llama-3-8b --quantization fp8", "MI250X").id, "precision-unsupported");
    let plain = work("--model llama-3-8b");
    let machine = node("A100-80GB-SXM", 1);
    assert!(weights.on(&machine).weights_bytes() < 0.6 * plain.on(&machine).weights_bytes());
}

#[test]
fn the_arithmetic_told_is_the_one_done() {
    for format in ["mxfp4", "nvfp4"] {
        let fp4 = work(&format!("--model llama-3-8b --quantization {format}"));
        assert_eq!(precisions(&fp4, "A100-80GB-SXM").1, "bf16");
        assert_eq!(precisions(&fp4, "H100-SXM").1, "bf16");
    }
    let gptq = work("--model llama-3-8b --engine vllm-v0 --quantization gptq_int8");
    assert_eq!(precisions(&gptq, "A100-80GB-SXM").1, "bf16");
    assert_eq!(precisions(&gptq, "V100-32GB-SXM").1, "fp16");
    let int8 = work("--model llama-3-8b --quantization int8");
    assert_eq!(precisions(&int8, "A100-80GB-SXM").1, "int8");
}

#[test]
fn reports_name_the_arithmetic_that_is_done() {
    let told = |flags: &str, gpu: &str| {
        let Work { model, job } = work(flags);
        let job = Job::Serving(job);
        let workload = Workload { model, job, pins: Pins::default(), assumptions: vec![], warnings: vec![] };
        let id = CATALOG.only_gpu_named(gpu).unwrap();
        FitLine::new(&CATALOG, &workload, &fit(&CATALOG, &workload, &[id], 1)[0]).precision
    };
    for (flags, gpu, precision) in [
        ("--quantization nvfp4", "T4", "fp16"),
        ("--quantization mxfp4", "A100-80GB-SXM", "bf16"),
        ("--quantization mxfp4", "H100-SXM", "bf16"),
        ("--quantization fp8", "A100-80GB-SXM", "bf16"),
        ("--quantization fp8", "H100-SXM", "fp8"),
        ("--quantization int8", "A100-80GB-SXM", "int8"),
        ("--precision fp8", "A100-80GB-SXM", "fp8"),
        ("--quantization awq", "L4", "bf16"),
    ] {
        assert_eq!(told(&format!("--model llama-3-8b {flags}"), gpu), precision, "{flags} on {gpu}");
    }
}
