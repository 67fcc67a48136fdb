//! Contracts with a term over several years: terms follow each other, and each is owed as a whole.

use super::own::YEAR_HOURS;
use crate::money::{BilledHours, Usd, UsdPerHour};

/// Terms of one contract that cover some years.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Effective price of an hour of all machines, the upfront part spread over the term.
    pub rate: UsdPerHour,
    /// Paid at the start of each term; `None` is not known.
    pub upfront: Option<Usd>,
    /// Hours of a term.
    pub hours: u32,
}

impl Terms {
    /// How many terms cover `years`: one that has begun is owed.
    pub fn count(&self, years: u32) -> u32 {
        (f64::from(years) * YEAR_HOURS / f64::from(self.hours) - 1e-9).ceil() as u32
    }

    /// What one term owes.
    pub fn owed_by_one(&self) -> Option<Usd> {
        Some(self.rate.cost(BilledHours::from_f64(f64::from(self.hours))?))
    }

    /// What all terms owe that cover `years`.
    pub fn owed(&self, years: u32) -> Option<Usd> {
        self.owed_by_one()?.scaled(f64::from(self.count(years)))
    }

    /// Cash year by year: the upfront part in the year in which a term starts, the rest hour by hour; what a term still owes
    /// after the last year stands in that year. The sum is what all terms owe, to the cent. `None` where the years of a term
    /// cannot be told apart, what is paid at its start not being known.
    pub fn cash(&self, years: u32) -> Option<Vec<Usd>> {
        let owed = self.owed_by_one()?;
        let upfront = match self.upfront {
            Some(upfront) => upfront.min(owed),
            // A term that ends within the year is paid in it, whenever it is.
            None if years == 1 || f64::from(self.hours) <= YEAR_HOURS => Usd::ZERO,
            None => return None,
        };
        let rest = owed.minus(upfront);
        let all = self.owed(years)?;
        let (mut paid, mut left) = (Vec::new(), all);
        for year in 1..=years {
            let starts = self.count(year) - if year == 1 { 0 } else { self.count(year - 1) };
            let share = YEAR_HOURS / f64::from(self.hours);
            let usd = upfront.scaled(f64::from(starts))? + rest.scaled(share)?;
            let usd = if year == years { left } else { usd.min(left) };
            left = left.minus(usd);
            paid.push(usd);
        }
        Some(paid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn usd(amount: f64) -> Usd {
        Usd::from_f64(amount).expect("an amount")
    }

    fn terms(rate: f64, upfront: f64, hours: u32) -> Terms {
        Terms { rate: UsdPerHour::from_f64(rate).expect("a price"), upfront: Some(usd(upfront)), hours }
    }

    /// All upfront for three years: everything is paid on the first day, and a fourth year starts a second term.
    #[test]
    fn a_term_that_has_begun_is_owed() {
        let three = terms(10.0, 262_800.0, 26_280);
        assert_eq!(three.cash(1), Some(vec![usd(262_800.0)]));
        assert_eq!(three.cash(3), Some(vec![usd(262_800.0), Usd::ZERO, Usd::ZERO]));
        assert_eq!(three.cash(4).map(|paid| paid[3]), Some(usd(262_800.0)));
        let none = terms(10.0, 0.0, 26_280);
        assert_eq!(none.cash(3), Some(vec![usd(87_600.0); 3]));
        assert_eq!(none.cash(1), Some(vec![usd(262_800.0)]), "one year is used, three are owed");
        let monthly = terms(1.0, 0.0, 730);
        assert_eq!((monthly.count(1), monthly.cash(2)), (12, Some(vec![usd(8760.0); 2])));
    }

    /// What is due on the first day decides which year is paid when, unless a term is over within a year.
    #[test]
    fn an_unknown_start_is_no_start_of_nothing() {
        let three = Terms { upfront: None, ..terms(10.0, 0.0, 26_280) };
        assert_eq!((three.cash(3), three.owed(3)), (None, Some(usd(262_800.0))));
        assert_eq!(three.cash(1), Some(vec![usd(262_800.0)]));
        let one = Terms { upfront: None, ..terms(10.0, 0.0, 8760) };
        assert_eq!(one.cash(2), Some(vec![usd(87_600.0); 2]));
    }

    proptest! {
        #[test]
        fn cash_adds_up_to_what_is_owed(rate in 0.001..900.0_f64, share in 0.0..1.0_f64, term in 0_usize..3, years in 1_u32..20) {
            let hours = [730, 8760, 26_280][term];
            let plain = terms(rate, 0.0, hours);
            let owed = plain.owed_by_one().expect("owed");
            let some = Terms { upfront: Some(owed.scaled(share).expect("a share")), ..plain };
            let sum: Usd = some.cash(years).expect("cash").into_iter().sum();
            prop_assert_eq!(Some(sum), owed.scaled(f64::from(some.count(years))));
        }
    }
}
