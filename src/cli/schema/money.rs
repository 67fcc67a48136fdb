//! What `--currency` and `--fx` change in an answer, for every schema with money in one place: twins beside dollars,
//! dollars that are not known where everything is counted in another currency, `currency` and `fx`.

use serde_json::{Value, json};

/// The schema of an answer with what its money may be told in.
pub(super) fn with_money(mut schema: Value) -> Value {
    let money = twins(&mut schema);
    if let Some(properties) = schema["properties"].as_object_mut().filter(|_| money) {
        let code = json!({ "type": "string", "pattern": "^[A-Z]{3}$" });
        let day = json!({ "type": "string", "format": "date" });
        let range = json!({
            "type": "object",
            "properties": { "not_before": day, "not_after": day },
            "required": ["not_before", "not_after"],
            "additionalProperties": false,
        });
        let mut currency = code.clone();
        currency["description"] =
            json!("Currency of the amounts; only with `--currency`, or where prices were converted.");
        properties.insert("currency".to_owned(), currency);
        let fx = json!({
            "description": "Units of `code` for one US dollar, and the day of that; only where a conversion took place.",
            "type": "object",
            "properties": {
                "code": code,
                "rate": { "type": "number", "exclusiveMinimum": 0 },
                "as_of": { "anyOf": [day, range] },
            },
            "required": ["code", "rate", "as_of"],
            "additionalProperties": false,
        });
        properties.insert("fx".to_owned(), fx);
    }
    schema
}

/// Lets every object with dollars have amounts; whether there was one.
fn twins(schema: &mut Value) -> bool {
    let mut found = false;
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (_, property) in
            properties.iter_mut().filter(|(name, _)| name.split('_').any(|part| part == "usd"))
        {
            *property = json!({ "anyOf": [property.take(), { "type": "null" }] });
            found = true;
        }
    }
    if found {
        schema["patternProperties"] = json!({ "(^|_)amount(_|$)": { "type": ["number", "null"] } });
    }
    let inner = match schema {
        Value::Object(fields) => fields.values_mut().collect::<Vec<_>>(),
        Value::Array(items) => items.iter_mut().collect(),
        _ => Vec::new(),
    };
    inner.into_iter().fold(found, |found, schema| twins(schema) || found)
}
