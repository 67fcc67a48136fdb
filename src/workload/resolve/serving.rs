//! Settings of serving.

use super::defaults::{CONCURRENCY, HOURS, INPUT_LEN, KV_BYTES, MAX_MODEL_LEN, OUTPUT_LEN, classes};
use super::{CONVENTION, Notes, class_of, positive, servable, sized};
use crate::catalog::Catalog;
use crate::catalog::software::Use;
use crate::diag::InputError;
use crate::model::file::Stored;
use crate::model::{Architecture, Attention, Origin, Reading};
use crate::units::Hours;
use crate::workload::choice::{KvPrecision, PrecisionChoice};
use crate::workload::precision::Quantization;
use crate::workload::settings::WorkloadArgs;
use crate::workload::{KvRule, Serving, software};

/// Completes a serving job.
pub(super) fn serving(
    args: &WorkloadArgs,
    catalog: &Catalog,
    reading: &Reading,
    notes: &mut Notes,
) -> Result<Serving, InputError> {
    let arch = &reading.architecture;
    servable(arch)?;
    let precision = args.precision.and_then(PrecisionChoice::arithmetic);
    if precision.is_none() {
        notes.assume("precision", "bf16", "16-bit arithmetic; GPUs without BF16 use FP16", CONVENTION);
    }
    let quantization = quantization(args, catalog, reading, notes)?;
    let kv = args.kv_precision;
    if kv.is_none() {
        notes.assume("kv-precision", "16 bits", "keys and values as computed", CONVENTION);
    }
    let (input_len, output_len) = lengths(args, reading, notes)?;
    let rps = positive("rps", args.rps, 1e9)?;
    let (ttft_ms, tpot_ms) = (latency("ttft", args.ttft)?, latency("tpot", args.tpot)?);
    let engine = engine(args, catalog, arch, notes)?;
    let software = software::row_name(catalog, Use::Serve, args.engine.as_deref().unwrap_or(&engine));
    Ok(Serving {
        precision,
        quantization,
        kv_bytes: kv.map_or(KV_BYTES, KvPrecision::bytes),
        kv_precision: kv.map_or("auto", KvPrecision::name).to_owned(),
        input_len,
        output_len,
        concurrency: concurrency(args, rps, notes)?,
        rps,
        ttft_ms,
        tpot_ms,
        max_model_len: max_model_len(args, arch, input_len + output_len, notes)?,
        engine,
        software,
        kv_rule: kv_rule(args, arch, notes),
        hours: notes.or_default(args.hours, "hours", Hours(HOURS), "one month of operation").0,
    })
}

/// Tokens of a prompt and of an answer. Together they must not exceed the longest sequence asked, else the model's own
/// context: what is not asked is cut to that, what is asked is refused.
fn lengths(args: &WorkloadArgs, reading: &Reading, notes: &mut Notes) -> Result<(u32, u32), InputError> {
    let (most, arch) = (1 << 27, &reading.architecture);
    // An image in the prompt besides the usual text.
    let usual = INPUT_LEN + reading.image_tokens;
    let (input, output) =
        (sized("input-len", args.input_len, most)?, sized("output-len", args.output_len, most)?);
    let asked_limit = sized("max-model-len", args.max_model_len, 1 << 28)?;
    let limit = asked_limit.or(arch.native_context).unwrap_or(u32::MAX);
    let room = |taken: u32| limit.saturating_sub(taken).max(1);
    let (input_len, output_len) = match (input, output) {
        (Some(input), Some(output)) => (input, output),
        (Some(input), None) => (input, OUTPUT_LEN.min(room(input))),
        (None, Some(output)) => (usual.min(room(output)), output),
        (None, None) => {
            let output = OUTPUT_LEN.min((limit / 2).max(1));
            (usual.min(room(output)), output)
        }
    };
    let request = input_len + output_len;
    if request > limit {
        return Err(match asked_limit {
            Some(asked) => InputError::new(
                format!("a request has {request} tokens, more than `--max-model-len {asked}`"),
                "raise it, or shorten `--input-len` or `--output-len`",
            ),
            None => InputError::new(
                format!(
                    "a request has {request} tokens, more than the context of {}: {limit} tokens",
                    arch.name
                ),
                "shorten `--input-len` or `--output-len`, or give `--max-model-len` to go beyond what the model was made for",
            ),
        });
    }
    let why = |what: &str, value: u32, usual: u32| {
        if value < usual {
            format!("{what}: {usual}, cut so that a request fits the longest sequence of {limit} tokens")
        } else {
            what.to_owned()
        }
    };
    if input.is_none() {
        let why = why("tokens of a prompt", input_len, INPUT_LEN);
        notes.assume("input-len", input_len, why, CONVENTION);
    }
    if output.is_none() {
        let why = why("tokens of an answer", output_len, OUTPUT_LEN);
        notes.assume("output-len", output_len, why, CONVENTION);
    }
    Ok((input_len, output_len))
}

fn concurrency(args: &WorkloadArgs, rps: Option<f64>, notes: &mut Notes) -> Result<u32, InputError> {
    let asked = sized("concurrency", args.concurrency, 1 << 24)?;
    match (asked, rps) {
        (Some(_), Some(_)) => {
            Err(InputError::new("`--concurrency` and `--rps` exclude each other", "give the load one way"))
        }
        (None, Some(_)) => Ok(CONCURRENCY),
        (asked, None) => {
            Ok(notes.or_default(asked, "concurrency", CONCURRENCY, "requests in flight at the same time"))
        }
    }
}

/// A latency in ms. Nobody means minutes here: a bare number, which would be hours, is a slip.
fn latency(flag: &str, asked: Option<Hours>) -> Result<Option<f64>, InputError> {
    match asked {
        Some(hours) if hours.0 > 1.0 / 6.0 => Err(InputError::new(
            format!("`--{flag} {hours}` is longer than ten minutes"),
            format!("write the unit: `--{flag} 500ms` or `--{flag} 2s`"),
        )),
        _ => Ok(asked.map(Hours::ms)),
    }
}

/// How long the longest sequence may be: as asked, else what the model was made for, up to a limit.
fn max_model_len(
    args: &WorkloadArgs,
    arch: &Architecture,
    request: u32,
    notes: &mut Notes,
) -> Result<u32, InputError> {
    let native = arch.native_context;
    let length = if let Some(asked) = sized("max-model-len", args.max_model_len, 1 << 28)? {
        asked
    } else {
        let usual = native.map_or(MAX_MODEL_LEN, |native| native.min(MAX_MODEL_LEN));
        let why = if request > usual {
            "the length of a request"
        } else {
            "the smaller of the model's context and 8192"
        };
        let value = usual.max(request);
        notes.assume("max-model-len", value, why, CONVENTION);
        value
    };
    if let Some(native) = native.filter(|&native| length > native) {
        notes.warn(
            "max-model-len-above-native",
            format!("sequences of {length} tokens exceed the context of {}: {native} tokens", arch.name),
        );
    }
    Ok(length)
}

/// Class of serving software: a known name, or a class that the catalog has constants for.
fn engine(
    args: &WorkloadArgs,
    catalog: &Catalog,
    arch: &Architecture,
    notes: &mut Notes,
) -> Result<String, InputError> {
    let Some(asked) = &args.engine else {
        if arch.origin == Origin::Gguf {
            notes.assume("engine", "llama.cpp", "the engine that GGUF files are made for", CONVENTION);
            return Ok("llama.cpp".to_owned());
        }
        notes.assume("engine", "vllm", "the most used open serving engine", CONVENTION);
        return Ok("vllm".to_owned());
    };
    class_of(
        asked,
        software::engine_class(catalog, asked),
        &classes(catalog, "serve-bandwidth"),
        "engine",
        notes,
    )
    .ok_or_else(|| {
        let hint = "name an engine that works alike: `vllm`, `tensorrt-llm`, `llama.cpp` or `eager`";
        InputError::unknown("engine", asked, software::names(catalog, Use::Serve), hint)
    })
}

/// Only worth a line where the rules differ.
fn kv_rule(args: &WorkloadArgs, arch: &Architecture, notes: &mut Notes) -> KvRule {
    args.kv_rule.unwrap_or_else(|| {
        let latent = matches!(arch.attention, Attention::Latent { .. });
        if arch.window.is_some() || latent {
            let why = "layers with a window keep at most the window, and latent attention keeps its latent";
            notes.assume("kv-rule", "windowed", why, CONVENTION);
        }
        KvRule::Windowed
    })
}

/// How weights are stored: as asked, else by the precision asked, else as the checkpoint is published.
fn quantization(
    args: &WorkloadArgs,
    catalog: &Catalog,
    reading: &Reading,
    notes: &mut Notes,
) -> Result<Quantization, InputError> {
    let by_precision = args.precision.and_then(format_of_precision);
    if let Some(asked) = &args.quantization {
        let asked = asked.to_ascii_lowercase().replace('-', "_");
        if let Some(stored) = reading.stored.as_ref().filter(|stored| stored.format == asked) {
            return Ok(as_stored(catalog, stored, &asked));
        }
        if let (Some(PrecisionChoice::Int4 | PrecisionChoice::Int8), Some(format)) =
            (args.precision, by_precision)
            && format != asked
        {
            let message = format!("`--precision {format}` and `--quantization {asked}` name two formats");
            return Err(InputError::new(message, "leave `--precision` out"));
        }
        return format(catalog, &asked, args.precision);
    }
    if let Some(name) = by_precision {
        notes.assume("quantization", name, format!("`--precision {name}` stores the weights so"), CONVENTION);
        return format(catalog, name, args.precision);
    }
    if let Some(stored) =
        reading.stored.as_ref().filter(|stored| args.precision.is_none() && !is_plain(&stored.format))
    {
        let name = published_format(&stored.format).unwrap_or(&stored.format).to_owned();
        let why = format!(
            "the file holds {:.2} GiB of weights, {:.2} bits a parameter over all matrices",
            stored.bytes / f64::from(1 << 30),
            stored.bits
        );
        notes.assume("quantization", &name, why, reading.architecture.source.clone());
        return Ok(as_stored(catalog, stored, &name));
    }
    let published =
        reading.checkpoint.as_deref().and_then(published_format).filter(|_| args.precision.is_none());
    if let Some(name) = published {
        let why = format!(
            "the weights of {} are published so; `--quantization none` is 16 bits",
            reading.architecture.name
        );
        notes.assume("quantization", name, why, reading.architecture.source.clone());
        return format(catalog, name, None);
    }
    notes.assume("quantization", "none", "weights in the precision of the arithmetic", CONVENTION);
    format(catalog, "none", args.precision)
}

/// Weights as a file stores them: the bits are those of all matrices of the file, so that the bytes are exact; the
/// arithmetic is that of the format.
fn as_stored(catalog: &Catalog, stored: &Stored, name: &str) -> Quantization {
    let compute = Quantization::named(catalog, name).and_then(|known| known.compute);
    Quantization { name: name.to_owned(), bits: stored.bits, embeddings_too: true, compute }
}

/// Formats that weights are trained in; serving loads them with 16 bits.
fn is_plain(format: &str) -> bool {
    ["bfloat16", "float16", "float32", "bf16", "f16", "f32"].contains(&format)
}

/// The plain storage format that a precision means; `None` for the formats that weights are trained in.
fn format_of_precision(choice: PrecisionChoice) -> Option<&'static str> {
    match choice {
        PrecisionChoice::Fp8 => Some("fp8"),
        PrecisionChoice::Fp4 => Some("nvfp4"),
        PrecisionChoice::Int8 => Some("int8"),
        PrecisionChoice::Int4 => Some("int4"),
        _ => None,
    }
}

/// The storage format that the description of a checkpoint names; `None` for plain 16 and 32 bits.
fn published_format(checkpoint: &str) -> Option<&'static str> {
    const FORMATS: [(&str, &str); 10] = [
        ("mxfp4", "mxfp4"),
        ("nvfp4", "nvfp4"),
        ("fp4", "mxfp4"),
        ("nf4", "nf4"),
        ("awq", "awq"),
        ("gptq-int8", "gptq_int8"),
        ("gptq", "gptq"),
        ("int4", "int4"),
        ("fp8", "fp8"),
        ("int8", "int8"),
    ];
    let lower = checkpoint.to_ascii_lowercase();
    FORMATS.iter().find(|(word, _)| lower.contains(word)).map(|&(_, name)| name)
}

/// A storage format by name: its bits from the catalog, its arithmetic from its definition.
fn format(
    catalog: &Catalog,
    name: &str,
    precision: Option<PrecisionChoice>,
) -> Result<Quantization, InputError> {
    if name == "none" {
        let wide = matches!(precision, Some(PrecisionChoice::Fp32 | PrecisionChoice::Tf32));
        let bits = if wide { 32.0 } else { 16.0 };
        return Ok(Quantization { name: name.to_owned(), bits, embeddings_too: false, compute: None });
    }
    let known = classes(catalog, "weight-bits");
    if !known.contains(&name) {
        let all = format!("known formats: none, {}", known.join(", "));
        return Err(InputError::unknown("quantization", name, known.iter().copied().chain(["none"]), all));
    }
    Quantization::named(catalog, name).ok_or_else(|| {
        let message = format!("the catalog has no constant `weight-bits` of class `{name}`");
        InputError::new(message, "add a [[constant]] row")
    })
}
