//! The catalog's constants that serving needs, looked up once for a machine, an engine class and a number format.
//!
//! Only names of constants live here, never their values.

use super::kept::Kept;
use super::{Unplannable, gate};
use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::catalog::knowledge::Constant;
use crate::estimate::Machine;
use crate::units::GIB;
use crate::workload::precision::Precision;
use crate::workload::{Serving, software};

/// Microseconds and milliseconds to seconds.
const US: f64 = 1e-6;
const MS: f64 = 1e-3;

/// Constants in SI units, and the rows behind those that an answer may hang on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants<'a> {
    /// Share of the memory bandwidth that reading weights reaches.
    pub(super) bandwidth: &'a Constant,
    /// The same for the KV cache.
    pub(super) kv_bandwidth: f64,
    /// By how much routed experts are read slower than dense weights: a factor up to 1.
    pub(super) expert_bandwidth: f64,
    /// Share of the dense peak in decode.
    pub(super) decode_compute: &'a Constant,
    /// Share of the dense peak in prefill.
    pub(super) prefill_compute: &'a Constant,
    /// FLOP/s of matrices with sums in 16 bit, in units of the FP32 peak; 0 where sums are kept in 32 bit.
    pub(super) half_sums: f64,
    /// Share of the smaller of compute and memory time that is not hidden behind the larger.
    pub(super) overlap: f64,
    /// Seconds of scheduling and sampling for each pass.
    pub(super) step: &'a Constant,
    /// Seconds of launching for each layer of a pass.
    pub(super) layer_s: f64,
    /// Seconds for each sequence of a pass.
    pub(super) sequence_s: f64,
    /// Seconds of latency of one all-reduce inside a node.
    pub(super) allreduce: &'a Constant,
    /// Seconds of latency of one all-reduce or hand-over between nodes.
    pub(super) inter_latency_s: f64,
    /// Share of the bandwidth of the links inside a node that collectives reach.
    pub(super) link_share: f64,
    /// The same for the network between nodes.
    pub(super) network_share: f64,
    /// Share of the prompts of others that falls into the answer of a request in a closed loop.
    pub(super) prompts_among: f64,
    /// Whether the engine works on all waiting prompts before it goes on answering.
    pub(super) prompts_first: bool,
    /// Bytes of one weight in the format that narrow weights are unpacked to in memory for a prompt; 0 where kernels unpack.
    pub(super) unpacked_bytes: f64,
    /// Bytes that one score of attention over a prompt goes through memory; 0 where attention is fused.
    pub(super) score_bytes: f64,
    /// Requests that wait in tests of the engine whose number is not stated; 0 where the queue never ends.
    pub(super) queue_requests: f64,
    /// Longest answer over the mean where lengths vary.
    pub(super) longest: f64,
    /// Most sequences in one pass.
    pub(super) max_batch: f64,
    /// Most prompt tokens in one pass; 0 where prompts are not cut.
    pub(super) batched_tokens: f64,
    /// Longest sequence up to which an engine that does not cut prompts keeps them whole; 0 for no limit.
    pub(super) whole_prompts: f64,
    /// What the software keeps beside weights and cache.
    pub(super) kept: Kept,
    /// Whether the engine divides matrices between GPUs; otherwise only layers.
    pub(super) tensor_parallel: bool,
    /// Share of the usable memory that the engine takes for everything.
    pub(super) memory_share: Amount,
    /// Bytes of context and libraries on each GPU, with the range.
    pub(super) framework: Amount,
    /// Bytes of kernel buffers and captured graphs on each GPU, with the range.
    pub(super) workspace: Amount,
    /// Bytes of communication buffers on each GPU that talks to others, with the range.
    pub(super) communication: Amount,
    /// Bytes that sampling holds for each logit of a full batch while the engine measures what it needs; 0 where it does not.
    pub(super) sampler_bytes: f64,
    /// KV cache of a guessed shape in units of the estimate, with the range.
    pub(super) inferred_kv: Amount,
    /// Measured over predicted time per token of one sequence.
    pub(super) decode_spread: (f64, f64),
    /// The same of many sequences, and of their throughput.
    pub(super) load_spread: (f64, f64),
    /// Measured over predicted time of a prompt on an idle engine.
    pub(super) prefill_spread: (f64, f64),
    /// The same with other requests.
    pub(super) queue_spread: (f64, f64),
    /// Standard deviations of the requests in flight that are held above the mean when a rate is asked.
    pub(super) peak_sigma: f64,
    /// Share by which a plan must answer sooner to let requests wait, or to be only tight.
    pub(super) waiting_gain: f64,
    /// Bits of the attention matrices where the format leaves them alone.
    pub(super) attention_bits: Option<f64>,
    /// Bits of the attention matrices where some checkpoints of the format leave them alone.
    pub(super) widest_attention_bits: Option<f64>,
}

/// A value with its range, in one unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount {
    pub(super) low: f64,
    pub(super) expected: f64,
    pub(super) high: f64,
}

impl Amount {
    fn of(constant: &Constant, unit: f64) -> Self {
        let (low, high) = constant.range.unwrap_or((constant.value, constant.value));
        Self { low: low * unit, expected: constant.value * unit, high: high * unit }
    }
}

impl<'a> Constants<'a> {
    /// Looks everything up; the first missing constant is named.
    pub(super) fn find(
        catalog: &'a Catalog,
        machine: &Machine,
        serving: &Serving,
        formats: Formats,
    ) -> Result<Self, Unplannable> {
        let look = |key: &'static str, precision: Option<&str>| {
            let of = |class: &str| {
                catalog.constant(key, Some(machine.gpu), precision, Some(class), machine.gpus_per_node)
            };
            let class = serving.engine.as_str();
            software::constant_of(catalog, class, of).ok_or_else(|| missing(key, machine, class))
        };
        let value = |key| look(key, None).map(|c| c.value);
        let bytes = |key| look(key, None).map(|c| Amount::of(c, GIB));
        let amount = |key| look(key, None).map(|c| Amount::of(c, 1.0));
        let spread = |key| look(key, None).map(|c| c.range.unwrap_or((1.0, 1.0)));
        let arithmetic = Some(formats.arithmetic_class());
        let of_link = |fast, slow| if machine.fast_intra { fast } else { slow };
        let format = Some(serving.quantization.name.as_str());
        let of_format = |key| look(key, format).map(|c| c.value);
        let bits_of = |key| catalog.constant(key, None, None, format, 1).map(|c| c.value);
        Ok(Self {
            bandwidth: look("serve-bandwidth", Some(formats.weight_class()))?,
            kv_bandwidth: value("serve-kv-bandwidth")?,
            expert_bandwidth: look("serve-expert-bandwidth", Some(formats.weight_class()))?.value,
            decode_compute: look("serve-decode-compute", arithmetic)?,
            prefill_compute: look("serve-prefill-compute", arithmetic)?,
            half_sums: value("serve-half-sums")?,
            overlap: value("serve-overlap")?,
            step: look("serve-step-ms", None)?,
            layer_s: value("serve-layer-us")? * US,
            sequence_s: value("serve-sequence-us")? * US,
            allreduce: look(of_link("serve-allreduce-us", "serve-allreduce-pcie-us"), None)?,
            inter_latency_s: value("serve-network-us")? * US,
            link_share: value(of_link("serve-link", "serve-link-pcie"))?,
            network_share: value("serve-network")?,
            prompts_among: value("serve-prompts-among")?,
            prompts_first: value("serve-prompts-first")? > 0.0,
            unpacked_bytes: value("serve-unpacked-bytes")?,
            score_bytes: value("serve-score-bytes")?,
            queue_requests: value("serve-queue-requests")?,
            longest: value("serve-longest")?,
            max_batch: value("serve-max-batch")?,
            batched_tokens: value("serve-batched-tokens")?,
            whole_prompts: value("serve-whole-prompts")?,
            kept: Kept::find(value, amount, of_format)?,
            tensor_parallel: value("serve-tensor-parallel")? > 0.0,
            memory_share: amount("serve-memory-share")?,
            framework: bytes("serve-framework-gib")?,
            workspace: bytes("serve-workspace-gib")?,
            communication: bytes(of_link("serve-communication-gib", "serve-communication-pcie-gib"))?,
            sampler_bytes: value("serve-sampler-bytes")?,
            inferred_kv: amount("serve-inferred-kv")?,
            decode_spread: spread("serve-decode-spread")?,
            load_spread: spread("serve-load-spread")?,
            prefill_spread: spread("serve-prefill-spread")?,
            queue_spread: spread("serve-queue-spread")?,
            peak_sigma: value("serve-peak-sigma")?,
            waiting_gain: value("serve-waiting-gain")?,
            attention_bits: bits_of("serve-attention-bits"),
            widest_attention_bits: bits_of("serve-widest-attention-bits"),
        })
    }

    /// Seconds of scheduling for each pass.
    pub(super) fn step_s(&self) -> f64 {
        self.step.value * MS
    }

    /// Seconds of latency of one all-reduce inside a node.
    pub(super) fn allreduce_s(&self) -> f64 {
        self.allreduce.value * US
    }
}

fn missing(key: &str, machine: &Machine, engine: &str) -> Unplannable {
    Unplannable {
        id: "constant-missing",
        message: format!(
            "the catalog has no constant `{key}` for {} and engine class `{engine}`: add a [[constant]] row",
            machine.gpu.name
        ),
    }
}

/// The number formats of a serving job on one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Formats {
    /// Arithmetic of activations and attention.
    pub(super) activation: Precision,
    /// Arithmetic of the matrices.
    pub(super) matrices: Precision,
    /// Bits per stored weight.
    pub(super) weight_bits: f64,
}

impl Formats {
    /// Whether the matrices run in 16 bit.
    pub(super) fn is_half(self) -> bool {
        matches!(self.matrices, Precision::Bf16 | Precision::Fp16)
    }

    /// Decides the formats by the GPU's flags and peaks.
    ///
    /// Arithmetic that is asked and that the GPU lacks is refused, and INT8, whose activations are stored for it. FP4 and
    /// FP8 weights are not: engines then unpack them to 16 bit inside the kernel, FP8 where the catalog knows from which
    /// compute capability on.
    pub(super) fn resolve(
        catalog: &Catalog,
        machine: &Machine,
        serving: &Serving,
    ) -> Result<Self, Unplannable> {
        let gpu = machine.gpu;
        let has = |precision: Precision| precision.peak(gpu).is_some();
        let refuse = |asked: &str, hint: &str| {
            Err(Unplannable {
                id: "precision-unsupported",
                message: format!("{} has no {asked} arithmetic: {hint}", gpu.name),
            })
        };
        let Some((activation, matrices)) = arithmetic(serving, gpu) else {
            return refuse("sourced 16-bit or FP32", "the catalog knows no peak for it");
        };
        if let Some(asked) = serving.precision.filter(|&p| !has(p) && p != Precision::Fp4) {
            let hint = if narrow(asked) {
                format!(
                    "use `--precision {}`, or a weight-only format such as awq or int4",
                    activation.name()
                )
            } else {
                format!("use `--precision {}`", activation.name())
            };
            return refuse(asked.name(), &hint);
        }
        match serving.quantization.compute {
            Some(Precision::Int8) if !narrow(matrices) => {
                refuse("int8", "quantise to a weight-only format such as awq or int4")
            }
            Some(Precision::Fp8)
                if !narrow(matrices) && gate::of_weights(catalog, machine, serving).is_none() =>
            {
                refuse(
                    "fp8",
                    "no source tells of kernels that unpack FP8 on it; use a format such as awq or int4",
                )
            }
            _ => Ok(Self { activation, matrices, weight_bits: serving.quantization.bits }),
        }
    }

    /// `precision` of the compute constants: all 16-bit and wider formats share one row, and weights of 4 bits that are
    /// unpacked for them may have another.
    fn arithmetic_class(self) -> &'static str {
        match self.matrices {
            Precision::Fp8 => "fp8",
            Precision::Int8 => "int8",
            Precision::Fp4 => "fp4",
            _ if self.weight_bits < 6.0 => "int4",
            _ => "bf16",
        }
    }

    /// `precision` of the bandwidth constants: kernels differ by how weights are stored.
    fn weight_class(self) -> &'static str {
        match (self.weight_bits, self.matrices) {
            (_, Precision::Fp8) => "fp8",
            (_, Precision::Fp4) => "fp4",
            (bits, _) if bits >= 12.0 => "bf16",
            (bits, _) if bits >= 6.0 => "int8",
            _ => "int4",
        }
    }
}

/// Formats that activations are only put into for the matrix kernels.
fn narrow(precision: Precision) -> bool {
    matches!(precision, Precision::Fp8 | Precision::Fp4 | Precision::Int8)
}

/// The arithmetic of activations, and of the matrices, of a serving job on a GPU: what is asked or the stored format means,
/// where the GPU has it, else 16 bit. `None` for a GPU without any sourced peak.
pub fn arithmetic(serving: &Serving, gpu: &Gpu) -> Option<(Precision, Precision)> {
    let has = |precision: &Precision| precision.peak(gpu).is_some();
    let plain = [Precision::Bf16, Precision::Fp16, Precision::Fp32].into_iter().find(has)?;
    let asked = serving.precision.filter(has);
    let activation = asked.filter(|&p| !narrow(p)).unwrap_or(plain);
    let kernel = asked.filter(|&p| narrow(p)).or(serving.quantization.compute.filter(has));
    Some((activation, kernel.unwrap_or(activation)))
}
