//! Loads the catalog: the image inside the binary, then `--catalog` overlays from disk.
//!
//! The only place of the catalog that reads from disk. Overlays are checked against the loaded catalog; the embedded TOML
//! itself was checked by `build.rs` with the same code, and the warnings that it left standing are part of the image
//! (so `catalog check` shows them with their places, and the binary need not carry a megabyte of TOML).

mod cache;
mod files;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::Catalog;
use super::image;
use super::price::Price;
use super::validate::{SourceFile, validate};
use crate::diag::{Finding, Level};
use cache::{Cache, Entry};
use jiff::civil::Date;

/// Longest overlays, bytes of all files together.
const LONGEST_OVERLAYS: u64 = 1 << 30;

macro_rules! section {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

/// Which parts of the catalog a command needs; the lists of the others stay empty. GPUs, families, providers, regions,
/// machines and sources are always there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of independent parts, always named")]
pub struct Sections {
    /// Prices.
    pub prices: bool,
    /// Model presets, and the measured rates of networks.
    pub presets: bool,
    /// Constants of the estimates.
    pub constants: bool,
    /// Advice rules.
    pub rules: bool,
    /// Named workloads.
    pub scenarios: bool,
    /// What networks of clusters were seen to carry.
    pub fabrics: bool,
    /// Prices of tokens and the carbon of electricity.
    pub ownership: bool,
}

impl Sections {
    /// Everything.
    pub const ALL: Self = Self {
        prices: true,
        presets: true,
        constants: true,
        rules: true,
        scenarios: true,
        fabrics: true,
        ownership: true,
    };

    /// Nothing but hardware and who rents it out.
    pub const HARDWARE: Self = Self {
        prices: false,
        presets: false,
        constants: false,
        rules: false,
        scenarios: false,
        fabrics: false,
        ownership: false,
    };

    /// What `cost` and price listings need.
    pub const PRICES: Self = Self { prices: true, ..Self::HARDWARE };

    /// Whether a section of the image is among them.
    fn wants(self, section: &str) -> bool {
        match section {
            "core" => true,
            "prices" | "price-notes" => self.prices,
            "presets" => self.presets,
            "constants" => self.constants,
            "rules" => self.rules,
            "scenarios" => self.scenarios,
            "fabrics" => self.fabrics,
            "ownership" => self.ownership,
            "carbon" => self.ownership || (self.rules && self.prices),
            _ => false,
        }
    }
}

/// A catalog with its overlays.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The catalog.
    pub catalog: Catalog,
    /// Warnings about the overlays.
    pub warnings: Vec<Finding>,
    /// The newest day of the fetched prices of each provider.
    pub newest: BTreeMap<String, Date>,
    /// What became of the cache, for `--verbose`.
    pub notes: Vec<String>,
}

/// Why there is no catalog.
#[derive(Debug)]
pub enum CatalogProblem {
    /// A file or folder cannot be read.
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A folder without a TOML file.
    Empty {
        /// Which.
        path: PathBuf,
    },
    /// All overlays together are longer than what is read.
    TooMuch {
        /// Bytes.
        length: u64,
    },
    /// The files were read and at least one finding is an error.
    Invalid {
        /// All findings, in the order of files and places.
        findings: Vec<Finding>,
    },
    /// The image inside the program is damaged: a bug.
    Image(postcard::Error),
}

impl fmt::Display for CatalogProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, error } => {
                write!(f, "cannot read catalog `{}`: {error}", path.display())
            }
            Self::Empty { path } => write!(f, "no `*.toml` file in catalog folder `{}`", path.display()),
            Self::TooMuch { length } => write!(
                f,
                "the overlays of `--catalog` have {} MiB together, at most {} MiB are read",
                length >> 20,
                LONGEST_OVERLAYS >> 20
            ),
            Self::Invalid { findings } => {
                let errors = findings.iter().filter(|finding| finding.level == Level::Error).count();
                write!(f, "the catalog has {errors} error{}", if errors == 1 { "" } else { "s" })?;
                findings.iter().try_for_each(|finding| write!(f, "\n{finding}"))
            }
            Self::Image(error) => write!(f, "the catalog inside this program is damaged: {error}"),
        }
    }
}

impl std::error::Error for CatalogProblem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { error, .. } => Some(error),
            Self::Image(error) => Some(error),
            Self::Empty { .. } | Self::TooMuch { .. } | Self::Invalid { .. } => None,
        }
    }
}

/// The sections of the image inside the program.
const IMAGE: [(&str, &[u8]); 10] = [
    ("core", section!("core")),
    ("prices", section!("prices")),
    ("price-notes", section!("price-notes")),
    ("presets", section!("presets")),
    ("constants", section!("constants")),
    ("rules", section!("rules")),
    ("scenarios", section!("scenarios")),
    ("fabrics", section!("fabrics")),
    ("ownership", section!("ownership")),
    ("carbon", section!("carbon")),
];

/// Overlays below so many bytes in all are checked anew in every run: that takes less than a file in the cache is worth.
const LEAST_CACHED: u64 = 64 << 10;

/// The catalog inside the program.
pub fn embedded(sections: Sections) -> Result<Catalog, CatalogProblem> {
    let mut catalog = Catalog::default();
    for (name, bytes) in IMAGE.into_iter().filter(|(name, _)| sections.wants(name)) {
        image::read(name, bytes, &mut catalog).map_err(CatalogProblem::Image)?;
    }
    Ok(catalog)
}

/// The catalog inside the program with overlays laid over it, each a TOML file or a folder; later ones win.
///
/// With overlays every section is loaded, since their rows are checked against all of them.
pub fn with_overlays(paths: &[PathBuf], sections: Sections) -> Result<Loaded, CatalogProblem> {
    with_cache(paths, sections, None)
}

/// The same; what large overlays came to is kept in the folder `cache` and taken from there, as long as neither they nor
/// the program change. From there only the sections that are asked for are loaded.
pub fn with_cache(
    paths: &[PathBuf],
    sections: Sections,
    cache: Option<&Path>,
) -> Result<Loaded, CatalogProblem> {
    with_updates(&[], paths, sections, cache)
}

/// The catalog inside the program, what was fetched laid over it as one layer, and the overlays over both. A price of the
/// program that is newer than the fetched one holds on.
pub fn with_updates(
    fetched: &[PathBuf],
    overlays: &[PathBuf],
    sections: Sections,
    cache: Option<&Path>,
) -> Result<Loaded, CatalogProblem> {
    let mut notes = Vec::new();
    if fetched.is_empty() && overlays.is_empty() {
        let catalog = embedded(sections)?;
        return Ok(Loaded { catalog, warnings: Vec::new(), newest: BTreeMap::new(), notes });
    }
    let layers = Layers::find(fetched, overlays)?;
    let length: u64 = layers.0.iter().flatten().map(files::Overlay::len).sum();
    if length > LONGEST_OVERLAYS {
        return Err(CatalogProblem::TooMuch { length });
    }
    let cache = cache.filter(|_| length >= LEAST_CACHED).map(Cache::in_folder);
    if let Some(cache) = &cache {
        match cache.read(layers.key()?, sections) {
            Ok(Some(Entry { catalog, warnings, newest })) => {
                notes.push("overlays taken from the cache".to_owned());
                return Ok(Loaded { catalog, warnings, newest, notes });
            }
            Ok(None) => {}
            Err(error) => notes.push(format!("the cached overlays cannot be used: {error}")),
        }
    }
    let layers = layers.read()?;
    let entry = lay_over(&layers)?;
    if entry.warnings.iter().any(|finding| finding.level == Level::Error) {
        return Err(CatalogProblem::Invalid { findings: entry.warnings });
    }
    if let Some(cache) = &cache {
        // By what was read just now: a file may have changed since it was hashed.
        let key = layers.key()?;
        drop(layers);
        match cache.write(key, &entry) {
            Ok(()) => notes.push("overlays compiled into the cache".to_owned()),
            Err(error) => notes.push(format!("the overlays are not cached: {error}")),
        }
    }
    let Entry { catalog, warnings, newest } = entry;
    Ok(Loaded { catalog, warnings, newest, notes })
}

/// What is laid over the catalog: first what was fetched, as one layer, then each overlay.
struct Layers<F>(Vec<Vec<F>>);

impl Layers<files::Overlay> {
    fn find(fetched: &[PathBuf], overlays: &[PathBuf]) -> Result<Self, CatalogProblem> {
        let found =
            |paths: &[PathBuf]| paths.iter().map(|path| files::find(path)).collect::<Result<Vec<_>, _>>();
        let first = found(fetched)?.into_iter().flatten().collect();
        let mut layers = vec![first];
        layers.append(&mut found(overlays)?);
        Ok(Self(layers))
    }

    fn read(self) -> Result<Layers<SourceFile>, CatalogProblem> {
        let layers = self.0.into_iter().map(|layer| layer.into_iter().map(files::Overlay::text).collect());
        layers.collect::<Result<_, _>>().map(Layers)
    }

    fn key(&self) -> Result<blake3::Hash, CatalogProblem> {
        key(&self.0, |file| Ok((file.label(), file.hash()?)))
    }
}

impl Layers<SourceFile> {
    fn key(&self) -> Result<blake3::Hash, CatalogProblem> {
        key(&self.0, |file| Ok((file.label.clone(), blake3::hash(file.text.as_bytes()))))
    }
}

fn lay_over(layers: &Layers<SourceFile>) -> Result<Entry, CatalogProblem> {
    let own = embedded(Sections::ALL)?;
    let mut entry = Entry { catalog: own.clone(), ..Entry::default() };
    for (at, files) in layers.0.iter().enumerate().filter(|(_, files)| !files.is_empty()) {
        let (catalog, findings) = validate(files, entry.catalog, true);
        entry.catalog = catalog;
        entry.warnings.extend(findings);
        if at == 0 {
            keep_newer(&own, &mut entry.catalog);
            entry.newest = newest(&entry.catalog);
        }
    }
    Ok(entry)
}

/// The newest day of the prices of each provider that an overlay set.
fn newest(catalog: &Catalog) -> BTreeMap<String, Date> {
    let mut newest: BTreeMap<String, Date> = BTreeMap::new();
    for price in catalog.prices.iter().filter(|price| price.overridden) {
        let provider = &catalog.provider(catalog.instance(price.instance).provider).name;
        let day = catalog.source(price.source).as_of.not_after();
        match newest.get_mut(provider) {
            Some(known) => *known = day.max(*known),
            None => drop(newest.insert(provider.clone(), day)),
        }
    }
    newest
}

/// Puts prices of `own` back that are of a later day than what was laid over them. Sources keep their ids in a layer.
fn keep_newer(own: &Catalog, catalog: &mut Catalog) {
    let key = |catalog: &Catalog, price: &Price| {
        let machine = catalog.instance(price.instance);
        let names = (catalog.provider(machine.provider).name.clone(), machine.name.clone());
        (names, catalog.region(price.region).name.clone(), price.billing, price.upfront)
    };
    let known: BTreeMap<_, &Price> = own.prices.iter().map(|price| (key(own, price), price)).collect();
    let older = |price: &Price| -> Option<Price> {
        let before = known.get(&key(catalog, price)).filter(|_| price.overridden)?;
        let (old, new) = (own.source(before.source).as_of, catalog.source(price.source).as_of);
        let ids = (price.instance, price.region);
        (old.not_before() > new.not_after()).then(|| Price {
            instance: ids.0,
            region: ids.1,
            ..(*before).clone()
        })
    };
    let back: Vec<(usize, Price)> =
        catalog.prices.iter().enumerate().filter_map(|(at, price)| Some((at, older(price)?))).collect();
    for (at, price) in back {
        catalog.prices[at] = price;
    }
}

/// All findings of the overlays, or of the catalog inside the program when there are none.
pub fn check(paths: &[PathBuf]) -> Result<Vec<Finding>, CatalogProblem> {
    if paths.is_empty() {
        return image::read_findings(section!("findings")).map_err(CatalogProblem::Image);
    }
    lay_over(&Layers::find(&[], paths)?.read()?).map(|entry| entry.warnings)
}

/// The hash of all that a catalog with overlays is made of: the program, its own catalog, then each overlay with its files
/// by name (findings tell it) and content.
fn key<F>(
    layers: &[Vec<F>],
    of: impl Fn(&F) -> Result<(String, blake3::Hash), CatalogProblem>,
) -> Result<blake3::Hash, CatalogProblem> {
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(env!("CARGO_PKG_VERSION").as_bytes());
    for (_, bytes) in IMAGE {
        part(bytes);
    }
    for layer in layers {
        part(&(layer.len() as u64).to_le_bytes());
        for file in layer {
            let (label, hash) = of(file)?;
            part(label.as_bytes());
            part(hash.as_bytes());
        }
    }
    Ok(hasher.finalize())
}
