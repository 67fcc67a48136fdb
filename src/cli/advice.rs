//! Puts what the rules say into the rows of an answer.

use crate::advise::Advice;
use crate::catalog::Catalog;
use crate::diag::InputError;
use crate::report::recommend::Recommend;
use crate::rule::{Rules, facts};

/// What the rules say about each row.
pub fn add(catalog: &Catalog, advice: &Advice, body: &mut Recommend) -> anyhow::Result<()> {
    let rules = Rules::of(catalog);
    let workload = serde_json::to_value(&body.workload)?;
    for (row, found) in body.recommendations.iter_mut().zip(&advice.recommendations) {
        let facts = facts::gather(
            catalog,
            found.instance,
            found.region,
            serde_json::to_value(&*row)?,
            workload.clone(),
        );
        let said = rules.evaluate(&facts).map_err(|error| InputError::new(error.to_string(), ""))?;
        row.advice = said.into_iter().map(Into::into).collect();
    }
    Ok(())
}
