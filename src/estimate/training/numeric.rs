//! Which number format a job runs in on a GPU, and what follows from it.

use crate::catalog::gpu::Gpu;
use crate::diag::Warning;
use crate::estimate::Unplannable;
use crate::workload::Training;
use crate::workload::precision::Precision;

/// The format of the matrix arithmetic on this GPU, with a warning where it is not the one that was meant.
pub(super) fn resolve(training: &Training, gpu: &Gpu) -> Result<(Precision, Option<Warning>), Unplannable> {
    if let Some(asked) = training.precision {
        return explicit(asked, gpu).map(|precision| (precision, None));
    }
    if gpu.bf16 {
        // A peak that no source gives is no lack of the format: another one would be a plan nobody wants.
        return explicit(Precision::Bf16, gpu).map(|precision| (precision, None));
    }
    if training.strict {
        return Err(unsupported(Precision::Bf16, gpu));
    }
    let fallback = [Precision::Fp16, Precision::Tf32, Precision::Fp32]
        .into_iter()
        .find(|precision| precision.peak(gpu).is_some())
        .ok_or_else(|| peak_unknown(Precision::Bf16, gpu))?;
    let message = format!(
        "{} has no BF16 matrix arithmetic: planned in {} instead",
        gpu.name,
        fallback.name().to_ascii_uppercase()
    );
    Ok((fallback, Some(Warning { id: "bf16-fallback", message })))
}

/// The format that a job's matrix arithmetic runs in on a GPU, as asked or by default.
pub fn precision_on(training: &Training, gpu: &Gpu) -> Result<Precision, Unplannable> {
    resolve(training, gpu).map(|(precision, _)| precision)
}

fn explicit(asked: Precision, gpu: &Gpu) -> Result<Precision, Unplannable> {
    let lacks = match asked {
        Precision::Bf16 => !gpu.bf16,
        Precision::Fp8 => !gpu.fp8,
        // Integers are for serving: gradients do not survive them.
        Precision::Int8 => true,
        Precision::Fp4 => gpu.peaks.fp4.is_none(),
        Precision::Fp32 | Precision::Tf32 | Precision::Fp16 => false,
    };
    if lacks {
        return Err(unsupported(asked, gpu));
    }
    asked.peak(gpu).map(|_| asked).ok_or_else(|| peak_unknown(asked, gpu))
}

fn unsupported(precision: Precision, gpu: &Gpu) -> Unplannable {
    Unplannable {
        id: "precision-unsupported",
        message: format!(
            "{} cannot train in {}: it offers {}",
            gpu.name,
            precision.name(),
            offered(gpu).join(", ")
        ),
    }
}

fn peak_unknown(precision: Precision, gpu: &Gpu) -> Unplannable {
    // Where the catalog says that the GPU has the format, only the figure is missing.
    let has = match precision {
        Precision::Bf16 => gpu.bf16,
        Precision::Fp8 => gpu.fp8,
        _ => false,
    };
    Unplannable {
        id: if has { "specification-missing" } else { "peak-unknown" },
        message: format!(
            "no sourced {} peak of {}: known are {}",
            precision.name(),
            gpu.name,
            offered(gpu).join(", ")
        ),
    }
}

/// Names of the training formats with a known peak; `none` when there are none.
fn offered(gpu: &Gpu) -> Vec<&'static str> {
    let all =
        [Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16, Precision::Fp8, Precision::Fp4];
    let known: Vec<_> = all.iter().filter(|p| p.peak(gpu).is_some()).map(|p| p.name()).collect();
    if known.is_empty() { vec!["none"] } else { known }
}

/// Bytes of one stored value: activations and working weights.
pub(super) fn element_bytes(precision: Precision) -> f64 {
    match precision {
        Precision::Fp32 | Precision::Tf32 => 4.0,
        Precision::Fp16 | Precision::Bf16 | Precision::Fp8 | Precision::Fp4 | Precision::Int8 => 2.0,
    }
}

/// Whether the working weights have a narrower copy for the matrix units.
pub(super) fn has_narrow_copy(precision: Precision) -> bool {
    matches!(precision, Precision::Fp8 | Precision::Fp4)
}

/// The format that attention and the output matrix run in: narrow formats serve only the linear layers.
pub(super) fn wide(precision: Precision, gpu: &Gpu) -> Precision {
    match precision {
        Precision::Fp8 | Precision::Fp4 if gpu.bf16 => Precision::Bf16,
        Precision::Fp8 | Precision::Fp4 => Precision::Fp16,
        other => other,
    }
}
