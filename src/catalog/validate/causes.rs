//! `[[cause]]` rows: what may be behind the verdict on a network.

use std::collections::BTreeSet;

use super::gpus::required;
use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::cause::Cause;

impl<'t> Layer<'t> {
    pub(super) fn read_causes(&mut self, tables: &[FileTable<'t>]) {
        let mut causes: Vec<Cause> = Vec::new();
        let mut ids = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("cause") {
                let f = &mut self.findings;
                let id = required(&mut row, f, "id");
                let message = required(&mut row, f, "message");
                let advice = row.owned(f, "advice").unwrap_or_default();
                row.finish(f);
                let (Some(id), Some(message), true) = (id, message, row.is_sound()) else { continue };
                if ids.insert(id.clone()) {
                    causes.push(Cause { id, message, advice, overridden: self.overlay });
                } else {
                    self.duplicate_name(&row, &id);
                }
            }
        }
        lay_over(&mut self.catalog.causes, causes, |cause| cause.id.clone());
    }
}
