//! Networks that work on samples and encoder-decoders, through the program: plans, refusals, measured rates of one's own.

use crate::program::{Program, run};
use serde_json::Value;

fn answer(line: &str) -> Value {
    let arguments: Vec<&str> = line.split_whitespace().chain(["--json"]).collect();
    let finished = run(&arguments);
    assert_eq!(finished.code, 0, "{line}: {}", finished.stderr);
    serde_json::from_str(&finished.stdout).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn refusal(line: &str, code: i32) -> String {
    let finished = run(&line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(finished.code, code, "{line}: {}{}", finished.stdout, finished.stderr);
    finished.stderr
}

#[test]
fn a_classifier_is_trained_on_the_published_data_set_unless_told_otherwise() {
    let answer = answer("recommend --model resnet-50 --task train --gpu A100-80GB:8 --gpus 8 -n 1");
    let (work, row) = (&answer["workload"], &answer["recommendations"][0]);
    assert_eq!((&work["samples"], &work["epochs"]), (&1_281_167.into(), &90.into()));
    assert_eq!(work["layers"], Value::Null, "a shape that it has not is not 0");
    let rate = number(&row["performance"]["samples_per_s"]);
    assert!((5_000.0..25_000.0).contains(&rate), "{rate}");
    assert_eq!(row["performance"]["tokens_per_s"], Value::Null);
    let hours = number(&row["duration_hours"]["expected"]);
    let pure = 1_281_167.0 * 90.0 / rate / 3600.0;
    assert!(hours >= pure && hours < 1.2 * pure, "{hours} {pure}");
    let assumed: Vec<&str> =
        answer["assumptions"].as_array().unwrap().iter().filter_map(|a| a["id"].as_str()).collect();
    for id in ["samples", "epochs", "global-batch", "optimizer", "goodput", "framework"] {
        assert!(assumed.contains(&id), "{id} in {assumed:?}");
    }
}

#[test]
fn twice_the_samples_take_twice_the_hours() {
    let hours = |samples: &str| {
        let line = format!(
            "recommend --model vit-b-16 --task finetune --gpu H100-SXM --gpus 1 -n 1 --samples {samples}"
        );
        number(&answer(&line)["recommendations"][0]["duration_hours"]["expected"])
    };
    let (one, two) = (hours("1000000"), hours("2000000"));
    assert!((two / one - 2.0).abs() < 0.01, "{one} {two}");
}

/// `MLPerf` Inference v5.1: SDXL 0.69 images/s on an L40S and 2.08 on an H100-SXM, 20 steps with guidance.
#[test]
fn images_are_drawn_as_fast_as_was_measured() {
    let rate = |gpu: &str| {
        let line = format!(
            "recommend --model sdxl-base --task infer --engine tensorrt --precision fp8 --gpu {gpu} --gpus 1 -n 1"
        );
        number(&answer(&line)["recommendations"][0]["performance"]["requests_per_s"])
    };
    let (small, large) = (rate("L40S"), rate("H100-SXM"));
    assert!((0.6..0.8).contains(&small), "{small}");
    assert!((1.8..2.4).contains(&large), "{large}");
}

/// `MLPerf` Inference v5.1: Whisper large-v3 on eight L40S 146 samples/s; L4 and H100 only by formula.
#[test]
fn speech_is_recognised_faster_on_larger_gpus() {
    let rate = |gpu: &str| {
        let line = format!(
            "recommend --model whisper-large-v3 --task infer --engine tensorrt --precision fp16 --gpu {gpu} --gpus 1 -n 1 --concurrency 64"
        );
        number(&answer(&line)["recommendations"][0]["performance"]["samples_per_s"])
    };
    let (l4, l40s, h100) = (rate("L4"), rate("L40S"), rate("H100-SXM"));
    assert!(l4 < l40s && l40s < h100, "{l4} {l40s} {h100}");
    assert!((12.0..25.0).contains(&l40s), "{l40s}");
}

#[test]
fn a_rate_that_nobody_measured_is_refused() {
    let finished =
        run(&["recommend", "--model", "flux.1-dev", "--task", "train", "--samples", "1e6", "--json"]);
    // Denoisers were measured in training (Stable Diffusion v2), but none whose shape a source tells.
    assert_eq!(finished.code, 3, "{}", finished.stderr);
    let document: Value = serde_json::from_str(&finished.stdout).unwrap();
    let reasons: Vec<&str> =
        document["rejected"].as_array().unwrap().iter().filter_map(|r| r["reason"].as_str()).collect();
    assert!(reasons.contains(&"rate-unknown"), "{reasons:?}");
    assert!(run(&["explain", "rate-unknown"]).stdout.contains("measured-rate"));
}

#[test]
fn a_measured_rate_of_ones_own_counts_at_once() {
    let overlay = "[sources.own]\ntext = \"our own run\"\nas-of = 2026-11-30\n\n[[measured-rate]]\nmodel = \"flux.1-dev\"\n\
                   gpu = \"H100-SXM\"\ntask = \"train\"\nprecision = \"bf16\"\nclass = \"generic\"\ngpus = 8\nbatch = 4\n\
                   samples-per-s = 20\nsource = \"own\"\n";
    let program = Program::new().file("own.toml", overlay);
    let line = "recommend --catalog own.toml --model flux.1-dev --task train --samples 1e6 --global-batch 32 \
                --micro-batch 1 --gpu B200:8 --gpus 8 -n 1 --json";
    let finished = program.run(&line.split_whitespace().collect::<Vec<_>>());
    assert!(finished.code == 0 || finished.code == 3, "{}", finished.stderr);
    assert!(!finished.stdout.contains("rate-unknown"), "{}", finished.stdout);
    let slip = overlay.replace("flux.1-dev", "flux.9");
    let finished = Program::new().file("own.toml", &slip).run(&["catalog", "check", "own.toml"]);
    assert_eq!(finished.code, 5);
    assert!(finished.stdout.contains("flux.9"), "{}", finished.stdout);
}

#[test]
fn settings_of_tokens_are_refused_for_samples() {
    let stderr = refusal("recommend --model resnet-50 --task train --tokens 1e9", 2);
    assert!(stderr.contains("--tokens") && stderr.contains("--samples"), "{stderr}");
    refusal("recommend --model resnet-50 --task train --tp 2", 2);
    refusal("recommend --model resnet-50 --task infer --output-len 10", 2);
    refusal("recommend --model resnet-50 --task train --precision int8", 2);
    let stderr = refusal("recommend --model whisper-large-v3 --task finetune", 2);
    assert!(stderr.contains("--samples"), "{stderr}");
    let stderr = refusal("recommend --model resnet-50 --task infer --engine vllm", 2);
    assert!(stderr.contains("tensorrt"), "{stderr}");
}

#[test]
fn encoders_are_served_by_the_sequence_and_encoder_decoders_are_not() {
    let row = &answer(
        "recommend --model bert-large --task infer --gpu T4 --gpus 1 -n 1 --input-len 128 --concurrency 8",
    )["recommendations"][0];
    assert!(number(&row["performance"]["requests_per_s"]) > 20.0);
    let stderr = refusal("recommend --model t5-base --task infer", 2);
    assert!(stderr.contains("encoder-decoder"), "{stderr}");
}

/// Each token passes through one of the two stacks (Raffel et al. 2020, section 2.1), so T5 trains about as fast as a
/// decoder of half its size.
#[test]
fn an_encoder_decoder_computes_half_of_its_parameters() {
    let rate = |model: &str| {
        let line = format!(
            "recommend --model {model} --task train --tokens 1e9 --seq-len 512 --global-batch 512 --gpu A100-80GB:8 --gpus 8 -n 1"
        );
        number(&answer(&line)["recommendations"][0]["performance"]["tokens_per_s"])
    };
    let (both, one) = (rate("flan-t5-xl"), rate("llama-3.2-1b"));
    assert!((0.5..2.0).contains(&(both / one)), "{both} {one}");
    assert!(both > 1.5 * rate("llama-3.2-3b"));
}

#[test]
fn fit_knows_how_many_images_a_gpu_holds() {
    let answer = answer("fit --model resnet-50 --task train --global-batch 64 --gpu V100-16GB-SXM");
    let result = &answer["results"][0];
    assert_eq!(result["verdict"], "fits");
    let most = number(&result["max_micro_batch"]);
    assert!((200.0..400.0).contains(&most), "{most}");
    let stderr = refusal("fit --model flux.1-dev --task infer --gpu T4", 3);
    assert!(stderr.contains("none of the GPUs"), "{stderr}");
}

/// `accuracy` looks the training of encoders up in measured rates; where a plan uses a formula instead, it says so.
#[test]
fn a_plan_for_the_training_of_an_encoder_says_that_it_is_by_formula() {
    let ids = |model: &str, task: &str| {
        let answer = run(&["fit", "--model", model, "--task", task, "--gpu", "V100-32GB", "--json"]).json();
        let warnings = answer["warnings"].as_array().expect("warnings").clone();
        warnings.iter().filter_map(|it| it["id"].as_str().map(str::to_owned)).collect::<Vec<String>>()
    };
    let said = |model: &str, task: &str| ids(model, task).contains(&"encoder-by-formula".to_owned());
    assert!(said("bert-large-uncased", "finetune"));
    assert!(!said("gpt2", "finetune") && !said("bert-large-uncased", "infer"));
}
