//! Values of flags that only the command line knows: amounts of money, percentages, billing kinds, choices.

pub mod money;

pub use money::{CurrencyCode, Fx, Term};

use crate::catalog::gpu::Stack;
use crate::catalog::instance::Tier;
use crate::catalog::lookup::resolve_billing;
use crate::catalog::price::Billing;
use crate::money::{Usd, UsdPerHour};
use crate::units::Hours;
use rust_decimal::Decimal;
use std::str::FromStr;

/// An amount of US dollars as typed: `5000`, `0.75`, `$12.50`, `1_000`, never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(Decimal);

impl Amount {
    /// As a total.
    pub fn usd(self) -> Usd {
        Usd::from_decimal(self.0)
    }

    /// As a price per hour.
    pub fn per_hour(self) -> UsdPerHour {
        UsdPerHour::new(self.0)
    }
}

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = text.trim();
        let plain = plain.strip_prefix('$').or_else(|| plain.strip_suffix("USD")).unwrap_or(plain).trim();
        let plain = plain.replace('_', "");
        let value = Decimal::from_str(&plain).or_else(|_| Decimal::from_scientific(&plain));
        value
            .ok()
            // 10^15 dollars: above it a total no longer survives the way through JSON.
            .filter(|value| !value.is_sign_negative() && *value < Decimal::from(1_000_000_000_000_000_i64))
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not an amount of US dollars such as `5000` or `0.75`"))
    }
}

/// Per cent between 0 and 100: `60` or `60%`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Percent(pub f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        number(text.trim().trim_end_matches('%').trim_end())
            .filter(|value| (0.0..=100.0).contains(value))
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not a percentage between 0 and 100, such as `60` or `60%`"))
    }
}

/// Per cent of something expected, which may be above 100: `85` or `85%`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        number(text.trim().trim_end_matches('%').trim_end())
            .filter(|value| (0.0..=1000.0).contains(value))
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not a percentage between 0 and 1000, such as `85` or `85%`"))
    }
}

/// Per cent of a change, 0 or more: `40`, `150%`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Change(pub f64);

impl FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        number(text.trim().trim_end_matches('%').trim_end())
            .filter(|value| (0.0..=1e6).contains(value))
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not a percentage of 0 or more, such as `40` or `150%`"))
    }
}

/// `--max-increase`: an amount, or per cent of what it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Increase {
    /// US dollars.
    Usd(Amount),
    /// Per cent, from 0; above 100 is more than double.
    Percent(Decimal),
}

impl FromStr for Increase {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || {
            format!("`{text}` is neither an amount of US dollars such as `1000` nor per cent such as `5%`")
        };
        match text.trim().strip_suffix('%') {
            None => text.parse().map(Self::Usd).map_err(|_| refused()),
            Some(percent) => Decimal::from_str(percent.trim())
                .ok()
                .filter(|percent| !percent.is_sign_negative() && *percent <= Decimal::from(1_000_000))
                .map(Self::Percent)
                .ok_or_else(refused),
        }
    }
}

/// Whole days: `90` or `90d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Days(pub u32);

impl FromStr for Days {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = text.trim();
        plain
            .strip_suffix('d')
            .unwrap_or(plain)
            .parse()
            .map(Self)
            .map_err(|_| format!("`{text}` is not a number of days such as `90`"))
    }
}

/// A rate: a finite number, zero allowed.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate(pub f64);

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        number(text.trim())
            .filter(|value| (0.0..=1e6).contains(value))
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not a number from 0 to 1000000, such as `0.05`"))
    }
}

/// Gigabits per second of one node.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Gbps(pub f64);

impl FromStr for Gbps {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = text.trim().to_ascii_lowercase();
        number(plain.strip_suffix("gbps").unwrap_or(&plain).trim_end())
            .filter(|value| *value > 0.0 && *value <= 1e6)
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not a bandwidth in Gbit/s such as `100` or `3200`"))
    }
}

/// A span of time that may be zero.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Span(pub Hours);

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if number(text.trim()) == Some(0.0) {
            return Ok(Self(Hours(0.0)));
        }
        text.parse().map(Self).map_err(|error: crate::units::QuantityError| error.to_string())
    }
}

/// `--checkpoint-interval`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CheckpointInterval {
    /// The interval with the least expected time.
    Auto,
    /// The job writes no checkpoints.
    None,
    /// Every so often.
    Every(Hours),
}

impl FromStr for CheckpointInterval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().to_ascii_lowercase().as_str() {
            "auto" => Ok(Self::Auto),
            "none" => Ok(Self::None),
            _ => text
                .parse()
                .map(Self::Every)
                .map_err(|_| format!("`{text}` is not a duration such as `30m`, `auto` or `none`")),
        }
    }
}

/// One word of `--billing`: a kind, `committed` for all kinds with a term, or `all`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillingChoice(Vec<Billing>);

impl BillingChoice {
    /// The kinds that the words name, in the order of tables, each once.
    pub fn kinds(choices: &[Self]) -> Vec<Billing> {
        Billing::ALL.into_iter().filter(|kind| choices.iter().any(|c| c.0.contains(kind))).collect()
    }
}

impl FromStr for BillingChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        resolve_billing([text]).map_err(|error| error.to_string()).and_then(|kinds| {
            if kinds.is_empty() { Err("no billing kind".to_owned()) } else { Ok(Self(kinds)) }
        })
    }
}

/// `--stack`: software that the accelerator must run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum StackChoice {
    /// NVIDIA CUDA
    Cuda,
    /// AMD ROCm
    Rocm,
    /// Google TPUs
    Xla,
    /// AWS Trainium and Inferentia
    Neuron,
    /// Intel Gaudi
    Gaudi,
    /// Huawei CANN
    Cann,
    /// Whatever there is
    Any,
}

impl StackChoice {
    /// The stack; `None` is any.
    pub fn stack(self) -> Option<Stack> {
        match self {
            Self::Cuda => Some(Stack::Cuda),
            Self::Rocm => Some(Stack::Rocm),
            Self::Xla => Some(Stack::Xla),
            Self::Neuron => Some(Stack::Neuron),
            Self::Gaudi => Some(Stack::Gaudi),
            Self::Cann => Some(Stack::Cann),
            Self::Any => None,
        }
    }
}

/// `--tier`: kind of provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TierChoice {
    /// AWS, Azure, Google Cloud, Oracle and their like
    Hyperscaler,
    /// GPU clouds
    Specialist,
    /// Machines of third parties
    Marketplace,
}

impl TierChoice {
    /// The tier of the catalog.
    pub fn tier(self) -> Tier {
        match self {
            Self::Hyperscaler => Tier::Hyperscaler,
            Self::Specialist => Tier::Specialist,
            Self::Marketplace => Tier::Marketplace,
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests;
