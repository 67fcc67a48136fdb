//! Rows of the catalog made narrower, so that a user's runs move what they tell about and nothing else: the constant of
//! one GPU architecture, precision and class of software.
//!
//! Which precision and class a row is looked up with is found from outside: a narrower row is laid in, and it is the
//! right one when the answer follows it.

use crate::catalog::Catalog;
use crate::catalog::knowledge::Constant;
use crate::workload::precision::Precision;
use std::collections::BTreeSet;

/// A trial moves the constant by this factor.
const TRIAL: f64 = 1.5;

/// Formats that a constant may be looked up with, whether the catalog has a row for them or not.
const FORMATS: [Precision; 7] = [
    Precision::Fp32,
    Precision::Tf32,
    Precision::Fp16,
    Precision::Bf16,
    Precision::Fp8,
    Precision::Fp4,
    Precision::Int8,
];

/// Lays in the narrowest row of the constant at `index` that the answer of `ask` follows, with the same value; none
/// where the row is that narrow already. `architecture` is that of the GPU asked about.
pub fn constant(
    catalog: &Catalog,
    index: usize,
    architecture: &str,
    ask: &dyn Fn(&Catalog) -> Option<Vec<u64>>,
) -> Option<Constant> {
    let before = ask(catalog)?;
    let own = &catalog.constants[index];
    let mut narrow = own.clone();
    narrow.note = None;
    if own.gpu.as_deref().is_none_or(|gpu| catalog.gpus.iter().any(|known| known.vendor == gpu)) {
        narrow.gpu = Some(architecture.to_owned());
    }
    let follows = |constant: &Constant| {
        let mut trial = constant.clone();
        trial.value *= TRIAL;
        ask(&with(catalog, trial)).is_some_and(|after| after != before)
    };
    if !follows(&narrow) {
        return None;
    }
    if narrow.class.is_none() {
        let classes: BTreeSet<&str> = catalog.constants.iter().filter_map(|c| c.class.as_deref()).collect();
        let of = |class: &str| Constant { class: Some(class.to_owned()), ..narrow.clone() };
        narrow = classes.into_iter().map(of).find(&follows).unwrap_or(narrow);
    }
    if narrow.precision.is_none() {
        let own = catalog.constants.iter().filter_map(|c| c.precision.as_deref());
        let formats: BTreeSet<&str> = own.chain(FORMATS.map(Precision::name)).collect();
        let of = |format: &str| Constant { precision: Some(format.to_owned()), ..narrow.clone() };
        narrow = formats.into_iter().map(of).find(&follows).unwrap_or(narrow);
    }
    (!catalog.constants.iter().any(|known| same(known, &narrow))).then_some(narrow)
}

/// The catalog with a constant more, or with another value of one that it has.
pub fn with(catalog: &Catalog, constant: Constant) -> Catalog {
    let mut catalog = catalog.clone();
    lay_in(&mut catalog, constant);
    catalog
}

/// Adds a constant behind the others of its key; one that holds for the same is replaced.
pub fn lay_in(catalog: &mut Catalog, constant: Constant) -> usize {
    if let Some(at) = catalog.constants.iter().position(|known| same(known, &constant)) {
        catalog.constants[at] = constant;
        return at;
    }
    let at = catalog.constants.partition_point(|known| known.key <= constant.key);
    catalog.constants.insert(at, constant);
    at
}

/// Whether two rows are about the same.
pub fn same(a: &Constant, b: &Constant) -> bool {
    (&a.key, &a.gpu, &a.precision, &a.class, a.max_gpus)
        == (&b.key, &b.gpu, &b.precision, &b.class, b.max_gpus)
}
