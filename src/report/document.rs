//! The envelope of every answer: version, command, dates of the catalog figures used, assumptions, warnings.

mod used;

pub use used::Used;

use super::date::Dated;
use super::exchange::Exchange;
use super::node::Node;
use super::view::Block;
use super::{Format, Style, json, said};
use crate::catalog::Catalog;
use crate::catalog::provenance::AsOf;
use crate::diag::{Assumption, Warning};
use crate::lang::Lang;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;

/// Version of the documents; rises when a field is renamed, removed or changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// Id of the assumption that something was taken off list prices.
const DISCOUNT: &str = "discount";

/// Program and version that wrote the document.
pub const GENERATED_WITH: &str = concat!("gpuadvise ", env!("CARGO_PKG_VERSION"));

/// One answer: the envelope, then the fields of its body.
#[derive(Clone, Debug, PartialEq)]
pub struct Document<B> {
    envelope: Envelope,
    /// What the command answers.
    pub body: B,
}

/// What stands around every body.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Envelope {
    schema_version: u32,
    command: String,
    generated_with: &'static str,
    catalog: Stamp,
    assumptions: Vec<AssumptionLine>,
    warnings: Vec<WarningLine>,
    #[serde(skip)]
    exchange: Option<Exchange>,
}

/// What a body must tell the renderers.
pub trait Body: Serialize {
    /// Sources of the figures and prices in it.
    fn used(&self) -> &Used;

    /// Where the lines of CSV are.
    fn csv(&self) -> Csv;

    /// What was asked, in one line; stands first.
    fn headline(&self) -> Option<String> {
        None
    }

    /// A line that Markdown begins with and that nobody sees, by which a program finds its comment again.
    fn tag(&self) -> Option<&'static str> {
        None
    }

    /// What people read: headings, tables, lists.
    fn blocks(&self) -> Vec<Block>;
}

/// A body of any sort, once its type is forgotten: what draws it is in the program once, not once for each command.
pub trait Content {
    /// As [`Body::used`].
    fn used(&self) -> &Used;
    /// As [`Body::csv`].
    fn csv(&self) -> Csv;
    /// As [`Body::headline`].
    fn headline(&self) -> Option<String>;
    /// As [`Body::tag`].
    fn tag(&self) -> Option<&'static str>;
    /// As [`Body::blocks`].
    fn blocks(&self) -> Vec<Block>;
    /// Its fields as an object of JSON on one line.
    fn json(&self) -> serde_json::Result<String>;
}

impl<B: Body> Content for B {
    fn used(&self) -> &Used {
        Body::used(self)
    }

    fn csv(&self) -> Csv {
        Body::csv(self)
    }

    fn headline(&self) -> Option<String> {
        Body::headline(self)
    }

    fn tag(&self) -> Option<&'static str> {
        Body::tag(self)
    }

    fn blocks(&self) -> Vec<Block> {
        Body::blocks(self)
    }

    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

/// How a body becomes flat lines: JSON fields by their own names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Csv {
    /// The field that holds the rows, or one object.
    pub rows: &'static str,
    /// The list in each row that is spread over several lines.
    pub spread: Option<&'static str>,
    /// The columns, in order.
    pub columns: &'static [&'static str],
}

/// Dates and sources of the catalog figures in an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Stamp {
    /// Oldest possible day of a price in the answer; of any figure where it has no prices.
    as_of_oldest: Option<String>,
    /// Newest possible day, likewise.
    as_of_newest: Option<String>,
    /// The sources that the two dates are of.
    sources: Vec<SourceLine>,
    #[serde(skip)]
    prices: bool,
}

/// One source with its date.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct SourceLine {
    source: String,
    as_of: Dated,
}

/// An assumption as printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct AssumptionLine {
    id: &'static str,
    value: String,
    why: String,
    source: String,
}

/// A warning as printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct WarningLine {
    id: &'static str,
    message: String,
}

impl Stamp {
    fn new(catalog: &Catalog, used: &Used) -> Self {
        let stamped = if used.prices.is_empty() { &used.figures } else { &used.prices };
        let dates = || stamped.iter().map(|&id| catalog.source(id).as_of);
        let all: BTreeSet<SourceLine> = stamped
            .iter()
            .map(|&id| catalog.source(id))
            .map(|source| SourceLine { source: source.text.clone(), as_of: Dated(source.as_of) })
            .collect();
        Self {
            as_of_oldest: dates().map(AsOf::not_before).min().map(|d| d.to_string()),
            as_of_newest: dates().map(AsOf::not_after).max().map(|d| d.to_string()),
            sources: all.into_iter().collect(),
            prices: !used.prices.is_empty(),
        }
    }
}

impl<B: Content> Document<B> {
    /// The answer of `command` (`recommend`, `catalog gpus` …). Equal assumptions and warnings are listed once.
    pub fn new(
        catalog: &Catalog,
        command: &str,
        assumptions: &[Assumption],
        warnings: &[Warning],
        body: B,
    ) -> Self {
        Self { envelope: Envelope::new(catalog, command, assumptions, warnings, body.used()), body }
    }

    /// The same with its money in another currency.
    #[must_use]
    pub fn exchanged(mut self, exchange: Option<Exchange>) -> Self {
        self.envelope.exchange = exchange;
        self
    }

    /// The sentences of the warnings, in order.
    pub fn warning_messages(&self) -> impl Iterator<Item = &str> {
        self.envelope.warnings.iter().map(|warning| warning.message.as_str())
    }

    /// Writes the whole document.
    pub fn write(&self, format: Format, style: &Style, out: &mut dyn io::Write) -> io::Result<()> {
        self.envelope.write(&self.body, format, style, out)
    }
}

impl Content for &dyn Content {
    fn used(&self) -> &Used {
        (**self).used()
    }

    fn csv(&self) -> Csv {
        (**self).csv()
    }

    fn headline(&self) -> Option<String> {
        (**self).headline()
    }

    fn tag(&self) -> Option<&'static str> {
        (**self).tag()
    }

    fn blocks(&self) -> Vec<Block> {
        (**self).blocks()
    }

    fn json(&self) -> serde_json::Result<String> {
        (**self).json()
    }
}

impl Envelope {
    fn new(
        catalog: &Catalog,
        command: &str,
        assumptions: &[Assumption],
        warnings: &[Warning],
        used: &Used,
    ) -> Self {
        let mut assumed: Vec<AssumptionLine> = Vec::new();
        for a in assumptions {
            let line = AssumptionLine {
                id: a.id,
                value: a.value.clone(),
                why: a.why.clone(),
                source: a.source.clone(),
            };
            if !assumed.contains(&line) {
                assumed.push(line);
            }
        }
        let mut warned: Vec<WarningLine> = Vec::new();
        for w in warnings {
            let line = WarningLine { id: w.id, message: w.message.clone() };
            if !warned.contains(&line) {
                warned.push(line);
            }
        }
        Self {
            schema_version: SCHEMA_VERSION,
            command: command.to_owned(),
            generated_with: GENERATED_WITH,
            catalog: Stamp::new(catalog, used),
            assumptions: assumed,
            warnings: warned,
            exchange: None,
        }
    }

    /// The whole document as JSON on one line.
    fn json(&self, body: &dyn Content) -> serde_json::Result<String> {
        Ok(json::joined(&serde_json::to_string(self)?, &body.json()?))
    }

    fn write(
        &self,
        body: &dyn Content,
        format: Format,
        style: &Style,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        match format {
            Format::Json => {
                let text = json::pretty(&self.json(body)?);
                let text = match &self.exchange {
                    None => text,
                    Some(exchange) => exchange.json(&text),
                };
                writeln!(out, "{}", text.trim_end())
            }
            Format::Csv => {
                super::csv::write(Node::parse(&self.json(body)?), &body.csv(), self.exchange.as_ref(), out)
            }
            Format::Markdown => {
                let mut blocks = vec![Block::Heading(format!("gpuadvise {}", self.command))];
                blocks.extend(self.all_blocks(body, style.lang));
                blocks.extend(self.warnings(style.lang));
                if let Some(tag) = body.tag() {
                    writeln!(out, "{tag}")?;
                }
                super::markdown::write(&blocks, out)
            }
            Format::Html => {
                let mut blocks = self.all_blocks(body, style.lang);
                blocks.extend(self.warnings(style.lang));
                blocks.extend(self.sources(style.lang));
                super::html::write(&format!("gpuadvise {}", self.command), style.lang, &blocks, out)
            }
            Format::Table => super::table::write(&self.all_blocks(body, style.lang), style, out),
        }
    }

    /// The blocks of the body with the dates and assumptions around them, in a language.
    fn all_blocks(&self, body: &dyn Content, lang: Lang) -> Vec<Block> {
        let mut blocks: Vec<Block> = body.headline().map(Block::Text).into_iter().collect();
        let dates = self.dates().map(Block::Text);
        let page = |blocks| match &self.exchange {
            Some(exchange) => exchange.page(blocks),
            None => blocks,
        };
        if blocks.is_empty() {
            blocks.extend(page(body.blocks()));
            blocks.extend(dates);
        } else {
            blocks = page(blocks);
            blocks.extend(dates);
            blocks.extend(page(body.blocks()));
        }
        let mut blocks =
            said::page(blocks, self.exchange.as_ref().map(|exchange| exchange.code.as_str()), lang);
        if !self.assumptions.is_empty() {
            blocks.push(Block::Heading(lang.said(format!("Assumptions ({})", self.assumptions.len()))));
            let line =
                |a: &AssumptionLine| format!("{} = {}: {}", a.id, lang.say(&a.value), lang.say(&a.why));
            blocks.push(Block::List(self.assumptions.iter().map(line).collect()));
        }
        blocks
    }

    /// The warnings; beside a table they stand on stderr.
    fn warnings(&self, lang: Lang) -> Vec<Block> {
        if self.warnings.is_empty() {
            return Vec::new();
        }
        let line = |w: &WarningLine| format!("{}: {}", w.id, lang.say(&w.message));
        vec![
            Block::Heading(lang.said(format!("Warnings ({})", self.warnings.len()))),
            Block::List(self.warnings.iter().map(line).collect()),
        ]
    }

    /// What the figures were taken from: a page that travels alone must carry it.
    fn sources(&self, lang: Lang) -> Vec<Block> {
        if self.catalog.sources.is_empty() {
            return Vec::new();
        }
        let line = |source: &SourceLine| format!("{} ({})", source.source, source.as_of);
        vec![
            Block::Heading(lang.said(format!("Sources ({})", self.catalog.sources.len()))),
            Block::List(self.catalog.sources.iter().map(line).collect()),
        ]
    }

    /// How old the figures are.
    fn dates(&self) -> Option<String> {
        let oldest = self.catalog.as_of_oldest.as_ref()?;
        let newest = self.catalog.as_of_newest.as_ref().filter(|newest| *newest != oldest);
        let newest = newest.map(|day| format!(", newest {day}")).unwrap_or_default();
        let s = if self.catalog.sources.len() == 1 { "" } else { "s" };
        let what = if self.catalog.prices {
            let currency = self.exchange.as_ref().map_or_else(|| "in USD".to_owned(), Exchange::said);
            format!("List prices {currency}, without tax: oldest")
        } else {
            "Catalog: oldest figure".to_owned()
        };
        let off: Vec<&str> =
            self.assumptions.iter().filter(|a| a.id == DISCOUNT).map(|a| a.value.as_str()).collect();
        let off = if off.is_empty() || !self.catalog.prices {
            String::new()
        } else {
            format!(" Off list by [discount] of the project file: {}.", off.join(", "))
        };
        Some(format!("{what} {oldest}{newest} ({} source{s}).{off}", self.catalog.sources.len()))
    }
}
