//! The fit: coordinate descent over the logarithms of constants, on an error that outliers cannot bend.
//!
//! Groups of rows weigh by the root of their number; the error of a row is the absolute logarithm of predicted over
//! measured, smooth near 0 (Huber 1964) and flat-sloped far out. A weak prior pulls each constant to the one that would
//! hold without it, so that what the rows do not tell stays what is known more widely (partial pooling, Gelman & Hill 2007,
//! chapter 12); a constant without such a parent is pulled to where it was.

use super::dependence;
use super::free::{Aspect, Free};
use super::rows::{Rows, Target};
use crate::catalog::Catalog;
use crate::insight::question::Sort;
use std::collections::{BTreeMap, BTreeSet};

/// Where the error of a row turns from a square to a straight line.
const SMOOTH: f64 = 0.04;

/// Where it turns to a fifth of its slope: a row that is so far off says little about constants.
const FAR: f64 = 0.5;

/// Slope beyond that.
const FAR_SLOPE: f64 = 0.2;

/// Error of a row that was predicted before and no longer is.
const LOST: f64 = 1.0;

/// First step of a constant, as a share of its value; its greatest; and the one at which it rests.
const STEPS: (f64, f64, f64) = (0.15, 0.5, 0.01);

/// Least gain that counts.
const GAIN: f64 = 1e-6;

/// How a fit goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Most rounds over all constants.
    pub rounds: usize,
    /// Strength of the prior.
    pub prior: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rounds: 40, prior: 5e-4 }
    }
}

/// What is fitted to what.
pub struct Problem<'a> {
    /// Rows.
    pub rows: &'a Rows,
    /// Constants that may move.
    pub free: Vec<Free>,
    /// The rows that each of them moves.
    pub uses: Vec<Vec<usize>>,
    /// How the fit goes.
    pub settings: Settings,
}

/// A fit under way.
struct State<'a> {
    problem: &'a Problem<'a>,
    catalog: Catalog,
    /// Source that is left out.
    without: Option<usize>,
    /// Errors by row and figure.
    errors: Vec<Vec<f64>>,
    /// What one unit of error of a group's figure adds to the loss; 0 where it is left out.
    scale: Vec<f64>,
    loss: f64,
}

/// Where a trial led: the loss, and the new errors of the rows that moved.
struct Trial {
    loss: f64,
    errors: Vec<(usize, Vec<f64>)>,
}

impl<'a> Problem<'a> {
    /// Sets a fit up: finds what each constant moves; constants that move nothing are not free.
    pub fn new(catalog: &Catalog, rows: &'a Rows, free: Vec<Free>, settings: Settings) -> Self {
        let uses = dependence::find(catalog, rows, &free);
        let (free, uses) = free.into_iter().zip(uses).filter(|(_, uses)| !uses.is_empty()).unzip();
        Self { rows, free, uses, settings }
    }

    /// Fits all constants to all rows.
    pub fn fit(&self, catalog: &Catalog) -> Catalog {
        let all: Vec<usize> = (0..self.free.len()).collect();
        self.descend(catalog, None, &all)
    }

    /// Fits `members` of the free constants, without the rows of one source if asked.
    pub fn descend(&self, catalog: &Catalog, without: Option<usize>, members: &[usize]) -> Catalog {
        // Rows that no member moves add the same to every loss, so they are not asked.
        let moved: BTreeSet<usize> = members.iter().flat_map(|&at| self.uses[at].iter().copied()).collect();
        let mut state = State::new(self, catalog, without, &|row| moved.contains(&row));
        let mut steps = vec![STEPS.0; members.len()];
        for _ in 0..self.settings.rounds {
            let mut awake = false;
            for (step, &member) in steps.iter_mut().zip(members) {
                if *step < STEPS.2 {
                    continue;
                }
                awake = true;
                let moved = state.try_both(member, *step);
                *step = if moved { (*step * 1.3).min(STEPS.1) } else { *step * 0.5 };
            }
            if !awake {
                break;
            }
        }
        state.catalog
    }

    /// The loss of a catalog, with its prior.
    pub fn loss(&self, catalog: &Catalog) -> f64 {
        State::new(self, catalog, None, &|_| true).loss
    }

    /// Positions of the free constants that move a row of a source.
    pub fn used_by(&self, source: usize) -> Vec<usize> {
        let own = |uses: &Vec<usize>| uses.iter().any(|&row| self.rows.rows[row].source == source);
        (0..self.free.len()).filter(|&member| own(&self.uses[member])).collect()
    }

    /// Positions of the free constants that move rows of this source only.
    pub fn used_only_by(&self, source: usize) -> BTreeSet<usize> {
        let only = |uses: &Vec<usize>| uses.iter().all(|&row| self.rows.rows[row].source == source);
        (0..self.free.len()).filter(|&member| only(&self.uses[member])).collect()
    }
}

impl<'a> State<'a> {
    fn new(
        problem: &'a Problem<'a>,
        catalog: &Catalog,
        without: Option<usize>,
        asked: &dyn Fn(usize) -> bool,
    ) -> Self {
        let rows = problem.rows;
        let counts = |source: usize| Some(source) != without;
        let mut totals: BTreeMap<(Aspect, Sort), f64> = BTreeMap::new();
        for group in rows.groups.iter().filter(|group| counts(group.source)) {
            *totals.entry((group.on, group.sort)).or_default() += group.weight;
        }
        let scale = rows.groups.iter().map(|group| {
            let total = totals.get(&(group.on, group.sort)).copied().unwrap_or(1.0);
            if counts(group.source) { group.weight / group.rows as f64 / total } else { 0.0 }
        });
        let scale: Vec<f64> = scale.collect();
        let mut state =
            Self { problem, catalog: catalog.clone(), without, errors: Vec::new(), scale, loss: 0.0 };
        let errors_of = |row| {
            if asked(row) { state.errors_of(row, None) } else { vec![0.0; rows.rows[row].targets.len()] }
        };
        let errors = (0..rows.rows.len()).map(errors_of).collect();
        state.errors = errors;
        let errors = rows.rows.iter().zip(&state.errors);
        let figures = errors.flat_map(|(row, errors)| row.targets.iter().zip(errors));
        state.loss =
            figures.map(|(target, error)| state.scale[target.group] * error).sum::<f64>() + state.prior();
        state
    }

    /// Errors of a row under the catalog of the moment, of the figures of one aspect if asked: the others keep theirs.
    fn errors_of(&self, row: usize, on: Option<Aspect>) -> Vec<f64> {
        let own = &self.problem.rows.rows[row];
        if Some(own.source) == self.without {
            return vec![0.0; own.targets.len()];
        }
        let answers = (own.ask)(&self.catalog).unwrap_or_default();
        let error = |(at, target): (usize, &Target)| {
            if on.is_some_and(|on| on != target.on) {
                return self.errors[row][at];
            }
            let found = answers.iter().find(|(metric, _)| *metric == target.metric);
            bend(found.map_or(LOST, |(_, figure)| (figure / target.measured).ln().abs()))
        };
        own.targets.iter().enumerate().map(error).collect()
    }

    fn prior(&self) -> f64 {
        let problem = self.problem;
        let distance = |free: &Free| {
            let centre = free.parent.map_or(free.start, |parent| self.catalog.constants[parent].value);
            let own = self.catalog.constants[free.index].value;
            if centre > 0.0 && own > 0.0 { (own / centre).ln().powi(2) } else { 0.0 }
        };
        problem.settings.prior * problem.free.iter().map(distance).sum::<f64>()
    }

    /// Moves a constant up or down where that helps.
    fn try_both(&mut self, member: usize, step: f64) -> bool {
        let free = &self.problem.free[member];
        let before = self.catalog.constants[free.index].value;
        let prior = self.prior();
        for factor in [1.0 + step, 1.0 / (1.0 + step)] {
            let value = (before * factor).clamp(free.low, free.high);
            if value.to_bits() == before.to_bits() || value <= 0.0 {
                continue;
            }
            self.catalog.constants[free.index].value = value;
            let trial = self.trial(member, prior);
            if trial.loss < self.loss - GAIN {
                self.loss = trial.loss;
                for (row, errors) in trial.errors {
                    self.errors[row] = errors;
                }
                return true;
            }
            self.catalog.constants[free.index].value = before;
        }
        false
    }

    fn trial(&self, member: usize, prior_before: f64) -> Trial {
        let on = self.problem.free[member].on;
        let mut loss = self.loss - prior_before + self.prior();
        let mut moved = Vec::new();
        for &row in &self.problem.uses[member] {
            let own = &self.problem.rows.rows[row];
            if Some(own.source) == self.without {
                continue;
            }
            let errors = self.errors_of(row, Some(on));
            for ((target, new), old) in own.targets.iter().zip(&errors).zip(&self.errors[row]) {
                loss += self.scale[target.group] * (new - old);
            }
            moved.push((row, errors));
        }
        Trial { loss, errors: moved }
    }
}

/// The error of a figure from the absolute logarithm of its ratio.
fn bend(ratio: f64) -> f64 {
    let near = |x: f64| if x < SMOOTH { x * x / (2.0 * SMOOTH) } else { x - SMOOTH / 2.0 };
    if ratio.is_nan() {
        LOST
    } else if ratio <= FAR {
        near(ratio)
    } else {
        near(FAR) + (ratio.min(10.0) - FAR) * FAR_SLOPE
    }
}
