//! Nothing that a file may hold makes the loader panic.

use std::sync::LazyLock;

use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::catalog::validate::{SourceFile, validate};
use gpuadvise::diag::Place;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| embedded(Sections::ALL).unwrap());

fn check(text: String) -> (SourceFile, Vec<gpuadvise::diag::Finding>) {
    let file = SourceFile { label: "random.toml".to_owned(), text };
    let (_, findings) = validate(std::slice::from_ref(&file), Catalog::default(), true);
    (file, findings)
}

/// A value of any TOML type, odd ones included.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| format!("{n:e}")),
        Just("nan".to_owned()),
        Just("-inf".to_owned()),
        Just("true".to_owned()),
        Just("2026-02-31".to_owned()),
        Just("1979-05-27T07:32:00Z".to_owned()),
        Just("\"80 GiB\"".to_owned()),
        Just("\"on-demand\"".to_owned()),
        Just("\"unknown\"".to_owned()),
        Just("[\"a\", 1, {}]".to_owned()),
        Just("[{ code = \"spot-not-below-on-demand\", reason = \"\" }]".to_owned()),
        Just("{ not-before = 2026-01-01, not-after = 2025-01-01 }".to_owned()),
        "[a-zé\u{4e2d} ]{0,6}".prop_map(|text| format!("\"{text}\"")),
    ]
}

const KINDS: &[&str] = &[
    "gpu",
    "family",
    "provider",
    "region",
    "instance",
    "price",
    "model",
    "measured-rate",
    "fabric",
    "cause",
    "constant",
    "rule",
    "scenario",
    "nonsense",
];
const KEYS: &[&str] = &[
    "name",
    "memory",
    "gpus",
    "gpu",
    "members",
    "aliases",
    "instance",
    "region",
    "billing",
    "usd-per-hour",
    "per-hour",
    "currency",
    "source",
    "allow",
    "workload",
    "year",
    "value",
    "low",
    "high",
    "key",
    "upfront",
    "experts",
    "é",
];

fn row() -> impl Strategy<Value = String> {
    (prop::sample::select(KINDS), prop::collection::btree_map(prop::sample::select(KEYS), value(), 0..8))
        .prop_map(|(kind, pairs)| {
            let lines: Vec<String> =
                pairs.into_iter().map(|(key, value)| format!("\"{key}\" = {value}\n")).collect();
            format!("[[{kind}]]\n{}", lines.concat())
        })
}

#[test]
fn depth_and_length_never_panic() {
    for text in [
        format!("x = {}", "[".repeat(100_000)),
        format!("x = {}", "{ a = ".repeat(100_000)),
        format!("[{}]", vec!["a"; 10_000].join(".")),
        format!("price = [{}]", "{},".repeat(20_000)),
        "\u{feff}schema = 1\r\n[[gpu]]\r\n".to_owned(),
        "[[region]]\n".repeat(66_000),
    ] {
        check(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_text_never_panics(text in any::<String>()) {
        let (file, findings) = check(text);
        for finding in findings {
            let offset = file.text.split_inclusive('\n').take(finding.place.line - 1).map(str::len).sum::<usize>();
            let behind = file.text[offset..].chars().take(finding.place.column - 1).map(char::len_utf8).sum::<usize>();
            prop_assert_eq!(Place::at("random.toml", &file.text, offset + behind), finding.place);
        }
    }

    #[test]
    fn random_rows_never_panic(rows in prop::collection::vec(row(), 0..6), source in value()) {
        let text = format!("schema = 1\nsource = \"S\"\n[sources.S]\ntext = \"t\"\nas-of = {source}\n{}", rows.concat());
        check(text);
    }

    #[test]
    fn random_bytes_in_a_sound_file_never_panic(at in any::<prop::sample::Index>(), byte in any::<char>()) {
        let mut text = include_str!("../../catalog_good/spot-not-below-on-demand.toml").to_owned();
        let mut offset = at.index(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        text.insert(offset, byte);
        check(text);
    }

    #[test]
    fn random_specs_never_panic(spec in "[A-Za-z0-9 :.*?/_é-]{0,20}") {
        let catalog = &*CATALOG;
        let _ = catalog.resolve_gpu_spec(&spec).map_err(|error| error.to_string());
        let _ = catalog.resolve_instance(&spec).map_err(|error| error.to_string());
        let _ = catalog.resolve_region(&spec).map_err(|error| error.to_string());
        let _ = catalog.resolve_preset(&spec).map_err(|error| error.to_string());
        let _ = catalog.resolve_provider(&spec).map_err(|error| error.to_string());
    }
}
