//! Rows of `catalog providers`: who rents what out, where, under which contracts and which law, side by side.

use super::CatalogRow;
use crate::catalog::Catalog;
use crate::catalog::charge::{Charge, What};
use crate::catalog::instance::{Instance, Provider, ProviderId, Tier};
use crate::catalog::price::Billing;
use crate::catalog::region::Region;
use crate::report::date::Dated;
use crate::report::document::Used;
use serde::Serialize;
use std::collections::BTreeSet;

/// Who rents machines out. What no source says is `null` or missing, never "no".
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
    /// Accelerators that it rents out.
    pub gpus: Vec<String>,
    /// Kinds of machines in the catalog.
    pub machines: usize,
    /// Contracts of which a price is known.
    pub billing: Vec<&'static str>,
    /// Seconds in which running time is billed, where one rule holds for all of its machines.
    pub billing_increment_s: Option<u32>,
    /// Seconds that are billed at least, likewise.
    pub billing_minimum_s: Option<u32>,
    /// Its regions.
    pub regions: Vec<String>,
    /// Countries in which a source says that they lie.
    pub countries: Vec<String>,
    /// Jurisdictions that a source tags any of them with.
    pub jurisdictions: Vec<String>,
    /// Seat of the company.
    pub operator_country: Option<String>,
    /// Where the seat comes from.
    pub operator_source: Option<String>,
    /// Where the row comes from.
    pub source: String,
    /// When the source said so.
    pub as_of: Dated,
}

impl ProviderRow {
    pub(super) fn new(catalog: &Catalog, id: ProviderId) -> Self {
        let provider = catalog.provider(id);
        let regions: Vec<&Region> = catalog.regions.iter().filter(|region| region.provider == id).collect();
        let machines: Vec<&Instance> = catalog.instances.iter().filter(|it| it.provider == id).collect();
        let gpus: BTreeSet<&str> = machines.iter().map(|it| catalog.gpu(it.gpu).name.as_str()).collect();
        let jurisdictions: BTreeSet<&String> = regions.iter().flat_map(|it| &it.jurisdictions).collect();
        let countries: BTreeSet<&String> = regions.iter().filter_map(|it| it.country.as_ref()).collect();
        let whole = charge(catalog, id);
        let operator = provider.operator.as_ref();
        let source = catalog.source(provider.source);
        Self {
            name: provider.name.clone(),
            display: provider.display.clone(),
            aliases: provider.aliases.clone(),
            tier: provider.tier,
            gpus: gpus.into_iter().map(str::to_owned).collect(),
            machines: machines.len(),
            billing: billing(catalog, id),
            billing_increment_s: whole.map(|charge| charge.increment_s),
            billing_minimum_s: whole.map(|charge| charge.minimum_s),
            regions: regions.iter().map(|region| region.name.clone()).collect(),
            countries: countries.into_iter().cloned().collect(),
            jurisdictions: jurisdictions.into_iter().cloned().collect(),
            operator_country: operator.map(|it| it.country.clone()),
            operator_source: operator.map(|it| catalog.source(it.source).text.clone()),
            source: source.text.clone(),
            as_of: Dated(source.as_of),
        }
    }
}

/// The sources behind such a row.
pub(super) fn sources(catalog: &Catalog, provider: &Provider, id: ProviderId) -> Used {
    let mut used = Used::default();
    used.figure(provider.source);
    let operator = provider.operator.as_ref().map(|operator| operator.source);
    for source in operator.into_iter().chain(charge(catalog, id).map(|charge| charge.source)) {
        used.figure(source);
    }
    used
}

/// How running time is billed, where one rule holds for all machines and regions.
fn charge(catalog: &Catalog, id: ProviderId) -> Option<&Charge> {
    let mut all = catalog.charges.iter().filter(|it| it.provider == id && it.what == What::Compute);
    let only = all.next()?;
    (all.next().is_none() && only.regions.is_empty() && only.instances.is_empty()).then_some(only)
}

/// Contracts with a known price.
fn billing(catalog: &Catalog, id: ProviderId) -> Vec<&'static str> {
    let of = |price: &&crate::catalog::price::Price| {
        price.per_hour.is_some() && catalog.instance(price.instance).provider == id
    };
    let kinds: BTreeSet<Billing> = catalog.prices.iter().filter(of).map(|price| price.billing).collect();
    kinds.into_iter().map(Billing::name).collect()
}

impl CatalogRow for ProviderRow {
    const KIND: &'static str = "provider";
    const COLUMNS: &'static [&'static str] = &[
        "name",
        "display",
        "aliases",
        "tier",
        "gpus",
        "machines",
        "billing",
        "billing_increment_s",
        "billing_minimum_s",
        "regions",
        "countries",
        "jurisdictions",
        "operator_country",
        "operator_source",
        "source",
        "as_of",
    ];
    const EXPENDABLE: &'static [&'static str] = &["contracts", "GPUs", "tier", "regions"];

    fn titles() -> &'static [&'static str] {
        &["provider", "tier", "GPUs", ">regions", "countries", "law", "seat", "contracts", "billed by"]
    }

    fn cells(&self) -> Vec<String> {
        let listed = |texts: &[String]| if texts.is_empty() { "n/a".to_owned() } else { few(texts) };
        let billing: Vec<String> = self.billing.iter().map(|&kind| kind.to_owned()).collect();
        vec![
            self.name.clone(),
            self.tier.name().to_owned(),
            listed(&self.gpus),
            self.regions.len().to_string(),
            listed(&self.countries),
            listed(&self.jurisdictions),
            self.operator_country.clone().unwrap_or_else(|| "n/a".to_owned()),
            listed(&billing),
            self.billing_increment_s.map_or_else(|| "n/a".to_owned(), |seconds| format!("{seconds} s")),
        ]
    }
}

/// The first few of a list, and how many more there are; JSON and CSV have all.
fn few(texts: &[String]) -> String {
    const SHOWN: usize = 4;
    let more = if texts.len() > SHOWN { format!(" +{}", texts.len() - SHOWN) } else { String::new() };
    format!("{}{more}", texts[..texts.len().min(SHOWN)].join(", "))
}
