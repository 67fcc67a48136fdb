//! Contracts in whole instances beside contracts in parts, against brute force.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whole reserved machines beside savings plans in parts, all over the whole horizon: as cheap as the cheapest of all
    /// mixes of whole numbers of the one and tenths of the other, and what is reserved is whole.
    #[test]
    fn each_contract_as_it_is_sold(
        hours in proptest::collection::vec(0_u64..31, 8), on_demand in 50_u32..400, reserved in 1_u32..400,
        savings in 1_u32..400, term in prop_oneof![Just(8_u32), Just(24)],
    ) {
        let demand = tenths(&hours);
        let rules = Rules { whole: Whole::ByKind, spot_share: 0.0 };
        let mut question = question(on_demand, None, &[(reserved, term), (savings, 8)], rules);
        question.market.commitments[1].billing = Billing::Savings1y;
        let (plan, bill) = question.best(&demand).unwrap();
        let mut cheapest = f64::INFINITY;
        for whole in 0..=4_u32 {
            for tenths in 0..=31_u32 {
                let bought = [
                    (f64::from(reserved) / 100.0, term, vec![f64::from(whole)]),
                    (f64::from(savings) / 100.0, 8, vec![f64::from(tenths) / 10.0]),
                ];
                cheapest = cheapest.min(by_hand(&question, &bought, &demand));
            }
        }
        prop_assert!((bill.total.to_f64() - cheapest).abs() < 0.0051, "{bill:?} {plan:?} against {cheapest}");
        prop_assert_eq!(question.gap(&bill, &demand), None);
        for bought in plan.bought.iter().filter(|bought| bought.commitment == 0) {
            prop_assert!(bought.instances.iter().all(|instances| instances.is_multiple_of(MICRO)), "{plan:?}");
        }
    }

    /// Shorter whole terms beside longer parts, and a share of spot: no dearer than either sort alone, and no further
    /// from the cheapest mix than is said.
    #[test]
    fn what_is_left_open_is_said(
        hours in proptest::collection::vec(0_u64..21, 8), on_demand in 50_u32..400, reserved in 1_u32..400,
        savings in 1_u32..400, spot in prop_oneof![Just(None), (1_u32..300).prop_map(Some)],
    ) {
        let demand = tenths(&hours);
        let rules = Rules { whole: Whole::ByKind, spot_share: if spot.is_some() { 0.3 } else { 0.0 } };
        let mut question = question(on_demand, spot, &[(reserved, 4), (savings, 8)], rules);
        question.market.commitments[1].billing = Billing::Savings1y;
        let (plan, bill) = question.best(&demand).unwrap();
        prop_assert_eq!(question.bill(&plan, &demand).total, bill.total);
        let gap = question.gap(&bill, &demand).map_or(0.0, Usd::to_f64);
        for first in 0..=2_u32 {
            for second in 0..=2_u32 {
                for tenths in 0..=20_u32 {
                    let bought = [
                        (f64::from(reserved) / 100.0, 4, vec![f64::from(first), f64::from(second)]),
                        (f64::from(savings) / 100.0, 8, vec![f64::from(tenths) / 10.0]),
                    ];
                    let other = by_hand(&question, &bought, &demand);
                    prop_assert!(bill.total.to_f64() <= other + gap + 0.0101, "{bill:?} against {other}, gap {gap}");
                    if tenths == 0 || first + second == 0 {
                        let grain = grain(&question, &demand);
                        prop_assert!(bill.total.to_f64() <= other + grain, "{bill:?} against {other} of one sort");
                    }
                }
            }
        }
    }
}
