//! Headers of safetensors files and their index: <https://huggingface.co/docs/safetensors>, format as of 2026-08.
//!
//! A file begins with the length of its header (8 bytes, little-endian) and a JSON object: a tensor a key, with its number
//! format, shape and place in the bytes behind.

use super::{
    Contents, Stored, Tensor, Tensors, broken, count_exactly, names, plain_name, quantized, shown, size,
};
use crate::diag::InputError;
use crate::model::{Reading, hf};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;
use std::io::Read;

/// Longest header that the format allows, bytes.
const LONGEST_HEADER: u64 = 100_000_000;

/// Most files that an index may name.
const MOST_SHARDS: usize = 4096;

/// Number formats with their bits.
const FORMATS: [(&str, u64); 21] = [
    ("BOOL", 8),
    ("F4", 4),
    ("F6_E2M3", 6),
    ("F6_E3M2", 6),
    ("U8", 8),
    ("I8", 8),
    ("F8_E5M2", 8),
    ("F8_E4M3", 8),
    ("F8_E8M0", 8),
    ("F8_E4M3FNUZ", 8),
    ("F8_E5M2FNUZ", 8),
    ("I16", 16),
    ("U16", 16),
    ("F16", 16),
    ("BF16", 16),
    ("I32", 32),
    ("U32", 32),
    ("F32", 32),
    ("C64", 64),
    ("F64", 64),
    ("I64", 64),
];

/// Reads the header of one file of `length` bytes.
pub fn safetensors(file: &str, from: &mut dyn Read, length: u64) -> Result<Tensors, InputError> {
    let unreadable = |error: std::io::Error| broken(file, format!("cannot read the header: {error}"));
    let mut prefix = [0; 8];
    from.read_exact(&mut prefix).map_err(unreadable)?;
    let header = u64::from_le_bytes(prefix);
    let rest = length.saturating_sub(8);
    if header > rest.min(LONGEST_HEADER) {
        let what = format!("its header has {header} bytes by its own account, the file {length}");
        return Err(broken(file, what));
    }
    let mut text = Vec::new();
    from.take(header).read_to_end(&mut text).map_err(unreadable)?;
    let header: Header =
        serde_json::from_slice(&text).map_err(|error| broken(file, format!("its header is {error}")))?;
    let data = rest - text.len() as u64;
    let mut tensors = Tensors::default();
    for (name, entry) in header.tensors {
        let tensor = tensor(file, &name, &entry, data)?;
        tensors.add(file, &name, tensor)?;
    }
    Ok(tensors)
}

/// The files that an index names, and the bytes of all weights by its own account.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// Names of files in the folder of the index.
    pub files: BTreeSet<String>,
}

/// Reads a `*.safetensors.index.json`. A file is named without a folder: an index that points elsewhere is refused.
pub fn index(file: &str, text: &str) -> Result<Index, InputError> {
    let raw: RawIndex = serde_json::from_str(text).map_err(|error| broken(file, error))?;
    let mut files = BTreeSet::new();
    for shard in raw.weight_map.0 {
        if shard.is_empty() || shard.contains(['/', '\\', '\0']) || shard == ".." || shard == "." {
            let message = format!("`{file}` points to `{}`, outside its folder", shown(&shard));
            return Err(InputError::new(message, "an index names files beside it"));
        }
        files.insert(shard);
        if files.len() > MOST_SHARDS {
            return Err(broken(file, format!("it names more than {MOST_SHARDS} files")));
        }
    }
    if files.is_empty() {
        return Err(broken(file, "its `weight_map` names no file"));
    }
    Ok(Index { files })
}

/// The network of safetensors files: the shape from the configuration beside them, else from the names of the tensors;
/// parameters and bytes from the tensors themselves.
pub fn safetensors_reading(
    file: &str,
    mut tensors: Tensors,
    config: Option<&str>,
) -> Result<Reading, InputError> {
    if tensors.iter().any(|(name, _)| name.contains("lora_A") || name.contains("lora_a.")) {
        let message = format!("`{file}` holds a LoRA adapter, not a model");
        return Err(InputError::new(message, "name the model that it belongs to"));
    }
    let mut reading = match config {
        Some(text) => hf::parse(file, text)?,
        None => names::reading(file, &tensors)?,
    };
    let ahead =
        tensors.retain(|name| names::layer(name).is_none_or(|layer| layer < reading.architecture.layers));
    if ahead > 0 {
        let count = ahead as f64 / 1e9;
        reading.notes.push(format!(
            "{count:.2}e9 parameters of layers behind the last (multi-token prediction) are left out"
        ));
    }
    let weights = |name: &str| !names::beside_weights(name);
    let sum: u64 = tensors.iter().filter(|(name, _)| weights(name)).map(|(_, tensor)| tensor.values).sum();
    let packed = tensors.iter().any(|(name, tensor)| weights(name) && plain_name(tensor.format).is_none());
    if !packed {
        count_exactly(&mut reading, sum as f64);
    }
    let by_config = config.and_then(|text| serde_json::from_str(text).ok()).and_then(|map| quantized(&map));
    let format = match (by_config, plain_name(tensors.main_format())) {
        (Some(format), _) => format,
        (None, Some(format)) => format.to_owned(),
        (None, None) => {
            let message =
                format!("`{file}` packs its weights as {}: its format is not said", tensors.main_format());
            return Err(InputError::new(message, "put the `config.json` of the model beside it"));
        }
    };
    let bytes = tensors.bytes() as f64;
    reading.checkpoint = Some(format.clone());
    reading.stored = Some(Stored { format, bytes, bits: 8.0 * bytes / reading.architecture.params });
    Ok(reading)
}

impl From<Tensors> for Contents {
    fn from(tensors: Tensors) -> Self {
        Self::Safetensors { tensors, config: None }
    }
}

/// Checks one entry of a header against the `data` bytes behind it.
fn tensor(file: &str, name: &str, entry: &Entry, data: u64) -> Result<Tensor, InputError> {
    let name = shown(name);
    let Some(&(format, bits)) = FORMATS.iter().find(|(format, _)| *format == entry.dtype) else {
        return Err(broken(
            file,
            format!("tensor `{name}` has the unknown number format `{}`", shown(&entry.dtype)),
        ));
    };
    let (values, bytes) = size(&entry.shape, (8, bits))
        .ok_or_else(|| broken(file, format!("tensor `{name}` has a shape beyond reason")))?;
    let [begin, end] = entry.data_offsets;
    if end > data || end.checked_sub(begin) != Some(bytes) {
        let what = format!(
            "tensor `{name}` has {bytes} bytes by its shape, lies at {begin} to {end}, and {data} bytes follow the header"
        );
        return Err(broken(file, what));
    }
    Ok(Tensor { shape: entry.shape.clone(), format, values, bytes })
}

#[derive(serde::Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

/// The entries in the order of the file, so that a name that stands twice is seen.
#[derive(Default)]
struct Header {
    tensors: Vec<(String, Entry)>,
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Header;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a JSON object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
                let mut header = Header::default();
                while let Some(key) = map.next_key::<String>()? {
                    if key == "__metadata__" {
                        map.next_value::<IgnoredAny>()?;
                    } else {
                        header.tensors.push((key, map.next_value()?));
                    }
                }
                Ok(header)
            }
        }
        from.deserialize_map(Entries)
    }
}

#[derive(serde::Deserialize)]
struct RawIndex {
    weight_map: Shards,
}

/// The distinct values of the map from tensors to files.
struct Shards(BTreeSet<String>);

impl<'de> Deserialize<'de> for Shards {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Values;
        impl<'de> Visitor<'de> for Values {
            type Value = Shards;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object of file names by tensor")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shards, A::Error> {
                let mut files = BTreeSet::new();
                while let Some((_, file)) = map.next_entry::<IgnoredAny, String>()? {
                    files.insert(file);
                    if files.len() > MOST_SHARDS + 1 {
                        return Err(A::Error::custom("more files than a model has"));
                    }
                }
                Ok(Shards(files))
            }
        }
        from.deserialize_map(Values)
    }
}
