//! From what people type to rows of the catalog. Pure; never guesses: a text means one thing, or it is an error that
//! names what it could mean.

mod gpu;
pub mod names;
mod other;
#[cfg(test)]
mod tests;

pub use gpu::GpuSelection;
pub use other::{region_matches, resolve_billing};

use std::fmt;

/// Why a text names nothing in the catalog, or too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupError {
    /// What kind of thing was looked for: `GPU`, `instance` …
    pub what: &'static str,
    /// The text as typed.
    pub text: String,
    /// Why it was refused.
    pub reason: Reason,
    /// Names that were probably meant (unknown) or that it could mean (ambiguous).
    pub names: Vec<String>,
    /// What to do.
    pub hint: &'static str,
}

/// Why a look-up failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing has this name.
    Unknown,
    /// It could mean several unrelated things.
    Ambiguous,
    /// It is not written as such a text must be.
    Malformed,
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, text, names, hint, .. } = self;
        let listed =
            |joint: &str| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(joint);
        match self.reason {
            Reason::Unknown => write!(f, "unknown {what} `{text}`")?,
            Reason::Ambiguous => write!(f, "`{text}` could mean several {what}s: {}", listed(", "))?,
            Reason::Malformed => write!(f, "`{text}` does not name a {what}")?,
        }
        match (self.reason, names.len()) {
            (Reason::Ambiguous, _) | (_, 0) => {}
            (_, 1..=3) => write!(f, "; did you mean {}?", listed(" or "))?,
            _ => write!(f, "; there are {}", listed(", "))?,
        }
        if hint.is_empty() { Ok(()) } else { write!(f, "\n\nhint: {hint}") }
    }
}

impl std::error::Error for LookupError {}
