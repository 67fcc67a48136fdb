//! SkyPilot catalog CSV (`catalogs/v5` to `v8`, one `vms.csv` a cloud).
//!
//! Quirks: rows are per zone; AWS lists local zones under their region; `GpuInfo` is a Python dict or JSON whose size is in
//! MiB, but in GiB for `RunPod`; Google's hosts and accelerators are apart (`skypilot_gcp`); a blank price is not known.

use super::skypilot_gcp::Pairs;
use crate::catalog::price::Billing;
use crate::refresh::table::{Row, rows};
use crate::refresh::{Amount, Fault, Hardware, Ledger, Offer, Reason};
use std::io::Read;

/// Reads one cloud.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    let provider = ledger.need_provider()?;
    let name = ledger.catalog().provider(provider).name.clone();
    let mut pairs = (name == "gcp").then(Pairs::default);
    let needs: &[&[&str]] = &[&["instancetype"], &["price"], &["region"]];
    rows(from, ledger, needs, |row, ledger| {
        let offer = whole(row);
        let zone = row.get(&["availabilityzone"]);
        if name == "aws" && !zone.is_empty() && is_local(row.get(&["region"]), zone) {
            ledger.skip(Reason::LocalZone, row.line, &format_args!("{} {zone}", offer.machine));
            return Ok(());
        }
        match &mut pairs {
            Some(pairs) if is_part(&offer) => pairs.row(row, &offer, provider, ledger),
            _ => both(row, &offer, ledger),
        }
    })?;
    match pairs {
        Some(pairs) => pairs.join(provider, ledger),
        None => Ok(()),
    }
}

/// What a row offers, on demand.
fn whole<'a>(row: &'a Row<'_>) -> Offer<'a> {
    let mut offer =
        Offer::new(row.get(&["instancetype"]), row.get(&["region"]), Amount::Text(row.get(&["price"])));
    offer.slot = row.get(&["availabilityzone"]);
    offer.line = row.line;
    let gpu = row.get(&["acceleratorname"]);
    offer.hardware = Hardware {
        gpu,
        memory_gib: size(row.get(&["gpuinfo"])),
        gpus: if gpu.is_empty() { Some(0.0) } else { row.number(&["acceleratorcount"]) },
        vcpus: row.number(&["vcpus"]),
        ram_gib: row.number(&["memorygib"]),
        nvme_gb: None,
    };
    offer
}

/// Whether a row of Google is a host, an accelerator or a slice of TPU: a whole machine has both names.
fn is_part(offer: &Offer<'_>) -> bool {
    let gpu = offer.hardware.gpu;
    offer.machine.is_empty() || gpu.is_empty() || gpu.starts_with("tpu-")
}

/// Hands out the on-demand price and, where there is one, the spot price.
fn both(row: &Row<'_>, offer: &Offer<'_>, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    ledger.offer(offer)?;
    let spot = row.get(&["spotprice"]);
    if spot.is_empty() {
        return Ok(());
    }
    ledger.offer(&Offer { billing: Billing::Spot, amount: Amount::Text(spot), ..offer.clone() })
}

/// Whether a zone of AWS is not one letter behind its region: local zones and Wavelength.
pub(super) fn is_local(region: &str, zone: &str) -> bool {
    let letter = zone.strip_prefix(region).unwrap_or_default();
    !(letter.len() == 1 && letter.bytes().all(|b| b.is_ascii_lowercase()))
}

/// Memory of one GPU in GiB, from the text of `GpuInfo`.
fn size(info: &str) -> Option<f64> {
    let rest = info.split("SizeInMiB").nth(1)?;
    let digits: String = rest
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .take(20)
        .collect();
    digits.parse().ok().map(|mib: f64| mib / 1024.0)
}
