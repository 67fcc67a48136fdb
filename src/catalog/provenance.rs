//! Where a figure comes from and when it was true.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Position of a source in [`super::Catalog::sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceId(pub u16);

/// A source text with its date.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Source {
    /// Repository, page, document or measurement, specific enough to be found again.
    pub text: String,
    /// When the source said so.
    pub as_of: AsOf,
}

/// How the source of constants begins that were fitted on somebody's own runs.
pub const CALIBRATED: &str = "calibrated on your ";

/// How the source of prices begins that nobody offers.
pub const ASSUMED: &str = "assumed: ";

impl Source {
    /// Whether it is no offer but what somebody wants to be taken for granted.
    pub fn is_assumed(&self) -> bool {
        self.text.starts_with(ASSUMED)
    }

    /// Whether it is somebody's own runs, which estimates trust more than published ones.
    pub fn is_calibration(&self) -> bool {
        self.text.starts_with(CALIBRATED)
    }
}

/// A date, or a range where the source has no day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(Date, Date)", into = "(Date, Date)")]
pub enum AsOf {
    /// A known day.
    Day(Date),
    /// Some day of this range; age counts from the first.
    Between(Date, Date),
}

impl AsOf {
    /// The day from which age counts: the earliest possible.
    pub fn not_before(self) -> Date {
        match self {
            Self::Day(day) | Self::Between(day, _) => day,
        }
    }

    /// The latest possible day.
    pub fn not_after(self) -> Date {
        match self {
            Self::Day(day) | Self::Between(_, day) => day,
        }
    }
}

impl From<(Date, Date)> for AsOf {
    fn from((first, last): (Date, Date)) -> Self {
        if first == last { Self::Day(first) } else { Self::Between(first, last) }
    }
}

impl From<AsOf> for (Date, Date) {
    fn from(as_of: AsOf) -> Self {
        (as_of.not_before(), as_of.not_after())
    }
}

impl std::fmt::Display for AsOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::Between(first, last) => write!(f, "{first}..{last}"),
        }
    }
}
