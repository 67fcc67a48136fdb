//! Prices that a row does not state as one figure: a part of the list price, or a fee at the start with an hourly rest.

use std::str::FromStr;

use rust_decimal::Decimal;
use toml::de::DeValue;

use super::Layer;
use super::findings::{Findings, Spot};
use super::prices::{Key, key};
use super::sources::intern;
use crate::catalog::codes;
use crate::catalog::price::{Billing, Currency, ListPrice, Price, Upfront, percent_paid};
use crate::catalog::provenance::{AsOf, Source, SourceId};
use crate::catalog::raw::{Row, number_of};
use crate::money::{Usd, UsdPerHour};

/// Keys that say a whole price in another way than by one figure an hour.
const FORMS: [&str; 3] = ["percent-of-list", "upfront-fee", "recurring-per-hour"];

/// A price of a row, in its own currency.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    /// For one hour; `None` is unknown.
    pub(super) per_hour: Option<UsdPerHour>,
    /// Its currency.
    pub(super) currency: Currency,
    /// How much is paid at the start, as stated or as the fee says.
    pub(super) upfront: Option<Upfront>,
    /// What is paid at the start of the term.
    pub(super) fee: Option<Usd>,
    /// The list price that it is a part of.
    pub(super) list: Option<ListPrice>,
    /// What the figure was made of.
    pub(super) made_of: Option<String>,
}

/// Which of the forms a row has.
pub(super) fn has_form(row: &mut Row<'_>) -> bool {
    FORMS.iter().filter(|&&key| row.value(key).is_some()).count() > 0
}

impl Layer<'_> {
    /// The price of a row in one of the forms; every fault is reported.
    pub(super) fn read_form(
        &mut self,
        row: &mut Row<'_>,
        billing: Option<Billing>,
        upfront: Option<Upfront>,
        key: Option<Key>,
    ) -> Option<Figure> {
        for other in ["usd-per-hour", "per-hour"] {
            if let Some((_, spot)) = row.value(other) {
                let message = format!("`{other}` and {} both say the price", forms_of(row));
                row.refuse(&mut self.findings, spot, &codes::BAD_VALUE, message, "keep one of them");
                return None;
            }
        }
        if let Some((value, spot)) = row.value("percent-of-list") {
            return self.part_of_list(row, (value, spot), upfront, key?);
        }
        let currency = row.choice(&mut self.findings, "currency", &["EUR", "CNY", "…"], Currency::from_code);
        parts(row, &mut self.findings, billing?, upfront, currency.unwrap_or(Currency::USD))
    }

    /// Per cent of the price that earlier layers have for the same offer.
    fn part_of_list(
        &mut self,
        row: &mut Row<'_>,
        (value, spot): (&DeValue<'_>, Spot),
        upfront: Option<Upfront>,
        wanted: Key,
    ) -> Option<Figure> {
        let Some(percent) = percent_of(value).filter(|percent| *percent > Decimal::ZERO) else {
            let message = "`percent-of-list` is what is paid: per cent of the list price above 0, or a text such as \"8折\"";
            row.refuse(&mut self.findings, spot, &codes::BAD_VALUE, message.to_owned(), "80 is 20 % off");
            return None;
        };
        let price = self.catalog.prices.iter().find(|price| key(price) == wanted);
        // What an earlier overlay took a part of stays the list price: parts do not compound.
        let own = |price: &Price| {
            Some(ListPrice { per_hour: price.per_hour?, fee: price.fee, source: price.source })
        };
        let list = price.and_then(|price| Some((price.seldom.list.or_else(|| own(price))?, price.currency)));
        let Some((list, currency)) = list else {
            let message = "there is no list price of this machine, region and contract to take a part of";
            let hint = "say the price itself, or check the names with `gpuadvise catalog prices`";
            row.refuse(&mut self.findings, spot, &codes::BAD_VALUE, message.to_owned(), hint);
            return None;
        };
        let part = percent / Decimal::ONE_HUNDRED;
        let amount = list.per_hour;
        let paid = amount.decimal().checked_mul(part).filter(|paid| !paid.is_zero());
        let as_of = self.catalog.source(list.source).as_of;
        let percent = percent.normalize();
        let made_of = format!("list price of {amount} {} ({as_of}) at {percent} %", currency.code());
        Some(Figure {
            per_hour: Some(UsdPerHour::new(paid?)),
            currency,
            upfront,
            fee: list.fee.and_then(|fee| fee.decimal().checked_mul(part)).map(Usd::from_decimal),
            list: Some(list),
            made_of: Some(made_of),
        })
    }

    /// `source` with the age of the list price where that is older: a part of an old price is an old price.
    pub(super) fn no_newer_than(&mut self, list: SourceId, source: SourceId) -> Option<SourceId> {
        let Source { text, as_of } = self.catalog.source(source).clone();
        let first = as_of.not_before().min(self.catalog.source(list).as_of.not_before());
        let as_of = AsOf::from((first, as_of.not_after()));
        intern(&mut self.catalog.sources, Source { text, as_of })
    }
}

/// A fee at the start and a rate for the hours: the price is (fee + rate x hours of the term) / hours of the term.
fn parts(
    row: &mut Row<'_>,
    f: &mut Findings,
    billing: Billing,
    upfront: Option<Upfront>,
    currency: Currency,
) -> Option<Figure> {
    let Some(term) = billing.term_hours().map(Decimal::from) else {
        let message = format!("{} say nothing of `{}`, which has no term", forms_of(row), billing.name());
        row.refuse(f, row.spot, &codes::BAD_VALUE, message, "write `usd-per-hour`");
        return None;
    };
    let fee = part(row, f, "upfront-fee")?;
    let rest = part(row, f, "recurring-per-hour")?;
    let means = match (fee.is_zero(), rest.is_zero()) {
        (true, true) => {
            let hint = "nothing is free; write `usd-per-hour = \"unknown\"` where the price is not known";
            row.refuse(f, row.spot, &codes::PRICE_NOT_POSITIVE, "a price of 0 an hour".to_owned(), hint);
            return None;
        }
        (true, false) => Upfront::No,
        (false, true) => Upfront::All,
        (false, false) => Upfront::Partial,
    };
    if let Some(stated) = upfront.filter(|&stated| stated != means) {
        let message =
            format!("fee and rate are those of `{}` upfront, not `{}`", means.name(), stated.name());
        row.refuse(f, row.spot, &codes::BAD_VALUE, message, "check the two figures, or leave `upfront` out");
        return None;
    }
    let whole = rest.checked_mul(term).and_then(|rest| rest.checked_add(fee));
    let per_hour = whole.and_then(|whole| whole.checked_div(term)).map(UsdPerHour::new);
    let code = currency.code();
    let made_of = format!(
        "sum of {} {code} at the start and {} {code} an hour, spread over the term",
        fee.normalize(),
        rest.normalize()
    );
    Some(Figure {
        per_hour: Some(per_hour?),
        currency,
        upfront: Some(means),
        fee: Some(Usd::from_decimal(fee)),
        list: None,
        made_of: Some(made_of),
    })
}

/// One of the two figures; left out it is 0.
fn part(row: &mut Row<'_>, f: &mut Findings, key: &'static str) -> Option<Decimal> {
    let Some((value, spot)) = row.value(key) else { return Some(Decimal::ZERO) };
    let sound = decimal_of(value)
        .filter(|number| !number.is_sign_negative() && *number < Decimal::from(1_000_000_000));
    if sound.is_none() {
        let message = format!("`{key}` must be an amount of money from 0");
        row.refuse(
            f,
            spot,
            &codes::BAD_VALUE,
            message,
            "write it without quotes and without a currency sign",
        );
    }
    sound
}

fn forms_of(row: &Row<'_>) -> String {
    let named: Vec<String> = FORMS.iter().filter(|key| row.has(key)).map(|key| format!("`{key}`")).collect();
    named.join(" and ")
}

/// A number as the file has it, to the last digit.
fn decimal_of(value: &DeValue<'_>) -> Option<Decimal> {
    match value {
        DeValue::Float(float) => Decimal::from_str(float.as_str()).ok(),
        _ => number_of(value).and_then(|number| Decimal::from_str(&number.to_string()).ok()),
    }
}

/// Per cent that are paid: a number, or a text such as `80 %` or `8折`.
fn percent_of(value: &DeValue<'_>) -> Option<Decimal> {
    let sound = |percent: &Decimal| *percent <= Decimal::from(1000);
    match value.as_str() {
        Some(text) => percent_paid(text).filter(sound),
        None => decimal_of(value).filter(sound),
    }
}
