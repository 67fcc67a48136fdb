//! How a document is to look: format, width, characters, language. Decided by the caller, never by the environment.

use crate::lang::Lang;

/// Output formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// For people at a terminal.
    #[default]
    Table,
    /// One JSON document.
    Json,
    /// Flat rows with a header.
    Csv,
    /// For pull requests and wikis.
    #[value(alias = "md")]
    #[serde(alias = "md")]
    Markdown,
    /// One page for a browser that needs nothing else.
    Html,
}

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal. Without one, tables are as wide as they are: nothing is wrapped or left out.
    pub width: Option<usize>,
    /// Nothing outside ASCII: no box characters, no dashes but `-`.
    pub ascii: bool,
    /// Bold headings by ANSI codes; only for a terminal.
    pub color: bool,
    /// What people read is said in this language.
    pub lang: Lang,
}

impl Default for Style {
    /// What a pipe gets: no limit, no control codes.
    fn default() -> Self {
        Self { width: None, ascii: false, color: false, lang: Lang::default() }
    }
}
