//! Laws of money: steps of billing, sums of what is printed, and what is never free.

use super::*;
use crate::catalog::charge::{Step, What};
use crate::catalog::instance::ProviderId;
use crate::catalog::provenance::SourceId;
use proptest::prelude::*;

fn charge(what: What) -> Charge {
    Charge {
        provider: ProviderId(0),
        what,
        regions: Vec::new(),
        instances: Vec::new(),
        increment_s: 0,
        minimum_s: 0,
        billed_when_stopped: false,
        blocks: None,
        unit_bytes: 1e9,
        steps: Vec::new(),
        usd_when_stopped: None,
        source: SourceId(0),
    }
}

fn time(increment_s: u32, minimum_s: u32) -> Charge {
    Charge { increment_s, minimum_s, ..charge(What::Compute) }
}

fn disks() -> Charge {
    let steps = vec![Step { from: 0.0, usd: 0.1 }];
    Charge { steps, usd_when_stopped: Some(0.2), ..charge(What::Storage) }
}

fn data() -> Charge {
    let steps = vec![Step { from: 0.0, usd: 0.09 }, Step { from: 1000.0, usd: 0.05 }];
    Charge { steps, ..charge(What::Egress) }
}

fn rate(usd: f64) -> UsdPerHour {
    UsdPerHour::from_f64(usd).unwrap()
}

fn total(rate: UsdPerHour, hours: f64, charges: &Charges, extras: &Extras) -> Usd {
    extras.quote((rate, None), &Due::plain(hours), Billing::OnDemand, charges).unwrap().parts.total().unwrap()
}

/// P147: each started hour in full at a provider that bills by the hour, a third of it by the second.
#[test]
fn twenty_minutes_cost_an_hour_by_the_hour_and_a_third_by_the_second() {
    let (hourly, secondly, least) = (time(3600, 0), time(1, 0), time(1, 3600));
    let cost = |compute| {
        let charges = Charges { compute: Some(compute), ..Charges::default() };
        total(rate(3.0), 20.0 / 60.0, &charges, &Extras::default()).to_string()
    };
    assert_eq!([cost(&hourly), cost(&secondly), cost(&least)], ["3.00", "1.00", "3.00"]);
    let minimum = time(1, 60);
    let extras = Extras::default();
    let hours = |work: f64, compute| {
        extras.billed_hours(&Due::plain(work), Billing::OnDemand, Some(compute)) * 3600.0
    };
    assert!((hours(10.0 / 3600.0, &minimum) - 60.0).abs() < 1e-6);
    assert!((hours(60.2 / 3600.0, &minimum) - 61.0).abs() < 1e-6);
    assert!((hours(2.0, &hourly) - 7200.0).abs() < 1e-6, "a whole hour is not rounded up by noise");
    assert!((extras.billed_hours(&Due::plain(0.3), Billing::Reserved1y, Some(&hourly)) - 0.3).abs() < 1e-12);
}

/// P149: both the unit of the price and the step of billing are told.
#[test]
fn counting_is_told_in_words() {
    let said = |compute: Option<&Charge>| counting(Billing::OnDemand, compute).unwrap();
    assert_eq!(said(Some(&time(1, 60))), "priced by the hour, billed by the second, at least 60 s");
    assert_eq!(said(Some(&time(60, 60))), "priced by the hour, billed by the minute");
    assert_eq!(said(Some(&time(3600, 0))), "priced by the hour, billed by the hour, each begun one in full");
    assert_eq!(said(Some(&time(600, 3600))), "priced by the hour, billed in steps of 10 min, at least 1 h");
    assert!(said(None).contains("not known"));
    assert_eq!(counting(Billing::Savings3y, None), None);
}

/// P095: disks cost while machines run, wait and are stopped, each as its own part.
#[test]
fn storage_costs_while_machines_run_wait_and_are_stopped() {
    let (compute, storage) = (time(1, 0), disks());
    let charges = Charges { compute: Some(&compute), storage: Some(&storage), egress: None, blocks: None };
    let extras = Extras { idle_hours: 365.0, stopped_hours: 730.0, storage_bytes: 1e12, ..Extras::default() };
    let parts =
        extras.quote((rate(1.0), None), &Due::plain(365.0), Billing::OnDemand, &charges).unwrap().parts;
    assert_eq!(parts.storage.unwrap().to_string(), "300.00", "1000 GB x (0.1 + 0.2)");
    assert_eq!((parts.compute, parts.idle), (Usd::from_f64(365.0), Usd::from_f64(365.0)));
    let always = Charge { billed_when_stopped: true, ..time(1, 0) };
    let kept = Charges { compute: Some(&always), ..charges };
    let parts = extras.quote((rate(1.0), None), &Due::plain(365.0), Billing::OnDemand, &kept).unwrap().parts;
    assert_eq!(parts.idle, Usd::from_f64(1095.0), "a stopped machine is billed there");
}

#[test]
fn data_gets_cheaper_with_what_leaves_in_a_month() {
    let egress = data();
    let charges = Charges { egress: Some(&egress), ..Charges::default() };
    let extras = Extras { egress_bytes: 3e12, ..Extras::default() };
    let cost = |hours| {
        extras.quote((rate(1.0), None), &Due::plain(hours), Billing::OnDemand, &charges).unwrap().parts.egress
    };
    assert_eq!(cost(10.0), Usd::from_f64(190.0), "1000 x 0.09 + 2000 x 0.05");
    assert_eq!(cost(3.0 * 730.0), Usd::from_f64(270.0), "a third of it each month");
}

#[test]
fn what_is_not_known_is_no_zero_and_marks_the_sum() {
    let extras = Extras { storage_bytes: 1e9, egress_bytes: 1.0, ..Extras::default() };
    let parts = extras
        .quote((rate(1.0), None), &Due::plain(1.0), Billing::OnDemand, &Charges::default())
        .unwrap()
        .parts;
    assert_eq!((parts.storage, parts.egress), (None, None));
    assert_eq!((parts.total(), parts.at_least()), (Usd::from_f64(1.0), true));
    assert!(priced(&extras, &Charges::default()).iter().all(|said| said.contains("at least")));
    assert!(!Parts::default().at_least() && Parts::default().total().is_none());
    let egress = data();
    let known = Charges { egress: Some(&egress), ..Charges::default() };
    let parts = extras.quote((rate(1.0), None), &Due::plain(1.0), Billing::OnDemand, &known).unwrap().parts;
    assert_eq!(parts.egress, Some(Usd::CENT), "one byte is not free");
}

#[test]
fn what_is_left_out_is_an_assumption() {
    let ids = |extras: Extras| assumptions(&extras).iter().map(|a| a.id).collect::<Vec<_>>();
    assert_eq!(ids(Extras::default()), ["bill-parts"]);
    let all = Extras {
        startup_hours: 0.1,
        idle_hours: 0.1,
        stopped_hours: 0.0,
        storage_bytes: 1.0,
        egress_bytes: 1.0,
    };
    assert_eq!(ids(all), ["egress-allowance"]);
}

prop_compose! {
    fn any_extras()(
        startup in 0.0..3.0_f64, idle in 0.0..50.0_f64, stopped in 0.0..2000.0_f64,
        storage in 0.0..1e14_f64, egress in 0.0..1e14_f64,
    ) -> Extras {
        Extras {
            startup_hours: startup, idle_hours: idle, stopped_hours: stopped,
            storage_bytes: storage, egress_bytes: egress,
        }
    }
}

proptest! {
    #[test]
    fn the_total_is_the_sum_of_its_parts(
        extras in any_extras(), usd in 0.001..500.0_f64, hours in 1e-4..5000.0_f64, step in 1..4000_u32,
    ) {
        let (compute, storage, egress) = (time(step, 60), disks(), data());
        let charges = Charges { compute: Some(&compute), storage: Some(&storage), egress: Some(&egress), blocks: None };
        let quote = extras.quote((rate(usd), None), &Due::plain(hours), Billing::OnDemand, &charges).unwrap();
        let parts = quote.parts;
        let machines = rate(usd).cost(BilledHours::from_f64(quote.hours).unwrap());
        let own: Usd = [parts.compute, parts.startup, parts.idle].into_iter().flatten().sum();
        prop_assert_eq!(own, machines);
        let all = [parts.compute, parts.startup, parts.idle, parts.storage, parts.egress];
        prop_assert!(all.iter().flatten().all(|part| *part >= Usd::ZERO));
        prop_assert_eq!(parts.total(), Some(all.into_iter().flatten().sum()));
        prop_assert!(quote.hours + 1e-6 >= extras.startup_hours + hours + extras.idle_hours);
    }

    #[test]
    fn a_split_job_costs_the_same_by_the_second_and_never_less_in_larger_steps(
        seconds in 120..1_000_000_u32, cut in 0.1..0.9_f64, usd in 0.01..500.0_f64, step in 2..4000_u32,
    ) {
        let first = (f64::from(seconds) * cut).round().max(60.0);
        let rest = f64::from(seconds) - first;
        prop_assume!(rest >= 60.0);
        let cents = |step: u32, seconds: f64| {
            let compute = time(step, 60);
            let charges = Charges { compute: Some(&compute), ..Charges::default() };
            total(rate(usd), seconds / 3600.0, &charges, &Extras::default())
        };
        let whole = cents(1, f64::from(seconds));
        let split = cents(1, first) + cents(1, rest);
        let off = whole.minus(split).to_f64().abs();
        prop_assert!(off <= 0.0101, "rounding to the cent is all that differs: {} and {}", whole, split);
        let larger = cents(step, first) + cents(step, rest);
        prop_assert!(larger.to_f64() + 0.0101 >= cents(step, f64::from(seconds)).to_f64());
    }

    /// Cents add up over any split of a job: exactly where a second costs whole cents, else within half a cent for each
    /// piece.
    #[test]
    fn cents_add_up_over_any_split(pieces in proptest::collection::vec(60_u32..200_000, 1..12), cents in 1_u32..50, usd in 0.01..500.0_f64) {
        let compute = time(1, 60);
        let charges = Charges { compute: Some(&compute), ..Charges::default() };
        let seconds: u32 = pieces.iter().sum();
        let cost = |rate: UsdPerHour, seconds: u32| total(rate, f64::from(seconds) / 3600.0, &charges, &Extras::default());
        let whole_cents = rate(36.0 * f64::from(cents));
        let exactly: Usd = pieces.iter().map(|&piece| cost(whole_cents, piece)).sum();
        prop_assert_eq!(exactly, cost(whole_cents, seconds));
        prop_assert_eq!(exactly, Usd::from_cents(i128::from(seconds) * i128::from(cents)));
        let split: Usd = pieces.iter().map(|&piece| cost(rate(usd), piece)).sum();
        let off = split.minus(cost(rate(usd), seconds)).to_f64().abs();
        prop_assert!(off <= 0.005 * (pieces.len() as f64 + 1.0) + 0.002, "{}", off);
    }

    #[test]
    fn a_dearer_price_or_a_longer_job_never_costs_less(
        extras in any_extras(), usd in 0.001..500.0_f64, more in 0.0..50.0_f64,
        hours in 1e-4..5000.0_f64, longer in 0.0..100.0_f64, step in 1..4000_u32,
    ) {
        let (compute, storage) = (time(step, 0), disks());
        let charges = Charges { compute: Some(&compute), storage: Some(&storage), egress: None, blocks: None };
        let extras = Extras { egress_bytes: 0.0, ..extras };
        let now = total(rate(usd), hours, &charges, &extras);
        prop_assert!(total(rate(usd + more), hours, &charges, &extras) >= now);
        prop_assert!(total(rate(usd), hours + longer, &charges, &extras) >= now);
    }
}

#[test]
fn spot_that_gives_way_pays_each_hour_at_its_own_price_and_disks_while_it_waits() {
    let (compute, storage) = (time(3600, 0), disks());
    let charges = Charges { compute: Some(&compute), storage: Some(&storage), egress: None, blocks: None };
    let due = Due { billed_hours: 10.5, on_demand_hours: 4.2, wall_hours: 365.0 };
    let extras = Extras { storage_bytes: 1e12, ..Extras::default() };
    let quote = extras.quote((rate(1.0), Some(rate(3.0))), &due, Billing::Spot, &charges).unwrap();
    assert!((quote.hours - 12.0).abs() < 1e-9, "7 begun hours of spot, 5 on demand");
    assert_eq!(quote.parts.compute, Usd::from_f64(7.0 + 15.0));
    assert_eq!(quote.parts.storage, Usd::from_f64(50.0), "half a month, waits included");
    assert_eq!(extras.quote((rate(1.0), None), &due, Billing::Spot, &charges), None);
}

/// A capacity block is sold whole: days up to a fortnight, then weeks, and no longer than half a year.
#[test]
fn blocks_are_whole_days_then_whole_weeks() {
    let blocks = Charge { blocks: Some((14, 26)), ..charge(What::CapacityBlock) };
    let charges = Charges { blocks: Some(&blocks), ..Charges::default() };
    let owed =
        |hours: f64| Extras::default().owed_hours(&Due::plain(hours), Billing::CapacityBlock, &charges);
    let cases =
        [(0.5, 1.0), (24.0, 1.0), (24.1, 2.0), (336.0, 14.0), (337.0, 21.0), (730.0, 35.0), (4368.0, 182.0)];
    for (hours, days) in cases {
        let got = owed(hours).unwrap() / 24.0;
        assert!((got - days).abs() < 1e-9, "{hours}: {got}");
    }
    assert_eq!(owed(4369.0), None);
    let on_demand = Extras::default().owed_hours(&Due::plain(0.5), Billing::OnDemand, &charges).unwrap();
    assert!((on_demand - 0.5).abs() < 1e-12);
}
