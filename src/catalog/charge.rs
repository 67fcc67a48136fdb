//! What a provider bills besides the price of a machine, and how it counts time: steps of billing, storage, egress.

use serde::{Deserialize, Serialize};

use super::Catalog;
use super::instance::{InstanceId, ProviderId};
use super::lookup::names::glob;
use super::provenance::SourceId;
use super::region::RegionId;

/// One rule of a price list. What does not apply to its kind stays empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Charge {
    /// Whose.
    pub provider: ProviderId,
    /// What it is about.
    pub what: What,
    /// Patterns of regions where it holds; everywhere when empty.
    pub regions: Vec<String>,
    /// Patterns of machines that it holds for; all when empty.
    pub instances: Vec<String>,
    /// Compute: seconds in which running time is counted, each started one in full.
    pub increment_s: u32,
    /// Compute: seconds that are billed at least; 0 where there is no minimum.
    pub minimum_s: u32,
    /// Compute: a stopped machine is billed like a running one.
    pub billed_when_stopped: bool,
    /// Capacity blocks: whole days that are sold up to so many, and beyond them whole weeks up to so many.
    pub blocks: Option<(u32, u32)>,
    /// Storage, egress: bytes of the unit that is priced, 10^9 or 2^30.
    pub unit_bytes: f64,
    /// Storage: US dollars for a unit and month (730 h), one entry. Egress: US dollars for a unit, by the units that
    /// have left in the month; the first entry begins at 0.
    pub steps: Vec<Step>,
    /// Storage: US dollars for a unit and month while the machine is stopped, where it differs.
    pub usd_when_stopped: Option<f64>,
    /// Where it comes from.
    pub source: SourceId,
}

/// A price from some amount on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Units in a month from which it holds.
    pub from: f64,
    /// US dollars for a unit.
    pub usd: f64,
}

/// What a charge is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// How the time of a machine is counted.
    Compute,
    /// Disks.
    Storage,
    /// Data that leaves for the internet.
    Egress,
    /// How long capacity can be reserved in blocks.
    CapacityBlock,
}

impl What {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Compute, Self::Storage, Self::Egress, Self::CapacityBlock];

    /// Names of all kinds.
    pub const NAMES: &[&'static str] = &["compute", "storage", "egress", "capacity-block"];

    /// Name in files and outputs.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|what| what.name() == name)
    }
}

/// The charges that hold for one machine in one region; `None` is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Charges<'c> {
    /// How its time is counted.
    pub compute: Option<&'c Charge>,
    /// What disks cost.
    pub storage: Option<&'c Charge>,
    /// What data cost that leaves.
    pub egress: Option<&'c Charge>,
    /// How long its capacity blocks are.
    pub blocks: Option<&'c Charge>,
}

impl Charge {
    /// How closely it names what it holds for, by the length of its patterns; `None` where it does not hold.
    fn fits(&self, instance: &str, region: &str) -> Option<(usize, usize)> {
        let closest = |patterns: &[String], name: &str| {
            let matching = patterns.iter().filter(|pattern| glob(pattern, name));
            if patterns.is_empty() { Some(0) } else { matching.map(String::len).max() }
        };
        Some((closest(&self.instances, instance)?, closest(&self.regions, region)?))
    }

    /// The unit that is priced: `GB` or `GiB`.
    pub fn unit(&self) -> &'static str {
        if self.unit_bytes > 1e9 { "GiB" } else { "GB" }
    }
}

impl Catalog {
    /// The charges of a machine in a region. A row that names the machine beats one that names the region, that one a
    /// row for all of the provider; the longer pattern is the closer one.
    pub fn charges(&self, instance: InstanceId, region: RegionId) -> Charges<'_> {
        let machine = self.instance(instance);
        let place = &self.region(region).name;
        let mut best: [Option<((usize, usize), &Charge)>; What::ALL.len()] = Default::default();
        for charge in self.charges.iter().filter(|charge| charge.provider == machine.provider) {
            let Some(closeness) = charge.fits(&machine.name, place) else { continue };
            let held = &mut best[charge.what as usize];
            if held.is_none_or(|(closest, _)| closeness >= closest) {
                *held = Some((closeness, charge));
            }
        }
        let of = |what: What| best[what as usize].map(|(_, charge)| charge);
        Charges {
            compute: of(What::Compute),
            storage: of(What::Storage),
            egress: of(What::Egress),
            blocks: of(What::CapacityBlock),
        }
    }
}
