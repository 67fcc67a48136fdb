//! Google's part of the SkyPilot catalog: a machine is a host row plus an accelerator row of the same zone, a TPU is a slice.

use super::tpu;
use crate::catalog::instance::{Instance, ProviderId, Unit};
use crate::catalog::price::Billing;
use crate::refresh::ledger::{MOST_PRICES, decimal};
use crate::refresh::table::Row;
use crate::refresh::{Amount, Fault, Ledger, Offer, Reason};
use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};

/// On-demand and spot of one part.
type Two = (Option<Decimal>, Option<Decimal>);

/// Parts of machines until the file is read.
#[derive(Default)]
pub(super) struct Pairs {
    /// By name of the host, region and zone; with the line.
    hosts: BTreeMap<(String, String, String), (Two, u64)>,
    /// By accelerator and count (`a100x8`), region and zone; with the line.
    accelerators: BTreeMap<(String, String, String), (Two, u64)>,
}

impl Pairs {
    /// Takes in a row that is a host, an accelerator or a TPU.
    pub(super) fn row(
        &mut self,
        row: &Row<'_>,
        offer: &Offer<'_>,
        of: ProviderId,
        ledger: &mut Ledger<'_>,
    ) -> Result<(), Fault> {
        let gpu = offer.hardware.gpu;
        let (price, spot) = (row.get(&["price"]), row.get(&["spotprice"]));
        if let Some(slice) = tpu::slice(ledger, of, gpu) {
            for (billing, text) in [(Billing::OnDemand, price), (Billing::Spot, spot)] {
                // A slice without a price in a zone is written as 0 or left blank.
                let amount = decimal(text)
                    .map_or(Amount::Text(text), |it| Amount::Exact(tpu::per_chip(it, slice.chips)));
                if billing == Billing::OnDemand || !text.is_empty() {
                    let hardware = crate::refresh::Hardware { gpu, ..Default::default() };
                    let machine = slice.machine.as_str();
                    ledger.offer(&Offer { machine, hardware, billing, amount, ..offer.clone() })?;
                }
            }
            return Ok(());
        }
        let two = (positive(price), positive(spot));
        let (list, name) = if gpu.is_empty() {
            if !is_host(ledger, of, offer.machine) {
                ledger.skip(Reason::NoGpu, row.line, &offer.machine);
                return Ok(());
            }
            (&mut self.hosts, offer.machine.to_owned())
        } else {
            (&mut self.accelerators, part(gpu, offer.hardware.gpus.unwrap_or_default()))
        };
        if two.0.is_none() {
            ledger.skip(Reason::NoPrice, row.line, &format_args!("{name} {}", offer.slot));
        } else if list.len() >= MOST_PRICES {
            return Err(Fault::new(
                format!("more than {MOST_PRICES} parts of machines"),
                "import it in parts",
            ));
        } else if let Some((known, _)) =
            list.insert((name, offer.region.to_owned(), offer.slot.to_owned()), (two, row.line))
        {
            let what =
                format_args!("{} {gpu} {} twice: {:?}", offer.machine, offer.slot, known.0).to_string();
            ledger.skip(Reason::ConflictingPrices, row.line, &what);
        }
        Ok(())
    }

    /// Makes machines of the parts.
    pub(super) fn join(self, of: ProviderId, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
        let catalog = ledger.catalog();
        let rules = ledger.rules.skypilot_gcp.clone();
        let (mut hosts, mut accelerators) = (BTreeSet::new(), BTreeSet::new());
        for machine in catalog.instances.iter().filter(|it| it.provider == of && it.unit == Unit::Instance) {
            let (base, with) = machine.name.split_once('+').unwrap_or((&machine.name, ""));
            let holds = |it: &&crate::refresh::rules::Attached| {
                it.machines.iter().any(|start| base.starts_with(start.as_str()))
                    && (with.is_empty() || with == part(&it.accelerator, machine.gpus))
            };
            let Some(rule) = rules.iter().find(holds) else { continue };
            let wanted = part(&rule.accelerator, machine.gpus);
            for (key, (host, line)) in &self.hosts {
                if key.0 != base {
                    continue;
                }
                let other = (wanted.clone(), key.1.clone(), key.2.clone());
                let Some((accelerator, _)) = self.accelerators.get(&other) else { continue };
                let sum =
                    |a: Option<Decimal>, b: Option<Decimal>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
                let two = (sum(host.0, accelerator.0), sum(host.1, accelerator.1));
                hosts.insert(key.clone());
                accelerators.insert(other);
                hand(&machine.name, key, two, *line, ledger)?;
            }
        }
        for (key, (_, line)) in self.hosts.iter().filter(|(key, _)| !hosts.contains(*key)) {
            // Machines of N1 are rented without accelerators too.
            let reason = if key.0.starts_with("n1-") { Reason::NoGpu } else { Reason::PartsMissing };
            ledger.skip(reason, *line, &format_args!("{} {}", key.0, key.2));
        }
        for (key, (_, line)) in self.accelerators.iter().filter(|(key, _)| !accelerators.contains(*key)) {
            ledger.skip(Reason::PartsMissing, *line, &format_args!("{} {}: no machine for it", key.0, key.2));
        }
        Ok(())
    }
}

fn hand(
    machine: &str,
    key: &(String, String, String),
    two: Two,
    line: u64,
    ledger: &mut Ledger<'_>,
) -> Result<(), Fault> {
    for (billing, amount) in [(Billing::OnDemand, two.0), (Billing::Spot, two.1)] {
        let Some(amount) = amount else { continue };
        let offer = Offer::new(machine, &key.1, Amount::Exact(amount));
        ledger.offer(&Offer { slot: &key.2, billing, line, ..offer })?;
    }
    Ok(())
}

/// `t4x1`, as names of machines have it behind `+`.
fn part(accelerator: &str, count: f64) -> String {
    format!("{}x{count}", accelerator.to_ascii_lowercase())
}

fn positive(text: &str) -> Option<Decimal> {
    decimal(text).filter(|amount| *amount > Decimal::ZERO)
}

/// Whether a machine of the catalog stands on this host.
fn is_host(ledger: &Ledger<'_>, of: ProviderId, name: &str) -> bool {
    let base = |it: &Instance| it.name.split('+').next() == Some(name);
    ledger.catalog().instances.iter().any(|it| it.provider == of && base(it))
}
