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
    /// `purchase`, `colocation`, `electricity`, `staff`.
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
    /// What running `nodes` servers costs a year, part by part.
    ///
    /// Power is paid for every hour at what the server draws at most, since what an idle one draws is in no source: an
    /// upper bound.
    pub fn running(&self, nodes: u32) -> [Part; 3] {
        let kw = self.power_kw.map(|kw| kw * f64::from(nodes));
        let of = |amount: Option<Usd>, factor: Option<f64>| {
            amount.zip(factor).and_then(|(usd, by)| usd.scaled(by))
        };
        [
            Part { name: "colocation", per_year: of(self.colocation_per_kw_month, kw.map(|kw| kw * MONTHS)) },
            Part { name: "electricity", per_year: of(self.electricity_per_mwh, self.mwh_per_year(nodes)) },
            Part { name: "staff", per_year: self.staff_per_year },
        ]
    }

    /// The parts of an average year: what is bought less what is sold in all the `years`, shared out, and running.
    pub fn parts(&self, nodes: u32, years: u32) -> [Part; 4] {
        let [colocation, electricity, staff] = self.running(nodes);
        let bought = self.purchases(nodes, years).map(|paid| paid.into_iter().sum::<Usd>());
        let per_year = bought.and_then(|usd| usd.scaled(1.0 / f64::from(years)));
        [Part { name: "purchase", per_year }, colocation, electricity, staff]
    }

    /// Energy of `nodes` servers in a year, the building's share in it, `MWh`.
    pub fn mwh_per_year(&self, nodes: u32) -> Option<f64> {
        self.power_kw.map(|kw| kw * f64::from(nodes) * self.pue * YEAR_HOURS / 1e3)
    }

    /// Share of its life that a server which is still in use has behind it when so many years are over; `None` where the last
    /// life ends with them.
    fn used_of_last(&self, years: u32) -> Option<f64> {
        let used = (f64::from(years) / self.life_years).fract();
        (used > 1e-9 && used < 1.0 - 1e-9).then_some(used)
    }

    /// What the servers in use when so many years are over still stand in the books for: straight line from the price to the
    /// residual. `None` where the price is not known or no life is left.
    pub fn book_value(&self, nodes: u32, years: u32) -> Option<Usd> {
        let left = 1.0 - self.used_of_last(years)?;
        self.price?.scaled(f64::from(nodes) * (self.residual + (1.0 - self.residual) * left))
    }

    /// What is bought less what is sold, year by year: a server at the start of each life, its residual at the end of one;
    /// one that is still in use at the end of the `years` counts at its book value then. `None` where the price is not known.
    fn purchases(&self, nodes: u32, years: u32) -> Option<Vec<Usd>> {
        let count = f64::from(nodes);
        let (bought, sold) = (self.price?.scaled(count)?, self.price?.scaled(count * self.residual)?);
        // Lives that have ended when so many years are over; the noise of a life such as 0.1 years is no end.
        let ended = |year: u32| (f64::from(year) / self.life_years + 1e-9).floor() as u32;
        let times = |usd: Usd, n: u32| usd.scaled(f64::from(n));
        let mut all = Vec::new();
        for year in 1..=years {
            let last = year == years;
            let (before, after) = (ended(year - 1), ended(year));
            // A life that ends with the last year is not followed by another.
            let on_the_edge = self.used_of_last(year).is_none();
            let ends = after - before;
            let follows = if last && on_the_edge { ends.saturating_sub(1) } else { ends };
            let begins = u32::from(year == 1) + follows;
            let left = self.book_value(nodes, years).filter(|_| last).unwrap_or(Usd::ZERO);
            all.push(times(bought, begins)?.minus(times(sold, ends)?).minus(left));
        }
        Some(all)
    }

    /// Years in cash.
    pub fn years(&self, nodes: u32, years: u32) -> Vec<Year> {
        let run: Usd = self.running(nodes).iter().filter_map(|part| part.per_year).sum();
        let purchases = self.purchases(nodes, years);
        let paid = |year: u32| purchases.as_ref().map(|paid| paid[year as usize - 1] + run);
        (1..=years).map(|year| Year { year, paid: paid(year) }).collect()
    }
}

/// The share of all hours from which owning costs less than renting by the hour: own year / (rent of all hours). Above 1
/// it never does. `None` where a price is not known or nothing is rented.
pub fn break_even(own_per_year: Usd, rent_of_all_hours: Usd) -> Option<f64> {
    (rent_of_all_hours > Usd::ZERO).then(|| own_per_year.to_f64() / rent_of_all_hours.to_f64())
}

#[cfg(test)]
mod tests;
