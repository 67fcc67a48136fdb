//! `catalog/README.md` names every field and every finding.

use std::fs;
use std::path::Path;

use gpuadvise::catalog::codes::CODES;

fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog/README.md")).unwrap()
}

/// Keys that the checking code reads: texts behind `row.KIND(f, "` and the like.
fn fields() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/catalog/validate");
    let mut fields = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let text: String = fs::read_to_string(path).unwrap().split_whitespace().collect();
        for start in [
            "(f,\"",
            "findings,\"",
            "required(row,f,\"",
            "tera(\"",
            "count(\"",
            "large(\"",
            "flag(\"",
            ".value(\"",
        ] {
            let behind = text.split(start).skip(1);
            fields.extend(behind.filter_map(|rest| rest.split_once('"').map(|(key, _)| key.to_owned())));
        }
    }
    fields.sort();
    fields.dedup();
    fields
}

#[test]
fn the_readme_names_every_field() {
    let (readme, fields) = (readme(), fields());
    assert!(fields.len() > 80, "the fields were not found: {fields:?}");
    let missing: Vec<_> = fields.iter().filter(|field| !readme.contains(&format!("`{field}`"))).collect();
    // Inside other fields, where the README shows them as code.
    let nested = ["reason", "code", "not-before", "not-after", "sources", "workload"];
    let missing: Vec<_> = missing.into_iter().filter(|field| !nested.contains(&field.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_readme_names_every_finding() {
    let readme = readme();
    let missing: Vec<_> = CODES.iter().filter(|code| !readme.contains(&format!("`{}`", code.name))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
