//! Schemas of the input files that are more than flags: the project file and the quota file.

use super::file;
use crate::catalog::price::Billing;
use serde_json::{Map, Value, json};

/// Sections of the project file; `flags` are keys of `[defaults]` and of each workload, `everywhere` of `[defaults]` alone.
pub(super) fn project(flags: &Map<String, Value>, everywhere: Map<String, Value>) -> Value {
    let all: Map<String, Value> = flags.clone().into_iter().chain(everywhere).collect();
    let defaults = json!({ "type": "object", "properties": all, "additionalProperties": false });
    let name = json!({ "type": "string", "minLength": 1 });
    let mut workload = flags.clone();
    workload.insert("name".to_owned(), name.clone());
    workload.insert("pick".to_owned(), json!({ "enum": ["cheapest", "fastest"] }));
    workload.insert("nodes".to_owned(), json!({ "type": "integer", "minimum": 1 }));
    workload.insert("workload".to_owned(), name.clone());
    workload.insert("scenario".to_owned(), name.clone());
    let workload = json!({
        "type": "object",
        "properties": workload,
        "required": ["name"],
        "dependentRequired": { "nodes": ["instance"] },
        "additionalProperties": false,
    });
    let level = json!({ "enum": ["deny", "warn"] });
    let budget = budget(&level);
    let discount = json!({
        "description": "Per cent off list, by provider and billing kind.",
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "propertyNames": { "enum": Billing::NAMES },
            "additionalProperties": { "anyOf": [
                { "type": "number", "minimum": 0, "exclusiveMaximum": 100 },
                { "type": "string", "pattern": "折$", "description": "tenths that are paid: 8折 is 20 % off" },
            ] },
        },
    });
    let policy = json!({
        "type": "object",
        "properties": {
            "id": name,
            "level": level,
            "when": { "type": "string", "description": "condition in the Common Expression Language" },
            "message": { "type": "string", "description": "what is said; {row.region} is a hole" },
        },
        "required": ["id", "when"],
        "additionalProperties": false,
    });
    json!({
        "defaults": defaults,
        "workload": { "type": "array", "items": workload },
        "budget": budget,
        "discount": discount,
        "policy": { "type": "array", "items": policy },
    })
}

/// `[budget]`: limits as numbers, or with a level of their own.
fn budget(level: &Value) -> Value {
    let limit = |what: &str, kind: &str| {
        let number = json!({ "type": kind, "minimum": 0 });
        let graded = json!({
            "type": "object",
            "properties": { "limit": number, "level": level },
            "required": ["limit"],
            "additionalProperties": false,
        });
        json!({ "description": what, "anyOf": [number, graded] })
    };
    let amount = |what: &str| limit(what, "number");
    json!({
        "type": "object",
        "properties": {
            "total": amount("US dollars for all workloads, each once and to its end"),
            "monthly": amount("US dollars for a month of 730 hours of all workloads"),
            "hourly": amount("US dollars for an hour in which all workloads run"),
            "max-age-days": limit("oldest price", "integer"),
            "level": level,
            "unknown-price": level,
        },
        "additionalProperties": false,
    })
}

/// The quota file.
pub(super) fn quota() -> Value {
    let text = json!({ "type": "string", "minLength": 1 });
    let texts = json!({ "anyOf": [text, { "type": "array", "items": text, "minItems": 1 }] });
    let limit = |what: &str| json!({ "type": "number", "minimum": 0, "description": what });
    let row = json!({
        "type": "object",
        "properties": {
            "provider": text,
            "region": texts,
            "instance": texts,
            "gpu": texts,
            "billing": texts,
            "max-gpus": limit("GPUs in each region"),
            "max-vcpus": limit("virtual CPUs in each region"),
            "max-nodes": limit("machines in each region"),
        },
        "required": ["provider", "billing"],
        "anyOf": [{ "required": ["max-gpus"] }, { "required": ["max-vcpus"] }, { "required": ["max-nodes"] }],
        "additionalProperties": false,
    });
    file("A quota file", &json!({ "quota": { "type": "array", "items": row } }))
}
