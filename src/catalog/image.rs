//! The compact image of a catalog that the binary carries, in sections, so that a command loads only what it needs.
//!
//! Written by `build.rs` and, for overlays, by the cache of `load`; read by `load`. Sections are in the format of
//! `postcard`: values in the order of their fields, without names, so a changed struct needs no change here; prices, which
//! are most of a catalog, are rows of fixed length.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use serde::Serialize;

use super::Catalog;
use super::charge::Charge;
use super::currency::Money;
use super::gpu::{Family, Gpu};
use super::instance::{Instance, InstanceId, Provider};
use super::measured::MeasuredRate;
use super::preset::Preset;
use super::price::{Billing, Currency, Price, Seldom, Upfront};
use super::provenance::{Source, SourceId};
use super::region::{Region, RegionId};
use crate::diag::{Finding, Place};
use crate::money::{Usd, UsdPerHour};

/// Names of the sections, which are also their file names, in the order in which they must be read.
pub const SECTIONS: &[&str] = &[
    "core",
    "prices",
    "price-notes",
    "presets",
    "constants",
    "rules",
    "scenarios",
    "fabrics",
    "ownership",
    "carbon",
    "findings",
];

/// What everything else refers to, in one section.
type Core =
    (Vec<Source>, Vec<Gpu>, Vec<Family>, Vec<Provider>, Vec<Region>, Vec<Instance>, Vec<Charge>, Vec<Money>);

/// Networks with the sources that only they cite, and what they were measured to do.
type Networks = (Vec<Source>, Vec<Preset>, Vec<MeasuredRate>);

/// Bytes of one price, all little-endian: machine 2, region 2, source 2, billing kind x 4 + upfront (0 = none given)
/// + 128 where an overlay set it 1, decimals 1, digits (0 = unknown) 12, which is all that a decimal holds.
const PRICE_BYTES: usize = 20;

/// Set in the byte of the billing kind for prices of overlays.
const OVERRIDDEN: u8 = 128;

/// What the prices of one note share: currency, statistic, waivers.
type Said<T, W> = ([u8; 3], Option<T>, W);

/// Prices with one note: how many, each so many positions behind the one before, cents at the start of the term.
type Run = (usize, usize, Option<i64>);

/// A note and the prices that have it.
type PriceNote = (Said<String, Vec<(String, String)>>, Vec<Run>);

/// A warning that the build left standing: code, file, line, column, message, hint.
type FindingRow = (String, String, usize, usize, String, String);

/// Hands every reference to a source out but those of presets and measured rates, to be read or to be changed.
macro_rules! each_cited {
    ($catalog:expr, $iter:ident $(, $change:ident)?; $each:expr) => {{
        let each = &mut $each;
        for gpu in $catalog.gpus.$iter() {
            each(& $($change)? gpu.source);
            gpu.usable_source.$iter().for_each(&mut *each);
        }
        for provider in $catalog.providers.$iter() {
            each(& $($change)? provider.source);
            provider.operator.$iter().for_each(|it| each(& $($change)? it.source));
        }
        $catalog.regions.$iter().for_each(|it| each(& $($change)? it.source));
        $catalog.instances.$iter().for_each(|it| each(& $($change)? it.source));
        $catalog.charges.$iter().for_each(|it| each(& $($change)? it.source));
        $catalog.currencies.$iter().for_each(|it| each(& $($change)? it.source));
        $catalog.prices.$iter().for_each(|it| each(& $($change)? it.source));
        $catalog.constants.$iter().for_each(|it| each(& $($change)? it.source));
        $catalog.rules.$iter().for_each(|it| each(& $($change)? it.source));
        $catalog.scenarios.$iter().for_each(|it| each(& $($change)? it.source));
        $catalog.fabrics.$iter().for_each(|it| each(& $($change)? it.source));
        $catalog.token_prices.$iter().for_each(|it| each(& $($change)? it.source));
        $catalog.carbon.$iter().for_each(|it| each(& $($change)? it.source));
    }};
}

/// Brings the sources that only presets and measured rates cite to the end, so that they load with these.
pub fn arrange(catalog: &mut Catalog) {
    let mut cited = vec![false; catalog.sources.len()];
    each_cited!(catalog, iter; |source: &SourceId| cited[usize::from(source.0)] = true);
    let mut order: Vec<usize> = (0..cited.len()).collect();
    order.sort_by_key(|&at| !cited[at]);
    let mut moved = vec![SourceId(0); order.len()];
    for (new, &old) in order.iter().enumerate() {
        moved[old] = SourceId(new as u16);
    }
    catalog.sources = order.iter().map(|&old| catalog.sources[old].clone()).collect();
    each_cited!(catalog, iter_mut, mut; |source: &mut SourceId| *source = moved[usize::from(source.0)]);
    for preset in &mut catalog.presets {
        preset.source = moved[usize::from(preset.source.0)];
    }
    for rate in &mut catalog.measured {
        rate.source = moved[usize::from(rate.source.0)];
    }
}

/// The bytes of one section of an arranged catalog.
pub fn write(section: &str, catalog: &Catalog, findings: &[Finding]) -> io::Result<Vec<u8>> {
    let halves = || {
        let mut early = 0;
        each_cited!(catalog, iter; |source: &SourceId| early = early.max(usize::from(source.0) + 1));
        catalog.sources.split_at(early.min(catalog.sources.len()))
    };
    match section {
        "core" => packed(&(
            halves().0,
            &catalog.gpus,
            &catalog.families,
            &catalog.providers,
            &catalog.regions,
            &catalog.instances,
            &catalog.charges,
            &catalog.currencies,
        )),
        "prices" => Ok(catalog.prices.iter().flat_map(pack_price).collect()),
        "price-notes" => packed(&price_notes(&catalog.prices)),
        "presets" => packed(&(halves().1, &catalog.presets, &catalog.measured)),
        "constants" => packed(&(&catalog.constants, &catalog.software)),
        "rules" => packed(&catalog.rules),
        "scenarios" => packed(&catalog.scenarios),
        "fabrics" => packed(&(&catalog.fabrics, &catalog.causes)),
        "ownership" => packed(&catalog.token_prices),
        "carbon" => packed(&catalog.carbon),
        "findings" => packed(&findings.iter().map(finding_row).collect::<Vec<_>>()),
        _ => Err(io::Error::other(format!("no section is called {section}"))),
    }
}

/// Reads one section into a catalog.
pub fn read(section: &str, bytes: &[u8], catalog: &mut Catalog) -> postcard::Result<()> {
    match section {
        "core" => {
            let core: Core = postcard::from_bytes(bytes)?;
            (catalog.sources, catalog.gpus, catalog.families) = (core.0, core.1, core.2);
            (catalog.providers, catalog.regions, catalog.instances) = (core.3, core.4, core.5);
            (catalog.charges, catalog.currencies) = (core.6, core.7);
        }
        "prices" => catalog.prices = bytes.as_chunks::<PRICE_BYTES>().0.iter().map(unpack_price).collect(),
        "price-notes" => {
            let notes: Vec<PriceNote> = postcard::from_bytes(bytes)?;
            let most = catalog.prices.len();
            for ((currency, stat, allow), runs) in notes {
                let stat: Option<Arc<str>> = stat.map(Into::into);
                let mut at: usize = 0;
                let places = runs
                    .iter()
                    .flat_map(|&(count, step, cents)| std::iter::repeat_n((step, cents), count.min(most)));
                for (step, cents) in places {
                    at = at.saturating_add(step);
                    let Some(price) = catalog.prices.get_mut(at) else { break };
                    price.currency = Currency(currency);
                    price.stat.clone_from(&stat);
                    if !allow.is_empty() {
                        price.seldom.allow.clone_from(&allow);
                    }
                    price.fee = cents.map(|cents| Usd::from_cents(cents.into()));
                }
            }
        }
        "presets" => {
            let (late, presets, measured): Networks = postcard::from_bytes(bytes)?;
            catalog.sources.extend(late);
            (catalog.presets, catalog.measured) = (presets, measured);
        }
        "constants" => (catalog.constants, catalog.software) = postcard::from_bytes(bytes)?,
        "rules" => catalog.rules = postcard::from_bytes(bytes)?,
        "scenarios" => catalog.scenarios = postcard::from_bytes(bytes)?,
        "fabrics" => (catalog.fabrics, catalog.causes) = postcard::from_bytes(bytes)?,
        "ownership" => catalog.token_prices = postcard::from_bytes(bytes)?,
        "carbon" => catalog.carbon = postcard::from_bytes(bytes)?,
        _ => {}
    }
    Ok(())
}

/// The warnings that the build left standing.
pub fn read_findings(bytes: &[u8]) -> postcard::Result<Vec<Finding>> {
    let rows: Vec<FindingRow> = postcard::from_bytes(bytes)?;
    let known = rows.into_iter().filter_map(|(code, file, line, column, message, hint)| {
        let code = super::codes::find(&code)?;
        let place = Place { file, line, column };
        Some(Finding { code: code.name, level: code.level, place, message, hint })
    });
    Ok(known.collect())
}

fn finding_row(finding: &Finding) -> FindingRow {
    let Finding { code, place, message, hint, .. } = finding.clone();
    (code.to_owned(), place.file, place.line, place.column, message, hint)
}

fn pack_price(price: &Price) -> [u8; PRICE_BYTES] {
    let amount = price.per_hour.map(UsdPerHour::decimal).unwrap_or_default();
    let mut row = [0; PRICE_BYTES];
    row[..2].copy_from_slice(&price.instance.0.to_le_bytes());
    row[2..4].copy_from_slice(&price.region.0.to_le_bytes());
    row[4..6].copy_from_slice(&price.source.0.to_le_bytes());
    row[6] = price.billing as u8 * 4 + price.upfront.map_or(0, |upfront| upfront as u8 + 1);
    row[6] |= if price.overridden { OVERRIDDEN } else { 0 };
    row[7] = amount.scale() as u8;
    // A price is positive, and a decimal has 96 bits of digits.
    row[8..].copy_from_slice(&amount.mantissa().to_le_bytes()[..12]);
    row
}

fn unpack_price(row: &[u8; PRICE_BYTES]) -> Price {
    let &[i0, i1, r0, r1, s0, s1, kind, decimals, ref digits @ ..] = row;
    let mut wide = [0; 16];
    wide[..12].copy_from_slice(digits);
    let digits = i128::from_le_bytes(wide);
    let contract = kind & !OVERRIDDEN;
    Price {
        instance: InstanceId(u16::from_le_bytes([i0, i1])),
        region: RegionId(u16::from_le_bytes([r0, r1])),
        billing: Billing::ALL.get(usize::from(contract / 4)).copied().unwrap_or(Billing::OnDemand),
        upfront: usize::from(contract % 4).checked_sub(1).and_then(|at| Upfront::ALL.get(at).copied()),
        per_hour: UsdPerHour::from_digits(digits, u32::from(decimals)).filter(|_| digits != 0),
        currency: Currency::USD,
        stat: None,
        source: SourceId(u16::from_le_bytes([s0, s1])),
        overridden: kind & OVERRIDDEN != 0,
        fee: None,
        seldom: Seldom::default(),
    }
}

/// Waivers of a price: code and reason.
type Waivers<'c> = &'c [(String, String)];

/// The notes of all prices, each with where its prices stand.
fn price_notes(prices: &[Price]) -> Vec<(Said<&str, Waivers<'_>>, Vec<Run>)> {
    let has_note = |price: &Price| {
        price.currency != Currency::USD
            || price.stat.is_some()
            || price.fee.is_some()
            || !price.seldom.allow.is_empty()
    };
    // With the position of the last price of each.
    let mut notes: BTreeMap<Said<&str, Waivers<'_>>, (usize, Vec<Run>)> = BTreeMap::new();
    for (at, price) in prices.iter().enumerate().filter(|(_, price)| has_note(price)) {
        let said = (price.currency.0, price.stat.as_deref(), price.seldom.allow.as_slice());
        let (last, runs) = notes.entry(said).or_default();
        let (step, cents) = (at - *last, price.fee.and_then(Usd::cents));
        match runs.last_mut().filter(|run| (run.1, run.2) == (step, cents)) {
            Some(run) => run.0 += 1,
            None => runs.push((1, step, cents)),
        }
        *last = at;
    }
    notes.into_iter().map(|(said, (_, runs))| (said, runs)).collect()
}

/// Whether every id in a catalog that was read is the position of something: what was written for another program, or
/// by hand, must not lead beyond the end of a list.
pub fn is_coherent(catalog: &Catalog) -> bool {
    let (gpus, providers) = (catalog.gpus.len(), catalog.providers.len());
    let (instances, regions, sources) =
        (catalog.instances.len(), catalog.regions.len(), catalog.sources.len());
    let within = |id: u16, count: usize| usize::from(id) < count;
    let of_gpus = catalog.families.iter().flat_map(|it| &it.members).all(|id| within(id.0, gpus))
        && catalog.measured.iter().all(|it| within(it.source.0, sources))
        && catalog.presets.iter().all(|it| within(it.source.0, sources));
    let of_providers = catalog.regions.iter().all(|it| within(it.provider.0, providers))
        && catalog.charges.iter().all(|it| within(it.provider.0, providers));
    let mut cited = true;
    each_cited!(catalog, iter; |source: &SourceId| cited &= within(source.0, sources));
    of_gpus
        && of_providers
        && catalog.instances.iter().all(|it| within(it.gpu.0, gpus) && within(it.provider.0, providers))
        && catalog.carbon.iter().all(|it| within(it.region.0, regions))
        && catalog.prices.iter().all(|it| within(it.instance.0, instances) && within(it.region.0, regions))
        && catalog.prices.is_sorted_by_key(|it| (it.instance, it.region, it.billing, it.upfront))
        && cited
}

fn packed(value: &impl Serialize) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(value).map_err(io::Error::other)
}
