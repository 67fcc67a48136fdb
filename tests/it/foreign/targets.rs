//! One entry for every parser of bytes that somebody else wrote. Shared by the test beside this file, by `fuzz/` and by
//! `examples/fuzz_driver`. A target may give any answer; it must not panic, and must come back soon.

use gpuadvise::calibrate::runs;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::catalog::lookup::{region_matches, resolve_billing};
use gpuadvise::catalog::validate::{SourceFile, validate};
use gpuadvise::catalog::{Catalog, image};
use gpuadvise::cli::config::Settings;
use gpuadvise::cli::project::Project;
use gpuadvise::cli::quota;
use gpuadvise::cli::value::{Amount, Change, Days, Gbps, Increase, Percent, Rate, Share, Span};
use gpuadvise::insight::{nccl, smi, table};
use gpuadvise::model::{file, hf};
use gpuadvise::money::UsdPerHour;
use gpuadvise::price::commit;
use gpuadvise::refresh::fetch::Address;
use gpuadvise::refresh::history::History;
use gpuadvise::refresh::sources::{Pages, next_page};
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
    /// Files that it reads, as paths below the repository: a file or a folder.
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
    Target { name: "usage", seeds: &["tests/fixtures/examples"], read: usage },
    Target { name: "quota", seeds: &[], read: quota },
    Target { name: "history", seeds: &[], read: history },
    Target { name: "answer", seeds: &["tests/fixtures/refresh"], read: answer },
    Target { name: "image", seeds: &[], read: image },
    Target { name: "names", seeds: &[], read: names },
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
        let file = File { name: "fuzz", provider: None, as_of: Some(day), since: None, source: None };
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

fn usage(bytes: &[u8]) {
    let _ = commit::usage::read("fuzz.csv", bytes);
}

fn quota(bytes: &[u8]) {
    let _ = quota::from_text("fuzz.toml", &text(bytes), &CATALOG);
}

/// Snapshots of prices: what is read is written the same way again.
fn history(bytes: &[u8]) {
    let Ok(mut read) = History::parse(&text(bytes)) else { return };
    let written = read.text();
    assert_eq!(History::parse(&written).map(|again| again.text()), Ok(written));
    let Some(newest) = read.days().last().copied() else { return };
    let _ = read.trends(newest, 30);
    read.forget(30);
}

/// What `catalog update` reads of an answer beside its prices: where the next page is, and where it is sent on to.
fn answer(bytes: &[u8]) {
    let first = "https://example.com/a?b=c";
    for pages in [Pages::NextPageLink, Pages::NextPageToken] {
        let _ = next_page(pages, first, bytes);
    }
    let Ok(from) = Address::new(first) else { return };
    if let Ok(to) = from.redirect(&text(bytes)) {
        assert!(to.text().starts_with("https://"), "{}", to.text());
    }
}

/// A section of a compiled catalog, as the cache holds it: the first byte says which.
fn image(bytes: &[u8]) {
    let Some((which, bytes)) = bytes.split_first() else { return };
    let Some(section) = image::SECTIONS.get(usize::from(*which) % image::SECTIONS.len()) else { return };
    let mut catalog = CATALOG.clone();
    if image::read(section, bytes, &mut catalog).is_ok() && image::is_coherent(&catalog) {
        let whole = gpuadvise::catalog::select::Filter::default();
        let _ = (whole.instances(&catalog), whole.prices(&catalog));
    }
    let _ = image::read_findings(bytes);
}

/// Names as people type them.
fn names(bytes: &[u8]) {
    let text = text(bytes);
    let _ =
        (CATALOG.resolve_gpu_spec(&text), CATALOG.resolve_instance(&text), CATALOG.resolve_provider(&text));
    let _ = (CATALOG.resolve_region(&text), CATALOG.resolve_preset(&text), resolve_billing(text.split(',')));
    let _ = CATALOG.regions.iter().filter(|region| region_matches(&text, region)).count();
}
