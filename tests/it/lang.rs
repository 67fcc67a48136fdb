//! Chinese: the same answer in other words. Every figure of a page stands there too, JSON and CSV are the same bytes, and
//! what is still English is of a kind that stays so.

use crate::cmd::RUNS;
use crate::program::{Program, once, run};
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::lang::Lang;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const ZH: &[&str] = &["--lang", "zh"];

/// Runs beside those of every command, for texts that they do not show.
const MORE: &[&[&str]] = &[
    &["recommend", "--model", "resnet-50", "--task", "train"],
    &["accuracy"],
    &["recommend", "--params", "7B", "--task", "train", "--billing", "committed", "--top", "2"],
    &["recommend", "--model", "llama-3-8b", "--task", "infer", "--top", "1", "--explain"],
    &[
        "recommend",
        "--params",
        "7B",
        "--task",
        "train",
        "--nccl",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nccl/h100-ring.txt"),
        "--top",
        "1",
    ],
    &[
        "network",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nccl/h100-ring.txt"),
        "--params",
        "7B",
        "--task",
        "train",
    ],
    &["commitments", "--hours-per-day", "14", "--instance", "gcp/a2-highgpu-8g", "--max-spot-share", "50"],
    &["cost", "--provider", "autodl"],
    &["tco", "--gpu", "H100:8", "--utilisation", "60"],
];

#[test]
fn json_and_csv_stay_english() {
    for arguments in RUNS {
        for format in ["json", "csv"] {
            let asked = [arguments, ["--format", format].as_slice()].concat();
            let (english, chinese) = (once(&asked), run(&[&asked, ZH].concat()));
            assert_eq!(english.stdout, chinese.stdout, "{asked:?}");
            assert_eq!(english.code, chinese.code, "{asked:?}");
        }
    }
}

/// No translation changes a figure: digits of the English text stand in the Chinese one, as often. Words may become
/// digits (`one dollar`), names of formats and of a technique (`bfloat16`, `P2P`) have their own.
#[test]
fn messages_keep_their_figures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lang/zh");
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let text = fs::read_to_string(entry.expect("an entry").path()).expect("a file");
        let table: toml::Table = toml::from_str(&text).expect("TOML");
        for (english, chinese) in
            table.get("messages").and_then(|table| table.as_table()).into_iter().flatten()
        {
            let plain = |text: &str| {
                text.replace("UTF-8", "").replace("utf-8", "").replace("CO2", "").replace("P2P", "")
            };
            let chinese = chinese.as_str().expect("a text");
            let (before, after) = (figures(&plain(english)), figures(&plain(chinese)));
            let words =
                ["one", "all", "hundred", "billion", "not negative", "three", "Brain float", "two", "twice"];
            let lost: Vec<_> =
                before.iter().filter(|(figure, n)| after.get(*figure).unwrap_or(&0) < n).collect();
            let new: Vec<_> =
                after.iter().filter(|(figure, n)| before.get(*figure).unwrap_or(&0) < n).collect();
            if !lost.is_empty() || !new.is_empty() && !words.iter().any(|word| english.contains(word)) {
                wrong.push(format!("{english} = {chinese}: lost {lost:?}, new {new:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Numbers of a text, how often each.
fn figures(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let digit = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    for piece in text.split(|c: char| !digit(c)) {
        let piece = piece.trim_matches(['.', ',']);
        if piece.chars().any(|c| c.is_ascii_digit()) {
            *found.entry(piece.to_owned()).or_default() += 1;
        }
    }
    found
}

#[test]
fn no_figure_is_lost_and_none_comes_in() {
    for arguments in RUNS.iter().chain(MORE).filter(|arguments| !is_script(arguments)) {
        let page = |more: &[&str]| once(&[arguments, ["--format", "markdown"].as_slice(), more].concat());
        let (english, chinese) = (page(&[]), page(ZH));
        for (english, chinese) in [(&english.stdout, &chinese.stdout), (&english.stderr, &chinese.stderr)] {
            assert_eq!(english.lines().count(), chinese.lines().count(), "{arguments:?}");
            for (english, chinese) in english.lines().zip(chinese.lines()) {
                let (mut before, mut after) = (figures(english), figures(chinese));
                // `reserved-1y` is said with a space, `one` and `a month` as numbers are not counted.
                before.retain(|figure, count| after.get(figure) != Some(count));
                after.retain(|figure, count| figures(english).get(figure) != Some(count));
                assert!(
                    before.is_empty() && after.is_empty(),
                    "{arguments:?}\n{english}\n{chinese}\nlost {before:?}, new {after:?}"
                );
            }
        }
    }
}

/// What is a program or English by its nature: completions, man pages.
fn is_script(arguments: &[&str]) -> bool {
    matches!(arguments, ["completions" | "man" | "export", ..])
}

/// Three English words beside each other in a text of which names, sources and what is typed are taken out.
fn english(text: &str) -> Option<String> {
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" | ");
    let mut row: Vec<&str> = Vec::new();
    for word in plain.split(' ') {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_word = bare.len() > 1 && bare.bytes().all(|byte| byte.is_ascii_lowercase());
        if is_word {
            row.push(bare);
        } else {
            row.clear();
        }
        if row.len() == 3 {
            return Some(row.join(" "));
        }
        if word.ends_with([',', ';']) {
            row.clear();
        }
    }
    None
}

/// Lines that stay English, and why.
fn may_stay(line: &str) -> bool {
    // A command is typed so. Words of logs and conditions of rules are quoted; a field of the catalog is data.
    line.starts_with("### gpuadvise")
        || [
            "\u{65e5}\u{5fd7}\u{663e}\u{793a}",
            "row.",
            "workload.",
            "| source |",
            "| note |",
            "| usable",
            "| price_terms",
        ]
        .iter()
        .any(|kind| line.contains(kind))
}

#[test]
fn little_is_left_in_english() {
    let catalog = embedded(Sections::ALL).expect("the embedded catalog");
    let mut sources: Vec<&str> = catalog.sources.iter().map(|source| source.text.as_str()).collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.len()));
    let (mut lines, mut left) = (0, Vec::new());
    for arguments in RUNS.iter().chain(MORE).filter(|arguments| !is_script(arguments)) {
        let finished = once(&[arguments, ["--format", "markdown"].as_slice(), ZH].concat());
        for line in finished.stdout.lines().chain(finished.stderr.lines()) {
            lines += 1;
            let mut plain = line.replace("&#8203;", "").replace(['\\'], "");
            for source in &sources {
                if plain.contains(source) {
                    plain = plain.replace(source, "|");
                }
            }
            if let Some(words) = english(&plain).filter(|_| !may_stay(&plain)) {
                left.push(format!("{words}: {plain}"));
            }
        }
    }
    assert!(left.is_empty(), "{} of {lines} lines hold English:\n{}", left.len(), left.join("\n"));
}

/// Pages that hold prices of the day: figures are masked.
#[test]
fn pages_are_as_recorded() {
    let fixture = |name: &str| format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR"));
    let (project, gpus) =
        (fixture("fixtures/examples/gpuadvise.toml"), fixture("fixtures/examples/gpus.csv"));
    let nccl = fixture("data/nccl/h100-ring.txt");
    let mut wrong = Vec::new();
    for (name, arguments) in [
        ("check", vec!["check", &project]),
        ("commitments", vec!["commitments", "--hours-per-day", "14", "--instance", "aws/p4d.24xlarge"]),
        ("tco", vec!["tco", "--gpu", "H100:8", "--utilisation", "60"]),
        ("rightsize", vec!["rightsize", &gpus, "--instance", "aws/p4d.24xlarge"]),
        ("network", vec!["network", &nccl]),
    ] {
        let finished = run(&[&arguments, ["--format", "markdown"].as_slice(), ZH].concat());
        let page = finished.stdout.replace(env!("CARGO_MANIFEST_DIR"), "").replace("&#8203;", "");
        let mut masked = String::new();
        for c in page.chars() {
            let digit = c.is_ascii_digit() || matches!(c, '.' | ',') && masked.ends_with('#');
            if !digit {
                masked.push(c);
            } else if !masked.ends_with('#') {
                masked.push('#');
            }
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/zh/{name}.md"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &masked).expect("a page");
        }
        if fs::read_to_string(&path).unwrap_or_default() != masked {
            wrong.push(format!("{name} is now\n{masked}"));
        }
    }
    assert!(wrong.is_empty(), "UPDATE_GOLDEN=1 rewrites tests/golden/zh:\n{}", wrong.join("\n"));
}

#[test]
fn the_language_is_that_of_the_first_who_says_one() {
    let chinese = |finished: &crate::program::Finished| finished.stdout.contains("\u{6e90}");
    let gpus = ["catalog", "gpus", "--gpu", "H100"];
    let with = |variables: &[(&str, &str)], more: &[&str]| {
        let program =
            variables.iter().fold(Program::new(), |program, (name, value)| program.env(name, value));
        program.run(&[&gpus, more].concat())
    };
    for (variables, more, expected) in [
        ([].as_slice(), [].as_slice(), false),
        (&[], &["--lang", "zh"], true),
        (&[], &["--lang", "ZH-cn"], true),
        (&[("GPUADVISE_LANG", "zh")], &[], true),
        (&[("GPUADVISE_LANG", "zh")], &["--lang", "en"], false),
        (&[("LC_ALL", "zh_CN.UTF-8")], &[], true),
        (&[("LC_ALL", ""), ("LANG", "zh_CN.UTF-8")], &[], true),
        (&[("LC_ALL", ""), ("LC_MESSAGES", "en_US.UTF-8"), ("LANG", "zh_CN.UTF-8")], &[], false),
        (&[("LC_ALL", "zh_CN.GBK")], &[], false),
        (&[("LC_ALL", "C"), ("GPUADVISE_LANG", "zh")], &[], true),
        (&[("GPUADVISE_LANG", "zh")], &["--ascii"], false),
        (&[("LC_ALL", "zh_CN.UTF-8"), ("GPUADVISE_LANG", "en")], &[], false),
    ] {
        assert_eq!(chinese(&with(variables, more)), expected, "{variables:?} {more:?}");
    }
    let refused = with(&[], &["--ascii", "--lang", "zh"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("`--ascii`") && refused.stdout.is_empty(), "{}", refused.stderr);
    assert_eq!(with(&[], &["--lang", "tlh"]).code, 2);
}

#[test]
fn the_project_file_names_a_language() {
    let gpus = ["catalog", "gpus", "--gpu", "H100"];
    let project = |text: &str| Program::new().file("gpuadvise.toml", text);
    let asked = project("[defaults]\nlang = \"zh\"\n");
    assert!(asked.run(&gpus).stdout.contains("\u{6e90}"));
    assert!(!asked.run(&[&gpus, ["--lang", "en"].as_slice()].concat()).stdout.contains("\u{6e90}"));
    assert!(!asked.run(&[&gpus, ["--no-config"].as_slice()].concat()).stdout.contains("\u{6e90}"));
    let wrong = project("[defaults]\nlang = \"tlh\"\n").run(&["cost", "--hours", "1"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("gpuadvise.toml:2:8"), "{}", wrong.stderr);
    let wrong = project("[[workload]]\nname = \"a\"\nlang = \"zh\"\n").run(&["cost", "--hours", "1"]);
    assert_eq!(wrong.code, 2, "a language of one workload");
}

#[test]
fn help_and_errors_are_said() {
    let help = run(&["cost", "--help", "--lang", "zh"]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    assert!(help.stdout.contains("\u{7528}\u{6cd5}\u{ff1a}gpuadvise cost"), "{}", help.stdout);
    assert!(!help.stdout.contains("Usage:") && !help.stdout.contains("Options:"), "{}", help.stdout);
    // Commands stay on one line, however long.
    let mut text = help.stdout.lines().filter(|line| !line.starts_with("  gpuadvise "));
    let wide = text.find(|line| gpuadvise::report::wrap::width_of(line) > 100);
    assert!(wide.is_none_or(|line| !line.contains(' ')), "{wide:?}");
    let error = run(&["cost", "--gpu", "nonsense", "--lang", "zh"]);
    assert_eq!(error.code, 2);
    assert!(error.stderr.starts_with("\u{9519}\u{8bef}\u{ff1a}"), "{}", error.stderr);
}

#[test]
fn the_tag_of_html_is_that_of_the_language() {
    let page = run(&["catalog", "gpus", "--gpu", "H100", "--format", "html", "--lang", "zh"]).stdout;
    assert!(page.contains("<html lang=\"zh-CN\">"));
    assert_eq!(Lang::find("zh").expect("Chinese").tag(), "zh-CN");
}

/// What a user wrote and what another program reads stay as they are.
#[test]
fn quotations_are_not_said() {
    let own = "no spot. Nothing qualifies. Costs: on-demand, reserved";
    let project = format!(
        "[[workload]]\nname = \"no price, unknown\"\ntask = \"infer\"\nmodel = \"llama-3-8b\"\n\
         instance = \"aws/p5.48xlarge\"\nnodes = 1\nhours = 100\n\
         [[policy]]\nid = \"own\"\nlevel = \"deny\"\nwhen = \"true\"\nmessage = \"{own}\"\n"
    );
    let rule = format!(
        "schema = 1\n[sources.us]\ntext = \"own\"\nas-of = 2026-01-01\n\
         [[rule]]\nid = \"own-rule\"\nlevel = \"warn\"\nwhen = \"true\"\nmessage = \"{own}\"\n\
         explain = \"{own}\"\nsource = \"us\"\n"
    );
    let program = Program::new().file("gpuadvise.toml", &project).file("rule.toml", &rule);
    for format in ["markdown", "html", "table"] {
        let check = program.run(&["check", "--format", format, "--lang", "zh"]);
        assert_eq!(check.code, 4, "{}", check.stderr);
        let page = check.stdout.replace("&#8203;", "").replace('\n', " ");
        assert!(format == "table" || page.contains(own), "{page}");
        assert!(page.contains("no price, unknown"), "{page}");
        assert!(check.stderr.contains(own), "{}", check.stderr);
        let model =
            ["recommend", "--model", "llama-3-8b", "--task", "infer", "--instance", "aws/p5.48xlarge"];
        let more = ["--catalog", "rule.toml", "--hours", "1", "--format", format, "--lang", "zh"];
        let advised = program.run(&[model.as_slice(), &more].concat());
        assert_eq!(advised.code, 0, "{}", advised.stderr);
        assert!(format == "table" || advised.stdout.contains(own), "{}", advised.stdout);
        for text in [check.stdout, check.stderr, advised.stdout, advised.stderr] {
            assert!(!text.contains(['\u{fdd0}', '\u{fdd1}']), "{text}");
        }
    }
    for script in [["completions", "fish"], ["completions", "bash"]] {
        let pages = ["en", "zh"].map(|lang| {
            run(&[script.as_slice(), &["--format", "html", "--lang", lang]].concat())
                .stdout
                .replace("zh-CN", "en")
        });
        let code = |page: &str| page.split("<pre").nth(1).map(str::to_owned);
        assert!(code(&pages[0]).is_some_and(|code| code.len() > 1000), "{}", pages[0]);
        assert_eq!(code(&pages[0]), code(&pages[1]), "{script:?}");
    }
    let english = program.run(&["check", "--format", "markdown"]);
    assert!(english.stdout.contains(own) && !english.stdout.contains(['\u{fdd0}', '\u{fdd1}']));
}
