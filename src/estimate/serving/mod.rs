//! Serving: KV cache, memory, prefill and decode times of one replica, and the best plan on one sort of machine.
//!
//! The start is the roofline of prefill and decode with what engines add (constants of the catalog, by engine class, GPU
//! architecture and number format). Nothing here knows prices.

pub mod kv;

mod constants;
mod gate;
mod kept;
mod memory;
mod miss;
mod plan;
mod queue;
mod shape;
#[cfg(test)]
mod tests;
mod time;

pub use constants::arithmetic;
pub use miss::{ServingMiss, Shortfall};
pub use plan::ServingPlan;
pub use queue::Queue;
pub use time::PassTime;

use super::{Basis, Layout, Machine, Unplannable};
use crate::catalog::Catalog;
use crate::catalog::knowledge::Constant;
use crate::model::Architecture;
use crate::workload::precision::Precision;
use crate::workload::{Offload, Recompute, Serving, Sharding};
use constants::{Constants, Formats};
use shape::Shape;

/// A network served by an engine on one sort of machine: every question about memory and time is asked of this.
#[derive(Clone, Debug)]
pub struct ServingModel<'a> {
    catalog: &'a Catalog,
    arch: &'a Architecture,
    serving: &'a Serving,
    machine: &'a Machine<'a>,
    constants: Constants<'a>,
    shape: Shape,
    /// Bytes of weights above those of `shape` that some checkpoints of the format have.
    wider_bytes: f64,
    formats: Formats,
    /// Bytes/s of one GPU (or share).
    bandwidth: f64,
    /// Operations/s of one GPU (or share) in the format of the matrices.
    matrix_peak: f64,
    /// Operations/s of one GPU (or share) in the format of the activations.
    attention_peak: f64,
}

impl<'a> ServingModel<'a> {
    /// Looks up what the machine, the engine class and the number formats decide.
    ///
    /// Refused: networks whose KV cache follows no known rule, GPUs that the engine or the format of the weights does not
    /// run on, arithmetic that the GPU lacks, constants that the catalog lacks, a GPU without a sourced bandwidth.
    pub fn new(
        catalog: &'a Catalog,
        arch: &'a Architecture,
        serving: &'a Serving,
        machine: &'a Machine<'a>,
    ) -> Result<Self, Unplannable> {
        if arch.kind.sample().is_some() {
            return Err(Unplannable::not_on_tokens(&arch.name));
        }
        if let Some(caveat) = &arch.kv_caveat {
            return Err(Unplannable {
                id: "kv-rule-unknown",
                message: format!("the KV cache of {} follows no rule known here: {caveat}", arch.name),
            });
        }
        gate::engine(catalog, machine, serving)?;
        let formats = Formats::resolve(catalog, machine, serving)?;
        gate::weights(catalog, machine, serving)?;
        let constants = Constants::find(catalog, machine, serving, formats)?;
        let (bandwidth, matrix_peak, attention_peak) =
            (machine.bandwidth(), machine.peak(formats.matrices), machine.peak(formats.activation));
        // `GeForce` cards sum in 32 bit at half the rate, which is what their peak here means.
        let half = machine.peak(Precision::Fp32).filter(|_| formats.is_half());
        let matrix_peak = matrix_peak.map(|peak| peak.max(constants.half_sums * half.unwrap_or_default()));
        let shape_with = |bits: Option<f64>| Shape::new(arch, &serving.quantization, bits);
        let shape = shape_with(constants.attention_bits);
        let wider = constants.widest_attention_bits.map(|bits| shape_with(Some(bits)).total_bytes());
        match (matrix_peak, attention_peak) {
            (Some(matrix_peak), Some(attention_peak)) if bandwidth > 0.0 => Ok(Self {
                catalog,
                arch,
                serving,
                machine,
                constants,
                shape,
                wider_bytes: wider.map_or(0.0, |bytes| (bytes - shape.total_bytes()).max(0.0)),
                formats,
                bandwidth,
                matrix_peak,
                attention_peak,
            }),
            _ => Err(Unplannable {
                id: "specification-missing",
                message: format!("the catalog has no memory bandwidth or peak for {}", machine.gpu.name),
            }),
        }
    }

    /// All weights of the network as stored, in bytes.
    pub fn weights_bytes(&self) -> f64 {
        self.shape.total_bytes()
    }

    /// The serving layout of `dp` replicas of `tp` × `pp` GPUs.
    pub fn layout(dp: u32, tp: u32, pp: u32) -> Layout {
        Layout {
            dp,
            tp,
            pp,
            ep: 1,
            cp: 1,
            sharding: Sharding::Ddp,
            offload: Offload::None,
            recompute: Recompute::None,
            micro_batch: 1,
            grad_accumulation: 1,
        }
    }

    /// Name of the arithmetic of activations, and of the matrices, on this machine.
    pub fn precisions(&self) -> (&'static str, &'static str) {
        (self.formats.activation.name(), self.formats.matrices.name())
    }

    /// What the times rest on.
    pub fn basis(&self) -> Basis {
        let c = &self.constants;
        Basis::of(self.catalog, [c.bandwidth, c.decode_compute, c.prefill_compute, c.step])
    }

    /// The constant behind the largest part of a decode step, in words with its source.
    fn dominant_assumption(&self, bound: &str) -> String {
        let (constant, what): (&Constant, &str) = match bound {
            "compute" => (self.constants.decode_compute, "share of the dense peak"),
            "communication" => (self.constants.allreduce, "µs for an all-reduce"),
            "latency" => (self.constants.step, "ms of engine overhead a step"),
            _ => (self.constants.bandwidth, "share of the memory bandwidth"),
        };
        let range = constant.range.map_or_else(String::new, |(low, high)| format!(" ({low} to {high})"));
        let source = self.catalog.source(constant.source);
        format!(
            "{what} with `{}`: {}{range}, {} as of {}",
            self.serving.engine, constant.value, source.text, source.as_of
        )
    }
}
