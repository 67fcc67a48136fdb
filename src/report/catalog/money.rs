//! Rows of `catalog prices`.

use super::CatalogRow;
use crate::catalog::Catalog;
use crate::catalog::price::{Currency, Price, Upfront};
use crate::report::date::Dated;
use crate::report::number::Num;
use crate::report::text::{billing, count_by_memory, price_text};
use serde::Serialize;

/// One price. Unknown is `null`, never 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of `catalog::price::Price`, units in the names")]
pub struct PriceRow {
    pub provider: String,
    pub region: String,
    pub country: Option<String>,
    pub instance_type: String,
    pub gpu: String,
    pub gpus_per_node: Num,
    pub gpu_memory_gib: Num,
    pub billing: &'static str,
    pub upfront: Option<&'static str>,
    /// Price of one machine; `null` when unknown or in another currency.
    pub usd_per_hour: Option<Num>,
    pub usd_per_gpu_hour: Option<Num>,
    /// Currency of the source.
    pub currency: String,
    /// Price of one machine in that currency.
    pub amount_per_hour: Option<Num>,
    /// What the figure is, where the source says so: `median-of-zones`, `current` …
    pub stat: Option<String>,
    /// What the price buys: `instance`, `chip`, `host` or `slice`.
    pub unit: &'static str,
    pub price_as_of: Dated,
    pub source: String,
    pub as_of: Dated,
    pub overridden: bool,
    pub allow: Vec<AllowRow>,
}

/// A finding that the row's author accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AllowRow {
    /// Code of the finding.
    pub code: String,
    /// Why it is right all the same.
    pub reason: String,
}

impl PriceRow {
    pub(super) fn new(catalog: &Catalog, price: &Price) -> Self {
        let instance = catalog.instance(price.instance);
        let region = catalog.region(price.region);
        let source = catalog.source(price.source);
        let usd = price.per_hour.filter(|_| price.currency == Currency::USD);
        let (currency, amount) =
            price.seldom.listed.map_or((price.currency, price.per_hour), |(code, it)| (code, Some(it)));
        Self {
            provider: catalog.provider(instance.provider).name.clone(),
            region: region.name.clone(),
            country: region.country.clone(),
            instance_type: instance.name.clone(),
            gpu: catalog.gpu(instance.gpu).name.clone(),
            gpus_per_node: Num::exact(instance.gpus),
            gpu_memory_gib: Num::gib(instance.gpu_memory_bytes as f64),
            billing: price.billing.name(),
            upfront: price.upfront.map(Upfront::name),
            usd_per_hour: usd.map(Num::usd_per_hour),
            usd_per_gpu_hour: usd.and_then(|p| p.per(instance.gpus)).map(Num::usd_per_gpu_hour),
            currency: currency.code().to_owned(),
            amount_per_hour: amount.map(Num::usd_per_hour),
            stat: price.stat.as_deref().map(str::to_owned),
            unit: instance.unit.name(),
            price_as_of: Dated(source.as_of),
            source: source.text.clone(),
            as_of: Dated(source.as_of),
            overridden: price.overridden,
            allow: price
                .seldom
                .allow
                .iter()
                .map(|(code, reason)| AllowRow { code: code.clone(), reason: reason.clone() })
                .collect(),
        }
    }
}

impl CatalogRow for PriceRow {
    const KIND: &'static str = "price";
    const EXPENDABLE: &'static [&'static str] =
        &["memory per GPU", "as of", "other currency/h", "GPU", "USD/GPU-h"];
    const COLUMNS: &'static [&'static str] = &[
        "provider",
        "region",
        "country",
        "instance_type",
        "gpu",
        "gpus_per_node",
        "gpu_memory_gib",
        "billing",
        "upfront",
        "usd_per_hour",
        "usd_per_gpu_hour",
        "currency",
        "amount_per_hour",
        "stat",
        "unit",
        "price_as_of",
        "source",
        "as_of",
        "overridden",
        "allow",
    ];

    fn titles() -> &'static [&'static str] {
        &[
            "provider",
            "region",
            "instance",
            "GPU",
            "memory per GPU",
            "billing",
            ">USD/h",
            ">USD/GPU-h",
            ">other currency/h",
            "as of",
        ]
    }

    fn cells(&self) -> Vec<String> {
        let other = self.amount_per_hour.filter(|_| self.usd_per_hour.is_none());
        vec![
            self.provider.clone(),
            self.region.clone(),
            self.instance_type.clone(),
            self.gpu.clone(),
            count_by_memory(self.gpus_per_node, self.gpu_memory_gib),
            billing(self.billing, self.upfront, self.overridden),
            price_text(self.usd_per_hour),
            price_text(self.usd_per_gpu_hour),
            other.map_or_else(String::new, |amount| format!("{amount}\u{a0}{}", self.currency)),
            self.price_as_of.short(),
        ]
    }
}
