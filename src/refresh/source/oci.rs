//! Oracle's price list API: a price per GPU and hour, one for all regions; a shape costs so many of them.

use crate::catalog::instance::Instance;
use crate::refresh::json::{Few, Loose, Walk, walk};
use crate::refresh::ledger::decimal;
use crate::refresh::{Amount, Fault, Hardware, Ledger, Offer, Reason, hardware};
use rust_decimal::Decimal;
use rust_decimal::prelude::FromPrimitive;
use serde::Deserialize;
use std::io::Read;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Product {
    display_name: Loose,
    metric_name: Loose,
    currency_code_localizations: Few<Localized>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Localized {
    currency_code: Loose,
    prices: Few<Price>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Price {
    model: Loose,
    value: Loose,
}

struct Products<'l, 'c> {
    ledger: &'l mut Ledger<'c>,
    items: u64,
}

/// Reads the answer.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    walk(from, &mut Products { ledger, items: 0 })
}

impl Walk for Products<'_, '_> {
    type Item = Product;

    fn paths(&self) -> &'static [&'static [&'static str]] {
        &[&["items"]]
    }

    fn scalar(&mut self, key: &str, value: &Loose) {
        if key == "lastUpdated"
            && let Some(Ok(day)) = value.text().get(..10).map(str::parse)
        {
            self.ledger.said(day);
        }
    }

    fn item(&mut self, _: usize, _: &str, item: Product) -> Result<(), Fault> {
        self.items += 1;
        let name = item.display_name.text();
        let Some((_, gpu)) = name.rsplit_once("GPU - ").filter(|_| item.metric_name.text() == "GPU Per Hour")
        else {
            self.ledger.skip(Reason::OtherProduct, self.items, &name);
            return Ok(());
        };
        let dollars = |it: &&Localized| it.currency_code.text() == "USD";
        let price = item.currency_code_localizations.0.iter().find(dollars).and_then(|own| {
            own.prices
                .0
                .iter()
                .find(|price| price.model.text() == "PAY_AS_YOU_GO")
                .map(|price| price.value.text())
        });
        let Some(price) = price else {
            self.ledger.skip(Reason::NoPrice, self.items, &name);
            return Ok(());
        };
        self.shapes(gpu, price)
    }
}

impl Products<'_, '_> {
    /// The shapes with this GPU, each with its price.
    fn shapes(&mut self, name: &str, price: &str) -> Result<(), Fault> {
        let oracle = self.ledger.need_provider()?;
        let catalog = self.ledger.catalog();
        let rule = self.ledger.rules.oci.iter().find(|rule| rule.name == name);
        let gpu = rule.map_or(name, |rule| rule.gpu.as_str());
        let found = hardware::gpu(catalog, oracle, &Hardware { gpu, ..Hardware::default() });
        let own =
            |id| catalog.instances.iter().filter(move |it: &&Instance| it.provider == oracle && it.gpu == id);
        let shapes: Vec<&Instance> = match found {
            Ok(id) => own(id).collect(),
            Err(reason) => {
                self.ledger.skip(reason, self.items, &name);
                return Ok(());
            }
        };
        if shapes.is_empty() {
            self.ledger.skip(Reason::MachineNotKnown, self.items, &name);
        }
        for shape in shapes {
            let times = |each: Decimal| Decimal::from_f64(shape.gpus).and_then(|gpus| each.checked_mul(gpus));
            let amount = decimal(price).and_then(times);
            let mut offer =
                Offer::new(&shape.name, "global", amount.map_or(Amount::Text(price), Amount::Exact));
            offer.line = self.items;
            self.ledger.offer(&offer)?;
        }
        Ok(())
    }
}
