//! What is measured, and how the columns of a row give it.

use super::question::{Question, Sort};
use crate::units::GIB;
use std::collections::BTreeMap;

/// A measured quantity, with the contract's name and unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Training tokens per second and GPU.
    TokensPerSPerGpu,
    /// Samples per second over all GPUs.
    SamplesPerS,
    /// Generated tokens per second over all GPUs.
    OutputTokensPerS,
    /// Prompt and generated tokens per second over all GPUs.
    TotalTokensPerS,
    /// Time per output token, ms.
    TpotMs,
    /// Time to first token, ms.
    TtftMs,
    /// Time of the whole answer, ms.
    LatencyMs,
    /// Images per second over all GPUs.
    ImagesPerS,
    /// Peak memory of the fullest GPU, GiB.
    PeakMemoryGib,
    /// Tokens that the KV cache holds.
    KvCacheTokens,
    /// GPU-hours of a whole training run.
    TrainGpuHours,
    /// Whether it fits.
    Fit,
}

impl Metric {
    /// The contract's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::TokensPerSPerGpu => "tokens_per_s_per_gpu",
            Self::SamplesPerS => "samples_per_s",
            Self::OutputTokensPerS => "output_tokens_per_s",
            Self::TotalTokensPerS => "total_tokens_per_s",
            Self::TpotMs => "tpot_ms",
            Self::TtftMs => "ttft_ms",
            Self::LatencyMs => "latency_ms",
            Self::ImagesPerS => "images_per_s",
            Self::PeakMemoryGib => "peak_memory_gib",
            Self::KvCacheTokens => "kv_cache_tokens",
            Self::TrainGpuHours => "train_gpu_hours",
            Self::Fit => "fit",
        }
    }
}

/// What was measured of one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Figures in the unit of their metric.
    pub values: BTreeMap<Metric, f64>,
    /// Whether it ran (`Some(true)`) or ran out of memory (`Some(false)`).
    pub fits: Option<bool>,
    /// Measured cells that are stated but no figure above 0, or no word that is known; they count as blank.
    pub unreadable: Vec<&'static str>,
}

/// Columns of measured figures.
pub const FIGURES: [&str; 15] = [
    "metric_tokens_per_s_total",
    "metric_tokens_per_s_per_gpu",
    "metric_samples_per_s",
    "metric_tflops_per_gpu",
    "metric_output_tokens_per_s_total",
    "metric_total_tokens_per_s",
    "metric_requests_per_s",
    "peak_memory_gb",
    "train_hours_total",
    "ttft_ms",
    "tpot_ms",
    "latency_ms",
    "kv_cache_tokens_capacity",
    "images_per_s",
    "metric_mfu_pct",
];

/// A figure above 0 that something can have measured.
pub fn figure(cell: &str) -> Option<f64> {
    cell.trim().parse::<f64>().ok().filter(|value| (1e-12..=1e18).contains(value))
}

/// Whether a run fitted, in the words that tables use.
fn ran(word: &str) -> Option<bool> {
    match word.trim().to_lowercase().as_str() {
        "yes" | "true" | "ok" | "fits" | "1" => Some(true),
        "oom" | "no" | "false" | "out of memory" | "0" => Some(false),
        _ => None,
    }
}

/// GiB of one unit of a printed peak: most tools print 2^30 and call it GB. `nvidia-smi` counts in MiB, so what was read
/// from it is 2^30 by whatever name.
fn unit_gib(unit: &str, counter: &str) -> f64 {
    match unit.trim().to_lowercase().as_str() {
        "gb" if counter == "nvidia_smi" => 1.0,
        "gb" => 1e9 / GIB,
        "mb" => 1e6 / GIB,
        "mib" => 1.0 / 1024.0,
        _ => 1.0,
    }
}

/// Below this a printed peak is none of a job, GiB: the context of the driver alone takes more.
const LEAST_PEAK_GIB: f64 = 0.1;

impl Answer {
    /// Reads the measured cells; what is blank or no number above 0 was not measured.
    pub fn new(question: &Question, cell: impl Fn(&str) -> Option<String>) -> Self {
        let number = |column: &str| figure(&cell(column)?);
        let gpus = question.number("gpu_count");
        let gib = unit_gib(&cell("memory_unit").unwrap_or_default(), &question.lower("memory_kind"));
        let mut values = BTreeMap::new();
        let mut put = |metric: Metric, value: Option<f64>| {
            if let Some(value) = value {
                values.insert(metric, value);
            }
        };
        let peak = number("peak_memory_gb").map(|peak| peak * gib);
        put(Metric::PeakMemoryGib, peak.filter(|&peak| peak >= LEAST_PEAK_GIB));
        match question.sort() {
            Sort::Training => {
                let per_gpu = number("metric_tokens_per_s_total").zip(gpus).map(|(total, gpus)| total / gpus);
                let printed = number("metric_tokens_per_s_per_gpu").or(per_gpu);
                let derived = || Some(number("metric_tflops_per_gpu")? * 1e12 / flops_per_token(question)?);
                put(Metric::TokensPerSPerGpu, printed.or_else(derived));
                put(Metric::SamplesPerS, number("metric_samples_per_s"));
                put(
                    Metric::TrainGpuHours,
                    number("train_hours_total").zip(gpus).map(|(hours, gpus)| hours * gpus),
                );
            }
            Sort::Inference => {
                // One request of a network that works on samples is one sample.
                put(Metric::SamplesPerS, number("metric_requests_per_s"));
                put(Metric::OutputTokensPerS, number("metric_output_tokens_per_s_total"));
                put(Metric::TotalTokensPerS, number("metric_total_tokens_per_s"));
                put(Metric::TtftMs, number("ttft_ms"));
                put(Metric::TpotMs, number("tpot_ms"));
                put(Metric::LatencyMs, number("latency_ms"));
                put(Metric::KvCacheTokens, number("kv_cache_tokens_capacity"));
                put(Metric::ImagesPerS, number("images_per_s"));
            }
        }
        let stated = |column: &&'static str| cell(column).filter(|text| !text.trim().is_empty());
        let bad = |column: &&'static str| stated(column).is_some_and(|text| figure(&text).is_none());
        let mut unreadable: Vec<&'static str> = FIGURES.into_iter().filter(bad).collect();
        let fits = stated(&"fits").map(|word| ran(&word));
        unreadable.extend(fits.is_some_and(|fits| fits.is_none()).then_some("fits"));
        Self { values, fits: fits.flatten(), unreadable }
    }
}

/// FLOPs of one token by the definition of the tables that print FLOP/s and no tokens: attention counted without its
/// causal half (Narayanan et al. 2021, section 5.1), forward and backward; with full recomputation Megatron counts the
/// second forward pass too. `None` where a count is missing or the software has no such table.
fn flops_per_token(question: &Question) -> Option<f64> {
    let framework = question.lower("framework");
    let megatron = framework.starts_with("megatron");
    if !(megatron || framework == "maxtext") || question.lower("method") != "pretrain" {
        return None;
    }
    let active = question.number("active_params_b").or_else(|| question.number("params_b"))? * 1e9;
    let attention = question.number("layers")? * question.number("hidden")? * question.number("seq_len")?;
    let forward = 2.0 * active + 4.0 * attention;
    let again = megatron && question.lower("activation_checkpointing") == "full";
    Some(forward * if again { 4.0 } else { 3.0 })
}
