//! The file that `-J FILE` of nccl-tests writes (NVIDIA/nccl-tests src/util.cu, version 2): one object, written as the run
//! goes on, so that a run that hangs leaves a part of it.
//!
//! A whole document is parsed, however it is laid out. In a cut one each row, device and footer is looked for by itself: what
//! stands in it counts as far as it is whole.

use super::header::{Footer, Rank};
use super::{Layout, Point, row};
use serde_json::{Deserializer, Value};

/// What is read of such a file.
#[derive(Default)]
pub(super) struct Document {
    /// Its command line.
    pub(super) arguments: String,
    /// Threads times GPUs of one process.
    pub(super) threads_by_gpus: Option<u32>,
    /// Ranks.
    pub(super) ranks: Vec<Rank>,
    /// Measurements.
    pub(super) rows: Vec<Point>,
    /// Sizes of rows whose figures are none.
    pub(super) broken: Vec<f64>,
    /// Footers.
    pub(super) footers: Vec<Footer>,
    /// What went wrong, in the words of NCCL.
    pub(super) errors: Vec<String>,
    /// Version of NCCL.
    pub(super) version: Option<String>,
}

/// Reads a text; `None` for one that is no such file.
pub(super) fn read(text: &str) -> Option<Document> {
    let text = text.trim_start();
    let is_one = text.starts_with('{') && (text.contains("\"nccl_version\"") || text.contains("\"bus_bw\""));
    if !is_one {
        return None;
    }
    let source = Source::of(text);
    let mut document = Document::default();
    if let Some(arguments) = source.value("args") {
        let words = arguments.as_array().into_iter().flatten().filter_map(Value::as_str);
        document.arguments = words.collect::<Vec<_>>().join(" ");
    }
    document.version = source.value("nccl_version").and_then(|code| version(code.as_u64()?));
    let count = |name: &str| source.value(name).and_then(|value| u32::try_from(value.as_u64()?).ok());
    let each = count("nthreads").zip(count("ngpus"));
    document.threads_by_gpus = each.map(|(threads, gpus)| threads.saturating_mul(gpus));
    document.ranks = source.objects("rank").iter().filter_map(rank).collect();
    for words in source.objects("size").iter().filter_map(row_of) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match row::parse(&words).filter(|(_, layout)| *layout == Layout::Root) {
            Some((point, _)) => document.rows.push(point),
            None => document.broken.extend(row::broken(&words)),
        }
    }
    if let Some(found) = source.value("out_of_bounds") {
        let wrong = found["count"].as_u64().unwrap_or(0);
        document.footers.push(Footer::OutOfBounds(wrong, found["okay"] != "false"));
    }
    if let Some(found) = source.value("average_bus_bandwidth") {
        let average = found["bandwidth"].as_f64().filter(|value| *value >= 0.0);
        document.footers.insert(0, Footer::Average(average, found["okay"] != "false"));
    }
    let errors = source.value("errors").unwrap_or_default();
    let said = errors.as_array().into_iter().flatten().filter_map(Value::as_str);
    document.errors = said.filter(|error| !error.trim().is_empty()).map(str::to_owned).collect();
    Some(document)
}

/// Where values are looked for.
enum Source {
    /// A document that is whole.
    Whole(Value),
    /// The text of one that is cut, without spaces outside of strings.
    Cut(String),
}

impl Source {
    fn of(text: &str) -> Self {
        match Deserializer::from_str(text).into_iter::<Value>().next() {
            Some(Ok(value)) => Self::Whole(value),
            _ => Self::Cut(packed(text)),
        }
    }

    /// The first value behind a key.
    fn value(&self, key: &str) -> Option<Value> {
        match self {
            Self::Whole(value) => first(value, key).cloned(),
            Self::Cut(text) => {
                let key = format!("\"{key}\":");
                parsed(&text[text.find(&key)? + key.len()..])
            }
        }
    }

    /// All whole objects that have a key; in a cut file, as their first one.
    fn objects(&self, key: &str) -> Vec<Value> {
        let mut found = Vec::new();
        match self {
            Self::Whole(value) => gather(value, key, &mut found),
            Self::Cut(text) => {
                let start = format!("{{\"{key}\":");
                found.extend(text.match_indices(&start).filter_map(|(at, _)| parsed(&text[at..])));
            }
        }
        found
    }
}

fn parsed(text: &str) -> Option<Value> {
    Deserializer::from_str(text).into_iter::<Value>().next()?.ok()
}

/// A text without the spaces between its tokens.
fn packed(text: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    text.chars()
        .filter(|&c| {
            let keep = inside || !c.is_ascii_whitespace();
            (inside, escaped) = match c {
                '"' if !escaped => (!inside, false),
                '\\' if inside => (inside, !escaped),
                _ => (inside, false),
            };
            keep
        })
        .collect()
}

fn first<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(key).or_else(|| map.values().find_map(|inner| first(inner, key))),
        Value::Array(list) => list.iter().find_map(|inner| first(inner, key)),
        _ => None,
    }
}

fn gather(value: &Value, key: &str, found: &mut Vec<Value>) {
    match value {
        Value::Object(map) if map.contains_key(key) => found.push(value.clone()),
        Value::Object(map) => map.values().for_each(|inner| gather(inner, key, found)),
        Value::Array(list) => list.iter().for_each(|inner| gather(inner, key, found)),
        _ => {}
    }
}

fn rank(value: &Value) -> Option<Rank> {
    let text = |name: &str| value[name].as_str().map(str::trim).unwrap_or_default().to_owned();
    let whole = |name: &str| u32::try_from(value[name].as_u64()?).ok();
    Some(Rank {
        rank: whole("rank")?,
        host: text("hostname"),
        device: whole("device")?,
        bus: text("device_hex"),
        gpu: text("device_info"),
    })
}

/// One row, as the words of its line in the table.
fn row_of(value: &Value) -> Option<Vec<String>> {
    let word = |name: &str| match &value[name] {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let mut words: Vec<String> = ["size", "count", "type"].into_iter().map(word).collect::<Option<_>>()?;
    words.push(word("redop")?);
    words.push(word("root")?);
    for side in ["out_of_place", "in_place"] {
        let figure =
            |name: &str| value[side][name].as_f64().map_or_else(|| "N/A".to_owned(), |it| it.to_string());
        let time = value[side]["time"].as_f64().or(value[side]["cpu_time"].as_f64());
        words.push(time.map_or_else(|| "N/A".to_owned(), |it| it.to_string()));
        words.extend([figure("alg_bw"), figure("bus_bw"), figure("nwrong")]);
    }
    Some(words)
}

/// `2.27.5` of 22705, which has been how NCCL counts since 2.9; `2.8.4` of 2804 before.
fn version(code: u64) -> Option<String> {
    let (major, rest) =
        if code >= 10_000 { (code / 10_000, code % 10_000) } else { (code / 1000, code % 1000) };
    (major > 0).then(|| format!("{major}.{}.{}", rest / 100, rest % 100))
}
