//! What the templates of a target can name: the machines, where they are, how they are paid, and their guards.

use super::chosen::{Chosen, Row};
use super::quote::slug;
use super::rows::{Place, Target};
use super::template::{Scope, Value};
use crate::catalog::Catalog;
use crate::diag::InputError;
use rust_decimal::{Decimal, RoundingStrategy};

/// Seconds of an hour.
pub(super) const HOUR_S: f64 = 3600.0;

/// The values of a row for a target.
pub(super) fn scope(
    catalog: &Catalog,
    target: &Target,
    place: &Place,
    chosen: &Chosen,
    notes: &mut Vec<String>,
) -> Result<Scope, InputError> {
    let row = &chosen.row;
    let mut scope = Scope::new();
    let mut set = |name: &str, value: Value| drop(scope.insert(name.to_owned(), value));
    let model = chosen.name.as_ref().unwrap_or(&chosen.workload.model);
    set("name", Value::Text(slug(&format!("{} {model}", chosen.workload.task))));
    set("serves", Value::Flag(chosen.serves()));
    for (name, value) in &place.provider.set {
        set(name, Value::Text(value.clone()));
    }
    set("provider", Value::Text(row.provider.clone()));
    set("region", Value::Text(row.region.clone()));
    set("is_region", Value::Flag(place.is_region));
    let infra = place.provider.set.get("infra").map_or(row.provider.as_str(), String::as_str);
    set("infra_region", Value::Text(format!("{infra}/{}", row.region)));
    set("by_machine", Value::Flag(place.by_machine));
    let billing = row.ranked_billing.as_str();
    set("spot", Value::Flag(billing == "spot"));
    set("capacity_block", Value::Flag(billing == "capacity-block"));
    if let Some(price) = node_price(chosen) {
        set("max_price", Value::Number(price));
    }
    if let Some(hours) = chosen.cost().and_then(|cost| cost.checkpoint_interval_hours) {
        set("checkpoint_s", whole(hours * HOUR_S));
    }
    set("time_limit", Value::Text(time_limit(chosen)));
    accelerators(catalog, target, place, row, &mut scope)?;
    if !place.is_region {
        notes.push(format!(
            "`{}` is no region of {}: where the machines are is not limited here; look before you confirm",
            row.region, row.provider
        ));
    }
    if !place.by_machine {
        notes.push(format!(
            "{} is asked for the accelerators of `{}`, whose name at {} differs; look at the machine before you confirm",
            target.title, row.instance_type, row.provider
        ));
    }
    said_of_billing(billing, notes);
    if row.memory.verdict == "tight" {
        notes.push(
            "memory is tight: the high estimate does not fit, so try a few steps before the whole job"
                .to_owned(),
        );
    }
    Ok(scope)
}

/// The accelerators as the target is to be asked for them.
fn accelerators(
    catalog: &Catalog,
    target: &Target,
    place: &Place,
    row: &Row,
    scope: &mut Scope,
) -> Result<(), InputError> {
    let gpu = catalog.gpus.iter().find(|gpu| gpu.name == row.gpu).ok_or_else(|| {
        let names = catalog.gpus.iter().map(|gpu| gpu.name.as_str());
        InputError::unknown("GPU", &row.gpu, names, "a GPU of an overlay needs its `--catalog`")
    })?;
    let vendor = &gpu.vendor;
    let unit = target.vendors.get(vendor).ok_or_else(|| {
        let what = format!("no launch file for {} of {vendor} by {}", row.gpu, target.title);
        let known: Vec<&str> = target.vendors.keys().map(String::as_str).collect();
        InputError::new(what, format!("rows have what it calls accelerators of: {}", known.join(", ")))
    })?;
    let mut set = |name: &str, value: Value| drop(scope.insert(name.to_owned(), value));
    let devices = devices(row);
    set("vendor", Value::Text(vendor.clone()));
    set("gpu_resource", Value::Text(unit.clone()));
    set("devices", Value::Number(devices.to_string()));
    set("several_devices", Value::Flag(devices > 1));
    set("nodes", Value::Number(row.nodes.to_string()));
    let (machine, attached) = match row.instance_type.split_once('+') {
        Some((machine, attached)) => (machine, Some(attached)),
        None => (row.instance_type.as_str(), None),
    };
    set("machine", Value::Text(machine.to_owned()));
    let named = attached
        .and_then(|text| place.provider.attached.get(text.rsplit_once('x').map_or(text, |(name, _)| name)));
    if let Some(name) = named {
        set("attached", Value::Text(name.clone()));
    }
    let own = place.provider.accelerators.get(&row.gpu).or_else(|| target.accelerators.get(&row.gpu));
    match own {
        Some(name) => {
            set("accelerator", Value::Text(name.clone()));
            set("accelerator_count", Value::Text(format!("{name}:{devices}")));
            set("ask_accelerator", Value::Flag(!place.by_machine || place.provider.accelerator_too));
        }
        None if !place.by_machine || place.provider.accelerator_too => {
            let what = format!("no row tells what {} calls {} at {}", target.title, row.gpu, row.provider);
            return Err(InputError::new(
                what,
                "take a row with another accelerator by --rank, or launch it by hand",
            ));
        }
        None => {}
    }
    Ok(())
}

/// Accelerators, or shares of one, that a node shows to programs.
pub(super) fn devices(row: &Row) -> u32 {
    (row.gpus_per_node as u32).max(1)
}

fn said_of_billing(billing: &str, notes: &mut Vec<String>) {
    match billing {
        "spot" | "on-demand" => {}
        "capacity-block" => notes.push(
            "a capacity block is bought first, for its days; the machines are then started in it by the id of its reservation"
                .to_owned(),
        ),
        other => notes.push(format!(
            "`{other}` is how the machines are paid, not how they are started: this starts them on demand, and the contract, \
             once you have it, covers them"
        )),
    }
}

/// What a node may cost in an hour, up to the next cent.
fn node_price(chosen: &Chosen) -> Option<String> {
    let cost = chosen.cost()?;
    // What is owed anyway is no price to start machines at.
    if !matches!(cost.billing.as_str(), "spot" | "on-demand") {
        return None;
    }
    let all: Decimal = cost.usd_per_hour.as_ref()?.to_string().parse().ok()?;
    let node = all.checked_div(Decimal::from(chosen.row.nodes))?;
    let price = node.round_dp_with_strategy(2, RoundingStrategy::AwayFromZero);
    (price > Decimal::ZERO).then(|| price.to_string())
}

/// The longest that the job should take, as `days-hours:minutes:00`. On spot the wall time with its reruns and waits is an
/// expected one, so it is lengthened as the high estimate of the work is: a limit at what is expected ends half of all jobs.
fn time_limit(chosen: &Chosen) -> String {
    let hours = &chosen.row.duration_hours;
    let wall = chosen.cost().and_then(|cost| cost.expected_wall_hours).unwrap_or(0.0);
    let lengthened = if hours.expected > 0.0 { wall * hours.high / hours.expected } else { wall };
    let minutes = (hours.high.max(lengthened) * 60.0).ceil().clamp(1.0, 1e9) as u64;
    format!("{}-{:02}:{:02}:00", minutes / 1440, minutes / 60 % 24, minutes % 60)
}

/// A whole number, at least 1.
pub(super) fn whole(value: f64) -> Value {
    Value::Number(format!("{}", value.round().max(1.0)))
}
