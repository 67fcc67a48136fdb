//! What `tco` was asked and what was found: the machines, their contracts, APIs.

use crate::catalog::Catalog;
use crate::catalog::instance::InstanceId;
use crate::catalog::ownership::TokenPrice;
use crate::catalog::region::RegionId;
use crate::money::UsdPerHour;
use crate::price::listing::CostRow;
use crate::price::own::Server;
use crate::price::tokens::{TokenBill, Tokens};

/// Machines that are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The machine.
    pub instance: InstanceId,
    /// Where it is cheapest.
    pub region: RegionId,
    /// How many.
    pub nodes: u32,
    /// What they serve, where tokens are compared.
    pub load: Option<Load>,
}

/// Requests that machines serve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Mean over the month.
    pub requests_per_s: f64,
    /// What the machines could answer; `None` is not predicted.
    pub capacity_requests_per_s: Option<f64>,
    /// Tokens of a prompt.
    pub input_len: u32,
    /// Tokens of an answer.
    pub output_len: u32,
}

/// An API with the bill of one month.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiOffer {
    /// Its prices.
    pub price: TokenPrice,
    /// The bill.
    pub bill: TokenBill,
}

/// What was found.
#[derive(Debug)]
pub struct Found<'a> {
    /// The catalog.
    pub catalog: &'a Catalog,
    /// Years to compare.
    pub years: u32,
    /// Share of the hours in which the machines are needed.
    pub utilisation: f64,
    /// The machines.
    pub machine: &'a Machine,
    /// Contracts for them, priced for a year.
    pub rent: &'a [CostRow],
    /// The same machine as a server of one's own.
    pub server: &'a Server,
    /// An hour of a serverless offer for all machines.
    pub serverless: Option<UsdPerHour>,
    /// Grams of CO2 equivalent for a kWh where one's own servers would stand.
    pub grid_g_per_kwh: Option<f64>,
    /// Tokens of a month.
    pub tokens: Option<&'a Tokens>,
    /// APIs, cheapest first.
    pub apis: &'a [ApiOffer],
}
