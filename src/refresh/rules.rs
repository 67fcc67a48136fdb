//! `rules.toml`, read: names and parts that price sources leave unsaid. No rule is applied here.

use super::Fault;
use serde::Deserialize;

/// All rules.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Rules {
    /// Providers whose machines are told apart by GPU and count alone.
    pub(super) by_hardware: Vec<String>,
    /// Generations of TPU whose slices count two cores to a chip.
    pub(super) two_cores: Vec<String>,
    /// Days by which the spot prices of the zones of a region may lie apart.
    pub(super) spot_days_apart: i32,
    /// Accelerators that SkyPilot prices apart from their hosts.
    pub(super) skypilot_gcp: Vec<Attached>,
    /// Machines in Google's SKUs.
    pub(super) gcp: Vec<Parts>,
    /// Names of Oracle's price list.
    pub(super) oci: Vec<Named>,
}

/// An accelerator and the machines that hold it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attached {
    pub(super) accelerator: String,
    /// How names of these machines begin.
    pub(super) machines: Vec<String>,
}

/// What the price of a machine is made of.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parts {
    /// How names of these machines begin.
    pub(super) machines: String,
    /// What names have behind `+`.
    pub(super) with: Option<String>,
    pub(super) core: String,
    pub(super) ram: String,
    pub(super) gpu: String,
    pub(super) ssd: Option<String>,
}

/// A name and what it means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) gpu: String,
}

impl Rules {
    /// The rules that come with the program.
    pub(super) fn own() -> Result<Self, Fault> {
        toml::from_str(include_str!("rules.toml"))
            .map_err(|error| Fault::new(format!("the rules of this program are damaged: {error}"), ""))
    }
}
