//! Networks that work on samples: images, denoising steps, windows of audio. Memory by formula, rates from the table of
//! measured ones, carried by a formula where the very case was not measured.
//!
//! Every GPU holds the whole network: training is data parallel, inference has a replica on each GPU.

mod bounds;
pub mod constants;
mod load;
pub mod memory;
pub mod rate;
pub mod roofline;
#[cfg(test)]
mod tests;

use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::diag::Warning;
use crate::estimate::{Basis, Layout, Machine, MemoryEstimate, Range, SampleSpeed, Unplannable, Verdict};
use crate::model::Architecture;
use crate::workload::precision::Precision;
use crate::workload::{Offload, Recompute, SampleWork, Samples, Sharding};
use memory::Occupancy;
use rate::{Point, Rate, RateTable, plain};
use roofline::{Size, Work};

/// Seconds of an hour.
const HOUR: f64 = 3600.0;

/// A job on samples, ready to be asked about machines.
#[derive(Clone, Debug)]
pub struct SampleModel<'a> {
    catalog: &'a Catalog,
    table: RateTable<'a>,
    model: &'a Architecture,
    job: &'a Samples,
    work: Work,
    counted: bool,
}

/// How a job is spread, and whether it fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// How the job is spread.
    pub layout: Layout,
    /// Memory of each GPU.
    pub memory: MemoryEstimate,
    /// Whether it fits.
    pub verdict: Verdict,
    /// Format of the arithmetic.
    pub precision: Precision,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

/// What one configuration of machines does.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplePlan {
    /// How the job is spread.
    pub layout: Layout,
    /// Memory of each GPU.
    pub memory: MemoryEstimate,
    /// Whether it fits.
    pub verdict: Verdict,
    /// How fast it is.
    pub speed: SampleSpeed,
    /// Wall time of a training job, or the asked hours.
    pub hours: Range,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
}

impl<'a> SampleModel<'a> {
    /// Reads constants and measured rates.
    pub fn new(catalog: &'a Catalog, model: &'a Architecture, job: &'a Samples) -> Result<Self, Unplannable> {
        let table = RateTable::new(catalog)?;
        let work = Work::of(&Size::of(model), job.seq_len, table.constants()).ok_or_else(|| Unplannable {
            id: "rate-unknown",
            message: format!("nothing is known of the work of one sample of {}", model.name),
        })?;
        let counted = model.kind.sample().is_none_or(|sample| sample.activations.is_some());
        Ok(Self { catalog, table, model, job, work, counted })
    }

    /// The format of the arithmetic on a GPU, with a warning where it is not the default one.
    pub fn precision(job: &Samples, gpu: &Gpu) -> Result<(Precision, Option<Warning>), Unplannable> {
        let lacks = |precision: Precision| Unplannable {
            id: "precision-unsupported",
            message: format!(
                "{} has no {} arithmetic, or no source gives its peak",
                gpu.name,
                precision.name()
            ),
        };
        if let Some(asked) = job.precision {
            let has = asked.peak(gpu).is_some() && (asked != Precision::Bf16 || gpu.bf16);
            return if has { Ok((asked, None)) } else { Err(lacks(asked)) };
        }
        if gpu.bf16 && Precision::Bf16.peak(gpu).is_some() {
            return Ok((Precision::Bf16, None));
        }
        if job.strict {
            return Err(lacks(Precision::Bf16));
        }
        let wide = [Precision::Fp16, Precision::Fp32].into_iter().find(|format| format.peak(gpu).is_some());
        let precision = wide.ok_or_else(|| lacks(Precision::Fp16))?;
        let shown = precision.name().to_ascii_uppercase();
        let message = format!("{} has no BF16 matrix arithmetic: planned in {shown} instead", gpu.name);
        Ok((precision, Some(Warning { id: "bf16-fallback", message })))
    }

    /// Memory of one GPU with so many samples in a pass.
    pub fn memory(&self, gpu: &Gpu, batch: u32) -> Result<MemoryEstimate, Unplannable> {
        let (precision, _) = Self::precision(self.job, gpu)?;
        let optimizer = match &self.job.work {
            SampleWork::Training(training) => Some(training.optimizer),
            SampleWork::Serving(_) => None,
        };
        let case = Occupancy {
            model: self.model,
            activations: (self.work.activations, self.counted),
            software: &self.job.class,
            precision,
            optimizer,
            batch: f64::from(batch),
            unfused: memory::unfused(gpu),
        };
        Ok(memory::memory(self.table.constants(), &case))
    }

    /// Most samples in a pass that are at least `wanted`, up to `most`; 0 where not even one is.
    pub fn largest_batch(&self, machine: &Machine, most: u32, wanted: Verdict) -> Result<u32, Unplannable> {
        let holds = |batch: u32| -> Result<bool, Unplannable> {
            Ok(Verdict::of(&self.memory(machine.gpu, batch)?, machine.usable_bytes) <= wanted)
        };
        let (mut low, mut high) = (0, most);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if holds(middle)? { low = middle } else { high = middle - 1 }
        }
        Ok(low)
    }

    /// Samples that one GPU takes in a pass on so many GPUs, and the passes of a step.
    fn split(&self, machine: &Machine, gpus: u32) -> Result<(u32, u32), Unplannable> {
        let share = match &self.job.work {
            SampleWork::Training(training) => training.global_batch / gpus.max(1),
            SampleWork::Serving(serving) => match (serving.concurrency, serving.rps) {
                (None, Some(rps)) => return Ok((self.batch_under_load(machine, gpus, rps)?, 1)),
                (asked, _) => asked.unwrap_or(1).div_ceil(gpus.max(1)),
            },
        };
        if share == 0 {
            return Err(Unplannable {
                id: "layout",
                message: format!("{gpus} GPUs share a batch that has not one sample for each of them"),
            });
        }
        if let SampleWork::Training(training) = &self.job.work
            && let Some(pinned) = training.micro_batch
        {
            return Ok((pinned, share.div_ceil(pinned).max(1)));
        }
        let largest = match self.largest_batch(machine, share, Verdict::Fits)? {
            0 => self.largest_batch(machine, share, Verdict::Tight)?,
            fits => fits,
        };
        // Where nothing fits one sample says what is missing; passes are as even as can be.
        let passes = share.div_ceil(largest.max(1));
        Ok((share.div_ceil(passes), passes))
    }

    /// How the job is spread over so many GPUs, and whether it fits them; no rate is needed for that.
    pub fn held(&self, machine: &Machine, gpus: u32) -> Result<Held, Unplannable> {
        let (precision, warning) = Self::precision(self.job, machine.gpu)?;
        let (batch, passes) = self.split(machine, gpus)?;
        let memory = self.memory(machine.gpu, batch)?;
        let layout = Layout {
            dp: gpus,
            tp: 1,
            ep: 1,
            cp: 1,
            offload: Offload::None,
            pp: 1,
            sharding: Sharding::Ddp,
            recompute: Recompute::None,
            micro_batch: batch,
            grad_accumulation: passes,
        };
        let verdict = Verdict::of(&memory, machine.usable_bytes);
        Ok(Held { layout, memory, verdict, precision, warnings: warning.into_iter().collect() })
    }

    /// What `nodes` machines do; the verdict is `no` where a GPU does not hold one sample.
    pub fn plan(&self, machine: &Machine, nodes: u32) -> Result<SamplePlan, Unplannable> {
        let gpus = machine.gpus_per_node * nodes.max(1);
        let Held { layout, memory, verdict, precision, warnings } = self.held(machine, gpus)?;
        let (batch, passes) = (layout.micro_batch, layout.grad_accumulation);
        let rate = self.rate(machine, precision, gpus, batch)?;
        let scale = |own: Range, factor: f64| Range {
            low: own.low * factor,
            expected: own.expected * factor,
            high: own.high * factor,
        };
        let exposed = self.exposed_share(machine, nodes, f64::from(batch) / rate.per_gpu.expected, passes);
        let all = scale(rate.per_gpu, f64::from(gpus) * machine.share * (1.0 - exposed));
        let hours = match &self.job.work {
            SampleWork::Serving(serving) => {
                Range { low: serving.hours, expected: serving.hours, high: serving.hours }
            }
            SampleWork::Training(training) => {
                let goodput = self.goodput(training.goodput, machine.gpu, gpus);
                let hours = |rate: f64, share: f64| training.samples * training.epochs / rate / HOUR / share;
                Range {
                    low: hours(all.high, goodput.high),
                    expected: hours(all.expected, goodput.expected),
                    high: hours(all.low, goodput.low),
                }
            }
        };
        Ok(SamplePlan {
            layout,
            memory,
            verdict,
            speed: self.speed(machine, precision, &rate, all, (gpus, batch), exposed),
            hours,
            warnings,
        })
    }

    /// Share of the wall time that trains: as asked, else the sourced table by size.
    fn goodput(&self, asked: Option<f64>, gpu: &Gpu, gpus: u32) -> Range {
        let exactly = |share: f64| Range { low: share, expected: share, high: share };
        let by_size = || {
            let constant = self.catalog.constant("goodput", Some(gpu), None, None, gpus)?;
            let (low, high) = constant.range.unwrap_or((constant.value, constant.value));
            Some(Range { low, expected: constant.value, high })
        };
        asked.map(exactly).or_else(by_size).unwrap_or(exactly(1.0))
    }

    /// What is asked of the measured rates.
    fn point<'b>(&'b self, machine: &Machine<'b>, precision: Precision, gpus: u32, batch: u32) -> Point<'b> {
        Point {
            network: &self.model.name,
            work: Some(self.work),
            gpu_name: &machine.gpu.name,
            gpu: Some(machine.gpu),
            train: matches!(self.job.work, SampleWork::Training(_)),
            precision: plain(precision),
            class: &self.job.class,
            gpus: gpus.min(machine.gpus_per_node),
            batch: Some(f64::from(batch)),
            seq_len: self.job.seq_len,
            evaluations: self.job.evaluations,
        }
    }

    fn rate(
        &self,
        machine: &Machine,
        precision: Precision,
        gpus: u32,
        batch: u32,
    ) -> Result<Rate<'a>, Unplannable> {
        let point = self.point(machine, precision, gpus, batch);
        self.table.rate(&point).ok_or_else(|| Unplannable {
            id: "rate-unknown",
            message: format!(
                "no rate of {} or of a network that uses a GPU alike was measured for this task, so {} cannot be told",
                self.model.name, machine.gpu.name
            ),
        })
    }

    /// Share of a step in which the gradients of several nodes are summed and nothing is computed: a ring all-reduce of
    /// FP32 gradients over the links between the nodes, hidden behind the backward pass as far as that lasts (Li et al.
    /// 2020, `PyTorch` Distributed, section 3.2). What happens inside a node is part of the measured rate.
    fn exposed_share(&self, machine: &Machine, nodes: u32, pass_s: f64, accumulated: u32) -> f64 {
        let SampleWork::Training(job) = &self.job.work else { return 0.0 };
        if let (Some(kept), true) = (job.scaling_efficiency, nodes > 1) {
            return 1.0 - kept;
        }
        let n = f64::from(nodes);
        let share = self.table.constants().get("network-share", "").unwrap_or(1.0);
        let Some(reached) = machine.inter_reached(share).filter(|_| nodes > 1) else { return 0.0 };
        let reduce = 2.0 * (n - 1.0) / n * 4.0 * self.model.params / reached;
        // Two thirds of a pass are backward; only the last one can hide the sum.
        let exposed = (reduce - pass_s * 2.0 / 3.0).max(0.0);
        exposed / (exposed + pass_s * f64::from(accumulated))
    }

    fn speed(
        &self,
        machine: &Machine,
        precision: Precision,
        rate: &Rate<'_>,
        all: Range,
        (gpus, batch): (u32, u32),
        exposed: f64,
    ) -> SampleSpeed {
        let passes = if matches!(self.job.work, SampleWork::Training(_)) { 3.0 } else { 1.0 };
        let flops = passes * self.work.flops * self.job.evaluations * all.expected / f64::from(gpus.max(1));
        let near = rate.nearest;
        let how = if rate.measured { "measured" } else { "carried by formula from" };
        SampleSpeed {
            samples_per_s: all,
            latency_ms: f64::from(batch) * f64::from(gpus) / all.expected * 1e3,
            flops_per_gpu: flops,
            mfu: machine.peak(precision).map_or(0.0, |peak| flops / peak),
            communication_share: exposed,
            measured: rate.measured,
            basis: if rate.measured { Basis::Measured } else { Basis::Formula },
            bound: if exposed > 0.5 { "communication" } else { "compute" },
            dominant_assumption: format!(
                "rate {how} {} on {} x {}: {} samples/s{} ({}, {}), software class {}",
                near.network,
                near.gpus,
                near.gpu,
                near.samples_per_s,
                if near.evaluations > 1.0 {
                    format!(" of {} passes", near.evaluations)
                } else {
                    String::new()
                },
                near.task,
                near.precision,
                near.class
            ),
        }
    }
}
