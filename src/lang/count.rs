//! One of something in English: `1 hours` is `1 hour`, and the verb behind it follows. The rooms write counts in the plural;
//! where a text leaves for people, one place sets it right for tables, messages and stderr alike. Other languages have their
//! own messages, and JSON and CSV do not pass.

use super::quote::MARKS;

/// What is counted, as it is written of several.
const PLURALS: [&str; 47] = [
    "GPUs",
    "accelerators",
    "arguments",
    "bytes",
    "cells",
    "days",
    "errors",
    "experts",
    "fields",
    "figures",
    "files",
    "findings",
    "heads",
    "hosts",
    "hours",
    "images",
    "instances",
    "interruptions",
    "layers",
    "links",
    "machines",
    "minutes",
    "months",
    "nodes",
    "offers",
    "others",
    "pages",
    "parameters",
    "passes",
    "pixels",
    "polls",
    "prices",
    "ranks",
    "regions",
    "replicas",
    "requests",
    "rows",
    "runs",
    "samples",
    "seconds",
    "sequences",
    "snapshots",
    "sources",
    "steps",
    "tokens",
    "weeks",
    "years",
];

/// Verbs of several and of one.
const VERBS: [(&str, &str); 9] = [
    ("are", "is"),
    ("were", "was"),
    ("have", "has"),
    ("do", "does"),
    ("need", "needs"),
    ("take", "takes"),
    ("lack", "lacks"),
    ("share", "shares"),
    ("exceed", "exceeds"),
];

/// The text with its counts of one in the singular. What users wrote (between marks) and what is typed (between backticks)
/// stays.
pub(super) fn agreed(text: String) -> String {
    if !text.contains("1 ") && !text.contains("1\u{a0}") {
        return text;
    }
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    let (mut marked, mut typed, mut before) = (false, false, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '`' => typed = !typed,
            c if MARKS.contains(&c) => marked = c == MARKS[0],
            '1' if at >= from && !marked && !typed && begins(before) => {
                if let Some((upto, said)) = one_of(&text[at..]) {
                    out.push_str(&text[from..at]);
                    out.push_str(&said);
                    from = at + upto;
                }
            }
            _ => {}
        }
        before = c;
    }
    out.push_str(&text[from..]);
    out
}

/// Whether a number may begin behind this character: not within another number, a name or a version.
fn begins(before: char) -> bool {
    before.is_whitespace() || matches!(before, '(' | '[' | '"' | '\u{fdd1}')
}

/// `1 hours are` and how far it goes, said of one.
fn one_of(text: &str) -> Option<(usize, String)> {
    let gap = text[1..].chars().next().filter(|gap| matches!(gap, ' ' | '\u{a0}'))?;
    let start = 1 + gap.len_utf8();
    let noun = word(&text[start..]);
    PLURALS.contains(&noun).then_some(())?;
    let mut upto = start + noun.len();
    let mut said = format!("1{gap}{}", singular(noun));
    let behind = text[upto..].strip_prefix(' ').map(word).unwrap_or_default();
    if let Some((_, one)) = VERBS.iter().find(|(many, _)| *many == behind) {
        said.push(' ');
        said.push_str(one);
        upto += 1 + behind.len();
    }
    Some((upto, said))
}

/// The letters that a text begins with; none where a hyphen goes on with the word.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    if text[end..].starts_with(['-', '_', '/']) { "" } else { &text[..end] }
}

fn singular(noun: &str) -> &str {
    noun.strip_suffix("sses")
        .map_or_else(|| noun.strip_suffix('s').unwrap_or(noun), |stem| &noun[..stem.len() + 2])
}

#[cfg(test)]
mod tests {
    use super::agreed;

    #[test]
    fn one_is_one() {
        for (many, one) in [
            ("Cost of 1 hours", "Cost of 1 hour"),
            ("1 GPUs need more than one node", "1 GPU needs more than one node"),
            ("(1 prices are old, 21 prices are not)", "(1 price is old, 21 prices are not)"),
            ("1\u{a0}nodes, 1 passes of it", "1\u{a0}node, 1 pass of it"),
            ("1 tokens/s, 1 days", "1 tokens/s, 1 day"),
        ] {
            assert_eq!(agreed(many.to_owned()), one);
        }
    }

    #[test]
    fn all_else_stays() {
        for text in [
            "0.1 hours",
            "11 hours",
            "1,001 days",
            "1 to 7 days",
            "v1 nodes",
            "`--hours 1 hours`",
            "\u{fdd0}for 1 hours\u{fdd1}",
            "1 hours-long",
            "-1 hours",
            "1 times",
            "1",
            "1 ",
        ] {
            assert_eq!(agreed(text.to_owned()), text);
        }
    }
}
