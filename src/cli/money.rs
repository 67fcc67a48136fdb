//! `--currency`, `--fx` and `--assume-commitment-discount`: what they do to the prices of a run, and in which currency
//! its answer is told. A currency without a rate is refused, unless nothing would have to be converted.

use super::args::GlobalArgs;
use super::value::{Fx, Term};
use crate::catalog::Catalog;
use crate::catalog::price::{Currency, Price};
use crate::catalog::provenance::{AsOf, SourceId};
use crate::catalog::select::{Filter, MaxAge};
use crate::diag::{Assumption, InputError, Warning, near_names};
use crate::price::assumed::{self, Assumed};
use crate::price::exchange::{self, Converted, Rates};
use crate::report::Used;
use crate::report::exchange::{Exchange, Kind, Rate};
use jiff::civil::Date;
use std::collections::BTreeMap;

/// Decimals of a currency of which nothing is known.
const DECIMALS: u32 = 2;

/// In which currency a run answers, and what was converted for it.
#[derive(Debug, Default)]
pub struct Money {
    display: Option<Exchange>,
    rates: BTreeMap<Currency, Stated>,
    converted: Converted,
    assumptions: Vec<Assumption>,
    /// Everything that is asked for is priced in the currency of the answer.
    confirmed: bool,
}

/// A rate and who says so.
#[derive(Clone, Debug)]
struct Stated {
    rate: Rate,
    why: String,
    source: String,
}

impl Money {
    /// Applies the flags to the prices of a catalog. `today` is the day of a rate that was stated without one.
    pub fn settle(
        global: &GlobalArgs,
        catalog: &mut Catalog,
        today: impl Fn() -> anyhow::Result<Date>,
    ) -> anyhow::Result<Self> {
        let rates = rates(catalog, &global.fx, today)?;
        let asked = global.currency.map(|code| code.0).filter(|&code| code != Currency::USD);
        let mut money = Self { rates, ..Self::default() };
        if let Some(code) = asked {
            money.display = Some(money.display_in(code, catalog)?);
        }
        if money.is_native() {
            exchange::count_in(catalog, asked.unwrap_or(Currency::USD));
        } else {
            let rates: Rates = money.rates.iter().map(|(&code, it)| (code, it.rate.per_usd)).collect();
            money.converted = exchange::into_usd(catalog, &rates);
        }
        money.assume(&terms(&global.assume_commitment_discount)?, catalog);
        Ok(money)
    }

    /// Another catalog of the same run was converted too.
    pub fn also(&mut self, other: Self) {
        for (code, sources) in other.converted {
            self.converted.entry(code).or_default().extend(sources);
        }
    }

    fn display_in(&self, currency: Currency, catalog: &Catalog) -> Result<Exchange, InputError> {
        let row = catalog.currencies.iter().find(|row| row.code == currency);
        let decimals = row.map_or(DECIMALS, |row| row.decimals);
        let code = currency.code().to_owned();
        let kind = match self.rates.get(&currency) {
            Some(stated) => Kind::Converted(stated.rate.clone()),
            None if catalog.prices.iter().any(|price| price.currency == currency) => Kind::Native,
            None => return Err(no_rate(currency, catalog, "no exchange rate is known for it")),
        };
        Ok(Exchange::new(code, decimals, kind))
    }

    fn assume(&mut self, assumed: &[Assumed], catalog: &mut Catalog) {
        if assumed.is_empty() {
            return;
        }
        let (count, made) = assumed::add(catalog, assumed);
        for sources in self.converted.values_mut() {
            let own: Vec<SourceId> =
                made.iter().filter(|(_, of)| sources.contains(of)).map(|(own, _)| *own).collect();
            sources.extend(own);
        }
        self.assumptions.extend(assumed.iter().map(|it| Assumption {
            id: "commitment-discount",
            value: format!("{} {} % below on-demand", it.billing.name(), it.percent.normalize()),
            why: format!(
                "a flat discount that nobody offers, for machines without a known price of such a term ({count} prices in all)"
            ),
            source: "--assume-commitment-discount".to_owned(),
        }));
    }

    /// Everything is counted in the currency of the answer, no rate being known.
    pub fn is_native(&self) -> bool {
        self.display.as_ref().is_some_and(|display| display.kind == Kind::Native)
    }

    /// The currency that everything is counted in, where that is not the dollar.
    pub fn native_code(&self) -> Option<String> {
        self.display.as_ref().filter(|_| self.is_native()).map(|display| display.code.clone())
    }

    /// Refuses what would need a rate that nobody stated: prices in other currencies among those asked for, and limits
    /// in dollars.
    pub fn confirm(
        &mut self,
        catalog: &Catalog,
        filter: &Filter,
        limits_in_usd: bool,
    ) -> Result<(), InputError> {
        let Some(currency) = self.display.as_ref().filter(|_| self.is_native()) else { return Ok(()) };
        let currency = Currency::from_code(&currency.code).unwrap_or(Currency::USD);
        let any_age = Filter { max_age: None, billing: Vec::new(), ..filter.clone() };
        // What is not known in any currency needs no rate.
        let foreign = |price: &&Price| exchange::is_foreign(price) && price.per_hour.is_some();
        let foreign = any_age.prices(catalog).into_iter().filter(foreign).count();
        if foreign > 0 {
            let what =
                format!("{foreign} of the prices asked for are in another currency and no rate is known");
            return Err(no_rate(currency, catalog, &what));
        }
        if limits_in_usd {
            return self.need_dollars("limits are");
        }
        self.confirmed = true;
        Ok(())
    }

    /// Refuses, where everything is counted in another currency without a rate, what is in dollars.
    pub fn need_dollars(&self, what: &str) -> Result<(), InputError> {
        match self.display.as_ref().filter(|_| self.is_native()) {
            Some(display) => {
                let currency = Currency::from_code(&display.code).unwrap_or(Currency::USD);
                let what = format!("{what} in US dollars and no exchange rate is known");
                Err(no_rate(currency, &Catalog::default(), &what))
            }
            None => Ok(()),
        }
    }

    /// Rates that are older than the prices may be, as a warning.
    pub fn old_rates(&self, max_age: Option<MaxAge>) -> Option<Warning> {
        let limit = max_age?;
        let display = self.display.as_ref().and_then(|display| Currency::from_code(&display.code));
        let old = |(code, stated): &(&Currency, &Stated)| {
            let drawn = Some(**code) == display || self.converted.contains_key(code);
            drawn && !limit.holds(stated.rate.as_of.not_before())
        };
        let old: Vec<String> = self
            .rates
            .iter()
            .filter(old)
            .map(|(code, stated)| format!("{} of {}", code.code(), stated.rate.as_of))
            .collect();
        let message =
            format!("`--max-age` holds for prices, and an exchange rate is older: {}", old.join(", "));
        (!old.is_empty()).then_some(Warning { id: "exchange-rate-old", message })
    }

    /// In which currency an answer is told that draws on these sources, and what was taken for granted for it.
    pub fn told(&self, used: &Used) -> Result<(Option<Exchange>, Vec<Assumption>), InputError> {
        let mut assumptions = self.assumptions.clone();
        let drawn: Vec<Currency> = self
            .converted
            .iter()
            .filter(|(_, sources)| used.draws_on(sources))
            .map(|(&code, _)| code)
            .collect();
        let display = self.display.as_ref().and_then(|display| Currency::from_code(&display.code));
        if let Some(currency) = display.filter(|_| self.is_native() && !self.confirmed) {
            let what = "this answer needs an exchange rate and none is known";
            return Err(no_rate(currency, &Catalog::default(), what));
        }
        for code in self.rates.keys().filter(|code| Some(**code) == display || drawn.contains(code)) {
            assumptions.extend(self.rates.get(code).map(|stated| assumption(*code, stated)));
        }
        let from = |code: &Currency| {
            let rate = self.rates.get(code)?.rate.clone();
            let kind = Kind::From(code.code().to_owned(), rate);
            Some(Exchange::new("USD".to_owned(), DECIMALS, kind))
        };
        let told = self.display.clone().or_else(|| drawn.first().and_then(from));
        Ok((told.map(|exchange| exchange.with_listed(used.listed())), assumptions))
    }

    /// A sentence about money in the currency that everything is counted in.
    pub fn sentence(&self, text: &str) -> String {
        match self.display.as_ref().filter(|display| display.kind == Kind::Native) {
            Some(display) => display.sentence(text),
            None => text.to_owned(),
        }
    }
}

fn assumption(code: Currency, stated: &Stated) -> Assumption {
    Assumption {
        id: "exchange-rate",
        value: format!("{} {} for one dollar", stated.rate.per_usd.normalize(), code.code()),
        why: stated.why.clone(),
        source: stated.source.clone(),
    }
}

/// Rates of the catalog, below those of the command line.
fn rates(
    catalog: &Catalog,
    stated: &[Fx],
    today: impl Fn() -> anyhow::Result<Date>,
) -> anyhow::Result<BTreeMap<Currency, Stated>> {
    let mut rates = BTreeMap::new();
    for row in &catalog.currencies {
        let Some(per_usd) = row.rate() else { continue };
        let source = catalog.source(row.source);
        let why = "published rate".to_owned();
        let rate = Rate { per_usd, as_of: source.as_of };
        rates.insert(row.code, Stated { rate, why, source: source.text.clone() });
    }
    for (at, fx) in stated.iter().enumerate() {
        if let Some(other) = stated[..at].iter().find(|other| other.currency == fx.currency && *other != fx) {
            let code = fx.currency.code();
            let message = format!("two rates for {code}: {} and {}", other.rate, fx.rate);
            return Err(InputError::new(message, "leave one `--fx` out").into());
        }
        let (day, why) = match fx.day {
            Some(day) => {
                // Tomorrow is today somewhere.
                if day > today()?.tomorrow().unwrap_or(day) {
                    let code = fx.currency.code();
                    let message = format!("`--fx {code}={}@{day}`: the day is in the future", fx.rate);
                    return Err(InputError::new(message, "say the day on which the rate was true").into());
                }
                (day, "stated on the command line".to_owned())
            }
            None => (
                today()?,
                format!(
                    "stated on the command line without a day, so of the day of the run: {}=RATE@DAY says another",
                    fx.currency.code()
                ),
            ),
        };
        let rate = Rate { per_usd: fx.rate, as_of: AsOf::Day(day) };
        rates.insert(fx.currency, Stated { rate, why, source: "--fx".to_owned() });
    }
    Ok(rates)
}

fn no_rate(currency: Currency, catalog: &Catalog, what: &str) -> InputError {
    let code = currency.code();
    let known = catalog.currencies.iter().map(|row| row.code.code());
    let is_known = catalog.currencies.is_empty() || known.clone().any(|known| known == code);
    let near = if is_known { Vec::new() } else { near_names(code, known) };
    let meant = near.first().map_or_else(String::new, |near| format!("; did you mean {near}?"));
    let hint =
        format!("say it: `--fx {code}=RATE`, units of {code} for one US dollar, or `{code}=RATE@DAY`{meant}");
    InputError::new(format!("`--currency {code}`: {what}"), hint)
}

/// The discounts, one a term.
fn terms(asked: &[Term]) -> Result<Vec<Assumed>, InputError> {
    let mut all: Vec<Assumed> = Vec::new();
    for term in asked {
        if all.iter().any(|other| other.billing == term.0.billing) {
            let message = format!("two discounts for {}", term.0.billing.name());
            return Err(InputError::new(message, "leave one `--assume-commitment-discount` out"));
        }
        all.push(term.0);
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
