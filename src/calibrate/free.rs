//! Which constants may be fitted, within which bounds, and how much rows of a sort count: `free.toml`, read.

use super::parent;
use crate::catalog::Catalog;
use crate::insight::metric::Metric;
use serde::Deserialize;

/// The list that comes with the program.
const OWN: &str = include_str!("free.toml");

/// What a constant moves, and so what it is fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    /// Rates, latencies and times.
    Speed,
    /// Peaks and cache sizes.
    Memory,
}

impl Aspect {
    /// The aspect that a metric belongs to.
    pub fn of(metric: Metric) -> Self {
        match metric {
            Metric::PeakMemoryGib | Metric::KvCacheTokens | Metric::Fit => Self::Memory,
            _ => Self::Speed,
        }
    }
}

/// One key whose rows may be fitted.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Key {
    /// Key of the constants.
    pub key: String,
    /// What they are fitted to.
    pub on: Aspect,
    /// Least value that is physical.
    pub low: f64,
    /// Greatest value that is physical.
    pub high: f64,
    /// Classes of software whose row stays; `*` for rows without a class.
    #[serde(default)]
    pub except: Vec<String>,
    /// The same for published measurements alone: what is counted for some classes and measured for others.
    #[serde(default)]
    pub counted_for: Vec<String>,
    /// Whether a user's own runs may move it.
    #[serde(default)]
    pub own: bool,
    /// Counted from code or papers: published measurements do not move it.
    #[serde(default)]
    pub counted: bool,
}

/// How much rows of a sort count.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Weight {
    kind: Option<String>,
    metric: Option<String>,
    value: f64,
}

/// The list of what may be fitted.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Keys.
    #[serde(rename = "free")]
    pub keys: Vec<Key>,
    #[serde(default, rename = "weight")]
    weights: Vec<Weight>,
}

/// A constant of a catalog that may be fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Free {
    /// Position in the list of constants.
    pub index: usize,
    /// What it is fitted to.
    pub on: Aspect,
    /// Least value.
    pub low: f64,
    /// Greatest value.
    pub high: f64,
    /// The constant that would hold if this one were not there.
    pub parent: Option<usize>,
    /// The value before the fit.
    pub start: f64,
}

impl Choice {
    /// The list that comes with the program.
    pub fn own() -> Result<Self, String> {
        Self::read(OWN)
    }

    /// Reads a list.
    pub fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The list for published measurements: without what is counted.
    #[must_use]
    pub fn for_published(mut self) -> Self {
        self.keys.retain(|key| !key.counted);
        for key in &mut self.keys {
            key.except.append(&mut key.counted_for);
        }
        self
    }

    /// The constants of a catalog that may be fitted, in their order. A value of 0 switches a term off and stays.
    pub fn of(&self, catalog: &Catalog) -> Vec<Free> {
        let free = |(index, constant): (usize, &crate::catalog::knowledge::Constant)| {
            let key = self.keys.iter().find(|key| key.key == constant.key)?;
            let class = constant.class.as_deref().unwrap_or("*");
            let excepted = key.except.iter().any(|except| except == class);
            (!excepted && constant.value > 0.0).then(|| Free {
                index,
                on: key.on,
                low: key.low.min(constant.value),
                high: key.high.max(constant.value),
                parent: parent::of(catalog, index),
                start: constant.value,
            })
        };
        catalog.constants.iter().enumerate().filter_map(free).collect()
    }

    /// How much a figure counts.
    pub fn weight(&self, kind: &str, metric: Metric) -> f64 {
        let means = |own: Option<&String>, asked: &str| own.is_none_or(|own| own == asked);
        let line = self
            .weights
            .iter()
            .find(|line| means(line.kind.as_ref(), kind) && means(line.metric.as_ref(), metric.name()));
        line.map_or(1.0, |line| line.value)
    }
}
