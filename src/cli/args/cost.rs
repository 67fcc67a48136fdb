//! Arguments of `cost`.

use crate::cli::constraint::{BillArgs, FilterArgs, SpotArgs, group};
use crate::cli::request::Group;
use crate::cli::value::{Amount, Percent};
use crate::units::Hours;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `cost`.
#[derive(Clone, Debug, Args)]
pub struct CostArgs {
    /// What is used.
    #[command(flatten)]
    pub usage: UsageArgs,
    /// Which machines.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Limits.
    #[command(flatten)]
    pub limit: CostLimitArgs,
    /// Spot.
    #[command(flatten)]
    pub spot: SpotArgs,
    /// The bill.
    #[command(flatten)]
    pub bill: BillArgs,
    /// Draw the break-even lines of the one machine asked for into this SVG file too
    #[arg(long, alias = "svg", env = "GPUADVISE_PLOT", hide_env = true, value_name = "FILE.svg")]
    #[arg(help_heading = "Picture")]
    pub plot: Option<PathBuf>,
}

/// What is used: machines and hours.
#[derive(Clone, Debug, Default, Args)]
pub struct UsageArgs {
    /// Hours of work to pay (`720`, `30d`, `1y`) [default: 730, a month]
    #[arg(long, env = "GPUADVISE_HOURS", hide_env = true, value_name = "DUR", allow_hyphen_values = true)]
    pub hours: Option<Hours>,

    /// So many machines of each
    #[arg(long, env = "GPUADVISE_NODES", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub nodes: Option<u32>,

    /// Exactly so many GPUs in all: as many machines of each as make them, or `--nodes`
    #[arg(long, env = "GPUADVISE_GPUS", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub gpus: Option<u32>,

    /// At most so many GPUs in all
    #[arg(
        long,
        env = "GPUADVISE_MAX_GPUS",
        hide_env = true,
        value_name = "N",
        allow_negative_numbers = true
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub max_gpus: Option<u32>,
}
group!(UsageArgs { hours, nodes, gpus, max_gpus } either { gpus, max_gpus });

/// Limits of `cost`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Limits and ranking")]
pub struct CostLimitArgs {
    /// At most so many dollars an hour for all nodes
    #[arg(long, env = "GPUADVISE_MAX_HOURLY", hide_env = true, value_name = "USD")]
    #[arg(allow_hyphen_values = true)]
    pub max_hourly: Option<Amount>,

    /// At most so many dollars for all hours; of a term their share counts (`check` counts all that is owed)
    #[arg(long, env = "GPUADVISE_BUDGET", hide_env = true, value_name = "USD", allow_hyphen_values = true)]
    pub budget: Option<Amount>,

    /// Spot prices count only from this many per cent below on-demand
    #[arg(long, env = "GPUADVISE_MIN_SPOT_DISCOUNT", hide_env = true, value_name = "PCT")]
    #[arg(allow_hyphen_values = true)]
    pub min_spot_discount: Option<Percent>,

    /// Wall time within which spot shall do the hours: each spot row says with which chance it does
    #[arg(long, env = "GPUADVISE_DEADLINE", hide_env = true, value_name = "DUR", allow_hyphen_values = true)]
    pub deadline: Option<Hours>,

    /// File of quotas: what is over them is left out, with both numbers
    #[arg(long, env = "GPUADVISE_QUOTA", hide_env = true, value_name = "FILE")]
    pub quota: Option<PathBuf>,

    /// Rows to show [default: all]
    #[arg(short = 'n', long, env = "GPUADVISE_TOP", hide_env = true, value_name = "N")]
    #[arg(allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,

    /// End with exit code 4 when the cheapest row costs more than this, terms counted as by --budget
    #[arg(
        long,
        env = "GPUADVISE_FAIL_OVER",
        hide_env = true,
        value_name = "USD",
        allow_hyphen_values = true
    )]
    pub fail_over: Option<Amount>,
}
group!(CostLimitArgs { max_hourly, budget, min_spot_discount, deadline, quota, top, fail_over });
