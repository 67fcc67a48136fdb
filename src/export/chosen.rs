//! The chosen row, read from an answer of `recommend` or `check` in JSON: only what a launch file needs.

use super::quote;
use crate::diag::InputError;
use crate::report::document::SCHEMA_VERSION;
use serde::Deserialize;
use serde_json::{Number, Value};

/// Figures of hours and dollars above this are no answer of ours.
const MOST: f64 = 1e15;

/// One row with the workload that it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Command of the answer.
    pub command: String,
    /// Name of the workload, where the answer has several.
    pub name: Option<String>,
    /// The workload.
    pub workload: Workload,
    /// The row.
    pub row: Row,
    /// The row as it stands in the answer.
    pub whole: Value,
    /// What the answer warned of.
    pub warnings: Vec<String>,
}

/// Which row of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick<'a> {
    /// The rank; `None` is the first row.
    pub rank: Option<u32>,
    /// Name of the workload, for answers of `check`.
    pub name: Option<&'a str>,
}

/// Settings of the workload that launch files carry.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `report::workload::WorkloadLine`")]
pub struct Workload {
    pub model: String,
    #[serde(default)]
    pub origin: String,
    pub task: String,
    pub method: Option<String>,
    pub lora_rank: Option<u32>,
    pub optimizer: Option<String>,
    pub seq_len: Option<u32>,
    pub global_batch: Option<u32>,
    pub tokens: Option<Number>,
    pub framework: Option<String>,
    pub quantization: Option<String>,
    pub kv_precision: Option<String>,
    pub max_model_len: Option<u32>,
    pub input_len: Option<u32>,
    pub output_len: Option<u32>,
    pub engine: Option<String>,
    /// The software as the user named it; absent in answers of before it was told.
    #[serde(default)]
    pub software: Option<String>,
}

impl Workload {
    /// What runs it: the software where the answer names it, since TGI has the speed of vLLM but not its command line; else
    /// its class.
    pub fn program(&self) -> &str {
        let class = if self.task == "infer" { &self.engine } else { &self.framework };
        self.software.as_ref().or(class.as_ref()).map_or("", String::as_str)
    }
}

/// The row.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `report::row::Row`")]
pub struct Row {
    pub rank: u32,
    pub provider: String,
    pub region: String,
    #[serde(default)]
    pub also_in: Vec<String>,
    pub instance_type: String,
    pub gpu: String,
    pub gpus_per_node: f64,
    pub nodes: u32,
    pub replicas: u32,
    pub precision: String,
    pub ranked_billing: String,
    pub parallelism: Layout,
    pub memory: Memory,
    pub performance: Performance,
    pub duration_hours: Hours,
    pub costs: Vec<Cost>,
    #[serde(default)]
    pub advice: Vec<Advice>,
}

/// Its layout.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `report::row::Parallelism`")]
pub struct Layout {
    pub dp: u32,
    pub tp: u32,
    pub pp: u32,
    pub ep: u32,
    pub cp: u32,
    pub sharding: String,
    pub micro_batch: u32,
    pub grad_accumulation: u32,
    pub recompute: String,
    pub offload: String,
}

/// Its memory.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `report::row::Memory`")]
pub struct Memory {
    pub usable_gib: f64,
    pub total_gib: f64,
    pub low_gib: f64,
    pub high_gib: f64,
    pub verdict: String,
}

/// Its speed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `report::row::Performance`")]
pub struct Performance {
    pub max_concurrency: Option<f64>,
    pub running_requests: Option<f64>,
}

/// Its hours.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `report::row::Span`")]
pub struct Hours {
    pub low: f64,
    pub expected: f64,
    pub high: f64,
}

/// One contract.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `report::contract::CostLine`")]
pub struct Cost {
    pub billing: String,
    pub usd_per_hour: Option<Number>,
    pub total_usd: Option<Number>,
    #[serde(default)]
    pub at_least: bool,
    pub low_usd: Option<Number>,
    pub high_usd: Option<Number>,
    pub commitment_usd: Option<Number>,
    pub expected_interruptions: Option<f64>,
    pub expected_wall_hours: Option<f64>,
    pub checkpoint_interval_hours: Option<f64>,
    pub price_as_of: Value,
    pub price_source: String,
}

/// What a rule says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of `report::row::AdviceLine`")]
pub struct Advice {
    pub id: String,
    pub level: String,
    pub message: String,
}

impl Chosen {
    /// The row that is asked for, of a stored answer of this name; `None` where the answer has no row at all.
    ///
    /// # Errors
    ///
    /// When it is no such answer, or has no such row or workload.
    pub fn read(file: &str, text: &str, pick: Pick) -> Result<Option<Self>, InputError> {
        let answer: Value = serde_json::from_str(text).map_err(|error| {
            let what = format!("{file}:{}:{}: not JSON: {error}", error.line(), error.column());
            InputError::new(what, "store an answer with `recommend --json --output FILE`")
        })?;
        Self::of(file, &answer, pick)
    }

    /// The same of an answer that is read already.
    pub fn of(file: &str, answer: &Value, pick: Pick) -> Result<Option<Self>, InputError> {
        let command = answer["command"].as_str().unwrap_or_default();
        if !matches!(command, "recommend" | "check") {
            let what = format!("{file} is no answer of `recommend` or `check` in JSON");
            return Err(InputError::new(what, "store one with `recommend --json --output FILE`"));
        }
        if answer["schema_version"].as_u64() != Some(u64::from(SCHEMA_VERSION)) {
            let what = format!("{file}: `schema_version` is not {SCHEMA_VERSION}");
            return Err(InputError::new(what, "make the answer anew with this version"));
        }
        let found =
            if command == "check" { checked(file, answer, pick)? } else { recommended(file, answer, pick)? };
        let Some(Found { place, name, workload, row }) = found else { return Ok(None) };
        let warnings = answer["warnings"].as_array().into_iter().flatten();
        Ok(Some(Self {
            command: command.to_owned(),
            name,
            workload: part(file, &format!("{place}workload"), workload)?,
            row: part(file, &format!("{place}row"), row)?,
            whole: row.clone(),
            warnings: warnings.filter_map(|w| w["message"].as_str()).map(one_line).collect(),
        }))
    }

    /// The contract that the row is ranked by.
    pub fn cost(&self) -> Option<&Cost> {
        self.row.costs.iter().find(|cost| cost.billing == self.row.ranked_billing)
    }

    /// Whether machines serve, rather than train.
    pub fn serves(&self) -> bool {
        self.workload.task == "infer"
    }

    /// Refuses names that cannot stand in a launch file, and counts that no launch can have.
    ///
    /// # Errors
    ///
    /// Which field it is.
    pub fn check_names(&self) -> Result<(), InputError> {
        let (row, work) = (&self.row, &self.workload);
        let layout = &row.parallelism;
        let none = String::new();
        let some = |value: &'_ Option<String>| value.clone().unwrap_or_default();
        let names = [
            ("provider", &row.provider),
            ("region", &row.region),
            ("instance_type", &row.instance_type),
            ("gpu", &row.gpu),
            ("precision", &row.precision),
            ("ranked_billing", &row.ranked_billing),
            ("sharding", &layout.sharding),
            ("recompute", &layout.recompute),
            ("offload", &layout.offload),
            ("model", &work.model),
            ("task", &work.task),
            ("method", &some(&work.method)),
            ("optimizer", &some(&work.optimizer)),
            ("framework", &some(&work.framework)),
            ("quantization", &some(&work.quantization)),
            ("kv_precision", &some(&work.kv_precision)),
            ("engine", &some(&work.engine)),
            ("software", &some(&work.software)),
            ("name", self.name.as_ref().unwrap_or(&none)),
        ];
        if let Some((field, name)) = names.into_iter().find(|(_, name)| !quote::is_safe(name)) {
            let what =
                format!("`{field}` holds a character that no launch file can: {}", name.escape_debug());
            return Err(InputError::new(what, "names have no control characters, `$` or backquotes"));
        }
        let sizes = [row.nodes, row.replicas, layout.dp, layout.tp, layout.pp, layout.ep, layout.cp];
        if sizes.contains(&0) || row.gpus_per_node <= 0.0 {
            return Err(InputError::new("the row has no nodes, no GPUs or a layout of size 0", ""));
        }
        self.check_figures()
    }

    /// Refuses a row without the contract it is ranked by, or with figures that no answer has: the price guard of a launch
    /// file comes from them.
    fn check_figures(&self) -> Result<(), InputError> {
        let hint = "make the answer anew; rows are not edited by hand";
        let row = &self.row;
        let Some(cost) = self.cost() else {
            let what = format!("the row has no cost under `{}`, which it is ranked by", row.ranked_billing);
            return Err(InputError::new(what, hint));
        };
        let hourly = cost.usd_per_hour.as_ref().and_then(Number::as_f64).unwrap_or(f64::NAN);
        let total = cost.total_usd.as_ref().and_then(Number::as_f64).unwrap_or(f64::NAN);
        let hours = &row.duration_hours;
        let figures = [
            ("usd_per_hour", hourly),
            ("total_usd", total),
            ("duration_hours.low", hours.low),
            ("duration_hours.expected", hours.expected),
            ("duration_hours.high", hours.high),
        ];
        if let Some((name, figure)) = figures.into_iter().find(|(_, it)| !(*it >= 0.0 && *it <= MOST)) {
            let what = format!("`{name}` of the row is {figure}, which no answer has");
            return Err(InputError::new(what, hint));
        }
        if !matches!(row.memory.verdict.as_str(), "fits" | "tight") {
            let what = format!("the memory verdict of the row is `{}`", row.memory.verdict);
            return Err(InputError::new(what, "only rows that fit or are tight are launched"));
        }
        Ok(())
    }
}

/// Where the parts of a row are in an answer.
struct Found<'a> {
    place: String,
    name: Option<String>,
    workload: &'a Value,
    row: &'a Value,
}

fn recommended<'a>(file: &str, answer: &'a Value, pick: Pick) -> Result<Option<Found<'a>>, InputError> {
    if let Some(name) = pick.name {
        let what = format!("`--name {name}`: {file} is an answer of `recommend`, whose rows have ranks");
        return Err(InputError::new(what, "say `--rank N`"));
    }
    let rows = answer["recommendations"].as_array().map(Vec::as_slice).unwrap_or_default();
    if rows.is_empty() {
        return Ok(None);
    }
    let rank = pick.rank.unwrap_or(1);
    let row =
        rank.checked_sub(1).and_then(|at| rows.get(at as usize)).ok_or_else(|| too_high(rank, rows.len()))?;
    Ok(Some(Found {
        place: format!("recommendations[{}]: ", rank - 1),
        name: None,
        workload: &answer["workload"],
        row,
    }))
}

/// The error of a rank that an answer does not have.
pub fn too_high(rank: u32, rows: usize) -> InputError {
    let s = if rows == 1 { "" } else { "s" };
    InputError::new(format!("`--rank {rank}`: the answer has {rows} row{s}"), "the first row is 1")
}

fn checked<'a>(file: &str, answer: &'a Value, pick: Pick) -> Result<Option<Found<'a>>, InputError> {
    if pick.rank.is_some() {
        let what = format!("`--rank`: {file} is an answer of `check`, whose workloads have names");
        return Err(InputError::new(what, "say `--name NAME`"));
    }
    let all = answer["workloads"].as_array().map(Vec::as_slice).unwrap_or_default();
    let named = |item: &'a Value| item["name"].as_str().unwrap_or_default();
    let every = || all.iter().map(named);
    let at = match pick.name {
        Some(name) => every().position(|own| own == name).ok_or_else(|| {
            InputError::unknown("workload", name, every(), format!("{file} has: {}", listed(every())))
        })?,
        None if all.len() == 1 => 0,
        None if all.is_empty() => return Ok(None),
        None => {
            let what = format!("{file} has {} workloads", all.len());
            return Err(InputError::new(what, format!("say which by `--name`: {}", listed(every()))));
        }
    };
    let item = &all[at];
    if item["pick"].is_null() {
        return Ok(None);
    }
    Ok(Some(Found {
        place: format!("workloads[{at}]: "),
        name: Some(named(item).to_owned()),
        workload: &item["workload"],
        row: &item["pick"],
    }))
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// One part of an answer as what it should be.
fn part<T: serde::de::DeserializeOwned>(file: &str, place: &str, value: &Value) -> Result<T, InputError> {
    T::deserialize(value).map_err(|error| {
        let what = format!("{file}: {place}: {error}");
        InputError::new(what, "an answer of this version has all that is needed; make it anew")
    })
}

/// A sentence for a comment: on one line, whatever it holds.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || quote::breaks_lines(c));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
