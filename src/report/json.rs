//! Text of JSON: what `serde_json` wrote on one line, drawn over several, and objects put together. Bodies of any sort
//! are serialised in one way only, so that the program holds that code once for each of them.

/// The same document with a field a line and two spaces a level, byte for byte as `serde_json` draws it.
pub fn pretty(compact: &str) -> String {
    let mut page = String::with_capacity(compact.len() * 3 / 2);
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let mut rest = compact.chars().peekable();
    while let Some(c) = rest.next() {
        if quoted {
            page.push(c);
            quoted = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '{' | '[' => {
                page.push(c);
                if let Some(close) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    page.push(close);
                } else {
                    depth += 1;
                    break_line(&mut page, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut page, depth);
                page.push(c);
            }
            ',' => {
                page.push(c);
                break_line(&mut page, depth);
            }
            ':' => page.push_str(": "),
            c => {
                quoted = c == '"';
                page.push(c);
            }
        }
    }
    page
}

fn break_line(page: &mut String, depth: usize) {
    page.push('\n');
    (0..depth).for_each(|_| page.push_str("  "));
}

/// One object with the fields of both, the first one's first. Both are objects on one line.
pub(super) fn joined(first: &str, second: &str) -> String {
    let inner =
        |text: &str| text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).map(str::to_owned);
    let parts = [inner(first), inner(second)].into_iter().flatten().filter(|text| !text.is_empty());
    format!("{{{}}}", parts.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::{joined, pretty};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn objects_are_put_together() {
        assert_eq!(joined(r#"{"a":1}"#, r#"{"b":{}}"#), r#"{"a":1,"b":{}}"#);
        assert_eq!(joined("{}", r#"{"b":2}"#), r#"{"b":2}"#);
        assert_eq!(joined(r#"{"a":1}"#, "{}"), r#"{"a":1}"#);
        assert_eq!(joined("{}", "{}"), "{}");
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(|number| json!(number)),
            ".{0,8}".prop_map(Value::from),
            r#"[\\"{}:,\[\]]{0,6}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(".{0,5}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn drawn_as_the_library_draws_it(value in any_json()) {
            prop_assert_eq!(pretty(&value.to_string()), serde_json::to_string_pretty(&value).unwrap());
        }
    }
}
