//! Pages of the Azure Retail Prices API: `Items` with `type` Consumption or Reservation, savings plans inside.
//!
//! Quirks: a reservation's price is for its whole term although its unit is "1 Hour"; spot and low priority are told by the
//! name of the SKU or meter, Windows by the product; machines are listed once more in other meter regions; regions differ in
//! case (`WestUS3`); prices may have ended (`effectiveEndDate`) or be announced (`effectiveStartDate`).

use crate::catalog::price::Billing;
use crate::refresh::json::{Few, Loose, each};
use crate::refresh::ledger::decimal;
use crate::refresh::{Amount, Fault, Hardware, Ledger, Offer, Reason};
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::Deserialize;
use std::io::Read;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Item {
    currency_code: Loose,
    tier_minimum_units: Loose,
    reservation_term: Loose,
    retail_price: Loose,
    arm_region_name: Loose,
    meter_name: Loose,
    product_name: Loose,
    sku_name: Loose,
    arm_sku_name: Loose,
    unit_of_measure: Loose,
    service_name: Loose,
    #[serde(rename = "type")]
    kind: Loose,
    is_primary_meter_region: Loose,
    effective_start_date: Loose,
    effective_end_date: Loose,
    savings_plan: Few<Plan>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Plan {
    retail_price: Loose,
    term: Loose,
}

/// Reads pages, one behind the other.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    each(from, &[&["Items"]], |number, _, item: Item| meter(ledger, number, &item))
}

fn meter(ledger: &mut Ledger<'_>, number: u64, item: &Item) -> Result<(), Fault> {
    let machine = item.arm_sku_name.text();
    let what = format!("{machine} {} {}", item.arm_region_name.text(), item.meter_name.text());
    let found = kind(item).and_then(|found| in_force(item, ledger.day()).map(|()| found));
    let (billing, term) = match found {
        Ok(found) => found,
        Err(reason) => {
            ledger.skip(reason, number, &what);
            return Ok(());
        }
    };
    let price = item.retail_price.text();
    let mut offer = Offer::new(machine, item.arm_region_name.text(), Amount::Text(price));
    offer.billing = billing;
    offer.currency = item.currency_code.text();
    offer.line = number;
    let known = super::super::hardware::named(ledger.catalog(), ledger.need_provider()?, machine);
    // The list does not tell GPUs: a machine that the catalog does not have cannot be placed.
    offer.hardware =
        Hardware { gpus: known.map(|id| ledger.catalog().instance(id).gpus), ..Hardware::default() };
    if let Some(hours) = term {
        let hourly = decimal(price).and_then(|total| total.checked_div(Decimal::from(hours)));
        offer.amount = hourly.map_or(Amount::Text(price), Amount::Exact);
    }
    ledger.offer(&offer)?;
    for plan in &item.savings_plan.0 {
        match plan.term.text() {
            "1 Year" => offer.billing = Billing::Savings1y,
            "3 Years" => offer.billing = Billing::Savings3y,
            _ => {
                ledger.skip(Reason::NoBillingKind, number, &what);
                continue;
            }
        }
        offer.amount = Amount::Text(plan.retail_price.text());
        ledger.offer(&offer)?;
    }
    Ok(())
}

/// Whether a price holds on a day: a list has those that have ended, and those that are announced.
fn in_force(item: &Item, day: Date) -> Result<(), Reason> {
    let bound = |text: &Loose| match text.text() {
        "" => Ok(None),
        text => {
            text.get(..10).and_then(|day| day.parse::<Date>().ok()).map(Some).ok_or(Reason::DateNotUsable)
        }
    };
    let (start, end) = (bound(&item.effective_start_date)?, bound(&item.effective_end_date)?);
    let holds = start.is_none_or(|start| start <= day) && end.is_none_or(|end| day <= end);
    if holds { Ok(()) } else { Err(Reason::NotInForce) }
}

/// The billing kind and, for reservations, the hours that the price is for.
fn kind(item: &Item) -> Result<(Billing, Option<u32>), Reason> {
    let service = item.service_name.text();
    if item.arm_sku_name.text().is_empty() || !(service.is_empty() || service == "Virtual Machines") {
        return Err(Reason::OtherProduct);
    }
    let says = |word: &str| item.sku_name.text().ends_with(word) || item.meter_name.text().ends_with(word);
    if item.product_name.text().contains("Windows") {
        return Err(Reason::OtherSoftware);
    }
    if item.product_name.text().contains("Dedicated Host")
        || item.product_name.text().contains("CloudServices")
    {
        return Err(Reason::OtherTenancy);
    }
    if item.is_primary_meter_region.flag() == Some(false) {
        return Err(Reason::SecondaryMeter);
    }
    if item.tier_minimum_units.number().is_some_and(|units| units > 0.0)
        || item.unit_of_measure.text() != "1 Hour"
    {
        return Err(Reason::OtherProduct);
    }
    match (item.kind.text(), item.reservation_term.text()) {
        ("Reservation", "1 Year") => Ok((Billing::Reserved1y, Billing::Reserved1y.term_hours())),
        ("Reservation", "3 Years") => Ok((Billing::Reserved3y, Billing::Reserved3y.term_hours())),
        ("Consumption", "") if says("Spot") => Ok((Billing::Spot, None)),
        ("Consumption", "") if !says("Low Priority") => Ok((Billing::OnDemand, None)),
        _ => Err(Reason::NoBillingKind),
    }
}
