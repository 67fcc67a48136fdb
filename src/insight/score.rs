//! How far predictions are from measurements: errors, their medians over groups, and what the intervals cover.
//!
//! Sources are weighted, not rows: the overall figure is the median over source groups of each group's median.

use super::metric::Metric;
use super::table::Measurement;
use super::{Basis, Skip, answer};
use crate::catalog::Catalog;
use crate::estimate::{Range, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// What a prediction is compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// All source groups together.
    Overall,
    /// Sort of experiment: method of training, kind of inference.
    Kind,
    /// Source group.
    Source,
    /// GPU.
    Gpu,
    /// Training framework.
    Framework,
    /// Serving engine.
    Engine,
}

impl By {
    /// The contract's word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overall => "overall",
            Self::Kind => "kind",
            Self::Source => "source",
            Self::Gpu => "gpu",
            Self::Framework => "framework",
            Self::Engine => "engine",
        }
    }
}

/// What a row belongs to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// Id of the row.
    pub id: String,
    /// Source group.
    pub source: String,
    /// Method or kind.
    pub kind: String,
    /// GPU as written.
    pub gpu: String,
    /// Framework as written.
    pub framework: String,
    /// Engine as written.
    pub engine: String,
}

impl Labels {
    /// What a measurement belongs to.
    pub fn of(row: &Measurement) -> Self {
        let text = |column: &str| {
            row.question
                .as_ref()
                .ok()
                .and_then(|question| question.text(column))
                .unwrap_or_default()
                .to_owned()
        };
        let kind = if text("kind").is_empty() { text("method") } else { text("kind") };
        Self {
            id: row.id.clone(),
            source: row.source_group.clone(),
            kind,
            gpu: text("gpu"),
            framework: text("framework"),
            engine: text("engine"),
        }
    }

    fn get(&self, by: By) -> &str {
        let label = match by {
            By::Overall => "all",
            By::Kind => &self.kind,
            By::Source => &self.source,
            By::Gpu => &self.gpu,
            By::Framework => &self.framework,
            By::Engine => &self.engine,
        };
        if label.is_empty() { "not stated" } else { label }
    }
}

/// One predicted figure beside the measured one.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// What the row belongs to.
    pub labels: Labels,
    /// What is measured.
    pub metric: Metric,
    /// The measured figure; `None` where the cell is blank.
    pub measured: Option<f64>,
    /// The prediction.
    pub predicted: Range,
    /// What it rests on.
    pub basis: Basis,
}

impl Scored {
    /// Predicted over measured, minus 1.
    pub fn error(&self) -> Option<f64> {
        self.measured.map(|measured| self.predicted.expected / measured - 1.0)
    }
}

/// One verdict beside what happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// What the row belongs to.
    pub labels: Labels,
    /// Whether it ran; `None` where the cell is blank.
    pub ran: Option<bool>,
    /// The verdict.
    pub verdict: Verdict,
}

/// All rows, compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// Figures, in the order of the rows.
    pub scored: Vec<Scored>,
    /// Verdicts, in the order of the rows.
    pub judged: Vec<Judged>,
    /// Rows without a prediction, and why.
    pub skipped: Vec<(Labels, Skip)>,
}

/// Errors of one group.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What the group is by.
    pub by: By,
    /// Its name.
    pub name: String,
    /// What is measured.
    pub metric: Metric,
    /// Rows with a measured figure.
    pub rows: usize,
    /// Sources among them.
    pub sources: usize,
    /// Median of the absolute errors; over all sources the median of the medians of each. Share of the measured value.
    pub median: f64,
    /// Ninetieth percentile of the absolute errors; over all sources that of all rows.
    pub p90: f64,
    /// Median of the signed errors: above 0 the estimates are too high.
    pub bias: f64,
    /// Share of rows within 25 %.
    pub within_25: f64,
    /// Share of measurements between low and high.
    pub coverage: f64,
    /// Median of high over low.
    pub width: f64,
}

/// How often the verdicts were right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FitScore {
    /// Ran and `fits`, or ran out of memory and `no`.
    pub right: usize,
    /// Ran out of memory, called `fits`.
    pub false_fits: usize,
    /// Ran, called `no`.
    pub false_misses: usize,
    /// Called `tight`, whatever happened.
    pub tight: usize,
}

/// Predicts every row and sets it beside what was measured.
pub fn score(catalog: &Catalog, rows: &[Measurement]) -> Scores {
    let mut scores = Scores::default();
    for row in rows {
        let labels = Labels::of(row);
        let question = row.question.as_ref().map_err(Clone::clone);
        let prediction = question.and_then(|question| answer(catalog, question));
        match prediction {
            Err(skip) => scores.skipped.push((labels, skip)),
            Ok(prediction) => {
                for &(metric, predicted) in &prediction.values {
                    let measured = row.answer.values.get(&metric).copied();
                    let basis = prediction.basis;
                    scores.scored.push(Scored { labels: labels.clone(), metric, measured, predicted, basis });
                }
                if let Some(verdict) = prediction.verdict {
                    scores.judged.push(Judged { labels, ran: row.answer.fits, verdict });
                }
            }
        }
    }
    scores
}

impl Scores {
    /// Groups of figures by a label, in the order of their names.
    pub fn groups(&self, by: By) -> Vec<Group> {
        let mut groups: BTreeMap<(&str, Metric), Vec<&Scored>> = BTreeMap::new();
        for scored in self.scored.iter().filter(|scored| scored.measured.is_some()) {
            groups.entry((scored.labels.get(by), scored.metric)).or_default().push(scored);
        }
        groups.into_iter().map(|((name, metric), rows)| group(by, name, metric, &rows)).collect()
    }

    /// How often the verdicts were right.
    pub fn fit(&self) -> FitScore {
        let mut fit = FitScore::default();
        for judged in &self.judged {
            match (judged.ran, judged.verdict) {
                (None, _) => {}
                (_, Verdict::Tight) => fit.tight += 1,
                (Some(true), Verdict::Fits) | (Some(false), Verdict::No) => fit.right += 1,
                (Some(false), Verdict::Fits) => fit.false_fits += 1,
                (Some(true), Verdict::No) => fit.false_misses += 1,
            }
        }
        fit
    }
}

fn group(by: By, name: &str, metric: Metric, rows: &[&Scored]) -> Group {
    let errors: Vec<f64> = rows.iter().filter_map(|row| row.error()).collect();
    let absolute: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    let sources: BTreeSet<&str> = rows.iter().map(|row| row.labels.source.as_str()).collect();
    let share = |holds: &dyn Fn(&Scored) -> bool| {
        rows.iter().filter(|row| holds(row)).count() as f64 / rows.len().max(1) as f64
    };
    let medians = sources.iter().map(|source| {
        let own = rows.iter().filter(|row| row.labels.source == **source);
        quantile(own.filter_map(|row| row.error()).map(f64::abs).collect(), 0.5)
    });
    Group {
        by,
        name: name.to_owned(),
        metric,
        rows: rows.len(),
        sources: sources.len(),
        median: if by == By::Overall {
            quantile(medians.collect(), 0.5)
        } else {
            quantile(absolute.clone(), 0.5)
        },
        p90: quantile(absolute, 0.9),
        bias: quantile(errors, 0.5),
        within_25: share(&|row| row.error().is_some_and(|error| error.abs() <= 0.25)),
        coverage: share(&|row| {
            row.measured.is_some_and(|m| (row.predicted.low..=row.predicted.high).contains(&m))
        }),
        width: quantile(rows.iter().map(|row| row.predicted.high / row.predicted.low).collect(), 0.5),
    }
}

/// A quantile by linear interpolation between order statistics (type 7 of Hyndman & Fan 1996); NaN of nothing.
pub fn quantile(mut values: Vec<f64>, q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return f64::NAN };
    let at = q.clamp(0.0, 1.0) * last as f64;
    let (low, high) = (at.floor() as usize, at.ceil() as usize);
    values[low] + (values[high] - values[low]) * (at - at.floor())
}
