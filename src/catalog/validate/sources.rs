//! `[sources.ID]` tables: what a figure was read from and on which day.

use std::collections::BTreeMap;

use jiff::civil::Date;
use toml::de::DeValue;

use super::findings::{Findings, Spot};
use crate::catalog::codes;
use crate::catalog::provenance::{AsOf, Source, SourceId};
use crate::catalog::raw::Row;

/// Reads the sources of a file into `all`; a source that is already there is not added again. A source that cannot be
/// used stays known by its id, as `None`.
pub(super) fn read<'t>(
    top: &mut Row<'t>,
    f: &mut Findings,
    all: &mut Vec<Source>,
) -> BTreeMap<&'t str, Option<SourceId>> {
    let file = top.spot.file;
    let mut ids = BTreeMap::new();
    let Some((value, spot)) = top.value("sources") else { return ids };
    let Some(table) = value.as_table() else {
        f.push(
            spot,
            &codes::WRONG_TYPE,
            "`sources` must be a table of tables".to_owned(),
            "write `[sources.ID]`",
        );
        return ids;
    };
    let rows = Row::new("sources", table, spot);
    for (id, value, spot) in rows.entries().collect::<Vec<_>>() {
        let Some(table) = value.as_table() else {
            f.push(
                spot,
                &codes::WRONG_TYPE,
                format!("source `{}` must be a table", id.value),
                "write `[sources.ID]`",
            );
            ids.insert(id.value, None);
            continue;
        };
        let mut row = Row::new("source", table, Spot { file, offset: id.spot.offset });
        let text = row.owned(f, "text");
        let text = row.need(f, "text", text);
        let as_of = read_as_of(&mut row, f);
        row.finish(f);
        let source = text.zip(as_of).map(|(text, as_of)| Source { text, as_of });
        let known = source.and_then(|source| intern(all, source));
        if row.is_sound() && known.is_none() {
            let message = "the catalog holds at most 65,536 sources".to_owned();
            f.push(row.spot, &codes::BAD_COUNT, message, "let rows share their sources");
        }
        ids.insert(id.value, known);
    }
    ids
}

pub(super) fn intern(all: &mut Vec<Source>, source: Source) -> Option<SourceId> {
    let at = all.iter().position(|known| *known == source).unwrap_or_else(|| {
        all.push(source);
        all.len() - 1
    });
    u16::try_from(at).ok().map(SourceId)
}

fn read_as_of(row: &mut Row<'_>, f: &mut Findings) -> Option<AsOf> {
    let Some((value, spot)) = row.value("as-of") else {
        let hint =
            "add `as-of = 2026-01-31`, or `as-of = { not-before = …, not-after = … }` where there is no day";
        row.refuse(f, row.spot, &codes::MISSING_DATE, "this source has no date".to_owned(), hint);
        return None;
    };
    let Some(table) = value.as_table() else {
        return read_day(row, f, value, spot).map(AsOf::Day);
    };
    let mut range = Row::new("date range", table, spot);
    let mut end = |key: &'static str| {
        let found = range.value(key);
        range.need(f, key, found).and_then(|(value, spot)| read_day(row, f, value, spot))
    };
    let (first, last) = (end("not-before"), end("not-after"));
    range.finish(f);
    let (first, last) = first.zip(last)?;
    if first > last {
        let message = format!("the range ends before it starts: {first} to {last}");
        row.refuse(f, spot, &codes::BAD_DATE, message, "swap the two dates");
        return None;
    }
    Some(if first == last { AsOf::Day(first) } else { AsOf::Between(first, last) })
}

fn read_day(row: &mut Row<'_>, f: &mut Findings, value: &DeValue<'_>, spot: Spot) -> Option<Date> {
    let day = match value {
        DeValue::Datetime(at) => at.date.and_then(|day| {
            let (month, of_month) = (i8::try_from(day.month).ok()?, i8::try_from(day.day).ok()?);
            Date::new(i16::try_from(day.year).ok()?, month, of_month).ok()
        }),
        DeValue::String(text) => text.parse().ok(),
        _ => None,
    };
    if day.is_none() {
        let message = "this is not a day of the calendar".to_owned();
        row.refuse(f, spot, &codes::BAD_DATE, message, "write it without quotes, like `2026-01-31`");
    }
    day
}
