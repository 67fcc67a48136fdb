//! `docs/guide.md`: every rule that it names exists, every command line runs, and no rule of the catalog that comes from
//! a guide is missing there.

use crate::program::run;
use gpuadvise::catalog::load::{Sections, embedded};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn page() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/guide.md");
    fs::read_to_string(path).expect("docs/guide.md")
}

/// What stands in code marks, with the words before it.
fn marked(page: &str) -> Vec<(&str, &str)> {
    let pieces: Vec<&str> = page.split('`').collect();
    pieces.chunks(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect()
}

#[test]
fn every_rule_that_the_page_names_exists() {
    let catalog = embedded(Sections::ALL).expect("the catalog");
    let known: BTreeSet<&str> = catalog.rules.iter().map(|rule| rule.id.as_str()).collect();
    let page = page();
    let (mut named, mut of_rules) = (BTreeSet::new(), false);
    for (before, code) in marked(&page) {
        of_rules = !code.starts_with("gpuadvise ")
            && (before.ends_with("rule ") || before.ends_with("rules ") || (of_rules && before == ", "));
        if of_rules {
            assert!(known.contains(code), "no rule `{code}`");
            named.insert(code);
        }
    }
    assert!(named.len() >= 40, "{} rules", named.len());
    for rule in &catalog.rules {
        let guided = catalog.source(rule.source).text.contains("undated guide");
        assert!(!guided || named.contains(rule.id.as_str()), "{} comes from a guide", rule.id);
    }
}

#[test]
fn every_command_line_of_the_page_runs() {
    let page = page();
    let lines: BTreeSet<&str> =
        marked(&page).into_iter().filter_map(|(_, code)| code.strip_prefix("gpuadvise ")).collect();
    assert!(lines.len() >= 20, "{} lines", lines.len());
    for line in lines {
        let finished = run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(finished.code, 0, "gpuadvise {line}: {}", finished.stderr);
    }
}

#[test]
fn every_row_says_what_became_of_it() {
    let page = page();
    let rows = page.lines().filter(|line| line.starts_with("| A") || line.starts_with("| B"));
    let mut count = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert!(matches!(cells.len(), 3 | 4) && cells.iter().all(|cell| !cell.is_empty()), "{row}");
        count += 1;
    }
    assert!(count >= 50, "{count} rows");
}
