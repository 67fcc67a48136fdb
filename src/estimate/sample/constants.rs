//! The constants of samples, looked up once.

use crate::catalog::Catalog;
use crate::estimate::Unplannable;
use std::collections::BTreeMap;

/// Constants of rates and memory, by key and class.
#[derive(Clone, Debug)]
pub struct Constants {
    values: BTreeMap<String, BTreeMap<String, f64>>,
    /// Share of the peak that dense arithmetic reaches.
    pub(super) compute: f64,
    /// Share of the memory bandwidth that elementwise layers reach.
    pub(super) bandwidth: f64,
    /// Rows with less than this share of the nearest one's weight are not counted.
    pub(super) keep: f64,
    /// Largest distance over which a rate is carried.
    pub(super) reach: f64,
    /// Up to this distance a rate counts as measured.
    pub(super) near: f64,
    /// Samples in a pass where neither the question nor the source tells.
    pub(super) usual_batch: f64,
}

/// Common start of all keys.
const PREFIX: &str = "sample-";

impl Constants {
    /// Reads all constants of samples.
    pub fn new(catalog: &Catalog) -> Result<Self, Unplannable> {
        let own = catalog.constants.iter().filter(|c| c.key.starts_with(PREFIX));
        let mut values: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
        for constant in own {
            let key = constant.key[PREFIX.len()..].to_owned();
            let (class, value) = (constant.class.clone().unwrap_or_default(), constant.value);
            match values.get_mut(&key) {
                Some(classes) => _ = classes.insert(class, value),
                None => _ = values.insert(key, BTreeMap::from([(class, value)])),
            }
        }
        let mut constants =
            Self { values, compute: 0.0, bandwidth: 0.0, keep: 0.0, reach: 0.0, near: 0.0, usual_batch: 0.0 };
        constants.compute = constants.needs("compute")?;
        constants.bandwidth = constants.needs("bandwidth")?;
        constants.keep = constants.needs("keep")?;
        constants.reach = constants.needs("reach")?;
        constants.near = constants.needs("near")?;
        constants.usual_batch = constants.needs("usual-batch")?;
        Ok(constants)
    }

    /// A constant of a class, else of all classes.
    pub(super) fn get(&self, key: &str, class: &str) -> Option<f64> {
        let classes = self.values.get(key)?;
        classes.get(class).or_else(|| classes.get("")).copied()
    }

    /// A constant of all classes that must be there.
    pub(super) fn needs(&self, key: &str) -> Result<f64, Unplannable> {
        self.get(key, "").ok_or_else(|| Unplannable {
            id: "constant-missing",
            message: format!("the catalog has no constant `{PREFIX}{key}`"),
        })
    }

    /// Times that the values of a forward pass go through the memory.
    pub(super) fn traffic(&self, sort: &str, train: bool) -> f64 {
        self.get(if train { "traffic-train" } else { "traffic-infer" }, sort).unwrap_or(1.0)
    }

    /// Seconds that a pass takes however small it is.
    pub(super) fn latency(&self, class: &str) -> f64 {
        self.get("pass-latency", class).unwrap_or_default()
    }

    /// Values that a network puts out for each operation, where they were not counted.
    pub(super) fn values_per_flop(&self, sort: &str) -> f64 {
        self.get("values-per-flop", sort).unwrap_or_default()
    }

    /// How much further away a row is for a difference of one sort.
    pub(super) fn distance(&self, difference: &str) -> f64 {
        self.get("distance", difference).unwrap_or_default()
    }
}
