//! Every kind of finding has a file that raises it and nothing else, and a sound file beside it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gpuadvise::catalog::codes::CODES;
use gpuadvise::catalog::load::check;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn stems(name: &str) -> BTreeSet<String> {
    let files = fs::read_dir(folder(name)).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_code_is_unique_and_has_two_fixtures() {
    let names: BTreeSet<String> = CODES.iter().map(|code| code.name.to_owned()).collect();
    assert_eq!(names.len(), CODES.len(), "two codes have one name");
    assert_eq!(names, stems("catalog_bad"));
    assert_eq!(names, stems("catalog_good"));
}

#[test]
fn broken_fixtures_raise_their_code_and_nothing_else() {
    for code in CODES {
        let path = folder("catalog_bad").join(format!("{}.toml", code.name));
        let findings = check(std::slice::from_ref(&path)).unwrap();
        let listed: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(!findings.is_empty(), "{} raises nothing", code.name);
        assert!(findings.iter().all(|finding| finding.code == code.name), "{}: {listed:#?}", code.name);
        for finding in &findings {
            assert_eq!(finding.level, code.level);
            assert_eq!(finding.place.file, path.display().to_string());
            assert!(finding.place.line > 1 && finding.place.column >= 1, "{finding}");
        }
    }
}

#[test]
fn sound_fixtures_raise_nothing() {
    for code in CODES {
        let findings = check(&[folder("catalog_good").join(format!("{}.toml", code.name))]).unwrap();
        let listed: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{}: {listed:#?}", code.name);
    }
}

#[test]
fn all_findings_of_a_file_come_at_once_with_their_places() {
    let text =
        "schema = 1\n[[gpu]]\nname = \"New\"\nmemroy = \"80 GiB\"\nyear = \"2025\"\n[[instance]]\nnam = 1\n";
    let (_, findings) = super::overlay(text);
    let places: Vec<String> =
        findings.iter().map(|f| format!("{}:{} {}", f.place.line, f.place.column, f.code)).collect();
    assert!(places.contains(&"4:1 unknown-field".to_owned()), "{places:?}");
    assert!(places.contains(&"5:8 wrong-type".to_owned()), "{places:?}");
    assert!(places.contains(&"7:1 unknown-field".to_owned()), "{places:?}");
    let misspelt = findings.iter().find(|finding| finding.message.contains("memroy")).unwrap();
    assert!(misspelt.hint.contains("`memory`"), "{misspelt}");
}

#[test]
fn a_peak_that_is_sparse_in_every_format_is_found_by_its_family() {
    let text = std::fs::read_to_string(folder("catalog_good").join("peak-looks-sparse.toml")).unwrap();
    let (sources, rows) = text.split_once("[[gpu]]").unwrap();
    let (gpu, rest) = rows.split_once("[[provider]]").unwrap();
    let doubled = gpu
        .replace("Zeta-100", "Zeta-100-PCIe")
        .replace("Zeta 100 OAM", "Zeta 100 card")
        .replace("tflops = 1000", "tflops = 2000")
        .replace("tflops = 500", "tflops = 1000")
        .replace("tflops = 250", "tflops = 500");
    let family = "[[family]]\nname = \"Zeta\"\nmembers = [\"Zeta-100\", \"Zeta-100-PCIe\"]\n";
    let (_, findings) =
        super::overlay(&format!("{sources}[[gpu]]{gpu}[[gpu]]{doubled}{family}[[provider]]{rest}"));
    assert_eq!(super::codes(&findings), ["peak-looks-sparse"]);
    assert!(
        findings[0].message.contains("Zeta-100-PCIe") && findings[0].message.contains("2.0 times"),
        "{}",
        findings[0]
    );
}
