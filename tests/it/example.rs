//! Commands that the documents show are run: every example of `--help`, every console block of README.md.

use crate::cmd::commands;
use crate::program::{Program, words};
use clap::CommandFactory;
use gpuadvise::cli::args::Cli;
use std::fs;
use std::path::Path;

/// Files that examples may name.
fn world() -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/examples");
    let (mut program, mut folders) = (Program::new(), vec![folder.clone()]);
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).expect("tests/fixtures/examples") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a fixture");
            let name = path.strip_prefix(&folder).expect("inside").to_string_lossy().into_owned();
            program = program.file(&name, &text);
        }
    }
    program
}

#[test]
fn every_help_names_exit_codes_and_two_examples_that_work() {
    for path in commands() {
        let arguments: Vec<&str> = path.split(' ').chain(["--help"]).collect();
        let help = world().run(&arguments);
        assert_eq!((help.code, help.stderr.as_str()), (0, ""), "{path}");
        assert!(
            help.stdout.contains("Exit codes: 0 answered") || help.stdout.contains("Exit codes: 0 no"),
            "{path}"
        );
        let examples =
            help.stdout.split("Examples:").nth(1).unwrap_or_else(|| panic!("{path} has no examples"));
        let examples: Vec<&str> =
            examples.lines().map(str::trim).filter(|l| l.starts_with("gpuadvise ")).collect();
        assert!(examples.len() >= 2, "{path} has {} examples", examples.len());
        for example in examples {
            assert!(
                example.starts_with(&format!("gpuadvise {}", path.split(' ').next().unwrap_or(""))),
                "{example}"
            );
            let finished = world().run_line(example);
            assert_eq!(finished.code, 0, "{example}: {}", finished.stderr);
        }
    }
}

/// Titles of groups of flags must not become that of the command, and its own flags come before those of every command.
#[test]
fn every_help_begins_with_what_the_list_of_commands_says() {
    let mut program = Cli::command();
    program.build();
    for path in commands() {
        let names: Vec<&str> = path.split(' ').collect();
        let listed =
            names.iter().fold(&program, |command, name| command.find_subcommand(name).expect("a command"));
        let help = world().run(&[names.as_slice(), &["-h"]].concat());
        let about = listed.get_about().expect("an about").to_string();
        assert_eq!(help.stdout.lines().next(), Some(about.as_str()), "{path}");
        let own = help.stdout.find("Which machines:").or_else(|| help.stdout.find("Model:"));
        let shared = help.stdout.find("Output and files:").expect("flags of every command");
        assert!(own.is_none_or(|own| own < shared), "{path}");
        let (parent, _) = names.split_at(names.len() - 1);
        let list = world().run(&[parent, &["-h"]].concat());
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat(&list.stdout).contains(&flat(&about)), "{path}: {about} is not in the list");
    }
}

#[test]
fn short_help_fits_on_a_page_and_points_to_the_long_one() {
    for path in commands() {
        let arguments: Vec<&str> = path.split(' ').chain(["-h"]).collect();
        let help = world().run(&arguments);
        assert_eq!(help.code, 0, "{path}");
        assert!(help.stdout.contains("--help"), "{path}");
        assert!(help.stdout.lines().all(|line| line.chars().count() <= 100), "{path}");
    }
}

#[test]
fn readme_sessions_are_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).expect("README.md");
    let sessions = sessions(&readme);
    assert!(sessions.len() >= 3, "README.md shows {} sessions", sessions.len());
    let mut rewritten = readme.clone();
    for session in sessions {
        let finished = world().run_line(&session.line);
        assert_eq!(finished.code, session.code, "{}: {}", session.line, finished.stderr);
        if session.shown.is_empty() || matches(&session.shown, &finished.stdout) {
            continue;
        }
        assert!(
            std::env::var_os("UPDATE_GOLDEN").is_some(),
            "README.md shows of `{}`\n{}\nbut it prints\n{}",
            session.line,
            session.shown,
            finished.stdout
        );
        let whole = |shown: &str| format!("$ {}\n{shown}", session.typed);
        rewritten = rewritten.replace(&whole(&session.shown), &whole(&cut(&session.shown, &finished.stdout)));
    }
    if rewritten != readme {
        fs::write(&path, rewritten).expect("README.md");
    }
}

#[test]
fn readme_and_ci_call_the_same_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).expect("README.md");
    let ci = fs::read_to_string(root.join(".ci/run")).expect(".ci/run");
    let test =
        readme.lines().map(str::trim).find(|line| line.starts_with("cargo test")).expect("a test command");
    assert!(ci.lines().any(|line| line.trim() == test), ".ci/run does not call `{test}`");
    assert!(readme.lines().count() <= 240, "README.md is too long");
}

struct Session {
    /// As it stands in the file.
    typed: String,
    line: String,
    /// What it prints; empty where nothing is shown.
    shown: String,
    /// From a comment behind the command: `# exit 3`.
    code: i32,
}

/// The commands of all console blocks, each with the lines below it.
fn sessions(readme: &str) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(typed) = line.strip_prefix("$ ").filter(|_| inside) {
            let (command, comment) = typed.split_once("  # ").unwrap_or((typed, ""));
            let code = comment.strip_prefix("exit ").and_then(|code| code.trim().parse().ok()).unwrap_or(0);
            if matches!(words(command).first().map(String::as_str), Some("gpuadvise")) {
                let (typed, line) = (typed.to_owned(), command.trim().to_owned());
                sessions.push(Session { typed, line, shown: String::new(), code });
            }
        } else if inside && let Some(session) = sessions.last_mut() {
            session.shown.push_str(line);
            session.shown.push('\n');
        }
    }
    sessions
}

/// The output, cut where `shown` is cut: as many lines before and behind the `…`.
fn cut(shown: &str, printed: &str) -> String {
    let Some((head, tail)) = shown.split_once("…\n") else { return printed.to_owned() };
    let lines: Vec<&str> = printed.lines().collect();
    let (head, tail) = (head.lines().count(), tail.lines().count().min(lines.len()));
    let kept = [&lines[..head.min(lines.len())], &["…"], &lines[lines.len() - tail..]].concat();
    kept.join("\n") + "\n"
}

/// Whether `shown` is the output, with `…` alone on a line for any lines.
fn matches(shown: &str, printed: &str) -> bool {
    let mut rest = printed;
    for (i, part) in shown.split("…\n").enumerate() {
        let at = if i == 0 { rest.starts_with(part).then_some(0) } else { rest.find(part) };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || shown.ends_with("…\n")
}
