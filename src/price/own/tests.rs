use super::*;
use proptest::prelude::*;

fn usd(amount: f64) -> Usd {
    Usd::from_f64(amount).expect("an amount")
}

/// An 8xH100 server in colocation.
fn server() -> Server {
    Server {
        price: Some(usd(310_000.0)),
        residual: 0.0,
        life_years: 5.0,
        power_kw: Some(10.2),
        pue: 1.2,
        colocation_per_kw_month: Some(usd(184.06)),
        electricity_per_mwh: Some(usd(80.0)),
        staff_per_year: None,
    }
}

fn per_gpu_hour(part: &Part) -> f64 {
    part.per_year.expect("known").to_f64() / 8.0 / YEAR_HOURS
}

/// 310,000 USD over five years are 0.885 USD a GPU-hour, four 1.106, three 1.475; 10.2 kW at 184.06 are 0.321; energy at
/// 0.08 USD and a PUE of 1.2 is 0.122.
#[test]
fn parts_of_a_year_are_as_computed_by_hand() {
    for (life, expected) in [(5, 0.885), (4, 1.106), (3, 1.475)] {
        let parts = Server { life_years: f64::from(life), ..server() }.parts(1, life);
        assert!((per_gpu_hour(&parts[0]) - expected).abs() < 0.0005, "{life}: {parts:?}");
    }
    let parts = server().parts(1, 5);
    assert!((per_gpu_hour(&parts[1]) - 0.321).abs() < 0.0006);
    assert!((per_gpu_hour(&parts[2]) - 0.1224).abs() < 0.0001);
    assert_eq!(parts[3].per_year, None);
}

/// A server that is bought for fewer years than it lives counts for these years, straight line: two fifths of 310,000 USD are
/// left after three of five years, and a second one is bought in the sixth.
#[test]
fn a_short_use_pays_its_years_of_the_life() {
    let three: Usd = server().years(1, 3).iter().filter_map(|year| year.paid).sum();
    let run: Usd = server().running(1).iter().filter_map(|part| part.per_year).sum();
    assert_eq!(three, usd(186_000.0) + run + run + run);
    assert_eq!(server().book_value(1, 3), Some(usd(124_000.0)));
    assert_eq!(server().book_value(1, 5), None, "its life is over");
    let six: Usd = server().years(1, 6).iter().filter_map(|year| year.paid).sum();
    assert_eq!(six.minus(run.scaled(6.0).expect("money")), usd(372_000.0), "one year of a second one");
    let half = Server { residual: 0.5, life_years: 2.0, ..server() };
    assert_eq!(half.book_value(1, 3), Some(usd(232_500.0)), "half of what is written off, and the residual");
    let lives: Vec<_> =
        [3.0, 5.0, 10.0].map(|life_years| Server { life_years, ..server() }.parts(1, 3)[0]).into();
    assert_eq!(
        lives.iter().map(|part| part.per_year.unwrap().to_f64()).collect::<Vec<_>>(),
        [103_333.33, 62_000.0, 31_000.0]
    );
}

#[test]
fn unknown_parts_are_never_nothing() {
    assert!(Server { price: None, ..server() }.years(1, 3).iter().all(|year| year.paid.is_none()));
    assert_eq!(Server { price: None, ..server() }.parts(1, 3)[0].per_year, None);
}

#[test]
fn cash_is_paid_at_the_start_of_a_life() {
    let run = usd(1000.0);
    let plain = Server {
        price: Some(usd(100_000.0)),
        residual: 0.1,
        life_years: 2.0,
        power_kw: None,
        staff_per_year: Some(run),
        ..server()
    };
    let paid = |years: u32| -> Vec<f64> {
        plain.years(1, years).iter().map(|year| year.paid.expect("known").to_f64()).collect()
    };
    assert_eq!(paid(4), [101_000.0, 91_000.0, 1000.0, -9_000.0]);
    assert_eq!(paid(1), [46_000.0], "half of its life is left");
}

proptest! {
    /// Parts and cash are the same money.
    #[test]
    fn cash_adds_up_to_the_parts(price in 1_u32..900_000, life in 1_u32..70, years in 1_u32..20, residual in 0_u32..90) {
        let one = Server {
            price: Some(usd(f64::from(price))),
            residual: f64::from(residual) / 100.0,
            life_years: f64::from(life) / 10.0,
            ..server()
        };
        let cash: Usd = one.years(3, years).iter().filter_map(|year| year.paid).sum();
        let per_year: Usd = one.parts(3, years).iter().filter_map(|part| part.per_year).sum();
        let parts = per_year.to_f64() * f64::from(years);
        prop_assert!((cash.to_f64() - parts).abs() < 0.05 * f64::from(years), "{cash} beside {parts}");
        prop_assert!(cash.to_f64() > 0.0 || residual > 0);
    }

    /// P151: a share of the hours, or above 1 for never; a dearer rent never raises it.
    #[test]
    fn a_dearer_rent_never_raises_the_break_even(own in 1_u32..9_000_000, rent in 1_u32..9_000_000, more in 0_u32..9_000_000) {
        let at = |rent: u32| break_even(usd(f64::from(own)), usd(f64::from(rent))).expect("known");
        prop_assert!(at(rent.saturating_add(more)) <= at(rent));
    }
}
