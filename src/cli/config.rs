//! Files of settings: `gpuadvise.toml` and its `[defaults]`, and `--workload` files. Keys are flags without dashes.

use super::constraint::{FilterArgs, LimitArgs, SpotArgs};
use super::request::Group;
use crate::diag::{InputError, Place};
use crate::workload::settings::WorkloadArgs;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Spanned, Value};

/// The name that is looked for.
pub const FILE_NAME: &str = "gpuadvise.toml";

type Table = BTreeMap<Spanned<String>, Spanned<Value>>;

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

/// A project file; only `[defaults]` is read here, the rest belongs to the commands that gate.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectFile {
    #[serde(default)]
    defaults: Table,
    #[serde(rename = "workload")]
    _workload: Option<Value>,
    #[serde(rename = "budget")]
    _budget: Option<Value>,
    #[serde(rename = "discount")]
    _discount: Option<Value>,
    #[serde(rename = "policy")]
    _policy: Option<Value>,
}

impl Settings {
    /// Reads the `[defaults]` of a project file. `file` names it in messages.
    pub fn from_project(file: &str, text: &str) -> Result<Self, InputError> {
        let project: ProjectFile =
            parse(file, text, &["defaults", "workload", "budget", "discount", "policy"])?;
        let mut known = WorkloadArgs::keys();
        known.extend(FilterArgs::keys());
        known.extend(LimitArgs::keys());
        known.extend(SpotArgs::keys());
        let settings = Self::new(file, text, project.defaults, &known)?;
        settings.group::<WorkloadArgs>()?;
        settings.group::<FilterArgs>()?;
        settings.group::<LimitArgs>()?;
        settings.group::<SpotArgs>()?;
        Ok(settings)
    }

    /// Reads a `--workload` file. `file` names it in messages.
    pub fn from_workload(file: &str, text: &str) -> Result<Self, InputError> {
        let settings = Self::new(file, text, parse(file, text, &[])?, &WorkloadArgs::keys())?;
        settings.group::<WorkloadArgs>()?;
        Ok(settings)
    }

    fn new(file: &str, text: &str, table: Table, known: &[String]) -> Result<Self, InputError> {
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

    /// The values for one group of flags. Each key is read alone first, so that a bad one is named with its place.
    pub fn group<G: Group>(&self) -> Result<G, InputError> {
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

fn at(place: &Place, mut error: InputError) -> InputError {
    error.message = format!("{place}: {}", error.message);
    error
}

fn parse<T: serde::de::DeserializeOwned>(file: &str, text: &str, known: &[&str]) -> Result<T, InputError> {
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
