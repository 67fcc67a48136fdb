//! Nebius billing calculator. An estimate does not say what it was asked for, so each stands beside its question:
//! `{"region", "platform", "preset", "preemptible", "hourly_cost": {"general": {"total": {"cost"}}}}`, in a list or one behind
//! the other. A machine is called `PLATFORM_PRESET`, as in SkyPilot's catalog.

use crate::catalog::price::Billing;
use crate::refresh::json::{Loose, each};
use crate::refresh::{Amount, Fault, Hardware, Ledger, Offer};
use serde::Deserialize;
use std::io::Read;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Estimate {
    region: Loose,
    platform: Loose,
    preset: Loose,
    preemptible: Loose,
    hourly_cost: Hourly,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Hourly {
    general: General,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct General {
    total: Total,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Total {
    cost: Loose,
}

/// Reads estimates.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    each(from, &[&[]], |number, _, item: Estimate| estimate(ledger, number, &item))
}

fn estimate(ledger: &mut Ledger<'_>, number: u64, item: &Estimate) -> Result<(), Fault> {
    let (platform, preset) = (item.platform.text(), item.preset.text());
    let name = if platform.is_empty() { String::new() } else { format!("{platform}_{preset}") };
    let mut offer =
        Offer::new(&name, item.region.text(), Amount::Text(item.hourly_cost.general.total.cost.text()));
    if item.preemptible.flag() == Some(true) {
        offer.billing = Billing::Spot;
    }
    offer.line = number;
    offer.hardware = hardware(platform, preset);
    ledger.offer(&offer)
}

/// What the names say: `gpu-h100-sxm` and `8gpu-128vcpu-1600gb`.
fn hardware<'a>(platform: &'a str, preset: &str) -> Hardware<'a> {
    let count = |unit: &str| preset.split('-').find_map(|part| part.strip_suffix(unit)?.parse::<f64>().ok());
    match platform.strip_prefix("gpu-") {
        Some(gpu) => Hardware {
            gpu,
            gpus: count("gpu"),
            vcpus: count("vcpu"),
            ram_gib: count("gb"),
            ..Hardware::default()
        },
        None => Hardware { gpus: Some(0.0), ..Hardware::default() },
    }
}
