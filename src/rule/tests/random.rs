//! No text makes the engine panic, hang or overflow the stack: broken ones, well-formed ones, and any Unicode.

use super::facts;
use crate::rule::expression::{Expression, Scope};
use crate::rule::message::{Message, figure};
use proptest::prelude::*;

/// Text made of the pieces that expressions are made of, so that many of them parse.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(vec![
            "row", "gpu", "spot", "workload", ".nodes", ".region", ".costs", ".memory", ".billing", "[0]", "[", "]", "(",
            ")", "{", "}", "'a'", "\"b\"", "'", "\"", "'''", "r'", "b'", "\\", "1", "0", "2.5", "1e9", "0x1F", "7u",
            "-1", "1e999", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "+", "-", "*", "/",
            "%", "!", "&&", "||", "==", "!=", "<", ">=", " in ", "?", ":", ",", ".", " ", "null", "true", "false",
            "has(", "size(", "int(", "string(", "double(", ".exists(c, ", ".all(c, ", ".map(c, ", ".filter(c, ",
            ".exists_one(c, ", ".contains(", ".matches(", ".startsWith(", "c", "c.billing", "//", "\n", "\t", "`", "@",
            "é", "中", "\u{0}", "\u{feff}", "as", "import", "x", "_", ".?", "[?", "...",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Expressions that are well formed more often than not.
fn grown() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "row.nodes",
        "row.region",
        "row.costs",
        "row.memory",
        "gpu.bf16",
        "spot.total_usd",
        "1",
        "0",
        "2.5",
        "-3",
        "'us-'",
        "''",
        "true",
        "null",
        "[1, 2]",
        "row.also_in",
        "c.billing",
        "c",
        "1e308",
        "9223372036854775807",
        "18446744073709551615u",
        "row.costs[0]",
        "row.costs[1].notes",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(5, 40, 3, |inner| {
        let op = prop::sample::select(vec!["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "in"]);
        let call = prop::sample::select(vec!["size", "int", "double", "string", "has"]);
        let member = prop::sample::select(vec!["contains", "startsWith", "endsWith", "matches", "size"]);
        let fold = prop::sample::select(vec!["exists", "all", "exists_one", "map", "filter"]);
        prop_oneof![
            (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (call, inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            (inner.clone(), member, inner.clone()).prop_map(|(a, f, b)| format!("{a}.{f}({b})")),
            (inner.clone(), fold, inner.clone()).prop_map(|(a, f, b)| format!("{a}.{f}(c, {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}[{b}]")),
            inner.clone().prop_map(|a| format!("!{a}")),
            inner.prop_map(|a| format!("-{a}")),
        ]
    })
}

fn try_everything(text: &str) {
    let scope = Scope::whole(&facts());
    if let Ok(parsed) = Expression::parse(text) {
        let part = Scope::for_reading(&facts(), [&parsed]);
        assert_eq!(parsed.evaluate(&part), parsed.evaluate(&scope), "{text} misses facts that it reads");
        let _ = parsed.try_out(&Scope::sample());
    }
    if let Ok(message) = Message::parse(text) {
        let filled = message.fill(&scope).unwrap_or_default();
        assert!(filled.chars().count() <= 1_001);
    }
    if let Ok(message) = Message::parse(&format!("{{{text}}}")) {
        let _ = message.fill(&scope);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in soup()) {
        try_everything(&text);
    }

    #[test]
    fn no_expression_panics(text in grown()) {
        try_everything(&text);
    }

    #[test]
    fn arbitrary_unicode_does_not_panic(text in any::<String>()) {
        try_everything(&text);
    }

    #[test]
    fn figures_read_back(number in -1e12_f64..1e12) {
        let printed = figure(number, None).replace(',', "");
        let back: f64 = printed.parse().unwrap();
        prop_assert!((back - number).abs() <= number.abs() * 0.006, "{number} {printed}");
    }
}
