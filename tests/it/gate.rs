//! The gate as a CI system runs it: project file, budgets, policies, quotas, the comparison with the main branch, and the
//! commands of the workflow files in `docs/ci`. Prices come from overlays, and hours are asked for, so that no estimate
//! decides what a test sees.

use crate::program::{Finished, Program};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// One machine of AWS for a hundred hours.
pub(crate) const CHAT: &str = "\
[[workload]]
name = \"chat\"
task = \"infer\"
model = \"llama-3-8b\"
instance = \"aws/p5.48xlarge\"
region = \"us-east-1\"
nodes = 1
hours = 100
";

/// Prices of that machine, each given as `"on-demand", usd-per-hour = 50` without the braces.
pub(crate) fn prices(rows: &[&str]) -> String {
    let row = |row: &&str| {
        format!("  {{ instance = \"p5.48xlarge\", region = \"us-east-1\", billing = {row} }},\n")
    };
    format!(
        "schema = 1\nprovider = \"aws\"\nsource = \"OWN\"\nprice = [\n{}]\n\n\
         [sources.OWN]\ntext = \"Private price list\"\nas-of = 2026-11-01\n",
        rows.iter().map(row).collect::<String>()
    )
}

fn at(usd: &str) -> String {
    prices(&[&format!("\"on-demand\", usd-per-hour = {usd}")])
}

/// A world on 30 November 2026 with a project file and prices.
fn world(project: &str, prices: &str) -> Program {
    Program::new()
        .env("SOURCE_DATE_EPOCH", "1796000000")
        .file("gpuadvise.toml", project)
        .file("prices.toml", prices)
}

fn check(program: &Program, more: &[&str]) -> Finished {
    program.run(&[&["check", "--catalog", "prices.toml", "--json"], more].concat())
}

fn ids(workload: &Value) -> Vec<&str> {
    let violations = workload["violations"].as_array().expect("violations");
    violations.iter().filter_map(|violation| violation["id"].as_str()).collect()
}

fn read(program: &Program, file: &str) -> String {
    fs::read_to_string(program.folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The commands of `docs/ci`, in their order: baseline, check, comment, comparison.
const COMMANDS: [&str; 4] = [
    "gpuadvise check main/gpuadvise.toml --catalog main/prices.toml --json --output main.json",
    "gpuadvise check gpuadvise.toml --catalog prices.toml --json --output branch.json --junit gpuadvise.xml",
    "gpuadvise check gpuadvise.toml --catalog prices.toml --quiet --format markdown --output comment.md",
    "gpuadvise diff main.json branch.json --max-increase 10% --format markdown --output diff.md",
];

#[test]
fn the_gate_works_as_the_workflow_files_run_it() {
    for file in ["docs/ci/github-actions.yml", "docs/ci/gitlab-ci.yml"] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect(file);
        for command in COMMANDS {
            assert!(text.contains(command), "{file} does not run `{command}`");
        }
    }
    let [baseline, gate, comment, compare] = COMMANDS;
    let project = format!("{CHAT}\n[budget]\ntotal = 5200\n");
    let branch = |usd: &str| {
        world(&project, &at(usd)).file("main/gpuadvise.toml", &project).file("main/prices.toml", &at("50"))
    };

    let same = branch("50");
    for command in COMMANDS {
        let finished = same.run_line(command);
        assert_eq!((finished.code, finished.stdout.as_str()), (0, ""), "{command}: {}", finished.stderr);
    }
    assert!(read(&same, "comment.md").starts_with("<!-- gpuadvise -->\n"));
    assert!(!read(&same, "gpuadvise.xml").contains("<failure"));
    assert!(read(&same, "diff.md").contains("1 unchanged"));

    let dearer = branch("55.01");
    assert_eq!(dearer.run_line(baseline).code, 0);
    let failed = dearer.run_line(gate);
    assert_eq!(failed.code, 4, "{}", failed.stderr);
    assert!(failed.stderr.contains("error: workload `chat`: [budget-total]"), "{}", failed.stderr);
    assert_eq!(dearer.run_line(comment).code, 4);
    assert_eq!(dearer.run_line(compare).code, 4, "5,000.00 to 5,501.00 is more than 10 %");
    let answer: Value = serde_json::from_str(&read(&dearer, "branch.json")).expect("a document");
    assert_eq!((&answer["verdict"], &answer["workloads"][0]["total_usd"]), (&"fail".into(), &5501.into()));
    let junit = read(&dearer, "gpuadvise.xml");
    assert!(
        junit.contains("tests=\"3\" failures=\"1\"") && junit.contains("<failure type=\"deny\""),
        "{junit}"
    );
    let text = read(&dearer, "comment.md");
    assert!(
        text.starts_with("<!-- gpuadvise -->\n### gpuadvise check\n") && text.contains("5,501.00"),
        "{text}"
    );
    let diff = dearer.run_line("gpuadvise diff main.json branch.json --json").json();
    let totals = &diff["totals"];
    assert_eq!(
        (&totals["change_usd"], &totals["price_usd"], &totals["workload_usd"]),
        (&501.into(), &501.into(), &0.into()),
        "{diff}"
    );
}

#[test]
fn a_longer_workload_is_no_price() {
    let program = world(CHAT, &at("50"));
    assert_eq!(check(&program, &["-o", "old.json"]).code, 0);
    let program = program.file("gpuadvise.toml", &CHAT.replace("hours = 100", "hours = 130"));
    let program = program.file("prices.toml", &at("60"));
    assert_eq!(check(&program, &["-o", "new.json"]).code, 0);
    let totals = program.run_line("gpuadvise diff old.json new.json --json").json()["totals"].clone();
    // The old hundred hours at the new price, then thirty more hours.
    assert_eq!(
        (&totals["change_usd"], &totals["price_usd"], &totals["workload_usd"]),
        (&2800.into(), &1000.into(), &1800.into())
    );
}

/// A dearer machine makes the search choose another one: with the same question that is the prices' doing.
#[test]
fn another_choice_for_the_same_question_is_price() {
    let project = CHAT
        .replace("instance = \"aws/p5.48xlarge\"", "instance = [\"aws/p5.48xlarge\", \"aws/p4d.24xlarge\"]")
        .replace("nodes = 1\n", "");
    let both = |usd: &str| {
        let rows = at(usd);
        rows.replace("price = [\n", "price = [\n  { instance = \"p4d.24xlarge\", region = \"us-east-1\", billing = \"on-demand\", usd-per-hour = 45 },\n")
    };
    let program = world(&project, &both("40"));
    assert_eq!(check(&program, &["-o", "old.json"]).code, 0);
    let program = program.file("prices.toml", &both("60"));
    assert_eq!(check(&program, &["-o", "new.json"]).code, 0);
    let diff = program.run_line("gpuadvise diff old.json new.json --json").json();
    let row = &diff["rows"][0];
    assert_eq!(
        (&row["old"]["instance_type"], &row["new"]["instance_type"]),
        (&"p5.48xlarge".into(), &"p4d.24xlarge".into())
    );
    assert_eq!(
        (&row["change_usd"], &row["price_usd"], &row["workload_usd"]),
        (&500.into(), &500.into(), &0.into())
    );
}

/// P122: total, monthly and hourly limits, and the age of prices: each breach is named with both figures.
#[test]
fn p122_each_limit_that_is_broken_is_named() {
    let budget = "[budget]\ntotal = 4999.99\nmonthly = 4000\nhourly = 49.99\nmax-age-days = 20\n";
    let finished = check(&world(&format!("{CHAT}{budget}"), &at("50")), &[]);
    let answer = finished.json();
    assert_eq!(finished.code, 4);
    let expected = ["budget-total", "budget-monthly", "budget-hourly", "budget-max-age-days"];
    assert_eq!(ids(&answer["workloads"][0]), expected);
    let first = &answer["workloads"][0]["violations"][0];
    assert_eq!((&first["limit"], &first["actual"]), (&4999.99.into(), &5000.into()));
    for id in expected {
        assert!(finished.stderr.contains(&format!("[{id}]")), "{}", finished.stderr);
        assert_eq!(Program::new().run(&["explain", id]).code, 0);
    }
    let kept = "[budget]\ntotal = 5000\nmonthly = 5000\nhourly = 50\nmax-age-days = 60\n";
    assert_eq!(check(&world(&format!("{CHAT}{kept}"), &at("50")), &[]).code, 0, "equal is allowed");
}

/// P134: on a broken limit stdout still holds the whole document and stderr the reason.
#[test]
fn p134_a_broken_budget_writes_the_document_and_says_why() {
    let finished = check(&world(&format!("{CHAT}[budget]\ntotal = 1\n"), &at("50")), &["--quiet"]);
    assert_eq!((finished.code, finished.json()["verdict"].clone()), (4, "fail".into()));
    assert!(finished.stderr.starts_with("error: workload `chat`: [budget-total]"), "{}", finished.stderr);
}

/// P135: a policy, bad input, a broken catalog and "nothing fits" have different codes.
#[test]
fn p135_each_failure_of_the_gate_has_its_code() {
    let code = |project: &str, prices: &str| check(&world(project, prices), &[]).code;
    assert_eq!(code(CHAT, &at("50")), 0);
    assert_eq!(code("[[workload]]\n", &at("50")), 2);
    assert_eq!(code(&CHAT.replace("8b\"", "8b\"\nttft = \"0.01ms\""), &at("50")), 3);
    assert_eq!(code(&format!("{CHAT}[budget]\ntotal = 1\n"), &at("50")), 4);
    assert_eq!(code(CHAT, "schema = 1\n[[gpu]]\n"), 5);
    assert_eq!(code(&format!("{CHAT}max-age = 0\n"), &at("50")), 5);
}

#[test]
fn a_limit_beside_a_misfit_counts_as_a_limit() {
    let misfit = CHAT.replace("\"chat\"", "\"dream\"").replace("8b\"", "8b\"\nttft = \"0.01ms\"");
    let finished = check(&world(&format!("{misfit}{CHAT}[budget]\ntotal = 1\n"), &at("50")), &[]);
    let answer = finished.json();
    assert_eq!(finished.code, 4, "{}", finished.stderr);
    assert_eq!(ids(&answer["workloads"][0]), ["nothing-fits"]);
    assert!(answer["workloads"][0]["pick"].is_null());
    assert!(!answer["workloads"][0]["rejected"].as_array().expect("reasons").is_empty());
    assert_eq!(
        (&answer["totals"]["at_least"], &answer["totals"]["unknown"][0]),
        (&true.into(), &"dream".into())
    );
}

/// P066, P129: what is sold at an unknown price never passes as free, and sums say that they lack it.
#[test]
fn p129_an_unknown_price_is_a_failure_of_its_own() {
    let other = CHAT.replace("\"chat\"", "\"known\"").replace("p5.48xlarge", "g6e.xlarge");
    let unknown = at("\"unknown\"");
    let project = format!("{CHAT}{other}[budget]\ntotal = 100_000\n");
    let finished = check(&world(&project, &unknown), &[]);
    let answer = finished.json();
    assert_eq!((finished.code, answer["verdict"].clone()), (4, "fail".into()));
    assert_eq!(ids(&answer["workloads"][0]), ["unknown-price"]);
    assert!(answer["workloads"][0]["total_usd"].is_null());
    let at_least = |which: usize| answer["workloads"][which]["at_least"].clone();
    assert_eq!((at_least(0), at_least(1)), (true.into(), false.into()));
    let totals = &answer["totals"];
    assert_eq!(
        (&totals["at_least"], &totals["total_usd"]),
        (&true.into(), &answer["workloads"][1]["total_usd"])
    );
    let page = world(&project, &unknown).run_line("gpuadvise check --catalog prices.toml").stdout;
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("at least ") && page.contains("The cost of chat is not known"), "{page}");
    assert!(!page.contains(" 0.00 ") && !page.contains("at least n/a"), "{page}");
    // The same price alone, in every command: no total, and a part of it is not known.
    let alone = world(CHAT, &unknown);
    let totals = check(&alone, &[]).json()["totals"].clone();
    assert_eq!((&totals["total_usd"], &totals["at_least"]), (&Value::Null, &true.into()));
    let line = "gpuadvise cost --instance aws/p5.48xlarge --region us-east-1 --billing on-demand --catalog prices.toml";
    let row = alone.run_line(&format!("{line} --json")).json()["rows"][0].clone();
    assert_eq!((&row["total_usd"], &row["at_least"]), (&Value::Null, &true.into()));
    let page = alone.run_line("gpuadvise check --catalog prices.toml").stdout + &alone.run_line(line).stdout;
    assert!(!page.replace('\u{a0}', " ").contains("at least n/a"), "{page}");

    let lenient = check(&world(&format!("{project}unknown-price = \"warn\"\n"), &unknown), &[]);
    assert_eq!((lenient.code, lenient.json()["verdict"].clone()), (0, "warn".into()));
    assert!(lenient.stderr.contains("warning: workload `chat`: [unknown-price]"), "{}", lenient.stderr);
}

/// P066: a region without a price is not the cheapest one.
#[test]
fn p066_a_region_without_a_price_is_never_chosen() {
    let rows = "schema = 1\nprovider = \"aws\"\nsource = \"OWN\"\nprice = [\n\
        { instance = \"p5.48xlarge\", region = \"us-east-1\", billing = \"on-demand\", usd-per-hour = \"unknown\" },\n\
        { instance = \"p5.48xlarge\", region = \"us-east-2\", billing = \"on-demand\", usd-per-hour = 60 },\n]\n\
        [sources.OWN]\ntext = \"Private price list\"\nas-of = 2026-11-01\n";
    let project = CHAT.replace("\"us-east-1\"", "[\"us-east-1\", \"us-east-2\"]");
    let answer = check(&world(&project, rows), &[]).json();
    assert_eq!(answer["workloads"][0]["pick"]["region"], "us-east-2", "{answer}");
}

/// P125: the rise may be 1,000.00 and not 1,000.01.
#[test]
fn p125_a_rise_is_held_against_its_limit_to_the_cent() {
    let program = world(CHAT, &at("50"));
    assert_eq!(check(&program, &["-o", "old.json"]).code, 0);
    for (usd, code) in [("60", 0), ("60.0001", 4), ("40", 0)] {
        let now = Program::new()
            .env("SOURCE_DATE_EPOCH", "1796000000")
            .file("gpuadvise.toml", CHAT)
            .file("prices.toml", &at(usd))
            .file("old.json", &read(&program, "old.json"));
        assert_eq!(check(&now, &["-o", "new.json"]).code, 0);
        let finished = now.run_line("gpuadvise diff old.json new.json --max-increase 1000 --json");
        assert_eq!(finished.code, code, "{usd}: {}", finished.stdout);
        assert_eq!(finished.json()["limit"]["exceeded"], code == 4);
        assert_eq!(finished.stderr.contains("error: "), code == 4);
    }
}

#[test]
fn an_unknown_price_is_no_saving() {
    let program = world(CHAT, &at("50"));
    assert_eq!(check(&program, &["-o", "old.json"]).code, 0);
    let program = program.file("prices.toml", &at("\"unknown\""));
    assert_eq!(check(&program, &["-o", "new.json"]).code, 4);
    let finished = program.run_line("gpuadvise diff old.json new.json --max-increase 1e9 --json");
    let answer = finished.json();
    assert_eq!((finished.code, &answer["rows"][0]["status"]), (4, &"unknown".into()));
    assert!(answer["totals"]["change_usd"].is_null(), "{answer}");
    assert_eq!(answer["totals"]["at_least"], true);
    let page = program.run_line("gpuadvise diff old.json new.json").stdout;
    assert!(page.contains("n/a USD now") && !page.contains("at least n/a"), "{page}");
    assert_eq!(
        program.run_line("gpuadvise diff old.json new.json").code,
        0,
        "without a limit it is an answer"
    );
}

#[test]
fn stored_answers_of_recommend_and_cost_are_compared_too() {
    let lines = [
        "recommend --task infer --model llama-3-8b --instance aws/p5.48xlarge --region us-east-1 --hours 100",
        "cost --instance aws/p5.48xlarge --region us-east-1 --billing on-demand --hours 100",
    ];
    for line in lines {
        let program = world("", &at("50"));
        let run = |program: &Program, file: &str| {
            let finished =
                program.run_line(&format!("gpuadvise {line} --catalog prices.toml --json --output {file}"));
            assert_eq!(finished.code, 0, "{line}: {}", finished.stderr);
        };
        run(&program, "old.json");
        let program = program.file("prices.toml", &at("52.5"));
        run(&program, "new.json");
        for format in ["table", "csv", "markdown"] {
            let arguments = ["diff", "old.json", "new.json", "--format", format];
            assert_eq!(program.run(&arguments).code, 0, "{line} as {format}");
        }
        let totals = program.run_line("gpuadvise diff old.json new.json --json").json()["totals"].clone();
        assert_eq!(
            (&totals["change_usd"], &totals["price_usd"]),
            (&250.into(), &250.into()),
            "{line}: {totals}"
        );
        assert_eq!(program.run_line("gpuadvise diff old.json new.json --max-increase 249.99").code, 4);
        assert_eq!(program.run_line("gpuadvise diff old.json new.json --max-increase 5%").code, 0);
    }
}

#[test]
fn answers_are_as_their_schemas_say() {
    let valid = |name: &str, document: &Value| {
        let schema = Program::new().run(&["schema", name]).json();
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        if let Err(error) = validator.validate(document) {
            panic!("{name}: {error} at {}", error.instance_path());
        }
    };
    let misfit = CHAT.replace("\"chat\"", "\"dream\"").replace("8b\"", "8b\"\nttft = \"0.01ms\"");
    let project = format!("{CHAT}{misfit}{POLICIES}[budget]\ntotal = 1\n");
    valid("check", &check(&world(&project, &at("50")), &[]).json());
    valid("check", &check(&world(CHAT, &at("\"unknown\"")), &[]).json());
    let broken = check(&world(CHAT, "schema = 1\n[[gpu]]\n"), &[]);
    assert_eq!(broken.code, 5);
    valid("check", &broken.json());
    let program = world(&project, &at("50"));
    check(&program, &["-o", "old.json"]);
    valid("diff", &program.run_line("gpuadvise diff old.json old.json --max-increase 1 --json").json());
}

/// Files that a project file names stand beside it, wherever the command runs.
#[test]
fn paths_of_a_project_file_are_beside_it() {
    let project = "[[workload]]\nname = \"a\"\nworkload = \"job.toml\"\nquota = \"quota.toml\"\nhours = 10\n\
                   instance = \"aws/p5.48xlarge\"\n";
    let program = world("", &at("50"))
        .file("deep/project.toml", project)
        .file("deep/job.toml", "model = \"llama-3-8b\"\ntask = \"infer\"\nhours = 20\n")
        .file("deep/quota.toml", "[[quota]]\nprovider = \"gcp\"\nbilling = \"spot\"\nmax-nodes = 0\n");
    let answer = check(&program, &["deep/project.toml"]).json();
    assert_eq!(answer["workloads"][0]["workload"]["hours"], 10, "{answer}");
    let scenario = "[[workload]]\nname = \"a\"\nscenario = \"light-development\"\n";
    let finished = check(&world(scenario, &at("50")), &[]);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
}

const POLICIES: &str = "\
[[policy]]
id = \"eu-only\"
level = \"deny\"
when = \"!row.region.startsWith('eu-')\"
message = \"training data must stay in the EU, not in {row.region}\"

[[policy]]
id = \"small\"
level = \"warn\"
when = \"row.total_gpus > 4\"
message = \"{row.total_gpus} GPUs\"
";

#[test]
fn policies_deny_and_warn() {
    let finished = check(&world(&format!("{CHAT}{POLICIES}"), &at("50")), &[]);
    let answer = finished.json();
    assert_eq!((finished.code, ids(&answer["workloads"][0])), (4, vec!["eu-only", "small"]));
    let said = |at: usize| answer["workloads"][0]["violations"][at]["message"].clone();
    assert_eq!(
        (said(0), said(1)),
        ("training data must stay in the EU, not in us-east-1".into(), "8 GPUs".into())
    );
    let warned = check(&world(&format!("{CHAT}{}", POLICIES.replace("deny", "warn")), &at("50")), &[]);
    assert_eq!((warned.code, warned.json()["verdict"].clone()), (0, "warn".into()));
}

/// A condition that rests on what is not known is a finding, never a pass.
#[test]
fn a_policy_that_cannot_be_decided_is_a_finding() {
    // A serving row has no utilisation of a training step.
    let policy = "[[policy]]\nid = \"busy\"\nlevel = \"deny\"\nwhen = \"row.performance.mfu < 0.3\"\nmessage = \"idle\"\n";
    let finished = check(&world(&format!("{CHAT}{policy}"), &at("50")), &[]);
    let answer = finished.json();
    assert_eq!((finished.code, ids(&answer["workloads"][0])), (4, vec!["busy"]));
    let message = answer["workloads"][0]["violations"][0]["message"].as_str().expect("a message");
    assert!(message.contains("cannot be decided") && message.contains("mfu"), "{message}");
}

#[test]
fn bad_input_ends_with_2_and_its_place() {
    let policy = |when: &str| format!("{CHAT}[[policy]]\nid = \"p\"\nwhen = {when}\n");
    for (project, place, named) in [
        (format!("{CHAT}[budget]\ntotal = nan\n"), "10:9", "such as 5000"),
        (format!("{CHAT}[budget]\ntotal = -5\n"), "10:9", "not negative"),
        (format!("{CHAT}[budget]\nhourly = \"40\"\n"), "10:10", "without quotes"),
        (policy("\"row.regin == 'x'\""), "11:8", "region"),
        (policy("\"row.nodes >\""), "11:8", "policy `p`"),
        (policy("\"row.region > 5\""), "11:8", "policy `p`"),
        (policy("'row.nodes == \"1\"'"), "11:8", "`==` does not take"),
        (policy("'gpu == \"L4\"'"), "11:8", "a group of fields (`gpu`)"),
        (policy("'\"1\" in [row.nodes]'"), "11:8", "`in` does not take"),
        (policy("\"true\"\nmessage = \"{row.nodes\""), "12:11", "policy `p`, message"),
        (format!("{CHAT}[discount]\nawz = {{ on-demand = 5 }}\n"), "10:1", "awz"),
        (CHAT.replace("llama-3-8b", "llama-3-8"), "1:1", "llama-3-8b"),
        (CHAT.replace("aws/p5.48xlarge", "aws/p5.48xlrge"), "1:1", "aws/p5.48xlarge"),
        (CHAT.replace("model = \"llama-3-8b\"\n", ""), "1:1", "--params"),
        (CHAT.replace("\"infer\"", "\"serve\""), "3:8", "infer"),
    ] {
        let finished = check(&world(&project, &at("50")), &["--junit", "j.xml", "-o", "out.json"]);
        assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{project}: {}", finished.stderr);
        assert!(
            finished.stderr.contains(&format!("gpuadvise.toml:{place}: ")),
            "{project}: {}",
            finished.stderr
        );
        assert!(finished.stderr.contains(named), "{project} must name {named}: {}", finished.stderr);
    }
    let program = world(&format!("{CHAT}[budget]\ntotal = nan\n"), &at("50"));
    check(&program, &["--junit", "j.xml", "-o", "out.json"]);
    let left: Vec<_> =
        fs::read_dir(program.folder()).expect("a folder").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left.len(), 2, "nothing is written: {left:?}");
}

#[test]
fn a_project_file_is_needed() {
    let none = Program::new().run(&["check"]);
    assert_eq!((none.code, none.stderr.contains("no project file")), (2, true), "{}", none.stderr);
    let empty = Program::new().file("p.toml", "[budget]\ntotal = 5\n").run(&["check", "p.toml"]);
    assert_eq!((empty.code, empty.stderr.contains("[[workload]]")), (2, true), "{}", empty.stderr);
    let by_flag = Program::new().file("p.toml", CHAT).run(&["check", "--config", "p.toml", "--json"]);
    assert_eq!(by_flag.code, 0, "{}", by_flag.stderr);
}

/// The verdict and all figures are the same whatever the order of workloads and policies, and in any locale.
#[test]
fn order_and_locale_do_not_matter() {
    let other = CHAT.replace("\"chat\"", "\"batch\"").replace("hours = 100", "hours = 7");
    let tail = "[budget]\ntotal = 5300\n";
    let answers = |project: String, locale: &str| {
        let program = world(&project, &at("50")).env("LC_ALL", locale).env("LANG", locale);
        let finished = check(&program, &[]);
        let mut answer = finished.json();
        let mut workloads = answer["workloads"].take().as_array().expect("workloads").clone();
        workloads.sort_by_key(|one| one["name"].to_string());
        (finished.code, workloads, answer["totals"].take(), answer["verdict"].take())
    };
    let first = answers(format!("{CHAT}{other}{tail}"), "C.UTF-8");
    assert_eq!(first.0, 4);
    for locale in ["C", "de_DE.UTF-8", "tr_TR.UTF-8", "zh_CN.UTF-8"] {
        assert_eq!(first, answers(format!("{other}{CHAT}{tail}"), locale), "{locale}");
    }
}

/// P093: over a quota means not launchable, with both numbers. P094: a quota of one billing kind hides no other one.
#[test]
fn p093_p094_quotas_limit_what_they_name() {
    let quota = |kind: &str, gpus: u32| {
        format!(
            "[[quota]]\nprovider = \"aws\"\nregion = \"us-east-1\"\ngpu = \"H100\"\nbilling = \"{kind}\"\nmax-gpus = {gpus}\n"
        )
    };
    let run = |project: &str, quota: &str| {
        let rows = prices(&["\"on-demand\", usd-per-hour = 50", "\"spot\", usd-per-hour = 60"]);
        check(&world(project, &rows).file("quota.toml", quota), &["--quota", "quota.toml"])
    };
    let finished = run(CHAT, &quota("on-demand", 4));
    let answer = finished.json();
    assert_eq!(finished.code, 3, "{}", finished.stderr);
    let nearest = &answer["workloads"][0]["rejected"][0];
    assert_eq!(
        (&nearest["reason"], &nearest["nearest"]["limit"], &nearest["nearest"]["actual"]),
        (&"quota".into(), &4.into(), &8.into())
    );
    let message = nearest["nearest"]["message"].as_str().expect("a message");
    assert!(message.contains("not launchable") && message.contains("8 GPUs"), "{message}");
    assert_eq!(run(CHAT, &quota("on-demand", 8)).code, 0);
    assert_eq!(run(CHAT, &quota("spot", 0)).code, 0, "another billing kind");

    let any = CHAT.replace("hours = 100", "hours = 100\nbilling = [\"on-demand\", \"committed\"]");
    let answer = run(&any, &quota("on-demand", 0)).json();
    let pick = &answer["workloads"][0]["pick"];
    assert_ne!(pick["ranked_billing"], "on-demand", "{answer}");
    let costs = pick["costs"].as_array().expect("costs");
    let on_demand =
        costs.iter().find(|cost| cost["billing"] == "on-demand").expect("on-demand stays visible");
    assert!(on_demand["notes"].to_string().contains("not launchable"), "{on_demand}");
}

/// P093: another region is chosen where the cheapest one has no quota left.
#[test]
fn a_quota_moves_the_choice_to_another_region() {
    let region = |name: &str, usd: u32| {
        format!(
            "{{ instance = \"p5.48xlarge\", region = \"{name}\", billing = \"on-demand\", usd-per-hour = {usd} }},\n"
        )
    };
    let rows = at("50").replace("price = [\n", &format!("price = [\n{}", region("us-east-2", 60)));
    let project = CHAT.replace("\"us-east-1\"", "[\"us-east-1\", \"us-east-2\"]");
    let quota =
        "[[quota]]\nprovider = \"aws\"\nregion = \"us-east-1\"\nbilling = \"on-demand\"\nmax-nodes = 0\n";
    let program = world(&project, &rows).file("quota.toml", quota);
    let free = check(&program, &[]).json()["workloads"][0]["pick"].clone();
    assert_eq!((&free["region"], &free["also_in"][0]), (&"us-east-1".into(), &"us-east-2".into()));
    let bound = check(&program, &["--quota", "quota.toml"]).json()["workloads"][0]["pick"].clone();
    assert_eq!((&bound["region"], bound["also_in"].as_array().map(Vec::len)), (&"us-east-2".into(), Some(0)));
}

/// Two workloads that each stay within a quota may not run at the same time: the answer says so. A machine that
/// `[defaults]` name may be counted in a workload.
#[test]
fn a_quota_is_held_for_each_workload_alone_and_this_is_said() {
    let quota = "[[quota]]\nprovider = \"aws\"\nbilling = \"on-demand\"\nmax-gpus = 8\n";
    let work = |name: &str| format!("[[workload]]\nname = \"{name}\"\nnodes = 1\n");
    let defaults = CHAT.replace("[[workload]]\nname = \"chat\"", "[defaults]\nquota = \"quota.toml\"");
    let defaults = defaults.replace("nodes = 1\n", "");
    let ids = |workloads: &[String]| {
        let project = format!("{defaults}{}", workloads.concat());
        let finished = check(&world(&project, &at("50")).file("quota.toml", quota), &[]);
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        finished.json()["assumptions"].to_string().contains("quota-each")
    };
    assert!(ids(&[work("a"), work("b")]) && !ids(&[work("a")]));
}

#[test]
fn stored_answers_that_are_no_answers_end_with_2() {
    let program = world(CHAT, &at("50"));
    assert_eq!(check(&program, &["-o", "good.json"]).code, 0);
    let good = read(&program, "good.json");
    let program = program
        .file("half.json", &good[..good.len() / 2])
        .file("later.json", &good.replacen("\"schema_version\": 1", "\"schema_version\": 2", 1));
    let fit = program.run_line("gpuadvise fit --model llama-3-8b --task infer --gpu H100 --json -o fit.json");
    assert_eq!(fit.code, 0, "{}", fit.stderr);
    for (file, named) in
        [("half.json", "half.json:"), ("later.json", "schema_version 2"), ("fit.json", "an answer of `fit`")]
    {
        let finished = program.run(&["diff", "good.json", file, "--json"]);
        assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{file}");
        assert!(finished.stderr.contains(named), "{file}: {}", finished.stderr);
    }
}

#[test]
fn recommend_reads_the_quota_file_too() {
    let quota =
        "[[quota]]\nprovider = \"aws\"\ninstance = \"p5.*\"\nbilling = \"on-demand\"\nmax-nodes = 0\n";
    let line = "gpuadvise recommend --task infer --model llama-3-8b --instance aws/p5.48xlarge --quota quota.toml --json";
    let finished = Program::new().file("quota.toml", quota).run_line(line);
    let rejected = finished.json()["rejected"].to_string();
    assert_eq!((finished.code, rejected.contains("\"quota\"")), (3, true), "{rejected}");
    let slip = Program::new().file("quota.toml", "[[quota]]\nprovidr = \"aws\"\n").run_line(line);
    assert_eq!((slip.code, slip.stderr.contains("quota.toml:2:1")), (2, true), "{}", slip.stderr);
}

/// P117: with 40 % off on-demand it comes before spot at 30 % off the list.
#[test]
fn p117_discounts_count_in_the_ranking() {
    let rows = prices(&["\"on-demand\", usd-per-hour = 50", "\"spot\", usd-per-hour = 35"]);
    let line = "gpuadvise recommend --task infer --model llama-3-8b --instance aws/p5.48xlarge --region us-east-1 --hours 100 \
                --billing on-demand,spot --catalog prices.toml --json";
    let first = |project: &str| {
        let document = world(project, &rows).run_line(line).json();
        (document["recommendations"][0].clone(), document["assumptions"].to_string())
    };
    let (row, assumed) = first("");
    assert_eq!((&row["ranked_billing"], &row["ranked_total_usd"]), (&"spot".into(), &3500.into()));
    assert!(!assumed.contains("\"discount\""));
    let (row, assumed) = first("[discount]\naws = { on-demand = 40 }\n");
    assert_eq!((&row["ranked_billing"], &row["ranked_total_usd"]), (&"on-demand".into(), &3000.into()));
    assert!(row["costs"][0]["notes"].to_string().contains("40 % off the list price"), "{row}");
    assert!(assumed.contains("aws on-demand 40 %"), "{assumed}");
}

/// P166: a stated discount is marked, changes only prices that are there, and makes none up.
#[test]
fn p166_a_discount_is_stated_marked_and_makes_no_price_up() {
    let cost = |project: &str| {
        let program = world(project, &at("50"));
        program
            .run_line(
                "gpuadvise cost --instance aws/p5.48xlarge --region us-east-1 --catalog prices.toml --json",
            )
            .json()
    };
    let (list, own) = (cost(""), cost("[discount]\naws = { on-demand = 12.5, cud-1y = 50 }\n"));
    let kinds = |document: &Value| -> Vec<String> {
        let rows = document["rows"].as_array().expect("rows");
        let mut kinds: Vec<String> =
            rows.iter().map(|row| format!("{}{}", row["billing"], row["upfront"])).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(kinds(&list), kinds(&own), "no contract appears that nobody sells");
    assert!(!kinds(&own).iter().any(|kind| kind.contains("cud")));
    for (before, row) in list["rows"].as_array().expect("rows").iter().flat_map(|before| {
        let rows = own["rows"].as_array().expect("rows");
        rows.iter()
            .filter(move |row| row["billing"] == before["billing"] && row["upfront"] == before["upfront"])
            .map(move |row| (before, row))
    }) {
        let marked = row["notes"].to_string().contains("off the list price");
        assert_eq!(marked, row["billing"] == "on-demand", "{row}");
        if marked {
            assert_eq!(row["usd_per_hour"], 43.75);
        } else {
            assert_eq!(row["usd_per_hour"], before["usd_per_hour"]);
        }
    }
    assert!(own["assumptions"].to_string().contains("\"discount\""));
}

/// P118: an own price is read back, and the answer says that it is one.
#[test]
fn p118_own_prices_are_marked_in_the_gate() {
    let answer = check(&world(CHAT, &at("12.34")), &[]).json();
    let costs = answer["workloads"][0]["pick"]["costs"].as_array().expect("costs").clone();
    let own = costs.iter().find(|cost| cost["billing"] == "on-demand").expect("on-demand");
    assert_eq!((&own["usd_per_hour"], &own["overridden"]), (&12.34.into(), &true.into()));
    assert_eq!(answer["workloads"][0]["total_usd"], 1234);
}

/// P062: a price that is older than allowed fails; age counts from the earliest day that the source allows.
#[test]
fn p062_old_prices_fail() {
    let project = |days: u32| format!("{CHAT}[budget]\nmax-age-days = {days}\n");
    let ranged =
        at("50").replace("as-of = 2026-11-01", "as-of = { not-before = 2026-10-01, not-after = 2026-11-01 }");
    // The world's day is 30 November 2026.
    for (text, days, code) in [(&at("50"), 29, 0), (&at("50"), 28, 4), (&ranged, 60, 0), (&ranged, 59, 4)] {
        let finished = check(&world(&project(days), text), &[]);
        assert_eq!(finished.code, code, "{days}: {}", finished.stdout);
    }
}

/// P162: the oldest date of a price that was used stands in the answer.
#[test]
fn p162_the_oldest_price_is_dated() {
    let answer = check(&world(CHAT, &at("50")), &[]).json();
    let oldest = answer["catalog"]["as_of_oldest"].as_str().expect("a date");
    assert!(oldest <= "2026-11-01", "{oldest}");
    let page = world(CHAT, &at("50")).run_line("gpuadvise check --catalog prices.toml").stdout;
    assert!(page.contains(&format!("oldest {oldest}")), "{page}");
}

/// P096: the cost depends on the stated hours alone, never on the clock.
#[test]
fn p096_the_clock_changes_no_cost() {
    let on = |day: &str| {
        let program = world(CHAT, &at("50")).env("SOURCE_DATE_EPOCH", day);
        let mut answer = check(&program, &[]).json();
        (answer["workloads"][0]["total_usd"].take(), answer["totals"]["monthly_usd"].take())
    };
    assert_eq!(on("1796000000"), on("1900000000"));
}

#[test]
fn markup_in_names_stays_text() {
    let project = CHAT.replace("\"chat\"", "'<b>\"a\" & | `x`'") + "[budget]\ntotal = 1\n";
    let program = world(&project, &at("50"));
    let finished = program.run_line("gpuadvise check --catalog prices.toml --format markdown --junit j.xml");
    assert_eq!(finished.code, 4, "{}", finished.stderr);
    assert!(finished.stdout.contains("&lt;b&gt;") && !finished.stdout.contains("<b>"), "{}", finished.stdout);
    let junit = read(&program, "j.xml");
    assert!(junit.contains("name=\"&lt;b&gt;&quot;a&quot; &amp; | `x`\""), "{junit}");
}

#[test]
fn a_commitment_counts_with_all_that_is_owed() {
    let project = CHAT.replace("hours = 100", "hours = 100\nbilling = \"savings-1y\"");
    let rows = prices(&[
        "\"on-demand\", usd-per-hour = 50",
        "\"savings-1y\", upfront = \"none\", usd-per-hour = 30",
    ]);
    let finished = check(&world(&format!("{project}[budget]\ntotal = 200_000\n"), &rows), &[]);
    let one = finished.json()["workloads"][0].clone();
    assert_eq!((finished.code, &one["total_usd"]), (4, &262_800.into()), "{one}");
    assert_eq!((&one["monthly_usd"], &one["pick"]["ranked_total_usd"]), (&21_900.into(), &3_000.into()));
}

#[test]
fn cheapest_and_fastest_choose_differently() {
    let pick = |pick: &str| {
        let project = format!(
            "[defaults]\nprovider = \"aws\"\nregion = \"us-east-1\"\n[[workload]]\nname = \"t\"\ntask = \"train\"\n\
             params = \"1e9\"\npick = \"{pick}\"\n"
        );
        let one = check(&world(&project, &at("50")), &[]).json()["workloads"][0].clone();
        let number = |value: &Value| value.as_f64().expect("a number");
        (number(&one["total_usd"]), number(&one["pick"]["duration_hours"]["expected"]))
    };
    let (cheap, fast) = (pick("cheapest"), pick("fastest"));
    assert!(cheap.0 < fast.0 && fast.1 < cheap.1, "{cheap:?} {fast:?}");
}

#[test]
fn the_gate_chooses_by_what_it_holds_against_its_limits() {
    let rows = prices(&[
        "\"on-demand\", usd-per-hour = 50",
        "\"savings-1y\", upfront = \"none\", usd-per-hour = 30",
    ]);
    let project = |more: &str| {
        CHAT.replace(
            "hours = 100",
            &format!("hours = 100\nbilling = [\"on-demand\", \"savings-1y\"]\n{more}"),
        )
    };
    for more in ["", "pick = \"cheapest\"", "budget = 5000\nfail-over = 5000"] {
        let finished = check(&world(&project(more), &rows), &[]);
        let one = finished.json()["workloads"][0].clone();
        assert_eq!((finished.code, &one["total_usd"]), (0, &5_000.into()), "{more}: {one}");
        assert_eq!(one["pick"]["ranked_billing"], "on-demand", "{more}");
    }
    let only = CHAT.replace("hours = 100", "hours = 100\nbilling = \"savings-1y\"\nbudget = 5000");
    assert_eq!(check(&world(&only, &rows), &[]).code, 3, "the term owes 262,800, so nothing qualifies");
}

#[test]
fn what_a_contract_owes_is_warned_of_and_compared() {
    let line = "recommend --task infer --model llama-3-8b --instance aws/p5.48xlarge --region us-east-1 --hours 100 \
                --catalog prices.toml --json --billing";
    let rows = prices(&[
        "\"on-demand\", usd-per-hour = 50",
        "\"savings-1y\", upfront = \"none\", usd-per-hour = 30",
    ]);
    let program = world("", &rows);
    let old = program.run_line(&format!("gpuadvise {line} on-demand --output old.json"));
    assert!(old.code == 0 && !old.stderr.contains("owes"), "{}", old.stderr);
    let new = program.run_line(&format!("gpuadvise {line} savings-1y --output new.json"));
    assert!(new.code == 0 && new.stderr.contains("the contract owes 262,800.00 USD"), "{}", new.stderr);
    let document: Value = serde_json::from_str(&read(&program, "new.json")).expect("a document");
    assert_eq!(document["warnings"][0]["id"], "commitment-owed", "{}", document["warnings"]);
    let diff = program.run_line("gpuadvise diff old.json new.json --max-increase 10% --json");
    let totals = diff.json()["totals"].clone();
    assert_eq!((diff.code, &totals["change_usd"]), (4, &257_800.into()), "{totals}");
    let cost = program.run_line(
        "gpuadvise cost --instance aws/p5.48xlarge --region us-east-1 --billing savings-1y --hours 100 --catalog prices.toml",
    );
    assert!(cost.stderr.contains("the contract owes 262,800.00 USD"), "{}", cost.stderr);
}

#[test]
fn names_write_no_lines_of_their_own_on_stderr() {
    let project = CHAT.replace("\"chat\"", "\"a\\n::error::b\\u001B[31m\"") + "[budget]\ntotal = 1\n";
    let finished = check(&world(&project, &at("50")), &[]);
    assert_eq!(finished.code, 4, "{}", finished.stderr);
    assert!(!finished.stderr.contains('\u{1b}'), "{}", finished.stderr);
    assert!(finished.stderr.lines().all(|line| !line.trim_start().starts_with("::")), "{}", finished.stderr);
}

#[test]
fn an_invalid_catalog_is_an_error_in_junit_and_no_baseline() {
    let program = world(CHAT, "schema = 1\nprovider = \"aws\"\nprice = [ { instance = \"nothing\" } ]\n");
    let failed = check(&program, &["--junit", "j.xml", "--output", "main.json"]);
    assert_eq!(failed.code, 5, "{}", failed.stderr);
    let junit = read(&program, "j.xml");
    assert!(
        junit.contains("errors=\"1\"") && junit.contains("<error type=\"error\" message=\"the catalog has"),
        "{junit}"
    );
    for (file, baseline) in [("github-actions.yml", "code"), ("gitlab-ci.yml", "baseline")] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci").join(file);
        let text = fs::read_to_string(path).expect(file);
        let skip = format!("if [ \"${baseline}\" -eq 5 ]; then rm -f main.json; fi");
        assert!(text.contains(&skip), "{file} compares with a baseline that has no answer");
    }
}
