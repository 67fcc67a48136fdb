//! Rows of serving of token models: from the cells of a row to a workload, and what the estimates say.
//!
//! Readers only: every formula is asked of [`ServingModel`].

mod engine;
mod format;
mod model;
mod predict;
#[cfg(test)]
mod tests;

use super::question::Question;
use super::{Prediction, Skip, gpu};
use crate::catalog::Catalog;
use crate::catalog::gpu::{Gpu, GpuId};
use crate::estimate::serving::ServingModel;
use crate::estimate::{Layout, Machine, Verdict};
use crate::model::Architecture;
use crate::workload::precision::{Precision, Quantization};
use crate::workload::resolve::MAX_MODEL_LEN;
use crate::workload::{KvRule, Serving, software};

/// GPUs of a node where the row does not state the nodes.
const GPUS_PER_NODE: u32 = 8;

/// A row made ready.
#[derive(Clone, Debug)]
pub struct Case {
    arch: Architecture,
    serving: Serving,
    gpu: GpuId,
    gpus: u32,
    gpus_per_node: u32,
    layout: Layout,
    ask: Ask,
    /// Prompt and answer as stated.
    input: Option<f64>,
    output: Option<f64>,
    /// Batch or requests in flight as stated.
    batch: Option<u32>,
    /// Whether the longest sequence is stated.
    has_max_len: bool,
    /// Whether the format of the weights is stated.
    has_format: bool,
    /// Whether the row says how the GPUs share the work.
    has_layout: bool,
    /// Caches that the software may hold besides its own, by what the row leaves open.
    spare_caches: f64,
}

/// What was measured, by the `kind` of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// Generation speed of one sequence.
    Decode,
    /// Prompt and generation of one sequence, end to end.
    Single,
    /// A batch from the first prompt to the last token.
    Batch,
    /// The same with the largest batch that fits.
    LargestBatch,
    /// The prompt alone.
    Prefill,
    /// All requests at once.
    Offline,
    /// A fixed number of requests in flight.
    ClosedLoop,
    /// Memory at start.
    Memory,
    /// Whether it runs.
    Fit,
    /// Weights that may lie outside the GPU.
    Offload,
}

impl Ask {
    fn of(question: &Question) -> Result<Self, Skip> {
        let kind = question.text("kind").ok_or_else(|| Skip::blank("kind"))?;
        match kind {
            "decode_b1" => Ok(Self::Decode),
            "static_b1" | "mlperf_singlestream" => Ok(Self::Single),
            "static_batch" => Ok(Self::Batch),
            "static_batch_max" => Ok(Self::LargestBatch),
            "prefill_b1" => Ok(Self::Prefill),
            "serve_offline" | "serve_burst" | "mlperf_offline" => Ok(Self::Offline),
            "serve_closed_loop" => Ok(Self::ClosedLoop),
            "serve_online" | "mlperf_server" | "mlperf_interactive" => {
                Err(Skip::new("the offered rate is not among the columns of the workload"))
            }
            "memory" => Ok(Self::Memory),
            "fit" => Ok(Self::Fit),
            "offload" => Ok(Self::Offload),
            "api_endpoint" => Err(Skip::new("the hardware behind an endpoint is not known")),
            other => Err(Skip::new(format!("rows of kind `{other}` are not predicted"))),
        }
    }
}

impl Case {
    /// Reads a question.
    pub fn of(catalog: &Catalog, question: &Question) -> Result<Self, Skip> {
        let ask = Ask::of(question)?;
        let arch = model::architecture(catalog, question)?;
        let gpu_id = gpu::resolve(catalog, question)?;
        let (format, precision) = format::weights(catalog, question, arch.moe.is_some())?;
        let class = engine::class(catalog, question, &arch, catalog.gpu(gpu_id), format.compute)?;
        let format = widen(catalog.gpu(gpu_id), format, class);
        let kv_bytes = format::kv_bytes(question, class, &format)?;
        let (gpus, layout) = layout(catalog, question, class)?;
        let (input, output) = (question.number("input_len"), question.number("output_len"));
        let batch = question.count("batch_or_concurrency");
        let length = |stated: Option<f64>| stated.map_or(0, |tokens| tokens.round() as u32);
        let all = length(input) + length(output);
        let serving = Serving {
            precision: precision.filter(|p| p.peak(catalog.gpu(gpu_id)).is_some()),
            quantization: format,
            kv_bytes,
            kv_precision: question.text("kv_precision").unwrap_or("auto").to_owned(),
            input_len: length(input),
            output_len: length(output),
            concurrency: batch.unwrap_or(1),
            rps: None,
            ttft_ms: None,
            tpot_ms: None,
            max_model_len: question.count("max_model_len").unwrap_or(all).max(1),
            engine: class.to_owned(),
            kv_rule: KvRule::Windowed,
            software: class.to_owned(),
            hours: 1.0,
        };
        let has_max_len = question.count("max_model_len").is_some();
        let serving = Serving { max_model_len: longest(&arch, &serving, ask, has_max_len), ..serving };
        let gpus_per_node = nodes(question, gpus);
        let has_layout = question.count("tp").is_some();
        let case = Self {
            arch,
            serving,
            gpu: gpu_id,
            gpus,
            gpus_per_node,
            layout,
            ask,
            input,
            output,
            batch,
            has_max_len,
            has_format: question.text("weight_precision").is_some(),
            has_layout,
            spare_caches: if engine::may_be_old(question, class) { 1.0 } else { 0.0 },
        };
        case.checked()
    }

    /// What the estimates say.
    pub fn predict(&self, catalog: &Catalog) -> Result<Prediction, Skip> {
        let gpu = catalog.gpu(self.gpu);
        let mut machine =
            Machine::of_gpu(catalog, gpu, self.gpus_per_node).map_err(|e| Skip::new(e.message))?;
        if self.gpus > self.gpus_per_node {
            machine.inter_bytes_per_s =
                catalog.constant("serve-assumed-network", None, None, None, 1).map(|constant| constant.value);
        }
        let model = ServingModel::new(catalog, &self.arch, &self.serving, &machine)
            .map_err(|refused| Skip::new(refused.message))?;
        self.answer(&model, &machine, self.spread(&model))
    }

    /// The layout as stated; where it does not hold a mixture of experts that more GPUs share, the experts are spread over
    /// all of them, which for time and memory is nearest to tensor parallelism over all.
    fn spread(&self, model: &ServingModel) -> Layout {
        if self.ask == Ask::Offline && !self.has_layout {
            return self.fastest(model);
        }
        let used = self.layout.tp * self.layout.pp;
        let holds = model.verdict(&self.layout, 1) != Verdict::No;
        if holds || self.arch.moe.is_none() || self.gpus <= used {
            return self.layout;
        }
        ServingModel::layout(1, (self.gpus / self.layout.pp).max(1), self.layout.pp)
    }

    /// Where a row of the most that a machine answers does not say how its GPUs share the work: the way that answers most.
    fn fastest(&self, model: &ServingModel) -> Layout {
        let rate = |layout: &Layout| {
            let most = model.offline_batch(layout);
            let running = self.batch.map_or(most, |all| all.div_ceil(layout.dp).clamp(1, most));
            model.speed(layout, running).output_tokens_per_s * f64::from(layout.dp)
        };
        let pp = self.layout.pp;
        (1..=self.gpus / pp)
            .filter(|&tp| (self.gpus / pp).is_multiple_of(tp) && tp <= self.layout.tp.max(1))
            .map(|tp| ServingModel::layout(self.gpus / pp / tp, tp, pp))
            .filter(|layout| model.verdict(layout, 1) != Verdict::No)
            .max_by(|a, b| rate(a).total_cmp(&rate(b)))
            .unwrap_or(self.layout)
    }

    /// What the kind needs and the row does not state.
    fn checked(self) -> Result<Self, Skip> {
        let input = || self.input.ok_or_else(|| Skip::blank("input_len")).map(drop);
        let output = || self.output.ok_or_else(|| Skip::blank("output_len")).map(drop);
        let batch = || self.batch.ok_or_else(|| Skip::blank("batch_or_concurrency")).map(drop);
        match self.ask {
            Ask::Single | Ask::LargestBatch | Ask::Offline | Ask::Offload => {
                input().and_then(|()| output())?;
            }
            Ask::Batch | Ask::ClosedLoop => input().and_then(|()| output()).and_then(|()| batch())?,
            Ask::Prefill => input()?,
            Ask::Decode | Ask::Memory | Ask::Fit => {}
        }
        Ok(self)
    }
}

/// The longest sequence: as stated; else the model's own context where a server is started with its defaults, and up to the
/// planner's own default where an engine lays out its cache after a trial of one whole prompt of that length.
fn longest(arch: &Architecture, serving: &Serving, ask: Ask, stated: bool) -> u32 {
    let own = arch.native_context.unwrap_or(serving.max_model_len);
    if stated {
        serving.max_model_len
    } else if ask == Ask::Memory {
        own
    } else if engine::tries_whole_prompts(&serving.engine) {
        serving.max_model_len.max(own.min(MAX_MODEL_LEN))
    } else {
        serving.max_model_len
    }
}

/// INT8 and FP8 weights that a GPU has no arithmetic for are unpacked inside the kernel.
fn widen(gpu: &Gpu, format: Quantization, class: &str) -> Quantization {
    let plain = matches!(class, "eager" | "eager-v0" | "llama.cpp" | "exllama" | "autoawq-fused")
        && format.compute == Some(Precision::Int8);
    let lacks = format.compute == Some(Precision::Int8) && Precision::Int8.peak(gpu).is_none();
    Quantization { compute: format.compute.filter(|_| !plain && !lacks), ..format }
}

/// GPUs, and how they are used: as stated, else all of them as one replica, divided the way the engine does.
fn layout(catalog: &Catalog, question: &Question, class: &str) -> Result<(u32, Layout), Skip> {
    let (tp, pp) = (question.count("tp"), question.count("pp"));
    let stated = question.count("gpu_count").or(tp.map(|tp| tp * pp.unwrap_or(1)));
    let gpus = stated.unwrap_or(1);
    let divides = catalog
        .constant(
            "serve-tensor-parallel",
            None,
            None,
            Some(software::base_class(catalog, class).unwrap_or(class)),
            1,
        )
        .is_none_or(|constant| constant.value > 0.0);
    let (tp, pp) = match (tp, pp) {
        (Some(tp), Some(pp)) => (tp, pp),
        (Some(tp), None) if divides => (tp, 1),
        (None, Some(pp)) if divides => ((gpus / pp).max(1), pp),
        (None, None) if divides => (gpus, 1),
        _ => (1, gpus),
    };
    if tp * pp > gpus {
        return Err(Skip::new("`tp` times `pp` is more than `gpu_count`"));
    }
    Ok((gpus, ServingModel::layout((gpus / (tp * pp)).max(1), tp, pp)))
}

/// GPUs of one node.
fn nodes(question: &Question, gpus: u32) -> u32 {
    match question.count("nodes") {
        Some(nodes) => (gpus / nodes.max(1)).max(1),
        None => gpus.min(GPUS_PER_NODE),
    }
}
