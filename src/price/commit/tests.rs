//! The optimum against brute force and against its laws.

use super::demand::{Horizon, MICRO, week};
use super::step::price_order;
use super::*;
use crate::catalog::price::{Billing, Upfront};
use proptest::prelude::*;

mod mixed;

fn rate(text: &str) -> UsdPerHour {
    text.parse().unwrap()
}

fn cents_per_hour(cents: u32) -> UsdPerHour {
    rate(&format!("{}.{:02}", cents / 100, cents % 100))
}

fn commitment(cents: u32, term_hours: u32) -> Commitment {
    Commitment {
        billing: Billing::Reserved1y,
        upfront: Some(Upfront::No),
        per_hour: cents_per_hour(cents),
        term_hours,
        fee: None,
    }
}

fn question(on_demand: u32, spot: Option<u32>, commitments: &[(u32, u32)], rules: Rules) -> Question {
    let commitments = commitments.iter().map(|&(cents, term)| commitment(cents, term)).collect();
    let spot = spot.map(cents_per_hour);
    Question { market: Market { on_demand: cents_per_hour(on_demand), spot, commitments }, rules }
}

fn instances(whole: bool) -> Whole {
    if whole { Whole::Always } else { Whole::Never }
}

/// Demand in tenths of an instance.
fn tenths(hours: &[u64]) -> Demand {
    Demand::from_hours(hours.iter().map(|tenths| tenths * MICRO / 10).collect())
}

/// What a plan costs, worked out hour by hour in another way than the bill: dollars.
fn by_hand(question: &Question, bought: &[(f64, u32, Vec<f64>)], demand: &Demand) -> f64 {
    let Question { market, rules } = question;
    let (mut owed, mut burst, mut total) = (0.0, 0.0, 0.0);
    for (price, term, instances) in bought {
        owed += instances.iter().sum::<f64>() * price * f64::from(*term);
    }
    for (hour, &needed) in demand.hours().iter().enumerate() {
        let needed = needed as f64 / MICRO as f64;
        let held: f64 = bought
            .iter()
            .map(|(_, term, instances)| instances[hour / (*term as usize).min(demand.hours().len())])
            .sum();
        burst += (needed - held).max(0.0);
        total += needed;
    }
    let on_demand = market.on_demand.to_f64();
    let spot = market.spot.map_or(on_demand, UsdPerHour::to_f64).min(on_demand);
    let on_spot = burst.min(total * rules.spot_share);
    owed + on_spot * spot + (burst - on_spot) * on_demand
}

/// The cheapest of all mixes with these amounts in each stretch of each commitment.
fn brute_force(question: &Question, demand: &Demand, amounts: &[f64]) -> f64 {
    let horizon = demand.hours().len();
    let commitments: Vec<(f64, u32, usize)> = question
        .market
        .commitments
        .iter()
        .map(|it| {
            let slots = horizon / (it.term_hours as usize).min(horizon);
            (it.per_hour.to_f64(), it.term_hours, slots)
        })
        .collect();
    let nodes: usize = commitments.iter().map(|it| it.2).sum();
    let mixes = amounts.len().pow(nodes as u32);
    let mix = |mut code: usize| {
        let mut bought = Vec::new();
        for &(price, term, slots) in &commitments {
            let mut instances = Vec::new();
            for _ in 0..slots {
                instances.push(amounts[code % amounts.len()]);
                code /= amounts.len();
            }
            bought.push((price, term, instances));
        }
        by_hand(question, &bought, demand)
    };
    (0..mixes).map(mix).fold(f64::INFINITY, f64::min)
}

/// A millionth of an instance for the whole time, and half a cent: what counting in millionths and cents may cost.
fn grain(question: &Question, demand: &Demand) -> f64 {
    0.0051 + question.market.on_demand.to_f64() * demand.hours().len() as f64 / MICRO as f64 * 8.0
}

fn commitments() -> impl Strategy<Value = Vec<(u32, u32)>> {
    prop_oneof![
        proptest::collection::vec((1_u32..400, prop_oneof![Just(8_u32), Just(24)]), 0..3),
        (1_u32..300, 1_u32..400).prop_map(|(a, b)| vec![(a, 8), (b, 4)]),
        (1_u32..300, 1_u32..400).prop_map(|(a, b)| vec![(a, 24), (b, 4)]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whole demand, so that whole amounts hold an optimum: equal to the cheapest mix of all.
    #[test]
    fn the_optimum_is_that_of_brute_force(
        hours in proptest::collection::vec(0_u64..4, 8), on_demand in 50_u32..400, commitments in commitments(),
    ) {
        let demand = tenths(&hours.iter().map(|h| h * 10).collect::<Vec<_>>());
        for whole in [false, true] {
            let question = question(on_demand, None, &commitments, Rules { whole: instances(whole), spot_share: 0.0 });
            let (plan, bill) = question.best(&demand).unwrap();
            let cheapest = brute_force(&question, &demand, &[0.0, 1.0, 2.0, 3.0]);
            prop_assert!((bill.total.to_f64() - cheapest).abs() < 0.006, "{bill:?} {plan:?} against {cheapest}");
            prop_assert!(bill.total <= question.all_on_demand(&demand));
        }
    }

    /// Parts of instances and a share of spot: never above any mix, in parts or whole, and the bill is what it costs.
    #[test]
    fn no_mix_is_cheaper(
        hours in proptest::collection::vec(0_u64..31, 8), on_demand in 50_u32..400, spot in 10_u32..400,
        share in 0_u32..101, commitments in commitments(), whole in any::<bool>(),
    ) {
        let demand = tenths(&hours);
        let share = f64::from(share) / 100.0;
        let question = question(on_demand, Some(spot), &commitments, Rules { whole: instances(whole), spot_share: share });
        let (plan, bill) = question.best(&demand).unwrap();
        let amounts: &[f64] = if whole { &[0.0, 1.0, 2.0, 3.0, 4.0] } else { &[0.0, 0.5, 1.0, 1.7, 2.1, 3.0] };
        let cheapest = brute_force(&question, &demand, amounts);
        let grain = grain(&question, &demand);
        prop_assert!(bill.total.to_f64() <= cheapest + grain, "{bill:?} against {cheapest}");
        if whole {
            prop_assert!(bill.total.to_f64() >= cheapest - grain, "{bill:?} against {cheapest}");
            prop_assert!(plan.bought.iter().flat_map(|b| &b.instances).all(|i| i.is_multiple_of(MICRO)));
        }
        let bought: Vec<(f64, u32, Vec<f64>)> = plan.bought.iter().map(|bought| {
            let it = &question.market.commitments[bought.commitment];
            let instances = bought.instances.iter().map(|&micro| micro as f64 / MICRO as f64).collect();
            (it.per_hour.to_f64(), it.term_hours, instances)
        }).collect();
        prop_assert!((by_hand(&question, &bought, &demand) - bill.total.to_f64()).abs() < 0.006);
        prop_assert!(bill.total <= question.all_on_demand(&demand));
    }

    #[test]
    fn a_dearer_price_never_lowers_the_total(
        hours in proptest::collection::vec(0_u64..31, 8), on_demand in 50_u32..400, commitments in commitments(),
        more in 1_u32..200, which in 0_usize..3,
    ) {
        let demand = tenths(&hours);
        let cheap = question(on_demand, None, &commitments, Rules::default());
        let mut dear = cheap.clone();
        if let Some(it) = dear.market.commitments.get_mut(which) {
            it.per_hour = UsdPerHour::new(it.per_hour.decimal() + cents_per_hour(more).decimal());
        } else {
            dear.market.on_demand = cents_per_hour(on_demand + more);
        }
        prop_assert!(dear.best(&demand).unwrap().1.total >= cheap.best(&demand).unwrap().1.total);
    }

    /// The order of contracts does not matter, nor that of hours where commitments cover all of them.
    #[test]
    fn order_does_not_matter(
        hours in proptest::collection::vec(0_u64..31, 8), on_demand in 50_u32..400, a in 1_u32..400, b in 1_u32..400,
    ) {
        let one = question(on_demand, None, &[(a, 8), (b, 24)], Rules::default());
        let other = question(on_demand, None, &[(b, 24), (a, 8)], Rules::default());
        let mut turned = hours.clone();
        turned.reverse();
        let total = one.best(&tenths(&hours)).unwrap().1.total;
        prop_assert_eq!(total, other.best(&tenths(&hours)).unwrap().1.total);
        prop_assert_eq!(total, one.best(&tenths(&turned)).unwrap().1.total);
    }

    /// Cents are neither lost nor made: tiers add up, and so do the parts of any split of the hours.
    #[test]
    fn cents_add_up(
        hours in proptest::collection::vec(0_u64..31, 8), on_demand in 1_u32..400, cut in 1_usize..8,
        commitments in commitments(),
    ) {
        let question = question(on_demand, None, &commitments, Rules::default());
        let bill = question.best(&tenths(&hours)).unwrap().1;
        prop_assert_eq!(bill.tiers.iter().map(|tier| tier.total).sum::<Usd>(), bill.total);
        // A tenth of an instance for an hour at whole cents is a tenth of a cent: ten of each make whole cents.
        let tens = |hours: &[u64]| question.all_on_demand(&tenths(&hours.iter().map(|h| h * 10).collect::<Vec<_>>()));
        prop_assert_eq!(tens(&hours[..cut]) + tens(&hours[cut..]), tens(&hours));
    }

    #[test]
    fn prices_are_compared_as_fractions(a in 0_i64..1000, b in 1_u64..50, c in 0_i64..1000, d in 1_u64..50) {
        let exact = (i128::from(a) * i128::from(d)).cmp(&(i128::from(c) * i128::from(b)));
        prop_assert_eq!(price_order((a.into(), b), (c.into(), d)), exact);
        let huge = 1_i128 << 90;
        prop_assert_eq!(price_order((i128::from(a) * huge, b), (i128::from(c) * huge, d)), exact);
    }

    /// What is paid for in each column of the curve is what is needed there.
    #[test]
    fn the_curve_holds_the_demand(hours in proptest::collection::vec(0_u64..31, 8), columns in 1_usize..12) {
        let question = question(200, Some(90), &[(120, 8), (150, 4)], Rules { whole: Whole::Never, spot_share: 0.2 });
        let demand = tenths(&hours);
        let (plan, bill) = question.best(&demand).unwrap();
        let curve = load_duration(&plan, &bill, &demand, columns);
        for column in &curve {
            prop_assert!((column.used.iter().sum::<f64>() - column.demand).abs() < 1e-4, "{column:?}");
        }
        prop_assert!(curve.windows(2).all(|pair| pair[0].demand >= pair[1].demand));
    }
}

#[test]
fn regret_is_nothing_where_usage_is_as_planned_and_never_negative() {
    let question = question(300, None, &[(150, 8760)], Rules::default());
    let demand = Demand::over(&week(9.0, 5, 3 * MICRO), Horizon::OneYear, 0.0);
    let (plan, bill) = question.best(&demand).unwrap();
    let regret = question.regret(&plan, &demand).unwrap();
    assert_eq!(regret.iter().map(|row| row.change).collect::<Vec<_>>(), CHANGES);
    for row in &regret {
        assert!(row.best <= row.total, "{row:?}");
        if row.change == 0 {
            assert_eq!((row.total, row.best), (bill.total, bill.total));
        }
    }
}

/// A level pays from reserved / on-demand of the time on, and not at that very share: equal is no reason to commit.
#[test]
fn a_level_is_committed_above_its_break_even_only() {
    let question = question(200, None, &[(100, 8)], Rules::default());
    for (busy, committed) in [(4, 0), (5, MICRO), (8, MICRO)] {
        let hours: Vec<u64> = (0..8).map(|hour| if hour < busy { 10 } else { 0 }).collect();
        let (plan, bill) = question.best(&tenths(&hours)).unwrap();
        let bought = plan.bought.first().map_or(0, |bought| bought.instances[0]);
        assert_eq!(bought, committed, "{busy} hours of 8: {bill:?}");
    }
    assert_eq!(question.market.commitments[0].break_even(question.market.on_demand), Some(0.5));
}

/// With growth, later years commit to more than the first one: the longest term takes the base, shorter ones the rest.
#[test]
fn growth_adds_shorter_terms_on_top() {
    let market = Market {
        on_demand: rate("3"),
        spot: None,
        commitments: vec![
            Commitment { billing: Billing::Reserved3y, ..commitment(120, 26_280) },
            commitment(180, 8760),
        ],
    };
    let question = Question::new(market, Rules::default());
    let demand = Demand::over(&[10 * MICRO], Horizon::ThreeYears, 0.5);
    let (plan, bill) = question.best(&demand).unwrap();
    assert_eq!(plan.bought.len(), 2);
    let [long, short] = &plan.bought[..] else { panic!("{plan:?}") };
    assert!(long.instances[0] >= 10 * MICRO, "{plan:?}");
    assert!(short.instances.windows(2).all(|pair| pair[0] <= pair[1]) && short.instances[2] > 0, "{plan:?}");
    assert!(bill.total < question.all_on_demand(&demand));
}

/// A three-year term counts in full within a year.
#[test]
fn a_term_longer_than_the_horizon_is_owed_in_full() {
    let market = Market { on_demand: rate("10"), spot: None, commitments: vec![commitment(200, 26_280)] };
    let question = Question::new(market, Rules::default());
    let demand = Demand::over(&[MICRO], Horizon::OneYear, 0.0);
    let bill = question.best(&demand).unwrap().1;
    assert_eq!(bill.commitment.to_string(), "52,560.00");
    assert_eq!(bill.total, bill.commitment);
    let market = Market { commitments: vec![commitment(400, 26_280)], ..question.market };
    let question = Question::new(market, Rules::default());
    assert_eq!(
        question.best(&demand).unwrap().1.commitment,
        Usd::ZERO,
        "105,120 owed against 87,600 on demand"
    );
}

#[test]
fn the_terms_of_the_catalog_nest() {
    let commitments: Vec<Commitment> = Billing::ALL
        .into_iter()
        .filter_map(|billing| {
            let term_hours = billing.term_hours()?;
            Some(Commitment { billing, upfront: None, per_hour: rate("1"), term_hours, fee: None })
        })
        .collect();
    let terms: std::collections::BTreeSet<u32> = commitments.iter().map(|it| it.term_hours).collect();
    let market = Market { on_demand: rate("2"), spot: None, commitments };
    assert_eq!(market::layers(&market, Horizon::ThreeYears.hours(), |_| true).len(), terms.len());
}

/// Ten machines, three years that differ, and a cap on spot that cuts through: still an answer, and no worse than what
/// shifting one instance at a time can find.
#[test]
fn whole_instances_with_spot_are_exact_over_years_too() {
    let rules = Rules { whole: Whole::Always, spot_share: 0.13 };
    let question = question(300, Some(100), &[(120, 26_280), (170, 8760)], rules);
    let busy = |hour: u64| (hour * 7919 % 101) * MICRO / 10;
    let demand = Demand::over(&(0..500).map(busy).collect::<Vec<_>>(), Horizon::ThreeYears, 0.25);
    let (plan, bill) = question.best(&demand).unwrap();
    assert!(plan.bought.len() == 2 && bill.tiers.len() > 2, "{bill:?}");
    for layer in 0..2 {
        for slot in 0..plan.bought[layer].instances.len() {
            for more in [true, false] {
                let mut other = plan.clone();
                let instances = &mut other.bought[layer].instances[slot];
                *instances = if more { *instances + MICRO } else { instances.saturating_sub(MICRO) };
                assert!(question.bill(&other, &demand).total >= bill.total, "{layer} {slot} {more}");
            }
        }
    }
}

#[test]
fn a_week_of_office_hours_has_its_hours() {
    let week = week(7.5, 5, 2 * MICRO);
    assert_eq!(week.len(), 168);
    assert_eq!(week.iter().sum::<u64>(), 75 * MICRO);
    assert_eq!((week[6], week[7], week[8], week[5 * 24]), (2 * MICRO, MICRO, 0, 0));
}

#[test]
fn usage_is_repeated_or_its_latest_hours_are_kept() {
    let short = Demand::over(&[1, 2, 3], Horizon::OneYear, 0.0);
    assert_eq!((short.hours().len(), &short.hours()[..5]), (8760, &[1, 2, 3, 1, 2][..]));
    let long: Vec<u64> = (0..9000).collect();
    assert_eq!(Demand::over(&long, Horizon::OneYear, 0.0).hours()[0], 240);
    let grown = Demand::over(&[MICRO], Horizon::ThreeYears, 0.2);
    assert_eq!((grown.hours()[0], grown.hours()[8760], grown.hours()[17_520]), (MICRO, 1_200_000, 1_440_000));
}

fn read(text: &str) -> Result<Vec<u64>, String> {
    usage::read("u.csv", text.as_bytes()).map_err(|error| error.message)
}

#[test]
fn a_table_is_read_whatever_its_order_and_its_clock() {
    let expected = Ok(vec![MICRO, 500_000, 0]);
    assert_eq!(read("hour,instances\n0,1\n1,0.5\n2,0\n"), expected);
    assert_eq!(read("\u{feff}Instances, note ,HOUR\r\n0,x,7\r\n1,\"a,b\",5\r\n\r\n5e-1,,6"), expected);
    assert_eq!(
        read("hour,instances\n2026-01-01T01:00Z,0.5\n2026-01-01T00:00:00Z,1\n2026-01-01T03:00+01:00,0\n"),
        expected
    );
    assert_eq!(
        read("hour,instances\n2026-01-01 23:00,1\n2026-01-02 00:00,.5\n2026-01-02T01:00,0\n"),
        expected
    );
}

#[test]
fn a_bad_table_is_refused_with_its_place() {
    for (text, told) in [
        ("", "u.csv:1:1: the file is empty"),
        ("hour,count\n0,1\n", "u.csv:1:1: the header has no column `instances`"),
        ("hour,instances\n", "u.csv:2:1: the table has no row"),
        ("hour,instances\n0,1\n1,-2\n", "u.csv:3:3: `-2` instances: a number of instances is not negative"),
        ("hour,instances\n0,NaN\n", "u.csv:2:3: `NaN` is not a number"),
        ("hour,instances\n0,inf\n", "u.csv:2:3: `inf` is not a number"),
        ("hour,note,instances\n0,\"a, b\",many\n", "u.csv:2:10: `many` is not a number"),
        ("hour,instances\n0,1e9\n", "u.csv:2:3: `1e9` instances are more than 100000"),
        ("hour,instances\n0\n", "u.csv:2:1: the row has 1 cell, the header has 2"),
        ("hour,instances\n\n0,\n", "u.csv:3:1: the row has no `instances`"),
        ("hour,instances\nx,1\n", "u.csv:2:1: `x` is not an hour"),
        ("hour,instances\n-1,1\n", "u.csv:2:1: hour `-1` is negative"),
        ("hour,instances\n2026-01-01T00:15Z,1\n", "u.csv:2:1: `2026-01-01T00:15Z` is not a full hour"),
        ("hour,instances\n0,1\n2026-01-01T00:00Z,1\n", "u.csv:3:1: `2026-01-01T00:00Z` is not written as"),
        ("hour,instances\n0,1\n1,1\n0,2\n", "u.csv:4:1: this hour stands in line 2 too"),
        ("hour,instances\n5,1\n2,1\n", "u.csv:2:1: 2 hours are missing between line 3 and this one"),
        ("hour,instances\n0,0\n1,0\n", "u.csv:1:1: no hour uses any instance"),
    ] {
        let error = usage::read("u.csv", text.as_bytes()).expect_err(text);
        assert!(error.message.starts_with(told), "{text:?}: {}", error.message);
        assert!(!error.hint.is_empty(), "{text:?} has no remedy");
    }
    let error = usage::read("u.csv", b"hour,instances\n0,\xff\n").expect_err("not UTF-8");
    assert_eq!(error.message, "u.csv:2:3: this is not UTF-8");
}
