//! The body of `calibrate`: what moved, how far off the estimates were and are, and the overlay as a finished file.

use super::document::{Body, Csv, Used};
use super::number::Num;
use super::view::{Block, Grid};
use crate::calibrate::own::{Calibrated, Moved, overlay};
use crate::calibrate::values;
use crate::insight::Skip;
use crate::insight::score::{By, Labels};
use serde::Serialize;

/// Columns of CSV.
const COLUMNS: [&str; 10] =
    ["key", "gpu", "precision", "class", "max_gpus", "before", "value", "low", "high", "runs"];

/// The answer of `calibrate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Calibration {
    /// Runs that the constants were fitted to.
    pub runs: usize,
    /// What the constants are said to come from.
    pub source: String,
    /// What moved.
    pub constants: Vec<ConstantLine>,
    /// How far off the estimates were and are.
    pub errors_by_metric: Vec<ErrorLine>,
    /// Runs that were not used.
    pub skipped: Vec<SkipLine>,
    /// The catalog file.
    pub overlay: String,
    #[serde(skip)]
    used: Used,
}

/// One constant that moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConstantLine {
    /// Its key.
    pub key: String,
    /// Hardware that it holds for.
    pub gpu: Option<String>,
    /// Precision that it holds for.
    pub precision: Option<String>,
    /// Class of software that it holds for.
    pub class: Option<String>,
    /// Most GPUs that it holds for.
    pub max_gpus: Option<u32>,
    /// The value that held before.
    pub before: Num,
    /// Its value.
    pub value: Num,
    /// Lower end.
    pub low: Option<Num>,
    /// Upper end.
    pub high: Option<Num>,
    /// Runs that it moves.
    pub runs: usize,
}

/// Errors in one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ErrorLine {
    /// What is measured.
    pub metric: &'static str,
    /// Figures.
    pub rows: usize,
    /// Median of the absolute errors with the catalog as it was, per cent.
    pub before_median_ape_pct: Num,
    /// The same with the overlay.
    pub after_median_ape_pct: Num,
    /// Median of the signed errors with the catalog as it was, per cent.
    pub before_bias_pct: Num,
    /// The same with the overlay.
    pub after_bias_pct: Num,
}

/// A run that was not used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkipLine {
    /// Its id.
    pub id: String,
    /// Why.
    pub reason: String,
}

impl SkipLine {
    /// One run with its reason.
    pub fn new((labels, skip): &(Labels, Skip)) -> Self {
        Self { id: labels.id.clone(), reason: skip.0.clone() }
    }
}

impl ConstantLine {
    fn new(Moved { constant, before, runs }: &Moved) -> Self {
        let range = constant.range;
        Self {
            key: constant.key.clone(),
            gpu: constant.gpu.clone(),
            precision: constant.precision.clone(),
            class: constant.class.clone(),
            max_gpus: constant.max_gpus,
            before: Num::exact(*before),
            value: Num::exact(constant.value),
            low: range.map(|(low, _)| Num::exact(low)),
            high: range.map(|(_, high)| Num::exact(high)),
            runs: *runs,
        }
    }
}

impl Calibration {
    /// The answer; `source` is what the constants are said to come from.
    pub fn new(calibrated: &Calibrated, source: &str) -> Self {
        let mut used = Used::default();
        calibrated.moved.iter().for_each(|moved| used.figure(moved.constant.source));
        let percent = |share: f64| Num::percent(share * 100.0);
        let after = calibrated.after.groups(By::Overall);
        let errors = calibrated.before.groups(By::Overall).into_iter().filter_map(|before| {
            let after = after.iter().find(|after| after.metric == before.metric)?;
            Some(ErrorLine {
                metric: before.metric.name(),
                rows: before.rows,
                before_median_ape_pct: percent(before.median),
                after_median_ape_pct: percent(after.median),
                before_bias_pct: percent(before.bias),
                after_bias_pct: percent(after.bias),
            })
        });
        let mut body = Self {
            runs: calibrated.used,
            source: source.to_owned(),
            constants: calibrated.moved.iter().map(ConstantLine::new).collect(),
            errors_by_metric: errors.collect(),
            skipped: calibrated.skipped.iter().map(SkipLine::new).collect(),
            overlay: String::new(),
            used,
        };
        let labels = calibrated.moved.iter().map(|moved| values::label(&moved.constant));
        body.overlay = overlay(calibrated, &body.summary(&labels.collect::<Vec<_>>()));
        body
    }

    /// Errors and skips in lines, for people.
    pub fn summary(&self, labels: &[String]) -> Vec<String> {
        let mut lines =
            vec![format!("Constants {}. Use: gpuadvise recommend --catalog THIS-FILE", self.source)];
        if self.constants.is_empty() {
            lines.push("No constant moved: none explains these runs better than the table does.".to_owned());
        }
        for (line, label) in self.constants.iter().zip(labels) {
            lines.push(format!("{label}: {} -> {} ({} runs)", line.before, line.value, line.runs));
        }
        for line in &self.errors_by_metric {
            lines.push(format!(
                "{}: median error {} % -> {} %, bias {} % -> {} % ({} figures)",
                line.metric,
                line.before_median_ape_pct,
                line.after_median_ape_pct,
                line.before_bias_pct,
                line.after_bias_pct,
                line.rows
            ));
        }
        lines.extend(self.skipped.iter().map(|line| format!("skipped {}: {}", line.id, line.reason)));
        lines
    }

    /// What moved, as people write it.
    pub fn labels(&self) -> Vec<String> {
        let text = |part: &Option<String>| part.as_ref().map(|part| format!(" {part}")).unwrap_or_default();
        let label = |line: &ConstantLine| {
            format!("{}{}{}{}", line.key, text(&line.gpu), text(&line.precision), text(&line.class))
        };
        self.constants.iter().map(label).collect()
    }
}

impl Body for Calibration {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "constants", spread: None, columns: &COLUMNS }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut moved = Grid::new(&["constant", ">before", ">value", ">low", ">high", ">runs"]);
        let number = |number: Option<Num>| number.map_or_else(String::new, |number| number.to_string());
        for (line, label) in self.constants.iter().zip(self.labels()) {
            let (before, value) = (line.before.to_string(), line.value.to_string());
            moved.push(vec![
                label,
                before,
                value,
                number(line.low),
                number(line.high),
                line.runs.to_string(),
            ]);
        }
        let mut errors = Grid::new(&[
            "metric",
            ">figures",
            ">median % before",
            ">median % after",
            ">bias % before",
            ">bias % after",
        ]);
        for line in &self.errors_by_metric {
            errors.push(vec![
                line.metric.to_owned(),
                line.rows.to_string(),
                line.before_median_ape_pct.to_string(),
                line.after_median_ape_pct.to_string(),
                line.before_bias_pct.to_string(),
                line.after_bias_pct.to_string(),
            ]);
        }
        let mut blocks = vec![Block::Heading(format!("Constants {}", self.source))];
        if self.constants.is_empty() {
            blocks.push(Block::Text("No constant moved: the table explains these runs as well.".to_owned()));
        } else {
            blocks.push(Block::Table(moved));
        }
        blocks.push(Block::Heading("Errors on these runs".to_owned()));
        blocks.push(Block::Table(errors));
        if !self.skipped.is_empty() {
            blocks.push(Block::Heading(format!("Skipped ({})", self.skipped.len())));
            let line = |line: &SkipLine| format!("{}: {}", line.id, line.reason);
            blocks.push(Block::List(self.skipped.iter().map(line).collect()));
        }
        blocks
    }
}
