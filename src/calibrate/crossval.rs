//! Leave-one-source-out: what the estimates would say to a source if it had never been published.

use super::fit::Problem;
use super::free::Free;
use crate::catalog::Catalog;
use crate::insight::classic;
use crate::insight::score::{Scores, score};
use crate::insight::table::Measurement;
use std::collections::BTreeSet;

/// A catalog that was fitted without one source.
pub struct LeftOut {
    /// The catalog, without the measured rates of that source.
    pub catalog: Catalog,
    /// Constants that no other source determines and that nothing wider stands in for: they kept their value, which that
    /// source may have shaped.
    pub kept: Vec<usize>,
    /// Constants that no other source determines: the one that holds more widely took their place.
    pub replaced: Vec<usize>,
}

/// Refits a fitted catalog without one source. Only constants that move its rows are refitted: no other one can change
/// what is said to it.
pub fn without(
    problem: &Problem<'_>,
    fitted: &Catalog,
    source: usize,
    published: &BTreeSet<String>,
    keep: bool,
) -> LeftOut {
    let alone = problem.used_only_by(source);
    let members: Vec<usize> = problem.used_by(source).into_iter().filter(|at| !alone.contains(at)).collect();
    let orphans: BTreeSet<usize> = alone.iter().map(|&at| problem.free[at].index).collect();
    let mut catalog = fitted.clone();
    forget(&mut catalog, published);
    let (mut kept, mut replaced) = (Vec::new(), Vec::new());
    for &at in &alone {
        let list =
            if heir(problem, &problem.free[at], &orphans).is_some() { &mut replaced } else { &mut kept };
        list.push(problem.free[at].index);
    }
    let inherit = |catalog: &mut Catalog| {
        for &at in alone.iter().filter(|_| !keep) {
            if let Some(heir) = heir(problem, &problem.free[at], &orphans) {
                catalog.constants[problem.free[at].index].value = catalog.constants[heir].value;
            }
        }
    };
    inherit(&mut catalog);
    catalog = problem.descend(&catalog, Some(source), &members);
    inherit(&mut catalog);
    LeftOut { catalog, kept, replaced }
}

/// Who published a rate: what its source text begins with, up to the colon.
fn publisher(text: &str) -> &str {
    text.split(':').next().unwrap_or(text).trim()
}

/// Publishers of the measured rates of a catalog that one of these texts names.
pub fn publishers<'a>(catalog: &Catalog, texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let known: BTreeSet<&str> =
        catalog.measured.iter().map(|rate| publisher(&catalog.source(rate.source).text)).collect();
    let texts: Vec<&str> = texts.into_iter().collect();
    let named = known.into_iter().filter(|name| texts.iter().any(|text| text.contains(name)));
    named.map(str::to_owned).collect()
}

/// Takes out the measured rates of these publishers.
pub fn forget(catalog: &mut Catalog, publishers: &BTreeSet<String>) {
    let sources = &catalog.sources;
    catalog
        .measured
        .retain(|rate| !publishers.contains(publisher(&sources[usize::from(rate.source.0)].text)));
}

/// The nearest wider constant that does not hang on the left-out source alone.
fn heir(problem: &Problem<'_>, free: &Free, orphans: &BTreeSet<usize>) -> Option<usize> {
    let mut at = free.parent;
    while let Some(parent) = at {
        if !orphans.contains(&parent) {
            return Some(parent);
        }
        at = problem.free.iter().find(|free| free.index == parent).and_then(|free| free.parent);
    }
    None
}

/// Scores the rows of one source under a catalog, without the rates that it measured.
pub fn score_source(catalog: &Catalog, measurements: &[Measurement], source: &str) -> Scores {
    let own: Vec<Measurement> =
        measurements.iter().filter(|row| row.source_group == source).cloned().collect();
    let mut unseen = catalog.clone();
    classic::leave_out(&mut unseen, source);
    score(&unseen, &own)
}

/// Adds the scores of another part of the rows.
pub fn add(all: &mut Scores, part: Scores) {
    all.scored.extend(part.scored);
    all.judged.extend(part.judged);
    all.skipped.extend(part.skipped);
}
