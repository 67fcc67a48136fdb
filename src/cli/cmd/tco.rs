//! `tco`: rent, own, or buy tokens from an API. Prices of renting and of owning never meet before the table.

mod machine;
mod server;
mod traffic;

use crate::catalog::Catalog;
use crate::catalog::load::Sections;
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use crate::cli::tco_args::{OwnArgs, TcoArgs};
use crate::cli::{discount, limit, verdict};
use crate::diag::{Assumption, InputError};
use crate::money::{Usd, UsdPerHour};
use crate::report::tco::{Found, Tco};
use machine::Machines;

/// Years that are compared unless told otherwise.
const YEARS: u32 = 3;

/// Where defaults come from that are a convention of this tool.
const CONVENTION: &str = "default of gpuadvise";

/// Answers `tco`.
pub fn run(frame: &Frame, args: TcoArgs) -> anyhow::Result<Outcome> {
    let own = frame.group(args.own)?;
    let traffic = frame.group(args.traffic)?;
    let asked = frame.group(args.filter)?;
    let tokens = traffic::tokens(&traffic)?;
    let workload = frame.workload(args.workload)?;
    let years = own.years.unwrap_or(YEARS);
    let mut catalog = frame.catalog_for(Sections::ALL, || Tco::nothing(years))?;
    frame.need_dollars("owning and APIs are priced")?;
    let mut assumptions = discount::apply(frame.project()?, &mut catalog)?;
    let filter = limit::cost_filter(&asked, &catalog, frame.today()?)?;
    frame.warn_of_old_rates(filter.max_age);
    let mut machines = match &tokens {
        Some(tokens) => machine::serving(frame, &catalog, &workload, &traffic, tokens, (&asked, own.nodes))?,
        None => machine::asked(&catalog, filter, own.nodes)?,
    };
    assumptions.append(&mut machines.assumptions);
    let Some(machine) = machines.chosen.take() else { return nothing(frame, &catalog, &machines, years) };
    let used = utilisation(&own, &mut assumptions);
    if used <= 0.0 {
        return Err(InputError::new("`--utilisation 0`: nothing is needed", "give a share above 0").into());
    }
    let server = server::of(&catalog, (&own, years), &machine, &mut assumptions)?;
    let apis = match &tokens {
        Some(tokens) => traffic::apis(&catalog, &traffic, tokens, machine.preset.as_deref(), frame.today()?)?,
        None => traffic::Apis::default(),
    };
    if own.years.is_none() {
        let why = "years to compare".to_owned();
        assumptions.push(Assumption {
            id: "years",
            value: YEARS.to_string(),
            why,
            source: CONVENTION.to_owned(),
        });
    }
    let mut warnings = verdict::price_warnings(&machines.listing);
    warnings.append(&mut machines.warnings);
    warnings.extend(apis.warnings);
    not_free(&own)?;
    let body = Tco::new(&Found {
        catalog: &catalog,
        years,
        utilisation: used,
        machine: &machine.machine,
        rent: &machines.listing.rows,
        server: &server,
        serverless: own.serverless.map(|amount| UsdPerHour::new(amount.usd().decimal())),
        grid_g_per_kwh: own.grid_carbon.map(|grams| grams.0),
        tokens: tokens.as_ref(),
        apis: &apis.offers,
    });
    frame.answer(&catalog, &assumptions, &warnings, body)?;
    Ok(Outcome::Answered)
}

/// Share of the hours in which the machines are needed.
fn utilisation(own: &OwnArgs, assumptions: &mut Vec<Assumption>) -> f64 {
    own.utilisation.map_or_else(
        || {
            let why = "share of the hours in which the machines are needed: all of them".to_owned();
            let source = CONVENTION.to_owned();
            assumptions.push(Assumption { id: "utilisation", value: "100 %".to_owned(), why, source });
            1.0
        },
        |percent| percent.0 / 100.0,
    )
}

/// No machine qualifies: the document all the same, and why.
fn nothing(frame: &Frame, catalog: &Catalog, machines: &Machines, years: u32) -> anyhow::Result<Outcome> {
    frame.answer(catalog, &machines.assumptions, &machines.warnings, Tco::nothing(years))?;
    let unusable = machines.listing.unknown + machines.listing.too_old;
    if unusable > 0 && machines.listing.rows.iter().all(|row| row.cost.total.is_none()) {
        return Ok(verdict::no_offer(frame, &[], unusable));
    }
    frame.complain(&format!("no machine qualifies; left out by {}", machines.reasons.join(", ")));
    Ok(Outcome::Nothing)
}

/// Refuses a serverless offer for nothing.
fn not_free(own: &OwnArgs) -> Result<(), InputError> {
    match &own.serverless {
        Some(amount) if amount.usd() == Usd::ZERO => {
            Err(InputError::new("`--serverless 0`: nothing is free", "say USD for an hour, or leave it out"))
        }
        _ => Ok(()),
    }
}
