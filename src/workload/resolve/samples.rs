//! Settings of networks that work on samples.

use super::defaults::{CONCURRENCY, HOURS, constant, goodput_table};
use super::{CONVENTION, Notes, positive, sized};
use crate::catalog::Catalog;
use crate::diag::InputError;
use crate::model::{Architecture, Kind, SampleFamily};
use crate::units::Hours;
use crate::workload::choice::PrecisionChoice;
use crate::workload::precision::Precision;
use crate::workload::settings::WorkloadArgs;
use crate::workload::{
    Method, Optimizer, SampleServing, SampleTraining, SampleWork, Samples, Task, software,
};

/// Most samples in an optimizer step or in flight.
const MOST_SAMPLES: u32 = 1 << 24;

/// Tokens of a sequence in the BERT recipe for question answering.
const SQUAD_LEN: u32 = 384;

/// Completes a job on samples.
pub(super) fn samples(
    args: &WorkloadArgs,
    catalog: &Catalog,
    arch: &Architecture,
    task: Task,
    notes: &mut Notes,
) -> Result<Samples, InputError> {
    refuse_token_settings(args, arch)?;
    let precision = precision(args, task, notes)?;
    let class = class(args, catalog, task, notes)?;
    let infer = task == Task::Infer;
    let asked = if infer { &args.engine } else { &args.framework };
    let named = asked.as_deref().unwrap_or(&class);
    let software = software::row_name(catalog, software::on_samples(infer), named);
    let work = match task {
        Task::Infer => SampleWork::Serving(serving(args, arch, notes)?),
        Task::Train | Task::Finetune => SampleWork::Training(training(args, catalog, arch, task, notes)?),
    };
    let evaluations = if task == Task::Infer { evaluations(catalog, arch, notes)? } else { 1.0 };
    let seq_len = (arch.kind == Kind::Encoder).then(|| sequence(args, arch, notes)).transpose()?;
    let strict = args.strict == Some(true);
    Ok(Samples { task, precision, strict, class, software, evaluations, seq_len, work })
}

/// What one sample of a network is called.
fn unit(arch: &Architecture) -> &'static str {
    arch.kind.sample().map_or("sequences", |sample| sample.family.unit())
}

/// Tokens of a sequence that an encoder reads.
fn sequence(args: &WorkloadArgs, arch: &Architecture, notes: &mut Notes) -> Result<u32, InputError> {
    let native = arch.native_context.unwrap_or(u32::MAX);
    let asked = sized("input-len", args.input_len, 1 << 20)?;
    if let Some(asked) = asked.filter(|&asked| asked > native) {
        let message =
            format!("sequences of {asked} tokens exceed the context of {}: {native} tokens", arch.name);
        return Err(InputError::new(message, "shorten `--input-len`"));
    }
    let usual = SQUAD_LEN.min(native);
    Ok(notes.or_default(asked, "input-len", usual, "tokens of a sequence, as in question answering on SQuAD"))
}

/// Passes of a denoiser for one image; other networks pass a sample once.
fn evaluations(catalog: &Catalog, arch: &Architecture, notes: &mut Notes) -> Result<f64, InputError> {
    if arch.kind.sample().is_none_or(|sample| sample.family != SampleFamily::Diffusion) {
        return Ok(1.0);
    }
    let (passes, source) = constant(catalog, "sample-evaluations", Some("diffusion"))?;
    let why =
        "passes of the denoiser for one image: 20 steps, twice with guidance; other numbers scale the rate";
    notes.assume("evaluations", passes, why, source);
    Ok(passes)
}

/// Refuses what only networks of tokens have.
fn refuse_token_settings(args: &WorkloadArgs, arch: &Architecture) -> Result<(), InputError> {
    let lora = matches!(args.method, Some(Method::Lora | Method::Qlora));
    let asked = [
        ("tokens", args.tokens.is_some()),
        ("seq-len", args.seq_len.is_some()),
        ("method", lora),
        ("lora-rank", args.lora_rank.is_some()),
        ("recompute", args.recompute.is_some()),
        ("sharding", args.sharding.is_some()),
        ("attention", args.attention.is_some()),
        ("fused-loss", args.fused_loss.is_some()),
        ("quantization", args.quantization.is_some()),
        ("kv-precision", args.kv_precision.is_some()),
        ("input-len", args.input_len.is_some() && arch.kind != Kind::Encoder),
        ("output-len", args.output_len.is_some()),
        ("ttft", args.ttft.is_some()),
        ("tpot", args.tpot.is_some()),
        ("max-model-len", args.max_model_len.is_some()),
        ("kv-rule", args.kv_rule.is_some()),
        ("dp", args.dp.is_some()),
        ("tp", args.tp.is_some()),
        ("pp", args.pp.is_some()),
        ("ep", args.ep.is_some()),
        ("cp", args.cp.is_some()),
        ("offload", args.offload.is_some()),
    ];
    let Some((flag, _)) = asked.into_iter().find(|&(_, asked)| asked) else { return Ok(()) };
    let unit = unit(arch);
    let message = format!(
        "`--{flag}` is no setting of {}, which takes {unit} one by one, not token by token",
        arch.name
    );
    let hint = "such networks are planned data parallel: `--samples`, `--epochs`, `--global-batch`, `--micro-batch`, \
                `--optimizer`, or `--concurrency`, `--rps`, `--hours`";
    Err(InputError::new(message, hint))
}

fn precision(args: &WorkloadArgs, task: Task, notes: &mut Notes) -> Result<Option<Precision>, InputError> {
    match args.precision {
        Some(PrecisionChoice::Int4 | PrecisionChoice::Fp4) => Err(InputError::new(
            "4-bit formats are not covered for networks that work on samples",
            "`--precision fp32|tf32|fp16|bf16`, and `fp8|int8` for inference",
        )),
        Some(PrecisionChoice::Int8 | PrecisionChoice::Fp8) if task != Task::Infer => Err(InputError::new(
            "`--precision` of 8 bits is for inference of networks that work on samples",
            "train them with `--precision bf16`, `fp16`, `tf32` or `fp32`",
        )),
        Some(choice) => Ok(choice.arithmetic()),
        None => {
            notes.assume("precision", "bf16", "16-bit arithmetic; GPUs without BF16 use FP16", CONVENTION);
            Ok(None)
        }
    }
}

/// Class of software in the measured rates.
fn class(
    args: &WorkloadArgs,
    catalog: &Catalog,
    task: Task,
    notes: &mut Notes,
) -> Result<String, InputError> {
    let (flag, asked, default) = match task {
        Task::Infer => ("engine", &args.engine, "eager"),
        Task::Train | Task::Finetune => ("framework", &args.framework, "generic"),
    };
    let Some(asked) = asked else {
        let why = "PyTorch without special software; the measured rates of it count most";
        notes.assume(flag, default, why, CONVENTION);
        return Ok(default.to_owned());
    };
    let work = if task == Task::Infer { "infer" } else { "train" };
    let known = catalog.measured.iter().filter(|rate| rate.task == work).map(|rate| rate.class.as_str());
    let known: std::collections::BTreeSet<&str> = known.collect();
    let class =
        software::sample_class(catalog, asked, task == Task::Infer).filter(|class| known.contains(class));
    class.map(str::to_owned).ok_or_else(|| {
        let all = known.iter().copied().collect::<Vec<_>>().join(", ");
        InputError::unknown(flag, asked, known, format!("rates were measured with {all}"))
    })
}

fn serving(args: &WorkloadArgs, arch: &Architecture, notes: &mut Notes) -> Result<SampleServing, InputError> {
    let unit = unit(arch);
    let rps = positive("rps", args.rps, 1e9)?;
    let asked = sized("concurrency", args.concurrency, MOST_SAMPLES)?;
    let concurrency = if asked.is_none() && rps.is_some() {
        let why = format!(
            "{unit} in flight = rate x time of a pass: each GPU takes as many in a pass as the rate needs, up to its memory \
             and the largest measured batch"
        );
        notes.assume("concurrency", "under load", why, "Little 1961, A proof for the queuing formula L = λW");
        None
    } else {
        let why = format!("{unit} in one pass over all GPUs");
        Some(notes.or_default(asked, "concurrency", CONCURRENCY, &why))
    };
    Ok(SampleServing {
        concurrency,
        rps,
        hours: notes.or_default(args.hours, "hours", Hours(HOURS), "one month of operation").0,
    })
}

fn training(
    args: &WorkloadArgs,
    catalog: &Catalog,
    arch: &Architecture,
    task: Task,
    notes: &mut Notes,
) -> Result<SampleTraining, InputError> {
    let (samples, epochs) = data(args, catalog, arch, task, notes)?;
    let global_batch = global_batch(args, catalog, arch, task, notes)?;
    let optimizer = args.optimizer.unwrap_or_else(|| {
        let momentum = matches!(family(arch), "cnn" | "detector");
        let optimizer = if momentum { Optimizer::Sgd } else { Optimizer::Adamw };
        let name = super::name_of(&optimizer);
        notes.assume("optimizer", name, "what such networks are usually trained with", CONVENTION);
        optimizer
    });
    let goodput = args.goodput.map(|share| share.0);
    if goodput.is_none() {
        let (table, source) = goodput_table(catalog);
        let why = "share of the wall time that trains; large jobs lose more to failures and restarts";
        notes.assume("goodput", table, why, source);
    }
    let micro_batch = sized("micro-batch", args.micro_batch, global_batch)?;
    let scaling_efficiency = args.scaling_efficiency.map(|share| share.0);
    Ok(SampleTraining { optimizer, global_batch, micro_batch, samples, epochs, goodput, scaling_efficiency })
}

/// Class of the published recipes.
fn family(arch: &Architecture) -> &'static str {
    arch.kind.sample().map_or("", |sample| sample.family.name())
}

/// Samples and passes over them: as asked, else those of the published recipe of such networks, where there is one.
fn data(
    args: &WorkloadArgs,
    catalog: &Catalog,
    arch: &Architecture,
    task: Task,
    notes: &mut Notes,
) -> Result<(f64, f64), InputError> {
    let unit = unit(arch);
    let recipe = |key: &str| constant(catalog, key, Some(family(arch))).ok().filter(|_| task == Task::Train);
    let samples = match (args.samples, recipe("sample-train-samples")) {
        (Some(samples), _) => samples.0 as f64,
        (None, Some((samples, source))) => {
            let why = format!("{unit} of the data set that such networks are usually trained on");
            notes.assume("samples", samples, why, source);
            samples
        }
        (None, None) => {
            let message = format!("{} needs the number of {unit} to train on", arch.name);
            let hint = "give `--samples N`, and `--epochs N` for more than one pass";
            return Err(InputError::new(message, hint));
        }
    };
    let epochs = match (positive("epochs", args.epochs, 1e6)?, recipe("sample-train-epochs")) {
        (Some(epochs), _) => epochs,
        (None, Some((epochs, source))) if args.samples.is_none() => {
            notes.assume("epochs", epochs, "passes over the data set of the published recipe", source);
            epochs
        }
        (None, _) => notes.or_default(None, "epochs", 1.0, "one pass over the samples"),
    };
    Ok((samples, epochs))
}

/// Samples per optimizer step: as asked, else those of the published recipe of such networks; fine-tuning has one of its own
/// where its batches are far smaller.
fn global_batch(
    args: &WorkloadArgs,
    catalog: &Catalog,
    arch: &Architecture,
    task: Task,
    notes: &mut Notes,
) -> Result<u32, InputError> {
    if let Some(asked) = sized("global-batch", args.global_batch, MOST_SAMPLES)? {
        return Ok(asked);
    }
    let recipe = |key: &str| constant(catalog, key, Some(family(arch)));
    let tuned = if task == Task::Finetune { recipe("sample-finetune-batch").ok() } else { None };
    let Some((batch, source)) = tuned.or_else(|| recipe("sample-train-batch").ok()) else {
        let message = format!("{} needs the number of {} in an optimizer step", arch.name, unit(arch));
        return Err(InputError::new(message, "give `--global-batch N`"));
    };
    let why =
        format!("{} per optimizer step of the published recipe; it bounds the number of GPUs", unit(arch));
    notes.assume("global-batch", batch, why, source);
    Ok(batch as u32)
}
