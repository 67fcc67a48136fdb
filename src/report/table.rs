//! Tables for a terminal: headings, wrapped sentences and grids within the width.

use super::view::{Block, Column, Grid};
use super::wrap::{broken, pieces, width_of};
use super::{Format, Style};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};
use comfy_table::{LineStyle, TableStyle};
use std::io;

/// Writes the blocks.
pub(super) fn write(blocks: &[Block], style: &Style, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = String::new();
    let text_width = style.width.unwrap_or(PROSE);
    for (i, block) in blocks.iter().enumerate() {
        let follows_text = i > 0 && matches!((&blocks[i - 1], block), (Block::Text(_), Block::Text(_)));
        let follows_heading = i > 0 && matches!(&blocks[i - 1], Block::Heading(_));
        if i > 0 && !follows_text && !follows_heading {
            page.push('\n');
        }
        match block {
            Block::Heading(text) if style.color => {
                page.push_str("\u{1b}[1m");
                page.push_str(&shown(text, style));
                page.push_str("\u{1b}[0m\n");
            }
            Block::Heading(text) | Block::Text(text) => {
                paragraph("", &shown(text, style), text_width, &mut page);
            }
            Block::List(items) => {
                for item in items {
                    paragraph("- ", &shown(item, style), text_width, &mut page);
                }
            }
            Block::Picture(lines) => {
                for line in lines {
                    page.push_str(shown(line, style).trim_end());
                    page.push('\n');
                }
            }
            Block::Table(grid) => {
                page.push_str(&table(grid, style));
                page.push('\n');
            }
        }
    }
    out.write_all(page.replace(TIE, " ").as_bytes())
}

/// Columns of prose where the terminal sets no limit.
const PROSE: usize = 120;

/// Columns that no table needs.
const WIDEST: usize = 5000;

/// Holds the parts of `8x H100-SXM` together while lines are broken; printed as a space.
const TIE: char = '\u{a0}';

/// A finished text in ASCII alone: JSON escapes, everything else puts the nearest characters in.
pub fn plain(format: Format, text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii() => plain.push(c),
            c if format == Format::Json => {
                // JSON counts in UTF-16 (RFC 8259, section 7), and has such characters in strings only.
                let units = &mut [0; 2];
                plain.extend(c.encode_utf16(units).iter().map(|unit| format!("\\u{unit:04x}")));
            }
            TIE => plain.push(' '),
            // A double quote would end a cell of CSV.
            '\u{201c}' | '\u{201d}' => plain.push('\''),
            c => push_ascii(c, &mut plain),
        }
    }
    plain
}

/// Text without control characters; with `ascii` also without anything else outside ASCII.
fn shown(text: &str, style: &Style) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if crate::diag::is_odd(c) => shown.push(' '),
            c if c.is_ascii() || c == TIE || !style.ascii => shown.push(c),
            c => push_ascii(c, &mut shown),
        }
    }
    shown
}

/// The nearest characters of ASCII.
fn push_ascii(c: char, shown: &mut String) {
    match c {
        '\u{d7}' => shown.push('x'),
        '\u{2013}' | '\u{2014}' | '\u{2212}' | '\u{2011}' | '\u{2010}' | '\u{2500}' => shown.push('-'),
        '\u{2026}' => shown.push_str("..."),
        '\u{2264}' => shown.push_str("<="),
        '\u{2265}' => shown.push_str(">="),
        '\u{2248}' => shown.push('~'),
        '\u{b5}' | '\u{3bc}' => shown.push('u'),
        '\u{202f}' => shown.push(' '),
        '\u{2018}' | '\u{2019}' => shown.push('\''),
        '\u{201c}' | '\u{201d}' => shown.push('"'),
        '\u{b7}' | '\u{2022}' => shown.push('*'),
        // Pictures: lines, fillings from full to light.
        '\u{2502}' => shown.push('|'),
        '\u{2514}' => shown.push('+'),
        '\u{2588}' => shown.push('#'),
        '\u{2593}' => shown.push('%'),
        '\u{259a}' => shown.push('&'),
        '\u{2592}' => shown.push('='),
        '\u{2591}' => shown.push(':'),
        '\u{22c5}' => shown.push('.'),
        _ => shown.push('?'),
    }
}

/// A paragraph in lines, later ones under the first word.
fn paragraph(lead: &str, text: &str, width: usize, page: &mut String) {
    let lines = broken(text, width.max(20).saturating_sub(lead.len()));
    page.push_str(lead);
    page.push_str(&lines.join(&format!("\n{}", " ".repeat(lead.len()))));
    page.push('\n');
}

/// Spaces between columns.
const GAP: usize = 2;

/// A word up to this long is not broken to make a column narrower.
const LONGEST_WORD: usize = 40;

/// A run of wide characters is broken where it is longer than this.
const LONGEST_TERM: usize = 16;

/// Width of a text column whose words are broken.
const LEAST_TEXT: usize = 6;

/// Least width of each column: a number is never wrapped, text only at spaces.
fn least_widths(grid: &Grid) -> Vec<usize> {
    // Chinese has no spaces: a term of a few characters stays in one line, a sentence does not.
    let whole = |word: &str| {
        let piece = pieces(word).into_iter().map(width_of).max().unwrap_or(0);
        if piece < width_of(word) { width_of(word).min(LONGEST_TERM).max(piece) } else { piece }
    };
    let longest_word = |text: &str| text.split(' ').map(whole).max().unwrap_or(0);
    let width = |(i, column): (usize, &Column)| {
        let cells = grid.rows.iter().filter_map(|row| row.get(i));
        let body = if column.number {
            cells.map(|cell| width_of(cell)).max()
        } else {
            cells.map(|cell| longest_word(cell).min(LONGEST_WORD)).max()
        };
        body.unwrap_or(0).max(longest_word(&column.title))
    };
    grid.columns.iter().enumerate().map(width).collect()
}

/// Leaves out expendable columns until the rest fits; their titles.
fn narrow(grid: &mut Grid, width: usize) -> Vec<String> {
    let mut left_out = Vec::new();
    loop {
        let need: usize = least_widths(grid).iter().map(|width| width + GAP).sum();
        let expendable = grid.columns.iter().enumerate().filter(|(_, column)| column.expendable > 0);
        let most = expendable.max_by_key(|(_, column)| column.expendable).map(|(i, _)| i);
        match most {
            Some(i) if need > width + GAP => {
                left_out.push(grid.columns[i].title.clone());
                grid.remove(i);
            }
            _ => return left_out,
        }
    }
}

fn table(grid: &Grid, style: &Style) -> String {
    let mut grid = grid.clone();
    for cell in grid.rows.iter_mut().flatten() {
        *cell = shown(cell, style);
    }
    let width = style.width.map_or(WIDEST, |width| width.clamp(40, WIDEST));
    let left_out = narrow(&mut grid, width);
    let rule = if style.ascii { '-' } else { '\u{2500}' };
    let mut table = Table::new();
    table
        .load_style(TableStyle::new().header_separator(LineStyle::none().fill(rule)))
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_truncation_indicator("...")
        .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    let cell = |text: &str, number: bool| {
        let cell = Cell::new(text);
        if number { cell.set_alignment(CellAlignment::Right) } else { cell }
    };
    table.set_header(grid.columns.iter().map(|c| cell(&c.title, c.number)).collect::<Vec<_>>());
    for row in &grid.rows {
        let cells = row.iter().zip(&grid.columns).map(|(text, column)| cell(text, column.number));
        table.add_row(cells.collect::<Vec<_>>());
    }
    let rightmost = grid.columns.len().saturating_sub(1);
    let needed = least_widths(&grid);
    // Where even that is too wide, words of text are broken, numbers never.
    let too_wide = needed.iter().map(|width| width + GAP).sum::<usize>() > width + GAP;
    for (i, least) in needed.into_iter().enumerate() {
        let gap = if i == rightmost { 0 } else { GAP };
        let least = if too_wide && !grid.columns[i].number { LEAST_TEXT.min(least) } else { least };
        if let (Some(column), Ok(least)) = (table.column_mut(i), u16::try_from(least + gap)) {
            column.set_padding((0, gap as u16));
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
    }
    let mut text = table.trim_fmt();
    if !left_out.is_empty() {
        text.push('\n');
        let names = left_out.join(", ").replace(' ', "\u{a0}").replace(",\u{a0}", ", ");
        let note = style.lang.said(format!("(too narrow for: {names}; --format csv has all)"));
        paragraph("", &note, width, &mut text);
        text.pop();
    }
    text
}
