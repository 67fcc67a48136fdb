use super::{CurrencyCode, Fx, Term, percent_off};
use rust_decimal::Decimal;

#[test]
fn a_code_is_read_in_any_case() {
    assert_eq!("cny".parse::<CurrencyCode>().unwrap().0.code(), "CNY");
    assert_eq!("RMB".parse::<CurrencyCode>().unwrap().0.code(), "CNY");
    for text in ["", "yuan", "C1Y", "元", "US"] {
        assert!(text.parse::<CurrencyCode>().is_err(), "{text}");
    }
}

#[test]
fn a_rate_is_above_zero_and_exact() {
    let fx: Fx = "cny=7.20@2026-11-30".parse().unwrap();
    assert_eq!((fx.currency.code(), fx.rate.to_string().as_str()), ("CNY", "7.20"));
    assert_eq!(fx.day.unwrap().to_string(), "2026-11-30");
    for text in
        ["CNY", "CNY=", "CNY=0", "CNY=-7", "CNY=NaN", "CNY=inf", "CNY=1e9999", "CNY=7@soon", "USD=1", "=7"]
    {
        assert!(text.parse::<Fx>().is_err(), "{text}");
    }
}

#[test]
fn eight_tenths_paid_are_twenty_per_cent_off() {
    assert_eq!(percent_off("8折"), Some(Decimal::from(20)));
    assert_eq!(percent_off("12.5"), Some(Decimal::new(125, 1)));
    assert_eq!(percent_off("100"), None);
    assert_eq!("3y=6折".parse::<Term>().unwrap().0.percent, Decimal::from(40));
    for text in ["0", "100", "2y=40", "lots", "-4", "10折"] {
        assert!(text.parse::<Term>().is_err(), "{text}");
    }
}
