use super::{Job, SpotOutlook, costs};
use crate::catalog::charge::Charges;
use crate::catalog::instance::InstanceId;
use crate::catalog::price::{Billing, Currency, Price, Seldom, Upfront};
use crate::catalog::provenance::SourceId;
use crate::catalog::region::RegionId;
use crate::money::{Usd, UsdPerHour};
use crate::price::JobHours;
use crate::price::part::Extras;
use crate::price::spot::SpotTerms;

fn outlook() -> SpotOutlook {
    let terms = |rate| SpotTerms {
        interruptions_per_hour: rate * 2.0,
        checkpoint_hours: 0.01,
        restart_hours: 0.1,
        never_ends_hours: 1e6,
        ..SpotTerms::CALM
    };
    let (low, expected, high) = (terms(0.0), terms(0.1), terms(0.5));
    SpotOutlook { low, expected, high, per_node_hour: 0.1, ..SpotOutlook::CALM }
}

fn price(billing: Billing, upfront: Option<Upfront>, usd: Option<&str>, currency: Currency) -> Price {
    Price {
        instance: InstanceId(0),
        region: RegionId(0),
        billing,
        upfront,
        per_hour: usd.map(|text| text.parse::<UsdPerHour>().unwrap()),
        currency,
        stat: None,
        source: SourceId(0),
        overridden: false,
        fee: None,
        seldom: Seldom::default(),
    }
}

fn job(outlook: &SpotOutlook, hours: f64) -> Job<'_> {
    Job {
        nodes: 2,
        gpus_per_node: 8.0,
        hours: JobHours::exactly(hours),
        reruns: true,
        spot: outlook,
        charges: Charges::default(),
        extras: Extras::default(),
    }
}

#[test]
fn on_demand_is_rate_times_nodes_times_hours_to_the_cent() {
    let (spot, p) = (outlook(), price(Billing::OnDemand, None, Some("55.04"), Currency::USD));
    let row = &costs(&[&p], &job(&spot, 10.5))[0];
    assert_eq!(row.total.unwrap().to_string(), "1,155.84");
    assert_eq!(row.usd_per_hour.unwrap().to_string(), "110.08");
    assert_eq!(row.usd_per_gpu_hour.unwrap().to_string(), "6.88");
    assert_eq!(row.commitment, None);
}

#[test]
fn a_commitment_shows_the_share_of_the_job_and_the_whole_debt() {
    let (spot, p) = (outlook(), price(Billing::Reserved1y, Some(Upfront::All), Some("10"), Currency::USD));
    let row = &costs(&[&p], &job(&spot, 100.0))[0];
    assert_eq!(row.total.unwrap().to_string(), "2,000.00");
    assert_eq!(row.commitment.unwrap().to_string(), "175,200.00");
    assert_eq!(row.upfront_paid, row.commitment);
    assert!(row.notes.iter().any(|n| n.contains("8760 h is owed")), "{:?}", row.notes);
}

#[test]
fn spot_counts_its_reruns() {
    let (spot, p) = (outlook(), price(Billing::Spot, None, Some("1"), Currency::USD));
    let row = &costs(&[&p], &job(&spot, 100.0))[0];
    assert!(row.billed_hours.unwrap().to_f64() > 100.0);
    assert!(row.low < row.total && row.total < row.high);
    assert!(row.spot.unwrap().interruptions > 15.0);
}

#[test]
fn spot_that_saves_nothing_says_so() {
    let spot = outlook();
    let prices = [
        price(Billing::OnDemand, None, Some("1"), Currency::USD),
        price(Billing::Spot, None, Some("0.99"), Currency::USD),
    ];
    let rows = costs(&[&prices[0], &prices[1]], &job(&spot, 100.0));
    assert!(rows[1].notes.iter().any(|n| n.starts_with("refused: ")), "{:?}", rows[1].notes);
    assert!(rows[1].total > rows[0].total);
}

#[test]
fn unknown_and_foreign_prices_stay_unknown() {
    let spot = outlook();
    let unknown = price(Billing::OnDemand, None, None, Currency::USD);
    let euros = price(Billing::OnDemand, None, Some("2.52"), Currency(*b"EUR"));
    for p in [&unknown, &euros] {
        let row = &costs(&[p], &job(&spot, 10.0))[0];
        assert_eq!((row.total, row.usd_per_hour, row.commitment), (None, None, None));
        assert!(row.at_least, "what has no price lacks a part");
        assert!(!row.notes.is_empty());
    }
}

#[test]
fn a_job_longer_than_the_term_owes_several() {
    let (spot, p) = (outlook(), price(Billing::Reserved1y, Some(Upfront::No), Some("1"), Currency::USD));
    let row = &costs(&[&p], &job(&spot, 2.0 * 8760.0))[0];
    assert_eq!(row.commitment, row.total);
    let row = &costs(&[&p], &job(&spot, 2.0 * 8760.0 + 1.0))[0];
    assert_eq!(row.commitment.unwrap().to_string(), "52,560.00");
    assert!(row.commitment >= row.total);
    assert!(row.notes.iter().any(|n| n.contains("3 whole terms")), "{:?}", row.notes);
}

/// A year of months: what is due at the start is the first month; a fee at the start comes once a term as well.
#[test]
fn what_is_due_at_the_start_is_of_the_first_term() {
    let spot = outlook();
    let months = price(Billing::Subscription1m, Some(Upfront::All), Some("10"), Currency::USD);
    let row = &costs(&[&months], &job(&spot, 13.0 * 730.0))[0];
    assert_eq!(row.upfront_paid.unwrap().to_string(), "14,600.00");
    assert_eq!(row.commitment.unwrap().to_string(), "189,800.00");
    let mut partly = price(Billing::Reserved1y, Some(Upfront::Partial), Some("10"), Currency::USD);
    let paid = |p: &Price| costs(&[p], &job(&spot, 3.0 * 8760.0))[0].upfront_paid;
    assert_eq!(paid(&partly), None, "no source tells it");
    partly.fee = Some(Usd::from_cents(500_000));
    assert_eq!(paid(&partly).unwrap().to_string(), "10,000.00");
}

#[test]
fn what_costs_something_never_reads_as_free_and_savings_come_from_exact_amounts() {
    let spot = outlook();
    let prices = [
        price(Billing::OnDemand, None, Some("1"), Currency::USD),
        price(Billing::Reserved3y, Some(Upfront::No), Some("0.459"), Currency::USD),
    ];
    let rows = costs(&[&prices[0], &prices[1]], &Job { reruns: false, ..job(&spot, 0.0001) });
    assert_eq!(rows[0].total.unwrap().to_string(), "0.01");
    assert!((rows[1].ratio_to_on_demand.unwrap() - 0.459).abs() < 1e-9);
}

#[test]
fn a_dearer_price_never_lowers_a_total() {
    let mut spot = outlook();
    for fallback in [None, Some(2)] {
        spot.expected.fallback_after = fallback;
        let mut last = None;
        for usd in ["0.07", "0.3", "0.31", "0.99", "1.5", "20"] {
            let prices = [
                price(Billing::OnDemand, None, Some("1"), Currency::USD),
                price(Billing::Spot, None, Some(usd), Currency::USD),
            ];
            let rows = costs(&[&prices[0], &prices[1]], &job(&spot, 33.3));
            assert!(rows[1].total > last, "{usd}: {:?} after {last:?}", rows[1].total);
            last = rows[1].total;
        }
    }
}

#[test]
fn hopeless_spot_is_refused() {
    let mut spot = outlook();
    spot.expected = SpotTerms { interruptions_per_hour: 40.0, checkpoint_hours: 0.5, ..spot.expected };
    spot.high = spot.expected;
    let prices = [
        price(Billing::OnDemand, None, Some("1"), Currency::USD),
        price(Billing::Spot, None, Some("0.9"), Currency::USD),
    ];
    let rows = costs(&[&prices[0], &prices[1]], &job(&spot, 100.0));
    assert_eq!((rows[1].total, rows[1].high, rows[1].billed_hours), (None, None, None));
    assert!(!rows[1].at_least, "its price is known");
    assert!(
        rows[1].notes.iter().any(|n| n.contains("refused") && n.contains("never ends")),
        "{:?}",
        rows[1].notes
    );
}
