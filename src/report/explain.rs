//! The body of `explain CODE`.

use super::document::{Body, Csv, Used};
use super::view::Block;
use crate::lang::quoted;
use crate::rule::example::Example;
use serde::Serialize;
use serde_json::{Map, Value};

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
    /// The two cases that a rule of the catalog is tested with.
    pub example: Option<Cases>,
    /// Catalog sources it draws on.
    #[serde(skip)]
    pub used: Used,
    /// The first paragraph and the message of the example are in the words of a user: of an overlay.
    #[serde(skip)]
    pub quoted: bool,
}

/// Facts on which a rule fires, with what it says, and facts on which it does not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cases {
    /// Facts by their paths.
    pub fires: Map<String, Value>,
    /// What the rule says of them.
    pub message: String,
    /// What it says is saved.
    pub saves_usd: Option<f64>,
    /// Facts on which it is silent.
    pub silent: Map<String, Value>,
}

impl Cases {
    /// The cases of a rule.
    pub fn new(example: Example) -> Self {
        Self {
            fires: example.fires.into_iter().collect(),
            message: example.message,
            saves_usd: example.saves_usd,
            silent: example.silent.into_iter().collect(),
        }
    }

    /// Both cases; of the second one only what differs.
    fn blocks(&self, is_quoted: bool) -> Vec<Block> {
        let line = |(path, value): (&String, &Value)| match value {
            Value::String(text) => format!("{path} = {text}"),
            other => format!("{path} = {other}"),
        };
        let differs = |(path, value): &(&String, &Value)| self.fires.get(*path) != Some(*value);
        let gone = self.fires.keys().filter(|path| !self.silent.contains_key(*path));
        let changed = self.silent.iter().filter(differs).map(line);
        let saves = self.saves_usd.map(|usd| format!(" It saves {usd:.2} USD.")).unwrap_or_default();
        let message = if is_quoted { quoted(&self.message) } else { self.message.clone() };
        vec![
            Block::Heading("It fires, for example, with".to_owned()),
            Block::List(self.fires.iter().map(line).collect()),
            Block::Text(format!("and says: {message}{saves}")),
            Block::Heading("It is silent when instead".to_owned()),
            Block::List(changed.chain(gone.map(|path| format!("{path} is not known"))).collect()),
        ]
    }
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
        let own =
            |(at, text): (usize, &String)| if self.quoted && at == 0 { quoted(text) } else { text.clone() };
        blocks.extend(self.text.iter().enumerate().map(own).map(Block::Text));
        blocks.extend(self.source.iter().map(|source| Block::Text(format!("Source: {source}"))));
        blocks.extend(self.example.iter().flat_map(|cases| cases.blocks(self.quoted)));
        blocks
    }
}
