//! The rows of `export/*.toml`: what each target knows of providers and accelerators, the templates of its files,
//! and how programs are started.

use super::chosen::Row;
use super::quote::Syntax;
use super::template::{Scope, condition};
use crate::diag::InputError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// The files of the targets, by name.
const TARGETS: [(&str, &str); 5] = [
    ("skypilot", include_str!("../../export/skypilot.toml")),
    ("dstack", include_str!("../../export/dstack.toml")),
    ("kubernetes", include_str!("../../export/kubernetes.toml")),
    ("slurm", include_str!("../../export/slurm.toml")),
    ("terraform", include_str!("../../export/terraform.toml")),
];

/// How programs are started.
const SOFTWARE: &str = include_str!("../../export/software.toml");

/// What a row was taken from.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Origin {
    /// The source.
    pub text: String,
    /// Its date.
    pub as_of: String,
}

/// One target.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Target {
    /// Version of the format of the file.
    pub schema: u32,
    /// Name as its makers write it.
    pub title: String,
    /// The version that the rows were read from.
    pub version: String,
    /// What the rows were taken from, by name.
    pub sources: BTreeMap<String, Origin>,
    /// Source of the format of the files, a name in `sources`.
    pub source: String,
    /// Whether machines of any provider may be in it.
    #[serde(default)]
    pub any_provider: bool,
    /// Vendors of accelerators with what the target calls a unit of them; others it cannot launch.
    pub vendors: BTreeMap<String, String>,
    /// Accelerators by the names of the catalog, with the target's name; only needed where it is asked for them.
    #[serde(default)]
    pub accelerators: BTreeMap<String, String>,
    /// Providers.
    #[serde(default, rename = "provider")]
    pub providers: Vec<Provider>,
    /// Templates.
    #[serde(rename = "file")]
    pub files: Vec<FileTemplate>,
}

/// A provider of a target.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own in the file")]
pub struct Provider {
    /// Name in the catalog.
    pub name: String,
    /// A name in `sources`.
    pub source: String,
    /// Beginnings of the names of machines that the target calls as the catalog does; no list is all of them.
    pub machines: Option<Vec<String>>,
    /// Whether other machines can be asked for by their accelerators.
    #[serde(default)]
    pub by_accelerator: bool,
    /// Whether accelerators are named beside the machine.
    #[serde(default)]
    pub accelerator_too: bool,
    /// Names of regions in the catalog that are none of the provider.
    #[serde(default)]
    pub no_region: Vec<String>,
    /// Whether the target starts several connected machines there.
    #[serde(default)]
    pub several_nodes: bool,
    /// Whether the target starts spot machines there.
    #[serde(default)]
    pub spot: bool,
    /// Names of accelerators that differ from those of the target.
    #[serde(default)]
    pub accelerators: BTreeMap<String, String>,
    /// What `xN` behind the `+` in the name of a machine is called: `n1-standard-8+t4x1`.
    #[serde(default)]
    pub attached: BTreeMap<String, String>,
    /// Values for the templates.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
}

/// The template of a file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FileTemplate {
    /// Name of the file.
    pub name: String,
    /// Its language.
    pub syntax: Syntax,
    /// The providers that it is for; no list is all of them.
    pub providers: Option<Vec<String>>,
    /// The condition under which it is made.
    pub when: Option<String>,
    /// The template.
    pub text: String,
}

/// How programs are started.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Software {
    /// Version of the format of the file.
    pub schema: u32,
    /// What the rows were taken from, by name.
    pub sources: BTreeMap<String, Origin>,
    /// The template of a script, around the lines of the program.
    pub script: String,
    /// Programs, and last for each task the one for names that have no row.
    pub program: Vec<Program>,
}

/// How a program is started.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own in the file")]
pub struct Program {
    /// Names of `--engine` or `--framework`; an empty list is for all others.
    pub names: Vec<String>,
    /// Whether it serves.
    pub serves: bool,
    /// A name in `sources`.
    pub source: String,
    /// Port that it answers at.
    pub port: Option<u32>,
    /// Command that puts it onto a bare machine.
    pub install: Option<String>,
    /// Its own container images, by vendor of the accelerator.
    #[serde(default)]
    pub images: BTreeMap<String, String>,
    /// Whether one copy may span several nodes.
    #[serde(default)]
    pub spans_nodes: bool,
    /// Whether it starts several copies in one node itself.
    #[serde(default)]
    pub several_copies: bool,
    /// Values of `precision` with what the program calls them.
    #[serde(default)]
    pub precision: BTreeMap<String, String>,
    /// Values of `quantization`, likewise; an empty name is one that the checkpoint tells itself.
    #[serde(default)]
    pub quantization: BTreeMap<String, String>,
    /// Values of `kv_precision`, likewise.
    #[serde(default)]
    pub kv_precision: BTreeMap<String, String>,
    /// Formats of weights that are made at the start from a checkpoint of 16 bits.
    #[serde(default)]
    pub quantizes: Vec<String>,
    /// Whether checkpoints have the names of Hugging Face.
    #[serde(default)]
    pub hub_names: bool,
    /// Shares of the memory that it takes at its start; nothing where it is not told one.
    pub memory_share: Option<MemoryShare>,
    /// The template of its lines in a script.
    pub text: String,
}

/// Shares of a GPU's memory that a server takes at its start, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MemoryShare {
    /// The least default of its versions: what needs no more is not told.
    pub least: u32,
    /// The default of the newest version: what is told is no less.
    pub default: u32,
    /// The most that it is told.
    pub most: u32,
}

impl MemoryShare {
    /// The share that a server is told so that `gib` of `usable` are its own; `None` where every default is enough.
    #[must_use]
    pub fn told(self, gib: f64, usable: f64) -> Option<String> {
        // Rounding of the last bits must not lift a share over the default.
        let needed = (gib / usable * 100.0 - 1e-6).ceil();
        let told = needed.clamp(f64::from(self.default), f64::from(self.most.max(self.default)));
        (needed > f64::from(self.least)).then(|| format!("{:.2}", told / 100.0))
    }
}

/// Where the machines of a row are for a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The provider.
    pub provider: Provider,
    /// Whether the region is one that the target can be told.
    pub is_region: bool,
    /// Whether the machine is named, rather than its accelerators.
    pub by_machine: bool,
}

/// The target with this name.
///
/// # Errors
///
/// When there is none, or its rows are damaged.
pub fn target(name: &str) -> Result<Target, InputError> {
    let names = TARGETS.iter().map(|(own, _)| *own);
    let (own, text) = TARGETS
        .iter()
        .find(|(own, _)| *own == name)
        .ok_or_else(|| InputError::unknown("target", name, names, ""))?;
    read(own, text)
}

/// How programs are started.
///
/// # Errors
///
/// When the rows are damaged.
pub fn software() -> Result<Software, InputError> {
    read("software", SOFTWARE)
}

fn read<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, InputError> {
    toml::from_str(text)
        .map_err(|error| InputError::new(format!("export/{name}.toml is damaged: {error}"), ""))
}

impl Target {
    /// Where the machines of a row are for this target.
    ///
    /// # Errors
    ///
    /// When it does not have the provider, its machine, or what the row asks of it.
    pub fn place(&self, row: &Row) -> Result<Place, InputError> {
        if self.any_provider {
            let provider = Provider { spot: true, several_nodes: true, ..Provider::default() };
            return Ok(Place { provider, is_region: true, by_machine: true });
        }
        let found = self.providers.iter().find(|provider| provider.name == row.provider);
        let provider = found.ok_or_else(|| self.no_provider(&row.provider))?;
        let origin = self.origin(&provider.source);
        let by_machine = provider.names(&row.instance_type);
        if !by_machine && !provider.by_accelerator {
            let what = format!(
                "{} knows the machines of {} by other names than `{}`: {origin}",
                self.title, row.provider, row.instance_type
            );
            return Err(InputError::new(
                what,
                "launch it by hand, or take a row of another provider by --rank",
            ));
        }
        if row.nodes > 1 && !provider.several_nodes {
            let what = format!("{} connects no nodes of {}: {origin}", self.title, row.provider);
            return Err(InputError::new(what, "take a row of one node by --rank or --max-nodes 1"));
        }
        if row.ranked_billing == "spot" && !provider.spot {
            let what = format!("{} starts no spot machines of {}: {origin}", self.title, row.provider);
            return Err(InputError::new(what, "take a row on demand, or another provider"));
        }
        let is_region = !provider.no_region.contains(&row.region);
        Ok(Place { provider: provider.clone(), is_region, by_machine })
    }

    /// Whether it can start a machine of this provider with accelerators of this name and vendor.
    pub fn takes(&self, (provider, machine): (&str, &str), (gpu, vendor): (&str, &str)) -> bool {
        if !self.vendors.contains_key(vendor) {
            return false;
        }
        self.any_provider
            || self.providers.iter().any(|own| {
                let by_machine = own.names(machine);
                let named = own.accelerators.contains_key(gpu) || self.accelerators.contains_key(gpu);
                own.name == provider
                    && (by_machine || own.by_accelerator)
                    && (named || (by_machine && !own.accelerator_too))
            })
    }

    /// A source in words.
    pub fn origin(&self, name: &str) -> String {
        self.sources.get(name).map(|origin| format!("{} ({})", origin.text, origin.as_of)).unwrap_or_default()
    }

    fn no_provider(&self, name: &str) -> InputError {
        let names: Vec<&str> = self.providers.iter().map(|provider| provider.name.as_str()).collect();
        let what = format!("{} has no row for {name}: {}", self.title, self.origin(&self.source));
        let hint = format!(
            "it has: {}; narrow the search by --provider, or take another row by --rank",
            names.join(", ")
        );
        InputError::new(what, hint)
    }
}

impl Provider {
    /// Whether the target calls a machine as the catalog does.
    fn names(&self, machine: &str) -> bool {
        let begins = |starts: &Vec<String>| starts.iter().any(|start| machine.starts_with(start));
        self.machines.as_ref().is_none_or(begins)
    }
}

impl FileTemplate {
    /// Whether the file is made for this provider and scope.
    pub fn is_for(&self, provider: &str, scope: &Scope) -> bool {
        let has = |names: &Vec<String>| names.iter().any(|name| name == provider);
        self.providers.as_ref().is_none_or(has)
            && self.when.as_ref().is_none_or(|when| condition(when, scope))
    }
}

impl Software {
    /// How a program is started: its own row, else that for programs without one, and whether it is the latter.
    pub fn program(&self, name: &str, serves: bool) -> Option<(&Program, bool)> {
        let all = || self.program.iter().filter(|program| program.serves == serves);
        let own = all().find(|program| program.names.iter().any(|own| own == name));
        own.map(|program| (program, false))
            .or_else(|| all().find(|program| program.names.is_empty()).map(|program| (program, true)))
    }
}
