//! What the catalog knows of the software of a workload: which parallel layouts it has, which formats a row means.
//!
//! No software is named here: names and what they have are rows of `catalog/software.toml`.

use super::{Method, Pins, Sharding};
use crate::catalog::Catalog;
use crate::catalog::knowledge::Constant;
use crate::diag::InputError;

/// Parallel layouts that training software has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one row of the catalog each")]
pub struct Layouts {
    /// Layers are split.
    pub tensor: bool,
    /// Stages of layers.
    pub pipeline: bool,
    /// Sequences are split.
    pub context: bool,
    /// Experts are spread.
    pub experts: bool,
    /// The most that data-parallel ranks share out.
    pub most: Sharding,
}

impl Default for Layouts {
    fn default() -> Self {
        Self { tensor: true, pipeline: true, context: true, experts: true, most: Sharding::Zero3 }
    }
}

/// No software in particular: what its usual libraries lack is not searched, but a pin stands.
const ANY: &str = "generic";

/// The format of weights as rows name it: all types of GGUF files are one.
pub fn format_of_rows(format: &str) -> &str {
    let rest = format.strip_prefix('i').unwrap_or(format);
    let block = rest.strip_prefix('q').is_some_and(|bits| bits.starts_with(|c: char| c.is_ascii_digit()));
    if block { "gguf" } else { format }
}

/// What is left out of the search, and where that is from.
#[derive(Debug)]
pub(super) struct Limited {
    pub(super) layouts: Layouts,
    /// Names of what is missing.
    pub(super) without: Vec<&'static str>,
    /// Source of the first row that says so.
    pub(super) source: String,
}

/// The layouts of training software for a method, by the rows of the catalog; what has no row it may have. A pin that
/// named software cannot hold is refused.
pub(super) fn layouts(
    catalog: &Catalog,
    software: &str,
    method: Method,
    pins: Pins,
    sharding: Option<Sharding>,
) -> Result<Limited, InputError> {
    let row = |key: &str| catalog.constant(key, None, Some(method.name()), Some(software), 1);
    let mut limited = Limited { layouts: Layouts::default(), without: Vec::new(), source: String::new() };
    let parts = [
        ("train-tensor", "tensor", "tp", pins.tp),
        ("train-pipeline", "pipeline", "pp", pins.pp),
        ("train-context", "context", "cp", pins.cp),
        ("train-experts", "expert", "ep", pins.ep),
    ];
    let mut has = [true; 4];
    for (has, (key, name, flag, pin)) in has.iter_mut().zip(parts) {
        let Some(row) = row(key).filter(|row| row.value < 1.0) else { continue };
        *has = false;
        let source = said(catalog, row);
        if let Some(size) = pin.filter(|&size| size > 1 && software != ANY) {
            let message = format!("`--{flag} {size}`, but `{software}` has no {name} parallelism ({source})");
            return Err(InputError::new(message, format!("leave `--{flag}` out or change `--framework`")));
        }
        limited.without.push(name);
        if limited.source.is_empty() {
            limited.source = source;
        }
    }
    let [tensor, pipeline, context, experts] = has;
    let zero = row("train-zero");
    let most = zero.map_or(Sharding::Zero3, |row| stage(row.value));
    if let (Some(asked), Some(row)) = (sharding.filter(|&asked| asked > most), zero) {
        let message = format!(
            "`--sharding {}`, but `{software}` goes up to `{}` ({})",
            asked.name(),
            most.name(),
            said(catalog, row)
        );
        return Err(InputError::new(message, "lower `--sharding` or change `--framework`"));
    }
    limited.layouts = Layouts { tensor, pipeline, context, experts, most };
    Ok(limited)
}

fn stage(value: f64) -> Sharding {
    if value >= 3.0 {
        Sharding::Zero3
    } else if value >= 2.0 {
        Sharding::Zero2
    } else if value >= 1.0 {
        Sharding::Zero1
    } else {
        Sharding::Ddp
    }
}

fn said(catalog: &Catalog, row: &Constant) -> String {
    catalog.source(row.source).text.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gguf_types_are_one_format_and_others_are_not() {
        for format in ["q4_k_m", "q8_0", "iq3_xxs", "q2_k"] {
            assert_eq!(format_of_rows(format), "gguf");
        }
        for format in ["int4", "fp8", "awq", "gptq", "qserve"] {
            assert_eq!(format_of_rows(format), format);
        }
    }
}
