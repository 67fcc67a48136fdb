//! What does not qualify whatever it costs: software that does not exist for an accelerator, machines without a price that
//! would not hold the workload either.

use super::super::lot::lots;
use super::super::shape::Shape;
use super::super::software;
use super::Search;
use crate::advise::NearMiss;
use crate::catalog::instance::InstanceId;
use crate::diag::Warning;

/// Reasons of what qualifies but for its price.
const PRICE: [&str; 2] = ["price-unknown", "price-too-old"];

/// Reasons of what would not be rented at any price.
const UNFIT: [&str; 9] = [
    "not-offered",
    "memory",
    "layout",
    "precision-unsupported",
    "quantization-unsupported",
    "kv-precision-unsupported",
    "unsupported-by-engine",
    "unsupported-by-framework",
    "method-unsupported",
];

impl Search<'_> {
    /// Rejects a shape that the software of the workload does not exist for.
    pub(super) fn is_refused(&mut self, shape: &Shape) -> bool {
        let (catalog, workload) = (self.catalog, self.workload);
        let instance = shape.sample();
        let gpu = catalog.instance(instance).gpu;
        let refused = self
            .refused
            .entry(gpu)
            .or_insert_with(|| software::judge(catalog, workload, catalog.gpu(gpu)).err());
        let Some(refused) = refused else { return false };
        let describe = || NearMiss {
            instance,
            nodes: 1,
            limit: None,
            actual: None,
            unit: "",
            message: refused.message.clone(),
        };
        self.rejects.add(refused.id, 0.0, describe);
        self.rejects.add_more(refused.id, shape.instances.len() - 1);
        true
    }

    /// What nothing is known of on a machine that is recommended.
    pub(super) fn unproven(&self, instance: InstanceId) -> Vec<Warning> {
        let gpu = self.catalog.gpu(self.catalog.instance(instance).gpu);
        software::judge(self.catalog, self.workload, gpu).unwrap_or_default()
    }

    /// Whether something would qualify if its price were known. A contract that nobody sells is the question's fault, a
    /// price that nobody knows is the catalog's; what does not hold the workload does not qualify, whatever it costs, so
    /// that machines without a price are held against the workload now.
    pub(super) fn only_prices_are_missing(&mut self) -> bool {
        if !self.rejects.only(&[&PRICE[..], &UNFIT].concat()) || self.rejects.only(&UNFIT) {
            return false;
        }
        // What was priced and worked out lacked only a part of its price.
        if !self.lots.is_empty() {
            return true;
        }
        let mut unfit = Vec::new();
        for instance in std::mem::take(&mut self.unpriced) {
            let misses =
                lots(self.catalog, self.workload, instance, self.limits, &mut self.models).into_iter();
            let Ok(misses) = misses.map(|lot| lot.err().ok_or(())).collect::<Result<Vec<_>, ()>>() else {
                return true;
            };
            unfit.extend(misses.into_iter().map(|miss| (instance, miss)));
        }
        if unfit.is_empty() {
            return true;
        }
        for (instance, miss) in unfit {
            let (reason, score) = miss.reason();
            self.rejects.add(reason, score, || miss.describe(self.catalog, instance));
        }
        self.rejects.drop(&PRICE);
        false
    }
}
