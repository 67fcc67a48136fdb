//! CSV as a stream: one row at a time, fields by the names of the header, bad rows counted.

use super::guard::{Grammar, Guard};
use super::{Fault, Ledger, Reason, shown};
use crate::catalog::lookup::names::squeeze;
use std::io::Read;

/// Where named columns are in a row.
pub(super) struct Header {
    names: Vec<String>,
}

/// One row.
pub(super) struct Row<'a> {
    header: &'a Header,
    record: &'a csv::StringRecord,
    /// 1-based line on which it starts.
    pub(super) line: u64,
}

impl Row<'_> {
    /// The field under the first of these names that the header has, trimmed; empty when there is none.
    pub(super) fn get(&self, names: &[&str]) -> &str {
        let at = names.iter().find_map(|name| self.header.names.iter().position(|own| own == name));
        at.and_then(|at| self.record.get(at)).unwrap_or_default().trim()
    }

    /// The same as a finite number.
    pub(super) fn number(&self, names: &[&str]) -> Option<f64> {
        self.get(names).parse().ok().filter(|number: &f64| number.is_finite())
    }
}

impl Header {
    /// Whether a column has one of these names.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.names.iter().any(|own| own == name))
    }
}

/// Reads all rows. Names of columns are compared without case, `-`, `_` and spaces. `needs` lists groups of names of which
/// the header must have one.
pub(super) fn rows(
    from: &mut dyn Read,
    ledger: &mut Ledger<'_>,
    needs: &[&[&str]],
    mut each: impl FnMut(&Row<'_>, &mut Ledger<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(Guard::new(from, Grammar::Csv));
    let mut bytes = csv::ByteRecord::new();
    if !next(&mut reader, &mut bytes)? {
        return Err(Fault::at(1, 1, "the file is empty", "the first row must name the columns"));
    }
    let header = header(&bytes, needs)?;
    let width = header.names.len();
    while next(&mut reader, &mut bytes)? {
        let line = bytes.position().map_or(0, csv::Position::line);
        if bytes.len() != width {
            let what = format!("{} fields, the header has {width}", bytes.len());
            ledger.skip(Reason::RowMalformed, line, &what);
            continue;
        }
        match csv::StringRecord::from_byte_record(bytes.clone()) {
            Ok(record) => each(&Row { header: &header, record: &record, line }, ledger)?,
            Err(_) => ledger.skip(Reason::RowMalformed, line, &"not UTF-8"),
        }
    }
    Ok(())
}

fn next(reader: &mut csv::Reader<Guard<'_>>, record: &mut csv::ByteRecord) -> Result<bool, Fault> {
    reader.read_byte_record(record).map_err(|error| {
        let line = error.position().map_or(0, csv::Position::line);
        reader.get_mut().take_fault().unwrap_or_else(|| Fault::at(line, 1, error.to_string(), ""))
    })
}

fn one(header: &csv::StringRecord, separator: char) -> bool {
    header.get(0).is_some_and(|field| field.contains(separator))
}

fn header(bytes: &csv::ByteRecord, needs: &[&[&str]]) -> Result<Header, Fault> {
    let text = csv::StringRecord::from_byte_record(bytes.clone());
    let text = text.map_err(|_| Fault::at(1, 1, "the header is not UTF-8", "save the table as UTF-8"))?;
    let names: Vec<String> = text.iter().map(|name| squeeze(name.trim_start_matches('\u{feff}'))).collect();
    for (at, name) in names.iter().enumerate() {
        if !name.is_empty() && names[..at].contains(name) {
            let message = format!("two columns are called `{}`", shown(name));
            return Err(Fault::at(1, 1, message, "keep one of them"));
        }
    }
    let header = Header { names };
    if let Some(need) = needs.iter().find(|need| !header.has(need)) {
        let message = format!("the header has no column `{}`", need.join("` or `"));
        if let (1, Some(other)) = (header.names.len(), [';', '\t', '|'].into_iter().find(|&c| one(&text, c)))
        {
            let name = if other == '\t' { "tabs".to_owned() } else { format!("`{other}`") };
            let hint = format!("its columns are separated by {name}: save it with commas between them");
            return Err(Fault::at(1, 1, message, hint));
        }
        let columns: Vec<String> = header.names.iter().take(20).map(|name| shown(name)).collect();
        return Err(Fault::at(1, 1, message, format!("this file has: {}", columns.join(", "))));
    }
    Ok(header)
}
