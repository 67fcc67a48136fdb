//! What clap says — help, and errors of the command line — in another language, and what stands below the flags of English
//! help. All else in English is printed by clap itself.

use super::args::{Cli, ColorChoice};
use super::environment;
use super::terminal::{self, Terminal};
use crate::lang::Lang;
use crate::report::wrap::{broken, width_of};
use clap::builder::Styles;
use clap::{Arg, Command, CommandFactory};
use std::fmt::Write as _;

/// Widest help, columns, as clap has it.
const WIDEST: usize = 100;

/// Narrowest text beside a column of flags.
const NARROWEST: usize = 20;

/// A space at which clap ends no line, until the page is made: a noncharacter, like those of [`crate::lang::quoted`].
const KEPT: char = '\u{fdd2}';

/// What to print for this command line in place of what clap would print; `None` where that is good as it is.
pub(super) fn said(lang: Lang) -> Option<String> {
    if lang.is_english() {
        return english();
    }
    let command =
        environment::settle(told(Cli::command(), lang)).term_width(usize::MAX).max_term_width(usize::MAX);
    let error = command.try_get_matches().err()?;
    let page = error.render().to_string();
    // Errors are sentences of one line each, which a terminal breaks.
    if error.use_stderr() {
        let line = |line| format!("{}\n", line_in(&named(line, lang), lang).trim_end());
        return Some(page.lines().map(line).collect());
    }
    Some(help(&page, lang, width(), Terminal::detect(ColorChoice::Auto, false, false).color))
}

/// Help in English, laid out by clap but for what stands below the flags.
fn english() -> Option<String> {
    let command = environment::settle(laid_out(Cli::command(), width()));
    let error = command.try_get_matches().err().filter(|error| !error.use_stderr())?;
    let page = error.render();
    let color = Terminal::detect(ColorChoice::Auto, false, false).color;
    let page = if color { page.ansi().to_string() } else { page.to_string() };
    Some(page.replace(KEPT, " "))
}

/// Columns of a page of help.
fn width() -> usize {
    terminal::columns().map_or(WIDEST, |columns| usize::from(columns).min(WIDEST))
}

/// The command with the texts below its flags in lines of this width.
fn laid_out(mut command: Command, width: usize) -> Command {
    if let Some(after) = command.get_after_help().map(ToString::to_string) {
        command = command.after_help(lines_of(&after, width));
    }
    if let Some(after) = command.get_after_long_help().map(ToString::to_string) {
        command = command.after_long_help(lines_of(&after, width));
    }
    command.mut_subcommands(|below| laid_out(below, width))
}

/// Paragraphs and entries that fill the width, and commands on one line each, however long, so that they can be copied.
fn lines_of(text: &str, width: usize) -> String {
    let mut page = String::new();
    for line in unfolded(text) {
        if is_comment(&line) {
            page.extend([line.as_str(), "\n"]);
        } else {
            wrapped(&line, width, &mut page);
        }
    }
    page.truncate(page.trim_end().len());
    let kept = |line: &str| {
        if is_command(line) || is_comment(line) {
            line.replace(' ', KEPT.encode_utf8(&mut [0; 4]))
        } else {
            line.to_owned()
        }
    };
    page.lines().map(kept).collect::<Vec<_>>().join("\n")
}

/// Whether it is the comment above a command, which may name another command.
fn is_comment(line: &str) -> bool {
    line.starts_with("  # ")
}

/// Whether a line of the texts below the flags is a command to type: indented, and neither a comment nor an entry.
fn is_command(line: &str) -> bool {
    let own = line.strip_prefix("  ").unwrap_or_default();
    own.starts_with(|c: char| c.is_ascii_lowercase()) && !own.contains("  ")
}

/// A page of help, within a width; headings stand out as those of clap do where `styled`.
fn help(page: &str, lang: Lang, width: usize, styled: bool) -> String {
    let mut said = String::new();
    for line in page.lines() {
        let start = said.len();
        wrapped(line_in(&named(line, lang), lang).trim_end(), width, &mut said);
        if let Some(end) = heading(line, &said[start..]).filter(|_| styled) {
            let style = Styles::styled();
            let style = style.get_header();
            let text = format!("{style}{}{style:#}", &said[start..start + end]);
            said.replace_range(start..start + end, &text);
        }
    }
    said
}

/// Where the heading ends that a line of clap begins with, in what was said for it: `Options:`, `Usage: gpuadvise`.
fn heading(line: &str, said: &str) -> Option<usize> {
    let is_usage = line.starts_with("Usage: ");
    let is_heading = is_usage || line.ends_with(':') && !line.starts_with(' ');
    let end = if is_usage { said.char_indices().find(|&(_, c)| c == ':' || c == '\u{ff1a}') } else { None };
    let end = end.map_or_else(|| said.trim_end().len(), |(at, c)| at + c.len_utf8());
    is_heading.then_some(end)
}

/// The command with its texts said.
fn told(mut command: Command, lang: Lang) -> Command {
    let say = |text: Option<String>| text.and_then(|text| lang.known(&text));
    let text = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string);
    if let Some(about) = say(text(command.get_about())) {
        command = command.about(about);
    }
    if let Some(about) = say(text(command.get_long_about())) {
        command = command.long_about(about);
    }
    if let Some(after) = text(command.get_after_help()) {
        command = command.after_help(below(&after, lang));
    }
    if let Some(after) = text(command.get_after_long_help()) {
        command = command.after_long_help(below(&after, lang));
    }
    command.mut_args(|arg| told_arg(arg, lang)).mut_subcommands(|below| told(below, lang))
}

fn told_arg(mut arg: Arg, lang: Lang) -> Arg {
    let said = |text: Option<&clap::builder::StyledStr>| text.and_then(|text| lang.known(&text.to_string()));
    let (help, more) = (said(arg.get_help()), said(arg.get_long_help()));
    if let Some(help) = help {
        arg = arg.help(help);
    }
    match more {
        Some(more) => arg.long_help(more),
        None => arg,
    }
}

/// What stands below the flags, said: a paragraph is one text, a comment above an example and what an entry of a table
/// means are others, and commands stay as they are.
fn below(text: &str, lang: Lang) -> String {
    let said = |line: String| {
        let (start, text) = line.split_at(line.len() - line.trim_start().len());
        if let Some(comment) = text.strip_prefix("# ") {
            return format!("{start}# {}", lang.say(comment));
        }
        if start.is_empty() {
            return lang.say(text);
        }
        match text.split_once("  ") {
            Some((name, meaning)) => {
                let gap = meaning.len() - meaning.trim_start().len() + 2;
                format!("{start}{name}{}{}", " ".repeat(gap), lang.say(meaning.trim_start()))
            }
            None => line,
        }
    };
    unfolded(text).into_iter().map(said).collect::<Vec<_>>().join("\n")
}

/// Indent from which on a line goes on with the entry above it, columns.
const GOES_ON: usize = 12;

/// The lines of a text that was broken by hand, each paragraph and each entry in one.
fn unfolded(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let own = line.trim_start();
        let goes_on = |last: &&mut String| match line.len() - own.len() {
            0 => !own.is_empty() && !last.is_empty() && !last.starts_with(' '),
            indent => indent >= GOES_ON && last.starts_with(' '),
        };
        match lines.last_mut().filter(goes_on) {
            Some(last) => last.extend([" ", own]),
            None => lines.push(line.to_owned()),
        }
    }
    lines
}

/// A line with the names of values said, `<FILE>` and `[OPTIONS]`, and what stands beside them where it stood.
fn named(line: &str, lang: Lang) -> String {
    let indent = line.len() - line.trim_start().len();
    let end = line[indent..].find("  ").map_or(line.len(), |at| indent + at);
    let (names, beside) = line.split_at(end);
    let (mut said, mut rest) = (String::new(), names);
    while let Some(open) = rest.find(['<', '[']) {
        let close = rest[open..].find(['>', ']']).map_or(rest.len(), |at| open + at);
        said.push_str(&rest[..=open]);
        let name = &rest[open + 1..close];
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || b"_|=.".contains(&byte));
        said.push_str(&lang.known(name).filter(|_| is_name).unwrap_or_else(|| name.to_owned()));
        rest = &rest[close..];
    }
    said.push_str(rest);
    let text = beside.trim_start();
    if text.is_empty() {
        return said;
    }
    let gap = (end + beside.len() - text.len()).saturating_sub(width_of(&said)).max(2);
    format!("{said}{}{text}", " ".repeat(gap))
}

/// One line of a page: what clap itself writes (headings, `[default: x]`, `- value: meaning`), and what is still English.
fn line_in(line: &str, lang: Lang) -> String {
    let (start, text) = line.split_at(line.len() - line.trim_start().len());
    if let Some(said) = lang.known(text) {
        return format!("{start}{said}");
    }
    // `- value:  meaning`, `name  meaning`
    let rest = text.trim_start_matches("- ");
    let gap = rest.find("  ").filter(|&at| !start.is_empty() && at > 0);
    if let Some(at) = gap {
        let meaning = rest[at..].trim_start();
        let before = line.len() - meaning.len();
        return format!("{}{}", &line[..before], brackets(&lang.say(meaning), lang));
    }
    if let Some((name, meaning)) = rest.split_once(": ").filter(|_| text.starts_with("- ")) {
        return format!("{start}- {name}: {}", lang.say(meaning));
    }
    format!("{start}{}", brackets(text, lang))
}

/// `[default: x]` and the like, said.
fn brackets(text: &str, lang: Lang) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let close = rest[open..].find(']').map_or(rest.len(), |at| open + at + 1);
        said.push_str(&rest[..open]);
        said.push_str(&lang.say(&rest[open..close]));
        rest = &rest[close..];
    }
    said + rest
}

/// A line within the width, later lines below its text: below what an entry means, and what `- value: ` says.
fn wrapped(line: &str, width: usize, page: &mut String) {
    if is_command(line) {
        let _ = writeln!(page, "{line}");
        return;
    }
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let beside = text.find("  ").map(|at| text.len() - text[at..].trim_start().len());
    let value = || text.find(": ").filter(|_| text.starts_with("- ")).map(|at| at + 2);
    let start = beside.or_else(value).filter(|_| indent > 0).unwrap_or(0);
    let column = indent + width_of(&text[..start]);
    let (lead, body) = line.split_at(indent + start);
    let lines = broken(body, width.saturating_sub(column).max(NARROWEST));
    if lines.is_empty() {
        page.push('\n');
    }
    for (i, piece) in lines.iter().enumerate() {
        let before = if i == 0 { lead.to_owned() } else { " ".repeat(column) };
        let _ = writeln!(page, "{before}{piece}");
    }
}

#[cfg(test)]
mod tests {
    use super::help;
    use crate::lang::Lang;

    #[test]
    fn a_value_goes_on_below_what_it_says() {
        let page = format!("Options:\n          - optimizer: {}\n", "Words that nobody says. ".repeat(6));
        let said = help(&page, Lang::find("zh").expect("Chinese"), 60, false);
        let later: Vec<&str> = said.lines().skip(2).collect();
        let below = " ".repeat("          - optimizer: ".len());
        assert!(!later.is_empty() && later.iter().all(|line| line.starts_with(&below)), "{said}");
    }

    #[test]
    fn headings_stand_out_on_a_terminal() {
        let page = "What it is\n\nUsage: gpuadvise cost [OPTIONS]\n\nOptions:\n  -h, --help  Print help\n";
        let zh = Lang::find("zh").expect("Chinese");
        let (plain, styled) = (help(page, zh, 80, false), help(page, zh, 80, true));
        assert!(!plain.contains('\u{1b}'), "{plain}");
        let headings: Vec<&str> = styled.lines().filter(|line| line.starts_with('\u{1b}')).collect();
        assert_eq!(headings.len(), 2, "{styled:?}");
        assert!(headings[0].ends_with("gpuadvise cost [\u{9009}\u{9879}]"), "{headings:?}");
        let mut pieces = styled.split('\u{1b}');
        let first = pieces.next().map(str::to_owned).unwrap_or_default();
        let bare = pieces.map(|piece| piece.split_once('m').expect("an escape code").1);
        assert_eq!(first + &bare.collect::<String>(), plain);
    }
}
