//! Which constant would hold if a more special one were not in the catalog.

use crate::catalog::Catalog;
use crate::catalog::knowledge::Constant;

/// How special the hardware of a constant is: none, vendor, architecture, family, GPU.
fn level(catalog: &Catalog, name: Option<&str>) -> u8 {
    let Some(name) = name else { return 0 };
    let gpus = &catalog.gpus;
    if gpus.iter().any(|gpu| gpu.name == name) {
        4
    } else if catalog.families.iter().any(|family| family.name == name) {
        3
    } else {
        1 + u8::from(gpus.iter().any(|gpu| gpu.architecture == name))
    }
}

/// Whether every GPU that `inner` means is meant by `outer` too.
fn hardware_covers(catalog: &Catalog, outer: &str, inner: &str) -> bool {
    let means = |name: &str, gpu: &crate::catalog::gpu::Gpu| {
        let family = catalog.families.iter().find(|family| family.name == name);
        gpu.name == name
            || gpu.architecture == name
            || gpu.vendor == name
            || family.is_some_and(|f| f.members.iter().any(|&id| catalog.gpu(id).name == gpu.name))
    };
    catalog.gpus.iter().filter(|gpu| means(inner, gpu)).all(|gpu| means(outer, gpu))
}

/// Whether `outer` holds wherever `inner` does.
fn covers(catalog: &Catalog, outer: &Constant, inner: &Constant) -> bool {
    let part = |outer: &Option<String>, inner: &Option<String>| outer.is_none() || outer == inner;
    let hardware = match (outer.gpu.as_deref(), inner.gpu.as_deref()) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(outer), Some(inner)) => outer == inner || hardware_covers(catalog, outer, inner),
    };
    let size = outer.max_gpus.is_none_or(|max| inner.max_gpus.is_some_and(|own| own <= max));
    hardware && size && part(&outer.precision, &inner.precision) && part(&outer.class, &inner.class)
}

/// The most special constant of the same key that holds wherever the one at `index` does; ranked as
/// [`Catalog::constant`] ranks.
pub fn of(catalog: &Catalog, index: usize) -> Option<usize> {
    let own = catalog.constants.get(index)?;
    let rank = |constant: &Constant| {
        (
            level(catalog, constant.gpu.as_deref()),
            constant.precision.is_some(),
            constant.class.is_some(),
            std::cmp::Reverse(constant.max_gpus.unwrap_or(u32::MAX)),
        )
    };
    catalog
        .constants
        .iter()
        .enumerate()
        .filter(|&(_, other)| other.key == own.key && rank(other) < rank(own) && covers(catalog, other, own))
        .max_by_key(|(_, other)| rank(other))
        .map(|(at, _)| at)
}
