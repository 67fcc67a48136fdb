//! Speed of a recommended configuration with the field names of the contract.

use crate::advise::{self, Recommendation};
use crate::estimate::Range;
use crate::report::number::Num;
use crate::workload::{Job, Workload};
use serde::Serialize;

/// Speed of the whole configuration (all replicas); `None` where it does not apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Performance {
    /// Training: tokens per second.
    pub tokens_per_s: Option<Num>,
    /// Training: tokens per second and GPU.
    pub tokens_per_s_per_gpu: Option<Num>,
    /// Sequences or other samples per second.
    pub samples_per_s: Option<Num>,
    /// Training: model TFLOP/s per GPU reached.
    pub tflops_per_gpu: Option<Num>,
    /// Training: that over the dense peak.
    pub mfu: Option<Num>,
    /// Training: share of the step that is communication not hidden.
    pub communication_share: Option<Num>,
    /// Training: share of the speed in one node of all GPUs that the network between nodes leaves.
    pub scaling_efficiency: Option<Num>,
    /// Serving: time to first token, ms.
    pub ttft_ms: Option<Num>,
    /// Serving: low and high end of that, ms.
    pub ttft_low_ms: Option<Num>,
    /// High end.
    pub ttft_high_ms: Option<Num>,
    /// Serving: time per output token, ms.
    pub tpot_ms: Option<Num>,
    /// Serving: low and high end of that, ms.
    pub tpot_low_ms: Option<Num>,
    /// High end.
    pub tpot_high_ms: Option<Num>,
    /// Serving: generated tokens per second.
    pub output_tokens_per_s: Option<Num>,
    /// Serving: requests per second.
    pub requests_per_s: Option<Num>,
    /// Serving: requests that fit the KV caches at the same time.
    pub max_concurrency: Option<Num>,
    /// Serving: requests that are worked on at once, of those that are asked; at a rate, the most that it brings.
    pub running_requests: Option<Num>,
    /// What limits it: `compute`, `memory`, `communication` or `latency`.
    pub bound: &'static str,
    /// The constant that moves the answer most.
    pub dominant_assumption: String,
    /// What it rests on, the most trusted first: `measured`, `calibrated` or `formula`.
    pub basis: &'static str,
}

/// A value with its ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// Optimistic.
    pub low: Num,
    /// Best estimate.
    pub expected: Num,
    /// Pessimistic.
    pub high: Num,
}

impl Performance {
    /// What the estimate says, summed over replicas where it can be.
    pub(super) fn new(workload: &Workload, rec: &Recommendation) -> Self {
        match &rec.performance {
            advise::Performance::Training(speed) => {
                let seq_len = match &workload.job {
                    Job::Training(job) => Some(f64::from(job.seq_len)),
                    Job::Serving(_) | Job::Samples(_) => None,
                };
                Self {
                    tokens_per_s: Some(Num::rate(speed.tokens_per_s)),
                    tokens_per_s_per_gpu: Some(Num::rate(speed.tokens_per_s / rec.total_gpus)),
                    samples_per_s: seq_len.map(|tokens| Num::rate(speed.tokens_per_s / tokens)),
                    tflops_per_gpu: Some(Num::rounded(speed.flops_per_gpu / 1e12, 2)),
                    mfu: Some(Num::share(speed.mfu)),
                    communication_share: Some(Num::share(speed.communication_share)),
                    scaling_efficiency: Some(Num::share(speed.scaling_efficiency)),
                    bound: speed.bound,
                    dominant_assumption: speed.dominant_assumption.clone(),
                    basis: speed.basis.name(),
                    ..Self::default()
                }
            }
            advise::Performance::Samples(speed) => {
                let rate = Num::rate(speed.samples_per_s.expected);
                let trains = workload.trains();
                Self {
                    samples_per_s: Some(rate),
                    requests_per_s: (!trains).then_some(rate),
                    tflops_per_gpu: trains.then(|| Num::rounded(speed.flops_per_gpu / 1e12, 2)),
                    mfu: trains.then(|| Num::share(speed.mfu)),
                    communication_share: trains.then(|| Num::share(speed.communication_share)),
                    scaling_efficiency: trains.then(|| Num::share(1.0 - speed.communication_share)),
                    bound: speed.bound,
                    dominant_assumption: speed.dominant_assumption.clone(),
                    basis: speed.basis.name(),
                    ..Self::default()
                }
            }
            advise::Performance::Serving(speed) => {
                let replicas = f64::from(rec.replicas);
                Self {
                    ttft_ms: Some(Num::rate(speed.ttft_ms.expected)),
                    ttft_low_ms: Some(Num::rate(speed.ttft_ms.low)),
                    ttft_high_ms: Some(Num::rate(speed.ttft_ms.high)),
                    tpot_ms: Some(Num::rate(speed.tpot_ms.expected)),
                    tpot_low_ms: Some(Num::rate(speed.tpot_ms.low)),
                    tpot_high_ms: Some(Num::rate(speed.tpot_ms.high)),
                    output_tokens_per_s: Some(Num::rate(speed.output_tokens_per_s * replicas)),
                    requests_per_s: Some(Num::rate(speed.requests_per_s * replicas)),
                    max_concurrency: Some(Num::exact(f64::from(speed.max_concurrency) * replicas)),
                    running_requests: Some(Num::exact(
                        (speed.running * replicas * (1.0 + f64::EPSILON)).floor(),
                    )),
                    bound: speed.bound,
                    dominant_assumption: speed.dominant_assumption.clone(),
                    basis: speed.basis.name(),
                    ..Self::default()
                }
            }
        }
    }
}

impl Span {
    /// A range of hours.
    pub fn hours(range: &Range) -> Self {
        Self {
            low: Num::hours(range.low),
            expected: Num::hours(range.expected),
            high: Num::hours(range.high),
        }
    }
}
