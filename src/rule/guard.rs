//! A quick look at a condition before it is compiled: most rules are decided by one plain comparison, such as
//! `workload.task == 'infer'`, and compiling the rest costs a thousand times as much.
//!
//! It only ever finds that a condition is false, from one part of a chain of `&&`; whatever is not plain is left to the
//! language. Faults in what it skips are found by [`super::check`], which runs over every rule of an overlay.

use serde_json::Value;

/// Whether a part of a chain of `&&` is surely false for these facts. `false` says nothing.
pub(super) fn surely_false(when: &str, facts: &Value) -> bool {
    parts(when).is_some_and(|parts| parts.iter().any(|part| holds(part, facts) == Some(false)))
}

/// The parts of a chain of `&&`; `None` where anything else stands outside brackets.
fn parts(when: &str) -> Option<Vec<&str>> {
    let bytes = when.as_bytes();
    let (mut found, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0_u32, None);
    for (i, &byte) in bytes.iter().enumerate() {
        match (quoted, byte) {
            (Some(quote), _) if byte == quote => quoted = None,
            // An escape may hide the end of a text.
            (Some(_), b'\\') => return None,
            (None, b'\'' | b'"') => quoted = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.checked_sub(1)?,
            (None, b'|' | b'?') if depth == 0 => return None,
            (None, b'&') if depth == 0 && bytes.get(i + 1) == Some(&b'&') => {
                found.push(when[start..i].trim());
                start = i + 2;
            }
            _ => {}
        }
    }
    found.push(when[start..].trim());
    (depth == 0 && quoted.is_none()).then_some(found)
}

/// What a plain part comes to; `None` where it is not plain or not known.
fn holds(part: &str, facts: &Value) -> Option<bool> {
    if let Some(flag) = part.strip_prefix('!') {
        return Some(!fact(flag, facts)?.as_bool()?);
    }
    if let Some((path, list)) = part.split_once(" in ") {
        let have = fact(path.trim(), facts)?.as_str()?;
        let list = list.trim().strip_prefix('[')?.strip_suffix(']')?;
        let texts: Option<Vec<&str>> = list.split(',').map(|one| text(one.trim())).collect();
        return Some(texts?.contains(&have));
    }
    for sign in ["==", "!=", "<=", ">=", "<", ">"] {
        if let Some((path, literal)) = part.split_once(sign) {
            return compare(fact(path.trim(), facts)?, sign, literal.trim());
        }
    }
    fact(part, facts)?.as_bool()
}

fn compare(have: &Value, sign: &str, literal: &str) -> Option<bool> {
    if let Some(wanted) = text(literal) {
        let same = have.as_str()? == wanted;
        return match sign {
            "==" => Some(same),
            "!=" => Some(!same),
            _ => None,
        };
    }
    let plain = literal.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let (have, wanted) = (have.as_f64()?, literal.parse::<f64>().ok().filter(|_| plain)?);
    Some(match sign {
        "==" => (have - wanted).abs() <= 0.0,
        "!=" => (have - wanted).abs() > 0.0,
        "<=" => have <= wanted,
        ">=" => have >= wanted,
        "<" => have < wanted,
        _ => have > wanted,
    })
}

/// A text in quotes that holds no other quote.
fn text(literal: &str) -> Option<&str> {
    let inner = literal.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inner.contains(['\'', '\\'])).then_some(inner)
}

/// The fact that a plain path names; `None` where it names nothing or is no plain path.
fn fact<'f>(path: &str, facts: &'f Value) -> Option<&'f Value> {
    let plain =
        path.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte));
    let mut value = Some(facts).filter(|_| plain)?;
    for name in path.split('.') {
        value = value.get(name)?;
    }
    Some(value)
}
