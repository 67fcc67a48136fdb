//! Arguments of `export`.

use super::WorkloadSourceArgs;
use crate::cli::constraint::ConstraintArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Arguments of `export`.
#[derive(Clone, Debug, Args)]
pub struct ExportArgs {
    /// What to make, from which row.
    #[command(flatten)]
    pub source: ExportSource,
    /// The workload of a search.
    #[command(flatten)]
    pub workload: WorkloadSourceArgs,
    /// The constraints of a search.
    #[command(flatten)]
    pub constraint: ConstraintArgs,
}

/// What to make, from which row.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Launch file")]
pub struct ExportSource {
    /// The tool that starts the machines
    #[arg(long, env = "GPUADVISE_TO", hide_env = true, value_name = "TARGET", value_enum)]
    pub to: ExportTarget,

    /// An answer of `recommend` or `check` in JSON, instead of a search; `-` is stdin
    #[arg(long, env = "GPUADVISE_FROM", hide_env = true, value_name = "RESULT.json")]
    pub from: Option<PathBuf>,

    /// The row of `recommend` [default: 1, the first]
    #[arg(long, env = "GPUADVISE_RANK", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MOST_ROWS))]
    pub rank: Option<u32>,

    /// The workload of `check` by its name [default: the only one]
    #[arg(long, env = "GPUADVISE_NAME", hide_env = true, value_name = "NAME")]
    pub name: Option<String>,

    /// One file by its name, where a target has several [default: the first to stdout, all in a document]
    #[arg(long, env = "GPUADVISE_FILE", hide_env = true, value_name = "NAME")]
    pub file: Option<String>,
}

/// Most rows that a search is asked for.
const MOST_ROWS: i64 = 10_000;

/// `--to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportTarget {
    /// `sky.yaml` of SkyPilot.
    Skypilot,
    /// `run.dstack.yml` and `fleet.dstack.yml` of dstack.
    Dstack,
    /// Job, Deployment or StatefulSet for kubectl.
    #[value(alias = "k8s")]
    Kubernetes,
    /// Script for sbatch.
    Slurm,
    /// `main.tf` of Terraform and OpenTofu.
    #[value(alias = "opentofu", alias = "tf")]
    Terraform,
}

impl ExportTarget {
    /// Its name as typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Skypilot => "skypilot",
            Self::Dstack => "dstack",
            Self::Kubernetes => "kubernetes",
            Self::Slurm => "slurm",
            Self::Terraform => "terraform",
        }
    }
}
