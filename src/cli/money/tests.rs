use super::Money;
use crate::catalog::Catalog;
use crate::catalog::load::{Sections, embedded};
use crate::catalog::select::Filter;
use crate::cli::args::GlobalArgs;
use jiff::civil::date;

fn settle(currency: Option<&str>, fx: &[&str]) -> (Result<Money, String>, Catalog) {
    let mut catalog = embedded(Sections::PRICES).unwrap();
    let global = GlobalArgs {
        currency: currency.map(|code| code.parse().unwrap()),
        fx: fx.iter().map(|fx| fx.parse().unwrap()).collect(),
        ..GlobalArgs::default()
    };
    let money = Money::settle(&global, &mut catalog, || Ok(date(2026, 11, 30)));
    (money.map_err(|error| error.to_string()), catalog)
}

fn provider(catalog: &Catalog, name: &str) -> Filter {
    Filter { providers: vec![catalog.resolve_provider(name).unwrap()], ..Filter::default() }
}

#[test]
fn a_currency_without_a_rate_is_refused() {
    let error = settle(Some("INR"), &[]).0.unwrap_err();
    assert!(error.contains("INR") && error.contains("--fx INR=RATE"), "{error}");
    let error = settle(Some("CNX"), &[]).0.unwrap_err();
    assert!(error.contains("did you mean CNY"), "{error}");
}

#[test]
fn two_rates_for_a_currency_contradict_each_other() {
    let error = settle(None, &["CNY=7.2", "CNY=7.3"]).0.unwrap_err();
    assert!(error.contains("two rates for CNY"), "{error}");
    assert!(settle(None, &["CNY=7.2", "CNY=7.2"]).0.is_ok());
}

#[test]
fn nothing_needs_a_rate_where_all_is_priced_in_the_currency() {
    let (money, catalog) = settle(Some("CNY"), &[]);
    let mut money = money.unwrap();
    assert!(money.is_native());
    let chinese = provider(&catalog, "alicloud");
    assert!(money.told(&crate::report::Used::default()).is_err(), "not before it is confirmed");
    assert!(money.confirm(&catalog, &chinese, true).is_err(), "limits are in dollars");
    assert!(money.confirm(&catalog, &provider(&catalog, "aws"), false).is_err());
    money.confirm(&catalog, &chinese, false).unwrap();
    assert!(money.told(&crate::report::Used::default()).is_ok());
}
