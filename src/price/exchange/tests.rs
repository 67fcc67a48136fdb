use super::{Rates, count_in, into_usd, is_foreign};
use crate::catalog::Catalog;
use crate::catalog::price::Currency;
use crate::catalog::validate::{SourceFile, validate};
use rust_decimal::Decimal;

const CNY: Currency = Currency(*b"CNY");

fn catalog(prices: &str) -> Catalog {
    let text = format!(
        r#"

source = "s"
price = [{prices}]
[sources.s]
text = "t"
as-of = 2026-01-01
[[gpu]]
name = "G"
vendor = "V"
architecture = "A"
year = 2024
form-factor = "PCIe"
stack = "cuda"
memory = "24 GiB"
memory-type = "GDDR6"
bandwidth-gb-s = 300
fp16-tflops = 100
[[provider]]
name = "acme"
display = "Acme"
tier = "specialist"
[[region]]
name = "here"
[[instance]]
name = "m"
gpu = "G"
gpus = 1
"#
    );
    let (catalog, findings) =
        validate(&[SourceFile { label: "t.toml".into(), text }], Catalog::default(), false);
    assert!(findings.is_empty(), "{findings:?}");
    catalog
}

#[test]
fn a_price_comes_back_as_it_was() {
    let mut all = catalog(
        r#"{ instance = "m", region = "here", billing = "on-demand", per-hour = 34.742, currency = "CNY" }"#,
    );
    let rates = Rates::from([(CNY, "7.2".parse().unwrap())]);
    let converted = into_usd(&mut all, &rates);
    let price = &all.prices[0];
    assert_eq!(converted[&CNY].len(), 1);
    assert_eq!(price.currency, Currency::USD);
    assert_eq!(
        price.seldom.listed.map(|(code, amount)| (code, amount.to_string())),
        Some((CNY, "34.742".into()))
    );
    let back = price.per_hour.unwrap().decimal() * Decimal::new(72, 1);
    assert_eq!(back.round_dp(9).normalize().to_string(), "34.742");
}

#[test]
fn without_a_rate_nothing_changes() {
    let mut all = catalog(
        r#"{ instance = "m", region = "here", billing = "on-demand", per-hour = 10, currency = "CNY" }"#,
    );
    let before = all.prices.clone();
    assert!(into_usd(&mut all, &Rates::from([(Currency(*b"EUR"), Decimal::ONE)])).is_empty());
    assert_eq!(all.prices, before);
}

#[test]
fn counting_in_a_currency_leaves_all_others_unknown() {
    let mut all = catalog(
        r#"{ instance = "m", region = "here", billing = "on-demand", per-hour = 10, currency = "CNY" },
           { instance = "m", region = "here", billing = "spot", usd-per-hour = 1 }"#,
    );
    count_in(&mut all, CNY);
    assert_eq!(crate::price::in_usd(&all.prices[0]).unwrap().to_string(), "10");
    assert!(!is_foreign(&all.prices[0]) && is_foreign(&all.prices[1]));
    assert_eq!(crate::price::in_usd(&all.prices[1]), None);
}
