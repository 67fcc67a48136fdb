//! `network` on outputs in every shape, as recorded; what it means for plans, and when it fails.
//!
//! The files of `tests/data/nccl` are synthetic: invented figures in the shapes that the tools and their launchers write.

use crate::program::{Finished, Program, run};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn data(name: &str) -> String {
    format!("{}/tests/data/nccl/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(data("")).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// The program beside the file, so that its name stands in the answer without a folder.
fn session(path: &Path, more: &[&str]) -> Finished {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let program = Program::new();
    fs::copy(path, program.folder().join(&name)).expect("a copy");
    program.run(&[&["network", &name], more].concat())
}

fn first(finished: &Finished) -> Value {
    finished.json()["results"][0].clone()
}

#[test]
fn pages_are_as_recorded() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for path in files() {
        let finished = session(&path, &[]);
        let text = format!("exit {}\n{}--- stderr\n{}", finished.code, finished.stdout, finished.stderr);
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/network").join(name);
        if update {
            fs::write(&golden, text).expect("a page");
        } else if fs::read_to_string(&golden).ok().as_ref() != Some(&text) {
            wrong.push(format!("=== {}\n{text}", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\nUPDATE_GOLDEN=1 rewrites them", wrong.join("\n"));
}

#[test]
fn verdicts_of_all_shapes() {
    for (file, verdict, status) in [
        ("cut-rtx5090.txt", "pcie-only", "pass"),
        ("dirty-a100.txt", "healthy", "pass"),
        ("failed.txt", "failed", "fail"),
        ("gb200-rack.txt", "healthy", "pass"),
        ("h100-pcie.txt", "pcie-only", "fail"),
        ("h100-ring.txt", "degraded", "warn"),
        ("hash-row-socket.txt", "pcie-only", "fail"),
        ("inconsistent.txt", "inconsistent", "unknown"),
        ("nccom.txt", "unknown-platform", "unknown"),
        ("no-hash-allgather-a3mega.txt", "healthy", "pass"),
        ("no-plugin-gh200.txt", "socket-fallback", "fail"),
        ("old-alltoall-a100.txt", "healthy", "pass"),
        ("old-v100-2-nodes.txt", "healthy", "pass"),
        ("one-gpu.txt", "single-gpu", "unknown"),
        ("rccl-mi300x.txt", "healthy", "pass"),
        ("several-h100.txt", "healthy", "pass"),
        ("small-sizes-h100.txt", "sizes-too-small", "unknown"),
        ("srun-a100.txt", "depends-on-platform", "unknown"),
        ("tagged-h100-2-nodes.txt", "healthy", "pass"),
        ("template.txt", "template-not-filled", "fail"),
        ("wrong-results.txt", "wrong-results", "fail"),
        ("hung-h100.txt", "failed", "fail"),
        ("json-cut-a100.json", "healthy", "pass"),
        ("json-h100.json", "healthy", "pass"),
        ("nccom-failed.txt", "failed", "fail"),
        ("nccom-two-machines.txt", "unknown-platform", "unknown"),
        ("operations-h200.txt", "healthy", "pass"),
        ("per-iteration-h100.txt", "healthy", "pass"),
        ("sendrecv-half-a100.txt", "healthy", "pass"),
    ] {
        let line = first(&run(&["network", &data(file), "--json"]));
        assert_eq!(
            (line["verdict"].as_str(), line["status"].as_str()),
            (Some(verdict), Some(status)),
            "{file}"
        );
    }
}

/// Every verdict and every cause of an answer can be asked about, and every answer is as its schema says.
#[test]
fn answers_are_explained_and_as_the_schema_says() {
    let schema = run(&["schema", "network"]).json();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let mut ids = std::collections::BTreeSet::new();
    for path in files() {
        let document = run(&["network", &path.to_string_lossy(), "--json"]).json();
        if let Err(error) = validator.validate(&document) {
            panic!("{}: {error} at {}", path.display(), error.instance_path());
        }
        let id = |value: &Value| value.as_str().expect("an id").to_owned();
        ids.extend(document["assumptions"].as_array().into_iter().flatten().map(|it| id(&it["id"])));
        for line in document["results"].as_array().expect("results") {
            ids.insert(id(&line["verdict"]));
            ids.extend(line["causes"].as_array().expect("causes").iter().map(|it| id(&it["id"])));
        }
    }
    assert!(ids.len() > 20, "{ids:?}");
    for id in ids {
        assert_eq!(run(&["explain", &id]).code, 0, "`{id}` is not explained");
    }
}

#[test]
fn the_platform_decides_where_it_is_said() {
    let on =
        |platform: &str| first(&run(&["network", &data("srun-a100.txt"), "--platform", platform, "--json"]));
    assert_eq!(on("aws/p4de.24xlarge")["verdict"], "healthy");
    let other = on("gcp/a3-megagpu-8g");
    assert_ne!(other["verdict"], "healthy");
    assert_eq!(other["platform"], "gcp/a3-megagpu-8g");
}

#[test]
fn fail_below_ends_with_4_and_a_whole_document() {
    let below = |file: &str, limit: &str| run(&["network", &data(file), "--fail-below", limit, "--json"]);
    assert_eq!(below("dirty-a100.txt", "90").code, 0);
    for (file, limit) in
        [("dirty-a100.txt", "99"), ("h100-ring.txt", "85"), ("wrong-results.txt", "1"), ("failed.txt", "1")]
    {
        let finished = below(file, limit);
        assert_eq!(finished.code, 4, "{file}");
        assert_eq!(finished.json()["results"].as_array().map(Vec::len), Some(1), "{file}");
        assert!(finished.stderr.contains("error: "), "{file}");
    }
}

/// What is not known is no pass, however large the share of what some platform reaches.
#[test]
fn fail_below_does_not_pass_what_is_not_known() {
    for file in ["srun-a100.txt", "small-sizes-h100.txt", "inconsistent.txt", "one-gpu.txt", "nccom.txt"] {
        let finished = run(&["network", &data(file), "--fail-below", "1", "--json"]);
        assert_eq!(first(&finished)["status"], "unknown", "{file}");
        assert_eq!(finished.code, 4, "{file}");
        assert!(finished.stderr.contains("it is not known how far"), "{file}: {}", finished.stderr);
    }
    let said = ["network", &data("srun-a100.txt"), "--platform", "aws/p4de.24xlarge", "--fail-below", "80"];
    assert_eq!(run(&said).code, 0);
}

/// Flags that contradict the ranks of the file are told, with both sides named.
#[test]
fn a_platform_of_other_gpus_is_inconsistent() {
    let line = first(&run(&["network", &data("dirty-a100.txt"), "--platform", "aws/p5.48xlarge", "--json"]));
    assert_eq!((line["verdict"].as_str(), line["status"].as_str()), (Some("inconsistent"), Some("unknown")));
    assert_eq!(line["causes"][0]["id"], "said-otherwise");
    let message = line["causes"][0]["message"].as_str().expect("a message");
    assert!(message.contains("A100") && message.contains("p5.48xlarge"), "{message}");
}

#[test]
fn several_files_and_stdin_are_one_answer() {
    let finished = run(&["network", &data("several-h100.txt"), &data("template.txt"), "--json"]);
    let document = finished.json();
    let tables: Vec<(Option<&str>, u64)> = document["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|line| (line["collective"].as_str(), line["table"].as_u64().expect("a place")))
        .collect();
    let three = [(Some("all_reduce"), 1), (Some("all_gather"), 2), (Some("alltoall"), 3)];
    assert_eq!(tables, [three.as_slice(), &[(None, 1)]].concat());
    let csv = run(&["network", &data("several-h100.txt"), "--format", "csv"]);
    assert_eq!(csv.stdout.lines().count(), 4, "{}", csv.stdout);
}

/// A slow network costs a workload that crosses it, and nothing one that does not.
#[test]
fn the_workload_feels_the_measured_network() {
    let plans = |file: &str, more: &[&str]| {
        let file = data(file);
        let all = [&["network", &file, "--params", "7B", "--task", "train", "--json"], more].concat();
        run(&all).json()["impact"].clone()
    };
    let platform = ["--platform", "aws/p5.48xlarge"];
    let healthy = plans("tagged-h100-2-nodes.txt", &platform);
    let share = |plans: &Value, at: usize| plans[at]["communication_share"].as_f64().expect("a share");
    assert_eq!((&healthy[0]["links"], &healthy[1]["links"]), (&"measured".into(), &"catalog".into()));
    assert!(share(&healthy, 0) <= share(&healthy, 1) + 0.02);
    let slow = plans("no-plugin-gh200.txt", &["--global-batch", "64"]);
    assert!(slow[0]["scaling_efficiency"].as_f64().expect("measured") < 0.8, "{slow}");
    assert_eq!(slow[1]["communication_share"], Value::Null, "nothing is known of that network: {slow}");
    assert!(slow[1]["reason"].as_str().is_some_and(|why| why.contains("network")), "{slow}");
}

/// 13B on two nodes with the network of a file: expected hours, and the whole answer.
fn planned(program: &Program, file: &str) -> (f64, Value) {
    planned_with(program, file, "")
}

fn planned_with(program: &Program, file: &str, pins: &str) -> (f64, Value) {
    let line = format!(
        "gpuadvise recommend --params 13B --task train --gpus 16 --instance aws/p5.48xlarge --global-batch 64 --nccl {file} \
         {pins} --json"
    );
    let document = program.run_line(&line).json();
    let hours = document["recommendations"][0]["duration_hours"]["expected"].as_f64();
    (hours.expect("hours"), document)
}

fn with_id(document: &Value, list: &str, id: &str) -> Option<Value> {
    document[list].as_array().expect("a list").iter().find(|it| it["id"] == id).cloned()
}

/// The same table with every size so many times slower.
fn slowed(text: &str, times: f64) -> String {
    let slow = |line: &str| {
        let line = line.trim_start_matches("[1,0]<stdout>:");
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if words.get(2).is_some_and(|word| word == "float") {
            for (at, factor) in [
                (5, times),
                (6, 1.0 / times),
                (7, 1.0 / times),
                (9, times),
                (10, 1.0 / times),
                (11, 1.0 / times),
            ] {
                words[at] = format!("{:.2}", words[at].parse::<f64>().expect("a figure") * factor);
            }
        }
        words.join(" ") + "\n"
    };
    text.lines().map(slow).collect()
}

/// `--nccl`: plans stand on the measured links, and say so.
#[test]
fn recommend_plans_with_the_measured_network() {
    let fast = fs::read_to_string(data("tagged-h100-2-nodes.txt")).expect("a file");
    let program = Program::new().file("fast.txt", &fast).file("crawl.txt", &slowed(&fast, 50.0));
    let (fast_hours, document) = planned(&program, "fast.txt");
    let own = with_id(&document, "assumptions", "measured-network").expect("the assumption");
    assert!(own["value"].as_str().is_some_and(|value| value.contains("between nodes")), "{own}");
    assert!(own["why"].as_str().is_some_and(|why| why.contains("measured on your cluster")), "{own}");
    assert_eq!(with_id(&document, "warnings", "nccl-not-used"), None);
    let (slow_hours, _) = planned(&program, "crawl.txt");
    assert!(slow_hours > fast_hours, "{slow_hours} against {fast_hours}");
    // One layout on both networks: the links alone make the difference, and the search does not do worse than it.
    let pinned = |file: &str| planned_with(&program, file, "--dp 16").0;
    let (fast_pinned, slow_pinned) = (pinned("fast.txt"), pinned("crawl.txt"));
    assert!(slow_pinned > 3.0 * fast_pinned, "{slow_pinned} against {fast_pinned}");
    assert!(fast_hours <= fast_pinned && slow_hours <= slow_pinned);
}

/// A file that tells its GPU only stands for no machine of whose network nothing is known, and one that names its machine, if
/// only by its name, for that machine alone.
#[test]
fn a_measured_network_is_not_given_to_unknown_ones() {
    let text = fs::read_to_string(data("srun-a100.txt")).expect("a file");
    let program = Program::new().file("a100.txt", &text).file("aws_p4de_2node_a100.txt", &text);
    let rows = |more: &str| -> std::collections::BTreeSet<String> {
        let line = format!(
            "gpuadvise recommend --params 1e9 --task train --gpu A100-80GB --gpus 16 --max-nodes 64 --tier \
             marketplace,specialist,hyperscaler --top 500 {more} --json"
        );
        let document = program.run_line(&line).json();
        let rows = document["recommendations"].as_array().expect("rows").clone();
        rows.iter().map(|row| format!("{}/{}", row["provider"], row["instance_type"])).collect()
    };
    let (plain, known, guessed) = (rows(""), rows("--nccl a100.txt"), rows("--nccl aws_p4de_2node_a100.txt"));
    assert!(plain.len() > 5, "{plain:?}");
    assert_eq!((&known, &guessed), (&plain, &plain));
    // What the user assumes of them is another thing.
    assert!(rows("--nccl a100.txt --assume-network 400").len() > plain.len());
    let line =
        "gpuadvise recommend --params 1e9 --task train --gpus 16 --nccl aws_p4de_2node_a100.txt --json";
    let own =
        with_id(&program.run_line(line).json(), "assumptions", "measured-network").expect("the assumption");
    assert!(own["why"].as_str().is_some_and(|why| why.contains("aws/p4de.24xlarge")), "{own}");
}

/// A file that tells nothing of its machines stands for what the flags name, and for nothing without them.
#[test]
fn a_network_of_nobody_knows_what_is_refused() {
    let mut rows = String::new();
    for e in 26..34_u32 {
        let (size, algbw) = (1_u64 << e, 40.0);
        let half = format!("{:.1} {algbw:.2} {:.2} 0", size as f64 / algbw / 1e3, algbw * 1.875);
        let _ = writeln!(rows, "{size} {} float sum -1 {half} {half}", size / 4);
    }
    let program = Program::new().file("rows.txt", &format!("./all_reduce_perf\n{rows}"));
    let line = "gpuadvise recommend --params 1e9 --task train --gpus 16 --nccl rows.txt";
    let finished = program.run_line(line);
    assert_eq!(finished.code, 2, "{}", finished.stderr);
    assert!(finished.stderr.contains("does not say which machines") && finished.stderr.contains("--gpu"));
    assert_eq!(program.run_line(&format!("{line} --gpu A100-80GB")).code, 0);
}

/// Four GPUs in a node are another machine: the catalog's network stands, and that is told.
#[test]
fn a_network_of_other_machines_is_not_taken() {
    let program =
        Program::new().file("four.txt", &fs::read_to_string(data("no-plugin-gh200.txt")).expect("a file"));
    let (_, document) = planned(&program, "four.txt");
    assert!(with_id(&document, "warnings", "nccl-not-used").is_some(), "{}", document["warnings"]);
}

#[test]
fn a_file_without_a_usable_link_is_refused_by_plans() {
    for file in ["template.txt", "one-gpu.txt", "wrong-results.txt", "failed.txt"] {
        let finished = run(&["recommend", "--params", "1e9", "--task", "train", "--nccl", &data(file)]);
        assert_eq!(finished.code, 2, "{file}");
        assert!(finished.stderr.contains("gives no bandwidth"), "{}", finished.stderr);
    }
}

#[test]
fn fit_takes_the_links_of_one_node_only() {
    let fit = |file: &str| {
        run(&["fit", "--params", "7B", "--task", "train", "--gpu", "H100:8", "--nccl", &data(file), "--json"])
            .json()
    };
    let has = |document: &Value, list: &str, id: &str| {
        document[list].as_array().expect("a list").iter().any(|it| it["id"] == id)
    };
    assert!(has(&fit("h100-ring.txt"), "assumptions", "measured-network"));
    assert!(has(&fit("tagged-h100-2-nodes.txt"), "warnings", "nccl-not-used"));
}
