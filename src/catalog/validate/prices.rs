//! `price` rows: read, find duplicates, lay over.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::str::FromStr;

use rust_decimal::Decimal;
use toml::Spanned;
use toml::de::DeValue;

use super::findings::{Findings, Spot};
use super::merge::lay_prices;
use super::price_terms::{Figure, has_form};
use super::{FileTable, Layer, RowId, parse};
use crate::catalog::codes;
use crate::catalog::instance::{InstanceId, ProviderId, Unit};
use crate::catalog::lookup::names::squeeze;
use crate::catalog::price::{Billing, Currency, More, Price, Upfront};
use crate::catalog::raw::{At, Row, number_of, rows_of};
use crate::catalog::region::RegionId;
use crate::money::UsdPerHour;

/// Nothing costs more than this an hour, in any currency of the catalog.
const MOST_PER_HOUR: f64 = 1e6;

/// What makes a price row the same offer as another.
pub(super) type Key = (InstanceId, RegionId, Billing, Option<Upfront>);

pub(super) fn key(price: &Price) -> Key {
    (price.instance, price.region, price.billing, price.upfront)
}

/// Keys that people write for prices on another basis, and what they mean.
const OTHER_BASES: &[(&str, &str)] = &[
    ("usd-per-gpu-hour", "one GPU"),
    ("per-gpu-hour", "one GPU"),
    ("usd-per-chip-hour", "one chip"),
    ("per-chip-hour", "one chip"),
    ("usd-per-month", "a month"),
    ("per-month", "a month"),
    ("usd-per-year", "a year"),
    ("per-year", "a year"),
];

/// Where names of machines and regions stand in the catalog.
struct Places {
    instances: BTreeMap<(ProviderId, String), InstanceId>,
    regions: BTreeMap<(ProviderId, String), RegionId>,
}

/// The prices of a layer.
#[derive(Default)]
struct Read {
    prices: Vec<Price>,
    rows: BTreeMap<Key, RowId>,
}

impl<'t> Layer<'t> {
    pub(super) fn read_prices(&mut self, tables: &[FileTable<'t>]) {
        let places = self.places();
        let mut read = Read::default();
        let (splits, files) = (self.splits, self.files);
        for (number, table) in tables.iter().enumerate() {
            for row in table.rows("price") {
                self.take_price(row, table, &places, &mut read);
            }
            let Some((split, file)) = splits.get(number).zip(files.get(number)) else { continue };
            for (text, piece) in split.blocks(number, file) {
                self.pieces.push(piece);
                let parsed = parse(self.pieces.len() - 1, &text, &mut self.findings);
                let list = parsed.get_ref().get("price").map(Spanned::get_ref);
                for row in
                    list.and_then(|list| rows_of("price", list, self.pieces.len() - 1)).into_iter().flatten()
                {
                    self.take_price(row, table, &places, &mut read);
                }
            }
        }
        if !read.prices.is_empty() {
            lay_prices(&mut self.catalog.prices, read.prices);
            self.check_prices(&read.rows);
        }
    }

    fn take_price(&mut self, mut row: Row<'_>, table: &FileTable<'_>, places: &Places, read: &mut Read) {
        let Some((price, id)) = self.read_price(&mut row, table, places) else { return };
        match read.rows.entry(key(&price)) {
            Entry::Occupied(first) => self.duplicate_price(&row, &price, &read.prices, *first.get()),
            Entry::Vacant(entry) => {
                entry.insert(id);
                read.prices.push(price);
            }
        }
    }

    fn places(&self) -> Places {
        let instances = self.catalog.instances.iter().enumerate();
        let regions = self.catalog.regions.iter().enumerate();
        Places {
            instances: instances
                .map(|(at, it)| ((it.provider, it.name.clone()), InstanceId(at as u16)))
                .collect(),
            regions: regions
                .map(|(at, it)| ((it.provider, squeeze(&it.name)), RegionId(at as u16)))
                .collect(),
        }
    }

    fn read_price(
        &mut self,
        row: &mut Row<'_>,
        table: &FileTable<'_>,
        places: &Places,
    ) -> Option<(Price, RowId)> {
        let source = self.source_of(row, table);
        let provider = self.provider_of(row, table);
        let instance = self.instance_of(row, provider, places);
        let region = self.region_of(row, provider, places);
        let unit = instance.map(|id| self.catalog.instance(id).unit);
        let f = &mut self.findings;
        let billing = row.choice(f, "billing", Billing::NAMES, Billing::from_name);
        let billing = row.need(f, "billing", billing);
        let upfront = read_upfront(row, f, billing);
        let figure = if has_form(row) {
            let key = instance.zip(region).zip(billing).map(|((at, place), kind)| (at, place, kind, upfront));
            self.read_form(row, billing, upfront, key)
        } else {
            read_amount(row, f).map(|(per_hour, currency)| Figure {
                per_hour,
                currency,
                upfront,
                fee: None,
                list: None,
                made_of: None,
            })
        };
        let f = &mut self.findings;
        check_basis(row, f, unit);
        let stat =
            [made_of(figure.as_ref()), row.owned(f, "stat"), row.owned(f, "note")].into_iter().flatten();
        let stat = stat.collect::<Vec<_>>().join("; ");
        let waivers = row.waivers(f);
        let allow =
            waivers.iter().map(|waiver| (waiver.code.name.to_owned(), waiver.reason.clone())).collect();
        row.finish(f);
        let id = self.note(row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        let Figure { per_hour, currency, upfront, fee, list, .. } = figure?;
        let source = list.and_then(|list| self.no_newer_than(list.source, source?)).or(source);
        let price = Price {
            instance: instance?,
            region: region?,
            billing: billing?,
            upfront,
            per_hour,
            currency,
            stat: Some(stat).filter(|stat| !stat.is_empty()).map(Into::into),
            source: source?,
            overridden: self.overlay,
            fee,
            seldom: More { list, allow, ..More::default() }.into(),
        };
        Some((price, id))
    }

    fn instance_of(
        &mut self,
        row: &mut Row<'_>,
        provider: Option<ProviderId>,
        places: &Places,
    ) -> Option<InstanceId> {
        let name = row.text(&mut self.findings, "instance");
        let name = row.need(&mut self.findings, "instance", name)?;
        let provider = provider?;
        let found = places.instances.get(&(provider, name.value.to_owned())).copied();
        if found.is_none() && !self.broken.contains(&("instance", name.value.to_owned())) {
            let all = self.catalog.instances.iter().filter(|instance| instance.provider == provider);
            let hint =
                self.guess(name.value, all.map(|it| it.name.as_str()), "add an `[[instance]]` row for it");
            let message =
                format!("`{}` has no machine called `{}`", self.catalog.provider(provider).name, name.value);
            row.refuse(&mut self.findings, name.spot, &codes::UNKNOWN_INSTANCE, message, hint);
        }
        found
    }

    fn region_of(
        &mut self,
        row: &mut Row<'_>,
        provider: Option<ProviderId>,
        places: &Places,
    ) -> Option<RegionId> {
        let name = row.text(&mut self.findings, "region");
        let name = row.need(&mut self.findings, "region", name)?;
        let provider = provider?;
        let found = places.regions.get(&(provider, squeeze(name.value))).copied();
        if found.is_none() && !self.broken.contains(&("region", name.value.to_owned())) {
            let all = self.catalog.regions.iter().filter(|region| region.provider == provider);
            let hint =
                self.guess(name.value, all.map(|it| it.name.as_str()), "add a `[[region]]` row for it");
            let message =
                format!("`{}` has no region called `{}`", self.catalog.provider(provider).name, name.value);
            row.refuse(&mut self.findings, name.spot, &codes::UNKNOWN_REGION, message, hint);
        }
        found
    }

    fn duplicate_price(&mut self, row: &Row<'_>, price: &Price, known: &[Price], first: RowId) {
        let instance = self.catalog.instance(price.instance);
        let amount =
            |price: &Price| price.per_hour.map_or_else(|| "unknown".to_owned(), |amount| amount.to_string());
        let mut message = format!(
            "{} in {} for {} is priced twice",
            self.qualified(instance.provider, &instance.name),
            self.catalog.region(price.region).name,
            price.billing.name(),
        );
        if !self.findings.is_crowded() {
            let other = known.iter().find(|other| key(other) == key(price)).map_or_else(String::new, amount);
            let here = super::findings::place(self.files, self.real(row.spot)).line;
            let first = self.line_of(first, row.spot);
            message = format!("{message}: {other} on {first}, {} on line {here}", amount(price));
        }
        self.findings.push(row.spot, &codes::DUPLICATE_PRICE, message, "keep the row whose source is right");
    }
}

fn made_of(figure: Option<&Figure>) -> Option<String> {
    figure?.made_of.clone()
}

/// When the price of a term is paid; refused for a contract without one.
fn read_upfront(row: &mut Row<'_>, f: &mut Findings, billing: Option<Billing>) -> Option<Upfront> {
    let upfront = row.choice(f, "upfront", Upfront::NAMES, Upfront::from_name);
    if let (Some(billing), Some(_)) = (billing, upfront)
        && !billing.is_committed()
    {
        let message = format!("`upfront` means nothing for `{}`, which has no term", billing.name());
        row.refuse(f, row.spot, &codes::BAD_VALUE, message, "remove the key");
    }
    upfront
}

/// The amount and its currency; `None` when neither can be read. An unknown amount is `Some((None, _))`.
fn read_amount(row: &mut Row<'_>, f: &mut Findings) -> Option<(Option<UsdPerHour>, Currency)> {
    let usd = row.value("usd-per-hour");
    let other = row.value("per-hour");
    let code = row.choice(f, "currency", &["EUR", "CNY", "…"], Currency::from_code);
    for &(key, basis) in OTHER_BASES {
        if let Some((_, spot)) = row.value(key) {
            let message =
                format!("`{key}` is the price of {basis}; prices here are for one hour of the machine");
            row.refuse(f, spot, &codes::PRICE_BASIS, message, "convert it and write `usd-per-hour`");
            return None;
        }
    }
    let spot = usd.or(other).map_or(row.spot, |(_, spot)| spot);
    let (value, currency) = match (usd, other, code) {
        (Some((value, _)), None, None | Some(Currency::USD)) => (value, Currency::USD),
        (None, Some((value, _)), Some(code)) => (value, code),
        (None, None, _) => {
            let hint = "add `usd-per-hour = …`, or `\"unknown\"` where it is sold but the price is not known";
            row.refuse(f, row.spot, &codes::MISSING_FIELD, "this price row has no price".to_owned(), hint);
            return None;
        }
        _ => {
            let message = "a price is `usd-per-hour`, or `per-hour` together with `currency`".to_owned();
            row.refuse(f, spot, &codes::BAD_VALUE, message, "keep one of the two forms");
            return None;
        }
    };
    read_price_value(row, f, value, spot).map(|amount| (amount, currency))
}

/// The exact decimal as written; `Some(None)` for `"unknown"`, `None` when the value is refused.
#[expect(clippy::option_option, reason = "refused, unknown and known are three things")]
fn read_price_value(
    row: &mut Row<'_>,
    f: &mut Findings,
    value: &DeValue<'_>,
    spot: Spot,
) -> Option<Option<UsdPerHour>> {
    if value.as_str() == Some("unknown") {
        return Some(None);
    }
    let Some(number) = number_of(value) else {
        let message = "a price must be a number or \"unknown\"".to_owned();
        row.refuse(
            f,
            spot,
            &codes::WRONG_TYPE,
            message,
            "write it without quotes and without a currency sign",
        );
        return None;
    };
    if !number.is_finite() || number > MOST_PER_HOUR {
        let hint = "write \"unknown\" where the price is not known";
        row.refuse(f, spot, &codes::PRICE_NOT_FINITE, format!("a price of {number} an hour"), hint);
        return None;
    }
    let exact = match value {
        DeValue::Float(float) => Decimal::from_str(float.as_str()).ok().map(UsdPerHour::new),
        _ => None,
    };
    let price = exact.or_else(|| UsdPerHour::from_f64(number));
    if number <= 0.0 || price.is_none_or(|price| price == UsdPerHour::default()) {
        let hint = "nothing is free; write \"unknown\" where the price is not known";
        row.refuse(f, spot, &codes::PRICE_NOT_POSITIVE, format!("a price of {number} an hour"), hint);
        return None;
    }
    price.map(Some)
}

/// A row may say what its price is for; it must be what the machine's row is.
fn check_basis(row: &mut Row<'_>, f: &mut Findings, unit: Option<Unit>) {
    let Some(At { value, spot }) = row.text(f, "unit") else { return };
    let Some(unit) = unit else { return };
    if Unit::from_name(value) != Some(unit) {
        let message = format!(
            "the price is for one hour of a `{value}`, the row of the machine is one `{}`",
            unit.name()
        );
        row.refuse(
            f,
            spot,
            &codes::PRICE_BASIS,
            message,
            "convert the price, or add an instance row with that unit",
        );
    }
}
