//! The constants of one model on one GPU, looked up once. Their values, ranges and sources live in the catalog.
//!
//! No formula is here; a key that the catalog lacks is an [`Unplannable`], never a default.

use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::catalog::knowledge::Constant;
use crate::estimate::{Range, Unplannable};
use crate::model::Architecture;
use crate::workload::precision::Precision;
use crate::workload::software;
use crate::workload::{AttentionKernel, Method, Optimizer, Training};

/// Everything that the formulas of this room take from the catalog; units as in `catalog/README.md`.
#[derive(Clone, Debug)]
pub(super) struct Constants<'a> {
    pub(super) memory: MemoryConstants,
    pub(super) time: TimeConstants,
    pub(super) efficiency_source: &'a Constant,
    /// The factor of grouped products of experts on the efficiency, where the model is a mixture.
    pub(super) moe_source: Option<&'a Constant>,
    pub(super) interleave_source: &'a Constant,
    pub(super) network_source: &'a Constant,
    pub(super) latency_source: &'a Constant,
}

/// Bytes per parameter, per token and per process.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryConstants {
    /// Software keeps gradients in the working format or accumulates them in FP32.
    pub(super) gradient_bytes: Range,
    pub(super) master_bytes: f64,
    pub(super) optimizer_bytes: f64,
    /// FP32 gradients of the share of a rank, which some software keeps beside its optimizer states.
    pub(super) share_gradient_bytes: f64,
    /// States that software adds to a trained parameter where it shares them out.
    pub(super) sharded_state_bytes: f64,
    /// Moments lie in memory that GPU and host share: the GPU holds them only where it has room.
    pub(super) paged: bool,
    /// Temporary bytes of a trained parameter while the optimizer steps, after the activations are gone.
    pub(super) step_bytes: f64,
    /// Most parameters that ZeRO 3 steps over at a time.
    pub(super) step_group: f64,
    pub(super) qlora_bytes: f64,
    pub(super) fp8_copy_bytes: f64,
    pub(super) activation_scale: f64,
    /// Values of a width that norms in FP32 keep besides in a layer.
    pub(super) norm_copies: f64,
    /// 1 where norms and residuals are split by tensor parallelism too, 0 where each rank keeps them whole.
    pub(super) sequence_parallel: f64,
    /// 1 where ZeRO 3 comes with inputs of recomputed layers in the memory of the host.
    pub(super) host_checkpoints: f64,
    pub(super) selective_share: f64,
    pub(super) recompute_layers: f64,
    pub(super) lora_share: f64,
    pub(super) qlora_share: f64,
    pub(super) eager_score_bytes: f64,
    /// Of the gradients of scores while one layer works backwards.
    pub(super) eager_work_bytes: f64,
    /// Factor on the other activations of software that keeps its scores: its element-wise kernels are not fused either.
    pub(super) eager_scale: f64,
    pub(super) logit_bytes: f64,
    pub(super) loss_copy_bytes: f64,
    pub(super) gather_units: f64,
    pub(super) bucket_bytes: f64,
    pub(super) collective_buffer_bytes: f64,
    pub(super) frozen_embedding_bytes: f64,
    pub(super) pipeline_gathered_bytes: f64,
    /// Whole copies of frozen weights that loading holds beside the shard.
    pub(super) loading_copies: Range,
    pub(super) ring_copies: f64,
    pub(super) expert_capacity: f64,
    pub(super) host_buffers: f64,
    pub(super) workspace_bytes: f64,
    pub(super) context_bytes: f64,
    pub(super) fragmentation: f64,
    pub(super) states_spread: Range,
    pub(super) activations_spread: Range,
    pub(super) other_spread: Range,
}

/// Shares of peaks and bandwidths, seconds and bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeConstants {
    pub(super) efficiency: Range,
    /// Factor on the efficiency by class of software.
    pub(super) stack_efficiency: f64,
    pub(super) attention_efficiency: f64,
    pub(super) misaligned: f64,
    /// Factor on the efficiency for the grouped products of experts, and the width at which they reach half of it.
    pub(super) expert_efficiency: Range,
    pub(super) expert_half_width: f64,
    /// Share of the exchanges between expert-parallel ranks that nothing hides.
    pub(super) expert_exposed: f64,
    /// What a mixture adds to the latency of a layer: routing, permuting, one launch for each group.
    pub(super) expert_latency_s: f64,
    pub(super) elementwise_traffic: f64,
    /// Times that inputs and outputs of matrices with adapters are moved besides.
    pub(super) adapter_traffic: f64,
    pub(super) loss_traffic_bytes: f64,
    pub(super) selective_pass: f64,
    pub(super) full_pass: f64,
    pub(super) layer_latency_s: f64,
    pub(super) gather_latency_s: f64,
    pub(super) dequantize_bytes: f64,
    pub(super) optimizer_traffic_bytes: f64,
    pub(super) bandwidth_efficiency: f64,
    pub(super) intra_efficiency: f64,
    pub(super) network_efficiency: Range,
    pub(super) collective_latency_s: f64,
    pub(super) tensor_exposed: f64,
    pub(super) gather_exposed: f64,
    pub(super) reduction_hidden: f64,
    pub(super) interleave: f64,
    /// 1 where stages share the output matrix evenly, 0 where the last one has it on top of its layers.
    pub(super) pipeline_balance: f64,
    pub(super) jitter: f64,
    /// How far measured steps lie from the expected one, as a factor.
    pub(super) spread: Range,
    /// Bytes per second between a GPU and the memory of its host, and of that memory for all of a node.
    pub(super) host_link: f64,
    pub(super) host_bandwidth: f64,
}

/// Looks keys up for one GPU, precision, class of software and size.
#[derive(Clone, Copy)]
struct Lookup<'a, 'q> {
    catalog: &'a Catalog,
    gpu: &'q Gpu,
    precision: &'static str,
    class: &'q str,
    gpus: u32,
}

impl<'a> Lookup<'a, '_> {
    /// The constant of the class; of the class that it varies where it has none of its own.
    fn constant(&self, key: &str) -> Result<&'a Constant, Unplannable> {
        let of = |class: &str| {
            self.catalog.constant(key, Some(self.gpu), Some(self.precision), Some(class), self.gpus)
        };
        software::constant_of(self.catalog, self.class, of).ok_or_else(|| Unplannable {
            id: "constant-missing",
            message: format!(
                "no constant `{key}` for {} in {} with software of class `{}`",
                self.gpu.name, self.precision, self.class
            ),
        })
    }

    fn value(&self, key: &str) -> Result<f64, Unplannable> {
        self.constant(key).map(|constant| constant.value)
    }

    /// Bytes per second and direction of the PCIe slot, of the fourth generation where nothing is known.
    fn host_link(&self) -> Result<f64, Unplannable> {
        let class = format!("gen{}", self.gpu.pcie_gen.unwrap_or(4));
        Ok(Lookup { class: &class, ..*self }.value("pcie-bandwidth")? * self.value("pcie-efficiency")?)
    }

    fn range(&self, key: &str) -> Result<Range, Unplannable> {
        self.constant(key).map(range_of)
    }
}

/// Value and ends of a constant.
pub(super) fn range_of(constant: &Constant) -> Range {
    let (low, high) = constant.range.unwrap_or((constant.value, constant.value));
    Range { low, expected: constant.value, high }
}

impl<'a> Constants<'a> {
    /// All constants for a job on a GPU; `fast_intra` tells the fabric inside a node.
    pub(super) fn new(
        catalog: &'a Catalog,
        gpu: &Gpu,
        model: &Architecture,
        training: &Training,
        precision: Precision,
        fast_intra: bool,
        gpus: u32,
    ) -> Result<Self, Unplannable> {
        let of = Lookup { catalog, gpu, precision: precision.name(), class: &training.framework, gpus };
        let moe = match model.moe {
            None => None,
            Some(_) => Some(of.constant("expert-efficiency")?),
        };
        Ok(Self {
            memory: memory(&of, training)?,
            time: time(&of, training, model.moe.is_some(), fast_intra)?,
            efficiency_source: of.constant("train-efficiency")?,
            moe_source: moe,
            interleave_source: of.constant("pipeline-interleave")?,
            network_source: of.constant("network-efficiency")?,
            latency_source: of.constant(latency_key(training.method))?,
        })
    }
}

/// The goodput up to each number of GPUs that the catalog has a row for, smallest first.
pub(super) fn goodputs(catalog: &Catalog, gpu: &Gpu) -> Vec<(u32, Range)> {
    let known = |most: u32| Some((most, range_of(catalog.constant("goodput", Some(gpu), None, None, most)?)));
    catalog.sizes("goodput").into_iter().filter_map(known).collect()
}

/// The goodput of a number of GPUs.
pub(super) fn goodput_at(goodputs: &[(u32, Range)], gpus: u32) -> Result<Range, Unplannable> {
    let holds = goodputs.iter().find(|&&(most, _)| gpus <= most);
    holds
        .map(|&(_, goodput)| goodput)
        .ok_or_else(|| Unplannable { id: "constant-missing", message: "no constant `goodput`".to_owned() })
}

fn memory(of: &Lookup, training: &Training) -> Result<MemoryConstants, Unplannable> {
    let optimizer = training.optimizer;
    // Adapters of plain software are FP32: no gradient is copied to a wider format.
    let step_key = if training.method == Method::Full { "step-bytes" } else { "adapter-step-bytes" };
    let optimizer_key = match optimizer {
        Optimizer::Adamw | Optimizer::PagedAdamw => "optimizer-bytes-adamw",
        Optimizer::Adamw8bit => "optimizer-bytes-adamw-8bit",
        Optimizer::Adafactor => "optimizer-bytes-adafactor",
        Optimizer::Sgd => "optimizer-bytes-sgd",
        Optimizer::Lion => "optimizer-bytes-lion",
    };
    Ok(MemoryConstants {
        gradient_bytes: of.range("gradient-bytes")?,
        master_bytes: of.value("master-bytes")?,
        optimizer_bytes: of.value(optimizer_key)?,
        share_gradient_bytes: of.value("share-gradient-bytes")?,
        sharded_state_bytes: of.value("sharded-state-bytes")?,
        paged: optimizer == Optimizer::PagedAdamw,
        step_bytes: if optimizer == Optimizer::Adamw { of.value(step_key)? } else { 0.0 },
        step_group: of.value("step-group-params")?,
        qlora_bytes: of.value("qlora-bytes")?,
        fp8_copy_bytes: of.value("fp8-copy-bytes")?,
        activation_scale: of.value("activation-scale")?,
        norm_copies: of.value("norm-copies")?,
        sequence_parallel: of.value("sequence-parallel")?,
        host_checkpoints: of.value("host-checkpoints")?,
        selective_share: of.value("activation-selective")?,
        recompute_layers: of.value("activation-recompute-layers")?,
        lora_share: of.value("activation-lora")?,
        qlora_share: of.value("activation-qlora")?,
        eager_score_bytes: of.value("eager-score-bytes")?,
        eager_work_bytes: of.value("eager-work-bytes")?,
        eager_scale: of.value("eager-activation-scale")?,
        logit_bytes: of.value("logit-bytes")?,
        loss_copy_bytes: of.value("loss-copy-bytes")?,
        gather_units: of.value("gather-units")?,
        bucket_bytes: of.value("bucket-bytes")?,
        collective_buffer_bytes: of.value("collective-buffer-bytes")?,
        frozen_embedding_bytes: of.value("frozen-embedding-bytes")?,
        pipeline_gathered_bytes: of.value("pipeline-gathered-bytes")?,
        loading_copies: of.range("loading-copies")?,
        ring_copies: of.value("ring-copies")?,
        expert_capacity: of.value("expert-capacity")?,
        host_buffers: of.value("host-buffers")?,
        workspace_bytes: of.value("workspace-bytes")?,
        context_bytes: of.value("context-bytes")?,
        fragmentation: of.value("fragmentation")?,
        states_spread: of.range("states-spread")?,
        activations_spread: of.range("activations-spread")?,
        other_spread: of.range("other-spread")?,
    })
}

/// Launching is slower with adapters (more and smaller kernels), and more so with dequantisation.
fn latency_key(method: Method) -> &'static str {
    match method {
        Method::Full => "layer-latency-full",
        Method::Lora => "layer-latency-lora",
        Method::Qlora => "layer-latency-qlora",
    }
}

/// Measured steps of mixtures and of adapters lie further from the formula than those of dense full training.
fn spread_key(method: Method, experts: bool) -> &'static str {
    match method {
        Method::Full if experts => "step-spread-experts",
        Method::Full => "step-spread",
        Method::Lora | Method::Qlora => "step-spread-adapters",
    }
}

fn time(
    of: &Lookup,
    training: &Training,
    experts: bool,
    fast_intra: bool,
) -> Result<TimeConstants, Unplannable> {
    let attention_key = match training.attention {
        AttentionKernel::Flash => "attention-efficiency-flash",
        AttentionKernel::Eager => "attention-efficiency-eager",
    };
    Ok(TimeConstants {
        efficiency: of.range("train-efficiency")?,
        stack_efficiency: of.value("stack-efficiency")?,
        attention_efficiency: of.value(attention_key)?,
        misaligned: of.value("misaligned-efficiency")?,
        expert_efficiency: of.range("expert-efficiency")?,
        expert_half_width: of.value("expert-half-width")?,
        expert_exposed: of.value("expert-exposed")?,
        expert_latency_s: of.value("layer-latency-experts")?,
        elementwise_traffic: of.value("elementwise-traffic")?,
        adapter_traffic: of.value("adapter-traffic")?,
        loss_traffic_bytes: of.value("loss-traffic-bytes")?,
        selective_pass: of.value("selective-pass")?,
        full_pass: of.value("full-pass")?,
        layer_latency_s: of.value(latency_key(training.method))?,
        gather_latency_s: of.value("gather-latency")?,
        dequantize_bytes: of.value("dequantize-bytes")?,
        optimizer_traffic_bytes: of.value("optimizer-traffic-bytes")?,
        bandwidth_efficiency: of.value("bandwidth-efficiency")?,
        intra_efficiency: of.value(if fast_intra { "link-efficiency" } else { "pcie-efficiency" })?,
        network_efficiency: of.range("network-efficiency")?,
        collective_latency_s: of.value("collective-latency")?,
        tensor_exposed: of.value("tensor-exposed")?,
        gather_exposed: of.value("gather-exposed")?,
        reduction_hidden: of.value("reduction-hidden")?,
        interleave: of.value("pipeline-interleave")?,
        pipeline_balance: of.value("pipeline-balance")?,
        jitter: of.value("scaling-jitter")?,
        spread: of.range(spread_key(training.method, experts))?,
        host_link: of.host_link()?,
        host_bandwidth: of.value("host-bandwidth")?,
    })
}
