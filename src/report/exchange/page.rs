//! Pages in another currency: columns whose title names dollars, and sentences with an amount of them.

use super::{Exchange, Grain, Kind};
use crate::report::date::Dated;
use crate::report::view::{Block, Grid};
use regex_lite::Regex;
use rust_decimal::Decimal;
use std::str::FromStr;

/// An amount of dollars in a sentence, with what it buys.
const AMOUNT: &str = r"([+-]?\d[\d,]*(?:\.\d+)?)([ \u{a0}])USD\b((?:/GPU-h| per GPU-hour| a GPU-hour|/M tokens)|(?:/hour|/h\b| an hour| per hour)|(?: per [GT]i?B\b| while stopped))?";

impl Exchange {
    /// The page in the currency of the amounts.
    pub(in crate::report) fn page(&self, blocks: Vec<Block>) -> Vec<Block> {
        if !self.has_twins() {
            return blocks;
        }
        let block = |block| match block {
            Block::Table(grid) => Block::Table(self.grid(grid)),
            Block::Text(text) => Block::Text(self.sentence(&text)),
            Block::Heading(text) => Block::Heading(self.sentence(&text)),
            Block::List(lines) => Block::List(lines.iter().map(|line| self.sentence(line)).collect()),
            Block::Picture(lines) => Block::Picture(lines.iter().map(|line| self.sentence(line)).collect()),
        };
        blocks.into_iter().map(block).collect()
    }

    fn grid(&self, mut grid: Grid) -> Grid {
        for (at, column) in grid.columns.iter_mut().enumerate() {
            if !column.title.contains("USD") {
                continue;
            }
            let grain = grain(&column.title);
            column.title = column.title.replace("USD", &self.code);
            for cell in grid.rows.iter_mut().filter_map(|row| row.get_mut(at)) {
                if let Some(changed) = self.cell(cell, grain) {
                    *cell = changed;
                }
            }
        }
        grid
    }

    /// A cell with its first number changed.
    fn cell(&self, cell: &str, grain: Grain) -> Option<String> {
        let start = cell.find(|c: char| c.is_ascii_digit())?;
        let rest = &cell[start..];
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.')).unwrap_or(rest.len());
        let text = self.text(&rest[..end], grain)?;
        Some(format!("{}{text}{}", &cell[..start], &rest[end..]))
    }

    /// A printed number of dollars as a printed amount: thousands apart, the decimals of the currency or more.
    fn text(&self, usd: &str, grain: Grain) -> Option<String> {
        let usd = Decimal::from_str(&usd.replace(',', "")).ok()?;
        let amount = self.amount(grain, usd)?.normalize();
        let least = if grain == Grain::Total { self.decimals } else { 2 };
        let decimals = amount.scale().max(least) as usize;
        let text = format!("{amount:.decimals$}");
        let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
        let mut out = String::new();
        for (i, digit) in whole.chars().enumerate() {
            if i > 0 && (whole.len() - i) % 3 == 0 && digit.is_ascii_digit() && !out.ends_with('-') {
                out.push(',');
            }
            out.push(digit);
        }
        if part.is_empty() { Some(out) } else { Some(format!("{out}.{part}")) }
    }

    /// A sentence with every amount of dollars in it changed.
    pub fn sentence(&self, text: &str) -> String {
        if !text.contains("USD") {
            return text.to_owned();
        }
        let Ok(pattern) = Regex::new(AMOUNT) else { return text.to_owned() };
        let changed = pattern.replace_all(text, |found: &regex_lite::Captures<'_>| {
            let part = |at| found.get(at).map_or("", |part: regex_lite::Match<'_>| part.as_str());
            let grain = grain(part(3));
            match self.text(part(1).trim_start_matches('+'), grain) {
                Some(amount) => {
                    let sign = if part(1).starts_with('+') { "+" } else { "" };
                    format!("{sign}{amount}{}{}{}", part(2), self.code, part(3))
                }
                None => part(0).to_owned(),
            }
        });
        changed.into_owned()
    }

    /// What the line of dates says of the currency: `in CNY (7.2 CNY for one USD on 2026-11-30)`.
    pub(in crate::report) fn said(&self) -> String {
        match &self.kind {
            Kind::Native => format!("in {}", self.code),
            Kind::Converted(rate) => format!(
                "in {} ({} {} for one dollar, {})",
                self.code,
                rate.per_usd.normalize(),
                self.code,
                Dated(rate.as_of)
            ),
            Kind::From(code, rate) => {
                format!("in USD ({} {code} for one dollar, {})", rate.per_usd.normalize(), Dated(rate.as_of))
            }
        }
    }
}

pub(super) fn grain(of: &str) -> Grain {
    if ["GPU-h", "M tokens"].iter().any(|part| of.contains(part)) {
        Grain::Shared
    } else if ["/h", " an hour", " per hour"].iter().any(|part| of.contains(part)) {
        Grain::Hourly
    } else if [" per G", " per T", " while stopped"].iter().any(|part| of.contains(part)) {
        Grain::Unit
    } else {
        Grain::Total
    }
}
