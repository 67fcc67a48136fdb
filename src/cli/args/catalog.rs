//! Arguments of the commands that bring prices in and compare them.

use crate::cli::value::{Change, Percent};
use clap::Args;
use jiff::civil::Date;
use std::path::PathBuf;

/// Arguments of `catalog import`.
#[derive(Clone, Debug, Args)]
pub struct ImportArgs {
    /// Format of the files, such as `skypilot` or `aws`; all are below
    #[arg(value_name = "FORMAT")]
    pub kind: String,

    /// Files to read; `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Day of the prices (`2026-11-30`) where a file does not say it
    #[arg(long, env = "GPUADVISE_AS_OF", hide_env = true, value_name = "DAY")]
    pub as_of: Option<Date>,

    /// Whose prices they are, where neither file nor path says it
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,

    /// What the prices are said to come from [default: format and file name]
    #[arg(long, value_name = "TEXT")]
    pub source: Option<String>,
}

/// Arguments of `catalog diff`.
#[derive(Clone, Debug, Args)]
pub struct CatalogDiffArgs {
    /// The earlier catalog: a file, a folder, or `embedded`
    pub old: PathBuf,

    /// The later one
    pub new: PathBuf,

    /// Exit with 4 when more than so many per cent of the prices are gone
    #[arg(long, env = "GPUADVISE_MAX_LOST", hide_env = true, value_name = "PCT", allow_hyphen_values = true)]
    pub max_lost: Option<Percent>,

    /// Exit with 4 when a price rises or falls by more per cent
    #[arg(
        long,
        env = "GPUADVISE_MAX_CHANGE",
        hide_env = true,
        value_name = "PCT",
        allow_hyphen_values = true
    )]
    pub max_change: Option<Change>,
}
