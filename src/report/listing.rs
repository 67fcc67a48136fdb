//! The bodies of `schema` without a name (names with what they are) and of commands that print a finished text.

use super::document::{Body, Csv, Used};
use super::view::{Block, Grid};
use crate::lang::quoted;
use serde::Serialize;

/// Names with what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// In the order given.
    pub rows: Vec<Entry>,
    #[serde(skip)]
    used: Used,
}

/// One name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// What it is.
    pub what: String,
}

impl Listing {
    /// The body for these (name, what it is) pairs.
    pub fn new<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let entry = |(name, what): (&str, &str)| Entry { name: name.to_owned(), what: what.to_owned() };
        Self { rows: entries.into_iter().map(entry).collect(), used: Used::default() }
    }
}

impl Body for Listing {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "rows", spread: None, columns: &["name", "what"] }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut grid = Grid::new(&["name", "what"]);
        self.rows.iter().for_each(|entry| grid.push(vec![entry.name.clone(), entry.what.clone()]));
        vec![Block::Table(grid)]
    }
}

/// A finished text, such as a completion script.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Text {
    /// The text.
    pub text: String,
    #[serde(skip)]
    used: Used,
}

impl Text {
    /// The body for this text.
    pub fn new(text: String) -> Self {
        Self { text, used: Used::default() }
    }
}

impl Body for Text {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "", spread: None, columns: &["text"] }
    }

    fn blocks(&self) -> Vec<Block> {
        vec![Block::Picture(self.text.lines().map(quoted).collect())]
    }
}
