//! A CSV of one's own. Columns: `provider`, `instance`, `region`, `billing`, `usd_per_hour` (or `per_hour` with `currency`),
//! and where wanted `upfront`, `as_of`, `gpu`, `gpus`, `gpu_memory_gib`, `vcpus`, `ram_gib`, `nvme_gb`. What
//! `catalog prices --format csv` prints is such a table.

use crate::catalog::lookup::resolve_billing;
use crate::catalog::price::{Billing, Upfront};
use crate::refresh::ledger::decimal;
use crate::refresh::table::{Row, rows};
use crate::refresh::{Amount, Fault, Hardware, Ledger, Offer, Reason};
use jiff::civil::Date;
use std::io::Read;

const MACHINE: &[&str] = &["instance", "instancetype"];
const USD: &[&str] = &["usdperhour"];
const OTHER: &[&str] = &["perhour", "amountperhour"];

/// Reads a table.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    let needs: &[&[&str]] = &[MACHINE, &["region"], &["usdperhour", "perhour", "amountperhour"]];
    rows(from, ledger, needs, |row, ledger| {
        let kind = match row.get(&["billing"]) {
            "" => Ok(Billing::OnDemand),
            text => only_kind(text),
        };
        let upfront = match row.get(&["upfront"]) {
            "" => Ok(None),
            text => Upfront::from_name(&text.to_ascii_lowercase()).map(Some).ok_or(Reason::NoBillingKind),
        };
        let (billing, upfront) = match kind.and_then(|kind| Ok((kind, upfront?))) {
            Ok(found) if found.1.is_none() || found.0.is_committed() => found,
            _ => {
                let what =
                    format!("{} {} {}", row.get(MACHINE), row.get(&["billing"]), row.get(&["upfront"]));
                ledger.skip(Reason::NoBillingKind, row.line, &what);
                return Ok(());
            }
        };
        let Some(as_of) = day(row) else {
            ledger.skip(Reason::DateNotUsable, row.line, &row.get(&["asof"]));
            return Ok(());
        };
        let Some((amount, currency)) = stated(row) else {
            let (usd, other, code) = (row.get(USD), row.get(OTHER), row.get(&["currency"]));
            let what = format!("{} {}: {usd} USD and {other} {code}", row.get(MACHINE), row.get(&["region"]));
            ledger.skip(Reason::ConflictingPrices, row.line, &what);
            return Ok(());
        };
        let mut offer = Offer::new(row.get(MACHINE), row.get(&["region"]), Amount::Text(amount));
        offer.provider = row.get(&["provider"]);
        offer.billing = billing;
        offer.upfront = upfront;
        offer.currency = currency;
        offer.as_of = as_of;
        offer.line = row.line;
        offer.hardware = Hardware {
            gpu: row.get(&["gpu"]),
            memory_gib: row.number(&["gpumemorygib"]),
            gpus: row.number(&["gpus", "gpuspernode"]),
            vcpus: row.number(&["vcpus"]),
            ram_gib: row.number(&["ramgib"]),
            nvme_gb: row.number(&["nvmegb"]),
        };
        ledger.offer(&offer)
    })
}

/// The amount of a row and its currency. Of two amounts that of the currency in which it is sold counts where the row has
/// the rate of the other, and both are one where they are the same dollars; else they contradict each other.
fn stated<'r>(row: &'r Row<'_>) -> Option<(&'r str, &'r str)> {
    let (usd, other, code) = (row.get(USD), row.get(OTHER), row.get(&["currency"]));
    if usd.is_empty() {
        return Some((other, code));
    }
    if other.is_empty() {
        return (code.is_empty() || code.eq_ignore_ascii_case("USD")).then_some((usd, ""));
    }
    if code.is_empty() || code.eq_ignore_ascii_case("USD") {
        let same = usd == other || decimal(usd).is_some_and(|usd| decimal(other) == Some(usd));
        return same.then_some((usd, ""));
    }
    (!row.get(&["fxrate"]).is_empty()).then_some((other, code))
}

fn only_kind(text: &str) -> Result<Billing, Reason> {
    match resolve_billing([text]).as_deref() {
        Ok([kind]) => Ok(*kind),
        _ => Err(Reason::NoBillingKind),
    }
}

/// The day of a row: `Some(None)` where it has none, `None` where it cannot be read. Of a range the first day counts, from
/// which ages are taken.
#[expect(clippy::option_option, reason = "none, unusable and known are three things")]
fn day(row: &Row<'_>) -> Option<Option<Date>> {
    match row.get(&["asof"]) {
        "" => Some(None),
        text => text.split("..").next().unwrap_or(text).parse().ok().map(Some),
    }
}
