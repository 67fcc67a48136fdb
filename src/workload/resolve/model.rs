//! Which network is meant: a preset, a file, a shape by hand, or a bare count.

use super::{CONVENTION, ModelFile, Notes, sized};
use crate::catalog::Catalog;
use crate::catalog::preset::Preset;
use crate::diag::InputError;
use crate::model::count::{Details, count};
use crate::model::file::{self as model_file, Contents};
use crate::model::{Architecture, Attention, Kind, Moe, Origin, Reading, hf, infer, preset};
use crate::units::Count;
use crate::workload::settings::WorkloadArgs;

/// What `--model` accepts, for messages.
pub const ACCEPTED: &str = "`--model` takes a preset (`gpuadvise catalog models` lists them), a `config.json` or its folder, a safetensors file or index, a GGUF file; `--params N` needs no model";

/// Counts that disagree by more than this share are worth a warning.
const DISAGREEMENT: f64 = 0.05;

/// The network of a workload.
pub(super) fn model(
    args: &WorkloadArgs,
    catalog: &Catalog,
    file: ModelFile<'_>,
    notes: &mut Notes,
) -> Result<Reading, InputError> {
    let shape = args.shape_flags();
    let by_hand = args.layers.is_some() || args.hidden.is_some();
    let reading = match (&args.model, args.params) {
        (Some(_), Some(_)) => {
            return Err(InputError::new("`--model` and `--params` exclude each other", "give one"));
        }
        (Some(name), None) => match shape.first() {
            None if args.active_params.is_none() => named(name, catalog, file)?,
            flag => {
                let flag = flag.unwrap_or(&"active-params");
                let message = format!("`--{flag}` and `--model` exclude each other");
                return Err(InputError::new(message, "a model brings its own shape"));
            }
        },
        (None, _) if by_hand => shape_by_hand(args, notes)?,
        (None, Some(params)) => match shape.first() {
            None => inferred(params, args.active_params, catalog, notes)?,
            Some(flag) => {
                let message = format!("`--{flag}` belongs to a shape by hand");
                let hint = if flag.contains("expert") {
                    "give `--layers` and `--hidden` too, or `--active-params` instead"
                } else {
                    "give `--layers` and `--hidden` too"
                };
                return Err(InputError::new(message, hint));
            }
        },
        (None, None) => {
            let hint = "give `--params N`, `--model NAME` or `--layers N --hidden N`";
            return Err(InputError::new("the model is not said", hint));
        }
    };
    for note in &reading.notes {
        notes.warn("model-reading", note);
    }
    Ok(reading)
}

/// A preset by name, unless the text can only be a path; else a file.
fn named(name: &str, catalog: &Catalog, file: ModelFile<'_>) -> Result<Reading, InputError> {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
    if ["bin", "pt", "pth", "ckpt", "onnx"].contains(&end.as_str()) {
        let message =
            format!("`{name}` holds weights in a format without a header of shapes, which is not read");
        return Err(InputError::new(message, ACCEPTED));
    }
    let only_path =
        name.starts_with(['.', '/', '~', '\\']) || ["json", "safetensors", "gguf"].contains(&end.as_str());
    let preset = catalog.resolve_preset(name);
    if let Ok(preset) = preset
        && !only_path
    {
        return Ok(preset::architecture(preset, catalog));
    }
    match (file(name)?, preset) {
        (Some(Contents::Config(text)), _) => hf::parse(name, &text),
        (Some(Contents::Safetensors { tensors, config }), _) => {
            model_file::safetensors_reading(name, tensors, config.as_deref())
        }
        (Some(Contents::Gguf(gguf)), _) => model_file::gguf_reading(name, &gguf),
        (None, Err(unknown)) if !only_path => {
            let message = format!("unknown model `{name}`");
            Err(InputError { message, hint: ACCEPTED.to_owned(), near: unknown.names })
        }
        (None, _) => Err(InputError::new(format!("`--model {name}`: no such file"), ACCEPTED)),
    }
}

/// A guess from the count, with the range of what public models of that size look like.
fn inferred(
    params: Count,
    active: Option<Count>,
    catalog: &Catalog,
    notes: &mut Notes,
) -> Result<Reading, InputError> {
    let architecture = match active {
        Some(active) => infer::mixture(params.0 as f64, active.0 as f64)?,
        None => infer::dense(params.0 as f64)?,
    };
    let why = format!(
        "the shape is inferred from the parameter count alone, so activations, KV cache and speed are a range{}: \
         give `--model` or the shape for a fact",
        similar_models(catalog, active.unwrap_or(params).0 as f64)
    );
    notes.assume("shape", shape_text(&architecture), why, architecture.source.clone());
    Ok(Reading { architecture, checkpoint: None, image_tokens: 0, stored: None, notes: Vec::new() })
}

/// What public dense decoders of about this size look like, as the end of a sentence.
fn similar_models(catalog: &Catalog, size: f64) -> String {
    let similar: Vec<&Preset> = catalog
        .presets
        .iter()
        .filter(|p| p.kind == "decoder" && p.experts.is_none())
        .filter(|p| (0.7..=1.4).contains(&(p.params as f64 / size)))
        .collect();
    let range = |of: fn(&Preset) -> u32| {
        let values = || similar.iter().map(|p| of(p));
        values().min().zip(values().max())
    };
    let (Some((l0, l1)), Some((h0, h1))) = (range(|p| p.layers), range(|p| p.hidden)) else {
        return "; public models of one size differ by half in depth and width".to_owned();
    };
    let count = similar.len();
    format!(
        "; {count} public dense models of 0.7 to 1.4 times this size have {l0} to {l1} layers, {h0} to {h1} wide"
    )
}

fn shape_text(arch: &Architecture) -> String {
    let mlp = arch.moe.map_or_else(
        || format!("MLP {}", arch.ffn),
        |moe| format!("{} experts of {}, {} per token", moe.experts, moe.expert_ffn, moe.experts_per_token),
    );
    format!(
        "{} layers, hidden {}, {} heads of {} ({} KV), {mlp}, vocabulary {}",
        arch.layers, arch.hidden, arch.heads, arch.head_dim, arch.kv_heads, arch.vocab
    )
}

/// A shape from flags.
fn shape_by_hand(args: &WorkloadArgs, notes: &mut Notes) -> Result<Reading, InputError> {
    let (Some(layers), Some(hidden)) = (args.layers, args.hidden) else {
        let hint = "a shape by hand needs both; all else has a default";
        return Err(InputError::new("`--layers` and `--hidden` belong together", hint));
    };
    sized("hidden", args.hidden, 1 << 20)?;
    let gated_mlp = args.plain_mlp != Some(true);
    let (heads, head_dim) = heads(args, hidden, notes)?;
    let moe = experts(args, hidden, gated_mlp, notes)?;
    let ffn = match (moe, args.ffn) {
        (Some(_), _) => 0,
        (None, Some(ffn)) => ffn,
        (None, None) => default_ffn(hidden, gated_mlp, notes),
    };
    let mut architecture = Architecture {
        name: "by-hand".to_owned(),
        origin: Origin::ByHand,
        kind: Kind::Decoder,
        params: 0.0,
        active_params: 0.0,
        layers,
        hidden,
        heads,
        kv_heads: notes.or_default(args.kv_heads, "kv-heads", heads, "every head has its own key and value"),
        head_dim,
        ffn,
        gated_mlp,
        vocab: notes.or_default(args.vocab, "vocab", infer::vocab(hidden), infer::VOCAB_RULE),
        tied_embeddings: args.tied_embeddings == Some(true),
        native_context: None,
        attention: Attention::Heads,
        window: None,
        moe,
        kv_caveat: None,
        source: "given by hand".to_owned(),
    };
    architecture.check()?;
    set_counts(args, &mut architecture, notes)?;
    Ok(Reading { architecture, checkpoint: None, image_tokens: 0, stored: None, notes: Vec::new() })
}

/// Parameters of a shape by hand: the asked count where it agrees with the shape, else the shape's own.
fn set_counts(args: &WorkloadArgs, arch: &mut Architecture, notes: &mut Notes) -> Result<(), InputError> {
    let counted = count(arch, &Details::default());
    if args.active_params.is_some() && arch.moe.is_none() {
        let message = "`--active-params` with a dense shape by hand";
        return Err(InputError::new(message, "give `--experts` and `--experts-per-token` too"));
    }
    let mut agreed = |flag: &str, asked: Option<Count>, counted: f64| {
        let Some(asked) = asked else { return counted };
        let asked = asked.0 as f64;
        if (asked / counted - 1.0).abs() <= DISAGREEMENT {
            return asked;
        }
        let (said, has) = (Count(asked as u64).rounded(), Count(counted as u64).rounded());
        notes.warn(
            "params-disagree",
            format!("`--{flag}` says {said}, but the shape has {has}; the shape is used"),
        );
        counted
    };
    arch.params = agreed("params", args.params, counted.total);
    arch.active_params = agreed("active-params", args.active_params, counted.active).min(arch.params);
    Ok(())
}

/// Heads and their width; each follows from the other.
fn heads(args: &WorkloadArgs, hidden: u32, notes: &mut Notes) -> Result<(u32, u32), InputError> {
    let divide = |by: u32, flag: &str, other: &str| {
        if by > 0 && hidden.is_multiple_of(by) {
            return Ok(hidden / by);
        }
        let message = format!("`--{flag} {by}` does not divide `--hidden {hidden}`");
        Err(InputError::new(message, format!("give `--{other}` too")))
    };
    match (args.heads, args.head_dim) {
        (Some(heads), Some(head_dim)) => Ok((heads, head_dim)),
        (Some(heads), None) => Ok((heads, divide(heads, "heads", "head-dim")?)),
        (None, Some(head_dim)) => Ok((divide(head_dim, "head-dim", "heads")?, head_dim)),
        (None, None) => {
            let Some(head_dim) = [128, 64, 32].into_iter().find(|&width| hidden.is_multiple_of(width)) else {
                return Err(InputError::new(
                    format!("the heads of `--hidden {hidden}` are not said"),
                    "give `--heads`",
                ));
            };
            notes.assume(
                "heads",
                hidden / head_dim,
                format!("heads of {head_dim}, the usual width"),
                CONVENTION,
            );
            Ok((hidden / head_dim, head_dim))
        }
    }
}

/// The width that keeps the parameters of a plain MLP of four times the width (Touvron et al. 2023, section 2.2).
fn default_ffn(hidden: u32, gated: bool, notes: &mut Notes) -> u32 {
    if gated {
        let ffn = (u64::from(hidden) * 8).div_ceil(3).next_multiple_of(256) as u32;
        notes.assume(
            "ffn",
            ffn,
            "8/3 of the width, rounded up to 256",
            "LLaMA, Touvron et al. 2023, section 2.2",
        );
        ffn
    } else {
        let ffn = hidden.saturating_mul(4);
        notes.assume("ffn", ffn, "four times the width", "Vaswani et al. 2017, section 3.3");
        ffn
    }
}

fn experts(
    args: &WorkloadArgs,
    hidden: u32,
    gated: bool,
    notes: &mut Notes,
) -> Result<Option<Moe>, InputError> {
    let Some(experts) = args.experts else {
        let alone = [("experts-per-token", args.experts_per_token), ("expert-ffn", args.expert_ffn)];
        return match alone.into_iter().find(|(_, value)| value.is_some()) {
            Some((flag, _)) => {
                Err(InputError::new(format!("`--{flag}` without `--experts`"), "give the experts per layer"))
            }
            None => Ok(None),
        };
    };
    let Some(experts_per_token) = args.experts_per_token else {
        return Err(InputError::new(
            "`--experts` without `--experts-per-token`",
            "give the experts that a token uses",
        ));
    };
    if experts_per_token > experts {
        let message = format!("`--experts-per-token {experts_per_token}` exceeds `--experts {experts}`");
        return Err(InputError::new(message, ""));
    }
    let expert_ffn = match args.expert_ffn.or(args.ffn) {
        Some(ffn) => ffn,
        None => default_ffn(hidden, gated, notes),
    };
    Ok(Some(Moe {
        experts,
        experts_per_token,
        expert_ffn,
        shared_experts: 0.0,
        dense_first_layers: 0,
        every: 1,
    }))
}
