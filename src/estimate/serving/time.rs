//! Time of forward passes: prefill and decode by roofline, with what engines add and what GPUs tell each other.
//!
//! Seconds inside; only the public answer is in milliseconds.

use super::ServingModel;
use super::kv;
use super::memory::largest;
use super::shape::{decode_attention_flops, prefill_attention_flops, prefill_scores};
use crate::estimate::{Layout, Range, ServingSpeed};

/// Bytes of one value sent between GPUs: activations travel in 16 bit.
const WIRE_BYTES: f64 = 2.0;
/// All-reduces in one layer: behind attention and behind the MLP (Shoeybi et al. 2019, section 3).
const ALLREDUCES_PER_LAYER: f64 = 2.0;
/// Seconds to milliseconds.
const MS: f64 = 1e3;

/// Seconds of one forward pass by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassTime {
    /// Reading weights and KV cache.
    pub memory: f64,
    /// Arithmetic.
    pub compute: f64,
    /// All-reduces and hand-overs between stages.
    pub communication: f64,
    /// Scheduling, launching and sampling.
    pub fixed: f64,
    /// All together, with what overlaps counted once.
    pub total: f64,
}

/// Memory and compute seconds of one sort of kernel.
#[derive(Clone, Copy, Debug)]
struct Roofline {
    memory: f64,
    compute: f64,
}

impl Roofline {
    /// The larger of both (Williams et al. 2009), and what of the smaller is not hidden behind it.
    fn seconds(self, overlap: f64) -> f64 {
        self.memory.max(self.compute) + overlap * self.memory.min(self.compute)
    }
}

impl PassTime {
    /// Matrices and attention run one after the other, so each has a roofline of its own.
    fn new(matrices: Roofline, attention: Roofline, overlap: f64, communication: f64, fixed: f64) -> Self {
        Self {
            memory: matrices.memory + attention.memory,
            compute: matrices.compute + attention.compute,
            communication,
            fixed,
            total: matrices.seconds(overlap) + attention.seconds(overlap) + communication + fixed,
        }
    }

    /// The largest part, in the contract's word.
    fn bound(&self) -> &'static str {
        let parts = [
            (self.memory, "memory"),
            (self.compute, "compute"),
            (self.communication, "communication"),
            (self.fixed, "latency"),
        ];
        parts.iter().max_by(|a, b| a.0.total_cmp(&b.0)).map_or("memory", |&(_, name)| name)
    }
}

impl ServingModel<'_> {
    /// One decode pass of a replica with `batch` sequences that look back at `context` tokens each.
    ///
    /// Pipeline stages work on `batch / pp` sequences each; a token passes through all of them.
    pub fn decode_pass(&self, layout: &Layout, batch: f64, context: f64) -> PassTime {
        let (c, tp) = (&self.constants, f64::from(layout.tp));
        let batch = (batch / f64::from(layout.pp)).max(1.0);
        let kv = kv::bytes_at(self.arch, context, self.serving.kv_bytes, self.serving.kv_rule)
            / kv::divisor(self.arch, self.serving.kv_rule, layout.tp);
        let share = tp * c.decode_compute.value;
        let flops = self.shape.layer_flops + self.shape.head_flops;
        let matrices = Roofline {
            memory: self.weights_s(layout, batch),
            compute: batch * flops / (self.matrix_peak * share),
        };
        let attention = Roofline {
            memory: batch * kv / (self.bandwidth * c.kv_bandwidth),
            compute: batch * decode_attention_flops(self.arch, context) / (self.attention_peak * share),
        };
        let fixed = c.step_s() + f64::from(self.arch.layers) * c.layer_s + batch * c.sequence_s;
        PassTime::new(matrices, attention, c.overlap, self.communication_s(layout, batch), fixed)
    }

    /// One prefill of `prompts` prompts of `tokens` tokens each, through all stages of an idle replica. What the engine
    /// cuts a prompt into follows through the stages one behind the other (Huang et al. 2019, `GPipe`).
    pub fn prefill_pass(&self, layout: &Layout, prompts: f64, tokens: f64) -> PassTime {
        let c = &self.constants;
        let all = prompts * tokens;
        let passes = if c.batched_tokens > 0.0 { (all / c.batched_tokens).ceil().max(1.0) } else { 1.0 };
        let stages = f64::from(layout.pp);
        let filled = (passes + stages - 1.0) / (passes * stages);
        let (matrices, attention) = self.prefill_compute_s(layout, tokens);
        PassTime::new(
            Roofline {
                memory: passes * self.weights_s(layout, all / passes) * self.unpacking() * filled,
                compute: prompts * matrices * filled,
            },
            Roofline {
                memory: prompts * self.scores_s(layout, tokens) * filled,
                compute: prompts * attention * filled,
            },
            c.overlap,
            passes * self.communication_s(layout, all / passes) * filled,
            (passes * (c.step_s() + f64::from(self.arch.layers) * c.layer_s) + prompts * c.sequence_s)
                * filled,
        )
    }

    /// Seconds of arithmetic of the prefill of one prompt: matrices, attention.
    fn prefill_compute_s(&self, layout: &Layout, tokens: f64) -> (f64, f64) {
        let share = f64::from(layout.tp) * self.constants.prefill_compute.value;
        let matrices = tokens * self.shape.layer_flops + self.shape.head_flops;
        let attention = prefill_attention_flops(self.arch, tokens);
        (matrices / (self.matrix_peak * share), attention / (self.attention_peak * share))
    }

    /// How many times the stored weights go through memory in a pass over prompts: once, and where they are unpacked to a
    /// wider format first, written and read again in that.
    fn unpacking(&self) -> f64 {
        let bits = 8.0 * self.constants.unpacked_bytes;
        if bits > self.formats.weight_bits { 1.0 + 2.0 * bits / self.formats.weight_bits } else { 1.0 }
    }

    /// Seconds that the scores of one prompt of `tokens` tokens go through memory, 0 where attention is fused.
    fn scores_s(&self, layout: &Layout, tokens: f64) -> f64 {
        let c = &self.constants;
        c.score_bytes * prefill_scores(self.arch, tokens)
            / (f64::from(layout.tp) * self.bandwidth * c.kv_bandwidth)
    }

    /// Seconds by which `tokens` tokens of other prompts delay a busy replica: their arithmetic and their messages; weights
    /// are read anyway.
    fn prefill_among_others_s(&self, layout: &Layout, tokens: f64) -> f64 {
        let prompt = f64::from(self.serving.input_len).max(1.0);
        let messages = self.communication_bytes_s(layout, prompt);
        let (matrices, attention) = self.prefill_compute_s(layout, prompt);
        (matrices + attention + messages) * tokens / prompt / f64::from(layout.pp)
    }

    /// Seconds of reading the weights that `tokens` tokens need.
    fn weights_s(&self, layout: &Layout, tokens: f64) -> f64 {
        let (c, shape) = (&self.constants, &self.shape);
        let routed = if shape.routed_bytes > 0.0 {
            shape.routed_bytes * shape.routed_share_read(tokens) / c.expert_bandwidth
        } else {
            0.0
        };
        (shape.shared_bytes + shape.output_bytes() + routed)
            / (f64::from(layout.tp) * self.bandwidth * c.bandwidth.value)
    }

    /// Seconds of all-reduces between tensor-parallel ranks and of hand-overs between stages for `tokens` tokens.
    fn communication_s(&self, layout: &Layout, tokens: f64) -> f64 {
        let c = &self.constants;
        let inter = layout.tp > self.machine.gpus_per_node;
        let latency = if inter { c.inter_latency_s } else { c.allreduce_s() };
        let reduces = if layout.tp > 1 { ALLREDUCES_PER_LAYER * f64::from(self.arch.layers) } else { 0.0 };
        let hops = f64::from(layout.pp.saturating_sub(1));
        let hop = if layout.tp * layout.pp > self.machine.gpus_per_node {
            c.inter_latency_s
        } else {
            c.allreduce_s()
        };
        reduces * latency + hops * hop + self.communication_bytes_s(layout, tokens)
    }

    /// The part of that which grows with the tokens: a ring moves 2 (n − 1)/n of the message (Thakur et al. 2005).
    fn communication_bytes_s(&self, layout: &Layout, tokens: f64) -> f64 {
        let message = tokens * f64::from(self.arch.hidden) * WIRE_BYTES;
        let (c, tp) = (&self.constants, f64::from(layout.tp));
        let intra = self.machine.intra_reached(c.link_share);
        let inter = self.machine.inter_reached(c.network_share).unwrap_or(intra);
        let ring_link = if layout.tp > self.machine.gpus_per_node { inter.min(intra) } else { intra };
        let hop_link = if layout.tp * layout.pp > self.machine.gpus_per_node { inter } else { intra };
        let ring = 2.0 * (tp - 1.0) / tp * message / ring_link;
        let hops = f64::from(layout.pp.saturating_sub(1)) * message / hop_link;
        ALLREDUCES_PER_LAYER * f64::from(self.arch.layers) * ring + hops
    }

    /// Expected times of one replica that holds `concurrency` requests of the asked lengths, each answered request followed
    /// by the next.
    ///
    /// Each step decodes all running sequences at their mean context, and while one request is answered each of the others
    /// brings its prompt. No work is lost: what does not delay the first token delays the answer. Requests above the largest
    /// batch, the KV cache or the engine's limit on a step wait for their turn, so that requests in flight = requests per
    /// second × (time to first token + further tokens × time of one) (Little 1961).
    ///
    /// The engine runs with its own settings; a plan says with [`Self::timing_with`] what its memory holds.
    pub(super) fn timing(&self, layout: &Layout, concurrency: f64) -> Timing {
        self.timing_with(layout, concurrency, self.capacity(layout))
    }

    /// The same of a replica whose memory holds `most` requests at once.
    pub(super) fn timing_with(&self, layout: &Layout, concurrency: f64, most: f64) -> Timing {
        let arrivals = if self.serving.rps.is_some() { Arrivals::Random } else { Arrivals::Bunched };
        self.timing_of(layout, concurrency, most, arrivals)
    }

    fn timing_of(&self, layout: &Layout, concurrency: f64, most: f64, arrivals: Arrivals) -> Timing {
        let input = f64::from(self.serving.input_len);
        // The prompt brings the first token, each further one is a step.
        let steps = (f64::from(self.serving.output_len) - 1.0).max(0.0);
        let running = concurrency.min(most).min(self.constants.max_batch).min(self.admitted()).max(1.0);
        let decode = self.decode_pass(layout, running, input + steps / 2.0);
        let alone_s = self.prefill_pass(layout, 1.0, input).total;
        // While one request is answered, each of the others brings one prompt: some of these hold up its first token, the
        // rest its answer.
        let prompt_s = self.prefill_among_others_s(layout, input);
        let others_s = (running - 1.0) * prompt_s;
        let among_s = if steps > 0.0 { self.share_among(running, arrivals) * others_s } else { 0.0 };
        let tpot_s = decode.total + if steps > 0.0 { among_s / steps } else { 0.0 };
        let first_s = alone_s
            + match arrivals {
                Arrivals::Bunched => others_s - among_s,
                Arrivals::Random => {
                    let load = (running / (alone_s + steps * tpot_s) * prompt_s).min(MOST_LOAD);
                    // The rest of the step that runs (half of one), and of the prompts in front.
                    let rest_s = if running > 1.0 { tpot_s / 2.0 } else { 0.0 };
                    rest_s + prompt_s * load / (2.0 * (1.0 - load))
                }
            };
        let requests_per_s = running / (first_s + steps * tpot_s);
        Timing {
            ttft_s: first_s + (concurrency - running).max(0.0) / requests_per_s,
            tpot_s,
            requests_per_s,
            running,
            bound: if among_s > steps * decode.total { "compute" } else { decode.bound() },
        }
    }

    /// Most requests that run at once for which the others' prompts keep below the engine's limit on a step: what is above it
    /// waits. Engines that put prompts first give whole steps to them and have no such limit.
    fn admitted(&self) -> f64 {
        let c = &self.constants;
        let (input, output) = (f64::from(self.serving.input_len), f64::from(self.serving.output_len));
        if c.batched_tokens > 0.0 && !c.prompts_first {
            1.0 + c.batched_tokens * output.max(1.0) / input.max(1.0)
        } else {
            f64::INFINITY
        }
    }

    /// Share of the prompts of others that falls into the answer of a request; the rest delays its first token.
    ///
    /// Engines that work on all waiting prompts before they go on answering keep requests of equal length in step: all end
    /// together, all prompts follow together, as many to a pass as its limit on tokens allows, and a request waits for
    /// half of those served with or before it, its answer for half of those served behind it. Elsewhere requests drift apart,
    /// and nearly all prompts of others fall into the answer.
    fn share_among(&self, running: f64, arrivals: Arrivals) -> f64 {
        let c = &self.constants;
        if arrivals == Arrivals::Random {
            return 1.0;
        }
        if !c.prompts_first {
            return c.prompts_among;
        }
        let together = (c.batched_tokens / f64::from(self.serving.input_len).max(1.0)).floor().max(1.0);
        if running > together { (running - together) / (2.0 * (running - 1.0)) } else { 0.0 }
    }

    /// How fast one replica is with `concurrency` requests in flight.
    pub fn speed(&self, layout: &Layout, concurrency: u32) -> ServingSpeed {
        self.mean_speed(layout, concurrency, f64::from(concurrency))
    }

    /// How fast one replica is on average when requests do not divide evenly: `most` is what the fullest replica holds,
    /// `mean` what each has in flight.
    fn mean_speed(&self, layout: &Layout, most: u32, mean: f64) -> ServingSpeed {
        self.speed_of(layout, most, &self.timing(layout, mean))
    }

    /// Requests in flight in each of `replicas` replicas on average, where the fullest has `load`.
    pub(super) fn mean_load(&self, replicas: u32, load: u32) -> f64 {
        match self.serving.rps {
            Some(_) => f64::from(load),
            None => f64::from(self.serving.concurrency.max(1)) / f64::from(replicas),
        }
    }

    pub(super) fn speed_of(&self, layout: &Layout, concurrency: u32, timing: &Timing) -> ServingSpeed {
        let c = &self.constants;
        let request = u64::from(self.serving.input_len) + u64::from(self.serving.output_len);
        ServingSpeed {
            ttft_ms: spread(
                timing.ttft_s * MS,
                if concurrency > 1 { c.queue_spread } else { c.prefill_spread },
            ),
            tpot_ms: spread(
                timing.tpot_s * MS,
                if concurrency > 1 { c.load_spread } else { c.decode_spread },
            ),
            output_tokens_per_s: timing.requests_per_s * f64::from(self.serving.output_len),
            requests_per_s: timing.requests_per_s,
            running: timing.running,
            max_concurrency: self.max_concurrency(layout, concurrency),
            kv_capacity_tokens: self.kv_capacity_tokens(layout).max(u64::from(concurrency) * request),
            bound: timing.bound,
            dominant_assumption: self.dominant_assumption(timing.bound),
            basis: self.basis(),
        }
    }

    /// How fast one replica is when requests arrive at `rps` per second: with the mean number in flight that this rate keeps
    /// (Little 1961), or with as many as it takes when the rate is more than it can answer.
    pub fn speed_at_rate(&self, layout: &Layout, rps: f64) -> ServingSpeed {
        let most = self.offline_batch(layout);
        let timing = |n: u32| self.timing_of(layout, f64::from(n), f64::from(most), Arrivals::Random);
        let idle = largest(most, |n| timing(n).requests_per_s < rps);
        let running = (idle + 1).min(most);
        self.speed_of(layout, running, &timing(running))
    }

    /// Seconds that a static batch of `batch` requests of the asked lengths takes from the first prompt to the last token;
    /// what the KV cache cannot hold at once follows in further waves.
    pub fn static_batch_s(&self, layout: &Layout, batch: u32) -> f64 {
        let (input, output) = (f64::from(self.serving.input_len), f64::from(self.serving.output_len));
        let held = self.offline_batch(layout).min(batch.max(1));
        let waves = f64::from(batch.max(1)) / f64::from(held);
        let decode = self.decode_pass(layout, f64::from(held), input + output / 2.0).total;
        waves * (self.prefill_pass(layout, f64::from(held), input).total + (output - 1.0).max(0.0) * decode)
    }

    /// Seconds per token of `batch` sequences, or of all their work, with the spread that they have.
    pub fn decode_range(&self, seconds: f64, batch: u32) -> Range {
        let c = &self.constants;
        spread(seconds, if batch > 1 { c.load_spread } else { c.decode_spread })
    }

    /// Seconds of the prompts of an idle engine with the spread that they have.
    pub fn prefill_range(&self, seconds: f64) -> Range {
        spread(seconds, self.constants.prefill_spread)
    }

    /// Requests that the engine works on at once when more than it can hold are waiting; at least 1.
    pub fn offline_batch(&self, layout: &Layout) -> u32 {
        self.capacity(layout).max(1.0) as u32
    }

    /// What the engine's usual share of the memory holds at the mean length of a running request, up to its largest batch.
    ///
    /// An engine whose cache does not hold the longest sequence beside the samples of its largest batch refuses to start: it
    /// is then given the most sequences with whose samples the cache holds them.
    fn capacity(&self, layout: &Layout) -> f64 {
        let c = &self.constants;
        let each = self.running_bytes(layout);
        let usual = self.kv_pool(layout).expected;
        let held = (usual / each).min(c.max_batch);
        if c.sampler_bytes <= 0.0 || usual >= self.kv_per_gpu(layout, f64::from(self.serving.max_model_len)) {
            return held;
        }
        let fewer = |n: u32| f64::from(n) * each <= self.kv_pool_for(layout, f64::from(n)).expected;
        held.max(f64::from(largest(c.max_batch as u32, fewer)))
    }
}

/// How requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrivals {
    /// A fixed number of clients, each asking again when it has its answer.
    Bunched,
    /// At random moments: the wait of a queue with Poisson arrivals and equal service times (Pollaczek 1930, Khinchine 1932).
    Random,
}

/// Load of a queue above which its mean wait is no longer told: it would grow without bound.
const MOST_LOAD: f64 = 0.95;

/// What [`ServingModel::timing`] finds, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    pub(super) ttft_s: f64,
    pub(super) tpot_s: f64,
    pub(super) requests_per_s: f64,
    /// Requests that run at once.
    pub(super) running: f64,
    pub(super) bound: &'static str,
}

fn spread(expected: f64, (low, high): (f64, f64)) -> Range {
    Range { low: expected * low.min(1.0), expected, high: expected * high.max(1.0) }
}
