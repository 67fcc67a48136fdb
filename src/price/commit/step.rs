//! The best ways to commit one slice of demand, from nothing to everything, as steps of rising price per hour saved.

use super::market::Layer;
use std::cmp::Ordering;

/// Stretches of all layers as nodes of a tree: those of the longest layer first, in the order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    layers: Vec<Layer>,
    /// Node of the first stretch of each layer.
    first: Vec<usize>,
    horizon: usize,
}

/// One step: commit a stretch, instead of the shorter ones inside it that were committed before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// What it owes in addition, in 10^-12 dollars times the slice.
    pub(super) owed: i128,
    /// Busy hours that it takes off the burst, in the units of the bands; never 0.
    pub(super) saved: u64,
    /// The stretch.
    pub(super) node: usize,
    /// Stretches that it makes needless.
    pub(super) instead: Vec<usize>,
}

impl Tree {
    pub(super) fn new(layers: Vec<Layer>, horizon: usize) -> Self {
        let mut first = Vec::new();
        let mut nodes = 0;
        for layer in &layers {
            first.push(nodes);
            nodes += horizon / layer.hours;
        }
        Self { layers, first, horizon }
    }

    /// All layers, longest first.
    pub(super) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Number of stretches of all layers.
    pub(super) fn nodes(&self) -> usize {
        self.layers.iter().map(|layer| self.horizon / layer.hours).sum()
    }

    /// The nodes of a layer, in the order of time.
    pub(super) fn nodes_of(&self, layer: usize) -> std::ops::Range<usize> {
        self.first[layer]..self.first[layer] + self.stretches(layer)
    }

    /// Number of stretches of a layer.
    pub(super) fn stretches(&self, layer: usize) -> usize {
        self.horizon / self.layers[layer].hours
    }

    /// The stretches of the next layer inside one of a layer; none inside the shortest.
    pub(super) fn parts(&self, layer: usize, slot: usize) -> std::ops::Range<usize> {
        let ratio = self.layers.get(layer + 1).map_or(0, |inner| self.layers[layer].hours / inner.hours);
        slot * ratio..(slot + 1) * ratio
    }

    /// Whether all commitments cover the whole horizon.
    pub(super) fn is_flat(&self) -> bool {
        self.nodes() <= 1
    }

    /// The steps of one slice with these busy hours in the shortest stretches. Their price per hour saved rises, and
    /// after each the slice is as cheap as it can be for the hours that are left (the lower convex hull).
    pub(super) fn steps(&self, busy: &[u64], slice: u64) -> Vec<Step> {
        if self.layers.is_empty() {
            return Vec::new();
        }
        let parts = (0..self.stretches(0)).map(|slot| self.steps_in(0, slot, busy, slice));
        merged(parts.collect())
    }

    fn steps_in(&self, layer: usize, slot: usize, busy: &[u64], slice: u64) -> Vec<Step> {
        let own = self.layers[layer].owed * i128::from(slice);
        let node = self.first[layer] + slot;
        let parts = self.parts(layer, slot);
        if parts.is_empty() {
            let saved = busy[slot];
            let step = (saved > 0).then(|| Step { owed: own, saved, node, instead: Vec::new() });
            return step.into_iter().collect();
        }
        let parts = parts.map(|part| self.steps_in(layer + 1, part, busy, slice));
        with_whole(merged(parts.collect()), own, node)
    }
}

/// Steps of independent stretches as one list, cheapest hour first.
fn merged(mut parts: Vec<Vec<Step>>) -> Vec<Step> {
    if parts.len() == 1 {
        return parts.pop().unwrap_or_default();
    }
    let mut all = parts.concat();
    all.sort_by(Step::compare);
    all
}

/// Adds the choice to commit the whole stretch `node` for `own`: the steps inside it up to the one that costs more per
/// hour than to take the whole stretch instead.
fn with_whole(mut steps: Vec<Step>, own: i128, node: usize) -> Vec<Step> {
    let mut left: u64 = steps.iter().map(|step| step.saved).sum();
    let (mut paid, mut held, mut kept) = (0, Vec::new(), 0);
    for step in &steps {
        if price_order((own - paid, left), (step.owed, step.saved)).is_le() {
            break;
        }
        held.retain(|node| !step.instead.contains(node));
        held.push(step.node);
        paid += step.owed;
        left -= step.saved;
        kept += 1;
    }
    if left > 0 {
        steps.truncate(kept);
        steps.push(Step { owed: own - paid, saved: left, node, instead: held });
    }
    steps
}

impl Step {
    /// By price per hour saved.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        price_order((self.owed, self.saved), (other.owed, other.saved))
    }
}

/// The order of two prices (dollars, hours) without rounding or overflow: whole parts first, then the rests turned
/// upside down, as in Euclid's algorithm. Hours are not 0, dollars not negative.
pub(super) fn price_order(one: (i128, u64), other: (i128, u64)) -> Ordering {
    let ((mut a, mut b), (mut c, mut d)) = ((one.0, i128::from(one.1)), (other.0, i128::from(other.1)));
    loop {
        let (left, right) = (a / b, c / d);
        let (left_rest, right_rest) = (a % b, c % d);
        if left != right {
            return left.cmp(&right);
        }
        match (left_rest, right_rest) {
            (0, 0) => return Ordering::Equal,
            (0, _) => return Ordering::Less,
            (_, 0) => return Ordering::Greater,
            // a/b < c/d exactly when d/c < b/a: swapped sides keep the order.
            _ => (a, b, c, d) = (d, right_rest, b, left_rest),
        }
    }
}
