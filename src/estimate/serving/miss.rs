//! Why there is no plan: which constraint is broken, and by how much.

use super::ServingModel;
use super::plan::Reach;
use crate::estimate::{Layout, MemoryEstimate, Verdict};
use crate::workload::Pins;

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

impl ServingModel<'_> {
    /// What kept every shape from a plan.
    pub(super) fn miss(&self, reaches: &[Reach], pins: &Pins, limit: u32, exact: Option<u32>) -> ServingMiss {
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
