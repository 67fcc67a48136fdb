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
    let terms = terms(row);
    let paid = match terms {
        Some(terms) => {
            terms.cash(found.years).map_or_else(Vec::new, |paid| paid.into_iter().map(Some).collect())
        }
        None => {
            vec![cost.usd_per_hour.zip(hours).map(|(rate, hours)| rate.cost(hours)); found.years as usize]
        }
    };
    let paid = if paid.is_empty() { vec![None; found.years as usize] } else { paid };
    let owed = terms.and_then(|terms| terms.owed_by_one()?.scaled(f64::from(terms.count(found.years))));
    let source = catalog.source(cost.source);
    let mut notes = cost.notes.clone();
    let spot = cost.billing == Billing::Spot;
    if spot {
        notes.push("machines come and go; what reruns or lost capacity cost is not in it".to_owned());
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
        commitment_usd: owed.map(Num::usd),
        upfront_usd: terms.map(|terms| Num::usd(terms.upfront)),
        at_least: spot || cost.usd_per_hour.is_none(),
        unknown_parts: if spot { vec!["reruns"] } else { Vec::new() },
        notes,
        ..OptionLine::default()
    };
    line.machine(found).priced(found, paid)
}

/// The terms of a commitment; `None` for what is paid by the hour and for what has no price.
fn terms(row: &CostRow) -> Option<Terms> {
    let cost = &row.cost;
    let (rate, hours) = (cost.usd_per_hour?, cost.billing.term_hours()?);
    let one = Terms { rate, upfront: Usd::ZERO, hours };
    // The row is priced for one year.
    let upfront = cost.upfront_paid.and_then(|usd| usd.scaled(1.0 / f64::from(one.count(1))));
    Some(Terms { upfront: upfront.unwrap_or(Usd::ZERO), ..one })
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
    line.machine(found).priced(found, vec![hours.map(|hours| price.cost(hours)); found.years as usize])
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
    line.machine(found).priced(found, years.into_iter().map(|year| year.paid).collect())
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
    line.priced(found, vec![year(bill.total()); found.years as usize])
}
