use super::*;
use crate::catalog::Catalog;
use crate::catalog::load::{Sections, embedded};
use crate::catalog::validate::validate;
use crate::diag::Finding;
use std::fmt::Write as _;

const TAIL: &str = "]\n\n[sources.s]\ntext = \"a source\"\nas-of = 2026-11-01\n\n[[region]]\nprovider = \"aws\"\nname = \"made\"\nsource = \"s\"\n";

/// So many machines with a price each.
fn overlay(count: usize) -> String {
    let mut text = "schema = 1\n\nprice = [\n".to_owned();
    for at in 0..count {
        let _ = writeln!(
            text,
            "  {{ provider = \"aws\", instance = \"made.{at}\", region = \"made\", billing = \"on-demand\", usd-per-hour = {}.5, source = \"s\" }},",
            at + 1
        );
    }
    text.push_str(TAIL);
    for at in 0..count {
        let _ = write!(
            text,
            "[[instance]]\nprovider = \"aws\"\nname = \"made.{at}\"\ngpu = \"T4\"\ngpus = 1\nsource = \"s\"\n"
        );
    }
    text
}

fn read(text: &str) -> (Catalog, Vec<Finding>) {
    let file = SourceFile { label: "x.toml".to_owned(), text: text.to_owned() };
    validate(&[file], embedded(Sections::ALL).unwrap(), true)
}

/// The same list behind a key that nothing is taken out behind.
fn whole(text: &str) -> (Catalog, Vec<Finding>) {
    read(&text.replacen("price = [\n", "price =  [\n", 1))
}

fn as_text(catalog: &Catalog) -> String {
    format!("{catalog:?}")
}

#[test]
fn rows_of_a_long_list_are_read_as_those_of_a_short_one() {
    let text = overlay(6000);
    let split = Split::of(&text);
    assert!(split.rows.len() > 2 * BLOCK && split.frame.len() < text.len() / 2);
    let file = SourceFile { label: "x.toml".to_owned(), text: text.clone() };
    assert!(split.blocks(0, &file).count() > 2);
    let (catalog, findings) = read(&text);
    let (other, others) = whole(&text);
    assert!(catalog.prices.iter().filter(|it| it.overridden).count() == 6000);
    assert_eq!((as_text(&catalog), findings.len()), (as_text(&other), others.len()));
}

/// Faults of every kind, in the first and in later blocks and behind the list, stand where they stand.
#[test]
fn findings_keep_their_places() {
    let good = overlay(6000);
    for (from, to) in [
        ("made.7\", region", "made.x\", region"),
        ("made.5000\", region", "made.x\", region"),
        ("usd-per-hour = 5001.5", "usd-per-hour = nan"),
        ("usd-per-hour = 5001.5", "usd-per-hour = -1"),
        ("usd-per-hour = 5001.5", "usd-per-hours = 4"),
        ("made.5000\", region", "made.4999\", region"),
        ("made.5000\", region", "made.3\", region"),
        ("name = \"made\"\n", "name = \"made\"\nnonsense = 1\n"),
        ("name = \"made.5999\"\ngpu = \"T4\"", "name = \"made.5999\"\ngpu = \"T44\""),
        ("as-of = 2026-11-01", "as-of = \"soon\""),
    ] {
        let bad = good.replacen(from, to, 1);
        assert!(Split::of(&bad).rows.len() > BLOCK, "{to}");
        let places = |(_, findings): (Catalog, Vec<Finding>)| -> Vec<String> {
            findings
                .iter()
                .map(|it| format!("{} {}:{} {}", it.code, it.place.line, it.place.column, it.message))
                .collect()
        };
        // One column more for the space that hides the list.
        assert_eq!(places(read(&bad)), places(whole(&bad)), "{to}");
    }
}

#[test]
fn what_only_looks_like_a_list_is_not_taken_apart() {
    let good = overlay(6000);
    let inside =
        good.replacen("schema = 1\n\n", "schema = 1\nsource = \"\"\"\n", 1).replacen(TAIL, "]\n\"\"\"\n", 1);
    let below = good.replacen("schema = 1\n\n", "schema = 1\n[x]\n", 1);
    let row = "  { provider = \"aws\", instance = \"made.5\",";
    for bad in [
        inside,
        below,
        good.replacen(row, "  { provider = \"aws\",\n instance = \"made.5\",", 1),
        good.replacen(row, "  { note = \"\"\"x\"\"\", provider = \"aws\", instance = \"made.5\",", 1),
        good.replacen(row, "  { provider = \"aws\", instance = \"made.5\" } {", 1),
        good.replacen("source = \"s\" },", "source = \"s\" }", 1),
        good.replacen("source = \"s\" },", "source = \"s\" ]},", 1),
        good.replacen("source = \"s\" },", "source = \"s\" # },", 1),
        good.replacen("source = \"s\" },", "source = \"s },", 1),
        good.replacen("source = \"s\" },", "source = \"s\\\" },", 1),
        good.replacen(TAIL, "", 1),
        good.clone() + "[[price]]\nprovider = \"aws\"\n",
        good.clone() + "=\n",
    ] {
        let split = Split::of(&bad);
        assert!(split.rows.is_empty() && split.frame == bad, "{:?}", &bad[..200]);
    }
    for same in [
        good.replacen(row, "\t{ note = 'a \" # { b', provider = \"aws\", instance = \"made.5\",", 1),
        good.replacen(
            row,
            "  # a comment\r\n\n  { note = \"\\\" [\", provider = \"aws\", instance = \"made.5\",",
            1,
        ),
        good.replacen("source = \"s\" },\n]", "source = \"s\" }\n]", 1),
    ] {
        assert!(!Split::of(&same).rows.is_empty());
        assert_eq!(as_text(&read(&same).0), as_text(&whole(&same).0));
    }
}
