//! Lambda Cloud API, `/instance-types`: a table by machine, prices in cents, the same everywhere.

use crate::refresh::json::{Loose, Walk, walk};
use crate::refresh::ledger::decimal;
use crate::refresh::{Amount, Fault, Hardware, Ledger, Offer};
use rust_decimal::Decimal;
use serde::Deserialize;
use std::io::Read;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Entry {
    instance_type: Type,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Type {
    name: Loose,
    gpu_description: Loose,
    price_cents_per_hour: Loose,
    specs: Specs,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Specs {
    vcpus: Loose,
    memory_gib: Loose,
    gpus: Loose,
}

struct Types<'l, 'c> {
    ledger: &'l mut Ledger<'c>,
    items: u64,
}

/// Reads the answer.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    walk(from, &mut Types { ledger, items: 0 })
}

impl Walk for Types<'_, '_> {
    type Item = Entry;

    fn paths(&self) -> &'static [&'static [&'static str]] {
        &[&["data"]]
    }

    fn item(&mut self, _: usize, key: &str, item: Entry) -> Result<(), Fault> {
        self.items += 1;
        let own = &item.instance_type;
        let name = if own.name.text().is_empty() { key } else { own.name.text() };
        let cents = own.price_cents_per_hour.text();
        let dollars = decimal(cents).and_then(|cents| cents.checked_div(Decimal::ONE_HUNDRED));
        let mut offer = Offer::new(name, "global", dollars.map_or(Amount::Text(cents), Amount::Exact));
        offer.line = self.items;
        let gpus = own.specs.gpus.number();
        offer.hardware = Hardware {
            gpu: if gpus == Some(0.0) { "" } else { own.gpu_description.text() },
            gpus,
            vcpus: own.specs.vcpus.number(),
            ram_gib: own.specs.memory_gib.number(),
            ..Hardware::default()
        };
        self.ledger.offer(&offer)
    }
}
