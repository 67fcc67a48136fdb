//! Values read as people write them, and refuse nonsense.

use super::*;

fn refuses<T: FromStr>(texts: &[&str]) {
    for text in texts {
        assert!(text.parse::<T>().is_err(), "`{text}` must be refused");
    }
}

#[test]
fn amounts() {
    for (text, cents) in [
        ("5000", "5,000.00"),
        ("0.75", "0.75"),
        ("$12.50", "12.50"),
        ("1_000", "1,000.00"),
        ("1e3", "1,000.00"),
    ] {
        assert_eq!(text.parse::<Amount>().unwrap().usd().to_string(), cents, "{text}");
    }
    assert_eq!("0.0003".parse::<Amount>().unwrap().per_hour().to_string(), "0.0003");
    refuses::<Amount>(&["", "-5", "-0.01", "NaN", "inf", "1e30", "5 EUR", "12,5", "abc", "$", "1e-40x"]);
}

#[test]
fn percentages() {
    assert_eq!("60".parse::<Percent>().unwrap(), Percent(60.0));
    assert_eq!("12.5 %".parse::<Percent>().unwrap(), Percent(12.5));
    refuses::<Percent>(&["", "-1", "101", "NaN", "inf", "x%"]);
}

#[test]
fn days_rates_and_bandwidths() {
    assert_eq!("90".parse::<Days>().unwrap(), Days(90));
    assert_eq!("90d".parse::<Days>().unwrap(), Days(90));
    refuses::<Days>(&["", "-1", "1.5", "NaN", "90h"]);
    assert_eq!("0".parse::<Rate>().unwrap(), Rate(0.0));
    refuses::<Rate>(&["", "-0.1", "NaN", "inf", "2e6"]);
    assert_eq!("3200Gbps".parse::<Gbps>().unwrap(), Gbps(3200.0));
    refuses::<Gbps>(&["", "0", "-1", "NaN", "inf", "100GB"]);
}

#[test]
fn spans_may_be_zero_and_intervals_have_words() {
    assert_eq!("0".parse::<Span>().unwrap(), Span(Hours(0.0)));
    assert_eq!("90m".parse::<Span>().unwrap(), Span(Hours(1.5)));
    refuses::<Span>(&["", "-1h", "NaN", "soon"]);
    assert_eq!("Auto".parse::<CheckpointInterval>().unwrap(), CheckpointInterval::Auto);
    assert_eq!("none".parse::<CheckpointInterval>().unwrap(), CheckpointInterval::None);
    assert_eq!("30m".parse::<CheckpointInterval>().unwrap(), CheckpointInterval::Every(Hours(0.5)));
    refuses::<CheckpointInterval>(&["", "0", "-1h", "never"]);
}

#[test]
fn billing_kinds_come_once_in_the_order_of_tables() {
    let asked = ["spot", "committed", "on-demand", "cud-1y"].map(|text| text.parse().unwrap());
    let kinds = BillingChoice::kinds(&asked);
    assert_eq!(kinds[..2], [Billing::OnDemand, Billing::Spot]);
    assert_eq!(kinds.len(), 10, "all but capacity blocks, which have no term");
    let error = "reserved1y".parse::<BillingChoice>().unwrap_err();
    assert!(error.contains("reserved-1y"), "{error}");
}
