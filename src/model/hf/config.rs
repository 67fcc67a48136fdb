//! Typed look-up in the objects of a `config.json`, with errors that name the key and say what to do.

use crate::diag::InputError;
use serde_json::{Map, Value};

/// What to do when a key is missing or unusable.
const BY_HAND: &str = "give the shape by hand with `--layers`, `--hidden` and their companions, or use a preset of `gpuadvise catalog models`";

/// The object of the language model, and the whole around it.
pub(super) struct Config<'a> {
    name: &'a str,
    own: &'a Map<String, Value>,
    outer: &'a Map<String, Value>,
    path: String,
}

impl<'a> Config<'a> {
    pub(super) fn new(
        name: &'a str,
        own: &'a Map<String, Value>,
        outer: &'a Map<String, Value>,
        path: String,
    ) -> Self {
        Self { name, own, outer, path }
    }

    /// The file as the user named it.
    pub(super) fn name(&self) -> &'a str {
        self.name
    }

    /// The whole file.
    pub(super) fn whole(&self) -> &'a Map<String, Value> {
        self.outer
    }

    /// An object inside, where there is one.
    pub(super) fn nested(&self, key: &str) -> Option<Self> {
        let own = self.own.get(key)?.as_object()?;
        Some(Self { name: self.name, own, outer: self.outer, path: format!("{}{key}.", self.path) })
    }

    /// A value; `null` counts as absent.
    pub(super) fn own(&self, key: &str) -> Option<&'a Value> {
        self.own.get(key).filter(|value| !value.is_null())
    }

    /// A value of the whole file.
    pub(super) fn outer(&self, key: &str) -> Option<&'a Value> {
        self.outer.get(key).filter(|value| !value.is_null())
    }

    /// The names of all keys.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'a String> {
        self.own.keys()
    }

    /// A text.
    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.own(key)?.as_str()
    }

    /// A list of texts; other values in it are passed over.
    pub(super) fn texts(&self, key: &str) -> Option<Vec<&'a str>> {
        Some(self.own(key)?.as_array()?.iter().filter_map(Value::as_str).collect())
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, InputError> {
        match self.own(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.unusable(key, other, "true or false")),
        }
    }

    /// A whole number that is not negative.
    pub(super) fn number(&self, key: &str) -> Result<Option<u32>, InputError> {
        let Some(value) = self.own(key) else { return Ok(None) };
        let number = value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(n));
        match number {
            Some(number) => Ok(Some(number as u32)),
            None => Err(self.unusable(key, value, "a whole number")),
        }
    }

    /// The first of these keys that is there.
    pub(super) fn first(&self, keys: &[&str]) -> Result<Option<u32>, InputError> {
        for key in keys {
            if let Some(number) = self.number(key)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// The first of these keys that is there; one must be.
    pub(super) fn need(&self, keys: &[&str]) -> Result<u32, InputError> {
        self.first(keys)?.ok_or_else(|| self.missing(keys))
    }

    /// The error for a missing key.
    pub(super) fn missing(&self, keys: &[&str]) -> InputError {
        let names: Vec<String> = keys.iter().map(|key| format!("`{}{key}`", self.path)).collect();
        let also = if names.len() > 1 { format!(" (nor {})", names[1..].join(", ")) } else { String::new() };
        InputError::new(format!("`{}` has no key {}{also}", self.name, names[0]), BY_HAND)
    }

    /// The error for something that the planner does not model.
    pub(super) fn refused(&self, what: impl std::fmt::Display) -> InputError {
        InputError::new(format!("`{}`: {what}", self.name), BY_HAND)
    }

    fn unusable(&self, key: &str, value: &Value, expected: &str) -> InputError {
        let mut shown = value.to_string();
        if shown.chars().count() > 40 {
            shown = shown.chars().take(40).chain("…".chars()).collect();
        }
        self.refused(format!("`{}{key}` is `{shown}`, expected {expected}", self.path))
    }
}
