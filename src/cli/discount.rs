//! `[discount]` of the project file, applied to the catalog of a run and named among its assumptions.

use super::config::at;
use super::project::{DiscountLine, Project};
use crate::catalog::Catalog;
use crate::diag::{Assumption, InputError};
use crate::price::discount::{self, Discount};

/// Takes the discounts of the project off the list prices; each is an assumption of the answer.
pub fn apply(project: &Project, catalog: &mut Catalog) -> Result<Vec<Assumption>, InputError> {
    let mut discounts: Vec<Discount> = Vec::new();
    for line in &project.discounts {
        let provider = catalog
            .resolve_provider(&line.provider)
            .map_err(|error| at(&line.place, InputError::new(error.to_string(), "")))?;
        if discounts.iter().any(|d| d.provider == provider && d.billing == line.billing) {
            let message = format!("two discounts of `{}` for {}", line.provider, line.billing.name());
            return Err(at(&line.place, InputError::new(message, "leave one of them out")));
        }
        discounts.push(Discount { provider, billing: line.billing, percent: line.percent });
    }
    discount::apply(catalog, &discounts);
    Ok(project.discounts.iter().map(assumption).collect())
}

fn assumption(line: &DiscountLine) -> Assumption {
    Assumption {
        id: "discount",
        value: format!("{} {} {} %", line.provider, line.billing.name(), line.percent.normalize()),
        why: "taken off every list price of this provider and billing kind, those of overlays too".to_owned(),
        source: "[discount] of the project file".to_owned(),
    }
}
