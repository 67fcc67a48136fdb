//! The body of `explain CODE`.

use super::document::{Body, Csv, Used};
use super::view::Block;
use serde::Serialize;

/// What a finding, rule, assumption or warning means, and what to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explain {
    /// The code as asked.
    pub code: String,
    /// `finding`, `rule`, `assumption`, `warning`, `constant` or `rejection`.
    pub kind: &'static str,
    /// What it means and what to do: one paragraph an entry.
    pub text: Vec<String>,
    /// Where it comes from, with its date, where that is known.
    pub source: Option<String>,
    /// Catalog sources it draws on.
    #[serde(skip)]
    pub used: Used,
}

impl Body for Explain {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "", spread: None, columns: &["code", "kind", "text", "source"] }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks = vec![Block::Heading(format!("{} ({})", self.code, self.kind))];
        blocks.extend(self.text.iter().cloned().map(Block::Text));
        blocks.extend(self.source.iter().map(|source| Block::Text(format!("Source: {source}"))));
        blocks
    }
}
