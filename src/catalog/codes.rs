//! Every finding that checking a catalog can raise: its stable code, its level, and the paragraph behind `explain CODE`.
//!
//! Wording of a single finding stands where it is raised; nothing is checked here.

use crate::diag::Level;

/// A kind of finding about catalog files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Stable kebab-case name, as printed and as used in `allow = [{ code = "…", reason = "…" }]`.
    pub name: &'static str,
    /// Error or warning.
    pub level: Level,
    /// Whether a row can accept it with an `allow` entry and a reason.
    pub waivable: bool,
    /// What it means and what to do.
    pub paragraph: &'static str,
}

/// The kind of finding with this name.
pub fn find(name: &str) -> Option<&'static Code> {
    CODES.iter().find(|code| code.name == name)
}

macro_rules! codes {
    ($($ident:ident = $name:literal, $level:ident, $waivable:literal, $paragraph:literal;)*) => {
        $(pub(crate) const $ident: Code =
            Code { name: $name, level: Level::$level, waivable: $waivable, paragraph: $paragraph };)*

        /// All kinds of findings, grouped as `catalog/README.md` lists them.
        pub const CODES: &[Code] = &[$($ident),*];
    };
}

codes! {
    TOML_SYNTAX = "toml-syntax", Error, false,
        "The file is not valid TOML. Rows behind the place may be missing from the check, so mend this first and check again.";
    UNKNOWN_FIELD = "unknown-field", Error, false,
        "A key that no row of this kind has. Misspelt keys are errors, so that a figure never gets lost silently. `catalog/README.md` lists the keys of each kind of row.";
    MISSING_FIELD = "missing-field", Error, false,
        "A key that every row of this kind must have is absent. Figures that are not known may be left out only where `catalog/README.md` says so.";
    WRONG_TYPE = "wrong-type", Error, false,
        "The value has another TOML type than the key needs, for example a text in place of a number.";
    BAD_VALUE = "bad-value", Error, false,
        "The value is not one of those the key allows, or contradicts another key of the row. The message names what is allowed.";
    BAD_UNIT = "bad-unit", Error, false,
        "An amount of memory without a unit, or with one that is not known. Write `80 GiB`, `81559 MiB` or `80 GB`; a bare number would leave open whether GB or GiB is meant.";
    BAD_MEMORY = "bad-memory", Error, false,
        "An amount of memory that cannot be: zero, beyond 16 TiB for one GPU, or usable memory that is above the label or below half of it.";
    BAD_COUNT = "bad-count", Error, false,
        "A count or a rate that cannot be: zero, negative, NaN or infinite, or a number of GPUs above one that is not whole. A share of one GPU is written as a fraction below 1, such as 0.125.";
    DUPLICATE_NAME = "duplicate-name", Error, false,
        "Two rows of one kind in one file set have the same name. Remove one; only a later `--catalog` overlay may replace a row.";
    AMBIGUOUS_ALIAS = "ambiguous-alias", Error, false,
        "A name or alias that would mean two things. Names are compared without case, `-`, `_`, spaces and leading vendor names, so `A100 80GB` and `a100-80gb` are the same. Keep it on one row; a family may hold several GPUs under one name.";
    UNKNOWN_GPU = "unknown-gpu", Error, false,
        "A row refers to a GPU that no `[[gpu]]` row defines. A new GPU family needs only its row, no code.";
    UNKNOWN_PROVIDER = "unknown-provider", Error, false,
        "A row refers to a provider that no `[[provider]]` row defines.";
    UNKNOWN_REGION = "unknown-region", Error, false,
        "A price names a region that its provider does not have in the catalog. Add a `[[region]]` row with the country and jurisdictions that a source tells.";
    UNKNOWN_INSTANCE = "unknown-instance", Error, false,
        "A price names a machine that its provider does not have in the catalog. Add an `[[instance]]` row first.";
    UNKNOWN_SOURCE = "unknown-source", Error, false,
        "A row cites a source id that the file does not define. Ids hold within one file: add `[sources.ID]` with `text` and `as-of`.";
    MISSING_SOURCE = "missing-source", Error, false,
        "A row without a source. Every figure must say where it comes from: `source = \"ID\"` in the row, or once at the top of the file.";
    MISSING_DATE = "missing-date", Error, false,
        "A source without `as-of`. Give the day, or `{ not-before = …, not-after = … }` where the source has no day.";
    BAD_DATE = "bad-date", Error, false,
        "A date that is not a day of the calendar, or a range whose end lies before its start.";
    PRICE_NOT_POSITIVE = "price-not-positive", Error, false,
        "A price of zero or below. Nothing that is rented out is free: a price that is not known is written `usd-per-hour = \"unknown\"` and never competes.";
    PRICE_NOT_FINITE = "price-not-finite", Error, false,
        "A price that is NaN, infinite or above a million an hour.";
    PRICE_BASIS = "price-basis", Error, false,
        "A price for something else than one hour of what the machine's row is: per GPU where the row is a machine of eight, per month, or per chip where the row is a host. Such rows cannot be compared; convert the price to one hour of the machine.";
    DUPLICATE_PRICE = "duplicate-price", Error, false,
        "The same machine, region, billing kind and upfront has two prices in one file set. The message names both lines; remove the wrong one.";
    COMMITMENT_ABOVE_ON_DEMAND = "commitment-above-on-demand", Error, true,
        "A price with a term of one or three years that is above the on-demand price of the same machine and region. Almost always a slip of columns or units. If it is true, waive it with the reason.";
    THREE_YEAR_ABOVE_ONE_YEAR = "three-year-above-one-year", Error, true,
        "A three-year price above the one-year price of the same kind, machine, region and upfront. Almost always two columns swapped. If it is true, waive it with the reason.";
    GPU_MEMORY_MISMATCH = "gpu-memory-mismatch", Error, false,
        "The memory per GPU of a machine differs by more than 5 % from the memory of its GPU (times the share, for a fraction of one). Either the figure is the total of all GPUs, or the machine has another variant of the GPU.";
    SPOT_NOT_BELOW_ON_DEMAND = "spot-not-below-on-demand", Warning, true,
        "A spot price at or above the on-demand price of the same machine and region. It happens when spot capacity is short; spot is never recommended there. Waive it with the reason where the source really says so.";
    PRICE_FAR_BELOW_MEDIAN = "price-far-below-median", Warning, true,
        "The price per GPU-hour is under a tenth of the median on-demand price of that GPU. Often a price per GPU that stands in the row of a machine of eight, or a share that is counted as a whole GPU.";
    PEAK_LOOKS_SPARSE = "peak-looks-sparse", Warning, true,
        "A peak rate that looks like the figure with structured sparsity, twice the dense one: vendors print both. The catalog holds dense figures only. Raised when a rate is far above twice the rate of the next wider format, when FP16 and BF16 differ, or when it is about twice that of another member of the family.";
    WAIVER_WITHOUT_REASON = "waiver-without-reason", Error, false,
        "An `allow` entry without a reason. Say why the row is right although it looks wrong.";
    WAIVER_UNUSED = "waiver-unused", Warning, false,
        "An `allow` entry for something that is not raised on this row (any more). Remove it.";
}
