//! Where answers go and in which characters.

use crate::program::{Program, run};
use std::io::Read;
use std::process::Stdio;

/// P141: with a locale that is not UTF-8, or with `--ascii`, tables are ASCII and the command works.
#[test]
fn tables_are_ascii_where_the_locale_is_not_utf_8() {
    let commands: &[&[&str]] = &[
        &["catalog", "gpus"],
        &["catalog", "instances"],
        &["catalog", "prices", "--provider", "aws"],
        &["catalog", "models"],
        &["catalog", "show", "H100-SXM"],
        &["schema"],
        &["explain", "memory"],
    ];
    for arguments in commands {
        for program in [
            Program::new().env("LC_ALL", "C"),
            Program::new().env("LC_ALL", "POSIX"),
            Program::new().env("LC_ALL", "").env("LC_CTYPE", "en_US.ISO-8859-1").env("LANG", "en_US.UTF-8"),
            Program::new().env("LC_ALL", "").env("LANG", ""),
        ] {
            let finished = program.run(arguments);
            assert_eq!(finished.code, 0, "{arguments:?}: {}", finished.stderr);
            assert!(
                finished.stdout.is_ascii() && finished.stderr.is_ascii(),
                "{arguments:?}: {}",
                finished.stdout
            );
        }
        let forced = run(&[arguments, ["--ascii"].as_slice()].concat());
        assert!(forced.stdout.is_ascii(), "{arguments:?}");
    }
    for (name, value) in [("LC_ALL", "C.UTF-8"), ("LC_ALL", "de_DE.utf8")] {
        let finished = Program::new().env(name, value).run(&["catalog", "gpus"]);
        assert!(finished.stdout.contains('\u{2500}'), "{value} has box characters");
    }
}

#[test]
fn colour_is_a_matter_of_the_flag_and_the_terminal() {
    let show = ["explain", "memory"];
    assert!(run(&[&show[..], &["--color=always"]].concat()).stdout.contains('\u{1b}'));
    assert!(!run(&[&show[..], &["--color=never"]].concat()).stdout.contains('\u{1b}'));
    assert!(!run(&show).stdout.contains('\u{1b}'), "stdout is a pipe here");
    let no_color = Program::new().env("NO_COLOR", "1");
    assert!(
        no_color.run(&[&show[..], &["--color=always"]].concat()).stdout.contains('\u{1b}'),
        "the flag wins"
    );
}

#[test]
fn a_closed_pipe_is_no_error() {
    for arguments in [&["catalog", "prices"][..], &["catalog", "prices", "--json"], &["man"], &["--help"]] {
        let mut child = Program::new()
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("UTF-8");
        assert!(child.wait().expect("it ends").success(), "{arguments:?}: {stderr}");
        assert_eq!(stderr, "", "{arguments:?}");
    }
}

/// Who stops reading early must not turn a broken budget into a success.
#[test]
fn a_closed_pipe_does_not_hide_the_outcome() {
    let mut child = Program::new()
        .command(&["recommend", "--params", "1e9", "--task", "train", "--fail-over", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(4));
}

#[test]
fn switches_have_an_environment_variable_too() {
    let ascii = |value: &str| {
        Program::new().env("GPUADVISE_ASCII", value).run(&["catalog", "gpus"]).stdout.is_ascii()
    };
    assert!(ascii("1") && ascii("true") && !ascii("0") && !ascii("false"));
    let json = Program::new().env("GPUADVISE_FORMAT", "json");
    assert!(json.run(&["catalog", "gpus"]).json()["rows"].is_array());
    assert!(json.run(&["catalog", "gpus", "--format", "csv"]).stdout.starts_with("name,"));
    let csv = Program::new().env("GPUADVISE_FORMAT", "csv").env("GPUADVISE_VERBOSE", "1");
    let json = csv.run(&["catalog", "gpus", "--json", "--quiet"]);
    assert!(json.json()["rows"].is_array() && json.stderr.is_empty(), "{}", json.stderr);
    assert!(csv.run(&["catalog", "gpus"]).stderr.contains("catalog loaded"));
    let config = Program::new().env("GPUADVISE_CONFIG", "nowhere.toml");
    assert_eq!(config.run(&["catalog", "gpus"]).code, 2);
    assert_eq!(
        config.run(&["catalog", "gpus", "--no-config"]).code,
        0,
        "a flag comes before the environment"
    );
}

/// An empty variable is none; another name of a flag has its variable; switches take all usual words.
#[test]
fn variables_are_read_as_people_write_them() {
    let run = |name: &str, value: &str, line: &[&str]| Program::new().env(name, value).run(line);
    let gpus = ["catalog", "gpus"];
    assert!(run("GPUADVISE_JSON", "1", &gpus).json()["rows"].is_array());
    assert!(!run("GPUADVISE_JSON", "0", &gpus).stdout.starts_with('{'));
    assert!(run("GPUADVISE_JSON", "1", &["catalog", "gpus", "--format", "csv"]).stdout.starts_with("name,"));
    let cost = ["cost", "--format", "csv", "--gpu", "H100"];
    let plain = Program::new().run(&cost).stdout;
    for name in ["GPUADVISE_TOP", "GPUADVISE_REGION", "GPUADVISE_MAX_HOURLY", "GPUADVISE_OUTPUT"] {
        let empty = run(name, "", &cost);
        assert_eq!((empty.code, empty.stdout.as_str()), (0, plain.as_str()), "{name}: {}", empty.stderr);
    }
    assert_eq!(
        run("GPUADVISE_CLOUD", "aws", &cost).stdout,
        Program::new().run(&[&cost[..], &["--cloud", "aws"]].concat()).stdout
    );
    let fit = ["fit", "--params", "1e9", "--task", "train", "--gpu", "H100", "--json"];
    let explained =
        |value: &str| run("GPUADVISE_EXPLAIN", value, &fit).json()["results"][0]["explain"].is_array();
    assert!(explained("1") && explained("true") && !explained("0") && !explained("false"));
}

#[test]
fn an_error_names_the_variable_that_it_comes_from() {
    let program = Program::new().env("GPUADVISE_TOP", "x");
    let finished = program.run(&["cost"]);
    assert_eq!(finished.code, 2);
    assert!(finished.stderr.contains("GPUADVISE_TOP"), "{}", finished.stderr);
    let typed = program.run(&["cost", "-n", "y"]);
    assert!(typed.code == 2 && !typed.stderr.contains("GPUADVISE_TOP"), "{}", typed.stderr);
}

/// `--ascii` holds in every format; JSON says the same by escapes.
#[test]
fn ascii_is_a_promise_of_every_format() {
    let line = ["catalog", "rules"];
    let of = |more: &[&str]| Program::new().run(&[&line[..], more].concat());
    for format in ["table", "json", "csv", "markdown", "html"] {
        assert!(
            !of(&["--format", format]).stdout.is_ascii() || ["table", "markdown", "html"].contains(&format),
            "{format}"
        );
        let ascii = of(&["--format", format, "--ascii"]);
        assert!(ascii.code == 0 && ascii.stdout.is_ascii(), "{format}");
    }
    assert_eq!(of(&["--json", "--ascii"]).json(), of(&["--json"]).json());
}

#[test]
fn a_dash_is_stdout() {
    let program = Program::new();
    let dash = program.run(&["catalog", "gpus", "-o", "-"]);
    assert_eq!(dash.stdout, program.run(&["catalog", "gpus"]).stdout);
    assert!(!program.folder().join("-").exists());
}

/// What has no end, or is far too long for a text of settings, is refused at once.
#[cfg(target_os = "linux")]
#[test]
fn files_without_an_end_are_refused() {
    let program = Program::new();
    std::fs::File::create(program.folder().join("huge")).and_then(|f| f.set_len(1 << 40)).expect("a file");
    for arguments in [
        ["fit", "--task=infer", "--model", "/dev/zero"],
        ["fit", "--task=infer", "--model", "./huge"],
        ["fit", "--task=infer", "--workload", "/dev/zero"],
        ["fit", "--task=infer", "--config", "huge"],
    ] {
        let finished = program.run(&arguments);
        assert_eq!(finished.code, 2, "{arguments:?}: {}", finished.stderr);
        assert!(finished.stderr.contains("longer than 16 MiB"), "{arguments:?}: {}", finished.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for arguments in
        [&["catalog", "gpus"][..], &["man"], &["schema", "cost"], &["catalog", "gpus", "-o", "/dev/full"]]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let output = Program::new().command(arguments).stdout(full).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write"), "{arguments:?}");
    }
}

#[test]
fn a_file_is_written_wholly_or_not_at_all() {
    let program = Program::new().file("answer.json", "old");
    let path = program.folder().join("answer.json");
    let written = program.run(&["catalog", "gpus", "--json", "-o", "answer.json"]);
    assert_eq!((written.code, written.stdout.as_str()), (0, ""));
    let direct = program.run(&["catalog", "gpus", "--json"]);
    assert_eq!(std::fs::read_to_string(&path).expect("the answer"), direct.stdout);

    let refused = program.run(&["catalog", "gpus", "--gpu", "nonsense", "--json", "-o", "answer.json"]);
    assert_eq!(refused.code, 2);
    assert_eq!(std::fs::read_to_string(&path).expect("the answer"), direct.stdout, "the old answer stays");

    let nowhere = program.run(&["catalog", "gpus", "-o", "none/answer.json"]);
    assert_eq!((nowhere.code, nowhere.stdout.as_str()), (1, ""));
    assert!(nowhere.stderr.contains("none/answer.json"), "{}", nowhere.stderr);
    assert_eq!(std::fs::read_dir(program.folder()).expect("a folder").count(), 1, "nothing is left behind");
}

#[test]
fn a_file_gets_no_control_codes_unless_asked_for() {
    let program = Program::new();
    program.run(&["explain", "memory", "-o", "a.txt"]);
    let text = std::fs::read_to_string(program.folder().join("a.txt")).expect("the answer");
    assert!(!text.contains('\u{1b}') && !text.is_empty());
}

#[test]
fn verbose_tells_on_stderr_and_quiet_is_silent() {
    let verbose = run(&["catalog", "gpus", "-v"]);
    assert!(verbose.stderr.contains("catalog loaded"), "{}", verbose.stderr);
    assert_eq!(verbose.stdout, run(&["catalog", "gpus", "-q"]).stdout);
}

/// Names and values of all fields of a document, at any depth.
fn fields<'d>(value: &'d serde_json::Value, found: &mut Vec<(&'d str, &'d serde_json::Value)>) {
    match value {
        serde_json::Value::Object(map) => map.iter().for_each(|(name, value)| {
            found.push((name, value));
            fields(value, found);
        }),
        serde_json::Value::Array(items) => items.iter().for_each(|item| fields(item, found)),
        _ => {}
    }
}

/// P087, for the answers with bills: a number that is money says in its name that it is dollars.
#[test]
fn bills_name_their_currency() {
    let words = ["price", "cost", "saves", "commitment", "upfront", "per_million", "rate_per", "amount"];
    for line in [
        "gpuadvise recommend --params 1e9 --task train --billing all --json",
        "gpuadvise cost --instance aws/p5.48xlarge --json",
        "gpuadvise recommend --params 1e9 --task train --format csv",
    ] {
        let finished = Program::new().run_line(line);
        assert_eq!(finished.code, 0, "{line}");
        if line.ends_with("csv") {
            let header = finished.stdout.lines().next().unwrap_or_default().to_owned();
            assert!(header.contains("usd_per_hour") && header.contains("total_usd"), "{header}");
            continue;
        }
        let document = finished.json();
        let mut all = Vec::new();
        fields(&document, &mut all);
        assert!(all.iter().any(|(name, _)| *name == "total_usd"), "{line}");
        for (name, value) in all {
            let money = words.iter().any(|word| name.contains(word)) && value.is_number();
            assert!(!money || name.contains("usd") || name.ends_with("_pct"), "`{name}` of {line}");
        }
    }
}

/// P087: every column or field of money names its currency.
#[test]
fn prices_name_their_currency() {
    let table = run(&["catalog", "prices", "--instance", "aws/p5.48xlarge"]);
    assert!(table.stdout.lines().next().is_some_and(|header| header.contains("USD")), "{}", table.stdout);
    let document = run(&["catalog", "prices", "--instance", "aws/p5.48xlarge", "--json"]).json();
    let row = document["rows"][0].as_object().expect("a row");
    let money: Vec<&String> = row.keys().filter(|name| name.ends_with("_per_hour")).collect();
    let named = |name: &String| {
        name.starts_with("usd_") || (name.starts_with("amount_") && row["currency"].is_string())
    };
    assert!(!money.is_empty() && money.iter().all(|name| named(name)), "{money:?}");
}
