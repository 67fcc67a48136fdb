//! GPU specs: `H100`, `A100-80GB:8`, `24GB..80GB`, driver names.

use std::collections::BTreeSet;

use super::names::normalise;
use super::{LookupError, Reason};
use crate::catalog::Catalog;
use crate::catalog::gpu::{Gpu, GpuId};
use crate::diag::near_names;
use crate::units::{Bytes, GIB};

/// How far a label may lie outside an asked range and still be in it: labels round (94 GB for 95.8e9 bytes of 93.6 GiB).
const LABEL_TOLERANCE: f64 = 0.01;

/// Most names that a text which is none of them is said to be near to.
const NEAR: usize = 3;

/// Numbers of one series that differ by more than this factor are not near.
const SERIES_SPAN: u32 = 10;

/// A number without letters is near to those that differ by up to one part in so many.
const BARE_NUMBERS: u32 = 20;

/// The GPUs that a spec means.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuSelection {
    /// The GPUs, best guess first: the default member of a family, then its other members.
    pub gpus: Vec<GpuId>,
    /// Nodes that hold exactly so many, for `H100:8`.
    pub per_node: Option<u32>,
    /// The range of labelled memory that was asked for, in bytes with GB read as GiB, as labels mean it.
    pub memory: Option<(u64, u64)>,
}

impl Catalog {
    /// The GPUs behind `NAME`, `NAME:COUNT`, `LOW..HIGH` (labelled memory) or `LOW..HIGH:COUNT`. Either end may be left out.
    pub fn resolve_gpu_spec(&self, spec: &str) -> Result<GpuSelection, LookupError> {
        let (name, per_node) = match spec.rsplit_once(':') {
            Some((name, count)) => (name.trim(), Some(parse_count(spec, count)?)),
            None => (spec.trim(), None),
        };
        if let Some((low, high)) = name.split_once("..") {
            return self.gpus_by_memory(spec, low, high, per_node);
        }
        if words(name).is_empty() {
            return Err(malformed(spec, "name a GPU, such as `H100` or `A100-80GB:8`"));
        }
        let most = self.gpus.iter().map(|gpu| gpu.memory_bytes).max().unwrap_or_default() as f64 / GIB;
        let gpus = self.gpus_named(name).ok_or_else(|| match label_gib(name) {
            // `3060` and `4060 Ti` are more than any GPU holds: names.
            Some(gib) if gib <= 2.0 * most => {
                malformed(spec, "memory is asked for as a range: `80GB..80GB`, or `80GB..` for at least")
            }
            _ => self.no_such_gpu(name),
        })?;
        Ok(GpuSelection { gpus, per_node, memory: None })
    }

    /// The one GPU with this name or alias; `None` when it is unknown or a family of several.
    pub fn only_gpu_named(&self, name: &str) -> Option<GpuId> {
        match self.gpus_named(name)?.as_slice() {
            [gpu] => Some(*gpu),
            _ => None,
        }
    }

    fn gpus_named(&self, name: &str) -> Option<Vec<GpuId>> {
        let wanted = normalise(name);
        let is = |text: &String| normalise(text) == wanted;
        let exact = self.gpus.iter().position(|gpu| is(&gpu.name));
        let by_family =
            || self.families.iter().find(|family| is(&family.name) || family.aliases.iter().any(is));
        if let Some(at) = exact {
            return Some(vec![GpuId(at as u16)]);
        }
        if let Some(family) = by_family() {
            return Some(family.members.clone());
        }
        let by_alias = self.gpus.iter().position(|gpu| gpu.aliases.iter().any(is))?;
        Some(vec![GpuId(by_alias as u16)])
    }

    fn gpus_by_memory(
        &self,
        spec: &str,
        low: &str,
        high: &str,
        count: Option<u32>,
    ) -> Result<GpuSelection, LookupError> {
        let end = |text: &str, open: f64| match text.trim() {
            "" => Ok(open),
            text => {
                label_gib(text).ok_or_else(|| malformed(spec, "write a range of memory like `24GB..80GB`"))
            }
        };
        if low.trim().is_empty() && high.trim().is_empty() {
            return Err(malformed(spec, "give at least one end of the range, such as `24GB..`"));
        }
        let (low, high) = (end(low, 0.0)?, end(high, 1e6)?);
        if low > high {
            return Err(malformed(spec, "the range ends below its start"));
        }
        let inside = |gpu: &Gpu| {
            let label = gpu.memory_bytes as f64 / GIB;
            label >= low * (1.0 - LABEL_TOLERANCE) && label <= high * (1.0 + LABEL_TOLERANCE)
        };
        let mut gpus: Vec<GpuId> =
            (0..self.gpus.len()).map(|at| GpuId(at as u16)).filter(|&id| inside(self.gpu(id))).collect();
        gpus.sort_by_key(|&id| (self.gpu(id).memory_bytes, id));
        if gpus.is_empty() {
            let hint = "no GPU of the catalog has memory in this range; `gpuadvise catalog gpus` lists them";
            let (what, text) = ("GPU", spec.to_owned());
            return Err(LookupError { what, text, reason: Reason::Unknown, names: Vec::new(), hint });
        }
        let memory = Some((Bytes::from_gib(low).0, Bytes::from_gib(high).0));
        Ok(GpuSelection { gpus, per_node: count, memory })
    }

    /// Unknown with near names, or ambiguous when all its words stand in names of several GPUs.
    fn no_such_gpu(&self, text: &str) -> LookupError {
        let wanted = words(text);
        let names = self
            .gpus
            .iter()
            .filter(|gpu| gpu.aliases.iter().chain([&gpu.name]).any(|name| wanted.is_subset(&words(name))));
        let names: Vec<String> = names.map(|gpu| gpu.name.clone()).collect();
        if names.len() > 1 {
            let hint = "write one of these names";
            return LookupError {
                what: "GPU",
                text: text.to_owned(),
                reason: Reason::Ambiguous,
                names,
                hint,
            };
        }
        let hint = "`gpuadvise catalog gpus` lists all; for another one write a `[[gpu]]` row with its data sheet as source into a file, and say `--catalog FILE`";
        let names = if names.is_empty() { self.near_gpus(text) } else { names };
        LookupError { what: "GPU", text: text.to_owned(), reason: Reason::Unknown, names, hint }
    }

    /// Canonical names that a text may mean: slips of the keyboard first, then neighbours in the same series (`L2` is
    /// near `L4`). A name with other letters and another number is near to nothing.
    fn near_gpus(&self, text: &str) -> Vec<String> {
        let gpus = self
            .gpus
            .iter()
            .flat_map(|gpu| gpu.aliases.iter().chain([&gpu.name]).map(|name| (name, &gpu.name)));
        let families = self
            .families
            .iter()
            .flat_map(|it| it.aliases.iter().chain([&it.name]).map(|name| (name, &it.name)));
        let wanted = normalise(text);
        let (letters, number) = series(&wanted);
        let mut all: Vec<(String, &String)> =
            families.chain(gpus).map(|(name, owner)| (normalise(name), owner)).collect();
        all.retain(|(name, _)| {
            let (other, its) = series(name);
            other == letters || (number.is_some() && its == number)
        });
        let mut found: Vec<String> = Vec::new();
        for near in near_names(&wanted, all.iter().map(|(name, _)| name.as_str())) {
            let owner = all.iter().find(|(name, _)| name == near).map(|(_, owner)| (*owner).clone());
            found.extend(owner.filter(|owner| !found.contains(owner)));
        }
        for owner in self.neighbours(letters, number) {
            if found.len() < NEAR && !found.contains(&owner) {
                found.push(owner);
            }
        }
        found
    }

    /// One name for each number of a series, the nearest number first.
    fn neighbours(&self, letters: &str, number: Option<u32>) -> Vec<String> {
        let Some(number) = number else { return Vec::new() };
        let names = self.families.iter().map(|it| &it.name).chain(self.gpus.iter().map(|it| &it.name));
        let mut near: Vec<(u32, usize, &String)> = names
            .filter_map(|name| {
                let squeezed = normalise(name);
                let (other, its) = series(&squeezed);
                let its = its?;
                let (low, high) = (its.min(number), its.max(number));
                let close = if letters.is_empty() {
                    high - low <= high / BARE_NUMBERS
                } else {
                    other == letters && high / SERIES_SPAN <= low
                };
                close.then_some((high - low, name.len(), name))
            })
            .collect();
        near.sort_unstable();
        near.dedup_by_key(|(_, _, name)| series(&normalise(name)).1);
        near.into_iter().map(|(_, _, name)| name.clone()).collect()
    }
}

/// Leading letters and the number behind them: `rtx4090` is `rtx` and 4090.
fn series(name: &str) -> (&str, Option<u32>) {
    let at = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    let (letters, rest) = name.split_at(at);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    (letters, rest[..digits].parse().ok())
}

/// Runs of letters and runs of digits, in lower case, without vendor words: `RTX6000` and `RTX 6000` are the same.
fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut word = String::new();
    let mut digits = false;
    for c in text.to_lowercase().chars().chain([' ']) {
        let same = c.is_alphanumeric() && (word.is_empty() || digits == c.is_ascii_digit());
        if !same && !word.is_empty() {
            words.insert(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            digits = c.is_ascii_digit();
            word.push(c);
        }
    }
    for vendor in ["nvidia", "amd", "google", "tesla", "geforce"] {
        words.remove(vendor);
    }
    words
}

/// GiB on a label: people write `80GB` for what counts 80 x 2^30.
fn label_gib(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let number = ["gib", "gb", "gi", "g"].iter().find_map(|unit| lower.strip_suffix(unit)).unwrap_or(&lower);
    match number.trim().parse::<f64>() {
        Ok(gib) if gib.is_finite() && gib > 0.0 => Some(gib),
        _ => text.parse::<Bytes>().ok().map(Bytes::gib).filter(|&gib| gib > 0.0),
    }
}

fn parse_count(spec: &str, count: &str) -> Result<u32, LookupError> {
    let hint = "the number behind `:` is GPUs per node, 1 or more, as in `H100:8`";
    count.trim().parse().ok().filter(|&count| count > 0).ok_or_else(|| malformed(spec, hint))
}

fn malformed(spec: &str, hint: &'static str) -> LookupError {
    LookupError { what: "GPU", text: spec.to_owned(), reason: Reason::Malformed, names: Vec::new(), hint }
}
