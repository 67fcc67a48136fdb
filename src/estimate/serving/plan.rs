//! The search on one sort of machine: fewest nodes that hold the load and meet the latency limits, best layout on them.
//!
//! Layouts are few (tensor and pipeline sizes that divide a node), so all are tried; nothing is pruned but spans of nodes
//! when one node is enough.

use super::ServingModel;
use super::memory::largest;
use crate::estimate::{Layout, MemoryEstimate, ServingSpeed, Verdict};
use crate::workload::Pins;
use std::ops::RangeInclusive;

/// Seconds to milliseconds.
const MS: f64 = 1e3;

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
    /// Requests in flight in each replica: the asked concurrency shared out, or the peak that a rate brings.
    pub concurrency_per_replica: u32,
}

/// Why there is no plan: each broken constraint with its nearest miss, and the layout that came nearest in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct ServingMiss {
    /// The layout whose memory is nearest to fitting.
    pub layout: Layout,
    /// Memory of that layout with one request (or the share of the asked concurrency on an exact number of nodes).
    pub memory: MemoryEstimate,
    /// The verdict of that layout.
    pub verdict: Verdict,
    /// What is broken, most basic first: a latency is named only where the memory holds.
    pub shortfalls: Vec<Shortfall>,
}

/// One constraint that nothing met.
#[derive(Clone, Debug, PartialEq)]
pub struct Shortfall {
    /// `layout`, `memory`, `ttft`, `tpot` or `nodes`.
    pub constraint: &'static str,
    /// The nearest that was reached, in the unit of the limit.
    pub nearest: f64,
    /// The limit: bytes, ms, or nodes.
    pub limit: f64,
    /// One sentence with both.
    pub message: String,
}

/// What the asked load means for one replica shape.
#[derive(Clone, Copy, Debug)]
struct Reach {
    layout: Layout,
    /// Time to first token with one request, in ms.
    ttft_ms: f64,
    /// Time per output token with one request, in ms.
    tpot_ms: f64,
    /// Most requests in flight that the memory `fits`.
    fits: u32,
    /// Most requests in flight that the memory fits at least tightly.
    tight: u32,
    /// Most of these that meet both latency limits.
    in_time: u32,
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
        let fewest = |reaches: &[Reach], worst: Verdict| {
            reaches.iter().filter_map(|r| self.nodes_needed(r, pins, worst)).min().filter(|&n| n <= limit)
        };
        let mut reaches = self.reaches(pins, 1..=1);
        let without_spans = fewest(&reaches, Verdict::Fits).unwrap_or(limit);
        if without_spans > 1 {
            reaches.extend(self.reaches(pins, 2..=without_spans));
        }
        let (fits, tight) = (fewest(&reaches, Verdict::Fits), fewest(&reaches, Verdict::Tight));
        let mut plans: Vec<ServingPlan> = Vec::new();
        for nodes in [fits, tight.filter(|&n| fits.is_none_or(|f| n < f))].into_iter().flatten() {
            plans.extend(self.best_of(&reaches, pins, nodes));
        }
        if plans.is_empty() { Err(self.miss(&reaches, pins, limit, None)) } else { Ok(plans) }
    }

    /// The best plan on exactly `nodes` nodes.
    pub fn best_on(&self, pins: &Pins, nodes: u32) -> Result<ServingPlan, ServingMiss> {
        let nodes = nodes.max(1);
        let mut reaches = self.reaches(pins, 1..=1);
        if nodes > 1 {
            reaches.extend(self.reaches(pins, 2..=nodes));
        }
        self.best_of(&reaches, pins, nodes).ok_or_else(|| self.miss(&reaches, pins, nodes, Some(nodes)))
    }

    /// The best layout on exactly `nodes` nodes among those that hold the load there: the one that answers soonest, its
    /// waiting requests included. By Little (1961) that is also the one that answers most requests a second.
    fn best_of(&self, reaches: &[Reach], pins: &Pins, nodes: u32) -> Option<ServingPlan> {
        let mut best: Option<(Verdict, f64, Layout, u32)> = None;
        for reach in reaches {
            let replicas = self.replicas_on(&reach.layout, pins, nodes);
            if replicas == 0 {
                continue;
            }
            let Some(load) = self.load_per_replica(&reach.layout, replicas, reach.in_time) else { continue };
            let verdict = if load <= reach.fits {
                Verdict::Fits
            } else if load <= reach.tight {
                Verdict::Tight
            } else {
                continue;
            };
            let timing = self.timing(&reach.layout, self.mean_load(replicas, load));
            let answer = timing.ttft_s + f64::from(self.serving.output_len) * timing.tpot_s;
            let layout = Layout { dp: replicas, ..reach.layout };
            if best.is_none_or(|(v, t, l, _)| (verdict, answer, layout) < (v, t, l)) {
                best = Some((verdict, answer, layout, load));
            }
        }
        best.map(|(verdict, _, layout, load)| ServingPlan {
            layout,
            replicas: layout.dp,
            nodes,
            memory: self.memory(&layout, load),
            verdict,
            speed: self.offered(self.mean_speed(&layout, load, self.mean_load(layout.dp, load)), layout.dp),
            concurrency_per_replica: load,
        })
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
            self.timing(layout, mean.max(1.0)).requests_per_s * mean.min(1.0) >= each
        };
        if most == 0 || !answered(most) {
            return None;
        }
        let short = largest(most, |load| !answered(load));
        Some((short + 1).max(peak(0.0) as u32))
    }

    /// Nodes that the asked load needs with replicas of one shape, none of them worse than `worst`.
    fn nodes_needed(&self, reach: &Reach, pins: &Pins, worst: Verdict) -> Option<u32> {
        let held = if worst == Verdict::Fits { reach.fits } else { reach.tight };
        let most = held.min(reach.in_time);
        if most == 0 {
            return None;
        }
        let needed = match self.serving.rps {
            None => self.serving.concurrency.max(1).div_ceil(most),
            Some(rps) => {
                let mean = mean_below(f64::from(most), self.constants.peak_sigma);
                let rate = self.timing(&reach.layout, mean.max(1.0)).requests_per_s * mean.min(1.0);
                (rps / rate).ceil().clamp(1.0, 1e9) as u32
            }
        };
        let replicas = match pins.dp {
            Some(dp) if dp < needed => return None,
            Some(dp) => dp,
            None => needed,
        };
        let (nodes, per_nodes) = self.span(&reach.layout);
        replicas.div_ceil(per_nodes).checked_mul(nodes)
    }

    /// Replicas of one shape on `nodes` nodes: as pinned, else as many as there is room and work for.
    fn replicas_on(&self, layout: &Layout, pins: &Pins, nodes: u32) -> u32 {
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
    fn reaches(&self, pins: &Pins, nodes: RangeInclusive<u32>) -> Vec<Reach> {
        self.shapes(pins, &nodes).into_iter().map(|layout| self.reach(layout)).collect()
    }

    fn reach(&self, layout: Layout) -> Reach {
        // More than what is asked need not be held; for a rate no more than run at once.
        let batch = self.constants.max_batch as u32;
        let most = if self.serving.rps.is_none() { self.serving.concurrency.max(1) } else { batch };
        let tight = largest(most, |n| self.verdict(&layout, n) <= Verdict::Tight);
        let fits = largest(tight, |n| self.verdict(&layout, n) == Verdict::Fits);
        let (ttft_limit, tpot_limit) = (self.serving.ttft_ms, self.serving.tpot_ms);
        let in_time = if ttft_limit.is_none() && tpot_limit.is_none() {
            tight
        } else {
            largest(tight, |n| {
                let timing = self.timing(&layout, f64::from(n));
                ttft_limit.is_none_or(|limit| timing.ttft_s * MS <= limit)
                    && tpot_limit.is_none_or(|limit| timing.tpot_s * MS <= limit)
            })
        };
        let one = self.timing(&layout, 1.0);
        Reach { layout, ttft_ms: one.ttft_s * MS, tpot_ms: one.tpot_s * MS, fits, tight, in_time }
    }

    /// Replica shapes that span so many nodes: inside a node all sizes that divide it and all powers of two, and stages only
    /// beside the widest tensor parallelism or where they use more GPUs than that can (three, six, twelve in a node), for
    /// replicas serve better than stages; over several nodes the widest tensor
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

    /// What kept every shape from a plan.
    fn miss(&self, reaches: &[Reach], pins: &Pins, limit: u32, exact: Option<u32>) -> ServingMiss {
        let usable = self.machine.usable_bytes;
        let mut nearest: Option<(f64, Layout, MemoryEstimate)> = None;
        for reach in reaches {
            let load = match exact {
                Some(nodes) if self.serving.rps.is_none() => {
                    let replicas = self.replicas_on(&reach.layout, pins, nodes).max(1);
                    self.serving.concurrency.max(1).div_ceil(replicas)
                }
                _ => 1,
            };
            let memory = self.memory(&reach.layout, load);
            let total = memory.terms.total();
            if nearest.as_ref().is_none_or(|(least, ..)| total < *least) {
                nearest = Some((total, reach.layout, memory));
            }
        }
        let Some((total, layout, memory)) = nearest else { return self.no_layout(pins) };
        let mut shortfalls = Vec::new();
        if reaches.iter().all(|r| r.tight == 0) {
            shortfalls.push(shortfall("memory", total, usable));
        } else {
            self.latency_shortfalls(reaches, &mut shortfalls);
            if shortfalls.is_empty() {
                let needed = reaches.iter().filter_map(|r| self.nodes_needed(r, pins, Verdict::Tight)).min();
                shortfalls.push(shortfall(
                    "nodes",
                    needed.map_or(f64::INFINITY, f64::from),
                    f64::from(limit),
                ));
            }
        }
        ServingMiss { layout, verdict: Verdict::of(&memory, usable), memory, shortfalls }
    }

    /// Latency limits that no shape meets which holds at least one request.
    fn latency_shortfalls(&self, reaches: &[Reach], shortfalls: &mut Vec<Shortfall>) {
        let held = || reaches.iter().filter(|r| r.tight > 0);
        let ttft = held().map(|r| r.ttft_ms).min_by(f64::total_cmp);
        if let (Some(limit), Some(best)) = (self.serving.ttft_ms, ttft)
            && best > limit
        {
            shortfalls.push(shortfall("ttft", best, limit));
        }
        // Where some shapes meet the one limit, the other is judged on these.
        let meets = |r: &&Reach| self.serving.ttft_ms.is_none_or(|limit| r.ttft_ms <= limit);
        let any = held().any(|r| meets(&r));
        let tpot = held().filter(|r| !any || meets(r)).map(|r| r.tpot_ms).min_by(f64::total_cmp);
        if let (Some(limit), Some(best)) = (self.serving.tpot_ms, tpot)
            && best > limit
        {
            shortfalls.push(shortfall("tpot", best, limit));
        }
    }

    /// Nothing was tried: the pins leave no layout.
    fn no_layout(&self, pins: &Pins) -> ServingMiss {
        let layout =
            Self::layout(pins.dp.unwrap_or(1), pins.tp.unwrap_or(1).max(1), pins.pp.unwrap_or(1).max(1));
        let memory = self.memory(&layout, 1);
        let gpus = layout.tp * layout.pp;
        let message = format!(
            "no layout with tp {}, pp {} for {} heads, {} KV heads, {} layers on {} GPUs a node: tp must divide the heads, \
             pp be at most the layers, and a replica of {gpus} GPUs find room",
            layout.tp,
            layout.pp,
            self.arch.heads,
            self.arch.kv_heads,
            self.arch.layers,
            self.machine.gpus_per_node
        );
        let limit = f64::from(self.machine.gpus_per_node);
        let shortfalls = vec![Shortfall { constraint: "layout", nearest: f64::from(gpus), limit, message }];
        ServingMiss { layout, verdict: Verdict::of(&memory, self.machine.usable_bytes), memory, shortfalls }
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

fn shortfall(constraint: &'static str, nearest: f64, limit: f64) -> Shortfall {
    let gib = |bytes: f64| bytes / crate::units::GIB;
    let message = match constraint {
        "memory" => format!(
            "needs {:.1} GiB on the fullest GPU in the layout that needs least, {:.1} GiB are usable",
            gib(nearest),
            gib(limit)
        ),
        "nodes" => format!("needs {nearest} nodes, {limit} allowed"),
        other => format!("best {other} {nearest:.1} ms, {limit:.1} ms asked"),
    };
    Shortfall { constraint, nearest, limit, message }
}
