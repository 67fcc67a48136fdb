//! A machine that can be rented, and who rents it out.

use super::gpu::GpuId;
use super::provenance::SourceId;
use serde::{Deserialize, Serialize};

/// Position of a machine in [`super::Catalog::instances`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct InstanceId(pub u16);

/// Position of a provider in [`super::Catalog::providers`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProviderId(pub u16);

/// One machine type of one provider. Prices are per hour of one of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// Who rents it out.
    pub provider: ProviderId,
    /// The provider's name for it.
    pub name: String,
    /// Its accelerator.
    pub gpu: GpuId,
    /// How many of them; a fraction below 1 is a share of one GPU.
    pub gpus: f64,
    /// Memory that one GPU, or the share, has on its label here, in bytes.
    pub gpu_memory_bytes: u64,
    /// Virtual CPUs.
    pub vcpus: Option<f64>,
    /// Main memory in GiB.
    pub ram_gib: Option<f64>,
    /// Local NVMe in GB; `Some(0)` is a machine without.
    pub nvme_gb: Option<f64>,
    /// Network between machines in Gbit/s per machine; `None` where unsourced, and then only one node is offered.
    pub network_gbps: Option<f64>,
    /// Fewest of this unit that are sold together: the smallest slice of a TPU priced per chip.
    pub smallest_count: u32,
    /// What one row is: a whole machine, one GPU of a pool, a TPU chip, host or slice.
    pub unit: Unit,
    /// Where the figures come from.
    pub source: SourceId,
    /// Conflicts and cautions.
    pub note: Option<String>,
}

impl Instance {
    /// Whole GPUs for a layout: a fraction counts as one (smaller) GPU.
    pub fn whole_gpus(&self) -> u32 {
        self.gpus.max(1.0).round() as u32
    }

    /// Whether this holds a share of one GPU.
    pub fn is_fractional(&self) -> bool {
        self.gpus < 1.0
    }
}

/// What the price of one row buys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A virtual or bare-metal machine with its GPUs.
    #[default]
    Instance,
    /// One TPU chip of a slice, host included; sold in slices.
    Chip,
    /// One TPU host with its chips.
    Host,
    /// A whole TPU slice.
    Slice,
}

impl Unit {
    /// All units.
    pub const ALL: [Self; 4] = [Self::Instance, Self::Chip, Self::Host, Self::Slice];

    /// Names of all units.
    pub const NAMES: &[&'static str] = &["instance", "chip", "host", "slice"];

    /// Name in files and outputs.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The unit with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

/// Who rents machines out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    /// Short name used in ids: `aws`.
    pub name: String,
    /// Name for people: `Amazon Web Services`.
    pub display: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Kind of provider.
    pub tier: Tier,
    /// Where the company that runs it has its seat; `None` is unknown and complies with nothing.
    pub operator: Option<Operator>,
    /// Where the tier and the names come from.
    pub source: SourceId,
}

/// The seat of a company.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operator {
    /// ISO 3166 country code.
    pub country: String,
    /// Where this comes from.
    pub source: SourceId,
}

/// Kind of provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// AWS, GCP, Azure, OCI and their like.
    Hyperscaler,
    /// GPU clouds.
    Specialist,
    /// Machines of third parties.
    Marketplace,
}

impl Tier {
    /// All tiers.
    pub const ALL: [Self; 3] = [Self::Hyperscaler, Self::Specialist, Self::Marketplace];

    /// Names of all tiers.
    pub const NAMES: &[&'static str] = &["hyperscaler", "specialist", "marketplace"];

    /// Name on the command line, in files and outputs.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The tier with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }
}
