//! The figures that a kind of row is about, asked of the estimates.

use super::super::metric::Metric;
use super::super::{Prediction, Skip};
use super::{Ask, Case, engine};
use crate::estimate::serving::{Queue, ServingModel};
use crate::estimate::{Layout, Machine, Range, Verdict};
use crate::units::GIB;

/// By how much a need above the usable memory may be an error of the estimate.
const MOST_OVER: f64 = 1.25;
/// Seconds to milliseconds.
const MS: f64 = 1e3;

impl Case {
    pub(super) fn answer(
        &self,
        model: &ServingModel,
        machine: &Machine,
        layout: Layout,
    ) -> Result<Prediction, Skip> {
        let layout = &layout;
        let verdict = self.verdict(model, layout);
        let mut values = Vec::new();
        self.memory(model, machine, layout, &mut values);
        if matches!(self.ask, Ask::Memory | Ask::Fit) {
            return Ok(Prediction { values, verdict: Some(verdict), basis: model.basis() });
        }
        // What is a little too large may run after all and is timed; what is far too large did not run so.
        let load = if engine::queues(&self.serving.engine) { 1 } else { self.per_replica(layout) };
        let needed = model.memory(layout, load).terms.total();
        if verdict == Verdict::No && !self.has_format {
            return Err(Skip::blank("weight_precision"));
        }
        if needed > MOST_OVER * machine.usable_bytes {
            return Ok(Prediction { values, verdict: Some(verdict), basis: model.basis() });
        }
        match self.ask {
            Ask::Decode => self.decode(model, layout, &mut values),
            Ask::Single => self.batch_of(model, layout, 1, &mut values),
            Ask::LargestBatch => self.largest_batch(model, layout, &mut values),
            Ask::Prefill => self.prefill(model, layout, &mut values),
            Ask::Offline => self.offline(model, layout, &mut values),
            Ask::ClosedLoop => self.closed_loop(model, layout, &mut values),
            Ask::Offload if verdict == Verdict::No => {}
            Ask::Batch | Ask::Offload => {
                self.batch_of(model, layout, self.per_replica(layout), &mut values);
            }
            Ask::Memory | Ask::Fit => {}
        }
        Ok(Prediction { values, verdict: Some(verdict), basis: model.basis() })
    }

    /// Requests of each replica.
    fn per_replica(&self, layout: &Layout) -> u32 {
        self.batch.unwrap_or(1).div_ceil(layout.dp).max(1)
    }

    /// Whether it runs. Engines that queue need to hold one request; others the batch.
    fn verdict(&self, model: &ServingModel, layout: &Layout) -> Verdict {
        let load = if engine::queues(&self.serving.engine) { 1 } else { self.per_replica(layout) };
        let verdict = model.verdict(layout, load);
        let refused = self.has_max_len
            && engine::reserves(&self.serving.engine)
            && model.kv_capacity(layout).low < f64::from(self.serving.max_model_len);
        if refused { verdict.max(Verdict::Tight) } else { verdict }
    }

    /// Peak memory and the KV cache.
    fn memory(
        &self,
        model: &ServingModel,
        machine: &Machine,
        layout: &Layout,
        values: &mut Vec<(Metric, Range)>,
    ) {
        if engine::reserves(&self.serving.engine) {
            let reserved = model.reservation(layout);
            values.push((Metric::PeakMemoryGib, scaled(reserved, 1.0 / GIB)));
            if self.ask == Ask::Memory {
                values.push((Metric::KvCacheTokens, model.kv_capacity(layout)));
            }
        } else if self.output.is_some() || self.has_max_len {
            // One process that has its layers on several GPUs (`device_map`) tells what it holds on all of them.
            let allocated = engine::prints_allocated(&self.serving.engine);
            let spread_out = allocated && layout.tp * layout.pp > 1;
            let load = self.per_replica(layout);
            let memory = if spread_out {
                model.memory_of_process(layout.tp * layout.pp, load)
            } else {
                model.memory(layout, load)
            };
            let outside = if allocated { memory.terms.framework } else { 0.0 };
            let lists = engine::lists_buffers(&self.serving.engine);
            let unseen = if lists { memory.terms.framework } else { outside };
            // Software of before joins the caches of all layers anew while the old ones are held.
            let twice = self.spare_caches * memory.terms.kv_cache;
            let whole = memory.terms.total();
            let most = if spread_out { f64::INFINITY } else { machine.memory_bytes.max(whole) };
            let peak = |bytes: f64| bytes.min(most) / GIB;
            values.push((
                Metric::PeakMemoryGib,
                Range {
                    low: peak(memory.low - unseen),
                    expected: peak(whole - outside),
                    // Nobody says which counter was read: that of the driver sees the context as well.
                    high: peak(memory.high + twice),
                },
            ));
        }
    }

    /// One sequence, token by token.
    fn decode(&self, model: &ServingModel, layout: &Layout, values: &mut Vec<(Metric, Range)>) {
        let context = self.input.unwrap_or_default() + self.output.unwrap_or_default() / 2.0;
        let seconds = model.decode_pass(layout, 1.0, context).total;
        let tpot = model.decode_range(seconds, 1);
        values.push((Metric::TpotMs, scaled(tpot, MS)));
        values.push((Metric::OutputTokensPerS, inverse(tpot, 1.0)));
        if let Some(input) = self.input.filter(|&tokens| tokens > 0.0) {
            let first = model.prefill_pass(layout, 1.0, input).total;
            values.push((Metric::TtftMs, scaled(model.prefill_range(first), MS)));
        }
    }

    /// A batch in each replica from the first prompt to the last token.
    fn batch_of(&self, model: &ServingModel, layout: &Layout, batch: u32, values: &mut Vec<(Metric, Range)>) {
        let latency = model.decode_range(model.static_batch_s(layout, batch), batch);
        let (input, output) = (f64::from(self.serving.input_len), f64::from(self.serving.output_len));
        let sequences = f64::from(batch) * f64::from(layout.dp);
        let held = f64::from(model.offline_batch(layout).min(batch));
        let first = model.prefill_pass(layout, held, input).total;
        let decode = model.decode_pass(layout, held, input + output / 2.0).total;
        values.push((Metric::LatencyMs, scaled(latency, MS)));
        values.push((Metric::OutputTokensPerS, inverse(latency, sequences * output)));
        values.push((Metric::TotalTokensPerS, inverse(latency, sequences * (input + output))));
        values.push((Metric::TtftMs, scaled(model.prefill_range(first), MS)));
        values.push((Metric::TpotMs, scaled(model.decode_range(decode, batch), MS)));
    }

    /// The largest batch that fits: its range is that of the memory as well.
    fn largest_batch(&self, model: &ServingModel, layout: &Layout, values: &mut Vec<(Metric, Range)>) {
        let (fewest, most) = model.offline_batches(layout);
        let of = |batch: u32| {
            let mut values = Vec::new();
            self.batch_of(model, layout, batch, &mut values);
            values
        };
        let (fewer, more) = (of(fewest), of(most));
        values.extend(of(model.offline_batch(layout)).into_iter().zip(fewer.iter().zip(&more)).map(
            |((metric, range), (&(_, one), &(_, other)))| {
                let (low, high) = (range.low.min(one.low), range.high.max(one.high));
                (metric, Range { low: low.min(other.low), high: high.max(other.high), ..range })
            },
        ));
    }

    /// The prompt alone.
    fn prefill(&self, model: &ServingModel, layout: &Layout, values: &mut Vec<(Metric, Range)>) {
        let input = self.input.unwrap_or_default();
        let seconds = model.prefill_range(model.prefill_pass(layout, 1.0, input).total);
        values.push((Metric::TtftMs, scaled(seconds, MS)));
        values.push((Metric::TotalTokensPerS, inverse(seconds, input)));
    }

    /// More requests than run at once, or all of a stated number.
    fn offline(&self, model: &ServingModel, layout: &Layout, values: &mut Vec<(Metric, Range)>) {
        let most = model.offline_batch(layout);
        let running = self.batch.map_or(most, |all| all.div_ceil(layout.dp).clamp(1, most));
        let queue = Queue {
            requests: self.batch.map(|all| f64::from(all.div_ceil(layout.dp))),
            varied: self.varied(),
        };
        self.rates(model, layout, model.queue_requests_per_s(layout, queue), values);
        values.push((Metric::TpotMs, model.speed(layout, running).tpot_ms));
    }

    /// Whether answers differ in length: a length with a fraction is the mean of several.
    fn varied(&self) -> bool {
        self.output.is_some_and(|tokens| tokens.fract() > 0.0)
    }

    /// A fixed number of requests in flight.
    fn closed_loop(&self, model: &ServingModel, layout: &Layout, values: &mut Vec<(Metric, Range)>) {
        let speed = model.speed(layout, self.per_replica(layout));
        self.rates(model, layout, speed.requests_per_s, values);
        let output = f64::from(self.serving.output_len);
        let latency = |ttft: f64, tpot: f64| ttft + (output - 1.0).max(0.0) * tpot;
        values.push((Metric::TpotMs, speed.tpot_ms));
        values.push((Metric::TtftMs, speed.ttft_ms));
        values.push((
            Metric::LatencyMs,
            Range {
                low: latency(speed.ttft_ms.low, speed.tpot_ms.low),
                expected: latency(speed.ttft_ms.expected, speed.tpot_ms.expected),
                high: latency(speed.ttft_ms.high, speed.tpot_ms.high),
            },
        ));
    }

    /// Tokens per second of all replicas from the requests per second of one.
    fn rates(
        &self,
        model: &ServingModel,
        layout: &Layout,
        requests_per_s: f64,
        values: &mut Vec<(Metric, Range)>,
    ) {
        let (input, output) = (f64::from(self.serving.input_len), f64::from(self.serving.output_len));
        let seconds = model.decode_range(1.0 / (requests_per_s * f64::from(layout.dp)), u32::MAX);
        values.push((Metric::OutputTokensPerS, inverse(seconds, output)));
        values.push((Metric::TotalTokensPerS, inverse(seconds, input + output)));
    }
}

fn scaled(range: Range, by: f64) -> Range {
    Range { low: range.low * by, expected: range.expected * by, high: range.high * by }
}

/// `work` over a time.
fn inverse(time: Range, work: f64) -> Range {
    Range { low: work / time.high, expected: work / time.expected, high: work / time.low }
}
