//! What the catalog and the glossary say has its Chinese: every rule in every wording that it can take, every id that
//! `explain` knows, every scenario. A rule that is added without a translation fails here.

use std::collections::{BTreeMap, BTreeSet};

use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::cli::glossary;
use gpuadvise::lang::Lang;
use gpuadvise::report::document::Body as _;
use gpuadvise::report::view::Block;

fn catalog() -> Catalog {
    embedded(Sections::ALL).expect("the embedded catalog")
}

fn chinese() -> Lang {
    Lang::find("zh").expect("Chinese")
}

/// English that stayed: so many words of small letters beside each other are a sentence and no name.
const SENTENCE: usize = 4;

/// Most English words beside each other; what stands in backquotes is typed or printed by others and stays.
fn english(text: &str) -> usize {
    let plain = text.split('`').step_by(2).collect::<Vec<_>>().join(" ， ");
    let (mut run, mut most) = (0, 0);
    for word in plain.split(' ') {
        let is_word = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
        run = if is_word { run + 1 } else { 0 };
        most = most.max(run);
    }
    most
}

/// What of a text has no Chinese.
fn left(text: &str) -> Option<String> {
    match chinese().known(text) {
        None => (english(text) > 0).then(|| format!("nothing of `{text}`")),
        Some(said) => (english(&said) >= SENTENCE).then(|| format!("`{said}` of `{text}`")),
    }
}

fn assert_said(texts: impl IntoIterator<Item = (String, String)>) {
    let missing: Vec<String> =
        texts.into_iter().filter_map(|(what, text)| Some(format!("{what}: {}", left(&text)?))).collect();
    assert!(missing.is_empty(), "no Chinese in lang/zh for {}:\n{}", missing.len(), missing.join("\n"));
}

/// Where one of these stands outside quotes and brackets.
fn outside(text: &str, wanted: char) -> Vec<usize> {
    let (mut quote, mut depth, mut found) = (false, 0_i32, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '\'' => quote = !quote,
            '(' | '[' if !quote => depth += 1,
            ')' | ']' if !quote => depth -= 1,
            _ if !quote && depth == 0 && c == wanted => found.push(at),
            _ => {}
        }
    }
    found
}

/// `condition ? one : other`, cut into its three parts.
fn choice(expression: &str) -> Option<(&str, &str, &str)> {
    let ask = *outside(expression, '?').first()?;
    let rest = &expression[ask + 1..];
    let asks = outside(rest, '?');
    let nested = |colon: usize| asks.iter().filter(|ask| **ask < colon).count();
    let colons = outside(rest, ':');
    let (_, colon) = colons.iter().enumerate().find(|(before, colon)| nested(**colon) == *before)?;
    Some((expression[..ask].trim(), rest[..*colon].trim(), rest[colon + 1..].trim()))
}

/// The conditions that decide over the wording.
fn conditions<'e>(expression: &'e str, found: &mut BTreeSet<&'e str>) {
    if let Some((condition, one, other)) = choice(expression) {
        found.insert(condition);
        conditions(one, found);
        conditions(other, found);
    } else if let Some(inner) = expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        conditions(inner, found);
    } else {
        operands(expression)
            .into_iter()
            .filter(|part| *part != expression)
            .for_each(|it| conditions(it, found));
    }
}

fn operands(expression: &str) -> Vec<&str> {
    let mut start = 0;
    let mut parts = Vec::new();
    for plus in outside(expression, '+') {
        parts.push(expression[start..plus].trim());
        start = plus + 1;
    }
    parts.push(expression[start..].trim());
    parts
}

/// What an expression prints where these conditions hold: its words, and 7 for a figure or a name.
fn printed(expression: &str, holds: &BTreeMap<&str, bool>) -> String {
    if let Some((condition, one, other)) = choice(expression) {
        return printed(if holds[condition] { one } else { other }, holds);
    }
    let quoted = expression.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    if let Some(words) = quoted.filter(|words| !words.contains('\'')) {
        return words.to_owned();
    }
    if let Some(inner) = expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        return printed(inner, holds);
    }
    let parts = operands(expression);
    if parts.len() > 1 && expression.contains('\'') {
        return parts.into_iter().map(|part| printed(part, holds)).collect();
    }
    "7".to_owned()
}

/// Words and holes of a message, in turn; the decimals that a hole asks for are not its expression.
fn parts(message: &str) -> Vec<&str> {
    let (mut quote, mut start, mut parts) = (false, 0, Vec::new());
    for (at, c) in message.char_indices() {
        let hole = parts.len() % 2 == 1;
        match c {
            '\'' if hole => quote = !quote,
            '{' if !hole => {
                parts.push(&message[start..at]);
                start = at + 1;
            }
            '}' if hole && !quote => {
                let expression = &message[start..at];
                let decimals = |(_, digits): &(&str, &str)| digits.bytes().all(|byte| byte.is_ascii_digit());
                parts.push(expression.rsplit_once(":.").filter(decimals).map_or(expression, |(it, _)| it));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&message[start..]);
    parts
}

/// All wordings of a message.
fn wordings(message: &str) -> BTreeSet<String> {
    let parts = parts(message);
    let mut asked = BTreeSet::new();
    parts.iter().skip(1).step_by(2).for_each(|hole| conditions(hole, &mut asked));
    let wording = |bits: usize| {
        let holds: BTreeMap<&str, bool> =
            asked.iter().enumerate().map(|(bit, condition)| (*condition, bits >> bit & 1 == 1)).collect();
        let part = |(at, part): (usize, &&str)| {
            if at % 2 == 0 { (*part).to_owned() } else { printed(part, &holds) }
        };
        parts.iter().enumerate().map(part).collect()
    };
    (0..1 << asked.len()).map(wording).collect()
}

#[test]
fn wordings_follow_the_conditions() {
    let message = "{row.nodes:.1} {row.nodes > 1 ? 'nodes' + (has(x) ? ' at ' + string(x) : '') : 'node'}{a == 'b' ? '!' : ''}";
    let expected = ["7 node", "7 node!", "7 nodes", "7 nodes at 7", "7 nodes at 7!", "7 nodes!"];
    assert_eq!(wordings(message).into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn every_rule_is_said_in_every_wording() {
    let catalog = catalog();
    assert!(catalog.rules.len() >= 65);
    let messages = catalog.rules.iter().flat_map(|rule| {
        let beside = |text| format!("rank 1: {}[{}]: {text}", rule.level, rule.id);
        wordings(&rule.message).into_iter().map(beside).map(|text| (rule.id.clone(), text))
    });
    assert_said(messages);
}

#[test]
fn every_id_is_explained_in_chinese() {
    let catalog = catalog();
    let mut pages = Vec::new();
    for id in glossary::ids(&catalog) {
        let explained = glossary::explain(&catalog, id).unwrap_or_else(|e| panic!("{id}: {e}"));
        for block in explained.blocks() {
            match block {
                // The source stays as it is, and facts are written as in JSON.
                Block::Text(text) if !text.starts_with("Source: ") => pages.push((id.to_owned(), text)),
                Block::Heading(text) => pages.push((id.to_owned(), text)),
                _ => {}
            }
        }
    }
    assert!(pages.len() > 700, "{}", pages.len());
    assert_said(pages);
}

#[test]
fn every_scenario_is_said() {
    let catalog = catalog();
    assert!(!catalog.scenarios.is_empty());
    let of = |what: &str, text: &Option<String>| text.clone().map(|text| (what.to_owned(), text));
    let texts = catalog.scenarios.iter().flat_map(|scenario| {
        let reasons = scenario.workloads.iter().filter_map(|it| of(&it.name, &it.not_judged));
        let titles =
            [Some((scenario.name.clone(), scenario.title.clone())), of(&scenario.name, &scenario.note)];
        titles.into_iter().flatten().chain(reasons).collect::<Vec<_>>()
    });
    assert_said(texts);
}

#[test]
fn thresholds_of_logs_and_spot_are_said() {
    let catalog = catalog();
    let families = ["rightsize-", "network-", "spot-", "checkpoint-", "own-"];
    let notes: Vec<(String, String)> = catalog
        .constants
        .iter()
        .filter(|constant| families.iter().any(|family| constant.key.starts_with(family)))
        .filter_map(|constant| Some((constant.key.clone(), constant.note.clone()?)))
        .collect();
    assert!(notes.len() > 30, "{}", notes.len());
    let keys: BTreeSet<&String> = notes.iter().map(|(key, _)| key).collect();
    for key in keys {
        let explained = glossary::explain(&catalog, key).expect("a constant");
        assert_said(explained.text.iter().map(|text| {
            let own = text.split(" Source: ").next().unwrap_or_default();
            (key.clone(), own.to_owned())
        }));
    }
}
