//! Currencies and contracts on the built program: rates and their days, prices in yuan, overlays in per cent, fees at the
//! start of a term, assumed discounts. P and a number is a report of users of other tools.

use crate::program::{Finished, Program, run};
use serde_json::Value;
use std::path::Path;

fn cost(arguments: &[&str]) -> Value {
    let finished = run(&[&["cost", "--json"], arguments].concat());
    assert_eq!(finished.code, 0, "{arguments:?}: {}", finished.stderr);
    finished.json()
}

fn rows(document: &Value) -> &Vec<Value> {
    document["rows"].as_array().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn with_overlay(rows: &str) -> Program {
    let head = "schema = 1\nprovider = \"aws\"\nsource = \"own\"\n[sources.own]\ntext = \"our contract\"\nas-of = 2026-11-01\n";
    Program::new().file("own.toml", &format!("{head}{rows}"))
}

fn priced(program: &Program, more: &[&str]) -> Finished {
    program.run(&[&["cost", "--catalog", "own.toml", "--json"], more].concat())
}

/// P133: the rate and its day where money was converted, neither otherwise.
#[test]
fn p133_a_conversion_has_its_rate_and_day() {
    let plain = cost(&["--instance", "aws/p5.48xlarge"]);
    assert_eq!((&plain["currency"], &plain["fx"]), (&Value::Null, &Value::Null));
    assert!(!plain.to_string().contains("_amount"));

    let told = cost(&["--instance", "aws/p5.48xlarge", "--currency", "CNY", "--fx", "CNY=7.2@2026-11-30"]);
    assert_eq!(told["currency"], "CNY");
    assert_eq!(told["fx"], serde_json::json!({"code": "CNY", "rate": 7.2, "as_of": "2026-11-30"}));
    for (with, without) in rows(&told).iter().zip(rows(&plain)) {
        for field in ["usd_per_hour", "total_usd", "commitment_usd"] {
            assert_eq!(with[field], without[field], "dollars do not move");
        }
        let cents = (number(&without["total_usd"]) * 720.0).round() / 100.0;
        assert!((number(&with["total_amount"]) - cents).abs() < 1e-9, "{with}");
    }
    let unused = cost(&["--instance", "aws/p5.48xlarge", "--fx", "CNY=7.2"]);
    assert_eq!(unused["fx"], Value::Null, "nothing was converted");
}

#[test]
fn a_rate_without_a_day_is_of_the_day_of_the_run() {
    let program = Program::new().env("SOURCE_DATE_EPOCH", "1796083200");
    let finished = program.run(&["cost", "--gpu", "L4", "--json", "--currency", "eur", "--fx", "EUR=0.9"]);
    let document = finished.json();
    assert_eq!(document["fx"]["as_of"], "2026-12-01");
    let assumed = document["assumptions"].as_array().unwrap();
    assert!(assumed.iter().any(|it| it["id"] == "exchange-rate" && it["value"] == "0.9 EUR for one dollar"));
}

#[test]
fn a_currency_without_a_rate_is_bad_input() {
    for arguments in [
        ["cost", "--currency", "INR"].as_slice(),
        &["cost", "--currency", "CNY"],
        &["recommend", "--params", "1e9", "--task", "train", "--currency", "CNY"],
        &["commitments", "--gpu", "H100:8", "--instances", "2", "--currency", "EUR"],
        &["cost", "--provider", "alicloud", "--currency", "CNY", "--budget", "5000"],
        &[
            "check",
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/gpuadvise.toml"),
            "--currency",
            "CNY",
        ],
        &["cost", "--fx", "CNY=0"],
        &["cost", "--fx", "CNY=NaN"],
        &["cost", "--fx", "CNY"],
        &["cost", "--fx", "CNY=7,CNY=8"],
        &["cost", "--currency", "yuan"],
    ] {
        let finished = run(arguments);
        assert_eq!(finished.code, 2, "{arguments:?}: {}", finished.stderr);
        assert_eq!(finished.stdout, "", "{arguments:?}: nothing half-written");
    }
    let finished = run(&["cost", "--currency", "CNY"]);
    assert!(finished.stderr.contains("--fx CNY=RATE"), "{}", finished.stderr);
}

/// The prices of Chinese clouds are in yuan: not known in dollars without a rate, exact in their own currency.
#[test]
fn yuan_stay_yuan() {
    let machine = ["--instance", "alicloud/ecs.gn7e-c16g1.4xlarge", "--hours", "100"];
    let finished = run(&[&["cost", "--json"], machine.as_slice()].concat());
    assert_eq!(finished.code, 5, "the only price has no rate: {}", finished.stderr);
    let row = &finished.json()["rows"][0];
    assert_eq!((&row["usd_per_hour"], &row["total_usd"]), (&Value::Null, &Value::Null));
    assert!(row["notes"].to_string().contains("--fx CNY=RATE"), "{row}");

    let native = cost(&[machine.as_slice(), &["--currency", "CNY"]].concat());
    assert_eq!((&native["currency"], &native["fx"]), (&serde_json::json!("CNY"), &Value::Null));
    let row = &native["rows"][0];
    assert_eq!((number(&row["amount_per_hour"]), number(&row["total_amount"])), (34.742, 3474.2));
    assert_eq!((&row["usd_per_hour"], &row["total_usd"]), (&Value::Null, &Value::Null));

    let dollars = cost(&[machine.as_slice(), &["--fx", "CNY=7.2"]].concat());
    assert_eq!(
        (&dollars["currency"], &dollars["fx"]["code"]),
        (&serde_json::json!("USD"), &serde_json::json!("CNY"))
    );
    assert_eq!(dollars["rows"][0]["total_usd"], 482.53);
    let back = cost(&[machine.as_slice(), &["--currency", "CNY", "--fx", "CNY=7.2"]].concat());
    assert_eq!(back["rows"][0]["amount_per_hour"], 34.742);
    // What is sold in yuan comes back to the last fen, whatever the rate: in JSON, in tables and in CSV.
    let month = ["cost", "--instance", "alicloud/ecs.gn7e-c16g1.4xlarge", "--hours", "730"];
    for rate in ["CNY=7.1", "CNY=7.2345", "CNY=6.9"] {
        let ask = |format: &str| {
            run(&[&month[..], &["--currency", "CNY", "--fx", rate, "--format", format]].concat())
        };
        let row = &ask("json").json()["rows"][0];
        assert_eq!(
            (number(&row["total_amount"]), number(&row["amount_per_hour"])),
            (25_361.66, 34.742),
            "{rate}"
        );
        assert!(ask("table").stdout.contains("25,361.66"), "{rate}");
        assert!(ask("csv").stdout.contains(",25361.66,"), "{rate}");
    }
}

/// What has no rate is counted aloud, with the remedy; a rate silences it.
#[test]
fn prices_without_a_rate_are_never_left_out_in_silence() {
    let said = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let document = run(&[&words[..], &["--json"]].concat()).json();
        let warnings = document["warnings"].as_array().unwrap().clone();
        let ours = warnings.iter().find(|warning| warning["id"] == "no-exchange-rate");
        ours.map(|warning| warning["message"].as_str().unwrap().to_owned())
    };
    for line in [
        "cost --gpu A100-80GB --hours 10",
        "recommend --model llama-3-8b --task infer --gpu A100-80GB",
        "cost --provider aws,alicloud --gpu A100-80GB --hours 10",
    ] {
        let message = said(line).unwrap_or_else(|| panic!("{line}: no warning"));
        assert!(message.contains("in CNY") && message.contains("--fx CNY=RATE"), "{message}");
        assert_eq!(said(&format!("{line} --fx CNY=7.1,EUR=0.9")), None, "{line}");
        assert_eq!(
            said(&format!("{line} --billing committed --min-ram 2000GiB")),
            None,
            "{line}: others do not qualify"
        );
    }
}

/// `diff` converts at the rate of an overlay too, and reads converted answers by their dollars.
#[test]
fn diff_takes_rates_from_overlays() {
    let rate = "schema = 1\nsource = \"desk\"\n[[currency]]\ncode = \"EUR\"\nname = \"euro\"\nper-usd = 0.9\n[sources.desk]\ntext = \"our desk\"\nas-of = 2026-11-20\n";
    let program = Program::new().file("rate.toml", rate);
    let line =
        "cost --instance aws/p5.48xlarge --region us-east-1 --billing on-demand --catalog rate.toml --json";
    let ask = |more: &str| {
        let line = format!("{line} {more}");
        let finished = program.run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(finished.code, 0, "{line}: {}", finished.stderr);
    };
    ask("--hours 100 -o old.json");
    ask("--hours 200 -o new.json --currency EUR");
    let finished = program.run(&[
        "diff",
        "old.json",
        "new.json",
        "--json",
        "--catalog",
        "rate.toml",
        "--currency",
        "EUR",
    ]);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let document = finished.json();
    assert_eq!((&document["currency"], &document["fx"]["rate"]), (&"EUR".into(), &serde_json::json!(0.9)));
    let totals = &document["totals"];
    assert_eq!((&totals["change_usd"], &totals["change_amount"]), (&5504.into(), &4953.6.into()));
    assert_eq!(program.run(&["diff", "old.json", "new.json", "--currency", "EUR"]).code, 2, "no rate");
}

/// P087: every column of money names its currency, in each format.
#[test]
fn p087_every_price_names_its_currency() {
    let converted = ["cost", "--gpu", "H100:8", "--currency", "CNY", "--fx", "CNY=7.2@2026-11-30"];
    for format in ["table", "markdown"] {
        let page = run(&[converted.as_slice(), &["--format", format]].concat()).stdout;
        for title in ["CNY/GPU-h", "total CNY", "owed CNY"] {
            assert!(page.contains(title), "{format}: {title}");
        }
        assert!(!page.contains("USD/"), "{format}");
    }
    let csv = run(&[converted.as_slice(), &["--format", "csv"]].concat()).stdout;
    let header = csv.lines().next().unwrap();
    for column in ["usd_per_hour", "amount_per_hour", "total_amount", "currency", "fx_rate", "fx_as_of"] {
        assert!(header.split(',').any(|it| it == column), "{column}");
    }
    assert!(csv.lines().nth(1).unwrap().ends_with(",CNY,7.2,2026-11-30"), "{csv}");
}

/// What a schema promises holds in every currency.
#[test]
fn answers_in_another_currency_keep_their_schema() {
    let project = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/examples/gpuadvise.toml");
    let native = ["cost", "--provider", "alicloud", "--currency", "CNY"];
    let converted = ["--currency", "CNY", "--fx", "CNY=7.2"];
    let runs = [
        native.to_vec(),
        [&["recommend", "--params", "1e9", "--task", "train"], converted.as_slice()].concat(),
        [&["commitments", "--gpu", "H100:8", "--instances", "2"], converted.as_slice()].concat(),
        [&["check", project], converted.as_slice()].concat(),
        [&["catalog", "prices", "--provider", "alicloud,verda"], converted.as_slice()].concat(),
    ];
    for arguments in runs {
        let document = run(&[arguments.as_slice(), &["--json"]].concat()).json();
        assert_eq!(document["currency"], "CNY", "{arguments:?}");
        let schema = run(&["schema", arguments[0]]).json();
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        if let Err(error) = validator.validate(&document) {
            panic!("{arguments:?}: {error} at {}", error.instance_path());
        }
    }
}

/// P118, P143: an own price is absolute or per cent of list, reads back, and is marked.
#[test]
fn p118_an_own_price_may_be_per_cent_of_list() {
    let row = |price: &str| {
        format!(
            "[[price]]\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\nbilling = \"on-demand\"\n{price}\n"
        )
    };
    let query =
        ["--instance", "aws/p5.48xlarge", "--region", "us-east-1", "--billing", "on-demand", "--hours", "10"];
    let list = number(&cost(&query)["rows"][0]["usd_per_hour"]);
    for (price, share) in [
        ("percent-of-list = 80", 0.8),
        ("percent-of-list = \"8折\"", 0.8),
        ("percent-of-list = \"62.5 %\"", 0.625),
    ] {
        let document = priced(&with_overlay(&row(price)), &query).json();
        let own = &document["rows"][0];
        assert!((number(&own["usd_per_hour"]) - list * share).abs() < 1e-9, "{price}: {own}");
        assert_eq!(own["overridden"], true);
        assert!(own["notes"].to_string().contains("list price of"), "{own}");
        assert_eq!(own["price_source"], "our contract");
    }
    let unknown = "[[price]]\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\nbilling = \"savings-1y\"\npercent-of-list = 80\n";
    let finished = priced(&with_overlay(unknown), &query);
    assert_eq!(finished.code, 5, "{}", finished.stdout);
    assert!(finished.stdout.contains("no list price"), "{}", finished.stdout);
    for bad in [
        "percent-of-list = 0",
        "percent-of-list = -5",
        "percent-of-list = \"10折\"",
        "percent-of-list = 80\nusd-per-hour = 3",
    ] {
        assert_eq!(priced(&with_overlay(&row(bad)), &query).code, 5, "{bad}");
    }
}

/// P083, P084: fee and rate are spread over the term; each amount of upfront is its own row; a missing one stays missing.
#[test]
fn p083_a_fee_at_the_start_is_spread_over_the_term() {
    let row = |fee: &str| {
        format!(
            "[[price]]\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\nbilling = \"reserved-1y\"\n{fee}\n"
        )
    };
    let overlay = row("upfront-fee = 100_000.5\nrecurring-per-hour = 12.5") + &row("upfront-fee = 200_000");
    let query = [
        "--instance",
        "aws/p5.48xlarge",
        "--region",
        "us-east-1",
        "--billing",
        "reserved-1y",
        "--nodes",
        "2",
    ];
    let document = priced(&with_overlay(&overlay), &query).json();
    let of = |upfront: &str| rows(&document).iter().find(|row| row["upfront"] == upfront).cloned().unwrap();
    let (partial, all) = (of("partial"), of("all"));
    let hourly = (100_000.5 + 12.5 * 8760.0) / 8760.0;
    assert!((number(&partial["usd_per_hour"]) - 2.0 * hourly).abs() < 1e-6, "{partial}");
    assert_eq!(partial["upfront_usd"], 200_001);
    assert_eq!(partial["commitment_usd"], 419_001);
    assert_eq!((number(&all["upfront_usd"]), number(&all["commitment_usd"])), (400_000.0, 400_000.0));
    for bad in [
        "upfront = \"all\"\nupfront-fee = 5\nrecurring-per-hour = 1",
        "upfront-fee = 0",
        "upfront-fee = -1",
        "upfront-fee = \"much\"",
    ] {
        assert_eq!(priced(&with_overlay(&row(bad)), &query).code, 5, "{bad}");
    }
}

/// P166: a flat discount only where somebody asks for it, never over a price that is known, and marked.
#[test]
fn p166_an_assumed_discount_is_asked_for_and_marked() {
    let query = ["--instance", "lambda/gpu_8x_h100_sxm5", "--billing", "committed"];
    let finished = run(&[&["cost", "--json"], query.as_slice()].concat());
    assert_ne!(finished.code, 0, "no commitment is known: {}", finished.stdout);
    let document = cost(&[query.as_slice(), &["--assume-commitment-discount", "40,3y=6折"]].concat());
    assert!(!rows(&document).is_empty(), "{document}");
    for row in rows(&document) {
        assert!(row["notes"].to_string().contains("assumed 40 %"), "{row}");
        assert_eq!(row["saves_pct"], 40);
    }
    let assumed = document["assumptions"].as_array().unwrap();
    assert_eq!(assumed.iter().filter(|it| it["id"] == "commitment-discount").count(), 2);
    let known = ["--instance", "aws/p4d.24xlarge", "--region", "us-east-1", "--billing", "reserved-1y"];
    let with = cost(&[known.as_slice(), &["--assume-commitment-discount", "90"]].concat());
    assert_eq!(rows(&with), rows(&cost(&known)));
    for bad in ["0", "100", "-3", "2y=40", "10折", "much"] {
        assert_eq!(run(&["cost", "--assume-commitment-discount", bad]).code, 2, "{bad}");
    }
}

/// `8折` in `[discount]` takes 20 % off.
#[test]
fn eight_tenths_of_a_discount_are_paid() {
    let query = [
        "cost",
        "--json",
        "--instance",
        "aws/p5.48xlarge",
        "--region",
        "us-east-1",
        "--billing",
        "on-demand",
    ];
    let of = |discount: &str| {
        let program = Program::new()
            .file("gpuadvise.toml", &format!("[discount]\naws = {{ on-demand = {discount} }}\n"));
        program.run(&query)
    };
    assert_eq!(of("\"8折\"").json()["rows"], of("20").json()["rows"]);
    for bad in ["\"10折\"", "\"much\"", "\"20\""] {
        assert_eq!(of(bad).code, 2, "{bad}");
    }
}

/// Blocks of capacity are owed whole and paid at their start; a job longer than the longest has no price.
#[test]
fn capacity_blocks_are_whole_days_and_weeks() {
    let block =
        ["--instance", "aws/p5.48xlarge", "--region", "us-east-1", "--billing", "capacity-block", "--hours"];
    for (hours, owed) in [("20m", 24), ("25h", 48), ("337h", 504), ("730h", 840)] {
        let row = &cost(&[block.as_slice(), &[hours]].concat())["rows"][0];
        assert_eq!(row["billed_hours"], owed, "{hours}");
        let expected = number(&row["usd_per_hour"]) * f64::from(owed);
        for field in ["total_usd", "commitment_usd", "upfront_usd"] {
            assert!((number(&row[field]) - expected).abs() < 0.005, "{hours}: {field} of {row}");
        }
    }
    let finished = run(&[&["cost", "--json"], block.as_slice(), &["5000h"]].concat());
    assert_eq!(finished.code, 3, "{}", finished.stderr);
    let document = finished.json();
    assert_eq!(document["rows"][0]["total_usd"], Value::Null);
    assert_eq!(document["rejected"][0]["reason"], "block-too-short");
}

/// Every session of `docs/commitments.md` is what the program says.
#[test]
fn the_documented_sessions_are_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("docs/commitments.md")).unwrap();
    let mut program = Program::new();
    for file in ["docs/examples/guide-prices.toml", "docs/examples/guide-usage.csv"] {
        program = program.file(file, &std::fs::read_to_string(root.join(file)).unwrap());
    }
    let mut sessions = 0;
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let (line, expected) = block.split_once('\n').unwrap();
        let finished = program.run_line(line.trim_start_matches("$ "));
        assert_eq!(finished.code, 0, "{line}: {}", finished.stderr);
        let shown: Vec<&str> = expected.lines().map(str::trim_end).collect();
        let said: Vec<&str> = finished.stdout.lines().map(str::trim_end).collect();
        // `…` stands for what is left out at the end.
        let upto = shown.iter().position(|line| *line == "…").unwrap_or(shown.len());
        assert_eq!(shown[..upto], said[..upto.min(said.len())], "{line}");
        sessions += 1;
    }
    assert!(sessions >= 2, "{sessions} sessions");
}

/// Fixtures of a contract with a fee: `more` behind the price of `savings-1y`.
fn fee_row(price: &str) -> String {
    format!(
        "[[price]]\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\nbilling = \"savings-1y\"\n{price}\n"
    )
}

const FEE_QUERY: [&str; 6] =
    ["--instance", "aws/p5.48xlarge", "--region", "us-east-1", "--billing", "savings-1y"];

/// Yuan are no dollars, whatever the field: without a rate nothing of the price is known.
#[test]
fn a_fee_in_a_currency_without_a_rate_is_not_known() {
    let overlay = fee_row("upfront-fee = 700_000\nrecurring-per-hour = 70\ncurrency = \"CNY\"");
    let program = with_overlay(&overlay);
    let partial = |document: &Value| {
        rows(document).iter().find(|row| row["upfront"] == "partial").cloned().expect("the row")
    };
    let finished = priced(&program, &FEE_QUERY);
    let row = partial(&finished.json());
    assert_eq!((&row["usd_per_hour"], &row["upfront_usd"]), (&Value::Null, &Value::Null), "{row}");
    let with_rate = priced(&program, &[FEE_QUERY.as_slice(), &["--fx", "CNY=7"]].concat()).json();
    assert_eq!(partial(&with_rate)["upfront_usd"], 100_000);
}

/// A discount is off the fee as well: what is paid at the start is never more than what is owed.
#[test]
fn a_discount_is_off_the_fee_too() {
    let program = with_overlay(&fee_row("upfront-fee = 100_000\nrecurring-per-hour = 0.5"))
        .file("gpuadvise.toml", "[discount.aws]\nsavings-1y = 50\n");
    let document = priced(&program, &FEE_QUERY).json();
    let row = rows(&document).iter().find(|row| row["upfront"] == "partial").expect("the row");
    assert_eq!(row["upfront_usd"], 50_000, "{row}");
    assert_eq!(row["commitment_usd"], 52_190);
}

/// Per cent of an old price are an old price, and per cent of per cent are per cent of the list.
#[test]
fn a_part_of_a_list_price_has_its_age_and_does_not_compound() {
    let head = |day: &str| {
        format!(
            "schema = 1\nprovider = \"aws\"\nsource = \"own\"\n[sources.own]\ntext = \"own\"\nas-of = {day}\n"
        )
    };
    let row = |price: &str| {
        format!(
            "[[price]]\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\nbilling = \"on-demand\"\n{price}\n"
        )
    };
    let program = Program::new()
        .env("SOURCE_DATE_EPOCH", "1796083200")
        .file("list.toml", &(head("2023-01-01") + &row("usd-per-hour = 100")))
        .file("80.toml", &(head("2026-11-01") + &row("percent-of-list = 80")))
        .file("90.toml", &(head("2026-11-02") + &row("percent-of-list = 90")));
    let query = |more: &[&str]| {
        let own =
            ["cost", "--json", "--catalog", "list.toml", "--catalog", "80.toml", "--catalog", "90.toml"];
        let place = ["--instance", "aws/p5.48xlarge", "--region", "us-east-1", "--billing", "on-demand"];
        program.run(&[own.as_slice(), &place, more].concat())
    };
    let document = query(&[]).json();
    let own = &rows(&document)[0];
    assert_eq!(own["usd_per_hour"], 90, "{own}");
    assert!(own["notes"].to_string().contains("list price of 100 USD (2023-01-01) at 90 %"), "{own}");
    assert_eq!(
        own["price_as_of"],
        serde_json::json!({"not_before": "2023-01-01", "not_after": "2026-11-02"})
    );
    let old = query(&["--max-age", "90"]);
    assert_ne!(old.code, 0, "an old list price: {}", old.stdout);
    assert!(old.json()["rows"].as_array().is_none_or(Vec::is_empty));
}

/// `11折` is either 110 % or 11 %: refused.
#[test]
fn tenths_that_can_be_read_in_two_ways_are_refused() {
    let row =
        |text: &str| fee_row(&format!("percent-of-list = \"{text}\"")).replace("savings-1y", "on-demand");
    for bad in ["11折", "15折", "19.5折"] {
        assert_eq!(priced(&with_overlay(&row(bad)), &["--gpu", "H100"]).code, 5, "{bad}");
    }
    assert_eq!(priced(&with_overlay(&row("85折")), &["--gpu", "H100"]).code, 0);
}

/// The fewest that are sold together are priced, and fewer are refused with what to say.
#[test]
fn chips_that_are_sold_together_are_priced_together() {
    let place = ["--instance", "gcp/tpu-v4"];
    let document = cost(&[place.as_slice(), &["--billing", "on-demand"]].concat());
    for row in rows(&document) {
        assert_eq!(row["nodes"], 4, "{row}");
        let each = number(&row["usd_per_gpu_hour"]);
        assert!((number(&row["usd_per_hour"]) - 4.0 * each).abs() < 1e-3, "{row}");
    }
    let tco = run(&["tco", "--instance", "gcp/tpu-v4", "--json"]);
    assert_eq!(tco.code, 0, "{}", tco.stderr);
    let rent = tco.json()["options"].as_array().unwrap().iter().find(|it| it["kind"] == "on-demand").cloned();
    if let Some(rent) = rent {
        assert!((number(&rent["usd_per_hour"]) - number(&rows(&document)[0]["usd_per_hour"])).abs() < 1e-9);
    }
    for command in ["cost", "tco"] {
        let refused = run(&[[command].as_slice(), &place, &["--nodes", "3"]].concat());
        assert_eq!(refused.code, 2, "{command}: {}", refused.stdout);
        assert!(refused.stderr.contains("--nodes 4"), "{}", refused.stderr);
    }
    let plan = run(&[["commitments", "--instances", "1", "--json"].as_slice(), &place].concat());
    assert_eq!(plan.code, 0, "{}", plan.stderr);
    let plan = plan.json();
    let cheapest =
        rows(&document).iter().map(|row| number(&row["usd_per_hour"])).fold(f64::INFINITY, f64::min);
    assert!((number(&plan["on_demand_usd_per_hour"]) - cheapest).abs() < 1e-6, "{plan}");
    assert!(plan["assumptions"].to_string().contains("sold together"), "{plan}");
}

/// What nobody offers is marked in its row and owes nothing.
#[test]
fn an_assumed_contract_is_marked_and_owes_nothing() {
    let query = ["cost", "--instance", "lambda/gpu_8x_h100_sxm5", "--billing", "committed", "--json"];
    let finished = run(&[query.as_slice(), &["--assume-commitment-discount", "40"]].concat());
    let document = finished.json();
    for row in rows(&document) {
        assert_eq!(row["overridden"], true, "{row}");
        assert!(row["price_source"].as_str().unwrap().starts_with("assumed: 40 % below on-demand"), "{row}");
    }
    assert!(!finished.stderr.contains("owes"), "{}", finished.stderr);
}

/// No rate is of a day to come, and one that is older than prices may be is told.
#[test]
fn rates_have_an_age_too() {
    let program = Program::new().env("SOURCE_DATE_EPOCH", "1796083200");
    let query = |fx: &str| {
        program.run(&["cost", "--gpu", "L4", "--json", "--currency", "CNY", "--fx", fx, "--max-age", "3650"])
    };
    let future = query("CNY=7.2@2030-01-01");
    assert_eq!(future.code, 2);
    assert!(future.stderr.contains("in the future"), "{}", future.stderr);
    assert!(query("CNY=7.2@2010-01-01").stderr.contains("an exchange rate is older: CNY of 2010-01-01"));
    let fresh = query("CNY=7.2@2026-11-30");
    assert_eq!(fresh.code, 0);
    assert!(!fresh.stderr.contains("exchange rate is older"), "{}", fresh.stderr);
}

/// Nothing is free, and no name turns a line around.
#[test]
fn small_harm_is_refused() {
    assert_eq!(run(&["tco", "--gpu", "H100:8", "--serverless", "0"]).code, 2);
    let overlay = "[[region]]\nname = \"us\u{202e}tsae\"\n[[price]]\ninstance = \"p5.48xlarge\"\nregion = \"us\u{202e}tsae\"\nbilling = \"on-demand\"\nusd-per-hour = 1\n";
    let refused = with_overlay(overlay).run(&["catalog", "check", "own.toml"]);
    assert_eq!(refused.code, 5, "{}", refused.stdout);
    assert!(refused.stdout.contains("U+202E") && !refused.stdout.contains('\u{202e}'), "{}", refused.stdout);
}

/// The amounts of the parts add up to the amount of the total, to the last fen, in every document and on its page.
#[test]
fn totals_are_sums_in_every_currency() {
    const FX: &str = "--currency CNY --fx CNY=7.1234@2026-11-30";
    let fen = |value: &Value| (number(value) * 100.0).round() as i64;
    let ask = |line: &str| {
        let words = |format: &str| {
            let line = format!("{line} {FX} --format {format}");
            run(&line.split_whitespace().collect::<Vec<_>>())
        };
        (words("json").json(), words("table").stdout)
    };
    let bill = "--startup 20m --idle 1h --storage 500GB --egress 120GB";
    let parts = ["compute", "startup", "idle", "storage", "egress"];
    let sum = |row: &Value| -> i64 {
        let each = parts.iter().map(|part| &row["parts"][format!("{part}_amount")]);
        each.filter(|amount| !amount.is_null()).map(fen).sum()
    };
    let (cost, page) = ask(&format!("cost --hours 33.3 {bill}"));
    let mut moved = 0;
    for row in rows(&cost).iter().filter(|row| !row["total_usd"].is_null()) {
        assert_eq!(sum(row), fen(&row["total_amount"]), "{row}");
        moved += i32::from(fen(&row["total_amount"]) != (number(&row["total_usd"]) * 712.34).round() as i64);
    }
    assert!(moved > 10, "rounding never mattered: {moved}");
    let first = (fen(&rows(&cost)[0]["total_amount"]) as f64 / 100.0).to_string();
    assert!(page.replace(',', "").contains(&first), "{first}: {page}");
    let (found, _) = ask(&format!("recommend --params 1e9 --task train --billing all {bill}"));
    let costs =
        found["recommendations"].as_array().unwrap().iter().flat_map(|row| row["costs"].as_array().unwrap());
    for row in costs.filter(|row| !row["total_usd"].is_null()) {
        assert_eq!(sum(row), fen(&row["total_amount"]), "{row}");
    }
    let usage = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/examples/guide-usage.csv");
    let (plan, _) =
        ask(&format!("commitments --usage {usage} --instance aws/p4d.24xlarge --region us-east-1"));
    let tiers: Vec<i64> =
        plan["tiers"].as_array().unwrap().iter().map(|tier| fen(&tier["total_amount"])).collect();
    assert!(tiers.len() > 1, "{plan}");
    assert_eq!(tiers.iter().sum::<i64>(), fen(&plan["total_amount"]));
    assert_eq!(fen(&plan["all_on_demand_amount"]) - fen(&plan["total_amount"]), fen(&plan["saves_amount"]));
    let (owned, _) = ask("tco --gpu H100:8 --years 3 --server-price 300000 --electricity 0.1");
    for line in owned["options"].as_array().unwrap().iter().filter(|line| !line["total_usd"].is_null()) {
        let name = [&line["option"], &line["billing"]].map(|it| it.as_str().unwrap_or_default()).join(" ");
        let cash = owned["cash"].as_array().unwrap();
        let years = cash.iter().filter(|year| year["option"].as_str().unwrap().trim() == name.trim());
        let years: Vec<i64> = years.map(|year| fen(&year["amount"])).collect();
        assert!(years.is_empty() || years.iter().sum::<i64>() == fen(&line["total_amount"]), "{line}");
    }
}

/// Sums of workloads and their changes, on the page too: no dollars are left beside the other currency.
#[test]
fn the_gate_and_its_comparison_add_up_in_every_currency() {
    let work = |name: &str, hours: &str| {
        format!(
            "[[workload]]\nname = \"{name}\"\ntask = \"infer\"\nmodel = \"llama-3-8b\"\ninstance = \"aws/g6.12xlarge\"\nhours = {hours}\n"
        )
    };
    let program = Program::new()
        .file("gpuadvise.toml", &[work("a", "1.1"), work("b", "3.3"), work("c", "7.7")].concat());
    let more = ["--currency", "CNY", "--fx", "CNY=7.1234@2026-11-30"];
    let ask = |line: &[&str]| program.run(&[line, &more].concat());
    let fen = |value: &Value| (number(value) * 100.0).round() as i64;
    let old = ask(&["check", "--json", "-o", "old.json"]);
    assert_eq!(old.code, 0, "{}", old.stderr);
    let document = ask(&["check", "--json"]).json();
    let all = document["workloads"].as_array().unwrap();
    for field in ["total_amount", "monthly_amount"] {
        assert_eq!(
            all.iter().map(|it| fen(&it[field])).sum::<i64>(),
            fen(&document["totals"][field]),
            "{field}"
        );
    }
    let program =
        program.file("gpuadvise.toml", &[work("a", "1.3"), work("b", "3.3"), work("c", "9.1")].concat());
    let ask = |line: &[&str]| program.run(&[line, &more].concat());
    assert_eq!(ask(&["check", "--json", "-o", "new.json"]).code, 0);
    let document = ask(&["diff", "old.json", "new.json", "--json"]).json();
    for row in rows(&document).iter().chain([&document["totals"]]) {
        let side = |name: &str| {
            let own = &row[name]["total_amount"];
            fen(if own.is_null() { &row[format!("{name}_amount")] } else { own })
        };
        assert_eq!(side("new") - side("old"), fen(&row["change_amount"]), "{row}");
        assert_eq!(
            fen(&row["price_amount"]) + fen(&row["workload_amount"]),
            fen(&row["change_amount"]),
            "{row}"
        );
    }
    let page = ask(&["diff", "old.json", "new.json"]).stdout;
    let change = format!("+{:.2}", number(&document["totals"]["workload_amount"]));
    assert!(
        page.contains(&format!("by the workload {change} CNY")) || page.replace('\n', " ").contains(&change),
        "{page}"
    );
    let dollars = format!("{:.2}", number(&document["totals"]["workload_usd"]));
    assert!(!page.contains(&dollars) && !page.contains("USD"), "{page}");
}

/// What is sold in yuan is told in yuan by `commitments` as it is sold, whatever the rate.
#[test]
fn commitments_in_yuan_are_exact() {
    let line = [
        "commitments",
        "--instances",
        "1",
        "--instance",
        "alicloud/ecs.gn7e-c16g1.4xlarge",
        "--json",
        "--currency",
        "CNY",
    ];
    for rate in [None, Some("CNY=7.1"), Some("CNY=7.2345"), Some("CNY=6.9")] {
        let more: Vec<&str> = rate.iter().flat_map(|rate| ["--fx", rate]).collect();
        let document = run(&[&line[..], &more].concat()).json();
        let tier = &document["tiers"][0];
        // 8,760 x 34.742.
        assert_eq!(
            (number(&tier["amount_per_hour"]), number(&tier["total_amount"])),
            (34.742, 304_339.92),
            "{rate:?}"
        );
        assert_eq!(
            (number(&document["total_amount"]), number(&document["all_on_demand_amount"])),
            (304_339.92, 304_339.92)
        );
        assert_eq!(document["saves_amount"], 0);
    }
    let tco = [
        "tco",
        "--instance",
        "alicloud/ecs.gn7e-c16g1.4xlarge",
        "--json",
        "--currency",
        "CNY",
        "--fx",
        "CNY=7.2345",
    ];
    let options = run(&tco).json()["options"].clone();
    let rent = options.as_array().unwrap().iter().find(|line| line["option"] == "rent").cloned().unwrap();
    assert_eq!(rent["amount_per_hour"], 34.742, "{rent}");
}

/// A rate that is older than prices may be is said wherever money is converted.
#[test]
fn an_old_rate_is_warned_of_in_every_command() {
    let project = "[[workload]]\nname = \"a\"\ntask = \"infer\"\nmodel = \"llama-3-8b\"\ninstance = \"aws/p5.48xlarge\"\nhours = 10\n";
    let aged = project.to_owned() + "max-age = 3000\n";
    let budget = project.to_owned() + "[budget]\nmax-age-days = 3000\n";
    for (line, project) in [
        ("cost --gpu H100:8 --max-age 3000", project),
        ("recommend --params 1e9 --task train --max-age 3000", project),
        ("commitments --instances 2 --gpu H100:8 --max-age 3000", project),
        ("tco --gpu H100:8 --max-age 3000", project),
        ("check", &aged),
        ("check", &budget),
    ] {
        let program = Program::new().env("SOURCE_DATE_EPOCH", "1796000000").file("gpuadvise.toml", project);
        let ids = |day: &str| {
            let line = format!("{line} --json --currency CNY --fx CNY=7.2@{day}");
            let document = program.run(&line.split_whitespace().collect::<Vec<_>>()).json();
            document["warnings"].to_string()
        };
        assert!(ids("2010-01-01").contains("exchange-rate-old"), "{line}: {}", ids("2010-01-01"));
        assert!(!ids("2026-11-01").contains("exchange-rate-old"), "{line}");
    }
}

/// An overlay of the one machine that is sold in yuan only, with a price that nobody knows beside it.
fn yuan_and_unknown(project: &str) -> Program {
    let overlay = "schema = 1\nprovider = \"alicloud\"\nsource = \"own\"\n[sources.own]\ntext = \"our contract\"\nas-of = 2026-11-01\n\
                   [[price]]\ninstance = \"ecs.gn7e-c16g1.4xlarge\"\nregion = \"cn-mainland\"\nbilling = \"reserved-1y\"\nusd-per-hour = \"unknown\"\n";
    Program::new().file("own.toml", overlay).file("gpuadvise.toml", project)
}

/// What is not known in any currency needs no rate.
#[test]
fn an_unknown_price_needs_no_rate() {
    let asked = ["--instance", "alicloud/ecs.gn7e-c16g1.4xlarge", "--currency", "CNY"];
    let finished = priced(&yuan_and_unknown(""), &asked);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    assert_eq!(rows(&finished.json()).iter().filter(|row| row["amount_per_hour"].is_null()).count(), 1);
}

/// `check` answers in yuan where everything is in yuan; limits in dollars need a rate, and without `--currency` the remedy
/// for such prices is a rate, not an overlay.
#[test]
fn the_gate_counts_in_yuan_too() {
    let project = "[[workload]]\nname = \"a\"\nmodel = \"llama-3-8b\"\ntask = \"infer\"\nhours = 100\n\
                   instance = \"alicloud/ecs.gn7e-c16g1.4xlarge\"\n";
    let check = ["check", "--catalog", "own.toml", "--json"];
    let program = yuan_and_unknown(project);
    let finished = program.run(&[&check[..], &["--currency", "CNY"]].concat());
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let document = finished.json();
    assert_eq!((&document["currency"], &document["totals"]["total_usd"]), (&"CNY".into(), &Value::Null));
    assert_eq!(document["totals"]["total_amount"].to_string(), "3474.2");
    let finished = program.run(&check);
    assert_eq!(finished.code, 4);
    assert!(
        finished.stderr.contains("say `--fx CNY=RATE`") && !finished.stderr.contains("add one"),
        "{}",
        finished.stderr
    );
    let limited = yuan_and_unknown(&format!("[budget]\ntotal = 1000\n{project}"));
    let finished = limited.run(&[&check[..], &["--currency", "CNY"]].concat());
    assert!(
        finished.code == 2 && finished.stderr.contains("limits are in US dollars"),
        "{}",
        finished.stderr
    );
    // With a rate the page is in yuan, and what is held against it says its unit.
    let page = ["check", "--catalog", "own.toml", "--currency", "CNY", "--fx", "CNY=7.2@2026-11-30"];
    let tight = yuan_and_unknown(&format!("[budget]\ntotal = 1\n{project}"));
    let page = tight.run(&[&page[..], &["--format", "markdown"]].concat()).stdout;
    assert!(page.contains("| 1 USD | 482.53 USD |"), "{page}");
    assert!(page.contains("482.53 USD, 1.00 USD is allowed"), "{page}");
}

/// Owning is priced in dollars: `tco` says why it needs a rate.
#[test]
fn tco_in_yuan_needs_a_rate_and_says_why() {
    let asked = ["tco", "--instance", "alicloud/ecs.gn7e-c16g1.4xlarge", "--currency", "CNY"];
    let finished = run(&asked);
    assert_eq!(finished.code, 2);
    assert!(finished.stderr.contains("owning and APIs are priced in US dollars"), "{}", finished.stderr);
}

/// What the source says is the list price, where less is counted.
#[test]
fn a_discounted_price_is_not_what_its_source_says() {
    let fee = fee_row("upfront-fee = 100_000\nrecurring-per-hour = 0.5");
    let notes = |program: &Program| priced(program, &FEE_QUERY).json()["rows"].to_string();
    let plain = notes(&with_overlay(&fee));
    assert!(plain.contains("the price is the sum of 100000 USD"), "{plain}");
    let less = notes(&with_overlay(&fee).file("gpuadvise.toml", "[discount.aws]\nsavings-1y = 50\n"));
    assert!(less.contains("the list price is the sum of 100000 USD"), "{less}");
    assert!(!less.contains("the price is the sum"), "{less}");
}

/// Every amount of a rejected row says its unit, so that a reader in yuan takes no dollars for them.
#[test]
fn near_misses_say_the_unit_of_each_amount() {
    for command in [&["cost", "--gpu", "H100:8"][..], &["recommend", "--params", "7B", "--task", "train"]] {
        let more = ["--budget", "1", "--currency", "CNY", "--fx", "CNY=7@2026-11-30", "--json"];
        let document = run(&[command, &more[..]].concat()).json();
        let rejected = document["rejected"].to_string();
        assert!(rejected.contains(" USD allowed"), "{rejected}");
    }
}

/// A broken catalog is told as such in any currency.
#[test]
fn a_broken_catalog_is_no_missing_rate() {
    let program = Program::new().file("own.toml", "schema = 1\n[[price]]\nprovider = \"nobody\"\n");
    for more in [&[][..], &["--currency", "CNY"]] {
        let finished = priced(&program, &[&["--gpu", "L4"], more].concat());
        assert_eq!(finished.code, 5, "{}", finished.stderr);
        assert!(!finished.stderr.contains("exchange rate"), "{}", finished.stderr);
    }
    let program = program
        .file("gpuadvise.toml", "[[workload]]\nname = \"a\"\nmodel = \"llama-3-8b\"\ntask = \"infer\"\n");
    let finished = program.run(&["check", "--catalog", "own.toml", "--json"]);
    assert_eq!((finished.code, &finished.json()["totals"]["at_least"]), (5, &Value::Bool(true)));
}
