//! Messages with holes: `{row.nodes} nodes`, `{row.memory.total_gib:.1} GiB`. `{{` and `}}` are braces.

use super::expression::{Expression, Scope, Seen};

/// A message is cut after this many characters.
const LONGEST: usize = 1_000;
/// Most decimals that a hole may ask for.
const MOST_DECIMALS: u8 = 9;

/// A message, read once.
#[derive(Debug)]
pub(super) struct Message {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Words(String),
    Hole { value: Expression, decimals: Option<u8> },
}

impl Message {
    /// Reads a message.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut words = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            words.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            let after = &rest[at + 1..];
            if let Some(after) = after.strip_prefix(brace) {
                words.push_str(brace);
                rest = after;
            } else if brace == "{" {
                let end = end_of_hole(after).ok_or_else(|| {
                    format!("`{{{after}` has no closing `}}` (write `{{{{` for a brace itself)")
                })?;
                if !words.is_empty() {
                    parts.push(Part::Words(std::mem::take(&mut words)));
                }
                parts.push(hole(&after[..end])?);
                rest = &after[end + 1..];
            } else {
                return Err("a `}` without `{` (write `}}` for a brace itself)".to_owned());
            }
        }
        words.push_str(rest);
        if !words.is_empty() {
            parts.push(Part::Words(words));
        }
        Ok(Self { parts })
    }

    /// The expressions in the holes.
    pub(super) fn holes(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            Part::Hole { value, .. } => Some(value),
            Part::Words(_) => None,
        })
    }

    /// The message with its figures. What is not known reads `unknown`.
    pub(super) fn fill(&self, scope: &Scope) -> Result<String, String> {
        let mut filled = String::new();
        for part in &self.parts {
            match part {
                Part::Words(words) => filled.push_str(words),
                Part::Hole { value, decimals } => match value.evaluate(scope)? {
                    Seen::Number(number) => filled.push_str(&figure(number, *decimals)),
                    Seen::Text(text) => {
                        filled.extend(text.chars().map(|c| if crate::diag::is_odd(c) { ' ' } else { c }));
                    }
                    Seen::Flag(flag) => filled.push_str(if flag { "yes" } else { "no" }),
                    Seen::Unknown(_) => filled.push_str("unknown"),
                    Seen::Other(kind) => {
                        return Err(format!("`{{{}}}` is {kind}, not a figure or a text", value.text()));
                    }
                },
            }
        }
        if let Some((cut, _)) = filled.char_indices().nth(LONGEST) {
            filled.truncate(cut);
            filled.push('…');
        }
        Ok(filled)
    }
}

/// Where the hole ends: the first `}` outside quotes.
fn end_of_hole(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '}' => return Some(at),
            _ => {}
        }
    }
    None
}

/// Reads `expression` or `expression:.1`.
fn hole(text: &str) -> Result<Part, String> {
    let (expression, decimals) = match text.rsplit_once(":.") {
        Some((expression, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            let decimals = digits.parse().ok().filter(|&n| n <= MOST_DECIMALS).ok_or_else(|| {
                format!("`{{{text}}}` asks for {digits} decimals; at most {MOST_DECIMALS} are printed")
            })?;
            (expression, Some(decimals))
        }
        _ => (text, None),
    };
    Ok(Part::Hole { value: Expression::parse(expression)?, decimals })
}

/// A number as people write it: asked decimals, or three figures; thousands apart from 10,000 on.
pub(super) fn figure(number: f64, decimals: Option<u8>) -> String {
    if !number.is_finite() {
        return "unknown".to_owned();
    }
    let size = number.abs();
    let places = decimals.map_or_else(
        || match size {
            s if s >= 100.0 || s == 0.0 => 0,
            s if s >= 10.0 => 1,
            s if s >= 1.0 => 2,
            s => (2 - s.log10().floor() as i32).clamp(0, 12) as usize,
        },
        usize::from,
    );
    let mut printed = format!("{size:.places$}");
    if decimals.is_none() && printed.contains('.') {
        printed.truncate(printed.trim_end_matches('0').trim_end_matches('.').len());
    }
    let (whole, fraction) = printed.split_at(printed.find('.').unwrap_or(printed.len()));
    let mut out = String::new();
    if number < 0.0 && printed.bytes().any(|b| b.is_ascii_digit() && b != b'0') {
        out.push('-');
    }
    for (at, digit) in whole.char_indices() {
        if whole.len() > 4 && at > 0 && (whole.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}
