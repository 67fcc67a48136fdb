//! From the time of a step to what is printed: rates, utilisation, hours, what bounds them, and what they rest on.

use super::TrainingModel;
use super::constants::range_of;
use super::split::Split;
use super::time::StepParts;
use crate::catalog::knowledge::Constant;
use crate::estimate::{Basis, Layout, MeasuredLinks, Range, TrainingSpeed};

const SECONDS_PER_HOUR: f64 = 3600.0;

impl TrainingModel<'_> {
    /// Seconds of one optimizer step: the hot path of the search.
    pub fn step_seconds(&self, layout: &Layout) -> f64 {
        self.step_parts(layout).total()
    }

    /// Seconds of one step with a given number of sequences for each rank of `dp`; a fraction where several ranks
    /// share a sequence.
    pub fn step_seconds_of(&self, layout: &Layout, sequences: f64) -> f64 {
        self.parts_of(layout, sequences).total()
    }

    /// The same with its range.
    pub fn step_range_of(&self, layout: &Layout, sequences: f64) -> Range {
        self.step_range(&self.parts_of(layout, sequences))
    }

    fn step_parts(&self, layout: &Layout) -> StepParts {
        self.parts_of(layout, f64::from(self.global_batch.div_ceil(layout.dp.max(1))))
    }

    fn parts_of(&self, layout: &Layout, sequences: f64) -> StepParts {
        let passes = f64::from(layout.grad_accumulation.max(1));
        let mut parts = self.split_time(&Split::of(layout)).parts(sequences, passes);
        if let Some(kept) = self.scaling_asked() {
            parts.communication += parts.total() * (1.0 / kept - 1.0);
        }
        parts
    }

    /// Share of the speed that each GPU has in one node of them all, which the network between nodes and stragglers leave;
    /// 1 for a single node.
    fn scaling_efficiency(&self, layout: &Layout, step_s: f64) -> f64 {
        if self.total_gpus <= self.machine.gpus_per_node {
            return 1.0;
        }
        let joined = Self { fabric: self.fabric.joined(), scaling: None, ..self.clone() };
        (joined.step_seconds(layout) / step_s).min(1.0)
    }

    /// How fast a layout runs, with its range.
    pub fn speed(&self, layout: &Layout) -> TrainingSpeed {
        let parts = self.step_parts(layout);
        let step = parts.total();
        let tokens_per_step = f64::from(self.global_batch) * self.seq_len;
        let tokens_per_s = tokens_per_step / step;
        let shape = &self.shape;
        let flops_per_token = self.useful_passes()
            * (2.0 * (shape.body_flop_params + shape.vocab * shape.hidden)
                + shape.attention_flops_per_token(self.seq_len));
        let flops_per_gpu = flops_per_token * tokens_per_s / f64::from(self.total_gpus);
        TrainingSpeed {
            step_s: self.step_range(&parts),
            tokens_per_s,
            flops_per_gpu,
            mfu: flops_per_gpu / self.peak,
            communication_share: parts.communication / step,
            scaling_efficiency: self.scaling_efficiency(layout, step),
            bound: bound(&parts),
            dominant_assumption: self.dominant_assumption(&parts),
            basis: self.basis(),
        }
    }

    /// Share of the wall time that does useful work, by size of the job unless the user said.
    pub fn goodput(&self) -> Range {
        self.goodput
    }

    /// Wall hours of the whole job. Speed and goodput are independent, so that their distances from the expected value
    /// combine as the root of the sum of squares, not as a sum.
    pub fn hours(&self, speed: &TrainingSpeed) -> Range {
        let tokens_per_step = speed.tokens_per_s * speed.step_s.expected;
        self.hours_of(speed.step_s, self.tokens / tokens_per_step)
    }

    /// Wall hours of so many steps that take so long.
    pub fn hours_of(&self, step_s: Range, count: f64) -> Range {
        let goodput = self.goodput();
        let expected = count * step_s.expected / goodput.expected / SECONDS_PER_HOUR;
        let combined = |step: f64, good: f64| {
            let (a, b) = ((step / step_s.expected).ln(), (good / goodput.expected).ln());
            a.hypot(b).exp()
        };
        Range {
            low: expected / combined(step_s.low, goodput.high),
            expected,
            high: expected * combined(step_s.high, goodput.low),
        }
    }

    /// Compute scales with the efficiency constant, communication with that of the network; how far measured steps lie
    /// from the formula is independent of both, so that distances combine as the root of the sum of squares.
    fn step_range(&self, parts: &StepParts) -> Range {
        let c = &self.constants.time;
        let expected = parts.total();
        let with = |efficiency: f64, network: f64| {
            let bubble_compute = parts.bubble * parts.bubble_compute_share;
            (parts.compute + bubble_compute) * c.efficiency.expected / efficiency
                + (parts.traffic + parts.latency + (parts.bubble - bubble_compute))
                + parts.communication * c.network_efficiency.expected / network
        };
        let away = |end: f64, spread: f64| (end / expected).ln().hypot(spread.ln()).exp();
        Range {
            low: expected / away(with(c.efficiency.high, c.network_efficiency.high), c.spread.low),
            expected,
            high: expected * away(with(c.efficiency.low, c.network_efficiency.low), c.spread.high),
        }
    }

    /// What the times rest on.
    pub fn basis(&self) -> Basis {
        let c = &self.constants;
        let own = [c.efficiency_source, c.latency_source].into_iter().chain(c.moe_source);
        Basis::of(self.catalog, own)
    }

    fn dominant_assumption(&self, parts: &StepParts) -> String {
        let c = &self.constants;
        let gpu = &self.machine.gpu.name;
        match bound(parts) {
            "communication" if self.machine.measured != MeasuredLinks::default() => {
                "bandwidth that collectives were measured to reach on your cluster".to_owned()
            }
            "communication" => {
                self.describe(c.network_source, "share of the network bandwidth that collectives reach")
            }
            "pipeline-bubble" => self.describe(c.interleave_source, "model chunks per pipeline stage"),
            "latency" => self.describe(c.latency_source, "seconds per layer and pass that launching takes"),
            _ => {
                if let Some(moe) = c.moe_source {
                    return self.describe(
                        moe,
                        "factor of the grouped products of experts on the share of the dense peak",
                    );
                }
                let what = format!(
                    "share of the dense {} peak of {gpu} that matrix products reach",
                    self.precision.name()
                );
                self.describe(c.efficiency_source, &what)
            }
        }
    }

    fn describe(&self, constant: &Constant, what: &str) -> String {
        let Range { low, expected, high } = range_of(constant);
        let source = self.catalog.source(constant.source);
        format!("{what}: {expected} ({low} to {high}), {} ({})", source.text, source.as_of)
    }
}

/// The largest part of a step.
fn bound(parts: &StepParts) -> &'static str {
    let named = [
        ("compute", parts.compute),
        ("memory", parts.traffic),
        ("communication", parts.communication),
        ("latency", parts.latency),
        ("pipeline-bubble", parts.bubble),
    ];
    // `max_by` keeps the last of equals: reversed, the first name wins.
    named.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map_or("compute", |&(name, _)| name)
}
