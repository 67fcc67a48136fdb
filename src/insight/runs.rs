//! Whole training runs as published: how many tokens a network was trained on.

use crate::catalog::lookup::names::squeeze;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Published runs with their hours, in the columns of training measurements.
pub(super) const TABLE: &[u8] = include_bytes!("../../catalog/measurements/runs.csv");
/// Networks of which nothing but the tokens is told.
const TOKENS: &[u8] = include_bytes!("../../catalog/measurements/tokens.csv");

/// Tokens that the network of this name was trained on, where its authors say so.
pub fn tokens(model: &str) -> Option<f64> {
    static PUBLISHED: OnceLock<BTreeMap<String, f64>> = OnceLock::new();
    PUBLISHED.get_or_init(published).get(&squeeze(model)).copied()
}

fn published() -> BTreeMap<String, f64> {
    [TABLE, TOKENS].into_iter().flat_map(|table| pairs(table).unwrap_or_default()).collect()
}

/// Names and tokens of a table.
fn pairs(table: &[u8]) -> Option<Vec<(String, f64)>> {
    let mut reader = csv::Reader::from_reader(table);
    let header = reader.headers().ok()?.clone();
    let column = |name: &str| header.iter().position(|own| own == name);
    let (model, tokens) = (column("model")?, column("tokens_total")?);
    let pair = |record: csv::StringRecord| {
        Some((squeeze(record.get(model)?), record.get(tokens)?.parse::<f64>().ok()?))
    };
    Some(reader.records().filter_map(Result::ok).filter_map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn names_are_found_however_they_are_written() {
        assert_eq!(tokens("Pythia-6.9B"), Some(299_892_736_000.0));
        assert_eq!(tokens("llama-2-7b"), Some(2e12));
        assert_eq!(tokens("nobody-1b"), None);
    }
}
