//! `catalog history`: how prices moved that `catalog update` kept.

use crate::catalog::load::Sections;
use crate::cli::args::HistoryArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use crate::cli::limit;
use crate::cli::store::HISTORY;
use crate::refresh::history::{History, Line};
use crate::report::catalog::HistoryAnswer;
use std::collections::BTreeSet;

/// Answers `catalog history`: of the prices of the catalog that pass the filters.
pub(super) fn run(frame: &Frame, args: HistoryArgs) -> anyhow::Result<Outcome> {
    let today = frame.today()?;
    let catalog = frame.catalog_for(Sections::PRICES, HistoryAnswer::default)?;
    let filter = limit::filter(&frame.group(args.filter)?, &catalog, today)?;
    let store = frame.store()?;
    let name = store.folder().join(HISTORY).display().to_string();
    let history = match store.read(HISTORY)? {
        Some(text) => History::parse(&text).map_err(|fault| fault.of_file(&name))?,
        None => History::default(),
    };
    let names: BTreeSet<Line> = filter
        .prices(&catalog)
        .into_iter()
        .map(|price| {
            let machine = catalog.instance(price.instance);
            let provider = catalog.provider(machine.provider).name.clone();
            let upfront = price.upfront.map_or("", |it| it.name()).to_owned();
            let region = catalog.region(price.region).name.clone();
            let currency = price.seldom.listed.map_or(price.currency, |(code, _)| code).code().to_owned();
            [provider, machine.name.clone(), region, price.billing.name().to_owned(), upfront, currency]
        })
        .collect();
    let mut trends = history.trends(today, args.window);
    trends.retain(|trend| names.contains(trend.line));
    let nothing = trends.is_empty();
    let answer = HistoryAnswer::new(args.window, &history, &trends);
    frame.answer(&catalog, &[], &[], answer)?;
    if !nothing {
        return Ok(Outcome::Answered);
    }
    frame.complain(&format!(
        "no snapshot of the last {} days has such a price; `gpuadvise catalog update` takes one",
        args.window
    ));
    Ok(Outcome::Nothing)
}
