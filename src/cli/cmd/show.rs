//! `catalog show NAME`: everything the catalog holds of one thing.

use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::InstanceId;
use crate::catalog::load::Sections;
use crate::catalog::price::Billing;
use crate::cli::args::ShowArgs;
use crate::cli::exit::Outcome;
use crate::cli::find::{Found, find};
use crate::cli::frame::Frame;
use crate::report::catalog::{self as rows, CatalogRow, Rows, Show};
use std::collections::BTreeMap;

/// Shows it.
pub fn run(frame: &Frame, args: &ShowArgs) -> anyhow::Result<Outcome> {
    let catalog = &frame.catalog(Sections::ALL)?;
    match find(catalog, &args.name)? {
        Found::Gpu(id) => show(frame, catalog, rows::gpus(catalog, [id]), machines_with(catalog, id)),
        Found::Family(family) => show(frame, catalog, rows::family(catalog, family), Vec::new()),
        Found::Instance(id) => show(frame, catalog, rows::instances(catalog, [id]), prices_of(catalog, id)),
        Found::Provider(id) => show(frame, catalog, rows::provider(catalog, id), Vec::new()),
        Found::Model(preset) => show(frame, catalog, rows::models(catalog, [preset]), Vec::new()),
        Found::Scenario(scenario) => show(frame, catalog, rows::scenarios(catalog, [scenario]), Vec::new()),
        Found::Rule(rule) => show(frame, catalog, rows::rules(catalog, [rule]), Vec::new()),
        Found::Region(region) => show(frame, catalog, rows::regions(catalog, [region]), Vec::new()),
    }
}

fn show<T: CatalogRow>(
    frame: &Frame,
    catalog: &Catalog,
    rows: Rows<T>,
    related: Vec<String>,
) -> anyhow::Result<Outcome> {
    if let Some(body) = Show::first(rows, related) {
        frame.answer(catalog, &[], &[], body)?;
    }
    Ok(Outcome::Answered)
}

/// The machines that hold a GPU.
fn machines_with(catalog: &Catalog, gpu: GpuId) -> Vec<String> {
    let holding = catalog.instances.iter().filter(|instance| instance.gpu == gpu);
    holding.map(|instance| format!("{} ({} GPUs)", catalog.full_name(instance), instance.gpus)).collect()
}

/// For each billing kind the range of the known prices and in how many regions.
fn prices_of(catalog: &Catalog, id: InstanceId) -> Vec<String> {
    let mut kinds: BTreeMap<Billing, (Vec<_>, usize)> = BTreeMap::new();
    for price in catalog.prices_of(id) {
        let (known, all) = kinds.entry(price.billing).or_default();
        known.extend(crate::price::in_usd(price));
        *all += 1;
    }
    let line = |(kind, (known, all)): (Billing, (Vec<_>, usize))| {
        let range = match (known.iter().min(), known.iter().max()) {
            (Some(low), Some(high)) if low == high => format!("{low} USD/hour"),
            (Some(low), Some(high)) => format!("{low} to {high} USD/hour"),
            _ => "unknown".to_owned(),
        };
        format!("{}: {range} in {all} price{}", kind.name(), if all == 1 { "" } else { "s" })
    };
    kinds.into_iter().map(line).collect()
}
