use super::{Assumed, add};
use crate::catalog::load::{Sections, embedded};
use crate::catalog::price::{Billing, Upfront};
use rust_decimal::Decimal;

#[test]
fn only_gaps_are_filled_and_each_says_so() {
    let mut catalog = embedded(Sections::PRICES).unwrap();
    let before = catalog.prices.clone();
    let assumed = [Assumed { billing: Billing::Reserved1y, percent: Decimal::from(40) }];
    let (added, _) = add(&mut catalog, &assumed);
    assert!(added > 100, "{added}");
    assert!(catalog.prices.is_sorted_by_key(|p| (p.instance, p.region, p.billing, p.upfront)));
    let known: Vec<_> = before.iter().filter(|price| price.per_hour.is_some()).collect();
    assert!(known.iter().all(|price| catalog.prices.contains(price)), "the catalog's own prices win");
    let marked = |price: &&crate::catalog::price::Price| {
        price.stat.as_ref().is_some_and(|stat| stat.contains("assumed"))
    };
    for price in catalog.prices.iter().filter(marked) {
        assert_eq!((price.billing, price.upfront), (Billing::Reserved1y, Some(Upfront::No)));
        let offers: Vec<_> =
            before.iter().filter(|p| (p.instance, p.region) == (price.instance, price.region)).collect();
        let on_demand = offers.iter().find(|p| p.billing == Billing::OnDemand).unwrap().per_hour.unwrap();
        let share = price.per_hour.unwrap().to_f64() / on_demand.to_f64();
        assert!((share - 0.6).abs() < 1e-9, "{share}");
        let one_year = |p: &&&crate::catalog::price::Price| p.billing.term_hours() == Some(8760);
        assert!(offers.iter().filter(one_year).all(|p| p.per_hour.is_none()));
    }
}
