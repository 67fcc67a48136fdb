//! CSV: flat lines with a header, the digits of JSON, empty for unknown.

use super::document::Csv;
use super::exchange::Exchange;
use super::node::Node;
use std::io;

/// Writes the rows of a document, with their amounts in another currency where there is one.
pub(super) fn write(
    mut root: Node,
    csv: &Csv,
    exchange: Option<&Exchange>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let plain = || csv.columns.iter().map(|&column| column.to_owned()).collect();
    let columns: Vec<String> = exchange.map_or_else(plain, |exchange| exchange.columns(csv.columns));
    let behind = exchange.map(Exchange::cells).unwrap_or_default();
    exchange.inspect(|exchange| exchange.tree(&mut root));
    let mut writer = ::csv::Writer::from_writer(out);
    writer.write_record(&columns)?;
    let whole = std::slice::from_ref(&root);
    let rows = match (csv.rows, root.get(csv.rows)) {
        ("", _) => whole,
        (_, Some(Node::List(rows))) => rows,
        (_, Some(object @ Node::Map(_))) => std::slice::from_ref(object),
        _ => &[],
    };
    for row in rows {
        let mut fields = Vec::new();
        row.flatten("", csv.spread, &mut fields);
        fields.extend(behind.iter().cloned());
        match csv.spread.and_then(|name| row.get(name)) {
            Some(Node::List(lines)) if !lines.is_empty() => {
                for line in lines {
                    let mut all = fields.clone();
                    line.flatten("", None, &mut all);
                    writer.write_record(record(&columns, &all))?;
                }
            }
            _ => writer.write_record(record(&columns, &fields))?,
        }
    }
    writer.flush()
}

fn record(columns: &[String], fields: &[(String, String)]) -> Vec<String> {
    let cell = |column: &String| {
        fields.iter().find(|(name, _)| name == column).map_or_else(String::new, |(_, cell)| harmless(cell))
    };
    columns.iter().map(cell).collect()
}

/// A cell that no spreadsheet takes for a formula: text that begins like one, behind blanks or in full width too, gets a
/// quote in front. Control characters become spaces.
fn harmless(cell: &str) -> String {
    let clean: String = cell.chars().map(|c| if crate::diag::is_odd(c) { ' ' } else { c }).collect();
    let begins = clean.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    if begins && clean.parse::<f64>().is_err() { format!("'{clean}") } else { clean }
}
