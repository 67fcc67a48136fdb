//! `catalog gpus|instances|prices|providers|models|scenarios|rules|check`: the rows with all their fields, filtered.

mod diff;
mod history;
mod import;
#[cfg(feature = "refresh")]
mod update;

use super::show;
use crate::catalog::Catalog;
use crate::catalog::load::Sections;
use crate::catalog::select::Filter;
use crate::cli::args::{CatalogCommand, CheckArgs};
use crate::cli::constraint::FilterArgs;
use crate::cli::exit::{CatalogError, Outcome};
use crate::cli::frame::Frame;
use crate::cli::{limit, verdict};
use crate::diag::Level;
use crate::report::catalog::{self as rows, CatalogRow, Findings, Rows};

const MODELS: Sections = Sections { presets: true, ..Sections::HARDWARE };
const SCENARIOS: Sections = Sections { scenarios: true, ..Sections::HARDWARE };
const RULES: Sections = Sections { rules: true, ..Sections::HARDWARE };

/// Answers one of the `catalog` commands.
pub fn run(frame: &Frame, command: CatalogCommand) -> anyhow::Result<Outcome> {
    match command {
        CatalogCommand::Gpus(args) => {
            filtered(frame, args, |catalog, filter| rows::gpus(catalog, limit::gpus(filter, catalog)))
        }
        CatalogCommand::Instances(args) => filtered(frame, args, |catalog, filter| {
            rows::instances(catalog, limit::instances(filter, catalog))
        }),
        CatalogCommand::Prices(args) => {
            filtered(frame, args, |catalog, filter| rows::prices(catalog, filter.prices(catalog)))
        }
        CatalogCommand::Providers(args) => filtered(frame, args, |catalog, filter| {
            rows::providers(catalog, limit::providers(filter, catalog))
        }),
        CatalogCommand::Models => list(frame, MODELS, |catalog| rows::models(catalog, &catalog.presets)),
        CatalogCommand::Scenarios => list(frame, SCENARIOS, |c| rows::scenarios(c, &c.scenarios)),
        CatalogCommand::Rules => list(frame, RULES, |catalog| rows::rules(catalog, &catalog.rules)),
        CatalogCommand::Show(args) => show::run(frame, &args),
        CatalogCommand::Check(args) => check(frame, &args),
        CatalogCommand::Import(args) => import::run(frame, &args),
        CatalogCommand::Diff(args) => diff::run(frame, &args),
        #[cfg(feature = "refresh")]
        CatalogCommand::Update(args) => update::run(frame, &args),
        CatalogCommand::History(args) => history::run(frame, args),
    }
}

fn list<T: CatalogRow>(
    frame: &Frame,
    sections: Sections,
    rows: impl FnOnce(&Catalog) -> Rows<T>,
) -> anyhow::Result<Outcome> {
    let catalog = frame.catalog_for(sections, Rows::<T>::none)?;
    frame.answer(&catalog, &[], &[], rows(&catalog))?;
    Ok(Outcome::Answered)
}

fn filtered<T: CatalogRow>(
    frame: &Frame,
    args: FilterArgs,
    rows: impl FnOnce(&Catalog, &Filter) -> Rows<T>,
) -> anyhow::Result<Outcome> {
    let args = frame.group(args)?;
    let catalog = frame.catalog_for(Sections::PRICES, Rows::<T>::none)?;
    let filter = limit::filter(&args, &catalog, frame.today()?)?;
    frame.confirm_currency(&catalog, &filter, false)?;
    let rows = rows(&catalog, &filter);
    let empty = rows.rows.is_empty();
    frame.answer(&catalog, &[], &[], rows)?;
    if !empty {
        return Ok(Outcome::Answered);
    }
    Ok(verdict::nothing_passes(frame, T::KIND, &filter, &catalog))
}

fn check(frame: &Frame, args: &CheckArgs) -> anyhow::Result<Outcome> {
    let findings = frame.check_catalog(&args.paths)?;
    frame.answer(&Catalog::default(), &[], &[], Findings::new(&findings))?;
    if findings.iter().any(|finding| finding.level == Level::Error) {
        return Err(CatalogError::of(&findings).into());
    }
    Ok(Outcome::Answered)
}
