//! The bytes of a GGUF header, read forwards once.
//!
//! No length of the file is believed: a text longer than its limit is an error or passed over in small steps, and every
//! count is bounded by the bytes that the file has.

use super::types;
use crate::diag::InputError;
use crate::model::file::{Tensor, Tensors, broken, shown, size};
use std::collections::BTreeMap;
use std::io::Read;

/// Longest header that is read, bytes: vocabularies of a quarter million tokens with their merges take a tenth of it.
const LONGEST_HEADER: u64 = 256 << 20;
/// Longest key or name, bytes; the format allows 65,535 for keys and 64 for names.
const LONGEST_KEY: u64 = 65_535;
/// Longest text that is kept, bytes; longer ones (chat templates) are passed over.
const LONGEST_TEXT: u64 = 4096;
/// Most numbers of an array that are kept: one a layer.
const LONGEST_LIST: u64 = 4096;
/// Deepest array in arrays.
const DEEPEST: u32 = 4;
/// Most dimensions of a tensor.
const MOST_DIMENSIONS: u32 = 8;

/// Values of the metadata that describe a network.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A number; signed and real ones too.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A text that is short enough to be one.
    Text(String),
    /// A list of numbers or flags, as numbers.
    Numbers(Vec<f64>),
    /// A list of something else, or a long one: its length.
    Length(u64),
    /// A long text.
    Passed,
}

/// Metadata by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Metadata {
    by_key: BTreeMap<String, Value>,
}

impl Metadata {
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.by_key.get(key)
    }

    /// A whole number that is not negative.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        match self.get(key)? {
            Value::Number(number) if number.fract() == 0.0 && (0.0..1e15).contains(number) => {
                Some(*number as u64)
            }
            _ => None,
        }
    }

    /// A text.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// All keys that begin with `prefix`, without it.
    pub(super) fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.by_key.iter().filter_map(move |(key, value)| Some((key.strip_prefix(prefix)?, value)))
    }
}

/// Reads metadata and tensors of a file of `length` bytes.
pub(super) fn read(file: &str, from: &mut dyn Read, length: u64) -> Result<(Metadata, Tensors), InputError> {
    let mut bytes = Bytes { file, from, read: 0, limit: length.min(LONGEST_HEADER) };
    if bytes.array::<4>()? != *b"GGUF" {
        return Err(broken(file, "it does not begin as a GGUF file does"));
    }
    match bytes.u32()? {
        2 | 3 => {}
        1 => {
            return Err(InputError::new(
                format!("`{file}` is GGUF of version 1"),
                "convert it with a current llama.cpp",
            ));
        }
        version if version.trailing_zeros() >= 16 => {
            return Err(InputError::new(
                format!("`{file}` is a big-endian GGUF file"),
                "name the little-endian one",
            ));
        }
        version => return Err(broken(file, format!("GGUF of version {version}, expected 2 or 3"))),
    }
    let (tensor_count, key_count) = (bytes.u64()?, bytes.u64()?);
    let mut metadata = Metadata::default();
    for _ in 0..key_count {
        let key =
            bytes.text(LONGEST_KEY)?.ok_or_else(|| broken(file, "a key of the metadata is too long"))?;
        let kind = bytes.u32()?;
        let value = bytes.value(kind, 0)?;
        if metadata.by_key.insert(key.clone(), value).is_some() {
            return Err(broken(file, format!("key `{}` stands twice", shown(&key))));
        }
    }
    let mut tensors = Tensors::default();
    let mut furthest = 0;
    for _ in 0..tensor_count {
        let (name, tensor, end) = tensor(&mut bytes)?;
        furthest = end.max(furthest);
        tensors.add(file, &name, tensor)?;
    }
    let alignment = metadata.number("general.alignment").unwrap_or(32).max(1);
    let data = bytes.read.next_multiple_of(alignment.min(1 << 20));
    if data.checked_add(furthest).is_none_or(|end| end > length) {
        let what = format!("its tensors end {furthest} bytes behind the header, and the file has {length}");
        return Err(broken(file, what));
    }
    Ok((metadata, tensors))
}

/// One tensor: its name, what it is, and where its bytes end behind the header.
fn tensor(bytes: &mut Bytes<'_>) -> Result<(String, Tensor, u64), InputError> {
    let file = bytes.file;
    let name = bytes.text(LONGEST_KEY)?.ok_or_else(|| broken(file, "the name of a tensor is too long"))?;
    let dimensions = bytes.u32()?;
    if dimensions > MOST_DIMENSIONS {
        return Err(broken(file, format!("tensor `{}` has {dimensions} dimensions", shown(&name))));
    }
    let shape = (0..dimensions).map(|_| bytes.u64()).collect::<Result<Vec<u64>, _>>()?;
    let number = bytes.u32()?;
    let offset = bytes.u64()?;
    let Some((format, block)) = types::format(number) else {
        let message = format!("`{file}`: tensor `{}` has format {number}, which is not known", shown(&name));
        return Err(InputError::new(
            message,
            "give the model as a preset or `config.json`, with `--quantization`",
        ));
    };
    let beyond = || broken(file, format!("tensor `{}` has a shape beyond reason", shown(&name)));
    let (values, size) = size(&shape, block).ok_or_else(beyond)?;
    let end = offset.checked_add(size).ok_or_else(beyond)?;
    Ok((name, Tensor { shape, format, values, bytes: size }, end))
}

/// The bytes of one file, counted.
struct Bytes<'a> {
    file: &'a str,
    from: &'a mut dyn Read,
    read: u64,
    limit: u64,
}

impl Bytes<'_> {
    fn claim(&mut self, count: u64) -> Result<(), InputError> {
        match self.read.checked_add(count).filter(|&end| end <= self.limit) {
            Some(end) => self.read = end,
            None => return Err(broken(self.file, "its header ends beyond the file or beyond 256 MiB")),
        }
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], InputError> {
        self.claim(N as u64)?;
        let mut array = [0; N];
        let read = self.from.read_exact(&mut array);
        read.map_err(|error| broken(self.file, format!("cannot read the header: {error}")))?;
        Ok(array)
    }

    fn u32(&mut self) -> Result<u32, InputError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, InputError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Passes over bytes without keeping them.
    fn skip(&mut self, mut count: u64) -> Result<(), InputError> {
        self.claim(count)?;
        let mut sink = [0; 4096];
        while count > 0 {
            let step = count.min(sink.len() as u64) as usize;
            let read = self.from.read_exact(&mut sink[..step]);
            read.map_err(|error| broken(self.file, format!("cannot read the header: {error}")))?;
            count -= step as u64;
        }
        Ok(())
    }

    /// A text of up to `longest` bytes; `None` for a longer one, which is passed over.
    fn text(&mut self, longest: u64) -> Result<Option<String>, InputError> {
        let length = self.u64()?;
        if length > longest {
            self.skip(length)?;
            return Ok(None);
        }
        self.claim(length)?;
        let mut text = vec![0; length as usize];
        let read = self.from.read_exact(&mut text);
        read.map_err(|error| broken(self.file, format!("cannot read the header: {error}")))?;
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }

    /// A value of the metadata by the number of its type.
    fn value(&mut self, kind: u32, depth: u32) -> Result<Value, InputError> {
        Ok(match kind {
            0 => Value::Number(f64::from(self.array::<1>()?[0])),
            1 => Value::Number(f64::from(self.array::<1>()?[0].cast_signed())),
            2 => Value::Number(f64::from(u16::from_le_bytes(self.array()?))),
            3 => Value::Number(f64::from(i16::from_le_bytes(self.array()?))),
            4 => Value::Number(f64::from(self.u32()?)),
            5 => Value::Number(f64::from(self.u32()?.cast_signed())),
            6 => Value::Number(f64::from(f32::from_le_bytes(self.array()?))),
            7 => Value::Flag(self.array::<1>()?[0] != 0),
            8 => self.text(LONGEST_TEXT)?.map_or(Value::Passed, Value::Text),
            9 => self.list(depth)?,
            10 => Value::Number(self.u64()? as f64),
            11 => Value::Number(self.u64()?.cast_signed() as f64),
            12 => Value::Number(f64::from_le_bytes(self.array()?)),
            _ => return Err(broken(self.file, format!("a value of the unknown type {kind}"))),
        })
    }

    /// An array: short ones of numbers are kept, of others the length.
    fn list(&mut self, depth: u32) -> Result<Value, InputError> {
        let (kind, length) = (self.u32()?, self.u64()?);
        if depth >= DEEPEST {
            return Err(broken(self.file, "arrays in arrays without end"));
        }
        let width = match kind {
            0 | 1 | 7 => Some(1),
            2 | 3 => Some(2),
            4..=6 => Some(4),
            10..=12 => Some(8),
            _ => None,
        };
        match width {
            Some(_) if length <= LONGEST_LIST => {
                let mut numbers = Vec::new();
                for _ in 0..length {
                    numbers.push(match self.value(kind, depth + 1)? {
                        Value::Number(number) => number,
                        Value::Flag(flag) => f64::from(u8::from(flag)),
                        _ => 0.0,
                    });
                }
                return Ok(Value::Numbers(numbers));
            }
            Some(width) => {
                let bytes = length.checked_mul(width);
                self.skip(bytes.ok_or_else(|| broken(self.file, "an array beyond reason"))?)?;
            }
            None => {
                for _ in 0..length {
                    if kind == 8 {
                        let bytes = self.u64()?;
                        self.skip(bytes)?;
                    } else {
                        self.value(kind, depth + 1)?;
                    }
                }
            }
        }
        Ok(Value::Length(length))
    }
}
