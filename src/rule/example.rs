//! The two cases that each embedded rule is tested with, for `explain`: facts on which it fires, facts on which it does
//! not. They are the files of `tests/rules`, packed by the build.

use super::{Definition, Rules};
use crate::catalog::Catalog;
use crate::catalog::knowledge::Rule;
use serde_json::{Map, Value};

/// All cases: `{"ID": [fires, silent]}`.
const CASES: &str = include_str!(concat!(env!("OUT_DIR"), "/rule-cases"));

/// The two cases of one rule, each fact by its path.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Facts on which it fires.
    pub fires: Vec<(String, Value)>,
    /// What it then says.
    pub message: String,
    /// What it then says is saved, USD.
    pub saves_usd: Option<f64>,
    /// Facts on which it does not fire.
    pub silent: Vec<(String, Value)>,
}

/// The cases of a rule as it stands in the catalog: `None` for a rule of an overlay, or one that it has changed so that
/// the cases no longer show it.
pub fn of(catalog: &Catalog, rule: &Rule) -> Option<Example> {
    let mut cases: Map<String, Value> = serde_json::from_str(CASES).ok()?;
    let Some(Value::Array(pair)) = cases.remove(&rule.id) else { return None };
    let [fires, silent] = <[Value; 2]>::try_from(pair).ok()?;
    let rules = Rules::new([Definition::of(catalog, rule)]);
    let said = rules.evaluate(&fires).ok()?.into_iter().next()?;
    if !rules.evaluate(&silent).ok()?.is_empty() {
        return None;
    }
    Some(Example {
        fires: flat(&fires),
        message: said.message,
        saves_usd: said.saves_usd,
        silent: flat(&silent),
    })
}

/// Every fact by its path, in the order of the file; lists stay whole.
fn flat(facts: &Value) -> Vec<(String, Value)> {
    fn visit(path: &str, value: &Value, found: &mut Vec<(String, Value)>) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    visit(
                        &if path.is_empty() { name.clone() } else { format!("{path}.{name}") },
                        value,
                        found,
                    );
                }
            }
            other => found.push((path.to_owned(), other.clone())),
        }
    }
    let mut found = Vec::new();
    visit("", facts, &mut found);
    found
}
