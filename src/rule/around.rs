//! What stands around a row in the catalog: its shortest commitment, the same machine elsewhere, the same GPUs in other
//! numbers. Only prices in US dollars of the catalog of this run, after discounts; nothing is derived from another.

use crate::catalog::Catalog;
use crate::catalog::instance::{Instance, InstanceId, Unit};
use crate::catalog::price::{Billing, Currency, Price};
use crate::catalog::region::RegionId;
use serde_json::{Value, json};

/// USD for an hour of one machine under each price that is known in US dollars.
fn known<'c>(catalog: &'c Catalog, id: InstanceId) -> impl Iterator<Item = (&'c Price, f64)> {
    let in_usd = |price: &&Price| price.currency == Currency::USD;
    let rate = |price: &'c Price| price.per_hour.map(|rate| (price, rate.to_f64()));
    catalog.prices_of(id).iter().filter(in_usd).filter_map(rate)
}

/// USD for an hour on demand in one region.
fn on_demand(catalog: &Catalog, id: InstanceId, region: RegionId) -> Option<f64> {
    known(catalog, id)
        .find(|(price, _)| price.region == region && price.billing == Billing::OnDemand)
        .map(|(_, rate)| rate)
}

/// The commitment that pays soonest against the on-demand price of the machine: kind, USD for an hour of one machine,
/// hours of its term, hours of use from which it is the cheaper one.
pub(super) fn commitment(catalog: &Catalog, id: InstanceId, region: RegionId) -> Value {
    let Some(list) = on_demand(catalog, id, region).filter(|rate| *rate > 0.0) else { return Value::Null };
    known(catalog, id)
        .filter(|(price, _)| price.region == region)
        .filter_map(|(price, rate)| Some((price, rate, f64::from(price.billing.term_hours()?))))
        .map(|(price, rate, term)| (price, rate, term, rate * term / list))
        .min_by(|a, b| a.3.total_cmp(&b.3))
        .map_or(Value::Null, |(price, rate, term, break_even)| {
            json!({
                "billing": price.billing.name(), "usd_per_hour": rate, "term_hours": term,
                "break_even_hours": break_even,
            })
        })
}

/// The region where the same machine costs least on demand, of those under every law that the row's region is tagged
/// with, so that no constraint of law is lost on the way.
pub(super) fn elsewhere(catalog: &Catalog, id: InstanceId, region: RegionId) -> Value {
    let here = catalog.region(region);
    let same_law = |other: RegionId| {
        let there = catalog.region(other);
        let tagged = here.jurisdictions.iter().all(|tag| there.jurisdictions.contains(tag));
        other != region && tagged && here.is_apart() == there.is_apart()
    };
    known(catalog, id)
        .filter(|(price, _)| price.billing == Billing::OnDemand && same_law(price.region))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(
            Value::Null,
            |(price, rate)| json!({"region": catalog.region(price.region).name, "usd_per_hour": rate}),
        )
}

/// The machine of the same provider, region and GPU whose GPU-hour on demand costs least, where it has another number
/// of GPUs.
pub(super) fn sibling(catalog: &Catalog, machine: &Instance, region: RegionId) -> Value {
    let alike = |other: &Instance| {
        other.provider == machine.provider
            && other.gpu == machine.gpu
            && other.gpu_memory_bytes == machine.gpu_memory_bytes
            && other.unit == Unit::Instance
            && !other.is_fractional()
            && (other.gpus - machine.gpus).abs() > 0.5
    };
    (0..)
        .zip(&catalog.instances)
        .filter(|(_, other)| alike(other))
        .filter_map(|(id, other)| Some((other, on_demand(catalog, InstanceId(id), region)? / other.gpus)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(Value::Null, |(other, rate)| {
            json!({"instance_type": other.name, "gpus": other.gpus, "usd_per_gpu_hour": rate})
        })
}

/// USD for a GB (10^9 bytes) that leaves for the internet, the first of a month.
pub(super) fn egress(catalog: &Catalog, id: InstanceId, region: RegionId) -> Option<f64> {
    let charge = catalog.charges(id, region).egress?;
    charge.steps.first().map(|step| step.usd * 1e9 / charge.unit_bytes)
}
