//! `[[provider]]` and `[[region]]` rows.

use std::collections::BTreeSet;

use super::findings::Findings;
use super::gpus::required;
use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::codes;
use crate::catalog::instance::{Operator, Provider, ProviderId, Tier};
use crate::catalog::lookup::names::squeeze;
use crate::catalog::raw::Row;
use crate::catalog::region::Region;

/// A country by its ISO 3166 code of two letters.
fn country(row: &mut Row<'_>, findings: &mut Findings, key: &'static str) -> Option<String> {
    row.choice(findings, key, &["US", "DE", "…"], |code| {
        (code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase())).then(|| code.to_owned())
    })
}

impl<'t> Layer<'t> {
    pub(super) fn read_providers(&mut self, tables: &[FileTable<'t>]) {
        let mut providers = Vec::new();
        let mut names = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("provider") {
                let Some(provider) = self.read_provider(&mut row, table) else {
                    self.mark_broken(&mut row);
                    continue;
                };
                if names.insert(provider.name.clone()) {
                    providers.push(provider);
                } else {
                    self.duplicate_name(&row, &provider.name);
                }
            }
        }
        let moves = lay_over(&mut self.catalog.providers, providers, |provider| provider.name.clone());
        self.providers_moved(&moves);
        for (at, provider) in self.catalog.providers.iter().enumerate() {
            self.provider_ids.entry(squeeze(&provider.name)).or_insert(ProviderId(at as u16));
        }
    }

    fn read_provider(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Provider> {
        let source = self.source_of(row, table);
        let operator_source = row.text(&mut self.findings, "operator-source");
        let operator_source = operator_source.and_then(|id| self.source_named(row, table, &id));
        let f = &mut self.findings;
        let name = required(row, f, "name");
        let display = required(row, f, "display");
        let seat = country(row, f, "operator-country");
        let aliases = row.owned_texts(f, "aliases");
        let tier = row.choice(f, "tier", Tier::NAMES, Tier::from_name);
        let tier = row.need(f, "tier", tier);
        row.owned(f, "note");
        let waivers = row.waivers(f);
        row.finish(f);
        self.name_note("provider", name.as_deref(), row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        let source = source?;
        let operator = seat.map(|country| Operator { country, source: operator_source.unwrap_or(source) });
        Some(Provider { name: name?, display: display?, aliases, tier: tier?, operator, source })
    }

    pub(super) fn read_regions(&mut self, tables: &[FileTable<'t>]) {
        let mut regions = Vec::new();
        let mut names = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("region") {
                let Some(region) = self.read_region(&mut row, table) else {
                    self.mark_broken(&mut row);
                    continue;
                };
                if names.insert((region.provider, region.name.clone())) {
                    regions.push(region);
                } else {
                    self.duplicate_name(
                        &row,
                        &format!("{}/{}", self.catalog.provider(region.provider).name, region.name),
                    );
                }
            }
        }
        let moves =
            lay_over(&mut self.catalog.regions, regions, |region| (region.provider, region.name.clone()));
        self.regions_moved(&moves);
    }

    fn read_region(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Region> {
        let source = self.source_of(row, table);
        let provider = self.provider_of(row, table);
        let f = &mut self.findings;
        let name = required(row, f, "name");
        let display = row.owned(f, "display");
        let operator_country = country(row, f, "operator-country");
        let country = country(row, f, "country");
        let jurisdictions = row.texts(f, "jurisdictions");
        for tag in &jurisdictions {
            if !tag.value.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') || tag.value.is_empty() {
                let message = format!("`{}` is not a jurisdiction tag", tag.value);
                row.refuse(
                    f,
                    tag.spot,
                    &codes::BAD_VALUE,
                    message,
                    "write it in lower case: `eu`, `us`, `us-gov`, `cn` …",
                );
            }
        }
        let jurisdictions = jurisdictions.into_iter().map(|tag| tag.value.to_owned()).collect();
        row.owned(f, "note");
        let waivers = row.waivers(f);
        row.finish(f);
        let full = name.as_deref().zip(provider).map(|(name, provider)| self.qualified(provider, name));
        self.name_note("region", full.as_deref(), row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        let (provider, name, source) = (provider?, name?, source?);
        Some(Region { provider, name, display, country, jurisdictions, operator_country, source })
    }

    /// `aws/us-east-1`, the name of what belongs to a provider in messages.
    pub(super) fn qualified(&self, provider: ProviderId, name: &str) -> String {
        format!("{}/{name}", self.catalog.provider(provider).name)
    }

    /// The provider of a row: its own or the file's. Reports what is wrong with it.
    pub(super) fn provider_of(&mut self, row: &mut Row<'_>, table: &FileTable<'_>) -> Option<ProviderId> {
        let own = row.text(&mut self.findings, "provider");
        let default = if row.has("provider") { None } else { table.provider.as_ref() };
        let Some(name) = own.as_ref().or(default) else {
            return row.need(&mut self.findings, "provider", None);
        };
        let found = self.provider_ids.get(&squeeze(name.value)).copied();
        if found.is_none() && !self.broken.contains(&("provider", name.value.to_owned())) {
            let names = self.catalog.providers.iter().map(|provider| provider.name.as_str());
            let hint = self.guess(name.value, names, "add a `[[provider]]` row for it");
            let message = format!("no provider is called `{}`", name.value);
            row.refuse(&mut self.findings, name.spot, &codes::UNKNOWN_PROVIDER, message, hint);
        }
        found
    }
}
