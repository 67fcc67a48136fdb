//! Vast.ai API, `/bundles`: offers of a marketplace. A price is the median of the offers of so many GPUs; the least bid of an
//! interruptible machine is no price (P123: a bid is not what is paid).

use crate::refresh::json::{Loose, each};
use crate::refresh::{Amount, Fault, Hardware, Ledger, Offer, Reason};
use serde::Deserialize;
use std::io::Read;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Bundle {
    id: Loose,
    gpu_name: Loose,
    num_gpus: Loose,
    gpu_ram: Loose,
    dph_total: Loose,
    min_bid: Loose,
    rentable: Loose,
}

/// Reads the answer.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    each(from, &[&["offers"]], |number, _, item: Bundle| bundle(ledger, number, &item))
}

fn bundle(ledger: &mut Ledger<'_>, number: u64, item: &Bundle) -> Result<(), Fault> {
    let what = format!("offer {} {}", item.id.text(), item.gpu_name.text());
    if item.min_bid.number().is_some() {
        ledger.skip(Reason::NotAPrice, number, &format_args!("{what}: a least bid"));
    }
    if item.rentable.flag() == Some(false) {
        ledger.skip(Reason::NotOffered, number, &what);
        return Ok(());
    }
    let mut offer = Offer::new("", "global", Amount::Text(item.dph_total.text()));
    offer.slot = item.id.text();
    offer.pooled = true;
    offer.line = number;
    offer.hardware = Hardware {
        gpu: item.gpu_name.text(),
        memory_gib: item.gpu_ram.number().map(|mib| mib / 1024.0),
        gpus: item.num_gpus.number(),
        ..Hardware::default()
    };
    ledger.offer(&offer)
}
