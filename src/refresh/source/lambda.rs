//! Lambda Cloud API, `/instance-types`: a table by machine, prices in cents, the same everywhere.

use crate::refresh::json::{Loose, each};
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

/// Reads the answer.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    each(from, &[&["data"]], |number, key, item: Entry| machine(ledger, number, key, &item))
}

fn machine(ledger: &mut Ledger<'_>, number: u64, key: &str, item: &Entry) -> Result<(), Fault> {
    let own = &item.instance_type;
    let name = if own.name.text().is_empty() { key } else { own.name.text() };
    let cents = own.price_cents_per_hour.text();
    let dollars = decimal(cents).and_then(|cents| cents.checked_div(Decimal::ONE_HUNDRED));
    let mut offer = Offer::new(name, "global", dollars.map_or(Amount::Text(cents), Amount::Exact));
    offer.line = number;
    let gpus = own.specs.gpus.number();
    offer.hardware = Hardware {
        gpu: if gpus == Some(0.0) { "" } else { own.gpu_description.text() },
        gpus,
        vcpus: own.specs.vcpus.number(),
        ram_gib: own.specs.memory_gib.number(),
        ..Hardware::default()
    };
    ledger.offer(&offer)
}
