//! Rows of `catalog show` for what has no listing of its own: families, providers, regions.

use super::CatalogRow;
use crate::catalog::Catalog;
use crate::catalog::gpu::Family;
use crate::catalog::instance::{Provider, Tier};
use crate::catalog::region::Region;
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

/// Who rents machines out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProviderRow {
    /// Short name used in ids.
    pub name: String,
    /// Name for people.
    pub display: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Kind of provider.
    pub tier: Tier,
    /// Its regions.
    pub regions: Vec<String>,
    /// Where this comes from.
    pub source: String,
    /// When the source said so.
    pub as_of: Dated,
}

impl ProviderRow {
    pub(super) fn new(catalog: &Catalog, provider: &Provider) -> Self {
        let source = catalog.source(provider.source);
        let own =
            catalog.regions.iter().filter(|region| catalog.provider(region.provider).name == provider.name);
        Self {
            name: provider.name.clone(),
            display: provider.display.clone(),
            aliases: provider.aliases.clone(),
            tier: provider.tier,
            regions: own.map(|region| region.name.clone()).collect(),
            source: source.text.clone(),
            as_of: Dated(source.as_of),
        }
    }
}

impl CatalogRow for ProviderRow {
    const KIND: &'static str = "provider";
    const COLUMNS: &'static [&'static str] =
        &["name", "display", "aliases", "tier", "regions", "source", "as_of"];

    fn titles() -> &'static [&'static str] {
        &["provider", "name", ">regions"]
    }

    fn cells(&self) -> Vec<String> {
        vec![self.name.clone(), self.display.clone(), self.regions.len().to_string()]
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
            source: source.text.clone(),
            as_of: Dated(source.as_of),
        }
    }
}

impl CatalogRow for RegionRow {
    const KIND: &'static str = "region";
    const COLUMNS: &'static [&'static str] =
        &["provider", "name", "display", "country", "jurisdictions", "source", "as_of"];

    fn titles() -> &'static [&'static str] {
        &["provider", "region", "name", "country"]
    }

    fn cells(&self) -> Vec<String> {
        let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "n/a".to_owned());
        vec![self.provider.clone(), self.name.clone(), known(&self.display), known(&self.country)]
    }
}
