//! Arguments of the commands that gate.

use crate::cli::value::Increase;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `check`.
#[derive(Clone, Debug, Args)]
pub struct GateArgs {
    /// The project file [default: that of --config, or the nearest gpuadvise.toml upward]
    pub file: Option<PathBuf>,

    #[expect(clippy::doc_markdown, reason = "help for people has no code marks")]
    /// Write the result as JUnit XML to this file too
    #[arg(long, env = "GPUADVISE_JUNIT", hide_env = true, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// File of quotas: what is over them is not chosen; comes before a `quota` of the project file
    #[arg(long, env = "GPUADVISE_QUOTA", hide_env = true, value_name = "FILE")]
    pub quota: Option<PathBuf>,
}

/// Arguments of `diff`.
#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// The earlier answer of `check`, `recommend` or `cost` in JSON
    pub old: PathBuf,

    /// The later answer, of the same command; one of the two may be `-` for stdin
    pub new: PathBuf,

    /// Exit with 4 when the cost rises by more: an amount in US dollars (`1000`) or per cent (`5%`)
    #[arg(long, env = "GPUADVISE_MAX_INCREASE", hide_env = true, value_name = "AMOUNT|PCT")]
    #[arg(allow_hyphen_values = true)]
    pub max_increase: Option<Increase>,
}
