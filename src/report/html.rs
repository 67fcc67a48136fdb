//! HTML: one page that needs nothing else. No scripts, no links, no files beside it; light or dark as the reader's
//! system is.

use super::view::{Block, Grid};
use crate::lang::Lang;
use std::io;

/// All of the page's style. Wide tables scroll inside their own box, so that the page itself never does.
const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--soft:#57606a;--line:#d0d7de;--band:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--soft:#9aa4af;--line:#30363d;--band:#161b22}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:88rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.4rem;margin:0 0 1rem}
h2{font-size:1.05rem;margin:1.75rem 0 .5rem}
p,li{max-width:75ch;overflow-wrap:anywhere}
p{margin:.5rem 0}
ul{margin:.5rem 0;padding-left:1.25rem}
div{overflow-x:auto;margin:.5rem 0}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:600;white-space:nowrap}
tbody tr:nth-child(even){background:var(--band)}
.n{text-align:right;white-space:nowrap}
pre{overflow-x:auto;margin:.5rem 0;font:13px/1.25 ui-monospace,monospace}
@media print{main{max-width:none;padding:0}div,pre{overflow:visible}}
";

/// Writes the blocks as a page; the first heading is its title.
pub(super) fn write(title: &str, lang: Lang, blocks: &[Block], out: &mut dyn io::Write) -> io::Result<()> {
    let title = escape(title);
    writeln!(out, "<!DOCTYPE html>")?;
    writeln!(out, "<html lang=\"{}\">", escape(lang.tag()))?;
    writeln!(out, "<head>")?;
    writeln!(out, "<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<meta name=\"generator\" content=\"{}\">", escape(super::document::GENERATED_WITH))?;
    writeln!(out, "<title>{title}</title>")?;
    writeln!(out, "<style>\n{STYLE}</style>")?;
    writeln!(out, "</head>")?;
    writeln!(out, "<body>")?;
    writeln!(out, "<main>")?;
    writeln!(out, "<h1>{title}</h1>")?;
    for block in blocks {
        write_block(block, out)?;
    }
    writeln!(out, "</main>")?;
    writeln!(out, "</body>")?;
    writeln!(out, "</html>")
}

fn write_block(block: &Block, out: &mut dyn io::Write) -> io::Result<()> {
    match block {
        Block::Heading(text) => writeln!(out, "<h2>{}</h2>", escape(text)),
        Block::Text(text) => writeln!(out, "<p>{}</p>", escape(text)),
        Block::List(items) if items.is_empty() => Ok(()),
        Block::List(items) => {
            writeln!(out, "<ul>")?;
            for item in items {
                writeln!(out, "<li>{}</li>", escape(item))?;
            }
            writeln!(out, "</ul>")
        }
        Block::Table(grid) => table(grid, out),
        Block::Picture(lines) => {
            write!(out, "<pre>")?;
            for line in lines {
                // A line feed right behind the tag would be swallowed, so an empty first line needs two.
                writeln!(
                    out,
                    "{}",
                    if line.trim().is_empty() { " ".into() } else { escape(line.trim_end()) }
                )?;
            }
            writeln!(out, "</pre>")
        }
    }
}

fn table(grid: &Grid, out: &mut dyn io::Write) -> io::Result<()> {
    let class = |number: bool| if number { " class=\"n\"" } else { "" };
    // A box that scrolls must be reachable by the keyboard.
    writeln!(out, "<div tabindex=\"0\"><table>")?;
    write!(out, "<thead><tr>")?;
    for column in &grid.columns {
        write!(out, "<th scope=\"col\"{}>{}</th>", class(column.number), escape(&column.title))?;
    }
    writeln!(out, "</tr></thead>")?;
    writeln!(out, "<tbody>")?;
    for row in &grid.rows {
        write!(out, "<tr>")?;
        for (column, cell) in grid.columns.iter().zip(row) {
            write!(out, "<td{}>{}</td>", class(column.number), escape(cell))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody>")?;
    writeln!(out, "</table></div>")
}

/// Text that a browser shows as it is, between tags as inside a quoted attribute. Control characters, which HTML does
/// not allow, become spaces; so do those that turn the direction of text around.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fdd0}'..='\u{fdef}' => escaped.push(' '),
            c if crate::diag::is_odd(c) || (c as u32) & 0xfffe == 0xfffe => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
