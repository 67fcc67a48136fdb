//! Defaults of the command line that hold for every model, and look-up of the ones that are catalog data.

use crate::catalog::Catalog;
use crate::catalog::knowledge::Constant;
use crate::diag::InputError;
use crate::units::Count;

/// Rank of LoRA adapters.
pub(super) const LORA_RANK: u32 = 16;
/// Tokens per sequence when the model does not tell.
pub(super) const SEQ_LEN: u32 = 2048;
/// Longest sequence taken from a model's context: longer ones come from a short last phase of training.
pub(super) const SEQ_LEN_OF_MODEL: u32 = 8192;
/// Prompt tokens of a request.
pub(super) const INPUT_LEN: u32 = 1024;
/// Generated tokens of a request.
pub(super) const OUTPUT_LEN: u32 = 256;
/// Requests in flight.
pub(super) const CONCURRENCY: u32 = 1;
/// Longest sequence an engine is set up for.
pub(crate) const MAX_MODEL_LEN: u32 = 8192;
/// Bytes of a key or value in 16 bits.
pub(super) const KV_BYTES: f64 = 2.0;
/// Hours of a month.
pub(super) const HOURS: f64 = 730.0;

/// A catalog constant by key and class, with its source as text.
pub(super) fn constant(
    catalog: &Catalog,
    key: &str,
    class: Option<&str>,
) -> Result<(f64, String), InputError> {
    let of_class = |c: &&Constant| c.key == key && c.class.as_deref() == class;
    match catalog.constants.iter().find(of_class) {
        Some(constant) => Ok((constant.value, source(catalog, constant))),
        None => Err(InputError::new(
            format!("the catalog has no constant `{key}`"),
            "add it to an overlay of `--catalog`, or give the setting",
        )),
    }
}

/// The constant of the smallest size class (`1.3B`) that holds `size`, else of the largest one.
pub(super) fn constant_by_size(catalog: &Catalog, key: &str, size: f64) -> Result<(f64, String), InputError> {
    let mut classes: Vec<(u64, &Constant)> = catalog
        .constants
        .iter()
        .filter(|c| c.key == key)
        .filter_map(|c| Some((c.class.as_deref()?.parse::<Count>().ok()?.0, c)))
        .collect();
    classes.sort_by_key(|&(count, _)| count);
    let found = classes.iter().find(|&&(count, _)| count as f64 >= size).or(classes.last());
    match found {
        Some((_, constant)) => Ok((constant.value, source(catalog, constant))),
        None => constant_missing(key),
    }
}

fn constant_missing<T>(key: &str) -> Result<T, InputError> {
    Err(InputError::new(
        format!("the catalog has no constant `{key}` by size"),
        "add it to an overlay of `--catalog`, or give the setting",
    ))
}

/// The goodput by number of GPUs in words, with its sources: `0.95 up to 8 GPUs, 0.92 up to 64, 0.8 above`.
pub(super) fn goodput_table(catalog: &Catalog) -> (String, String) {
    let mut rows: Vec<&Constant> =
        catalog.constants.iter().filter(|c| c.key == "goodput" && c.gpu.is_none()).collect();
    rows.sort_by_key(|c| c.max_gpus.unwrap_or(u32::MAX));
    let (mut table, mut sources): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for row in rows {
        let unit = if table.is_empty() { " GPUs" } else { "" };
        table.push(match row.max_gpus {
            Some(gpus) => format!("{} up to {gpus}{unit}", row.value),
            None => format!("{} above", row.value),
        });
        let source = source(catalog, row);
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    (table.join(", "), sources.join("; "))
}

/// Classes that a key knows, sorted.
pub(super) fn classes<'a>(catalog: &'a Catalog, key: &str) -> Vec<&'a str> {
    let mut classes: Vec<&str> =
        catalog.constants.iter().filter(|c| c.key == key).filter_map(|c| c.class.as_deref()).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

fn source(catalog: &Catalog, constant: &Constant) -> String {
    catalog
        .sources
        .get(usize::from(constant.source.0))
        .map_or_else(String::new, |source| format!("{} ({})", source.text, source.as_of))
}
