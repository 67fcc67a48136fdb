//! The parts of a bill: machines while they work, start and idle, disks, data that leaves. The total is their sum.
//!
//! Machines are billed in the steps of their provider; what rounding up adds belongs to the work. Disks cost for the
//! whole time that they exist, running, waiting for spot capacity, idle or stopped. A part whose price is not known is `None`, never zero.

use super::bill::Due;
use crate::catalog::charge::{Charge, Charges};
use crate::catalog::price::Billing;
use crate::diag::Assumption;
use crate::money::{BilledHours, Usd, UsdPerHour};

/// Hours of a month, by the contract.
const MONTH: f64 = 730.0;

/// Shortest time that counts as a step begun, in seconds: durations are typed and computed as binary fractions.
const NOISE_S: f64 = 1e-3;

/// What a job uses besides its own hours of work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extras {
    /// Billed hours of each machine until work begins.
    pub startup_hours: f64,
    /// Billed hours in which each machine waits.
    pub idle_hours: f64,
    /// Hours in which the machines are stopped and their disks are kept.
    pub stopped_hours: f64,
    /// Disk space of all machines together, bytes.
    pub storage_bytes: f64,
    /// Data that leaves for the internet, bytes.
    pub egress_bytes: f64,
}

/// What each part of a job costs; `None` is not known. What is not used costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The machines while they work, with what rounding up to the steps of billing adds.
    pub compute: Option<Usd>,
    /// The machines until work begins.
    pub startup: Option<Usd>,
    /// The machines while they wait, and while they are stopped where that is billed.
    pub idle: Option<Usd>,
    /// Disks.
    pub storage: Option<Usd>,
    /// Data that leaves.
    pub egress: Option<Usd>,
}

impl Parts {
    /// The sum of what is known; `None` where the price of the machines is not.
    pub fn total(&self) -> Option<Usd> {
        self.compute?;
        Some([self.compute, self.startup, self.idle, self.storage, self.egress].into_iter().flatten().sum())
    }

    /// Whether the sum lacks a part that is not known.
    pub fn at_least(&self) -> bool {
        self.compute.is_some() && (self.storage.is_none() || self.egress.is_none())
    }

    /// What is known of disks and data.
    pub fn beside_machines(&self) -> Usd {
        [self.storage, self.egress].into_iter().flatten().sum()
    }
}

/// A job under one contract: hours that are billed, and what they and the rest cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quote {
    /// Billed hours of each machine.
    pub hours: f64,
    /// What the machines cost, before it is rounded to the cent.
    pub machines_usd: f64,
    /// What the parts cost.
    pub parts: Parts,
}

impl Extras {
    /// Whether the region with the lowest price of the machine may not be the one with the lowest total.
    pub fn depend_on_place(&self) -> bool {
        self.storage_bytes > 0.0 || self.egress_bytes > 0.0 || self.stopped_hours > 0.0
    }

    /// Billed hours of each machine for a job. Contracts with a term or for fixed days pay a share, which has no steps;
    /// `None` for `compute` counts time exactly.
    pub fn billed_hours(&self, due: &Due, billing: Billing, compute: Option<&Charge>) -> f64 {
        self.runs(due, billing, compute).into_iter().sum()
    }

    /// The same where capacity comes in blocks: the shortest one that holds the job; `None` where none is long enough.
    pub fn owed_hours(&self, due: &Due, billing: Billing, charges: &Charges) -> Option<f64> {
        let busy = self.billed_hours(due, billing, charges.compute);
        match charges.blocks.and_then(|charge| charge.blocks).filter(|_| billing == Billing::CapacityBlock) {
            Some(blocks) => block_hours(busy, blocks),
            None => Some(busy),
        }
    }

    /// Billed hours at the price of the contract, then those on demand where spot gives way to it: machines are started
    /// anew for them.
    fn runs(&self, due: &Due, billing: Billing, compute: Option<&Charge>) -> [f64; 2] {
        let counted = |busy: f64| {
            let Some(charge) = compute.filter(|_| in_steps(billing) && busy > 0.0) else { return busy };
            let step = f64::from(charge.increment_s.max(1));
            let seconds = ((busy * 3600.0 - NOISE_S) / step).ceil().max(0.0) * step;
            seconds.max(f64::from(charge.minimum_s)) / 3600.0
        };
        let first = self.startup_hours + due.billed_hours - due.on_demand_hours;
        let waiting = self.waiting(billing, compute);
        if due.on_demand_hours > 0.0 {
            [counted(first), counted(due.on_demand_hours + waiting)]
        } else {
            [counted(first + waiting), 0.0]
        }
    }

    /// Billed hours in which a machine does nothing: idle ones, and stopped ones where they are billed.
    fn waiting(&self, billing: Billing, compute: Option<&Charge>) -> f64 {
        let billed = in_steps(billing) && compute.is_some_and(|charge| charge.billed_when_stopped);
        self.idle_hours + if billed { self.stopped_hours } else { 0.0 }
    }

    /// What a job costs at the prices of an hour of all its machines: that of the contract, and that on demand, which only
    /// spot that gives way to it needs.
    pub fn quote(
        &self,
        (rate, on_demand): (UsdPerHour, Option<UsdPerHour>),
        due: &Due,
        billing: Billing,
        charges: &Charges,
    ) -> Option<Quote> {
        let cost = |rate: UsdPerHour, hours: f64| {
            if hours > 0.0 { BilledHours::from_f64(hours).map(|h| rate.cost(h)) } else { Some(Usd::ZERO) }
        };
        let [first, rest] = self.runs(due, billing, charges.compute);
        let first = if rest > 0.0 { first } else { self.owed_hours(due, billing, charges)? };
        let later = if rest > 0.0 { on_demand? } else { rate };
        let all = cost(rate, first)? + cost(later, rest)?;
        let startup = cost(rate, self.startup_hours)?.min(all);
        let idle = cost(later, self.waiting(billing, charges.compute))?.min(all.minus(startup));
        let running = self.startup_hours + due.wall_hours + self.idle_hours;
        let parts = Parts {
            compute: Some(all.minus(startup).minus(idle)),
            startup: Some(startup),
            idle: Some(idle),
            storage: self.storage(running, charges.storage),
            egress: self.egress(running, charges.egress),
        };
        let machines_usd = rate.to_f64() * first + later.to_f64() * rest;
        Some(Quote { hours: first + rest, machines_usd, parts })
    }

    fn storage(&self, running: f64, charge: Option<&Charge>) -> Option<Usd> {
        if self.storage_bytes <= 0.0 {
            return Some(Usd::ZERO);
        }
        let charge = charge?;
        let usd = charge.steps.first()?.usd;
        let unit_months = |hours: f64| self.storage_bytes / charge.unit_bytes * hours / MONTH;
        let stopped = (unit_months(self.stopped_hours), charge.usd_when_stopped.unwrap_or(usd));
        Usd::charged([(unit_months(running), usd), stopped])
    }

    /// Data is taken to leave evenly over the months of a job, since prices fall with what leaves in one month.
    fn egress(&self, running: f64, charge: Option<&Charge>) -> Option<Usd> {
        if self.egress_bytes <= 0.0 {
            return Some(Usd::ZERO);
        }
        let charge = charge?;
        let months = ((running + self.stopped_hours) / MONTH).ceil().max(1.0);
        let a_month = self.egress_bytes / charge.unit_bytes / months;
        let ends = charge.steps.iter().skip(1).map(|step| step.from).chain([f64::INFINITY]);
        let within = charge.steps.iter().zip(ends).map(|(step, end)| {
            let units = (a_month.min(end) - step.from).max(0.0);
            (units * months, step.usd)
        });
        Usd::charged(within)
    }
}

/// Hours of the shortest block that holds so many: whole days, beyond the first number of days whole weeks.
fn block_hours(busy: f64, (most_days, most_weeks): (u32, u32)) -> Option<f64> {
    let days = ((busy * 3600.0 - NOISE_S) / 86_400.0).ceil().max(1.0);
    if days <= f64::from(most_days) {
        return Some(days * 24.0);
    }
    let weeks = (days / 7.0).ceil();
    (weeks <= f64::from(most_weeks)).then_some(weeks * 168.0)
}

/// In which blocks capacity is sold, and what that does to a job of so many billed hours.
pub fn blocks(charge: Option<&Charge>, hours: Option<f64>) -> String {
    let Some((days, weeks)) = charge.and_then(|charge| charge.blocks) else {
        return "sold in whole blocks of days, paid at their start; how long they may be is not known, so time is \
                counted exactly"
            .to_owned();
    };
    let lengths = if weeks * 7 > days {
        format!("1 to {days} days, or of whole weeks up to {weeks}")
    } else {
        format!("1 to {days} days")
    };
    let so = match hours {
        Some(hours) if hours > 24.0 => format!("{} days are owed", hours / 24.0),
        Some(_) => "one day is owed".to_owned(),
        None => "none is long enough for the job".to_owned(),
    };
    format!("sold in blocks of {lengths}, paid at their start: {so}")
}

/// Whether time is billed in steps: contracts without a term, by the hour.
fn in_steps(billing: Billing) -> bool {
    !billing.is_committed() && billing != Billing::CapacityBlock
}

/// How a contract is priced and how its time is counted; `None` where a term or a block is owed anyway.
pub fn counting(billing: Billing, compute: Option<&Charge>) -> Option<String> {
    if !in_steps(billing) {
        return None;
    }
    let Some(charge) = compute else {
        return Some(
            "priced by the hour; in which steps time is billed is not known, so it is counted exactly".into(),
        );
    };
    let least = match charge.minimum_s {
        least if least <= charge.increment_s => String::new(),
        least => format!(", at least {}", span(least)),
    };
    Some(format!("priced by the hour, billed {}{least}", step(charge.increment_s)))
}

fn step(seconds: u32) -> String {
    match seconds {
        1 => "by the second".to_owned(),
        60 => "by the minute".to_owned(),
        3600 => "by the hour, each begun one in full".to_owned(),
        other => format!("in steps of {}", span(other)),
    }
}

fn span(seconds: u32) -> String {
    match seconds {
        whole if whole % 3600 == 0 => format!("{} h", whole / 3600),
        whole if whole % 60 == 0 && whole > 60 => format!("{} min", whole / 60),
        other => format!("{other} s"),
    }
}

/// Sentences about disks and data: at which price, or that none is known.
pub fn priced(extras: &Extras, charges: &Charges) -> Vec<String> {
    let mut said = Vec::new();
    let unknown = |what: &str| {
        format!("the price of {what} here is not in the catalog: the total is at least what it says")
    };
    if extras.storage_bytes > 0.0 {
        said.push(match charges.storage.and_then(|charge| Some((charge, charge.steps.first()?))) {
            Some((charge, step)) => {
                let stopped = charge
                    .usd_when_stopped
                    .map_or(String::new(), |usd| format!(" ({usd} USD while stopped)"));
                format!("storage at {} USD per {} and month{stopped}", step.usd, charge.unit())
            }
            None => unknown("storage"),
        });
    }
    if extras.egress_bytes > 0.0 {
        said.push(match charges.egress.and_then(|charge| Some((charge, charge.steps.first()?))) {
            Some((_, step)) if step.usd == 0.0 => "egress is free".to_owned(),
            Some((charge, step)) => {
                let steps = if charge.steps.len() > 1 { " in the first of its steps" } else { "" };
                format!("egress at {} USD per {}{steps}", step.usd, charge.unit())
            }
            None => unknown("egress"),
        });
    }
    if extras.stopped_hours > 0.0 {
        said.extend(match charges.compute {
            Some(charge) if charge.billed_when_stopped => {
                Some("a stopped machine is billed like a running one here".to_owned())
            }
            Some(_) => None,
            None => {
                Some("whether a stopped machine is billed here is not known; it is taken as not".to_owned())
            }
        });
    }
    said
}

/// What a bill takes for granted: which parts are not in it.
pub fn assumptions(extras: &Extras) -> Vec<Assumption> {
    let parts = [
        (extras.startup_hours, "start-up time"),
        (extras.idle_hours, "idle time"),
        (extras.storage_bytes, "storage"),
        (extras.egress_bytes, "egress"),
    ];
    let left_out: Vec<&str> = parts.iter().filter(|(used, _)| *used <= 0.0).map(|(_, name)| *name).collect();
    let mut all = Vec::new();
    if !left_out.is_empty() {
        all.push(Assumption {
            id: "bill-parts",
            value: format!("no {}", left_out.join(", no ")),
            why: "not asked for; --startup, --idle, --stopped, --storage and --egress add them to the bill"
                .to_owned(),
            source: "default of gpuadvise".to_owned(),
        });
    }
    if extras.egress_bytes > 0.0 {
        all.push(Assumption {
            id: "egress-allowance",
            value: "none left".to_owned(),
            why: "what an account may send for free each month is taken as used up; data leaves evenly over the job"
                .to_owned(),
            source: "default of gpuadvise".to_owned(),
        });
    }
    all
}

#[cfg(test)]
mod tests;
