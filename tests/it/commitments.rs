//! `commitments` on the built program: the guides' example, the pictures, and reports of users of other tools about
//! commitments (P and a number).

use crate::program::{Finished, Program, run};
use serde_json::Value;

/// Prices per hour that make 2,000 a month (730 h) on demand and 1,200 with a promise of a year.
const GUIDE_PRICES: &str = r#"
schema = 1
provider = "verda"
source = "GUIDE"
price = [
  { instance = "1A100.22V", region = "FIN-01", billing = "on-demand", usd-per-hour = 2.739726 },
  { instance = "1A100.22V", region = "FIN-01", billing = "subscription-1y", upfront = "all", usd-per-hour = 1.643836 },
]
[sources.GUIDE]
text = "A guide's example: an A100 for 2,000 a month on demand, 1,200 with one year promised"
as-of = 2026-11-01
"#;

const MACHINE: [&str; 4] = ["--instance", "aws/p4d.24xlarge", "--region", "us-east-1"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn ask(program: &Program, arguments: &[&str]) -> Finished {
    program.run(&[&["commitments"], arguments].concat())
}

fn answer(program: &Program, arguments: &[&str]) -> Value {
    let finished = ask(program, &[arguments, &["--json"]].concat());
    assert_eq!(finished.code, 0, "{arguments:?}: {}", finished.stderr);
    finished.json()
}

fn overlay(provider: &str, rows: &str) -> String {
    format!(
        "schema = 1\nprovider = \"{provider}\"\nsource = \"OWN\"\nprice = [\n{rows}\n]\n[sources.OWN]\ntext = \"own \
         contract\"\nas-of = 2026-11-01\n"
    )
}

/// A month of 730 h: one machine all the time, two more in a tenth of it.
fn guide_usage() -> String {
    let row = |hour: u32| format!("{hour},{}\n", if hour < 73 { 3 } else { 1 });
    format!("hour,instances\n{}", (0..730).map(row).collect::<String>())
}

/// The guides' question: on demand or a subscription? 2,000 a month against 1,200 with a year promised; the base by
/// subscription, the peak on demand. The guides count in CNY; the ratio is the same in any currency.
#[test]
fn the_guides_example() {
    let program = Program::new().file("guide.toml", GUIDE_PRICES).file("usage.csv", &guide_usage());
    let line = [
        "--usage",
        "usage.csv",
        "--instance",
        "verda/1A100.22V",
        "--region",
        "FIN-01",
        "--catalog=guide.toml",
    ];
    let document = answer(&program, &line);
    let tiers = document["tiers"].as_array().expect("tiers");
    let figures = |tier: &Value| {
        let figure = |name: &str| number(&tier[name]);
        (
            tier["billing"].as_str().map(str::to_owned),
            figure("instances"),
            figure("busy_hours"),
            figure("total_usd"),
        )
    };
    assert_eq!(tiers.len(), 2, "{document}");
    assert_eq!(figures(&tiers[0]), (Some("subscription-1y".to_owned()), 1.0, 8760.0, 14_400.0));
    assert_eq!(figures(&tiers[1]), (Some("on-demand".to_owned()), 2.0, 1752.0, 4_800.0));
    assert_eq!((number(&tiers[0]["upfront_usd"]), &tiers[0]["upfront"]), (14_400.0, &"all".into()));
    for (field, expected) in [
        ("total_usd", 19_200.0),
        ("all_on_demand_usd", 28_800.0),
        ("saves_usd", 9_600.0),
        ("saves_pct", 33.3),
        ("commitment_usd", 14_400.0),
        ("hours", 8760.0),
        ("peak", 3.0),
        ("mean", 1.2),
    ] {
        assert!((number(&document[field]) - expected).abs() < 1e-9, "{field}: {}", document[field]);
    }
    let even = &document["break_even"][0];
    assert_eq!((number(&even["utilisation_pct"]), number(&even["hours_per_term"])), (60.0, 5256.0));
    let page = ask(&program, &line).stdout;
    for told in
        ["Total 19,200.00 USD, all on demand 28,800.00 USD: saves 9,600.00 USD (33.3 %).", "from 60 %"]
    {
        assert!(page.contains(told), "{told} is not in\n{page}");
    }
}

/// What is printed adds up, and never costs more than everything on demand.
#[test]
fn the_total_is_the_sum_of_the_tiers() {
    for (hours, more) in
        [("3", ""), ("12.5", "--max-spot-share=30"), ("24", "--whole"), ("20", "--growth=-10")]
    {
        let mut arguments = vec!["--instances", "2.75", "--hours-per-day", hours, "--gpu", "A100-80GB:8"];
        arguments.extend(Some(more).filter(|more| !more.is_empty()));
        let document = answer(&Program::new(), &arguments);
        let tiers = document["tiers"].as_array().expect("tiers");
        let cents = |value: &Value| (number(value) * 100.0).round() as i64;
        let sum: i64 = tiers.iter().map(|tier| cents(&tier["total_usd"])).sum();
        assert_eq!(sum, cents(&document["total_usd"]), "{document}");
        let owed = tiers.iter().filter(|tier| !tier["terms"].is_null());
        assert_eq!(
            owed.map(|tier| cents(&tier["total_usd"])).sum::<i64>(),
            cents(&document["commitment_usd"])
        );
        let (total, all) = (cents(&document["total_usd"]), cents(&document["all_on_demand_usd"]));
        assert!(total <= all, "{document}");
        assert_eq!(cents(&document["saves_usd"]), all - total);
        let busy: f64 = tiers.iter().map(|tier| number(&tier["busy_hours"])).sum();
        assert!((busy - number(&document["instance_hours"])).abs() < 1e-3, "{document}");
    }
}

#[test]
fn the_order_of_rows_and_the_clock_do_not_matter() {
    let mut lines: Vec<String> = (0..48).map(|hour| format!("{hour},{}", 1 + hour * 7 % 5)).collect();
    let sorted = format!("hour,instances\n{}\n", lines.join("\n"));
    lines.reverse();
    lines.swap(3, 20);
    let turned = format!("hour,instances\n{}\n", lines.join("\n"));
    let stamps: Vec<String> = (0..48)
        .map(|hour| format!("2026-03-{:02}T{:02}:00:00Z,{}", 1 + hour / 24, hour % 24, 1 + hour * 7 % 5))
        .collect();
    let timed = format!("hour,instances\n{}\n", stamps.join("\n"));
    let document = |usage: &str| {
        let program = Program::new().file("u.csv", usage);
        ask(&program, &[&["--usage", "u.csv", "--json"], &MACHINE[..]].concat()).stdout
    };
    assert!(document(&sorted).contains("\"tiers\""));
    assert!(document(&sorted) == document(&turned));
    assert!(document(&sorted) == document(&timed));
}

#[test]
fn usage_comes_from_stdin_too() {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = Program::new()
        .command(&["commitments", "--usage", "-", "--gpu", "H100:8", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(b"hour,instances\n0,1\n1,0.125\n").expect("written");
    let output = child.wait_with_output().expect("it ends");
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!((number(&document["peak"]), number(&document["mean"])), (1.0, 0.5625));
}

/// A file that cannot be read leaves nothing behind and is told with place and remedy.
#[test]
fn bad_usage_ends_with_2_and_nothing_written() {
    for (usage, place) in [
        ("", "u.csv:1:1: the file is empty"),
        ("hour,instances\n0,-1\n", "u.csv:2:3: `-1` instances"),
        ("hour,instances\n0,NaN\n", "u.csv:2:3: `NaN`"),
        ("hour,instances\n0,1\n0,1\n", "u.csv:3:1: this hour stands in line 2 too"),
        ("hour,instances\n0,1\n7,1\n", "u.csv:3:1: 6 hours are missing"),
        ("hour,instances\n0,1,5\n", "u.csv:2:1: the row has 3 cells, the header has 2"),
        ("hour,instances,note\n0,1\n", "u.csv:2:1: the row has 2 cells, the header has 3"),
        ("hour,instances,Instances\n0,1,2\n", "u.csv:1:1: the header has two columns `instances`"),
        ("hour,instances\n0,1\n1,\"2\n2,3\n", "u.csv:3:3: this quote is never closed"),
        ("time;instances\n0;1\n", "u.csv:1:1: the header has no column `hour`"),
    ] {
        let program = Program::new().file("u.csv", usage);
        let more = ["--usage", "u.csv", "--svg", "u.svg", "-o", "out.json", "--json"];
        let finished = ask(&program, &[&more, &MACHINE[..]].concat());
        assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{usage:?}");
        assert!(finished.stderr.contains(place), "{usage:?}: {}", finished.stderr);
        assert!(finished.stderr.contains("hint: "), "{usage:?}: {}", finished.stderr);
        for file in ["u.svg", "out.json"] {
            assert!(!program.folder().join(file).exists(), "{file} of {usage:?}");
        }
    }
}

/// `--whole` commits to whole instances, with spot and over years too.
#[test]
fn whole_instances_are_whole() {
    let line = ["--instances", "2.6", "--hours-per-day", "22", "--max-spot-share", "10", "--whole"];
    let line = [&line[..], &["--horizon", "3y", "--growth", "15"], &MACHINE[..]].concat();
    let document = answer(&Program::new(), &line);
    let committed: Vec<&Value> =
        document["tiers"].as_array().expect("tiers").iter().filter(|tier| !tier["terms"].is_null()).collect();
    assert!(!committed.is_empty(), "{document}");
    assert!(committed.iter().all(|tier| tier["instances"].is_u64()), "{document}");
    let parts =
        answer(&Program::new(), &line.iter().copied().filter(|&flag| flag != "--whole").collect::<Vec<_>>());
    assert!(number(&parts["total_usd"]) <= number(&document["total_usd"]));
}

#[test]
fn pictures_are_text_ascii_or_svg() {
    let program = Program::new();
    let line = [&["--instances", "3", "--hours-per-day", "19"], &MACHINE[..]].concat();
    let page = ask(&program, &[&line[..], &["--svg", "plan.svg"]].concat()).stdout;
    assert!(page.contains("\u{2588}\u{2588}") && page.contains("\u{2591} on demand is cheaper"), "{page}");
    let ascii = ask(&program, &[&line[..], &["--ascii"]].concat()).stdout;
    assert!(ascii.is_ascii() && ascii.contains("###") && ascii.contains(": on demand is cheaper"), "{ascii}");
    assert!(!ascii.contains('?'), "a character without its ASCII: {ascii}");
    let svg = std::fs::read_to_string(program.folder().join("plan.svg")).expect("plan.svg");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains("reserved-1y (no upfront)") && svg.contains("on-demand"), "{svg}");
    assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let markdown = ask(&program, &[&line[..], &["--format", "markdown"]].concat()).stdout;
    assert_eq!(markdown.matches("```").count(), 4, "{markdown}");
}

/// Parts of an instance survive as they were typed.
#[test]
fn p076_parts_of_an_instance_survive() {
    let part = answer(&Program::new(), &[&["--instances", "0.125"], &MACHINE[..]].concat());
    assert_eq!((number(&part["peak"]), number(&part["tiers"][0]["instances"])), (0.125, 0.125));
    let whole = ask(&Program::new(), &[&["--instances", "8", "--json"], &MACHINE[..]].concat()).stdout;
    assert!(whole.contains("\"peak\": 8,"), "{whole}");
}

/// Reserved machines are whole, savings plans come in parts; `--whole` treats all alike, and the answer says which.
#[test]
fn contracts_are_taken_as_they_are_sold() {
    let rows = "{ instance = \"p4d.24xlarge\", region = \"us-east-1\", billing = \"savings-1y\", upfront = \"none\", \
                usd-per-hour = 15.5 },";
    let program = Program::new().file("own.toml", &overlay("aws", rows));
    let line = [&["--instances", "2.5", "--catalog=own.toml"], &MACHINE[..]].concat();
    let document = answer(&program, &line);
    let tiers: Vec<(String, f64)> = document["tiers"]
        .as_array()
        .expect("tiers")
        .iter()
        .map(|tier| (tier["billing"].as_str().expect("a kind").to_owned(), number(&tier["instances"])))
        .collect();
    assert_eq!(tiers, [("reserved-1y".to_owned(), 2.0), ("savings-1y".to_owned(), 0.5)], "{document}");
    let assumed = document["assumptions"].to_string();
    assert!(assumed.contains("savings-1y: in parts") && assumed.contains("whole instances"), "{assumed}");
    let total = |more: &[&str]| number(&answer(&program, &[&line[..], more].concat())["total_usd"]);
    assert!(total(&["--whole=false"]) < total(&[]) && total(&[]) < total(&["--whole"]));
}

/// What is paid at the start of a part-upfront contract is what the source tells.
#[test]
fn p084_a_part_that_is_paid_upfront_is_told() {
    let rows = "{ instance = \"p4d.24xlarge\", region = \"us-east-1\", billing = \"reserved-1y\", \
                upfront-fee = 40_000.5, recurring-per-hour = 5 },";
    let program = Program::new().file("own.toml", &overlay("aws", rows));
    let document = answer(&program, &[&["--instances", "2", "--catalog=own.toml"], &MACHINE[..]].concat());
    let tier = &document["tiers"][0];
    assert_eq!((&tier["upfront"], number(&tier["upfront_usd"])), (&"partial".into(), 80_001.0), "{document}");
    assert_eq!(tier["total_usd"], 167_601);
}

/// Savings plans and reserved instances stand apart, each at its own price; none is derived from the other.
#[test]
fn p082_savings_plans_are_not_reserved_instances() {
    let rows = "{ instance = \"p4d.24xlarge\", region = \"us-east-1\", billing = \"savings-1y\", upfront = \"none\", \
                usd-per-hour = 15.5 },";
    let program = Program::new().file("own.toml", &overlay("aws", rows));
    let line = [&["--instances", "2", "--catalog=own.toml"], &MACHINE[..]].concat();
    let document = answer(&program, &line);
    let even = document["break_even"].as_array().expect("break-even");
    let rate =
        |kind: &str| even.iter().find(|it| it["billing"] == kind).map(|it| number(&it["usd_per_hour"]));
    assert_eq!(rate("savings-1y"), Some(15.5));
    assert!(rate("reserved-1y").is_some_and(|rate| rate < 15.5), "{document}");
    assert_eq!(rate("savings-3y"), None, "no row, no price");
    let only = answer(&program, &[&line[..], &["--billing", "savings-1y"]].concat());
    assert_eq!(only["tiers"][0]["billing"], "savings-1y");
    assert_eq!(only["commitment_usd"], 271_560, "2 x 8,760 h x 15.50 USD");
}

/// A commitment that is not below on demand of its own machine is a mistake of the catalog; one that is not below the
/// on-demand price elsewhere is flagged and not bought.
#[test]
fn p083_a_commitment_above_on_demand_is_flagged() {
    let rows = "{ instance = \"p4d.24xlarge\", region = \"us-east-1\", billing = \"reserved-1y\", upfront = \"none\", \
                usd-per-hour = 30 },";
    let program = Program::new().file("own.toml", &overlay("aws", rows));
    let refused =
        ask(&program, &[&["--instances", "2", "--catalog=own.toml", "--json"], &MACHINE[..]].concat());
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert!(
        refused.json()["findings"].to_string().contains("commitment-above-on-demand"),
        "{}",
        refused.stdout
    );

    let line = ["--instances", "2", "--gpu", "A100-80GB:8", "--billing", "reserved-1y"];
    let document = answer(&Program::new(), &line);
    let warnings = document["warnings"].as_array().expect("warnings");
    assert!(warnings.iter().any(|warning| warning["id"] == "commitment-never-pays"), "{document}");
    assert!(number(&document["break_even"][0]["utilisation_pct"]) > 100.0, "{document}");
    assert_eq!((number(&document["commitment_usd"]), number(&document["saves_usd"])), (0.0, 0.0));
}

/// Terms of one and three years take none, partial and all upfront, each a contract of its own; what is missing is
/// said to be unknown, and what is paid upfront of a part is unknown, not zero.
#[test]
fn p084_upfront_variants_stand_side_by_side() {
    let row = |kind: &str, upfront: &str, rate: &str| {
        format!(
            "{{ instance = \"p4d.24xlarge\", region = \"us-east-1\", billing = \"{kind}\", upfront = \"{upfront}\", \
             usd-per-hour = {rate} }},\n"
        )
    };
    let rows = [
        row("reserved-1y", "partial", "13.2"),
        row("reserved-1y", "all", "12.9"),
        row("reserved-3y", "partial", "9.1"),
    ];
    let program = Program::new().file("own.toml", &overlay("aws", &rows.concat()));
    let line = [&["--instances", "2", "--catalog=own.toml"], &MACHINE[..]].concat();
    let document = answer(&program, &line);
    let list = |name: &str| -> Vec<String> {
        let lines = document[name].as_array().expect("a list");
        let text = |it: &Value| format!("{} {}", it["billing"], it["upfront"]).replace('"', "");
        lines.iter().map(text).collect()
    };
    assert_eq!(
        list("break_even"),
        [
            "reserved-1y none",
            "reserved-1y partial",
            "reserved-1y all",
            "reserved-3y none",
            "reserved-3y partial"
        ]
    );
    assert!(list("not_known").contains(&"reserved-3y all".to_owned()), "{document}");
    let tier = &document["tiers"][0];
    assert_eq!((&tier["upfront"], number(&tier["upfront_usd"])), (&"all".into(), 2.0 * 8760.0 * 12.9));
    let three = answer(&program, &[&line[..], &["--horizon", "3y"]].concat());
    let tier = &three["tiers"][0];
    assert_eq!((&tier["upfront"], &tier["upfront_usd"]), (&"partial".into(), &Value::Null));
}

/// The answer depends on the usage, never on the day of the run.
#[test]
fn p096_the_clock_changes_nothing() {
    let line = [&["--instances", "2", "--json"], &MACHINE[..]].concat();
    let on = |seconds: &str| ask(&Program::new().env("SOURCE_DATE_EPOCH", seconds), &line).stdout;
    assert!(on("1795000000") == on("1900000000"));
}

/// An own price replaces the row, and is marked.
#[test]
fn p118_p143_own_prices_are_used_and_marked() {
    let rows = "{ instance = \"p4d.24xlarge\", region = \"us-east-1\", billing = \"reserved-1y\", upfront = \"none\", \
                usd-per-hour = 10 },";
    let program = Program::new().file("own.toml", &overlay("aws", rows));
    let line = [&["--instances", "2", "--catalog=own.toml"], &MACHINE[..]].concat();
    let document = answer(&program, &line);
    let tier = &document["tiers"][0];
    assert_eq!((number(&tier["usd_per_hour"]), &tier["overridden"]), (10.0, &true.into()));
    assert_eq!(tier["price_source"], "own contract");
    assert!(ask(&program, &line).stdout.contains("reserved-1y (no upfront) *"));
}

/// Spot has a price, not a bid, and what interruptions do is said apart from it.
#[test]
fn p123_spot_is_a_price_with_its_caution() {
    let line =
        ["--instances", "4", "--max-spot-share", "25", "--instance", "azure/Standard_ND96amsr_A100_v4"];
    let document = answer(&Program::new(), &line);
    let spot = document["tiers"].as_array().expect("tiers").iter().find(|tier| tier["billing"] == "spot");
    let spot = spot.unwrap_or_else(|| panic!("no spot in {document}"));
    assert!(number(&spot["busy_hours"]) <= 0.25 * number(&document["instance_hours"]) + 1e-6, "{document}");
    let assumptions = document["assumptions"].to_string();
    assert!(
        assumptions.contains("spot-without-reruns") && assumptions.contains("interruptions"),
        "{assumptions}"
    );
    assert!(!document.to_string().contains("bid"), "{document}");
    // The measured interruptions of these hours with their range and source, and the reruns that spot bears.
    let line = document["assumptions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["id"] == "spot-without-reruns")
        .unwrap();
    let why = line["why"].as_str().unwrap();
    let hours = number(&spot["busy_hours"]);
    let [expected, high] = [0.4396, 1.3873].map(|rate: f64| (rate * hours).round());
    assert!(
        why.contains(&format!("these hours have {expected} (")) && why.contains(&format!("to {high})")),
        "{why}"
    );
    let on_demand = document["on_demand_usd_per_hour"].as_f64().unwrap();
    let bears = ((on_demand / number(&spot["usd_per_hour"]) - 1.0) * 100.0).round();
    assert!(why.contains(&format!("less than {bears} % to its hours")), "{why}");
    assert!(line["source"].as_str().unwrap().contains("spot-traces"), "{line}");
}

/// A machine that a region does not have is answered with the regions that do.
#[test]
fn p128_a_machine_that_is_not_sold_there_is_answered_with_where_it_is() {
    let line = ["--instances", "1", "--instance", "aws/p4d.24xlarge", "--region", "eu-south-1", "--json"];
    let finished = ask(&Program::new(), &line);
    assert_eq!(finished.code, 3);
    assert!(
        finished.stderr.contains("us-east-1") && finished.stderr.contains("eu-west-1"),
        "{}",
        finished.stderr
    );
    assert_eq!(
        (finished.json()["tiers"].as_array().map(Vec::len), &finished.json()["total_usd"]),
        (Some(0), &Value::Null)
    );
}

/// What has no price is unknown, not free: without a price on demand there is no plan.
#[test]
fn p129_an_unknown_price_is_never_free() {
    let rows = "{ instance = \"2B200.60V\", region = \"FIN-03\", billing = \"subscription-1y\", upfront = \"none\", \
                usd-per-hour = 5 },";
    let program = Program::new().file("own.toml", &overlay("verda", rows));
    let line = ["--instances", "1", "--instance", "verda/2B200.60V", "--catalog=own.toml", "--json"];
    let finished = ask(&program, &line);
    assert_eq!(finished.code, 5, "{}", finished.stderr);
    for field in ["total_usd", "all_on_demand_usd", "saves_usd", "commitment_usd"] {
        assert!(finished.json()[field].is_null(), "{field}");
    }
    assert!(finished.stderr.contains("no price on demand is known"), "{}", finished.stderr);
}

/// P062, P135: prices that are too old end with a code of their own, and the document is whole.
#[test]
fn p062_p135_old_prices_have_their_own_code() {
    let finished =
        ask(&Program::new(), &[&["--instances", "1", "--max-age", "0", "--json"], &MACHINE[..]].concat());
    assert_eq!(finished.code, 5, "{}", finished.stderr);
    assert_eq!(finished.json()["rejected"][0]["reason"], "price-too-old");
}

/// Every answer prints the oldest date of its prices.
#[test]
fn p162_the_oldest_price_date_is_printed() {
    let line = [&["--instances", "2"], &MACHINE[..]].concat();
    let oldest = answer(&Program::new(), &line)["catalog"]["as_of_oldest"].as_str().map(str::to_owned);
    let oldest = oldest.expect("a date");
    assert!(ask(&Program::new(), &line).stdout.contains(&format!("oldest {oldest}")));
}

/// A commitment's price is a row of that machine: no flat discount is ever applied to one that has none.
#[test]
fn p166_no_commitment_price_without_its_own_row() {
    let document = answer(&Program::new(), &["--instances", "2", "--instance", "verda/1A100.22V"]);
    assert_eq!(document["break_even"].as_array().map(Vec::len), Some(0), "{document}");
    assert_eq!(document["commitment_usd"], 0);
    let reserved = answer(&Program::new(), &[&["--instances", "2"], &MACHINE[..]].concat());
    let rows =
        run(&["catalog", "prices", "--instance", "aws/p4d.24xlarge", "--region", "us-east-1", "--json"])
            .json();
    for line in reserved["break_even"].as_array().expect("break-even") {
        let row = rows["rows"].as_array().expect("rows").iter().find(|row| row["billing"] == line["billing"]);
        assert_eq!(row.map(|row| &row["usd_per_hour"]), Some(&line["usd_per_hour"]), "{line}");
    }
}

#[test]
fn parts_of_a_larger_machine_are_never_priced() {
    let refused = ask(&Program::new(), &["--instances", "2", "--gpu", "A100-40GB", "--provider", "aws"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("exactly one") && refused.stderr.contains("`--gpu A100-40GB-SXM:8`"),
        "{}",
        refused.stderr
    );
    let sizes = ask(&Program::new(), &["--instances", "2", "--gpu", "H100:8", "--gpu", "A100-80GB"]);
    assert!(sizes.code == 2 && sizes.stderr.contains("several sizes"), "{}", sizes.stderr);
    let single = answer(&Program::new(), &["--instances", "2", "--gpu", "H100"]);
    assert_eq!(single["unit"], "gpu");
    for tier in single["tiers"].as_array().expect("tiers") {
        let id = format!("{}/{}", tier["provider"], tier["instance_type"]).replace('"', "");
        let machine = run(&["catalog", "show", &id, "--json"]).json().to_string();
        assert!(
            machine.contains("\"gpus_per_node\":1,") || machine.contains("\"gpus\":1,"),
            "{id}: {machine}"
        );
    }
}

#[test]
fn an_answer_speaks_of_commitments_that_start_with_the_horizon_only() {
    let arguments = ["--instances", "1", "--hours-per-day", "1", "--days-per-week", "1"];
    let finished = ask(&Program::new(), &[&arguments[..], &MACHINE].concat());
    assert!(
        finished.stdout.contains("No commitment that starts with the horizon pays"),
        "{}",
        finished.stdout
    );
}

#[test]
fn the_picture_goes_to_a_file_of_its_own() {
    for (svg, output) in [("o.json", "o.json"), ("./o.json", "o.json"), ("-", "o.json")] {
        let program = Program::new();
        let arguments = ["--instances", "1", "--svg", svg, "-o", output, "--json"];
        let finished = ask(&program, &[&arguments, &MACHINE[..]].concat());
        assert_eq!(finished.code, 2, "{svg}: {}", finished.stderr);
        assert!(!program.folder().join("o.json").exists() && !program.folder().join("-").exists(), "{svg}");
    }
}
