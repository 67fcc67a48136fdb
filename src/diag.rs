//! Findings about files: a stable code, a level, a place, a message and what to do. No printing here.

use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The file cannot be used.
    Error,
    /// Usable, but look at it; can be waived in its row with a reason.
    Warning,
}

impl Level {
    /// `error` or `warning`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Where in a file: 1-based line and column.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// The file as the user named it.
    pub file: String,
    /// 1-based line.
    pub line: usize,
    /// 1-based column, counted in characters.
    pub column: usize,
}

impl Place {
    /// The place of byte `offset` of `text`.
    pub fn at(file: &str, text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable kebab-case code, explained by `gpuadvise explain CODE`.
    pub code: &'static str,
    /// Error or warning.
    pub level: Level,
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}[{}]: {}", self.place, self.level.name(), self.code, self.message)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, " (hint: {})", self.hint) }
    }
}

/// Whether a character moves a terminal, a line or the direction of a text: nothing that a name of others may do.
pub fn is_odd(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Longest text, bytes, that names are looked up beside: a longer one is no slip of a name, and the search takes its length
/// times that of every name.
const LONGEST_SLIP: usize = 256;

/// The names nearest to `wanted`, best first, at most three: for "did you mean".
pub fn near_names<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if wanted.len() > LONGEST_SLIP {
        return Vec::new();
    }
    let wanted = wanted.to_ascii_lowercase();
    let mut scored: Vec<(u32, &str)> = names
        .into_iter()
        .map(|name| {
            let lower = name.to_ascii_lowercase();
            let mut score = strsim::jaro_winkler(&wanted, &lower);
            if lower.contains(&wanted) || (lower.len() >= 3 && wanted.contains(&lower)) {
                score = score.max(0.9);
            }
            ((score * 1000.0) as u32, name)
        })
        .filter(|&(score, _)| score >= 700)
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Two figures with two decimals, or as many more as tell them apart: a limit of 5.00 is not missed by 5.00.
pub fn told_apart(one: f64, other: f64) -> (String, String) {
    let texts = |places: usize| (format!("{one:.places$}"), format!("{other:.places$}"));
    let equal = one.total_cmp(&other).is_eq();
    (2..=12).map(texts).find(|(a, b)| equal || a != b).unwrap_or_else(|| (one.to_string(), other.to_string()))
}

/// Something that was filled in or taken for granted, printed with every answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// Stable kebab-case id.
    pub id: &'static str,
    /// The value taken.
    pub value: String,
    /// Why this one.
    pub why: String,
    /// Where it comes from.
    pub source: String,
}

/// Something the reader should know before trusting the answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// Stable kebab-case id, explained by `gpuadvise explain ID`.
    pub id: &'static str,
    /// One sentence.
    pub message: String,
}

/// Input that cannot be used (exit 2): what is wrong, what was probably meant, what to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputError {
    /// What is wrong and where; names the flag, file or name.
    pub message: String,
    /// What to do; empty when the message says it all.
    pub hint: String,
    /// Names that were probably meant, best first.
    pub near: Vec<String>,
}

impl InputError {
    /// An error with a hint.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), near: Vec::new() }
    }

    /// An error about a name that is not among `known`; the nearest ones are offered.
    pub fn unknown<'a>(
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
        hint: impl Into<String>,
    ) -> Self {
        let near = near_names(name, known).into_iter().map(str::to_owned).collect();
        Self { message: format!("unknown {what} `{name}`"), hint: hint.into(), near }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.near.is_empty() {
            write!(f, "\n\nhint: did you mean `{}`?", self.near.join("`, `"))?;
        }
        if self.hint.is_empty() { Ok(()) } else { write!(f, "\n\nhint: {}", self.hint) }
    }
}

impl std::error::Error for InputError {}
