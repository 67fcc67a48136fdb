//! Rows of `catalog show` for what has no listing of its own: families, regions.

use super::CatalogRow;
use crate::catalog::Catalog;
use crate::catalog::gpu::Family;
use crate::catalog::region::{Region, RegionId};
use crate::report::date::Dated;
use serde::Serialize;

/// A name that stands for several GPUs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FamilyRow {
    /// The name that people type.
    pub name: String,
    /// Its GPUs, the default one first.
    pub members: Vec<String>,
    /// Other names for the family.
    pub aliases: Vec<String>,
}

impl FamilyRow {
    pub(super) fn new(catalog: &Catalog, family: &Family) -> Self {
        Self {
            name: family.name.clone(),
            members: family.members.iter().map(|&id| catalog.gpu(id).name.clone()).collect(),
            aliases: family.aliases.clone(),
        }
    }
}

impl CatalogRow for FamilyRow {
    const KIND: &'static str = "family";
    const COLUMNS: &'static [&'static str] = &["name", "members", "aliases"];

    fn titles() -> &'static [&'static str] {
        &["family", "GPUs"]
    }

    fn cells(&self) -> Vec<String> {
        vec![self.name.clone(), self.members.join(", ")]
    }
}

/// One region of one provider.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegionRow {
    /// Whose region.
    pub provider: String,
    /// The provider's name for it.
    pub name: String,
    /// Name for people.
    pub display: Option<String>,
    /// ISO 3166 country code; `null` is unknown.
    pub country: Option<String>,
    /// Tags such as `eu`.
    pub jurisdictions: Vec<String>,
    /// Seat of the company that runs it; `null` is unknown.
    pub operator_country: Option<String>,
    /// Where this comes from.
    pub source: String,
    /// When the source said so.
    pub as_of: Dated,
}

impl RegionRow {
    pub(super) fn new(catalog: &Catalog, region: &Region) -> Self {
        let source = catalog.source(region.source);
        Self {
            provider: catalog.provider(region.provider).name.clone(),
            name: region.name.clone(),
            display: region.display.clone(),
            country: region.country.clone(),
            jurisdictions: region.jurisdictions.clone(),
            operator_country: id_of(catalog, region)
                .and_then(|id| catalog.operator_country(id).map(ToOwned::to_owned)),
            source: source.text.clone(),
            as_of: Dated(source.as_of),
        }
    }
}

fn id_of(catalog: &Catalog, region: &Region) -> Option<RegionId> {
    let same = |other: &Region| other.provider == region.provider && other.name == region.name;
    (0..).zip(&catalog.regions).find(|(_, other)| same(other)).map(|(id, _)| RegionId(id))
}

impl CatalogRow for RegionRow {
    const KIND: &'static str = "region";
    const COLUMNS: &'static [&'static str] =
        &["provider", "name", "display", "country", "jurisdictions", "operator_country", "source", "as_of"];

    fn titles() -> &'static [&'static str] {
        &["provider", "region", "name", "country"]
    }

    fn cells(&self) -> Vec<String> {
        let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "n/a".to_owned());
        vec![self.provider.clone(), self.name.clone(), known(&self.display), known(&self.country)]
    }
}
