//! `[budget]` of a project file: limits, and how grave it is to break each.
//!
//! A limit is a number, or `{ limit = 5000, level = "warn" }`; `level` of the table holds for the others.

use super::{Field, Reader};
use crate::cli::config::{Table, at};
use crate::diag::InputError;
use crate::gate::{Budget, Level, Levels};
use crate::money::{Usd, UsdPerHour};
use toml::Value;

/// Keys of the table.
const KEYS: [&str; 6] = ["total", "monthly", "hourly", "max-age-days", "unknown-price", "level"];

impl Reader<'_> {
    pub(super) fn budget(&self, mut table: Table) -> Result<Budget, InputError> {
        let level = |field: Option<Field>| field.map(|field| field.level()).transpose();
        let all = level(self.take(&mut table, "level"))?.unwrap_or_default();
        let unknown_price = level(self.take(&mut table, "unknown-price"))?.unwrap_or_default();
        let mut take = |key| limit(self.take(&mut table, key), all);
        let (total, monthly, hourly, age) =
            (take("total")?, take("monthly")?, take("hourly")?, take("max-age-days")?);
        self.nothing_left(&table, "[budget]", &KEYS)?;
        let amount = |(field, _): &(Option<Field>, Level)| field.as_ref().map(Field::amount).transpose();
        let days = |field: &Field| field.whole("a whole number of days, 0 or more");
        Ok(Budget {
            total: amount(&total)?.map(Usd::from_decimal),
            monthly: amount(&monthly)?.map(Usd::from_decimal),
            hourly: amount(&hourly)?.map(UsdPerHour::new),
            max_age_days: age.0.as_ref().map(days).transpose()?,
            unknown_price,
            levels: Levels { total: total.1, monthly: monthly.1, hourly: hourly.1, age: age.1 },
        })
    }
}

/// A limit with its level: that of its own table, else that of all.
fn limit(field: Option<Field>, all: Level) -> Result<(Option<Field>, Level), InputError> {
    let Some(field) = field else { return Ok((None, all)) };
    let Value::Table(mut table) = field.value else { return Ok((Some(field), all)) };
    let Field { key, place, .. } = field;
    let inner = |key, value| Field { key, place: place.clone(), value };
    let level = table.remove("level").map(|value| inner("level", value).level()).transpose()?;
    let Some(value) = table.remove("limit") else {
        let message = format!("`{key}` without a `limit`");
        return Err(at(
            &place,
            InputError::new(message, "write a number such as 5000, or `{ limit = 5000, level = \"warn\" }`"),
        ));
    };
    if let Some(other) = table.keys().next() {
        let what = format!("key of `{key}`");
        let error = InputError::unknown(&what, other, ["limit", "level"], "it has `limit` and `level`");
        return Err(at(&place, error));
    }
    Ok((Some(inner(key, value)), level.unwrap_or(all)))
}
