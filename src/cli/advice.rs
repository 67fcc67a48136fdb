//! Puts what the rules say into the rows of an answer.

use crate::advise::Advice;
use crate::catalog::Catalog;
use crate::diag::InputError;
use crate::report::recommend::Recommend;
use crate::rule::{Rules, facts};
use serde_json::{Value, json};

/// What the rules say about each row.
pub fn add(catalog: &Catalog, advice: &Advice, body: &mut Recommend) -> anyhow::Result<()> {
    let rules = Rules::of(catalog);
    let workload = serde_json::to_value(&body.workload)?;
    for (row, found) in body.recommendations.iter_mut().zip(&advice.recommendations) {
        let sooner = if row.rank == 1 { sooner(catalog, advice) } else { Value::Null };
        let place = (found.instance, found.region);
        let facts = facts::gather(catalog, place, (serde_json::to_value(&*row)?, sooner), workload.clone());
        let said = rules.evaluate(&facts).map_err(|error| InputError::new(error.to_string(), ""))?;
        row.advice = said.into_iter().map(Into::into).collect();
    }
    Ok(())
}

/// What rules know beside the first row of a row that is done before it.
pub fn sooner(catalog: &Catalog, advice: &Advice) -> Value {
    advice.sooner.map_or(Value::Null, |sooner| {
        let machine = catalog.instance(sooner.instance);
        json!({
            "rank": sooner.rank, "provider": catalog.provider(machine.provider).name, "instance_type": machine.name,
            "machines": sooner.nodes, "total_gpus": machine.gpus * f64::from(sooner.nodes), "hours": sooner.hours,
            "total_usd": sooner.total_usd,
        })
    })
}
