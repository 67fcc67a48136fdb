//! The flags of `network`, as typed.

use super::args::WorkloadSourceArgs;
use super::value::Share;
use crate::catalog::fabric::COLLECTIVES;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

/// Arguments of `network`.
#[derive(Clone, Debug, Args)]
pub struct NetworkArgs {
    /// Outputs of nccl-tests, rccl-tests or nccom-test; `-` or none is stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What the files do not say.
    #[command(flatten)]
    pub said: SaidArgs,
    /// The workload.
    #[command(flatten)]
    pub workload: WorkloadSourceArgs,
}

/// What the files do not say of their cluster, and when to fail.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Which cluster")]
pub struct SaidArgs {
    /// The machine (`aws/p5.48xlarge`) [default: the one that the file names]
    #[arg(long, visible_alias = "instance", env = "GPUADVISE_PLATFORM", hide_env = true)]
    #[arg(value_name = "PROVIDER/TYPE")]
    pub platform: Option<String>,

    /// The GPU [default: as the ranks are listed]
    #[arg(long, env = "GPUADVISE_GPU", hide_env = true, value_name = "NAME")]
    pub gpu: Option<String>,

    /// Ranks that took part, one for each GPU [default: as listed, or as the columns tell]
    #[arg(long, env = "GPUADVISE_RANKS", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub ranks: Option<u32>,

    /// Machines that took part [default: by the hosts of the ranks, or of 8 GPUs each]
    #[arg(long, env = "GPUADVISE_NODES", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub nodes: Option<u32>,

    /// The collective [default: as the header, the command line or the columns tell]
    #[arg(long, env = "GPUADVISE_COLLECTIVE", hide_env = true, value_name = "NAME")]
    #[arg(value_parser = PossibleValuesParser::new(COLLECTIVES))]
    pub collective: Option<String>,

    /// GPUs that the workload is planned on, of such machines [default: those of the file]
    #[arg(long, env = "GPUADVISE_GPUS", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub gpus: Option<u32>,

    /// End with exit code 4 when a table is broken, cannot be judged, or is below so many per cent of what is expected
    #[arg(
        long,
        env = "GPUADVISE_FAIL_BELOW",
        hide_env = true,
        value_name = "PCT",
        allow_hyphen_values = true
    )]
    pub fail_below: Option<Share>,
}
