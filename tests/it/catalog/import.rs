//! `catalog import` and `catalog diff` as programs: from a file of others to a recommendation with its date.

use crate::program::{Finished, Program};
use std::path::Path;

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/refresh").join(name);
    std::fs::read_to_string(path).expect("a fixture")
}

fn table(rows: &str) -> String {
    format!("provider,instance,region,billing,usd_per_hour\n{rows}")
}

fn import(program: &Program, line: &str) -> Finished {
    let finished = program.run_line(&format!("gpuadvise catalog import {line}"));
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    finished
}

/// The whole way: prices of others, an overlay, a check without errors, and answers that use it and print its date.
#[test]
fn imported_prices_are_used_and_dated() {
    let program = Program::new().file("catalogs/v8/aws/vms.csv", &fixture("skypilot/aws/vms.csv"));
    let told = import(&program, "skypilot catalogs/v8/aws/vms.csv --as-of 2026-11-25 -o new.toml");
    assert!(told.stdout.is_empty() && told.stderr.contains("left out: 1 local-zone"), "{}", told.stderr);
    let check = program.run_line("gpuadvise catalog check new.toml --json");
    assert_eq!((check.code, &check.json()["errors"]), (0, &0.into()), "{}", check.stdout);
    let line = "gpuadvise cost --instance aws/p5.48xlarge --region us-east-1 --billing spot --catalog new.toml --json";
    let row = program.run_line(line).json()["rows"][0].clone();
    assert_eq!((&row["usd_per_hour"], &row["price_as_of"]), (&19.0668.into(), &"2026-11-25".into()));
    assert_eq!(row["price_source"], "SkyPilot catalog: v8/aws/vms.csv");
    let line = "gpuadvise recommend --params 1e9 --task train --gpu H100:8 --provider aws --region us-east-1 --billing all \
                --catalog new.toml --json";
    let best = program.run_line(line).json()["recommendations"][0]["costs"].clone();
    let spot =
        best.as_array().expect("costs").iter().find(|cost| cost["billing"] == "spot").expect("a spot price");
    assert_eq!((&spot["price_as_of"], &spot["overridden"]), (&"2026-11-25".into(), &true.into()));
    // --max-age counts from that day.
    let aged =
        "gpuadvise cost --instance aws/p5.48xlarge --region us-east-1 --max-age 30 --catalog new.toml --json";
    let program = program.env("SOURCE_DATE_EPOCH", "1798675200");
    assert_eq!(program.run_line(aged).code, 5, "2026-12-31 is 36 days later");
}

/// What the checks of the catalog warn of is counted and named with its row, in every form.
#[test]
fn prices_that_are_too_good_are_told() {
    let rows = "aws,p5.48xlarge,us-east-1,on-demand,0.0055\naws,p4d.24xlarge,us-east-1,on-demand,20\n";
    let program = Program::new().file("own.csv", &table(rows));
    let line = "plain own.csv --as-of 2026-11-25";
    let json = import(&program, &format!("{line} --json")).json();
    let doubt = &json["doubtful"][0];
    assert_eq!((&doubt["code"], &doubt["count"]), (&"price-far-below-median".into(), &1.into()), "{json}");
    let example = doubt["example"].as_str().expect("an example");
    assert!(example.starts_with("aws/p5.48xlarge us-east-1 on-demand: 0.0007 USD per GPU-hour"), "{example}");
    for format in ["table", "csv", "markdown", "html", "json"] {
        let told = import(&program, &format!("{line} --format {format}"));
        assert!(told.stderr.contains("doubtful: 1 price-far-below-median"), "{format}: {}", told.stderr);
    }
    assert!(import(&program, line).stdout.contains("# doubtful: 1 price-far-below-median"));
    let sane = program.file("own.csv", &table("aws,p4d.24xlarge,us-east-1,on-demand,20\n"));
    assert_eq!(import(&sane, &format!("{line} --json")).json()["doubtful"], serde_json::json!([]));
}

/// What AWS takes at the start of a term is known to `cost`.
#[test]
fn the_fee_of_a_reservation_reaches_the_answer() {
    let program = Program::new().file("offer.json", &fixture("aws-offer.json"));
    import(&program, "aws offer.json -o aws.toml");
    let line = "gpuadvise cost --instance aws/p4d.24xlarge --region us-east-1 --billing reserved-1y --hours 8760 --catalog aws.toml --json";
    let json = program.run_line(line).json();
    let rows = json["rows"].as_array().expect("rows");
    let partial = rows.iter().find(|row| row["upfront"] == "partial").expect("partial upfront");
    assert_eq!(
        (&partial["usd_per_hour"], &partial["upfront_usd"]),
        (&13.3.into(), &58692.into()),
        "{partial}"
    );
}

#[test]
fn every_format_answers_in_every_form() {
    let program = Program::new().file("runpod.json", &fixture("runpod.json"));
    let line = "runpod runpod.json --as-of 2026-11-25";
    let json = import(&program, &format!("{line} --json")).json();
    assert_eq!(json["imported"]["prices"], 3);
    let skipped = json["skipped"].as_array().expect("a list");
    let count: u64 = skipped.iter().filter_map(|it| it["count"].as_u64()).sum();
    assert_eq!(json["quotes_read"].as_u64(), json["quotes_used"].as_u64().map(|used| used + count));
    assert_eq!(json["overlay"].as_str(), Some(import(&program, line).stdout.as_str()));
    for reason in skipped {
        let explained = program.run(&["explain", reason["reason"].as_str().expect("a reason")]);
        assert_eq!(explained.code, 0, "{reason}: {}", explained.stderr);
    }
    assert!(import(&program, &format!("{line} --format csv")).stdout.starts_with("reason,count,example\n"));
    assert!(
        import(&program, &format!("{line} --format markdown")).stdout.contains("| left out because of |")
    );
    assert!(import(&program, &format!("{line} --ascii -q")).stdout.is_ascii());
}

/// What a spreadsheet would run as a formula stays a text in what is exported.
#[test]
fn no_formula_reaches_a_spreadsheet() {
    let rows = "aws,p5.48xlarge,=HYPERLINK(\"x\"),on-demand,40\naws,@SUM(1),us-east-1,on-demand,40\n";
    let program = Program::new().file("x.csv", &table(rows));
    import(&program, "plain x.csv --as-of 2026-11-25 -o x.toml");
    let csv = program
        .run_line("gpuadvise catalog prices --instance aws/p5.48xlarge --format csv --catalog x.toml")
        .stdout;
    assert!(csv.contains(",'=HYPERLINK") || csv.contains("\"'=HYPERLINK"), "{csv}");
    let line = "gpuadvise catalog diff embedded x.toml --format csv";
    assert!(!program.run_line(line).stdout.contains(",=HYPERLINK"));
    let skipped = import(&program, "plain x.csv --as-of 2026-11-25 --format csv").stdout;
    assert!(
        !skipped.lines().any(|line| line.split(',').any(|cell| cell.starts_with(['=', '@']))),
        "{skipped}"
    );
}

#[test]
fn what_cannot_be_used_has_its_code() {
    let program = Program::new()
        .file("none.csv", &table("aws,m7i.large,us-east-1,on-demand,0.1\n"))
        .file("bad.json", "{\"Items\": [\n {\"retailPrice\": }]}")
        .file("who.csv", "instance_name,location,price,spot\nx,y,1,False\n")
        .file("ok.csv", &table("aws,p5.48xlarge,us-east-1,on-demand,40\n"));
    let none = program.run_line("gpuadvise catalog import plain none.csv --as-of 2026-11-25 --json");
    assert_eq!((none.code, &none.json()["imported"]["prices"]), (3, &0.into()));
    for (line, said) in [
        ("azure bad.json --as-of 2026-11-25", "bad.json:2:18"),
        ("plain ok.csv", "--as-of"),
        ("gpuhunt who.csv --as-of 2026-11-25", "--provider"),
        ("plain ok.csv --as-of 2026-11-25 --provider nobody", "nobody"),
        ("plain ok.csv ok.csv - - --as-of 2026-11-25", "stdin"),
    ] {
        let finished = program.run_line(&format!("gpuadvise catalog import {line}"));
        assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{line}: {}", finished.stderr);
        assert!(finished.stderr.contains(said), "{line}: {}", finished.stderr);
    }
    // A file that cannot be read leaves the last good overlay alone.
    import(&program, "plain ok.csv --as-of 2026-11-25 -o good.toml");
    let before = std::fs::read(program.folder().join("good.toml")).expect("the overlay");
    let failed = program.run_line("gpuadvise catalog import azure bad.json --as-of 2026-11-25 -o good.toml");
    assert_eq!(failed.code, 2);
    assert_eq!(std::fs::read(program.folder().join("good.toml")).expect("the overlay"), before);
}

/// P099: a list that was cut off on its way is told, and can be refused.
#[test]
fn lost_rows_and_jumps_break_limits() {
    let all = "aws,p5.48xlarge,us-east-1,on-demand,40\naws,p5.48xlarge,us-east-2,on-demand,40\n\
               aws,p4d.24xlarge,us-east-1,on-demand,20\naws,p4d.24xlarge,us-east-2,on-demand,20\n";
    let cut = "aws,p5.48xlarge,us-east-1,on-demand,50\n";
    let program = Program::new().file("old.csv", &table(all)).file("new.csv", &table(cut));
    import(&program, "plain old.csv --as-of 2026-11-01 -o old.toml");
    import(&program, "plain new.csv --as-of 2026-11-25 -o new.toml");
    let diff =
        |more: &str| program.run_line(&format!("gpuadvise catalog diff old.toml new.toml --json {more}"));
    let free = diff("");
    assert_eq!(free.code, 0, "{}", free.stderr);
    let json = free.json();
    assert_eq!((&json["prices"]["removed"], &json["lost_pct"]), (&3.into(), &75.into()));
    assert_eq!(json["greatest_change_pct"], 25);
    let rows = json["rows"].as_array().expect("rows").clone();
    let changed: Vec<_> = rows.iter().filter(|row| row["status"] == "changed").collect();
    assert_eq!((changed.len(), &changed[0]["change_pct"]), (1, &25.into()));
    assert_eq!(
        (&changed[0]["old_as_of"], &changed[0]["new_as_of"]),
        (&"2026-11-01".into(), &"2026-11-25".into())
    );
    for (more, code) in [
        ("--max-lost 75", 0),
        ("--max-lost 74.9", 4),
        ("--max-change 25%", 0),
        ("--max-change 24", 4),
        ("--max-lost 0 --max-change 0", 4),
    ] {
        let finished = diff(more);
        assert_eq!(finished.code, code, "{more}: {}", finished.stderr);
        assert_eq!(
            finished.json()["rows"].as_array().map(Vec::len),
            Some(4),
            "the document is whole: {more}"
        );
        assert_eq!(finished.stderr.contains("error: "), code == 4, "{more}");
    }
    let same =
        program.run_line("gpuadvise catalog diff new.toml new.toml --max-lost 0 --max-change 0 --json");
    assert_eq!((same.code, same.json()["rows"].as_array().map(Vec::len)), (0, Some(0)));
    // Beside the catalog of the program an overlay is what it makes of it: nothing is lost.
    let laid = program.run_line("gpuadvise catalog diff embedded new.toml --json").json();
    assert_eq!((&laid["prices"]["removed"], &laid["prices"]["changed"]), (&0.into(), &1.into()));
}

#[test]
fn a_broken_side_of_a_diff_is_a_catalog_problem() {
    let program = Program::new().file("bad.toml", "schema = 1\nprice = [{ instance = \"x\" }]\n");
    let finished = program.run_line("gpuadvise catalog diff embedded bad.toml --json");
    assert_eq!(finished.code, 5, "{}", finished.stderr);
    assert!(finished.json()["errors"].as_u64() > Some(0));
}

/// What the listing prints can be read back.
#[test]
fn a_listing_of_prices_is_a_table_that_can_be_imported() {
    let program = Program::new();
    let csv = program.run_line("gpuadvise catalog prices --instance aws/p5.48xlarge --format csv").stdout;
    assert!(csv.lines().count() > 10);
    let program = program.file("prices.csv", &csv);
    import(&program, "plain prices.csv -o prices.toml");
    let json = program.run_line("gpuadvise catalog diff embedded prices.toml --json").json();
    assert_eq!(json["prices"]["changed"], 0, "{json}");
    assert_eq!(json["prices"]["added"], 0);
}

/// A million rows of the size of real ones; the memory must follow the prices, not the rows.
#[test]
#[ignore = "takes a minute; `cargo test --release --test it -- --ignored million`"]
fn a_million_rows_stay_in_bounded_memory() {
    use gpuadvise::catalog::load::{Sections, embedded};
    use gpuadvise::refresh::{self, File, Ledger};
    let catalog = embedded(Sections::PRICES).expect("the catalog");
    let head = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n";
    let info = "\"{'Gpus': [{'Name': 'H100', 'Manufacturer': 'NVIDIA', 'Count': 8, 'MemoryInfo': {'SizeInMiB': 81920}}], 'TotalGpuMemoryInMiB': 655360}\"";
    let mut bytes = head.as_bytes().to_vec();
    for at in 0..1_000_000 {
        let (machine, region, zone) = (at % 1000, at / 1000 % 100, at / 100_000);
        let letter = char::from(b'a' + zone as u8);
        let row = format!(
            "x{machine}.48xlarge,H100-SXM,8.0,192.0,2048.0,{info},55.04,{}.5,r-{region}-1,r-{region}-1{letter}\n",
            10 + zone
        );
        bytes.extend_from_slice(row.as_bytes());
    }
    let before = resident();
    let started = std::time::Instant::now();
    let mut ledger = Ledger::new(&catalog, jiff::civil::date(2026, 11, 30)).expect("rules");
    let as_of = Some(jiff::civil::date(2026, 11, 25));
    let file = File { name: "aws/vms.csv", provider: None, as_of, since: None, source: None };
    refresh::read(refresh::format("skypilot").expect("a format"), &file, &mut &bytes[..], &mut ledger)
        .expect("a sound file");
    let import = ledger.finish();
    let grown = resident().saturating_sub(before) >> 20;
    println!(
        "{} MiB of rows, {} prices, {:.1} s, {grown} MiB more",
        bytes.len() >> 20,
        import.overlay.prices(),
        started.elapsed().as_secs_f64()
    );
    assert_eq!((import.quotes, import.overlay.prices()), (2_000_000, 200_000));
    assert!(grown < 512, "{grown} MiB");
}

/// Peak of resident memory in bytes, where the system tells it.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() << 10
}

/// P099: what is not known any more, or is in another currency, is lost; a rate makes it comparable.
#[test]
fn prices_that_became_unknown_or_changed_their_currency_are_lost() {
    let side = |price: &str| {
        format!(
            "schema = 1\nprovider = \"aws\"\nsource = \"own\"\n[sources.own]\ntext = \"own\"\nas-of = 2026-11-01\n\
             [[price]]\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\nbilling = \"on-demand\"\n{price}\n"
        )
    };
    let program = Program::new()
        .file("usd.toml", &side("usd-per-hour = 50"))
        .file("unknown.toml", &side("usd-per-hour = \"unknown\""))
        .file("jpy.toml", &side("per-hour = 50\ncurrency = \"JPY\""))
        .file("cny.toml", &side("per-hour = 420\ncurrency = \"CNY\""))
        .file("more.toml", &side("usd-per-hour = 60.001"));
    for (new, more, code) in [
        ("unknown", "--max-lost 0", 4),
        ("unknown", "--max-lost 0 --max-change 0", 4),
        ("jpy", "--max-change 0", 4),
        ("jpy", "--max-lost 0", 4),
        ("jpy", "--max-change 100 --fx JPY=1", 0),
        ("jpy", "--max-lost 0 --fx JPY=1", 0),
        ("jpy", "--max-change 10 --fx JPY=150", 4),
        ("cny", "--max-change 20 --max-lost 0 --fx CNY=7", 0),
        ("cny", "--max-change 19 --fx CNY=7", 4),
        ("more", "--max-change 20", 4),
    ] {
        let line = format!("gpuadvise catalog diff usd.toml {new}.toml --json {more}");
        let finished = program.run_line(&line);
        assert_eq!(finished.code, code, "{line}: {}{}", finished.stderr, finished.stdout);
    }
    let diff = |line: &str| program.run_line(&format!("gpuadvise catalog diff {line} --json")).json();
    let converted = diff("usd.toml cny.toml --fx CNY=7");
    let row = &converted["rows"][0];
    assert_eq!((&row["status"], &row["change_pct"]), (&"changed".into(), &20.into()), "{row}");
    assert_eq!((&row["currency"], &row["new_amount_per_hour"]), (&"CNY".into(), &420.into()), "{row}");
    assert_eq!(diff("usd.toml unknown.toml")["lost_pct"], 100);
    // A fall is held in per cent of the new price.
    let program = program.file("less.toml", &side("usd-per-hour = 0.01"));
    let fall = program.run_line("gpuadvise catalog diff usd.toml less.toml --max-change 100 --json");
    let json = fall.json();
    assert_eq!((fall.code, &json["greatest_change_pct"]), (4, &(-99.98).into()), "{}", fall.stdout);
    assert_eq!(json["limits"][0]["actual_pct"], 499_900);
    assert!(fall.stderr.contains("changed by -99.98 %, 499900 % seen from the new price"), "{}", fall.stderr);
    let close = program.run_line("gpuadvise catalog diff usd.toml more.toml --max-change 20");
    assert!(close.stderr.contains("changed by 20.002 %; --max-change allows 20 %"), "{}", close.stderr);
}
