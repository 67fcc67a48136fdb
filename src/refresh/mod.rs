//! Price sources: what others publish, read as a stream and turned into a catalog overlay; and what two catalogs differ in.
//!
//! A parser of `source` turns bytes into offers, the [`Ledger`] gives them places in the catalog and settles what several
//! of them say of one price, `overlay` writes the file; `update` judges it beside the last one, `history` keeps what was.
//! Nothing here opens a file, reads a clock or prints; only `fetch` opens a network connection, for `catalog update`. What
//! cannot be used is counted with a [`Reason`], never dropped.

pub mod compare;
mod doubt;
#[cfg(feature = "refresh")]
pub mod fetch;
mod guard;
mod hardware;
pub mod history;
mod json;
mod ledger;
mod overlay;
mod reason;
mod rules;
mod settle;
mod source;
#[cfg(feature = "refresh")]
pub mod sources;
mod table;
#[cfg(feature = "refresh")]
pub mod update;

pub use doubt::{Doubt, doubts};
pub use guard::{MOST_BYTES, MOST_TOKEN};
pub use ledger::{Ledger, MOST_NAMES, MOST_PRICES, MOST_QUOTES};
pub use overlay::{Overlay, dated};
pub use reason::Reason;
pub use settle::{Import, NewRegion, Skipped, Stated};

use crate::catalog::price::{Billing, Upfront};
use crate::diag::InputError;
use jiff::civil::Date;
use rust_decimal::Decimal;
use std::io::Read;

/// One format that can be read.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, for people.
    pub what: &'static str,
    /// How a source of prices is called that come from such a file.
    pub title: &'static str,
    /// Whose prices they are, where the format belongs to one provider.
    pub provider: Option<&'static str>,
    /// Whether files say of which day they are.
    pub dated: bool,
    /// Whether places in it are lines; else they are numbers of items.
    lines: bool,
    read: fn(&mut dyn Read, &mut Ledger<'_>) -> Result<(), Fault>,
}

/// All formats, by name.
pub const FORMATS: &[Format] = source::FORMATS;

/// The format with this name; an error with near names.
pub fn format(name: &str) -> Result<&'static Format, InputError> {
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let hint = format!("formats: {}", names.join(", "));
        InputError::unknown("format", name, names, hint)
    })
}

/// Why a file cannot be read to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// 1-based line and column, where there is a place.
    pub place: Option<(u64, u64)>,
    /// What is wrong.
    pub message: String,
    /// What to do; empty when the message says it all.
    pub hint: String,
}

impl Fault {
    /// A fault without a place.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { place: None, message: message.into(), hint: hint.into() }
    }

    /// A fault at a place.
    pub fn at(line: u64, column: u64, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { place: Some((line, column)), message: message.into(), hint: hint.into() }
    }

    /// The fault as an error about a file.
    pub fn of_file(self, file: &str) -> InputError {
        let place = self.place.map_or_else(String::new, |(line, column)| format!(":{line}:{column}"));
        InputError::new(format!("{file}{place}: {}", self.message), self.hint)
    }
}

/// One file to read.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// As the user named it, for messages.
    pub name: &'a str,
    /// Its provider, where neither the format nor a column says it.
    pub provider: Option<&'a str>,
    /// Its day, where it does not say one.
    pub as_of: Option<Date>,
    /// The first day of which it may be, where `as_of` is but the last one.
    pub since: Option<Date>,
    /// What its prices are said to come from; absent is the title of the format with the last part of the name.
    pub source: Option<&'a str>,
}

/// Reads one file of a format into the ledger, to its end or to the first fault.
pub fn read(
    format: &Format,
    file: &File<'_>,
    from: &mut dyn Read,
    ledger: &mut Ledger<'_>,
) -> Result<(), Fault> {
    ledger.open(format, file)?;
    (format.read)(from, ledger)?;
    ledger.close()
}

/// What one row of a source offers.
#[derive(Clone, Debug)]
struct Offer<'a> {
    /// Whose; empty is the provider of the file.
    provider: &'a str,
    /// The provider's name of the machine; empty where only its hardware is known.
    machine: &'a str,
    region: &'a str,
    /// What several prices of one region are told apart by: a zone, an offer of a marketplace.
    slot: &'a str,
    /// Of two prices of one slot the one with the higher number holds.
    seq: i64,
    hardware: Hardware<'a>,
    billing: Billing,
    upfront: Option<Upfront>,
    amount: Amount<'a>,
    /// ISO 4217; empty is USD.
    currency: &'a str,
    /// The day of this row, where it has its own.
    as_of: Option<Date>,
    /// Prices differ from offer to offer, and their median is meant.
    pooled: bool,
    /// 1-based line, or number of the item.
    line: u64,
}

/// What a source says of the machine.
#[derive(Clone, Copy, Debug, Default)]
struct Hardware<'a> {
    /// GPU, as the source calls it; empty is none.
    gpu: &'a str,
    /// Memory of one GPU in GiB.
    memory_gib: Option<f64>,
    gpus: Option<f64>,
    vcpus: Option<f64>,
    ram_gib: Option<f64>,
    nvme_gb: Option<f64>,
}

/// A price for one hour of the machine, as the source has it.
#[derive(Clone, Copy, Debug)]
enum Amount<'a> {
    Text(&'a str),
    Exact(Decimal),
    /// Paid at the start of the term, and for each of its hours.
    Parts(Decimal, Decimal),
}

impl<'a> Offer<'a> {
    /// An on-demand price without anything else known.
    fn new(machine: &'a str, region: &'a str, amount: Amount<'a>) -> Self {
        Self {
            provider: "",
            machine,
            region,
            slot: "",
            seq: 0,
            hardware: Hardware::default(),
            billing: Billing::OnDemand,
            upfront: None,
            amount,
            currency: "",
            as_of: None,
            pooled: false,
            line: 0,
        }
    }
}

/// A foreign text as messages may show it: short, and harmless.
fn shown(text: &str) -> String {
    let mut shown: String = harmless(text).take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}

/// A foreign text without control codes and marks of direction.
fn harmless(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|c| if odd(c) { '?' } else { c })
}

/// Characters of a foreign text that a message shows.
const SHOWN: usize = 120;

/// Whether a character moves a terminal, a line or the direction of a text.
fn odd(c: char) -> bool {
    crate::diag::is_odd(c) || matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}')
}

#[cfg(test)]
mod tests;
