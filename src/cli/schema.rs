//! JSON Schemas: those of the answers come from `report`, those of files with flags are made from the flags themselves.

mod input;
mod money;

use super::constraint::{BillArgs, FilterArgs, LimitArgs, SpotArgs};
use super::speech::LangArgs;
use crate::report;
use crate::workload::settings::WorkloadArgs;
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Args, Command};
use serde_json::{Map, Value, json};
use std::any::TypeId;

/// One schema by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it describes.
    pub what: &'static str,
}

const fn entry(name: &'static str, what: &'static str) -> Entry {
    Entry { name, what }
}

/// All schemas, by name.
pub const SCHEMAS: &[Entry] = &[
    entry("accuracy", "answer of `accuracy`"),
    entry("calibrate", "answer of `calibrate`"),
    entry("catalog", "answer of the `catalog` listings and of `catalog show`"),
    entry("catalog-check", "answer of `catalog check`"),
    entry("catalog-diff", "answer of `catalog diff`"),
    entry("catalog-file", "a catalog file, such as an overlay for `--catalog`"),
    entry("catalog-history", "answer of `catalog history`"),
    entry("catalog-import", "answer of `catalog import`"),
    #[cfg(feature = "refresh")]
    entry("catalog-update", "answer of `catalog update`"),
    entry("check", "answer of `check`"),
    entry("commitments", "answer of `commitments`"),
    entry("cost", "answer of `cost`"),
    entry("diff", "answer of `diff`"),
    entry("explain", "answer of `explain`"),
    entry("export", "answer of `export`"),
    entry("fit", "answer of `fit`"),
    entry("listing", "answer of `schema` without a name"),
    entry("network", "answer of `network`"),
    entry("project", "the project file, gpuadvise.toml"),
    entry("quota", "a file of `--quota`"),
    entry("recommend", "answer of `recommend`"),
    entry("rightsize", "answer of `rightsize`"),
    entry("tco", "answer of `tco`"),
    entry("text", "answer of `completions` and `man` in JSON"),
    entry("workload", "a file of `--workload`"),
];

/// The text of a schema.
pub fn text(name: &str) -> Option<String> {
    let text = match name {
        "catalog-file" => include_str!("../../schemas/catalog-file.json").to_owned(),
        "check" => {
            let schema = with_definitions_of("recommend", report::schema::schema(name)?);
            format!("{:#}\n", money::with_money(schema))
        }
        "quota" => format!("{:#}\n", input::quota()),
        "project" => format!("{:#}\n", project()),
        "workload" => format!("{:#}\n", file("A workload", &Value::Object(settings::<WorkloadArgs>()))),
        _ => {
            let text = report::schema::schema(name)?;
            let schema: Value = serde_json::from_str(text).unwrap_or_default();
            let told = money::with_money(schema.clone());
            if told == schema { text.to_owned() } else { format!("{told:#}\n") }
        }
    };
    Some(text)
}

fn project() -> Value {
    let mut defaults = settings::<WorkloadArgs>();
    let (spot, bill) = (settings::<SpotArgs>(), settings::<BillArgs>());
    for more in [settings::<FilterArgs>(), settings::<LimitArgs>(), spot, bill] {
        defaults.extend(more);
    }
    file("A project file", &input::project(&defaults, settings::<LangArgs>()))
}

/// A schema with the definitions that it shares with another one.
fn with_definitions_of(other: &str, text: &str) -> Value {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let mut schema = read(text);
    let shared = read(report::schema::schema(other).unwrap_or_default());
    for (name, definition) in shared["$defs"].as_object().into_iter().flatten() {
        if schema["$defs"][name].is_null() {
            schema["$defs"][name] = definition.clone();
        }
    }
    schema
}

fn file(title: &str, properties: &Value) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// The flags of one group as properties: name, type, help.
fn settings<G: Args>() -> Map<String, Value> {
    let command = G::augment_args(Command::new("settings"));
    let property = |arg: &Arg| {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let one = one_value(arg);
        let mut schema = match arg.get_action() {
            ArgAction::Append => json!({ "anyOf": [one, { "type": "array", "items": one }] }),
            _ => one,
        };
        schema["description"] = Value::String(help);
        schema
    };
    let names = |arg: &Arg| -> Vec<String> {
        arg.get_long_and_visible_aliases().unwrap_or_default().into_iter().map(str::to_owned).collect()
    };
    command
        .get_arguments()
        .flat_map(|arg| names(arg).into_iter().map(|name| (name, property(arg))).collect::<Vec<_>>())
        .collect()
}

fn one_value(arg: &Arg) -> Value {
    let parser = arg.get_value_parser();
    let is = |type_id: TypeId| parser.type_id() == type_id;
    let words: Vec<String> =
        arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if parser.type_id() == ValueParser::bool().type_id() {
        json!({ "type": "boolean" })
    } else if !words.is_empty() {
        json!({ "enum": words })
    } else if is(TypeId::of::<u32>()) {
        json!({ "type": "integer", "minimum": 0 })
    } else if is(TypeId::of::<f64>()) {
        json!({ "type": "number" })
    } else if is(TypeId::of::<String>()) {
        json!({ "type": "string" })
    } else {
        // A quantity: a number, or a text with its unit.
        json!({ "type": ["number", "string"] })
    }
}

#[cfg(test)]
mod tests;
