//! Prices over time: dated snapshots in one compact text, and what they come to over a window.
//!
//! The text is a CSV with one line a price, in the order of names. A line holds only the days on which the price changed;
//! the days of the snapshots of a provider stand in a line of its own. Text in, text out: no file, no clock.

use super::Fault;
use super::ledger::decimal;
use jiff::civil::Date;
use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};

/// Columns of the text.
const HEAD: [&str; 7] = ["provider", "instance", "region", "billing", "upfront", "currency", "changes"];

/// What makes a line: provider, machine, region, billing, upfront, currency.
pub type Line = [String; 6];

/// All snapshots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Days of the snapshots of each provider.
    days: BTreeMap<String, BTreeSet<Date>>,
    /// For each price the days on which it became another one; `None` where it was gone.
    changes: BTreeMap<Line, BTreeMap<Date, Option<Decimal>>>,
}

/// What became of one price over a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trend<'h> {
    /// The price.
    pub line: &'h Line,
    /// Snapshots in the window that have it.
    pub snapshots: usize,
    /// The first and the last day of them.
    pub days: (Date, Date),
    /// The price on these two days.
    pub ends: (Decimal, Decimal),
    /// The lowest price.
    pub min: Decimal,
    /// The mean of the snapshots, each counted once.
    pub mean: Decimal,
    /// The highest price.
    pub max: Decimal,
}

impl Trend<'_> {
    /// Change from the first to the last snapshot, per cent.
    pub fn change_percent(&self) -> Option<Decimal> {
        let (first, last) = self.ends;
        last.checked_sub(first)?.checked_div(first)?.checked_mul(Decimal::ONE_HUNDRED)
    }
}

impl History {
    /// Reads the text.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let mut history = Self::default();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        for (at, record) in reader.records().enumerate() {
            let line = at as u64 + 1;
            let hint = "move the file away: `catalog update` begins a new one";
            let wrong = |what: &str| Fault::at(line, 1, what, hint);
            let record = record.map_err(|error| wrong(&error.to_string()))?;
            let cells: Vec<&str> = record.iter().collect();
            let [names @ .., changes] = cells.as_slice() else { return Err(wrong("an empty line")) };
            if at == 0 {
                if cells != HEAD {
                    return Err(wrong("not a history of prices of this version"));
                }
                continue;
            }
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let names: Line = names.try_into().map_err(|_| wrong("a line with another number of cells"))?;
            for word in changes.split(' ') {
                let (day, amount) = word.split_once('=').map_or((word, None), |(day, it)| (day, Some(it)));
                let day: Date = day.parse().map_err(|_| wrong(&format!("`{day}` is no day")))?;
                match amount {
                    None => {
                        history.days.entry(names[0].clone()).or_default().insert(day);
                    }
                    Some(amount) => {
                        let gone = amount.is_empty();
                        let amount = decimal(amount).filter(|amount| *amount > Decimal::ZERO);
                        if amount.is_none() && !gone {
                            return Err(wrong(&format!("`{word}` is no price")));
                        }
                        history.changes.entry(names.clone()).or_default().insert(day, amount);
                    }
                }
            }
        }
        Ok(history)
    }

    /// The text; the same snapshots give the same bytes.
    pub fn text(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut write = |cells: &[&str]| writer.write_record(cells).is_ok();
        write(&HEAD);
        for (provider, days) in &self.days {
            let days: Vec<String> = days.iter().map(Date::to_string).collect();
            write(&[provider, "", "", "", "", "", &days.join(" ")]);
            let own = self.changes.iter().filter(|(line, _)| line[0] == *provider);
            for (line, changes) in own {
                let word = |(day, amount): (&Date, &Option<Decimal>)| {
                    format!("{day}={}", amount.map_or_else(String::new, |amount| amount.to_string()))
                };
                let changes: Vec<String> = changes.iter().map(word).collect();
                let changes = changes.join(" ");
                let cells: Vec<&str> = line.iter().map(String::as_str).chain([changes.as_str()]).collect();
                write(&cells);
            }
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// Takes in all prices of some providers on a day; a snapshot of the same day is replaced.
    pub fn record(&mut self, providers: &[String], day: Date, prices: &BTreeMap<Line, Decimal>) {
        let of = |line: &Line| providers.contains(&line[0]);
        let known: BTreeSet<Line> =
            self.changes.keys().chain(prices.keys()).filter(|line| of(line)).cloned().collect();
        for line in known {
            let next =
                self.days.get(&line[0]).and_then(|days| days.range(day..).find(|it| **it > day).copied());
            let changes = self.changes.entry(line.clone()).or_default();
            if let Some(next) = next {
                let then = at(changes, next);
                changes.insert(next, then);
            }
            changes.insert(day, prices.get(&line).map(Decimal::normalize));
            thin(changes);
        }
        self.changes.retain(|_, changes| !changes.is_empty());
        for provider in providers {
            self.days.entry(provider.clone()).or_default().insert(day);
        }
    }

    /// Forgets snapshots that are older than so many days before the newest one of their provider.
    pub fn forget(&mut self, keep_days: i32) {
        for (provider, days) in &mut self.days {
            let Some(first) = days.last().and_then(|last| before(*last, keep_days)) else { continue };
            if days.first().is_none_or(|day| *day >= first) {
                continue;
            }
            days.retain(|day| *day >= first);
            let Some(first) = days.first().copied() else { continue };
            for (_, changes) in self.changes.iter_mut().filter(|(line, _)| line[0] == *provider) {
                let then = at(changes, first);
                changes.insert(first, then);
                changes.retain(|day, _| *day >= first);
                thin(changes);
            }
        }
        self.changes.retain(|_, changes| !changes.is_empty());
    }

    /// Every price that a snapshot of the last so many days before `today` has, in the order of names.
    pub fn trends(&self, today: Date, window_days: i32) -> Vec<Trend<'_>> {
        let since = before(today, window_days).unwrap_or(Date::MIN);
        let trend = |(line, changes)| self.trend(line, changes, since, today);
        self.changes.iter().filter_map(trend).collect()
    }

    fn trend<'h>(
        &'h self,
        line: &'h Line,
        changes: &BTreeMap<Date, Option<Decimal>>,
        since: Date,
        today: Date,
    ) -> Option<Trend<'h>> {
        if since > today {
            return None;
        }
        let days = self.days.get(&line[0])?.range(since..=today);
        let seen: Vec<(Date, Decimal)> = days.filter_map(|&day| Some((day, at(changes, day)?))).collect();
        let (first, last) = (seen.first()?, seen.last()?);
        let amounts = || seen.iter().map(|(_, amount)| *amount);
        let sum = amounts().try_fold(Decimal::ZERO, Decimal::checked_add)?;
        Some(Trend {
            line,
            snapshots: seen.len(),
            days: (first.0, last.0),
            ends: (first.1, last.1),
            min: amounts().min()?,
            mean: sum.checked_div(Decimal::from(seen.len()))?,
            max: amounts().max()?,
        })
    }

    /// Days of all snapshots.
    pub fn days(&self) -> BTreeSet<Date> {
        self.days.values().flatten().copied().collect()
    }
}

fn before(day: Date, days: i32) -> Option<Date> {
    day.checked_sub(jiff::Span::new().try_days(days).ok()?).ok()
}

/// The price on a day.
fn at(changes: &BTreeMap<Date, Option<Decimal>>, day: Date) -> Option<Decimal> {
    changes.range(..=day).next_back().and_then(|(_, amount)| *amount)
}

/// Leaves out what is no change.
fn thin(changes: &mut BTreeMap<Date, Option<Decimal>>) {
    let mut last = None;
    changes.retain(|_, amount| {
        let other = *amount != last;
        last = *amount;
        other
    });
}

#[cfg(test)]
mod tests;
