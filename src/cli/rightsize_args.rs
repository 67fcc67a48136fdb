//! The flags of `rightsize`, as typed.

use super::constraint::FilterArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `rightsize`.
#[derive(Clone, Debug, Args)]
pub struct RightsizeArgs {
    /// Output of nvidia-smi or `dcgmi dmon`, one host a file; `-`, or none, is stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// How to read them.
    #[command(flatten)]
    pub log: LogArgs,
    /// What is rented now by `--instance` or `--gpu`, and where both it and something cheaper may be.
    #[command(flatten)]
    pub filter: FilterArgs,
}

/// How to read the logs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Logs")]
pub struct LogArgs {
    /// Columns of CSV without a header, as given to `--query-gpu` (`timestamp,index,utilization.gpu,memory.used`)
    #[arg(long, env = "GPUADVISE_COLUMNS", hide_env = true, value_name = "NAMES")]
    pub columns: Option<String>,

    /// The files are of one host, such as a query and `dcgmi dmon` of the same hours
    #[arg(long, env = "GPUADVISE_SAME_HOST", hide_env = true, value_name = "BOOL")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub same_host: Option<bool>,
}
