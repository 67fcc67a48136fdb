//! A discount touches the provider and kind that it names, exactly, and nothing else.

use super::*;
use crate::catalog::load::{Sections, embedded};

#[test]
fn only_the_named_provider_and_kind_change_and_to_the_last_digit() {
    let list = embedded(Sections::PRICES).unwrap();
    let aws = list.resolve_provider("aws").unwrap();
    let percent = Decimal::new(125, 1);
    let mut own = list.clone();
    let changed = apply(&mut own, &[Discount { provider: aws, billing: Billing::OnDemand, percent }]);
    assert!(changed > 0);
    let mut seen = 0;
    for (before, after) in list.prices.iter().zip(&own.prices) {
        let named = list.instance(before.instance).provider == aws && before.billing == Billing::OnDemand;
        if let Some(list) = before.per_hour.filter(|_| named) {
            seen += 1;
            let expected = list.decimal() * Decimal::new(875, 3);
            assert_eq!(after.per_hour.unwrap().decimal(), expected);
            assert_eq!(after.seldom.off_list_pct, Some(percent));
            assert_eq!(after.source, before.source, "the price keeps its date");
        } else {
            assert_eq!(after, before);
        }
    }
    assert_eq!(seen, changed);
}

#[test]
fn nothing_off_is_no_discount() {
    let mut catalog = embedded(Sections::PRICES).unwrap();
    let aws = catalog.resolve_provider("aws").unwrap();
    let none = Discount { provider: aws, billing: Billing::OnDemand, percent: Decimal::ZERO };
    assert_eq!(apply(&mut catalog, &[none]), 0);
    assert!(catalog.prices.iter().all(|price| price.seldom.off_list_pct.is_none()));
}
