//! Fitted values as text: rows of a catalog file, and new values inside the text of one.

use crate::catalog::Catalog;
use crate::catalog::knowledge::Constant;
use std::fmt::Write as _;

/// Significant digits of a written value: the fits know no more.
const DIGITS: i32 = 4;

/// A value with the digits that a fit knows.
pub fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let unit = 10f64.powi(value.abs().log10().floor() as i32 - DIGITS + 1);
    // By text, so that no digit of the division is left over.
    format!("{:.*e}", DIGITS as usize - 1, (value / unit).round() * unit).parse().unwrap_or(value)
}

/// Rounds the values that a fit changed, and moves their ranges along, inside the bounds of the key.
pub fn settle(before: &Catalog, after: &mut Catalog, bounds: &[super::free::Free]) {
    for (old, new) in before.constants.iter().zip(&mut after.constants) {
        if old.value.to_bits() == new.value.to_bits() {
            continue;
        }
        new.value = rounded(new.value);
        let ratio = new.value / old.value;
        new.range = old.range.map(|(low, high)| (rounded(low * ratio), rounded(high * ratio)));
    }
    for free in bounds {
        let constant = &mut after.constants[free.index];
        let value = constant.value;
        constant.range = constant.range.map(|(low, high)| (low.min(value), high.min(free.high).max(value)));
    }
}

/// What a constant is and holds for, in one line.
pub fn label(constant: &Constant) -> String {
    let mut label = constant.key.clone();
    for part in [&constant.gpu, &constant.precision, &constant.class].into_iter().flatten() {
        let _ = write!(label, " {part}");
    }
    if let Some(max) = constant.max_gpus {
        let _ = write!(label, " <={max}");
    }
    label
}

/// A text as TOML writes it.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A number as TOML writes it.
pub fn number(value: f64) -> String {
    format!("{value:?}")
}

/// One `[[constant]]` row, with the id of its source in the file.
pub fn row(constant: &Constant, source: &str) -> String {
    let mut text = String::from("[[constant]]\n");
    let mut put = |key: &str, value: String| {
        let _ = writeln!(text, "{key} = {value}");
    };
    put("key", quoted(&constant.key));
    for (key, part) in
        [("gpu", &constant.gpu), ("precision", &constant.precision), ("class", &constant.class)]
    {
        if let Some(part) = part {
            put(key, quoted(part));
        }
    }
    if let Some(max) = constant.max_gpus {
        put("max-gpus", max.to_string());
    }
    put("value", number(constant.value));
    if let Some((low, high)) = constant.range {
        put("low", number(low));
        put("high", number(high));
    }
    put("source", quoted(source));
    if let Some(note) = &constant.note {
        put("note", quoted(note));
    }
    text
}

/// The text of a catalog file with the values and ranges of `constants` in place of its own; all else stays as it is.
pub fn rewrite(text: &str, constants: &[Constant]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        if line.trim() != "[[constant]]" {
            continue;
        }
        let mut block = Vec::new();
        while let Some(next) = lines.next_if(|next| !next.trim_start().starts_with('[')) {
            block.push(next);
        }
        let body = block.concat();
        match toml::from_str::<toml::Table>(&body).ok().and_then(|table| named(&table, constants)) {
            Some(constant) => block.into_iter().for_each(|line| out.push_str(&replaced(line, constant))),
            None => out.push_str(&body),
        }
    }
    out
}

fn named<'a>(table: &toml::Table, constants: &'a [Constant]) -> Option<&'a Constant> {
    let text = |key: &str| table.get(key).and_then(toml::Value::as_str);
    let max = table.get("max-gpus").and_then(toml::Value::as_integer);
    constants.iter().find(|constant| {
        text("key") == Some(constant.key.as_str())
            && text("gpu") == constant.gpu.as_deref()
            && text("precision") == constant.precision.as_deref()
            && text("class") == constant.class.as_deref()
            && max == constant.max_gpus.map(i64::from)
    })
}

fn replaced(line: &str, constant: &Constant) -> String {
    let key = line.split('=').next().map_or("", str::trim);
    let value = match (key, constant.range) {
        ("value", _) => constant.value,
        ("low", Some((low, _))) => low,
        ("high", Some((_, high))) => high,
        _ => return line.to_owned(),
    };
    format!("{key} = {}\n", number(value))
}
