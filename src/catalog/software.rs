//! Training frameworks and serving engines by the names that people have for them.
//!
//! Which accelerators and formats they have are constants (`serve-runs` …); which constants hold for them is their class.

use serde::{Deserialize, Serialize};

/// What software is used for; a name may stand once in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Use {
    /// Serving of language models: `serve`.
    Serve,
    /// Training of language models: `train`.
    Train,
    /// Inference of networks that work on samples: `serve-samples`.
    ServeSamples,
    /// Training of networks that work on samples: `train-samples`.
    TrainSamples,
}

impl Use {
    /// How files write them.
    pub const NAMES: [&'static str; 4] = ["serve", "train", "serve-samples", "train-samples"];

    /// The use that a file means.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Serve, Self::Train, Self::ServeSamples, Self::TrainSamples];
        Self::NAMES.iter().position(|known| *known == name).and_then(|at| all.get(at).copied())
    }
}

/// One piece of software.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Software {
    /// What it is used for.
    pub usage: Use,
    /// Its name, as rows of `serve-runs` and the like have it; small letters and hyphens.
    pub name: String,
    /// The class whose constants hold for it.
    pub class: String,
    /// Other names of it, or software that is it inside; small letters and hyphens.
    pub aliases: Vec<String>,
    /// The class whose constants hold where its own class has none.
    pub base: Option<String>,
    /// The class of its versions before `since`: major and minor version.
    pub before: Option<(String, (u32, u32))>,
}

impl Software {
    /// Whether a text, written as `plain` writes it, is one of its names.
    pub fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }
}

/// A name in small letters, with hyphens for spaces and underscores.
pub fn plain(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace([' ', '_'], "-")
}

impl super::Catalog {
    /// The software behind a name as typed.
    pub fn software_named(&self, usage: Use, name: &str) -> Option<&Software> {
        let name = plain(name);
        self.software.iter().find(|row| row.usage == usage && row.is(&name))
    }
}
