//! Whether the software of a workload exists for an accelerator and for the formats asked.
//!
//! Only rows of the catalog speak: `software.toml` says yes, no, or nothing, and what it does not say is a warning.

use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::catalog::knowledge::Constant;
use crate::diag::Warning;
use crate::estimate::Unplannable;
use crate::workload::support::format_of_rows;
use crate::workload::{Job, SampleWork, Samples, Serving, Training, Workload};

/// Refuses an accelerator that the software does not run on, or formats and methods that it does not have there; else what
/// nothing is known of.
pub(super) fn judge(catalog: &Catalog, workload: &Workload, gpu: &Gpu) -> Result<Vec<Warning>, Unplannable> {
    match &workload.job {
        Job::Samples(job) if !job.software.is_empty() => samples(catalog, job, gpu),
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

    /// Nothing where the row says yes, a warning where there is none, and the refusal that is worded here where it says no.
    fn settle(
        &self,
        (key, precision): (&str, Option<&str>),
        does: &str,
        refusal: &Refusal<'_>,
    ) -> Result<Option<Warning>, Unplannable> {
        match self.row(key, precision) {
            Some((_, true)) => Ok(None),
            Some((row, false)) => Err(Unplannable {
                id: refusal.id,
                message: format!(
                    "{} on {} ({}): choose another {}",
                    refusal.fault,
                    self.gpu.name,
                    self.catalog.source(row.source).text,
                    refusal.remedy
                ),
            }),
            None => Ok(Some(self.unproven(does))),
        }
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

/// How a no is told.
struct Refusal<'a> {
    id: &'static str,
    fault: String,
    remedy: &'a str,
}

impl Question<'_> {
    /// Whether training software runs there.
    fn trains(&self) -> Result<Option<Warning>, Unplannable> {
        let refusal = Refusal {
            id: "unsupported-by-framework",
            fault: format!("`{}` does not train", self.software),
            remedy: "`--framework` or `--stack`",
        };
        self.settle(("train-runs", None), &format!("`{}` trains", self.software), &refusal)
    }

    /// Whether serving software runs there.
    fn serves(&self) -> Result<Option<Warning>, Unplannable> {
        let refusal = Refusal {
            id: "unsupported-by-engine",
            fault: format!("`{}` does not run", self.software),
            remedy: "`--engine` or `--stack`",
        };
        self.settle(("serve-runs", None), &format!("`{}` runs", self.software), &refusal)
    }
}

fn samples(catalog: &Catalog, job: &Samples, gpu: &Gpu) -> Result<Vec<Warning>, Unplannable> {
    let ask = Question { catalog, gpu, software: &job.software };
    let unproven = match job.work {
        SampleWork::Training(_) => ask.trains(),
        SampleWork::Serving(_) => ask.serves(),
    };
    Ok(unproven?.into_iter().collect())
}

fn training(catalog: &Catalog, job: &Training, gpu: &Gpu) -> Result<Vec<Warning>, Unplannable> {
    let software = job.software.as_str();
    let ask = Question { catalog, gpu, software };
    let unproven = ask.trains()?;
    let method = job.method.name();
    let refusal = Refusal {
        id: "method-unsupported",
        fault: format!("`--method {method}` with `{software}` does not exist"),
        remedy: "`--method`, `--framework` or `--stack`",
    };
    // Software that trains has the methods that no row denies.
    ask.settle(("train-method", Some(method)), "", &refusal)?;
    Ok(unproven.into_iter().collect())
}

fn serving(catalog: &Catalog, job: &Serving, gpu: &Gpu) -> Result<Vec<Warning>, Unplannable> {
    /// Widths of keys and values that every engine keeps.
    const WIDE: [&str; 4] = ["auto", "fp16", "bf16", "fp32"];
    let software = job.software.as_str();
    let ask = Question { catalog, gpu, software };
    let mut warnings: Vec<Warning> = ask.serves()?.into_iter().collect();
    let format = job.quantization.name.as_str();
    if format != "none" {
        let refusal = Refusal {
            id: "quantization-unsupported",
            fault: format!("`{software}` does not take weights in `{format}`"),
            remedy: "`--quantization` or `--engine`",
        };
        let does = format!("`{software}` takes weights in `{format}`");
        warnings.extend(ask.settle(("serve-weights", Some(format_of_rows(format))), &does, &refusal)?);
    }
    let kv = job.kv_precision.as_str();
    if !WIDE.contains(&kv) {
        let refusal = Refusal {
            id: "kv-precision-unsupported",
            fault: format!("`{software}` does not keep keys and values in `{kv}`"),
            remedy: "`--kv-precision` or `--engine`",
        };
        let does = format!("`{software}` keeps keys and values in `{kv}`");
        warnings.extend(ask.settle(("serve-kv", Some(kv)), &does, &refusal)?);
    }
    Ok(warnings)
}
