//! What words look like: sentences, phrases of English, letters that are written without spaces. Nothing here knows a
//! catalogue.

/// Words in a row that make a phrase.
pub(super) const PHRASE: usize = 3;

/// Where the first sentence of several ends: behind its stop.
pub(super) fn sentence_end(text: &str) -> Option<usize> {
    text.match_indices(". ").map(|(at, _)| at + 1).find(|&end| {
        let begins = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '`' | '(');
        let shortened = ["e.g.", "i.e.", "vs."].iter().any(|short| text[..end].ends_with(short));
        !shortened && text[end + 1..].starts_with(begins)
    })
}

/// Whether words of English stand in a row, as in a sentence and not in a list of names and figures.
pub(super) fn is_phrase(text: &str) -> bool {
    let mut row = 0;
    text.split(' ').any(|word| {
        let plain = word.trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '.' | '(' | ')'));
        let is_word =
            !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'' || b == b'-');
        row = if is_word { row + 1 } else { 0 };
        let found = row >= PHRASE;
        // What stands between commas is a list, of names as of texts.
        if word.ends_with([',', ';']) {
            row = 0;
        }
        found
    })
}

/// Whether a text is nothing but letters.
pub(super) fn is_words(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b' ')
}

/// Whether a character is written without spaces beside its like.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

/// Adds a piece to a text: one space between a letter of Latin and one that is written without spaces, none between two
/// of those.
pub(super) fn put(piece: &str, text: &mut String) {
    let before = text.trim_end_matches(' ').chars().last();
    let (Some(before), Some(behind)) = (before, piece.trim_start_matches(' ').chars().next()) else {
        return text.push_str(piece);
    };
    let is_apart = text.ends_with(' ') || piece.starts_with(' ');
    if is_apart && is_wide(before) && is_wide(behind) {
        text.truncate(text.trim_end_matches(' ').len());
        return text.push_str(piece.trim_start_matches(' '));
    }
    let is_latin = |c: char| c.is_ascii_alphanumeric();
    if !is_apart && (is_letter(before) && is_latin(behind) || is_latin(before) && is_letter(behind)) {
        text.push(' ');
    }
    text.push_str(piece);
}

/// Whether a character without spaces beside its like is no punctuation.
fn is_letter(c: char) -> bool {
    is_wide(c) && c.is_alphabetic()
}
