//! Sums, levels, and what is never let through.

use super::*;
use jiff::civil::date;
use proptest::prelude::*;

fn usd(cents: u32) -> Usd {
    Usd::from_f64(f64::from(cents) / 100.0).unwrap()
}

fn spend(total: u32, monthly: u32, hourly: u32) -> Spend {
    Spend {
        total: usd(total),
        monthly: usd(monthly),
        hourly: UsdPerHour::from_f64(f64::from(hourly) / 100.0).unwrap(),
        at_least: false,
        committed: false,
        price_age_days: 30,
        priced_on: date(2026, 10, 31),
    }
}

fn all_of(budget: &Budget, found: &[(String, Found)]) -> (Vec<Violation>, Totals) {
    let totals = Totals::of(found.iter().map(|(name, found)| (name.as_str(), found)));
    (found.iter().flat_map(|(_, found)| budget.violations(found, &totals)).collect(), totals)
}

#[test]
fn a_limit_holds_to_the_cent_and_for_the_sum() {
    let budget = Budget { total: Some(usd(1_000)), ..Budget::default() };
    let pair = |a: u32, b: u32| {
        [("a".to_owned(), Found::Choice(spend(a, a, 1))), ("b".to_owned(), Found::Choice(spend(b, b, 1)))]
    };
    assert!(all_of(&budget, &pair(400, 600)).0.is_empty(), "equal is allowed");
    let (broken, totals) = all_of(&budget, &pair(400, 601));
    assert_eq!(totals.total, Some(usd(1_001)));
    assert_eq!(broken.iter().map(|v| v.id.as_str()).collect::<Vec<_>>(), [ids::TOTAL, ids::TOTAL]);
    assert_eq!((broken[0].limit, broken[0].actual), (Some(10.0), Some(10.01)));
    assert!(
        broken[1].message.contains("10.01") && broken[1].message.contains("6.01 USD of it"),
        "{broken:?}"
    );
}

/// P122: each limit that is broken is named.
#[test]
fn each_breach_has_its_own_violation() {
    let rate = UsdPerHour::from_f64(0.5);
    let budget = Budget {
        total: Some(usd(100)),
        monthly: Some(usd(50)),
        hourly: rate,
        max_age_days: Some(29),
        ..Budget::default()
    };
    let (broken, _) = all_of(&budget, &[("a".to_owned(), Found::Choice(spend(200, 100, 100)))]);
    let ids: Vec<&str> = broken.iter().map(|v| v.id.as_str()).collect();
    assert_eq!(ids, [ids::TOTAL, ids::MONTHLY, ids::HOURLY, ids::AGE]);
    assert!(ids.iter().all(|id| budget.checked().contains(id)));
}

#[test]
fn what_is_not_known_never_passes_as_nothing() {
    let found = [("x".to_owned(), Found::UnknownPrice), ("a".to_owned(), Found::Choice(spend(100, 100, 1)))];
    let (broken, totals) = all_of(&Budget::default(), &found);
    assert_eq!(Verdict::of(&broken), Verdict::Fail);
    assert_eq!((totals.total, totals.unknown.as_slice()), (Some(usd(100)), ["x".to_owned()].as_slice()));
    let lenient = Budget { unknown_price: Level::Warn, ..Budget::default() };
    assert_eq!(Verdict::of(&all_of(&lenient, &found).0), Verdict::Warn);
    let (_, none) = all_of(&lenient, &found[..1]);
    assert_eq!((none.total, none.hourly), (None, None), "unknown is not 0");
    let tight = Budget { total: Some(usd(99)), ..lenient };
    let (broken, _) = all_of(&tight, &found);
    assert!(broken.iter().any(|v| v.message.contains("at least 1.00 USD")), "{broken:?}");
}

#[test]
fn a_workload_may_have_its_own_limit() {
    let found = Found::Choice(spend(200, 200, 1));
    assert!(fail_over(Some(usd(200)), &found).is_none());
    assert_eq!(fail_over(Some(usd(199)), &found).map(|v| v.id), Some(ids::FAIL_OVER.to_owned()));
}

fn any_found() -> impl Strategy<Value = Found> {
    prop_oneof![
        8 => (0_u32..100_000, 0_u32..100_000, 0_u32..5_000)
            .prop_map(|(total, monthly, hourly)| Found::Choice(spend(total, monthly, hourly))),
        1 => Just(Found::UnknownPrice),
        1 => Just(Found::Nothing("x".to_owned())),
    ]
}

proptest! {
    #[test]
    fn the_verdict_does_not_depend_on_the_order(
        (found, shuffled) in proptest::collection::vec(any_found(), 1..8)
            .prop_flat_map(|found| (Just(found.clone()), Just(found).prop_shuffle())),
        total in 0_u32..200_000, hourly in 0_u32..10_000, warn in any::<bool>(),
    ) {
        let budget = Budget {
            total: Some(usd(total)),
            hourly: UsdPerHour::from_f64(f64::from(hourly) / 100.0),
            unknown_price: if warn { Level::Warn } else { Level::Deny },
            ..Budget::default()
        };
        let named = |list: Vec<Found>| list.into_iter().map(|f| ("w".to_owned(), f)).collect::<Vec<_>>();
        let (one, sums) = all_of(&budget, &named(found));
        let (other, same) = all_of(&budget, &named(shuffled));
        prop_assert_eq!(Verdict::of(&one), Verdict::of(&other));
        prop_assert_eq!(sums, same);
    }

    #[test]
    fn a_dearer_workload_never_makes_the_verdict_better(
        totals in proptest::collection::vec(0_u32..100_000, 1..5), more in 0_u32..100_000, limit in 0_u32..200_000,
    ) {
        let budget = Budget { total: Some(usd(limit)), ..Budget::default() };
        let named = |totals: &[u32]| -> Vec<(String, Found)> {
            totals.iter().map(|&t| ("w".to_owned(), Found::Choice(spend(t, 0, 0)))).collect()
        };
        let mut dearer = totals.clone();
        dearer[0] += more;
        let (before, after) = (all_of(&budget, &named(&totals)).0, all_of(&budget, &named(&dearer)).0);
        prop_assert!(Verdict::of(&before) <= Verdict::of(&after));
    }
}
