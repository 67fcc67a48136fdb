//! `[[software]]` rows: names of engines and frameworks.

use std::collections::BTreeMap;

use super::findings::{Spot, did_you_mean};
use super::gpus::required;
use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::codes;
use crate::catalog::raw::Row;
use crate::catalog::software::{Software, Use, plain};

/// What a row is known by. Rows with a base come first, so that a search for bases ends early.
fn key(row: &Software) -> (bool, Use, String) {
    (row.base.is_none(), row.usage, row.name.clone())
}

impl<'t> Layer<'t> {
    pub(super) fn read_software(&mut self, tables: &[FileTable<'t>]) {
        let mut rows: Vec<Software> = Vec::new();
        let mut spots: BTreeMap<(Use, String), Spot> = BTreeMap::new();
        for table in tables {
            for mut row in table.rows("software") {
                let Some(read) = self.read_one_software(&mut row) else { continue };
                if spots.insert((read.usage, read.name.clone()), row.spot).is_none() {
                    rows.push(read);
                } else {
                    self.duplicate_name(&row, &read.name);
                }
            }
        }
        // A row of an overlay replaces the one of its name, with a base or without.
        self.catalog.software.retain(|old| !spots.contains_key(&(old.usage, old.name.clone())));
        lay_over(&mut self.catalog.software, rows, key);
        self.judge_software(&spots);
    }

    fn read_one_software(&mut self, row: &mut Row<'t>) -> Option<Software> {
        let f = &mut self.findings;
        let usage = row.choice(f, "use", &Use::NAMES, Use::named);
        let usage = row.need(f, "use", usage);
        let name = required(row, f, "name").map(|name| plain(&name));
        let class = row.owned(f, "class");
        let aliases = row.owned_texts(f, "aliases").iter().map(|alias| plain(alias)).collect();
        let base = row.owned(f, "base");
        let before = row.owned(f, "before");
        let since = row.text(f, "since");
        let version = since.as_ref().and_then(|since| version_of(since.value));
        if let Some(since) = since.as_ref().filter(|_| version.is_none()) {
            let message = format!("`since = \"{}\"` is not a version", since.value);
            row.refuse(f, since.spot, &codes::BAD_VALUE, message, "write major and minor: `0.8`");
        }
        if before.is_some() != since.is_some() {
            let message = "`before` and `since` come together".to_owned();
            row.refuse(f, row.spot, &codes::BAD_VALUE, message, "give both or none");
        }
        row.owned(f, "note");
        row.finish(f);
        if !row.is_sound() {
            return None;
        }
        let name = name?;
        let class = class.unwrap_or_else(|| name.clone());
        Some(Software { usage: usage?, name, class, aliases, base, before: before.zip(version) })
    }

    /// A name stands for one piece of software, and a class is one.
    fn judge_software(&mut self, spots: &BTreeMap<(Use, String), Spot>) {
        let mut slips: Vec<(Spot, &'static codes::Code, String, String)> = Vec::new();
        for row in &self.catalog.software {
            let Some(&spot) = spots.get(&(row.usage, row.name.clone())) else { continue };
            let same = || self.catalog.software.iter().filter(|other| other.usage == row.usage);
            for name in row.aliases.iter().chain([&row.name]) {
                if let Some(other) = same().find(|other| other.name != row.name && other.is(name)) {
                    let message =
                        format!("software `{}` and `{}` are both called `{name}`", row.name, other.name);
                    slips.push((spot, &codes::AMBIGUOUS_ALIAS, message, "name it once".to_owned()));
                }
            }
            let classes = [Some(&row.class), row.base.as_ref(), row.before.as_ref().map(|(class, _)| class)];
            for class in classes.into_iter().flatten() {
                if !same().any(|other| other.is(class)) {
                    let message =
                        format!("software `{}` has the class `{class}`, which no row names", row.name);
                    let hint = did_you_mean(class, same().map(|other| other.name.as_str()), "add its row");
                    slips.push((spot, &codes::BAD_VALUE, message, hint));
                }
            }
        }
        for (spot, code, message, hint) in slips {
            self.findings.push(spot, code, message, hint);
        }
    }
}

/// Major and minor version.
fn version_of(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
