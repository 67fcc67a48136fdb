//! Arguments of the commands that read measured runs: `accuracy` and `calibrate`.

use crate::cli::value::Percent;
use clap::{Args, ValueEnum};
use jiff::civil::Date;
use std::path::PathBuf;

/// Arguments of `accuracy`.
#[derive(Clone, Debug, Args)]
pub struct AccuracyArgs {
    /// Table of measured runs as CSV; `-` is stdin [default: the sample of published measurements in the program]
    #[arg(long, env = "GPUADVISE_MEASUREMENTS", hide_env = true, value_name = "FILE")]
    pub measurements: Option<PathBuf>,
    /// Compare by this alone [default: by kind and by source]
    #[arg(long, env = "GPUADVISE_BY", hide_env = true, value_enum)]
    pub by: Option<ByChoice>,
    /// Exit with 4 when the median error of a metric over all sources is above this
    #[arg(
        long,
        env = "GPUADVISE_FAIL_ABOVE",
        hide_env = true,
        value_name = "PCT",
        allow_hyphen_values = true
    )]
    pub fail_above: Option<Percent>,
    /// Draw predicted against measured into this SVG file, a picture for each kind and metric
    #[arg(long, alias = "svg", env = "GPUADVISE_PLOT", hide_env = true, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

/// `--by`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ByChoice {
    /// Source of the measurements.
    Source,
    /// GPU.
    Gpu,
    /// Training framework.
    Framework,
    /// Serving engine.
    Engine,
    /// Sort of experiment: method of training, kind of inference.
    Kind,
}

/// Arguments of `calibrate`.
#[derive(Clone, Debug, Args)]
pub struct CalibrateArgs {
    /// Table of runs, one a line, with the columns of `accuracy`; `-` reads standard input
    #[arg(long, env = "GPUADVISE_RUNS", hide_env = true, value_name = "FILE")]
    pub runs: PathBuf,

    /// Day on which they were measured (`2026-11-30`) [default: the newest of the column `as_of`]
    #[arg(long, env = "GPUADVISE_AS_OF", hide_env = true, value_name = "DAY")]
    pub as_of: Option<Date>,
}
