//! The result of an import as a catalog file: sorted, one line a price, each with source and day.

use super::ledger::{Key, Ledger, Machine, Origin, Place};
use super::settle::{NewRegion, Stated};
use crate::catalog::Catalog;
use crate::catalog::price::Currency;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A catalog file that is ready to be written.
#[derive(Clone, Debug)]
pub struct Overlay {
    providers: Vec<String>,
    gpus: Vec<String>,
    machines: Vec<Machine>,
    places: Vec<Place>,
    origins: Vec<Origin>,
    prices: Vec<(Key, Stated)>,
}

impl Overlay {
    pub(super) fn new(ledger: &Ledger<'_>, stated: BTreeMap<Key, Stated>) -> Self {
        let catalog: &Catalog = ledger.catalog;
        let mut prices: Vec<(Key, Stated)> = stated.into_iter().collect();
        let (machines, places) = (ledger.machines.clone(), ledger.places.clone());
        let name = |key: &Key| {
            let (machine, place) = (&machines[key.0 as usize], &places[key.1 as usize]);
            (
                catalog.provider(machine.provider).name.as_str(),
                machine.name.as_str(),
                place.name.as_str(),
                key.2,
                key.3,
            )
        };
        prices.sort_by(|(a, _), (b, _)| name(a).cmp(&name(b)));
        Self {
            providers: catalog.providers.iter().map(|provider| provider.name.clone()).collect(),
            gpus: catalog.gpus.iter().map(|gpu| gpu.name.clone()).collect(),
            machines,
            places,
            origins: ledger.origins.clone(),
            prices,
        }
    }

    /// How many prices it has.
    pub fn prices(&self) -> usize {
        self.prices.len()
    }

    /// How many machines it adds.
    pub fn instances(&self) -> usize {
        self.new_machines().len()
    }

    /// The sources of its prices with their days, sorted.
    pub fn sources(&self) -> Vec<(String, String)> {
        let used: BTreeSet<u16> = self.prices.iter().map(|(_, stated)| stated.source).collect();
        let line = |at: &u16| {
            let origin = &self.origins[usize::from(*at)];
            (origin.text.clone(), origin.day.map_or_else(String::new, |day| day.to_string()))
        };
        let all: BTreeSet<(String, String)> = used.iter().map(line).collect();
        all.into_iter().collect()
    }

    /// The regions that it adds, by provider and name.
    fn new_places(&self) -> BTreeMap<(&str, &str), u16> {
        let used: BTreeSet<u32> = self.prices.iter().map(|(key, _)| key.1).collect();
        let places = used.iter().map(|at| &self.places[*at as usize]).filter(|place| place.known.is_none());
        places
            .map(|place| {
                ((self.providers[usize::from(place.provider.0)].as_str(), place.name.as_str()), place.source)
            })
            .collect()
    }

    /// The regions that it adds.
    pub(super) fn new_regions(&self) -> Vec<NewRegion> {
        let region = |(provider, name): (&str, &str)| NewRegion {
            provider: provider.to_owned(),
            name: name.to_owned(),
        };
        self.new_places().into_keys().map(region).collect()
    }

    fn new_machines(&self) -> Vec<&Machine> {
        let used: BTreeSet<u32> = self.prices.iter().map(|(key, _)| key.0).collect();
        let mut all: Vec<&Machine> = used
            .iter()
            .map(|at| &self.machines[*at as usize])
            .filter(|machine| machine.known.is_err())
            .collect();
        all.sort_by_key(|machine| (&self.providers[usize::from(machine.provider.0)], &machine.name));
        all
    }

    /// The text of the file; `notes` stand in comments at its top.
    pub fn text(&self, notes: &[String]) -> String {
        let mut text = String::with_capacity(200 * self.prices.len() + 4096);
        for note in notes {
            let _ = writeln!(text, "# {}", super::shown(note));
        }
        text.push_str("\nschema = 1\n\nprice = [\n");
        for (key, stated) in &self.prices {
            self.price(&mut text, key, stated);
        }
        text.push_str("]\n");
        for at in self.cited() {
            let origin = &self.origins[usize::from(at)];
            let day = origin.day.map_or_else(String::new, |day| dated(origin.since, day));
            let _ = write!(text, "\n[sources.{}]\ntext = {}\n{day}", id(at), quoted(&origin.text));
        }
        for ((provider, name), source) in self.new_places() {
            let (provider, name) = (quoted(provider), quoted(name));
            let _ = write!(
                text,
                "\n[[region]]\nprovider = {provider}\nname = {name}\nsource = \"{}\"\n",
                id(source)
            );
        }
        for machine in self.new_machines() {
            self.machine(&mut text, machine);
        }
        text
    }

    fn cited(&self) -> BTreeSet<u16> {
        let prices = self.prices.iter().map(|(_, stated)| stated.source);
        let machines =
            self.new_machines().into_iter().filter_map(|machine| Some(machine.known.as_ref().err()?.source));
        prices.chain(self.new_places().into_values()).chain(machines).collect()
    }

    fn price(&self, text: &mut String, key: &Key, stated: &Stated) {
        let (machine, place) = (&self.machines[key.0 as usize], &self.places[key.1 as usize]);
        let _ = write!(
            text,
            "  {{ provider = {}, instance = {}, region = {}, billing = \"{}\", ",
            quoted(&self.providers[usize::from(machine.provider.0)]),
            quoted(&machine.name),
            quoted(&place.name),
            key.2.name()
        );
        if let Some(upfront) = key.3 {
            let _ = write!(text, "upfront = \"{}\", ", upfront.name());
        }
        let dollars = stated.currency == Currency::USD;
        if let Some((fee, rest)) = stated.parts {
            for (key, amount) in [("upfront-fee", fee), ("recurring-per-hour", rest)] {
                if !amount.is_zero() {
                    let _ = write!(text, "{key} = {amount}, ");
                }
            }
        } else {
            let key = if dollars { "usd-per-hour" } else { "per-hour" };
            let _ = write!(text, "{key} = {}, ", stated.amount);
        }
        if !dollars {
            let _ = write!(text, "currency = \"{}\", ", stated.currency.code());
        }
        if let Some(stat) = stated.stat {
            let _ = write!(text, "stat = \"{stat}\", ");
        }
        let _ = writeln!(text, "source = \"{}\" }},", id(stated.source));
    }

    fn machine(&self, text: &mut String, machine: &Machine) {
        let Err(new) = &machine.known else { return };
        let _ = write!(
            text,
            "\n[[instance]]\nprovider = {}\nname = {}\ngpu = {}\ngpus = {}\n",
            quoted(&self.providers[usize::from(machine.provider.0)]),
            quoted(&machine.name),
            quoted(&self.gpus[usize::from(new.gpu.0)]),
            new.gpus
        );
        for (key, value) in [("vcpus", new.vcpus), ("ram-gib", new.ram_gib), ("nvme-gb", new.nvme_gb)] {
            if let Some(value) = value {
                let _ = writeln!(text, "{key} = {value}");
            }
        }
        let _ = writeln!(text, "source = \"{}\"", id(new.source));
    }
}

/// The line of a source that tells its day, or the days between which it is.
pub fn dated(since: Option<Date>, day: Date) -> String {
    match since {
        Some(since) if since < day => format!("as-of = {{ not-before = {since}, not-after = {day} }}\n"),
        _ => format!("as-of = {day}\n"),
    }
}

fn id(source: u16) -> String {
    format!("import-{}", source + 1)
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
