//! AWS spot: the price history of `describe-spot-price-history`, and the Spot Instance Advisor.
//!
//! Of a history the newest price of each zone holds, with the day on which it was set. The advisor tells per cent saved over a month and how often machines
//! were taken away, no price; a price is never made of a saving, and its frequencies fall far below what was measured on
//! scarce GPUs (see `catalog/spot.toml`), so all of it is counted as left out.

use super::skypilot::is_local;
use crate::catalog::price::Billing;
use crate::refresh::json::{Few, Loose, each};
use crate::refresh::{Amount, Fault, Ledger, Offer, Reason};
use jiff::Timestamp;
use serde::Deserialize;
use std::io::Read;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Entry {
    availability_zone: Loose,
    instance_type: Loose,
    product_description: Loose,
    spot_price: Loose,
    timestamp: Loose,
}

/// Reads a price history.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    each(from, &[&["SpotPriceHistory"]], |number, _, item: Entry| price(ledger, number, &item))
}

fn price(ledger: &mut Ledger<'_>, number: u64, item: &Entry) -> Result<(), Fault> {
    let (zone, machine) = (item.availability_zone.text(), item.instance_type.text());
    let region = zone.trim_end_matches(|c: char| c.is_ascii_lowercase());
    // us-east-1-bos-1a: behind the number of the region stands another place.
    let local = zone.trim_start_matches(|c: char| !c.is_ascii_digit()).contains('-');
    let what = format!("{machine} {zone} {}", item.product_description.text());
    let system = item.product_description.text();
    if !system.is_empty() && !matches!(system, "Linux/UNIX" | "Linux/UNIX (Amazon VPC)") {
        ledger.skip(Reason::OtherSoftware, number, &what);
    } else if local || is_local(region, zone) {
        ledger.skip(Reason::LocalZone, number, &what);
    } else if let Ok(time) = item.timestamp.text().parse::<Timestamp>() {
        let day = jiff::tz::Offset::UTC.to_datetime(time).date();
        let mut offer = Offer::new(machine, region, Amount::Text(item.spot_price.text()));
        offer.slot = zone;
        offer.seq = time.as_second();
        offer.billing = Billing::Spot;
        offer.line = number;
        offer.as_of = Some(day);
        ledger.offer(&offer)?;
    } else {
        ledger.skip(Reason::DateNotUsable, number, &what);
    }
    Ok(())
}

/// Machines of one operating system in one region, with savings.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Systems {
    #[serde(rename = "Linux")]
    linux: Few<serde::de::IgnoredAny>,
    #[serde(rename = "Windows")]
    windows: Few<serde::de::IgnoredAny>,
}

/// Reads the data of the advisor.
pub(super) fn read_advisor(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    each(from, &[&["spot_advisor"]], |_, key, item: Systems| {
        savings(ledger, key, &item);
        Ok(())
    })
}

fn savings(ledger: &mut Ledger<'_>, region: &str, item: &Systems) {
    for _ in 0..item.linux.0.len() {
        ledger.skip(Reason::NotAPrice, 0, &format_args!("{region}: savings in per cent"));
    }
    for _ in 0..item.windows.0.len() {
        ledger.skip(Reason::OtherSoftware, 0, &format_args!("{region}: Windows"));
    }
}
