//! The search on one sort of machine: fewest nodes that hold the load and meet the latency limits, best layout on them.
//!
//! Layouts are few (tensor and pipeline sizes that divide a node), so all are tried; nothing is pruned but spans of nodes
//! when one node is enough.

use super::ServingModel;
use super::memory::largest;
use super::miss::ServingMiss;
use super::time::Timing;
use crate::estimate::{Layout, MemoryEstimate, ServingSpeed, Verdict};
use crate::workload::Pins;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Seconds to milliseconds.
const MS: f64 = 1e3;
/// Numbers of nodes that are tried one by one between the fewest that hold the load tightly and those that surely do.
const MOST_BETWEEN: u32 = 64;

/// A plan that holds the load.
#[derive(Clone, Debug, PartialEq)]
pub struct ServingPlan {
    /// Tensor and pipeline size of a replica; `dp` is the number of replicas.
    pub layout: Layout,
    /// Replicas in total.
    pub replicas: u32,
    /// Nodes in total.
    pub nodes: u32,
    /// Memory of the fullest GPU.
    pub memory: MemoryEstimate,
    /// `fits` or `tight`.
    pub verdict: Verdict,
    /// Speed of one replica.
    pub speed: ServingSpeed,
    /// Requests that each replica works on at once: the asked concurrency shared out, the part of it that does not wait, or
    /// the peak that a rate brings.
    pub concurrency_per_replica: u32,
}

/// What the asked load means for one replica shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub(super) layout: Layout,
    /// Time to first token with one request, in ms.
    pub(super) ttft_ms: f64,
    /// Time per output token with one request, in ms.
    pub(super) tpot_ms: f64,
    /// Most requests in flight that the memory `fits`.
    fits: u32,
    /// Most requests in flight that the memory fits at least tightly.
    pub(super) tight: u32,
    /// Most of these that meet both latency limits.
    in_time: u32,
}

/// A layout with its replicas, and what each of them works on at once.
#[derive(Clone, Copy, Debug)]
struct Held {
    verdict: Verdict,
    /// Seconds of a whole answer.
    answer_s: f64,
    layout: Layout,
    /// Requests that the fullest replica works on at once.
    load: u32,
    /// Whether others wait until these are answered.
    waits: bool,
    timing: Timing,
}

impl Held {
    /// What is better comes first: what is only tight and what lets requests wait must answer sooner by `gain` each.
    fn key(&self, gain: f64) -> (f64, Layout) {
        let drawbacks = f64::from(u8::from(self.waits) + u8::from(self.verdict != Verdict::Fits));
        (self.answer_s * (1.0 + gain).powf(drawbacks), self.layout)
    }
}

/// No size is pinned.
const FREE: Pins = Pins { dp: None, tp: None, pp: None, ep: None, cp: None };

/// The shapes that pins leave, and beside them those that would be there without, which say what the machines hold.
struct Shapes {
    own: Vec<Reach>,
    others: Vec<Reach>,
}

#[allow(clippy::result_large_err, reason = "one miss a machine, taken apart at once by the caller")]
impl ServingModel<'_> {
    /// The best plan on at most `max_nodes` nodes: one that `fits` before one that is `tight`, then the fewest nodes, then
    /// the shortest time of a whole answer.
    pub fn best(&self, pins: &Pins, max_nodes: u32) -> Result<ServingPlan, ServingMiss> {
        self.plans(pins, max_nodes).map(|mut plans| plans.swap_remove(0))
    }

    /// The plan of [`Self::best`], and behind it the one on the fewest nodes of all where that one is `tight` on fewer.
    pub fn plans(&self, pins: &Pins, max_nodes: u32) -> Result<Vec<ServingPlan>, ServingMiss> {
        let limit = if self.machine.can_scale_out() { max_nodes.max(1) } else { 1 };
        let mut shapes = self.reaches(pins, 1..=1);
        let without_spans =
            self.fewest_own(&shapes, pins, Verdict::Fits).map_or(limit, |nodes| nodes.min(limit));
        if without_spans > 1 {
            let spans = self.reaches(pins, 2..=without_spans);
            shapes.own.extend(spans.own);
            shapes.others.extend(spans.others);
        }
        let mut plans: Vec<ServingPlan> = Vec::new();
        for nodes in self.node_counts(&shapes, pins, limit) {
            match self.best_of(&shapes, pins, nodes) {
                Some(plan) if plan.verdict == Verdict::Fits => {
                    plans.insert(0, plan);
                    break;
                }
                Some(plan) if plans.is_empty() => plans.push(plan),
                _ => {}
            }
        }
        if plans.is_empty() { Err(self.miss(&shapes.own, pins, limit, None)) } else { Ok(plans) }
    }

    /// Numbers of nodes up to `limit` on which the first plan of either verdict may be, in order.
    fn node_counts(&self, shapes: &Shapes, pins: &Pins, limit: u32) -> BTreeSet<u32> {
        let ends = [Verdict::Fits, Verdict::Tight].map(|worst| self.fewest_own(shapes, pins, worst));
        let Some(first) = self.fewest(shapes, pins, Verdict::Tight) else { return BTreeSet::new() };
        let last = ends[0].unwrap_or(first).min(first.saturating_add(MOST_BETWEEN));
        // Pinned replicas may let requests wait that other shapes would hold on fewer nodes than these take.
        let room = pins.dp.and_then(|dp| shapes.own.iter().filter_map(|reach| self.room(reach, dp)).min());
        let ends = ends.into_iter().flatten().chain(room);
        (first..=last).chain(ends).filter(|&nodes| nodes <= limit).collect()
    }

    /// Nodes that so many replicas of one shape take.
    fn room(&self, reach: &Reach, replicas: u32) -> Option<u32> {
        let (nodes, per_nodes) = self.span(&reach.layout);
        replicas.div_ceil(per_nodes).checked_mul(nodes)
    }

    /// The fewest nodes that hold the whole load with any shape, none worse than `worst`.
    fn fewest(&self, shapes: &Shapes, pins: &Pins, worst: Verdict) -> Option<u32> {
        let others = shapes.others.iter().filter_map(|reach| self.nodes_needed(reach, &FREE, worst));
        others.chain(self.fewest_own(shapes, pins, worst)).min()
    }

    /// The same with the pinned shapes alone.
    fn fewest_own(&self, shapes: &Shapes, pins: &Pins, worst: Verdict) -> Option<u32> {
        shapes.own.iter().filter_map(|reach| self.nodes_needed(reach, pins, worst)).min()
    }

    /// The best plan on exactly `nodes` nodes.
    pub fn best_on(&self, pins: &Pins, nodes: u32) -> Result<ServingPlan, ServingMiss> {
        let nodes = nodes.max(1);
        let shapes = self.reaches(pins, 1..=nodes);
        self.best_of(&shapes, pins, nodes).ok_or_else(|| self.miss(&shapes.own, pins, nodes, Some(nodes)))
    }

    /// The best layout on exactly `nodes` nodes: the one that answers soonest, its waiting requests included. By Little (1961)
    /// that is also the one that answers most requests a second.
    ///
    /// The machines must hold the load: all requests at once in some layout, whatever is pinned. Then any layout may work on
    /// as many as it holds while the rest wait, so that neither a pin nor one more request takes the choice away.
    fn best_of(&self, shapes: &Shapes, pins: &Pins, nodes: u32) -> Option<ServingPlan> {
        let mut found: Vec<Held> =
            shapes.own.iter().filter_map(|reach| self.whole(reach, pins, nodes)).collect();
        let others = || shapes.others.iter().filter_map(|reach| self.whole(reach, &FREE, nodes));
        let surely = found.iter().any(|held| held.verdict == Verdict::Fits);
        if surely || !found.is_empty() || others().next().is_some() {
            found.extend(shapes.own.iter().flat_map(|reach| self.queued(reach, pins, nodes)));
        }
        let surely = surely || others().any(|held| held.verdict == Verdict::Fits);
        if surely && found.iter().any(|held| held.verdict == Verdict::Fits) {
            found.retain(|held| held.verdict == Verdict::Fits);
        }
        let gain = self.constants.waiting_gain;
        let sooner = |best: Held, held: Held| if held.key(gain) < best.key(gain) { held } else { best };
        found.into_iter().reduce(sooner).map(|held| ServingPlan {
            layout: held.layout,
            replicas: held.layout.dp,
            nodes,
            memory: self.memory(&held.layout, held.load),
            verdict: held.verdict,
            speed: self.offered(self.speed_of(&held.layout, held.load, &held.timing), held.layout.dp),
            concurrency_per_replica: held.load,
        })
    }

    /// A layout that holds the whole load of its replicas.
    fn whole(&self, reach: &Reach, pins: &Pins, nodes: u32) -> Option<Held> {
        let replicas = Some(self.replicas_on(&reach.layout, pins, nodes)).filter(|&n| n > 0)?;
        let load = self.load_per_replica(&reach.layout, replicas, reach.in_time)?;
        let verdict = if load <= reach.fits {
            Verdict::Fits
        } else if load <= reach.tight {
            Verdict::Tight
        } else {
            return None;
        };
        let timing = self.held_at_once(&reach.layout, self.mean_load(replicas, load));
        Some(self.held(reach.layout, replicas, (verdict, load), timing))
    }

    /// A layout that works on fewer requests than it is asked to while the others wait: on as many as it surely holds, or as it
    /// just holds. Machines that no replica works on are left out.
    fn queued(&self, reach: &Reach, pins: &Pins, nodes: u32) -> Vec<Held> {
        let replicas = self.replicas_on(&reach.layout, pins, nodes);
        let (span, per_span) = self.span(&reach.layout);
        let idle = nodes / span * per_span >= replicas + per_span;
        if self.serving.rps.is_some() || replicas == 0 || idle {
            return Vec::new();
        }
        let asked = self.serving.concurrency.max(1).div_ceil(replicas);
        let mean = self.mean_load(replicas, asked);
        [(Verdict::Fits, reach.fits), (Verdict::Tight, reach.tight)]
            .into_iter()
            .filter(|&(verdict, most)| {
                0 < most && most < asked && (verdict == Verdict::Fits || most > reach.fits)
            })
            .map(|most| (most, self.timing_with(&reach.layout, mean, f64::from(most.1))))
            .filter(|(_, timing)| self.in_time(timing))
            .map(|(most, timing)| Held { waits: true, ..self.held(reach.layout, replicas, most, timing) })
            .collect()
    }

    fn held(&self, layout: Layout, replicas: u32, (verdict, load): (Verdict, u32), timing: Timing) -> Held {
        let answer_s = timing.ttft_s + f64::from(self.serving.output_len) * timing.tpot_s;
        Held { verdict, answer_s, layout: Layout { dp: replicas, ..layout }, load, waits: false, timing }
    }

    /// Times with so many requests in flight, all of which the memory holds.
    fn held_at_once(&self, layout: &Layout, concurrency: f64) -> Timing {
        self.timing_with(layout, concurrency, f64::INFINITY)
    }

    /// Whether both latency limits are met.
    fn in_time(&self, timing: &Timing) -> bool {
        self.serving.ttft_ms.is_none_or(|limit| timing.ttft_s * MS <= limit)
            && self.serving.tpot_ms.is_none_or(|limit| timing.tpot_s * MS <= limit)
    }

    /// The latencies of the peak with the rate that is really asked of each replica, where a rate is asked.
    fn offered(&self, mut speed: ServingSpeed, replicas: u32) -> ServingSpeed {
        if let Some(rps) = self.serving.rps {
            speed.requests_per_s = rps / f64::from(replicas);
            speed.output_tokens_per_s = speed.requests_per_s * f64::from(self.serving.output_len);
        }
        speed
    }

    /// Requests in flight in each of `replicas` replicas; `None` when the rate is more than they can answer with at most
    /// `most` in flight.
    ///
    /// A rate λ keeps λ · latency requests in flight on average (Little 1961); with random arrivals their number varies
    /// like a Poisson count, so the mean and some standard deviations above it must be held.
    fn load_per_replica(&self, layout: &Layout, replicas: u32, most: u32) -> Option<u32> {
        let Some(rps) = self.serving.rps else {
            return Some(self.serving.concurrency.max(1).div_ceil(replicas)).filter(|&load| load <= most);
        };
        let each = rps / f64::from(replicas);
        let sigma = self.constants.peak_sigma;
        let peak = |mean: f64| (mean + sigma * mean.sqrt()).ceil().max(1.0);
        let answered = |load: u32| {
            let mean = mean_below(f64::from(load), sigma);
            self.held_at_once(layout, mean.max(1.0)).requests_per_s * mean.min(1.0) >= each
        };
        if most == 0 || !answered(most) {
            return None;
        }
        let short = largest(most, |load| !answered(load));
        Some((short + 1).max(peak(0.0) as u32))
    }

    /// Nodes that the asked load needs with replicas of one shape, none of them worse than `worst`.
    pub(super) fn nodes_needed(&self, reach: &Reach, pins: &Pins, worst: Verdict) -> Option<u32> {
        let held = if worst == Verdict::Fits { reach.fits } else { reach.tight };
        let most = held.min(reach.in_time);
        if most == 0 {
            return None;
        }
        let needed = match self.serving.rps {
            None => self.serving.concurrency.max(1).div_ceil(most),
            Some(rps) => {
                let mean = mean_below(f64::from(most), self.constants.peak_sigma);
                let rate = self.held_at_once(&reach.layout, mean.max(1.0)).requests_per_s * mean.min(1.0);
                (rps / rate).ceil().clamp(1.0, 1e9) as u32
            }
        };
        let replicas = match pins.dp {
            Some(dp) if dp < needed => return None,
            Some(dp) => dp,
            None => needed,
        };
        self.room(reach, replicas)
    }

    /// Replicas of one shape on `nodes` nodes: as pinned, else as many as there is room and work for.
    pub(super) fn replicas_on(&self, layout: &Layout, pins: &Pins, nodes: u32) -> u32 {
        let (span, per_span) = self.span(layout);
        let room = nodes / span * per_span;
        match pins.dp {
            Some(dp) if dp > room => 0,
            Some(dp) => dp,
            None if self.serving.rps.is_none() => room.min(self.serving.concurrency.max(1)),
            None => room,
        }
    }

    /// Nodes that one replica spans, and replicas on so many nodes.
    fn span(&self, layout: &Layout) -> (u32, u32) {
        let (gpus, node) = (layout.tp * layout.pp, self.machine.gpus_per_node);
        if gpus <= node { (1, node / gpus) } else { (gpus.div_ceil(node), 1) }
    }

    /// All replica shapes that span so many nodes, with what they reach.
    fn reaches(&self, pins: &Pins, nodes: RangeInclusive<u32>) -> Shapes {
        let of = |pins: &Pins| {
            let spans =
                (*nodes.end() > 1).then(|| self.shapes(pins, &(2.max(*nodes.start())..=*nodes.end())));
            let inside = if *nodes.start() > 1 { Vec::new() } else { self.shapes(pins, &(1..=1)) };
            inside.into_iter().chain(spans.into_iter().flatten()).map(|layout| self.reach(layout)).collect()
        };
        let pinned = [pins.dp, pins.tp, pins.pp].iter().any(Option::is_some) && self.serving.rps.is_none();
        Shapes { own: of(pins), others: if pinned { of(&FREE) } else { Vec::new() } }
    }

    fn reach(&self, layout: Layout) -> Reach {
        // More than what is asked need not be held; for a rate no more than run at once.
        let batch = self.constants.max_batch as u32;
        let most = if self.serving.rps.is_none() { self.serving.concurrency.max(1) } else { batch };
        let tight = largest(most, |n| self.verdict(&layout, n) <= Verdict::Tight);
        let fits = largest(tight, |n| self.verdict(&layout, n) == Verdict::Fits);
        let in_time = if self.serving.ttft_ms.is_none() && self.serving.tpot_ms.is_none() {
            tight
        } else {
            largest(tight, |n| self.in_time(&self.held_at_once(&layout, f64::from(n))))
        };
        let one = self.held_at_once(&layout, 1.0);
        Reach { layout, ttft_ms: one.ttft_s * MS, tpot_ms: one.tpot_s * MS, fits, tight, in_time }
    }

    /// Replica shapes that span so many nodes: inside a node all sizes that divide it and all powers of two, and stages only
    /// beside the widest tensor parallelism or where they use more GPUs than that can (three, six, twelve in a node), for
    /// replicas serve better than stages unless the cache is short (docs/estimates.md); over several nodes the widest tensor
    /// parallelism inside each, and one stage or more on each. Pinned sizes are kept whatever they are.
    fn shapes(&self, pins: &Pins, nodes: &RangeInclusive<u32>) -> Vec<Layout> {
        let node = self.machine.gpus_per_node;
        let spanning = *nodes.start() > 1;
        let even = |n: u32| n.is_power_of_two() || node.is_multiple_of(n);
        let widths = |n: &u32| even(*n) && self.divides(*n) && (*n == 1 || self.constants.tensor_parallel);
        let tps: Vec<u32> = match pins.tp {
            Some(tp) => vec![tp],
            None if spanning => (1..=node).rev().find(widths).into_iter().collect(),
            None => (1..=node).filter(widths).collect(),
        };
        let widest = tps.last().copied().unwrap_or(1);
        let mut layouts = Vec::new();
        for tp in tps.into_iter().filter(|&tp| tp > 0 && self.divides(tp)) {
            let most = (nodes.end().saturating_mul(node) / tp).min(self.arch.layers);
            let depths = |&pp: &u32| {
                let gpus = tp * pp;
                if spanning {
                    gpus.is_multiple_of(node) && (even_span(gpus / node) || self.balanced(pp))
                } else {
                    pp == 1 || (even(pp) && (tp == widest || gpus > widest * (node / widest.max(1))))
                }
            };
            let pps: Vec<u32> = match pins.pp {
                Some(pp) => vec![pp],
                None => (1..=most).filter(depths).collect(),
            };
            layouts.extend(
                pps.into_iter()
                    .filter(|&pp| (1..=most).contains(&pp) && nodes.contains(&(tp * pp).div_ceil(node)))
                    .map(|pp| Self::layout(1, tp, pp)),
            );
        }
        layouts
    }

    /// Whether fewer stages would make the fullest one larger.
    fn balanced(&self, pp: u32) -> bool {
        let layers = self.arch.layers.max(1);
        layers.div_ceil(layers.div_ceil(pp)) == pp
    }

    /// Engines ask that the query heads divide evenly, and that KV heads divide or are copied evenly.
    fn divides(&self, tp: u32) -> bool {
        let kv = self.arch.kv_heads.max(1);
        self.arch.heads.max(1).is_multiple_of(tp) && (kv.is_multiple_of(tp) || tp.is_multiple_of(kv))
    }
}

/// Numbers of nodes that one replica may span however its layers divide.
fn even_span(nodes: u32) -> bool {
    nodes <= 8 || nodes.is_power_of_two()
}

/// The mean of requests in flight whose peak, `sigma` standard deviations of a Poisson count above it, is `peak`.
fn mean_below(peak: f64, sigma: f64) -> f64 {
    let root = ((sigma * sigma + 4.0 * peak).sqrt() - sigma) / 2.0;
    root * root
}
