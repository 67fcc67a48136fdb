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
            if text.width() > most && !one_word {
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

#[test]
fn english_help_is_what_clap_prints() {
    let done = Program::new().run(&["check", "--help", "--lang", "en"]);
    assert!(done.stdout.contains("Usage: gpuadvise check [OPTIONS] [FILE]"), "{}", done.stdout);
    assert!(!done.stdout.contains(|c| is_han(c) && c != '折'), "{}", done.stdout);
}
