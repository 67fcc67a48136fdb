//! Software is planned only where it exists: engines and frameworks by accelerator, formats by engine, layouts by framework.

use crate::program::{Program, run};

const SOURCES: [&str; 4] = ["unsloth.ai/docs", "zero.cuh", "README", "release notes"];

fn recommend(flags: &str) -> crate::program::Finished {
    let line = format!("recommend {flags} --no-config --json -n 3");
    run(&line.split_whitespace().collect::<Vec<_>>())
}

/// Nothing qualifies, and this is why.
fn is_rejected(flags: &str, reason: &str) {
    let answer = recommend(flags);
    assert_eq!(answer.code, 3, "{flags}: {}", answer.stderr);
    let rejected = &answer.json()["rejected"];
    let found = rejected.as_array().expect("a list").iter().find(|it| it["reason"] == reason);
    let nearest = found.map(|it| it["nearest"].to_string()).unwrap_or_default();
    assert!(nearest.contains("choose another"), "{flags}: {rejected}");
}

fn warns(flags: &str, id: &str) -> bool {
    let answer = recommend(flags);
    assert_eq!(answer.code, 0, "{flags}: {}", answer.stderr);
    let json = answer.json();
    json["warnings"].as_array().expect("a list").iter().any(|warning| warning["id"] == id)
}

#[test]
fn engines_run_where_their_documentation_says() {
    for (engine, stack) in [
        ("tensorrt-llm", "rocm"),
        ("trt-llm", "xla"),
        ("llama.cpp", "xla"),
        ("ollama", "neuron"),
        ("exllama", "neuron"),
        ("fastertransformer", "rocm"),
    ] {
        let flags = format!("--task infer --model llama-3-8b --engine {engine} --stack {stack}");
        is_rejected(&flags, "unsupported-by-engine");
    }
    for (engine, stack) in [("vllm", "rocm"), ("vllm", "xla"), ("llama.cpp", "rocm"), ("sglang", "cuda")] {
        let flags = format!("--task infer --model llama-3-8b --engine {engine} --stack {stack}");
        assert!(!warns(&flags, "software-unproven"), "{flags}");
    }
    assert!(warns("--task infer --model llama-3-8b --engine sglang --stack neuron", "software-unproven"));
}

#[test]
fn frameworks_and_methods_run_where_their_documentation_says() {
    let tune = "--task finetune --model llama-3-8b";
    is_rejected(&format!("{tune} --framework unsloth --stack xla"), "unsupported-by-framework");
    is_rejected(&format!("{tune} --framework nemo --stack rocm"), "unsupported-by-framework");
    is_rejected(
        "--task train --params 1e8 --tokens 1e8 --gpu Inferentia2 --stack neuron",
        "unsupported-by-framework",
    );
    is_rejected(&format!("{tune} --framework llm.c --stack xla"), "unsupported-by-framework");
    is_rejected(&format!("{tune} --method qlora --stack xla"), "method-unsupported");
    is_rejected(&format!("{tune} --framework auto-gptq --method full"), "method-unsupported");
    is_rejected(&format!("{tune} --framework llm.c --method qlora"), "method-unsupported");
    for (framework, stack) in [
        ("maxtext", "xla"),
        ("torchtitan", "neuron"),
        ("tuned", "cuda"),
        ("litgpt", "cuda"),
        ("deepspeed", "cuda"),
        ("axolotl", "rocm"),
    ] {
        assert!(
            !warns(&format!("{tune} --framework {framework} --stack {stack}"), "software-unproven"),
            "{framework}"
        );
    }
    assert!(warns(&format!("{tune} --framework nemo --stack neuron"), "software-unproven"));
    assert_eq!(recommend(&format!("{tune} --framework maxtext --method qlora --stack xla")).code, 0);
}

#[test]
fn engines_take_their_own_formats() {
    let serve = "--task infer --model llama-3-8b --gpu L4";
    for rest in
        ["llama.cpp --quantization awq", "tensorrt-llm --quantization q4_k_m", "exllama --quantization fp8"]
    {
        is_rejected(&format!("{serve} --engine {rest}"), "quantization-unsupported");
    }
    for rest in
        ["vllm --kv-precision q8_0", "tensorrt-llm --kv-precision q4_0", "llama.cpp --kv-precision int4"]
    {
        is_rejected(&format!("{serve} --engine {rest}"), "kv-precision-unsupported");
    }
    assert!(!warns(
        &format!("{serve} --engine llama.cpp --quantization q4_k_m --kv-precision q8_0"),
        "software-unproven"
    ));
    let serve = "--task infer --model llama-3-8b --engine";
    for rest in [
        "vllm --kv-precision int8 --gpu L4",
        "vllm --kv-precision int4 --stack rocm",
        "vllm --quantization awq --stack rocm",
        "vllm --quantization gptq --stack rocm",
        "sglang --quantization awq --stack rocm",
        "tgi --stack rocm",
        "tgi --quantization nf4 --gpu L4",
        "lmdeploy --quantization awq --kv-precision int4 --gpu L4",
    ] {
        assert!(!warns(&format!("{serve} {rest}"), "software-unproven"), "{rest}");
    }
    is_rejected(&format!("{serve} tgi --quantization awq --stack rocm"), "quantization-unsupported");
    is_rejected(&format!("{serve} vllm-v0 --kv-precision int8 --gpu L4"), "kv-precision-unsupported");
    is_rejected(&format!("{serve} sglang --quantization q4_k_m --stack rocm"), "quantization-unsupported");
    for rest in ["vllm --kv-precision int8 --stack neuron", "vllm --quantization awq --stack xla"] {
        assert!(warns(&format!("{serve} {rest}"), "software-unproven"), "{rest}");
    }
}

#[test]
fn layouts_keep_to_what_the_software_has() {
    let tune = "--task finetune --model llama-3-8b";
    for rest in ["unsloth --tp 2", "unsloth --pp 2", "llm.c --sharding zero3", "torchtune --pp 2"] {
        let answer = recommend(&format!("{tune} --framework {rest}"));
        assert_eq!(answer.code, 2, "{rest}");
        assert!(SOURCES.iter().any(|source| answer.stderr.contains(source)), "{}", answer.stderr);
    }
    for flags in ["--method lora --gpus 8", "--framework unsloth --gpus 8 --gpu A100-80GB"] {
        let json = recommend(&format!("{tune} {flags}")).json();
        for row in json["recommendations"].as_array().expect("a list") {
            assert_eq!(row["parallelism"]["tp"], 1, "{flags}");
            assert_eq!(row["parallelism"]["pp"], 1, "{flags}");
        }
        let told = json["assumptions"].as_array().expect("a list").iter().any(|it| it["id"] == "layouts");
        assert!(told, "{flags}");
    }
    let pinned = recommend(&format!("{tune} --method lora --gpus 8 --tp 2")).json();
    assert_eq!(pinned["recommendations"][0]["parallelism"]["tp"], 2);
}

#[test]
fn what_a_gpu_cannot_do_is_judged_before_its_price() {
    for flags in [
        "--task train --params 1e9 --precision fp8 --gpu A100",
        "--task train --params 1e9 --precision fp4 --gpu H100",
        "--task infer --model llama-3-8b --precision fp8 --gpu A100",
    ] {
        let answer = recommend(flags);
        assert_eq!(answer.code, 3, "{flags}: {}", answer.stderr);
        assert!(answer.stderr.contains("precision-unsupported"), "{}", answer.stderr);
        assert!(!answer.stderr.contains("price-unknown"), "{}", answer.stderr);
    }
}

#[test]
fn an_overlay_knows_better() {
    let overlay = "schema = 1\n[sources.own]\ntext = \"our own build\"\nas-of = 2026-11-30\n\
                   [[constant]]\nkey = \"serve-runs\"\ngpu = \"Google\"\nclass = \"llama.cpp\"\nvalue = 1\nsource = \"own\"\n";
    let program = Program::new().file("own.toml", overlay);
    let line = "recommend --task infer --model llama-3-8b --engine llama.cpp --stack xla --no-config --catalog own.toml";
    let answer = program.run(&line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
}

#[test]
fn an_overlay_names_software_of_its_own() {
    let row = |more: &str| {
        format!("schema = 1\nsoftware = [{{ use = \"serve\", name = \"house-server\", {more} }}]\n")
    };
    let line =
        "fit --task infer --model llama-3-8b --gpu L4 --engine House_Server --no-config --catalog own.toml";
    let run = |overlay: &str| {
        let words = line.split_whitespace().collect::<Vec<_>>();
        Program::new().file("own.toml", overlay).run(&words)
    };
    let known = run(&row("class = \"vllm\", aliases = [\"hs\"]"));
    assert_eq!(known.code, 0, "{}", known.stderr);
    assert!(known.stdout.contains("the constants of this class are used"), "{}", known.stdout);
    for (more, says) in [
        ("class = \"vlm\"", "did you mean `vllm`"),
        ("class = \"vllm\", aliases = [\"ollama\"]", "are both called `ollama`"),
        ("class = \"vllm\", before = \"vllm-v0\"", "come together"),
        ("class = \"vllm\", before = \"vllm-v0\", since = \"soon\"", "not a version"),
    ] {
        let refused = run(&row(more));
        assert_eq!(refused.code, 5, "{more}: {}", refused.stderr);
        let told = refused.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(says), "{more}: {told}");
    }
    let unknown = run("schema = 1\nsoftware = [{ use = \"serving\", name = \"x\" }]\n");
    assert!(unknown.stdout.contains("serve-samples"), "{}", unknown.stdout);
}

#[test]
fn networks_on_samples_are_judged_as_well() {
    let serve = "--task infer --model resnet-50 --rps 100";
    is_rejected(&format!("{serve} --engine tensorrt --stack rocm"), "unsupported-by-engine");
    is_rejected("--task train --model resnet-50 --framework dali --stack rocm", "unsupported-by-framework");
    assert!(!warns(&format!("{serve} --engine trt --gpu L4"), "software-unproven"));
    assert!(!warns(serve, "software-unproven"));
    assert!(warns(&format!("{serve} --engine torch.compile --stack rocm"), "software-unproven"));
}

#[test]
fn chips_of_one_slice_hear_nothing_of_several_machines() {
    for flags in [
        "--task train --params 7B --tokens 1T --stack xla",
        "--task infer --model llama-3-70b --stack xla --concurrency 32",
    ] {
        let json = recommend(flags).json();
        let advice = json["recommendations"].to_string();
        for id in ["one-machine-first", "use-ddp", "tensor-across-nodes", "one-zone"] {
            assert!(!advice.contains(id), "{flags}: {id}");
        }
    }
}
