//! What a measurement was asked about: the cells of a row that describe the workload. Measured figures, ids and sources
//! are not among them, so no prediction can see them.

use super::Skip;
use std::collections::BTreeMap;

/// Training or inference: which of the two tables a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// Training and fine-tuning.
    Training,
    /// Inference.
    Inference,
}

/// Text columns of both sorts that a prediction may see.
const TEXT: [&str; 18] = [
    "framework",
    "model",
    "method",
    "precision",
    "optimizer",
    "sharding",
    "activation_checkpointing",
    "offload",
    "gpu",
    "interconnect",
    "memory_kind",
    "kind",
    "engine",
    "engine_version",
    "weight_precision",
    "kv_precision",
    "attention",
    "image_size",
];

/// Numeric columns of both sorts that a prediction may see.
const NUMERIC: [&str; 25] = [
    "params_b",
    "active_params_b",
    "layers",
    "hidden",
    "heads",
    "kv_heads",
    "ffn_hidden",
    "vocab",
    "seq_len",
    "tp",
    "pp",
    "dp",
    "cp",
    "ep",
    "micro_batch",
    "grad_accum",
    "global_batch_seqs",
    "gpu_memory_gb",
    "gpu_count",
    "nodes",
    "input_len",
    "output_len",
    "batch_or_concurrency",
    "max_model_len",
    "lora_rank",
];

/// Above this no count of a workload lies: tokens of the longest runs are below a hundredth of it.
const MOST: f64 = 1e16;

/// The cells of one row that describe the workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    sort: Sort,
    texts: BTreeMap<&'static str, String>,
    numbers: BTreeMap<&'static str, f64>,
}

impl Question {
    /// Picks the cells of the workload; a number that is none, or not above 0, is the reason of a skip.
    pub fn new<'a>(sort: Sort, cells: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Self, Skip> {
        let mut question = Self { sort, texts: BTreeMap::new(), numbers: BTreeMap::new() };
        for (column, cell) in cells {
            let cell = cell.trim();
            if cell.is_empty() {
                continue;
            }
            if let Some(&name) = TEXT.iter().find(|&&name| name == column) {
                question.texts.insert(name, cell.to_owned());
            } else if let Some(&name) = NUMERIC.iter().find(|&&name| name == column) {
                match cell.parse::<f64>() {
                    // No prompt, or no answer: lengths may be nothing.
                    Ok(0.0) if ["input_len", "output_len"].contains(&name) => {
                        question.numbers.insert(name, 0.0);
                    }
                    Ok(number) if number > MOST => {
                        return Err(Skip(format!("`{name}` is beyond reason")));
                    }
                    Ok(number) if number.is_finite() && number > 0.0 => {
                        question.numbers.insert(name, number);
                    }
                    Ok(_) => return Err(Skip(format!("`{name}` is not above 0"))),
                    // Latent attention has no KV heads to count.
                    Err(_) if name == "kv_heads" && cell.eq_ignore_ascii_case("mla") => {}
                    Err(_) => return Err(Skip(format!("`{name}` is not a number"))),
                }
            }
        }
        Ok(question)
    }

    /// The same question with a number where none is stated.
    #[must_use]
    pub fn or_number(mut self, column: &'static str, number: f64) -> Self {
        self.numbers.entry(column).or_insert(number);
        self
    }

    /// The same question with a text where none is stated.
    #[must_use]
    pub fn or_text(mut self, column: &'static str, text: &str) -> Self {
        self.texts.entry(column).or_insert_with(|| text.to_owned());
        self
    }

    /// Which table it belongs to.
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// A text that is stated.
    pub fn text(&self, column: &str) -> Option<&str> {
        self.texts.get(column).map(String::as_str)
    }

    /// A text in lower case, empty when it is not stated.
    pub fn lower(&self, column: &str) -> String {
        self.text(column).unwrap_or_default().to_lowercase()
    }

    /// A number that is stated; finite and above 0, but for lengths, which may be 0.
    pub fn number(&self, column: &str) -> Option<f64> {
        self.numbers.get(column).copied()
    }

    /// A number that must be stated.
    pub fn needs(&self, column: &str) -> Result<f64, Skip> {
        self.number(column).ok_or_else(|| Skip::blank(column))
    }

    /// A count, rounded; `None` when it is not stated or too large for one.
    pub fn count(&self, column: &str) -> Option<u32> {
        self.number(column)
            .map(f64::round)
            .filter(|&n| (1.0..=f64::from(u32::MAX)).contains(&n))
            .map(|n| n as u32)
    }

    /// A count that must be stated.
    pub fn needs_count(&self, column: &str) -> Result<u32, Skip> {
        self.count(column).ok_or_else(|| Skip::blank(column))
    }
}
