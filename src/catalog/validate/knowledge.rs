//! `[[constant]]`, `[[rule]]` and `[[scenario]]` rows.
//!
//! Conditions of rules are only checked for being there: their language belongs to the rule engine.

use std::collections::BTreeSet;

use toml::de::DeValue;

use super::findings::Findings;
use super::gpus::required;
use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::codes;
use crate::catalog::knowledge::{Constant, Rule, Scenario, ScenarioWorkload};
use crate::catalog::raw::Row;
use crate::diag::near_names;

/// Levels of advice.
const LEVELS: &[&str] = &["info", "suggest", "warn", "deny"];

/// What makes a constant the same one as another.
type ConstantKey = (String, Option<String>, Option<String>, Option<String>, Option<u32>);

fn constant_key(constant: &Constant) -> ConstantKey {
    let Constant { key, gpu, precision, class, max_gpus, .. } = constant;
    (key.clone(), gpu.clone(), precision.clone(), class.clone(), *max_gpus)
}

impl<'t> Layer<'t> {
    pub(super) fn read_constants(&mut self, tables: &[FileTable<'t>]) {
        let mut constants = Vec::new();
        let mut keys = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("constant") {
                let Some(constant) = self.read_constant(&mut row, table) else { continue };
                if keys.insert(constant_key(&constant)) {
                    constants.push(constant);
                } else {
                    self.duplicate_name(&row, &constant.key);
                }
            }
        }
        lay_over(&mut self.catalog.constants, constants, constant_key);
    }

    fn read_constant(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Constant> {
        let source = self.source_of(row, table);
        let f = &mut self.findings;
        let key = required(row, f, "key");
        let gpu = row.text(f, "gpu");
        let precision = row.owned(f, "precision");
        let class = row.owned(f, "class");
        let max_gpus = row.whole(f, "max-gpus", 1);
        let value = row.amount(f, "value", f64::MIN);
        let value = row.need(f, "value", value);
        let low = row.amount(f, "low", f64::MIN);
        let high = row.amount(f, "high", f64::MIN);
        if low.is_some() != high.is_some() {
            let message = "`low` and `high` come together".to_owned();
            row.refuse(f, row.spot, &codes::BAD_VALUE, message, "give both or none");
        }
        let range = low.zip(high);
        if let (Some((low, high)), Some(value)) = (range, value)
            && !(low <= value && value <= high)
        {
            let message = format!("the value {value} lies outside its range {low} to {high}");
            row.refuse(f, row.spot, &codes::BAD_VALUE, message, "low ≤ value ≤ high");
        }
        let note = row.owned(f, "note");
        let waivers = row.waivers(f);
        row.finish(f);
        if let Some(gpu) = &gpu
            && !self.means_hardware(gpu.value)
        {
            self.unknown_gpu(row, gpu.value, gpu.spot);
        }
        self.name_note("constant", key.as_deref(), row.spot, waivers);
        if let (Some(key), Some(value)) = (key.as_deref(), value) {
            self.judge_constant(row, key, value);
        }
        if !row.is_sound() {
            return None;
        }
        let gpu = gpu.map(|gpu| gpu.value.to_owned());
        Some(Constant {
            key: key?,
            gpu,
            precision,
            class,
            max_gpus,
            value: value?,
            range,
            source: source?,
            note,
        })
    }

    /// A constant of an overlay is one that the catalog has under the same key, and of the same kind: a share where all of
    /// them are shares, above 0 where all of them are.
    fn judge_constant(&mut self, row: &mut Row<'t>, key: &str, value: f64) {
        let known = &self.catalog.constants;
        if known.is_empty() {
            return;
        }
        let same: Vec<f64> = known.iter().filter(|it| it.key == key).map(|it| it.value).collect();
        let share = same.iter().all(|&it| it > 0.0 && it <= 1.0);
        let positive = same.iter().all(|&it| it > 0.0);
        let (message, hint) = if same.is_empty() {
            let near = near_names(key, known.iter().map(|it| it.key.as_str()));
            let meant = near.first().map_or(String::new(), |name| format!("; did you mean `{name}`?"));
            (format!("no estimate reads a constant `{key}`{meant}"), "`catalog/README.md` lists the keys")
        } else if share && !(value > 0.0 && value <= 1.0) {
            (
                format!("`{key}` is a share or a small amount: {value} is not above 0 and up to 1"),
                "write 0.45 for 45 %",
            )
        } else if positive && value <= 0.0 {
            (
                format!("`{key}` is above 0 everywhere, and here {value}"),
                "leave the row out where it is not known",
            )
        } else {
            return;
        };
        row.refuse(&mut self.findings, row.spot, &codes::BAD_VALUE, message, hint);
    }

    /// Whether a text is a GPU, a family, an architecture or a vendor.
    pub(super) fn means_hardware(&self, name: &str) -> bool {
        let gpus = &self.catalog.gpus;
        gpus.iter().any(|gpu| gpu.name == name || gpu.architecture == name || gpu.vendor == name)
            || self.catalog.families.iter().any(|family| family.name == name)
    }

    pub(super) fn read_rules(&mut self, tables: &[FileTable<'t>]) {
        let mut rules = Vec::new();
        let mut ids = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("rule") {
                let Some(rule) = self.read_rule(&mut row, table) else { continue };
                if ids.insert(rule.id.clone()) {
                    rules.push(rule);
                } else {
                    self.duplicate_name(&row, &rule.id);
                }
            }
        }
        lay_over(&mut self.catalog.rules, rules, |rule| rule.id.clone());
    }

    fn read_rule(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Rule> {
        let source = self.source_of(row, table);
        let f = &mut self.findings;
        let id = required(row, f, "id");
        let level = row.choice(f, "level", LEVELS, |level| LEVELS.contains(&level).then(|| level.to_owned()));
        let level = row.need(f, "level", level);
        let when = required(row, f, "when");
        let message = required(row, f, "message");
        let explain = required(row, f, "explain");
        let saves_usd = row.owned(f, "saves-usd");
        row.owned(f, "note");
        let waivers = row.waivers(f);
        row.finish(f);
        self.name_note("rule", id.as_deref(), row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        Some(Rule {
            id: id?,
            level: level?,
            when: when?,
            message: message?,
            explain: explain?,
            saves_usd,
            source: source?,
            overridden: self.overlay,
        })
    }

    pub(super) fn read_scenarios(&mut self, tables: &[FileTable<'t>]) {
        let mut scenarios = Vec::new();
        let mut names = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("scenario") {
                let Some(scenario) = self.read_scenario(&mut row, table) else { continue };
                if names.insert(scenario.name.clone()) {
                    scenarios.push(scenario);
                } else {
                    self.duplicate_name(&row, &scenario.name);
                }
            }
        }
        lay_over(&mut self.catalog.scenarios, scenarios, |scenario| scenario.name.clone());
    }

    fn read_scenario(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Scenario> {
        let source = self.source_of(row, table);
        let f = &mut self.findings;
        let name = required(row, f, "name");
        let title = required(row, f, "title");
        let gpu = row.text(f, "guide-gpu");
        let gpu = row.need(f, "guide-gpu", gpu);
        let guide_gpus = row.whole(f, "guide-gpus", 1);
        let guide_gpus = row.need(f, "guide-gpus", guide_gpus);
        let guide_vcpus = row.whole(f, "guide-vcpus", 0);
        let guide_vcpus = row.need(f, "guide-vcpus", guide_vcpus);
        let note = row.owned(f, "note");
        let tables = row.tables(f, "workload", "scenario.workload");
        row.need(f, "workload", tables.first());
        let workloads = tables.into_iter().filter_map(|mut row| read_workload(&mut row, f)).collect();
        let waivers = row.waivers(f);
        row.finish(f);
        if let Some(gpu) = &gpu
            && self.catalog.resolve_gpu_spec(gpu.value).is_err()
        {
            self.unknown_gpu(row, gpu.value, gpu.spot);
        }
        self.name_note("scenario", name.as_deref(), row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        Some(Scenario {
            name: name?,
            title: title?,
            guide_gpu: gpu?.value.to_owned(),
            guide_gpus: guide_gpus?,
            guide_vcpus: guide_vcpus?,
            workloads,
            source: source?,
            note,
        })
    }
}

fn read_workload(row: &mut Row<'_>, f: &mut Findings) -> Option<ScenarioWorkload> {
    let name = required(row, f, "name");
    let not_judged = row.owned(f, "not-judged");
    let mut flags = Vec::new();
    if let Some((value, spot)) = row.value("flags") {
        let Some(table) = value.as_table() else {
            let message = "`flags` must be a table".to_owned();
            row.refuse(f, spot, &codes::WRONG_TYPE, message, "write `flags = { model = \"…\" }`");
            return None;
        };
        for (key, value, spot) in Row::new("flags", table, spot).entries() {
            if let Some(text) = flag_text(value) {
                flags.push((key.value.to_owned(), text));
            } else {
                let message = format!("flag `{}` must be a text, a number or true", key.value);
                row.refuse(f, spot, &codes::WRONG_TYPE, message, "");
            }
        }
    }
    row.finish(f);
    if flags.is_empty() == not_judged.is_none() {
        let message = "a workload has either `flags` or `not-judged`".to_owned();
        row.refuse(f, row.spot, &codes::BAD_VALUE, message, "keep exactly one of the two");
    }
    row.is_sound().then_some(ScenarioWorkload { name: name?, flags, not_judged })
}

fn flag_text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        _ => None,
    }
}
