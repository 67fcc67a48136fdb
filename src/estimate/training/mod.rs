//! Training: memory, time and the best layout of a job on a machine.
//!
//! Pure: no file, clock or price. All constants are looked up once when a [`TrainingModel`] is made.

mod bound;
mod comm;
mod constants;
mod layouts;
mod memory;
mod numeric;
mod shape;
mod speed;
mod split;
mod states;
#[cfg(test)]
mod tests;
mod time;

use crate::catalog::Catalog;
use crate::diag::Warning;
use crate::estimate::{Layout, Machine, MemoryEstimate, Range, Unplannable, Verdict};
use crate::model::{Architecture, Kind};
use crate::workload::precision::Precision;
use crate::workload::{Layouts, Method, Offload, Recompute, Sharding, Training};
use comm::Fabric;
use constants::Constants;
pub use numeric::precision_on;
use shape::Shape;
use split::Split;
use std::sync::Arc;

/// A training job on a number of machines of one kind, ready to judge layouts.
#[derive(Clone, Debug)]
pub struct TrainingModel<'a> {
    catalog: &'a Catalog,
    machine: Machine<'a>,
    total_gpus: u32,
    constants: Arc<Constants<'a>>,
    /// Share of the wall time that does useful work.
    goodput: Range,
    fabric: Fabric,
    shape: Arc<Shape>,
    precision: Precision,
    warnings: Arc<[Warning]>,
    /// The goodput up to so many GPUs, smallest first; one for any number where the user says it.
    goodputs: Arc<[(u32, Range)]>,
    /// Share of the speed of one node that each GPU of several keeps, where the user says so.
    scaling: Option<f64>,
    /// Dense peak of one GPU in the format of the layers, in FLOP/s.
    peak: f64,
    /// Dense peak in the format of attention and output matrix, in FLOP/s.
    wide_peak: f64,
    method: Method,
    seq_len: f64,
    global_batch: u32,
    /// Divisors of the global batch, largest first: what micro-batches are chosen from.
    divisors: Arc<[u32]>,
    /// Expert parallel sizes that a search looks at, smallest first; 1 alone without experts to split.
    expert_sizes: Arc<[u32]>,
    micro_batch: Option<u32>,
    tokens: f64,
    recompute: Option<Recompute>,
    sharding: Option<Sharding>,
    offload: Offload,
    fused_loss: bool,
    layouts: Layouts,
}

impl<'a> TrainingModel<'a> {
    /// Resolves the number format and looks all constants up.
    pub fn new(
        catalog: &'a Catalog,
        model: &Architecture,
        training: &Training,
        machine: &Machine<'a>,
        total_gpus: u32,
    ) -> Result<Self, Unplannable> {
        if model.kind.sample().is_some() {
            return Err(Unplannable::not_on_tokens(&model.name));
        }
        let gpu = machine.gpu;
        let (precision, warning) = numeric::resolve(training, gpu)?;
        let constants =
            Constants::new(catalog, gpu, model, training, precision, machine.fast_intra, total_gpus)?;
        let goodputs: Arc<[_]> = match training.goodput {
            Some(asked) => Arc::new([(u32::MAX, Range { low: asked, expected: asked, high: asked })]),
            None => constants::goodputs(catalog, gpu).into(),
        };
        let peak = machine.peak(precision).unwrap_or_default();
        let mut model = Self {
            catalog,
            machine: *machine,
            total_gpus: total_gpus.max(1),
            fabric: Fabric::new(machine, &constants.time),
            constants: Arc::new(constants),
            goodput: constants::goodput_at(&goodputs, total_gpus)?,
            shape: Arc::new(Shape::new(model, training)),
            precision,
            warnings: warning.into_iter().chain(moe_warning(model)).chain(encoder_warning(model)).collect(),
            goodputs,
            scaling: training.scaling_efficiency,
            peak,
            wide_peak: machine.peak(numeric::wide(precision, gpu)).unwrap_or(peak),
            method: training.method,
            seq_len: f64::from(training.seq_len.max(1)),
            global_batch: training.global_batch.max(1),
            divisors: layouts::divisors(training.global_batch.max(1)).into(),
            expert_sizes: layouts::expert_sizes(model, training).into(),
            micro_batch: training.micro_batch.map(|micro_batch| micro_batch.max(1)),
            tokens: training.tokens,
            recompute: training.recompute,
            sharding: training.sharding,
            offload: training.offload,
            fused_loss: training.fused_loss,
            layouts: training.layouts,
        };
        model.check_network()?;
        model.settle_fabric();
        Ok(model)
    }

    /// The links that time is counted with: those of the machine, or one node where the user says what several lose.
    fn settle_fabric(&mut self) {
        let fabric = Fabric::new(&self.machine, &self.constants.time);
        self.fabric = if self.scaling_asked().is_some() { fabric.joined() } else { fabric };
    }

    /// The scaling efficiency that was asked for, where there are several nodes.
    fn scaling_asked(&self) -> Option<f64> {
        self.scaling.filter(|_| self.total_gpus > self.machine.gpus_per_node)
    }

    /// The format of the matrix arithmetic on this GPU.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// What the reader should know: a format other than the default one, a mixture of experts.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings.to_vec()
    }

    /// Bytes that resuming needs, whole, whoever holds them: working weights, master weights and optimizer states of what is
    /// trained (frozen weights are in storage already). BLOOM's states of 14 bytes a parameter made 13.07 on disk.
    pub fn checkpoint_bytes(&self) -> f64 {
        let (c, shape) = (&self.constants.memory, &self.shape);
        let matrices = if shape.tied { 1.0 } else { 2.0 };
        let trained = match self.method {
            Method::Full => shape.body_params + matrices * shape.embedding_params,
            Method::Lora | Method::Qlora => shape.adapter_params,
        };
        trained * (numeric::element_bytes(self.precision) + c.master_bytes + c.optimizer_bytes)
    }

    /// Memory that one GPU (or share) really offers, in bytes.
    pub fn usable_bytes(&self) -> f64 {
        self.machine.usable_bytes
    }

    /// The verdict of the contract; `no` as well where the host is known to hold too little of what is offloaded.
    pub fn verdict(&self, memory: &MemoryEstimate) -> Verdict {
        if self.host_shortfall(memory).is_some() {
            return Verdict::No;
        }
        Verdict::of(memory, self.machine.usable_bytes)
    }

    /// Main memory of a node in bytes, where offloading needs more than that.
    pub fn host_shortfall(&self, memory: &MemoryEstimate) -> Option<f64> {
        self.machine.host_ram_bytes.filter(|&bytes| memory.host_ram > bytes)
    }

    /// Memory of the fullest GPU under a layout.
    pub fn memory(&self, layout: &Layout) -> MemoryEstimate {
        let memory = self.split_memory(&Split::of(layout), self.seq_len);
        self.estimate_at(&memory, f64::from(layout.micro_batch))
    }

    /// The largest micro-batch of a layout that fits, else the largest that is tight, else 0; found by evaluation. Never
    /// smaller than that of the layout where that is held, if only tightly.
    pub fn max_micro_batch(&self, layout: &Layout) -> u32 {
        let memory = self.split_memory(&Split::of(layout), self.seq_len);
        let at = |micro_batch: u32| self.estimate_at(&memory, f64::from(micro_batch));
        let held = self.verdict(&at(layout.micro_batch)) != Verdict::No;
        self.largest(at).max(if held { layout.micro_batch } else { 0 })
    }

    /// The longest sequence of a layout that fits, else the longest that is tight, else 0; found by evaluation.
    pub fn max_seq_len(&self, layout: &Layout) -> u32 {
        let split = Split::of(layout);
        self.largest(|seq_len| {
            let memory = self.split_memory(&split, f64::from(seq_len));
            self.estimate_at(&memory, f64::from(layout.micro_batch))
        })
    }

    /// Largest argument of a growing memory whose verdict is `fits`, else `tight`.
    fn largest(&self, memory: impl Fn(u32) -> MemoryEstimate) -> u32 {
        match self.last_within(Verdict::Fits, &memory) {
            0 => self.last_within(Verdict::Tight, &memory),
            fits => fits,
        }
    }

    /// Largest argument of a growing memory whose verdict is at least `wanted`, else 0.
    fn last_within(&self, wanted: Verdict, memory: impl Fn(u32) -> MemoryEstimate) -> u32 {
        let within = |n: u32| self.verdict(&memory(n)) <= wanted;
        if !within(1) {
            return 0;
        }
        // 2^30 is far above any batch or context.
        let mut fits = 1;
        while fits < 1 << 30 && within(fits * 2) {
            fits *= 2;
        }
        let mut fails = fits * 2;
        while fails - fits > 1 {
            let middle = fits + (fails - fits) / 2;
            if within(middle) { fits = middle } else { fails = middle }
        }
        fits
    }

    fn check_network(&self) -> Result<(), Unplannable> {
        if self.total_gpus > self.machine.gpus_per_node && self.machine.inter_bytes_per_s.is_none() {
            return Err(Unplannable {
                id: "network-unknown",
                message: format!(
                    "{} GPUs need more than one node of {}, and nothing is known of the network between nodes",
                    self.total_gpus, self.machine.gpus_per_node
                ),
            });
        }
        Ok(())
    }
}

/// The constants were fitted on decoders; published rates of encoders are no part of them.
fn encoder_warning(model: &Architecture) -> Option<Warning> {
    (model.kind == Kind::Encoder).then(|| Warning {
        id: "encoder-by-formula",
        message: format!(
            "{} is an encoder, and its training is planned with the formula of decoders: published rates on V100 are two to \
             three times as fast, so hours and cost may be far below what is shown",
            model.name
        ),
    })
}

fn moe_warning(model: &Architecture) -> Option<Warning> {
    model.moe.map(|moe| Warning {
        id: "moe-balanced-routing",
        message: format!(
            "{} is a mixture of {} experts: memory and time take them for equally busy, and uneven routing needs more of \
             both",
            model.name, moe.experts
        ),
    })
}
