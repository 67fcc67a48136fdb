use super::crossval::without;
use super::fit::{Problem, Settings};
use super::free::Choice;
use super::parent;
use super::rows::{Ask, Rows};
use super::values;
use crate::catalog::Catalog;
use crate::catalog::load::{Sections, embedded};
use crate::insight::metric::Metric;
use std::collections::BTreeSet;

fn catalog() -> Catalog {
    embedded(Sections::ALL).unwrap()
}

fn at(catalog: &Catalog, label: &str) -> usize {
    catalog.constants.iter().position(|c| values::label(c) == label).unwrap_or_else(|| panic!("no {label}"))
}

/// A question whose answer is a constant times a known factor.
fn ask(catalog: &Catalog, label: &str, factor: f64) -> Ask {
    let at = at(catalog, label);
    Box::new(move |catalog| Some(vec![(Metric::TokensPerSPerGpu, catalog.constants[at].value * factor)]))
}

/// Sources that measured `value` of a constant, each with some noise.
fn measured<'a>(
    catalog: &Catalog,
    label: &str,
    value: f64,
    sources: &[&'a str],
) -> Vec<(&'a str, Metric, f64, Ask)> {
    let noise = [1.0, 0.97, 1.03, 1.0, 0.99];
    sources
        .iter()
        .flat_map(|source| noise.map(|noise| (*source, noise)))
        .map(|(source, noise)| {
            (source, Metric::TokensPerSPerGpu, 1000.0 * value * noise, ask(catalog, label, 1000.0))
        })
        .collect()
}

fn problem<'a>(catalog: &Catalog, rows: &'a Rows) -> Problem<'a> {
    Problem::new(catalog, rows, Choice::own().unwrap().of(catalog), Settings::default())
}

#[test]
fn the_list_names_keys_that_exist_with_bounds_around_their_values() {
    let (catalog, choice) = (catalog(), Choice::own().unwrap());
    for key in &choice.keys {
        let rows: Vec<_> = catalog.constants.iter().filter(|constant| constant.key == key.key).collect();
        assert!(!rows.is_empty(), "no constant `{}`", key.key);
        for row in rows.iter().filter(|row| row.value > 0.0) {
            assert!((key.low..=key.high).contains(&row.value), "{} of {}", row.value, values::label(row));
        }
    }
}

#[test]
fn a_fit_finds_the_value_that_was_measured() {
    let catalog = catalog();
    let label = "train-efficiency Ampere";
    let rows = Rows::by_hand(&catalog, measured(&catalog, label, 0.4, &["a", "b"]));
    let fitted = problem(&catalog, &rows).fit(&catalog);
    let value = fitted.constants[at(&catalog, label)].value;
    assert!((value / 0.4 - 1.0).abs() < 0.03, "{value}");
    let others =
        |c: &Catalog| c.constants.iter().filter(|c| values::label(c) != label).cloned().collect::<Vec<_>>();
    assert_eq!(others(&fitted), others(&catalog), "a constant without rows moved");
}

#[test]
fn one_absurd_row_does_not_bend_a_fit() {
    let catalog = catalog();
    let label = "train-efficiency Ampere";
    let mut list = measured(&catalog, label, 0.4, &["a", "b"]);
    list.push(("a", Metric::TokensPerSPerGpu, 1e9, ask(&catalog, label, 1000.0)));
    let rows = Rows::by_hand(&catalog, list);
    let value = problem(&catalog, &rows).fit(&catalog).constants[at(&catalog, label)].value;
    assert!((value / 0.4 - 1.0).abs() < 0.05, "{value}");
}

#[test]
fn a_left_out_source_leaves_no_trace() {
    let catalog = catalog();
    let label = "train-efficiency Ampere";
    let list = |b: f64| {
        let mut list = measured(&catalog, label, 0.4, &["a"]);
        list.extend(measured(&catalog, label, b, &["b"]));
        list
    };
    let judged = |b: f64| {
        let rows = Rows::by_hand(&catalog, list(b));
        let problem = problem(&catalog, &rows);
        let source = rows.sources.iter().position(|name| name == "b").unwrap();
        without(&problem, &problem.fit(&catalog), source, &BTreeSet::new(), false).catalog.constants
            [at(&catalog, label)]
        .value
    };
    let (low, high) = (judged(0.2), judged(0.6));
    assert!((low / high - 1.0).abs() < 0.04, "{low} and {high}");
    assert!((low / 0.4 - 1.0).abs() < 0.04, "{low}");
}

#[test]
fn what_one_source_alone_determines_is_replaced_by_what_holds_more_widely() {
    let catalog = catalog();
    let (own, wider) = ("train-efficiency Hopper fp8", "train-efficiency Hopper");
    let mut list = measured(&catalog, own, 0.3, &["a"]);
    list.extend(measured(&catalog, wider, 0.5, &["b", "c"]));
    let rows = Rows::by_hand(&catalog, list);
    let problem = problem(&catalog, &rows);
    let fitted = problem.fit(&catalog);
    let left = without(&problem, &fitted, 0, &BTreeSet::new(), false);
    assert_eq!(rows.sources[0], "a");
    assert_eq!(left.replaced, [at(&catalog, own)]);
    let value = |label: &str| left.catalog.constants[at(&catalog, label)].value;
    assert!((value(own) / value(wider) - 1.0).abs() < 1e-9, "{} {}", value(own), value(wider));
    assert!((fitted.constants[at(&catalog, own)].value / 0.3 - 1.0).abs() < 0.03);
}

#[test]
fn fits_are_deterministic() {
    let catalog = catalog();
    let rows = || Rows::by_hand(&catalog, measured(&catalog, "serve-bandwidth vllm", 0.6, &["a", "b"]));
    let (first, second) = (rows(), rows());
    let fit = |rows: &Rows| problem(&catalog, rows).fit(&catalog).constants;
    assert_eq!(fit(&first), fit(&second));
}

#[test]
fn parents_are_what_a_look_up_would_find_next() {
    let catalog = catalog();
    let parent = |label: &str| {
        parent::of(&catalog, at(&catalog, label)).map(|at| values::label(&catalog.constants[at]))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(parent("train-efficiency"), None);
    assert_eq!(parent("train-efficiency Hopper"), some("train-efficiency"));
    assert_eq!(parent("train-efficiency Hopper fp8"), some("train-efficiency Hopper"));
    assert_eq!(parent("train-efficiency RTX-4090"), some("train-efficiency Ada"));
    assert_eq!(parent("serve-bandwidth A100 int4 llama.cpp"), some("serve-bandwidth A100 llama.cpp"));
    assert_eq!(parent("serve-bandwidth fp8 vllm"), some("serve-bandwidth fp8"));
}

#[test]
fn every_chain_of_parents_ends() {
    let catalog = catalog();
    for index in 0..catalog.constants.len() {
        let mut at = Some(index);
        for _ in 0..10 {
            at = at.and_then(|at| parent::of(&catalog, at));
        }
        assert_eq!(at, None, "{}", values::label(&catalog.constants[index]));
    }
}

#[test]
fn values_go_into_the_text_of_a_file_and_nothing_else_changes() {
    let text = "# head\n[[constant]]\nkey = \"train-efficiency\"\ngpu = \"Hopper\"\nvalue = 0.5 # old\nlow = 0.4\nhigh = 0.6\n\
                source = \"A\"\nnote = \"value = 3\"\n\n[[constant]]\nkey = \"other\"\nvalue = 1.0\nsource = \"A\"\n";
    let catalog = catalog();
    let mut constant = catalog.constants[at(&catalog, "train-efficiency Hopper")].clone();
    (constant.value, constant.range) = (0.25, Some((0.2, 0.3)));
    let new = values::rewrite(text, &[constant]);
    let expected = text.replace("value = 0.5 # old", "value = 0.25");
    assert_eq!(new, expected.replace("low = 0.4", "low = 0.2").replace("high = 0.6", "high = 0.3"));
}

#[test]
fn written_values_have_the_digits_that_a_fit_knows() {
    let rounded = |value: f64| format!("{:?}", values::rounded(value));
    assert_eq!(rounded(0.123_456), "0.1235");
    assert_eq!(rounded(123_456.0), "123500.0");
    assert_eq!(rounded(0.000_117_77), "0.0001178");
    assert_eq!(rounded(0.0), "0.0");
}

#[test]
fn ranges_follow_their_values() {
    let before = catalog();
    let index = at(&before, "train-efficiency Hopper");
    let mut after = before.clone();
    after.constants[index].value = 0.99;
    let free = Choice::own().unwrap().of(&before);
    values::settle(&before, &mut after, &free);
    let (low, high) = after.constants[index].range.unwrap();
    assert!(low <= 0.99 && (0.99..=1.0).contains(&high), "{low} {high}");
}
