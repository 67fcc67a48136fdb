//! What a source would have been told without itself, kept small enough for a test: the constants that were fitted
//! without it, and the errors of its rows then.

use super::crossval::forget;
use super::values;
use crate::catalog::Catalog;
use crate::insight::metric::Metric;
use crate::insight::score::{Scores, quantile};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Constants fitted without each source: `tests/data/leave-one-out.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// By source.
    pub source: Vec<SourceValues>,
}

/// Constants fitted without one source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceValues {
    /// Its name.
    pub name: String,
    /// Publishers whose measured rates are its own.
    #[serde(default)]
    pub published: BTreeSet<String>,
    /// Values by what they are of; only those that differ from the catalog.
    pub values: BTreeMap<String, f64>,
}

/// Errors by source and metric: `tests/data/accuracy-baseline.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// By source and metric.
    pub group: Vec<Median>,
}

/// Median error of the rows of a source in one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Median {
    /// The source.
    pub source: String,
    /// The metric.
    pub metric: String,
    /// Rows.
    pub rows: usize,
    /// Median of the absolute errors, per cent.
    pub median_ape_pct: f64,
}

impl SourceValues {
    /// What differs between the catalog and one that was fitted without the source.
    pub fn new(name: &str, published: &BTreeSet<String>, catalog: &Catalog, without: &Catalog) -> Self {
        let pairs = catalog.constants.iter().zip(&without.constants);
        let differing = pairs.filter(|(own, other)| own.value.to_bits() != other.value.to_bits());
        let values = differing.map(|(own, other)| (values::label(own), values::rounded(other.value)));
        Self { name: name.to_owned(), published: published.clone(), values: values.collect() }
    }

    /// The catalog with these values; an error names the constants that it does not have.
    pub fn apply(&self, catalog: &Catalog) -> Result<Catalog, String> {
        let mut without = catalog.clone();
        forget(&mut without, &self.published);
        let mut left: BTreeMap<&str, f64> =
            self.values.iter().map(|(label, value)| (label.as_str(), *value)).collect();
        for constant in &mut without.constants {
            if let Some(value) = left.remove(values::label(constant).as_str()) {
                constant.value = value;
            }
        }
        if left.is_empty() {
            Ok(without)
        } else {
            Err(format!("{}: the catalog has no constant {:?}", self.name, left.keys()))
        }
    }
}

/// Median errors of scores by source and metric.
pub fn medians(scores: &Scores) -> Vec<Median> {
    let mut groups: BTreeMap<(&str, Metric), Vec<f64>> = BTreeMap::new();
    for scored in &scores.scored {
        if let Some(error) = scored.error() {
            groups.entry((&scored.labels.source, scored.metric)).or_default().push(error.abs());
        }
    }
    let median = |((source, metric), errors): ((&str, Metric), Vec<f64>)| Median {
        source: source.to_owned(),
        metric: metric.name().to_owned(),
        rows: errors.len(),
        median_ape_pct: (quantile(errors, 0.5) * 1e4).round() / 100.0,
    };
    groups.into_iter().map(median).collect()
}
