use super::ListedAmounts;
use super::{Exchange, Kind, Rate, twin};
use crate::catalog::provenance::AsOf;
use crate::report::node::Node;
use crate::report::view::{Block, Grid};
use jiff::civil::date;
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

#[test]
fn the_tree_has_the_numbers_of_json() {
    let exchange = at("CNY", "7.2", 2);
    let mut node = Node::of(&page()).unwrap();
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
