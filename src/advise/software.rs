//! Whether the software of a workload exists for an accelerator and for the formats asked.
//!
//! Only rows of the catalog speak: `software.toml` says yes, no, or nothing, and what it does not say is a warning.

use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::catalog::knowledge::Constant;
use crate::diag::Warning;
use crate::estimate::Unplannable;
use crate::workload::support::format_of_rows;
use crate::workload::{Job, Serving, Training, Workload};

/// Refuses an accelerator that the software does not run on, or formats and methods that it does not have there; else what
/// nothing is known of.
pub(super) fn judge(catalog: &Catalog, workload: &Workload, gpu: &Gpu) -> Result<Vec<Warning>, Unplannable> {
    match &workload.job {
        Job::Training(job) if !job.software.is_empty() => training(catalog, job, gpu),
        Job::Serving(job) if !job.software.is_empty() => serving(catalog, job, gpu),
        _ => Ok(Vec::new()),
    }
}

/// One question to the catalog.
struct Question<'a> {
    catalog: &'a Catalog,
    gpu: &'a Gpu,
    software: &'a str,
}

impl Question<'_> {
    /// The row that answers, and whether the answer is yes.
    fn row(&self, key: &str, precision: Option<&str>) -> Option<(&Constant, bool)> {
        let row = self.catalog.constant(key, Some(self.gpu), precision, Some(self.software), 1)?;
        // A row without the format that was asked says nothing of it.
        (row.precision.as_deref() == precision).then_some((row, row.value >= 1.0))
    }

    fn source(&self, row: &Constant) -> &str {
        &self.catalog.source(row.source).text
    }

    fn unproven(&self, what: &str) -> Warning {
        Warning {
            id: "software-unproven",
            message: format!(
                "nothing in the catalog says whether {what} on {}: try it before you rely on it",
                self.gpu.name
            ),
        }
    }
}

fn training(catalog: &Catalog, job: &Training, gpu: &Gpu) -> Result<Vec<Warning>, Unplannable> {
    let software = job.software.as_str();
    let ask = Question { catalog, gpu, software };
    let mut warnings = Vec::new();
    match ask.row("train-runs", None) {
        Some((_, true)) => {}
        Some((row, false)) => {
            return Err(Unplannable {
                id: "unsupported-by-framework",
                message: format!(
                    "`{software}` does not train on {} ({}): choose another `--framework` or `--stack`",
                    gpu.name,
                    ask.source(row)
                ),
            });
        }
        None => warnings.push(ask.unproven(&format!("`{software}` trains"))),
    }
    let method = job.method.name();
    match ask.row("train-method", Some(method)) {
        Some((row, false)) => Err(Unplannable {
            id: "method-unsupported",
            message: format!(
                "`--method {method}` with `{software}` does not exist on {} ({}): choose another `--method`, `--framework` or \
                 `--stack`",
                gpu.name,
                ask.source(row)
            ),
        }),
        _ => Ok(warnings),
    }
}

fn serving(catalog: &Catalog, job: &Serving, gpu: &Gpu) -> Result<Vec<Warning>, Unplannable> {
    /// Widths of keys and values that every engine keeps.
    const WIDE: [&str; 4] = ["auto", "fp16", "bf16", "fp32"];
    let software = job.software.as_str();
    let ask = Question { catalog, gpu, software };
    let mut warnings = Vec::new();
    match ask.row("serve-runs", None) {
        Some((_, true)) => {}
        Some((row, false)) => {
            return Err(Unplannable {
                id: "unsupported-by-engine",
                message: format!(
                    "`{software}` does not run on {} ({}): choose another `--engine` or `--stack`",
                    gpu.name,
                    ask.source(row)
                ),
            });
        }
        None => warnings.push(ask.unproven(&format!("`{software}` runs"))),
    }
    let format = job.quantization.name.as_str();
    if format != "none" {
        match ask.row("serve-weights", Some(format_of_rows(format))) {
            Some((_, true)) => {}
            Some((row, false)) => {
                return Err(Unplannable {
                    id: "quantization-unsupported",
                    message: format!(
                        "`{software}` does not take weights in `{format}` on {} ({}): choose another `--quantization` or `--engine`",
                        gpu.name,
                        ask.source(row)
                    ),
                });
            }
            None => warnings.push(ask.unproven(&format!("`{software}` takes weights in `{format}`"))),
        }
    }
    let kv = job.kv_precision.as_str();
    if WIDE.contains(&kv) {
        return Ok(warnings);
    }
    match ask.row("serve-kv", Some(kv)) {
        Some((_, true)) => {}
        Some((row, false)) => {
            return Err(Unplannable {
                id: "kv-precision-unsupported",
                message: format!(
                    "`{software}` does not keep keys and values in `{kv}` on {} ({}): choose another `--kv-precision` or `--engine`",
                    gpu.name,
                    ask.source(row)
                ),
            });
        }
        None => warnings.push(ask.unproven(&format!("`{software}` keeps keys and values in `{kv}`"))),
    }
    Ok(warnings)
}
