//! The bill of a job on the built program: parts that add up, steps of billing, what is not known, what is refused.
//! Numbers such as `p147` are those of reports of users of other tools.

use crate::program::{Finished, Program, run};
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::price::in_usd;
use serde_json::Value;

const PARTS: [&str; 5] = ["compute_usd", "startup_usd", "idle_usd", "storage_usd", "egress_usd"];

fn words(line: &str) -> Finished {
    run(&line.split_whitespace().collect::<Vec<_>>())
}

fn rows(line: &str) -> Vec<Value> {
    let finished = words(&format!("{line} --json"));
    assert_eq!(finished.code, 0, "{line}: {}", finished.stderr);
    finished.json()["rows"].as_array().unwrap().clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn cents(value: &Value) -> i64 {
    (number(value) * 100.0).round() as i64
}

/// The sum of the known parts, in cents.
fn sum(cost: &Value) -> i64 {
    PARTS.iter().map(|part| &cost["parts"][*part]).filter(|part| !part.is_null()).map(cents).sum()
}

#[test]
fn p147_a_started_hour_is_billed_in_full_where_a_provider_bills_by_the_hour() {
    let all = rows("cost --hours 20m --provider vultr,ovhcloud,runpod,oci --billing on-demand");
    for row in &all {
        let hours = number(&row["billed_hours"]);
        let whole = match row["provider"].as_str().unwrap() {
            "vultr" | "ovhcloud" => true,
            "oci" => row["instance_type"].as_str().unwrap().starts_with("BM."),
            _ => false,
        };
        let wanted = if whole { 1.0 } else { 1.0 / 3.0 };
        assert!((hours - wanted).abs() < 1e-5, "{row}");
        if let Some(total) = row["total_usd"].as_f64() {
            assert!((total - number(&row["usd_per_hour"]) * wanted).abs() < 0.0101, "{row}");
        }
    }
    for provider in ["vultr", "ovhcloud", "runpod", "oci"] {
        assert!(all.iter().any(|row| row["provider"] == provider), "{provider}");
    }
}

#[test]
fn p149_every_price_names_its_unit_and_the_step_of_billing() {
    let all = rows("cost --hours 5 --gpu H100,L4");
    for row in &all {
        assert_eq!(row["price_unit"], "hour");
        let term = row["notes"].to_string().contains("whole term") || row["billing"] == "capacity-block";
        let said = row["notes"].to_string().contains("priced by the hour");
        assert!(said || term, "{row}");
        let known = ["aws", "gcp"].contains(&row["provider"].as_str().unwrap()) && !term;
        assert_eq!(
            row["billing_increment_s"] == 1,
            known || (said && row["billing_increment_s"] == 1),
            "{row}"
        );
    }
    let page = words("cost --hours 5 --gpu H100 --provider aws,azure --billing on-demand").stdout;
    assert!(page.contains("aws: priced by the hour, billed by the second, at least 60 s"), "{page}");
    assert!(page.contains("azure: priced by the hour; in which steps time is billed is not known"), "{page}");
    let csv = words("cost --hours 5 --instance aws/p5.48xlarge --region us-east-1 --format csv").stdout;
    assert!(csv.starts_with("provider,") && csv.contains("price_unit,billing_increment_s"), "{csv}");
}

#[test]
fn p095_storage_is_its_own_line_for_the_whole_time_stopped_time_too() {
    let base = "cost --instance aws/p5.48xlarge --region us-east-1 --hours 365 --billing on-demand";
    let storage = |more: &str| {
        let row = &rows(&format!("{base} {more}"))[0];
        assert_eq!(sum(row), cents(&row["total_usd"]), "{row}");
        number(&row["parts"]["storage_usd"])
    };
    let plain = storage("--storage 1000GiB");
    assert!((plain - 40.0).abs() < 0.011, "1000 GiB x 0.08 USD x half a month: {plain}");
    assert!((storage("--storage 1000GiB --idle 365h") - 80.0).abs() < 0.011);
    assert!((storage("--storage 1000GiB --stopped 365h") - 80.0).abs() < 0.011);
    assert!(storage("").abs() < 1e-9);
    let stopped = &rows(&format!("{base} --stopped 365h"))[0];
    assert_eq!(stopped["parts"]["idle_usd"], 0, "a stopped machine is not billed there");
    let kept = &rows("cost --provider vultr --hours 1 --stopped 9h --billing on-demand")[0];
    assert_eq!(kept["billed_hours"], 10, "where it is billed: {kept}");
}

#[test]
fn every_total_is_the_sum_of_what_is_printed() {
    let line = "recommend --params 1e9 --task train --tokens 1B --billing on-demand,spot,committed --startup 7m \
                --idle 33m --stopped 3h --storage 750GB --egress 1.5TB --provider aws,gcp,oci,runpod --json";
    let finished = words(line);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let answer = finished.json();
    let mut least = false;
    for row in answer["recommendations"].as_array().unwrap() {
        assert!(!(least && row["ranked_at_least"] == false), "what lacks a part stands last");
        least |= row["ranked_at_least"] == true;
        for cost in row["costs"].as_array().unwrap() {
            if cost["total_usd"].is_null() {
                continue;
            }
            assert_eq!(sum(cost), cents(&cost["total_usd"]), "{cost}");
            let unknown = PARTS.iter().any(|part| cost["parts"][*part].is_null());
            assert_eq!(cost["at_least"], unknown, "{cost}");
            assert!(number(&cost["low_usd"]) <= number(&cost["high_usd"]), "{cost}");
        }
        let ranked = row["costs"].as_array().unwrap().iter().find(|c| c["billing"] == row["ranked_billing"]);
        assert_eq!(ranked.unwrap()["total_usd"], row["ranked_total_usd"]);
    }
    let ids: Vec<&str> =
        answer["assumptions"].as_array().unwrap().iter().filter_map(|a| a["id"].as_str()).collect();
    assert!(ids.contains(&"egress-allowance") && !ids.contains(&"bill-parts"), "{ids:?}");
}

#[test]
fn what_has_no_price_is_no_zero_and_never_within_a_budget() {
    let line = "cost --provider lambda --gpu H100:8 --billing on-demand --hours 10 --storage 1TB";
    let row = &rows(line)[0];
    assert_eq!((&row["parts"]["storage_usd"], &row["at_least"]), (&Value::Null, &Value::Bool(true)));
    assert!(number(&row["total_usd"]) > 1.0);
    let page = words(line);
    assert!(page.stdout.contains("at least "), "{}", page.stdout);
    assert!(page.stdout.contains("n/a") && page.stderr.contains("at least"), "{}", page.stderr);
    let csv = words(&format!("{line} --format csv")).stdout;
    assert!(csv.lines().nth(1).unwrap().contains(",0,0,,0,"), "empty, not 0: {csv}");
    assert_eq!(words(&format!("{line} --budget 100000")).code, 5);
    assert_eq!(words(&format!("{line} --fail-over 100000")).code, 5);
    assert_eq!(words(&format!("{line} --fail-over 1")).code, 4);
    let search = "recommend --params 1e9 --task train --tokens 1B --provider lambda --gpu H100 --storage 1TB";
    let answer = words(&format!("{search} --json"));
    assert_eq!(
        (answer.code, &answer.json()["recommendations"][0]["ranked_at_least"]),
        (0, &Value::Bool(true))
    );
    assert!(words(search).stdout.contains("at least "));
    assert_eq!(words(&format!("{search} --budget 100000")).code, 5);
}

#[test]
fn the_gate_counts_storage_and_takes_an_unknown_part_for_an_unknown_price() {
    let project = |more: &str| {
        format!(
            "[defaults]\nprovider = [\"lambda\"]\nstorage = \"1TB\"\n[[workload]]\nname = \"a\"\nparams = \"1e9\"\n\
             task = \"train\"\ntokens = \"1B\"\n{more}"
        )
    };
    let check = |more: &str| {
        let program = Program::new().file("gpuadvise.toml", &project(more));
        let finished = program.run(&["check", "--json"]);
        (finished.code, finished.json(), program.run(&["check"]).stdout)
    };
    let (code, answer, page) = check("");
    assert_eq!((code, &answer["verdict"]), (4, &Value::from("fail")));
    let violation = &answer["workloads"][0]["violations"][0];
    assert_eq!((&violation["id"], &answer["totals"]["at_least"]), (&"unknown-price".into(), &true.into()));
    assert_eq!(answer["totals"]["lacking"], serde_json::json!(["a"]));
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("at least ") && page.contains("A part of the cost of a is not known"), "{page}");
    let (code, answer, _) =
        check("[budget]\nunknown-price = \"warn\"\ntotal = { limit = 0.01, level = \"warn\" }\n");
    assert_eq!((code, &answer["verdict"]), (0, &Value::from("warn")), "{answer}");
    let (code, answer, _) = check("[budget]\nunknown-price = \"warn\"\ntotal = 0.01\n");
    assert_eq!((code, &answer["verdict"]), (4, &Value::from("fail")));
}

#[test]
fn a_limit_that_only_warns_keeps_the_gate_open() {
    let project = "[budget]\nlevel = \"warn\"\ntotal = 0.01\nhourly = 0.01\n[[workload]]\nname = \"a\"\n\
                   params = \"1e9\"\ntask = \"train\"\ntokens = \"1B\"\nprovider = \"aws\"\n";
    let program = Program::new().file("gpuadvise.toml", project);
    let finished = program.run(&["check", "--json"]);
    let answer = finished.json();
    assert_eq!((finished.code, &answer["verdict"]), (0, &Value::from("warn")), "{}", finished.stderr);
    let levels: Vec<&Value> =
        answer["workloads"][0]["violations"].as_array().unwrap().iter().map(|v| &v["level"]).collect();
    assert_eq!(levels, ["warn", "warn"]);
    assert!(finished.stderr.contains("warning: workload `a`: [budget-total]"), "{}", finished.stderr);
}

#[test]
fn cost_leaves_out_what_a_quota_does_not_allow_with_both_numbers() {
    let quota = "[[quota]]\nprovider = \"aws\"\nbilling = \"on-demand\"\nmax-gpus = 4\n";
    let program = Program::new().file("quota.toml", quota);
    let line = ["cost", "--gpu", "H100:8", "--billing", "on-demand", "--quota", "quota.toml"];
    let answer = program.run(&[&line[..], &["--json"]].concat()).json();
    let providers: Vec<&Value> = answer["rows"].as_array().unwrap().iter().map(|r| &r["provider"]).collect();
    assert!(!providers.is_empty() && providers.iter().all(|p| *p != "aws"), "{providers:?}");
    let left_out = answer["rejected"].as_array().unwrap().iter().find(|r| r["reason"] == "quota").unwrap();
    let nearest = &left_out["nearest"];
    assert_eq!((&nearest["limit"], &nearest["actual"]), (&Value::from(4), &Value::from(8)));
    let nothing = program.run(&[&line[..], &["--provider", "aws"]].concat());
    assert_eq!(nothing.code, 3, "{}", nothing.stderr);
    assert!(nothing.stderr.contains("quota"), "{}", nothing.stderr);
    assert_eq!(program.run(&["cost", "--quota", "missing.toml"]).code, 2);
}

/// A private price that two decimals show as the limit itself is told with more of them.
#[test]
fn a_miss_by_less_than_a_cent_is_told_with_enough_digits() {
    let overlay = "schema = 1\nprovider = \"aws\"\nsource = \"S\"\n[sources.S]\ntext = \"contract\"\nas-of = 2026-02-03\n\
                   [[price]]\ninstance = \"p5.48xlarge\"\nregion = \"us-east-1\"\nbilling = \"on-demand\"\n\
                   usd-per-hour = 50.001\n";
    let program = Program::new().file("own.toml", overlay);
    let base = ["--catalog", "own.toml", "--instance", "aws/p5.48xlarge", "--region", "us-east-1"];
    let limit = ["--billing", "on-demand", "--max-hourly", "50"];
    let cost = program.run(&[&["cost"], &base[..], &limit].concat());
    let search =
        program.run(&[&["recommend", "--params", "1e9", "--task", "train"], &base[..], &limit].concat());
    for finished in [cost, search] {
        assert_eq!(finished.code, 3, "{}", finished.stderr);
        assert!(finished.stderr.contains("50.001 USD/hour, 50.000 USD/hour allowed"), "{}", finished.stderr);
    }
}

#[test]
fn a_discount_stands_in_the_head_of_the_page() {
    let program = Program::new().file("gpuadvise.toml", "[discount]\naws = { on-demand = 12.5 }\n");
    let line = ["cost", "--instance", "aws/p5.48xlarge", "--region", "us-east-1", "--billing", "on-demand"];
    let page = program.run(&line).stdout;
    let head: String = page.lines().take(3).collect::<Vec<_>>().join(" ");
    assert!(head.contains("Off list by [discount] of the project file: aws on-demand 12.5 %"), "{page}");
    assert!(!run(&line).stdout.contains("Off list"));
}

#[test]
fn settings_of_the_bill_come_from_file_and_environment_too() {
    let line = [
        "cost",
        "--instance",
        "aws/p5.48xlarge",
        "--region",
        "us-east-1",
        "--hours",
        "1",
        "--billing",
        "on-demand",
        "--json",
    ];
    let defaults = "[defaults]\nstartup = \"30m\"\nstorage = \"100GiB\"\n";
    let program = Program::new().file("gpuadvise.toml", defaults).env("GPUADVISE_IDLE", "30m");
    let row = &program.run(&line).json()["rows"][0];
    assert_eq!(row["billed_hours"], 2, "{row}");
    assert!(number(&row["parts"]["storage_usd"]) > 0.0);
    let bad = Program::new().file("gpuadvise.toml", "[defaults]\nidle = \"-1h\"\n").run(&line);
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.contains("gpuadvise.toml:2:"), "{}", bad.stderr);
}

#[test]
fn bad_amounts_are_refused_with_their_name_and_nothing_is_written() {
    for (flag, value) in [
        ("--hours", "-5"),
        ("--hours", "NaN"),
        ("--startup", "-1h"),
        ("--idle", "soon"),
        ("--stopped", "inf"),
        ("--storage", "-1GB"),
        ("--storage", "12 parsecs"),
        ("--egress", "NaN"),
        ("--budget", "NaN"),
        ("--budget", "-1"),
        ("--max-hourly", "inf"),
        ("--fail-over", "nan"),
    ] {
        let program = Program::new();
        let finished = program.run(&["cost", flag, value, "--output", "answer.txt"]);
        assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{flag} {value}");
        assert!(finished.stderr.contains(flag) && finished.stderr.contains(value), "{}", finished.stderr);
        assert!(!program.folder().join("answer.txt").exists(), "{flag} {value}");
    }
    for budget in ["total = nan", "hourly = -1", "monthly = \"much\"", "total = inf"] {
        let project =
            format!("[budget]\n{budget}\n[[workload]]\nname = \"a\"\nparams = \"1e9\"\ntask = \"train\"\n");
        let program = Program::new().file("gpuadvise.toml", &project);
        let finished = program.run(&["check", "--junit", "out.xml", "--output", "out.md"]);
        assert_eq!(finished.code, 2, "{budget}");
        assert!(finished.stderr.contains("gpuadvise.toml:2:"), "{}", finished.stderr);
        assert!(finished.stderr.contains("such as 5000"), "{}", finished.stderr);
        assert!(!program.folder().join("out.xml").exists() && !program.folder().join("out.md").exists());
    }
}

/// P142: what one GPU costs, times the GPUs, is the machine within a cent. P145: shares never sum above the whole.
#[test]
fn p142_p145_parts_of_a_machine_add_up_to_its_price() {
    let catalog = embedded(Sections::PRICES).unwrap();
    let mut shares = 0;
    for price in &catalog.prices {
        let Some(rate) = in_usd(price) else { continue };
        let gpus = catalog.instance(price.instance).gpus;
        let each = rate.per(gpus).unwrap().to_f64();
        let off = (each * gpus - rate.to_f64()).abs();
        assert!(off < 0.01, "{gpus} GPUs at {each} against {rate}");
        shares += usize::from(gpus < 1.0);
        for parts in [2_u32, 3, 7, 8] {
            let share = rate.per(f64::from(parts)).unwrap();
            let all = share.to_f64() * f64::from(parts);
            assert!(all < rate.to_f64() + 0.005, "{parts} shares of {rate}");
        }
    }
    assert!(shares > 0, "the catalog has shares of GPUs");
}

/// P143: a private price holds for whole machines and for shares of a GPU alike, and is read back as such.
#[test]
fn p143_a_price_of_an_overlay_is_read_back_for_every_kind_of_machine() {
    let price = |instance: &str, usd: &str| {
        format!(
            "[[price]]\ninstance = \"{instance}\"\nregion = \"us-east-1\"\nbilling = \"on-demand\"\nusd-per-hour = {usd}\n"
        )
    };
    let head = "schema = 1\nprovider = \"aws\"\nsource = \"S\"\n[sources.S]\ntext = \"contract\"\nas-of = 2026-02-03\n";
    let overlay = format!("{head}{}{}", price("p5.48xlarge", "41.25"), price("g6f.large", "0.111"));
    let program = Program::new().file("own.toml", &overlay);
    for (instance, usd) in [("aws/p5.48xlarge", 41.25), ("aws/g6f.large", 0.111)] {
        let line = ["cost", "--catalog", "own.toml", "--instance", instance, "--region", "us-east-1"];
        let more = ["--billing", "on-demand", "--hours", "1", "--json"];
        let row = &program.run(&[&line[..], &more].concat()).json()["rows"][0];
        assert_eq!((number(&row["usd_per_hour"]), &row["overridden"]), (usd, &Value::Bool(true)), "{row}");
        assert_eq!(row["price_source"], "contract");
    }
}

/// P092: minimums of CPUs and memory are matched against machines with GPUs as well.
#[test]
fn p092_minimums_of_the_host_find_machines_with_gpus() {
    for line in ["cost --min-vcpus 192 --hours 1", "catalog instances --min-vcpus 192 --min-ram 1500GiB"] {
        let all = rows(line);
        assert!(!all.is_empty(), "{line}");
        assert!(line.starts_with("cost") || all.iter().all(|row| number(&row["vcpus"]) >= 192.0));
        assert!(all.iter().any(|row| row["gpu"] == "H100-SXM"), "{line}");
    }
}

/// P080: a spot figure says what it is, and every view of one run prints the same.
#[test]
fn p080_a_spot_price_says_which_figure_it_is_in_every_view() {
    let line = "cost --instance aws/p5.48xlarge --region us-east-1 --billing spot --hours 1";
    let row = &rows(line)[0];
    assert!(row["notes"].to_string().contains("the price is the "), "{row}");
    let figure = row["usd_per_hour"].to_string();
    for format in ["table", "csv", "markdown"] {
        let page = words(&format!("{line} --format {format}")).stdout;
        assert!(page.contains(&figure) && page.contains("the price is the "), "{format}: {page}");
    }
}

/// P076: an eighth of a GPU stays one in every format, and whole numbers stay whole.
#[test]
fn p076_shares_of_a_gpu_are_printed_as_they_are() {
    for (instance, count) in [("aws/g6f.large", "0.125"), ("aws/p5.48xlarge", "8")] {
        let line = format!("catalog instances --instance {instance}");
        let json = words(&format!("{line} --json")).stdout;
        assert!(json.contains(&format!("\"gpus_per_node\": {count},")), "{json}");
        let csv = words(&format!("{line} --format csv")).stdout;
        assert!(csv.lines().nth(1).is_some_and(|row| row.split(',').any(|cell| cell == count)), "{csv}");
        let row =
            &rows(&format!("cost --instance {instance} --region us-east-1 --billing on-demand --hours 1"))[0];
        assert_eq!(row["gpus_per_node"].to_string(), count);
        let all = number(&row["usd_per_gpu_hour"]) * number(&row["gpus_per_node"]);
        assert!((all - number(&row["usd_per_hour"])).abs() < 0.001, "{row}");
    }
}

/// P164: memory that is divided by 2^30 is called GiB everywhere.
#[test]
fn p164_memory_is_labelled_gib() {
    for line in
        ["fit --params 7B --task infer --gpu H100", "catalog gpus --gpu H100", "cost --gpu H100 --hours 1"]
    {
        for format in ["table", "markdown"] {
            let page = words(&format!("{line} --format {format}")).stdout;
            assert!(page.contains("GiB"), "{line}");
            let slip = page.split_whitespace().any(|word| word.trim_end_matches([',', '.', ')']) == "GB");
            assert!(!slip, "{line} {format}: {page}");
        }
    }
}

/// With disks or data the region is chosen by the total: what is listed is the least of all regions, machine by machine.
#[test]
fn the_region_is_chosen_by_the_total() {
    let asked = "--provider aws,gcp --gpu A100-80GB,L4 --hours 10 --storage 20TB --egress 50TB --billing on-demand,spot";
    let key = |row: &Value| format!("{} {} {}", row["provider"], row["instance_type"], row["billing"]);
    let rank = |row: &Value| {
        (row["at_least"] == true, row["total_usd"].as_f64().map(|usd| (usd * 100.0).round() as i64))
    };
    let everywhere = rows(&format!("cost {asked} --region *"));
    let listed = rows(&format!("cost {asked}"));
    let (mut moved, rates) = (0, rows(&format!("cost {}", asked.split(" --storage").next().unwrap())));
    for row in listed.iter().filter(|row| !row["total_usd"].is_null()) {
        let alike = everywhere.iter().filter(|other| key(other) == key(row) && !other["total_usd"].is_null());
        let least = alike.map(rank).min().expect("a region");
        assert_eq!(rank(row), least, "{row}");
        moved +=
            usize::from(rates.iter().any(|other| key(other) == key(row) && other["region"] != row["region"]));
    }
    assert!(moved > 0, "nothing was chosen by the total");
}

/// The same in `recommend`, which then ranks by it.
#[test]
fn recommend_chooses_the_region_by_the_total() {
    let line =
        "recommend --model llama-3-8b --task infer --hours 5 --instance aws/g6.12xlarge --egress 50TB --json";
    let document = words(line).json();
    let best = &document["recommendations"][0];
    assert_eq!(best["ranked_at_least"], false, "{best}");
    let (mut tried, mut last) = (0, (false, number(&best["ranked_total_usd"])));
    for region in best["also_in"].as_array().expect("regions") {
        let other = words(&format!("{line} --region {}", region.as_str().expect("a name"))).json();
        let other = &other["recommendations"][0];
        tried += 1;
        assert!(
            other["ranked_at_least"] == true
                || number(&other["ranked_total_usd"]) >= number(&best["ranked_total_usd"]),
            "{region}: {other}"
        );
        // By the total of the job, what is not wholly known behind.
        let rank = (other["ranked_at_least"] == true, number(&other["ranked_total_usd"]));
        assert!(rank >= last, "{region}: {rank:?} behind {last:?}");
        last = rank;
    }
    assert!(tried > 2, "{best}");
    let within = number(&best["ranked_total_usd"]) + 1.0;
    let few = words(&format!("{line} --budget {within}")).json();
    let few = &few["recommendations"][0];
    assert_eq!(few["region"], best["region"]);
    assert!(
        few["also_in"].as_array().map_or(0, Vec::len) < tried,
        "regions over the budget are no choice: {few}"
    );
}

/// Where reruns make spot dearer than on-demand it is neither offered, nor does its lower price keep it from another region.
#[test]
fn spot_is_offered_where_it_pays() {
    let row = |region: &str, billing: &str, usd: &str| {
        format!(
            "[[price]]\ninstance = \"p5.48xlarge\"\nregion = \"{region}\"\nbilling = \"{billing}\"\nusd-per-hour = {usd}\n"
        )
    };
    let rows = [
        row("us-east-1", "on-demand", "10"),
        row("us-east-1", "spot", "9.9"),
        row("us-east-2", "on-demand", "60"),
        row("us-east-2", "spot", "20"),
    ];
    let head = "schema = 1\nprovider = \"aws\"\nsource = \"S\"\n[sources.S]\ntext = \"contract\"\nas-of = 2026-02-03\n";
    let program = Program::new().file("own.toml", &format!("{head}{}", rows.concat()));
    let line = "gpuadvise recommend --params 1e9 --task train --tokens 1B --catalog own.toml --json --instance \
                aws/p5.48xlarge --gpus 8 --billing spot --region us-east-1,us-east-2";
    let finished = program.run_line(line);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let best = finished.json()["recommendations"][0].clone();
    assert_eq!((&best["region"], &best["also_in"]), (&"us-east-2".into(), &serde_json::json!([])), "{best}");
}

/// P128: a machine that a region does not have is answered with the regions that do, whatever is asked of it.
#[test]
fn p128_regions_that_have_the_machine_are_named() {
    for line in ["cost --hours 1", "recommend --params 1e9 --task train"] {
        let finished = words(&format!("{line} --instance aws/g5.12xlarge --region us-west-1 --json"));
        assert_eq!(finished.code, 3, "{}", finished.stderr);
        assert!(
            finished.stderr.contains("the catalog has it in: ") && finished.stderr.contains("us-east-1"),
            "{line}: {}",
            finished.stderr
        );
        assert!(finished.json()["schema_version"].is_number(), "the document is whole");
    }
}

/// The contracts of one machine as a picture, in characters, in ASCII and as a file; nothing to draw is bad input.
#[test]
fn one_machine_is_drawn() {
    let program = Program::new();
    let line = ["cost", "--instance", "aws/p4d.24xlarge", "--hours", "720", "--plot", "kinds.svg"];
    let page = program.run(&line);
    assert_eq!(page.code, 0, "{}", page.stderr);
    assert!(
        page.stdout.contains("Break-even: 1x aws/p4d.24xlarge in ")
            && page.stdout.contains("\u{2588}\u{2588}"),
        "{}",
        page.stdout
    );
    let svg = std::fs::read_to_string(program.folder().join("kinds.svg")).expect("kinds.svg");
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains("reserved-1y (no upfront)"),
        "{svg}"
    );
    assert!(svg.contains(">spot<") && svg.contains(">on-demand<") && !svg.contains("NaN"), "{svg}");
    let ascii = program.run(&[&line[..5], &["--ascii"]].concat()).stdout;
    assert!(ascii.is_ascii() && ascii.contains("###"), "{ascii}");
    for nothing in [["--gpu", "H100:8"], ["--instance", "verda/1A100.22V"]] {
        let finished =
            program.run(&[&["cost", "--svg", "none.svg", "-o", "none.json"], &nothing[..]].concat());
        assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{}", finished.stderr);
        assert!(finished.stderr.contains("--instance PROVIDER/TYPE"), "{}", finished.stderr);
        assert!(!program.folder().join("none.svg").exists() && !program.folder().join("none.json").exists());
    }
}
