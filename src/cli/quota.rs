//! Quota files: what an account may start, as clouds state it. A file of `[[quota]]` tables:
//!
//! ```toml
//! [[quota]]
//! provider = "aws"
//! region = "us-*"               # left out: every region; each region has the limit for itself
//! instance = "p5.*"             # left out: every machine; or gpu = "H100" by kind of GPU
//! billing = "on-demand"         # one kind or a list; quotas of other kinds are other rows
//! max-vcpus = 192               # or max-gpus, or max-nodes
//! ```

use super::config::{Table, at, parse};
use super::frame;
use crate::advise::quota::{Quota, Unit};
use crate::catalog::Catalog;
use crate::catalog::instance::{InstanceId, ProviderId};
use crate::catalog::lookup::names::glob;
use crate::catalog::lookup::resolve_billing;
use crate::catalog::region::RegionId;
use crate::diag::{InputError, Place};
use serde::Deserialize;
use std::path::Path;
use toml::{Spanned, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    quota: Vec<Spanned<Table>>,
}

/// Keys of one quota.
const KEYS: [&str; 8] =
    ["provider", "region", "instance", "gpu", "billing", "max-gpus", "max-vcpus", "max-nodes"];

/// Reads a quota file.
pub fn read(path: &Path, catalog: &Catalog) -> Result<Vec<Quota>, InputError> {
    from_text(&path.display().to_string(), &frame::read(path)?, catalog)
}

/// Reads the text of a quota file; `file` names it in messages.
pub fn from_text(file: &str, text: &str, catalog: &Catalog) -> Result<Vec<Quota>, InputError> {
    let raw: File = parse(file, text, &["quota"])?;
    let mut quotas = Vec::new();
    for table in raw.quota {
        let place = Place::at(file, text, table.span().start);
        let row = Row { place, file, text, table: table.into_inner(), catalog };
        quotas.extend(row.quotas()?);
    }
    Ok(quotas)
}

struct Row<'a> {
    place: Place,
    file: &'a str,
    text: &'a str,
    table: Table,
    catalog: &'a Catalog,
}

impl Row<'_> {
    /// One quota for each limit of the row.
    fn quotas(&self) -> Result<Vec<Quota>, InputError> {
        if let Some(key) = self.table.keys().find(|key| !KEYS.contains(&key.get_ref().as_str())) {
            let hint = format!("a quota has {}", KEYS.join(", "));
            let error = InputError::unknown("key of `[[quota]]`", key.get_ref(), KEYS, hint);
            return Err(at(&Place::at(self.file, self.text, key.span().start), error));
        }
        let provider = self.provider()?;
        let (regions, instances) = (self.regions(provider)?, self.instances(provider)?);
        let kinds = self.texts("billing")?;
        let billing = resolve_billing(kinds.iter().map(String::as_str))
            .map_err(|error| self.refuse("billing", &error.to_string()))?;
        if billing.is_empty() {
            let hint = "clouds count each kind apart: billing = \"on-demand\", a list, or \"all\"";
            return Err(at(&self.place, InputError::new("a `[[quota]]` without `billing`", hint)));
        }
        let mut quotas = Vec::new();
        for (key, unit) in [("max-gpus", Unit::Gpus), ("max-vcpus", Unit::Vcpus), ("max-nodes", Unit::Nodes)]
        {
            let Some(limit) = self.limit(key)? else { continue };
            let (regions, instances, billing) = (regions.clone(), instances.clone(), billing.clone());
            let text = self.words(key, limit);
            quotas.push(Quota { provider, regions, instances, billing, unit, limit, text });
        }
        if quotas.is_empty() {
            let hint = "say max-gpus, max-vcpus or max-nodes";
            return Err(at(&self.place, InputError::new("a `[[quota]]` without a limit", hint)));
        }
        Ok(quotas)
    }

    fn refuse(&self, key: &str, message: &str) -> InputError {
        let place = self.table.get(key).map(|value| Place::at(self.file, self.text, value.span().start));
        at(place.as_ref().unwrap_or(&self.place), InputError::new(format!("`{key}`: {message}"), ""))
    }

    /// A text, or a list of texts; nothing where the key is missing.
    fn texts(&self, key: &str) -> Result<Vec<String>, InputError> {
        let one = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
        let all = match self.table.get(key).map(Spanned::get_ref) {
            None => Some(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(one).collect(),
            Some(value) => one(value).map(|text| vec![text]),
        };
        all.ok_or_else(|| self.refuse(key, "must be a text or a list of texts"))
    }

    fn provider(&self) -> Result<ProviderId, InputError> {
        match self.texts("provider")?.as_slice() {
            [name] => {
                self.catalog.resolve_provider(name).map_err(|e| self.refuse("provider", &e.to_string()))
            }
            [] => {
                let hint = "say whose it is: provider = \"aws\"";
                Err(at(&self.place, InputError::new("a `[[quota]]` without a `provider`", hint)))
            }
            _ => Err(self.refuse("provider", "a quota has one provider; write a row for each")),
        }
    }

    fn regions(&self, provider: ProviderId) -> Result<Vec<RegionId>, InputError> {
        let mut regions = Vec::new();
        for pattern in self.texts("region")? {
            let found =
                self.catalog.resolve_region(&pattern).map_err(|e| self.refuse("region", &e.to_string()))?;
            let own: Vec<RegionId> =
                found.into_iter().filter(|&id| self.catalog.region(id).provider == provider).collect();
            if own.is_empty() {
                let name = &self.catalog.provider(provider).name;
                return Err(self.refuse("region", &format!("`{pattern}` is no region of `{name}`")));
            }
            regions.extend(own);
        }
        Ok(regions)
    }

    /// The machines that the names and the GPUs mean.
    fn instances(&self, provider: ProviderId) -> Result<Vec<InstanceId>, InputError> {
        let ids = || (0..self.catalog.instances.len()).map(|at| InstanceId(at as u16));
        let own = || ids().filter(|&id| self.catalog.instance(id).provider == provider);
        let name = &self.catalog.provider(provider).name;
        let mut instances = Vec::new();
        for pattern in self.texts("instance")? {
            let wanted = pattern.trim().to_lowercase();
            let is = |id: &InstanceId| glob(&wanted, &self.catalog.instance(*id).name.to_lowercase());
            let found: Vec<InstanceId> = own().filter(is).collect();
            if found.is_empty() {
                let message = format!("no machine of `{name}` is called `{pattern}`");
                return Err(self.refuse("instance", &message));
            }
            instances.extend(found);
        }
        for spec in self.texts("gpu")? {
            let found =
                self.catalog.resolve_gpu_spec(&spec).map_err(|e| self.refuse("gpu", &e.to_string()))?;
            let is = |id: &InstanceId| found.gpus.contains(&self.catalog.instance(*id).gpu);
            let held: Vec<InstanceId> = own().filter(is).collect();
            if held.is_empty() {
                return Err(self.refuse("gpu", &format!("no machine of `{name}` holds `{spec}`")));
            }
            instances.extend(held);
        }
        Ok(instances)
    }

    fn limit(&self, key: &str) -> Result<Option<f64>, InputError> {
        let number = match self.table.get(key).map(Spanned::get_ref) {
            None => return Ok(None),
            Some(Value::Integer(number)) => *number as f64,
            Some(Value::Float(number)) => *number,
            Some(_) => f64::NAN,
        };
        if number.is_finite() && number >= 0.0 {
            return Ok(Some(number));
        }
        Err(self.refuse(key, "must be a number that is not negative, without quotes"))
    }

    /// `quota aws us-* p5.* on-demand: max-gpus 8`.
    fn words(&self, key: &str, limit: f64) -> String {
        let named = |key| self.texts(key).unwrap_or_default().join(",");
        let parts = ["provider", "region", "instance", "gpu", "billing"].map(named);
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{}: {key} {limit}", parts.join(" "))
    }
}

#[cfg(test)]
mod tests;
