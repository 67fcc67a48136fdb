//! Which catalog a run stands on: that of the program, what `catalog update` fetched, the overlays of `--catalog`.

use super::args::GlobalArgs;
use super::environment;
use super::store::Store;
use crate::catalog::load::{self, CatalogProblem, Loaded, Sections};
use crate::diag::{Assumption, Warning};
use jiff::civil::Date;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A catalog, and what is to be said of fetched prices in it.
pub(super) struct Laid {
    /// The catalog with its overlays.
    pub(super) loaded: Loaded,
    /// That fetched prices are used.
    pub(super) used: Option<Assumption>,
    /// Why they are not.
    pub(super) unusable: Option<Warning>,
}

/// Loads the catalog. Fetched prices count for commands with prices; where they cannot be used the others do without.
pub(super) fn load(
    global: &GlobalArgs,
    sections: Sections,
    with_fetched: bool,
) -> Result<Laid, CatalogProblem> {
    let without = |unusable: Option<Warning>| {
        let loaded = load::with_cache(&global.catalog, sections, environment::cache(global).as_deref())?;
        Ok(Laid { loaded, used: None, unusable })
    };
    if !sections.prices || !with_fetched || global.no_updates {
        return without(None);
    }
    let Some(store) = Store::find(global.data.as_deref()) else { return without(None) };
    let unusable = |what: String| {
        let folder = store.folder().display();
        let message = format!(
            "prices that `catalog update` fetched into {folder} are not used: {what}. Fetch them again, or say --no-updates"
        );
        Some(Warning { id: "updates-unusable", message })
    };
    let fetched: Vec<PathBuf> = match store.overlays() {
        Ok(fetched) if fetched.is_empty() => return without(None),
        Ok(fetched) => fetched,
        Err(error) => return without(unusable(error.to_string())),
    };
    // With faulty overlays of the user too it is those that count: tried alone they tell their own faults.
    match load::with_updates(&fetched, &global.catalog, sections, environment::cache(global).as_deref()) {
        Ok(loaded) => Ok(Laid { used: Some(assumption(&loaded.newest)), loaded, unusable: None }),
        Err(CatalogProblem::Invalid { findings }) => {
            let first = findings.first().map(ToString::to_string).unwrap_or_default();
            without(unusable(first))
        }
        Err(CatalogProblem::Unreadable { path, error }) if fetched.contains(&path) => {
            without(unusable(format!("{}: {error}", path.display())))
        }
        Err(problem) => Err(problem),
    }
}

fn assumption(newest: &BTreeMap<String, Date>) -> Assumption {
    let each: Vec<String> = newest.iter().map(|(provider, day)| format!("{provider} {day}")).collect();
    Assumption {
        id: "updated-prices",
        value: each.join(", "),
        why: "prices that `catalog update` fetched stand in for those of the program that are older; `--no-updates` leaves \
              them out"
            .to_owned(),
        source: "catalog update".to_owned(),
    }
}
