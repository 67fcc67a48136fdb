//! Single cells: figures with or without units, and the many ways to say that there is none.

use crate::units::GIB;

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell<'t> {
    /// A number of 0 or more and the text behind it.
    Figure(f64, &'t str),
    /// `N/A`, `-`, `[Not Supported]`, blank, or anything else that is no figure.
    Nothing,
    /// `ERR!`, `[Unknown Error]`, `[GPU is lost]` …
    Error,
}

/// Words of a cell that mean that the driver failed, in small letters.
const ERRORS: [&str; 5] = ["err!", "unknown error", "gpu is lost", "requires reset", "fallen off the bus"];

/// Reads a cell.
pub(super) fn cell(text: &str) -> Cell<'_> {
    let text = text.trim().trim_matches('"').trim();
    if let Some((number, unit)) = number(text) {
        return Cell::Figure(number, unit);
    }
    let small = text.to_ascii_lowercase();
    if ERRORS.iter().any(|word| small.contains(word)) { Cell::Error } else { Cell::Nothing }
}

/// A number of 0 or more at the start of a text, and what follows it; `9.53e-01` and `19818MiB` are ones.
pub(super) fn number(text: &str) -> Option<(f64, &str)> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E');
    let mut end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // `3 E. Process` and `5e` are numbers with something behind them.
    while end > 0 {
        match text[..end].parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => {
                return Some((number, text[end..].trim_start()));
            }
            Ok(_) => return None,
            Err(_) => end -= 1,
        }
    }
    None
}

/// Bytes of one unit of memory; a bare number is MiB, as `nounits`, `dmon` and DCGM print it.
pub(super) fn memory_unit(unit: &str) -> Option<f64> {
    let word: String = unit.chars().take_while(char::is_ascii_alphabetic).collect();
    match word.to_ascii_lowercase().as_str() {
        // The driver counts in 2^20 whatever it prints.
        "" | "mib" | "mb" | "m" => Some(GIB / 1024.0),
        "gib" | "gb" | "g" => Some(GIB),
        "kib" | "kb" | "k" => Some(1024.0),
        "b" | "bytes" => Some(1.0),
        _ => None,
    }
}
