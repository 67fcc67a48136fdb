//! `export`: launch files are what the row says, parse as their language, and no name in a row can be more than a name.

use crate::program::{Finished, Program, run};
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::export::quote::{Syntax, is_safe, slug};
use gpuadvise::export::rows::{self, software};
use gpuadvise::export::template::{Scope, Value as Named, render};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use yaml_rust2::{Yaml, YamlLoader};

const TARGETS: [&str; 5] = ["skypilot", "dstack", "kubernetes", "slurm", "terraform"];
const CASES: [&str; 4] = ["serving", "training", "spot", "spanning"];

fn fixture(name: &str) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/export").join(format!("{name}.json"));
    fs::read_to_string(path).expect("a fixture")
}

fn made(document: &str, more: &[&str]) -> Finished {
    Program::new().file("result.json", document).run(&[&["export", "--from", "result.json"], more].concat())
}

fn file(case: &str, target: &str) -> String {
    let finished = made(&fixture(case), &["--to", target]);
    assert_eq!(finished.code, 0, "{case} {target}: {}", finished.stderr);
    finished.stdout
}

fn yaml(text: &str) -> Yaml {
    yaml_all(text).pop().expect("a document")
}

fn yaml_all(text: &str) -> Vec<Yaml> {
    YamlLoader::load_from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

/// Whether a shell takes the script; true where there is no such shell.
fn is_script(script: &str) -> bool {
    let shell = Command::new("bash").arg("-n").stdin(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut shell) = shell else { return true };
    shell.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("written");
    shell.wait().expect("an end").success()
}

#[test]
fn files_are_as_recorded() {
    let mut wrong = Vec::new();
    for case in CASES {
        for target in TARGETS {
            let path =
                Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/export/{case}.{target}"));
            let now = file(case, target);
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                fs::write(&path, &now).expect("a golden file");
            }
            if fs::read_to_string(&path).unwrap_or_default() != now {
                wrong.push(format!("=== {}\n{now}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nUPDATE_GOLDEN=1 rewrites them", wrong.join("\n"));
}

#[test]
fn skypilot_starts_the_row() {
    let task = yaml(&file("spot", "skypilot"));
    let resources = &task["resources"];
    assert_eq!(resources["infra"].as_str(), Some("aws/us-east-2"));
    assert_eq!(resources["instance_type"].as_str(), Some("p5.48xlarge"));
    assert_eq!(resources["use_spot"].as_bool(), Some(true));
    assert_eq!(resources["max_hourly_cost"].as_f64(), Some(11.57));
    assert_eq!(resources["job_recovery"]["strategy"].as_str(), Some("FAILOVER"));
    assert_eq!(task["num_nodes"].as_i64(), Some(2));
    assert!(task["envs"]["TRAIN_SCRIPT"].is_null());
    assert!(is_script(task["run"].as_str().expect("a script")));
    // GCP attaches accelerators by name.
    let resources = &yaml(&file("training", "skypilot"))["resources"];
    assert_eq!(resources["accelerators"].as_str(), Some("H100:8"));
    assert_eq!(resources["use_spot"].as_bool(), Some(false));
    // Two copies of two nodes each; a commitment has no price to start machines at.
    let spanning = yaml(&file("spanning", "skypilot"));
    assert_eq!(
        (spanning["num_nodes"].as_i64(), spanning["service"]["replicas"].as_i64()),
        (Some(2), Some(2))
    );
    assert!(spanning["resources"]["max_hourly_cost"].is_badvalue());
}

#[test]
fn dstack_starts_the_row() {
    let run = yaml(&file("serving", "dstack"));
    assert_eq!((run["type"].as_str(), run["port"].as_i64()), (Some("service"), Some(8000)));
    assert_eq!(run["image"].as_str(), Some("vllm/vllm-openai"));
    let run = yaml(&file("spot", "dstack"));
    assert_eq!((run["type"].as_str(), run["nodes"].as_i64()), (Some("task"), Some(2)));
    assert_eq!(run["backends"][0].as_str(), Some("aws"));
    assert_eq!(run["regions"][0].as_str(), Some("us-east-2"));
    assert_eq!(run["instance_types"][0].as_str(), Some("p5.48xlarge"));
    assert_eq!((run["spot_policy"].as_str(), run["max_price"].as_f64()), (Some("spot"), Some(11.57)));
    assert_eq!(run["retry"]["on_events"][1].as_str(), Some("interruption"));
    assert_eq!(run["resources"]["gpu"]["count"].as_i64(), Some(8));
    assert!(is_script(run["commands"][0].as_str().expect("a script")));
    let fleet = made(&fixture("spot"), &["--to", "dstack", "--file", "fleet.dstack.yml"]);
    let fleet = yaml(&fleet.stdout);
    assert_eq!((fleet["type"].as_str(), fleet["placement"].as_str()), (Some("fleet"), Some("cluster")));
}

#[test]
fn kubernetes_starts_the_row() {
    let all = yaml_all(&file("spot", "kubernetes"));
    let [service, job] = all.as_slice() else { panic!("a service and a job") };
    assert_eq!(service["spec"]["clusterIP"].as_str(), Some("None"));
    assert_eq!((job["kind"].as_str(), job["spec"]["completions"].as_i64()), (Some("Job"), Some(2)));
    let pod = &job["spec"]["template"]["spec"];
    assert_eq!(pod["subdomain"], service["metadata"]["name"]);
    assert_eq!(pod["nodeSelector"]["node.kubernetes.io/instance-type"].as_str(), Some("p5.48xlarge"));
    assert_eq!(pod["nodeSelector"]["eks.amazonaws.com/capacityType"].as_str(), Some("SPOT"));
    let main = &pod["containers"][0];
    assert_eq!(main["resources"]["limits"]["nvidia.com/gpu"].as_i64(), Some(8));
    assert_eq!(main["image"].as_str(), Some(""), "an image that nobody knows is not made up");
    assert!(is_script(main["args"][0].as_str().expect("a script")));
    let all = yaml_all(&file("spanning", "kubernetes"));
    assert_eq!(
        (all[1]["kind"].as_str(), all[1]["spec"]["replicas"].as_i64()),
        (Some("StatefulSet"), Some(4))
    );
}

#[test]
fn slurm_starts_the_row() {
    let script = file("spot", "slurm");
    for line in
        ["#SBATCH --nodes=2", "#SBATCH --gpus-per-node=8", "#SBATCH --time=148-06:47:00", "#SBATCH --requeue"]
    {
        assert!(script.lines().any(|own| own == line), "{line} in\n{script}");
    }
    for case in CASES {
        assert!(is_script(&file(case, "slurm")), "{case}");
    }
    assert!(!file("training", "slurm").contains("--requeue"));
}

/// Lines outside of strings and here-documents, brackets counted.
fn hcl_depth(text: &str) -> i32 {
    let (mut depth, mut inside) = (0, false);
    for line in text.lines() {
        if inside {
            inside = line.trim() != "EOT";
            continue;
        }
        inside = line.ends_with("<<-EOT");
        let (mut quoted, mut escaped) = (false, false);
        for c in line.chars() {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                '#' if !quoted => break,
                '{' | '[' | '(' if !quoted => depth += 1,
                '}' | ']' | ')' if !quoted => depth -= 1,
                _ => {}
            }
        }
        assert!(!quoted && depth >= 0, "{line}");
    }
    depth
}

#[test]
fn terraform_starts_the_row() {
    for case in CASES {
        let main = file(case, "terraform");
        assert_eq!(hcl_depth(&main), 0, "{main}");
        assert!(
            !main.lines().any(|line| line.trim().starts_with("default")),
            "a variable has a default:\n{main}"
        );
    }
    let main = file("spot", "terraform");
    for part in [
        "instance_type = \"p5.48xlarge\"",
        "market_type = \"spot\"",
        "count         = 2",
        "aws_placement_group",
    ] {
        assert!(main.contains(part), "{part} in\n{main}");
    }
    let main = file("training", "terraform");
    assert!(
        main.contains("on_host_maintenance = \"TERMINATE\"") && !main.contains("guest_accelerator"),
        "{main}"
    );
    let mut answer: Value = serde_json::from_str(&fixture("training")).expect("JSON");
    answer["recommendations"][0]["instance_type"] = json!("n1-standard-16+v100x2");
    answer["recommendations"][0]["gpu"] = json!("V100-16GB-SXM");
    answer["recommendations"][0]["gpus_per_node"] = json!(2);
    let main = made(&answer.to_string(), &["--to", "terraform"]).stdout;
    assert!(
        main.contains("machine_type = \"n1-standard-16\"") && main.contains("type  = \"nvidia-tesla-v100\""),
        "{main}"
    );
}

#[test]
fn a_script_stops_and_says_what_it_lacks() {
    let script = yaml(&file("training", "skypilot"))["run"].as_str().expect("a script").to_owned();
    let Ok(finished) = Command::new("bash").args(["-c", &script]).env_remove("TRAIN_SCRIPT").output() else {
        return;
    };
    assert!(!finished.status.success());
    let said = String::from_utf8_lossy(&finished.stderr).into_owned();
    assert!(said.contains("TRAIN_SCRIPT"), "{said}");
}

/// A name of a row stays a name: it comes back as it is, or is refused with its field.
#[test]
fn hostile_names_do_nothing() {
    let quoted = [
        "eu: x",
        "'; touch pwned; '",
        "a\" b",
        "%{ for x in y }",
        "- !!python/object",
        "# x",
        "{{name}}",
        "\\",
    ];
    for name in quoted {
        let mut answer: Value = serde_json::from_str(&fixture("spot")).expect("JSON");
        answer["recommendations"][0]["region"] = json!(name);
        answer["recommendations"][0]["instance_type"] = json!(name);
        answer["recommendations"][0]["parallelism"]["sharding"] = json!(name);
        let text = answer.to_string();
        let task = yaml(&made(&text, &["--to", "skypilot"]).stdout);
        assert_eq!(task["resources"]["instance_type"].as_str(), Some(name.split('+').next().unwrap_or(name)));
        assert_eq!(task["resources"]["infra"].as_str(), Some(format!("aws/{name}").as_str()));
        assert!(is_script(task["run"].as_str().expect("a script")), "{name}");
        let pod = &yaml(&made(&text, &["--to", "kubernetes"]).stdout)["spec"]["template"]["spec"];
        assert_eq!(pod["nodeSelector"]["topology.kubernetes.io/region"].as_str(), Some(name));
        assert_eq!(yaml(&made(&text, &["--to", "dstack"]).stdout)["regions"][0].as_str(), Some(name));
        assert!(is_script(&made(&text, &["--to", "slurm"]).stdout), "{name}");
        let main = made(&text, &["--to", "terraform"]).stdout;
        assert_eq!(hcl_depth(&main), 0, "{main}");
        let code = main.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
        assert!(!code.replace("%%{", "").contains("%{"), "{main}");
    }
    for name in ["a\nrm -rf /", "$(id)", "`id`", "${var.x}", "a\u{2028}b", "a\u{202e}b", "a\u{7}"] {
        for field in ["region", "instance_type", "gpu", "provider"] {
            let mut answer: Value = serde_json::from_str(&fixture("spot")).expect("JSON");
            answer["recommendations"][0][field] = json!(name);
            let finished = made(&answer.to_string(), &["--to", "slurm"]);
            assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{name:?}");
            assert!(finished.stderr.contains(field), "{}", finished.stderr);
        }
    }
    // Sentences stand in comments on one line each.
    let mut answer: Value = serde_json::from_str(&fixture("spot")).expect("JSON");
    answer["recommendations"][0]["costs"][0]["price_source"] = json!("list\n- evil: true\r\nrm -rf /");
    answer["warnings"] = json!([{ "id": "x", "message": "a\u{2029}b\nrun: x" }]);
    for target in TARGETS {
        let finished = made(&answer.to_string(), &["--to", target]);
        assert!(
            !finished.stdout.lines().any(|line| line.starts_with("- evil") || line.starts_with("rm")),
            "{target}"
        );
        assert!(!finished.stdout.lines().any(|line| line == "run: x"), "{target}");
    }
}

proptest! {
    #[test]
    fn literals_come_back(text in "[^\\p{C}$`\u{2028}\u{2029}]{0,24}") {
        prop_assume!(is_safe(&text));
        let back = yaml(&format!("x: {}\n", Syntax::Yaml.literal(&text)));
        prop_assert_eq!(back["x"].as_str(), Some(text.as_str()));
        let hcl = Syntax::Hcl.literal(&text);
        let json: String = serde_json::from_str(&hcl.replace("%%{", "%{")).expect("a string");
        prop_assert_eq!(json, text.replace("%%{", "%{"));
        let shell = Syntax::Shell.literal(&text);
        let plain = shell == text;
        let undone = shell.replace("'\\''", "\u{1}").replace('\'', "").replace('\u{1}', "'");
        prop_assert!(plain || undone == text, "{}", shell);
    }

    #[test]
    fn slugs_are_names_everywhere(text in ".{0,80}") {
        let name = slug(&text);
        prop_assert!(name.len() <= 40 && name.starts_with("gpuadvise") && !name.ends_with('-'));
        prop_assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
    }
}

#[test]
fn templates_keep_and_drop_lines() {
    let mut scope = Scope::new();
    scope.insert("a".into(), Named::Flag(true));
    scope.insert("n".into(), Named::Number("3".into()));
    scope.insert("l".into(), Named::Lines(vec!["x ${y}".into()]));
    let text = "%if a\n%if b\nno\n%else\nyes {{n}}\n%end\n%end\n%if !a\nno\n%end\n  %lines l\n%comment l\n";
    assert_eq!(render(text, Syntax::Hcl, &scope), Ok("yes 3\n  x $${y}\n# x ${y}\n".into()));
    for bad in ["{{z}}", "%if a", "%end", "%else", "{{n", "%lines n", "%what"] {
        assert!(render(bad, Syntax::Yaml, &scope).is_err(), "{bad}");
    }
}

#[test]
fn rows_name_what_the_catalog_has() {
    let catalog = embedded(Sections::ALL).expect("the catalog");
    let is_gpu = |name: &String| catalog.gpus.iter().any(|gpu| gpu.name == *name);
    for name in TARGETS {
        let target = rows::target(name).expect("a target");
        assert_eq!(target.schema, 1);
        assert!(target.sources.contains_key(&target.source), "{name}");
        assert!(
            target.vendors.keys().all(|vendor| catalog.gpus.iter().any(|gpu| gpu.vendor == *vendor)),
            "{name}"
        );
        assert!(target.accelerators.keys().all(is_gpu), "{name}: {:?}", target.accelerators.keys());
        for provider in &target.providers {
            assert!(
                catalog.providers.iter().any(|own| own.name == provider.name),
                "{name}: {}",
                provider.name
            );
            assert!(target.sources.contains_key(&provider.source), "{name}: {}", provider.name);
            assert!(provider.accelerators.keys().all(is_gpu), "{name}: {}", provider.name);
            let sold = |region: &String| catalog.regions.iter().any(|own| own.name == *region);
            assert!(provider.no_region.iter().all(sold), "{name}: {}", provider.name);
        }
    }
    let software = software().expect("rows");
    assert_eq!(software.schema, 1);
    assert!(software.program.iter().all(|program| software.sources.contains_key(&program.source)));
}

#[test]
fn what_cannot_be_launched_is_bad_input_that_says_why() {
    let with = |field: &str, value: Value| {
        let mut answer: Value = serde_json::from_str(&fixture("serving")).expect("JSON");
        answer["recommendations"][0][field] = value;
        answer.to_string()
    };
    let serving = fixture("serving");
    for (document, line, said) in [
        (with("provider", json!("autodl")), "--to skypilot", "it has: aws, gcp"),
        (with("provider", json!("autodl")), "--to terraform", "HashiCorp"),
        (with("gpu", json!("TPU-v5e")), "--to kubernetes", "Google"),
        (with("gpu", json!("H10")), "--to slurm", "H100"),
        (with("nodes", json!(0)), "--to slurm", "no nodes"),
        (with("nodes", json!("two")), "--to slurm", "recommendations[0]"),
        (with("costs", json!([])), "--to skypilot", "no cost under"),
        (with("ranked_billing", json!("foo")), "--to slurm", "`foo`"),
        (with("duration_hours", json!({"low": 1, "expected": 1, "high": -5})), "--to slurm", "high"),
        (serving.replace("\"usd_per_hour\": ", "\"usd_per_hour\": -"), "--to skypilot", "usd_per_hour"),
        (serving.replace("\"verdict\": \"fits\"", "\"verdict\": \"no\""), "--to slurm", "verdict"),
        (serving.clone(), "--to slurm --rank 9", "2 rows"),
        (serving.clone(), "--to slurm --rank 0", "--rank"),
        (serving.clone(), "--to slurm --name chat", "--rank"),
        (serving.clone(), "--to slurm --params 7B", "--params"),
        (serving.clone(), "--to slurm --provider aws", "--provider"),
        (serving.clone(), "--to skypilott", "skypilot"),
        (serving.clone(), "--to dstack --file fleet", "fleet.dstack.yml"),
        ("{".to_owned(), "--to slurm", "result.json:1:"),
        ("{}".to_owned(), "--to slurm", "recommend"),
        (serving.replace("\"schema_version\": 1", "\"schema_version\": 2"), "--to slurm", "schema_version"),
        (fixture("check"), "--to slurm", "`chat`, `pretrain`"),
        (fixture("check"), "--to slurm --name chet", "chat"),
        (fixture("check"), "--to slurm --rank 1", "--name"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let finished = made(&document, &words);
        assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{line}: {}", finished.stderr);
        assert!(finished.stderr.contains(said), "{line} says\n{}", finished.stderr);
    }
}

#[test]
fn answers_of_check_and_stdin_are_read() {
    let chat = made(&fixture("check"), &["--to", "skypilot", "--name", "pretrain"]);
    assert_eq!(chat.code, 0, "{}", chat.stderr);
    assert!(chat.stdout.contains("workload pretrain of `check`"), "{}", chat.stdout);
    let none = made(&fixture("check"), &["--to", "skypilot", "--name", "none", "--json"]);
    assert_eq!((none.code, &none.json()["row"]), (3, &Value::Null));
    let second = made(&fixture("serving"), &["--to", "skypilot", "--rank", "2", "--json"]);
    let answer = second.json();
    assert_eq!((&answer["command"], &answer["target"]), (&json!("export"), &json!("skypilot")));
    assert_eq!(answer["row"]["instance_type"], "g6e.xlarge");
    assert_eq!(answer["files"][0]["name"], "sky.yaml");
    assert!(answer["notes"].as_array().is_some_and(|notes| !notes.is_empty()));
}

/// The row of a search is that of `recommend` with the same flags.
#[test]
fn a_search_launches_what_recommend_recommends() {
    let flags = ["--model", "llama-3-8b", "--task", "infer", "--provider", "aws,gcp"];
    let recommended = run(&[&["recommend", "--json"], flags.as_slice()].concat()).json();
    for rank in ["1", "3"] {
        let more = ["export", "--to", "slurm", "--json", "--rank", rank];
        let answer = run(&[&more, flags.as_slice()].concat()).json();
        let at = rank.parse::<usize>().expect("a rank") - 1;
        assert_eq!(answer["row"], recommended["recommendations"][at]);
    }
    let narrowed =
        run(&["export", "--to", "kubernetes", "--params", "1e9", "--task", "train", "--json"]).json();
    let told = narrowed["assumptions"].as_array().expect("a list");
    assert!(told.iter().any(|assumption| assumption["id"] == "export-machines"));
    let nothing = run(&["export", "--to", "slurm", "--params", "1T", "--task", "train", "--max-gpus", "1"]);
    assert_eq!(nothing.code, 3, "{}", nothing.stderr);
}

#[test]
fn what_runs_it_is_the_software_that_was_named_and_not_its_class() {
    let slurm = |more: &[&str]| {
        let row = ["--params=7B", "--gpu=H100", "--gpus=8", "--provider=aws", "--to=slurm"];
        let finished = run(&[&["export"], &row[..], more].concat());
        assert_eq!(finished.code, 0, "{more:?}: {}", finished.stderr);
        finished.stdout
    };
    // All of class `tuned`, but only Megatron has these flags.
    let tensor = "--tensor-model-parallel-size";
    assert!(slurm(&["--task=train", "--framework=Megatron-LM"]).contains(tensor));
    assert!(!slurm(&["--task=train", "--framework=nemo"]).contains(tensor));
    // As fast as vLLM by its class, started by another command line.
    assert!(slurm(&["--task=infer", "--concurrency=64"]).contains("exec vllm serve"));
    let tgi = slurm(&["--task=infer", "--concurrency=64", "--engine=tgi"]);
    assert!(!tgi.contains("vllm serve") && tgi.contains("SERVE_COMMAND"), "{tgi}");
}

#[test]
fn a_row_that_takes_more_than_the_default_share_of_the_memory_says_so() {
    let with = |share: f64| {
        let mut answer: Value = serde_json::from_str(&fixture("serving")).expect("JSON");
        let memory = &mut answer["recommendations"][0]["memory"];
        memory["high_gib"] = json!(memory["usable_gib"].as_f64().expect("a number") * share);
        let finished = made(&answer.to_string(), &["--to", "slurm"]);
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        finished.stdout
    };
    let flag = "--gpu-memory-utilization ";
    for enough in [0.5, 0.9] {
        assert!(!with(enough).contains(flag), "{enough}");
    }
    for (share, told) in [(0.905, "0.92"), (0.935, "0.94"), (0.95, "0.95"), (1.2, "0.95")] {
        let made = with(share);
        assert!(made.contains(&format!("{flag}{told} ")), "{share}: {made}");
        assert!(is_script(&made), "{made}");
    }
}

#[test]
fn tensor_parallel_training_splits_norms_as_the_memory_of_the_row_counts_on() {
    for tp in [1, 2] {
        let mut answer: Value = serde_json::from_str(&fixture("training")).expect("JSON");
        answer["workload"]["framework"] = json!("megatron");
        answer["recommendations"][0]["parallelism"]["tp"] = json!(tp);
        let finished = made(&answer.to_string(), &["--to", "slurm"]);
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        assert!(
            finished.stdout.contains(&format!("--tensor-model-parallel-size {tp} ")),
            "{}",
            finished.stdout
        );
        assert_eq!(finished.stdout.contains("--sequence-parallel"), tp > 1, "{}", finished.stdout);
    }
}

#[test]
fn flags_hold_what_the_row_was_planned_with() {
    let slurm = |line: &str| {
        let finished = run(&[vec!["export", "--to=slurm"], line.split(' ').collect::<Vec<_>>()].concat());
        assert_eq!(finished.code, 0, "{line}: {}", finished.stderr);
        finished.stdout
    };
    // A cache of 64 times the longest context would be 64 GiB; planned are 64 prompts with their answers.
    let llama = slurm(
        "--model=llama-3-8b --task=infer --engine=llama.cpp --quantization=q4_k_m --concurrency=64 --gpu=L4",
    );
    assert!(llama.contains("CTX_SIZE=$((MAX_NUM_SEQS * 1280))"), "{llama}");
    // AWQ kernels refuse BF16, and the checkpoint tells its format.
    let awq = slurm("--model=llama-3-8b --task=infer --quantization=awq --gpu=H100");
    assert!(!awq.contains("--dtype") && !awq.contains("--quantization awq"), "{awq}");
    let megatron = slurm(
        "--model=llama-3-8b --task=train --tokens=1e9 --framework=megatron --gpu=H100:8 --tp=4 --precision=fp8",
    );
    assert!(megatron.contains("--sequence-parallel") && megatron.contains("--fp8-format"), "{megatron}");
    let sharded = slurm(
        "--model=llama-3-8b --task=train --tokens=1e9 --framework=megatron --gpu=H100:8 --sharding=zero3",
    );
    assert!(sharded.contains("SHARDING_ARGS:?"), "{sharded}");
}
