//! Help and errors in Chinese: every text of every command has a translation, pages keep to the width of a terminal, and
//! no error of bad input is left half in English.

use crate::program::Program;
use clap::{Arg, Command, CommandFactory};
use gpuadvise::cli::args::Cli;
use gpuadvise::lang::Lang;
use unicode_width::UnicodeWidthStr;

/// Texts that are names in both languages.
const NAMES: [&str; 6] = ["GPU", "NVIDIA CUDA", "AMD `ROCm`", "Google TPUs", "Intel Gaudi", "Brain float"];

/// Widest help, columns.
const WIDEST: usize = 100;

/// Words of English in a row that are no name, as in a sentence.
const SENTENCE: usize = 3;

fn chinese() -> Lang {
    Lang::find("zh").expect("a catalogue of Chinese")
}

pub(crate) fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

/// The first words of English in a row that are neither quoted nor flags, names of values, files or figures.
pub(crate) fn english(line: &str) -> Option<String> {
    let (mut plain, mut close) = (String::new(), None::<char>);
    for c in line.chars() {
        match (close, c) {
            (Some(end), c) if c == end => close = None,
            (Some(_), _) => {}
            (None, '`' | '"') => close = Some(c),
            (None, '\'') if plain.ends_with([' ', ':']) || plain.is_empty() || plain.ends_with(is_han) => {
                close = Some(c);
            }
            (None, '<') => close = Some('>'),
            (None, '[') => close = Some(']'),
            _ => plain.push(c),
        }
        if close.is_some() && !plain.ends_with('¶') {
            plain.push('¶');
        }
    }
    let mut row: Vec<&str> = Vec::new();
    for word in plain.split(' ') {
        let body = word.trim_end_matches([',', ';', ':', '.', ')']);
        let is_word = (body.len() > 1 || body == "a")
            && body.starts_with(|c: char| c.is_ascii_lowercase())
            && body.chars().all(|c| c.is_ascii_alphabetic() || c == '\'')
            && body != "gpuadvise";
        if is_word {
            row.push(body);
        }
        if row.len() >= SENTENCE {
            return Some(row.join(" "));
        }
        if !is_word || body.len() < word.len() {
            row.clear();
        }
    }
    None
}

/// Whether a text is said in Chinese, and all of it.
fn fault(text: &str) -> Option<String> {
    if NAMES.contains(&text) {
        return None;
    }
    match chinese().known(text) {
        None => Some(format!("not said: {text}")),
        Some(said) if !said.contains(is_han) => Some(format!("no Chinese in `{said}` for: {text}")),
        Some(said) => english(&said).map(|left| format!("`{left}` is left in `{said}`")),
    }
}

/// All texts of an argument.
fn texts_of(arg: &Arg) -> Vec<String> {
    let styled = [arg.get_help(), arg.get_long_help()].into_iter().flatten().map(ToString::to_string);
    let heading = arg.get_help_heading().map(str::to_owned);
    let shown = arg.get_action().takes_values() && !arg.is_hide_possible_values_set();
    let values = arg.get_possible_values();
    let values = values.iter().filter(|_| shown).filter_map(|value| value.get_help());
    styled.chain(heading).chain(values.map(ToString::to_string)).collect()
}

fn walk(command: &Command, path: &[&str], see: &mut dyn FnMut(&Command, &[&str])) {
    see(command, path);
    for below in command.get_subcommands() {
        let path: Vec<&str> = path.iter().copied().chain([below.get_name()]).collect();
        walk(below, &path, see);
    }
}

#[test]
fn every_text_of_every_command_is_said_in_chinese() {
    let mut program = Cli::command();
    program.build();
    let (mut seen, mut faults) = (0, Vec::new());
    walk(&program, &[], &mut |command, path| {
        let about = [command.get_about(), command.get_long_about()].into_iter().flatten();
        let texts = about.map(ToString::to_string).chain(command.get_arguments().flat_map(texts_of));
        for text in texts {
            seen += 1;
            faults.extend(fault(&text).map(|fault| format!("{}: {fault}", path.join(" "))));
        }
    });
    assert!(seen > 1000, "{seen} texts only");
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn pages_of_help_are_chinese_and_keep_to_the_width() {
    let mut program = Cli::command();
    program.build();
    let mut paths: Vec<Vec<String>> = Vec::new();
    walk(&program, &[], &mut |_, path| {
        if !path.contains(&"help") {
            paths.push(path.iter().map(|&name| name.to_owned()).collect());
        }
    });
    assert!(paths.len() > 25, "{paths:?}");
    let mut faults = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        // Each width and each form of help by turns: they share all code but that of the width.
        let (columns, flag) = [("80", "--help"), ("120", "--help"), ("80", "-h")][at % 3];
        let mut line: Vec<&str> = path.iter().map(String::as_str).collect();
        line.extend([flag, "--lang", "zh"]);
        let done = Program::new().env("COLUMNS", columns).run(&line);
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{line:?}");
        let most = columns.parse().map_or(WIDEST, |columns: usize| columns.min(WIDEST));
        for text in done.stdout.lines() {
            let one_word = !text.trim().contains(' ') && !text.contains(is_han);
            if text.width() > most && !one_word && !is_command(text) {
                faults.push(format!("{line:?}: {} columns: {text}", text.width()));
            }
            let left = if text.trim_start().starts_with("gpuadvise ") { None } else { english(text) };
            faults.extend(left.map(|left| format!("{line:?}: `{left}` in: {text}")));
        }
        assert!(done.stdout.contains("用法："), "{line:?}: {}", done.stdout);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn names_of_values_do_not_move_what_stands_beside_them() {
    let done = Program::new().env("COLUMNS", "100").run(&["check", "-h", "--lang", "zh"]);
    let column = |flag: &str| {
        let line = done.stdout.lines().find(|line| line.contains(flag)).expect("the flag");
        let at = line.find("  另外").or_else(|| line.find("  配额")).expect("its text");
        line[..at].trim_end().width() + line[..at].len() - line[..at].trim_end().len()
    };
    assert!(done.stdout.contains("--junit <文件>"), "{}", done.stdout);
    assert_eq!(column("--junit"), column("--quota"), "{}", done.stdout);
}

/// A command to copy, which stays on one line.
fn is_command(line: &str) -> bool {
    line.starts_with("  gpuadvise ") || line.starts_with("  dcgmi ")
}

/// Below the flags every paragraph fills the lines of the terminal, and every command stands on one line.
#[test]
fn english_texts_below_the_flags_fill_their_lines() {
    let mut program = Cli::command();
    program.build();
    let mut all: Vec<(Vec<String>, String)> = Vec::new();
    walk(&program, &[], &mut |command, path| {
        if let Some(after) = command.get_after_long_help().filter(|_| !path.contains(&"help")) {
            all.push((path.iter().map(|&name| name.to_owned()).collect(), after.to_string()));
        }
    });
    assert!(all.len() > 25, "{} texts", all.len());
    for (path, text) in all {
        let mut line: Vec<&str> = path.iter().map(String::as_str).collect();
        line.push("--help");
        let done = Program::new().env("COLUMNS", "80").run(&line);
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{line:?}");
        let commands: Vec<&str> = text.lines().filter(|line| is_command(line)).collect();
        assert!(!commands.is_empty(), "{line:?}");
        for command in commands {
            assert!(done.stdout.lines().any(|line| line == command), "{line:?} breaks: {command}");
        }
        // What follows the first line of the text has no flags.
        let first = text.split_whitespace().next().expect("a word");
        let lines: Vec<&str> = done.stdout.lines().collect();
        let begins = |at: &usize| lines[at - 1].is_empty() && lines[*at].starts_with(first);
        let start = (3..lines.len()).find(begins).unwrap_or(0);
        assert!(start > 0, "{line:?}: no text below the flags");
        for pair in lines[start..].windows(2) {
            assert!(
                pair[0].width() <= 80 || is_command(pair[0]) || pair[0].starts_with("  # "),
                "{line:?}: {}",
                pair[0]
            );
            let in_text = |line: &str| !line.is_empty() && !line.starts_with(' ') && !line.ends_with(':');
            if in_text(pair[0]) && in_text(pair[1]) {
                let next = pair[1].split(' ').next().unwrap_or_default();
                assert!(pair[0].width() + 1 + next.width() > 80, "{line:?} ends early: {}", pair[0]);
            }
        }
    }
}

#[test]
fn english_help_is_what_clap_prints() {
    let done = Program::new().run(&["check", "--help", "--lang", "en"]);
    assert!(done.stdout.contains("Usage: gpuadvise check [OPTIONS] [FILE]"), "{}", done.stdout);
    assert!(!done.stdout.contains(|c| is_han(c) && c != '折'), "{}", done.stdout);
}
