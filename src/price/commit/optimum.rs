//! The cheapest plan: every slice takes its steps, the cheapest hour first, while a step costs less than the burst.

use super::band::Bands;
use super::demand::Demand;
use super::market::{Market, layers};
use super::step::{Step, Tree, price_order};
use super::whole::Burst;
use super::{Commitment, Plan, Question, Whole, mixed};
use crate::money::UsdPerHour;

/// The cheapest plan for a demand, by the argument of the [module](super).
pub(super) fn plan(question: &Question, demand: &Demand) -> Option<Plan> {
    match question.rules.whole {
        Whole::Never => uniform(question, demand, false, |_| true),
        Whole::Always => uniform(question, demand, true, |_| true),
        Whole::ByKind => mixed::plan(question, demand),
    }
}

/// The cheapest plan with those commitments that are `allowed`, all in whole instances or all in parts.
pub(super) fn uniform(
    question: &Question,
    demand: &Demand,
    whole: bool,
    allowed: fn(&Commitment) -> bool,
) -> Option<Plan> {
    let Question { market, rules } = question;
    let horizon = demand.hours().len();
    let tree = Tree::new(layers(market, horizon, allowed), horizon);
    let mut search = Search::new(market, rules.spot_share, demand, &tree);
    if let Some(shortest) = tree.layers().last() {
        let bands = if whole {
            Bands::whole(demand, shortest.hours)
        } else {
            Bands::fractional(demand, shortest.hours)
        };
        search.run(&tree, &bands);
        if let Some(price) = search.across.filter(|_| whole && !tree.is_flat()) {
            let known = search.owed + search.price.cost(search.burst);
            search.bought = super::whole::best(&tree, &bands, &search.price, price, known)?;
        }
    }
    let part = |layer: usize| super::Bought {
        commitment: tree.layers()[layer].commitment,
        hours: tree.layers()[layer].hours,
        instances: tree.nodes_of(layer).map(|node| search.bought[node]).collect(),
    };
    Some(Plan { bought: (0..tree.layers().len()).map(part).collect() })
}

struct Search {
    /// Millionths of an instance committed in each stretch.
    bought: Vec<u64>,
    /// What they owe.
    owed: i128,
    /// Instance-hours of burst that are left, in millionths.
    burst: u64,
    /// What burst costs.
    price: Burst,
    /// The step that meets the cap on spot: what it owes, the hours that it saves.
    across: Option<(i128, u64)>,
}

impl Search {
    fn new(market: &Market, spot_share: f64, demand: &Demand, tree: &Tree) -> Self {
        let on_demand = market.on_demand.picodollars();
        let spot = market.cheaper_spot().map(UsdPerHour::picodollars);
        let cap = if spot.is_some() { demand.share(spot_share) } else { 0 };
        Self {
            bought: vec![0; tree.nodes()],
            owed: 0,
            burst: demand.total(),
            price: Burst { spot: spot.unwrap_or(on_demand), on_demand, cap },
            across: None,
        }
    }

    fn run(&mut self, tree: &Tree, bands: &Bands) {
        let Burst { spot, on_demand, cap } = self.price;
        // Steps cheaper than the cheapest burst are taken whatever the cap; those between wait for their turn.
        let always = if cap > 0 { spot } else { on_demand };
        let mut waiting: Vec<(Step, u64)> = Vec::new();
        for (band, &slices) in bands.slices.iter().enumerate() {
            for step in tree.steps(bands.busy(band), bands.slice) {
                if is_below(&step, always) {
                    self.take(&step, slices, bands.slice);
                } else if is_below(&step, on_demand) {
                    waiting.push((step, slices));
                } else {
                    break;
                }
            }
        }
        // Stable, so that the steps of a slice stay in their order and lower slices come first.
        waiting.sort_by(|a, b| a.0.compare(&b.0));
        for (step, slices) in &waiting {
            let above = self.burst.saturating_sub(cap);
            if above == 0 {
                break;
            }
            let enough = above / step.saved;
            if enough >= *slices {
                self.take(step, *slices, bands.slice);
                continue;
            }
            self.across = Some((step.owed, step.saved));
            self.take(step, enough, bands.slice);
            if step.owed < self.price.cost(self.burst) - self.price.cost(self.burst - step.saved) {
                self.take(step, 1, bands.slice);
            }
            break;
        }
    }

    fn take(&mut self, step: &Step, slices: u64, slice: u64) {
        let instances = slices * slice;
        self.bought[step.node] += instances;
        for &node in &step.instead {
            self.bought[node] -= instances;
        }
        self.owed += step.owed * i128::from(slices);
        self.burst -= slices * step.saved;
    }
}

/// Whether an hour that a step saves costs less than this price.
pub(super) fn is_below(step: &Step, price: i128) -> bool {
    price_order((step.owed, step.saved), (price, 1)).is_lt()
}
