//! Arguments of the commands that bring prices in and compare them.

use crate::cli::constraint::FilterArgs;
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

    /// Exit with 4 when a price rises by more per cent, or falls by what is more of the new price
    #[arg(
        long,
        env = "GPUADVISE_MAX_CHANGE",
        hide_env = true,
        value_name = "PCT",
        allow_hyphen_values = true
    )]
    pub max_change: Option<Change>,
}

/// Arguments of `catalog update`.
#[cfg(feature = "refresh")]
#[derive(Clone, Debug, Args)]
pub struct UpdateArgs {
    /// Only the prices of these providers [default: all with a source]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub provider: Vec<String>,

    /// A mirror instead of the sources: a folder, or an address with https://
    #[arg(long, env = "GPUADVISE_FROM", hide_env = true, value_name = "FOLDER|URL")]
    pub from: Option<String>,

    /// Day of the prices of a mirror, where its files do not say it
    #[arg(long, env = "GPUADVISE_AS_OF", hide_env = true, value_name = "DAY")]
    pub as_of: Option<Date>,

    /// Fetch and judge, but keep nothing
    #[arg(long, env = "GPUADVISE_DRY_RUN", hide_env = true)]
    #[arg(value_parser = clap::builder::FalseyValueParser::new())]
    pub dry_run: bool,

    /// Refuse a source that loses more of its prices than so many per cent [default: 20]
    #[arg(long, env = "GPUADVISE_MAX_LOST", hide_env = true, value_name = "PCT", allow_hyphen_values = true)]
    pub max_lost: Option<Percent>,

    /// Refuse a source with a price that moves by more per cent of the lower amount [default: one whose middle price moves by 80]
    #[arg(
        long,
        env = "GPUADVISE_MAX_CHANGE",
        hide_env = true,
        value_name = "PCT",
        allow_hyphen_values = true
    )]
    pub max_change: Option<Change>,

    /// Seconds for one request, from its name to its last byte [default: 60]
    #[arg(long, env = "GPUADVISE_TIMEOUT", hide_env = true, value_name = "S", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,

    /// Attempts after the first, where another one can help [default: 3]
    #[arg(long, env = "GPUADVISE_RETRIES", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=10))]
    pub retries: Option<u32>,
}

/// Arguments of `catalog history`.
#[derive(Clone, Debug, Args)]
pub struct HistoryArgs {
    /// Look back so many days
    #[arg(long, env = "GPUADVISE_WINDOW", hide_env = true, value_name = "DAYS", default_value = "90")]
    #[arg(allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(1..=100_000))]
    pub window: i32,
    /// Which prices.
    #[command(flatten)]
    pub filter: FilterArgs,
}
