//! Files that hold a network's weights: their headers tell shapes, parameters and bytes exactly.
//!
//! Pure: bytes come from a reader, and nothing of the weights themselves is read. Lengths and counts of a header are never
//! trusted: each is checked against a limit or against the length of the file before anything is allocated for it.

mod gguf;
mod names;
mod safetensors;

pub use gguf::{Gguf, gguf, gguf_reading};
pub use safetensors::{Index, index, safetensors, safetensors_reading};

use super::Reading;
use super::hf::checkpoint_name;
use crate::diag::InputError;
use std::collections::BTreeMap;

/// Counts that disagree by more than this share are worth a note.
const DISAGREEMENT: f64 = 0.05;

/// What a `--model` path holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// The text of a Hugging Face `config.json`.
    Config(String),
    /// The tensors of safetensors files, with the text of the `config.json` beside them.
    Safetensors {
        /// All shards together.
        tensors: Tensors,
        /// `config.json` of the same folder.
        config: Option<String>,
    },
    /// The headers of a GGUF file or of all its parts.
    Gguf(Gguf),
}

/// Tensors by name. A name stands once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tensors {
    by_name: BTreeMap<String, Tensor>,
}

/// One tensor as its header tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Sizes of the dimensions, as the file orders them.
    pub shape: Vec<u64>,
    /// Number format as the file names it: `BF16`, `Q4_K` …
    pub format: &'static str,
    /// Values.
    pub values: u64,
    /// Bytes in the file.
    pub bytes: u64,
}

/// What the weights of a network take as they are stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Format of most of the weights: `bfloat16`, `fp8`, `q4_k_m` …
    pub format: String,
    /// Bytes of all weights, scales included.
    pub bytes: f64,
    /// Bits per parameter over all weights, scales and plain matrices included.
    pub bits: f64,
}

impl Tensors {
    /// Adds a tensor; a second one of the same name is an error.
    pub fn add(&mut self, file: &str, name: &str, tensor: Tensor) -> Result<(), InputError> {
        if self.by_name.insert(name.to_owned(), tensor).is_some() {
            return Err(broken(file, format!("tensor `{}` stands twice", shown(name))));
        }
        Ok(())
    }

    /// Adds the tensors of another shard.
    pub fn extend(&mut self, file: &str, other: Self) -> Result<(), InputError> {
        other.by_name.into_iter().try_for_each(|(name, tensor)| self.add(file, &name, tensor))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    fn get(&self, name: &str) -> Option<&Tensor> {
        self.by_name.get(name)
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.by_name.iter().map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// Leaves out what `keep` refuses; gives the values that went.
    fn retain(&mut self, keep: impl Fn(&str) -> bool) -> u64 {
        let gone = self.iter().filter(|(name, _)| !keep(name)).map(|(_, tensor)| tensor.values).sum();
        self.by_name.retain(|name, _| keep(name));
        gone
    }

    /// Bytes of all tensors.
    fn bytes(&self) -> u64 {
        self.by_name.values().fold(0, |sum, tensor| sum.saturating_add(tensor.bytes))
    }

    /// The format that holds most of the bytes; of equal ones the first by name.
    fn main_format(&self) -> &'static str {
        let mut bytes: BTreeMap<&'static str, u64> = BTreeMap::new();
        for tensor in self.by_name.values() {
            let sum = bytes.entry(tensor.format).or_default();
            *sum = sum.saturating_add(tensor.bytes);
        }
        let most = bytes.values().copied().max().unwrap_or(0);
        bytes.into_iter().find(|&(_, sum)| sum == most).map(|(format, _)| format).unwrap_or_default()
    }
}

/// Sets the counted parameters of a reading to those that the file really holds. The counts of a shape leave out what its
/// description does not tell; the parameters that a token does not pass through stay as counted.
fn count_exactly(reading: &mut Reading, params: f64) {
    let arch = &mut reading.architecture;
    let counted = arch.params;
    let idle = (counted - arch.active_params).max(0.0);
    if params > idle {
        arch.params = params;
        arch.active_params = params - idle;
    }
    if (params / counted - 1.0).abs() > DISAGREEMENT {
        reading.notes.push(format!(
            "the tensors hold {:.2}e9 parameters, which count; the shape accounts for {:.2}e9",
            params / 1e9,
            counted / 1e9
        ));
    }
}

/// How a format of tensors is called in descriptions of checkpoints.
fn plain_name(format: &str) -> Option<&'static str> {
    match format {
        "BF16" => Some("bfloat16"),
        "F16" => Some("float16"),
        "F32" | "F64" => Some("float32"),
        "F8_E4M3" | "F8_E5M2" | "F8_E4M3FNUZ" | "F8_E5M2FNUZ" => Some("fp8"),
        "I8" => Some("int8"),
        _ => None,
    }
}

/// An error of a broken or hostile file.
fn broken(file: &str, what: impl std::fmt::Display) -> InputError {
    InputError::new(format!("`{file}`: {what}"), "the file is damaged or cut off: download it again")
}

/// A name of a foreign file without control characters, cut to a length that a message can hold.
fn shown(name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(80).collect();
    if name.chars().nth(80).is_some() { format!("{clean}…") } else { clean }
}

/// Values and bytes of a tensor of `shape` whose values are stored in blocks of `block.0` values and `block.1` bytes.
fn size(shape: &[u64], block: (u64, u64)) -> Option<(u64, u64)> {
    let values = shape.iter().try_fold(1_u64, |product, &side| product.checked_mul(side))?;
    let bytes = values.checked_mul(block.1)?;
    bytes.is_multiple_of(block.0).then_some((values, bytes / block.0))
}

/// The description of the checkpoint in a configuration, where it tells of a quantization.
fn quantized(config: &serde_json::Map<String, serde_json::Value>) -> Option<String> {
    config.contains_key("quantization_config").then(|| checkpoint_name(config)).flatten()
}

#[cfg(test)]
mod tests;
