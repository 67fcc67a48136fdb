//! Collects findings with their places while files are checked. Wording stands at the call sites; nothing is printed.

use super::blocks::Piece;
use crate::catalog::codes::Code;
use crate::diag::{Finding, Place, near_names};

/// A place in one of the files under check: the file's number and the byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) file: usize,
    pub(crate) offset: usize,
}

/// One file under check: what it is called in messages, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path as messages show it.
    pub label: String,
    /// The whole text.
    pub text: String,
}

/// Findings that get near names and second places; a file may have as many as rows.
const MOST_HELPED: usize = 1000;

/// All that was found so far.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<(Spot, &'static Code, String, String)>,
}

impl Findings {
    /// Adds one finding.
    pub(crate) fn push(&mut self, spot: Spot, code: &'static Code, message: String, hint: impl Into<String>) {
        self.list.push((spot, code, message, hint.into()));
    }

    /// Whether one of this kind is among them.
    pub(crate) fn has(&self, code: &Code) -> bool {
        self.list.iter().any(|(_, found, ..)| found.name == code.name)
    }

    /// Whether there are so many already that near names and second places, which are looked up in all rows, help nobody.
    pub(crate) fn is_crowded(&self) -> bool {
        self.list.len() > MOST_HELPED
    }

    /// Drops all findings of these kinds.
    pub(crate) fn forget(&mut self, codes: &[&Code]) {
        self.list.retain(|(_, found, ..)| !codes.iter().any(|code| code.name == found.name));
    }

    /// The findings with line and column, in the order of files and places.
    pub(super) fn finish(mut self, files: &[SourceFile], pieces: &[Piece]) -> Vec<Finding> {
        for (spot, ..) in &mut self.list {
            *spot = pieces.get(spot.file).map_or(*spot, |piece| piece.real(spot.offset));
        }
        self.list.sort_by(|a, b| (a.0, a.1.name, &a.2).cmp(&(b.0, b.1.name, &b.2)));
        self.list.dedup();
        let lines: Vec<Vec<usize>> = files.iter().map(|file| line_starts(&file.text)).collect();
        let mut last = (Spot::default(), Place::default());
        let finding = |(spot, code, message, hint): (Spot, &'static Code, String, String)| {
            let place = placed(files, &lines, spot, &last);
            last = (spot, place.clone());
            Finding { code: code.name, level: code.level, place, message, hint }
        };
        self.list.into_iter().map(finding).collect()
    }
}

/// Where the lines of a text start.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// Line and column of a spot, by the starts of lines and from the place before it: a file may have as many findings as
/// rows, and all of them on one line.
fn placed(files: &[SourceFile], lines: &[Vec<usize>], spot: Spot, last: &(Spot, Place)) -> Place {
    let (Some(file), Some(starts)) = (files.get(spot.file), lines.get(spot.file)) else {
        return Place::default();
    };
    let line = starts.partition_point(|&start| start <= spot.offset).max(1);
    let start = starts.get(line - 1).copied().unwrap_or_default();
    let mut end = spot.offset.min(file.text.len());
    while !file.text.is_char_boundary(end) {
        end -= 1;
    }
    let (from, before) = match last {
        (known, place) if known.file == spot.file && place.line == line && known.offset <= end => {
            (known.offset, place.column)
        }
        _ => (start, 1),
    };
    let column = before + file.text.get(from..end).map_or(0, |between| between.chars().count());
    Place { file: file.label.clone(), line, column }
}

/// Line and column of one spot.
pub(crate) fn place(files: &[SourceFile], spot: Spot) -> Place {
    files.get(spot.file).map_or_else(Place::default, |file| Place::at(&file.label, &file.text, spot.offset))
}

/// ``did you mean `a` or `b`?``, or what else to do when nothing is near.
pub(crate) fn did_you_mean<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    let near: Vec<String> = near_names(wanted, names).into_iter().map(|name| format!("`{name}`")).collect();
    if near.is_empty() { otherwise.to_owned() } else { format!("did you mean {}?", near.join(" or ")) }
}

/// `` `a`, `b`, `c` ``
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
