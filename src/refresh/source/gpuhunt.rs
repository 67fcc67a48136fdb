//! gpuhunt catalog CSV (dstack), one file a provider: `instance_name`, `location`, `price`, `cpu`, `memory`, `gpu_count`,
//! `gpu_name`, `gpu_memory`, `spot`.
//!
//! Quirks: Google's locations are zones, its N1 rows hold the price of host and GPU, its TPUs are slices; names of Vast and
//! `RunPod` are offers, not machines.

use super::tpu;
use crate::catalog::price::Billing;
use crate::refresh::ledger::decimal;
use crate::refresh::table::rows;
use crate::refresh::{Amount, Fault, Hardware, Ledger, Offer};
use std::io::Read;

/// Reads one provider.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    let needs: &[&[&str]] = &[&["instancename"], &["location"], &["price"], &["spot"]];
    rows(from, ledger, needs, |row, ledger| {
        let own = row.get(&["provider"]);
        let provider = if own.is_empty() {
            Some(ledger.need_provider()?)
        } else {
            ledger.catalog().resolve_provider(own).ok()
        };
        let google = provider.is_some_and(|id| ledger.catalog().provider(id).name == "gcp");
        let location = row.get(&["location"]);
        let region = if google { region_of_zone(location) } else { location };
        let gpu = row.get(&["gpuname"]);
        let count = if gpu.is_empty() { Some(0.0) } else { row.number(&["gpucount"]) };
        let mut name = row.get(&["instancename"]).to_owned();
        if google && name.starts_with("n1-") && !gpu.is_empty() {
            name = format!("{name}+{}x{}", gpu.to_ascii_lowercase(), count.unwrap_or_default());
        }
        let slice = provider.filter(|_| google).and_then(|of| tpu::slice(ledger, of, &name));
        let price = row.get(&["price"]);
        let mut offer = Offer::new(&name, region, Amount::Text(price));
        offer.provider = own;
        offer.slot = if google { location } else { "" };
        offer.line = row.line;
        offer.billing =
            if row.get(&["spot"]).eq_ignore_ascii_case("true") { Billing::Spot } else { Billing::OnDemand };
        offer.hardware = Hardware {
            gpu,
            memory_gib: row.number(&["gpumemory"]),
            gpus: count,
            vcpus: row.number(&["cpu"]),
            ram_gib: row.number(&["memory"]),
            nvme_gb: None,
        };
        if let Some(slice) = &slice {
            offer.machine = &slice.machine;
            offer.hardware = Hardware { gpu, ..Hardware::default() };
            if let Some(price) = decimal(price) {
                offer.amount = Amount::Exact(tpu::per_chip(price, slice.chips));
            }
        }
        // Offers of a marketplace are told apart by their names.
        let hosted =
            provider.is_some_and(|id| ledger.rules.by_hardware.contains(&ledger.catalog().provider(id).name));
        let offer_id = row.get(&["instancename"]);
        if hosted {
            offer.machine = "";
            offer.slot = if offer.slot.is_empty() { offer_id } else { offer.slot };
        }
        ledger.offer(&offer)
    })
}

/// `us-central1` of `us-central1-a`.
pub(super) fn region_of_zone(zone: &str) -> &str {
    match zone.rsplit_once('-') {
        Some((region, letter)) if letter.len() == 1 && region.ends_with(|c: char| c.is_ascii_digit()) => {
            region
        }
        _ => zone,
    }
}
