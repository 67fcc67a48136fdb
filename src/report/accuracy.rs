//! The body of `accuracy`: estimates beside measurements, and how far off they are.

use super::document::{Body, Csv, Used};
use super::number::Num;
use super::view::{Block, Grid};
use crate::insight::metric::Metric;
use crate::insight::score::{By, FitScore, Group, Judged, Scored, Scores};
use serde::Serialize;
use std::collections::BTreeMap;

/// Columns of CSV.
const COLUMNS: [&str; 10] =
    ["id", "source_group", "kind", "metric", "measured", "predicted", "low", "high", "ape_pct", "basis"];

/// The answer of `accuracy`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// One line for each predicted figure, measured or not.
    pub rows: Vec<Row>,
    /// Rows without a prediction.
    pub skipped: Vec<Skipped>,
    /// Errors by group; over all sources first.
    pub groups: Vec<GroupLine>,
    /// How often the verdicts were right.
    pub fit: FitLine,
    #[serde(skip)]
    used: Used,
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Id of the row in its table.
    pub id: String,
    /// Where the measurement comes from.
    pub source_group: String,
    /// Sort of experiment.
    pub kind: String,
    /// What is measured, with its unit.
    pub metric: &'static str,
    /// The measured figure; `yes` or `oom` for `fit`.
    pub measured: Option<Figure>,
    /// The estimate; `fits`, `tight` or `no` for `fit`.
    pub predicted: Figure,
    /// Lower end of the estimate.
    pub low: Option<Num>,
    /// Upper end of the estimate.
    pub high: Option<Num>,
    /// Absolute error in per cent of the measured figure.
    pub ape_pct: Option<Num>,
    /// `measured`, `calibrated` or `formula`: what the estimate rests on.
    pub basis: Option<&'static str>,
}

/// A number, or a word of `fit`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Figure {
    /// A number in the unit of the metric.
    Number(Num),
    /// A word.
    Word(&'static str),
}

/// One row without a prediction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Id of the row in its table.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// Errors of one group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupLine {
    /// What the group is by; `overall` is the median over source groups of the median of each.
    pub by: &'static str,
    /// Its name.
    pub name: String,
    /// What is measured.
    pub metric: &'static str,
    /// Measured figures.
    pub rows: usize,
    /// Sources among them.
    pub sources: usize,
    /// Median of the absolute errors, per cent.
    pub median_ape_pct: Num,
    /// Ninetieth percentile of the absolute errors, per cent.
    pub p90_ape_pct: Num,
    /// Median of the signed errors, per cent; above 0 the estimates are too high.
    pub bias_pct: Num,
    /// Rows within 25 %, per cent.
    pub within_25_pct: Num,
    /// Measurements between low and high, per cent.
    pub interval_coverage_pct: Num,
    /// Median of high over low.
    pub interval_width_ratio: Num,
}

/// How often the verdicts were right; counts of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FitLine {
    /// Ran and `fits`, or ran out of memory and `no`.
    pub right: usize,
    /// Ran out of memory, called `fits`.
    pub false_fits: usize,
    /// Ran, called `no`.
    pub false_misses: usize,
    /// Called `tight`, whatever happened.
    pub tight: usize,
}

impl Accuracy {
    /// The body for these scores, with groups over all sources and by these labels.
    pub fn new(scores: &Scores, by: &[By]) -> Self {
        let mut rows: Vec<Row> = scores.scored.iter().map(figure).collect();
        rows.extend(scores.judged.iter().map(verdict));
        let skipped = scores
            .skipped
            .iter()
            .map(|(labels, skip)| Skipped { id: labels.id.clone(), reason: skip.0.clone() });
        let groups = std::iter::once(&By::Overall).chain(by).flat_map(|&by| scores.groups(by));
        Self {
            rows,
            skipped: skipped.collect(),
            groups: groups.map(|group| GroupLine::new(&group)).collect(),
            fit: FitLine::new(scores.fit()),
            used: Used::default(),
        }
    }

    /// The answer of a run whose catalog cannot be used.
    pub fn nothing() -> Self {
        Self::new(&Scores::default(), &[])
    }
}

fn figure(scored: &Scored) -> Row {
    let labels = &scored.labels;
    Row {
        id: labels.id.clone(),
        source_group: labels.source.clone(),
        kind: labels.kind.clone(),
        metric: scored.metric.name(),
        measured: scored.measured.map(|value| Figure::Number(Num::rate(value))),
        predicted: Figure::Number(Num::rate(scored.predicted.expected)),
        low: Some(Num::rate(scored.predicted.low)),
        high: Some(Num::rate(scored.predicted.high)),
        ape_pct: scored.error().map(|error| Num::percent(error.abs() * 100.0)),
        basis: Some(scored.basis.name()),
    }
}

fn verdict(judged: &Judged) -> Row {
    let labels = &judged.labels;
    let happened = |ran: bool| Figure::Word(if ran { "yes" } else { "oom" });
    Row {
        id: labels.id.clone(),
        source_group: labels.source.clone(),
        kind: labels.kind.clone(),
        metric: Metric::Fit.name(),
        measured: judged.ran.map(happened),
        predicted: Figure::Word(judged.verdict.name()),
        low: None,
        high: None,
        ape_pct: None,
        basis: None,
    }
}

impl GroupLine {
    fn new(group: &Group) -> Self {
        let percent = |share: f64| Num::percent(share * 100.0);
        Self {
            by: group.by.name(),
            name: group.name.clone(),
            metric: group.metric.name(),
            rows: group.rows,
            sources: group.sources,
            median_ape_pct: percent(group.median),
            p90_ape_pct: percent(group.p90),
            bias_pct: percent(group.bias),
            within_25_pct: percent(group.within_25),
            interval_coverage_pct: percent(group.coverage),
            interval_width_ratio: Num::rounded(group.width, 2),
        }
    }
}

impl FitLine {
    fn new(fit: FitScore) -> Self {
        Self {
            right: fit.right,
            false_fits: fit.false_fits,
            false_misses: fit.false_misses,
            tight: fit.tight,
        }
    }
}

impl Body for Accuracy {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "rows", spread: None, columns: &COLUMNS }
    }

    fn headline(&self) -> Option<String> {
        let measured = self.rows.iter().filter(|row| row.measured.is_some());
        let (verdicts, figures): (Vec<&Row>, Vec<&Row>) =
            measured.partition(|row| row.metric == Metric::Fit.name());
        Some(format!(
            "{} measured figures and {} verdicts beside their estimates; {} rows not predicted",
            figures.len(),
            verdicts.len(),
            self.skipped.len()
        ))
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut by: Vec<&str> = self.groups.iter().map(|group| group.by).collect();
        by.dedup();
        for by in by {
            let title = match by {
                "overall" => "All sources (median over sources of each one's median error)".to_owned(),
                by => format!("By {by}"),
            };
            blocks.push(Block::Heading(title));
            blocks.push(Block::Table(groups(self.groups.iter().filter(|group| group.by == by))));
        }
        let FitLine { right, false_fits, false_misses, tight } = self.fit;
        if right + false_fits + false_misses + tight > 0 {
            blocks.push(Block::Heading("Verdicts".to_owned()));
            blocks.push(Block::Text(format!(
                "{right} right, {tight} tight, {false_fits} called `fits` that ran out of memory, {false_misses} \
                 called `no` that ran."
            )));
        }
        blocks.extend(self.reasons());
        blocks
    }
}

impl Accuracy {
    /// Reasons of skips with how often, the most frequent first.
    fn reasons(&self) -> Vec<Block> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for skipped in &self.skipped {
            *counts.entry(&skipped.reason).or_default() += 1;
        }
        if counts.is_empty() {
            return Vec::new();
        }
        let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let lines = counts.iter().map(|(reason, count)| format!("{count}x {reason}")).collect();
        vec![Block::Heading(format!("Not predicted ({})", self.skipped.len())), Block::List(lines)]
    }
}

fn groups<'a>(lines: impl Iterator<Item = &'a GroupLine>) -> Grid {
    let mut grid = Grid::new(&[
        "name",
        "metric",
        ">rows",
        ">sources",
        ">median %",
        ">p90 %",
        ">bias %",
        ">within 25 %",
        ">covered %",
        ">high/low",
    ]);
    for line in lines {
        grid.push(vec![
            line.name.clone(),
            line.metric.to_owned(),
            line.rows.to_string(),
            line.sources.to_string(),
            line.median_ape_pct.to_string(),
            line.p90_ape_pct.to_string(),
            line.bias_pct.to_string(),
            line.within_25_pct.to_string(),
            line.interval_coverage_pct.to_string(),
            line.interval_width_ratio.to_string(),
        ]);
    }
    grid.expendable(&["sources", "within 25 %", "high/low", "bias %"])
}
