//! What users of other tools ran into, one test a report, on the built program. The number is that of the report.

use crate::program::{Program, run};
use serde_json::Value;

fn json(arguments: &[&str]) -> Value {
    let all: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    run(&all).json()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

/// Several GPUs are judged one by one under a layout that is named, never as one pool.
#[test]
fn p005_memory_is_judged_per_gpu_under_a_named_layout() {
    let answer = json(&["fit", "--model", "llama-2-13b", "--task", "infer", "--gpu", "L4:4"]);
    let result = &answer["results"][0];
    assert_eq!(result["gpus"], 4);
    assert!(number(&result["memory"]["usable_gib"]) < 24.0, "{result}");
    let layout = &result["parallelism"];
    let ranks: u64 = ["dp", "tp", "pp"].iter().filter_map(|size| layout[*size].as_u64()).product();
    assert_eq!(ranks, 4, "{layout}");
}

/// Counts are rounded, never cut.
#[test]
fn p034_parameter_counts_are_rounded() {
    for (model, printed) in [("llama-3-8b", "8.0B parameters"), ("llama-2-7b", "6.7B parameters")] {
        let page = run(&["fit", "--model", model, "--task", "infer", "--gpu", "H100-SXM"]).stdout;
        assert!(page.contains(printed), "{page}");
    }
}

/// The figure that a verdict rests on holds every term, not only the model states.
#[test]
fn p036_model_states_alone_are_never_the_total() {
    let answer = json(&["fit", "--params", "7B", "--task", "train", "--gpu", "H100-SXM:8"]);
    let memory = &answer["results"][0]["memory"];
    let terms = memory["terms"].as_object().expect("terms");
    let sum: f64 = terms.values().map(number).sum();
    assert!((sum - number(&memory["total_gib"])).abs() < 1e-6, "{memory}");
    let states: f64 = ["weights_gib", "gradients_gib", "optimizer_gib", "master_weights_gib"]
        .iter()
        .map(|t| number(&terms[*t]))
        .sum();
    assert!(number(&memory["total_gib"]) > states + 1.0, "{memory}");
    assert!(number(&memory["low_gib"]) > states, "{memory}");
}

/// Logits take batch x sequence x vocabulary x bytes, and go away only with a fused loss.
#[test]
fn p040_logits_are_a_term_of_their_own() {
    let shape = "fit --layers 28 --hidden 1024 --heads 16 --kv-heads 8 --head-dim 128 --ffn 3072 --vocab 151665 --task finetune \
                 --seq-len 256 --micro-batch 2 --global-batch 2 --gpu A10G";
    let ask = |more: &[&str]| {
        let all: Vec<&str> = shape.split_whitespace().chain(more.iter().copied()).collect();
        number(&json(&all)["results"][0]["memory"]["terms"]["logits_gib"])
    };
    let one_copy = 2.0 * 256.0 * 151_665.0 * 4.0 / 1024_f64.powi(3);
    assert!((one_copy * 1024_f64.powi(3) / 1e6 - 310.6).abs() < 0.1);
    let logits = ask(&[]);
    assert!(logits > 0.998 * one_copy && logits < 1.2 * one_copy, "{logits} GiB against {one_copy} GiB");
    assert!(ask(&["--fused-loss"]) < 0.1 * one_copy);
}

/// The method is echoed, and adapters need less than half of a full fine-tuning.
#[test]
fn p045_the_method_is_part_of_the_answer() {
    let ask = |method: &str| {
        json(&[
            "fit",
            "--params",
            "2B",
            "--task",
            "finetune",
            "--method",
            method,
            "--gpu",
            "H100-SXM",
            "--micro-batch",
            "1",
        ])
    };
    let (full, lora) = (ask("full"), ask("lora"));
    assert_eq!((&full["workload"]["method"], &lora["workload"]["method"]), (&"full".into(), &"lora".into()));
    let total = |answer: &Value| number(&answer["results"][0]["memory"]["total_gib"]);
    assert!(total(&lora) < 0.5 * total(&full), "{} and {}", total(&lora), total(&full));
}

/// Nothing that counts 2^30 is called GB.
#[test]
fn p046_binary_units_are_named_so() {
    let pages = [
        run(&["fit", "--model", "llama-3-8b", "--task", "infer", "--gpu", "L40S"]).stdout,
        run(&["recommend", "--params", "1e9", "--task", "train", "-n", "2"]).stdout,
        run(&["catalog", "gpus", "--gpu", "H100"]).stdout,
    ];
    for page in pages {
        assert!(page.contains("GiB"), "{page}");
        let decimal = page.lines().filter(|line| line.split_whitespace().any(|word| word == "GB"));
        assert!(
            decimal.clone().all(|line| line.contains("disk") || line.contains("NVMe")),
            "{:?}",
            decimal.collect::<Vec<_>>()
        );
    }
}

/// No GPU, or a memory that is no number, is bad input.
#[test]
fn p049_zero_gpus_are_refused() {
    for arguments in [
        &["recommend", "--params", "1e9", "--task", "train", "--gpus", "0"][..],
        &["fit", "--params", "1e9", "--task", "train", "--gpu", "H100:0"],
        &["recommend", "--params", "1e9", "--task", "train", "--min-ram", "NaN"],
        &["recommend", "--params", "inf", "--task", "train"],
    ] {
        let finished = run(arguments);
        assert_eq!(finished.code, 2, "{arguments:?}: {}", finished.stderr);
        assert!(finished.stdout.is_empty());
    }
}

/// A TPU price says what it buys, and a result shows the whole slice.
#[test]
fn p065_a_tpu_result_is_priced_as_a_slice() {
    let prices = json(&["catalog", "prices", "--gpu", "TPU-v4", "--billing", "on-demand"]);
    let chip = &prices["rows"][0];
    assert_eq!(chip["unit"], "chip");
    let answer = json(&["recommend", "--params", "7B", "--task", "train", "--gpu", "TPU-v4", "--gpus", "16"]);
    let row = &answer["recommendations"][0];
    assert_eq!(row["total_gpus"], 16);
    let cost = &row["costs"][0];
    let expected = 16.0 * number(&chip["usd_per_hour"]);
    assert!((number(&cost["usd_per_hour"]) - expected).abs() < 1e-6, "{cost}");
}

/// Tables show memory per GPU and the count.
#[test]
fn p079_tables_show_memory_per_gpu_and_count() {
    let page =
        run(&["recommend", "--params", "1e9", "--task", "train", "--instance", "aws/p5.48xlarge"]).stdout;
    assert!(page.contains("8x80 GiB") || page.contains("8x\u{a0}80\u{a0}GiB"), "{page}");
}

/// CSV, JSON and table hold the same numbers.
#[test]
fn p081_all_formats_hold_the_same_numbers() {
    let ask = |format: &str| run(&["cost", "--hours", "720", "--gpu", "H100:8", "--format", format]).stdout;
    let document: Value = serde_json::from_str(&ask("json")).expect("JSON");
    let text = ask("csv");
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let headers = csv.headers().expect("a header").clone();
    let column =
        |name: &str| headers.iter().position(|header| header == name).unwrap_or_else(|| panic!("{name}"));
    let rows: Vec<csv::StringRecord> = csv.records().map(|row| row.expect("a row")).collect();
    let listed = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), listed.len());
    let (table, digits) = (ask("table"), |text: &str| text.replace(',', ""));
    for (row, line) in listed.iter().zip(&rows) {
        for field in ["usd_per_hour", "usd_per_gpu_hour", "total_usd"] {
            let printed = line.get(column(field)).expect("a cell");
            assert_eq!(row[field].to_string(), if printed.is_empty() { "null" } else { printed }, "{field}");
        }
        if let Some(total) = row["total_usd"].as_f64() {
            assert!(digits(&table).contains(&format!("{total:.2}")), "{total} is not in the table");
        }
    }
}

/// The dense peak of an A100 is 312 wherever it is shown.
#[test]
fn p107_the_a100_has_its_dense_peak() {
    let rows = json(&["catalog", "gpus", "--gpu", "A100"]);
    for row in rows["rows"].as_array().expect("rows") {
        assert_eq!(row["bf16_tflops"].as_u64(), Some(312), "{row}");
    }
}

/// The peak follows the precision: lower precision is faster, and each differs.
#[test]
fn p109_the_precision_decides_the_peak() {
    let hours = |precision: &str| {
        let answer = json(&[
            "recommend",
            "--model",
            "llama-2-7b",
            "--task",
            "train",
            "--precision",
            precision,
            "--instance",
            "aws/p5.48xlarge",
            "--gpus",
            "8",
        ]);
        number(&answer["recommendations"][0]["duration_hours"]["expected"])
    };
    let hours = ["fp32", "tf32", "bf16", "fp8"].map(hours);
    assert!(hours.windows(2).all(|pair| pair[0] > 1.1 * pair[1]), "{hours:?}");
}

/// Weights are parameters times bytes, in the documentation too.
#[test]
fn p163_weights_are_parameters_times_bytes() {
    let answer = json(&[
        "fit",
        "--params",
        "7.24e9",
        "--task",
        "infer",
        "--precision",
        "fp16",
        "--gpu",
        "A100-80GB-SXM",
    ]);
    let weights = number(&answer["results"][0]["memory"]["terms"]["weights_gib"]);
    let exact = number(&answer["workload"]["params"]) * 2.0 / 1024_f64.powi(3);
    assert!((weights - exact).abs() < 0.002 * exact, "{weights} against {exact}");
    assert!((weights - 13.5).abs() < 0.15, "{weights}");
}

/// Ranking by cost uses the time on each GPU: twice as dear and three times as fast wins.
#[test]
fn p165_cost_counts_the_time_on_each_gpu() {
    let gpu = |name: &str, times: f64| {
        format!(
            "[[gpu]]\nname = \"{name}\"\nvendor = \"NVIDIA\"\narchitecture = \"Hopper\"\nyear = 2025\nform-factor = \"SXM5\"\n\
             stack = \"cuda\"\nmemory = \"80 GiB\"\nusable = \"80 GiB\"\nmemory-type = \"HBM3\"\nbandwidth-gb-s = {}\n\
             fp32-tflops = {}\nbf16-tflops = {}\nfp16-tflops = {}\nlink-gb-s = {}\npcie-gen = 5\nbf16 = true\nfp8 = false\n\n",
            2000.0 * times,
            40.0 * times,
            300.0 * times,
            300.0 * times,
            600.0 * times
        )
    };
    let machine = |name: &str, usd: f64| {
        format!(
            "[[instance]]\nprovider = \"testcloud\"\nname = \"{name}-8x\"\ngpu = \"{name}\"\ngpus = 8\nvcpus = 96\nram-gib = 1024\n\n\
             [[price]]\nprovider = \"testcloud\"\ninstance = \"{name}-8x\"\nregion = \"here\"\nbilling = \"on-demand\"\n\
             usd-per-hour = {usd}\n\n"
        )
    };
    let overlay = format!(
        "schema = 1\nsource = \"own\"\n\n[sources.own]\ntext = \"a test\"\nas-of = 2026-11-01\n\n[[provider]]\nname = \"testcloud\"\n\
         display = \"Test\"\ntier = \"specialist\"\n\n[[region]]\nprovider = \"testcloud\"\nname = \"here\"\ncountry = \"DE\"\n\n{}{}{}{}",
        gpu("SLOW-1", 1.0),
        gpu("FAST-3", 3.0),
        machine("SLOW-1", 10.0),
        machine("FAST-3", 20.0)
    );
    let program = Program::new().file("own.toml", &overlay);
    let finished = program.run(&[
        "recommend",
        "--model",
        "llama-2-7b",
        "--task",
        "train",
        "--provider",
        "testcloud",
        "--catalog",
        "own.toml",
        "--json",
    ]);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let rows = finished.json()["recommendations"].clone();
    assert_eq!(rows[0]["gpu"], "FAST-3", "{rows}");
    let fast =
        number(&rows[0]["duration_hours"]["expected"]) / number(&rows[1]["duration_hours"]["expected"]);
    assert!(fast < 0.5, "{fast}");
    assert_eq!(rows[0]["costs"][0]["overridden"], true);
}

/// Above 95 % of the usable memory is tight, and tight is not ranked first.
#[test]
fn p167_a_configuration_without_headroom_is_tight() {
    let answer = json(&["fit", "--model", "llama-3-8b", "--task", "finetune", "--method", "lora"]);
    let mut seen = (0, 0);
    for result in answer["results"].as_array().expect("results") {
        let memory = &result["memory"];
        let (Some(high), Some(usable)) = (memory["high_gib"].as_f64(), memory["usable_gib"].as_f64()) else {
            continue;
        };
        if high > 0.951 * usable {
            assert_ne!(result["verdict"], "fits", "{result}");
            seen.0 += 1;
        } else if high < 0.949 * usable {
            assert_eq!(result["verdict"], "fits", "{result}");
            seen.1 += 1;
        }
    }
    assert!(seen.0 > 0 && seen.1 > 0, "{seen:?}");
    let ranked = json(&["recommend", "--model", "llama-3-8b", "--task", "train", "-n", "200"]);
    let verdicts: Vec<&str> = ranked["recommendations"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|r| r["memory"]["verdict"].as_str())
        .collect();
    let first_tight = verdicts.iter().position(|&v| v == "tight").unwrap_or(verdicts.len());
    assert!(verdicts[first_tight..].iter().all(|&v| v == "tight"), "{verdicts:?}");
}

/// Every workload of a scenario gets a verdict on the guide's machine, or the reason why it has none.
#[test]
fn scenarios_judge_each_workload_or_say_why_not() {
    let medium = json(&["recommend", "--scenario", "medium-training", "-n", "1"]);
    let scenario = &medium["scenario"];
    assert_eq!(
        (&scenario["verdict"], &scenario["also_judged"][0]["verdict"]),
        (&"fits".into(), &"fits".into())
    );
    assert_eq!(scenario["also_judged"][1]["name"], "ResNet-152");
    assert_eq!(scenario["not_judged"], serde_json::json!([]));
    let large = json(&["recommend", "--scenario", "very-large-training", "-n", "1"]);
    assert_eq!(large["scenario"]["verdict"], "no");
    assert!(number(&large["recommendations"][0]["total_gpus"]) > 8.0);
}

/// Whether gradients are kept in 16 or 32 bits decides many fits: Megatron's are FP32 (6 + 12/d bytes a parameter), and
/// where the software is not said the high estimate, on which `fits` is judged, covers both.
#[test]
fn the_width_of_gradients_is_never_guessed_low() {
    let memory = |framework: &str| {
        let line = "fit --model llama-2-7b --task train --gpu A100-80GB-SXM:8 --dp 8 --tp 1 --pp 1 --sharding zero1 \
                    --micro-batch 1 --recompute full --framework";
        let flags: Vec<&str> = line.split_whitespace().chain([framework]).collect();
        json(&flags)["results"][0]["memory"].clone()
    };
    let (megatron, generic) = (memory("megatron-lm"), memory("generic"));
    let term = |memory: &Value, name: &str| number(&memory["terms"][name]);
    assert!(
        (term(&megatron, "gradients_gib") - 2.0 * term(&megatron, "weights_gib")).abs() < 0.01,
        "{megatron}"
    );
    let states =
        ["optimizer_gib", "master_weights_gib"].map(|name| term(&megatron, name)).iter().sum::<f64>();
    assert!((states - 6.0 / 8.0 * term(&megatron, "weights_gib")).abs() < 0.01, "{megatron}");
    assert!(
        number(&generic["high_gib"]) > number(&generic["total_gib"]) + term(&generic, "gradients_gib"),
        "{generic}"
    );
}

/// The formula of the KV cache stands with its numbers, and its product is the reported size: shared heads and latents.
#[test]
fn p021_the_kv_formula_multiplies_out_to_the_reported_bytes() {
    for (model, gpu) in [("llama-3-8b", "H100-SXM"), ("deepseek-v3", "H200:8"), ("gpt2", "T4")] {
        let answer = json(&["fit", "--model", model, "--task", "infer", "--gpu", gpu, "--explain"]);
        let result = &answer["results"][0];
        let lines: Vec<&str> =
            result["explain"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let line =
            lines.iter().find(|line| line.contains("longest context")).unwrap_or_else(|| panic!("{lines:?}"));
        let (formula, bytes) = line.split_once(": ").unwrap().1.split_once(" = ").unwrap();
        let sum = |text: &str| -> f64 {
            let numbers =
                text.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|word| !word.is_empty());
            numbers.filter_map(|word| word.parse::<f64>().ok()).sum()
        };
        let product: f64 = formula.split('*').map(sum).product();
        let reported: f64 = bytes.split(' ').next().unwrap().parse().unwrap();
        assert!((product / reported - 1.0).abs() < 1e-9, "{line}");
        let printed = number(&result["memory"]["terms"]["kv_cache_gib"]);
        assert!((printed - reported / f64::from(1 << 30)).abs() <= 0.0005, "{line}: {printed} in the table");
    }
}

/// Twice the GPUs under ZeRO 3 halve what is sharded and nothing else; the rest is listed.
#[test]
fn p037_zero_3_lowers_only_the_sharded_terms() {
    let terms = |gpus: &str| {
        let gpu = format!("A100-80GB:{gpus}");
        let fixed =
            ["--sharding", "zero3", "--tp", "1", "--pp", "1", "--micro-batch", "1", "--recompute", "full"];
        let ask = ["fit", "--model", "llama-2-7b", "--task", "train", "--gpu", &gpu];
        json(&[&ask[..], &fixed[..]].concat())["results"][0]["memory"]["terms"].clone()
    };
    let (two, four) = (terms("2"), terms("4"));
    for sharded in ["weights_gib", "gradients_gib", "optimizer_gib", "master_weights_gib"] {
        let ratio = number(&four[sharded]) / number(&two[sharded]).max(1e-9);
        assert!((ratio - 0.5).abs() < 1e-3, "{sharded}: {ratio}");
    }
    for whole in ["activations_gib", "logits_gib", "workspace_gib", "communication_gib", "framework_gib"] {
        assert!(number(&two[whole]) > 0.0, "{whole} of {two}");
        assert_eq!(two[whole], four[whole], "{whole}");
    }
}

/// A verdict says what is left, in GiB and per cent, and which of its terms are estimates.
#[test]
fn p041_a_verdict_shows_its_margin_and_which_terms_are_estimates() {
    let ask =
        ["fit", "--model", "llama-3-8b", "--task", "finetune", "--method", "lora", "--gpu", "A100-80GB"];
    let memory = json(&ask)["results"][0]["memory"].clone();
    let share = number(&memory["margin_gib"]) / number(&memory["usable_gib"]) * 100.0;
    assert!((share - number(&memory["margin_pct"])).abs() < 0.06, "{memory}");
    let estimated = memory["estimated_terms"].as_array().unwrap();
    assert!(estimated.contains(&"activations".into()) && !estimated.contains(&"weights".into()), "{memory}");
    let page = run(&ask).stdout;
    for line in ["weights", "activations", "margin ("] {
        let line = page.lines().find(|own| own.starts_with(line)).unwrap_or_else(|| panic!("{line}: {page}"));
        assert!(["shape", "estimate", "%"].iter().any(|word| line.ends_with(word)), "{line}");
    }
}

/// More than everything is nonsense, given or derived.
#[test]
fn p108_a_utilisation_above_100_per_cent_is_refused() {
    let finished = run(&["recommend", "--params", "1e9", "--task", "train", "--goodput", "1.04"]);
    assert_eq!(finished.code, 2, "{}", finished.stderr);
    assert!(finished.stderr.contains("goodput"), "{}", finished.stderr);
    // 20,500 tokens/s of an 8B model on one H100 are more than its dense BF16 peak.
    let runs = "model,gpu,gpu_count,seq_len,method,precision,framework,micro_batch,global_batch_seqs,as_of,\
                metric_tokens_per_s_per_gpu\n\
                llama-3-8b,H100-SXM,8,8192,pretrain,bf16,torchtitan,1,64,2026-10-01,20500\n\
                llama-3-8b,H100-SXM,8,4096,pretrain,bf16,torchtitan,2,128,2026-10-01,21500\n";
    let finished = Program::new().file("runs.csv", runs).run(&["calibrate", "--runs", "runs.csv"]);
    assert_eq!(finished.code, 2, "{}", finished.stderr);
    assert!(finished.stderr.contains("% of the dense peak"), "{}", finished.stderr);
}

/// The PCIe card of a family is slower than the SXM one, by its own dense peak and clocks.
#[test]
fn p110_h100_pcie_is_at_least_a_fifth_slower_than_sxm_where_compute_binds() {
    let rate = |gpu: &str| {
        let all =
            ["recommend", "--model", "llama-3-8b", "--task", "finetune", "--method", "lora", "--gpus", "1"];
        let more =
            ["--gpu", gpu, "--tier", "hyperscaler,specialist,marketplace", "--stack", "any", "-n", "1"];
        number(&json(&[&all[..], &more[..]].concat())["recommendations"][0]["performance"]["tokens_per_s"])
    };
    let (pcie, sxm) = (rate("H100-PCIe"), rate("H100-SXM"));
    assert!(pcie <= 0.8 * sxm, "{pcie} against {sxm}");
}

/// Two nodes behind a slow link are not twice as fast as one; what is kept is printed, and can be said.
#[test]
fn p112_two_nodes_on_a_slow_link_are_not_twice_as_fast_as_one() {
    let ask = |gpus: &str, more: &[&str]| {
        let job = ["recommend", "--model", "llama-3-8b", "--task", "train", "--tokens", "1B", "--gpus", gpus];
        let place = ["--provider", "lambda", "--gpu", "A100-80GB:8", "--assume-network", "10", "-n", "1"];
        let answer = json(&[&job[..], &place, &["--global-batch", "64", "--goodput", "1"], more].concat());
        let row = answer["recommendations"][0].clone();
        (number(&row["duration_hours"]["expected"]), number(&row["performance"]["scaling_efficiency"]))
    };
    let ((one, alone), (two, kept)) = (ask("8", &[]), ask("16", &[]));
    assert!(two > 0.55 * one, "{two} h on 16 GPUs, {one} h on 8");
    assert!((alone - 1.0).abs() < 1e-9 && kept < 0.9, "{alone}, {kept}");
    let (said, half) = ask("16", &["--scaling-efficiency", "0.5"]);
    assert!((half - 0.5).abs() < 1e-3 && (said / one - 1.0).abs() < 0.1, "{said} h at {half}, {one} h on 8");
}

/// An image encoder without a declared image size is planned with one that is said, not with none.
#[test]
fn p028_an_unknown_image_size_is_planned_with_one_that_is_said() {
    let config = |size: &str| {
        format!(
            r#"{{"text_config": {{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
            "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32064,
            "max_position_embeddings": 8192}}, "vision_config": {{"hidden_size": 1024, "num_hidden_layers": 24,
            "intermediate_size": 4096, "patch_size": 14{size}}}}}"#
        )
    };
    let ask = |size: &str| {
        let program = Program::new().file("vlm/config.json", &config(size));
        program.run(&["fit", "--model", "vlm", "--task", "infer", "--gpu", "A100-80GB", "--json"])
    };
    let (said, silent) = (ask(r#", "image_size": 336"#), ask(""));
    assert!(silent.stderr.contains("does not say how large"), "{}", silent.stderr);
    assert!(!said.stderr.contains("does not say how large"), "{}", said.stderr);
    let tokens = |answer: &Value| number(&answer["workload"]["input_len"]);
    let (said, silent) = (said.json(), silent.json());
    assert!((tokens(&said) - 1024.0 - 576.0).abs() < 1e-9, "{}", tokens(&said));
    assert!(tokens(&silent) > tokens(&said), "{}", tokens(&silent));
    let weights = number(&said["results"][0]["memory"]["terms"]["weights_gib"]);
    assert!((13.0..14.0).contains(&weights), "7.06 billion parameters in 16 bit and the encoder: {weights}");
}
