//! The class of software whose constants hold for a training framework or a serving engine, by its name and version.
//!
//! Names and classes are rows `software` of the catalog: `tuned` is software of hardware makers and the like, with fused
//! kernels and overlap everywhere; `fused` is `PyTorch` with fused kernels or `torch.compile`; `pure-bf16` keeps all states
//! in BF16, `litgpt` as well but loads whole weights before it shards them; `unsloth` is like `generic`, but never copies
//! its logits; `deepspeed` is like `generic`, with hooks in Python on each parameter and module; `ms-swift` is like `generic`, but
//! trains all weights in BF16 alone where it does not share states out; `legacy` is software of before fused attention.

use std::cmp::Reverse;

use crate::catalog::Catalog;
use crate::catalog::knowledge::Constant;
use crate::catalog::software::{Use, plain};

/// The class of a training framework; `None` for a name that is not known.
pub fn framework_class<'a>(catalog: &'a Catalog, name: &str) -> Option<&'a str> {
    catalog.software_named(Use::Train, name).map(|row| row.class.as_str())
}

/// The class of a serving engine; `None` for a name that is not known.
pub fn engine_class<'a>(catalog: &'a Catalog, name: &str) -> Option<&'a str> {
    catalog.software_named(Use::Serve, name).map(|row| row.class.as_str())
}

/// The class of software of a network that works on samples; `None` for a name that is not known.
pub fn sample_class<'a>(catalog: &'a Catalog, name: &str, inference: bool) -> Option<&'a str> {
    catalog.software_named(on_samples(inference), name).map(|row| row.class.as_str())
}

/// The use of software on samples.
pub(super) fn on_samples(inference: bool) -> Use {
    if inference { Use::ServeSamples } else { Use::TrainSamples }
}

/// The class of the engine whose name stands first in a longer text such as `Triton + TensorRT-LLM` or
/// `HF Transformers`; where several begin there, the longest.
pub fn engine_class_in<'a>(catalog: &'a Catalog, text: &str) -> Option<&'a str> {
    let text = plain(text);
    let engines = catalog.software.iter().filter(|row| row.usage == Use::Serve);
    let names =
        engines.flat_map(|row| row.aliases.iter().chain([&row.name]).map(|name| (name.as_str(), &row.class)));
    let found = names.filter_map(|(name, class)| {
        let word = |at: &(usize, &str)| {
            let before = text[..at.0].chars().next_back();
            before.is_none_or(|c| !c.is_ascii_alphanumeric())
        };
        let (at, _) = text.match_indices(name).find(word)?;
        Some((at, Reverse(name.len()), class.as_str()))
    });
    found.min().map(|(.., class)| class)
}

/// The class whose constants hold where a class has none of its own.
pub fn base_class<'a>(catalog: &'a Catalog, class: &str) -> Option<&'a str> {
    // Rows with a base come first.
    let with_base = catalog.software.iter().map_while(|row| row.base.as_deref().map(|base| (row, base)));
    with_base.into_iter().find(|(row, _)| row.class == class).map(|(_, base)| base)
}

/// The constant of a class by a look-up; that of the class behind it where it has none of its own.
pub fn constant_of<'a>(
    catalog: &Catalog,
    class: &str,
    of: impl Fn(&str) -> Option<&'a Constant>,
) -> Option<&'a Constant> {
    let own = of(class);
    let base = base_class(catalog, class).filter(|_| own.is_none_or(|row| row.class.is_none()));
    base.map_or(own, of)
}

/// The class of an engine at a version; `None` where nothing, or nothing but the class itself, is told by it.
pub fn class_at<'a>(catalog: &'a Catalog, class: &str, version: &str) -> Option<&'a str> {
    let start = version.find(|c: char| c.is_ascii_digit())?;
    let mut numbers = version[start..].split('.').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    });
    let version = (numbers.next()??, numbers.next()??);
    let dated = catalog.software.iter().filter(|row| row.usage == Use::Serve && row.class == row.name);
    dated.into_iter().find_map(|row| {
        let (before, since) = row.before.as_ref()?;
        let meant = row.class == class || before == class;
        meant.then_some(if version >= *since { row.class.as_str() } else { before.as_str() })
    })
}

/// All names of software for a use, its own before its others.
pub fn names(catalog: &Catalog, usage: Use) -> impl Iterator<Item = &str> {
    let rows = || catalog.software.iter().filter(move |row| row.usage == usage);
    rows().map(|row| row.name.as_str()).chain(rows().flat_map(|row| row.aliases.iter().map(String::as_str)))
}

/// The name that rows of the catalog have for software: `ollama` is `llama.cpp`.
pub(super) fn row_name(catalog: &Catalog, usage: Use, name: &str) -> String {
    catalog.software_named(usage, name).map_or_else(|| plain(name), |row| row.name.clone())
}

#[cfg(test)]
mod tests;
