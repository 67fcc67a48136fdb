//! `[[currency]]` rows: codes, decimals, and rates that somebody published.

use std::collections::BTreeSet;
use std::str::FromStr;

use rust_decimal::Decimal;
use toml::de::DeValue;

use super::findings::Findings;
use super::gpus::required;
use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::codes;
use crate::catalog::currency::Money;
use crate::catalog::price::Currency;
use crate::catalog::raw::{Row, number_of};

/// Most decimals that a currency has, by ISO 4217.
const MOST_DECIMALS: u32 = 4;

impl<'t> Layer<'t> {
    pub(super) fn read_currencies(&mut self, tables: &[FileTable<'t>]) {
        let mut currencies = Vec::new();
        let mut codes = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("currency") {
                let Some(money) = self.read_currency(&mut row, table) else { continue };
                if codes.insert(money.code) {
                    currencies.push(money);
                } else {
                    self.duplicate_name(&row, money.code.code());
                }
            }
        }
        lay_over(&mut self.catalog.currencies, currencies, |money| money.code);
    }

    fn read_currency(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Money> {
        let source = self.source_of(row, table);
        let f = &mut self.findings;
        let code = row.choice(f, "code", &["CNY", "EUR", "…"], Currency::from_code);
        let code = row.need(f, "code", code);
        let name = required(row, f, "name");
        let decimals = row.whole::<u32>(f, "decimals", 0).unwrap_or(2);
        if decimals > MOST_DECIMALS {
            let message = format!("`decimals` is {decimals}, no currency has more than {MOST_DECIMALS}");
            row.refuse(f, row.spot, &codes::BAD_COUNT, message, "");
        }
        let per_usd = per_usd(row, f);
        row.owned(f, "note");
        let waivers = row.waivers(f);
        row.finish(f);
        let code_name = code.as_ref().map(|code: &Currency| code.code().to_owned());
        self.name_note("currency", code_name.as_deref(), row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        Some(Money { code: code?, name: name?, decimals, per_usd, source: source? })
    }
}

/// Units of the currency for one US dollar, in the digits of the file.
fn per_usd(row: &mut Row<'_>, f: &mut Findings) -> Option<String> {
    let (value, spot) = row.value("per-usd")?;
    let exact = match value {
        DeValue::Float(float) => Decimal::from_str(float.as_str()).ok(),
        _ => number_of(value).and_then(|number| Decimal::from_str(&number.to_string()).ok()),
    };
    let sound = exact.filter(|rate| *rate > Decimal::ZERO && *rate <= Decimal::from(1_000_000));
    if sound.is_none() {
        let message =
            "`per-usd` must be a number above 0: units of the currency for one US dollar".to_owned();
        row.refuse(f, spot, &codes::BAD_VALUE, message, "leave the key out where no source has a rate");
    }
    sound.map(|rate| rate.normalize().to_string())
}
