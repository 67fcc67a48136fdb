//! The facts that rules look at: one recommendation of the document, its machine, its region and the workload.
//!
//! Only gathers; what stands around a row is looked up in `around`. Names and kinds are in `fields`.

use super::around;
use super::fields::{FIELDS, Kind, kind_of};
use crate::catalog::Catalog;
use crate::catalog::instance::InstanceId;
use crate::catalog::region::RegionId;
use serde_json::{Map, Value, json};

const GIB: f64 = (1_u64 << 30) as f64;

/// Gathers the facts of one row. `row` is one element of `recommendations` and `workload` the document's `workload`,
/// as printed; the machine and the region come from the catalog. `sooner` is the row that is done before the
/// first one, null for the others.
pub fn gather(
    catalog: &Catalog,
    (instance, region): (InstanceId, RegionId),
    (row, sooner): (Value, Value),
    workload: Value,
) -> Value {
    let machine = catalog.instance(instance);
    let gpu = catalog.gpu(machine.gpu);
    let place = catalog.region(region);
    let cost = |billing: &str| {
        let costs = row["costs"].as_array().into_iter().flatten();
        costs.clone().find(|cost| cost["billing"] == billing).cloned().unwrap_or(Value::Null)
    };
    let (spot, on_demand) = (cost("spot"), cost("on-demand"));
    let mut facts = json!({
        "gpu": {
            "name": gpu.name, "vendor": gpu.vendor, "architecture": gpu.architecture, "year": gpu.year,
            "form_factor": gpu.form_factor, "stack": gpu.stack, "memory_gib": gpu.memory_bytes as f64 / GIB,
            "usable_gib": gpu.usable_bytes as f64 / GIB, "bandwidth_gb_s": gpu.bandwidth_bytes_per_s / 1e9,
            "pcie_gen": gpu.pcie_gen, "compute_capability": gpu.compute_capability, "link_gb_s": gpu.link_bytes_per_s.map(|b| b / 1e9),
            "mig_max_instances": gpu.mig_max_instances, "tdp_w": gpu.tdp_w, "bf16": gpu.bf16, "fp8": gpu.fp8,
        },
        "instance": {
            "vcpus": machine.vcpus, "ram_gib": machine.ram_gib, "nvme_gb": machine.nvme_gb,
            "network_gbps": machine.network_gbps, "gpus": machine.gpus, "fractional": machine.is_fractional(),
            "unit": machine.unit,
        },
        "region": {
            "name": place.name, "display": place.display, "country": place.country,
            "jurisdictions": place.jurisdictions, "operator_country": catalog.operator_country(region),
            "carbon_g_per_kwh": catalog.carbon_of(region).map(|carbon| carbon.g_per_kwh),
            "egress_usd_per_gb": around::egress(catalog, instance, region),
        },
        "commitment": around::commitment(catalog, instance, region),
        "elsewhere": around::elsewhere(catalog, instance, region),
        "sibling": around::sibling(catalog, machine, region),
        "sooner": sooner,
    });
    for (root, value) in [("row", row), ("workload", workload), ("spot", spot), ("on_demand", on_demand)] {
        facts[root] = value;
    }
    facts
}

/// Paths of facts that rules cannot speak of since [`FIELDS`] lacks them, for the test that keeps both in step.
/// `row.advice` is what rules make and `row.explain` is prose, so both are left out.
pub fn unlisted(facts: &Value) -> Vec<String> {
    fn visit(path: &str, value: &Value, missing: &mut Vec<String>) {
        match value {
            _ if path == "row.advice" || path == "row.explain" => {}
            Value::Object(fields) if path.is_empty() || kind_of(path) == Some(Kind::Group) => {
                for (name, value) in fields {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    visit(&path, value, missing);
                }
            }
            Value::Array(items) if kind_of(path).is_some() => {
                for item in items {
                    visit(&format!("{path}[]"), item, missing);
                }
            }
            _ if kind_of(path).is_some() => {}
            _ => missing.push(path.to_owned()),
        }
    }
    let mut missing = Vec::new();
    visit("", facts, &mut missing);
    missing.sort();
    missing.dedup();
    missing
}

/// Facts with every field known, to try a rule on before any row is there: numbers are 1, texts `text`, flags true,
/// and lists have one element.
pub(super) fn sample() -> Value {
    let mut sample = Value::Object(Map::new());
    for field in FIELDS {
        let value = match field.kind {
            Kind::Number => json!(1.0),
            Kind::Text => json!("text"),
            Kind::Flag => json!(true),
            Kind::Texts => json!(["text"]),
            Kind::Objects => json!([{}]),
            Kind::Group => continue,
        };
        put(&mut sample, field.path, value);
    }
    let cost = sample["row"]["costs"][0].clone();
    sample["spot"] = cost.clone();
    sample["on_demand"] = cost;
    sample
}

/// Puts `value` at a path of objects and first elements of lists.
fn put(target: &mut Value, path: &str, value: Value) {
    let mut place = target;
    for name in path.split('.') {
        let list = name.strip_suffix("[]");
        place = &mut place[list.unwrap_or(name)];
        if list.is_some() {
            place = &mut place[0];
        }
    }
    *place = value;
}
