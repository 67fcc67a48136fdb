//! Machines, providers, regions, models and billing kinds by the names that people type.

use super::names::{glob, is_glob, squeeze};
use super::{LookupError, Reason};
use crate::catalog::Catalog;
use crate::catalog::instance::{Instance, InstanceId, ProviderId};
use crate::catalog::preset::Preset;
use crate::catalog::price::Billing;
use crate::catalog::region::{Region, RegionId};
use crate::diag::near_names;

impl Catalog {
    /// The machine behind `provider/type`, or behind a bare type that one provider alone has.
    pub fn resolve_instance(&self, text: &str) -> Result<InstanceId, LookupError> {
        let (provider, name) = match text.trim().split_once('/') {
            Some((provider, name)) => (Some(self.resolve_provider(provider)?), name.trim()),
            None => (None, text.trim()),
        };
        let of_provider = |it: &Instance| provider.is_none_or(|provider| it.provider == provider);
        let matches: Vec<usize> = (0..self.instances.len())
            .filter(|&at| {
                of_provider(&self.instances[at]) && self.instances[at].name.eq_ignore_ascii_case(name)
            })
            .collect();
        match matches.as_slice() {
            [at] => Ok(InstanceId(*at as u16)),
            [] => {
                let all = || self.instances.iter().filter(|it| of_provider(it));
                let near = near_names(name, all().map(|it| it.name.as_str()));
                let owner = |near: &str| all().find(|it| it.name == near).map(|it| self.full_name(it));
                let names = near.into_iter().filter_map(owner).collect();
                let hint = "`gpuadvise catalog instances` lists all; write `PROVIDER/TYPE`";
                Err(LookupError {
                    what: "instance",
                    text: text.to_owned(),
                    reason: Reason::Unknown,
                    names,
                    hint,
                })
            }
            several => {
                let names = several.iter().map(|&at| self.full_name(&self.instances[at])).collect();
                let hint = "put the provider in front";
                Err(LookupError {
                    what: "instance",
                    text: text.to_owned(),
                    reason: Reason::Ambiguous,
                    names,
                    hint,
                })
            }
        }
    }

    /// `aws/p5.48xlarge`.
    pub fn full_name(&self, instance: &Instance) -> String {
        format!("{}/{}", self.provider(instance.provider).name, instance.name)
    }

    /// The provider with this name, display name or alias.
    pub fn resolve_provider(&self, text: &str) -> Result<ProviderId, LookupError> {
        let wanted = squeeze(text);
        let found = self.providers.iter().position(|provider| {
            provider
                .aliases
                .iter()
                .chain([&provider.name, &provider.display])
                .any(|name| squeeze(name) == wanted)
        });
        found.map(|at| ProviderId(at as u16)).ok_or_else(|| {
            let near = near_names(text, self.providers.iter().map(|it| it.name.as_str()));
            let names = if near.is_empty() {
                self.providers.iter().map(|it| it.name.as_str()).collect()
            } else {
                near
            };
            let names = names.into_iter().map(ToOwned::to_owned).collect();
            LookupError { what: "provider", text: text.to_owned(), reason: Reason::Unknown, names, hint: "" }
        })
    }

    /// The regions that a pattern means, in catalog order; an error with near names when there are none. A name that is
    /// exact but for its letters' case means only itself: `eu-west-1` is not Google's `eu-west1`.
    pub fn resolve_region(&self, pattern: &str) -> Result<Vec<RegionId>, LookupError> {
        let which = |matches: &dyn Fn(&Region) -> bool| -> Vec<RegionId> {
            let ids = (0..self.regions.len()).filter(|&at| matches(&self.regions[at]));
            ids.map(|at| RegionId(at as u16)).collect()
        };
        let exact = which(&|region| region.name.eq_ignore_ascii_case(pattern.trim()));
        let found = if exact.is_empty() { which(&|region| region_matches(pattern, region)) } else { exact };
        if !found.is_empty() {
            return Ok(found);
        }
        let bare: String = pattern.chars().filter(|c| !matches!(c, '*' | '?')).collect();
        let displays = self.regions.iter().filter_map(|region| region.display.as_deref());
        let near = near_names(&bare, self.regions.iter().map(|region| region.name.as_str()).chain(displays));
        let names = near.into_iter().map(ToOwned::to_owned).collect();
        let hint = "write a region such as `us-east-1`, a display name, or a pattern such as `eu-*`";
        Err(LookupError { what: "region", text: pattern.to_owned(), reason: Reason::Unknown, names, hint })
    }

    /// The model with this name or alias.
    pub fn resolve_preset(&self, text: &str) -> Result<&Preset, LookupError> {
        let wanted = squeeze(text.trim());
        let is = |name: &String| squeeze(name) == wanted;
        let by_name = self.presets.iter().find(|preset| is(&preset.name));
        let found = by_name.or_else(|| self.presets.iter().find(|preset| preset.aliases.iter().any(is)));
        found.ok_or_else(|| {
            let own = self.presets.iter().map(|preset| preset.name.as_str());
            let names = near_names(text.rsplit('/').next().unwrap_or(text), own);
            let names = names.into_iter().map(ToOwned::to_owned).collect();
            let hint = "`gpuadvise catalog models` lists all; a `config.json`, `--params` or a shape by hand work too";
            LookupError { what: "model", text: text.to_owned(), reason: Reason::Unknown, names, hint }
        })
    }
}

/// Whether a pattern means a region: its name or display name, blind to case; `*` and `?` are wildcards. Without
/// wildcards separators do not count: `WestUS3`, `West US 3` and `westus3` are one region.
pub fn region_matches(pattern: &str, region: &Region) -> bool {
    let names = [Some(&region.name), region.display.as_ref()].into_iter().flatten();
    if is_glob(pattern) {
        let fold = |text: &str| text.trim().to_lowercase().replace(['_', ' '], "-");
        let pattern = fold(pattern);
        return names.into_iter().any(|name| glob(&pattern, &fold(name)));
    }
    let wanted = squeeze(pattern);
    names.into_iter().any(|name| squeeze(name) == wanted)
}

/// The kinds of a list such as `on-demand,spot`; `committed` names all with a term, `all` names all. In the order of
/// tables, each once.
pub fn resolve_billing<'a>(list: impl IntoIterator<Item = &'a str>) -> Result<Vec<Billing>, LookupError> {
    let mut kinds = Vec::new();
    for text in
        list.into_iter().flat_map(|item| item.split(',')).map(str::trim).filter(|text| !text.is_empty())
    {
        match text.to_ascii_lowercase().replace('_', "-").as_str() {
            "all" => kinds.extend(Billing::ALL),
            "committed" => kinds.extend(Billing::ALL.into_iter().filter(|kind| kind.is_committed())),
            name => kinds.push(Billing::from_name(name).ok_or_else(|| {
                let all = Billing::NAMES.iter().copied().chain(["committed", "all"]);
                let near = near_names(name, all.clone());
                let names = if near.is_empty() { all.collect() } else { near };
                let names = names.into_iter().map(ToOwned::to_owned).collect();
                LookupError {
                    what: "billing kind",
                    text: text.to_owned(),
                    reason: Reason::Unknown,
                    names,
                    hint: "",
                }
            })?),
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    Ok(kinds)
}
