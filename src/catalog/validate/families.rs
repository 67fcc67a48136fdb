//! `[[family]]` rows, and names that would mean two things.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::Spot;
use super::gpus::required;
use super::merge::lay_over;
use super::{FileTable, Layer, RowId};
use crate::catalog::codes;
use crate::catalog::gpu::{Family, GpuId};
use crate::catalog::lookup::names::normalise;
use crate::catalog::raw::{Row, Waiver};

impl<'t> Layer<'t> {
    pub(super) fn read_families(&mut self, tables: &[FileTable<'t>]) {
        let mut families = Vec::new();
        let mut names: BTreeSet<String> = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("family") {
                let Some(family) = self.read_family(&mut row, table) else { continue };
                if names.insert(family.name.clone()) {
                    families.push(family);
                } else {
                    self.duplicate_name(&row, &family.name);
                }
            }
        }
        lay_over(&mut self.catalog.families, families, |family| family.name.clone());
    }

    fn read_family(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Family> {
        if row.has("source") {
            self.source_of(row, table);
        }
        let f = &mut self.findings;
        let name = required(row, f, "name");
        let listed = row.texts(f, "members");
        row.need(f, "members", listed.first());
        row.owned(f, "note");
        let aliases = row.owned_texts(f, "aliases");
        let mut members = Vec::new();
        for member in listed {
            match self.catalog.gpus.iter().position(|gpu| gpu.name == member.value) {
                Some(at) => members.push(GpuId(at as u16)),
                None => self.unknown_gpu(row, member.value, member.spot),
            }
        }
        let waivers = row.waivers(&mut self.findings);
        row.finish(&mut self.findings);
        self.name_note("family", name.as_deref(), row.spot, waivers);
        row.is_sound().then_some(Family { name: name?, members, aliases })
    }

    /// Reports a GPU that no row defines, unless its row is there but broken.
    pub(super) fn unknown_gpu(&mut self, row: &mut Row<'t>, name: &str, spot: Spot) {
        if self.broken.contains(&("gpu", name.to_owned())) {
            return;
        }
        let names = self.catalog.gpus.iter().map(|gpu| gpu.name.as_str());
        let hint = self.guess(name, names, "add a `[[gpu]]` row for it; no code is needed");
        row.refuse(&mut self.findings, spot, &codes::UNKNOWN_GPU, format!("no GPU is called `{name}`"), hint);
    }

    /// Every name and alias of GPUs and families must mean one thing.
    pub(super) fn check_names(&mut self) {
        if self.names.is_empty() {
            return;
        }
        let mut meanings: BTreeMap<String, BTreeSet<(&'static str, String)>> = BTreeMap::new();
        let mut add = |text: &str, kind: &'static str, owner: &str| {
            meanings.entry(normalise(text)).or_default().insert((kind, owner.to_owned()));
        };
        for gpu in &self.catalog.gpus {
            for text in gpu.aliases.iter().chain([&gpu.name]) {
                add(text, "gpu", &gpu.name);
            }
        }
        for family in &self.catalog.families {
            for text in family.aliases.iter().chain([&family.name]) {
                add(text, "family", &family.name);
            }
        }
        for owners in meanings.into_values().filter(|owners| owners.len() > 1) {
            let listed: Vec<String> = owners.iter().map(|(kind, name)| format!("{kind} `{name}`")).collect();
            let message = format!("a name or alias here means several things: {}", listed.join(", "));
            // The place is the last of them in this layer: the one that came to names already taken.
            let rows = self.names.iter().filter(|(kind, name, _)| owners.contains(&(*kind, name.clone())));
            if let Some(&(_, _, row)) = rows.max_by_key(|(_, _, row)| row.index()) {
                let hint = "keep the text on one row, or make a family of the GPUs";
                self.findings.push(self.rows[row.index()].spot, &codes::AMBIGUOUS_ALIAS, message, hint);
            }
        }
    }

    /// Remembers the row of a named thing.
    pub(super) fn name_note(
        &mut self,
        kind: &'static str,
        name: Option<&str>,
        spot: Spot,
        waivers: Vec<Waiver>,
    ) -> RowId {
        let row = self.note(spot, waivers);
        if let Some(name) = name {
            self.names.push((kind, name.to_owned(), row));
        }
        row
    }

    /// Reports a second row with one name.
    pub(super) fn duplicate_name(&mut self, row: &Row<'t>, name: &str) {
        let same = |(kind, known, _): &&(&'static str, String, RowId)| *kind == row.kind && known == name;
        let first = self.names.iter().filter(|_| !self.findings.is_crowded()).find(same);
        let first = first.map(|&(_, _, row)| row);
        let first =
            first.map_or_else(String::new, |first| format!(", first on {}", self.line_of(first, row.spot)));
        let message = format!("{} `{name}` is defined twice{first}", row.kind);
        self.findings.push(row.spot, &codes::DUPLICATE_NAME, message, "remove or rename one of the two rows");
    }

    /// Remembers the name of a row that cannot be used, so that what refers to it is not reported as well.
    pub(super) fn mark_broken(&mut self, row: &mut Row<'t>) {
        if let Some((value, _)) = row.value("name")
            && let Some(name) = value.as_str()
        {
            self.broken.insert((row.kind, name.to_owned()));
        }
    }
}
