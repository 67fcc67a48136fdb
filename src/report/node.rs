//! A document as an ordered tree: CSV and field lists are drawn from the very text of JSON, so the numbers are the same.

use serde::Serialize;

/// One value of a document; maps keep their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Null,
    /// Text, number or truth value as printed.
    Leaf(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// Objects whose fields stand on their own in flat rows; all other names are put in front of theirs.
const TRANSPARENT: [&str; 4] = ["parallelism", "memory", "terms", "performance"];

impl Node {
    /// The tree of what `serde_json` wrote on one line.
    pub(super) fn parse(text: &str) -> Self {
        Reader { rest: text }.value().unwrap_or(Self::Null)
    }

    /// A field of a map.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(fields) => fields.iter().find(|(own, _)| own == name).map(|(_, node)| node),
            _ => None,
        }
    }

    /// Appends the flat fields of a map: column and cell. `skip` is left out.
    pub(super) fn flatten(&self, prefix: &str, skip: Option<&str>, into: &mut Vec<(String, String)>) {
        let Self::Map(fields) = self else { return };
        for (name, node) in fields {
            if Some(name.as_str()) == skip {
                continue;
            }
            let column = if prefix.is_empty() { name.clone() } else { format!("{prefix}_{name}") };
            match node {
                Self::Map(_) if node.range().is_some() => into.push((column, node.cell())),
                Self::Map(_) if TRANSPARENT.contains(&name.as_str()) => node.flatten(prefix, None, into),
                Self::Map(_) => node.flatten(&column, None, into),
                _ => into.push((column, node.cell())),
            }
        }
    }

    /// A date range as one cell.
    fn range(&self) -> Option<String> {
        match (self.get("not_before"), self.get("not_after")) {
            (Some(Self::Leaf(first)), Some(Self::Leaf(last))) => Some(format!("{first}..{last}")),
            _ => None,
        }
    }

    /// What has an id and a message, such as advice, as one cell.
    fn sentence(&self) -> Option<String> {
        match (self.get("id"), self.get("message")) {
            (Some(Self::Leaf(id)), Some(Self::Leaf(message))) => Some(format!("{id}: {message}")),
            _ => None,
        }
    }

    /// This value in one cell: lists by `; `, fields of objects by `: `.
    fn cell(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Leaf(text) => text.clone(),
            Self::List(items) => items.iter().map(Self::cell).collect::<Vec<_>>().join("; "),
            Self::Map(fields) => self.range().or_else(|| self.sentence()).unwrap_or_else(|| {
                let cells: Vec<String> =
                    fields.iter().map(|(_, node)| node.cell()).filter(|cell| !cell.is_empty()).collect();
                cells.join(": ")
            }),
        }
    }
}

/// The flat fields of one object, in order; unknown is empty.
pub(super) fn flat_fields(value: &impl Serialize) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    if let Ok(text) = serde_json::to_string(value) {
        Node::parse(&text).flatten("", None, &mut fields);
    }
    fields
}

/// Reads what `serde_json` has just written; numbers stay the text they are, which no parser into `f64` promises.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self) -> Option<Node> {
        match self.rest.bytes().next()? {
            b'{' => self
                .items('}', |reader| {
                    let name = reader.text()?;
                    reader.eat(':').then(|| reader.value()).flatten().map(|node| (name, node))
                })
                .map(Node::Map),
            b'[' => self.items(']', Self::value).map(Node::List),
            b'"' => self.text().map(Node::Leaf),
            _ => {
                let end = self.rest.find([',', ']', '}']).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                Some(if word == "null" { Node::Null } else { Node::Leaf(word.to_owned()) })
            }
        }
    }

    /// What stands between brackets, apart by commas.
    fn items<T>(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.rest = &self.rest[1..];
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(item(self)?);
            self.eat(',');
        }
        Some(items)
    }

    fn text(&mut self) -> Option<String> {
        let mut escaped = false;
        let end = 1 + self.rest.get(1..)?.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })?;
        let (quoted, rest) = self.rest.split_at(end + 1);
        self.rest = rest;
        serde_json::from_str(quoted).ok()
    }

    fn eat(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}
