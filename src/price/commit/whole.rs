//! Whole instances with a cap on spot where stretches are shorter than the horizon: the one case in which the slices
//! do not come apart. Exact by bounds: only ways that can still beat the plan at hand are looked at.
//!
//! For any price `q` between spot and on demand the burst costs at least `q·B − (q − p_spot)·S`, so a plan costs at
//! least the sum over slices of (owed + `q` × hours left), less `(q − p_spot)·S` (Lagrange's bound). With `q` the price
//! of the step that meets the cap, the sum of the cheapest ways is nearly the best plan already, and a way that is
//! dearer than the cheapest one of its slice by more than the gap to the plan at hand is in no better plan. The few
//! that are left are combined, those that another one beats in both what is owed and what is left are dropped.

use super::band::Bands;
use super::step::Tree;

/// Most combinations that are kept; beyond them there is no answer rather than an inexact one.
const MOST_WAYS: usize = 20_000;

/// The price of burst: below the cap, above it, and the cap in millionths of an instance-hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Burst {
    pub(super) spot: i128,
    pub(super) on_demand: i128,
    pub(super) cap: u64,
}

/// One way to commit some slices.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    owed: i128,
    left: u64,
    /// How much dearer it is at the price `q` than the cheapest way.
    excess: f64,
    nodes: Vec<usize>,
}

/// Ways of one stretch of one slice, and the cost of the cheapest at the price `q`.
struct Ways {
    ways: Vec<Way>,
    cheapest: f64,
}

impl Burst {
    /// What so many hours cost.
    pub(super) fn cost(&self, left: u64) -> i128 {
        let below = left.min(self.cap);
        self.spot * i128::from(below) + self.on_demand * i128::from(left - below)
    }
}

/// Instances in each stretch of the best plan. `price` is the step that meets the cap: (owed, hours saved); `known` is
/// the cost of a plan. `None` when too many ways are as good as each other.
pub(super) fn best(
    tree: &Tree,
    bands: &Bands,
    burst: &Burst,
    price: (i128, u64),
    known: i128,
) -> Option<Vec<u64>> {
    let q = price.0 as f64 / price.1 as f64;
    let root = |band: usize, gap: f64| {
        let slots = 0..tree.stretches(0);
        let parts = slots.map(|slot| ways(tree, 0, slot, bands.busy(band), bands.slice, q, gap));
        combined(parts.collect::<Option<Vec<_>>>()?, gap)
    };
    let mut bound = -(q - burst.spot as f64) * burst.cap as f64;
    for band in 0..bands.slices.len() {
        bound += root(band, 0.0)?.cheapest;
    }
    // Sums of floating point are off by far less than a part in 10^12.
    let gap = known as f64 - bound + known as f64 * 1e-12;
    let mut bought = vec![0; tree.nodes()];
    let (mut owed, mut left, mut open) = (0, 0, Vec::new());
    for band in 0..bands.slices.len() {
        let mut found = root(band, gap)?;
        if found.ways.len() == 1 {
            let only = found.ways.remove(0);
            owed += only.owed;
            left += only.left;
            only.nodes.iter().for_each(|&node| bought[node] += bands.slice);
        } else {
            open.push(found);
        }
    }
    let combined = combined(open, gap)?;
    let total = |way: &&Way| owed + way.owed + burst.cost(left + way.left);
    let best = combined.ways.iter().min_by_key(total)?;
    best.nodes.iter().for_each(|&node| bought[node] += bands.slice);
    Some(bought)
}

/// Ways of one stretch of a slice: nothing, all of it, or ways of its parts.
fn ways(tree: &Tree, layer: usize, slot: usize, busy: &[u64], slice: u64, q: f64, gap: f64) -> Option<Ways> {
    let own = tree.layers()[layer].owed * i128::from(slice);
    let all = Way { owed: own, left: 0, excess: 0.0, nodes: vec![tree.nodes_of(layer).start + slot] };
    let parts = tree.parts(layer, slot);
    let mut inner = if parts.is_empty() {
        let nothing = Way { owed: 0, left: busy[slot], excess: 0.0, nodes: Vec::new() };
        Ways { cheapest: q * busy[slot] as f64, ways: vec![nothing] }
    } else {
        let parts = parts.map(|part| ways(tree, layer + 1, part, busy, slice, q, gap));
        combined(parts.collect::<Option<Vec<_>>>()?, gap)?
    };
    let cheapest = inner.cheapest.min(own as f64);
    inner.ways.iter_mut().for_each(|way| way.excess += inner.cheapest - cheapest);
    inner.ways.push(Way { excess: own as f64 - cheapest, ..all });
    Some(Ways { ways: kept(inner.ways, gap), cheapest })
}

/// All combinations of ways of independent stretches or slices.
fn combined(parts: Vec<Ways>, gap: f64) -> Option<Ways> {
    let nothing = Way { owed: 0, left: 0, excess: 0.0, nodes: Vec::new() };
    let mut sum = Ways { ways: vec![nothing], cheapest: 0.0 };
    for part in parts {
        let pairs = sum.ways.iter().flat_map(|one| part.ways.iter().map(move |other| one.and(other)));
        let pairs = pairs.filter(|way| way.excess <= gap).take(MOST_WAYS * 4).collect::<Vec<_>>();
        if pairs.len() == MOST_WAYS * 4 {
            return None;
        }
        sum = Ways { ways: kept(pairs, gap), cheapest: sum.cheapest + part.cheapest };
        if sum.ways.len() > MOST_WAYS {
            return None;
        }
    }
    Some(sum)
}

/// The ways within the gap that no other one beats.
fn kept(mut ways: Vec<Way>, gap: f64) -> Vec<Way> {
    ways.sort_by(|a, b| (a.left, a.owed, &a.nodes).cmp(&(b.left, b.owed, &b.nodes)));
    let mut least: Option<i128> = None;
    ways.retain(|way| {
        let better = least.is_none_or(|least| way.owed < least);
        if better {
            least = Some(way.owed);
        }
        better && way.excess <= gap
    });
    ways
}

impl Way {
    fn and(&self, other: &Self) -> Self {
        Self {
            owed: self.owed + other.owed,
            left: self.left + other.left,
            excess: self.excess + other.excess,
            nodes: [&self.nodes[..], &other.nodes[..]].concat(),
        }
    }
}
