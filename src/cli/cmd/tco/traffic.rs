//! Tokens of a month and the APIs that would take them.

use crate::catalog::Catalog;
use crate::catalog::ownership::TokenPrice;
use crate::cli::tco_args::TrafficArgs;
use crate::diag::{InputError, Warning, near_names};
use crate::price::tokens::{Tokens, bill};
use crate::report::tco::ApiOffer;
use crate::workload::settings::WorkloadArgs;
use jiff::civil::Date;

/// Tokens of an answer when nothing says.
const OUTPUT_LEN: u32 = 256;

/// Longest prompt that is derived from the proportion of tokens.
const LONGEST_INPUT: f64 = 131_072.0;

/// The tokens as asked; `None` when no API is compared.
pub(super) fn tokens(traffic: &TrafficArgs) -> Result<Option<Tokens>, InputError> {
    let asked = [traffic.input_tokens.is_some(), traffic.output_tokens.is_some()];
    if asked == [false, false] {
        let alone = [
            ("cached-tokens", traffic.cached_tokens.is_some()),
            ("cached-price", traffic.cached_price.is_some()),
            ("peak", traffic.peak.is_some()),
            ("api", traffic.api.is_some()),
        ];
        return match alone.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => {
                let message = format!("`--{flag}` without tokens to compare");
                Err(InputError::new(message, "give `--input-tokens` and `--output-tokens` of a month"))
            }
            None => Ok(None),
        };
    }
    let (Some(input), Some(output)) = (traffic.input_tokens, traffic.output_tokens) else {
        let message = "`--input-tokens` and `--output-tokens` belong together";
        return Err(InputError::new(message, "give both: they have different prices"));
    };
    let cached = traffic.cached_tokens.map_or(0.0, |count| count.0 as f64);
    let tokens = Tokens { input: input.0 as f64, cached, output: output.0 as f64 };
    if tokens.cached > tokens.input {
        let message =
            format!("`--cached-tokens` {} are more than `--input-tokens` {}", tokens.cached, tokens.input);
        return Err(InputError::new(message, "cached tokens are a part of the input"));
    }
    if tokens.input <= 0.0 || tokens.output <= 0.0 {
        return Err(InputError::new("a month without tokens costs nothing anywhere", "give both above 0"));
    }
    if traffic.peak.is_some_and(|peak| peak.0 < 1.0) {
        return Err(InputError::new(
            "`--peak` below 1: the busiest hour is busier than the mean",
            "give 1 or more",
        ));
    }
    Ok(Some(tokens))
}

/// Tokens of one prompt and one answer: as asked, else in the proportion of the month.
pub(super) fn request_lengths(asked: &WorkloadArgs, tokens: &Tokens) -> (u32, u32) {
    let ratio = tokens.input / tokens.output;
    match (asked.input_len, asked.output_len) {
        (Some(input), Some(output)) => (input, output.max(1)),
        (Some(input), None) => (input, (f64::from(input) / ratio).round().clamp(1.0, LONGEST_INPUT) as u32),
        (None, output) => {
            let output = output.unwrap_or(OUTPUT_LEN).max(1);
            ((f64::from(output) * ratio).round().clamp(1.0, LONGEST_INPUT) as u32, output)
        }
    }
}

/// Offers of APIs, cheapest first.
#[derive(Default)]
pub(super) struct Apis {
    pub(super) offers: Vec<ApiOffer>,
    pub(super) warnings: Vec<Warning>,
}

/// What the APIs take that serve the model, or those asked for.
pub(super) fn apis(
    catalog: &Catalog,
    traffic: &TrafficArgs,
    tokens: &Tokens,
    preset: Option<&str>,
    today: Date,
) -> Result<Apis, InputError> {
    let wanted = traffic.api.as_deref().map(|names| asked_for(catalog, names, preset)).transpose()?;
    let all: Vec<&TokenPrice> = match wanted {
        Some(prices) => prices,
        None => catalog
            .token_prices
            .iter()
            .filter(|price| preset.is_some() && price.preset.as_deref() == preset)
            .collect(),
    };
    let (ended, open): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|price| price.ends.is_some_and(|day| day <= today));
    let mut apis = Apis::default();
    if !ended.is_empty() {
        let message = format!("{} offers of APIs had ended by {today} and are left out", ended.len());
        apis.warnings.push(Warning { id: "api-ended", message });
    }
    if open.is_empty() {
        let message =
            "no price of an API is known for this model: `--api PROVIDER/MODEL` compares another".to_owned();
        apis.warnings.push(Warning { id: "api-unknown", message });
    }
    let cached = traffic.cached_price.map(|price| price.0);
    apis.offers = open
        .into_iter()
        .filter_map(|price| Some(ApiOffer { price: price.clone(), bill: bill(price, tokens, cached)? }))
        .collect();
    apis.offers.sort_by(|a, b| {
        let key = |offer: &ApiOffer| (offer.bill.total(), offer.price.api.clone(), offer.price.model.clone());
        key(a).cmp(&key(b))
    });
    if apis.offers.iter().any(|offer| offer.bill.cached_at_input_price) {
        let message = "the price of cached input is not known: cached tokens are counted at the price of input, an upper bound; \
                       `--cached-price` says it"
            .to_owned();
        apis.warnings.push(Warning { id: "cached-price-unknown", message });
    }
    Ok(apis)
}

/// `PROVIDER` means its offers of the model, `PROVIDER/MODEL` one offer.
fn asked_for<'a>(
    catalog: &'a Catalog,
    names: &[String],
    preset: Option<&str>,
) -> Result<Vec<&'a TokenPrice>, InputError> {
    let mut found: Vec<&TokenPrice> = Vec::new();
    for name in names {
        let lower = name.trim().to_ascii_lowercase();
        let all = catalog.token_prices.iter();
        let full = |price: &TokenPrice| format!("{}/{}", price.api, price.model).to_ascii_lowercase();
        let exact: Vec<&TokenPrice> = all
            .clone()
            .filter(|price| full(price) == lower || price.model.to_ascii_lowercase() == lower)
            .collect();
        let of_provider: Vec<&TokenPrice> = all
            .clone()
            .filter(|price| price.api == lower && preset.is_some() && price.preset.as_deref() == preset)
            .collect();
        if exact.is_empty() && of_provider.is_empty() {
            let message = if all.clone().any(|price| price.api == lower) {
                format!("`{name}` has no price for this model in the catalog")
            } else {
                format!("no API is called `{name}`")
            };
            let full: Vec<String> = catalog.token_prices.iter().map(full).collect();
            let near = near_names(
                &lower,
                full.iter().map(String::as_str).chain(all.map(|price| price.api.as_str())),
            );
            let hint = "name a provider, or PROVIDER/MODEL".to_owned();
            return Err(InputError { message, hint, near: near.into_iter().map(str::to_owned).collect() });
        }
        found.extend(if exact.is_empty() { of_provider } else { exact });
    }
    found.dedup_by(|a, b| a.api == b.api && a.model == b.model);
    Ok(found)
}
