//! Dates of sources in documents: a day, or a range where the source has no day.

use crate::catalog::provenance::AsOf;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::fmt;

/// `"2026-07-20"` or `{"not_before": …, "not_after": …}`; in tables and CSV `2025-11-01..2025-11-30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dated(pub AsOf);

impl Serialize for Dated {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            AsOf::Day(day) => serializer.collect_str(&day),
            AsOf::Between(first, last) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("not_before", &first.to_string())?;
                map.serialize_entry("not_after", &last.to_string())?;
                map.end()
            }
        }
    }
}

impl Dated {
    /// The date in a narrow column: `2025-11-01/30` for a range, as ISO 8601 shortens intervals (section 4.4.5).
    pub(super) fn short(self) -> String {
        match self.0 {
            AsOf::Day(day) => day.to_string(),
            AsOf::Between(first, last) => {
                let (from, to) = (first.to_string(), last.to_string());
                let same = [8, 5].into_iter().find(|&n| from.get(..n) == to.get(..n)).unwrap_or(0);
                format!("{from}/{}", to.get(same..).unwrap_or(&to))
            }
        }
    }
}

impl fmt::Display for Dated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
