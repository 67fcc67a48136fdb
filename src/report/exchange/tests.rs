use super::{Exchange, Grain, Kind, ListedAmounts, Rate, twin};
use crate::catalog::provenance::AsOf;
use crate::money::Usd;
use crate::report::node::Node;
use crate::report::number::Num;
use crate::report::view::{Block, Grid};
use jiff::civil::date;
use proptest::prelude::*;
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Value, json};

fn at(code: &str, per_usd: &str, decimals: u32) -> Exchange {
    let rate = Rate { per_usd: per_usd.parse().unwrap(), as_of: AsOf::Day(date(2026, 11, 30)) };
    Exchange::new(code.to_owned(), decimals, Kind::Converted(rate))
}

fn native() -> Exchange {
    Exchange::new("CNY".to_owned(), 2, Kind::Native)
}

/// A document in the order of its fields.
#[derive(Serialize)]
struct Page {
    schema_version: u32,
    generated_with: &'static str,
    total_usd: Option<f64>,
    rows: Vec<Line>,
    note: &'static str,
}

#[derive(Serialize)]
struct Line {
    usd_per_hour: f64,
    usd_per_gpu_hour: f64,
    name: &'static str,
    saves_usd: Option<f64>,
}

fn page() -> Page {
    let line = || Line {
        usd_per_hour: 4.825_277_778,
        usd_per_gpu_hour: 4.8253,
        name: "a \"total_usd\": 5,",
        saves_usd: None,
    };
    Page {
        schema_version: 1,
        generated_with: "gpuadvise 0",
        total_usd: Some(1234.5),
        rows: vec![line(), line()],
        note: "saves 12.50 USD",
    }
}

fn converted(exchange: &Exchange) -> Value {
    serde_json::from_str(&exchange.json(&serde_json::to_string_pretty(&page()).unwrap())).unwrap()
}

#[test]
fn every_money_field_has_its_twin() {
    for (field, expected) in [
        ("total_usd", "total_amount"),
        ("usd_per_hour", "amount_per_hour"),
        ("on_demand_usd_per_hour", "on_demand_amount_per_hour"),
        ("usd_per_million_output_tokens", "amount_per_million_output_tokens"),
    ] {
        assert_eq!(twin(field).as_deref(), Some(expected));
    }
    assert_eq!(twin("usdt"), None);
    assert_eq!(twin("total_gib"), None);
}

#[test]
fn amounts_stand_beside_dollars_with_rate_and_day() {
    let page = converted(&at("CNY", "7.2", 2));
    assert_eq!(page["currency"], "CNY");
    assert_eq!(page["fx"], json!({"code": "CNY", "rate": 7.2, "as_of": "2026-11-30"}));
    assert_eq!(page["total_usd"], 1234.5);
    assert_eq!(page["total_amount"], 8888.4);
    for row in page["rows"].as_array().unwrap() {
        assert_eq!(row["amount_per_hour"], 34.742, "what was converted comes back as the source has it");
        assert_eq!(row["amount_per_gpu_hour"], 34.742);
        assert_eq!(row["saves_amount"], Value::Null);
        assert_eq!(row["name"], "a \"total_usd\": 5,");
    }
    assert_eq!(page["note"], "saves 12.50 USD");
}

#[test]
fn yen_have_no_decimals() {
    let page = converted(&at("JPY", "150", 0));
    assert_eq!(page["total_amount"], 185_175);
    assert_eq!(at("JPY", "150", 0).sentence("costs 1,234.50 USD"), "costs 185,175 JPY");
}

#[test]
fn what_was_never_in_dollars_has_none() {
    let page = converted(&native());
    assert_eq!((&page["currency"], &page["fx"]), (&json!("CNY"), &Value::Null));
    assert_eq!((&page["total_usd"], &page["total_amount"]), (&Value::Null, &json!(1234.5)));
    assert_eq!(page["note"], "saves 12.50 CNY");
}

#[test]
fn a_page_without_money_says_nothing_of_a_rate() {
    let text = serde_json::to_string_pretty(&json!({"generated_with": "x", "gib": 3})).unwrap();
    assert_eq!(at("CNY", "7.2", 2).json(&text).trim_end(), text);
}

/// A row of the source's own amounts keeps their currency; one with a twin has that of the answer, wherever it stands.
#[test]
fn a_currency_is_that_of_the_amounts_beside_it() {
    let rows = json!({
        "generated_with": "x",
        "own": [{"currency": "USD", "last_per_hour": 55.04, "parts": [{"usd": 1}]}],
        "before": [{"currency": "EUR", "zero_usd": 1.5}],
        "after": [{"a_usd": null, "currency": "EUR", "parts": [{"x": 1}]}],
    });
    let text = at("CNY", "7.2", 2).json(&serde_json::to_string_pretty(&rows).unwrap());
    let page: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(page["own"][0]["currency"], "USD");
    assert_eq!(page["own"][0]["last_per_hour"], 55.04);
    assert_eq!(page["before"][0]["currency"], "CNY");
    assert_eq!(page["after"][0]["currency"], "CNY");
    let mut node = Node::parse(&serde_json::to_string(&rows["own"][0]).unwrap());
    at("CNY", "7.2", 2).tree(&mut node);
    assert_eq!(node.get("currency"), Some(&Node::Leaf("USD".to_owned())), "CSV says the same");
}

/// Fields and the titles over them are rounded alike.
#[test]
fn a_field_is_as_fine_as_its_column() {
    for (field, title) in [
        ("usd_per_busy_gpu_hour", "USD/busy GPU-h"),
        ("usd_per_gpu_hour", "USD/GPU-h"),
        ("usd_per_million_tokens", "USD/M tokens"),
        ("usd_per_hour", "USD/h"),
        ("usd_per_year", "USD/year"),
        ("total_usd", "total USD"),
    ] {
        assert_eq!(Grain::of(field), super::page::grain(title), "{field}");
    }
}

#[test]
fn prices_of_a_unit_keep_their_decimals() {
    let say = |text: &str| at("CNY", "7.1373", 2).sentence(text);
    assert_eq!(say("egress at 0.0085 USD per GB"), "egress at 0.0607 CNY per GB");
    assert_eq!(
        say("storage at 0.1 USD per GiB and month (0.05 USD while stopped)"),
        "storage at 0.7137 CNY per GiB and month (0.3569 CNY while stopped)"
    );
    assert_eq!(say("0.0085 USD per machine"), "0.06 CNY per machine");
}

#[test]
fn the_tree_has_the_numbers_of_json() {
    let exchange = at("CNY", "7.2", 2);
    let mut node = Node::parse(&serde_json::to_string(&page()).unwrap());
    exchange.tree(&mut node);
    assert_eq!(node.get("total_amount"), Some(&Node::Leaf("8888.4".to_owned())));
    let columns = exchange.columns(&["name", "usd_per_hour"]);
    assert_eq!(columns, ["name", "usd_per_hour", "amount_per_hour", "currency", "fx_rate", "fx_as_of"]);
}

#[test]
fn columns_and_sentences_name_the_currency() {
    let mut grid = Grid::new(&["machine", ">USD/h", ">total USD", ">committed USD"]);
    grid.push(vec!["8 USD".into(), "2.50".into(), "1,234.50".into(), "10.00 cud-1y".into()]);
    grid.push(vec!["x".into(), "n/a".into(), String::new(), "+1.00".into()]);
    let blocks = vec![Block::Table(grid), Block::Text("Saves 1,000.00 USD at 2.5 USD/h; in USD.".into())];
    let page = at("CNY", "7.2", 2).page(blocks);
    let Block::Table(grid) = &page[0] else { panic!("a table") };
    let titles: Vec<&str> = grid.columns.iter().map(|column| column.title.as_str()).collect();
    assert_eq!(titles, ["machine", "CNY/h", "total CNY", "committed CNY"]);
    assert_eq!(grid.rows[0], ["8 USD", "18.00", "8,888.40", "72.00 cud-1y"]);
    assert_eq!(grid.rows[1], ["x", "n/a", "", "+7.20"]);
    assert_eq!(page[1], Block::Text("Saves 7,200.00 CNY at 18.00 CNY/h; in USD.".into()));
}

/// Half a fen is rounded for each part; the total is told as the sum of the parts, in fields and sentences alike.
#[test]
fn totals_are_the_sum_of_what_is_printed() {
    let [a, b] = [Usd::from_f64(0.35).unwrap(), Usd::from_f64(0.07).unwrap()];
    let mut amounts = ListedAmounts::default();
    amounts.sum(Some(a + b), [a, b].into_iter());
    amounts.rest(Some(Num::usd(a + b)), Some(Num::usd(a)), Some(Num::usd(b)));
    let exchange = at("CNY", "7.1", 2).with_listed(&amounts);
    // 0.35 is 2.485 and 0.07 is 0.497: 2.49 and 0.50 make 2.99, where 0.42 alone would be 2.98.
    let figure = |usd: &str| exchange.figure("total_usd", usd).unwrap();
    assert_eq!([figure("0.35"), figure("0.07"), figure("0.42")], ["2.49", "0.5", "2.99"]);
    assert_eq!(exchange.sentence("costs 0.42 USD"), "costs 2.99 CNY");
    assert_eq!(exchange.figure("usd_per_hour", "0.42").unwrap(), "2.982", "a price is no total");
    assert_eq!(at("CNY", "7.1", 2).figure("total_usd", "0.42").unwrap(), "2.98");
}

proptest! {
    /// Whatever the rate and the parts, a total is the sum of the amounts of its parts, sums of sums too, and stays within
    /// half a unit for each part of its dollars times the rate.
    #[test]
    fn amounts_add_up_at_any_rate(
        cents in proptest::collection::vec(1_u32..10_000_000, 2..9), more in 1_u32..10_000_000, rate in 1_u32..3_000_000, decimals in 0_u32..4,
    ) {
        let usd = |cents: u32| Usd::from_cents(cents.into());
        let parts: Vec<Usd> = cents.iter().copied().map(usd).collect();
        let inner: Usd = parts.iter().copied().sum();
        let outer = inner + usd(more);
        let mut amounts = ListedAmounts::default();
        // Told in any order.
        amounts.sum(Some(outer), [inner, usd(more)].into_iter());
        amounts.sum(Some(inner), parts.iter().copied());
        let rate = Decimal::new(rate.into(), 4);
        let exchange = at("XTS", &rate.to_string(), decimals).with_listed(&amounts);
        let amount = |usd: Usd| exchange.amount(Grain::Total, usd.decimal()).unwrap();
        let all: Decimal = parts.iter().copied().map(amount).sum();
        prop_assert_eq!(amount(inner), all);
        prop_assert_eq!(amount(outer), all + amount(usd(more)));
        let off = (amount(inner) - inner.decimal() * rate).abs();
        prop_assert!(off <= Decimal::new(5, decimals + 1) * Decimal::from(parts.len()), "{}", off);
    }

    /// What is left is the difference of the two amounts, with either sign.
    #[test]
    fn what_is_left_is_a_difference(of in 1_u32..10_000_000, less in 1_u32..10_000_000, rate in 1_u32..3_000_000) {
        let num = |cents: i64| Num::exact(cents as f64 / 100.0);
        let (of, less) = (i64::from(of), i64::from(less));
        let mut amounts = ListedAmounts::default();
        amounts.rest(Some(num(of)), Some(num(less)), Some(num(of - less)));
        let exchange = at("CNY", &Decimal::new(rate.into(), 4).to_string(), 2).with_listed(&amounts);
        let amount = |cents: i64| exchange.amount(Grain::Total, Decimal::new(cents, 2)).unwrap();
        // A rest that equals one of the two is that amount.
        if of != 2 * less && of != less {
            prop_assert_eq!(amount(of - less), amount(of) - amount(less));
            prop_assert_eq!(amount(less - of), amount(less) - amount(of));
        }
    }
}
