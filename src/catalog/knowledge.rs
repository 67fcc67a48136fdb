//! What is known beyond specs and prices: estimate constants, advice rules, named scenarios.

use super::gpu::Gpu;
use super::provenance::SourceId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One constant of the estimates, with its range and the data it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    /// What it is: `train-efficiency`, `decode-bandwidth` … (the dictionary is in `catalog/README.md`).
    pub key: String,
    /// GPU name, family, architecture or vendor that it holds for; `None` for all.
    pub gpu: Option<String>,
    /// Precision that it holds for; `None` for all.
    pub precision: Option<String>,
    /// Class of software that it holds for; `None` for all.
    pub class: Option<String>,
    /// Holds up to this many GPUs; `None` for any number.
    pub max_gpus: Option<u32>,
    /// Best value.
    pub value: f64,
    /// Pessimistic and optimistic ends, lower first.
    pub range: Option<(f64, f64)>,
    /// Where it comes from.
    pub source: SourceId,
    /// What it means, for `explain`.
    pub note: Option<String>,
}

impl super::Catalog {
    /// The most specific constant for a key: GPU name beats family, architecture and vendor; then precision, class, size.
    pub fn constant(
        &self,
        key: &str,
        gpu: Option<&Gpu>,
        precision: Option<&str>,
        class: Option<&str>,
        gpus: u32,
    ) -> Option<&Constant> {
        let part = |own: Option<&str>, asked: Option<&str>| match own {
            None => Some(0),
            Some(own) if Some(own) == asked => Some(1),
            Some(_) => None,
        };
        // What is cheap to compare comes first: most rows of a key are for other software.
        let rank = |c: &&Constant| {
            let by_class = part(c.class.as_deref(), class)?;
            let by_precision = part(c.precision.as_deref(), precision)?;
            let size = c.max_gpus.map_or(Some(u32::MAX), |max| (gpus <= max).then_some(max))?;
            let by_gpu = c.gpu.as_deref().map_or(Some(0), |name| self.closeness(name, gpu?))?;
            Some((by_gpu, by_precision, by_class, u32::MAX - size))
        };
        self.rows_of(key).filter_map(|c| rank(&c).map(|r| (r, c))).max_by_key(|&(r, _)| r).map(|(_, c)| c)
    }

    /// The numbers of GPUs up to which rows of a key hold, smallest first: between two of them nothing changes.
    pub fn sizes(&self, key: &str) -> BTreeSet<u32> {
        self.rows_of(key).map(|row| row.max_gpus.unwrap_or(u32::MAX)).collect()
    }

    /// All rows of a key. The list is sorted by key first.
    fn rows_of(&self, key: &str) -> impl Iterator<Item = &Constant> {
        let start = self.constants.partition_point(|row| row.key.as_str() < key);
        self.constants[start..].iter().take_while(move |row| row.key == key)
    }

    /// How closely a name means a GPU: its own 4, its family's 3, its architecture's 2, its vendor's 1.
    fn closeness(&self, name: &str, gpu: &Gpu) -> Option<u8> {
        let holds = |&m: &super::gpu::GpuId| self.gpu(m).name == gpu.name;
        if name == gpu.name {
            Some(4)
        } else if self.families.iter().any(|f| f.name == name && f.members.iter().any(holds)) {
            Some(3)
        } else if name == gpu.architecture {
            Some(2)
        } else {
            (name == gpu.vendor).then_some(1)
        }
    }
}

/// An advice rule: when it fires over a finished candidate, it says something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Stable kebab-case id.
    pub id: String,
    /// `info`, `suggest`, `warn` or `deny`.
    pub level: String,
    /// Condition in the Common Expression Language over one candidate.
    pub when: String,
    /// Message with `{field}` or `{expression}` holes.
    pub message: String,
    /// What it means and what to do, for `explain`.
    pub explain: String,
    /// Expression for the money it saves, in USD, where that can be said.
    pub saves_usd: Option<String>,
    /// Where the advice comes from.
    pub source: SourceId,
    /// Came from an overlay.
    pub overridden: bool,
}

/// A named workload with the configuration that a guide recommends for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Kebab-case name.
    pub name: String,
    /// What it is for.
    pub title: String,
    /// The guide's machine: GPU spec, how many, CPU cores.
    pub guide_gpu: String,
    /// GPUs in the guide's machine.
    pub guide_gpus: u32,
    /// CPU cores in the guide's machine.
    pub guide_vcpus: u32,
    /// The workloads of the scenario.
    pub workloads: Vec<ScenarioWorkload>,
    /// Where the guide says so.
    pub source: SourceId,
    /// Cautions.
    pub note: Option<String>,
}

/// One workload of a scenario: flags as typed, or the reason why it cannot be judged yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioWorkload {
    /// What people call it: `BERT-base`.
    pub name: String,
    /// Workload flags without their dashes, such as `("model", "bert-base")`; empty when not judged.
    pub flags: Vec<(String, String)>,
    /// Why no verdict is given; `None` where one is.
    pub not_judged: Option<String>,
}
