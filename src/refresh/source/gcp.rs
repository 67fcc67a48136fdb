//! Pages of Google Cloud Billing SKUs. A machine is the sum of its cores, memory, GPUs and, where it comes with them, local
//! SSDs; `rules.toml` says which SKUs make which machines. A machine is only priced where every part is.
//!
//! Quirks: prices are units and nanos; a month of an SSD is 730 hours; regions stand in `serviceRegions`, several a SKU.

use crate::catalog::instance::{Instance, Unit};
use crate::catalog::price::Billing;
use crate::refresh::json::{Few, Loose, Walk, walk};
use crate::refresh::ledger::MOST_PRICES;
use crate::refresh::rules::Parts;
use crate::refresh::{Amount, Fault, Ledger, Offer, Reason};
use rust_decimal::Decimal;
use rust_decimal::prelude::FromPrimitive;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Sku {
    description: Loose,
    category: Category,
    service_regions: Few<Loose>,
    pricing_info: Few<Info>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Category {
    usage_type: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Info {
    pricing_expression: Expression,
    effective_time: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Expression {
    usage_unit: Loose,
    tiered_rates: Few<Rate>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Rate {
    unit_price: Money,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Money {
    currency_code: Loose,
    units: Loose,
    nanos: Loose,
}

/// Rates by part, region and kind: the one, or a few of those that contradict each other.
type Rates = BTreeMap<(String, String, Billing), BTreeSet<(Decimal, String)>>;

/// Rates of one part that are kept to be told.
const MOST_RATES: usize = 4;

struct Pages<'l, 'c> {
    ledger: &'l mut Ledger<'c>,
    rules: Vec<Parts>,
    rates: Rates,
    items: u64,
}

/// Reads pages, then sums machines up.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    let rules = ledger.rules.gcp.clone();
    let mut pages = Pages { ledger, rules, rates: Rates::new(), items: 0 };
    walk(from, &mut pages)?;
    pages.sum_up()
}

impl Walk for Pages<'_, '_> {
    type Item = Sku;

    fn paths(&self) -> &'static [&'static [&'static str]] {
        &[&["skus"]]
    }

    fn item(&mut self, _: usize, _: &str, sku: Sku) -> Result<(), Fault> {
        self.items += 1;
        let description = sku.description.text();
        let found = billing(sku.category.usage_type.text())
            .and_then(|billing| Some((part(&self.rules, description, billing)?, billing)));
        let Some((part, billing)) = found else {
            self.ledger.skip(Reason::OtherProduct, self.items, &description);
            return Ok(());
        };
        let rate = sku.pricing_info.0.last().and_then(rate);
        let Some((amount, currency)) = rate else {
            self.ledger.skip(Reason::PriceNotUsable, self.items, &description);
            return Ok(());
        };
        let times =
            sku.pricing_info.0.iter().filter_map(|info| info.effective_time.text().get(..10)?.parse().ok());
        times.for_each(|day| self.ledger.said(day));
        for region in &sku.service_regions.0 {
            if self.rates.len() >= MOST_PRICES {
                return Err(Fault::new(format!("more than {MOST_PRICES} rates"), "import it in parts"));
            }
            let key = (part.clone(), region.text().to_owned(), billing);
            let known = self.rates.entry(key).or_default();
            if known.len() < MOST_RATES {
                known.insert((amount, currency.clone()));
            }
        }
        Ok(())
    }
}

impl Pages<'_, '_> {
    fn sum_up(&mut self) -> Result<(), Fault> {
        let google = self.ledger.need_provider()?;
        // Of several rates for one part nobody knows which one holds, whatever the order of pages: none does.
        for ((part, region, billing), rates) in self.rates.iter().filter(|(_, rates)| rates.len() > 1) {
            let amounts: Vec<String> =
                rates.iter().map(|(amount, currency)| format!("{amount} {currency}")).collect();
            let what = format!("{part} {region} {}: {}", billing.name(), amounts.join(" and "));
            self.ledger.skip(Reason::ConflictingPrices, 0, &what);
        }
        let catalog = self.ledger.catalog();
        let mut places: Vec<(&str, Billing)> =
            self.rates.keys().map(|(_, region, billing)| (region.as_str(), *billing)).collect();
        places.sort_unstable();
        places.dedup();
        for machine in
            catalog.instances.iter().filter(|it| it.provider == google && it.unit == Unit::Instance)
        {
            let Some(rule) = self.rules.iter().find(|rule| holds(rule, machine)) else { continue };
            for &(region, billing) in &places {
                let rate = |part: &str| {
                    let rates = self.rates.get(&(part.to_owned(), region.to_owned(), billing))?;
                    rates.first().filter(|_| rates.len() == 1)
                };
                // A region without the GPU does not rent the machine out.
                let Some((_, currency)) = rate(&rule.gpu) else { continue };
                match total(rule, machine, &rate) {
                    Some(amount) => {
                        let offer = Offer::new(&machine.name, region, Amount::Exact(amount));
                        self.ledger.offer(&Offer { billing, currency, ..offer })?;
                    }
                    None => self.ledger.skip(
                        Reason::PartsMissing,
                        0,
                        &format_args!("{} {region} {}", machine.name, billing.name()),
                    ),
                }
            }
        }
        Ok(())
    }
}

fn holds(rule: &Parts, machine: &Instance) -> bool {
    let with = machine.name.split_once('+').map(|(_, with)| with);
    machine.name.starts_with(&rule.machines)
        && rule.with.as_deref().is_none_or(|own| with.is_some_and(|it| it.starts_with(&format!("{own}x"))))
}

/// The price of one hour of a machine, when every part of it has a rate in one currency.
fn total<'r>(
    rule: &Parts,
    machine: &Instance,
    rate: &impl Fn(&str) -> Option<&'r (Decimal, String)>,
) -> Option<Decimal> {
    let mut parts =
        vec![(&rule.core, machine.vcpus), (&rule.ram, machine.ram_gib), (&rule.gpu, Some(machine.gpus))];
    if let Some(ssd) = &rule.ssd {
        parts.push((ssd, machine.nvme_gb));
    }
    let currency = &rate(&rule.gpu)?.1;
    parts.into_iter().try_fold(Decimal::ZERO, |sum, (part, count)| {
        let (amount, own) = rate(part)?;
        let count = Decimal::from_f64(count?)?;
        (own == currency).then(|| sum.checked_add(amount.checked_mul(count)?)).flatten()
    })
}

/// What a GPU of the spare capacity is attached to. Others are attached to VMs of contracts that no usage type tells:
/// Dynamic Workload Scheduler, Calendar Mode, reservations.
const SPOT: &str = "Spot Preemptible VMs";

/// Words of such contracts.
const OTHER_CONTRACTS: [&str; 3] = ["DWS", "Calendar Mode", "Reserved"];

/// The part that a description is of, under this contract.
fn part(rules: &[Parts], description: &str, billing: Billing) -> Option<String> {
    if OTHER_CONTRACTS.iter().any(|other| description.contains(other)) {
        return None;
    }
    let text = description.strip_prefix("Spot Preemptible ").unwrap_or(description);
    let text = text.strip_prefix("Commitment v1: ").unwrap_or(text);
    let parts =
        rules.iter().flat_map(|rule| [Some(&rule.core), Some(&rule.ram), Some(&rule.gpu), rule.ssd.as_ref()]);
    let is = |part: &&String| {
        text.strip_prefix(part.as_str()).is_some_and(|rest| match rest.strip_prefix(" attached to ") {
            Some(what) => billing == Billing::Spot && what.starts_with(SPOT),
            None => rest.is_empty() || [" running in ", " in "].iter().any(|next| rest.starts_with(next)),
        })
    };
    parts.flatten().find(is).cloned()
}

fn billing(usage: &str) -> Option<Billing> {
    match usage {
        "OnDemand" => Some(Billing::OnDemand),
        "Preemptible" => Some(Billing::Spot),
        "Commit1Yr" => Some(Billing::Cud1y),
        "Commit3Yr" => Some(Billing::Cud3y),
        _ => None,
    }
}

/// Hours of a month, as Google counts them for storage and as all totals here do.
const MONTH: u32 = 730;

/// The rate for one hour of one core, GiB, GPU or GB, and its currency.
fn rate(info: &Info) -> Option<(Decimal, String)> {
    let own = &info.pricing_expression;
    let money = &own.tiered_rates.0.last()?.unit_price;
    let units: i64 = if money.units.text().is_empty() { 0 } else { money.units.text().parse().ok()? };
    let nanos: i64 = if money.nanos.text().is_empty() { 0 } else { money.nanos.text().parse().ok()? };
    let amount = Decimal::from(units).checked_add(Decimal::try_new(nanos, 9).ok()?)?;
    let hourly = match own.usage_unit.text() {
        "h" | "GiBy.h" => amount,
        "GiBy.mo" => amount.checked_div(Decimal::from(MONTH))?,
        _ => return None,
    };
    (hourly > Decimal::ZERO).then(|| (hourly, money.currency_code.text().to_owned()))
}
