//! One entry for every parser of bytes that somebody else wrote. Shared by the test beside this file, by `fuzz/` and by
//! `examples/fuzz_driver`. A target may give any answer; it must not panic, and must come back soon.

use gpuadvise::calibrate::runs;
use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::catalog::validate::{SourceFile, validate};
use gpuadvise::cli::config::Settings;
use gpuadvise::cli::project::Project;
use gpuadvise::cli::value::{Amount, Change, Days, Gbps, Increase, Percent, Rate, Share, Span};
use gpuadvise::insight::{nccl, smi, table};
use gpuadvise::model::{file, hf};
use gpuadvise::money::UsdPerHour;
use gpuadvise::refresh::{self, File, Ledger};
use gpuadvise::report::diff::DiffAnswer;
use gpuadvise::rule::{self, Definition};
use gpuadvise::units::{Bytes, Count, Fraction, Hours};
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| embedded(Sections::ALL).unwrap_or_default());

/// What reads foreign bytes.
pub(crate) struct Target {
    /// Name, as `fuzz/fuzz_targets` has it.
    pub(crate) name: &'static str,
    /// Files that it reads, as path below the repository: a file, a folder, or all of a folder with this ending.
    pub(crate) seeds: &'static [&'static str],
    /// Reads the bytes.
    pub(crate) read: fn(&[u8]),
}

/// All of them.
pub(crate) const TARGETS: &[Target] = &[
    Target { name: "catalog", seeds: &["tests/catalog_good", "tests/catalog_bad"], read: catalog },
    Target { name: "project", seeds: &["tests/fixtures/examples"], read: project },
    Target { name: "hf_config", seeds: &[], read: hf_config },
    Target { name: "safetensors", seeds: &[], read: safetensors },
    Target { name: "index", seeds: &[], read: index },
    Target { name: "gguf", seeds: &[], read: gguf },
    Target { name: "measurements", seeds: &["tests/fixtures/examples"], read: measurements },
    Target { name: "nccl_output", seeds: &["tests/data/nccl"], read: nccl_output },
    Target { name: "smi_log", seeds: &["tests/data/smi"], read: smi_log },
    Target { name: "import", seeds: &["tests/fixtures/refresh"], read: import },
    Target { name: "stored_document", seeds: &["tests/fixtures/examples"], read: stored_document },
    Target { name: "policy", seeds: &[], read: policy },
    Target { name: "quantity", seeds: &[], read: quantity },
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn catalog(bytes: &[u8]) {
    let file = SourceFile { label: "fuzz.toml".to_owned(), text: text(bytes) };
    let _ = validate(&[file], CATALOG.clone(), true);
}

fn project(bytes: &[u8]) {
    let _ = Project::read("fuzz.toml", &text(bytes));
    let _ = Settings::from_workload("fuzz.toml", &text(bytes));
}

fn hf_config(bytes: &[u8]) {
    let _ = hf::parse("config.json", &text(bytes));
}

fn safetensors(bytes: &[u8]) {
    let _ = file::safetensors("fuzz", &mut &*bytes, bytes.len() as u64);
}

fn index(bytes: &[u8]) {
    let _ = file::index("fuzz", &text(bytes));
}

fn gguf(bytes: &[u8]) {
    if let Ok(read) = file::gguf("fuzz", &mut &*bytes, bytes.len() as u64) {
        let _ = file::gguf_reading("fuzz", &read);
    }
}

fn measurements(bytes: &[u8]) {
    let _ = table::read("fuzz.csv", bytes);
    let _ = runs::read("fuzz.csv", bytes);
}

fn nccl_output(bytes: &[u8]) {
    let _ = nccl::read("fuzz", bytes);
}

fn smi_log(bytes: &[u8]) {
    let _ = smi::read("fuzz", "host", bytes);
    let _ = smi::read_rows("fuzz", "host", bytes, "timestamp,index,utilization.gpu,memory.used");
}

/// Every format of a price source: the same bytes to each.
fn import(bytes: &[u8]) {
    let Ok(day) = "2026-11-25".parse() else { return };
    for format in refresh::FORMATS {
        let Ok(mut ledger) = Ledger::new(&CATALOG, day) else { return };
        let file = File { name: "fuzz", provider: None, as_of: Some(day), source: None };
        if refresh::read(format, &file, &mut &*bytes, &mut ledger).is_ok() {
            let _ = ledger.finish().overlay.text(&[]);
        }
    }
}

fn stored_document(bytes: &[u8]) {
    let stored = text(bytes);
    let _ = DiffAnswer::new(("old", &stored), ("new", &stored), None);
}

fn policy(bytes: &[u8]) {
    let text = text(bytes);
    let (when, message) = text.split_once('\n').unwrap_or((&text, "a text"));
    let _ = rule::check(&Definition {
        id: "fuzz".to_owned(),
        level: "warn".to_owned(),
        when: when.to_owned(),
        message: message.to_owned(),
        ..Definition::default()
    });
}

fn quantity(bytes: &[u8]) {
    let text = text(bytes);
    let _ = (text.parse::<Bytes>(), text.parse::<Count>(), text.parse::<Hours>(), text.parse::<Fraction>());
    let _ = (text.parse::<Amount>(), text.parse::<Percent>(), text.parse::<Share>(), text.parse::<Change>());
    let _ = (text.parse::<Increase>(), text.parse::<Days>(), text.parse::<Rate>(), text.parse::<Gbps>());
    let _ = (text.parse::<Span>(), text.parse::<UsdPerHour>());
}
