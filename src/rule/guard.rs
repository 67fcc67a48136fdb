//! A quick look at a condition before it is compiled: most rules are decided by one plain comparison, such as
//! `workload.task == 'infer'`, and compiling the rest costs a thousand times as much.
//!
//! It only ever finds that a condition is false, from one part of a chain of `&&`; whatever is not plain is left to the
//! language. Faults in what it skips are found by [`super::check`], which runs over every rule of an overlay.

use super::fields::ROOTS;
use serde_json::Value;

/// The plain parts of a condition, read once for all rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    parts: Vec<Part>,
}

/// One plain part of a chain of `&&`.
#[derive(Clone, Debug)]
struct Part {
    /// Names of the fact, from the root.
    path: Vec<String>,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    Is(bool),
    OneOf(Vec<String>),
    Text { sign: Sign, wanted: String },
    Number { sign: Sign, wanted: f64 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    Same,
    Other,
    Most,
    Least,
    Below,
    Above,
}

/// Signs as they are written, the longer ones first.
const SIGNS: [(&str, Sign); 6] = [
    ("==", Sign::Same),
    ("!=", Sign::Other),
    ("<=", Sign::Most),
    (">=", Sign::Least),
    ("<", Sign::Below),
    (">", Sign::Above),
];

impl Guard {
    /// Reads a condition. What is not plain is left out.
    pub(super) fn of(when: &str) -> Self {
        Self { parts: parts(when).into_iter().flatten().filter_map(Part::of).collect() }
    }

    /// Whether a part of a chain of `&&` is surely false for these facts. `false` says nothing.
    pub(super) fn surely_false(&self, facts: &Value) -> bool {
        self.parts.iter().any(|part| part.holds(facts) == Some(false))
    }

    /// Whether the condition cannot come true: a part of its chain is surely false or rests on what is not known. `false`
    /// says nothing.
    pub(super) fn never_true(&self, facts: &Value) -> bool {
        self.parts.iter().any(|part| part.fact(facts).is_none() || part.holds(facts) == Some(false))
    }
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

impl Part {
    /// `None` where it is not plain.
    fn of(part: &str) -> Option<Self> {
        if let Some(flag) = part.strip_prefix('!') {
            return Some(Self { path: path(flag)?, test: Test::Is(false) });
        }
        if let Some((name, list)) = part.split_once(" in ") {
            let list = list.trim().strip_prefix('[')?.strip_suffix(']')?;
            let texts: Option<Vec<String>> = list.split(',').map(|one| text(one.trim())).collect();
            return Some(Self { path: path(name.trim())?, test: Test::OneOf(texts?) });
        }
        for (written, sign) in SIGNS {
            if let Some((name, literal)) = part.split_once(written) {
                return Some(Self { path: path(name.trim())?, test: Test::of(sign, literal.trim())? });
            }
        }
        Some(Self { path: path(part)?, test: Test::Is(true) })
    }

    /// The fact that it looks at, where that is known.
    fn fact<'f>(&self, facts: &'f Value) -> Option<&'f Value> {
        let found = self.path.iter().try_fold(facts, |have, name| have.get(name));
        found.filter(|fact| !fact.is_null())
    }

    /// What it comes to; `None` where that is not known.
    fn holds(&self, facts: &Value) -> Option<bool> {
        let have = self.fact(facts)?;
        match &self.test {
            Test::Is(wanted) => Some(have.as_bool()? == *wanted),
            Test::OneOf(texts) => have.as_str().map(|have| texts.iter().any(|text| text == have)),
            Test::Text { sign, wanted } => Some((have.as_str()? == wanted.as_str()) == (*sign == Sign::Same)),
            Test::Number { sign, wanted } => Some(sign.holds(have.as_f64()?, *wanted)),
        }
    }
}

impl Test {
    /// The comparison with a literal.
    fn of(sign: Sign, literal: &str) -> Option<Self> {
        if let Some(wanted) = text(literal) {
            return matches!(sign, Sign::Same | Sign::Other).then_some(Self::Text { sign, wanted });
        }
        let plain = literal.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let wanted = literal.parse().ok().filter(|_| plain)?;
        Some(Self::Number { sign, wanted })
    }
}

impl Sign {
    fn holds(self, have: f64, wanted: f64) -> bool {
        match self {
            Self::Same => (have - wanted).abs() <= 0.0,
            Self::Other => (have - wanted).abs() > 0.0,
            Self::Most => have <= wanted,
            Self::Least => have >= wanted,
            Self::Below => have < wanted,
            Self::Above => have > wanted,
        }
    }
}

/// A text in quotes that holds no other quote.
fn text(literal: &str) -> Option<String> {
    let inner = literal.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inner.contains(['\'', '\\'])).then(|| inner.to_owned())
}

/// The names of a plain path.
fn path(path: &str) -> Option<Vec<String>> {
    let plain =
        path.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte));
    let names: Vec<String> = path.split('.').map(str::to_owned).collect();
    // `true` is no fact.
    (plain && ROOTS.contains(&names[0].as_str())).then_some(names)
}
