//! Where offers are collected: each gets its machine and region, and stands with the other quotes of the same price.
//!
//! Its size follows the number of different prices, never that of rows: [`MOST_PRICES`], [`MOST_QUOTES`] and
//! [`MOST_NAMES`] bound it. What several quotes of one price come to is decided in `settle`.

mod amounts;
mod places;

pub(super) use amounts::decimal;

use super::hardware::Regions;
use super::rules::Rules;
use super::{Amount, Fault, File, Format, Offer, Reason, harmless, odd, shown};
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::{InstanceId, ProviderId, Tier};
use crate::catalog::price::{Billing, Currency, Upfront};
use crate::catalog::region::RegionId;
use jiff::civil::Date;
use rust_decimal::Decimal;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Display;

/// Most different prices of one import: machine, region, billing kind and upfront.
pub const MOST_PRICES: usize = 2_000_000;

/// Most quotes of one price: zones of a region, offers of a marketplace.
pub const MOST_QUOTES: usize = 4_000;

/// Most machines, regions and zones of one import, each; ids of the catalog are 16 bits wide.
pub const MOST_NAMES: usize = 65_000;

/// Longest name of a machine, region or zone, characters.
const LONGEST_NAME: usize = 128;

/// What makes a price: machine, region, kind, upfront.
pub(super) type Key = (u32, u32, Billing, Option<Upfront>);

/// One quote of a price.
#[derive(Clone, Debug)]
pub(super) struct Quote {
    pub(super) slot: u32,
    pub(super) seq: i64,
    pub(super) amount: Decimal,
    /// Paid at the start of the term and for each of its hours, where the source says both.
    pub(super) parts: Option<(Decimal, Decimal)>,
    pub(super) currency: Currency,
    /// Position in the list of sources.
    pub(super) source: u16,
    /// How many rows said the same.
    pub(super) rows: u32,
    pub(super) pooled: bool,
}

/// A machine that was quoted.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) provider: ProviderId,
    pub(super) name: String,
    /// The machine of the catalog, or what a new row says.
    pub(super) known: Result<InstanceId, New>,
}

/// A machine that the catalog does not have.
#[derive(Clone, Debug)]
pub(super) struct New {
    pub(super) gpu: GpuId,
    pub(super) gpus: f64,
    pub(super) vcpus: Option<f64>,
    pub(super) ram_gib: Option<f64>,
    pub(super) nvme_gb: Option<f64>,
    pub(super) source: u16,
}

/// A region that was quoted.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) provider: ProviderId,
    pub(super) name: String,
    /// The region of the catalog.
    pub(super) known: Option<RegionId>,
    pub(super) source: u16,
}

/// A file and a day that prices come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) text: String,
    pub(super) day: Option<Date>,
    /// The first day of which it may be.
    pub(super) since: Option<Date>,
}

/// The offers of all files of one import.
pub struct Ledger<'c> {
    pub(super) catalog: &'c Catalog,
    pub(super) rules: Rules,
    /// No price is of a later day.
    today: Date,
    pub(super) machines: Vec<Machine>,
    pub(super) places: Vec<Place>,
    machine_ids: BTreeMap<(ProviderId, String), Result<u32, Reason>>,
    machine_names: BTreeMap<(ProviderId, String), u32>,
    place_ids: BTreeMap<(ProviderId, String), u32>,
    regions: Regions,
    slots: BTreeMap<String, u32>,
    pub(super) quotes: BTreeMap<Key, Vec<Quote>>,
    pub(super) skipped: BTreeMap<Reason, (u64, String)>,
    pub(super) origins: Vec<Origin>,
    /// Quotes that were read.
    pub(super) read: u64,
    file: Current,
}

/// The file under reading.
#[derive(Clone, Debug, Default)]
struct Current {
    name: String,
    source: String,
    provider: Option<ProviderId>,
    as_of: Option<Date>,
    since: Option<Date>,
    /// The newest day that the file itself says.
    said: Option<Date>,
    first_origin: usize,
    lines: bool,
}

impl<'c> Ledger<'c> {
    /// An empty ledger beside a catalog.
    pub fn new(catalog: &'c Catalog, today: Date) -> Result<Self, Fault> {
        Ok(Self {
            catalog,
            rules: Rules::own()?,
            today,
            machines: Vec::new(),
            places: Vec::new(),
            machine_ids: BTreeMap::new(),
            machine_names: BTreeMap::new(),
            place_ids: BTreeMap::new(),
            regions: Regions::new(catalog),
            slots: BTreeMap::new(),
            quotes: BTreeMap::new(),
            skipped: BTreeMap::new(),
            origins: Vec::new(),
            read: 0,
            file: Current::default(),
        })
    }

    /// Begins a file.
    pub(super) fn open(&mut self, format: &Format, file: &File<'_>) -> Result<(), Fault> {
        // Catalogs of SkyPilot are told apart by their folders: v8/aws/vms.csv.
        let kept = if format.name == "skypilot" { 3 } else { 1 };
        let mut parts: Vec<&str> = file.name.rsplit(['/', '\\']).take(kept).collect();
        parts.reverse();
        let last = parts.join("/");
        let last = if last == "-" { "standard input" } else { &last };
        let provider = match file.provider.or(format.provider) {
            Some(name) => {
                let found = self.catalog.resolve_provider(name);
                Some(found.map_err(|error| Fault::new(error.to_string(), "name it with --provider"))?)
            }
            None => self.provider_of_path(file.name),
        };
        let source = file
            .source
            .map_or_else(|| format!("{}: {}", format.title, shown(last)), |text| harmless(text).collect());
        self.file = Current {
            name: shown(file.name),
            source,
            provider,
            as_of: file.as_of,
            since: file.since,
            said: None,
            first_origin: self.origins.len(),
            lines: format.lines,
        };
        Ok(())
    }

    /// Ends a file: prices without a day of their own get that of the file.
    pub(super) fn close(&mut self) -> Result<(), Fault> {
        let day = self.file.said.or(self.file.as_of);
        for origin in self.origins[self.file.first_origin..].iter_mut().filter(|it| it.day.is_none()) {
            if day.is_none() {
                let message = "the file does not say of which day its prices are";
                return Err(Fault::new(message, "give the day on which you got it: `--as-of 2026-11-30`"));
            }
            origin.day = day;
            origin.since = self.file.since.filter(|since| self.file.said.is_none() && Some(*since) < day);
        }
        Ok(())
    }

    /// The provider that a path names: `catalogs/v8/aws/vms.csv`, `aws.csv`.
    fn provider_of_path(&self, path: &str) -> Option<ProviderId> {
        let mut parts = path.rsplit(['/', '\\']);
        let last = parts.next().unwrap_or_default();
        let stem = last.split('.').next().unwrap_or_default();
        [stem, parts.next().unwrap_or_default()]
            .into_iter()
            .find_map(|it| self.catalog.resolve_provider(it).ok())
    }

    /// The provider of a file whose rows do not name one.
    pub(super) fn need_provider(&self) -> Result<ProviderId, Fault> {
        let hint = "name it: `--provider aws`; or keep its folder, as in catalogs/v8/aws/vms.csv";
        self.file.provider.ok_or_else(|| Fault::new("the file does not say whose prices it holds", hint))
    }

    /// The catalog that offers are laid over.
    pub(super) fn catalog(&self) -> &'c Catalog {
        self.catalog
    }

    /// The day of which the prices of the file are, as far as is known before its end.
    pub(super) fn day(&self) -> Date {
        self.file.said.or(self.file.as_of).unwrap_or(self.today)
    }

    /// The file says that it is of this day; the newest counts.
    pub(super) fn said(&mut self, day: Date) {
        if day <= self.today {
            self.file.said = self.file.said.max(Some(day));
        }
    }

    /// Counts a quote that is left out, with an example.
    pub(super) fn skip(&mut self, reason: Reason, line: u64, what: &dyn Display) {
        self.read += 1;
        self.skip_more(reason, 1, || (line, what.to_string()));
    }

    fn skip_more(&mut self, reason: Reason, rows: u64, example: impl FnOnce() -> (u64, String)) {
        match self.skipped.entry(reason) {
            Entry::Occupied(mut entry) => entry.get_mut().0 += rows,
            Entry::Vacant(entry) => {
                let (line, what) = example();
                let place = match (line, self.file.lines) {
                    (0, _) => String::new(),
                    (line, true) => format!(":{line}"),
                    (item, false) => format!(" item {item}"),
                };
                entry.insert((rows, format!("{}{place}: {}", self.file.name, shown(&what))));
            }
        }
    }

    /// Takes an offer in, or counts why not. An error only where a limit of the whole import is passed.
    pub(super) fn offer(&mut self, offer: &Offer<'_>) -> Result<(), Fault> {
        match self.place(offer)? {
            Ok((key, quote)) => {
                self.read += 1;
                self.enter(key, quote, offer)
            }
            Err(reason) => {
                let Offer { machine, region, hardware, line, .. } = offer;
                let name = if machine.is_empty() { hardware.gpu } else { machine };
                let gpu = if reason.is_about_gpu() { format!(" ({})", hardware.gpu) } else { String::new() };
                let amount = match offer.amount {
                    Amount::Text(text) if reason == Reason::PriceNotUsable => format!(" {text}"),
                    _ => String::new(),
                };
                self.skip(reason, *line, &format_args!("{name} {region}{gpu}{amount}"));
                Ok(())
            }
        }
    }

    fn place(&mut self, offer: &Offer<'_>) -> Result<Result<(Key, Quote), Reason>, Fault> {
        let said = || -> Result<_, Reason> {
            let provider = self.provider_of(offer)?;
            usable_names(offer)?;
            Ok((provider, amounts::amount(offer)?, self.currency(offer.currency)?))
        };
        let (provider, (amount, parts), currency) = match said() {
            Ok(said) => said,
            Err(reason) => return Ok(Err(reason)),
        };
        if offer.as_of.is_some_and(|day| day > self.today) {
            return Ok(Err(Reason::DateNotUsable));
        }
        let source = self.origin(offer.as_of)?;
        let machine = match self.machine(provider, offer, source)? {
            Ok(machine) => machine,
            Err(reason) => return Ok(Err(reason)),
        };
        let (region, slot) = self.region(provider, offer, source)?;
        let pooled = offer.pooled || self.catalog.provider(provider).tier == Tier::Marketplace;
        let quote = Quote { slot, seq: offer.seq, amount, parts, currency, source, rows: 1, pooled };
        Ok(Ok(((machine, region, offer.billing, offer.upfront), quote)))
    }

    fn enter(&mut self, key: Key, quote: Quote, offer: &Offer<'_>) -> Result<(), Fault> {
        let full = self.quotes.len() >= MOST_PRICES;
        let quotes = match self.quotes.entry(key) {
            Entry::Vacant(_) if full => {
                return Err(Fault::new(
                    format!("more than {MOST_PRICES} different prices"),
                    "import it in parts",
                ));
            }
            Entry::Vacant(entry) => entry.insert(Vec::with_capacity(1)),
            Entry::Occupied(entry) => entry.into_mut(),
        };
        let equal = |it: &Quote| (it.amount, it.parts) == (quote.amount, quote.parts);
        let same = |it: &Quote| it.slot == quote.slot && (it.seq != quote.seq || equal(it));
        let what = || (offer.line, format!("{} {} {}", offer.machine, offer.region, offer.slot));
        let room = quotes.len() < MOST_QUOTES;
        let Some(at) = quotes.iter().position(same) else {
            if room {
                quotes.push(quote);
            } else {
                self.skip_more(Reason::TooManyQuotes, 1, what);
            }
            return Ok(());
        };
        let known = &mut quotes[at];
        if known.seq == quote.seq {
            known.rows += 1;
            known.source = newer(&self.origins, known.source, quote.source);
        } else {
            let older = if known.seq < quote.seq { std::mem::replace(known, quote) } else { quote };
            self.skip_more(Reason::OlderQuote, older.rows.into(), what);
        }
        Ok(())
    }

    /// The currency of the catalog with this code, blind to case.
    fn currency(&self, code: &str) -> Result<Currency, Reason> {
        let known = |currency: &Currency| {
            *currency == Currency::USD || self.catalog.currencies.iter().any(|it| it.code == *currency)
        };
        match Currency::from_code(&code.to_ascii_uppercase()).filter(known) {
            Some(currency) => Ok(currency),
            None if code.is_empty() => Ok(Currency::USD),
            None => Err(Reason::CurrencyNotKnown),
        }
    }

    fn provider_of(&self, offer: &Offer<'_>) -> Result<ProviderId, Reason> {
        if offer.provider.is_empty() {
            return self.file.provider.ok_or(Reason::ProviderNotKnown);
        }
        self.catalog.resolve_provider(offer.provider).map_err(|_| Reason::ProviderNotKnown)
    }

    /// The position of the origin of this file and day; a row without a day waits for that of the file.
    fn origin(&mut self, day: Option<Date>) -> Result<u16, Fault> {
        let origin = Origin { text: self.file.source.clone(), day, since: None };
        let own = &self.origins[self.file.first_origin..];
        let at = own.iter().position(|it| *it == origin).map(|at| at + self.file.first_origin);
        let at = at.unwrap_or_else(|| {
            self.origins.push(origin);
            self.origins.len() - 1
        });
        let most = || Fault::new(format!("more than {} different days", u16::MAX), "import it in parts");
        u16::try_from(at).map_err(|_| most())
    }
}

/// Of two origins the one with the later day.
pub(super) fn newer(origins: &[Origin], a: u16, b: u16) -> u16 {
    let day = |at: u16| origins.get(usize::from(at)).and_then(|origin| origin.day);
    if day(b) > day(a) { b } else { a }
}

fn usable_names(offer: &Offer<'_>) -> Result<(), Reason> {
    let fits = |name: &str| name.chars().count() <= LONGEST_NAME && !name.chars().any(odd);
    let named = !offer.machine.is_empty() || !offer.hardware.gpu.is_empty();
    let all = [offer.machine, offer.region, offer.slot, offer.hardware.gpu];
    if named && !offer.region.is_empty() && all.into_iter().all(fits) {
        Ok(())
    } else {
        Err(Reason::NameNotUsable)
    }
}
