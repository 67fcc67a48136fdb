//! `[[charge]]` rows: steps of billing, storage and egress of a provider.

use std::collections::BTreeSet;

use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::charge::{Charge, Step, What};
use crate::catalog::codes;
use crate::catalog::instance::ProviderId;
use crate::catalog::lookup::names::glob;
use crate::catalog::raw::{At, Row};
use crate::units::GIB;

/// Longest step of billing, seconds: a month.
const LONGEST_S: u32 = 2_628_000;

/// Longest block of capacity, days: ten years.
const MOST_DAYS: u32 = 3653;

/// What a charge is found by.
type Key = (ProviderId, What, Vec<String>, Vec<String>);

fn key(charge: &Charge) -> Key {
    (charge.provider, charge.what, charge.instances.clone(), charge.regions.clone())
}

impl<'t> Layer<'t> {
    pub(super) fn read_charges(&mut self, tables: &[FileTable<'t>]) {
        let mut charges = Vec::new();
        let mut seen = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("charge") {
                let Some(charge) = self.read_charge(&mut row, table) else { continue };
                if seen.insert(key(&charge)) {
                    charges.push(charge);
                } else {
                    let provider = &self.catalog.provider(charge.provider).name;
                    self.duplicate_name(&row, &format!("{provider}/{}", charge.what.name()));
                }
            }
        }
        lay_over(&mut self.catalog.charges, charges, key);
    }

    fn read_charge(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Charge> {
        let source = self.source_of(row, table);
        let provider = self.provider_of(row, table);
        let f = &mut self.findings;
        let what = row.choice(f, "what", What::NAMES, What::from_name);
        let what = row.need(f, "what", what);
        let (regions, instances) = (row.texts(f, "regions"), row.texts(f, "instances"));
        let mut charge = Charge {
            provider: provider.unwrap_or_default(),
            what: what.unwrap_or(What::Compute),
            regions: regions.iter().map(|text| text.value.to_owned()).collect(),
            instances: instances.iter().map(|text| text.value.to_owned()).collect(),
            increment_s: 0,
            minimum_s: 0,
            billed_when_stopped: false,
            blocks: None,
            unit_bytes: 0.0,
            steps: Vec::new(),
            usd_when_stopped: None,
            source: source.unwrap_or_default(),
        };
        match what {
            Some(What::Compute) => self.read_time(row, &mut charge),
            Some(What::Storage | What::Egress) => self.read_amount(row, &mut charge),
            Some(What::CapacityBlock) => self.read_blocks(row, &mut charge),
            None => return None,
        }
        let f = &mut self.findings;
        row.owned(f, "note");
        let waivers = row.waivers(f);
        self.note(row.spot, waivers);
        row.finish(&mut self.findings);
        if let Some(provider) = provider {
            self.check_patterns(row, provider, &regions, &instances);
        }
        (row.is_sound() && provider.is_some() && source.is_some()).then_some(charge)
    }

    fn read_time(&mut self, row: &mut Row<'t>, charge: &mut Charge) {
        let f = &mut self.findings;
        let increment = row.whole::<u32>(f, "increment-s", 1);
        let increment = row.need(f, "increment-s", increment);
        let minimum = row.whole::<u32>(f, "minimum-s", 0);
        charge.increment_s = increment.unwrap_or(1);
        charge.minimum_s = minimum.unwrap_or(0);
        charge.billed_when_stopped = row.flag(f, "billed-when-stopped").unwrap_or(false);
        if charge.increment_s.max(charge.minimum_s) > LONGEST_S {
            let message = format!("a step of billing is at most {LONGEST_S} s, a month");
            row.refuse(f, row.spot, &codes::BAD_COUNT, message, "");
        }
    }

    fn read_blocks(&mut self, row: &mut Row<'t>, charge: &mut Charge) {
        let f = &mut self.findings;
        let days = row.whole::<u32>(f, "days", 1);
        let days = row.need(f, "days", days);
        let weeks = row.whole::<u32>(f, "weeks", 0).unwrap_or(0);
        charge.blocks = days.map(|days| (days, weeks));
        if days.is_some_and(|days| days.max(weeks.saturating_mul(7)) > MOST_DAYS) {
            let message = format!("a block is at most {MOST_DAYS} days, ten years");
            row.refuse(f, row.spot, &codes::BAD_COUNT, message, "");
        }
    }

    fn read_amount(&mut self, row: &mut Row<'t>, charge: &mut Charge) {
        let f = &mut self.findings;
        let unit = row.choice(f, "unit", &["GB", "GiB"], |unit| match unit {
            "GB" => Some(1e9),
            "GiB" => Some(GIB),
            _ => None,
        });
        charge.unit_bytes = row.need(f, "unit", unit).unwrap_or(1e9);
        // Disks are never free; data that leaves may be.
        let first = if charge.what == What::Storage { row.rate(f, "usd") } else { row.amount(f, "usd", 0.0) };
        let first = row.need(f, "usd", first);
        charge.steps = first.map(|usd| Step { from: 0.0, usd }).into_iter().collect();
        if charge.what == What::Storage {
            charge.usd_when_stopped = row.amount(f, "usd-when-stopped", 0.0);
            return;
        }
        for mut step in row.tables(f, "above", "step") {
            let (from, usd) = (step.rate(f, "from"), step.amount(f, "usd", 0.0));
            let (from, usd) = (step.need(f, "from", from), step.need(f, "usd", usd));
            step.finish(f);
            let last = charge.steps.last().map_or(0.0, |step| step.from);
            match from.zip(usd) {
                Some((from, usd)) if from > last => charge.steps.push(Step { from, usd }),
                Some((from, _)) => {
                    let message = format!("the step from {from} comes after the one from {last}");
                    row.refuse(f, step.spot, &codes::BAD_VALUE, message, "put the steps in rising order");
                }
                None => row.refuse(f, step.spot, &codes::BAD_VALUE, "an unusable step".to_owned(), ""),
            }
        }
    }

    /// A pattern that nothing of the provider matches is a slip.
    fn check_patterns(
        &mut self,
        row: &mut Row<'t>,
        provider: ProviderId,
        regions: &[At<&'t str>],
        instances: &[At<&'t str>],
    ) {
        let catalog = &self.catalog;
        let places: Vec<&str> = catalog
            .regions
            .iter()
            .filter(|region| region.provider == provider)
            .map(|region| region.name.as_str())
            .collect();
        let machines: Vec<&str> = catalog
            .instances
            .iter()
            .filter(|instance| instance.provider == provider)
            .map(|instance| instance.name.as_str())
            .collect();
        let lists = [
            (regions, places, "region", &codes::UNKNOWN_REGION),
            (instances, machines, "machine", &codes::UNKNOWN_INSTANCE),
        ];
        for (patterns, names, what, code) in lists {
            for pattern in patterns {
                if !names.iter().any(|name| glob(pattern.value, name)) {
                    let message = format!("no {what} of this provider matches `{}`", pattern.value);
                    row.refuse(&mut self.findings, pattern.spot, code, message, "`*` and `?` are wildcards");
                }
            }
        }
    }
}
