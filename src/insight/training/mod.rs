//! Rows of training of token models: from the cells of a row to a workload, and what the estimates say.

use super::question::Question;
use super::{Prediction, Skip};
use crate::catalog::Catalog;

/// A row made ready.
#[derive(Clone, Debug)]
pub struct Case {}

impl Case {
    /// Reads a question.
    pub fn of(_catalog: &Catalog, _question: &Question) -> Result<Self, Skip> {
        Err(Skip::new("not predicted yet"))
    }

    /// What the estimates say.
    pub fn predict(&self, _catalog: &Catalog) -> Result<Prediction, Skip> {
        Err(Skip::new("not predicted yet"))
    }
}
