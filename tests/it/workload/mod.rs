//! Workloads: what flags mean over the embedded catalog, which defaults are filled in, what is refused.

mod properties;
mod refused;
mod shapes;

use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::diag::InputError;
use gpuadvise::model::Origin;
use gpuadvise::model::file::Contents;
use gpuadvise::units::{Count, Fraction};
use gpuadvise::workload::precision::Precision;
use gpuadvise::workload::settings::WorkloadArgs;
use gpuadvise::workload::{Job, KvRule, Method, Serving, Task, Training, Workload, resolve};
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| embedded(Sections::ALL).unwrap());

#[expect(clippy::unnecessary_wraps, reason = "the signature that `resolve` asks for")]
fn no_file(_: &str) -> Result<Option<Contents>, InputError> {
    Ok(None)
}

/// Reads flags as clap does, `--name=value`.
fn args(flags: &[&str]) -> WorkloadArgs {
    use clap::{Args, Command, FromArgMatches};
    let command = WorkloadArgs::augment_args(Command::new("test").no_binary_name(true));
    let matches = command.mut_args(|arg| arg.env(None)).try_get_matches_from(flags).unwrap();
    WorkloadArgs::from_arg_matches(&matches).unwrap()
}

fn workload(flags: &[&str]) -> Workload {
    resolve(&args(flags), &CATALOG, &no_file).unwrap_or_else(|error| panic!("{flags:?}: {error}"))
}

fn training(flags: &[&str]) -> Training {
    match workload(flags).job {
        Job::Training(training) => training,
        Job::Serving(_) | Job::Samples(_) => panic!("{flags:?} is serving"),
    }
}

fn serving(flags: &[&str]) -> Serving {
    match workload(flags).job {
        Job::Serving(serving) => serving,
        Job::Training(_) | Job::Samples(_) => panic!("{flags:?} is training"),
    }
}

fn error(flags: &[&str]) -> String {
    match resolve(&args(flags), &CATALOG, &no_file) {
        Ok(_) => panic!("{flags:?} is accepted"),
        Err(error) => error.to_string(),
    }
}

fn assumed<'a>(workload: &'a Workload, id: &str) -> &'a str {
    let found = workload.assumptions.iter().find(|assumption| assumption.id == id);
    &found.unwrap_or_else(|| panic!("`{id}` is not listed: {:?}", workload.assumptions)).value
}

#[test]
fn bare_params_train_with_every_default_listed() {
    let workload = workload(&["--params=1e9", "--task=train"]);
    let Job::Training(job) = &workload.job else { panic!() };
    assert_eq!(workload.model.origin, Origin::Inferred);
    assert!((workload.model.params - 1e9).abs() < 1.0);
    assert_eq!((job.task, job.method, job.precision), (Task::Train, Method::Full, None));
    assert!((job.tokens - 20e9).abs() < 1.0);
    assert_eq!((job.seq_len, job.global_batch), (2048, 512));
    assert_eq!((job.recompute, job.sharding, job.micro_batch), (None, None, None));
    let listed: Vec<&str> = workload.assumptions.iter().map(|assumption| assumption.id).collect();
    for id in [
        "shape",
        "method",
        "precision",
        "optimizer",
        "seq-len",
        "global-batch",
        "tokens",
        "recompute",
        "sharding",
        "attention",
        "framework",
        "goodput",
    ] {
        assert!(listed.contains(&id), "{id}: {listed:?}");
    }
    assert_eq!(assumed(&workload, "tokens"), "20B");
    for assumption in &workload.assumptions {
        assert!(!assumption.why.is_empty() && !assumption.source.is_empty(), "{assumption:?}");
    }
    let shape = workload.assumptions.iter().find(|assumption| assumption.id == "shape").unwrap();
    assert!(shape.why.contains("public dense models"), "{}", shape.why);
}

#[test]
fn what_was_asked_is_not_an_assumption() {
    let flags = [
        "--model=llama-3-8b",
        "--task=finetune",
        "--method=lora",
        "--lora-rank=8",
        "--precision=bf16",
        "--optimizer=lion",
        "--seq-len=512",
        "--global-batch=16",
        "--tokens=1M",
        "--recompute=full",
        "--offload=none",
        "--sharding=zero2",
        "--attention=eager",
        "--framework=tuned",
        "--goodput=0.9",
    ];
    let workload = workload(&flags);
    assert_eq!(workload.assumptions, []);
    let Job::Training(job) = workload.job else { panic!() };
    assert_eq!((job.lora_rank, job.seq_len, job.global_batch), (8, 512, 16));
    assert_eq!(job.precision, Some(Precision::Bf16));
    assert_eq!(job.framework, "tuned");
}

#[test]
fn presets_bring_their_training_length() {
    let seq_len = |model: &str| training(&["--task=finetune", &format!("--model={model}")]).seq_len;
    assert_eq!(seq_len("llama-2-7b"), 4096);
    assert_eq!(seq_len("gpt2"), 1024);
    assert_eq!(seq_len("bert-base-uncased"), 512);
    assert_eq!(seq_len("llama-3.1-8b"), 8192, "131,072 only in the last phase");
}

#[test]
fn fine_tuning_has_its_own_size() {
    let job = training(&["--model=meta-llama/Llama-2-7b-hf", "--task=finetune"]);
    assert!((job.tokens - 50e6).abs() < 1.0);
    assert_eq!(job.global_batch, 64);
    let job = training(&["--params=7B", "--task=finetune", "--samples=52k", "--epochs=3", "--seq-len=512"]);
    assert!((job.tokens - 52_000.0 * 3.0 * 512.0).abs() < 1.0);
}

#[test]
fn mixtures_of_a_bare_size_keep_all_their_weights() {
    let workload = workload(&["--params=671B", "--active-params=37B", "--task=infer", "--quantization=int4"]);
    // P002: all 671B parameters are stored, whatever is active.
    assert!((workload.model.params - 671e9).abs() < 1.0 && (workload.model.active_params - 37e9).abs() < 1.0);
    assert!(workload.model.moe.is_some());
}

#[test]
fn weights_are_as_wide_as_asked_whatever_the_checkpoint() {
    // P025: 16 bits a weight when 16-bit arithmetic is asked.
    for flag in ["--precision=fp16", "--precision=bf16", "--quantization=none"] {
        let job = serving(&["--model=deepseek-v3", "--task=infer", flag]);
        assert!((job.quantization.bits - 16.0).abs() < 1e-9, "{flag}");
        assert_eq!(job.quantization.name, "none");
    }
    let job = serving(&["--model=deepseek-v3", "--task=infer", "--precision=fp8"]);
    assert_eq!((job.quantization.name.as_str(), job.precision), ("fp8", Some(Precision::Fp8)));
    let published = workload(&["--model=deepseek-v3", "--task=infer"]);
    assert_eq!(assumed(&published, "quantization"), "fp8");
    let job = serving(&["--model=llama-3-8b", "--task=infer", "--precision=int4"]);
    assert_eq!(
        (job.quantization.name.as_str(), job.precision, job.quantization.compute),
        ("int4", None, None)
    );
    let job =
        serving(&["--model=llama-3-8b", "--task=infer", "--quantization=Q4-K-M", "--kv-precision=q8_0"]);
    assert!(job.quantization.embeddings_too && job.quantization.bits > 4.5 && job.quantization.bits < 5.2);
    assert!((job.kv_bytes - 1.0625).abs() < 1e-9);
    let job = serving(&["--params=1e9", "--task=infer", "--precision=fp32"]);
    assert!((job.quantization.bits - 32.0).abs() < 1e-9);
}

#[test]
fn serving_defaults_are_those_of_the_contract() {
    let workload = workload(&["--model=llama-3.1-8b", "--task=infer"]);
    let Job::Serving(job) = &workload.job else { panic!() };
    assert_eq!((job.input_len, job.output_len, job.concurrency), (1024, 256, 1));
    assert_eq!((job.max_model_len, job.engine.as_str()), (8192, "vllm"));
    assert!((job.hours - 730.0).abs() < 1e-9 && (job.kv_bytes - 2.0).abs() < 1e-9);
    // P004: the context and the load assumed are listed.
    for (id, value) in
        [("max-model-len", "8192"), ("concurrency", "1"), ("input-len", "1024"), ("hours", "730h")]
    {
        assert_eq!(assumed(&workload, id), value);
    }
    let short = serving(&["--model=llama-2-7b", "--task=infer"]);
    assert_eq!(short.max_model_len, 4096, "the model's own");
    let long = serving(&["--params=7B", "--task=infer", "--input-len=20000"]);
    assert_eq!(long.max_model_len, 20256, "a request must fit");
    let job = serving(&["--params=7B", "--task=infer", "--ttft=500ms", "--tpot=0.05s", "--rps=2"]);
    assert!((job.ttft_ms.unwrap() - 500.0).abs() < 1e-6 && (job.tpot_ms.unwrap() - 50.0).abs() < 1e-6);
    let job = serving(&["--model=gemma-3-27b", "--task=infer", "--kv-rule=full-pages"]);
    assert_eq!(job.kv_rule, KvRule::FullPages);
}

#[test]
fn tasks_follow_from_settings_that_leave_no_doubt() {
    assert_eq!(training(&["--params=7B", "--method=qlora"]).task, Task::Finetune);
    assert_eq!(training(&["--params=7B", "--tokens=1B"]).task, Task::Train);
    assert_eq!(serving(&["--params=7B", "--concurrency=4"]).concurrency, 4);
    assert!(error(&["--params=7B"]).contains("--task"));
}

#[test]
fn software_is_named_as_people_know_it() {
    let engine = |name: &str| serving(&["--params=7B", "--task=infer", &format!("--engine={name}")]).engine;
    assert_eq!(engine("TensorRT-LLM"), "tensorrt-llm");
    assert_eq!(engine("ollama"), "llama.cpp");
    assert_eq!(engine("SGLang"), "sglang");
    let framework =
        |name: &str| training(&["--params=7B", "--task=train", &format!("--framework={name}")]).framework;
    assert_eq!(framework("Megatron-LM"), "tuned");
    assert_eq!(framework("DeepSpeed"), "deepspeed");
    assert_eq!(framework("Accelerate"), "generic");
    assert!(
        error(&["--params=7B", "--task=train", "--framework=megatrom"]).contains("did you mean `megatron")
    );
}

#[test]
fn files_are_read_where_no_preset_has_the_name() {
    let text = r#"{"model_type": "llama", "hidden_size": 64, "intermediate_size": 256, "num_hidden_layers": 2,
        "num_attention_heads": 4, "vocab_size": 1000, "max_position_embeddings": 1024,
        "quantization_config": {"quant_method": "awq", "bits": 4}}"#;
    let file = |path: &str| match path {
        "folder" => Ok(Some(Contents::Config(text.to_owned()))),
        "broken" => Err(InputError::new("cannot read `broken`: denied", "")),
        _ => Ok(None),
    };
    let of = |model: &str| resolve(&args(&["--task=infer", &format!("--model={model}")]), &CATALOG, &file);
    let workload = of("folder").unwrap();
    assert_eq!((workload.model.hidden, workload.model.origin), (64, Origin::HuggingFace));
    let Job::Serving(job) = workload.job else { panic!() };
    assert_eq!((job.quantization.name.as_str(), job.max_model_len), ("awq", 1024));
    assert!(of("broken").unwrap_err().message.contains("denied"));
}

#[test]
fn long_sequences_are_warned_of() {
    let workload = workload(&["--model=gpt2", "--task=train", "--seq-len=4096"]);
    assert_eq!(workload.warnings[0].id, "seq-len-above-native");
}

#[test]
fn weights_only_formats_of_a_file_do_not_change_the_arithmetic() {
    let stored = |quantization: &str| {
        let text = format!(
            r#"{{"model_type": "llama", "hidden_size": 64, "intermediate_size": 256, "num_hidden_layers": 2,
            "num_attention_heads": 4, "vocab_size": 1000, "quantization_config": {quantization}}}"#
        );
        let workload = resolve(&args(&["--task=infer", "--model=folder"]), &CATALOG, &|_: &str| {
            Ok(Some(Contents::Config(text.clone())))
        });
        let Job::Serving(job) = workload.unwrap().job else { panic!("not serving") };
        (job.quantization.name, job.quantization.compute)
    };
    let weight_only = |name: &str| (name.to_owned(), None);
    assert_eq!(stored(r#"{"quant_method": "gptq", "bits": 8}"#), weight_only("gptq_int8"));
    assert_eq!(stored(r#"{"quant_method": "gptq", "bits": 4}"#), weight_only("gptq"));
    assert_eq!(stored(r#"{"quant_method": "bitsandbytes", "load_in_4bit": true}"#), weight_only("nf4"));
    assert_eq!(stored(r#"{"quant_method": "fp8"}"#), ("fp8".to_owned(), Some(Precision::Fp8)));
}

#[test]
fn a_request_fits_the_context_of_the_model() {
    let lengths = |flags: &[&str]| {
        let asked: Vec<&str> =
            ["--model=gpt2", "--task=infer"].into_iter().chain(flags.iter().copied()).collect();
        let workload = resolve(&args(&asked), &CATALOG, &no_file).map_err(|e| e.message)?;
        let cut = workload.assumptions.iter().any(|a| a.id.ends_with("put-len") && a.why.contains("cut"));
        let Job::Serving(job) = workload.job else { panic!("not serving") };
        Ok::<_, String>((job.input_len, job.output_len, job.max_model_len, cut))
    };
    assert_eq!(lengths(&[]), Ok((768, 256, 1024, true)));
    assert_eq!(lengths(&["--input-len=900"]), Ok((900, 124, 1024, true)));
    assert_eq!(lengths(&["--output-len=1000"]), Ok((24, 1000, 1024, true)));
    assert_eq!(lengths(&["--max-model-len=512"]), Ok((256, 256, 512, true)));
    assert_eq!(lengths(&["--max-model-len=2048"]), Ok((1024, 256, 2048, false)));
    assert_eq!(lengths(&["--input-len=500", "--output-len=500"]), Ok((500, 500, 1024, false)));
    for flags in
        [&["--input-len=1000", "--output-len=100"][..], &["--input-len=1024"], &["--output-len=5000"]]
    {
        assert!(lengths(flags).unwrap_err().contains("context of gpt2"), "{flags:?}");
    }
}

#[test]
fn settings_over_settings_put_aside_what_excludes_them() {
    let file = args(&[
        "--task=train",
        "--model=gpt2",
        "--samples=5",
        "--epochs=2",
        "--optimizer=lion",
        "--goodput=0.5",
    ]);
    let both = args(&["--params=7B", "--tokens=1B"]).over(file.clone());
    assert_eq!((both.model, both.params), (None, Some(Count(7_000_000_000))));
    assert_eq!((both.samples, both.epochs), (None, None));
    assert!(both.optimizer.is_some() && both.goodput == Some(Fraction(0.5)));
    let served = args(&["--task=infer", "--rps=2"]).over(args(&["--concurrency=4"]).over(file));
    assert_eq!((served.optimizer, served.concurrency, served.rps), (None, None, Some(2.0)));
    assert_eq!(served.model.as_deref(), Some("gpt2"));
    resolve(&served, &CATALOG, &no_file).unwrap();
}

#[test]
fn flags_that_are_not_built_do_not_exist() {
    use clap::{Args, Command};
    let command = WorkloadArgs::augment_args(Command::new("test"));
    let names: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
    for absent in ["scenario", "workload"] {
        assert!(!names.contains(&absent), "{absent}");
    }
    assert!(names.contains(&"active-params") && names.contains(&"kv-rule"));
}
