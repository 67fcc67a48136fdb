//! The files of a language as people write them, and all that is wrong with them at once.
//!
//! `build.rs` calls this; a catalogue with a fault fails the build with file, line and column.

use super::image;
use super::matching::pieces;
use crate::diag::Place;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// One file of a language.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path as seen from the repository.
    pub label: String,
    /// Its text.
    pub text: String,
}

/// How a language is written, `[language]` in one of its files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Habits {
    /// Tag by RFC 5646.
    pub tag: String,
    /// Other names of it, for `--lang`.
    pub also: Vec<String>,
    /// Titles of columns whose cells are names.
    pub names: Vec<String>,
    /// Parts of messages that come from outside and are not said: titles of sources, words of logs.
    pub free: Vec<String>,
    /// Parts of messages that are names or what is typed, and are not said.
    pub kept: Vec<String>,
    /// `, ` between the items of a list and what is written for it, and so on.
    pub separators: Vec<(String, String)>,
    /// What stands for a full stop, for a colon, and around what is in brackets.
    pub stop: String,
    /// For a colon.
    pub colon: String,
    /// For an opening bracket.
    pub open: String,
    /// For a closing bracket.
    pub close: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    language: Option<Spanned<Habits>>,
    #[serde(default)]
    messages: BTreeMap<Spanned<String>, Spanned<String>>,
}

/// A language without a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Other names of it.
    pub also: Vec<String>,
    /// What is embedded.
    pub image: Vec<u8>,
}

/// A language, or every fault as `file:line:column: what`.
pub fn compile(files: &[File]) -> Result<Compiled, Vec<String>> {
    let mut faults = Vec::new();
    let mut habits = None;
    let mut messages: BTreeMap<String, (String, Place)> = BTreeMap::new();
    for file in files {
        let raw: Raw = match toml::from_str(&file.text) {
            Ok(raw) => raw,
            Err(error) => {
                let place = Place::at(&file.label, &file.text, error.span().map_or(0, |span| span.start));
                faults.push(format!("{place}: {}", error.message()));
                continue;
            }
        };
        if let Some(own) = raw.language {
            let place = Place::at(&file.label, &file.text, own.span().start);
            if habits.replace(own.into_inner()).is_some() {
                faults.push(format!("{place}: a second [language]"));
            }
        }
        for (key, text) in raw.messages {
            let place = Place::at(&file.label, &file.text, key.span().start);
            let (key, text) = (key.into_inner(), text.into_inner());
            faults.extend(faults_of(&key, &text).into_iter().map(|fault| format!("{place}: {fault}")));
            if let Some((_, first)) = messages.get(&key) {
                faults.push(format!("{place}: this message stands at {first} too"));
            } else {
                messages.insert(key, (text, place));
            }
        }
    }
    faults.extend(ambiguous(&messages));
    let label = files.first().map(|file| file.label.as_str()).unwrap_or_default();
    match habits {
        Some(habits) if faults.is_empty() => {
            let messages = messages.iter().map(|(key, (text, _))| (key.as_str(), text.as_str()));
            let image = image::packed(&image::write(&habits, messages));
            Ok(Compiled { also: habits.also, image })
        }
        Some(_) => Err(faults),
        None => {
            faults.push(format!("{label}: no file of the language has a table [language]"));
            Err(faults)
        }
    }
}

/// What is wrong with one message.
fn faults_of(key: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if key.trim().is_empty() || text.trim().is_empty() {
        faults.push("an empty text".to_owned());
    }
    if key.chars().chain(text.chars()).any(|c| c.is_control() && c != '\n') {
        faults.push("a control character".to_owned());
    }
    if key.contains('\u{a0}') {
        faults.push("a space that does not break: texts are looked up with plain spaces".to_owned());
    }
    let (literals, names) = pieces(key);
    let (_, mut said) = pieces(text);
    let mut sorted = names.clone();
    sorted.sort_unstable();
    said.sort_unstable();
    if sorted.windows(2).any(|two| two[0] == two[1]) {
        faults.push("a part with the same name twice".to_owned());
    }
    if sorted != said {
        faults.push(format!("parts {sorted:?} here, {said:?} in the translation"));
    }
    if names.is_empty() {
        return faults;
    }
    if literals[1..literals.len() - 1].iter().any(|literal| literal.is_empty()) {
        faults.push("two parts beside each other cannot be told apart".to_owned());
    }
    if !literals.iter().any(|literal| is_clear(literal)) {
        faults.push("a pattern needs a word of its own".to_owned());
    }
    faults
}

/// Whether a literal tells a pattern from others: a word of two letters and more, or a sign that is no punctuation.
fn is_clear(literal: &str) -> bool {
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
    literal.split(' ').any(|word| letters(word) >= 2) || literal.contains(['*', '%', '≥', '±', '×', '='])
}

/// Patterns that match the same texts: alike but for the names of their parts.
fn ambiguous(messages: &BTreeMap<String, (String, Place)>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen: BTreeMap<Vec<&str>, &Place> = BTreeMap::new();
    for (key, (_, place)) in messages {
        let (literals, names) = pieces(key);
        if names.is_empty() {
            continue;
        }
        if let Some(first) = seen.insert(literals, place) {
            faults.push(format!(
                "{place}: the same pattern stands at {first}; only its parts are called otherwise"
            ));
        }
    }
    faults
}
