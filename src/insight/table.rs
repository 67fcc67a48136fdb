//! Measurements as a CSV table: header by name, order free, unknown columns ignored.

use super::Skip;
use super::metric::Answer;
use super::question::{Question, Sort};
use crate::diag::InputError;

/// Columns that tell a table of training rows; any of them will do.
const TRAINING: [&str; 6] = [
    "seq_len",
    "method",
    "micro_batch",
    "global_batch_seqs",
    "metric_tokens_per_s_per_gpu",
    "train_hours_total",
];

/// Columns that tell a table of inference rows; any of them will do.
const INFERENCE: [&str; 6] =
    ["kind", "engine", "input_len", "output_len", "batch_or_concurrency", "weight_precision"];

/// Columns without which no row can be predicted.
const NEEDED: [&str; 2] = ["model", "gpu"];

/// One measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Its id, or `line N` where the table has none.
    pub id: String,
    /// Where it comes from; rows of one source share their habits.
    pub source_group: String,
    /// What was asked, or why the row cannot be read.
    pub question: Result<Question, Skip>,
    /// What was measured.
    pub answer: Answer,
}

/// Reads a table; `name` is the file for messages.
pub fn read(name: &str, text: &[u8]) -> Result<Vec<Measurement>, InputError> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new().from_reader(text);
    let header: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(|column| column.trim().to_lowercase()).collect(),
        Err(error) => return Err(malformed(name, &error)),
    };
    if let Some(twice) =
        header.iter().enumerate().find_map(|(at, column)| header[..at].contains(column).then_some(column))
        && !twice.is_empty()
    {
        let message = format!("{name}:1:1: the column `{twice}` stands there twice");
        return Err(InputError::new(message, "give each column once"));
    }
    let sort = sort_of(name, &header)?;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| malformed(name, &error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |column: &str| {
            let at = header.iter().position(|own| own == column)?;
            record.get(at).map(str::to_owned)
        };
        let cells = header.iter().map(String::as_str).zip(record.iter());
        let stated =
            |column: &str| cell(column).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let question = Question::new(sort, cells);
        let answer = question.as_ref().map(|question| Answer::new(question, cell)).unwrap_or_default();
        rows.push(Measurement {
            id: stated("id").unwrap_or_else(|| format!("line {line}")),
            source_group: stated("source_group").unwrap_or_else(|| "unnamed".to_owned()),
            question,
            answer,
        });
    }
    Ok(rows)
}

/// Training or inference, by the header.
fn sort_of(name: &str, header: &[String]) -> Result<Sort, InputError> {
    let has = |column: &&&str| header.iter().any(|own| own == **column);
    if let Some(missing) = NEEDED.iter().find(|column| !has(column)) {
        let message = format!("{name}:1:1: the header has no column `{missing}`");
        return Err(InputError::new(message, HEADER_HINT));
    }
    let (training, inference) = (TRAINING.iter().filter(has).count(), INFERENCE.iter().filter(has).count());
    match training.cmp(&inference) {
        std::cmp::Ordering::Greater => Ok(Sort::Training),
        std::cmp::Ordering::Less => Ok(Sort::Inference),
        std::cmp::Ordering::Equal => {
            let which = if training > 0 { "both training and" } else { "neither training nor" };
            let message = format!("{name}:1:1: the header tells {which} inference rows");
            Err(InputError::new(message, HEADER_HINT))
        }
    }
}

/// What to do about a header.
const HEADER_HINT: &str = "training rows have columns such as `model`, `gpu`, `gpu_count`, `seq_len`, `micro_batch`; \
    inference rows `model`, `gpu`, `kind`, `engine`, `input_len`, `output_len`, `batch_or_concurrency`";

fn malformed(name: &str, error: &csv::Error) -> InputError {
    let line = error.position().map_or(1, csv::Position::line);
    let what = match error.kind() {
        csv::ErrorKind::Utf8 { err, .. } => {
            format!("field {} is not UTF-8", err.field() + 1)
        }
        _ => error.to_string(),
    };
    InputError::new(
        format!("{name}:{line}:1: {what}"),
        "write the table as CSV in UTF-8, one header line first",
    )
}
