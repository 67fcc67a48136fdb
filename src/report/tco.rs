//! The body of `tco`: options side by side, year by year, from when on one beats another, and their carbon.

mod compare;
mod found;
mod options;

pub use found::{ApiOffer, Found, Load, Machine};

use super::date::Dated;
use super::document::{Body, Csv, Used};
use super::number::Num;
use super::view::Block;
use crate::catalog::price::Currency;
use crate::money::Usd;
use crate::price::own::YEAR_HOURS;
use crate::price::tokens::Tokens;
use compare::{break_evens, carbon, cash, sums};
use options::{Bill, api, gpus, own, rent, serverless};
use serde::Serialize;

/// Months of a year.
const MONTHS: f64 = 12.0;

/// Grams of a kilogram, kWh of a `MWh`.
const THOUSAND: f64 = 1e3;

/// Columns of CSV.
const COLUMNS: [&str; 24] = [
    "option",
    "billing",
    "upfront",
    "provider",
    "region",
    "instance_type",
    "gpu",
    "gpus_per_node",
    "nodes",
    "api_model",
    "usd_per_hour",
    "billed_hours_per_year",
    "usd_per_year",
    "total_usd",
    "commitment_usd",
    "upfront_usd",
    "at_least",
    "unknown_parts",
    "usd_per_busy_gpu_hour",
    "usd_per_million_tokens",
    "price_as_of",
    "price_source",
    "overridden",
    "notes",
];

/// The answer of `tco`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tco {
    /// Years that are compared.
    pub years: u32,
    /// Hours of a year: twelve months of 730.
    pub hours_per_year: Num,
    /// Share of the hours in which the machines are needed, per cent.
    pub utilisation_pct: Option<Num>,
    /// Tokens of a month and what they load.
    pub traffic: Option<Traffic>,
    /// What can be done, cheapest first; what is not known last.
    pub options: Vec<OptionLine>,
    /// From when on one option beats another.
    pub break_even: Vec<BreakEven>,
    /// Cash year by year.
    pub cash: Vec<YearLine>,
    /// Carbon of the electricity.
    pub carbon: Vec<CarbonLine>,
    #[serde(skip)]
    pub(super) used: Used,
}

/// Tokens of a month, and how busy they keep the machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Traffic {
    /// Input, cached or not.
    pub input_tokens_per_month: Num,
    /// Part of the input that an API finds in its cache.
    pub cached_tokens_per_month: Num,
    /// Output.
    pub output_tokens_per_month: Num,
    /// Tokens of a prompt.
    pub input_len: u32,
    /// Tokens of an answer.
    pub output_len: u32,
    /// Mean rate.
    pub requests_per_s: Num,
    /// What the machines could answer.
    pub capacity_requests_per_s: Option<Num>,
    /// Mean rate over that, per cent.
    pub busy_pct: Option<Num>,
    /// Hours of a month in which the machines would have nothing to do if the rest were full.
    pub idle_hours_per_month: Option<Num>,
}

/// One option. Unknown is `null`, never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OptionLine {
    /// `rent`, `own`, `serverless` or `api`.
    pub option: &'static str,
    /// Billing kind of rent.
    pub billing: Option<&'static str>,
    /// `none`, `partial` or `all` for commitments.
    pub upfront: Option<&'static str>,
    /// Who rents it out or serves it.
    pub provider: Option<String>,
    /// Region of rent.
    pub region: Option<String>,
    /// Machine of rent.
    pub instance_type: Option<String>,
    /// Accelerator.
    pub gpu: Option<String>,
    /// Accelerators in one machine.
    pub gpus_per_node: Option<Num>,
    /// Machines.
    pub nodes: Option<u32>,
    /// The API's name of the model.
    pub api_model: Option<String>,
    /// Rent of all machines.
    pub usd_per_hour: Option<Num>,
    /// Hours that are paid: the busy ones on demand, all of them under a commitment.
    pub billed_hours_per_year: Option<Num>,
    /// All years over their number.
    pub usd_per_year: Option<Num>,
    /// All years in cash: whole servers, and whole terms of commitments.
    pub total_usd: Option<Num>,
    /// What all terms of a commitment owe.
    pub commitment_usd: Option<Num>,
    /// Paid at the start of each term; `null` is not known.
    pub upfront_usd: Option<Num>,
    /// A part is not known: the whole costs at least this.
    pub at_least: bool,
    /// Those parts.
    pub unknown_parts: Vec<&'static str>,
    /// The parts of a year.
    pub parts: Vec<PartLine>,
    /// A year over the hours in which GPUs are needed.
    pub usd_per_busy_gpu_hour: Option<Num>,
    /// A month over its input and output tokens together.
    pub usd_per_million_tokens: Option<Num>,
    /// Date of the price.
    pub price_as_of: Option<Dated>,
    /// Where it comes from.
    pub price_source: Option<String>,
    /// It came from an overlay.
    pub overridden: bool,
    /// Cautions.
    pub notes: Vec<String>,
    #[serde(skip)]
    per_year: Option<Usd>,
    #[serde(skip)]
    bill: Bill,
    /// The same in the currency that it is sold in.
    #[serde(skip)]
    listed: Option<(Currency, Bill)>,
}

/// One part of a year.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartLine {
    /// What it is.
    pub name: &'static str,
    /// `null` is unknown.
    pub usd_per_year: Option<Num>,
}

/// From when on an option beats another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreakEven {
    /// The option that needs to be used enough.
    pub option: String,
    /// What it is compared with.
    pub against: String,
    /// Share of all hours, or of what the machines can serve, from which it is cheaper; `null` is never or not known.
    pub utilisation_pct: Option<Num>,
    /// Tokens of a month from which it is cheaper, input and output in the proportion of the traffic.
    pub tokens_per_month: Option<Num>,
    /// `from`, `never` or `unknown`.
    pub verdict: &'static str,
    /// A part of a cost is not known: the true figure is higher.
    pub at_least: bool,
}

/// A year in cash.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct YearLine {
    /// From 1.
    pub year: u32,
    /// The option, as in `break_even`.
    pub option: String,
    /// Paid in that year.
    pub usd: Option<Num>,
    /// Paid up to its end.
    pub cumulative_usd: Option<Num>,
}

/// Carbon of the electricity of one option in a year.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CarbonLine {
    /// `rent` or `own`.
    pub option: &'static str,
    /// Whose region.
    pub provider: Option<String>,
    /// Region.
    pub region: Option<String>,
    /// Energy of a year, the building's share in it.
    pub kwh_per_year: Option<Num>,
    /// Energy of the building for each unit that servers use.
    pub pue: Option<Num>,
    /// Always `location-based`: the grid of the place, whatever is bought elsewhere.
    pub method: &'static str,
    /// Grams of CO2 equivalent for a kWh of the grid.
    pub g_co2e_per_kwh: Option<Num>,
    /// The product.
    pub kg_co2e_per_year: Option<Num>,
    /// Share of the provider's energy there that is carbon-free hour by hour, per cent; `null` where it does not say.
    pub carbon_free_pct: Option<Num>,
    /// Days that the figure of the grid is of.
    pub as_of: Option<Dated>,
    /// Where it comes from.
    pub source: Option<String>,
}

impl Tco {
    /// The answer when nothing qualifies.
    pub fn nothing(years: u32) -> Self {
        Self { years, hours_per_year: Num::exact(YEAR_HOURS), ..Self::default() }
    }

    /// The body for what was found.
    pub fn new(found: &Found) -> Self {
        let mut used = Used::default();
        let priced = found.rent.iter().map(|row| &row.cost).filter(|cost| cost.total.is_some());
        priced.for_each(|cost| used.cost_per_hour(cost));
        found.apis.iter().for_each(|api| used.price(api.price.source));
        let mut options: Vec<OptionLine> = found.rent.iter().map(|row| rent(found, row)).collect();
        options.extend(found.serverless.map(|price| serverless(found, price)));
        options.push(own(found));
        options.extend(found.apis.iter().map(|offer| api(found, offer)));
        sums(&options, used.listed_mut());
        // The cheapest first; names break ties.
        options
            .sort_by_key(|line| (line.per_year.is_none(), line.per_year, line.option, line.provider.clone()));
        Self {
            utilisation_pct: Some(Num::percent(found.utilisation * 100.0)),
            traffic: found.tokens.zip(found.machine.load).map(|(tokens, load)| Traffic::new(tokens, &load)),
            break_even: break_evens(found, &options),
            cash: cash(&options),
            carbon: carbon(found),
            options,
            used,
            ..Self::nothing(found.years)
        }
    }
}

impl Traffic {
    fn new(tokens: &Tokens, load: &Load) -> Self {
        let busy = load.capacity_requests_per_s.map(|capacity| load.requests_per_s / capacity);
        Self {
            input_tokens_per_month: Num::exact(tokens.input),
            cached_tokens_per_month: Num::exact(tokens.cached),
            output_tokens_per_month: Num::exact(tokens.output),
            input_len: load.input_len,
            output_len: load.output_len,
            requests_per_s: Num::rate(load.requests_per_s),
            capacity_requests_per_s: load.capacity_requests_per_s.map(Num::rate),
            busy_pct: busy.map(|share| Num::percent(share * 100.0)),
            idle_hours_per_month: busy
                .map(|share| Num::rounded((1.0 - share).max(0.0) * YEAR_HOURS / MONTHS, 1)),
        }
    }
}

impl OptionLine {
    /// `rent on-demand`, `own`, `api provider/model`.
    pub fn name(&self) -> String {
        match (self.option, self.billing, &self.api_model) {
            ("rent", Some(billing), _) => {
                super::text::billing(&format!("rent {billing}"), self.upfront, false)
            }
            ("api", _, Some(model)) => {
                format!("api {}/{model}", self.provider.as_deref().unwrap_or_default())
            }
            (option, ..) => option.to_owned(),
        }
    }

    /// The figures of what is paid over the years.
    fn priced(mut self, found: &Found, bill: Bill) -> Self {
        let busy = found.utilisation * YEAR_HOURS * gpus(found);
        let per_year = bill.per_year();
        self.per_year = per_year;
        self.usd_per_year = per_year.map(Num::usd);
        self.total_usd = bill.total.map(Num::usd);
        self.bill = bill;
        if self.option != "api" {
            self.usd_per_busy_gpu_hour = per_year.map(|usd| Num::rounded(usd.to_f64() / busy, 4));
        }
        self.usd_per_million_tokens = found.tokens.zip(per_year).map(|(tokens, usd)| {
            Num::rounded(usd.to_f64() / MONTHS / (tokens.input + tokens.output) * 1e6, 4)
        });
        self
    }

    fn machine(mut self, found: &Found) -> Self {
        let instance = found.catalog.instance(found.machine.instance);
        self.gpu = Some(found.catalog.gpu(instance.gpu).name.clone());
        self.gpus_per_node = Some(Num::exact(instance.gpus));
        self.nodes = Some(found.machine.nodes);
        self
    }
}

impl Body for Tco {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "options", spread: None, columns: &COLUMNS }
    }

    fn headline(&self) -> Option<String> {
        let used = self
            .utilisation_pct
            .map(|percent| format!(", needed {percent} % of the hours"))
            .unwrap_or_default();
        let s = if self.years == 1 { "" } else { "s" };
        Some(format!("Rent, own or call an API: {} year{s}{used}", self.years))
    }

    fn blocks(&self) -> Vec<Block> {
        super::text::tco(self)
    }
}
