//! Prices compared with each other: spot and commitments against on-demand, terms against each other, and against the
//! median of the GPU.

use std::collections::BTreeMap;

use super::prices::Key;
use super::{Layer, RowId};
use crate::catalog::codes;
use crate::catalog::gpu::GpuId;
use crate::catalog::price::{Billing, Currency, Price};

/// A price per GPU-hour below this share of the GPU's median on-demand price is suspicious.
const FAR_BELOW: f64 = 0.1;

impl Layer<'_> {
    /// Checks the rows of this layer, against rows of this and of earlier layers.
    pub(super) fn check_prices(&mut self, rows: &BTreeMap<Key, RowId>) {
        let medians = self.medians();
        // Taken out for as long as findings are made.
        let prices = std::mem::take(&mut self.catalog.prices);
        let mut start = 0;
        for (&(instance, region, billing, upfront), &row) in rows {
            // Both are in the order of keys.
            let before = |price: &Price| (price.instance, price.region) < (instance, region);
            start += prices[start..].iter().take_while(|price| before(price)).count();
            let here = |price: &&Price| (price.instance, price.region) == (instance, region);
            let offers = &prices[start..start + prices[start..].iter().take_while(here).count()];
            let find = |kind: Billing, upfront| {
                offers.iter().find(|price| price.billing == kind && price.upfront == upfront)
            };
            let Some(own) = find(billing, upfront) else { continue };
            if let Some(on_demand) = find(Billing::OnDemand, None)
                && billing != Billing::OnDemand
            {
                self.compare_with_on_demand(row, own, on_demand);
            }
            if let Some(shorter) = billing.one_year_sibling().and_then(|kind| find(kind, upfront))
                && above(own, shorter)
            {
                let message = format!("{} is above {}", shown(own), shown(shorter));
                self.raise(
                    row,
                    &codes::THREE_YEAR_ABOVE_ONE_YEAR,
                    message,
                    "check whether the two columns are swapped",
                );
            }
            self.compare_with_median(row, own, &medians);
        }
        self.catalog.prices = prices;
    }

    fn compare_with_on_demand(&mut self, row: RowId, own: &Price, on_demand: &Price) {
        let message = format!("{} is not below {}", shown(own), shown(on_demand));
        if own.billing == Billing::Spot {
            if !above(on_demand, own) && comparable(own, on_demand) {
                let hint = "if the source really says so, waive it with the reason";
                self.raise(row, &codes::SPOT_NOT_BELOW_ON_DEMAND, message, hint);
            }
        } else if own.billing.is_committed() && above(own, on_demand) {
            let message = message.replace("is not below", "is above");
            let hint = "check columns and units; if the source really says so, waive it with the reason";
            self.raise(row, &codes::COMMITMENT_ABOVE_ON_DEMAND, message, hint);
        }
    }

    fn compare_with_median(&mut self, row: RowId, own: &Price, medians: &BTreeMap<GpuId, f64>) {
        let instance = self.catalog.instance(own.instance);
        let (Some(amount), Some(&median)) = (own.per_hour, medians.get(&instance.gpu)) else { return };
        let per_gpu = amount.to_f64() / instance.gpus;
        if own.currency == Currency::USD && per_gpu < median * FAR_BELOW {
            let message = format!(
                "{per_gpu:.4} USD per GPU-hour is {:.0} times below the median on-demand price of `{}`, {median:.4}",
                median / per_gpu,
                self.catalog.gpu(instance.gpu).name,
            );
            let hint =
                "check whether the price is for one GPU of several; if it is right, waive it with the reason";
            self.raise(row, &codes::PRICE_FAR_BELOW_MEDIAN, message, hint);
        }
    }

    /// Median on-demand price per GPU-hour of each GPU, in USD.
    fn medians(&self) -> BTreeMap<GpuId, f64> {
        let mut all: BTreeMap<GpuId, Vec<f64>> = BTreeMap::new();
        for price in &self.catalog.prices {
            let instance = self.catalog.instance(price.instance);
            if let Some(amount) = price.per_hour
                && price.billing == Billing::OnDemand
                && price.currency == Currency::USD
            {
                all.entry(instance.gpu).or_default().push(amount.to_f64() / instance.gpus);
            }
        }
        let median = |mut list: Vec<f64>| {
            list.sort_by(f64::total_cmp);
            list[list.len() / 2]
        };
        all.into_iter().map(|(gpu, list)| (gpu, median(list))).collect()
    }
}

fn comparable(a: &Price, b: &Price) -> bool {
    a.currency == b.currency && a.per_hour.is_some() && b.per_hour.is_some()
}

/// Whether both are known, in one currency, and `a` is dearer.
fn above(a: &Price, b: &Price) -> bool {
    comparable(a, b) && a.per_hour > b.per_hour
}

fn shown(price: &Price) -> String {
    let amount = price.per_hour.map_or_else(|| "unknown".to_owned(), |amount| amount.to_string());
    format!("{} at {amount} {}", price.billing.name(), price.currency.code())
}
