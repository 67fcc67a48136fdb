//! What the surroundings say about the form of an answer: colour, characters, width.

use super::args::ColorChoice;
use crate::lang::Lang;
use crate::report::Style;
use std::env;
use std::io::{self, IsTerminal};

/// How stdout can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Escape codes for colour are welcome.
    pub color: bool,
    /// Only ASCII characters.
    pub ascii: bool,
    /// Columns of the terminal; `None` when the answer goes elsewhere, and is then as wide as it is.
    pub width: Option<u16>,
}

impl Terminal {
    /// Looks around. `to_file` is an answer that goes to a file instead of stdout.
    pub fn detect(color: ColorChoice, ascii: bool, to_file: bool) -> Self {
        let on_terminal = !to_file && io::stdout().is_terminal();
        let color = match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => on_terminal && is_unset_or_empty("NO_COLOR") && !is_dumb(),
        };
        Self { color, ascii: ascii || !locale_is_utf8(), width: on_terminal.then(columns).flatten() }
    }
}

impl Terminal {
    /// How a document is to look here, in a language.
    pub fn style(self, lang: Lang) -> Style {
        Style { width: self.width.map(usize::from), ascii: self.ascii, color: self.color, lang }
    }
}

fn is_unset_or_empty(name: &str) -> bool {
    env::var_os(name).is_none_or(|value| value.is_empty())
}

fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// The character set of the first of `LC_ALL`, `LC_CTYPE`, `LANG` that is set (POSIX, Base Definitions, 8.2). Without
/// any the locale is `C`; Windows has no such variables, and its consoles take Unicode.
pub(super) fn locale_is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    match locale {
        Some(locale) => {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => cfg!(windows),
    }
}

/// `COLUMNS`, else what the terminal says.
pub(super) fn columns() -> Option<u16> {
    env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok())
        .filter(|&columns| columns > 0)
        .or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0))
}
