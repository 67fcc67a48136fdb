//! The flags of `tco`, as typed.

use super::args::WorkloadSourceArgs;
use super::constraint::{FilterArgs, group};
use super::request::Group;
use super::value::{Amount, Percent, Rate};
use crate::units::Count;
use clap::Args;

/// Arguments of `tco`.
#[derive(Clone, Debug, Args)]
pub struct TcoArgs {
    /// What is owned, and how it is used.
    #[command(flatten)]
    pub own: OwnArgs,
    /// Tokens that an API would take.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// What is served, where an API is compared.
    #[command(flatten)]
    pub workload: WorkloadSourceArgs,
    /// Which machines.
    #[command(flatten)]
    pub filter: FilterArgs,
}

/// What is owned, and how much it is used.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Rent or own")]
pub struct OwnArgs {
    /// Years to compare [default: 3]
    #[arg(long, env = "GPUADVISE_YEARS", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=20))]
    pub years: Option<u32>,

    /// Share of all hours in which the machines are needed; rent by the hour is paid for these alone [default: 100]
    #[arg(
        long,
        env = "GPUADVISE_UTILISATION",
        hide_env = true,
        value_name = "PCT",
        visible_alias = "utilization"
    )]
    #[arg(allow_hyphen_values = true)]
    pub utilisation: Option<Percent>,

    /// So many machines [default: 1, or what the tokens need]
    #[arg(long, env = "GPUADVISE_NODES", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub nodes: Option<u32>,

    /// Price of one server in USD [default: of the catalog, where it has one]
    #[arg(
        long,
        env = "GPUADVISE_SERVER_PRICE",
        hide_env = true,
        value_name = "USD",
        allow_hyphen_values = true
    )]
    pub server_price: Option<Amount>,

    /// Years over which a server is written off [default: 5]
    #[arg(
        long,
        env = "GPUADVISE_USEFUL_LIFE",
        hide_env = true,
        value_name = "YEARS",
        allow_hyphen_values = true
    )]
    pub useful_life: Option<Rate>,

    /// What a server is worth after its life, per cent of its price [default: 0]
    #[arg(long, env = "GPUADVISE_RESIDUAL", hide_env = true, value_name = "PCT", allow_hyphen_values = true)]
    pub residual: Option<Percent>,

    /// IT power of one server in kW [default: of the catalog, where it has one]
    #[arg(long, env = "GPUADVISE_SERVER_KW", hide_env = true, value_name = "KW", allow_hyphen_values = true)]
    pub server_kw: Option<Rate>,

    /// Power usage effectiveness of your data centre [default: 1.58, the average on premise]
    #[arg(long, env = "GPUADVISE_PUE", hide_env = true, value_name = "RATIO", allow_hyphen_values = true)]
    pub pue: Option<Rate>,

    /// Colocation in USD a month for each kW of IT power [default: the average of US primary markets]
    #[arg(
        long,
        env = "GPUADVISE_COLOCATION",
        hide_env = true,
        value_name = "USD",
        allow_hyphen_values = true
    )]
    pub colocation: Option<Amount>,

    /// Electricity in USD for a kWh; no source is good enough for a default
    #[arg(
        long,
        env = "GPUADVISE_ELECTRICITY",
        hide_env = true,
        value_name = "USD",
        allow_hyphen_values = true
    )]
    pub electricity: Option<Rate>,

    /// People who run the servers, USD a year in all; no source is good enough for a default
    #[arg(long, env = "GPUADVISE_STAFF", hide_env = true, value_name = "USD", allow_hyphen_values = true)]
    pub staff: Option<Amount>,

    /// Grams of CO2 equivalent for a kWh where your own servers would stand
    #[arg(
        long,
        env = "GPUADVISE_GRID_CARBON",
        hide_env = true,
        value_name = "G",
        allow_hyphen_values = true
    )]
    pub grid_carbon: Option<Rate>,

    /// A serverless offer to compare: USD for an hour of all these machines, paid for busy hours alone
    #[arg(
        long,
        env = "GPUADVISE_SERVERLESS",
        hide_env = true,
        value_name = "USD",
        allow_hyphen_values = true
    )]
    pub serverless: Option<Amount>,
}
group!(OwnArgs {
    years,
    utilisation,
    nodes,
    server_price,
    useful_life,
    residual,
    server_kw,
    pue,
    colocation,
    electricity,
    staff,
    grid_carbon,
    serverless,
});

/// Tokens of a month.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Tokens of a month, to compare APIs")]
pub struct TrafficArgs {
    /// Input tokens a month, cached ones included (`2B`)
    #[arg(
        long,
        env = "GPUADVISE_INPUT_TOKENS",
        hide_env = true,
        value_name = "N",
        allow_hyphen_values = true
    )]
    pub input_tokens: Option<Count>,

    /// The part of the input tokens that the API finds in its cache [default: 0]
    #[arg(
        long,
        env = "GPUADVISE_CACHED_TOKENS",
        hide_env = true,
        value_name = "N",
        allow_hyphen_values = true
    )]
    pub cached_tokens: Option<Count>,

    /// Output tokens a month (`500M`)
    #[arg(
        long,
        env = "GPUADVISE_OUTPUT_TOKENS",
        hide_env = true,
        value_name = "N",
        allow_hyphen_values = true
    )]
    pub output_tokens: Option<Count>,

    /// Price of cached input in USD per million tokens, where you know it
    #[arg(
        long,
        env = "GPUADVISE_CACHED_PRICE",
        hide_env = true,
        value_name = "USD",
        allow_hyphen_values = true
    )]
    pub cached_price: Option<Rate>,

    /// Busiest hour over the mean; machines are rented for it [default: 1]
    #[arg(long, env = "GPUADVISE_PEAK", hide_env = true, value_name = "FACTOR", allow_hyphen_values = true)]
    pub peak: Option<Rate>,

    /// APIs to compare: `PROVIDER` or `PROVIDER/MODEL` [default: all that serve the model]
    #[arg(long, env = "GPUADVISE_API", hide_env = true, value_name = "NAME", value_delimiter = ',')]
    pub api: Option<Vec<String>>,
}
group!(TrafficArgs { input_tokens, cached_tokens, output_tokens, cached_price, peak, api });
