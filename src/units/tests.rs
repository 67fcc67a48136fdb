use super::{Bytes, Count, Fraction, Hours};
use proptest::prelude::{any, prop_assert_eq, proptest};

fn bytes(text: &str) -> u64 {
    text.parse::<Bytes>().unwrap().0
}

#[test]
fn p050_memory_keeps_decimal_and_binary_units_apart() {
    assert_eq!(bytes("256MB"), 256_000_000);
    assert_eq!(bytes("0.25GB"), 250_000_000);
    assert_eq!(bytes("256 MiB"), 268_435_456);
    assert_eq!(bytes("80"), 80 << 30);
    assert_eq!(bytes("1.5TiB"), 1536 << 30);
}

#[test]
fn counts_read_as_people_write_them() {
    for (text, count) in [
        ("1e9", 1_000_000_000),
        ("7B", 7_000_000_000),
        ("1.5t", 1_500_000_000_000),
        ("50M", 50_000_000),
        ("1_000", 1000),
        ("2.5E+3", 2500),
        ("1.1B", 1_100_000_000),
        ("6.738415616B", 6_738_415_616),
    ] {
        assert_eq!(text.parse::<Count>().unwrap().0, count, "{text}");
    }
}

#[test]
fn counts_round_for_people_and_are_never_cut() {
    assert_eq!(Count(8_030_000_000).rounded(), "8.0B");
    assert_eq!(Count(6_740_000_000).rounded(), "6.7B");
    assert_eq!(Count(999_999_999).rounded(), "1.0B");
    assert_eq!(Count(999_940_000).rounded(), "999.9M");
    assert_eq!(Count(20_000_000_000).to_string(), "20B");
    assert_eq!(Count(7_215_206_400).to_string(), "7215206400");
    assert_eq!(Count(124_439_808).rounded(), "124.4M");
    assert_eq!(Count(999).rounded(), "999");
}

#[test]
fn durations_add_their_parts() {
    for (text, hours) in [
        ("3d", 72.0),
        ("1d12h", 36.0),
        ("90m", 1.5),
        ("7", 7.0),
        ("2 weeks", 336.0),
        ("1y", 8760.0),
        ("36s", 0.01),
    ] {
        assert!((text.parse::<Hours>().unwrap().0 - hours).abs() < 1e-12, "{text}");
    }
}

#[test]
fn nonsense_is_refused() {
    for text in ["", "NaN", "inf", "-1", "0", "1e400", "12 parsecs", "e9", "--", "1..2", "7BB", "5 é", "é"]
    {
        assert!(text.parse::<Count>().is_err(), "count {text}");
        assert!(text.parse::<Hours>().is_err(), "hours {text}");
    }
    for text in ["", "NaN", "-1GB", "80XB", "1e30TB"] {
        assert!(text.parse::<Bytes>().is_err(), "bytes {text}");
    }
    for text in ["0.5", "1.7", "0.0004k", "-7B", "7 billion"] {
        assert!(text.parse::<Count>().is_err(), "count {text}");
    }
    for text in ["0", "1.01", "104%", "-1", "x"] {
        assert!(text.parse::<Fraction>().is_err(), "fraction {text}");
    }
}

proptest! {
    #[test]
    fn parse_undoes_print(n in 1..9_007_199_254_740_992_u64, hours in 1e-6..1e6_f64) {
        prop_assert_eq!(Count(n).to_string().parse::<Count>().unwrap(), Count(n));
        prop_assert_eq!(Bytes(n).to_string().parse::<Bytes>().unwrap(), Bytes(n));
        prop_assert_eq!(Hours(hours).to_string().parse::<Hours>().unwrap(), Hours(hours));
        let share = Fraction(hours / 1e6);
        prop_assert_eq!(share.to_string().parse::<Fraction>().unwrap(), share);
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = (text.parse::<Count>(), text.parse::<Bytes>(), text.parse::<Hours>(), text.parse::<Fraction>());
    }
}
