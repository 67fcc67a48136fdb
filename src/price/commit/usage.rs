//! Usage as a CSV table: one row an hour, in any order, with its column `hour` (0, 1, 2 … or a timestamp) and
//! `instances`. Every hour has one row: a missing one may be a gap in the measurement as well as an idle hour, so it is
//! never filled in.

use super::demand::{MICRO, MOST_INSTANCES};
use crate::diag::{InputError, Place};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use std::str::FromStr;

/// What a table must look like.
const FORM: &str = "write CSV in UTF-8 with a header: `hour` (0, 1, 2 … or a timestamp such as 2026-01-31T15:00Z) and \
    `instances`, one row an hour";

/// How hours are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    /// 0, 1, 2 …
    Count,
    /// Points in time.
    Time,
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    hour: i64,
    micro: u64,
    /// Byte of the text where its hour stands.
    at: usize,
}

/// The text with its name, for messages with a place.
struct Table<'t> {
    name: &'t str,
    text: &'t str,
}

/// Reads a table: millionths of an instance in each hour, in the order of time. `name` is the file for messages.
pub fn read(name: &str, bytes: &[u8]) -> Result<Vec<u64>, InputError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let table = Table { name, text: &good };
            return Err(table.error(good.len(), "this is not UTF-8", FORM));
        }
    };
    let table = Table { name, text };
    let mut rows = table.rows()?;
    rows.sort_by_key(|row| (row.hour, row.at));
    table.check_hours(&rows)?;
    if rows.iter().all(|row| row.micro == 0) {
        let hint = "there is nothing to commit to: check that `instances` is the column you mean";
        return Err(table.error(0, "no hour uses any instance", hint));
    }
    Ok(rows.iter().map(|row| row.micro).collect())
}

impl Table<'_> {
    fn error(&self, at: usize, what: &str, hint: &str) -> InputError {
        InputError::new(format!("{}: {what}", Place::at(self.name, self.text, at)), hint)
    }

    fn rows(&self) -> Result<Vec<Row>, InputError> {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(self.text.as_bytes());
        if let Some(at) = open_quote(self.text) {
            return Err(self.error(at, "this quote is never closed", FORM));
        }
        let header = reader.headers().map_err(|error| self.malformed(&error))?.clone();
        let column = |name: &str| {
            let same = |own: &str| own.trim().eq_ignore_ascii_case(name);
            let found = header.iter().position(same).ok_or_else(|| {
                let what = if self.text.trim().is_empty() {
                    "the file is empty".to_owned()
                } else {
                    format!("the header has no column `{name}`")
                };
                self.error(0, &what, FORM)
            })?;
            let twice = header.iter().filter(|own| same(own)).count() > 1;
            let what = format!("the header has two columns `{name}`");
            if twice { Err(self.error(0, &what, "leave one of them out")) } else { Ok(found) }
        };
        let (hour, instances) = (column("hour")?, column("instances")?);
        let mut clock = None;
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| self.malformed(&error))?;
            let start = record.position().map_or(0, |position| position.byte() as usize);
            let start =
                start + self.text[start..].len() - self.text[start..].trim_start_matches(['\r', '\n']).len();
            let place = |column| start + field_offset(&self.text[start..], column);
            self.check_row((header.len(), record.len()), start)?;
            let cell = |column, name: &str| {
                let missing = || self.error(start, &format!("the row has no `{name}`"), FORM);
                record.get(column).map(str::trim).filter(|cell| !cell.is_empty()).ok_or_else(missing)
            };
            let (hour_text, count_text) = (cell(hour, "hour")?, cell(instances, "instances")?);
            let found = hour_of(hour_text).map_err(|what| self.error(place(hour), &what, HOUR_HINT))?;
            if *clock.get_or_insert(found.0) != found.0 {
                let what = format!("`{hour_text}` is not written as the hours before it");
                return Err(self.error(
                    place(hour),
                    &what,
                    "write all hours as numbers, or all as timestamps",
                ));
            }
            let micro =
                micro(count_text).map_err(|what| self.error(place(instances), &what, INSTANCES_HINT))?;
            rows.push(Row { hour: found.1, micro, at: place(hour) });
        }
        if rows.is_empty() {
            return Err(self.error(self.text.len(), "the table has no row below its header", FORM));
        }
        Ok(rows)
    }

    /// A row has as many cells as the header: one more may be a comma in a number.
    fn check_row(&self, (wanted, cells): (usize, usize), start: usize) -> Result<(), InputError> {
        if cells != wanted {
            let s = if cells == 1 { "" } else { "s" };
            let what = format!("the row has {cells} cell{s}, the header has {wanted}");
            return Err(self.error(
                start,
                &what,
                "write a number with a point, not a comma, and one cell for each column",
            ));
        }
        Ok(())
    }

    /// Each hour once, none left out.
    fn check_hours(&self, sorted: &[Row]) -> Result<(), InputError> {
        for pair in sorted.windows(2) {
            let [before, row] = pair else { continue };
            if row.hour == before.hour {
                let first = Place::at(self.name, self.text, before.at).line;
                let what = format!("this hour stands in line {first} too");
                let hint = "one row an hour: take one of them out, or add them up where they are parts of a fleet; \
                            write local times of two seasons in UTC";
                return Err(self.error(row.at, &what, hint));
            }
            let missing = row.hour - before.hour - 1;
            if missing > 0 {
                let line = Place::at(self.name, self.text, before.at).line;
                let s = if missing == 1 { " is" } else { "s are" };
                let what = format!("{missing} hour{s} missing between line {line} and this one");
                let hint =
                    "add a row for each hour, with `instances` 0 where nothing ran; write local times in UTC";
                return Err(self.error(row.at, &what, hint));
            }
        }
        Ok(())
    }

    fn malformed(&self, error: &csv::Error) -> InputError {
        let at = error.position().map_or(0, |position| position.byte() as usize);
        self.error(at, &error.to_string(), FORM)
    }
}

const HOUR_HINT: &str =
    "an hour is a whole number from 0 on, or the timestamp of a full hour such as 2026-01-31T15:00Z";

const INSTANCES_HINT: &str =
    "write the instances of the hour as a number from 0 to 100000, such as 12 or 0.5";

/// The hour that a text means, counted from 0 or from 1970.
fn hour_of(text: &str) -> Result<(Clock, i64), String> {
    if let Ok(count) = text.parse::<i64>() {
        return if count >= 0 {
            Ok((Clock::Count, count))
        } else {
            Err(format!("hour `{text}` is negative"))
        };
    }
    let local = || DateTime::from_str(text).ok().and_then(|time| Offset::UTC.to_timestamp(time).ok());
    let time = Timestamp::from_str(text).ok().or_else(local);
    let second = time.ok_or_else(|| format!("`{text}` is not an hour"))?.as_second();
    if second.rem_euclid(3600) != 0 {
        return Err(format!("`{text}` is not a full hour"));
    }
    Ok((Clock::Time, second.div_euclid(3600)))
}

/// Instances in millionths.
fn micro(text: &str) -> Result<u64, String> {
    let number = Decimal::from_str(text).or_else(|_| Decimal::from_scientific(text));
    let number = number.map_err(|_| format!("`{text}` is not a number of instances"))?;
    if number.is_sign_negative() && !number.is_zero() {
        return Err(format!("`{text}` instances: a number of instances is not negative"));
    }
    if number > Decimal::from(MOST_INSTANCES) {
        return Err(format!("`{text}` instances are more than {MOST_INSTANCES}"));
    }
    (number * Decimal::from(MICRO))
        .round()
        .to_u64()
        .ok_or_else(|| format!("`{text}` is not a number of instances"))
}

/// Byte of a quote that is never closed and would swallow the rows below it.
fn open_quote(text: &str) -> Option<usize> {
    let toggle = |open: Option<usize>, (at, _): (usize, &str)| if open.is_some() { None } else { Some(at) };
    text.match_indices('"').fold(None, toggle)
}

/// Byte of a record at which a field begins; quotes may hold commas.
fn field_offset(record: &str, field: usize) -> usize {
    let (mut commas, mut quoted) = (0, false);
    for (at, c) in record.char_indices() {
        if commas == field {
            let indent = record[at..].len() - record[at..].trim_start_matches([' ', '\t']).len();
            return at + indent;
        }
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => commas += 1,
            '\n' if !quoted => return at,
            _ => {}
        }
    }
    0
}
