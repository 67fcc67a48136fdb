//! Alternatives to renting: prices of tokens at serving APIs, and the carbon of electricity by region.

use super::provenance::SourceId;
use super::region::RegionId;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// What an API takes for the tokens of one model, US dollars per million.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenPrice {
    /// Whose API.
    pub api: String,
    /// The API's name of the model.
    pub model: String,
    /// Preset of the catalog with the same shape, where the name says so.
    pub preset: Option<String>,
    /// Input tokens.
    pub input_usd_per_mtok: f64,
    /// Input tokens that are in the API's cache; `None` is unknown.
    pub cached_usd_per_mtok: Option<f64>,
    /// Output tokens.
    pub output_usd_per_mtok: f64,
    /// Day on which the API stops serving it, where it is announced.
    pub ends: Option<Date>,
    /// Where the price comes from.
    pub source: SourceId,
    /// Came from an overlay.
    pub overridden: bool,
}

/// Carbon of the electricity in a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Carbon {
    /// Where.
    pub region: RegionId,
    /// Grams of CO2 equivalent for a kWh of the local grid.
    pub g_per_kwh: f64,
    /// Share of the provider's energy there that is carbon-free hour by hour, where it says.
    pub free_share: Option<f64>,
    /// Where the figures come from.
    pub source: SourceId,
}

impl super::Catalog {
    /// What is known of the electricity of a region.
    pub fn carbon_of(&self, region: RegionId) -> Option<&Carbon> {
        self.carbon.iter().find(|row| row.region == region)
    }
}
