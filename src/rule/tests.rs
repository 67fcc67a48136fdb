//! Expressions, messages and their limits. Fixtures of the embedded rules are in `tests/it/rules.rs`.

use super::expression::{Expression, Scope, Seen};
use super::fields::{FIELDS, Kind, kind_of};
use super::message::{Message, figure};
use super::*;
use serde_json::{Value, json};

mod random;

fn facts() -> Value {
    json!({
        "row": {
            "rank": 1, "provider": "aws", "region": "us-east-1", "also_in": ["us-west-2", "eu-west-1"],
            "nodes": 2, "total_gpus": 16, "gpus_per_node": 8,
            "memory": {"verdict": "tight", "usable_gib": 79.6, "total_gib": 70.123_456, "terms": null},
            "performance": {"communication_share": 0.35, "ttft_ms": null},
            "costs": [
                {"billing": "on-demand", "total_usd": 100, "price_as_of": {"not_before": "2025-11-01", "not_after": "2026-11-30"}},
                {"billing": "spot", "total_usd": 40.5, "expected_interruptions": 1.5, "price_as_of": "2026-07-20"},
            ],
        },
        "gpu": {"name": "H100-SXM", "bf16": true, "memory_gib": 80},
        "instance": {"network_gbps": null, "ram_gib": 2048, "vcpus": 192, "nvme_gb": 0},
        "workload": {"task": "train", "params": 1_000_000_000_u64},
        "spot": null,
    })
}

fn eval(text: &str) -> Result<Seen, String> {
    Expression::parse(text)?.evaluate(&Scope::whole(&facts()))
}

fn fails(text: &str) -> String {
    match Expression::parse(text).and_then(|parsed| parsed.try_out(&Scope::sample())) {
        Err(error) => error,
        Ok(seen) => panic!("`{text}` gave {seen:?}"),
    }
}

fn unknown(text: &str) -> bool {
    matches!(eval(text), Ok(Seen::Unknown(_)))
}

#[track_caller]
fn holds(text: &str) {
    assert_eq!(eval(text), Ok(Seen::Flag(true)), "{text}");
}

#[test]
fn whole_numbers_and_fractions_mix() {
    holds("row.nodes > 1");
    holds("row.nodes > 1.5 && 1.5 < row.nodes");
    holds("row.total_gpus * 2 + 1 == 33");
    holds("row.total_gpus % 5 == 1");
    holds("7 / 2 == 3.5");
    holds("-row.nodes < -1");
    holds("size(row.costs) * 2 == 4 && row.costs.size() - 1 == 1");
    holds("int(7.9) * 2 == 14");
    holds("row.costs[0].total_usd > row.costs[1].total_usd");
    holds("row.costs[size(row.costs) - 1].billing == 'spot'");
    holds("workload.params >= 1e9 && workload.params / 1e9 == 1");
    holds("row.nodes in [2, 4, 8]");
    holds("string(row.nodes) == '2'");
    holds("row.total_gpus / row.gpus_per_node == double(row.nodes)");
}

#[test]
fn texts_lists_and_choices() {
    holds("row.region.startsWith('us-') && row.region.endsWith('1') && row.region.contains('east')");
    holds("!row.region.startsWith('eu-')");
    holds("row.region.matches('^us-(east|west)-[0-9]$')");
    holds("'eu-west-1' in row.also_in");
    holds("row.also_in.exists(r, r.startsWith('eu-'))");
    holds("row.costs.all(c, c.total_usd > 1)");
    holds("row.costs.exists_one(c, c.billing == 'spot')");
    holds("row.costs.filter(c, c.billing == 'spot')[0].total_usd == 40.5");
    holds("row['region'] == 'us-east-1'");
    holds("(row.nodes > 1 ? 'several' : 'one') == 'several'");
    holds("row.costs.exists(c, c.price_as_of < '2026-01-01')");
    holds("size(row.also_in) == 2 && size(row.region) == 9");
    holds(".row.nodes == 2");
}

#[test]
fn what_is_not_known_makes_the_result_unknown_whatever_the_comparison() {
    for text in [
        "instance.network_gbps < 100",
        "instance.network_gbps == 100",
        "instance.network_gbps != 100",
        "instance.network_gbps * 8 > 1",
        "instance.network_gbps in [100]",
        "!(instance.network_gbps > 100)",
        "row.performance.ttft_ms > 1",
        "row.memory.terms.weights_gib > 1",
        "spot.total_usd > 1",
        "region.country != 'DE'",
        "row.region + region.country == 'x'",
        "row.costs[7].total_usd > 1",
        "row.costs.all(c, c.expected_interruptions > 1)",
        "row.nodes / instance.nvme_gb > 1",
        "row.nodes % instance.nvme_gb > 1",
        "workload.precision.startsWith('bf')",
    ] {
        assert!(unknown(text), "{text}: {:?}", eval(text));
    }
}

#[test]
fn the_unknown_is_passed_over_where_the_rest_decides() {
    holds("instance.network_gbps < 100 || row.nodes == 2");
    holds("row.nodes == 2 || instance.network_gbps < 100");
    holds("!(instance.network_gbps < 100 && row.nodes == 1)");
    holds("has(workload.precision) ? workload.precision == 'x' : true");
    holds("row.costs.exists(c, c.expected_interruptions > 1)");
}

#[test]
fn presence_can_be_asked_with_has_or_null() {
    holds("has(row.memory) && has(row.memory.total_gib)");
    holds("!has(row.memory.terms) && !has(row.memory.terms.weights_gib)");
    holds("instance.network_gbps == null && null == instance.network_gbps");
    holds("row.nodes != null && row.memory.terms.weights_gib == null");
    holds("spot == null && row != null");
    holds("!row.costs.all(c, has(c.expected_interruptions))");
    holds("row.costs.exists(c, c.expected_interruptions == null)");
}

#[test]
fn a_wrong_name_is_told_with_near_names() {
    assert!(fails("row.node > 1").starts_with("no field `row.node`; did you mean nodes"));
    assert!(
        fails("row.memory.total > 1").contains("did you mean total_gib"),
        "{}",
        fails("row.memory.total > 1")
    );
    assert!(fails("nodes > 1").contains("did you mean row.nodes?"), "{}", fails("nodes > 1"));
    assert!(fails("rwo.nodes > 1").contains("expressions begin with row"), "{}", fails("rwo.nodes > 1"));
    assert!(fails("row.region.name == 'x'").contains("`row.region` is a text"));
    assert!(fails("row.costs.billing == 'x'").contains("a list of objects"));
    assert!(fails("row.costs.exists(c, c.biling == 'x')").contains("did you mean billing"));
    assert!(fails("row.costs[0].biling == 'x'").contains("did you mean billing"));
    assert!(fails("row['regoin'] == 'x'").contains("did you mean region"));
    assert!(fails("spot.total > 1").contains("total_usd"));
    assert!(fails("has(row.node)").contains("nodes"));
    assert!(fails("row.nodes.exists(n, n > 1)").contains("not a list"));
    assert!(fails("row.region.startwith('eu')").contains("did you mean startsWith"));
    assert!(fails("row.region.lowerAscii() == 'x'").contains("no function `lowerAscii`"));
}

#[test]
fn a_fault_shows_even_where_it_would_not_be_reached() {
    assert_eq!(fails("row.region > 3"), "`>` does not take a text and a number in `row.region > 3`");
    assert!(fails("workload.task == 'train' && row.region > 3").contains("a text and a number"));
    assert!(fails("gpu.bf16 ? row.nodes : row.region * 2").contains("`*` does not take a text and a number"));
    assert!(
        fails("row.region.matches('(')").contains("regex parse error")
            || fails("row.region.matches('(')").contains('(')
    );
    assert!(fails("size(row.nodes) > 1").contains("`size` does not take a number"));
    assert!(fails("row.region.startsWith(1)").contains("startsWith"));
    assert!(fails("row.nodes && true").contains("`&&` does not take"), "{}", fails("row.nodes && true"));
    assert!(fails("!row.nodes").contains("`!` does not take a number"));
    assert!(fails("row.nodes + 'x'").contains("`+` does not take a number and a text"));
    assert!(fails("row.nodes ? 1 : 2").contains("true or false is needed"), "{}", fails("row.nodes ? 1 : 2"));
}

#[test]
fn sides_of_different_kinds_are_refused_as_they_could_never_be_equal() {
    for text in [
        "row.nodes == \"1\"",
        "row.provider == 1",
        "row.memory.verdict == true",
        "gpu == \"L4\"",
        "row.ranked_billing == spot",
        "\"1\" in [row.nodes]",
        "row.nodes in [1, 'two']",
        "row.costs == []",
        "row.costs[0] != spot",
        "1 in row.also_in",
        "'spot' in row.costs",
        "row.nodes != 'x' || true",
        "row.costs.exists(c, c.total_usd == '1')",
        "row.also_in.all(r, r != 1)",
        "row.costs.exists(c, row.costs[0].billing == c)",
        "size(row.costs) == '1'",
        "string(row.nodes) == 2",
        "has(row.memory) == 'yes'",
        "(row.nodes > 1 ? 'a' : 'b') == 1",
        "row['nodes'] == '1'",
        "spot.billing == 3",
        "1 in row.costs.map(c, c.billing)",
        "'spot' in row.costs.map(c, c.total_usd * 2)",
        "'spot' in row.costs.filter(c, c.total_usd > 1)",
        "true in row.costs.exists(c, c.total_usd > 1)",
        "row.costs.filter(c, true) == 'spot'",
        "row.costs.exists(c, c.total_usd > 1) == 'yes'",
        "row.costs.filter(c, true)[0].billing == 3",
        "row.costs.map(c, c.billing)[0] == 3",
        "row.costs.map(c, c.total_usd * 2)[0] == 'x'",
        "row.costs.filter(c, true).exists(c, c.billing == 3)",
        "row.costs.filter(c, true).map(c, c.billing).exists(b, b == 3)",
    ] {
        let error = fails(text);
        assert!(error.contains("does not take"), "{text}: {error}");
    }
    assert_eq!(fails("row.nodes == '1'"), "`==` does not take a number (`row.nodes`) and a text");
    holds("row.memory.verdict == 'tight' && gpu.bf16 == true && row.nodes in [2, 4]");
    holds("row.costs.filter(c, c.billing == 'spot').map(c, c.total_usd)[0] == 40.5");
    holds("'spot' in row.costs.map(c, c.billing)");
    let read = Expression::parse("row.costs.filter(c, gpu.bf16)[1].total_usd == 40.5").unwrap();
    let seen = read.evaluate(&Scope::for_reading(&facts(), [&read]));
    assert_eq!(seen, Ok(Seen::Flag(true)), "what a loop reads is there");
    holds("row.costs.filter(c, c.billing == 'spot').exists(c, c.total_usd > 1)");
    assert!(fails("row.costs.filter(c, true)[0].totl_usd > 1").contains("total_usd"));
    assert!(fails("row.costs.filter(c, true).map(c, c.biling)[0] == 'x'").contains("billing"));
    assert!(fails("row.costs.exists(c, true).map(c, c)[0] == 'x'").contains("not a list"));
    holds("has(row.memory) == true && row.nodes + 1 == 3 && row.region + 'x' != ''");
}

#[test]
fn text_that_is_no_expression_is_refused_with_its_column() {
    for text in [
        "",
        "  ",
        "row.",
        "row.nodes >",
        "1 +",
        "(1",
        "'open",
        "row.nodes > > 1",
        "a b",
        "{1: 2}",
        "b'x'",
        "X{}",
        "row.?nodes",
        "@x",
        "1 = 2",
    ] {
        let error = fails(text);
        assert!(!error.is_empty() && !error.contains("<input>"), "{text}: {error}");
    }
    assert!(fails("row.nodes > > 1").contains("column 13"), "{}", fails("row.nodes > > 1"));
}

#[test]
fn size_and_nesting_are_bounded() {
    assert!(fails(&format!("'{}' == ''", "x".repeat(3_000))).contains("at most 2000"));
    for deep in [
        format!("{}1{} == 1", "(".repeat(900), ")".repeat(900)),
        format!("{}true", "!".repeat(1_900)),
        format!("{}1 == 1", "-".repeat(1_900)),
        format!("{}1{} == [1]", "[".repeat(900), "]".repeat(900)),
        format!("1{} == 1", "+1".repeat(900)),
        format!("row{} == 1", ".a".repeat(900)),
        format!("row.costs{} == 1", "[0]".repeat(600)),
        format!("{}1", "true?1:".repeat(280)),
        format!("true{}", "?true:1".repeat(200)),
        format!("true{}", "&&true".repeat(300)),
        format!("true{}", "||true".repeat(300)),
        format!("'a'{} == ''", ".contains('a')".repeat(130)),
        "row.costs.map(a, ".repeat(110),
        format!("{}1{}", "size(".repeat(300), ")".repeat(300)),
    ] {
        let parsed = Expression::parse(&deep);
        if let Ok(parsed) = parsed {
            let _ = parsed.evaluate(&Scope::whole(&facts()));
        }
    }
    let loops = "row.costs.exists(a, row.costs.exists(b, row.costs.exists(c, true)))";
    assert!(fails(loops).contains("at most 2 loops"));
    holds("row.costs.exists(a, row.costs.exists(b, a.billing != b.billing))");
}

#[test]
fn holes_print_tidy_figures() {
    let say = |text: &str| Message::parse(text).and_then(|m| m.fill(&Scope::whole(&facts())));
    assert_eq!(say("{row.nodes} nodes"), Ok("2 nodes".into()));
    assert_eq!(say("{row.memory.total_gib} of {row.memory.usable_gib:.0} GiB"), Ok("70.1 of 80 GiB".into()));
    assert_eq!(say("{row.memory.total_gib:.3}"), Ok("70.123".into()));
    assert_eq!(say("{row.nodes > 1 ? \"a } b\" : 'c'}!"), Ok("a } b!".into()));
    assert_eq!(say("{row.nodes > 1 ? row.total_gpus : 1:.1}"), Ok("16.0".into()));
    assert_eq!(say("{{literal}} {gpu.name} {gpu.bf16}"), Ok("{literal} H100-SXM yes".into()));
    assert_eq!(say("{instance.network_gbps} Gbit/s"), Ok("unknown Gbit/s".into()));
    assert_eq!(say("{workload.params}"), Ok("1,000,000,000".into()));
    assert!(say("{row.costs}").is_err());
    for bad in ["{row.nodes", "row.nodes}", "{}", "{row.nodez}", "{row.nodes:.99}", "{'open}"] {
        assert!(Message::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn figures_are_short_and_exact() {
    for (number, decimals, printed) in [
        (12.300_000_000_001, None, "12.3"),
        (0.0, None, "0"),
        (-0.0001, Some(1), "0.0"),
        (0.1 + 0.2, None, "0.3"),
        (1152.0, None, "1152"),
        (12_345.6, None, "12,346"),
        (-1_234_567.0, None, "-1,234,567"),
        (99.96, None, "100"),
        (0.000_123_4, None, "0.000123"),
        (2.5, Some(2), "2.50"),
        (1e300, Some(0), &format!("{:.0}", 1e300)),
        (f64::INFINITY, None, "unknown"),
        (f64::NAN, Some(2), "unknown"),
    ] {
        assert_eq!(figure(number, decimals).replace(',', ""), printed.replace(',', ""), "{number}");
    }
    assert_eq!(figure(12_345.6, None), "12,346");
    assert_eq!(figure(1234.0, None), "1234");
}

#[test]
fn rules_fire_gravest_first_and_keep_count_of_what_they_cannot_tell() {
    let rule = |id: &str, level: &str, when: &str| Definition {
        id: id.into(),
        level: level.into(),
        when: when.into(),
        message: "{row.nodes} nodes".into(),
        saves_usd: Some("row.costs[0].total_usd - row.costs[1].total_usd".into()),
        source: "test".into(),
        quoted: false,
    };
    let rules = Rules::new([
        rule("a", "info", "row.nodes > 1"),
        rule("b", "deny", "!row.region.startsWith('eu-')"),
        rule("c", "warn", "region.country != 'DE'"),
        rule("d", "warn", "row.nodes > 2"),
    ]);
    let judged = rules.judge(&facts()).unwrap();
    let ids: Vec<_> = judged.advice.iter().map(|a| a.id.as_str()).collect();
    assert_eq!(ids, ["b", "a"]);
    assert_eq!(judged.advice[0].saves_usd, Some(59.5));
    assert_eq!(judged.advice[0].message, "2 nodes");
    assert_eq!(judged.undecided.len(), 1);
    assert_eq!(
        (judged.undecided[0].id.as_str(), judged.undecided[0].why.as_str()),
        ("c", "country is not known")
    );
}

#[test]
fn a_bad_rule_is_told_with_its_part() {
    let good = Definition {
        id: "x".into(),
        level: "warn".into(),
        when: "row.nodes > 0".into(),
        message: "{row.nodes}".into(),
        saves_usd: None,
        source: String::new(),
        quoted: false,
    };
    assert_eq!(check(&good), Ok(()));
    let spoilt = |part, text: &str| {
        let mut rule = good.clone();
        match part {
            "level" => text.clone_into(&mut rule.level),
            "when" => text.clone_into(&mut rule.when),
            "message" => text.clone_into(&mut rule.message),
            _ => rule.saves_usd = Some(text.to_owned()),
        }
        rule
    };
    for (part, text) in [
        ("level", "fatal"),
        ("when", "row.nodes"),
        ("when", "row.nodez > 1"),
        ("when", "row.region"),
        ("message", "{row.nodez}"),
        ("message", "{row.costs}"),
        ("saves-usd", "row.region"),
        ("saves-usd", "1 +"),
    ] {
        let rule = spoilt(part, text);
        let error = check(&rule).unwrap_err();
        assert_eq!(error.part, part, "{error}");
        assert!(part == "level" || Rules::new([rule]).judge(&facts::sample()).is_err(), "{error}");
    }
}

#[test]
fn money_that_is_not_saved_is_not_said() {
    for (saves, expected) in
        [("5", Some(5.0)), ("-5", None), ("0", None), ("spot.total_usd", None), ("1/0", None)]
    {
        let rule = Definition { when: "true".into(), saves_usd: Some(saves.into()), ..Definition::default() };
        let advice = Rules::new([rule]).evaluate(&facts()).unwrap();
        assert_eq!(advice[0].saves_usd, expected, "{saves}");
    }
}

#[test]
fn every_field_is_listed_once_under_its_group() {
    let mut paths: Vec<_> = FIELDS.iter().map(|field| field.path).collect();
    paths.sort_unstable();
    let count = paths.len();
    paths.dedup();
    assert_eq!(paths.len(), count);
    for field in FIELDS {
        let parent = field.path.rsplit_once('.').unwrap().0;
        assert_eq!(kind_of(parent), Some(Kind::Group), "{parent}");
    }
    assert_eq!(facts::unlisted(&facts::sample()), Vec::<String>::new());
    assert_eq!(facts::unlisted(&facts()), Vec::<String>::new());
    assert_eq!(
        facts::unlisted(&json!({"row": {"nodez": 1, "costs": [{"x": 2}]}})),
        ["row.costs[].x", "row.nodez"]
    );
}

#[test]
fn what_is_not_known_settles_a_condition_and_what_is_no_fact_does_not() {
    let facts = json!({"row": {"nodes": 2.0, "tier": null}, "workload": {"task": "train"}});
    for (when, settled) in [
        ("row.tier == 'marketplace'", true),
        ("row.nodes > 1 && spot.total_usd > 1", true),
        ("row.nodes > 1 && gpu.bf16", true),
        ("row.nodes > 1 && !gpu.bf16", true),
        ("row.nodes > 1", false),
        ("row.nodes == '2'", false),
        ("row.tier == null", false),
        ("row.tier == 'marketplace' || row.nodes > 1", false),
        ("true", false),
        ("true && row.nodes > 1", false),
        ("!false", false),
    ] {
        assert_eq!(guard::Guard::of(when).never_true(&facts), settled, "{when}");
        let rule =
            Definition { id: "r".into(), level: "info".into(), when: when.into(), ..Definition::default() };
        let rules = Rules::new([rule]);
        let both = (rules.evaluate(&facts), rules.judge(&facts).map(|judged| judged.advice));
        assert!(both.0 == both.1 && !(settled && both.0.is_ok_and(|said| !said.is_empty())), "{when}");
    }
}

#[test]
fn a_guard_finds_only_what_is_false_and_leaves_the_rest() {
    let facts = json!({"row": {"nodes": 2.0, "region": "x", "tier": null}, "workload": {"task": "train"}, "gpu": {"fp8": true}});
    for (when, found) in [
        ("workload.task == 'infer' && row.nodes / 0 > 1", true),
        ("workload.task != 'train'", true),
        ("(row.nodes > 1 || true) && row.nodes < 2", true),
        ("!gpu.fp8 && row.region == 'x'", true),
        ("workload.task in ['infer', 'finetune']", true),
        ("row.nodes >= 3", true),
        ("workload.task in ['infer', 'train']", false),
        ("workload.task == 'infer' || row.nodes == 2", false),
        ("workload.task == 'infer' ? true : false", false),
        ("row.tier == 'marketplace'", false),
        ("row.unknown == 1", false),
        ("row.nodes == '2'", false),
        ("row.region == 'a' + 'b'", false),
        ("row.region.contains('&& false')", false),
        ("row.region == 'it\\'s' && workload.task == 'infer'", false),
        ("row.nodes + 1 > 2", false),
        ("", false),
        (")", false),
        ("&&", false),
    ] {
        assert_eq!(guard::Guard::of(when).surely_false(&facts), found, "{when}");
    }
}
