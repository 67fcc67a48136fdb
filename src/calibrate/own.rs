//! A user's runs against the table: the few constants that the runs determine, moved to where the runs put them.
//!
//! A few runs must not move many constants. One is added at a time (forward selection: Hastie, Tibshirani & Friedman 2009,
//! section 3.3.2), the one that explains most, and only while it explains something; never more than one for every two
//! figures. The same runs over the table that came of them find nothing more to explain, so that a second run changes
//! nothing.

use super::fit::{Problem, Settings};
use super::free::{Choice, Free};
use super::narrow;
use super::rows::Rows;
use super::values;
use crate::catalog::Catalog;
use crate::catalog::knowledge::Constant;
use crate::catalog::provenance::{AsOf, Source, SourceId};
use crate::insight::score::{Labels, Scores, score};
use crate::insight::table::Measurement;
use crate::insight::{Case, Skip};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Fewest runs that can be fitted to.
pub const FEWEST: usize = 2;

/// A run that is off by more than this factor was measured in another unit, or at other settings than stated.
const ABSURD: f64 = 8.0;

/// Least share of the error that another constant must explain, and least error itself.
const WORTH: (f64, f64) = (0.1, 0.005);

/// A constant that explains nearly as much as the best one, as a share of that, is as good: the list's order decides.
const AS_GOOD: f64 = 0.9;

/// What came of a calibration.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// The catalog with the moved constants.
    pub catalog: Catalog,
    /// The constants that moved, in the order in which they were found.
    pub moved: Vec<Moved>,
    /// The runs under the catalog as it was.
    pub before: Scores,
    /// The runs under the new one.
    pub after: Scores,
    /// Runs that were fitted to.
    pub used: usize,
    /// The others, and why.
    pub skipped: Vec<(Labels, Skip)>,
}

/// One constant that moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The constant as it is now.
    pub constant: Constant,
    /// The value that held before.
    pub before: f64,
    /// Runs that it moves.
    pub runs: usize,
}

/// Too few runs to fit to: how many there were, and why the others are none.
#[derive(Clone, Debug, PartialEq)]
pub struct TooFew {
    /// Usable runs.
    pub used: usize,
    /// The others, and why.
    pub skipped: Vec<(Labels, Skip)>,
}

/// Fits the constants that the runs determine. `source` is what the moved constants are said to come from.
pub fn calibrate(
    catalog: &Catalog,
    choice: &Choice,
    runs: &[Measurement],
    source: impl FnOnce(usize) -> Source,
) -> Result<Calibrated, TooFew> {
    let (usable, skipped) = usable(catalog, runs);
    if usable.len() < FEWEST {
        return Err(TooFew { used: usable.len(), skipped });
    }
    let mut choice = choice.clone();
    choice.keys.retain(|key| key.own);
    let source = source(usable.len());
    let known = catalog.sources.iter().position(|own| *own == source);
    let mut start = catalog.clone();
    start.prices.clear();
    let id = SourceId(known.unwrap_or(start.sources.len()) as u16);
    if known.is_none() {
        start.sources.push(source);
    }
    narrow_all(&mut start, &choice, &usable);
    let rows = Rows::new(&start, &choice, &usable);
    let problem = Problem::new(&start, &rows, choice.of(&start), Settings::default());
    let chosen = choose(&problem, &choice, &start);
    let mut fitted = problem.descend(&start, None, &chosen);
    values::settle(&start, &mut fitted, &problem.free);
    let mut new = catalog.clone();
    new.sources.clone_from(&start.sources);
    let mut moved = Vec::new();
    for member in chosen {
        let Free { index, .. } = problem.free[member];
        let before = start.constants[index].value;
        let constant = Constant { source: id, ..fitted.constants[index].clone() };
        if constant.value.to_bits() != before.to_bits() {
            narrow::lay_in(&mut new, constant.clone());
            moved.push(Moved { constant, before, runs: problem.uses[member].len() });
        }
    }
    let (before, after) = (score(catalog, &usable), score(&new, &usable));
    Ok(Calibrated { catalog: new, moved, before, after, used: usable.len(), skipped })
}

/// Runs that can be fitted to; the others with the reason.
fn usable(catalog: &Catalog, runs: &[Measurement]) -> (Vec<Measurement>, Vec<(Labels, Skip)>) {
    let (mut usable, mut skipped) = (Vec::new(), Vec::new());
    for run in runs {
        let question = run.question.as_ref().map_err(Clone::clone);
        let prediction = question.and_then(|question| Case::of(catalog, question)?.predict(catalog));
        let refusal = match prediction {
            Err(skip) => Some(skip),
            Ok(prediction) => {
                let figures = prediction.values.iter().filter_map(|(metric, range)| {
                    run.answer.values.get(metric).map(|measured| (metric, measured / range.expected))
                });
                let figures: Vec<_> = figures.collect();
                let absurd = figures.iter().find(|(_, ratio)| !(1.0 / ABSURD..=ABSURD).contains(ratio));
                match (figures.is_empty(), absurd) {
                    (true, _) => Some(Skip::new("nothing is measured that the estimates predict")),
                    (_, Some((metric, ratio))) => Some(Skip::new(format!(
                        "`{}` is {ratio:.2} times the estimate: another unit, or other settings than stated",
                        metric.name()
                    ))),
                    _ => None,
                }
            }
        };
        match refusal {
            Some(skip) => skipped.push((Labels::of(run), skip)),
            None => usable.push(run.clone()),
        }
    }
    (usable, skipped)
}

/// Lays in, for every constant that may move, the rows for the hardware, precision and software of the runs.
fn narrow_all(catalog: &mut Catalog, choice: &Choice, runs: &[Measurement]) {
    let rows = Rows::new(catalog, choice, runs);
    let problem = Problem::new(catalog, &rows, choice.of(catalog), Settings::default());
    let mut narrower: Vec<Constant> = Vec::new();
    let mut seen = BTreeSet::new();
    for run in runs {
        let Ok(question) = &run.question else { continue };
        let Ok(gpu) = crate::insight::gpu::resolve(catalog, question) else { continue };
        let Ok(case) = Case::of(catalog, question) else { continue };
        let architecture = catalog.gpu(gpu).architecture.clone();
        let ask = |catalog: &Catalog| {
            let values = case.predict(catalog).ok()?.values;
            Some(values.into_iter().map(|(_, range)| range.expected.to_bits()).collect())
        };
        let kinds =
            ["framework", "engine", "engine_version", "precision", "weight_precision", "method", "kind"];
        let signature: Vec<String> = kinds.iter().map(|column| question.lower(column)).collect();
        for free in &problem.free {
            if seen.insert((free.index, architecture.clone(), signature.clone()))
                && let Some(constant) = narrow::constant(catalog, free.index, &architecture, &ask)
                && !narrower.iter().any(|known| narrow::same(known, &constant))
            {
                narrower.push(constant);
            }
        }
    }
    for constant in narrower {
        narrow::lay_in(catalog, constant);
    }
}

/// The constants that explain the runs, best first.
fn choose(problem: &Problem<'_>, choice: &Choice, start: &Catalog) -> Vec<usize> {
    let figures: usize = problem.rows.rows.iter().map(|row| row.targets.len()).sum();
    let most = (figures / 2).max(1);
    // Only the narrowest rows may move: what holds for others too does not follow one user's runs.
    let open: Vec<usize> = (0..problem.free.len())
        .filter(|&at| !problem.free.iter().any(|other| other.parent == Some(problem.free[at].index)))
        .collect();
    let calibrated =
        |at: &usize| start.source(start.constants[problem.free[*at].index].source).is_calibration();
    let mut chosen: Vec<usize> = open.iter().copied().filter(calibrated).collect();
    let mut loss = problem.loss(&problem.descend(start, None, &chosen));
    while chosen.len() < most {
        let mut best: Option<(f64, usize)> = None;
        let trials: Vec<(f64, usize)> = open
            .iter()
            .filter(|at| !chosen.contains(at))
            .map(|&at| {
                let members: Vec<usize> = chosen.iter().copied().chain([at]).collect();
                (loss - problem.loss(&problem.descend(start, None, &members)), at)
            })
            .collect();
        let top = trials.iter().map(|(gain, _)| *gain).fold(0.0, f64::max);
        let place = |at: usize| {
            let key = &start.constants[problem.free[at].index].key;
            choice.keys.iter().position(|own| own.key == *key)
        };
        for &(gain, at) in trials.iter().filter(|(gain, _)| *gain >= top * AS_GOOD) {
            if best.is_none_or(|(_, other)| place(at) < place(other)) {
                best = Some((gain, at));
            }
        }
        match best {
            Some((gain, at)) if gain > WORTH.1 && gain > loss * WORTH.0 => {
                chosen.push(at);
                loss -= gain;
            }
            _ => break,
        }
    }
    chosen
}

/// The overlay as a catalog file: a comment with what it is, the source, the moved constants.
pub fn overlay(calibrated: &Calibrated, comment: &[String]) -> String {
    let mut text = String::new();
    for line in comment {
        text.push_str(if line.is_empty() { "#" } else { "# " });
        // A name of a file may hold anything; a comment ends with its line.
        text.extend(line.chars().map(|c| if c.is_control() { ' ' } else { c }));
        text.push('\n');
    }
    text.push_str("\nschema = 1\n");
    let sources: BTreeSet<SourceId> = calibrated.moved.iter().map(|moved| moved.constant.source).collect();
    for id in sources {
        let Source { text: words, as_of } = calibrated.catalog.source(id);
        let day = match as_of {
            AsOf::Day(day) => day.to_string(),
            AsOf::Between(first, last) => format!("{{ not-before = {first}, not-after = {last} }}"),
        };
        let _ = write!(text, "\n[sources.RUNS]\ntext = {}\nas-of = {day}\n", values::quoted(words));
    }
    for moved in &calibrated.moved {
        text.push('\n');
        text.push_str(&values::row(&moved.constant, "RUNS"));
    }
    text
}
