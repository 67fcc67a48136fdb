//! Demand by the hour over a horizon, counted in whole millionths of an instance, so that sums are exact.

/// Units of one instance: demand and commitments are counted in millionths.
pub const MICRO: u64 = 1_000_000;

/// Hours of a year, by the contract twelve months of 730 h.
pub const YEAR_HOURS: usize = 8760;

/// Hours of a week.
const WEEK_HOURS: usize = 168;

/// Most instances in one hour: far above any fleet, and low enough that no sum overflows.
pub const MOST_INSTANCES: u32 = 100_000;

/// How far a plan looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Horizon {
    /// 8,760 hours.
    #[default]
    OneYear,
    /// 26,280 hours.
    ThreeYears,
}

impl Horizon {
    /// Its hours.
    pub fn hours(self) -> usize {
        match self {
            Self::OneYear => YEAR_HOURS,
            Self::ThreeYears => 3 * YEAR_HOURS,
        }
    }

    /// `1y` or `3y`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OneYear => "1y",
            Self::ThreeYears => "3y",
        }
    }
}

/// A week with `instances` for some hours of some days; the part of an hour is a part of the instances in it.
pub fn week(hours_per_day: f64, days_per_week: u32, instances: u64) -> Vec<u64> {
    let hour = |at: usize| {
        let (day, hour) = (at / 24, at % 24);
        let share =
            if day < days_per_week as usize { (hours_per_day - hour as f64).clamp(0.0, 1.0) } else { 0.0 };
        (instances as f64 * share).round() as u64
    };
    (0..WEEK_HOURS).map(hour).collect()
}

/// Demand in each hour of a horizon, in millionths of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    hours: Vec<u64>,
}

impl Demand {
    /// Usage over the horizon: repeated where it is shorter, its latest hours where it is longer. `growth` is the
    /// share by which an hour uses more than the same hour a year before; it compounds from hour to hour.
    pub fn over(usage: &[u64], horizon: Horizon, growth: f64) -> Self {
        let length = horizon.hours();
        let kept = &usage[usage.len().saturating_sub(length)..];
        let grown = |(at, &micro): (usize, &u64)| {
            if growth == 0.0 {
                return micro;
            }
            let factor = (1.0 + growth).powf(at as f64 / YEAR_HOURS as f64);
            (micro as f64 * factor).round() as u64
        };
        Self { hours: kept.iter().cycle().take(length).enumerate().map(grown).collect() }
    }

    /// Demand in the order of the hours, as it is.
    pub fn from_hours(hours: Vec<u64>) -> Self {
        Self { hours }
    }

    /// Each hour changed by so many per cent, rounded to the millionth.
    #[must_use]
    pub fn changed(&self, percent: i32) -> Self {
        let factor = u64::from((100 + percent).max(0).unsigned_abs());
        Self { hours: self.hours.iter().map(|micro| (micro * factor + 50) / 100).collect() }
    }

    /// In the order of the hours.
    pub fn hours(&self) -> &[u64] {
        &self.hours
    }

    /// Most in one hour.
    pub fn peak(&self) -> u64 {
        self.hours.iter().copied().max().unwrap_or(0)
    }

    /// Instance-hours of the horizon, in millionths.
    pub fn total(&self) -> u64 {
        self.hours.iter().sum()
    }

    /// So many instance-hours as a share of all of them, in millionths, rounded down.
    pub fn share(&self, share: f64) -> u64 {
        // Shares come as per cent with few decimals; a billionth of all hours decides nothing.
        let parts = (share.clamp(0.0, 1.0) * 1e9).round() as u128;
        (u128::from(self.total()) * parts / 1_000_000_000) as u64
    }
}
