//! Rows of training of token models: from the cells of a row to a workload, and what the estimates say.

mod layout;
mod node;
mod run;
mod shape;
#[cfg(test)]
mod tests;
mod words;

use super::gpu::resolve;
use super::metric::Metric;
use super::question::Question;
use super::{Prediction, Skip};
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::estimate::training::TrainingModel;
use crate::estimate::{Layout, MemoryEstimate, Range, Verdict};
use crate::model::Architecture;
use crate::units::GIB;
use crate::workload::{Layouts, Recompute, Sharding, Task, Training};
use layout::Spread;
use node::Node;
use words::Counter;

/// A row made ready.
#[derive(Clone, Debug)]
pub struct Case {
    architecture: Architecture,
    training: Training,
    gpu: GpuId,
    total_gpus: u32,
    node: Node,
    spread: Spread,
    /// What the figure of memory counts.
    memory_kind: String,
    /// Tokens of the whole run, where the row tells of one.
    run_tokens: Option<f64>,
    /// Settings were filled in, so that nothing but the whole run is predicted.
    only_run: bool,
}

impl Case {
    /// Reads a question.
    pub fn of(catalog: &Catalog, question: &Question) -> Result<Self, Skip> {
        match (Self::told(catalog, question), run::tokens(question)) {
            (Ok(case), run_tokens) => Ok(Self { run_tokens, ..case }),
            (Err(_), Some(tokens)) => run::case(catalog, question, tokens),
            (Err(skip), None) => Err(skip),
        }
    }

    /// Reads a question that states its settings.
    fn told(catalog: &Catalog, question: &Question) -> Result<Self, Skip> {
        let gpu = resolve(catalog, question)?;
        let chip = catalog.gpu(gpu);
        let (task, method) = words::method(question)?;
        let architecture = shape::architecture(catalog, question)?;
        let precision = words::precision(question, chip)?;
        let seq_len = question.needs_count("seq_len")?;
        let total_gpus = question.needs_count("gpu_count")?;
        let node = Node::of(catalog, question, gpu, total_gpus);
        let spread = Spread::of(catalog, question, total_gpus, node.gpus)?;
        let class = words::class(catalog, question, chip);
        let training = Training {
            task,
            method,
            lora_rank: words::lora_rank(question, method, class),
            precision: Some(precision),
            strict: false,
            optimizer: words::optimizer(question),
            seq_len,
            global_batch: spread.global_batch.round().max(1.0) as u32,
            micro_batch: spread.micro_batch.map(|sequences| sequences.round().max(1.0) as u32),
            tokens: spread.global_batch * f64::from(seq_len),
            recompute: Some(words::recompute(question, method, total_gpus)),
            sharding: words::sharding(question, class, chip),
            offload: words::offload(question)?,
            attention: words::attention(class, chip),
            framework: class.to_owned(),
            goodput: None,
            scaling_efficiency: None,
            fused_loss: false,
            software: class.to_owned(),
            layouts: Layouts::default(),
        };
        let memory_kind = question.lower("memory_kind");
        let (run_tokens, only_run) = (None, false);
        Ok(Self { architecture, training, gpu, total_gpus, node, spread, memory_kind, run_tokens, only_run })
    }

    /// What the estimates say.
    pub fn predict(&self, catalog: &Catalog) -> Result<Prediction, Skip> {
        let machine = self.node.machine(catalog, self.gpu)?;
        let model =
            TrainingModel::new(catalog, &self.architecture, &self.training, &machine, self.total_gpus)
                .map_err(|error| Skip::new(error.message))?;
        let layout = self.layout(&model)?;
        let memory = model.memory(&layout);
        let step = model.step_range_of(&layout, self.spread.global_batch / f64::from(layout.dp));
        let rate = |amount: f64| Range {
            low: amount / step.high,
            expected: amount / step.expected,
            high: amount / step.low,
        };
        let sequences = self.spread.global_batch;
        let tokens = sequences * f64::from(self.training.seq_len);
        let run = self.run_tokens.map(|all| run::gpu_hours(&model, step, tokens, all, self.total_gpus));
        let run = run.map(|hours| (Metric::TrainGpuHours, hours));
        if self.only_run {
            return Ok(Prediction { values: run.into_iter().collect(), verdict: None, basis: model.basis() });
        }
        let mut values = vec![
            (Metric::TokensPerSPerGpu, rate(tokens / f64::from(self.total_gpus))),
            (Metric::PeakMemoryGib, self.peak_gib(catalog, &memory)),
        ];
        if self.samples_are_full() {
            values.push((Metric::SamplesPerS, rate(sequences)));
        }
        values.extend(run);
        let verdict = Some(Verdict::of(&memory, model.usable_bytes()));
        Ok(Prediction { values, verdict, basis: model.basis() })
    }

    /// Model FLOP/s over the dense peak that a measured rate means; `None` where the row cannot be predicted.
    pub fn utilisation(&self, catalog: &Catalog, tokens_per_s_per_gpu: f64) -> Option<f64> {
        let machine = self.node.machine(catalog, self.gpu).ok()?;
        let model =
            TrainingModel::new(catalog, &self.architecture, &self.training, &machine, self.total_gpus)
                .ok()?;
        let speed = model.speed(&self.layout(&model).ok()?);
        let estimated = speed.tokens_per_s / f64::from(self.total_gpus);
        Some(speed.mfu * tokens_per_s_per_gpu / estimated)
    }

    /// The stated layout; what is not stated is chosen as the planner would, without a say on what fits where all of it
    /// is stated.
    fn layout(&self, model: &TrainingModel) -> Result<Layout, Skip> {
        let training = &self.training;
        let whole = self.spread.micro_batch.is_some() && self.spread.stated;
        if let (true, Some(sharding)) = (whole, training.sharding.or(self.only_sharding())) {
            return Ok(self.stated(sharding));
        }
        let pins = self.spread.pins();
        let found = model.best(&pins).map(|plan| plan.layout);
        let found = found.or_else(|| model.nearest_miss(&pins).map(|(layout, _)| layout));
        match found {
            Some(layout) => Ok(layout),
            None if self.spread.stated => Ok(self.stated(training.sharding.unwrap_or(Sharding::Ddp))),
            None => Err(Skip::new("no layout is allowed on these GPUs")),
        }
    }

    /// Whether each sample is as long as `seq_len`. Samples of fine-tuning end where they end, and the length is only their
    /// limit, unless the software packs them.
    fn samples_are_full(&self) -> bool {
        self.training.task == Task::Train || self.training.framework == "tuned"
    }

    /// One replica has nothing to share out.
    fn only_sharding(&self) -> Option<Sharding> {
        (self.spread.dp * self.spread.cp == 1).then_some(Sharding::Ddp)
    }

    /// The layout of the cells.
    fn stated(&self, sharding: Sharding) -> Layout {
        let Spread { dp, tp, pp, cp, ep, .. } = self.spread;
        let micro_batch = self.training.micro_batch.unwrap_or(1);
        let sequences = self.spread.global_batch / f64::from(self.spread.dp);
        let passes = (sequences / f64::from(micro_batch)).round().max(1.0);
        Layout {
            dp,
            tp,
            pp,
            ep,
            cp,
            sharding: if dp * cp == 1 { Sharding::Ddp } else { sharding },
            offload: self.training.offload,
            recompute: self.training.recompute.unwrap_or(Recompute::None),
            micro_batch,
            grad_accumulation: passes as u32,
        }
    }

    /// What the counter would show: the driver counts context and libraries, the framework only its own blocks, and
    /// `allocated` leaves out what the allocator holds besides.
    fn peak_gib(&self, catalog: &Catalog, memory: &MemoryEstimate) -> Range {
        let chip = catalog.gpu(self.gpu);
        let precision = self.training.precision.map(crate::workload::precision::Precision::name);
        let class = Some(self.training.framework.as_str());
        let context = catalog.constant("context-bytes", Some(chip), precision, class, self.total_gpus);
        let unseen = match words::counter(&self.memory_kind, &self.training.framework) {
            Counter::Driver => 0.0,
            Counter::Allocated => memory.terms.framework,
            Counter::Reserved => context.map_or(0.0, |constant| constant.value).min(memory.terms.framework),
        };
        let gib = |bytes: f64| (bytes - unseen).max(0.0) / GIB;
        Range { low: gib(memory.low), expected: gib(memory.terms.total()), high: gib(memory.high) }
    }
}
