//! The options of `tco`, each with what is paid year by year.

use super::{ApiOffer, Found, MONTHS, OptionLine, PartLine};
use crate::catalog::price::{Billing, Upfront};
use crate::money::{BilledHours, Usd, UsdPerHour};
use crate::price::listing::CostRow;
use crate::price::own::YEAR_HOURS;
use crate::price::terms::Terms;
use crate::report::date::Dated;
use crate::report::number::Num;

/// GPUs of all machines.
pub(super) fn gpus(found: &Found) -> f64 {
    found.catalog.instance(found.machine.instance).gpus * f64::from(found.machine.nodes)
}

/// A contract: on demand and spot for the busy hours, commitments for all.
pub(super) fn rent(found: &Found, row: &CostRow) -> OptionLine {
    let (cost, catalog) = (&row.cost, found.catalog);
    let instance = catalog.instance(row.instance);
    let share = if cost.billing.is_committed() { 1.0 } else { found.utilisation };
    let hours = BilledHours::from_f64(YEAR_HOURS * share);
    let terms = |rate| Some(Terms { rate, upfront: cost.upfront_paid, hours: cost.billing.term_hours()? });
    let terms = cost.usd_per_hour.and_then(terms);
    let bill = Bill::of(found, cost.usd_per_hour, hours, terms);
    let source = catalog.source(cost.source);
    let mut notes = cost.notes.clone();
    let spot = cost.billing == Billing::Spot;
    if spot {
        notes.push("machines come and go; what reruns or lost capacity cost is not in it".to_owned());
    }
    if bill.total.is_some() && bill.paid.contains(&None) {
        notes.push("what is due at its start is not known, nor are its years in cash".to_owned());
    }
    let line = OptionLine {
        option: "rent",
        billing: Some(cost.billing.name()),
        upfront: cost.upfront.map(Upfront::name),
        provider: Some(catalog.provider(instance.provider).name.clone()),
        region: Some(catalog.region(row.region).name.clone()),
        instance_type: Some(instance.name.clone()),
        usd_per_hour: cost.usd_per_hour.map(Num::usd_per_hour),
        billed_hours_per_year: hours.map(Num::billed_hours),
        price_as_of: Some(Dated(source.as_of)),
        price_source: Some(source.text.clone()),
        overridden: cost.overridden,
        commitment_usd: bill.owed.map(Num::usd),
        upfront_usd: cost.upfront_paid.filter(|_| terms.is_some()).map(Num::usd),
        at_least: spot || cost.usd_per_hour.is_none(),
        unknown_parts: if spot { vec!["reruns"] } else { Vec::new() },
        notes,
        ..OptionLine::default()
    };
    let listed = cost.listed.as_ref().map(|sold| {
        let terms = terms.map(|terms| Terms { rate: sold.per_hour, upfront: sold.upfront_paid, ..terms });
        (sold.currency, Bill::of(found, Some(sold.per_hour), hours, terms))
    });
    OptionLine { listed, ..line }.machine(found).priced(found, bill)
}

/// What a contract is paid over the years that are compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Bill {
    /// Year by year.
    pub(super) paid: Vec<Option<Usd>>,
    /// All years.
    pub(super) total: Option<Usd>,
    /// What all terms of a commitment owe.
    pub(super) owed: Option<Usd>,
    /// Paid at the start of each term.
    pub(super) upfront: Option<Usd>,
}

impl Bill {
    /// A contract at the price of an hour: its terms, or these hours of each year. What is paid in the years of a term may be
    /// unknown while their sum is not.
    fn of(found: &Found, rate: Option<UsdPerHour>, hours: Option<BilledHours>, terms: Option<Terms>) -> Self {
        let years = found.years as usize;
        let Some(terms) = terms else {
            return Self::paying(vec![rate.zip(hours).map(|(rate, hours)| rate.cost(hours)); years]);
        };
        let paid = terms.cash(found.years).map(|paid| paid.into_iter().map(Some).collect());
        let owed = terms.owed(found.years);
        let upfront = terms.upfront;
        Self { paid: paid.unwrap_or_else(|| vec![None; years]), total: owed, owed, upfront }
    }

    /// What is paid year by year; unknown in one year is unknown in all.
    fn paying(paid: Vec<Option<Usd>>) -> Self {
        Self { total: paid.iter().copied().sum(), paid, ..Self::default() }
    }

    /// An average year.
    pub(super) fn per_year(&self) -> Option<Usd> {
        self.total?.scaled(1.0 / self.paid.len() as f64)
    }
}

/// A price that was given, for busy hours alone.
pub(super) fn serverless(found: &Found, price: UsdPerHour) -> OptionLine {
    let hours = BilledHours::from_f64(YEAR_HOURS * busy_share(found));
    let line = OptionLine {
        option: "serverless",
        usd_per_hour: Some(Num::usd_per_hour(price)),
        billed_hours_per_year: hours.map(Num::billed_hours),
        price_source: Some("given".to_owned()),
        ..OptionLine::default()
    };
    let paid = vec![hours.map(|hours| price.cost(hours)); found.years as usize];
    line.machine(found).priced(found, Bill::paying(paid))
}

/// Share of the hours in which there is work: of the tokens where they are known, else as said.
pub(super) fn busy_share(found: &Found) -> f64 {
    let load = found.machine.load.and_then(|load| Some(load.requests_per_s / load.capacity_requests_per_s?));
    load.map_or(found.utilisation, |share| share.min(1.0))
}

pub(super) fn own(found: &Found) -> OptionLine {
    let parts = found.server.parts(found.machine.nodes, found.years);
    let known = parts[0].per_year.is_some();
    let unknown: Vec<&'static str> =
        parts.iter().filter(|part| part.per_year.is_none()).map(|part| part.name).collect();
    let mut notes = Vec::new();
    if !known {
        notes.push("the price of such a server is not known: `--server-price` says it".to_owned());
    }
    if !unknown.is_empty() && known {
        notes.push(format!("not known and not in it: {}", unknown.join(", ")));
    }
    if found.server.power_kw.is_some() {
        notes.push("power at its maximum in all hours: an upper bound".to_owned());
    }
    let line = OptionLine {
        option: "own",
        billed_hours_per_year: Some(Num::exact(YEAR_HOURS)),
        at_least: !unknown.is_empty(),
        unknown_parts: unknown,
        parts: parts
            .iter()
            .map(|part| PartLine { name: part.name, usd_per_year: part.per_year.map(Num::usd) })
            .collect(),
        notes,
        ..OptionLine::default()
    };
    let years = found.server.years(found.machine.nodes, found.years);
    line.machine(found).priced(found, Bill::paying(years.into_iter().map(|year| year.paid).collect()))
}

pub(super) fn api(found: &Found, offer: &ApiOffer) -> OptionLine {
    let (price, bill) = (&offer.price, &offer.bill);
    let source = found.catalog.source(price.source);
    let year = |usd: Usd| usd.scaled(MONTHS);
    let part = |name, usd: Usd| PartLine { name, usd_per_year: year(usd).map(Num::usd) };
    let mut notes = Vec::new();
    if bill.cached_at_input_price {
        notes.push("cached input at the price of input: an upper bound".to_owned());
    }
    notes.extend(
        price
            .ends
            .map(|day| format!("{}/{} ends on {day}, and is counted for all years", price.api, price.model)),
    );
    let line = OptionLine {
        option: "api",
        provider: Some(price.api.clone()),
        api_model: Some(price.model.clone()),
        parts: vec![
            part("input", bill.input),
            part("cached input", bill.cached),
            part("output", bill.output),
        ],
        price_as_of: Some(Dated(source.as_of)),
        price_source: Some(source.text.clone()),
        overridden: price.overridden,
        notes,
        ..OptionLine::default()
    };
    line.priced(found, Bill::paying(vec![year(bill.total()); found.years as usize]))
}
