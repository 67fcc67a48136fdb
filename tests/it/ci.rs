//! The scripts of the workflow files in `docs/ci`, taken out of them and run by a shell as the CI systems run them: step by
//! step, with their outputs, until one fails.

use crate::gate::CHAT;
use crate::program::Program;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The machine of the gate at so many dollars an hour.
fn prices(usd: &str) -> String {
    crate::gate::prices(&[&format!("\"on-demand\", usd-per-hour = {usd}")])
}

/// A branch beside the main branch, which has this project at 50 USD an hour.
fn branch(project: &str, usd: &str) -> Program {
    Program::new()
        .file("gpuadvise.toml", project)
        .file("prices.toml", &prices(usd))
        .file("main/gpuadvise.toml", CHAT)
        .file("main/prices.toml", &prices("50"))
}

fn workflow(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci").join(file);
    std::fs::read_to_string(path).expect(file)
}

/// The lines behind `at` that stand deeper than `indent`, without that indentation.
fn block(lines: &[&str], at: usize, indent: usize) -> String {
    let deeper = |line: &&&str| line.trim().is_empty() || line.len() - line.trim_start().len() > indent;
    let body: Vec<&str> = lines[at + 1..].iter().take_while(deeper).copied().collect();
    let least =
        body.iter().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len());
    let least = least.min().unwrap_or(0);
    let own: Vec<&str> = body.iter().map(|line| line.get(least..).unwrap_or("")).collect();
    own.join("\n") + "\n"
}

/// Name and script of each step of the GitHub workflow that has one.
fn github_steps() -> Vec<(String, String)> {
    let text = workflow("github-actions.yml");
    let lines: Vec<&str> = text.lines().collect();
    let mut name = String::new();
    let mut steps = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(found) = line.trim_start().strip_prefix("- name: ") {
            found.clone_into(&mut name);
        } else if line.trim() == "run: |" {
            steps.push((name.clone(), block(&lines, at, line.len() - line.trim_start().len())));
        }
    }
    steps
}

/// The script of the GitLab job as the one shell that runs it sees it.
fn gitlab_script() -> String {
    let text = workflow("gitlab-ci.yml");
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.iter().position(|line| line.trim() == "script:").expect("a script");
    let mut script = String::new();
    for (at, line) in
        lines.iter().enumerate().skip(start + 1).take_while(|(_, line)| !line.starts_with("  artifacts"))
    {
        match line.strip_prefix("    - ") {
            Some("|") => script += &block(&lines, at, 4),
            Some(command) => script += &[command, "\n"].concat(),
            None => {}
        }
    }
    script
}

/// Runs a script in the folder of a world; its exit code, and what it wrote as outputs of its step.
fn shell(program: &Program, script: &str, variables: &[(&str, &str)]) -> (i32, BTreeMap<String, String>) {
    let folder = program.folder();
    let (outputs, summary): (PathBuf, PathBuf) = (folder.join("outputs"), folder.join("summary"));
    std::fs::write(&outputs, "").expect("a file");
    let own = Path::new(env!("CARGO_BIN_EXE_gpuadvise")).parent().expect("a folder");
    let status = Command::new("bash")
        .args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script])
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("PATH", format!("{}:/usr/bin:/bin", own.display()))
        .env("SOURCE_DATE_EPOCH", "1796000000")
        .env("GITHUB_OUTPUT", &outputs)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("bash starts");
    let text = std::fs::read_to_string(&outputs).expect("the outputs");
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    (
        status.code().expect("no signal"),
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
    )
}

/// What the GitHub job ends with: the code of the first step that fails.
fn github(program: &Program) -> i32 {
    let mut codes = BTreeMap::new();
    for (name, script) in github_steps() {
        let output = |step: &str| codes.get(step).cloned().unwrap_or_default();
        let (check, diff): (String, String) = (output("Check"), output("Compare with the main branch"));
        let (code, outputs) = shell(program, &script, &[("CHECK", &check), ("DIFF", &diff)]);
        if code != 0 {
            return code;
        }
        codes.extend(outputs.get("code").map(|code| (name, code.clone())));
    }
    0
}

fn gitlab(program: &Program) -> i32 {
    shell(program, &gitlab_script(), &[]).0
}

fn written(program: &Program, file: &str) -> Option<String> {
    std::fs::read_to_string(program.folder().join(file)).ok()
}

#[test]
fn the_scripts_of_the_workflows_are_found() {
    let steps: Vec<String> = github_steps().into_iter().map(|(name, _)| name).collect();
    assert_eq!(steps, ["Baseline", "Check", "Compare with the main branch", "Verdict"]);
    let script = gitlab_script();
    assert!(
        script.contains("gpuadvise diff main.json branch.json") && script.ends_with("exit \"$diff\"\n"),
        "{script}"
    );
}

/// Both pipelines end with the code of what is wrong, and leave a comment exactly where there is an answer.
#[test]
fn the_pipelines_end_with_the_code_of_the_gate() {
    let limit = |total: u32| format!("{CHAT}[budget]\ntotal = {total}\n");
    let old = format!("{CHAT}max-age = 0\n");
    let misfit = CHAT.replace("8b\"", "8b\"\nttft = \"0.01ms\"");
    let cases: [(&str, String, &str, i32); 8] = [
        ("nothing changed", limit(5000), "50", 0),
        ("a rise below ten per cent", limit(6000), "54.99", 0),
        ("a rise above it", limit(6000), "55.01", 4),
        ("a budget", limit(4999), "50", 4),
        ("an unknown price", CHAT.to_owned(), "\"unknown\"", 4),
        ("bad input", CHAT.replace("hours = 100", "hours = -1"), "50", 2),
        ("nothing fits", misfit, "50", 3),
        ("every price too old", old, "50", 5),
    ];
    for (what, project, usd, code) in cases {
        for run in [github, gitlab] {
            let program = branch(&project, usd);
            assert_eq!(run(&program), code, "{what}");
            let comment = written(&program, "comment.md");
            let junit = written(&program, "gpuadvise.xml");
            assert_eq!((comment.is_some(), junit.is_some()), (code != 2, code != 2), "{what}");
            if let Some((comment, junit)) = comment.zip(junit) {
                assert!(comment.starts_with("<!-- gpuadvise -->\n"), "{what}: {comment}");
                assert_eq!(comment.contains("### gpuadvise diff"), code != 5, "{what}: {comment}");
                assert_eq!(
                    junit.contains("<failure type=\"deny\""),
                    code >= 3 && what != "a rise above it",
                    "{what}: {junit}"
                );
                let document: Value =
                    serde_json::from_str(&written(&program, "branch.json").expect("an answer"))
                        .expect("whole");
                assert_eq!(document["command"], "check", "{what}");
            }
        }
    }
}

/// A main branch without a project file, or one that breaks its own limits, is no reason to stop.
#[test]
fn a_bad_baseline_stops_nothing() {
    for (main, compared) in [("nonsense = [", false), ("[budget]\ntotal = 1\n", true)] {
        for run in [github, gitlab] {
            let program = branch(CHAT, "50").file("main/gpuadvise.toml", &format!("{CHAT}{main}"));
            assert_eq!(run(&program), 0, "{main}");
            let comment = written(&program, "comment.md").expect("a comment");
            assert_eq!(comment.contains("### gpuadvise diff"), compared, "{comment}");
        }
    }
}
