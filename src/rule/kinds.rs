//! Kinds of the sides of `==`, `!=` and `in`, before any row is there. The language lets every two values be compared
//! and finds those of different kinds unequal, so that a rule with such a slip would never fire and never say so.
//!
//! A list that `filter` or `map` makes has the kind of its elements. Only what is sure is refused: a side whose kind does
//! not show passes. Null goes with all.

use cel::IdedExpr;
use cel::common::ast::operators;
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, LiteralValue};

use super::fields::{Kind, kind_of};

/// What names mean at some place of an expression.
pub(super) trait Names {
    /// What a node names, where it names a field.
    fn path(&self, node: &IdedExpr) -> Option<String>;

    /// The same inside a loop.
    fn inside(&self, of: &ComprehensionExpr) -> Box<dyn Names + '_>;
}

/// What a loop adds to the list that it makes, for each element; `None` for loops that make no list.
pub(super) fn added(of: &ComprehensionExpr) -> Option<&IdedExpr> {
    let Expr::List(_) = of.accu_init.expr else { return None };
    let mut step = &of.loop_step;
    loop {
        let Expr::Call(call) = &step.expr else { return None };
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::ADD, [_, list]) => {
                let Expr::List(list) = &list.expr else { return None };
                return list.elements.first();
            }
            (operators::CONDITIONAL, [_, then, _]) => step = then,
            _ => return None,
        }
    }
}

/// Refuses a comparison of sides that can never be equal, and of groups and lists, which are not compared at all.
pub(super) fn check(call: &CallExpr, path: &dyn Names) -> Result<(), String> {
    let [left, right] = call.args.as_slice() else { return Ok(()) };
    match call.func_name.as_str() {
        operators::EQUALS => equal("==", left, right, path),
        operators::NOT_EQUALS => equal("!=", left, right, path),
        operators::IN => within(left, right, path),
        _ => Ok(()),
    }
}

fn equal(sign: &str, left: &IdedExpr, right: &IdedExpr, path: &dyn Names) -> Result<(), String> {
    if [left, right].into_iter().any(is_null) {
        return Ok(());
    }
    let (a, b) = (kind(left, path), kind(right, path));
    let whole = |kind: Option<Seen>| matches!(kind, Some(Seen::List | Seen::Of(Kind::Group)));
    let different = a.zip(b).is_some_and(|(a, b)| a != b);
    if !different && !whole(a) && !whole(b) {
        return Ok(());
    }
    let hint = if different { "" } else { "; compare a field or `size(…)`" };
    let (left, right) = (said(a, path.path(left)), said(b, path.path(right)));
    Err(format!("`{sign}` does not take {left} and {right}{hint}"))
}

fn within(item: &IdedExpr, list: &IdedExpr, path: &dyn Names) -> Result<(), String> {
    if let Expr::List(list) = &list.expr {
        let each = |element| equal("in", item, element, path);
        return list.elements.iter().try_for_each(each);
    }
    if let Expr::Comprehension(of) = &list.expr {
        return within_made(item, of, path);
    }
    let (a, of) = (kind(item, path), path.path(list).and_then(|path| kind_of(&path)));
    let wanted = match of {
        Some(Kind::Texts | Kind::Group) => Kind::Text,
        Some(Kind::Objects) => Kind::Group,
        _ => return Ok(()),
    };
    if a.is_none_or(|a| a == Seen::Of(wanted)) && wanted != Kind::Group {
        return Ok(());
    }
    let list = of.map_or("a list", Kind::name);
    Err(format!("`in` does not take {} and {list}", said(a, path.path(item))))
}

/// `in` a list that a loop makes.
fn within_made(item: &IdedExpr, of: &ComprehensionExpr, path: &dyn Names) -> Result<(), String> {
    let Some(element) = added(of) else {
        return Err("`in` does not take true or false, which `exists` and `all` give".to_owned());
    };
    let (a, b) = (kind(item, path), kind(element, path.inside(of).as_ref()));
    let whole = |kind: Option<Seen>| matches!(kind, Some(Seen::List | Seen::Of(Kind::Group)));
    if whole(a) || whole(b) || a.zip(b).is_some_and(|(a, b)| a != b) {
        let (item, element) = (said(a, path.path(item)), said(b, None));
        return Err(format!("`in` does not take {item} and a list of which each element is {element}"));
    }
    Ok(())
}

/// What is sure of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Of(Kind),
    List,
}

impl From<Kind> for Seen {
    fn from(kind: Kind) -> Self {
        if matches!(kind, Kind::Texts | Kind::Objects) { Self::List } else { Self::Of(kind) }
    }
}

fn said(seen: Option<Seen>, path: Option<String>) -> String {
    let kind = match seen {
        Some(Seen::Of(kind)) => kind.name(),
        Some(Seen::List) => "a list",
        None => "something",
    };
    path.map_or_else(|| kind.to_owned(), |path| format!("{kind} (`{path}`)"))
}

fn is_null(node: &IdedExpr) -> bool {
    matches!(node.expr, Expr::Literal(LiteralValue::Null))
}

fn kind(node: &IdedExpr, path: &dyn Names) -> Option<Seen> {
    let literal = |literal: &LiteralValue| match literal {
        LiteralValue::Boolean(_) => Some(Kind::Flag),
        LiteralValue::String(_) => Some(Kind::Text),
        LiteralValue::Int(_) | LiteralValue::UInt(_) | LiteralValue::Double(_) => Some(Kind::Number),
        _ => None,
    };
    match &node.expr {
        Expr::Select(select) if select.test => Some(Kind::Flag.into()),
        Expr::Literal(value) => literal(value).map(Seen::from),
        Expr::List(_) => Some(Seen::List),
        Expr::Comprehension(of) if added(of).is_some() => Some(Seen::List),
        Expr::Comprehension(_) => Some(Kind::Flag.into()),
        Expr::Ident(_) | Expr::Select(_) => path.path(node).and_then(|path| kind_of(&path)).map(Seen::from),
        Expr::Call(call) => of_call(node, call, path),
        _ => None,
    }
}

fn of_call(node: &IdedExpr, call: &CallExpr, path: &dyn Names) -> Option<Seen> {
    let first = || call.args.iter().find_map(|side| kind(side, path));
    match call.func_name.as_str() {
        operators::INDEX => match call.args.first().map(|list| &list.expr) {
            Some(Expr::Comprehension(of)) => kind(added(of)?, path.inside(of).as_ref()),
            _ => path.path(node).and_then(|path| kind_of(&path)).map(Seen::from),
        },
        operators::CONDITIONAL => call.args.iter().skip(1).find_map(|side| kind(side, path)),
        operators::ADD => first(),
        operators::SUBSTRACT
        | operators::MULTIPLY
        | operators::DIVIDE
        | operators::MODULO
        | operators::NEGATE
        | "size"
        | "double"
        | "int" => Some(Kind::Number.into()),
        "string" => Some(Kind::Text.into()),
        operators::EQUALS
        | operators::NOT_EQUALS
        | operators::IN
        | operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS
        | operators::LOGICAL_AND
        | operators::LOGICAL_OR
        | operators::LOGICAL_NOT
        | "contains"
        | "startsWith"
        | "endsWith"
        | "matches" => Some(Kind::Flag.into()),
        _ => None,
    }
}
