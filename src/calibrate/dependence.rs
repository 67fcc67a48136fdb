//! Which rows a constant moves, found by moving it.
//!
//! By halves: where all constants of a list together leave a row as it is, none of them is looked at for that row.

use super::free::{Aspect, Free};
use super::rows::{Row, Rows};
use crate::catalog::Catalog;

/// A constant is moved this far both ways: far enough to bring terms to light that another one hides.
const MOVES: [f64; 2] = [4.0, 0.25];

/// What a row answers in one aspect, as bits: any change counts.
type Figures = Option<Vec<u64>>;

/// A search under way.
struct Search<'a> {
    catalog: &'a Catalog,
    /// Comes and goes as a copy of the catalog.
    moved: Catalog,
    rows: &'a Rows,
    free: &'a [Free],
    on: Aspect,
    /// Answers under the catalog.
    before: Vec<Figures>,
    uses: Vec<Vec<usize>>,
}

/// For every free constant the rows that it moves, in their order.
pub fn find(catalog: &Catalog, rows: &Rows, free: &[Free]) -> Vec<Vec<usize>> {
    let mut uses = vec![Vec::new(); free.len()];
    for on in [Aspect::Speed, Aspect::Memory] {
        let members: Vec<usize> = (0..free.len()).filter(|&at| free[at].on == on).collect();
        let asked = |row: &Row| row.targets.iter().any(|target| target.on == on);
        let candidates: Vec<usize> = (0..rows.rows.len()).filter(|&at| asked(&rows.rows[at])).collect();
        let before = rows.rows.iter().map(|row| if asked(row) { figures(row, catalog, on) } else { None });
        let before = before.collect();
        let mut search = Search { catalog, moved: catalog.clone(), rows, free, on, before, uses };
        search.halve(&members, &candidates);
        uses = search.uses;
    }
    uses
}

impl Search<'_> {
    fn halve(&mut self, members: &[usize], candidates: &[usize]) {
        if members.is_empty() || candidates.is_empty() {
            return;
        }
        let touched = self.touched(members, candidates);
        if let &[member] = members {
            self.uses[member] = touched;
            return;
        }
        let (first, second) = members.split_at(members.len() / 2);
        self.halve(first, &touched);
        self.halve(second, &touched);
    }

    /// The candidates that answer otherwise when these constants move.
    fn touched(&mut self, members: &[usize], candidates: &[usize]) -> Vec<usize> {
        let mut found = vec![false; candidates.len()];
        for by in MOVES {
            self.set(members, by);
            for (found, &at) in found.iter_mut().zip(candidates) {
                *found = *found || figures(&self.rows.rows[at], &self.moved, self.on) != self.before[at];
            }
        }
        self.set(members, 1.0);
        candidates.iter().zip(found).filter(|(_, found)| *found).map(|(&at, _)| at).collect()
    }

    fn set(&mut self, members: &[usize], by: f64) {
        for &member in members {
            let index = self.free[member].index;
            self.moved.constants[index].value = self.catalog.constants[index].value * by;
        }
    }
}

fn figures(row: &Row, catalog: &Catalog, on: Aspect) -> Figures {
    let answers = (row.ask)(catalog)?;
    let own = answers.iter().filter(|(metric, _)| Aspect::of(*metric) == on);
    Some(own.map(|(_, figure)| figure.to_bits()).collect())
}
