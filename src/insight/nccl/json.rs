//! The file that `-J FILE` of nccl-tests writes (NVIDIA/nccl-tests src/util.cu, version 2): one object, written as the run
//! goes on, so that a run that hangs leaves a part of it.
//!
//! Each row, device and footer is looked for by itself: what stands in a cut file counts as far as it is whole.

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
    let mut document = Document::default();
    if let Some(arguments) = after(text, "\"args\":") {
        let words = arguments.as_array().into_iter().flatten().filter_map(Value::as_str);
        document.arguments = words.collect::<Vec<_>>().join(" ");
    }
    document.version = after(text, "\"nccl_version\":").and_then(|code| version(code.as_u64()?));
    let count = |name: &str| after(text, name).and_then(|value| u32::try_from(value.as_u64()?).ok());
    let each = count("\"nthreads\":").zip(count("\"ngpus\":"));
    document.threads_by_gpus = each.map(|(threads, gpus)| threads.saturating_mul(gpus));
    document.ranks = all(text, "{\"rank\":").filter_map(|value| rank(&value)).collect();
    document.rows = all(text, "{\"size\":").filter_map(|value| point(&value)).collect();
    if let Some(found) = after(text, "\"out_of_bounds\":") {
        let wrong = found["count"].as_u64().unwrap_or(0);
        document.footers.push(Footer::OutOfBounds(wrong, found["okay"] != "false"));
    }
    if let Some(found) = after(text, "\"average_bus_bandwidth\":") {
        let average = found["bandwidth"].as_f64().filter(|value| *value >= 0.0);
        document.footers.insert(0, Footer::Average(average, found["okay"] != "false"));
    }
    let errors = after(text, "\"errors\":").unwrap_or_default();
    let said = errors.as_array().into_iter().flatten().filter_map(Value::as_str);
    document.errors = said.filter(|error| !error.trim().is_empty()).map(str::to_owned).collect();
    Some(document)
}

/// The first value behind a key.
fn after(text: &str, key: &str) -> Option<Value> {
    let rest = &text[text.find(key)? + key.len()..];
    Deserializer::from_str(rest).into_iter::<Value>().next()?.ok()
}

/// All whole objects that begin so.
fn all<'t>(text: &'t str, start: &'t str) -> impl Iterator<Item = Value> + 't {
    text.match_indices(start)
        .filter_map(|(at, _)| Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok())
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

/// One row, read as the line of the table would be.
fn point(value: &Value) -> Option<Point> {
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
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    row::parse(&words).filter(|(_, layout)| *layout == Layout::Root).map(|(point, _)| point)
}

/// `2.27.5` of 22705, which has been how NCCL counts since 2.9; `2.8.4` of 2804 before.
fn version(code: u64) -> Option<String> {
    let (major, rest) =
        if code >= 10_000 { (code / 10_000, code % 10_000) } else { (code / 1000, code % 1000) };
    (major > 0).then(|| format!("{major}.{}.{}", rest / 100, rest % 100))
}
