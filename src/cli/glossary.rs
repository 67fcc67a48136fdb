//! What `explain CODE` knows: findings and rules from the catalog code and data, the rest from `terms`.

mod terms;

use crate::catalog::Catalog;
use crate::catalog::cause::Cause;
use crate::catalog::codes::{self, CODES};
use crate::catalog::knowledge::Constant;
use crate::diag::InputError;
use crate::report::Used;
use crate::report::explain::{Cases, Explain};
use crate::rule::example;
use std::collections::BTreeSet;
use terms::TERMS;

/// One id of an assumption, a warning or a rejection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// As printed.
    pub id: &'static str,
    /// `assumption`, `warning`, `rejection`, `verdict`, `violation`, `cause` or `skipped`.
    pub kind: &'static str,
    /// What it means and what to do.
    pub text: &'static str,
}

/// Explains a code; an unknown one is an error with near names.
pub fn explain(catalog: &Catalog, code: &str) -> Result<Explain, InputError> {
    finding(code)
        .or_else(|| rule(catalog, code))
        .or_else(|| term(code))
        .or_else(|| cause(catalog, code))
        .or_else(|| constant(catalog, code))
        .ok_or_else(|| unknown(catalog, code))
}

fn finding(code: &str) -> Option<Explain> {
    let found = codes::find(code)?;
    let mut text = vec![found.paragraph.to_owned()];
    text.push(format!("Level: {}.", found.level.name()));
    if found.waivable {
        text.push(format!(
            "A row can accept it: allow = [{{ code = \"{}\", reason = \"why it is true\" }}]",
            found.name
        ));
    }
    Some(Explain {
        code: found.name.to_owned(),
        kind: "finding",
        text,
        source: None,
        example: None,
        used: Used::default(),
        quoted: false,
    })
}

fn rule(catalog: &Catalog, code: &str) -> Option<Explain> {
    let rule = catalog.rules.iter().find(|rule| rule.id == code)?;
    let source = catalog.source(rule.source);
    let mut used = Used::default();
    used.figure(rule.source);
    let text = vec![
        rule.explain.clone(),
        format!("Level: {}.", rule.level),
        format!("It speaks when {}", rule.when),
    ];
    let source = Some(format!("{}, {}", source.text, source.as_of));
    let example = example::of(catalog, rule).map(Cases::new);
    Some(Explain {
        code: rule.id.clone(),
        kind: "rule",
        text,
        source,
        example,
        used,
        quoted: rule.overridden,
    })
}

fn term(code: &str) -> Option<Explain> {
    let term = TERMS.iter().find(|term| term.id == code)?;
    let text = vec![term.text.to_owned()];
    Some(Explain {
        code: term.id.to_owned(),
        kind: term.kind,
        text,
        source: None,
        example: None,
        used: Used::default(),
        quoted: false,
    })
}

/// What may be behind the verdict of `network`.
fn cause(catalog: &Catalog, code: &str) -> Option<Explain> {
    let Cause { message, advice, .. } = catalog.causes.iter().find(|cause| cause.id == code)?;
    let advice = if advice.is_empty() { String::new() } else { format!(" What to do: {advice}.") };
    let text = vec![format!("Beside a verdict of `network`: {message}.{advice}")];
    Some(Explain {
        code: code.to_owned(),
        kind: "cause",
        text,
        source: None,
        example: None,
        used: Used::default(),
        quoted: false,
    })
}

/// All values of a constant, each with what it holds for and where it comes from.
fn constant(catalog: &Catalog, code: &str) -> Option<Explain> {
    let values: Vec<&Constant> = catalog.constants.iter().filter(|constant| constant.key == code).collect();
    let first = values.first()?;
    let mut used = Used::default();
    for constant in &values {
        used.figure(constant.source);
    }
    let text = values.iter().map(|constant| constant_line(catalog, constant)).collect();
    Some(Explain {
        code: first.key.clone(),
        kind: "constant",
        text,
        source: None,
        example: None,
        used,
        quoted: false,
    })
}

fn constant_line(catalog: &Catalog, constant: &Constant) -> String {
    let mut holds = Vec::new();
    holds.extend(constant.gpu.clone());
    holds.extend(constant.precision.clone());
    holds.extend(constant.class.as_ref().map(|class| format!("class {class}")));
    holds.extend(constant.max_gpus.map(|gpus| format!("up to {gpus} GPUs")));
    let holds = if holds.is_empty() { "everything".to_owned() } else { holds.join(", ") };
    let round = |value: f64| (value * 1e6).round() / 1e6;
    let range = constant.range.map(|(low, high)| format!(" ({} to {})", round(low), round(high)));
    let range = range.unwrap_or_default();
    let note = constant.note.as_deref().map(|note| format!(" {}", sentence(note))).unwrap_or_default();
    let source = catalog.source(constant.source);
    format!("{holds}: {}{range}.{note} Source: {}, {}.", constant.value, source.text, source.as_of)
}

/// A note as a sentence: notes of some rows begin small and end without a stop.
fn sentence(note: &str) -> String {
    let mut letters = note.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let stop = if note.ends_with('.') { "" } else { "." };
    first.into_iter().chain(letters).chain(stop.chars()).collect()
}

/// Everything that has a paragraph of its own, the constants apart: findings, rules, terms, causes.
pub fn ids(catalog: &Catalog) -> impl Iterator<Item = &str> {
    let findings = CODES.iter().map(|code| code.name);
    let rules = catalog.rules.iter().map(|rule| rule.id.as_str());
    findings
        .chain(rules)
        .chain(TERMS.iter().map(|term| term.id))
        .chain(catalog.causes.iter().map(|cause| cause.id.as_str()))
}

fn unknown(catalog: &Catalog, code: &str) -> InputError {
    let constants: BTreeSet<&str> = catalog.constants.iter().map(|constant| constant.key.as_str()).collect();
    let all = ids(catalog).chain(constants);
    let hint = "codes stand in square brackets in `catalog check`, and as `id` and `reason` in JSON answers";
    InputError::unknown("code", code, all, hint)
}

#[cfg(test)]
mod tests;
