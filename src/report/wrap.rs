//! Widths of text on a terminal and where its lines may end: at spaces, and between characters of Chinese and its like.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Characters that no line begins with (W3C, Requirements for Chinese Text Layout, 3.1.6).
const NO_START: &str = "，。、；：？！）》」』】”’…—％%),.;:!?]}";

/// Characters that no line ends with.
const NO_END: &str = "（《「『【“‘([{";

/// Columns that a text takes.
pub fn width_of(text: &str) -> usize {
    text.width()
}

/// A word, cut where a line may end inside it.
pub(super) fn pieces(word: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut before) = (0, None::<char>);
    for (at, c) in word.char_indices() {
        let is_wide = |c: char| c.width() == Some(2);
        let breaks = before.is_some_and(|before| {
            (is_wide(before) || is_wide(c)) && !NO_START.contains(c) && !NO_END.contains(before)
        });
        if breaks {
            pieces.push(&word[start..at]);
            start = at;
        }
        before = Some(c);
    }
    if start < word.len() {
        pieces.push(&word[start..]);
    }
    pieces
}

/// A text in lines of at most this width, where its words allow it; runs of spaces are one.
pub fn broken(text: &str, width: usize) -> Vec<String> {
    let (mut lines, mut line, mut length) = (Vec::new(), String::new(), 0);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        for (i, piece) in pieces(word).into_iter().enumerate() {
            let space = usize::from(i == 0 && !line.is_empty());
            let piece_width = width_of(piece);
            if !line.is_empty() && length + space + piece_width > width {
                lines.push(std::mem::take(&mut line));
                length = 0;
            } else if space > 0 {
                line.push(' ');
                length += 1;
            }
            line.push_str(piece);
            length += piece_width;
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests;
