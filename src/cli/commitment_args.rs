//! The flags of `commitments`, as typed.

use super::constraint::FilterArgs;
use super::value::Percent;
use crate::price::commit::demand::{Horizon, MICRO, MOST_INSTANCES};
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

/// Arguments of `commitments`.
#[derive(Clone, Debug, Args)]
pub struct CommitmentsArgs {
    /// What is used.
    #[command(flatten)]
    pub demand: DemandArgs,
    /// Which machine.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// What may be bought.
    #[command(flatten)]
    pub plan: PlanArgs,
}

/// What is used, hour by hour.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Usage by the hour")]
pub struct DemandArgs {
    /// Usage as CSV with the columns `hour` and `instances`; `-` is stdin
    #[arg(long, env = "GPUADVISE_USAGE", hide_env = true, value_name = "FILE")]
    pub usage: Option<PathBuf>,

    /// Instead of a file: so many hours a day [default: 24]
    #[arg(long, env = "GPUADVISE_HOURS_PER_DAY", hide_env = true, value_name = "H")]
    #[arg(allow_hyphen_values = true)]
    pub hours_per_day: Option<HoursPerDay>,

    /// Instead of a file: on so many days a week [default: 7]
    #[arg(long, env = "GPUADVISE_DAYS_PER_WEEK", hide_env = true, value_name = "D")]
    #[arg(allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=7))]
    pub days_per_week: Option<u32>,

    /// Instead of a file: so many instances in these hours [default: 1]
    #[arg(long, env = "GPUADVISE_INSTANCES", hide_env = true, value_name = "N", allow_hyphen_values = true)]
    pub instances: Option<Instances>,
}

/// What may be bought, and for how long the plan is.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Plan")]
pub struct PlanArgs {
    /// How far to plan, `1y` or `3y`; a term that is longer counts in full [default: 1y]
    #[arg(long, env = "GPUADVISE_HORIZON", hide_env = true, value_name = "TERM")]
    pub horizon: Option<HorizonChoice>,

    /// Usage grows by so many per cent a year, from hour to hour [default: 0]
    #[arg(long, env = "GPUADVISE_GROWTH", hide_env = true, value_name = "PCT", allow_hyphen_values = true)]
    pub growth: Option<Growth>,

    /// At most so many per cent of all instance-hours on spot [default: 0]
    #[arg(long, env = "GPUADVISE_MAX_SPOT_SHARE", hide_env = true, value_name = "PCT")]
    #[arg(allow_hyphen_values = true)]
    pub max_spot_share: Option<Percent>,

    /// Commit to whole instances only; `--whole=false` to parts of any [default: as each contract is sold]
    #[arg(long, env = "GPUADVISE_WHOLE", hide_env = true, value_name = "BOOL")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub whole: Option<bool>,

    /// Draw base, burst and break-even into this SVG file too
    #[arg(long, alias = "svg", env = "GPUADVISE_PLOT", hide_env = true, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

/// `--horizon`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HorizonChoice(pub Horizon);

impl FromStr for HorizonChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().to_ascii_lowercase().as_str() {
            "1y" => Ok(Self(Horizon::OneYear)),
            "3y" => Ok(Self(Horizon::ThreeYears)),
            _ => Err(format!("`{text}` is not a horizon: `1y` or `3y`")),
        }
    }
}

/// Hours of a day: above 0, at most 24.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct HoursPerDay(pub f64);

impl FromStr for HoursPerDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hours = text.trim().parse().ok().filter(|hours| *hours > 0.0 && *hours <= 24.0);
        hours
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not a number of hours above 0 and up to 24, such as `8`"))
    }
}

/// Instances in millionths: above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instances(pub u64);

impl FromStr for Instances {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number: Option<f64> = text.trim().parse().ok();
        let number = number.filter(|number| *number > 0.0 && *number <= f64::from(MOST_INSTANCES));
        let micro = number.map(|number| (number * MICRO as f64).round() as u64).filter(|&micro| micro > 0);
        micro.map(Self).ok_or_else(|| {
            format!("`{text}` is not a number of instances above 0 and up to {MOST_INSTANCES}, such as `4` or `0.5`")
        })
    }
}

/// Per cent a year, from −90 to 100.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Growth(pub f64);

impl FromStr for Growth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number: Option<f64> = text.trim().trim_end_matches('%').trim_end().parse().ok();
        let number = number.filter(|number| (-90.0..=100.0).contains(number));
        number.map(Self).ok_or_else(|| {
            format!("`{text}` is not a growth from -90 to 100 per cent a year, such as `20` or `20%`")
        })
    }
}
