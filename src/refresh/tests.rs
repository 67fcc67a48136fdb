//! Every format with the quirks that its sources are known for, and bytes that mean harm.

mod formats;
mod harm;
mod quirks;

use super::*;
use crate::catalog::Catalog;
use crate::catalog::load::{Sections, embedded};
use crate::catalog::validate::{SourceFile, validate};
use crate::diag::Level;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| embedded(Sections::PRICES).unwrap());

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

/// An import of one file with what the command line would give.
fn import_of(kind: &str, file: &File<'_>, bytes: &[u8]) -> Result<Import, String> {
    let mut ledger = Ledger::new(&CATALOG, day("2026-11-30")).unwrap();
    let format = format(kind).map_err(|error| error.to_string())?;
    read(format, file, &mut &*bytes, &mut ledger).map_err(|fault| fault.of_file(file.name).to_string())?;
    Ok(ledger.finish())
}

fn file(name: &str) -> File<'_> {
    File { name, provider: None, as_of: Some(day("2026-11-25")), since: None, source: None }
}

fn import(kind: &str, name: &str, bytes: &[u8]) -> Result<Import, String> {
    import_of(kind, &file(name), bytes)
}

/// An import of a fixture; its overlay must pass the checks of a catalog, and nothing may be lost.
fn fixture(kind: &str, name: &str) -> Import {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/refresh").join(name);
    let bytes = std::fs::read(path).unwrap();
    let import = import(kind, name, &bytes).unwrap_or_else(|error| panic!("{error}"));
    sound(&import);
    import
}

fn sound(import: &Import) {
    let skipped: u64 = import.skipped.iter().map(|it| it.count).sum();
    assert_eq!(import.quotes, import.used + skipped, "every quote is used or counted");
    let text = import.overlay.text(&["a note".to_owned()]);
    let files = [SourceFile { label: "overlay.toml".to_owned(), text: text.clone() }];
    let (_, findings) = validate(&files, CATALOG.clone(), true);
    let errors: Vec<String> =
        findings.iter().filter(|it| it.level == Level::Error).map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
}

/// Prices by `provider/machine region kind`, with upfront and what the figure is.
fn prices(import: &Import) -> BTreeMap<String, String> {
    let text = import.overlay.text(&[]);
    let table: toml::Table = text.parse().unwrap();
    let rows = table["price"].as_array().unwrap();
    let of = |row: &toml::Value, key: &str| {
        row.get(key).map(|it| it.as_str().unwrap().to_owned()).unwrap_or_default()
    };
    rows.iter()
        .map(|row| {
            let upfront = of(row, "upfront");
            let gap = if upfront.is_empty() { "" } else { " " };
            let name = format!(
                "{}/{} {} {}{gap}{upfront}",
                of(row, "provider"),
                of(row, "instance"),
                of(row, "region"),
                of(row, "billing")
            );
            let figure = |key: &str| row.get(key).map(ToString::to_string);
            let amount = figure("usd-per-hour").or_else(|| figure("per-hour")).unwrap_or_else(|| {
                let rest = figure("recurring-per-hour").unwrap_or_default();
                format!("{} + {rest}", figure("upfront-fee").unwrap()).trim_end_matches(" + ").to_owned()
            });
            let currency = of(row, "currency");
            let more = [currency, of(row, "stat")].join(" ").trim().to_owned();
            (name, format!("{amount} {more}").trim().to_owned())
        })
        .collect()
}

/// How many quotes were left out for each reason.
fn skipped(import: &Import) -> BTreeMap<&'static str, u64> {
    import.skipped.iter().map(|it| (it.reason.name(), it.count)).collect()
}

fn example(import: &Import, reason: Reason) -> &str {
    &import.skipped.iter().find(|it| it.reason == reason).unwrap().example
}
