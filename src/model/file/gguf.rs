//! Headers of GGUF files: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>, versions 2 and 3.
//!
//! `header` reads the bytes, `types` has the block formats, `config` turns the metadata into the keys of a configuration,
//! so that one reader of shapes serves both.

mod config;
mod header;
mod types;

use super::{Stored, Tensors, broken, count_exactly};
use crate::diag::InputError;
use crate::model::{Origin, Reading, hf};
use header::Metadata;
use std::io::Read;

/// The headers of one GGUF file, or of all parts of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Gguf {
    metadata: Metadata,
    tensors: Tensors,
}

impl Gguf {
    /// Number of parts that the model is split into; 1 for a whole file.
    pub fn parts(&self) -> u32 {
        self.metadata.number("split.count").and_then(|count| u32::try_from(count).ok()).unwrap_or(1).max(1)
    }

    /// Adds the tensors of another part. What describes the network stands in the first.
    pub fn extend(&mut self, file: &str, other: Self) -> Result<(), InputError> {
        self.tensors.extend(file, other.tensors)
    }
}

/// Reads the header of one file of `length` bytes.
pub fn gguf(file: &str, from: &mut dyn Read, length: u64) -> Result<Gguf, InputError> {
    let (metadata, tensors) = header::read(file, from, length)?;
    Ok(Gguf { metadata, tensors })
}

/// The network of a GGUF file: shape from its metadata, parameters and bytes from its tensors.
pub fn gguf_reading(file: &str, gguf: &Gguf) -> Result<Reading, InputError> {
    if gguf.tensors.is_empty() {
        return Err(broken(file, "it holds no tensor, only a vocabulary"));
    }
    let config = config::config(file, &gguf.metadata, &gguf.tensors)?;
    let mut reading = hf::of_object(file, &config)?;
    let params = gguf.tensors.iter().fold(0.0, |sum, (_, tensor)| sum + tensor.values as f64);
    reading.architecture.origin = Origin::Gguf;
    reading.architecture.source = format!("{file} (header of a GGUF file)");
    count_exactly(&mut reading, params);
    let format = match gguf.metadata.number("general.file_type").and_then(types::file_type) {
        Some(name) => name.to_owned(),
        None => types::lower(gguf.tensors.main_format()),
    };
    let bytes = gguf.tensors.bytes() as f64;
    reading.checkpoint = Some(format.clone());
    reading.stored = Some(Stored { format, bytes, bits: 8.0 * bytes / reading.architecture.params });
    Ok(reading)
}
