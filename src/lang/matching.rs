//! How a text finds its message: the whole of it, a pattern with parts that vary, else piece by piece.
//!
//! Parts are taken as short as they can be, from the left; a part ends no sentence, and where it is a phrase of English it
//! must be known itself (but for what comes from outside, such as the titles of sources): half a sentence is worse than
//! none. The pattern with the most literal text wins.

use super::image::Catalogue;
use super::words::{PHRASE, is_phrase, is_wide, is_words, put, sentence_end};
use std::cell::Cell;

/// Messages inside parts inside messages: deeper than this a part stays as it is.
const DEEPEST: usize = 8;

/// A longer text is nobody's sentence, bytes.
const LONGEST: usize = 8 << 10;

/// Looks at a text and its pieces at most so often.
const PATIENCE: u32 = 2000;

/// A pattern with fewer letters than these could be found in any sentence.
const CLEAR: usize = 8;

/// What stands before a message on stderr.
const TAGS: [&str; 4] = ["error: ", "warning: ", "note: ", "hint: "];

/// Holds two words together; looked up as a space.
const TIE: char = '\u{a0}';

/// A message with parts that vary.
#[derive(Debug)]
pub(super) struct Pattern<'t> {
    /// What stands before, between and behind the parts.
    literals: Vec<&'t str>,
    /// Names of the parts, in the order of the English text.
    names: Vec<&'t str>,
    /// The text that is said.
    text: &'t str,
    /// So little of it is literal that its parts must be short.
    weak: bool,
}

/// Whether this is how a part is called: `shown`, `gpu_count`.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Literal text and the names of the parts between: always one literal more than names. Braces around anything but a
/// name are literal text.
pub(super) fn pieces(text: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut literals, mut names) = (Vec::new(), Vec::new());
    let (mut start, mut from) = (0, 0);
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let name = text[open + 1..].find('}').map(|length| &text[open + 1..open + 1 + length]);
        match name.filter(|name| is_name(name)) {
            Some(name) => {
                literals.push(&text[start..open]);
                names.push(name);
                start = open + name.len() + 2;
                from = start;
            }
            None => from = open + 1,
        }
    }
    literals.push(&text[start..]);
    (literals, names)
}

impl<'t> Pattern<'t> {
    pub(super) fn new(key: &'t str, text: &'t str) -> Self {
        let (literals, names) = pieces(key);
        let letters = |literal: &&str| literal.chars().filter(|c| c.is_alphabetic()).count();
        let weak = literals.iter().map(letters).sum::<usize>() < CLEAR;
        Self { literals, names, text, weak }
    }

    /// What it begins and ends with.
    pub(super) fn ends(&self) -> (&'t str, &'t str) {
        (self.literals[0], self.literals[self.literals.len() - 1])
    }

    /// The parts of a text that it matches.
    fn parts<'s>(&self, text: &'s str) -> Option<Vec<&'s str>> {
        let (first, last) = self.ends();
        let rest = text.strip_prefix(first)?.strip_suffix(last)?;
        let mut rest = rest;
        let mut parts = Vec::with_capacity(self.names.len());
        for literal in &self.literals[1..self.literals.len() - 1] {
            // A part is one character and more.
            let skip = rest.chars().next()?.len_utf8();
            let at = skip + rest[skip..].find(literal)?;
            parts.push(&rest[..at]);
            rest = &rest[at + literal.len()..];
        }
        parts.push(rest);
        // A tag before a sentence (`error: `, `warn[id]: `) is no part of it, and what is called `n` is a number.
        let tagged = |part: &str| part.contains("]: ") || TAGS.iter().any(|tag| part.starts_with(tag));
        let label = first.is_empty() && tagged(parts[0]);
        let count =
            |(name, part): (&&str, &&str)| *name != "n" || part.starts_with(|c: char| c.is_ascii_digit());
        if label || !self.names.iter().zip(&parts).all(count) {
            return None;
        }
        let sound = |part: &&str| !part.is_empty() && !part.contains('\n') && sentence_end(part).is_none();
        // A star behind a name and what fills up its column are no words.
        let words = |part: &str| part.split_whitespace().filter(|word| *word != "*").count();
        let short = |part: &&str| words(part) <= PHRASE && !part.contains(": ");
        parts.iter().all(|part| sound(part) && (!self.weak || short(part))).then_some(parts)
    }
}

impl Catalogue<'_> {
    /// The text in this language; `None` where nothing in it is known.
    pub(super) fn say(&self, text: &str) -> Option<String> {
        let speaker = Speaker { catalogue: self, patience: Cell::new(PATIENCE) };
        if !text.contains(TIE) {
            return speaker.any(text, 0);
        }
        let mut said = speaker.any(&text.replace(TIE, " "), 0)?;
        for tied in text.split(' ').filter(|word| word.contains(TIE)) {
            let plain = tied.replace(TIE, " ");
            said = said.replacen(&plain, tied, 1);
        }
        Some(said)
    }
}

/// One look at a text.
struct Speaker<'c> {
    catalogue: &'c Catalogue<'c>,
    /// Looks that are left.
    patience: Cell<u32>,
}

impl Speaker<'_> {
    /// A text that may be made of several: lines, sentences, a label and what it says, items.
    fn any(&self, text: &str, depth: usize) -> Option<String> {
        let left = self.patience.get();
        if left == 0 || depth > DEEPEST || text.len() > LONGEST {
            return None;
        }
        if !text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        self.patience.set(left - 1);
        let said = self.placed(text, depth).or_else(|| self.tagged(text, depth));
        let said = said.or_else(|| self.starred(text, depth));
        if let Some(said) = said.or_else(|| self.whole(text, depth)).or_else(|| self.announced(text, depth)) {
            return Some(said);
        }
        let trimmed = text.trim();
        if trimmed.len() < text.len() {
            let said = self.any(trimmed, depth + 1)?;
            let start = text.len() - text.trim_start().len();
            return Some(format!("{}{said}{}", &text[..start], &text[start + trimmed.len()..]));
        }
        if text.contains('\n') {
            return self.each(text, "\n", "\n", depth, |_| true);
        }
        self.sentences(text, depth)
            .or_else(|| self.stopped(text, depth, true))
            .or_else(|| self.listed(text, depth, true))
            .or_else(|| self.labelled(text, depth))
            .or_else(|| self.bracketed(text, depth))
            .or_else(|| self.stopped(text, depth, false))
            .or_else(|| self.listed(text, depth, false))
            .or_else(|| self.counted(text))
            .or_else(|| self.measured(text))
    }

    /// A text that is a message as a whole.
    fn whole(&self, text: &str, depth: usize) -> Option<String> {
        let Catalogue { literals, patterns, by_first, by_last, others, .. } = self.catalogue;
        if let Ok(at) = literals.binary_search_by(|(key, _)| (*key).cmp(text)) {
            return Some(literals[at].1.to_owned());
        }
        let first = text.bytes().next().and_then(|byte| by_first.get(&byte));
        let last = text.bytes().last().and_then(|byte| by_last.get(&byte));
        let mut ranks: Vec<usize> = [first, last, Some(others)]
            .into_iter()
            .flatten()
            .flatten()
            .copied()
            .filter(|&i| patterns[i].parts(text).is_some())
            .collect();
        ranks.sort_unstable();
        ranks.into_iter().find_map(|i| {
            let parts = patterns[i].parts(text)?;
            self.fill(&patterns[i], &parts, depth)
        })
    }

    /// The text of a pattern with its parts, each said by itself unless it stands in backquotes; `None` where one is a
    /// phrase that is not known.
    fn fill(&self, pattern: &Pattern<'_>, parts: &[&str], depth: usize) -> Option<String> {
        let (literals, names) = pieces(pattern.text);
        let stop = self.stop_behind(pattern, parts, depth);
        let mut said = literals[0].to_owned();
        for (name, literal) in names.iter().zip(&literals[1..]) {
            let at = pattern.names.iter().position(|own| own == name)?;
            let is_last = at + 1 == parts.len();
            let part = parts[at];
            let part = stop.filter(|_| is_last).map_or(part, |(end, _)| part.trim_end_matches(end));
            let habits = &self.catalogue.habits;
            let free = habits.free.contains(name);
            let quote = pattern.literals[at].chars().last().filter(|c| matches!(c, '`' | '\'' | '"'));
            let quoted = quote.is_some_and(|quote| !part.contains(quote));
            let kept = free || quoted || habits.kept.contains(name);
            let own = if kept { None } else { self.any(part, depth + 1) };
            let is_clear = kept || own.is_some() || !(pattern.weak && is_words(part));
            let own = own.as_deref().unwrap_or(part);
            let odd = !free && !quoted && (is_phrase(own) || part.contains(": "));
            if !is_clear || odd && self.whole(part, depth + 1).is_none() {
                return None;
            }
            put(own, &mut said);
            put(literal, &mut said);
        }
        let (_, end) = stop.unwrap_or_default();
        if !said.ends_with(end) {
            said.push_str(end);
        }
        Some(said)
    }

    /// The full stop or colon behind a pattern that ends in a part: the sentence's and not the part's, unless the part
    /// comes from outside, or is a sentence with which the message ends. As it is in English and in the language.
    fn stop_behind(&self, pattern: &Pattern<'_>, parts: &[&str], depth: usize) -> Option<(char, &str)> {
        let habits = &self.catalogue.habits;
        let (part, name) = (parts.last()?, pattern.names.last()?);
        let is_own = pattern.ends().1.is_empty() && !habits.free.contains(name);
        let (end, own) =
            [('.', habits.stop), (':', habits.colon)].into_iter().find(|(end, _)| part.ends_with(*end))?;
        let is_sentence =
            pattern.text.ends_with(&format!("{{{name}}}")) && self.whole(part, depth + 1).is_some();
        let is_own = is_own && !is_sentence;
        let bare = part.strip_suffix(end)?;
        (is_own && !bare.is_empty() && !bare.ends_with(['.', ' ']) && !bare.contains(". "))
            .then_some((end, own))
    }

    /// Several sentences, each alone.
    fn sentences(&self, text: &str, depth: usize) -> Option<String> {
        sentence_end(text)?;
        let (mut said, mut rest, mut known) = (String::new(), text, false);
        while !rest.is_empty() {
            let end = sentence_end(rest).unwrap_or(rest.len());
            let sentence = &rest[..end];
            let own = self.any(sentence, depth + 1);
            known |= own.is_some();
            let own = own.as_deref().unwrap_or(sentence);
            if !said.is_empty() && !said.ends_with(is_wide) {
                said.push(' ');
            }
            said.push_str(own);
            rest = rest[end..].trim_start();
        }
        known.then_some(said)
    }

    /// A text that is known without its full stop or colon.
    fn stopped(&self, text: &str, depth: usize, whole: bool) -> Option<String> {
        let habits = &self.catalogue.habits;
        let ends = [('.', habits.stop), (':', habits.colon)];
        let (rest, own) = ends.iter().find_map(|(end, own)| Some((text.strip_suffix(*end)?, own)))?;
        let said = if whole { self.whole(rest, depth) } else { self.any(rest, depth + 1) };
        Some(format!("{}{own}", said?))
    }

    /// A star behind a cell, or how many more there are: `spot *`, `eu, us +7`.
    fn starred(&self, text: &str, depth: usize) -> Option<String> {
        let (rest, mark) = text.rsplit_once(' ')?;
        let more = mark.strip_prefix('+').is_some_and(|n| n.bytes().all(|byte| byte.is_ascii_digit()));
        let said = if more || mark == "*" { self.any(rest, depth + 1)? } else { return None };
        Some(format!("{said} {mark}"))
    }

    /// `[id] what`, `3x what`, and in the legend of a picture `░ what`.
    fn tagged(&self, text: &str, depth: usize) -> Option<String> {
        let (tag, rest) = text.split_once(' ')?;
        let times = |count: &str| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        let is_glyph = tag.chars().count() == 1 && !tag.is_ascii();
        let is_id = tag.starts_with('[') && tag.ends_with(']');
        let is_tag = is_id || is_glyph || tag.strip_suffix('x').is_some_and(times);
        let said = if is_tag { self.any(rest, depth + 1)? } else { return None };
        Some(format!("{tag} {said}"))
    }

    /// A number and one word: `293.46 savings-3y`.
    fn counted(&self, text: &str) -> Option<String> {
        let (number, word) = text.split_once(' ')?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
        let at = self.catalogue.literals.binary_search_by(|(key, _)| (*key).cmp(word)).ok()?;
        let one = is_number && !word.contains(' ');
        one.then(|| format!("{number} {}", self.catalogue.literals[at].1))
    }

    /// Words and a number: `master weights 26.077`.
    fn measured(&self, text: &str) -> Option<String> {
        let (words, number) = text.rsplit_once(' ')?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
        let at = self.catalogue.literals.binary_search_by(|(key, _)| (*key).cmp(words)).ok()?;
        is_number.then(|| format!("{} {number}", self.catalogue.literals[at].1))
    }

    /// `file:3:5: what`.
    fn placed(&self, text: &str, depth: usize) -> Option<String> {
        let (place, rest) = text.split_once(": ")?;
        let (file, column) = place.rsplit_once(':')?;
        let (file, line) = file.rsplit_once(':')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_place = !file.is_empty() && is_number(line) && is_number(column);
        let said = if is_place { self.any(rest, depth + 1)? } else { return None };
        Some(format!("{place}: {said}"))
    }

    /// `error: what`.
    fn announced(&self, text: &str, depth: usize) -> Option<String> {
        let tag = TAGS.iter().find(|tag| text.starts_with(**tag))?;
        let own = self.whole(tag.trim_end_matches(": "), depth + 1)?;
        let rest = &text[tag.len()..];
        let more = self.any(rest, depth + 1);
        Some(format!("{own}{}{}", self.catalogue.habits.colon, more.as_deref().unwrap_or(rest)))
    }

    /// `what (more)`.
    fn bracketed(&self, text: &str, depth: usize) -> Option<String> {
        let (before, inside) = text.strip_suffix(')')?.rsplit_once(" (")?;
        let (own, more) = (self.any(before, depth + 1), self.any(inside, depth + 1));
        let (open, close) = match (&own, &more) {
            (None, None) => return None,
            (_, None) => (" (", ")"),
            _ => (self.catalogue.habits.open, self.catalogue.habits.close),
        };
        let (own, more) = (own.as_deref().unwrap_or(before), more.as_deref().unwrap_or(inside));
        Some(format!("{own}{open}{more}{close}"))
    }

    /// `label: what it says`.
    fn labelled(&self, text: &str, depth: usize) -> Option<String> {
        let (label, rest) = text.split_once(": ")?;
        let count = |sign: char| label.matches(sign).count();
        if count('(') != count(')') || count('`') % 2 != 0 {
            return None;
        }
        let (own, more) = (self.any(label, depth + 1), self.any(rest, depth + 1));
        if own.is_none() && more.is_none() {
            return None;
        }
        let colon = if own.is_some() { self.catalogue.habits.colon } else { ": " };
        Some(format!("{}{colon}{}", own.as_deref().unwrap_or(label), more.as_deref().unwrap_or(rest)))
    }

    /// Items of a list: all of them known, or single words. Semicolons part more than a label does, the others less.
    fn listed(&self, text: &str, depth: usize, semicolons: bool) -> Option<String> {
        let word = |item: &str| !item.contains(' ');
        let separators = self.catalogue.habits.separators.iter();
        separators
            .filter(|(english, _)| text.contains(english) && english.starts_with(';') == semicolons)
            .find_map(|(english, own)| self.each(text, english, own, depth, word))
    }

    /// Each piece said alone; `None` where none of them is known, or one that is not known may not stay.
    fn each(
        &self,
        text: &str,
        between: &str,
        own: &str,
        depth: usize,
        may_stay: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let mut known = false;
        let said: Option<Vec<String>> = text
            .split(between)
            .map(|item| match self.any(item, depth + 1) {
                Some(said) => {
                    known = true;
                    Some(said)
                }
                None => may_stay(item).then(|| item.to_owned()),
            })
            .collect();
        said.filter(|_| known).map(|said| said.join(own))
    }
}
