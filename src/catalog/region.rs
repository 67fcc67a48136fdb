//! Regions: where a machine stands and which law applies.

use super::instance::ProviderId;
use super::provenance::SourceId;
use serde::{Deserialize, Serialize};

/// Position of a region in [`super::Catalog::regions`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RegionId(pub u16);

/// One region of one provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Whose region.
    pub provider: ProviderId,
    /// The provider's name for it: `us-east-1`.
    pub name: String,
    /// Name for people: `West US 3`.
    pub display: Option<String>,
    /// ISO 3166 country code; `None` is unknown and complies with nothing.
    pub country: Option<String>,
    /// Tags such as `eu`, `eea`, `us`, `us-gov`, `cn`; only what a source says.
    pub jurisdictions: Vec<String>,
    /// Seat of the company that runs this region, ISO 3166, where it is not the provider's.
    pub operator_country: Option<String>,
    /// Where this comes from.
    pub source: SourceId,
}

impl Region {
    /// Whether it belongs to a partition or cloud of its own, such as China or a government's: accounts, prices and
    /// quotas of the provider's other regions do not hold there.
    pub fn is_apart(&self) -> bool {
        self.jurisdictions.iter().any(|tag| tag == "separate-partition" || tag == "separate-cloud")
    }
}
