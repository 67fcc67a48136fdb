//! The sample of published measurements in the program: facts with their source and date.

use super::table::{self, Measurement};
use crate::diag::InputError;

/// The tables of the sample, with their names.
const TABLES: [(&str, &[u8]); 3] = [
    ("catalog/measurements/training.csv", include_bytes!("../../catalog/measurements/training.csv")),
    ("catalog/measurements/inference.csv", include_bytes!("../../catalog/measurements/inference.csv")),
    ("catalog/measurements/runs.csv", super::runs::TABLE),
];

/// All rows of the sample.
pub fn sample() -> Result<Vec<Measurement>, InputError> {
    let mut rows = Vec::new();
    for (name, text) in TABLES {
        rows.extend(table::read(name, text)?);
    }
    Ok(rows)
}
