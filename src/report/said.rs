//! A finished page in the language of its reader: headings, sentences, items, titles, cells. Names stay.

use super::view::{Block, Grid};
use crate::lang::{Lang, unquoted};

/// The page in a language. Amounts may be in another currency (`code`) than the dollars that messages are written with.
pub(super) fn page(blocks: Vec<Block>, code: Option<&str>, lang: Lang) -> Vec<Block> {
    let say = |text: String| said(text, code, lang);
    let block = |block| match block {
        Block::Heading(text) => Block::Heading(say(text)),
        Block::Text(text) => Block::Text(say(text)),
        Block::List(items) => Block::List(items.into_iter().map(say).collect()),
        Block::Table(table) => Block::Table(grid(table, code, lang)),
        Block::Picture(lines) => Block::Picture(lines.into_iter().map(say).collect()),
    };
    blocks.into_iter().map(block).collect()
}

fn grid(mut grid: Grid, code: Option<&str>, lang: Lang) -> Grid {
    let names: Vec<bool> = grid.columns.iter().map(|column| lang.is_of_names(&column.title)).collect();
    for row in &mut grid.rows {
        for (cell, is_name) in row.iter_mut().zip(&names) {
            let text = std::mem::take(cell);
            *cell = if *is_name { unquoted(text) } else { said(text, code, lang) };
        }
    }
    for column in &mut grid.columns {
        column.title = said(std::mem::take(&mut column.title), code, lang);
    }
    grid
}

/// One text; where it is not known with the code of its currency, it may be with dollars.
fn said(text: String, code: Option<&str>, lang: Lang) -> String {
    if lang.is_english() {
        return lang.said(text);
    }
    match lang.known(&text) {
        Some(said) => said,
        None => code
            .filter(|code| text.contains(code))
            .and_then(|code| Some(lang.known(&text.replace(code, "USD"))?.replace("USD", code)))
            .unwrap_or_else(|| unquoted(text)),
    }
}
