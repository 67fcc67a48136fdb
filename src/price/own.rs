//! Servers of one's own: what a year of them costs, part by part, and year by year in cash.
//!
//! The price base is what a server costs to buy and to run; no rent enters here. What nobody told is `None`, never 0.

use crate::money::Usd;

/// Hours of a year: twelve months of 730.
pub const YEAR_HOURS: f64 = 8760.0;

/// Months of a year.
const MONTHS: f64 = 12.0;

/// What is known of servers of one kind and of where they stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// Price of one server.
    pub price: Option<Usd>,
    /// What is left of the price after its life, a share.
    pub residual: f64,
    /// Years over which it is written off, and after which it is replaced.
    pub life_years: f64,
    /// IT power of one server, kW.
    pub power_kw: Option<f64>,
    /// Energy of the building for each unit that servers use.
    pub pue: f64,
    /// Colocation of one kW of IT power for a month.
    pub colocation_per_kw_month: Option<Usd>,
    /// Price of one `MWh`, so that cents are kept.
    pub electricity_per_mwh: Option<Usd>,
    /// People, a year, for all servers together.
    pub staff_per_year: Option<Usd>,
}

/// One part of a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// `depreciation`, `colocation`, `electricity`, `staff`.
    pub name: &'static str,
    /// For all servers; `None` is unknown.
    pub per_year: Option<Usd>,
}

/// A year in cash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Year {
    /// From 1.
    pub year: u32,
    /// What is paid in it; `None` where the price of the server is not known.
    pub paid: Option<Usd>,
}

impl Server {
    /// The parts of one year of `nodes` servers.
    ///
    /// Depreciation is linear over the life: (price − residual) / life. Power is paid for every hour at what the server
    /// draws at most, since what an idle one draws is in no source: an upper bound.
    pub fn parts(&self, nodes: u32) -> [Part; 4] {
        let count = f64::from(nodes);
        let kw = self.power_kw.map(|kw| kw * count);
        let of = |amount: Option<Usd>, factor: Option<f64>| {
            amount.zip(factor).and_then(|(usd, by)| usd.scaled(by))
        };
        [
            Part {
                name: "depreciation",
                per_year: of(self.price, Some(count * (1.0 - self.residual) / self.life_years)),
            },
            Part { name: "colocation", per_year: of(self.colocation_per_kw_month, kw.map(|kw| kw * MONTHS)) },
            Part { name: "electricity", per_year: of(self.electricity_per_mwh, self.mwh_per_year(nodes)) },
            Part { name: "staff", per_year: self.staff_per_year },
        ]
    }

    /// Energy of `nodes` servers in a year, the building's share in it, `MWh`.
    pub fn mwh_per_year(&self, nodes: u32) -> Option<f64> {
        self.power_kw.map(|kw| kw * f64::from(nodes) * self.pue * YEAR_HOURS / 1e3)
    }

    /// What one year costs: the sum of the known parts, and whether one is missing. `None` where the price of the server is
    /// not known, since nothing is then known of the whole.
    pub fn per_year(&self, nodes: u32) -> Option<(Usd, bool)> {
        let parts = self.parts(nodes);
        parts[0].per_year?;
        let sum = parts.iter().filter_map(|part| part.per_year).sum();
        Some((sum, parts.iter().any(|part| part.per_year.is_none())))
    }

    /// Years in cash: servers are bought at the start of a life, sold for the residual at its end, run in between.
    pub fn years(&self, nodes: u32, years: u32) -> Vec<Year> {
        let run: Usd = self.parts(nodes)[1..].iter().filter_map(|part| part.per_year).sum();
        let count = f64::from(nodes);
        let bought = self.price.and_then(|price| price.scaled(count));
        let sold = self.price.and_then(|price| price.scaled(count * self.residual));
        let at = |year: u32| {
            // Lives that end within this year, and lives that begin at its start: the first, then one after each end.
            let ended = (f64::from(year) / self.life_years).floor() as u32;
            let ended_before = (f64::from(year - 1) / self.life_years).floor() as u32;
            let begins = year == 1
                || ended_before > (f64::from(year.saturating_sub(2)) / self.life_years).floor() as u32;
            let mut paid = run;
            if begins {
                paid = paid + bought?;
            }
            if ended > ended_before {
                paid = paid.minus(sold?);
            }
            bought.map(|_| paid)
        };
        (1..=years).map(|year| Year { year, paid: at(year) }).collect()
    }
}

/// The share of all hours from which owning costs less than renting by the hour: own year / (rent of all hours). Above 1
/// it never does. `None` where a price is not known or nothing is rented.
pub fn break_even(own_per_year: Usd, rent_of_all_hours: Usd) -> Option<f64> {
    (rent_of_all_hours > Usd::ZERO).then(|| own_per_year.to_f64() / rent_of_all_hours.to_f64())
}

#[cfg(test)]
mod tests;
