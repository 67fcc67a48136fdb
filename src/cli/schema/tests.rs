//! Schemas are what they say, and hold real files.

use super::*;
use crate::cli::project::Project;

fn schema(name: &str) -> Value {
    serde_json::from_str(&text(name).unwrap_or_else(|| panic!("no schema `{name}`"))).unwrap()
}

#[test]
fn every_listed_schema_is_json_schema_and_every_schema_is_listed() {
    for entry in SCHEMAS {
        assert!(jsonschema::meta::is_valid(&schema(entry.name)), "{}", entry.name);
    }
    for (name, _) in report::schema::ALL {
        assert!(SCHEMAS.iter().any(|entry| entry.name == *name), "{name} is not listed");
    }
    assert!(SCHEMAS.is_sorted_by_key(|entry| entry.name));
}

#[test]
fn a_project_file_that_is_read_is_valid_and_a_wrong_one_is_not() {
    let validator = jsonschema::validator_for(&schema("project")).unwrap();
    let json = |text: &str| serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
    let good = "[defaults]\nregion = [\"us-*\"]\nprovider = \"aws\"\ntop = 3\nbudget = 500.5\ndeadline = \"3d\"\n\
                task = \"train\"\nparams = \"1e9\"\nno-fractional = true\n[budget]\ntotal = 5\n";
    assert!(Project::read("x", good).is_ok() && validator.is_valid(&json(good)));
    for bad in [
        "[defaults]\nregoin = \"x\"",
        "[defaults]\ntask = \"trian\"",
        "[defaults]\ntop = \"many\"",
        "[default]\n",
    ] {
        assert!(Project::read("x", bad).is_err() && !validator.is_valid(&json(bad)), "{bad}");
    }
}

#[test]
fn what_the_gate_reads_has_a_schema() {
    let json = |text: &str| serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema("project")).unwrap();
    let good = include_str!("../../../tests/fixtures/examples/gpuadvise.toml");
    assert!(Project::read("x", good).is_ok() && validator.is_valid(&json(good)));
    for bad in [
        "[[workload]]\ntask = \"train\"",
        "[[workload]]\nname = \"a\"\npick = \"best\"",
        "[[workload]]\nname = \"a\"\nnodes = 2",
        "[budget]\ntotal = -1",
        "[budget]\ntotal = \"5000\"",
        "[budget]\nunknown-price = \"error\"",
        "[discount]\naws = { on-demand = 100 }",
        "[discount]\naws = { ondemand = 5 }",
        "[[policy]]\nid = \"a\"",
    ] {
        assert!(Project::read("x", bad).is_err() && !validator.is_valid(&json(bad)), "{bad}");
    }
    let quotas = jsonschema::validator_for(&schema("quota")).unwrap();
    let quota = "[[quota]]\nprovider = \"aws\"\nbilling = [\"spot\"]\nregion = \"us-*\"\nmax-gpus = 8\n";
    assert!(quotas.is_valid(&json(quota)));
    assert!(!quotas.is_valid(&json(&quota.replace("max-gpus", "max-gpu"))));
    assert!(!quotas.is_valid(&json(&quota.replace("max-gpus = 8", ""))));
}

#[test]
fn workload_files_have_a_schema() {
    let validator = jsonschema::validator_for(&schema("workload")).unwrap();
    assert!(validator.is_valid(&json!({ "model": "llama-3-8b", "task": "infer", "rps": 2.5 })));
    assert!(!validator.is_valid(&json!({ "region": "us-*" })));
}

/// TOML as an editor with a JSON Schema sees it: dates are texts.
fn as_json(value: toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(items) => items.into_iter().map(as_json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, value)| (key, as_json(value))).collect(),
        other => serde_json::to_value(other).unwrap(),
    }
}

fn toml_files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            toml_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
}

#[test]
fn the_files_of_the_catalog_are_as_their_schema_says() {
    let validator = jsonschema::validator_for(&schema("catalog-file")).unwrap();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("tests/fixtures/examples/my-prices.toml")];
    toml_files(&root.join("catalog"), &mut files);
    assert!(files.len() > 20);
    for path in files {
        let table: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        if let Err(error) = validator.validate(&as_json(toml::Value::Table(table))) {
            panic!("{}: {error} at {}", path.display(), error.instance_path());
        }
    }
}

#[test]
fn a_catalog_file_with_a_slip_is_not_as_its_schema_says() {
    let validator = jsonschema::validator_for(&schema("catalog-file")).unwrap();
    for slip in [
        "[[gpu]]\nname = \"X\"\nmemroy = \"80 GiB\"",
        "[[price]]\ninstance = \"x\"\nregion = \"r\"\nbilling = \"monthly\"",
        "price = [{ instance = \"x\", region = \"r\", billing = \"spot\", usd-per-hour = 0 }]",
        "[sources.A]\ntext = \"t\"",
        "[[gpus]]\n",
        "[[software]]\nname = \"x\"",
        "schema = 2",
    ] {
        let table: toml::Table = slip.parse().unwrap();
        assert!(!validator.is_valid(&as_json(toml::Value::Table(table))), "{slip}");
    }
}
