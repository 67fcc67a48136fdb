//! Formats of weights and of the KV cache, as sources write them.

use super::super::Skip;
use super::super::question::Question;
use crate::catalog::Catalog;
use crate::workload::precision::{Precision, Quantization};

/// Formats that mean 16-bit weights.
const PLAIN: [&str; 7] = ["", "fp16", "bf16", "f16", "float16", "bfloat16", "fp16/bf16 (16-bit default)"];

/// Bits of a weight in GPTQ and AWQ, and of what each group of weights has besides: a 16-bit scale and a 4-bit zero point.
const INT4_BITS: f64 = 4.0;
const GROUP_BITS: f64 = 20.0;

/// Bytes of one KV value by the name of its format; block formats of GGUF carry a scale for each 32 values.
const KV_BYTES: [(&str, f64); 11] = [
    ("", 2.0),
    ("auto", 2.0),
    ("fp16", 2.0),
    ("f16", 2.0),
    ("bf16", 2.0),
    ("fp8", 1.0),
    ("fp8_e4m3", 1.0),
    ("fp8_e5m2", 1.0),
    ("int8", 1.0),
    ("q8_0", 1.0625),
    ("q4_0", 0.5625),
];

/// How the weights are stored, and the arithmetic where the row fixes it.
pub(super) fn weights(
    catalog: &Catalog,
    question: &Question,
    experts: bool,
) -> Result<(Quantization, Option<Precision>), Skip> {
    let text = question.lower("weight_precision");
    let unknown = || Skip::new(format!("the catalog has no weight format `{text}`"));
    if PLAIN.contains(&text.as_str()) {
        let asked = match text.as_str() {
            "fp16" | "f16" | "float16" => Some(Precision::Fp16),
            _ => None,
        };
        return Quantization::named(catalog, "none").map(|format| (format, asked)).ok_or_else(unknown);
    }
    if text == "fp32" || text == "float32" {
        let plain = Quantization::named(catalog, "none").ok_or_else(unknown)?;
        return Ok((Quantization { bits: 32.0, ..plain }, Some(Precision::Fp32)));
    }
    let format = exl2(catalog, &text)
        .or_else(|| Quantization::named(catalog, name(&text, experts)?).map(|format| grouped(&text, format)))
        .ok_or_else(unknown)?;
    Ok((format, None))
}

/// `EXL2 4.0 bpw`: the bits stand in the name.
fn exl2(catalog: &Catalog, text: &str) -> Option<Quantization> {
    let bits = text.strip_prefix("exl2")?.split_whitespace().next()?.parse::<f64>().ok()?;
    Quantization::named(catalog, "exl2").map(|format| Quantization { bits, ..format })
}

/// `GPTQ-4bit g32`: a 16-bit scale and a 4-bit zero point for each group of 32.
fn grouped(text: &str, format: Quantization) -> Quantization {
    let stated = text.split([' ', '-', '_']).find_map(|word| word.strip_prefix('g')?.parse::<f64>().ok());
    match (format.name.as_str(), stated) {
        ("gptq" | "awq", Some(group)) if group >= 1.0 => {
            Quantization { bits: INT4_BITS + GROUP_BITS / group, ..format }
        }
        _ => format,
    }
}

/// The name in the catalog of a format as sources write it.
fn name(text: &str, experts: bool) -> Option<&'static str> {
    let words = [
        ("mxfp4", "mxfp4"),
        ("nvfp4", "nvfp4"),
        ("w8a8", "int8"),
        ("w8a16", "gptq_int8"),
        ("gptq-int8", "gptq_int8"),
        ("gptq-8bit", "gptq_int8"),
        ("int8 gptq", "gptq_int8"),
        ("w4a16", "int4"),
        ("awq", "awq"),
        ("gptq", "gptq"),
        ("autoround", "int4"),
        ("marlin", "int4"),
        ("nf4", "nf4"),
        ("fp8", "fp8"),
        ("int8", "int8"),
        ("int4", "int4"),
        ("4bit", "int4"),
    ];
    // Published weights in FP4 are those of mixtures in MXFP4, where nothing else is said.
    if text == "fp4" {
        return Some(if experts { "mxfp4" } else { "nvfp4" });
    }
    words.iter().find(|(word, _)| text.contains(word)).map(|&(_, name)| name).or_else(|| gguf(text))
}

/// GGUF mixes come in many makes of the same base format.
fn gguf(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches("ud-");
    let starts = [
        ("q2_k", "q2_k"),
        ("q3_k", "q3_k_m"),
        ("q4_k_s", "q4_k_s"),
        ("q4_k", "q4_k_m"),
        ("q4_0", "q4_0"),
        ("q5_k", "q5_k_m"),
        ("q6_k", "q6_k"),
        ("q8", "q8_0"),
        ("iq3", "iq3_xxs"),
        ("iq4", "iq4_xs"),
    ];
    starts.iter().find(|(start, _)| text.starts_with(start)).map(|&(_, name)| name)
}

/// Bytes of one KV value. TensorRT-LLM checkpoints in FP8 and FP4 hold FP8 scales of the KV cache, which is then kept so.
pub(super) fn kv_bytes(question: &Question, engine: &str, format: &Quantization) -> Result<f64, Skip> {
    let text = question.lower("kv_precision");
    let narrow = matches!(format.compute, Some(Precision::Fp8 | Precision::Fp4)) && format.name != "mxfp4";
    if text.is_empty() && engine.starts_with("tensorrt-llm") && narrow {
        return Ok(1.0);
    }
    if text == "int4" {
        return Ok(0.5);
    }
    let known = KV_BYTES.iter().find(|(name, _)| *name == text).map(|&(_, bytes)| bytes);
    known.ok_or_else(|| Skip::new(format!("the KV format `{text}` is not known")))
}
