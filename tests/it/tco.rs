//! `tco` through the program: two price bases that never meet, break-even, tokens apart, unknown parts.

use crate::program::{Finished, Program, run};
use serde_json::Value;

fn option<'a>(document: &'a Value, name: &str) -> &'a Value {
    let options = document["options"].as_array().expect("options");
    let found = options.iter().find(|line| line["option"] == name || line["billing"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {options:#?}"))
}

fn usd(line: &Value) -> f64 {
    line["usd_per_year"].as_f64().unwrap_or_else(|| panic!("no figure: {line:#}"))
}

fn tco(arguments: &[&str]) -> Finished {
    let all: Vec<&str> = ["tco", "--json"].into_iter().chain(arguments.iter().copied()).collect();
    let finished = run(&all);
    assert_eq!(finished.code, 0, "{arguments:?}: {}", finished.stderr);
    finished
}

/// 310,000 USD over five years are 62,000 a year; 10.2 kW at 184.06 USD a month; 10.2 kW x 1.2 x 8,760 h x 0.08 USD.
#[test]
fn a_server_costs_what_its_parts_cost() {
    let document = tco(&[
        "--years",
        "5",
        "--gpu",
        "H100:8",
        "--electricity",
        "0.08",
        "--pue",
        "1.2",
        "--staff",
        "10000",
    ])
    .json();
    let own = option(&document, "own");
    let parts: Vec<f64> = own["parts"]
        .as_array()
        .expect("parts")
        .iter()
        .map(|part| part["usd_per_year"].as_f64().expect("known"))
        .collect();
    assert_eq!(parts, [62_000.0, 22_528.94, 8_577.79, 10_000.0]);
    assert_eq!((usd(own), &own["at_least"]), (103_106.73, &Value::Bool(false)));
}

/// What no source tells is named, and the sum says that it is a least.
#[test]
fn unknown_parts_are_named_and_never_nothing() {
    let document = tco(&["--gpu", "H100:8"]).json();
    let own = option(&document, "own");
    assert_eq!(own["unknown_parts"], serde_json::json!(["electricity", "staff"]));
    assert_eq!(own["at_least"], true);
    let page = run(&["tco", "--gpu", "H100:8"]).stdout;
    assert!(page.contains("at least 84,528.94"), "{page}");
    // No price of a server with L40S is known: the whole is not known either.
    let document = tco(&["--gpu", "L40S:8"]).json();
    assert!(option(&document, "own")["usd_per_year"].is_null());
    assert!(
        document["break_even"].as_array().expect("lines").iter().all(|line| line["verdict"] == "unknown")
    );
}

/// P154: rent and own are two price bases; changing one leaves the other as it is.
#[test]
fn rent_and_own_never_change_each_other() {
    let plain = tco(&["--gpu", "H100:8"]).json();
    let dearer = tco(&["--gpu", "H100:8", "--server-price", "400000"]).json();
    assert_eq!(option(&plain, "on-demand"), option(&dearer, "on-demand"));
    assert!(usd(option(&dearer, "own")) > usd(option(&plain, "own")));
    let busy = tco(&["--gpu", "H100:8", "--utilisation", "50"]).json();
    assert_eq!(option(&busy, "own")["usd_per_year"], option(&plain, "own")["usd_per_year"]);
    assert!((usd(option(&busy, "on-demand")) * 2.0 - usd(option(&plain, "on-demand"))).abs() < 0.02);
    let overlay = "schema = 1\n[sources.mine]\ntext = \"contract\"\nas-of = 2026-11-01\n[[price]]\nprovider = \"aws\"\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\nbilling = \"on-demand\"\nusd-per-hour = 9.0\nsource = \"mine\"\n";
    let program = Program::new().file("mine.toml", overlay);
    let cheaper = program.run(&["tco", "--gpu", "H100:8", "--json", "--catalog", "mine.toml"]).json();
    assert_eq!(option(&cheaper, "on-demand")["usd_per_hour"], 9);
    assert_eq!(option(&cheaper, "own")["parts"], option(&plain, "own")["parts"]);
}

/// P151: break-even lies between 0 and 100 %, or never is said.
#[test]
fn break_even_is_a_share_of_the_hours_or_never() {
    for price in ["1000", "300000", "3000000", "90000000"] {
        let document = tco(&["--gpu", "H100:8", "--server-price", price]).json();
        for line in document["break_even"].as_array().expect("lines") {
            match line["verdict"].as_str() {
                Some("from") => {
                    assert!((0.0..=100.0).contains(&line["utilisation_pct"].as_f64().expect("a share")));
                }
                Some("never") => assert!(line["utilisation_pct"].is_null()),
                other => panic!("{other:?}"),
            }
        }
    }
    let page = run(&["tco", "--gpu", "H100:8", "--server-price", "90000000"]).stdout;
    assert!(page.contains("own is never cheaper than rent on-demand"), "{page}");
}

const TOKENS: [&str; 6] = ["--model", "llama-3.3-70b", "--input-tokens", "4B", "--output-tokens", "1B"];

/// P150: input, cached and output apart, each side per million tokens.
#[test]
fn an_api_is_paid_by_the_token_and_machines_by_the_hour() {
    let arguments =
        [&TOKENS[..], &["--cached-tokens", "1B", "--cached-price", "0.01", "--api", "nebius"]].concat();
    let document = tco(&arguments).json();
    let api = option(&document, "api");
    // 3,000 M at 0.13, 1,000 M at 0.01, 1,000 M at 0.40 USD, twelve times.
    let parts: Vec<f64> = api["parts"]
        .as_array()
        .expect("parts")
        .iter()
        .map(|p| p["usd_per_year"].as_f64().expect("known"))
        .collect();
    assert_eq!(parts, [4680.0, 120.0, 4800.0]);
    assert_eq!((usd(api), &api["usd_per_million_tokens"]), (9600.0, &serde_json::json!(0.16)));
    let rent = option(&document, "on-demand");
    let million = usd(rent) / 12.0 / 5000.0;
    assert!((rent["usd_per_million_tokens"].as_f64().expect("a figure") - million).abs() < 1e-4);
    let traffic = &document["traffic"];
    let (busy, idle) = (traffic["busy_pct"].as_f64(), traffic["idle_hours_per_month"].as_f64());
    let (busy, idle) = (busy.expect("predicted"), idle.expect("predicted"));
    assert!((idle - (100.0 - busy) * 7.3).abs() < 0.5, "{busy} % busy, {idle} h idle");
}

#[test]
fn without_a_price_of_cached_input_the_bill_is_an_upper_bound() {
    let plain = tco(&[&TOKENS[..], &["--api", "nebius"]].concat()).json();
    let cached = tco(&[&TOKENS[..], &["--cached-tokens", "4B", "--api", "nebius"]].concat()).json();
    assert_eq!(option(&plain, "api")["usd_per_year"], option(&cached, "api")["usd_per_year"]);
    assert!(
        cached["warnings"].as_array().expect("warnings").iter().any(|w| w["id"] == "cached-price-unknown")
    );
}

/// P155: the method is named, and the carbon-free share stands beside it where it is published.
#[test]
fn carbon_names_its_method() {
    let document =
        tco(&["--instance", "gcp/a3-highgpu-8g", "--region", "europe-west4", "--grid-carbon", "300"]).json();
    let lines = document["carbon"].as_array().expect("lines");
    assert!(lines.iter().all(|line| line["method"] == "location-based"));
    let rent = lines.iter().find(|line| line["region"] == "europe-west4").expect("the region");
    assert!(rent["carbon_free_pct"].is_number(), "{rent:#}");
    let (kwh, grams) =
        (rent["kwh_per_year"].as_f64().expect("known"), rent["g_co2e_per_kwh"].as_f64().expect("known"));
    assert!((rent["kg_co2e_per_year"].as_f64().expect("known") - kwh * grams / 1e3).abs() <= 1.0);
    let own = lines.iter().find(|line| line["option"] == "own").expect("own");
    assert_eq!((&own["g_co2e_per_kwh"], &own["carbon_free_pct"]), (&serde_json::json!(300), &Value::Null));
}

#[test]
fn bad_input_is_refused_with_a_remedy() {
    for (arguments, word) in [
        (&["tco"][..], "--gpu"),
        (&["tco", "--gpu", "H100:8", "--utilisation", "0"], "above 0"),
        (&["tco", "--gpu", "H100:8", "--utilisation", "NaN"], "percentage"),
        (&["tco", "--gpu", "H100:8", "--pue", "0.9"], "1 or more"),
        (&["tco", "--gpu", "H100:8", "--useful-life", "0"], "above 0"),
        (&["tco", "--gpu", "H100:8", "--server-price", "-1"], "amount"),
        (&["tco", "--gpu", "H100:8", "--peak", "2"], "--input-tokens"),
        (&["tco", "--model", "llama-3.3-70b", "--input-tokens", "1B"], "--output-tokens"),
        // P152: cached tokens are a part of the input.
        (
            &[
                "tco",
                "--model",
                "llama-3.3-70b",
                "--input-tokens",
                "1B",
                "--cached-tokens",
                "2B",
                "--output-tokens",
                "1B",
            ],
            "part of the input",
        ),
        (
            &[
                "tco",
                "--model",
                "llama-3.3-70b",
                "--input-tokens",
                "1B",
                "--output-tokens",
                "1B",
                "--api",
                "nebiu",
            ],
            "nebius",
        ),
        (
            &[
                "tco",
                "--model",
                "llama-3.3-70b",
                "--input-tokens",
                "1B",
                "--output-tokens",
                "1B",
                "--rps",
                "3",
            ],
            "--peak",
        ),
    ] {
        let finished = run(arguments);
        assert_eq!(finished.code, 2, "{arguments:?}: {}", finished.stdout);
        assert!(finished.stderr.contains(word), "{arguments:?}: {}", finished.stderr);
        assert!(finished.stdout.is_empty());
    }
}

fn program(price: &str) -> Program {
    let head = "schema = 1\nprovider = \"aws\"\nsource = \"mine\"\n[sources.mine]\ntext = \"contract\"\nas-of = 2026-11-01\n";
    let row = format!("[[price]]\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\n{price}\n");
    Program::new().file("mine.toml", &format!("{head}{row}"))
}

/// What is due at the start is not told: neither it nor the years of the term are nothing; their sum is what is owed.
#[test]
fn an_unknown_start_is_null_and_so_are_the_years() {
    let partly = program("billing = \"reserved-3y\"\nupfront = \"partial\"\nusd-per-hour = 2");
    let asked =
        ["tco", "--instance", "aws/p5.48xlarge", "--billing", "reserved-3y", "--catalog", "mine.toml"];
    let document = partly.run(&[&asked[..], &["--json"]].concat()).json();
    let options = document["options"].as_array().expect("options");
    let is = |line: &&Value| line["billing"] == "reserved-3y" && line["upfront"] == "partial";
    let line = options.iter().find(is).expect("the contract");
    assert_eq!((&line["upfront_usd"], &line["total_usd"]), (&Value::Null, &serde_json::json!(52_560)));
    let cash = document["cash"].as_array().expect("years");
    let years: Vec<_> =
        cash.iter().filter(|year| year["option"] == "rent reserved-3y (partial\u{a0}upfront)").collect();
    let of = |field: &str| years.iter().map(|year| year[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("usd"), [Value::Null, Value::Null, Value::Null], "{cash:#?}");
    assert_eq!(of("cumulative_usd"), [Value::Null, Value::Null, serde_json::json!(52_560)]);
    let page = partly.run(&asked).stdout;
    assert!(page.contains("what is due at its start is not known"), "{page}");
    // Another fee is told.
    let told = program("billing = \"reserved-3y\"\nupfront-fee = 10000\nrecurring-per-hour = 1");
    let document = told.run(&[&asked[..], &["--json"]].concat()).json();
    let options = document["options"].as_array().expect("options");
    assert_eq!(options.iter().find(is).expect("the contract")["upfront_usd"], 10_000);
}

/// Three years of 88,888 yuan are 266,664 yuan at any rate.
#[test]
fn contracts_in_yuan_are_exact() {
    let yuan = program("billing = \"subscription-1y\"\ncurrency = \"CNY\"\nupfront-fee = 88888");
    for rate in ["7.1373", "7.2", "6.9317"] {
        let fx = format!("CNY={rate}@2026-11-30");
        let asked = ["tco", "--instance", "aws/p5.48xlarge", "--billing", "subscription-1y", "--fx", &fx];
        let more = ["--currency", "CNY", "--catalog", "mine.toml", "--json"];
        let document = yuan.run(&[&asked[..], &more].concat()).json();
        let line = option(&document, "subscription-1y");
        for (field, amount) in [
            ("total_amount", 266_664),
            ("commitment_amount", 266_664),
            ("amount_per_year", 88_888),
            ("upfront_amount", 88_888),
        ] {
            assert_eq!(line[field], amount, "{field} at {rate}: {line:#}");
        }
        let cash = document["cash"].as_array().expect("years").iter();
        let years: Vec<_> =
            cash.filter(|it| it["option"].as_str().unwrap().contains("subscription-1y")).collect();
        for (at, year) in years.iter().enumerate() {
            assert_eq!(year["amount"], 88_888, "{year}");
            assert_eq!(year["cumulative_amount"], 88_888 * (at + 1), "{year}");
        }
        assert_eq!(years.len(), 3);
    }
}

/// A price of a share of a machine has four decimals in every format.
#[test]
fn prices_of_a_busy_hour_are_as_fine_as_on_the_page() {
    let cny = ["--currency", "CNY", "--fx", "CNY=2@2026-11-30"];
    let document = tco(&[&["--gpu", "H100:8"], &cny[..]].concat()).json();
    let line = option(&document, "own");
    let usd = line["usd_per_busy_gpu_hour"].as_f64().expect("a price");
    let twice = (usd * 2.0 * 1e3).round() / 1e3;
    assert!((line["amount_per_busy_gpu_hour"].as_f64().expect("a price") - twice).abs() < 1e-9, "{line:#}");
    assert!((twice * 100.0).fract() != 0.0, "two decimals would do: {twice}");
}

/// Three of five years of a server are three fifths of it; what is taken off is said, and how long it lives matters.
#[test]
fn what_is_left_of_a_server_is_an_assumption() {
    let document = tco(&["--gpu", "H100:8", "--years", "3"]).json();
    let purchase =
        |document: &Value| option(document, "own")["parts"][0]["usd_per_year"].as_f64().expect("a price");
    assert!((purchase(&document) - 62_000.0).abs() < 0.005);
    let said = |document: &Value| {
        let all = document["assumptions"].as_array().expect("assumptions");
        all.iter().find(|it| it["id"] == "book-value").map(|it| it["value"].clone())
    };
    assert_eq!(said(&document), Some("124,000.00 USD".into()));
    let short = tco(&["--gpu", "H100:8", "--years", "3", "--useful-life", "3"]).json();
    assert_eq!((purchase(&short), said(&short)), (103_333.33, None));
}
