//! What is embedded of a language: one text, sorted, that is cut into pieces without a copy.
//!
//! Characters of control stand between the parts (`source` refuses them in messages): habits first, then literal messages
//! in the order of their keys, then patterns with the most literal text first.

use super::matching::{Pattern, pieces};
use super::source::Habits as Written;
use std::collections::BTreeMap;

/// Between sections, records, fields, and the items of a field.
const SECTION: char = '\u{1d}';
const RECORD: char = '\u{1e}';
const FIELD: char = '\u{1f}';
const ITEM: char = '\u{1c}';

/// How a language is written.
#[derive(Debug, Default)]
pub(super) struct Habits<'t> {
    pub(super) tag: &'t str,
    pub(super) names: Vec<&'t str>,
    pub(super) free: Vec<&'t str>,
    pub(super) kept: Vec<&'t str>,
    pub(super) separators: Vec<(&'t str, &'t str)>,
    pub(super) stop: &'t str,
    pub(super) colon: &'t str,
    pub(super) open: &'t str,
    pub(super) close: &'t str,
}

/// All messages of a language, ready to be looked up.
#[derive(Debug, Default)]
pub(super) struct Catalogue<'t> {
    pub(super) habits: Habits<'t>,
    /// Whole texts, sorted.
    pub(super) literals: Vec<(&'t str, &'t str)>,
    /// Texts with parts that vary, the one with the most literal text first.
    pub(super) patterns: Vec<Pattern<'t>>,
    /// Patterns by their first byte, else by their last one, else those that begin and end with a part.
    pub(super) by_first: BTreeMap<u8, Vec<usize>>,
    pub(super) by_last: BTreeMap<u8, Vec<usize>>,
    pub(super) others: Vec<usize>,
}

/// An image made small.
pub(super) fn packed(image: &str) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(image.as_bytes(), 10)
}

/// What was made small; `None` where it is damaged.
pub(super) fn unpacked(bytes: &[u8]) -> Option<String> {
    String::from_utf8(miniz_oxide::inflate::decompress_to_vec(bytes).ok()?).ok()
}

/// The image of these habits and messages.
pub(super) fn write<'m>(habits: &Written, messages: impl Iterator<Item = (&'m str, &'m str)>) -> String {
    let list = |items: &[String]| items.join(&ITEM.to_string());
    let pairs: Vec<String> =
        habits.separators.iter().map(|(english, own)| format!("{english}{ITEM}{own}")).collect();
    let fields = [
        habits.tag.clone(),
        list(&habits.names),
        list(&habits.free),
        list(&habits.kept),
        list(&pairs),
        habits.stop.clone(),
        habits.colon.clone(),
        habits.open.clone(),
        habits.close.clone(),
    ];
    let (mut literals, mut patterns): (Vec<_>, Vec<_>) =
        messages.partition(|(key, _)| pieces(key).1.is_empty());
    literals.sort_unstable();
    let weight = |key: &str| -> usize { pieces(key).0.iter().map(|literal| literal.len()).sum() };
    patterns.sort_by(|a, b| {
        let parts = |key: &str| pieces(key).1.len();
        weight(b.0).cmp(&weight(a.0)).then(parts(a.0).cmp(&parts(b.0))).then(a.0.cmp(b.0))
    });
    let records = |messages: Vec<(&str, &str)>| {
        let records: Vec<String> =
            messages.into_iter().map(|(key, text)| format!("{key}{FIELD}{text}")).collect();
        records.join(&RECORD.to_string())
    };
    [fields.join(&FIELD.to_string()), records(literals), records(patterns)].join(&SECTION.to_string())
}

impl<'t> Catalogue<'t> {
    /// Cuts an image into its messages.
    pub(super) fn read(image: &'t str) -> Self {
        let mut sections = image.split(SECTION);
        let habits = Habits::read(sections.next().unwrap_or_default());
        let mut records = || {
            let section = sections.next().unwrap_or_default();
            section.split(RECORD).filter_map(|record| record.split_once(FIELD)).collect::<Vec<_>>()
        };
        let literals = records();
        let patterns: Vec<Pattern<'t>> =
            records().into_iter().map(|(key, text)| Pattern::new(key, text)).collect();
        let mut catalogue = Self { habits, literals, patterns, ..Self::default() };
        for (i, pattern) in catalogue.patterns.iter().enumerate() {
            let (first, last) = pattern.ends();
            match (first.bytes().next(), last.bytes().last()) {
                (Some(byte), _) => catalogue.by_first.entry(byte).or_default().push(i),
                (None, Some(byte)) => catalogue.by_last.entry(byte).or_default().push(i),
                (None, None) => catalogue.others.push(i),
            }
        }
        catalogue
    }
}

impl<'t> Habits<'t> {
    fn read(text: &'t str) -> Self {
        let mut fields = text.split(FIELD);
        let mut field = || fields.next().unwrap_or_default();
        let list =
            |text: &'t str| -> Vec<&'t str> { text.split(ITEM).filter(|item| !item.is_empty()).collect() };
        let (tag, names, free, kept) = (field(), list(field()), list(field()), list(field()));
        let pairs = list(field());
        let separators = pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        Self {
            tag,
            names,
            free,
            kept,
            separators,
            stop: field(),
            colon: field(),
            open: field(),
            close: field(),
        }
    }
}
