//! JSON as a stream: the items of one list or the entries of one table, one at a time, wherever they stand in the document.
//!
//! Nothing but one item is ever held. Files may hold one document, several behind each other (pages), or a list of items.

use super::Fault;
use super::guard::{Grammar, Guard};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io::{BufReader, Read};
use std::marker::PhantomData;

/// A value of any type that never makes its item fail.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Loose {
    #[default]
    Missing,
    Bool(bool),
    /// A number, or a text.
    Text(String),
}

impl Loose {
    /// The text, or the digits of a number; empty when it is neither.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text.trim(),
            _ => "",
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        self.text().parse().ok().filter(|number: &f64| number.is_finite())
    }

    pub(super) fn flag(&self) -> Option<bool> {
        if let Self::Bool(flag) = self { Some(*flag) } else { None }
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Loose;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Loose, E> {
                Ok(Loose::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Loose, E> {
                Ok(Loose::Text(value.to_string()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Loose, E> {
                Ok(Loose::Text(value.to_string()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Loose, E> {
                Ok(Loose::Text(value.to_string()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Loose, E> {
                Ok(Loose::Text(value.to_owned()))
            }
            fn visit_unit<E>(self) -> Result<Loose, E> {
                Ok(Loose::Missing)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Loose, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Loose::Missing)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Loose, A::Error> {
                while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Loose::Missing)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// Most entries of a list inside one item.
const MOST_ENTRIES: usize = 10_000;

/// A list inside an item, or a table whose keys do not matter.
#[derive(Clone, Debug)]
pub(super) struct Few<T>(pub(super) Vec<T>);

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(Vec<T>);
        impl<T> Entries<T> {
            fn push<E: serde::de::Error>(&mut self, entry: T) -> Result<(), E> {
                self.0.push(entry);
                let most = || E::custom(format!("more than {MOST_ENTRIES} entries in one item"));
                if self.0.len() > MOST_ENTRIES { Err(most()) } else { Ok(()) }
            }
        }
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Few<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list or a table")
            }
            fn visit_unit<E>(self) -> Result<Few<T>, E> {
                Ok(Few(self.0))
            }
            fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Few<T>, A::Error> {
                while let Some(item) = items.next_element()? {
                    self.push(item)?;
                }
                Ok(Few(self.0))
            }
            fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Few<T>, A::Error> {
                while let Some((_, item)) = entries.next_entry::<IgnoredAny, T>()? {
                    self.push(item)?;
                }
                Ok(Few(self.0))
            }
        }
        deserializer.deserialize_any(Entries(Vec::new()))
    }
}

/// What a walk through a document hands out.
pub(super) trait Walk {
    /// One item of a list, or one entry of a table.
    type Item: DeserializeOwned;

    /// Where the items are: the steps from the top to a list, or to a table whose values are the items. `*` is any step; no
    /// step at all means that each document is an item.
    fn paths(&self) -> &'static [&'static [&'static str]];

    /// An item, the path that it was found under, and its own key where it stands in a table.
    fn item(&mut self, path: usize, key: &str, item: Self::Item) -> Result<(), Fault>;

    /// A text or number beside the way, such as the date of the whole file.
    fn scalar(&mut self, _key: &str, _value: &Loose) {}
}

/// Items of one sort that are looked at one by one, with nothing kept between them.
struct Each<T, F> {
    paths: &'static [&'static [&'static str]],
    look: F,
    number: u64,
    item: PhantomData<T>,
}

impl<T: DeserializeOwned, F: FnMut(u64, &str, T) -> Result<(), Fault>> Walk for Each<T, F> {
    type Item = T;

    fn paths(&self) -> &'static [&'static [&'static str]] {
        self.paths
    }

    fn item(&mut self, _: usize, key: &str, item: T) -> Result<(), Fault> {
        self.number += 1;
        (self.look)(self.number, key, item)
    }
}

/// Hands out every item under `paths` (see [`Walk::paths`]): its number from 1, its own key in a table, and itself.
pub(super) fn each<T: DeserializeOwned>(
    from: &mut dyn Read,
    paths: &'static [&'static [&'static str]],
    look: impl FnMut(u64, &str, T) -> Result<(), Fault>,
) -> Result<(), Fault> {
    walk(from, &mut Each { paths, look, number: 0, item: PhantomData })
}

/// Walks through all documents of a stream.
pub(super) fn walk<W: Walk>(from: &mut dyn Read, walk: &mut W) -> Result<(), Fault> {
    let mut guard = Guard::new(from, Grammar::Json);
    let mut fault = None;
    let done = {
        let mut de = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, &mut guard));
        let mut all = || -> serde_json::Result<usize> {
            let mut documents = 0;
            while de.end().is_err_and(|error| !error.is_io() && !error.is_eof()) {
                Step { walk, fault: &mut fault, depth: 0, open: None, key: String::new() }
                    .deserialize(&mut de)?;
                documents += 1;
            }
            de.end().map(|()| documents)
        };
        all()
    };
    if let Some(fault) = guard.take_fault().or(fault) {
        return Err(fault);
    }
    match done {
        Ok(0) => Err(Fault::at(1, 1, "the file is empty", "expected a JSON document")),
        Ok(_) => Ok(()),
        Err(error) if error.is_io() => Err(Fault::new(error.to_string(), "")),
        Err(error) => {
            let text = error.to_string();
            let text = text.split(" at line ").next().unwrap_or(&text).to_owned();
            let hint = if error.is_eof() { "the file ends too early: a cut-off download?" } else { "" };
            Err(Fault::at(error.line() as u64, error.column() as u64, text, hint))
        }
    }
}

/// One level of a document on the way to the items.
struct Step<'w, W: Walk> {
    walk: &'w mut W,
    fault: &'w mut Option<Fault>,
    depth: usize,
    /// The paths that still lead on, as bits; `None` at the top.
    open: Option<u32>,
    key: String,
}

impl<W: Walk> Step<'_, W> {
    fn open(&self) -> u32 {
        self.open.unwrap_or(u32::MAX >> (32 - self.walk.paths().len().clamp(1, 31)))
    }

    /// The paths that go on below `key`.
    fn below(&self, key: &str) -> u32 {
        let leads = |at: usize| {
            let step = self.walk.paths().get(at).and_then(|path| path.get(self.depth));
            step.is_some_and(|step| *step == "*" || *step == key)
        };
        (0..self.walk.paths().len())
            .filter(|&at| self.open() & (1 << at) != 0 && leads(at))
            .fold(0, |bits, at| bits | 1 << at)
    }

    /// The path that ends here, if one does.
    fn ends(&self, open: u32, depth: usize) -> Option<usize> {
        (0..self.walk.paths().len()).find(|&at| open & (1 << at) != 0 && self.walk.paths()[at].len() == depth)
    }

    fn hand<E: serde::de::Error>(&mut self, path: usize, key: &str, item: W::Item) -> Result<(), E> {
        self.walk.item(path, key, item).map_err(|fault| {
            *self.fault = Some(fault);
            E::custom("stopped")
        })
    }
}

impl<'de, W: Walk> DeserializeSeed<'de> for Step<'_, W> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, W: Walk> Visitor<'de> for Step<'_, W> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table or a list")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        if let Some(path) = self.ends(self.open(), self.depth).filter(|_| self.depth == 0) {
            let item = W::Item::deserialize(MapAccessDeserializer::new(entries))?;
            return self.hand(path, "", item);
        }
        let here = self.ends(self.open(), self.depth);
        while let Some(key) = entries.next_key::<String>()? {
            if let Some(path) = here {
                let item = entries.next_value()?;
                self.hand(path, &key, item)?;
                continue;
            }
            let open = self.below(&key);
            if open == 0 && self.depth < 2 {
                let value: Loose = entries.next_value()?;
                self.walk.scalar(&key, &value);
            } else if open == 0 {
                entries.next_value::<IgnoredAny>()?;
            } else {
                let next =
                    Step { walk: self.walk, fault: self.fault, depth: self.depth + 1, open: Some(open), key };
                entries.next_value_seed(next)?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        // A list at the top is one of items: what tools print that pick the list out of its document.
        if self.depth == 0 {
            while let Some(item) = items.next_element()? {
                self.hand(0, "", item)?;
            }
            return Ok(());
        }
        let Some(path) = self.ends(self.open(), self.depth) else {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        let key = std::mem::take(&mut self.key);
        while let Some(item) = items.next_element()? {
            self.hand(path, &key, item)?;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
