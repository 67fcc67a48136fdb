//! Settings of training and fine-tuning.

use super::defaults::{
    LORA_RANK, SEQ_LEN, SEQ_LEN_OF_MODEL, classes, constant, constant_by_size, goodput_table,
};
use super::{CONVENTION, Notes, class_of, name_of, positive, sized};
use crate::catalog::Catalog;
use crate::catalog::software::Use;
use crate::diag::InputError;
use crate::model::Architecture;
use crate::units::Count;
use crate::workload::choice::{PrecisionChoice, RecomputeChoice, ShardingChoice};
use crate::workload::precision::Precision;
use crate::workload::settings::WorkloadArgs;
use crate::workload::{
    AttentionKernel, Layouts, Method, Offload, Optimizer, Pins, Sharding, Task, Training, software, support,
};

/// Most sequences in an optimizer step.
const MOST_SEQUENCES: u32 = 1 << 26;

/// Completes a training or fine-tuning job.
pub(super) fn training(
    args: &WorkloadArgs,
    catalog: &Catalog,
    arch: &Architecture,
    task: Task,
    pins: Pins,
    notes: &mut Notes,
) -> Result<Training, InputError> {
    let method = args.method.unwrap_or_else(|| {
        notes.assume("method", "full", "all weights are trained", CONVENTION);
        Method::Full
    });
    let fresh = task == Task::Train && method == Method::Full;
    let lora_rank = lora_rank(args, arch, method, notes)?;
    let precision = precision(args, notes)?;
    let optimizer = args.optimizer.unwrap_or_else(|| {
        notes.assume("optimizer", "adamw", "what nearly all language models are trained with", CONVENTION);
        Optimizer::Adamw
    });
    let seq_len = seq_len(args, arch, notes)?;
    context_pin(pins, seq_len)?;
    let micro_batch = sized("micro-batch", args.micro_batch, 1 << 20)?;
    let global_batch = global_batch(args, catalog, arch, fresh, seq_len, pins, notes)?;
    let tokens = tokens(args, catalog, arch, fresh, seq_len, notes)?;
    let (recompute, sharding, attention) = memory_choices(args, notes);
    let framework = framework(args, catalog, notes)?;
    let software = software::row_name(catalog, Use::Train, args.framework.as_deref().unwrap_or(&framework));
    let layouts = layouts(catalog, &software, method, pins, sharding, notes)?;
    if args.goodput.is_none() {
        let (table, source) = goodput_table(catalog);
        let why = "share of the wall time that trains; large jobs lose more to failures and restarts";
        notes.assume("goodput", table, why, source);
    }
    Ok(Training {
        task,
        method,
        lora_rank,
        precision,
        strict: args.strict == Some(true),
        optimizer,
        seq_len,
        global_batch,
        micro_batch,
        tokens,
        recompute,
        sharding,
        offload: offload(args, notes),
        attention,
        framework,
        goodput: args.goodput.map(|share| share.0),
        scaling_efficiency: args.scaling_efficiency.map(|share| share.0),
        fused_loss: args.fused_loss == Some(true),
        software,
        layouts,
    })
}

fn lora_rank(
    args: &WorkloadArgs,
    arch: &Architecture,
    method: Method,
    notes: &mut Notes,
) -> Result<u32, InputError> {
    match (method, args.lora_rank) {
        (Method::Full, Some(_)) => Err(InputError::new(
            "`--lora-rank` with `--method full`",
            "add `--method lora` or `--method qlora`, or leave the rank out",
        )),
        (Method::Full, None) => Ok(0),
        (_, asked) => {
            sized("lora-rank", asked, arch.hidden)?;
            Ok(notes.or_default(asked, "lora-rank", LORA_RANK, "rank of the adapters on all linear layers"))
        }
    }
}

fn precision(args: &WorkloadArgs, notes: &mut Notes) -> Result<Option<Precision>, InputError> {
    match args.precision {
        Some(choice @ (PrecisionChoice::Int8 | PrecisionChoice::Int4)) => Err(InputError::new(
            format!("`--precision {}` is a format of serving, not of training", name_of(&choice)),
            "frozen 4-bit weights are `--method qlora`",
        )),
        Some(choice) => Ok(choice.arithmetic()),
        None => {
            let why = "mixed precision; GPUs without BF16 fall back to FP16 with a warning, or are refused by `--strict`";
            notes.assume("precision", "bf16", why, CONVENTION);
            Ok(None)
        }
    }
}

/// Context parallelism gives each rank at least one token of a sequence.
fn context_pin(pins: Pins, seq_len: u32) -> Result<(), InputError> {
    let Some(cp) = pins.cp.filter(|&cp| cp > seq_len) else { return Ok(()) };
    let message = format!("`--cp {cp}` exceeds the {seq_len} tokens of a sequence (`--seq-len`)");
    Err(InputError::new(message, "context parallelism gives each rank at least one token: lower `--cp`"))
}

fn seq_len(args: &WorkloadArgs, arch: &Architecture, notes: &mut Notes) -> Result<u32, InputError> {
    if let Some(asked) = sized("seq-len", args.seq_len, 1 << 27)? {
        if let Some(native) = arch.native_context.filter(|&native| asked > native) {
            notes.warn(
                "seq-len-above-native",
                format!("sequences of {asked} tokens exceed the context of {}: {native} tokens", arch.name),
            );
        }
        return Ok(asked);
    }
    let (value, why) = match arch.native_context {
        Some(native) if native <= SEQ_LEN_OF_MODEL => {
            (native, format!("context that {} is made for", arch.name))
        }
        Some(native) => (
            SEQ_LEN_OF_MODEL,
            format!("{} is made for {native} tokens, but most training runs on shorter sequences", arch.name),
        ),
        None => (SEQ_LEN, "nothing is known of the context".to_owned()),
    };
    notes.assume("seq-len", value, why, CONVENTION);
    Ok(value)
}

/// Sequences per step: as asked, else by the batch in tokens that published runs of this size used, as a power of two.
fn global_batch(
    args: &WorkloadArgs,
    catalog: &Catalog,
    arch: &Architecture,
    fresh: bool,
    seq_len: u32,
    pins: Pins,
    notes: &mut Notes,
) -> Result<u32, InputError> {
    let pass = u64::from(pins.dp.unwrap_or(1)) * u64::from(args.micro_batch.unwrap_or(1));
    if pass > MOST_SEQUENCES.into() {
        let message = format!("dp x micro-batch = {pass} sequences in one pass is beyond reason");
        return Err(InputError::new(message, format!("a step holds up to {MOST_SEQUENCES} sequences")));
    }
    if let Some(asked) = sized("global-batch", args.global_batch, MOST_SEQUENCES)? {
        if u64::from(asked).is_multiple_of(pass) {
            return Ok(asked);
        }
        let message = format!("`--global-batch {asked}` is no multiple of dp x micro-batch = {pass}");
        return Err(InputError::new(message, "each replica does a whole number of passes in a step"));
    }
    let (wanted, usual, source) = if fresh {
        let (tokens, source) = constant_by_size(catalog, "train-batch-tokens", arch.params)?;
        let usual = format!("near the {} usual at this size", Count(tokens as u64).rounded());
        (tokens / f64::from(seq_len), usual, source)
    } else {
        let (sequences, source) = constant(catalog, "finetune-batch-sequences", None)?;
        (sequences, "usual in fine-tuning".to_owned(), source)
    };
    let power = wanted.max(1.0).log2().round().exp2() as u64;
    let value = power.next_multiple_of(pass) as u32;
    let tokens = Count(u64::from(value) * u64::from(seq_len)).rounded();
    let why = format!("sequences x {seq_len} tokens = {tokens} tokens per step, {usual}");
    notes.assume("global-batch", value, why, source);
    Ok(value)
}

/// Sequences per step that published pretraining runs of this size used, as a power of two; `None` without the constant.
pub fn usual_batch(catalog: &Catalog, params: f64, seq_len: u32) -> Option<u32> {
    let (tokens, _) = constant_by_size(catalog, "train-batch-tokens", params).ok()?;
    Some((tokens / f64::from(seq_len)).max(1.0).log2().round().exp2() as u32)
}

/// Tokens of the job.
fn tokens(
    args: &WorkloadArgs,
    catalog: &Catalog,
    arch: &Architecture,
    fresh: bool,
    seq_len: u32,
    notes: &mut Notes,
) -> Result<f64, InputError> {
    let epochs = positive("epochs", args.epochs, 1e6)?;
    match (args.tokens, args.samples) {
        (Some(_), Some(_)) => {
            Err(InputError::new("`--tokens` and `--samples` exclude each other", "give one"))
        }
        (Some(_), None) if epochs.is_some() => {
            Err(InputError::new("`--epochs` with `--tokens`", "epochs multiply `--samples`"))
        }
        (Some(tokens), None) => Ok(tokens.0 as f64),
        (None, Some(samples)) => {
            let epochs = notes.or_default(epochs, "epochs", 1.0, "one pass over the samples");
            let tokens = samples.0 as f64 * epochs * f64::from(seq_len);
            let why = format!("{samples} samples x {epochs} epochs x {seq_len} tokens");
            notes.assume("tokens", Count(tokens as u64), why, "every sample fills its sequence");
            Ok(tokens)
        }
        (None, None) if epochs.is_some() => {
            Err(InputError::new("`--epochs` without `--samples`", "give the samples, or `--tokens`"))
        }
        (None, None) if fresh => {
            let (each, source) = constant(catalog, "train-tokens-per-param", None)?;
            let of = if arch.moe.is_some() { "parameter, all experts counted" } else { "parameter" };
            let tokens = (each * arch.params).round();
            notes.assume(
                "tokens",
                Count(tokens as u64),
                format!("{each} tokens per {of}, the compute-optimal ratio"),
                source,
            );
            Ok(tokens)
        }
        (None, None) => {
            let (tokens, source) = constant(catalog, "finetune-tokens", None)?;
            notes.assume("tokens", Count(tokens as u64), "a usual size of fine-tuning data", source);
            Ok(tokens)
        }
    }
}

type MemoryChoices = (Option<crate::workload::Recompute>, Option<crate::workload::Sharding>, AttentionKernel);

fn memory_choices(args: &WorkloadArgs, notes: &mut Notes) -> MemoryChoices {
    let auto = "the cheapest that fits is searched for each machine";
    let recompute = args.recompute.unwrap_or_else(|| {
        notes.assume("recompute", "auto", auto, CONVENTION);
        RecomputeChoice::Auto
    });
    let sharding = args.sharding.unwrap_or_else(|| {
        notes.assume("sharding", "auto", auto, CONVENTION);
        ShardingChoice::Auto
    });
    let attention = args.attention.unwrap_or_else(|| {
        notes.assume(
            "attention",
            "flash",
            "attention kernels that keep no score matrix are standard",
            CONVENTION,
        );
        AttentionKernel::Flash
    });
    (recompute.pinned(), sharding.pinned(), attention)
}

/// Offloading costs time and the memory of the host: it is never chosen unasked.
fn offload(args: &WorkloadArgs, notes: &mut Notes) -> Offload {
    args.offload.unwrap_or_else(|| {
        let why = "everything stays on the GPUs; keeping states in the memory of the host is slower and only done on request";
        notes.assume("offload", Offload::None.name(), why, CONVENTION);
        Offload::None
    })
}

/// The layouts that the software has, told where they are not all.
fn layouts(
    catalog: &Catalog,
    software: &str,
    method: Method,
    pins: Pins,
    sharding: Option<Sharding>,
    notes: &mut Notes,
) -> Result<Layouts, InputError> {
    let limited = support::layouts(catalog, software, method, pins, sharding)?;
    if !limited.without.is_empty() {
        let value = format!("no {} parallelism", limited.without.join(", "));
        let why = format!("what `{software}` lacks with `--method {}` is not searched", method.name());
        notes.assume("layouts", value, why, limited.source);
    }
    Ok(limited.layouts)
}

/// Class of training software: a known name, or a class that the catalog has constants for.
fn framework(args: &WorkloadArgs, catalog: &Catalog, notes: &mut Notes) -> Result<String, InputError> {
    let Some(asked) = &args.framework else {
        notes.assume("framework", "generic", "no special software is assumed", CONVENTION);
        return Ok("generic".to_owned());
    };
    class_of(
        asked,
        software::framework_class(catalog, asked),
        &classes(catalog, "stack-efficiency"),
        "framework",
        notes,
    )
    .ok_or_else(|| {
        let hint =
            "name its class: `generic`, or `tuned` for software with fused kernels and overlap throughout";
        InputError::unknown("framework", asked, software::names(catalog, Use::Train), hint)
    })
}
