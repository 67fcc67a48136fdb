//! Which network and which accelerator the cells of a row mean: sources decorate names with the task, the benchmark, the
//! form factor and the memory.

use super::Question;
use super::Skip;
use crate::catalog::Catalog;
use crate::catalog::gpu::{Gpu, GpuId};
use crate::catalog::lookup::names::squeeze;
use crate::catalog::preset::Preset;
use crate::units::GIB;

/// A network that works on samples, or an encoder: a preset, or a name in the table of measured rates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Network {
    name: String,
    preset: Option<usize>,
}

/// What sources write beside the name of a network.
const TASK_WORDS: [&str; 9] =
    ["squad", "pretrain", "fine-tune", "finetune", "v1.1", "v1.5", "pretraining", "finetuning", "base-1.0"];

impl Network {
    /// The network that a text means.
    pub(super) fn named(catalog: &Catalog, text: &str) -> Option<Self> {
        let bare = text.split('(').next().unwrap_or(text).to_lowercase();
        let words: Vec<&str> =
            bare.split_whitespace().filter(|word| !TASK_WORDS.contains(word) && *word != "+").collect();
        let wanted = squeeze(&words.concat());
        let classic = |row: &Preset| row.works_on_samples() || row.kind == "encoder";
        let means = |row: &Preset| {
            classic(row) && row.aliases.iter().chain([&row.name]).any(|name| squeeze(name) == wanted)
        };
        if let Some(at) = catalog.presets.iter().position(means) {
            return Some(Self { name: catalog.presets[at].name.clone(), preset: Some(at) });
        }
        let known = catalog.measured.iter().find(|rate| squeeze(&rate.network) == wanted)?;
        Some(Self { name: known.network.clone(), preset: None })
    }

    /// Its name in the table of measured rates.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its shape.
    pub(super) fn preset<'a>(&self, catalog: &'a Catalog) -> Option<&'a Preset> {
        self.preset.and_then(|at| catalog.presets.get(at)).filter(|row| row.name == self.name)
    }
}

/// An accelerator of the catalog, or one that only the table of measured rates knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Accelerator {
    name: String,
    id: Option<GpuId>,
}

/// Words of a product name that do not tell one accelerator from another.
const PRODUCT_WORDS: [&str; 14] = [
    "nvidia",
    "tesla",
    "geforce",
    "grid",
    "virtualized",
    "cts",
    "grace",
    "hopper",
    "superchip",
    "blackwell",
    "server",
    "edition",
    "p4d",
    "accelerator",
];

/// How far a stated memory may be from the label: sources write 40, 79.2 or 141 GB.
const MEMORY_TOLERANCE: f64 = 0.12;

impl Accelerator {
    /// The accelerator that a row means.
    pub(super) fn of(catalog: &Catalog, question: &Question) -> Result<Self, Skip> {
        let text = question.text("gpu").ok_or_else(|| Skip::blank("gpu"))?;
        let parts = Parts::of(text);
        let stated = question.number("gpu_memory_gb").or(parts.memory);
        let label = |id: GpuId| catalog.gpu(id).memory_bytes as f64 / GIB;
        let near = |id: &GpuId| stated.is_none_or(|gib| (label(*id) / gib - 1.0).abs() <= MEMORY_TOLERANCE);
        let named = parts.spellings().iter().find_map(|name| catalog.resolve_gpu_spec(name).ok());
        if let Some(gpus) = named.map(|selection| selection.gpus)
            && let Some(id) = gpus.iter().copied().find(near).or(gpus.first().copied())
        {
            return Ok(Self { name: catalog.gpu(id).name.clone(), id: Some(id) });
        }
        let wanted = [squeeze(text), squeeze(&parts.words.concat())];
        let seen = catalog.measured.iter().find(|rate| wanted.contains(&squeeze(&rate.gpu)));
        seen.map(|rate| Self { name: rate.gpu.clone(), id: None })
            .ok_or_else(|| Skip::new(format!("neither figures nor a measured rate of the GPU `{text}`")))
    }

    /// Its name in the table of measured rates.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its figures.
    pub(super) fn gpu<'a>(&self, catalog: &'a Catalog) -> Option<&'a Gpu> {
        self.id.map(|id| catalog.gpu(id)).filter(|gpu| gpu.name == self.name)
    }
}

/// The name of an accelerator taken apart.
struct Parts {
    words: Vec<String>,
    form: Option<&'static str>,
    memory: Option<f64>,
}

impl Parts {
    fn of(text: &str) -> Self {
        let mut parts = Self { words: Vec::new(), form: None, memory: None };
        let lower = text.to_lowercase();
        let mut previous_number: Option<f64> = None;
        for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let number = previous_number.take();
            let size =
                word.strip_suffix("gb").or_else(|| word.strip_suffix('g')).and_then(|n| n.parse().ok());
            if word == "gb" && number.is_some() {
                parts.memory = number;
                parts.words.pop();
            } else if size.is_some() {
                parts.memory = size;
            } else if word.starts_with("sxm") {
                parts.form = Some("SXM");
            } else if word == "pcie" {
                parts.form = Some("PCIe");
            } else if word == "nvl" {
                parts.form = Some("NVL");
            } else if !PRODUCT_WORDS.contains(&word) && !is_profile(word) {
                previous_number = word.parse().ok();
                parts.words.push(word.to_owned());
            }
        }
        parts
    }

    /// Spellings that the catalog may know, the most specific first.
    fn spellings(&self) -> Vec<String> {
        let base = self.words.join("-");
        let memory = self.memory.map(|gib| format!("-{gib}GB")).unwrap_or_default();
        let form = self.form.map(|form| format!("-{form}")).unwrap_or_default();
        vec![
            format!("{base}{memory}{form}"),
            format!("{base}{form}{memory}"),
            format!("{base}{form}"),
            format!("{base}{memory}"),
            base,
        ]
    }
}

/// A slice of a virtual GPU: `16q`, `80c`.
fn is_profile(word: &str) -> bool {
    word.strip_suffix(['q', 'c'])
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}
