//! Which engines run on which GPUs, and which formats of weights have kernels there.
//!
//! Only the comparison lives here; the lowest compute capabilities are constants of the catalog with their sources.

use crate::catalog::Catalog;
use crate::catalog::knowledge::Constant;
use crate::estimate::{Machine, Unplannable};
use crate::workload::Serving;

/// Refuses a GPU below what the engine asks for, or below what the kernels for the stored weights ask for. GPUs of other
/// vendors, and engines and formats that the catalog has no row for, are not judged.
pub(super) fn engine(catalog: &Catalog, machine: &Machine, serving: &Serving) -> Result<(), Unplannable> {
    let row = catalog.constant(
        "serve-min-compute-capability",
        Some(machine.gpu),
        None,
        Some(&serving.engine),
        machine.gpus_per_node,
    );
    let what = format!("engine class `{}`", serving.engine);
    judge(catalog, machine, row, "unsupported-by-engine", &what, "choose another `--engine`")
}

/// The same for the format of the weights.
pub(super) fn weights(catalog: &Catalog, machine: &Machine, serving: &Serving) -> Result<(), Unplannable> {
    let what = format!("weights in `{}`", serving.quantization.name);
    let hint = "choose another `--quantization`";
    let row = of_weights(catalog, machine, serving);
    judge(catalog, machine, row, "quantization-unsupported", &what, hint)
}

/// The row with the lowest compute capability for the format of the weights.
pub(super) fn of_weights<'a>(
    catalog: &'a Catalog,
    machine: &Machine,
    serving: &Serving,
) -> Option<&'a Constant> {
    let class = Some(serving.quantization.name.as_str());
    let key = "weights-min-compute-capability";
    catalog.constant(key, Some(machine.gpu), None, class, machine.gpus_per_node)
}

fn judge(
    catalog: &Catalog,
    machine: &Machine,
    row: Option<&Constant>,
    id: &'static str,
    what: &str,
    hint: &str,
) -> Result<(), Unplannable> {
    let gpu = machine.gpu;
    let capability = gpu.compute_capability.as_deref().and_then(|text| text.parse::<f64>().ok());
    match (row, capability) {
        (Some(row), Some(capability)) if capability < row.value => Err(Unplannable {
            id,
            message: format!(
                "{} has compute capability {capability:.1}, {what} needs {:.1} ({}): {hint}",
                gpu.name,
                row.value,
                catalog.source(row.source).text
            ),
        }),
        _ => Ok(()),
    }
}
