//! Which rows a constant moves, found by moving it.

use super::free::{Aspect, Free};
use super::rows::{Row, Rows};
use crate::catalog::Catalog;
use std::collections::BTreeMap;

/// A constant is moved this far both ways: far enough to bring terms to light that another one hides.
const MOVES: [f64; 2] = [4.0, 0.25];

/// For every free constant the rows that it moves, in their order.
pub fn find(catalog: &Catalog, rows: &Rows, free: &[Free]) -> Vec<Vec<usize>> {
    let mut uses = vec![Vec::new(); free.len()];
    let mut keys: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, own) in free.iter().enumerate() {
        keys.entry(catalog.constants[own.index].key.as_str()).or_default().push(at);
    }
    let mut moved = catalog.clone();
    for members in keys.values() {
        // All constants of the key at once, then one by one where that moved a row.
        let on = free[members[0]].on;
        let candidates: Vec<usize> = (0..rows.rows.len())
            .filter(|&at| rows.rows[at].targets.iter().any(|target| target.on == on))
            .collect();
        let all = indices(free, members);
        let touched = moved_rows(catalog, &mut moved, &all, &rows.rows, &candidates, on);
        for &member in members {
            let own = indices(free, &[member]);
            uses[member] = moved_rows(catalog, &mut moved, &own, &rows.rows, &touched, on);
        }
    }
    uses
}

fn indices(free: &[Free], members: &[usize]) -> Vec<usize> {
    members.iter().map(|&member| free[member].index).collect()
}

/// The candidates whose figures change when the constants at `indices` do; `moved` comes and goes as a copy of `catalog`.
fn moved_rows(
    catalog: &Catalog,
    moved: &mut Catalog,
    indices: &[usize],
    rows: &[Row],
    candidates: &[usize],
    on: Aspect,
) -> Vec<usize> {
    let mut found = vec![false; candidates.len()];
    for by in MOVES {
        for &index in indices {
            moved.constants[index].value = catalog.constants[index].value * by;
        }
        for (found, &at) in found.iter_mut().zip(candidates) {
            *found = *found || figures(&rows[at], moved, on) != figures(&rows[at], catalog, on);
        }
    }
    for &index in indices {
        moved.constants[index].value = catalog.constants[index].value;
    }
    candidates.iter().zip(found).filter(|(_, found)| *found).map(|(&at, _)| at).collect()
}

/// Predicted figures that are used for one aspect, as bits: any change counts.
fn figures(row: &Row, catalog: &Catalog, on: Aspect) -> Option<Vec<u64>> {
    let answers = (row.ask)(catalog)?;
    let own = answers.iter().filter(|(metric, _)| Aspect::of(*metric) == on);
    Some(own.map(|(_, figure)| figure.to_bits()).collect())
}
