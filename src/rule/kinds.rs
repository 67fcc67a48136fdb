//! Kinds of the sides of `==`, `!=` and `in`, before any row is there. The language lets every two values be compared
//! and finds those of different kinds unequal, so that a rule with such a slip would never fire and never say so.
//!
//! Only what is sure is refused: a side whose kind does not show, such as a computed list, passes. Null goes with all.

use cel::IdedExpr;
use cel::common::ast::operators;
use cel::common::ast::{CallExpr, Expr, LiteralValue};

use super::fields::{Kind, kind_of};

/// What a node names, where it names a field.
type PathOf<'p> = &'p dyn Fn(&IdedExpr) -> Option<String>;

/// Refuses a comparison of sides that can never be equal, and of groups and lists, which are not compared at all.
pub(super) fn check(call: &CallExpr, path: PathOf) -> Result<(), String> {
    let [left, right] = call.args.as_slice() else { return Ok(()) };
    match call.func_name.as_str() {
        operators::EQUALS => equal("==", left, right, path),
        operators::NOT_EQUALS => equal("!=", left, right, path),
        operators::IN => within(left, right, path),
        _ => Ok(()),
    }
}

fn equal(sign: &str, left: &IdedExpr, right: &IdedExpr, path: PathOf) -> Result<(), String> {
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
    let (left, right) = (said(a, path(left)), said(b, path(right)));
    Err(format!("`{sign}` does not take {left} and {right}{hint}"))
}

fn within(item: &IdedExpr, list: &IdedExpr, path: PathOf) -> Result<(), String> {
    if let Expr::List(list) = &list.expr {
        let each = |element| equal("in", item, element, path);
        return list.elements.iter().try_for_each(each);
    }
    let (a, of) = (kind(item, path), path(list).and_then(|path| kind_of(&path)));
    let wanted = match of {
        Some(Kind::Texts | Kind::Group) => Kind::Text,
        Some(Kind::Objects) => Kind::Group,
        _ => return Ok(()),
    };
    if a.is_none_or(|a| a == Seen::Of(wanted)) && wanted != Kind::Group {
        return Ok(());
    }
    let list = of.map_or("a list", Kind::name);
    Err(format!("`in` does not take {} and {list}", said(a, path(item))))
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

fn kind(node: &IdedExpr, path: PathOf) -> Option<Seen> {
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
        Expr::Ident(_) | Expr::Select(_) => path(node).and_then(|path| kind_of(&path)).map(Seen::from),
        Expr::Call(call) => of_call(node, call, path),
        _ => None,
    }
}

fn of_call(node: &IdedExpr, call: &CallExpr, path: PathOf) -> Option<Seen> {
    let first = || call.args.iter().find_map(|side| kind(side, path));
    match call.func_name.as_str() {
        operators::INDEX => path(node).and_then(|path| kind_of(&path)).map(Seen::from),
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
