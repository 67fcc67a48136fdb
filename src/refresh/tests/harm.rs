//! Files that mean harm, or are broken: a clear error with a place, or a count; never a panic, never a bad row.

use super::*;
use proptest::prelude::*;
use std::io;

fn plain(rows: &[u8]) -> Import {
    let bytes = [b"provider,instance,region,billing,usd_per_hour\n".as_slice(), rows].concat();
    let import = import("plain", "x.csv", &bytes).unwrap();
    sound(&import);
    import
}

#[test]
fn impossible_prices_are_counted() {
    for price in
        ["NaN", "inf", "-inf", "1e308", "1e400", "-5", "0", "0.0", "1e-30", "1000001", "0x10", "1,5", "$5"]
    {
        let import = plain(format!("aws,p5.48xlarge,us-east-1,on-demand,\"{price}\"\n").as_bytes());
        assert_eq!(skipped(&import), BTreeMap::from([("price-not-usable", 1)]), "{price}");
    }
    let digits = "9".repeat(5000);
    let import = plain(format!("aws,p5.48xlarge,us-east-1,on-demand,0.{digits}\n").as_bytes());
    assert_eq!(import.quotes, 1);
}

#[test]
fn names_with_control_codes_are_refused_and_shown_harmless() {
    for name in ["a\u{1b}[31mb", "a\u{202e}b", "a\nb", "a\u{0}b", "\u{9b}x", &"x".repeat(200), ""] {
        let row = format!("aws,\"{name}\",us-east-1,on-demand,3\naws,p5.48xlarge,\"{name}\",on-demand,3\n");
        let import = plain(row.as_bytes());
        assert_eq!(skipped(&import)["name-not-usable"], 2, "{name:?}");
        let shown = example(&import, Reason::NameNotUsable);
        assert!(!shown.chars().any(|c| c.is_control() || c == '\u{202e}'), "{shown:?}");
    }
}

#[test]
fn names_that_look_like_formulas_or_paths_stay_texts() {
    for name in ["=cmd|' /C calc'!A0", "+1", "-1", "@x", "../../etc/passwd", "a\"]\n", "x'y", "\\u0041"] {
        let row = format!("aws,p5.48xlarge,\"{}\",on-demand,3\n", name.trim().replace('"', "\"\""));
        let import = plain(row.as_bytes());
        assert_eq!(import.regions, [NewRegion { provider: "aws".to_owned(), name: name.trim().to_owned() }]);
    }
}

#[test]
fn broken_rows_are_counted_and_the_others_kept() {
    let import = plain(b"aws,p5.48xlarge\naws,p5.48xlarge,us-east-1,on-demand,\xff\naws,p5.48xlarge,us-east-1,on-demand,40\n");
    assert_eq!(skipped(&import)["row-malformed"], 2);
    assert!(example(&import, Reason::RowMalformed).starts_with("x.csv:2: "));
    assert_eq!(prices(&import).len(), 1);
}

#[test]
fn a_file_that_cannot_be_read_says_where() {
    for (kind, bytes, said) in [
        ("plain", b"".as_slice(), "x:1:1: the file is empty"),
        ("plain", b"provider,instance\n", "no column `region`"),
        ("plain", b"region,Region,instance,usd_per_hour\n", "two columns are called `region`"),
        ("plain", b"\xff\xfe,x\n", "not UTF-8"),
        ("plain", b"\x1f\x8b\x08", "compressed"),
        ("azure", b"PK\x03\x04", "compressed"),
        ("azure", b"", "x:1:1: the file is empty"),
        ("azure", b"{\"Items\": [\n{\"retailPrice\": 1},", "too early"),
        ("azure", b"{\"Items\": [\n{\"retailPrice\": NaN}]}", "x:2:"),
        ("azure", b"{\"Items\": [{\"type\": 1, \"type\": 2}]}", "duplicate field `type`"),
        ("azure", b"{\"Items\": [{\"type\": \"\xff\"}]}", "x:1:"),
        ("azure", b"<html>", "x:1:1: expected value"),
        ("vast", b"{\"offers\": 3} x", "x:1:"),
    ] {
        let error = import(kind, "x", bytes).err().unwrap_or_default();
        assert!(error.contains(said), "{:?}: {error}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn what_never_ends_is_stopped() {
    for (kind, start, unit, said) in [
        ("azure", "", "[", "nested deeper than 100"),
        ("azure", "{\"x\":", "{\"x\":", "nested deeper than 100"),
        ("azure", "{\"Items\":[{\"type\":\"", "\\\"a", "a text or number longer than 1 MiB"),
        ("azure", "{\"Items\":[{\"retailPrice\":", "9", "a text or number longer than 1 MiB"),
        ("gcp", "{\"skus\":[{\"serviceRegions\":[\"a\"", ",\"a\"", "more than 10000 entries"),
        ("plain", "provider,instance,region,usd_per_hour\n\"", "a\n", "a row longer than 1 MiB"),
        ("plain", "", "\0", "a row longer than 1 MiB"),
    ] {
        let endless = io::Cursor::new(start.as_bytes().to_vec()).chain(Endless(unit.as_bytes(), 0));
        let mut ledger = Ledger::new(&CATALOG, day("2026-11-30")).unwrap();
        let mut endless: Box<dyn Read> = Box::new(endless);
        let fault = read(format(kind).unwrap(), &file("x"), &mut *endless, &mut ledger).unwrap_err();
        let error = fault.of_file("x").to_string();
        assert!(error.contains(said) && error.starts_with("x:"), "{unit}: {error}");
    }
}

/// The same bytes for ever.
struct Endless(&'static [u8], usize);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for byte in buffer.iter_mut() {
            *byte = self.0[self.1 % self.0.len()];
            self.1 += 1;
        }
        Ok(buffer.len())
    }
}

#[test]
fn too_many_names_and_quotes_are_a_limit() {
    let rows: Vec<String> = (0..=MOST_NAMES).map(|at| format!("aws,p5.48xlarge,r{at},40")).collect();
    let table = format!("provider,instance,region,usd_per_hour\n{}\n", rows.join("\n"));
    let error = import("plain", "x.csv", table.as_bytes()).unwrap_err();
    assert!(error.contains("more than 65000 regions"), "{error}");
    let offer =
        |at: usize| format!("{{\"id\":{at},\"gpu_name\":\"RTX 4090\",\"num_gpus\":1,\"dph_total\":0.3}}");
    let offers: Vec<String> = (0..MOST_QUOTES + 7).map(offer).collect();
    let vast = import("vast", "x.json", format!("[{}]", offers.join(",")).as_bytes()).unwrap();
    assert_eq!(skipped(&vast)["too-many-quotes"], 7);
}

/// What a spreadsheet could hold, and what it could not.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("aws".to_owned()),
        Just("p5.48xlarge".to_owned()),
        Just("us-east-1".to_owned()),
        Just("H100".to_owned()),
        Just("8".to_owned()),
        Just("spot".to_owned()),
        "[0-9eE.+-]{0,12}",
        "\\PC{0,12}",
        any::<String>().prop_map(|text| text.chars().take(20).collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever a table holds, what comes of it is a catalog without errors, and every quote is accounted for.
    #[test]
    fn any_table_makes_a_sound_overlay(rows in prop::collection::vec(prop::collection::vec(cell(), 10), 0..12)) {
        let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
        let header = ["provider", "instance", "region", "billing", "upfront", "per_hour", "currency", "gpu", "gpus", "ram_gib"];
        writer.write_record(header).unwrap();
        for row in &rows {
            writer.write_record(row).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        sound(&import("plain", "x.csv", &bytes).unwrap());
    }

    /// No bytes make a parser panic, whatever format they are taken for.
    #[test]
    fn no_bytes_make_a_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for format in FORMATS {
            let _ = import(format.name, "catalogs/aws/vms.csv", &bytes);
        }
    }

    /// A real file with some bytes changed or cut off is read, counted or refused.
    #[test]
    fn damaged_files_are_read_counted_or_refused(
        at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(), which in 0..FILES.len()
    ) {
        let (kind, name) = FILES[which];
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/refresh").join(name);
        let mut bytes = std::fs::read(path).unwrap();
        let place = at.index(bytes.len());
        bytes[place] = byte;
        if byte % 4 == 0 {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(import) = import(kind, name, &bytes) {
            sound(&import);
        }
    }
}

const FILES: &[(&str, &str)] = &[
    ("skypilot", "skypilot/aws/vms.csv"),
    ("skypilot", "skypilot/gcp/vms.csv"),
    ("gpuhunt", "gcp.csv"),
    ("aws", "aws-offer.json"),
    ("aws-spot", "aws-spot.json"),
    ("aws-spot-advisor", "aws-spot-advisor.json"),
    ("azure", "azure.json"),
    ("gcp", "gcp-skus.json"),
    ("lambda", "lambda.json"),
    ("runpod", "runpod.json"),
    ("vast", "vast.json"),
    ("oci", "oci.json"),
    ("nebius", "nebius.json"),
];
