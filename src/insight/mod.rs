//! The measured world: published or own measurements, what the estimates say to the same questions, and how far off
//! they are. Readers and scores only; no formula of an estimate and no constant lives here.

pub mod classic;
mod confidence;
pub mod gpu;
pub mod metric;
pub mod nccl;
pub mod question;
pub mod runs;
pub mod sample;
pub mod score;
pub mod serving;
mod shape;
pub mod smi;
pub mod table;
mod text;
pub mod training;

use crate::catalog::Catalog;
pub use crate::estimate::Basis;
use crate::estimate::{Range, Verdict};
pub use confidence::Confidence;
use metric::Metric;
use question::Question;

/// What the estimates answer to one question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Figures in the unit of their metric.
    pub values: Vec<(Metric, Range)>,
    /// Whether it fits, where memory can be judged.
    pub verdict: Option<Verdict>,
    /// What the figures rest on.
    pub basis: Basis,
}

/// Why a question has no answer: one sentence, without figures of the row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skip(pub String);

impl Skip {
    /// A reason in words.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// The source does not state a column that the estimate needs.
    pub fn blank(column: &str) -> Self {
        Self(format!("`{column}` is not stated"))
    }
}

/// What the estimates say to a question. Where a row names a GPU that is sold with several sizes of memory and does not say
/// which, the verdict is the one that holds for all of them, else `tight`: it runs on some.
pub fn answer(catalog: &Catalog, question: &Question) -> Result<Prediction, Skip> {
    let mut prediction = Case::of(catalog, question)?.predict(catalog)?;
    if prediction.verdict.is_some() {
        let verdict_at = |gib| {
            let sized = question.clone().or_number("gpu_memory_gb", gib);
            Case::of(catalog, &sized).ok()?.predict(catalog).ok()?.verdict
        };
        let differs = |gib| verdict_at(gib) != prediction.verdict;
        if gpu::sizes(catalog, question).into_iter().any(differs) {
            prediction.verdict = Some(Verdict::Tight);
        }
    }
    Ok(prediction)
}

/// A question made ready: the same case can be asked of catalogs that differ in their constants.
#[derive(Clone, Debug)]
pub enum Case {
    /// Training of a token model.
    Training(Box<training::Case>),
    /// Serving of a token model.
    Serving(Box<serving::Case>),
    /// A network that works on samples.
    Classic(Box<classic::Case>),
}

impl Case {
    /// Reads a question; GPUs and models are those of the catalog.
    pub fn of(catalog: &Catalog, question: &Question) -> Result<Self, Skip> {
        if classic::is_classic(catalog, question) {
            return classic::Case::of(catalog, question).map(|case| Self::Classic(Box::new(case)));
        }
        match question.sort() {
            question::Sort::Training => {
                training::Case::of(catalog, question).map(|case| Self::Training(Box::new(case)))
            }
            question::Sort::Inference => {
                serving::Case::of(catalog, question).map(|case| Self::Serving(Box::new(case)))
            }
        }
    }

    /// What the estimates say.
    pub fn predict(&self, catalog: &Catalog) -> Result<Prediction, Skip> {
        match self {
            Self::Training(case) => case.predict(catalog),
            Self::Serving(case) => case.predict(catalog),
            Self::Classic(case) => case.predict(catalog),
        }
    }
}
