use super::{Currency, percent_paid};
use rust_decimal::Decimal;

fn paid(text: &str) -> Option<String> {
    percent_paid(text).map(|percent: Decimal| percent.normalize().to_string())
}

#[test]
fn tenths_are_what_is_paid() {
    for (text, percent) in [
        ("8折", "80"),
        ("8.5折", "85"),
        ("85折", "85"),
        ("八折", "80"),
        ("八五折", "85"),
        ("一折", "10"),
        ("6 折", "60"),
        ("80", "80"),
        ("80 %", "80"),
    ] {
        assert_eq!(paid(text).as_deref(), Some(percent), "{text}");
    }
}

#[test]
fn what_is_no_part_of_a_price_is_refused() {
    for text in ["0折", "10折", "折", "-8折", "eight", "", "八八八折", "-5", "120折"] {
        assert_eq!(paid(text), None, "{text}");
    }
}

#[test]
fn a_code_is_three_capital_letters() {
    assert_eq!(Currency::from_code("CNY"), Some(Currency(*b"CNY")));
    for text in ["cny", "CN", "CNYX", "", "C1Y", "元"] {
        assert_eq!(Currency::from_code(text), None, "{text}");
    }
}
