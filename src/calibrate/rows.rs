//! Measurements made ready for a fit: what to ask the catalog, what was measured, and how much it counts.

use super::free::{Aspect, Choice};
use crate::catalog::Catalog;
use crate::insight::Case;
use crate::insight::metric::Metric;
use crate::insight::question::Sort;
use crate::insight::score::Labels;
use crate::insight::table::Measurement;
use std::collections::BTreeMap;

/// What a row answers under a catalog; nothing when it has no answer there.
pub type Ask = Box<dyn Fn(&Catalog) -> Option<Vec<(Metric, f64)>> + Send + Sync>;

/// One measured figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// What is measured.
    pub metric: Metric,
    /// The figure.
    pub measured: f64,
    /// Position of its group.
    pub group: usize,
    /// What it is used for.
    pub on: Aspect,
}

/// One measurement.
pub struct Row {
    /// Position of its source.
    pub source: usize,
    /// Figures.
    pub targets: Vec<Target>,
    /// The question.
    pub ask: Ask,
}

/// Figures of one source, kind and metric: they weigh together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Position of the source.
    pub source: usize,
    /// What its figures are used for.
    pub on: Aspect,
    /// The table they are from: training and inference share no constant, so each is fitted as if alone.
    pub sort: Sort,
    /// Weight in the loss: the root of their number, times the weight of the sort.
    pub weight: f64,
    /// Number of figures.
    pub rows: usize,
}

/// All rows of a fit.
#[derive(Default)]
pub struct Rows {
    /// Rows.
    pub rows: Vec<Row>,
    /// Groups of their figures.
    pub groups: Vec<Group>,
    /// Names of the sources.
    pub sources: Vec<String>,
}

impl Rows {
    /// Makes measurements ready; rows that the catalog cannot predict, and figures that count nothing, are left out.
    pub fn new(catalog: &Catalog, choice: &Choice, measurements: &[Measurement]) -> Self {
        let mut rows = Self::default();
        let mut known = BTreeMap::new();
        for row in measurements {
            let Ok(question) = row.question.as_ref() else { continue };
            let Ok(case) = Case::of(catalog, question) else { continue };
            let sort = question.sort();
            let ask: Ask = Box::new(move |catalog| {
                let values = case.predict(catalog).ok()?.values;
                Some(values.into_iter().map(|(metric, range)| (metric, range.expected)).collect())
            });
            let kind = Labels::of(row).kind;
            rows.push(catalog, choice, (&row.source_group, &kind, sort), &row.answer.values, ask, &mut known);
        }
        rows.weigh();
        rows
    }

    /// Adds a row of a source and kind.
    fn push(
        &mut self,
        catalog: &Catalog,
        choice: &Choice,
        (source, kind, sort): (&str, &str, Sort),
        measured: &BTreeMap<Metric, f64>,
        ask: Ask,
        known: &mut BTreeMap<(usize, String, Metric), usize>,
    ) {
        let Some(answers) = ask(catalog) else { return };
        let wanted: Vec<(Metric, f64, f64)> = answers
            .iter()
            .filter_map(|&(metric, _)| {
                let measured = measured.get(&metric).copied().filter(|figure| *figure > 0.0)?;
                Some((metric, measured, choice.weight(kind, metric))).filter(|(.., weight)| *weight > 0.0)
            })
            .collect();
        if wanted.is_empty() {
            return;
        }
        let source = self.source(source);
        let targets = wanted.into_iter().map(|(metric, measured, weight)| {
            let on = Aspect::of(metric);
            let group = *known.entry((source, kind.to_owned(), metric)).or_insert_with(|| {
                self.groups.push(Group { source, on, sort, weight, rows: 0 });
                self.groups.len() - 1
            });
            self.groups[group].rows += 1;
            Target { metric, measured, group, on }
        });
        let targets = targets.collect();
        self.rows.push(Row { source, targets, ask });
    }

    fn source(&mut self, name: &str) -> usize {
        self.sources.iter().position(|own| own == name).unwrap_or_else(|| {
            self.sources.push(name.to_owned());
            self.sources.len() - 1
        })
    }

    /// From the weight of a sort to that of a group.
    fn weigh(&mut self) {
        for group in &mut self.groups {
            group.weight *= (group.rows as f64).sqrt();
        }
    }

    /// Rows from questions by hand: source, measured figure, question.
    #[cfg(test)]
    pub(super) fn by_hand(catalog: &Catalog, list: Vec<(&str, Metric, f64, Ask)>) -> Self {
        let (mut rows, mut known) = (Self::default(), BTreeMap::new());
        let choice = Choice::own().unwrap();
        for (source, metric, measured, ask) in list {
            let measured = BTreeMap::from([(metric, measured)]);
            rows.push(catalog, &choice, (source, "test", Sort::Inference), &measured, ask, &mut known);
        }
        rows.weigh();
        rows
    }
}
