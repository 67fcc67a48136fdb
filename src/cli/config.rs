//! Tables of settings, as in `[defaults]` of `gpuadvise.toml` and in `--workload` files. Keys are flags without dashes.

use super::constraint::{BillArgs, FilterArgs, LimitArgs, SpotArgs};
use super::request::Group;
use super::speech::LangArgs;
use crate::diag::{InputError, Place};
use crate::workload::settings::WorkloadArgs;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Spanned, Value};

/// The name that is looked for.
pub const FILE_NAME: &str = "gpuadvise.toml";

pub(super) type Table = BTreeMap<Spanned<String>, Spanned<Value>>;

/// Settings of one file with the places they stand at.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    key: String,
    /// As flags would hold them: one text a value.
    values: Vec<String>,
    place: Place,
}

impl Settings {
    /// Reads a `--workload` file. `file` names it in messages.
    pub fn from_workload(file: &str, text: &str) -> Result<Self, InputError> {
        let settings = Self::new(file, text, parse(file, text, &[])?, &WorkloadArgs::keys())?;
        settings.group::<WorkloadArgs>()?;
        Ok(settings)
    }

    /// Reads a table of settings. `file` names it in messages.
    pub(super) fn new(file: &str, text: &str, table: Table, known: &[String]) -> Result<Self, InputError> {
        let mut entries = Vec::new();
        for (key, value) in table {
            let place = Place::at(file, text, key.span().start);
            let key = key.into_inner();
            if !known.contains(&key) {
                let known = known.iter().map(String::as_str);
                let hint = "a key is a flag of the workload or the constraints without its dashes";
                return Err(at(&place, InputError::unknown("setting", &key, known, hint)));
            }
            let place = Place::at(file, text, value.span().start);
            let values = texts(value.into_inner()).ok_or_else(|| {
                let message = format!("`{key}` must be a text, a number, true or false, or a list of them");
                at(&place, InputError::new(message, ""))
            })?;
            entries.push(Entry { key, values, place });
        }
        entries.sort_by_key(|entry| (entry.place.line, entry.place.column));
        Ok(Self { entries })
    }

    /// Reads every setting as the command line would, so that a bad one is refused even where nobody asks for it.
    pub(super) fn check(&self) -> Result<(), InputError> {
        self.group::<WorkloadArgs>()?;
        self.group::<FilterArgs>()?;
        self.group::<LimitArgs>()?;
        self.group::<SpotArgs>()?;
        self.group::<BillArgs>()?;
        self.group::<LangArgs>().map(|_| ())
    }

    /// All values as written, each key once: those of `lower` give way.
    pub(super) fn texts_over(&self, lower: &Self) -> BTreeMap<String, Vec<String>> {
        let entries = lower.entries.iter().chain(&self.entries);
        entries.map(|entry| (entry.key.clone(), entry.values.clone())).collect()
    }

    /// The values for one group of flags. Each key is read alone first, so that a bad one is named with its place.
    pub fn group<G: Group>(&self) -> Result<G, InputError> {
        if self.entries.is_empty() {
            return Ok(G::default());
        }
        let keys = G::keys();
        let own: Vec<&Entry> = self.entries.iter().filter(|entry| keys.contains(&entry.key)).collect();
        for entry in &own {
            G::from_pairs(entry.pairs()).map_err(|text| at(&entry.place, InputError::new(text, "")))?;
        }
        let all = G::from_pairs(own.iter().flat_map(|entry| entry.pairs()));
        all.map_err(|text| {
            let place = own.first().map(|entry| entry.place.file.clone()).unwrap_or_default();
            InputError::new(format!("{place}: {text}"), "")
        })
    }
}

impl Entry {
    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|value| (self.key.as_str(), value.as_str()))
    }
}

/// All keys of `[defaults]`: flags of the workload and the constraints.
pub(super) fn known_keys() -> Vec<String> {
    let mut known = WorkloadArgs::keys();
    known.extend(FilterArgs::keys());
    known.extend(LimitArgs::keys());
    known.extend(SpotArgs::keys());
    known.extend(BillArgs::keys());
    known
}

/// The error with its place in front.
pub(super) fn at(place: &Place, mut error: InputError) -> InputError {
    error.message = format!("{place}: {}", error.message);
    error
}

/// Reads a whole file of TOML; an unknown section is named with the near ones.
pub(super) fn parse<T: serde::de::DeserializeOwned>(
    file: &str,
    text: &str,
    known: &[&str],
) -> Result<T, InputError> {
    toml::from_str(text).map_err(|error| {
        let place = Place::at(file, text, error.span().map_or(0, |span| span.start));
        let unknown = error.message().strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
        at(
            &place,
            match unknown {
                Some((name, _)) => InputError::unknown(
                    "section",
                    name,
                    known.iter().copied(),
                    "settings stand below `[defaults]`",
                ),
                None => InputError::new(error.message(), ""),
            },
        )
    })
}

fn texts(value: Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text]),
        Value::Integer(number) => Some(vec![number.to_string()]),
        Value::Float(number) => Some(vec![number.to_string()]),
        Value::Boolean(yes) => Some(vec![yes.to_string()]),
        Value::Array(items) => {
            let items: Option<Vec<Vec<String>>> = items.into_iter().map(texts).collect();
            items.map(|items| items.concat())
        }
        Value::Datetime(_) | Value::Table(_) => None,
    }
}

/// The nearest project file: in `start` or a folder above it.
pub fn find(start: &Path) -> Option<PathBuf> {
    start.ancestors().map(|folder| folder.join(FILE_NAME)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests;
