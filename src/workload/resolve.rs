//! From settings as asked to a complete [`Workload`]: fills every default, lists it, refuses what contradicts itself.
//!
//! Pure: the text of a model file comes from the caller. What depends on the GPU stays open.

mod defaults;
pub(crate) use defaults::MAX_MODEL_LEN;
mod model;
mod samples;
mod serving;
pub mod training;

pub use model::ACCEPTED;

use super::settings::WorkloadArgs;
use super::{Job, Method, Pins, Task, Workload};
use crate::catalog::Catalog;
use crate::diag::{Assumption, InputError, Warning};
use crate::model::file::Contents;
use crate::model::{Architecture, Kind, Origin};
use std::fmt::Display;

/// Gives what a `--model` argument names: `None` when there is no such file or folder, an error when there is one that
/// cannot be read.
pub type ModelFile<'a> = &'a dyn Fn(&str) -> Result<Option<Contents>, InputError>;

/// Where defaults come from that are a convention of this tool.
const CONVENTION: &str = "default of gpuadvise";

/// Completes a workload.
pub fn resolve(args: &WorkloadArgs, catalog: &Catalog, file: ModelFile<'_>) -> Result<Workload, InputError> {
    let mut notes = Notes::default();
    let task = task(args, &mut notes)?;
    refuse_other_task(args, task)?;
    let reading = model::model(args, catalog, file, &mut notes)?;
    let arch = &reading.architecture;
    if arch.origin == Origin::Gguf && task != Task::Infer {
        let message =
            "a GGUF file is for serving: the estimate is for the same network trained from its plain weights";
        notes.warn("model-reading", message);
    }
    let reads = arch.kind == Kind::Encoder && task == Task::Infer;
    if reads || arch.kind.sample().is_some() {
        let job = samples::samples(args, catalog, arch, task, &mut notes)?;
        let Notes { assumptions, warnings } = notes;
        let pins = Pins::default();
        return Ok(Workload {
            model: reading.architecture,
            job: Job::Samples(job),
            pins,
            assumptions,
            warnings,
        });
    }
    let pins = pins(args, arch)?;
    let job = match task {
        Task::Train | Task::Finetune => {
            Job::Training(training::training(args, catalog, arch, task, pins, &mut notes)?)
        }
        Task::Infer => Job::Serving(serving::serving(args, catalog, &reading, &mut notes)?),
    };
    let Notes { assumptions, warnings } = notes;
    Ok(Workload { model: reading.architecture, job, pins, assumptions, warnings })
}

/// What was filled in and what the reader should know.
#[derive(Debug, Default)]
struct Notes {
    assumptions: Vec<Assumption>,
    warnings: Vec<Warning>,
}

impl Notes {
    fn assume(
        &mut self,
        id: &'static str,
        value: impl Display,
        why: impl Into<String>,
        source: impl Into<String>,
    ) {
        let (why, source) = (why.into(), source.into());
        self.assumptions.push(Assumption { id, value: value.to_string(), why, source });
    }

    fn warn(&mut self, id: &'static str, message: impl Into<String>) {
        self.warnings.push(Warning { id, message: message.into() });
    }

    /// What was asked, else the default, which is then listed.
    fn or_default<T: Display>(&mut self, asked: Option<T>, id: &'static str, default: T, why: &str) -> T {
        asked.unwrap_or_else(|| {
            self.assume(id, &default, why, CONVENTION);
            default
        })
    }
}

/// Name of a choice on the command line.
fn name_of(choice: &impl clap::ValueEnum) -> String {
    choice.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The class of software that a name stands for: a class of the catalog by that name, else the known one, which is told.
fn class_of(
    asked: &str,
    known: Option<&str>,
    classes: &[&str],
    id: &'static str,
    notes: &mut Notes,
) -> Option<String> {
    let lower = asked.to_ascii_lowercase();
    if classes.contains(&lower.as_str()) {
        return Some(lower);
    }
    let class = known?;
    if class != lower {
        notes.assume(id, class, format!("the constants of this class are used for `{asked}`"), CONVENTION);
    }
    Some(class.to_owned())
}

/// A whole number from 1 to `most`.
fn sized(flag: &str, asked: Option<u32>, most: u32) -> Result<Option<u32>, InputError> {
    match asked {
        Some(n) if !(1..=most).contains(&n) => {
            Err(InputError::new(format!("`--{flag} {n}` is outside 1 to {most}"), ""))
        }
        _ => Ok(asked),
    }
}

/// A number above 0 and up to `most`.
fn positive(flag: &str, asked: Option<f64>, most: f64) -> Result<Option<f64>, InputError> {
    match asked {
        Some(n) if !(n > 0.0 && n <= most) => {
            Err(InputError::new(format!("`--{flag} {n}` is not above 0 and up to {most}"), ""))
        }
        _ => Ok(asked),
    }
}

/// The task asked, else the one that the other settings leave no doubt about.
fn task(args: &WorkloadArgs, notes: &mut Notes) -> Result<Task, InputError> {
    if let Some(task) = args.task {
        return Ok(task);
    }
    let training = args.training_flags();
    let serving = args.serving_flags();
    let (task, flag) = match (training.first(), serving.first()) {
        (_, None) if matches!(args.method, Some(Method::Lora | Method::Qlora)) => (Task::Finetune, "method"),
        (Some(flag), None) => (Task::Train, *flag),
        (None, Some(flag)) => (Task::Infer, *flag),
        _ => {
            return Err(InputError::new(
                "the task is not said",
                "add `--task train`, `--task finetune` or `--task infer`",
            ));
        }
    };
    notes.assume("task", name_of(&task), format!("`--{flag}` was given without `--task`"), CONVENTION);
    Ok(task)
}

/// Refuses settings of training for serving and the other way round.
fn refuse_other_task(args: &WorkloadArgs, task: Task) -> Result<(), InputError> {
    let (other, sort) = match task {
        Task::Infer => (args.training_flags(), "training"),
        Task::Train | Task::Finetune => (args.serving_flags(), "serving"),
    };
    let Some(flag) = other.first() else { return Ok(()) };
    let message = format!("`--{flag}` is a setting of {sort}, but the task is {}", name_of(&task));
    Err(InputError::new(message, format!("leave `--{flag}` out or change `--task`")))
}

/// Layout pins that the shape allows.
fn pins(args: &WorkloadArgs, arch: &Architecture) -> Result<Pins, InputError> {
    const MOST: u32 = 1 << 20;
    let pins = Pins {
        dp: sized("dp", args.dp, MOST)?,
        tp: sized("tp", args.tp, MOST)?,
        pp: sized("pp", args.pp, MOST)?,
        ep: sized("ep", args.ep, MOST)?,
        cp: sized("cp", args.cp, MOST)?,
    };
    if let Some(tp) = pins.tp.filter(|tp| !arch.heads.is_multiple_of(*tp)) {
        let message = format!("`--tp {tp}` does not divide the {} heads of {}", arch.heads, arch.name);
        return Err(InputError::new(message, "tensor parallelism gives each GPU the same number of heads"));
    }
    if let Some(pp) = pins.pp.filter(|&pp| pp > arch.layers) {
        let message = format!("`--pp {pp}` exceeds the {} layers of {}", arch.layers, arch.name);
        return Err(InputError::new(message, "a pipeline stage holds at least one layer"));
    }
    if let Some(ep) = pins.ep.filter(|&ep| ep > 1) {
        expert_pin(ep, arch)?;
    }
    Ok(pins)
}

/// Expert parallelism gives each GPU the same number of experts.
fn expert_pin(ep: u32, arch: &Architecture) -> Result<(), InputError> {
    let Some(moe) = arch.moe else {
        let message = format!("`--ep {ep}`, but {} is no mixture of experts", arch.name);
        return Err(InputError::new(
            message,
            "leave `--ep` out, or give `--experts` and `--experts-per-token`",
        ));
    };
    if moe.experts.is_multiple_of(ep) {
        return Ok(());
    }
    let message = format!("`--ep {ep}` does not divide the {} experts of {}", moe.experts, arch.name);
    Err(InputError::new(message, "expert parallelism gives each GPU the same number of experts"))
}

/// Refuses networks that cannot be served by the rules known here.
fn servable(arch: &Architecture) -> Result<(), InputError> {
    if arch.kind == Kind::EncoderDecoder {
        let message = format!(
            "{} is an encoder-decoder: `--task infer` covers decoders, encoders and networks on samples",
            arch.name
        );
        return Err(InputError::new(
            message,
            "such networks can be trained and fine-tuned: `--task train|finetune`",
        ));
    }
    match &arch.kv_caveat {
        Some(why) => Err(InputError::new(
            format!("the KV cache of {} does not follow a rule known here: {why}", arch.name),
            "give a similar shape by hand with `--layers`, `--hidden` and their companions",
        )),
        None => Ok(()),
    }
}
