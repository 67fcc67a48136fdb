//! What the checks of the catalog warn of in prices that are taken all the same. Nothing is left out here.

use crate::diag::{Finding, Level};
use std::collections::BTreeMap;

/// Prices that one check warns of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Of the check, as `explain` knows it.
    pub code: &'static str,
    /// How many rows.
    pub count: u64,
    /// The first of them, and what is odd about it.
    pub example: String,
}

/// The warnings among the findings about an overlay, by code; `text` is the overlay.
pub fn doubts(text: &str, findings: &[Finding]) -> Vec<Doubt> {
    let mut all: BTreeMap<&'static str, (u64, &Finding)> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.level == Level::Warning) {
        all.entry(finding.code).or_insert((0, finding)).0 += 1;
    }
    all.into_iter()
        .map(|(code, (count, first))| {
            let name = row(text, first.place.line).map_or_else(String::new, |name| format!("{name}: "));
            Doubt {
                code,
                count,
                example: format!("{name}{}", super::harmless(&first.message).collect::<String>()),
            }
        })
        .collect()
}

/// Which price stands in a line of an overlay.
fn row(text: &str, line: usize) -> Option<String> {
    let line = text.lines().nth(line.checked_sub(1)?)?;
    let table: toml::Table = format!("row = {}", line.trim().trim_end_matches(',')).parse().ok()?;
    let of = |key: &str| table.get("row")?.get(key)?.as_str();
    let name = format!("{}/{} {} {}", of("provider")?, of("instance")?, of("region")?, of("billing")?);
    Some(super::harmless(&name).collect())
}
