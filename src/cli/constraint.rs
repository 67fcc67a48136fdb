//! Flags that limit and order an answer, as typed. `None` is not asked; defaults are applied in [`super::request`].

use super::request::Group;
use super::value::{
    Amount, BillingChoice, CheckpointInterval, Days, Gbps, Percent, Rate, Span, StackChoice, TierChoice,
};
use crate::advise::Sort;
use crate::price::part::Extras;
use crate::units::{Bytes, Hours};
use clap::Args;
use std::path::PathBuf;

/// Makes a group of flags a [`Group`]; flags of an `either` replace each other across layers.
macro_rules! group {
    ($group:ident { $($field:ident),* $(,)? } $(either { $($one:ident),* })?) => {
        impl Group for $group {
            #[allow(unused_mut, reason = "only groups with alternatives change the lower layer")]
            fn over(self, mut lower: Self) -> Self {
                $(if [$(self.$one.is_some()),*].contains(&true) {
                    $(lower.$one = None;)*
                })?
                Self { $($field: self.$field.or(lower.$field)),* }
            }
        }
    };
}
pub(super) use group;

/// Which machines, places and contracts are looked at.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Which machines")]
pub struct FilterArgs {
    /// Providers (`aws,gcp`)
    #[arg(long, visible_alias = "cloud", env = "GPUADVISE_PROVIDER", hide_env = true)]
    #[arg(value_name = "NAME", value_delimiter = ',')]
    pub provider: Option<Vec<String>>,

    /// Regions, with wildcards (`us-*`); case does not matter, display names work too
    #[arg(long, env = "GPUADVISE_REGION", hide_env = true, value_name = "GLOB", value_delimiter = ',')]
    pub region: Option<Vec<String>>,

    /// Countries by ISO code (`DE,FR`); a region of unknown country is left out
    #[arg(long, env = "GPUADVISE_COUNTRY", hide_env = true, value_name = "CODE", value_delimiter = ',')]
    pub country: Option<Vec<String>>,

    /// Jurisdictions (`eu`, `eea`, `us`, `us-gov`, `cn` …); a region of unknown jurisdiction is left out
    #[arg(long, env = "GPUADVISE_JURISDICTION", hide_env = true, value_name = "TAG", value_delimiter = ',')]
    pub jurisdiction: Option<Vec<String>>,

    /// Countries where the company that runs the region has its seat (`FI,NL`); an unknown seat is left out
    #[arg(
        long,
        env = "GPUADVISE_OPERATOR_COUNTRY",
        hide_env = true,
        value_name = "CODE",
        value_delimiter = ','
    )]
    pub operator_country: Option<Vec<String>>,

    /// Jurisdictions of that seat (`eu`, `eea`, `us`, `cn` …); an unknown seat is left out
    #[arg(long, env = "GPUADVISE_OPERATOR_JURISDICTION", hide_env = true, value_name = "TAG")]
    #[arg(value_delimiter = ',')]
    pub operator_jurisdiction: Option<Vec<String>>,

    /// GPUs: a name or family (`H100`), nodes that hold so many (`A100-80GB:8`), a memory range (`24GB..80GB`)
    #[arg(long, env = "GPUADVISE_GPU", hide_env = true, value_name = "SPEC", value_delimiter = ',')]
    pub gpu: Option<Vec<String>>,

    /// Machines (`aws/p5.48xlarge`; the provider may be left out where the name is clear)
    #[arg(long, env = "GPUADVISE_INSTANCE", hide_env = true, value_name = "PROVIDER/TYPE")]
    #[arg(value_delimiter = ',')]
    pub instance: Option<Vec<String>>,

    /// At least so many virtual CPUs in each machine
    #[arg(long, env = "GPUADVISE_MIN_VCPUS", hide_env = true, value_name = "N")]
    #[arg(allow_negative_numbers = true)]
    pub min_vcpus: Option<u32>,

    /// At least so much main memory in each machine (`256GiB`; a bare number is GiB)
    #[arg(long, env = "GPUADVISE_MIN_RAM", hide_env = true, value_name = "BYTES")]
    #[arg(allow_hyphen_values = true)]
    pub min_ram: Option<Bytes>,

    /// Leave out shares of a GPU
    #[arg(long, env = "GPUADVISE_NO_FRACTIONAL", hide_env = true, value_name = "BOOL")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub no_fractional: Option<bool>,

    /// Software that the accelerator must run, `any` for all [default: cuda]
    #[arg(long, env = "GPUADVISE_STACK", hide_env = true, value_enum, value_delimiter = ',')]
    pub stack: Option<Vec<StackChoice>>,

    /// Kinds of providers [default: hyperscaler,specialist]
    #[arg(long, env = "GPUADVISE_TIER", hide_env = true, value_enum, value_delimiter = ',')]
    pub tier: Option<Vec<TierChoice>>,

    /// Billing kinds: on-demand, spot, reserved-1y, reserved-3y, savings-1y, savings-3y, cud-1y, cud-3y,
    /// subscription-1m, subscription-1y, capacity-block; `committed` is all with a term, `all` all
    #[arg(long, env = "GPUADVISE_BILLING", hide_env = true, value_name = "KIND", value_delimiter = ',')]
    pub billing: Option<Vec<BillingChoice>>,

    /// Leave out prices older than so many days
    #[arg(long, env = "GPUADVISE_MAX_AGE", hide_env = true, value_name = "DAYS", allow_hyphen_values = true)]
    pub max_age: Option<Days>,
}
impl FilterArgs {
    /// Long names of the flags that ask for what only law or contracts can promise.
    pub const LAW: [&'static str; 4] =
        ["country", "jurisdiction", "operator-country", "operator-jurisdiction"];

    /// Whether one of them is set.
    pub fn names_law(&self) -> bool {
        [&self.country, &self.jurisdiction, &self.operator_country, &self.operator_jurisdiction]
            .into_iter()
            .any(Option::is_some)
    }
}
group!(FilterArgs {
    provider,
    region,
    country,
    jurisdiction,
    operator_country,
    operator_jurisdiction,
    gpu,
    instance,
    min_vcpus,
    min_ram,
    no_fractional,
    stack,
    tier,
    billing,
    max_age,
});

/// What a configuration may need, and the order of the answer.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Limits and ranking")]
pub struct LimitArgs {
    /// Exactly so many GPUs in all
    #[arg(long, env = "GPUADVISE_GPUS", hide_env = true, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub gpus: Option<u32>,

    /// At most so many GPUs in all
    #[arg(
        long,
        env = "GPUADVISE_MAX_GPUS",
        hide_env = true,
        value_name = "N",
        allow_negative_numbers = true
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub max_gpus: Option<u32>,

    /// At most so many machines
    #[arg(
        long,
        env = "GPUADVISE_MAX_NODES",
        hide_env = true,
        value_name = "N",
        allow_negative_numbers = true
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub max_nodes: Option<u32>,

    /// At most so many dollars an hour for the whole configuration
    #[arg(long, env = "GPUADVISE_MAX_HOURLY", hide_env = true, value_name = "USD")]
    #[arg(allow_hyphen_values = true)]
    pub max_hourly: Option<Amount>,

    /// At most so many dollars for the whole job; of a term its share counts (`check` counts all that is owed)
    #[arg(long, env = "GPUADVISE_BUDGET", hide_env = true, value_name = "USD", allow_hyphen_values = true)]
    pub budget: Option<Amount>,

    /// The job must end within this time (`72h`, `14d`)
    #[arg(long, env = "GPUADVISE_DEADLINE", hide_env = true, value_name = "DUR", allow_hyphen_values = true)]
    pub deadline: Option<Hours>,

    /// Spot prices count only from this many per cent below on-demand
    #[arg(long, env = "GPUADVISE_MIN_SPOT_DISCOUNT", hide_env = true, value_name = "PCT")]
    #[arg(allow_hyphen_values = true)]
    pub min_spot_discount: Option<Percent>,

    /// Bandwidth between nodes in Gbit/s for machines whose network is not known (else they stay alone)
    #[arg(long, env = "GPUADVISE_ASSUME_NETWORK", hide_env = true, value_name = "GBPS")]
    #[arg(allow_hyphen_values = true)]
    pub assume_network: Option<Gbps>,

    /// Output of nccl-tests on your cluster: its bandwidth and latency in place of the catalog's, for such machines
    #[arg(long, env = "GPUADVISE_NCCL", hide_env = true, value_name = "FILE")]
    pub nccl: Option<PathBuf>,

    /// File of quotas: what is over them is left out, with both numbers
    #[arg(long, env = "GPUADVISE_QUOTA", hide_env = true, value_name = "FILE")]
    pub quota: Option<PathBuf>,

    /// Order of the answer [default: cost]
    #[arg(long, env = "GPUADVISE_SORT", hide_env = true, value_enum)]
    pub sort: Option<Sort>,

    /// Rows to show [default: 10]
    #[arg(short = 'n', long, env = "GPUADVISE_TOP", hide_env = true, value_name = "N")]
    #[arg(allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,

    /// Only configurations that no other one beats in both cost and time
    #[arg(long, env = "GPUADVISE_PARETO", hide_env = true, value_name = "BOOL")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub pareto: Option<bool>,

    /// Show how the figures come about: memory terms, assumptions, rejected configurations
    #[arg(long, env = "GPUADVISE_EXPLAIN", hide_env = true, value_name = "BOOL")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    pub explain: Option<bool>,

    /// End with exit code 4 when the best row costs more than this, terms counted as by --budget
    #[arg(
        long,
        env = "GPUADVISE_FAIL_OVER",
        hide_env = true,
        value_name = "USD",
        allow_hyphen_values = true
    )]
    pub fail_over: Option<Amount>,
}
group!(LimitArgs {
    gpus,
    max_gpus,
    max_nodes,
    max_hourly,
    budget,
    deadline,
    min_spot_discount,
    assume_network,
    nccl,
    quota,
    sort,
    top,
    pareto,
    explain,
    fail_over,
} either { gpus, max_gpus });

/// How a job on spot machines copes with interruptions.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Spot")]
pub struct SpotArgs {
    /// Interruptions per node and hour [default: measured losses, as a range]
    #[arg(long, env = "GPUADVISE_INTERRUPTIONS_PER_HOUR", hide_env = true, value_name = "N")]
    #[arg(allow_hyphen_values = true)]
    pub interruptions_per_hour: Option<Rate>,

    /// Time between checkpoints: a duration, `auto` for the best one, `none` [default: auto]
    #[arg(long, env = "GPUADVISE_CHECKPOINT_INTERVAL", hide_env = true, value_name = "DUR")]
    #[arg(allow_hyphen_values = true)]
    pub checkpoint_interval: Option<CheckpointInterval>,

    /// Time that writing one checkpoint takes
    #[arg(long, env = "GPUADVISE_CHECKPOINT_TIME", hide_env = true, value_name = "DUR")]
    #[arg(allow_hyphen_values = true)]
    pub checkpoint_time: Option<Span>,

    /// Billed time from a restart until work goes on
    #[arg(long, env = "GPUADVISE_RESTART_TIME", hide_env = true, value_name = "DUR")]
    #[arg(allow_hyphen_values = true)]
    pub restart_time: Option<Span>,

    /// Time without machines after an interruption: not billed, but part of the wall time [default: measured waits, 0 with
    /// `--interruptions-per-hour`]
    #[arg(long, env = "GPUADVISE_CAPACITY_WAIT", hide_env = true, value_name = "DUR")]
    #[arg(allow_hyphen_values = true)]
    pub capacity_wait: Option<Span>,

    /// Go on on demand after so many interruptions, 1 to 20 [default: stay on spot]
    #[arg(long, env = "GPUADVISE_SPOT_FALLBACK_AFTER", hide_env = true, value_name = "N")]
    #[arg(allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub spot_fallback_after: Option<u32>,
}
group!(SpotArgs {
    interruptions_per_hour,
    checkpoint_interval,
    checkpoint_time,
    restart_time,
    capacity_wait,
    spot_fallback_after,
});

/// What a job uses besides its hours of work.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Bill")]
pub struct BillArgs {
    /// Billed time of each machine until work begins: boot, images, data (`10m`) [default: 0]
    #[arg(long, env = "GPUADVISE_STARTUP", hide_env = true, value_name = "DUR", allow_hyphen_values = true)]
    pub startup: Option<Span>,

    /// Billed time in which each machine waits (`2h`) [default: 0]
    #[arg(long, env = "GPUADVISE_IDLE", hide_env = true, value_name = "DUR", allow_hyphen_values = true)]
    pub idle: Option<Span>,

    /// Time in which the machines are stopped and their disks are kept (`30d`) [default: 0]
    #[arg(long, env = "GPUADVISE_STOPPED", hide_env = true, value_name = "DUR", allow_hyphen_values = true)]
    pub stopped: Option<Span>,

    /// Disk space of all machines together (`500GiB`; a bare number is GiB), billed while they run, wait or are stopped
    #[arg(
        long,
        env = "GPUADVISE_STORAGE",
        hide_env = true,
        value_name = "BYTES",
        allow_hyphen_values = true
    )]
    pub storage: Option<Bytes>,

    /// Data that leaves for the internet (`1TB`; a bare number is GiB)
    #[arg(long, env = "GPUADVISE_EGRESS", hide_env = true, value_name = "BYTES", allow_hyphen_values = true)]
    pub egress: Option<Bytes>,
}
group!(BillArgs { startup, idle, stopped, storage, egress });

impl BillArgs {
    /// What is used; what is not asked is not used.
    pub fn extras(&self) -> Extras {
        let hours = |span: Option<Span>| span.map_or(0.0, |span| span.0.0);
        let bytes = |amount: Option<Bytes>| amount.map_or(0.0, |amount| amount.0 as f64);
        Extras {
            startup_hours: hours(self.startup),
            idle_hours: hours(self.idle),
            stopped_hours: hours(self.stopped),
            storage_bytes: bytes(self.storage),
            egress_bytes: bytes(self.egress),
        }
    }
}

/// All constraints of a search.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct ConstraintArgs {
    /// Which machines, places and contracts.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Limits and order.
    #[command(flatten)]
    pub limit: LimitArgs,
    /// Spot.
    #[command(flatten)]
    pub spot: SpotArgs,
    /// The bill.
    #[command(flatten)]
    pub bill: BillArgs,
}
