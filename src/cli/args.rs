//! The command line as typed: commands and their flags. No defaults that depend on anything, no meaning.

mod catalog;
mod cost;
mod export;
mod gate;
mod measured;

#[cfg(feature = "refresh")]
pub use catalog::UpdateArgs;
pub use catalog::{CatalogDiffArgs, HistoryArgs, ImportArgs};
pub use cost::{CostArgs, CostLimitArgs, UsageArgs};
pub use export::{ExportArgs, ExportSource, ExportTarget};
pub use gate::{DiffArgs, GateArgs};
pub use measured::{AccuracyArgs, ByChoice, CalibrateArgs};

use super::commitment_args::CommitmentsArgs;
use super::constraint::{ConstraintArgs, FilterArgs, group};
use super::help;
use super::network_args::NetworkArgs;
use super::request::Group;
use super::rightsize_args::RightsizeArgs;
use super::speech::LangArgs;
use super::tco_args::TcoArgs;
use super::value::{CurrencyCode, Fx, Term};
use crate::report::Format;
use crate::workload::settings::WorkloadArgs;
use clap::builder::FalseyValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What to rent for a machine-learning workload: machine, nodes, layout, memory proof, time and cost
#[derive(Debug, Parser)]
#[command(name = "gpuadvise", version, max_term_width = 100)]
#[command(after_help = help::MAIN_SHORT, after_long_help = help::MAIN)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Clone, Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
#[command(next_help_heading = "Output and files")]
pub struct GlobalArgs {
    /// Form of the answer
    #[arg(long, global = true, env = "GPUADVISE_FORMAT", hide_env = true)]
    #[arg(value_enum, default_value = "table")]
    pub format: Format,

    /// Same as `--format json`
    #[arg(long, global = true, env = "GPUADVISE_JSON", hide_env = true)]
    #[arg(value_parser = FalseyValueParser::new())]
    pub json: bool,

    /// Write the answer to this file instead of stdout, wholly or not at all; `-` is stdout
    #[arg(short, long, global = true, env = "GPUADVISE_OUTPUT", hide_env = true, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Catalog file or folder that adds or overrides rows, such as your own prices; later ones win
    #[arg(long, global = true, env = "GPUADVISE_CATALOG", hide_env = true, value_name = "PATH")]
    pub catalog: Vec<PathBuf>,

    /// Check large `--catalog` overlays anew; neither read nor keep what they came to in the cache folder
    #[arg(long, global = true, env = "GPUADVISE_NO_CACHE", hide_env = true)]
    #[arg(value_parser = FalseyValueParser::new())]
    pub no_cache: bool,

    /// Folder of `catalog update` [default: ~/.local/share/gpuadvise, as XDG has it]
    #[arg(long, global = true, env = "GPUADVISE_DATA", hide_env = true, value_name = "FOLDER")]
    pub data: Option<PathBuf>,

    /// Leave out the prices that `catalog update` fetched
    #[arg(long, global = true, env = "GPUADVISE_NO_UPDATES", hide_env = true)]
    #[arg(value_parser = FalseyValueParser::new())]
    pub no_updates: bool,

    /// Project file whose `[defaults]` fill in flags [default: the nearest gpuadvise.toml upward]
    #[arg(long, global = true, env = "GPUADVISE_CONFIG", hide_env = true, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Read no project file
    #[arg(long, global = true, env = "GPUADVISE_NO_CONFIG", hide_env = true)]
    #[arg(value_parser = FalseyValueParser::new())]
    pub no_config: bool,

    /// Tell money in this currency too (`CNY`, `EUR`); needs a rate
    #[arg(long, global = true, env = "GPUADVISE_CURRENCY", hide_env = true, value_name = "CODE")]
    #[arg(help_heading = "Money", allow_hyphen_values = true)]
    pub currency: Option<CurrencyCode>,

    /// Units of a currency for one US dollar, of that day: `CNY=7.2`, `CNY=7.2@2026-11-30`
    #[arg(long, global = true, env = "GPUADVISE_FX", hide_env = true, value_name = "CODE=RATE")]
    #[arg(help_heading = "Money", value_delimiter = ',', allow_hyphen_values = true)]
    pub fx: Vec<Fx>,

    /// Assume commitments so many per cent below on-demand where no price is known: `40`, `3y=55`, `6折` (60 % are paid)
    #[arg(long, global = true, env = "GPUADVISE_ASSUME_COMMITMENT_DISCOUNT", hide_env = true)]
    #[arg(help_heading = "Money", value_name = "PCT", value_delimiter = ',', allow_hyphen_values = true)]
    pub assume_commitment_discount: Vec<Term>,

    /// The language.
    #[command(flatten)]
    pub lang: LangArgs,

    /// Colour on stdout; `NO_COLOR` turns `auto` off
    #[arg(long, global = true, env = "GPUADVISE_COLOR", hide_env = true, value_name = "WHEN")]
    #[arg(value_enum, default_value = "auto", hide_possible_values = true)]
    pub color: ColorChoice,

    /// Only ASCII characters, as when the locale is not UTF-8
    #[arg(long, global = true, env = "GPUADVISE_ASCII", hide_env = true)]
    #[arg(value_parser = FalseyValueParser::new())]
    pub ascii: bool,

    /// No warnings or hints on stderr
    #[arg(short, long, global = true, env = "GPUADVISE_QUIET", hide_env = true)]
    #[arg(value_parser = FalseyValueParser::new())]
    pub quiet: bool,

    /// Tell on stderr what is read and how long it takes
    #[arg(short, long, global = true, env = "GPUADVISE_VERBOSE", hide_env = true)]
    #[arg(value_parser = FalseyValueParser::new())]
    pub verbose: bool,
}

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// When stdout is a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// What should I rent for this workload? Ranked, with memory proof, time and cost
    #[command(after_help = help::MORE, after_long_help = help::RECOMMEND)]
    Recommend(Box<RecommendArgs>),
    /// Does this workload fit this GPU, or which does it fit? Memory term by term
    #[command(after_help = help::MORE, after_long_help = help::FIT)]
    Fit(Box<FitArgs>),
    /// What do machines cost for some hours, on-demand, committed, spot?
    #[command(after_help = help::MORE, after_long_help = help::COST)]
    Cost(Box<CostArgs>),
    /// Gate for CI: do the workloads of a project file stay inside its budget and policies?
    #[command(after_help = help::MORE, after_long_help = help::CHECK)]
    Check(GateArgs),
    /// What changed between two stored answers: the workload or the prices?
    #[command(after_help = help::MORE, after_long_help = help::DIFF)]
    Diff(DiffArgs),
    /// How much of my usage should I commit for 1 or 3 years, what stays on demand or spot? Break-even
    #[command(after_help = help::MORE, after_long_help = help::COMMITMENTS)]
    Commitments(Box<CommitmentsArgs>),
    /// Is this cluster's network fast enough? Reads nccl-tests output
    #[command(after_help = help::MORE, after_long_help = help::NETWORK)]
    Network(Box<NetworkArgs>),
    /// Rent, own servers, or call an API by the token? Side by side, year by year, with break-even
    #[command(after_help = help::MORE, after_long_help = help::TCO)]
    Tco(Box<TcoArgs>),
    /// Am I renting too much GPU? Reads nvidia-smi and DCGM logs
    #[command(after_help = help::MORE, after_long_help = help::RIGHTSIZE)]
    Rightsize(Box<RightsizeArgs>),
    /// Launch files for SkyPilot, dstack, Kubernetes, Slurm or Terraform from one row of an answer
    #[command(after_help = help::MORE, after_long_help = help::EXPORT)]
    Export(Box<ExportArgs>),
    /// Fit the efficiency table to my own measured runs; writes a catalog overlay
    #[command(after_help = help::MORE, after_long_help = help::CALIBRATE)]
    Calibrate(CalibrateArgs),
    /// List, show and check what the catalog holds
    #[command(after_help = help::MORE, after_long_help = help::CATALOG)]
    Catalog {
        /// What to do with it.
        #[command(subcommand)]
        what: Box<CatalogCommand>,
    },
    /// How far are the estimates from published measurements, or from your own runs?
    #[command(after_help = help::MORE, after_long_help = help::ACCURACY)]
    Accuracy(AccuracyArgs),
    /// Explain a finding, rule, assumption, warning or rejection, and what to do
    #[command(after_help = help::MORE, after_long_help = help::EXPLAIN)]
    Explain(ExplainArgs),
    /// Print a JSON Schema of an answer or an input file, or list them
    #[command(after_help = help::MORE, after_long_help = help::SCHEMA)]
    Schema(SchemaArgs),
    /// Print a script that completes commands and flags in a shell
    #[command(after_help = help::MORE, after_long_help = help::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print a man page
    #[command(after_help = help::MORE, after_long_help = help::MAN)]
    Man(ManArgs),
}

/// The `catalog` commands.
#[derive(Debug, Subcommand)]
pub enum CatalogCommand {
    /// GPUs and other accelerators: memory, bandwidth, dense peaks, links
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_GPUS)]
    Gpus(FilterArgs),
    /// Machines that can be rented
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_INSTANCES)]
    Instances(FilterArgs),
    /// Prices, each with its source and date
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_PRICES)]
    Prices(FilterArgs),
    /// Providers side by side: GPUs, regions, law, contracts, how they bill
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_PROVIDERS)]
    Providers(FilterArgs),
    /// Model presets for `--model`
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_MODELS)]
    Models,
    /// Named workloads for `--scenario`
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_SCENARIOS)]
    Scenarios,
    /// Advice rules
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_RULES)]
    Rules,
    /// Everything about one GPU, machine, provider, model, scenario, rule or region
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_SHOW)]
    Show(ShowArgs),
    /// Check catalog files: all findings at once, with file, line and column
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_CHECK)]
    Check(CheckArgs),
    /// Make a catalog overlay of what clouds and price trackers publish, from files, offline
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_IMPORT)]
    Import(ImportArgs),
    /// What prices two catalogs differ in, with limits on what may be lost or change
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_DIFF)]
    Diff(CatalogDiffArgs),
    /// Fetch prices from their sources over HTTPS, or from a mirror, and keep them for later runs
    #[cfg(feature = "refresh")]
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_UPDATE)]
    Update(UpdateArgs),
    /// How fetched prices moved over the last days: lowest, mean, highest
    #[command(after_help = help::MORE, after_long_help = help::CATALOG_HISTORY)]
    History(HistoryArgs),
}

/// Arguments of `catalog show`.
#[derive(Clone, Debug, Args)]
pub struct ShowArgs {
    /// Its name, such as `H100`, `aws/p5.48xlarge`, `llama-3-8b`
    pub name: String,
}

/// Arguments of `catalog check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Catalog files or folders, laid over the catalog of the program [default: that catalog alone]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// Arguments of `explain`.
#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    /// The code, such as `memory-headroom` or `price-far-below-median`
    pub code: String,
}

/// Arguments of `schema`.
#[derive(Clone, Debug, Args)]
pub struct SchemaArgs {
    /// Name of the schema; none to list them
    pub name: Option<String>,
}

/// Arguments of `recommend`.
#[derive(Clone, Debug, Args)]
pub struct RecommendArgs {
    /// A named workload of the catalog (`catalog scenarios`): the guide's machine, whether it holds, what is better today
    #[arg(long, env = "GPUADVISE_SCENARIO", hide_env = true, value_name = "NAME", help_heading = "Model")]
    pub scenario: Option<String>,
    /// The workload.
    #[command(flatten)]
    pub workload: WorkloadSourceArgs,
    /// The constraints.
    #[command(flatten)]
    pub constraint: ConstraintArgs,
}

/// Where the workload comes from.
#[derive(Clone, Debug, Args)]
pub struct WorkloadSourceArgs {
    /// A file of workload flags without their dashes; flags override it
    #[arg(
        long,
        env = "GPUADVISE_WORKLOAD",
        hide_env = true,
        value_name = "FILE.toml",
        help_heading = "Model"
    )]
    pub workload: Option<PathBuf>,
    /// The flags.
    #[command(flatten)]
    pub flags: WorkloadArgs,
}

/// Arguments of `fit`.
#[derive(Clone, Debug, Args)]
pub struct FitArgs {
    /// The workload.
    #[command(flatten)]
    pub workload: WorkloadSourceArgs,

    /// The GPUs.
    #[command(flatten)]
    pub target: TargetArgs,
}

/// The GPUs of `fit`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Which GPUs")]
pub struct TargetArgs {
    /// GPUs to look at: `H100` is one GPU, `H100:8` one node of eight [default: every GPU of the catalog]
    #[arg(long, env = "GPUADVISE_GPU", hide_env = true, value_name = "SPEC", value_delimiter = ',')]
    pub gpu: Option<Vec<String>>,

    /// So many of the GPU in one node
    #[arg(long, env = "GPUADVISE_GPUS", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub gpus: Option<u32>,

    /// Output of nccl-tests on one node of yours: its bandwidth and latency in place of the catalog's links
    #[arg(long, env = "GPUADVISE_NCCL", hide_env = true, value_name = "FILE")]
    pub nccl: Option<PathBuf>,

    /// Show the formulas with the numbers put in
    #[arg(long, env = "GPUADVISE_EXPLAIN", hide_env = true, value_name = "BOOL")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub explain: Option<bool>,
}
group!(TargetArgs { gpu, gpus, nccl, explain });

/// Arguments of `completions`.
#[derive(Clone, Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// The command, such as `recommend` or `catalog gpus`; none for the program itself
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}
