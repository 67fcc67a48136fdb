use super::*;
use jiff::civil::date;

fn line(provider: &str, machine: &str) -> Line {
    [provider, machine, "us-east-1", "spot", "", "USD"].map(str::to_owned)
}

fn snapshot(prices: &[(&str, &str)]) -> BTreeMap<Line, Decimal> {
    prices.iter().map(|(machine, amount)| (line("aws", machine), amount.parse().expect("a price"))).collect()
}

fn taken(days: &[(Date, &[(&str, &str)])]) -> History {
    let mut history = History::default();
    for (day, prices) in days {
        history.record(&["aws".to_owned()], *day, &snapshot(prices));
    }
    history
}

#[test]
fn trends_count_each_snapshot_once_and_only_inside_the_window() {
    let history = taken(&[
        (date(2026, 11, 1), &[("a", "9"), ("b", "1")]),
        (date(2026, 11, 20), &[("a", "2.00"), ("b", "1")]),
        (date(2026, 11, 25), &[("a", "4")]),
        (date(2026, 11, 30), &[("a", "4"), ("b", "3")]),
    ]);
    let trends = history.trends(date(2026, 11, 30), 14);
    let found: Vec<(&str, usize, String, String, String)> = trends
        .iter()
        .map(|it| {
            let text = |it: Decimal| it.round_dp(4).normalize().to_string();
            (it.line[1].as_str(), it.snapshots, text(it.min), text(it.mean), text(it.max))
        })
        .collect();
    let row = |name, n, a: &str, b: &str, c: &str| (name, n, a.to_owned(), b.to_owned(), c.to_owned());
    assert_eq!(found, [row("a", 3, "2", "3.3333", "4"), row("b", 2, "1", "2", "3")]);
    assert_eq!(trends[0].change_percent(), Some(Decimal::ONE_HUNDRED));
    assert!(history.trends(date(2026, 10, 1), 14).is_empty());
}

#[test]
fn the_text_holds_changes_only_and_reads_back() {
    let history = taken(&[
        (date(2026, 11, 1), &[("a", "2")]),
        (date(2026, 11, 2), &[("a", "2")]),
        (date(2026, 11, 3), &[]),
        (date(2026, 11, 4), &[("a", "2")]),
    ]);
    let text = history.text();
    assert!(text.contains("aws,a,us-east-1,spot,,USD,2026-11-01=2 2026-11-03= 2026-11-04=2\n"), "{text}");
    assert_eq!(History::parse(&text).expect("own text"), history);
}

#[test]
fn the_order_of_snapshots_does_not_matter_and_a_day_is_replaced() {
    let days: [(Date, &[(&str, &str)]); 3] = [
        (date(2026, 11, 1), &[("a", "2"), ("b", "5")]),
        (date(2026, 11, 2), &[("a", "3")]),
        (date(2026, 11, 3), &[("a", "3"), ("b", "5")]),
    ];
    let forward = taken(&days);
    let backward = taken(&[days[2], days[0], (days[1].0, &[("a", "99")]), days[1]]);
    assert_eq!(forward.text(), backward.text());
}

#[test]
fn old_snapshots_are_forgotten_without_changing_the_others() {
    let mut history = taken(&[
        (date(2026, 1, 1), &[("a", "2"), ("gone", "1")]),
        (date(2026, 2, 1), &[("a", "3")]),
        (date(2026, 11, 1), &[("a", "3")]),
        (date(2026, 11, 30), &[("a", "4")]),
    ]);
    let before: Vec<String> =
        history.trends(date(2026, 11, 30), 40).iter().map(|it| format!("{it:?}")).collect();
    history.forget(100);
    let after: Vec<String> =
        history.trends(date(2026, 11, 30), 40).iter().map(|it| format!("{it:?}")).collect();
    assert_eq!(before, after);
    assert_eq!(history.days().into_iter().collect::<Vec<_>>(), [date(2026, 11, 1), date(2026, 11, 30)]);
    assert!(!history.text().contains("gone"), "{}", history.text());
}

#[test]
fn a_damaged_text_is_an_error_with_its_line() {
    let head = HEAD.join(",");
    for (text, what) in [
        ("nonsense".to_owned(), "version"),
        (format!("{head}\naws,a,r,spot,,USD,2026-13-01=2\n"), "no day"),
        (format!("{head}\naws,a,r,spot,,USD,2026-11-01=NaN\n"), "no price"),
        (format!("{head}\naws,a,r,spot,,USD,2026-11-01=-1\n"), "no price"),
        (format!("{head}\naws,2026-11-01\n"), ""),
    ] {
        let fault = History::parse(&text).expect_err("damaged");
        assert!(fault.message.contains(what) && fault.place.is_some(), "{fault:?}");
    }
}
