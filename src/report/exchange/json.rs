//! JSON in another currency: reads what was pretty-printed line by line, so that every other byte stays what it is.

use super::{Exchange, Kind, twin};
use crate::report::date::Dated;
use std::fmt::Write as _;

/// Texts that are quoted from somewhere and never touched.
const QUOTED: [&str; 3] = ["source", "price_source", "text"];

/// A document on its way out.
struct Page<'e> {
    exchange: &'e Exchange,
    out: String,
    has_money: bool,
    lines: Vec<&'e str>,
    /// Twins of the objects that are open, the innermost last, by their indentation.
    open: Vec<(usize, Vec<String>)>,
}

impl Exchange {
    /// A pretty-printed document with its twins, and with `currency` and `fx` where it has money.
    pub(in crate::report) fn json(&self, text: &str) -> String {
        let out = String::with_capacity(text.len() * 5 / 4);
        let lines = text.lines().collect();
        let mut page = Page { exchange: self, out, has_money: false, lines, open: Vec::new() };
        (0..page.lines.len()).for_each(|at| page.line(at));
        if page.has_money || !self.has_twins() { self.with_head(&page.out) } else { page.out }
    }

    /// `currency` and `fx` behind `generated_with`.
    fn with_head(&self, text: &str) -> String {
        let mut head = format!("  \"currency\": \"{}\",\n", self.code);
        if let Some((code, rate)) = self.rate() {
            let day = serde_json::to_string(&Dated(rate.as_of)).unwrap_or_else(|_| "null".to_owned());
            let per_usd = rate.per_usd.normalize();
            let fields =
                format!("    \"code\": \"{code}\",\n    \"rate\": {per_usd},\n    \"as_of\": {day}\n");
            let _ = write!(head, "  \"fx\": {{\n{fields}  }},\n");
        }
        let Some(at) = text.find("  \"generated_with\"") else { return text.to_owned() };
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length + 1);
        format!("{}{head}{}", &text[..end], &text[end..])
    }
}

impl Page<'_> {
    fn line(&mut self, at: usize) {
        let line = self.lines[at];
        let inner = line.trim_start();
        let depth = line.len() - inner.len();
        self.open.retain(|(indent, _)| *indent <= depth);
        let Some((field, value)) = field_of(inner) else { return self.plain(line, "") };
        if self.is_twin(depth, field) {
            return;
        }
        let (value, comma) = value.strip_suffix(',').map_or((value, ""), |value| (value, ","));
        let spaces = &line[..depth];
        let exchange = self.exchange;
        let money = twin(field).filter(|_| exchange.has_twins());
        match money.and_then(|twin| exchange.figure(field, value).map(|figure| (twin, figure))) {
            Some((twin, figure)) => {
                self.has_money = true;
                let usd = if exchange.kind == Kind::Native { "null" } else { value };
                let _ =
                    writeln!(self.out, "{spaces}\"{field}\": {usd},\n{spaces}\"{twin}\": {figure}{comma}");
                self.remember(depth, twin);
            }
            None if field == "currency" && depth > 2 && self.has_twin_beside(at, depth) => {
                let _ = writeln!(self.out, "{spaces}\"currency\": \"{}\"{comma}", exchange.code);
            }
            None => self.plain(line, field),
        }
    }

    /// A line as it is; sentences of a document that was never in dollars name its currency.
    fn plain(&mut self, line: &str, field: &str) {
        if self.exchange.kind == Kind::Native && !QUOTED.contains(&field) {
            self.out.push_str(&self.exchange.sentence(line));
        } else {
            self.out.push_str(line);
        }
        self.out.push('\n');
    }

    /// Whether the object that the line is of has an amount that is told in the currency of the answer: only that one is
    /// the currency of its amounts then.
    fn has_twin_beside(&self, at: usize, depth: usize) -> bool {
        let within = |line: &&&str| line.len() - line.trim_start().len() >= depth;
        let has_twin = |line: &&str| {
            let Some((field, value)) = line.get(depth..).and_then(field_of) else { return false };
            let value = value.strip_suffix(',').unwrap_or(value);
            twin(field).is_some() && self.exchange.figure(field, value).is_some()
        };
        let before = self.lines[..at].iter().rev().take_while(within);
        let after = self.lines[at..].iter().take_while(within);
        self.exchange.has_twins() && before.chain(after).any(has_twin)
    }

    /// Whether the innermost object already has a twin of this name: it stands for the source's own amount.
    fn is_twin(&self, depth: usize, field: &str) -> bool {
        let own = self.open.last().filter(|(indent, _)| *indent == depth);
        own.is_some_and(|(_, twins)| twins.iter().any(|twin| twin == field))
    }

    fn remember(&mut self, depth: usize, twin: String) {
        match self.open.last_mut().filter(|(indent, _)| *indent == depth) {
            Some((_, twins)) => twins.push(twin),
            None => self.open.push((depth, vec![twin])),
        }
    }
}

/// Name and value of `"name": value`.
fn field_of(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix('"')?.split_once("\": ")?;
    (!name.contains('"')).then_some((name, value))
}
