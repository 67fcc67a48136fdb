//! `[[token-price]]` and `[[carbon]]` rows.

use std::collections::BTreeSet;

use jiff::civil::Date;
use toml::de::DeValue;

use super::gpus::required;
use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::codes;
use crate::catalog::ownership::{Carbon, TokenPrice};
use crate::catalog::raw::Row;
use crate::catalog::region::RegionId;

impl<'t> Layer<'t> {
    pub(super) fn read_token_prices(&mut self, tables: &[FileTable<'t>]) {
        let (mut prices, mut keys) = (Vec::new(), BTreeSet::new());
        for table in tables {
            for mut row in table.rows("token-price") {
                let Some(price) = self.read_token_price(&mut row, table) else { continue };
                if keys.insert((price.api.clone(), price.model.clone())) {
                    prices.push(price);
                } else {
                    self.duplicate_name(&row, &format!("{}/{}", price.api, price.model));
                }
            }
        }
        lay_over(&mut self.catalog.token_prices, prices, |price| (price.api.clone(), price.model.clone()));
    }

    fn read_token_price(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<TokenPrice> {
        let source = self.source_of(row, table);
        let f = &mut self.findings;
        let api = required(row, f, "api");
        let model = required(row, f, "model");
        let preset = row.text(f, "preset");
        let input = row.rate(f, "input");
        let input = row.need(f, "input", input);
        let cached = row.rate(f, "cached");
        let output = row.rate(f, "output");
        let output = row.need(f, "output", output);
        let ends = match row.value("ends") {
            None => None,
            Some((DeValue::Datetime(date), spot)) => {
                let day = date.to_string().parse::<Date>().ok();
                if day.is_none() {
                    let message = format!("`ends = {date}` is not a day");
                    row.refuse(f, spot, &codes::WRONG_TYPE, message, "write it as 2027-03-30");
                }
                day
            }
            Some((_, spot)) => {
                let message = "`ends` must be a date".to_owned();
                row.refuse(f, spot, &codes::WRONG_TYPE, message, "write it as 2027-03-30");
                None
            }
        };
        row.owned(f, "note");
        let waivers = row.waivers(f);
        row.finish(f);
        if let Some(preset) = &preset
            && !self.catalog.presets.iter().any(|known| known.name == preset.value)
        {
            let names = self.catalog.presets.iter().map(|known| known.name.as_str());
            let hint = self.guess(preset.value, names, "leave `preset` out");
            let message = format!("no [[model]] is called `{}`", preset.value);
            row.refuse(&mut self.findings, preset.spot, &codes::BAD_VALUE, message, hint);
        }
        self.name_note("token-price", model.as_deref(), row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        Some(TokenPrice {
            api: api?,
            model: model?,
            preset: preset.map(|preset| preset.value.to_owned()),
            input_usd_per_mtok: input?,
            cached_usd_per_mtok: cached,
            output_usd_per_mtok: output?,
            ends,
            source: source?,
            overridden: self.overlay,
        })
    }

    pub(super) fn read_carbon(&mut self, tables: &[FileTable<'t>]) {
        let (mut rows, mut keys) = (Vec::new(), BTreeSet::new());
        for table in tables {
            for mut row in table.rows("carbon") {
                let Some(carbon) = self.read_carbon_of(&mut row, table) else { continue };
                if keys.insert(carbon.region) {
                    rows.push(carbon);
                } else {
                    let name = self.catalog.region(carbon.region).name.clone();
                    self.duplicate_name(&row, &name);
                }
            }
        }
        lay_over(&mut self.catalog.carbon, rows, |row| row.region);
    }

    fn read_carbon_of(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Carbon> {
        let source = self.source_of(row, table);
        let provider = self.provider_of(row, table);
        let region = row.text(&mut self.findings, "region");
        let region = row.need(&mut self.findings, "region", region);
        let f = &mut self.findings;
        let grams = row.amount(f, "g-per-kwh", 0.0);
        let grams = row.need(f, "g-per-kwh", grams);
        let share = row.number(f, "carbon-free-share");
        if let Some(share) = &share
            && !(0.0..=1.0).contains(&share.value)
        {
            let message = format!("`carbon-free-share` is {}, expected 0 to 1", share.value);
            row.refuse(f, share.spot, &codes::BAD_VALUE, message, "write 0.85 for 85 %");
        }
        row.owned(f, "note");
        let waivers = row.waivers(f);
        row.finish(f);
        let region = region.zip(provider).and_then(|(name, provider)| {
            let all = self.catalog.regions.iter();
            let found = all.clone().position(|it| it.provider == provider && it.name == name.value);
            if found.is_none() {
                let names = all.filter(|it| it.provider == provider).map(|it| it.name.as_str());
                let hint = self.guess(name.value, names, "add a `[[region]]` row for it");
                let message = format!(
                    "`{}` has no region called `{}`",
                    self.catalog.provider(provider).name,
                    name.value
                );
                row.refuse(&mut self.findings, name.spot, &codes::UNKNOWN_REGION, message, hint);
            }
            found.map(|at| RegionId(at as u16))
        });
        self.name_note("carbon", None, row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        Some(Carbon {
            region: region?,
            g_per_kwh: grams?,
            free_share: share.map(|share| share.value),
            source: source?,
        })
    }
}
