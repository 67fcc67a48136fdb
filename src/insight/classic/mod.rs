//! Rows of networks that work on samples, and of encoders: from the cells of a row to a case, and what the estimates say.

mod name;
#[cfg(test)]
mod tests;

use super::metric::Metric;
use super::question::{Question, Sort};
use super::{Basis, Prediction, Skip};
use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::estimate::sample::constants::Constants;
use crate::estimate::sample::memory::{Occupancy, memory, unfused};
use crate::estimate::sample::rate::{Point, RateTable};
use crate::estimate::sample::roofline::{Size, Work};
use crate::estimate::{MemoryEstimate, Range, Verdict};
use crate::model::{Architecture, Kind, SampleFamily, preset};
use crate::workload::precision::Precision;
use crate::workload::{Optimizer, software};
use name::{Accelerator, Network};

/// A row made ready.
#[derive(Clone, Debug)]
pub struct Case {
    network: Network,
    accelerator: Accelerator,
    train: bool,
    precision: Precision,
    class: String,
    gpus: u32,
    batch: Option<f64>,
    seq_len: Option<u32>,
    output_len: Option<f64>,
    evaluations: f64,
    optimizer: Option<Optimizer>,
    /// Whether the context of the process counts as memory.
    sees_context: bool,
    /// Kind of inference experiment; empty for training.
    kind: String,
}

/// Whether a row is about a network that works on samples, or about an encoder.
pub fn is_classic(catalog: &Catalog, question: &Question) -> bool {
    let kinds = ["vision", "encoder", "diffusion", "speech"];
    kinds.contains(&question.lower("kind").as_str())
        || question.text("model").is_some_and(|model| Network::named(catalog, model).is_some())
}

/// Takes the measured rates of a source group out of a catalog, for what the estimates would say to it if it had never
/// been published. A source cites a group when all words of the group's name stand in its text, one after the other.
pub fn leave_out(catalog: &mut Catalog, group: &str) {
    let words = |text: &str| {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let wanted = words(group);
    let cites = |text: &str| {
        let words = words(text);
        !wanted.is_empty() && words.windows(wanted.len()).any(|some| some == wanted)
    };
    let left: Vec<bool> = catalog.sources.iter().map(|source| cites(&source.text)).collect();
    catalog.measured.retain(|rate| !left[usize::from(rate.source.0)]);
}

impl Case {
    /// Reads a question.
    pub fn of(catalog: &Catalog, question: &Question) -> Result<Self, Skip> {
        let model = question.text("model").ok_or_else(|| Skip::blank("model"))?;
        let network = Network::named(catalog, model)
            .ok_or_else(|| Skip::new(format!("no shape and no measured rate of `{model}`")))?;
        let accelerator = Accelerator::of(catalog, question)?;
        let train = question.sort() == Sort::Training;
        let kind = question.lower("kind");
        let single = kind == "mlperf_singlestream";
        let gpus = if single { 1 } else { question.needs_count("gpu_count")? };
        let class = class(catalog, question, train, &kind)?;
        let precision = precision(catalog, question, &accelerator, &class)?;
        let squad = model.to_lowercase().contains("squad") && train;
        let length = question.count(if train { "seq_len" } else { "input_len" });
        Ok(Self {
            evaluations: evaluations(catalog, &network, &kind),
            optimizer: train.then(|| optimizer(question)),
            batch: if single { Some(1.0) } else { batch(question, train, gpus) },
            seq_len: length.or(squad.then_some(384)),
            output_len: question.number("output_len"),
            sees_context: !matches!(question.text("memory_kind"), Some("reserved" | "allocated")),
            network,
            accelerator,
            train,
            precision,
            class,
            gpus,
            kind,
        })
    }

    /// What the estimates say.
    pub fn predict(&self, catalog: &Catalog) -> Result<Prediction, Skip> {
        let table = RateTable::new(catalog).map_err(|why| Skip::new(why.message))?;
        let preset = self.network.preset(catalog);
        let gpu = self.accelerator.gpu(catalog);
        let work = preset.and_then(|row| Work::of(&Size::of_preset(row), self.seq_len, table.constants()));
        let point = Point {
            network: self.network.name(),
            work,
            gpu_name: self.accelerator.name(),
            gpu,
            train: self.train,
            precision: crate::estimate::sample::rate::plain(self.precision),
            class: &self.class,
            gpus: self.gpus,
            batch: self.batch,
            seq_len: self.seq_len,
            evaluations: self.evaluations,
        };
        let mut prediction = Prediction::default();
        let rate = table.rate(&point);
        if let Some(rate) = rate {
            let over = catalog.constant("sample-latency-over", None, None, Some(&self.class), 1);
            let over = over.map_or(1.0, |constant| constant.value.max(1.0));
            prediction.values = self.figures(rate.per_gpu, preset.is_some_and(|row| row.vocab > 0), over);
            prediction.basis = if rate.measured { Basis::Measured } else { Basis::Formula };
        }
        if let (Some(row), Some(work), Some(batch)) = (preset, work, self.batch) {
            let model = preset::architecture(row, catalog).architecture;
            let counted = row.activations.is_some() || row.vocab > 0;
            let estimate = self.memory(
                table.constants(),
                &model,
                (work.activations, counted),
                batch,
                gpu.is_some_and(unfused),
            );
            let peak = Range { low: estimate.low, expected: estimate.terms.total(), high: estimate.high };
            prediction.values.push((Metric::PeakMemoryGib, scaled(peak, 1.0 / crate::units::GIB)));
            prediction.verdict = gpu.map(|gpu| Verdict::of(&estimate, gpu.usable_bytes as f64));
        }
        if prediction.values.is_empty() {
            let message = "no rate of this network or of one like it was measured for this task, and the batch that \
                           decides the memory is not stated";
            return Err(Skip::new(message));
        }
        Ok(prediction)
    }

    /// Metrics that a rate gives; which of them was measured is not known here. A batch may take `over` times as long as the
    /// rate tells: software that works on the next one meanwhile, or that leaves feeding out of the rate.
    fn figures(&self, per_gpu: Range, on_tokens: bool, over: f64) -> Vec<(Metric, Range)> {
        let all = scaled(per_gpu, f64::from(self.gpus));
        let mut figures = vec![(Metric::SamplesPerS, all)];
        let images = self.kind == "vision" || self.kind.starts_with("mlperf");
        if !self.train && images && !on_tokens && self.output_len.is_none() {
            figures.push((Metric::ImagesPerS, all));
        }
        if let Some(tokens) = self.seq_len.map(f64::from) {
            if self.train {
                figures.push((Metric::TokensPerSPerGpu, scaled(per_gpu, tokens)));
            } else {
                figures.push((Metric::TotalTokensPerS, scaled(all, tokens)));
            }
        }
        if let Some(tokens) = self.output_len.filter(|_| !self.train && self.seq_len.is_none()) {
            figures.push((Metric::OutputTokensPerS, scaled(all, tokens)));
        }
        // Under load a sample waits besides, and a whole recording is longer than one sample.
        let alone = matches!(self.kind.as_str(), "vision" | "encoder" | "mlperf_singlestream");
        if let Some(batch) = self.batch.filter(|_| alone) {
            let ms = |rate: f64| batch / rate * 1e3;
            let latency =
                Range { low: ms(per_gpu.high), expected: ms(per_gpu.expected), high: ms(per_gpu.low) * over };
            figures.push((Metric::LatencyMs, latency));
        }
        figures
    }

    fn memory(
        &self,
        constants: &Constants,
        model: &Architecture,
        activations: (f64, bool),
        batch: f64,
        unfused: bool,
    ) -> MemoryEstimate {
        let case = Occupancy {
            model,
            activations,
            software: &self.class,
            precision: self.precision,
            optimizer: self.optimizer,
            batch,
            unfused,
        };
        let mut estimate = memory(constants, &case);
        if !self.sees_context {
            let context = estimate.terms.framework;
            estimate.terms.framework = 0.0;
            estimate.low -= context / 2.0;
            estimate.high -= context;
        }
        estimate
    }
}

fn scaled(range: Range, factor: f64) -> Range {
    Range { low: range.low * factor, expected: range.expected * factor, high: range.high * factor }
}

/// Samples of one GPU in a pass.
fn batch(question: &Question, train: bool, gpus: u32) -> Option<f64> {
    if !train {
        return question.number("batch_or_concurrency");
    }
    let share = |global: f64| global / f64::from(gpus) / question.number("grad_accum").unwrap_or(1.0);
    question.number("micro_batch").or_else(|| question.number("global_batch_seqs").map(share))
}

/// Class of software.
fn class(catalog: &Catalog, question: &Question, train: bool, kind: &str) -> Result<String, Skip> {
    if train {
        let framework = question.lower("framework");
        return Ok(software::sample_class(catalog, &framework, false).unwrap_or("generic").to_owned());
    }
    if kind.starts_with("mlperf") {
        return Ok(if kind == "mlperf_server" { "tensorrt-server" } else { "tensorrt" }.to_owned());
    }
    let engine = question.lower("engine");
    if engine.is_empty() {
        return Err(Skip::blank("engine"));
    }
    let words = [
        ("tensorflow", "tensorflow"),
        ("fastertransformer", "fastertransformer"),
        ("faster-whisper", "faster-whisper"),
        ("tensorrt", "compiled"),
        ("aitemplate", "compiled"),
        ("stable-fast", "compiled"),
        ("onediff", "compiled"),
        ("oneflow", "compiled"),
        ("torch.compile", "compiled"),
    ];
    let known = words.into_iter().find(|(word, _)| engine.contains(word)).map(|(_, class)| class);
    Ok(known.or_else(|| software::sample_class(catalog, &engine, true)).unwrap_or("eager").to_owned())
}

/// Format of the arithmetic. `fp32/tf32` is the default of frameworks: TF32 where the GPU has it. The submissions of
/// `MLPerf` do not say it for training, where all use 16 bits, nor always for inference, where images and questions are
/// served in INT8.
fn precision(
    catalog: &Catalog,
    question: &Question,
    accelerator: &Accelerator,
    class: &str,
) -> Result<Precision, Skip> {
    let text =
        question.lower(if question.sort() == Sort::Training { "precision" } else { "weight_precision" });
    let has = |word: &str| text.contains(word);
    let tf32 = |gpu: &Gpu| gpu.peaks.tf32.is_some();
    Ok(match text.as_str() {
        "" if class == "mlperf" => Precision::Fp16,
        "" if class.starts_with("tensorrt") => Precision::Int8,
        "" => return Err(Skip::blank("precision")),
        _ if has("fp8") => Precision::Fp8,
        _ if has("int8") => Precision::Int8,
        _ if has("amp") || has("fp16") || has("bf16") || has("float16") => Precision::Fp16,
        _ if has("fp32") && has("tf32") => {
            if accelerator.gpu(catalog).is_some_and(tf32) {
                Precision::Tf32
            } else {
                Precision::Fp32
            }
        }
        _ if has("tf32") => Precision::Tf32,
        _ if has("fp32") || has("float32") => Precision::Fp32,
        _ => return Err(Skip::new(format!("no rate in the format `{text}`"))),
    })
}

/// Images are trained with momentum, all else with two moments, unless the source says otherwise.
fn optimizer(question: &Question) -> Optimizer {
    match question.lower("optimizer").as_str() {
        "" if question.number("layers").is_none() => Optimizer::Sgd,
        "sgd" | "lars" | "momentum" => Optimizer::Sgd,
        "lion" => Optimizer::Lion,
        "adafactor" => Optimizer::Adafactor,
        _ => Optimizer::Adamw,
    }
}

/// Passes of a denoiser for what is counted: an image of 20 steps with guidance in `MLPerf` Inference, else one step with
/// guidance, two passes.
fn evaluations(catalog: &Catalog, network: &Network, kind: &str) -> f64 {
    let denoiser = network.preset(catalog).is_some_and(
        |row| matches!(preset::kind(row), Kind::Sample(sample) if sample.family == SampleFamily::Diffusion),
    );
    match kind {
        _ if kind.starts_with("mlperf") && denoiser => {
            let usual = catalog.constants.iter().find(|c| c.key == "sample-evaluations");
            usual.map_or(1.0, |constant| constant.value)
        }
        "diffusion" => 2.0,
        _ => 1.0,
    }
}
