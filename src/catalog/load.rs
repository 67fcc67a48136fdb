//! Loads the catalog: the image inside the binary, then `--catalog` overlays from disk.
//!
//! The only file of the catalog that reads from disk. Overlays are checked against the loaded catalog; the embedded TOML
//! itself was checked by `build.rs` with the same code, and the warnings that it left standing are part of the image
//! (so `catalog check` shows them with their places, and the binary need not carry a megabyte of TOML).

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Catalog;
use super::image;
use super::price::Price;
use super::validate::{SourceFile, validate};
use crate::diag::{Finding, Level};
use jiff::civil::Date;

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
}

/// A catalog with its overlays.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The catalog.
    pub catalog: Catalog,
    /// Warnings about the overlays.
    pub warnings: Vec<Finding>,
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
    /// The files were read and at least one finding is an error.
    Invalid {
        /// All findings, in the order of files and places.
        findings: Vec<Finding>,
    },
    /// The image inside the program is damaged: a bug.
    Image(serde_json::Error),
}

impl fmt::Display for CatalogProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, error } => {
                write!(f, "cannot read catalog `{}`: {error}", path.display())
            }
            Self::Empty { path } => write!(f, "no `*.toml` file in catalog folder `{}`", path.display()),
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
            Self::Empty { .. } | Self::Invalid { .. } => None,
        }
    }
}

/// The catalog inside the program.
pub fn embedded(sections: Sections) -> Result<Catalog, CatalogProblem> {
    let mut catalog = Catalog::default();
    let parts: [(bool, &str, &[u8]); 10] = [
        (true, "core", section!("core")),
        (sections.prices, "prices", section!("prices")),
        (sections.prices, "price-notes", section!("price-notes")),
        (sections.presets, "presets", section!("presets")),
        (sections.constants, "constants", section!("constants")),
        (sections.rules, "rules", section!("rules")),
        (sections.scenarios, "scenarios", section!("scenarios")),
        (sections.fabrics, "fabrics", section!("fabrics")),
        (sections.ownership, "ownership", section!("ownership")),
        (sections.ownership || (sections.rules && sections.prices), "carbon", section!("carbon")),
    ];
    for (_, name, bytes) in parts.into_iter().filter(|(wanted, ..)| *wanted) {
        image::read(name, bytes, &mut catalog).map_err(CatalogProblem::Image)?;
    }
    Ok(catalog)
}

/// The catalog inside the program with overlays laid over it, each a TOML file or a folder; later ones win.
///
/// With overlays every section is loaded, since their rows are checked against all of them.
pub fn with_overlays(paths: &[PathBuf], sections: Sections) -> Result<Loaded, CatalogProblem> {
    if paths.is_empty() {
        return Ok(Loaded { catalog: embedded(sections)?, warnings: Vec::new() });
    }
    let (catalog, findings) = lay_over(paths)?;
    if findings.iter().any(|finding| finding.level == Level::Error) {
        return Err(CatalogProblem::Invalid { findings });
    }
    Ok(Loaded { catalog, warnings: findings })
}

/// The catalog inside the program, what was fetched laid over it as one layer, and the overlays over both. A price of the
/// program that is newer than the fetched one holds on. With the newest day of the fetched prices of each provider.
pub fn with_updates(
    fetched: &[PathBuf],
    overlays: &[PathBuf],
) -> Result<(Loaded, BTreeMap<String, Date>), CatalogProblem> {
    let own = embedded(Sections::ALL)?;
    let read = |path: &PathBuf| read_files(path);
    let files: Vec<SourceFile> =
        fetched.iter().map(read).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let (mut catalog, mut all) = validate(&files, own.clone(), true);
    keep_newer(&own, &mut catalog);
    let mut newest: BTreeMap<String, Date> = BTreeMap::new();
    for price in catalog.prices.iter().filter(|price| price.overridden) {
        let provider = &catalog.provider(catalog.instance(price.instance).provider).name;
        let day = catalog.source(price.source).as_of.not_after();
        newest.entry(provider.clone()).and_modify(|known| *known = day.max(*known)).or_insert(day);
    }
    for path in overlays {
        let (next, findings) = validate(&read_files(path)?, catalog, true);
        catalog = next;
        all.extend(findings);
    }
    if all.iter().any(|finding| finding.level == Level::Error) {
        return Err(CatalogProblem::Invalid { findings: all });
    }
    Ok((Loaded { catalog, warnings: all }, newest))
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
    lay_over(paths).map(|(_, findings)| findings)
}

fn lay_over(paths: &[PathBuf]) -> Result<(Catalog, Vec<Finding>), CatalogProblem> {
    let mut catalog = embedded(Sections::ALL)?;
    let mut all = Vec::new();
    for path in paths {
        let (next, findings) = validate(&read_files(path)?, catalog, true);
        catalog = next;
        all.extend(findings);
    }
    Ok((catalog, all))
}

/// The TOML files behind a path, a folder's in the order of their paths. Linked folders are not entered, so that a loop
/// of links ends.
fn read_files(path: &Path) -> Result<Vec<SourceFile>, CatalogProblem> {
    let mut found = Vec::new();
    let unreadable = |path: &Path, error| CatalogProblem::Unreadable { path: path.to_owned(), error };
    if fs::metadata(path).map_err(|error| unreadable(path, error))?.is_dir() {
        let mut folders = vec![path.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).map_err(|error| unreadable(&folder, error))? {
                let entry = entry.map_err(|error| unreadable(&folder, error))?;
                let kind = entry.file_type().map_err(|error| unreadable(&entry.path(), error))?;
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if entry.path().extension().is_some_and(|extension| extension == "toml")
                    && entry.path().is_file()
                {
                    found.push(entry.path());
                }
            }
        }
        found.sort();
        if found.is_empty() {
            return Err(CatalogProblem::Empty { path: path.to_owned() });
        }
    } else {
        found.push(path.to_owned());
    }
    let read = |path: PathBuf| match fs::read_to_string(&path) {
        Ok(text) => Ok(SourceFile { label: path.display().to_string(), text }),
        Err(error) => Err(unreadable(&path, error)),
    };
    found.into_iter().map(read).collect()
}
