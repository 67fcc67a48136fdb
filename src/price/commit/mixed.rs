//! Contracts that come in whole instances beside contracts that come in parts.
//!
//! Each band of one instance takes the cheaper of two ways: whole instances of whatever contract, or parts of those that
//! are sold in parts, each at its optimum. Where all commitments cover the whole horizon that is exact: stack any plan with
//! the whole instances at the bottom and the parts above them; a band is then either covered by a whole instance, or holds
//! parts only, and burst is the same. Where shorter whole terms may stand beside longer parts it is an upper bound, and
//! [`gap`] tells by how much at most: a plan in which everything may be bought in parts costs no more than any other.

use super::band::Bands;
use super::demand::{Demand, MICRO};
use super::market::{Commitment, layers};
use super::optimum::{is_below, uniform};
use super::step::Tree;
use super::{Bill, Bought, Plan, Question, Rules, Whole};
use crate::money::Usd;
use std::collections::BTreeMap;

/// One way to pay for a band.
#[derive(Clone, Debug, Default)]
struct Way {
    /// In 10^-18 dollars.
    cost: i128,
    /// Millionths of an instance in each stretch.
    bought: BTreeMap<usize, u64>,
}

fn in_parts(commitment: &Commitment) -> bool {
    commitment.billing.is_sold_in_parts()
}

/// Whether both sorts of contracts are for sale.
fn is_mixed(question: &Question) -> bool {
    let all = &question.market.commitments;
    question.rules.whole == Whole::ByKind && all.iter().any(in_parts) && !all.iter().all(in_parts)
}

/// The cheapest plan where each contract comes as it is sold.
pub(super) fn plan(question: &Question, demand: &Demand) -> Option<Plan> {
    if !is_mixed(question) {
        let whole = !question.market.commitments.iter().all(in_parts);
        return uniform(question, demand, whole, |_| true);
    }
    if question.market.cheaper_spot().is_some() && question.rules.spot_share > 0.0 {
        let whole = uniform(question, demand, true, |_| true)?;
        let parts = uniform(question, demand, false, in_parts)?;
        let dearer = question.bill(&parts, demand).total > question.bill(&whole, demand).total;
        return Some(if dearer { whole } else { parts });
    }
    Some(by_band(question, demand))
}

/// How much dearer than the optimum a plan may be at most; `None` where it is the optimum.
pub(super) fn gap(question: &Question, demand: &Demand, bill: &Bill) -> Option<Usd> {
    let horizon = demand.hours().len();
    let shortest = question.market.commitments.iter().map(|it| it.term_hours as usize).min()?;
    let exact = shortest >= horizon && question.rules.spot_share <= 0.0;
    if !is_mixed(question) || exact {
        return None;
    }
    let rules = Rules { whole: Whole::Never, ..question.rules };
    let free = Question::new(question.market.clone(), rules).best(demand)?.1.total;
    (bill.total > free).then(|| bill.total.minus(free))
}

fn by_band(question: &Question, demand: &Demand) -> Plan {
    let market = &question.market;
    let horizon = demand.hours().len();
    let on_demand = market.on_demand.picodollars();
    let whole_tree = Tree::new(layers(market, horizon, |_| true), horizon);
    let part_tree = Tree::new(layers(market, horizon, in_parts), horizon);
    let slot = |tree: &Tree| tree.layers().last().map_or(horizon, |layer| layer.hours);
    let whole_bands = Bands::whole(demand, slot(&whole_tree));
    let part_bands = Bands::fractional_within(demand, slot(&part_tree), MICRO);
    let (mut whole, mut parts) = (Way::default(), Way::default());
    let (mut next, mut below) = (0, 0);
    for band in 0..whole_bands.slices.len() {
        let top = (band as u64 + 1) * MICRO;
        let mut in_part = Way::default();
        while let Some(&slices) = part_bands.slices.get(next).filter(|_| below < top) {
            in_part.add(way(&part_tree, &part_bands, next, on_demand));
            below += slices;
            next += 1;
        }
        let as_one = way(&whole_tree, &whole_bands, band, on_demand);
        if as_one.cost <= in_part.cost {
            whole.add(as_one);
        } else {
            parts.add(in_part);
        }
    }
    let mut bought = bought(&whole_tree, &whole);
    for more in self::bought(&part_tree, &parts) {
        match bought.iter_mut().find(|it| it.commitment == more.commitment) {
            Some(it) => it.instances.iter_mut().zip(more.instances).for_each(|(own, more)| *own += more),
            None => bought.push(more),
        }
    }
    bought.sort_by_key(|it| std::cmp::Reverse(it.hours));
    Plan { bought }
}

impl Way {
    fn add(&mut self, other: Self) {
        self.cost += other.cost;
        for (node, instances) in other.bought {
            *self.bought.entry(node).or_default() += instances;
        }
    }
}

/// The cheapest way for one band with the contracts of a tree.
fn way(tree: &Tree, bands: &Bands, band: usize, on_demand: i128) -> Way {
    let slices = bands.slices[band];
    let busy: u64 = bands.busy(band).iter().sum();
    let mut way = Way { cost: on_demand * i128::from(busy) * i128::from(slices), bought: BTreeMap::new() };
    for step in tree.steps(bands.busy(band), bands.slice) {
        if !is_below(&step, on_demand) {
            break;
        }
        way.cost -= (on_demand * i128::from(step.saved) - step.owed) * i128::from(slices);
        way.bought.retain(|node, _| !step.instead.contains(node));
        way.bought.insert(step.node, slices * bands.slice);
    }
    way
}

fn bought(tree: &Tree, way: &Way) -> Vec<Bought> {
    let of = |layer: usize| Bought {
        commitment: tree.layers()[layer].commitment,
        hours: tree.layers()[layer].hours,
        instances: tree.nodes_of(layer).map(|node| way.bought.get(&node).copied().unwrap_or(0)).collect(),
    };
    let all = (0..tree.layers().len()).map(of);
    all.filter(|it| it.instances.iter().any(|&instances| instances > 0)).collect()
}
