//! Every id that can be printed is explained, once.

use super::*;
use crate::catalog::load::{Sections, embedded};
use crate::catalog::select::Miss;
use std::fs;
use std::path::{Path, PathBuf};

fn ids_after<'t>(text: &'t str, starts: &[&str]) -> Vec<&'t str> {
    let after = |start: &str| -> Vec<&'t str> {
        let parts = text.match_indices(start).map(|(at, _)| text[at + start.len()..].trim_start());
        parts.filter_map(|rest| rest.strip_prefix('"')?.split('"').next()).collect()
    };
    // `or_default(asked, "id", …)`: the id is the first text of the call.
    let defaults = text.match_indices(".or_default(").filter_map(|(at, _)| text[at..].split('"').nth(1));
    starts.iter().flat_map(|start| after(start)).chain(defaults).filter(|id| !id.contains(' ')).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

#[test]
fn ids_in_the_code_are_explained() {
    let mut files = Vec::new();
    for room in ["workload", "model", "estimate", "price", "advise", "insight/smi/judge"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room), &mut files);
    }
    let catalog = embedded(Sections::ALL).unwrap();
    let (mut seen, mut missing) = (0, BTreeSet::new());
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let starts = [
            "assume(",
            "warn(",
            " id: ",
            "constraint: ",
            ".add(",
            "note_missing(",
            "missing: ",
            "sourced(",
            "found(",
        ];
        for id in ids_after(&text, &starts) {
            seen += 1;
            if explain(&catalog, id).is_err() {
                missing.insert(format!("{id} ({})", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "not explained: {missing:#?}");
    assert!(seen > 40, "the search for ids finds too little: {seen}");
}

#[test]
fn filters_and_limits_are_explained() {
    for miss in [
        Miss::Instance,
        Miss::Provider,
        Miss::Tier,
        Miss::Stack,
        Miss::Gpu,
        Miss::GpusPerNode,
        Miss::Fractional,
        Miss::Vcpus,
        Miss::Ram,
        Miss::Region,
        Miss::Country,
        Miss::Jurisdiction,
        Miss::Operator,
        Miss::Billing,
        Miss::Age,
    ] {
        assert!(term(miss.name()).is_some(), "{}", miss.name());
    }
    for reason in
        ["memory", "deadline", "max-hourly", "budget", "ttft", "tpot", "nodes", "gpu-count", "layout"]
    {
        assert!(term(reason).is_some(), "{reason}");
    }
}

#[test]
fn no_code_means_two_things() {
    let catalog = embedded(Sections::ALL).unwrap();
    let constants: BTreeSet<&str> = catalog.constants.iter().map(|c| c.key.as_str()).collect();
    let mut all: Vec<&str> =
        CODES.iter().map(|code| code.name).chain(TERMS.iter().map(|term| term.id)).collect();
    all.extend(catalog.rules.iter().map(|rule| rule.id.as_str()));
    let own = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), own, "codes are unique");
    // A constant may share its name with the assumption that prints it; the assumption is explained then.
    assert!(constants.iter().filter(|key| all.contains(key)).count() <= 5);
}

#[test]
fn unknown_codes_offer_near_ones() {
    let error = explain(&Catalog::default(), "memry").unwrap_err();
    assert!(error.near.contains(&"memory".to_owned()), "{error}");
}

#[test]
fn a_constant_shows_all_its_values_with_their_sources() {
    let catalog = embedded(Sections::ALL).unwrap();
    let explained = explain(&catalog, "train-efficiency").unwrap();
    assert_eq!(
        explained.text.len(),
        catalog.constants.iter().filter(|c| c.key == "train-efficiency").count()
    );
    assert!(explained.text.iter().all(|line| line.contains("Source: ")));
}
