//! Long lists of prices, taken apart before they are parsed: the tree of a million rows takes gigabytes, that of some
//! thousand rows at a time does not. Text in, places out.
//!
//! Only one form is taken apart: `price = [` on a line of its own, then one whole inline table a line, then `]`, as
//! `catalog import` writes it. Anything else, and anything odd, is parsed as it stands.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::findings::{SourceFile, Spot};

/// Lists below so many bytes are parsed with their file.
const LEAST: usize = 64 << 10;

/// Bytes of rows that are parsed at once.
const BLOCK: usize = 256 << 10;

/// The line before the rows.
const OPENS: &str = "price = [\n";

/// A file without its long list of prices, and where its rows stand.
#[derive(Debug)]
pub(super) struct Split<'t> {
    /// What is left of the text, with an empty list in place.
    pub(super) frame: Cow<'t, str>,
    /// The rows in the text; empty where nothing was taken out.
    rows: Range<usize>,
}

/// Where a text that is parsed on its own stands in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    file: usize,
    /// Bytes before this one are those of the file, or where they are not its own, all at `to`.
    cut: usize,
    /// Where the byte at `cut` is in the file.
    to: usize,
    own: bool,
}

impl Piece {
    /// The place in the file itself.
    pub(super) fn real(self, offset: usize) -> Spot {
        let offset = match offset.checked_sub(self.cut) {
            Some(behind) => self.to + behind,
            None if self.own => offset,
            None => self.to,
        };
        Spot { file: self.file, offset }
    }
}

impl<'t> Split<'t> {
    /// Takes the rows out of a file.
    pub(super) fn of(text: &'t str) -> Self {
        let whole = || Self { frame: Cow::Borrowed(text), rows: 0..0 };
        let Some(rows) = rows(text).filter(|rows| rows.len() >= LEAST) else { return whole() };
        let frame = [&text[..rows.start], &text[rows.end..]].concat();
        // Whether the line opens the list that it seems to, and does not stand in a text or a table.
        let opens = rows.start - 2;
        let (table, errors) = DeTable::parse_recoverable(&frame);
        let list = table.get_ref().get("price").filter(|list| list.span().start == opens);
        let empty =
            list.is_some_and(|list| matches!(list.get_ref(), DeValue::Array(rows) if rows.is_empty()));
        if empty && errors.is_empty() { Self { frame: Cow::Owned(frame), rows } } else { whole() }
    }

    /// Where the frame stands in its file.
    pub(super) fn piece(&self, file: usize) -> Piece {
        Piece { file, cut: self.rows.start, to: self.rows.end, own: true }
    }

    /// The rows block by block: a text that is a list of prices, and where it stands.
    pub(super) fn blocks<'f>(
        &self,
        number: usize,
        file: &'f SourceFile,
    ) -> impl Iterator<Item = (String, Piece)> + 'f {
        let mut left = self.rows.clone();
        std::iter::from_fn(move || {
            let text = file.text.get(left.clone()).filter(|text| !text.is_empty())?;
            let full =
                text.as_bytes().get(BLOCK..).and_then(|rest| rest.iter().position(|&byte| byte == b'\n'));
            let rows = &text[..full.map_or(text.len(), |at| BLOCK + at + 1)];
            let piece = Piece { file: number, cut: OPENS.len(), to: left.start, own: false };
            left.start += rows.len();
            Some(([OPENS, rows, "]\n"].concat(), piece))
        })
    }
}

/// The lines of the first list of prices, if each of them is a row of its own, blank or a comment.
fn rows(text: &str) -> Option<Range<usize>> {
    let start =
        if text.starts_with(OPENS) { 0 } else { text.find(&["\n", OPENS].concat())? + 1 } + OPENS.len();
    let (mut at, mut ended) = (start, false);
    for line in text[start..].split_inclusive('\n') {
        let bare = line.trim_matches([' ', '\t', '\r', '\n']);
        if bare == "]" {
            return Some(start..at);
        }
        at += line.len();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let row = row(bare.as_bytes())?;
        // Only behind the last row may the comma be missing.
        if std::mem::replace(&mut ended, row == Row::Last) {
            return None;
        }
    }
    None
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// A table with its comma.
    More,
    /// A table without one.
    Last,
}

/// Whether a line is one whole inline table, with a comma or without.
fn row(line: &[u8]) -> Option<Row> {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(&byte) = line.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' | b'\'' => at = behind_text(line, at, byte)?,
            b'#' => return None,
            _ => {}
        }
        if depth == 0 {
            return match &line[at..] {
                [] => Some(Row::Last),
                [b','] => Some(Row::More),
                _ => None,
            };
        }
    }
    None
}

/// Where a text on one line ends that begins before `at`; those of several lines are none.
fn behind_text(line: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    if line.get(at..at + 2) == Some(&[quote, quote]) {
        return None;
    }
    loop {
        let byte = *line.get(at)?;
        at += 1;
        match byte {
            b'\\' if quote == b'"' => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
