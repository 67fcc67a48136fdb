//! Expressions made safe and simple before they run: limits, names and functions are checked, numbers made doubles.
//!
//! Rewritten are: whole-number literals and the results of `size` and `int` (to doubles, so that `row.nodes > 1` and
//! `size(row.costs) * 2` work), `/` and `%` (a zero below gives unknown; `%` works on doubles), `x == null` (to
//! `!has(x)`, since what is null is absent), and `has(a.b.c)` (false, not an error, where `a.b` is absent).

use std::collections::BTreeSet;

use cel::IdedExpr;
use cel::common::ast::operators;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr};

use super::expression::DEEPEST;
use super::fields::{Kind, ROOTS, kind_of, names_under};
use super::kinds;
use crate::diag::near_names;

/// Names of our own functions; the first two cannot be typed.
pub(super) const DIVIDE: &str = "@divide";
/// See [`DIVIDE`].
pub(super) const MODULO: &str = "@modulo";
/// A regular expression found anywhere in a text.
pub(super) const MATCHES: &str = "matches";

/// Most nodes of an expression, loops expanded.
const MOST_NODES: usize = 600;
/// Most loops (`exists`, `all`, `map`, `filter`) inside one another.
const MOST_LOOPS: usize = 2;

/// Functions that expressions may call.
const FUNCTIONS: [&str; 8] =
    ["size", "contains", "startsWith", "endsWith", MATCHES, "string", "double", "int"];

/// Checks limits, functions and names of a parsed expression. Gives what it reads: `row.nodes`, or `spot` for a whole
/// root.
pub(super) fn check(root: &IdedExpr) -> Result<BTreeSet<String>, String> {
    let mut check = Check { nodes: 0, reads: BTreeSet::new(), variables: Vec::new() };
    check.visit(root, 0)?;
    Ok(check.reads)
}

struct Check {
    nodes: usize,
    reads: BTreeSet<String>,
    /// Loop variables with the path of what they stand for; `None` where that is not followed.
    variables: Vec<(String, Option<String>)>,
}

impl Check {
    fn visit(&mut self, node: &IdedExpr, depth: u16) -> Result<(), String> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err("the expression is too long; split it into several rules".to_owned());
        }
        if depth > DEEPEST {
            return Err("the expression is nested too deeply".to_owned());
        }
        match &node.expr {
            Expr::Ident(_) | Expr::Select(_) => {
                let Some(path) = self.path(node)? else { return self.visit_children(node, depth) };
                let mut names = path.split('.').take(2).map(|name| name.trim_end_matches("[]"));
                let root = names.next().unwrap_or_default();
                self.reads
                    .insert(names.next().map_or_else(|| root.to_owned(), |name| format!("{root}.{name}")));
                if is_plain(node) { Ok(()) } else { self.visit_children(node, depth) }
            }
            Expr::Literal(LiteralValue::Bytes(_)) => Err("bytes are not used in rules".to_owned()),
            Expr::Map(_) => Err("`{…}` is not used in rules".to_owned()),
            Expr::Struct(_) => Err("no such type".to_owned()),
            Expr::Unspecified => Err("an unfinished expression".to_owned()),
            Expr::Call(call) => {
                known_function(&call.func_name)?;
                self.path(node)?;
                self.visit_children(node, depth)?;
                kinds::check(call, self)
            }
            Expr::Comprehension(comprehension) => {
                if self.variables.iter().filter(|(name, _)| !name.starts_with('@')).count() >= MOST_LOOPS {
                    return Err(format!("at most {MOST_LOOPS} loops inside one another"));
                }
                self.visit(&comprehension.iter_range, depth + 1)?;
                let element = self.element_of(&comprehension.iter_range)?;
                let before = self.variables.len();
                self.variables.push((comprehension.iter_var.clone(), element));
                self.variables.push((comprehension.accu_var.clone(), None));
                for part in [
                    &comprehension.accu_init,
                    &comprehension.loop_cond,
                    &comprehension.loop_step,
                    &comprehension.result,
                ] {
                    self.visit(part, depth + 1)?;
                }
                self.variables.truncate(before);
                Ok(())
            }
            Expr::List(_) | Expr::Literal(_) => self.visit_children(node, depth),
        }
    }

    fn visit_children(&mut self, node: &IdedExpr, depth: u16) -> Result<(), String> {
        children(node).into_iter().try_for_each(|child| self.visit(child, depth + 1))
    }

    /// The path of an element of what a loop runs over.
    fn element_of(&self, range: &IdedExpr) -> Result<Option<String>, String> {
        if let Expr::Comprehension(made) = &range.expr {
            let Some(element) = kinds::added(made) else {
                return Err("`exists` and `all` give true or false, not a list".to_owned());
            };
            return self.within(made)?.path(element);
        }
        let Some(path) = self.path(range)? else { return Ok(None) };
        match kind_of(&path) {
            Some(Kind::Texts | Kind::Objects) | None => Ok(Some(format!("{path}[]"))),
            Some(kind) => Err(format!("`{path}` is {}, not a list", kind.name())),
        }
    }

    /// The path that a node names, checked; `None` for what is no path or not followed.
    fn path(&self, node: &IdedExpr) -> Result<Option<String>, String> {
        match &node.expr {
            Expr::Ident(name) => self.root(name),
            Expr::Select(select) => {
                self.path(&select.operand)?.map(|path| field(&path, &select.field)).transpose()
            }
            Expr::Call(call) if call.func_name == operators::INDEX && call.args.len() == 2 => {
                if matches!(call.args[0].expr, Expr::Comprehension(_)) {
                    return self.element_of(&call.args[0]);
                }
                let Some(path) = self.path(&call.args[0])? else { return Ok(None) };
                match (&call.args[1].expr, kind_of(&path)) {
                    (Expr::Literal(LiteralValue::String(name)), Some(Kind::Group)) => {
                        field(&path, name.inner()).map(Some)
                    }
                    (_, Some(Kind::Texts | Kind::Objects)) => Ok(Some(format!("{path}[]"))),
                    (_, kind) => Err(format!(
                        "`{path}` is {}, not a list",
                        kind.map_or("nothing that is known", Kind::name)
                    )),
                }
            }
            _ => Ok(None),
        }
    }

    /// The names inside a loop.
    fn within(&self, of: &ComprehensionExpr) -> Result<Self, String> {
        let mut variables = self.variables.clone();
        variables.push((of.iter_var.clone(), self.element_of(&of.iter_range)?));
        variables.push((of.accu_var.clone(), None));
        Ok(Self { nodes: 0, reads: BTreeSet::new(), variables })
    }

    fn root(&self, name: &str) -> Result<Option<String>, String> {
        let bare = name.trim_start_matches('.');
        if let Some((_, path)) = self.variables.iter().rev().find(|(variable, _)| variable == name) {
            return Ok(path.clone());
        }
        if ROOTS.contains(&bare) {
            return Ok(Some(bare.to_owned()));
        }
        let all = ROOTS.iter().copied().chain(FUNCTIONS);
        let near = near_names(name, all.clone());
        // `nodes` for `row.nodes`: the field that somebody meant.
        let meant: Vec<String> = ROOTS
            .iter()
            .filter(|root| names_under(root).contains(&name))
            .map(|root| format!("{root}.{name}"))
            .collect();
        let known = ROOTS.join(", ");
        Err(match (meant.is_empty(), near.is_empty()) {
            (false, _) => format!("no name `{name}`; did you mean {}?", meant.join(" or ")),
            (true, false) => format!("no name `{name}`; did you mean {}?", near.join(" or ")),
            (true, true) => format!("no name `{name}`; expressions begin with {known}"),
        })
    }
}

impl kinds::Names for Check {
    fn path(&self, node: &IdedExpr) -> Option<String> {
        Check::path(self, node).ok().flatten()
    }

    fn inside(&self, of: &ComprehensionExpr) -> Box<dyn kinds::Names + '_> {
        let plain = || Self { nodes: 0, reads: BTreeSet::new(), variables: self.variables.clone() };
        Box::new(self.within(of).unwrap_or_else(|_| plain()))
    }
}

/// Whether a path is names and fields alone, with nothing in it that is computed.
fn is_plain(node: &IdedExpr) -> bool {
    match &node.expr {
        Expr::Ident(_) => true,
        Expr::Select(select) => is_plain(&select.operand),
        Expr::Call(call) if call.func_name == operators::INDEX => {
            matches!(call.args.as_slice(), [list, index] if is_plain(list) && matches!(index.expr, Expr::Literal(_)))
        }
        _ => false,
    }
}

/// The path of a field of `path`, or what is wrong with it.
fn field(path: &str, name: &str) -> Result<String, String> {
    let full = format!("{path}.{name}");
    if kind_of(&full).is_some() {
        return Ok(full);
    }
    match kind_of(path) {
        Some(Kind::Group) | None => {
            let names = names_under(path);
            let near = near_names(name, names.iter().copied());
            Err(if near.is_empty() {
                format!("no field `{full}`; `{path}` has {}", names.join(", "))
            } else {
                format!("no field `{full}`; did you mean {}?", near.join(" or "))
            })
        }
        Some(kind) => Err(format!("no field `{full}`: `{path}` is {}", kind.name())),
    }
}

fn known_function(name: &str) -> Result<(), String> {
    let operator = !name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains('?')
        || name == operators::CONDITIONAL;
    if operator || FUNCTIONS.contains(&name) {
        return Ok(());
    }
    let near = near_names(name, FUNCTIONS);
    Err(if near.is_empty() {
        format!("no function `{name}`; there are {}, has, exists, all, filter, map", FUNCTIONS.join(", "))
    } else {
        format!("no function `{name}`; did you mean {}?", near.join(" or "))
    })
}

fn children(node: &IdedExpr) -> Vec<&IdedExpr> {
    match &node.expr {
        Expr::Call(call) => call.target.iter().map(AsRef::as_ref).chain(&call.args).collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Comprehension(c) => {
            vec![&c.iter_range, &c.accu_init, &c.loop_cond, &c.loop_step, &c.result]
        }
        Expr::Map(map) => map
            .entries
            .iter()
            .flat_map(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
                EntryExpr::StructField(field) => vec![&field.value],
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The parts of an expression that can be evaluated on their own.
pub(super) fn parts_without_loop_variables(node: &IdedExpr) -> Vec<&IdedExpr> {
    match &node.expr {
        Expr::Comprehension(comprehension) => vec![&comprehension.iter_range],
        Expr::Select(_) => Vec::new(),
        _ => children(node),
    }
}

/// Rewrites a checked expression; see the top of this file.
pub(super) fn rewrite(node: &mut IdedExpr) {
    if let Some(presence) = compared_with_null(&node.expr) {
        *node = presence;
        return;
    }
    match &mut node.expr {
        Expr::Literal(LiteralValue::Int(number)) => {
            node.expr = double(*number.inner() as f64);
        }
        Expr::Literal(LiteralValue::UInt(number)) => {
            node.expr = double(*number.inner() as f64);
        }
        Expr::Select(select) if select.test => node.expr = presence(select).expr,
        Expr::Select(select) => rewrite(&mut select.operand),
        Expr::List(list) => list.elements.iter_mut().for_each(rewrite),
        Expr::Comprehension(c) => {
            [&mut c.iter_range, &mut c.accu_init, &mut c.loop_cond, &mut c.loop_step, &mut c.result]
                .into_iter()
                .for_each(rewrite);
        }
        Expr::Call(call) => {
            let whole = matches!(call.func_name.as_str(), "size" | "int");
            rewrite_call(call);
            if whole {
                let inner = std::mem::take(node);
                *node = called("double", vec![inner]);
            }
        }
        _ => {}
    }
}

fn rewrite_call(call: &mut CallExpr) {
    let rewritten = match call.func_name.as_str() {
        // A list wants a whole number; what stands in brackets stays as written.
        operators::INDEX => 1,
        _ => call.args.len(),
    };
    call.args.iter_mut().take(rewritten).for_each(rewrite);
    if let Some(target) = &mut call.target {
        rewrite(target);
    }
    match call.func_name.as_str() {
        operators::DIVIDE => DIVIDE.clone_into(&mut call.func_name),
        operators::MODULO => MODULO.clone_into(&mut call.func_name),
        _ => {}
    }
}

/// `x == null` and `x != null`, where x is a name or a field.
fn compared_with_null(expr: &Expr) -> Option<IdedExpr> {
    let Expr::Call(call) = expr else { return None };
    let negated = match call.func_name.as_str() {
        operators::EQUALS => true,
        operators::NOT_EQUALS => false,
        _ => return None,
    };
    let is_null = |side: &IdedExpr| matches!(side.expr, Expr::Literal(LiteralValue::Null));
    let side = match call.args.as_slice() {
        [side, null] | [null, side] if is_null(null) => side,
        _ => return None,
    };
    let there = match &side.expr {
        Expr::Select(select) if !select.test => presence(select),
        // A root without fields is one that is not known, such as `spot` where none is sold.
        Expr::Ident(name) if ROOTS.contains(&name.as_str()) => {
            let count = called("double", vec![called("size", vec![side.clone()])]);
            called(operators::GREATER, vec![count, ided(double(0.0))])
        }
        _ => return None,
    };
    Some(if negated { called(operators::LOGICAL_NOT, vec![there]) } else { there })
}

/// `has(a.b) && has(a.b.c)` for `a.b.c`.
fn presence(select: &SelectExpr) -> IdedExpr {
    let test = SelectExpr { operand: select.operand.clone(), field: select.field.clone(), test: true };
    let last = ided(Expr::Select(test));
    match &select.operand.expr {
        Expr::Select(operand) if !operand.test => {
            called(operators::LOGICAL_AND, vec![presence(operand), last])
        }
        _ => last,
    }
}

fn double(number: f64) -> Expr {
    Expr::Literal(LiteralValue::Double(number.into()))
}

fn ided(expr: Expr) -> IdedExpr {
    IdedExpr { id: 0, expr }
}

fn called(function: &str, args: Vec<IdedExpr>) -> IdedExpr {
    ided(Expr::Call(CallExpr { func_name: function.to_owned(), target: None, args }))
}
