use super::Num;
use crate::money::UsdPerHour;

fn json(num: Num) -> String {
    serde_json::to_string(&num).unwrap()
}

#[test]
fn whole_numbers_have_no_point_and_fractions_no_noise() {
    assert_eq!(json(Num::exact(8.0)), "8");
    assert_eq!(json(Num::exact(0.125)), "0.125");
    assert_eq!(json(Num::exact(0.1 + 0.2)), "0.3");
    assert_eq!(json(Num::rounded(-0.0004, 3)), "0");
    assert_eq!(json(Num::exact(2e10)), "20000000000");
    assert_eq!(json(Num::exact(f64::NAN)), "null");
}

#[test]
fn prices_print_as_their_source_writes_them() {
    for text in ["55.04", "2.99", "0.526", "98.32", "0.0123", "12.000001"] {
        let price: UsdPerHour = text.parse().unwrap();
        assert_eq!(json(Num::usd_per_hour(price)), text);
    }
    let share: UsdPerHour = "4.326038".parse().unwrap();
    assert_eq!(json(Num::usd_per_gpu_hour(share)), "4.326");
}

#[test]
fn json_and_text_have_the_same_digits() {
    for value in [0.0, 1.5, 123_456.789, 1e-6, 1e21, 1e300] {
        let num = Num::exact(value);
        let bits = |text: String| text.parse::<f64>().unwrap().to_bits();
        assert_eq!(bits(json(num)), bits(num.to_string()));
    }
}
