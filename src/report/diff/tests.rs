//! Parts that add up, unknowns that stay unknown, and answers that are refused.

use super::*;
use crate::money::Usd;
use proptest::prelude::*;
use rust_decimal::Decimal;
use serde_json::{Value, json};

/// One workload of a stored `check`.
#[derive(Clone, Debug)]
struct W {
    name: String,
    machine: &'static str,
    nodes: u32,
    rate: Option<f64>,
    hours: f64,
    asked: u32,
}

fn w(name: &str, rate: f64, hours: f64) -> W {
    W { name: name.to_owned(), machine: "m1", nodes: 1, rate: Some(rate), hours, asked: 0 }
}

fn total(one: &W) -> Option<f64> {
    one.rate.map(|rate| (rate * one.hours * 100.0).round() / 100.0)
}

fn check(workloads: &[W]) -> String {
    let one = |one: &W| {
        let total = total(one);
        let pick = json!({
            "provider": "p", "region": "r", "instance_type": one.machine, "nodes": one.nodes,
            "ranked_billing": "on-demand", "ranked_total_usd": total,
            "costs": [{ "billing": "on-demand", "upfront": null, "usd_per_hour": one.rate, "billed_hours": one.hours,
                        "total_usd": total, "commitment_usd": null }],
        });
        let pick = if total.is_some() { pick } else { Value::Null };
        json!({ "name": one.name, "asked": { "n": [one.asked.to_string()] }, "workload": {}, "pick": pick,
                "total_usd": total })
    };
    let workloads: Vec<Value> = workloads.iter().map(one).collect();
    json!({ "schema_version": 1, "command": "check", "generated_with": "gpuadvise 0.1.0",
            "catalog": {}, "workloads": workloads })
    .to_string()
}

fn diff(old: &[W], new: &[W]) -> DiffAnswer {
    DiffAnswer::new(("old.json", &check(old)), ("new.json", &check(new)), None).unwrap()
}

fn parts(answer: &DiffAnswer) -> [Option<f64>; 3] {
    let totals = &answer.totals;
    [totals.change_usd, totals.price_usd, totals.workload_usd].map(|part| part.map(Num::value))
}

#[test]
fn prices_and_workload_are_told_apart() {
    let old = [w("a", 2.0, 100.0)];
    assert_eq!(parts(&diff(&old, &old)), [Some(0.0), Some(0.0), Some(0.0)]);
    assert_eq!(diff(&old, &old).rows[0].status, "same");
    assert_eq!(parts(&diff(&old, &[w("a", 3.0, 100.0)])), [Some(100.0), Some(100.0), Some(0.0)]);
    assert_eq!(parts(&diff(&old, &[w("a", 2.0, 150.0)])), [Some(100.0), Some(0.0), Some(100.0)]);
    // The old workload at the new price: 100 h x 3.
    assert_eq!(parts(&diff(&old, &[w("a", 3.0, 150.0)])), [Some(250.0), Some(100.0), Some(150.0)]);
}

#[test]
fn another_choice_is_split_only_where_that_can_be_known() {
    let old = [w("a", 2.0, 100.0)];
    let hop = |asked| [W { machine: "m2", asked, ..w("a", 2.5, 100.0) }];
    assert_eq!(parts(&diff(&old, &hop(0))), [Some(50.0), Some(50.0), Some(0.0)], "the same question");
    assert_eq!(parts(&diff(&old, &hop(1))), [Some(50.0), None, None], "another question");
    // Another workload of the new answer still shows the price of the old choice.
    let seen = |rate| [hop(1)[0].clone(), w("b", rate, 1.0)];
    let both = [w("a", 2.0, 100.0), w("b", 2.0, 1.0)];
    assert_eq!(parts(&diff(&both, &seen(3.0))), [Some(51.0), Some(101.0), Some(-50.0)]);
}

#[test]
fn unknown_on_one_side_is_unknown_and_never_a_saving() {
    let known = w("a", 2.0, 100.0);
    let unknown = W { rate: None, ..known.clone() };
    for (old, new) in [(&known, &unknown), (&unknown, &known), (&unknown, &unknown)] {
        let answer = diff(std::slice::from_ref(old), std::slice::from_ref(new));
        assert_eq!(parts(&answer), [None, None, None]);
        assert_eq!(answer.rows[0].status, "unknown");
        assert_eq!(
            (answer.totals.at_least, answer.totals.unknown.as_slice()),
            (true, ["a".to_owned()].as_slice())
        );
    }
    let answer = diff(&[], &[unknown]);
    assert_eq!(parts(&answer), [None, None, None], "an addition without a price");
}

#[test]
fn what_is_new_or_gone_is_workload() {
    let (a, b) = (w("a", 2.0, 100.0), w("b", 1.0, 10.0));
    let answer = diff(std::slice::from_ref(&a), &[a.clone(), b.clone()]);
    assert_eq!(parts(&answer), [Some(10.0), Some(0.0), Some(10.0)]);
    assert_eq!(answer.rows.iter().map(|row| row.status).collect::<Vec<_>>(), ["same", "added"]);
    let answer = diff(&[a.clone(), b], &[a]);
    assert_eq!(parts(&answer), [Some(-10.0), Some(0.0), Some(-10.0)]);
    assert_eq!(answer.rows[1].status, "removed");
}

fn limited(old: &[W], new: &[W], limit: Increase) -> bool {
    let answer = DiffAnswer::new(("o", &check(old)), ("n", &check(new)), Some(limit)).unwrap();
    answer.limit.unwrap().exceeded
}

/// P125: +1,000.00 passes a limit of 1,000, +1,000.01 does not.
#[test]
fn p125_the_limit_holds_to_the_cent() {
    let old = [w("a", 1.0, 5000.0)];
    let limit = Increase::Usd(Usd::from_f64(1000.0).unwrap());
    assert!(!limited(&old, &[w("a", 1.0, 6000.0)], limit));
    assert!(limited(&old, &[w("a", 1.0, 6000.01)], limit));
    let fifth = Increase::Percent(Decimal::from(20));
    assert!(!limited(&old, &[w("a", 1.0, 6000.0)], fifth));
    assert!(limited(&old, &[w("a", 1.0, 6000.01)], fifth));
    assert!(!limited(&old, &[w("a", 1.0, 1.0)], Increase::Usd(Usd::ZERO)), "a saving is no rise");
    assert!(limited(&old, &[W { rate: None, ..w("a", 1.0, 1.0) }], limit), "unknown does not pass");
}

#[test]
fn answers_that_cannot_be_compared_are_refused() {
    let good = check(&[w("a", 2.0, 100.0)]);
    let with = |from: &str, to: &str| good.replacen(from, to, 1);
    for (text, named) in [
        (good[..good.len() / 2].to_owned(), "not a whole JSON document"),
        (String::new(), "not a whole JSON document"),
        ("[]".to_owned(), "schema_version"),
        ("{}".to_owned(), "schema_version"),
        (with("\"schema_version\":1", "\"schema_version\":2"), "schema_version 2; this program reads 1"),
        (with("\"command\":\"check\"", "\"command\":\"fit\""), "an answer of `fit`"),
        (with("\"command\":\"check\"", "\"command\":\"cost\""), "no list `rows`"),
        (with("\"catalog\":{}", "\"findings\":[]"), "invalid"),
        (with("\"catalog\":{}", "\"currency\":\"CNY\""), "CNY"),
        (with("\"total_usd\":200.0,\"workload\"", "\"total_usd\":-200.0,\"workload\""), "negative"),
        (with("\"total_usd\":200.0,\"workload\"", "\"total_usd\":\"200\",\"workload\""), "no number"),
        (with("\"total_usd\":200.0,\"workload\"", "\"total_usd\":1e300,\"workload\""), "too large"),
        (with("\"name\":\"a\"", "\"name\":1"), "no text"),
        (with("\"nodes\":1", "\"nodes\":0"), "nodes"),
        (check(&[w("a", 2.0, 1.0), w("a", 2.0, 1.0)]), "twice"),
    ] {
        for (old, new) in [(&text, &good), (&good, &text)] {
            let error =
                DiffAnswer::new(("old.json", old), ("new.json", new), None).expect_err(named).to_string();
            assert!(error.contains(named), "{named}: {error}");
            assert!(error.contains(".json"), "{error}");
        }
    }
    let empty = json!({ "schema_version": 1, "command": "recommend", "recommendations": [] }).to_string();
    let error = DiffAnswer::new(("a", &good), ("b", &empty), None).unwrap_err().to_string();
    assert!(error.contains("an answer of `check` and b one of `recommend`"), "{error}");
}

fn any_workload() -> impl Strategy<Value = W> {
    (0_u32..5, 0_u32..2, 1_u32..4, 1_u32..100_000, 1_u32..1_000_000, 0_u32..2).prop_map(
        |(name, machine, nodes, cents, hours, asked)| W {
            name: name.to_string(),
            machine: ["m1", "m2"][machine as usize],
            nodes,
            rate: Some(f64::from(cents) / 100.0),
            hours: f64::from(hours) / 1000.0,
            asked,
        },
    )
}

fn any_answer() -> impl Strategy<Value = Vec<W>> {
    proptest::collection::vec(any_workload(), 0..5).prop_map(|list| {
        let mut seen = std::collections::BTreeSet::new();
        list.into_iter().filter(|w| seen.insert(w.name.clone())).collect()
    })
}

fn cents(amount: Option<Num>) -> Option<i64> {
    amount.map(|num| (num.value() * 100.0).round() as i64)
}

proptest! {
    #[test]
    fn the_parts_add_up_to_the_cent(old in any_answer(), new in any_answer()) {
        let answer = diff(&old, &new);
        for row in &answer.rows {
            if let (Some(price), Some(workload)) = (cents(row.price_usd), cents(row.workload_usd)) {
                prop_assert_eq!(Some(price + workload), cents(row.change_usd));
            }
        }
        let sum = |list: &[W]| list.iter().filter_map(total).map(|usd| (usd * 100.0).round() as i64).sum::<i64>();
        prop_assert_eq!(cents(answer.totals.change_usd), Some(sum(&new) - sum(&old)));
    }

    #[test]
    fn the_way_back_is_the_opposite_change(old in any_answer(), new in any_answer()) {
        let (there, back) = (diff(&old, &new), diff(&new, &old));
        prop_assert_eq!(cents(there.totals.change_usd), cents(back.totals.change_usd).map(|change| -change));
    }

    #[test]
    fn the_order_of_workloads_changes_nothing(old in any_answer(), new in any_answer()) {
        let mut turned = new.clone();
        turned.reverse();
        prop_assert_eq!(diff(&old, &new).totals, diff(&old, &turned).totals);
    }
}

/// A stored `cost`: (machine, total).
fn cost(rows: &[(&str, Option<f64>)]) -> String {
    let row = |&(machine, total): &(&str, Option<f64>)| {
        json!({ "provider": "p", "region": "r", "instance_type": machine, "nodes": 1, "billing": "on-demand",
                "upfront": null, "usd_per_hour": total, "billed_hours": 1, "total_usd": total, "commitment_usd": null })
    };
    let rows: Vec<Value> = rows.iter().map(row).collect();
    json!({ "schema_version": 1, "command": "cost", "generated_with": "x", "catalog": {}, "rows": rows })
        .to_string()
}

#[test]
fn new_rows_of_cost_count_and_rows_unknown_in_both_do_not() {
    let limit = |usd: f64| Some(Increase::Usd(Usd::from_f64(usd).unwrap()));
    let compare = |old: &[(&str, Option<f64>)], new: &[(&str, Option<f64>)], limit| {
        DiffAnswer::new(("o", &cost(old)), ("n", &cost(new)), limit).unwrap()
    };
    let answer = compare(&[("a", Some(5.0))], &[("a", Some(6.0)), ("b", Some(9.0))], limit(8.0));
    assert_eq!(answer.totals.change_usd.map(Num::value), Some(9.0), "the largest of the table");
    let line = answer.limit.unwrap();
    assert!(line.exceeded && line.message.unwrap().starts_with("p/b r on-demand rises by 9.00 USD"));
    let share = compare(
        &[("a", Some(5.0))],
        &[("a", Some(5.0)), ("b", Some(9.0))],
        Some(Increase::Percent(Decimal::TEN)),
    );
    assert!(share.limit.unwrap().exceeded, "from nothing no per cent is small");
    let unknown = compare(&[("a", Some(5.0)), ("u", None)], &[("a", Some(5.0)), ("u", None)], limit(0.0));
    assert_eq!((unknown.rows[1].status, unknown.totals.unknown.len()), ("same", 0));
    assert!(!unknown.limit.unwrap().exceeded);
    let lost = compare(&[("a", Some(5.0))], &[("a", None)], limit(100.0));
    assert!(lost.limit.unwrap().exceeded, "a price that is no longer known does not pass");
}
