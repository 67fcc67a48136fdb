//! The small language of the templates in `export/*.toml`. A value only ever gets into a file as a literal of
//! the file's syntax.
//!
//! - `{{name}}` is the value as a literal: texts are quoted, numbers are not.
//! - A line `%if name`, `%if !name`, `%else`, `%end` keeps or drops the lines between; what is not in the scope is not
//!   true, and `%if` may stand in `%if`.
//! - A line `%lines name` becomes the lines of that value with the indent of the `%`; `%comment name` puts `# ` before
//!   each.

use super::quote::Syntax;
use std::collections::BTreeMap;

/// What a template can name.
pub type Scope = BTreeMap<String, Value>;

/// A value of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text, quoted where it stands.
    Text(String),
    /// A number as it is written.
    Number(String),
    /// Whether something holds.
    Flag(bool),
    /// Finished lines.
    Lines(Vec<String>),
}

impl Value {
    /// Whether `%if` keeps what follows.
    fn holds(&self) -> bool {
        match self {
            Self::Text(text) | Self::Number(text) => !text.is_empty(),
            Self::Flag(flag) => *flag,
            Self::Lines(lines) => !lines.is_empty(),
        }
    }
}

/// The file that a template makes of a scope.
///
/// # Errors
///
/// What is wrong with the template: a name that is not there, an `%if` without its end.
pub fn render(template: &str, syntax: Syntax, scope: &Scope) -> Result<String, String> {
    let mut out = String::with_capacity(template.len() * 2);
    // Whether the lines of each open `%if` are kept.
    let mut open: Vec<bool> = Vec::new();
    for line in template.lines() {
        let trimmed = line.trim_start();
        let Some((directive, name)) =
            trimmed.strip_prefix('%').map(|rest| rest.split_once(' ').unwrap_or((rest, "")))
        else {
            if open.iter().all(|&kept| kept) {
                out.push_str(&filled(line, syntax, scope)?);
                out.push('\n');
            }
            continue;
        };
        match directive {
            "if" => open.push(condition(name, scope)),
            "else" => {
                let kept = open.last_mut().ok_or("`%else` without `%if`")?;
                *kept = !*kept;
            }
            "end" => drop(open.pop().ok_or("`%end` without `%if`")?),
            "lines" | "comment" if open.iter().all(|&kept| kept) => {
                let indent = &line[..line.len() - trimmed.len()];
                let prefix = if directive == "comment" { "# " } else { "" };
                for inner in lines(name, scope)? {
                    let inner = if directive == "comment" { inner.clone() } else { syntax.line(inner) };
                    out.push_str(format!("{indent}{prefix}{inner}").trim_end());
                    out.push('\n');
                }
            }
            "lines" | "comment" => {}
            other => return Err(format!("unknown directive `%{other}`")),
        }
    }
    if open.is_empty() { Ok(out) } else { Err("an `%if` without `%end`".to_owned()) }
}

/// Whether a condition, `name` or `!name`, holds.
pub fn condition(name: &str, scope: &Scope) -> bool {
    let holds = |name: &str| scope.get(name).is_some_and(Value::holds);
    name.strip_prefix('!').map_or_else(|| holds(name), |name| !holds(name))
}

fn lines<'s>(name: &str, scope: &'s Scope) -> Result<&'s [String], String> {
    match scope.get(name) {
        Some(Value::Lines(lines)) => Ok(lines),
        _ => Err(format!("`{name}` has no lines")),
    }
}

fn filled(line: &str, syntax: Syntax, scope: &Scope) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, behind) =
            after.split_once("}}").ok_or_else(|| format!("`{{{{` without `}}}}` in `{line}`"))?;
        out.push_str(before);
        match scope.get(name) {
            Some(Value::Text(text)) => out.push_str(&syntax.literal(text)),
            Some(Value::Number(number)) => out.push_str(number),
            _ => return Err(format!("`{name}` is not known")),
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}
