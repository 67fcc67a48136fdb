//! A user's own runs: a table of `accuracy`, read more strictly, since what it says becomes a constant.

use crate::catalog::provenance::AsOf;
use crate::diag::InputError;
use crate::insight::metric::{FIGURES, figure};
use crate::insight::table::{Measurement, read as read_table};
use jiff::civil::Date;

/// Runs, and the newest day on which one was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// The rows.
    pub rows: Vec<Measurement>,
    /// Newest entry of the column `as_of`: a day, or a month whose day is not known.
    pub newest: Option<AsOf>,
}

/// Reads runs; `name` is the file for messages. A measured figure that is none, or not above 0, is an error: it would
/// not be a run.
pub fn read(name: &str, text: &[u8]) -> Result<Runs, InputError> {
    let rows = read_table(name, text)?;
    if rows.is_empty() {
        let message = format!("{name}: there is no run in the file");
        return Err(InputError::new(message, "write one line for each run below the header"));
    }
    let bare = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bare);
    let header: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(|column| column.trim().to_lowercase()).collect(),
        Err(_) => Vec::new(),
    };
    let mut newest = None;
    for record in reader.records().flatten() {
        let line = record.position().map_or(0, csv::Position::line);
        for (column, cell) in header.iter().zip(record.iter()) {
            let cell = cell.trim();
            if cell.is_empty() {
                continue;
            }
            if FIGURES.contains(&column.as_str()) && figure(cell).is_none() {
                let message = format!("{name}:{line}:1: `{column}` is `{cell}`, not a number above 0");
                return Err(InputError::new(message, "leave the cell blank where nothing was measured"));
            }
            if column == "as_of" {
                newest = newest.into_iter().chain(as_of(cell)).max_by_key(|day| day.not_after());
            }
        }
    }
    Ok(Runs { rows, newest })
}

/// `2026-11-30`, or `2026-11` for some day of that month.
fn as_of(cell: &str) -> Option<AsOf> {
    if let Ok(day) = cell.parse::<Date>() {
        return Some(AsOf::Day(day));
    }
    let first = format!("{cell}-01").parse::<Date>().ok()?;
    Some(AsOf::Between(first, first.last_of_month()))
}
