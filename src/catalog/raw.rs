//! Rows of a catalog file as written: typed access to one TOML table, with places, all findings of a row at once.
//!
//! Knows TOML types, not what rows mean. A row remembers which keys were asked for; whatever is left over at its end
//! is an unknown field. (A serde mirror stops at the first unknown key of a file; an author would mend a file in as
//! many rounds as it has slips.)

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::codes::{self, Code};
use super::validate::findings::{Findings, Spot, did_you_mean, listed};
use crate::units::Bytes;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) spot: Spot,
}

/// An accepted finding of a row.
#[derive(Clone, Debug)]
pub(crate) struct Waiver {
    pub(crate) code: &'static Code,
    pub(crate) reason: String,
    pub(crate) spot: Spot,
}

/// One row under reading.
#[derive(Debug)]
pub(crate) struct Row<'t> {
    table: &'t DeTable<'t>,
    /// What the row is called in files: `gpu`, `price` …
    pub(crate) kind: &'static str,
    /// Where it starts.
    pub(crate) spot: Spot,
    asked: Vec<&'static str>,
    sound: bool,
}

impl<'t> Row<'t> {
    pub(crate) fn new(kind: &'static str, table: &'t DeTable<'t>, spot: Spot) -> Self {
        Self { table, kind, spot, asked: Vec::new(), sound: true }
    }

    /// The table behind the row.
    pub(crate) fn table(&self) -> &'t DeTable<'t> {
        self.table
    }

    /// False once a field was missing or unusable: the row cannot become part of the catalog.
    pub(crate) fn is_sound(&self) -> bool {
        self.sound
    }

    /// Marks the row as unusable and says why.
    pub(crate) fn refuse(
        &mut self,
        f: &mut Findings,
        spot: Spot,
        code: &'static Code,
        message: String,
        hint: impl Into<String>,
    ) {
        self.sound = false;
        f.push(spot, code, message, hint);
    }

    /// The value of a key as TOML holds it.
    pub(crate) fn value(&mut self, key: &'static str) -> Option<(&'t DeValue<'t>, Spot)> {
        self.asked.push(key);
        let value = self.table.get(key)?;
        Some((value.get_ref(), Spot { file: self.spot.file, offset: value.span().start }))
    }

    fn read<T>(
        &mut self,
        f: &mut Findings,
        key: &'static str,
        expected: &str,
        convert: impl FnOnce(&'t DeValue<'t>) -> Option<T>,
    ) -> Option<At<T>> {
        let (found, spot) = self.value(key)?;
        let value = convert(found);
        if value.is_none() {
            let message = format!("`{key}` must be {expected}, this is {}", type_name(found));
            self.refuse(f, spot, &codes::WRONG_TYPE, message, "");
        }
        value.map(|value| At { value, spot })
    }

    /// The text of an optional key; an empty one is refused.
    pub(crate) fn text(&mut self, f: &mut Findings, key: &'static str) -> Option<At<&'t str>> {
        let text = self.read(f, key, "a text", DeValue::as_str)?;
        if text.value.trim().is_empty() {
            self.refuse(
                f,
                text.spot,
                &codes::BAD_VALUE,
                format!("`{key}` is empty"),
                "leave the key out or fill it",
            );
            return None;
        }
        self.harmless(f, key, &text).then_some(text)
    }

    /// Refuses a text that would move a terminal or turn the direction of a line where it is shown.
    fn harmless(&mut self, f: &mut Findings, key: &str, text: &At<&'t str>) -> bool {
        let Some(odd) = text.value.chars().find(|&c| is_odd(c)) else { return true };
        let message =
            format!("`{key}` holds the character U+{:04X}, which steers a terminal", u32::from(odd));
        self.refuse(f, text.spot, &codes::BAD_VALUE, message, "remove it");
        false
    }

    /// The text of an optional key, owned.
    pub(crate) fn owned(&mut self, f: &mut Findings, key: &'static str) -> Option<String> {
        self.text(f, key).map(|text| text.value.to_owned())
    }

    /// An optional number, integer or float; NaN and infinities pass.
    pub(crate) fn number(&mut self, f: &mut Findings, key: &'static str) -> Option<At<f64>> {
        self.read(f, key, "a number", number_of)
    }

    /// An optional number that must be finite and not below `least`.
    pub(crate) fn amount(&mut self, f: &mut Findings, key: &'static str, least: f64) -> Option<f64> {
        let number = self.number(f, key)?;
        if number.value.is_finite() && number.value >= least {
            return Some(number.value);
        }
        let message = format!("`{key}` is {}, expected a finite number of at least {least}", number.value);
        self.refuse(
            f,
            number.spot,
            &codes::BAD_COUNT,
            message,
            "leave the key out where the figure is not known",
        );
        None
    }

    /// An optional positive number: a rate, a power.
    pub(crate) fn rate(&mut self, f: &mut Findings, key: &'static str) -> Option<f64> {
        let number = self.number(f, key)?;
        if number.value.is_finite() && number.value > 0.0 {
            return Some(number.value);
        }
        let message = format!("`{key}` is {}, expected a positive number", number.value);
        self.refuse(
            f,
            number.spot,
            &codes::BAD_COUNT,
            message,
            "leave the key out where the figure is not known",
        );
        None
    }

    /// An optional whole number between `least` and what `T` holds.
    pub(crate) fn whole<T: TryFrom<u64>>(
        &mut self,
        f: &mut Findings,
        key: &'static str,
        least: u64,
    ) -> Option<T> {
        let number = self.read(f, key, "a whole number", integer_of)?;
        let value =
            u64::try_from(number.value).ok().filter(|&n| n >= least).and_then(|n| T::try_from(n).ok());
        if value.is_none() {
            let message = format!("`{key}` is {}, expected a whole number of at least {least}", number.value);
            self.refuse(f, number.spot, &codes::BAD_COUNT, message, "");
        }
        value
    }

    /// An optional truth value.
    pub(crate) fn flag(&mut self, f: &mut Findings, key: &'static str) -> Option<bool> {
        self.read(f, key, "true or false", DeValue::as_bool).map(|flag| flag.value)
    }

    /// An optional list of texts; absent is empty.
    pub(crate) fn texts(&mut self, f: &mut Findings, key: &'static str) -> Vec<At<&'t str>> {
        let file = self.spot.file;
        let list = self.read(f, key, "a list of texts", |value| {
            let items = value.as_array()?;
            items
                .iter()
                .map(|item| {
                    let spot = Spot { file, offset: item.span().start };
                    item.get_ref().as_str().map(|value| At { value, spot })
                })
                .collect::<Option<Vec<_>>>()
        });
        let mut texts = list.map_or_else(Vec::new, |list| list.value);
        texts.retain(|text| self.harmless(f, key, text));
        texts
    }

    /// An optional list of texts without their places.
    pub(crate) fn owned_texts(&mut self, f: &mut Findings, key: &'static str) -> Vec<String> {
        self.texts(f, key).into_iter().map(|text| text.value.to_owned()).collect()
    }

    /// An optional amount of memory, which must name its unit.
    pub(crate) fn memory(&mut self, f: &mut Findings, key: &'static str) -> Option<At<u64>> {
        let text = self.read(f, key, "a text with its unit, such as \"80 GiB\"", |value| match value {
            DeValue::String(text) => Some(text.as_ref()),
            DeValue::Integer(number) => Some(number.as_str()),
            DeValue::Float(number) => Some(number.as_str()),
            _ => None,
        })?;
        let named = text.value.trim_end().ends_with(|c: char| c.is_ascii_alphabetic());
        match text.value.parse::<Bytes>() {
            Ok(Bytes(value)) if named => Some(At { value, spot: text.spot }),
            _ => {
                let message =
                    format!("`{key}` is `{}`, expected an amount of memory with its unit", text.value);
                self.refuse(
                    f,
                    text.spot,
                    &codes::BAD_UNIT,
                    message,
                    "write it like `80 GiB`, `81559 MiB` or `80 GB`",
                );
                None
            }
        }
    }

    /// An optional value out of a fixed list.
    pub(crate) fn choice<T>(
        &mut self,
        f: &mut Findings,
        key: &'static str,
        allowed: &[&'static str],
        convert: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(f, key)?;
        let value = convert(text.value);
        if value.is_none() {
            let message =
                format!("`{key} = \"{}\"` is not one of {}", text.value, listed(allowed.iter().copied()));
            let hint = did_you_mean(text.value, allowed.iter().copied(), "use one of the values above");
            self.refuse(f, text.spot, &codes::BAD_VALUE, message, hint);
        }
        value
    }

    /// The tables of a list such as `allow` or `workload`.
    pub(crate) fn tables(&mut self, f: &mut Findings, key: &'static str, kind: &'static str) -> Vec<Row<'t>> {
        let file = self.spot.file;
        let list = self.read(f, key, "a list of tables", |value| rows_of(kind, value, file));
        list.map_or_else(Vec::new, |list| list.value)
    }

    /// Reports that a key which every such row needs is absent; for keys that were asked for and not found.
    pub(crate) fn need<T>(&mut self, f: &mut Findings, key: &'static str, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.has(key) {
            let message = format!("this {} row has no `{key}`", self.kind);
            self.refuse(f, self.spot, &codes::MISSING_FIELD, message, format!("add `{key} = …`"));
        }
        value
    }

    /// Whether the row has this key at all.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// All keys with their values, for tables with free keys.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (At<&'t str>, &'t DeValue<'t>, Spot)> {
        let file = self.spot.file;
        let table: &'t DeTable<'t> = self.table;
        table.iter().map(move |(key, value)| {
            let at = At { value: key.get_ref().as_ref(), spot: Spot { file, offset: key.span().start } };
            (at, value.get_ref(), Spot { file, offset: value.span().start })
        })
    }

    /// The `allow` list of the row.
    pub(crate) fn waivers(&mut self, f: &mut Findings) -> Vec<Waiver> {
        let mut waivers = Vec::new();
        for mut row in self.tables(f, "allow", "allow") {
            let code = row.text(f, "code");
            let code = row.need(f, "code", code);
            let reason =
                row.value("reason").and_then(|(value, _)| value.as_str()).map(str::trim).unwrap_or_default();
            if reason.is_empty() {
                let hint = "add `reason = \"…\"`: why is the row right although it looks wrong?";
                row.refuse(
                    f,
                    row.spot,
                    &codes::WAIVER_WITHOUT_REASON,
                    "this waiver gives no reason".to_owned(),
                    hint,
                );
            }
            let Some(name) = code else { continue };
            if let Some(code) = codes::find(name.value).filter(|code| code.waivable) {
                waivers.push(Waiver { code, reason: reason.to_owned(), spot: row.spot });
            } else {
                let names = || codes::CODES.iter().filter(|code| code.waivable).map(|code| code.name);
                let message = format!("`{}` cannot be waived; these can: {}", name.value, listed(names()));
                let hint = did_you_mean(name.value, names(), "mend the row");
                row.refuse(f, name.spot, &codes::BAD_VALUE, message, hint);
            }
            row.finish(f);
        }
        waivers
    }

    /// Reports every key that was never asked for, with near names.
    pub(crate) fn finish(&mut self, f: &mut Findings) {
        for (key, ..) in self.entries().collect::<Vec<_>>() {
            if !self.asked.contains(&key.value) {
                let message = format!("a {} row has no field `{}`", self.kind, key.value);
                let hint = did_you_mean(
                    key.value,
                    self.asked.iter().copied(),
                    "the fields are listed in catalog/README.md",
                );
                self.refuse(f, key.spot, &codes::UNKNOWN_FIELD, message, hint);
            }
        }
    }
}

/// The tables of a list value; `None` when it is anything else.
pub(crate) fn rows_of<'t>(kind: &'static str, value: &'t DeValue<'t>, file: usize) -> Option<Vec<Row<'t>>> {
    value
        .as_array()?
        .iter()
        .map(|item: &'t Spanned<DeValue<'t>>| {
            let table = item.get_ref().as_table()?;
            Some(Row::new(kind, table, Spot { file, offset: start_of(table, item.span().start) }))
        })
        .collect()
}

/// Where a row starts: its first key for tables with a header of their own, else the brace.
fn start_of(table: &DeTable<'_>, start: usize) -> usize {
    if start > 0 { start } else { table.iter().map(|(key, _)| key.span().start).min().unwrap_or(0) }
}

/// Control codes but those of lines and tabs, and marks that turn the direction of text.
fn is_odd(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn type_name(value: &DeValue<'_>) -> Cow<'static, str> {
    match value {
        DeValue::String(_) => "a text".into(),
        DeValue::Integer(_) => "a whole number".into(),
        DeValue::Float(_) => "a number".into(),
        DeValue::Boolean(_) => "a truth value".into(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

/// The value of an integer in any radix that TOML has.
fn integer_of(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// The value of an integer or a float.
pub(crate) fn number_of(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(_) => integer_of(value).map(|n| n as f64),
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}
