//! Checks `catalog/**/*.toml` with the library's own code and embeds a compact image of it.
//!
//! A catalog with an error fails the build with every finding as `file:line:column`.

#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "the modules belong to the library; this uses a part of them"
)]

#[path = "src/catalog/mod.rs"]
mod catalog;
#[path = "src/diag.rs"]
mod diag;
#[path = "src/lang/mod.rs"]
mod lang;
#[path = "src/money.rs"]
mod money;
#[path = "src/units.rs"]
mod units;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use anyhow::Context as _;

use catalog::Catalog;
use catalog::validate::{SourceFile, validate};
use diag::Level;

#[expect(
    clippy::print_stderr,
    reason = "what a build script writes there is what cargo shows of a failed build"
)]
fn main() -> anyhow::Result<ExitCode> {
    // `load.rs` includes what this script writes, so only the library has it.
    println!("cargo::rustc-cfg=embedded_catalog");
    println!("cargo::rerun-if-changed=catalog");
    println!("cargo::rerun-if-changed=lang");
    println!("cargo::rerun-if-changed=tests/rules");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").context("no CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var_os("OUT_DIR").context("no OUT_DIR")?);
    let files = read_files(&root)?;
    let (mut catalog, findings) = validate(&files, Catalog::default(), false);
    if findings.iter().any(|finding| finding.level == Level::Error) {
        for finding in findings {
            eprintln!("{finding}");
        }
        return Ok(ExitCode::FAILURE);
    }
    catalog::image::arrange(&mut catalog);
    for section in catalog::image::SECTIONS {
        fs::write(out.join(section), catalog::image::write(section, &catalog, &findings)?)?;
    }
    fs::write(out.join("rule-cases"), rule_cases(&root)?)?;
    if let Err(faults) = languages(&root, &out)? {
        for fault in faults {
            eprintln!("{fault}");
        }
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// The two cases of each rule, `tests/rules/ID.{fires,silent}.json`, as `{"ID": [fires, silent]}`.
fn rule_cases(root: &Path) -> anyhow::Result<String> {
    let mut cases = std::collections::BTreeMap::new();
    let folder = root.join("tests/rules");
    // A package without its tests still builds; its rules then have no cases to show.
    for entry in fs::read_dir(&folder).into_iter().flatten() {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(id) = name.strip_suffix(".fires.json") else { continue };
        let read = |kind: &str| -> anyhow::Result<serde_json::Value> {
            let path = folder.join(format!("{id}.{kind}.json"));
            let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
            serde_json::from_str(&text).with_context(|| format!("reading {}", path.display()))
        };
        cases.insert(id.to_owned(), [read("fires")?, read("silent")?]);
    }
    Ok(serde_json::to_string(&cases)?)
}

/// Writes `languages.rs`, with one image for each folder of `lang/`; all faults of their files where there are some.
fn languages(root: &Path, out: &Path) -> anyhow::Result<Result<(), Vec<String>>> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(root.join(LANGUAGES)).into_iter().flatten() {
        folders.extend(Some(entry?.path()).filter(|path| path.is_dir()));
    }
    folders.sort();
    let (mut rows, mut faults) = (String::new(), Vec::new());
    for folder in &folders {
        let code = folder.file_name().unwrap_or_default().to_string_lossy();
        let files = read_folder(root, folder)?;
        let files: Vec<_> =
            files.into_iter().map(|SourceFile { label, text }| lang::source::File { label, text }).collect();
        match lang::source::compile(&files) {
            Ok(language) => {
                fs::write(out.join(format!("lang-{code}")), language.image)?;
                let image = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/lang-{code}\"))");
                write!(rows, "Language::new({code:?}, &{:?}, {image}),", language.also)?;
            }
            Err(found) => faults.extend(found),
        }
    }
    let count = folders.len();
    fs::write(out.join("languages.rs"), format!("static LANGUAGES: [Language; {count}] = [{rows}];"))?;
    Ok(if faults.is_empty() { Ok(()) } else { Err(faults) })
}

/// The folder with one folder for each language.
const LANGUAGES: &str = "lang";

/// All TOML files of the catalog.
fn read_files(root: &Path) -> anyhow::Result<Vec<SourceFile>> {
    read_folder(root, &root.join("catalog"))
}

/// All TOML files in and below a folder in the order of their paths, labelled as seen from the repository.
fn read_folder(root: &Path, folder: &Path) -> anyhow::Result<Vec<SourceFile>> {
    let mut folders = vec![folder.to_owned()];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let label = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
        Ok(SourceFile { label, text })
    };
    paths.into_iter().map(read).collect()
}
