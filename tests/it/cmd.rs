//! What every command keeps to: exit codes, what goes where, where settings come from.

use crate::program::{Program, once, run};
use clap::{Command, CommandFactory};
use gpuadvise::cli::args::Cli;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// One run of every command that ends well. A new command must be added here. Each is run some twenty times, so none may search
/// long: `lang` has the long ones.
pub(crate) const RUNS: &[&[&str]] = &[
    &["recommend", "--params", "1e9", "--task", "train"],
    &["recommend", "--model", "llama-3-8b", "--task", "infer", "--billing", "all", "--explain"],
    &["recommend", "--model", "resnet-50", "--task", "train", "--instance", "aws/p4d.24xlarge"],
    &["recommend", "--scenario", "very-large-training"],
    &["fit", "--model", "llama-3-8b", "--task", "infer", "--gpu", "H100"],
    &["cost", "--hours", "720"],
    &["cost", "--gpu", "A100-80GB:8", "--nodes", "2"],
    &["check", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/gpuadvise.toml")],
    &[
        "diff",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/main.json"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/branch.json"),
    ],
    &["commitments", "--hours-per-day", "14", "--instances", "3", "--instance", "aws/p4d.24xlarge"],
    &[
        "commitments",
        "--instances",
        "2",
        "--days-per-week",
        "6",
        "--gpu",
        "H100:8",
        "--horizon",
        "3y",
        "--growth",
        "9",
    ],
    &["tco", "--gpu", "H100:8", "--utilisation", "60"],
    &["tco", "--model", "llama-3.3-70b", "--input-tokens", "4B", "--output-tokens", "1B"],
    &[
        "rightsize",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/gpus.csv"),
        "--instance",
        "aws/p4d.24xlarge",
    ],
    &[
        "rightsize",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/smi/table-loop-two-hosts.txt"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/smi/table-mig.txt"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/smi/dcgmi-mig.txt"),
    ],
    &["catalog", "gpus"],
    &["catalog", "instances", "--gpu", "H100:8"],
    &["catalog", "prices", "--instance", "aws/p5.48xlarge"],
    &["catalog", "providers"],
    &["catalog", "models"],
    &["catalog", "scenarios"],
    &["catalog", "rules"],
    &["catalog", "show", "H100-SXM"],
    &["catalog", "check"],
    &[
        "catalog",
        "import",
        "plain",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/my-prices.csv"),
        "--as-of",
        "2026-11-30",
    ],
    &[
        "catalog",
        "diff",
        "embedded",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/my-prices.toml"),
    ],
    #[cfg(feature = "refresh")]
    &[
        "catalog",
        "update",
        "--dry-run",
        "--from",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/mirror"),
        "--as-of",
        "2026-11-25",
        "--data",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/data"),
    ],
    &[
        "catalog",
        "history",
        "--window",
        "36500",
        "--data",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/data"),
    ],
    &[
        "export",
        "--to=dstack",
        "--from",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/result.json"),
    ],
    &["export", "--to", "terraform", "--params", "1e9", "--task", "train", "--provider", "aws"],
    &[
        "accuracy",
        "--measurements",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/my-runs.csv"),
    ],
    &["calibrate", "--runs", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/my-runs.csv")],
    &["network", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nccl/several-h100.txt")],
    &[
        "network",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/nccl.txt"),
        "--platform=aws/p5.48xlarge",
        "--params=7B",
        "--task=train",
        "--gpus=32",
    ],
    &["explain", "price-far-below-median"],
    &["schema"],
    &["completions", "bash"],
    &["man"],
];

fn leaves(command: &Command, path: &[String], found: &mut BTreeSet<String>) {
    if !command.has_subcommands() {
        found.insert(path.join(" "));
    }
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        let path: Vec<String> = path.iter().cloned().chain([below.get_name().to_owned()]).collect();
        leaves(below, &path, found);
    }
}

/// Command paths such as `catalog gpus`.
pub(crate) fn commands() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    leaves(&Cli::command(), &[], &mut found);
    found
}

#[test]
fn the_command_line_is_well_formed() {
    Cli::command().debug_assert();
}

#[test]
fn every_command_is_run_here() {
    let run = |path: &String| RUNS.iter().any(|arguments| arguments.join(" ").starts_with(path.as_str()));
    let missing: Vec<String> = commands().into_iter().filter(|path| !run(path)).collect();
    assert!(missing.is_empty(), "add a run of {missing:?} to RUNS");
}

/// Man pages and completions know every command and every flag of it.
#[test]
fn man_pages_and_completions_have_every_command() {
    let mut program = Cli::command();
    program.build();
    let script = &once(&["completions", "bash"]).stdout;
    for path in commands() {
        let words: Vec<&str> = path.split(' ').collect();
        let man = run(&[["man"].as_slice(), &words].concat());
        assert_eq!((man.code, man.stderr.as_str()), (0, ""), "{path}");
        let command = words.iter().try_fold(&program, |command, name| command.find_subcommand(name));
        let command = command.unwrap_or_else(|| panic!("no command {path}"));
        assert!(
            script.contains(&format!("gpuadvise__subcmd__{}", words.join("__subcmd__"))),
            "{path} is not completed"
        );
        for flag in command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long) {
            let typed = format!("\\-\\-{}", flag.replace('-', "\\-"));
            assert!(man.stdout.contains(&typed), "the man page of `{path}` lacks --{flag}");
            assert!(script.contains(&format!("--{flag}")), "--{flag} is not completed");
        }
    }
}

/// P136, P137, P138, P139: JSON is one document whatever else is asked for; all else goes to stderr.
#[test]
fn json_is_exactly_one_document_with_its_envelope() {
    for arguments in RUNS {
        for more in [["--json", "--color=always"].as_slice(), &["--format", "json", "-v"], &["--json", "-q"]]
        {
            let finished = once(&[arguments, more].concat());
            let document = finished.json();
            assert_eq!(finished.code, 0, "{arguments:?}: {}", finished.stderr);
            assert_eq!(document["schema_version"], 1, "{arguments:?}");
            let command = document["command"].as_str().expect("a command");
            assert!(arguments.join(" ").starts_with(command), "{command} of {arguments:?}");
            assert!(document["generated_with"].as_str().is_some_and(|text| text.starts_with("gpuadvise ")));
            for list in ["assumptions", "warnings"] {
                assert!(document[list].is_array(), "{list} of {arguments:?}");
            }
            assert!(document["catalog"]["sources"].is_array(), "{arguments:?}");
            assert!(!finished.stdout.contains('\u{1b}'), "control codes in {arguments:?}");
            if more.contains(&"-q") {
                assert_eq!(finished.stderr, "", "{arguments:?}");
            }
        }
    }
}

/// The schema that `gpuadvise schema` ships for the answer of a command.
fn schema_of(command: &str) -> &str {
    match command {
        "catalog check" => "catalog-check",
        "catalog import" => "catalog-import",
        "catalog diff" => "catalog-diff",
        "catalog update" => "catalog-update",
        "catalog history" => "catalog-history",
        "schema" => "listing",
        "completions" | "man" => "text",
        _ => command.split(' ').next().unwrap_or(command),
    }
}

/// The validator of a schema, made once.
fn validator(name: &str) -> Arc<jsonschema::Validator> {
    static MADE: Mutex<BTreeMap<String, Arc<jsonschema::Validator>>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let compiled = || {
        let schema = once(&["schema", name]).json();
        Arc::new(jsonschema::validator_for(&schema).expect("a schema"))
    };
    made.entry(name.to_owned()).or_insert_with(compiled).clone()
}

/// Fails where a document is not as its schema says.
fn assert_as_its_schema(document: &serde_json::Value, what: &str) {
    let command = document["command"].as_str().expect("a command");
    let validator = validator(schema_of(command));
    if let Err(error) = validator.validate(document) {
        panic!("{what}: {error} at {}", error.instance_path());
    }
}

#[test]
fn json_answers_are_as_their_schemas_say() {
    for arguments in RUNS {
        let document = once(&[arguments, ["--json", "-q"].as_slice()].concat()).json();
        assert_as_its_schema(&document, &format!("{arguments:?}"));
    }
}

/// A document keeps its schema in another currency and where a catalog is broken, whatever the command.
#[test]
fn documents_keep_their_schemas_with_a_rate_and_with_a_broken_overlay() {
    let program = Program::new().file("bad.toml", "schema = 1\n[[gpu]]\nname = \"X\"\nmemroy = \"80 GiB\"\n");
    for (more, code) in [
        (["--currency", "CNY", "--fx", "CNY=7@2026-11-01"].as_slice(), 0),
        (&["--fx", "CNY=7@2026-11-01"], 0),
        (&["--catalog", "bad.toml"], 5),
    ] {
        for arguments in RUNS {
            let finished = program.run(&[arguments, more, &["--json"]].concat());
            let what = format!("{arguments:?} {more:?}");
            assert!([0, code].contains(&finished.code), "{what}: {}", finished.stderr);
            assert!(!finished.stdout.is_empty(), "{what}: {}", finished.stderr);
            if arguments != &["schema"] || code == 0 {
                assert_as_its_schema(&finished.json(), &what);
            }
        }
    }
}

/// The same input gives the same bytes, in every format; a pipe gets no control codes.
#[test]
fn answers_are_reproducible_in_every_format() {
    for arguments in RUNS {
        for format in ["table", "json", "csv", "markdown", "html"] {
            let arguments = [arguments, ["--format", format].as_slice()].concat();
            let (first, second) = (once(&arguments), run(&arguments));
            assert_eq!((first.code, second.code), (0, 0), "{arguments:?}: {}", first.stderr);
            assert!(first.stdout == second.stdout, "{arguments:?}");
            assert!(!first.stdout.is_empty() && first.stdout.ends_with('\n'), "{arguments:?}");
            assert!(!first.stdout.contains('\u{1b}'), "control codes in {arguments:?}");
        }
    }
}

/// Tags that have no end.
const VOID: [&str; 1] = ["meta"];

/// A page of HTML stands alone: every tag is closed in its order, nothing is loaded and nothing runs.
#[test]
fn html_is_one_page_that_needs_nothing_else() {
    // `schema` prints a schema as it is, whatever the format.
    for arguments in RUNS.iter().filter(|arguments| arguments[0] != "schema") {
        let page = &once(&[arguments, ["--format", "html"].as_slice()].concat()).stdout;
        assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"), "{arguments:?}");
        let mut open: Vec<&str> = Vec::new();
        for tag in page.split('<').skip(2).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag) {
            let name = tag.split(' ').next().unwrap_or_default();
            for loaded in ["src=", "href=", "style=", " on"] {
                assert!(!tag.contains(loaded), "<{tag}> in {arguments:?}");
            }
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "{arguments:?}"),
                None if VOID.contains(&name) => {}
                None => {
                    assert!(name != "script" && !name.is_empty(), "<{tag}> in {arguments:?}");
                    open.push(name);
                }
            }
        }
        assert_eq!(open, [""; 0], "{arguments:?}");
        assert_eq!(page.matches("<h1>").count(), 1, "{arguments:?}");
    }
}

/// Lines that cannot be answered, and what the message must name.
const BAD_INPUT: &[(&str, &str)] = &[
    ("gpuadvise", "Usage"),
    ("gpuadvise nonsense", "nonsense"),
    ("gpuadvise catalog", "Usage"),
    ("gpuadvise catalog gpu", "'gpus'"),
    ("gpuadvise catalog gpus --gpus x", "--gpu"),
    ("gpuadvise catalog gpus --gpu RTX-A4001", "RTX-A4000"),
    ("gpuadvise catalog gpus --gpu ''", "GPU"),
    ("gpuadvise catalog gpus --gpu 'RTX 6000'", "RTX-6000-Ada"),
    ("gpuadvise catalog gpus --gpu H100:0", "H100:0"),
    ("gpuadvise catalog gpus --gpu 80GB..24GB", "80GB..24GB"),
    ("gpuadvise catalog gpus --stack cudda", "--stack"),
    ("gpuadvise catalog gpus --min-ram -5GiB", "--min-ram"),
    ("gpuadvise catalog gpus --min-ram NaN", "--min-ram"),
    ("gpuadvise catalog gpus --min-vcpus -1", "--min-vcpus"),
    ("gpuadvise catalog gpus --max-age -3", "--max-age"),
    ("gpuadvise catalog gpus --max-age inf", "--max-age"),
    ("gpuadvise catalog gpus --config nowhere.toml --no-config", "--no-config"),
    ("gpuadvise catalog gpus --quiet --verbose", "--quiet"),
    ("gpuadvise catalog gpus --json --format csv", "--json"),
    ("gpuadvise catalog gpus --format xml", "--format"),
    ("gpuadvise catalog gpus --format", "--format"),
    ("gpuadvise catalog gpus --config nowhere.toml", "nowhere.toml"),
    ("gpuadvise catalog gpus --catalog nowhere.toml", "nowhere.toml"),
    ("gpuadvise catalog prices --billing monthly", "on-demand"),
    ("gpuadvise catalog prices --provider amazn", "`aws`"),
    ("gpuadvise catalog prices --region mars-1", "mars-1"),
    ("gpuadvise catalog prices --country XX", "XX"),
    ("gpuadvise catalog prices --instance aws/p5.48xlrge", "aws/p5.48xlarge"),
    ("gpuadvise catalog show", "<NAME>"),
    ("gpuadvise catalog show bogus-thing", "bogus-thing"),
    ("gpuadvise catalog check nowhere.toml", "nowhere.toml"),
    ("gpuadvise catalog import", "<FORMAT>"),
    ("gpuadvise catalog import plain", "<FILE>"),
    ("gpuadvise catalog import skypilt x.csv", "skypilot"),
    ("gpuadvise catalog import plain nowhere.csv", "nowhere.csv"),
    ("gpuadvise catalog import plain .", "folder"),
    ("gpuadvise catalog import plain x.csv --as-of 2026-02-30", "--as-of"),
    ("gpuadvise catalog import plain x.csv --as-of 9999-01-01", "future"),
    ("gpuadvise catalog update --from nowhere", "nowhere"),
    ("gpuadvise catalog update --from http://example.com/", "https"),
    ("gpuadvise catalog update --from ftp://example.com/", "https"),
    ("gpuadvise catalog update --from https://example.com/?a=b", "`?`"),
    ("gpuadvise catalog update --provider amazn", "`aws`"),
    ("gpuadvise catalog update --provider scaleway", "scaleway"),
    ("gpuadvise catalog update --as-of 2026-11-01", "--from"),
    ("gpuadvise catalog update --from . --as-of 9999-01-01", "future"),
    ("gpuadvise catalog update --max-lost 101", "--max-lost"),
    ("gpuadvise catalog update --retries -1", "--retries"),
    ("gpuadvise catalog update --timeout 0", "--timeout"),
    ("gpuadvise catalog history --window 0", "--window"),
    ("gpuadvise catalog diff embedded", "<NEW>"),
    ("gpuadvise catalog diff embedded nowhere.toml", "nowhere.toml"),
    ("gpuadvise catalog diff embedded embedded --max-lost 101", "--max-lost"),
    ("gpuadvise catalog diff embedded embedded --max-change NaN", "--max-change"),
    ("gpuadvise explain memry", "memory"),
    ("gpuadvise schema recomend", "recommend"),
    ("gpuadvise completions tcsh", "tcsh"),
    ("gpuadvise man recomend", "recomend"),
    ("gpuadvise recommend", "--task train"),
    ("gpuadvise recommend --params 1e9", "--task train"),
    ("gpuadvise recommend --task train", "--params"),
    ("gpuadvise recommend --params -1 --task train", "--params"),
    ("gpuadvise recommend --params NaN --task train", "--params"),
    ("gpuadvise recommend --params 7X --task train", "--params"),
    ("gpuadvise recommend --model llama-3-8 --task infer", "llama-3-8b"),
    ("gpuadvise recommend --model ./nope.json --task infer", "./nope.json"),
    ("gpuadvise recommend --workload nope.toml", "nope.toml"),
    ("gpuadvise recommend --params 1e9 --task train --deadline -3h", "--deadline"),
    ("gpuadvise recommend --params 1e9 --task train --deadline", "--deadline"),
    ("gpuadvise recommend --params 1e9 --task train --budget -5", "--budget"),
    ("gpuadvise recommend --params 1e9 --task train --max-hourly NaN", "--max-hourly"),
    ("gpuadvise recommend --params 1e9 --task train --fail-over inf", "--fail-over"),
    ("gpuadvise recommend --params 1e9 --task train --gpus 0", "--gpus"),
    ("gpuadvise recommend --params 1e9 --task train --gpus 32 --max-gpus 16", "--max-gpus"),
    ("gpuadvise recommend --params 1e9 --task train --seq-len -5", "--seq-len"),
    ("gpuadvise recommend --params 1e9 --task train --tp 0", "--tp"),
    ("gpuadvise recommend --params 1e9 --task train --goodput 2", "--goodput"),
    ("gpuadvise recommend --params 1e9 --task train --sort speed", "--sort"),
    ("gpuadvise recommend --params 1e9 --task train --min-spot-discount 120", "--min-spot-discount"),
    ("gpuadvise recommend --params 1e9 --task train --checkpoint-interval never", "--checkpoint-interval"),
    ("gpuadvise recommend --params 1e9 --task train --interruptions-per-hour -1", "--interruptions-per-hour"),
    ("gpuadvise recommend --params 1e9 --task train --rps 5", "--rps"),
    ("gpuadvise recommend --params 1e9 --task infer --rps NaN", "--rps"),
    ("gpuadvise recommend --params 1e9 --task infer --ttft -5ms", "--ttft"),
    ("gpuadvise recommend --params 1e9 --task train --gpu V100 --strict --precision bf16", "--strict"),
    ("gpuadvise recommend --scenario light-developmnt", "light-development"),
    ("gpuadvise fit --model llama-3-8b --task infer --gpu H100:8 --gpus 4", "--gpus 4"),
    ("gpuadvise fit --model llama-3-8b --task infer --gpu H1000", "H100"),
    ("gpuadvise commitments", "--instance"),
    ("gpuadvise commitments --gpu H100", "--usage"),
    ("gpuadvise commitments --gpu H100 --usage nowhere.csv", "nowhere.csv"),
    ("gpuadvise commitments --gpu H100 --usage x.csv --instances 2", "--usage x.csv"),
    ("gpuadvise commitments --gpu H100 --instances -1", "--instances"),
    ("gpuadvise commitments --gpu H100 --instances NaN", "--instances"),
    ("gpuadvise commitments --gpu H100 --hours-per-day 25", "--hours-per-day"),
    ("gpuadvise commitments --gpu H100 --hours-per-day inf", "--hours-per-day"),
    ("gpuadvise commitments --gpu H100 --days-per-week 8", "--days-per-week"),
    ("gpuadvise commitments --gpu H100 --instances 1 --horizon 2y", "--horizon"),
    ("gpuadvise commitments --gpu H100 --instances 1 --growth NaN", "--growth"),
    ("gpuadvise commitments --gpu H100 --instances 1 --max-spot-share 101", "--max-spot-share"),
    ("gpuadvise commitments --gpu H100 --instances 1 --billing monthly", "--billing"),
    ("gpuadvise commitments --instance aws/p5.48xlrge --instances 1", "aws/p5.48xlarge"),
    ("gpuadvise commitments --instance aws/p5.48xlarge,aws/p4d.24xlarge --instances 1", "one machine"),
    ("gpuadvise network nowhere.txt", "nowhere.txt"),
    ("gpuadvise network", "stdin"),
    ("gpuadvise network - -", "stdin"),
    ("gpuadvise network x.txt --platform aws/p5.48xlrge", "x.txt"),
    ("gpuadvise network x.txt --collective allred", "--collective"),
    ("gpuadvise network x.txt --nodes 0", "--nodes"),
    ("gpuadvise network x.txt --ranks -1", "--ranks"),
    ("gpuadvise network x.txt --fail-below NaN", "--fail-below"),
    ("gpuadvise recommend --params 1e9 --task train --nccl nowhere.txt", "nowhere.txt"),
    ("gpuadvise fit --params 1e9 --task train --nccl nowhere.txt", "nowhere.txt"),
    ("gpuadvise cost --hours -5", "--hours"),
    ("gpuadvise cost --hours 0", "--hours"),
    ("gpuadvise cost --nodes 0", "--nodes"),
    ("gpuadvise rightsize", "no output of nvidia-smi"),
    ("gpuadvise rightsize - -", "`-`"),
    ("gpuadvise rightsize nowhere.csv", "nowhere.csv"),
    ("gpuadvise rightsize - --columns nonsense", "nonsense"),
    ("gpuadvise rightsize - --same-host=maybe", "--same-host"),
    ("gpuadvise check", "gpuadvise.toml"),
    ("gpuadvise check nowhere.toml", "nowhere.toml"),
    ("gpuadvise diff nowhere.json", "<NEW>"),
    ("gpuadvise diff nowhere.json other.json", "nowhere.json"),
    ("gpuadvise diff - -", "stdin"),
    ("gpuadvise diff a.json b.json --max-increase -5", "--max-increase"),
    ("gpuadvise diff a.json b.json --max-increase NaN%", "--max-increase"),
    ("gpuadvise recommend --params 1e9 --task train --quota nowhere.toml", "nowhere.toml"),
    ("gpuadvise cost --instance p5.48xlarg", "aws/p5.48xlarge"),
];

/// P135, P140: what prints an error does not end with 0, and each kind of failure has its code.
#[test]
fn bad_input_ends_with_2_and_says_where() {
    for (line, named) in BAD_INPUT {
        let finished = Program::new().run_line(line);
        assert_eq!(finished.code, 2, "{line}: {}", finished.stderr);
        assert_eq!(finished.stdout, "", "{line}");
        assert!(finished.stderr.contains(named), "{line} must name {named}: {}", finished.stderr);
    }
}

/// P135: what fails has a code of its own, and on 3, 4 and 5 stdout still holds the whole document.
#[test]
fn each_kind_of_failure_has_its_code() {
    for (line, code, list) in [
        ("gpuadvise recommend --params 1e9 --task train --json", 0, "recommendations"),
        ("gpuadvise recommend --params 175B --task train --gpu T4 --gpus 1 --json", 3, "rejected"),
        ("gpuadvise recommend --params 1e9 --task train --deadline 1s --json", 3, "rejected"),
        ("gpuadvise recommend --params 1e9 --task train --fail-over 1 --json", 4, "recommendations"),
        ("gpuadvise recommend --params 1e9 --task train --max-age 0 --json", 5, "rejected"),
        ("gpuadvise fit --model llama-2-70b --task train --gpu T4 --json", 3, "results"),
        ("gpuadvise fit --model llama-3-8b --task infer --gpu T4,H100 --json", 0, "results"),
        ("gpuadvise cost --gpu H100 --json", 0, "rows"),
        ("gpuadvise cost --gpu H100 --fail-over 1 --json", 4, "rows"),
    ] {
        let finished = Program::new().run_line(line);
        assert_eq!(finished.code, code, "{line}: {}", finished.stderr);
        let document = finished.json();
        assert!(document[list].as_array().is_some_and(|list| !list.is_empty()), "{line}: no {list}");
        assert_eq!(finished.stderr.contains("error: "), code != 0, "{line}: {}", finished.stderr);
    }
    for (line, code) in [
        ("gpuadvise cost --gpu H100 --max-hourly 0.01 --json", 3),
        ("gpuadvise cost --provider lambda --billing spot --json", 3),
        ("gpuadvise cost --max-age 0 --json", 5),
        ("gpuadvise catalog prices --max-age 0 --json", 5),
    ] {
        let finished = Program::new().run_line(line);
        assert_eq!(
            (finished.code, finished.json()["rows"].as_array().map(Vec::len)),
            (code, Some(0)),
            "{line}"
        );
    }
}

/// P160: `fit` ends with 3 when nothing fits and with 0 when something does. P161: and says why.
#[test]
fn a_misfit_is_told_by_code_and_by_reason() {
    let fit = |gpu: &str| {
        Program::new().run(&[
            "fit",
            "--model",
            "llama-2-70b",
            "--task",
            "finetune",
            "--method",
            "qlora",
            "--gpu",
            gpu,
            "--json",
        ])
    };
    let (yes, no) = (fit("A100-80GB"), fit("A100-40GB"));
    assert_eq!((yes.code, &yes.json()["results"][0]["verdict"]), (0, &"fits".into()));
    assert_eq!((no.code, &no.json()["results"][0]["verdict"]), (3, &"no".into()));

    let nothing = run(&[
        "recommend",
        "--params",
        "175B",
        "--task",
        "train",
        "--gpu",
        "T4",
        "--max-gpus",
        "8",
        "--json",
    ]);
    let document = nothing.json();
    assert_eq!(nothing.code, 3);
    let rejected = document["rejected"].as_array().expect("reasons");
    assert!(
        rejected.iter().any(|reason| reason["nearest"]["message"].as_str().is_some_and(|m| !m.is_empty()))
    );
    assert_eq!(
        document["recommendations"].as_array().map(Vec::len),
        Some(0),
        "no speed or cost of what does not fit"
    );
}

/// P089: rows are in order before they are cut off.
#[test]
fn a_row_limit_cuts_the_end_off() {
    for (line, list, rank) in [
        ("gpuadvise recommend --params 7B --task train --json", "recommendations", true),
        ("gpuadvise recommend --params 7B --task train --sort time --json", "recommendations", true),
        ("gpuadvise cost --gpu H100 --json", "rows", false),
    ] {
        let rows = |n: &str| {
            let mut document = Program::new().run_line(&format!("{line} -n {n}")).json();
            document[list].take().as_array().expect("rows").clone()
        };
        let (few, many) = (rows("3"), rows("12"));
        assert_eq!((few.len(), few.as_slice()), (3, &many[..3]), "{line}");
        if rank {
            assert!(many.iter().enumerate().all(|(i, row)| row["rank"] == i + 1), "{line}");
        }
    }
}

/// Every id of an answer can be asked about.
#[test]
fn ids_in_answers_are_explained() {
    for line in [
        "gpuadvise recommend --params 7B --task train --gpu V100 --billing all --deadline 1d --json",
        "gpuadvise recommend --model deepseek-v3 --task infer --precision fp8 --max-nodes 1 --json",
        "gpuadvise recommend --params 1e9 --task finetune --provider aws --country DE --max-age 3000 --json",
        "gpuadvise cost --json",
        "gpuadvise commitments --gpu A100 --instances 2.5 --hours-per-day 20 --growth 9 --max-spot-share 9 --json",
        "gpuadvise commitments --instance aws/p4d.24xlarge --instances 2 --hours-per-day 20 --json",
    ] {
        let document = Program::new().run_line(line).json();
        let ids = |list: &str, name: &str| -> Vec<String> {
            let rows = document[list].as_array().cloned().unwrap_or_default();
            rows.iter().filter_map(|row| row[name].as_str().map(str::to_owned)).collect()
        };
        let mut all = [ids("assumptions", "id"), ids("warnings", "id"), ids("rejected", "reason")].concat();
        for row in document["recommendations"].as_array().into_iter().flatten() {
            all.extend(
                row["advice"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|a| a["id"].as_str().map(str::to_owned)),
            );
        }
        for id in all.into_iter().collect::<BTreeSet<String>>() {
            assert_eq!(run(&["explain", &id]).code, 0, "`{id}` of {line}");
        }
    }
}

/// P006, P144: no figure is ever made up for an unknown GPU.
#[test]
fn an_unknown_gpu_is_an_error_with_near_names() {
    let finished = run(&["catalog", "show", "RTX A400O"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (2, ""));
    assert!(finished.stderr.contains("RTX-A4000"), "{}", finished.stderr);
    let known = run(&["catalog", "show", "RTX A4000", "--json"]);
    assert_eq!(known.json()["object"]["memory_gib"], 16);
}

#[test]
fn a_filter_that_nothing_passes_ends_with_3_and_a_whole_document() {
    let finished = run(&["catalog", "prices", "--provider", "aws", "--country", "CN", "--json"]);
    assert_eq!(finished.code, 3);
    assert_eq!(finished.json()["rows"].as_array().map(Vec::len), Some(0));
    assert!(finished.stderr.lines().any(|line| line.starts_with("error: ")), "{}", finished.stderr);
}

#[test]
fn a_broken_overlay_ends_with_5_and_its_findings_as_the_document() {
    let program =
        Program::new().file("mine.toml", "schema = 1\n[[gpu]]\nname = \"X\"\nmemroy = \"80 GiB\"\n");
    for arguments in
        [["catalog", "check", "mine.toml", "--json"], ["catalog", "gpus", "--catalog=mine.toml", "--json"]]
    {
        let finished = program.run(&arguments);
        assert_eq!(finished.code, 5, "{arguments:?}: {}", finished.stderr);
        let findings = finished.json()["findings"].clone();
        let unknown =
            findings.as_array().expect("findings").iter().find(|finding| finding["code"] == "unknown-field");
        let unknown = unknown.unwrap_or_else(|| panic!("no `unknown-field` in {findings}"));
        assert_eq!((&unknown["line"], &unknown["column"]), (&4.into(), &1.into()));
        assert!(finished.stderr.contains("error: the catalog has "), "{}", finished.stderr);
    }
    for (command, list) in
        [("recommend", "recommendations"), ("fit", "results"), ("cost", "rows"), ("commitments", "tiers")]
    {
        let workload: &[&str] = match command {
            "cost" => &[],
            "commitments" => &["--gpu", "H100", "--instances", "1"],
            _ => &["--params", "1e9", "--task", "train"],
        };
        let finished = program.run(&[&[command, "--catalog=mine.toml", "--json"], workload].concat());
        assert_eq!(finished.code, 5, "{command}: {}", finished.stderr);
        let document = finished.json();
        assert!(document["findings"].as_array().is_some_and(|findings| !findings.is_empty()));
        assert_eq!(document[list].as_array().map(Vec::len), Some(0), "{command}: {document}");
        let schema = run(&["schema", command]).json();
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        if let Err(error) = validator.validate(&document) {
            panic!("{command}: {error} at {}", error.instance_path());
        }
    }
    let table = program.run(&["catalog", "check", "mine.toml"]);
    assert!(table.stdout.contains("mine.toml:4:1: error[unknown-field]: "), "{}", table.stdout);
}

#[test]
fn every_finding_code_can_be_explained() {
    for code in gpuadvise::catalog::codes::CODES {
        let finished = run(&["explain", code.name]);
        assert_eq!(finished.code, 0, "{}", code.name);
        assert!(finished.stdout.contains(code.name), "{}", finished.stdout);
    }
}

#[test]
fn settings_come_from_flag_then_environment_then_file() {
    let rows = |program: &Program, more: &[&str]| {
        let finished = program.run(&[["catalog", "instances", "--json"].as_slice(), more].concat());
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        let document = finished.json();
        let providers =
            document["rows"].as_array().expect("rows").iter().map(|row| row["provider"].to_string());
        (providers.collect::<BTreeSet<String>>().into_iter().collect::<Vec<_>>().join(" "), finished.stderr)
    };
    let program = Program::new().file("gpuadvise.toml", "[defaults]\nprovider = [\"aws\", \"gcp\"]\n");
    let (providers, stderr) = rows(&program, &[]);
    assert_eq!(providers, "\"aws\" \"gcp\"");
    assert!(stderr.contains("note: settings from ") && stderr.contains("gpuadvise.toml"), "{stderr}");
    assert_eq!(rows(&program, &["-q"]).1, "");
    assert!(rows(&program, &["--no-config"]).0.contains("lambda"));
    assert_eq!(rows(&program, &["--provider", "lambda"]).0, "\"lambda\"");

    let program = program.env("GPUADVISE_PROVIDER", "azure,oci");
    assert_eq!(rows(&program, &[]).0, "\"azure\" \"oci\"");
    assert_eq!(rows(&program, &["--provider", "lambda"]).0, "\"lambda\"");
}

#[test]
fn workload_settings_have_layers_too() {
    let program = Program::new()
        .file(
            "gpuadvise.toml",
            "[defaults]\nmodel = \"llama-3-8b\"\ntask = \"finetune\"\nmethod = \"lora\"\n",
        )
        .file("job.toml", "seq-len = 1024\nmethod = \"qlora\"\n");
    let setting = |program: &Program, line: &str, name: &str| {
        let finished = program.run_line(&format!("gpuadvise fit --gpu H100 --json {line}"));
        assert_eq!(finished.code, 0, "{line}: {}", finished.stderr);
        finished.json()["workload"][name].clone()
    };
    assert_eq!(setting(&program, "", "method"), "lora");
    assert_eq!(setting(&program, "--workload job.toml", "method"), "qlora");
    assert_eq!(setting(&program, "--workload job.toml --seq-len 512", "seq_len"), 512);
    assert_eq!(
        setting(&program, "--params 1e9", "layers"),
        setting(&Program::new(), "--params 1e9 --task finetune", "layers")
    );
    let program = program.env("GPUADVISE_METHOD", "full").env("GPUADVISE_MODEL", "qwen2-0.5b");
    assert_eq!(setting(&program, "--workload job.toml", "method"), "full");
    assert_eq!(
        setting(&program, "--params 1e9 --method lora", "method"),
        "lora",
        "a size puts the model aside"
    );
}

#[test]
fn mistakes_in_a_project_file_have_a_place() {
    for (text, place) in [
        ("[defaults]\nregoin = \"us-*\"\n", "my.toml:2:1: unknown setting `regoin`"),
        ("[defaults]\nmax-age = -1\n", "my.toml:2:11: "),
        ("[defaults]\nstack = \n", "my.toml:2:"),
        ("[budgets]\n", "my.toml:1:2: unknown section `budgets`"),
    ] {
        let finished = Program::new().file("my.toml", text).run(&["catalog", "gpus", "--config", "my.toml"]);
        assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{text}");
        assert!(finished.stderr.contains(place), "{text}: {}", finished.stderr);
    }
}
