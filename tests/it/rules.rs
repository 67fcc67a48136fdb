//! The embedded rules and scenarios: every rule compiles, fires on one fixture and not on another, and holds on real
//! rows; rules of an overlay work beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use gpuadvise::advise;
use gpuadvise::advise::limits::Limits;
use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::catalog::price::Billing;
use gpuadvise::catalog::provenance::AsOf;
use gpuadvise::catalog::validate::{SourceFile, validate};
use gpuadvise::cli::request::Group as _;
use gpuadvise::report::exchange::{Exchange, Kind, Rate};
use gpuadvise::report::row::Row;
use gpuadvise::report::workload::WorkloadLine;
use gpuadvise::rule::fields::FIELDS;
use gpuadvise::rule::{self, Definition, Rules, facts};
use gpuadvise::workload::settings::WorkloadArgs;
use gpuadvise::workload::{Workload, resolve};
use serde_json::{Value, json};

fn catalog() -> Catalog {
    embedded(Sections::ALL).expect("the embedded catalog")
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rules")
}

fn fixture(id: &str, kind: &str) -> Value {
    let path = folder().join(format!("{id}.{kind}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn fired(rules: &Rules, facts: &Value, id: &str) -> Option<rule::Advice> {
    rules.evaluate(facts).expect("sound rules").into_iter().find(|advice| advice.id == id)
}

#[test]
fn every_rule_compiles_and_explains_itself() {
    let catalog = catalog();
    assert!(catalog.rules.len() >= 42, "{} rules", catalog.rules.len());
    for rule in &catalog.rules {
        let definition = Definition::of(&catalog, rule);
        rule::check(&definition).unwrap_or_else(|e| panic!("{e}"));
        assert!(rule.explain.len() > 100, "{} explains little", rule.id);
        assert!(!definition.source.is_empty());
    }
}

#[test]
fn every_rule_fires_on_one_fixture_and_not_on_another() {
    let catalog = catalog();
    let rules = Rules::of(&catalog);
    let mut expected = BTreeSet::new();
    for rule in &catalog.rules {
        let id = &rule.id;
        let advice = fired(&rules, &fixture(id, "fires"), id).unwrap_or_else(|| panic!("{id} does not fire"));
        assert_eq!(advice.level, rule.level);
        assert!(!advice.message.contains("unknown"), "{id}: {}", advice.message);
        assert!(advice.message.chars().count() < 500, "{id}: {}", advice.message);
        assert_eq!(fired(&rules, &fixture(id, "silent"), id), None, "{id} fires where it should not");
        for kind in ["fires", "silent"] {
            expected.insert(format!("{id}.{kind}.json"));
            assert_eq!(facts::unlisted(&fixture(id, kind)), Vec::<String>::new(), "{id}.{kind}");
        }
    }
    let found: BTreeSet<String> =
        fs::read_dir(folder()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, expected, "fixtures without a rule, or the other way round");
}

#[test]
fn messages_carry_the_figures_of_the_row() {
    let rules = Rules::of(&catalog());
    for (id, figures) in [
        (
            "memory-headroom",
            &["71.4", "77.1", "79.2", "smaller micro-batch", "8-bit AdamW", "ZeRO-3", "LoRA"][..],
        ),
        ("serving-headroom", &["74.2", "77.6", "40.1", "FP8 KV cache"]),
        ("no-bf16", &["V100-16GB-SXM", "65,504"]),
        ("fp8-serving", &["32.9", "16.4"]),
        ("host-cpu", &["a2-megagpu-16g", "6 vCPUs"]),
        ("host-cpu-serving", &["4 vCPUs", "asks for 6"]),
        ("host-ram", &["185 GiB", "150 GiB"]),
        ("no-local-nvme", &["18 GB", "18 s"]),
        ("communication-share", &["41.3 %", "4 nodes at 25 Gbit/s"]),
        ("slow-network", &["4 nodes with 25 Gbit/s", "1.2 s", "22 %"]),
        ("idle-memory", &["6.4 of 79.2 GiB", "MIG"]),
        ("spot-checkpoints", &["604.25 USD", "1210.50 USD", "1.7", "every 37 min"]),
        ("spot-not-cheaper", &["0.49", "0.44"]),
        ("long-duration", &["200 days", "--deadline"]),
        ("idle-gpus", &["on 6 of the 8 GPUs"]),
    ] {
        let advice = fired(&rules, &fixture(id, "fires"), id).unwrap();
        for figure in figures {
            assert!(advice.message.contains(figure), "{id} lacks `{figure}`: {}", advice.message);
        }
    }
    let spot = fired(&rules, &fixture("spot-checkpoints", "fires"), "spot-checkpoints").unwrap();
    assert_eq!(spot.saves_usd, Some(606.25));
}

/// Expressions in the holes of a message, each with the words behind it.
fn holes(message: &str) -> Vec<(&str, &str)> {
    let mut rest = message;
    let mut found = Vec::new();
    while let Some((_, after)) = rest.split_once('{') {
        let (hole, behind) = after.split_once('}').expect("a closed hole");
        found.push((hole, behind));
        rest = behind;
    }
    found
}

/// An answer may be told in another currency: a page finds its amounts by the unit behind each of them, and totals agree
/// with those of the table only to the cent.
#[test]
fn every_amount_of_a_message_has_its_unit_and_its_cents() {
    let catalog = catalog();
    let mut amounts = 0;
    for rule in &catalog.rules {
        let message = &rule.message;
        for (hole, behind) in holes(message).into_iter().filter(|(hole, _)| hole.contains("usd")) {
            amounts += 1;
            let inside = hole.contains("' USD");
            assert!(inside || behind.starts_with(" USD"), "{}: `{{{hole}}}` has no unit: {message}", rule.id);
            assert!(inside || hole.ends_with(":.2"), "{}: `{{{hole}}}` has no cents: {message}", rule.id);
        }
    }
    assert!(amounts >= 13, "{amounts}");
}

#[test]
fn messages_in_another_currency_have_no_dollars_left() {
    let catalog = catalog();
    let rules = Rules::of(&catalog);
    let rate = Rate { per_usd: "7.1373".parse().unwrap(), as_of: AsOf::Day(jiff::civil::date(2026, 11, 30)) };
    let exchange = Exchange::new("CNY".to_owned(), 2, Kind::Converted(rate));
    let mut told = BTreeMap::new();
    for rule in &catalog.rules {
        let advice = fired(&rules, &fixture(&rule.id, "fires"), &rule.id).unwrap();
        let message = exchange.sentence(&advice.message);
        assert!(!message.contains("USD"), "{}: {message}", rule.id);
        let units = |text: &str, code| text.matches(code).count();
        assert_eq!(units(&message, "CNY"), units(&advice.message, "USD"), "{}: {message}", rule.id);
        told.insert(rule.id.clone(), message);
    }
    // 604.25 and 1210.50 dollars.
    assert!(told["spot-checkpoints"].contains("4,312.71 CNY instead of 8,639.70 CNY"), "{told:?}");
}

#[test]
fn a_row_of_which_nothing_is_known_gets_no_advice() {
    let judged = Rules::of(&catalog()).judge(&json!({})).unwrap();
    assert_eq!(judged.advice, []);
    assert_eq!(judged.undecided.len(), catalog().rules.len());
}

#[test]
fn rules_hold_their_fire_where_the_advice_would_be_wrong() {
    let rules = Rules::of(&catalog());
    for (id, changes) in [
        ("slow-network", &[("/workload/method", json!("lora"))][..]),
        ("slow-network", &[("/workload/task", json!("infer"))]),
        ("slow-network", &[("/row/nodes", json!(1))]),
        ("slow-network", &[("/instance/network_gbps", Value::Null)]),
        ("idle-memory", &[("/gpu/memory_gib", json!(24))]),
        ("idle-memory", &[("/instance/fractional", json!(true))]),
        ("idle-memory", &[("/row/total_gpus", json!(8))]),
        ("spot-checkpoints", &[("/spot/total_usd", json!(1210.0))]),
        ("spot-checkpoints", &[("/workload/task", json!("infer"))]),
        ("host-ram", &[("/workload/method", json!("qlora"))]),
        ("no-local-nvme", &[("/workload/method", json!("lora"))]),
        ("no-bf16", &[("/gpu/bf16", json!(true))]),
        ("fp8-serving", &[("/gpu/fp8", json!(false))]),
        ("memory-headroom", &[("/row/memory/verdict", json!("no"))]),
    ] {
        let mut facts = fixture(id, "fires");
        for (path, value) in changes {
            *facts.pointer_mut(path).unwrap() = value.clone();
        }
        assert_eq!(fired(&rules, &facts, id), None, "{id} with {changes:?}");
    }
}

#[test]
fn remedies_that_are_taken_already_are_not_offered() {
    let mut facts = fixture("memory-headroom", "fires");
    facts["workload"]["optimizer"] = json!("adamw-8bit");
    facts["workload"]["method"] = json!("lora");
    facts["row"]["parallelism"] =
        json!({"dp": 8, "tp": 1, "pp": 1, "sharding": "zero3", "micro_batch": 1, "recompute": "full"});
    let advice = fired(&Rules::of(&catalog()), &facts, "memory-headroom").unwrap();
    assert!(
        advice.message.ends_with("Remedies, cheapest first: more GPUs or a larger one."),
        "{}",
        advice.message
    );
}

#[test]
fn the_page_on_rules_lists_every_field() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("catalog/rules/README.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut table = String::from("| field | holds | unit or values |\n| --- | --- | --- |\n");
    for field in FIELDS {
        writeln!(table, "| `{}` | {} | {} |", field.path, field.kind.name(), field.unit).unwrap();
    }
    let start = page.find("rewrites it -->\n").unwrap() + "rewrites it -->\n".len();
    let end = page.find("<!-- end of fields -->").unwrap();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, format!("{}{table}{}", &page[..start], &page[end..])).unwrap();
    } else {
        assert_eq!(&page[start..end], table, "UPDATE_GOLDEN=1 cargo test rules rewrites it");
    }
}

fn workload(catalog: &Catalog, flags: &[(&str, &str)]) -> Workload {
    let args = WorkloadArgs::from_pairs(flags.iter().copied()).expect("flags");
    resolve(&args, catalog, &|_| Ok(None)).expect("a workload")
}

#[test]
fn real_rows_are_judged_without_errors_or_unknown_figures() {
    let catalog = catalog();
    let rules = Rules::of(&catalog);
    let mut seen = BTreeSet::new();
    for flags in [
        &[("params", "1e9"), ("task", "train")][..],
        &[("model", "llama-3-8b"), ("task", "finetune"), ("method", "lora")],
        &[("model", "llama-3-8b"), ("task", "infer")],
        &[("model", "llama-2-70b"), ("task", "train"), ("tokens", "1000000000")],
    ] {
        let workload = workload(&catalog, flags);
        let limits = Limits { billing: Billing::ALL.to_vec(), top: 200, ..Limits::default() };
        let line = serde_json::to_value(WorkloadLine::new(&workload)).unwrap();
        let advice = advise::advise(&catalog, &workload, &limits);
        assert!(!advice.recommendations.is_empty(), "{flags:?} {:?}", advice.rejected);
        for rec in &advice.recommendations {
            let row = serde_json::to_value(Row::new(&catalog, &workload, rec)).unwrap();
            let place = (rec.instance, rec.region);
            let facts = facts::gather(
                &catalog,
                place,
                (row, gpuadvise::cli::advice::sooner(&catalog, &advice)),
                line.clone(),
            );
            assert_eq!(facts::unlisted(&facts), Vec::<String>::new());
            for advice in rules.evaluate(&facts).unwrap_or_else(|e| panic!("{e}")) {
                assert!(!advice.message.contains("unknown"), "{}: {}", advice.id, advice.message);
                seen.insert(advice.id);
            }
        }
    }
    assert!(seen.len() >= 5, "real rows fire only {seen:?}");
}

#[test]
fn rules_of_an_overlay_stand_beside_ours_and_replace_those_of_the_same_name() {
    let text = r#"
schema = 1
[sources.us]
text = "our policy"
as-of = 2026-11-01
[[rule]]
id = "eu-only"
level = "deny"
when = "!row.region.startsWith('eu-')"
message = "training data must stay in the EU, not in {row.region}"
explain = "Our customers ask for it."
source = "us"
[[rule]]
id = "idle-memory"
level = "info"
when = "false"
message = "never"
explain = "We like large GPUs."
source = "us"
"#;
    let file = SourceFile { label: "overlay.toml".to_owned(), text: text.to_owned() };
    let (catalog, findings) = validate(&[file], catalog(), true);
    assert_eq!(findings, []);
    let rules = Rules::of(&catalog);
    let mut facts = fixture("idle-memory", "fires");
    facts["row"]["region"] = json!("us-east-1");
    facts["instance"]["vcpus"] = json!(2);
    facts["instance"]["unit"] = json!("instance");
    facts["workload"]["task"] = json!("infer");
    facts["workload"]["engine"] = json!("vllm");
    let advice = rules.evaluate(&facts).unwrap();
    let ids: Vec<_> = advice.iter().map(|advice| advice.id.as_str()).collect();
    assert_eq!(ids, ["eu-only", "host-cpu-serving", "mig-slice"]);
    assert_eq!(advice[0].message, "training data must stay in the EU, not in us-east-1");
    assert_eq!(advice[0].source, "our policy (2026-11-01)");
}

#[test]
fn a_policy_with_a_wrong_name_says_what_was_meant() {
    let policy = Definition {
        id: "eu-only".into(),
        level: "deny".into(),
        when: "!row.regoin.startsWith('eu-')".into(),
        message: "stay in the EU".into(),
        ..Definition::default()
    };
    let error = rule::check(&policy).unwrap_err().to_string();
    assert!(error.contains("rule `eu-only`, when: no field `row.regoin`; did you mean region"), "{error}");
    assert!(Rules::new([policy]).evaluate(&json!({"row": {"region": "us-east-1"}})).is_err());
}

#[test]
fn hostile_policies_end_with_an_answer() {
    let facts = json!({"row": {"nodes": 2, "region": "x", "costs": [{"billing": "spot"}]}});
    for when in [
        "row.nodes / 0 > 1".to_owned(),
        "row.nodes % 0 == 1".to_owned(),
        "1e308 * 1e308 > 1".to_owned(),
        format!("'{}' == row.region", "x".repeat(1_000_000)),
        "(".repeat(100_000),
        format!("{}true", "!".repeat(100_000)),
        format!("true{}", " && true".repeat(200)),
        "row.region.matches('(a+)+$')".to_owned(),
        "row.region.matches('[')".to_owned(),
        "row.region.matches('x{1000}{1000}{1000}')".to_owned(),
        "[1, 2, 3].all(a, [1, 2, 3].all(b, [1, 2, 3].all(c, true)))".to_owned(),
        "row".to_owned(),
        "\u{0}\u{feff}é".to_owned(),
    ] {
        let rules =
            Rules::new([Definition { when: when.clone(), message: "x".into(), ..Definition::default() }]);
        if let Err(error) = rules.evaluate(&facts) {
            assert!(error.to_string().len() < 3_000, "{error}");
        }
    }
}

#[test]
fn every_scenario_has_a_machine_and_workloads_that_resolve_or_say_why_not() {
    let catalog = catalog();
    let names: Vec<_> = catalog.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    let mut judged = 0;
    for scenario in &catalog.scenarios {
        assert!(catalog.resolve_gpu_spec(&scenario.guide_gpu).is_ok(), "{}", scenario.guide_gpu);
        assert!(!scenario.workloads.is_empty());
        for workload in &scenario.workloads {
            assert_eq!(workload.flags.is_empty(), workload.not_judged.is_some(), "{}", workload.name);
            if !workload.flags.is_empty() {
                let pairs = workload.flags.iter().map(|(key, value)| (key.as_str(), value.as_str()));
                let args =
                    WorkloadArgs::from_pairs(pairs).unwrap_or_else(|e| panic!("{}: {e}", workload.name));
                resolve(&args, &catalog, &|_| Ok(None)).unwrap_or_else(|e| panic!("{}: {e}", workload.name));
                judged += 1;
            }
        }
    }
    assert_eq!(judged, 9);
}
