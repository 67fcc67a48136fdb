//! Markdown: headings, lists and pipe tables.

use super::view::{Block, Grid};
use std::io;

/// Writes the blocks.
pub(super) fn write(blocks: &[Block], out: &mut dyn io::Write) -> io::Result<()> {
    for (i, block) in blocks.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        match block {
            Block::Heading(text) => writeln!(out, "### {}", escape(text))?,
            Block::Text(text) => writeln!(out, "{}", escape(text))?,
            Block::List(items) => {
                for item in items {
                    writeln!(out, "- {}", escape(item))?;
                }
            }
            Block::Table(grid) => table(grid, out)?,
            Block::Picture(lines) => {
                writeln!(out, "```text")?;
                for line in lines {
                    writeln!(out, "{}", line.trim_end())?;
                }
                writeln!(out, "```")?;
            }
        }
    }
    Ok(())
}

fn table(grid: &Grid, out: &mut dyn io::Write) -> io::Result<()> {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    writeln!(out, "{}", line(grid.columns.iter().map(|c| escape(&c.title)).collect()))?;
    let rule = |number: bool| if number { "---:".to_owned() } else { "---".to_owned() };
    writeln!(out, "{}", line(grid.columns.iter().map(|c| rule(c.number)).collect()))?;
    for row in &grid.rows {
        writeln!(out, "{}", line(row.iter().map(|cell| escape(cell)).collect()))?;
    }
    Ok(())
}

/// Whether `www` stands at the end, which with a dot behind would become a link.
fn is_www(before: &str) -> bool {
    before.get(before.len().saturating_sub(3)..).is_some_and(|end| end.eq_ignore_ascii_case("www"))
}

/// Text that Markdown shows as it is: one line, no markup, no HTML, no links or mentions of its own (a space
/// without width keeps them apart).
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    for (i, c) in text.char_indices() {
        let inside_word =
            before.is_alphanumeric() && text[i + c.len_utf8()..].starts_with(char::is_alphanumeric);
        before = c;
        match c {
            // An underscore inside a word, as in names of machines, marks nothing up.
            '_' if inside_word => escaped.push('_'),
            ':' if text[i..].starts_with("://") => escaped.push_str(":&#8203;"),
            '.' if is_www(&text[..i]) => escaped.push_str("&#8203;."),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            c if crate::diag::is_odd(c) || c == '\u{a0}' => escaped.push(' '),
            c => escaped.push(c),
        }
        // Hosts look for mentions (`@name`, `#1`, `!1`, `~label`) in the text that is shown, where no escape helps.
        if matches!(c, '@' | '#' | '!' | '~') && text[i + c.len_utf8()..].starts_with(char::is_alphanumeric) {
            escaped.push_str("&#8203;");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn mentions_links_and_strikes_stay_text() {
        assert_eq!(escape("@org/team ~~x~~"), "@&#8203;org/team \\~\\~&#8203;x\\~\\~");
        assert_eq!(escape("see https://a.b and WWW.a.b"), "see https:&#8203;//a.b and WWW&#8203;.a.b");
        assert_eq!(escape("aws/p5.48xlarge 1:30"), "aws/p5.48xlarge 1:30");
    }
}
