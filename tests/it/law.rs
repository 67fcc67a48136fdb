//! Constraints of law: place, jurisdiction and the seat of the operator; what is unknown complies with nothing.

use crate::program::run;
use serde_json::Value;

fn providers(more: &[&str]) -> Vec<(String, Value)> {
    let rows = run(&[&["catalog", "providers", "--json"], more].concat()).json()["rows"].clone();
    let rows = rows.as_array().expect("rows").clone();
    rows.into_iter().map(|row| (row["name"].as_str().unwrap_or_default().to_owned(), row)).collect()
}

#[test]
fn a_seat_is_held_against_the_operator_and_an_unknown_one_complies_with_nothing() {
    let all = providers(&[]);
    let seat =
        |name: &str| all.iter().find(|(own, _)| own == name).expect("there").1["operator_country"].clone();
    assert_eq!((seat("aws"), seat("nebius"), seat("vast")), ("US".into(), "NL".into(), Value::Null));
    let eu: Vec<String> = providers(&["--operator-jurisdiction", "eu", "--billing", "on-demand"])
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert!(eu.contains(&"nebius".to_owned()) && eu.contains(&"scaleway".to_owned()), "{eu:?}");
    assert!(
        !eu.iter().any(|name| ["aws", "gcp", "azure", "vast", "runpod"].contains(&name.as_str())),
        "{eu:?}"
    );
    let us = providers(&["--operator-country", "us", "--billing", "on-demand"]);
    assert!(us.iter().all(|(_, row)| row["operator_country"] == "US") && !us.is_empty());
}

#[test]
fn both_the_place_and_the_seat_must_comply() {
    let line = ["recommend", "--model", "llama-3-8b", "--task", "infer", "--json"];
    let law = ["--jurisdiction", "eu", "--operator-jurisdiction", "eu"];
    let answer = run(&[&line[..], &law[..]].concat());
    let document = answer.json();
    let rows = document["recommendations"].as_array().expect("rows");
    assert!(!rows.is_empty(), "{}", answer.stderr);
    for row in rows {
        assert!(["nebius", "scaleway", "ovhcloud"].contains(&row["provider"].as_str().unwrap()), "{row}");
    }
    let warned: Vec<&Value> = document["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|warning| warning["id"] == "not-legal-advice")
        .collect();
    assert_eq!(warned.len(), 1);
    // Where nothing is left, the seat is counted as a reason of its own.
    let none = run(&[
        "recommend",
        "--params",
        "1e9",
        "--task",
        "train",
        "--provider",
        "aws",
        "--json",
        law[2],
        law[3],
    ]);
    assert_eq!(none.code, 3, "{}", none.stderr);
    assert!(none.json()["rejected"].as_array().unwrap().iter().any(|it| it["reason"] == "operator"));
    let free = run(&line).json();
    assert!(!free["warnings"].to_string().contains("not-legal-advice"));
}

#[test]
fn a_partition_of_its_own_is_said_and_its_operator_is_not_the_parent() {
    let aws = run(&["catalog", "show", "cn-north-1", "--json"]).json();
    assert_eq!(aws["object"]["operator_country"], Value::Null);
    let azure = run(&["catalog", "show", "chinaeast2", "--json"]).json();
    assert_eq!(azure["object"]["operator_country"], "CN");
    let gov = run(&["catalog", "show", "us-gov-west-1", "--json"]).json();
    assert_eq!(gov["object"]["operator_country"], "US");
}

#[test]
fn tags_of_single_regions_are_no_country_and_slips_are_named() {
    let refused = run(&["catalog", "providers", "--operator-jurisdiction", "us-gov"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("single regions"), "{}", refused.stderr);
    let slip = run(&["catalog", "providers", "--operator-country", "XX"]);
    assert_eq!(slip.code, 2);
    assert!(slip.stderr.contains("operator-country"), "{}", slip.stderr);
}
