//! The project file `gpuadvise.toml`: `[defaults]`, and what the commands that gate read. Everything has its place in the
//! file; names that only a catalog knows, such as providers, are looked up by those who use them.

mod budget;

use super::config::{Settings, Table, at, known_keys, parse};
use super::constraint::FilterArgs;
use super::request::Group;
use super::speech::LangArgs;
use super::value::money::percent_off;
use crate::catalog::lookup::resolve_billing;
use crate::catalog::price::Billing;
use crate::diag::{InputError, Place};
use crate::gate::{Budget, Level, ids};
use rust_decimal::Decimal;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use toml::{Spanned, Value};

/// A project file as written.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// `[defaults]`: flags of every command.
    pub defaults: Settings,
    /// `[[workload]]`, in the order of the file.
    pub workloads: Vec<Entry>,
    /// `[budget]`.
    pub budget: Budget,
    /// `[discount]`.
    pub discounts: Vec<DiscountLine>,
    /// `[[policy]]`, in the order of the file.
    pub policies: Vec<PolicyLine>,
}

/// One `[[workload]]`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name, which no other one has.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// Which configuration is chosen; `None` follows `sort`.
    pub pick: Option<Pick>,
    /// Exactly so many machines of `instance`.
    pub nodes: Option<u32>,
    /// A file as of `--workload`, which its own settings override.
    pub file: Option<String>,
    /// A named workload of the catalog, which the file and its own settings override.
    pub scenario: Option<String>,
    /// Its flags without their dashes.
    pub settings: Settings,
}

/// `pick`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The lowest expected total.
    Cheapest,
    /// The shortest time.
    Fastest,
}

impl Entry {
    /// A path of the project file: in its folder where it is there, else as it is.
    pub fn path(&self, path: &Path) -> PathBuf {
        let inside = Path::new(&self.place.file).with_file_name(path);
        if inside.exists() { inside } else { path.to_owned() }
    }
}

impl Pick {
    /// As written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cheapest => "cheapest",
            Self::Fastest => "fastest",
        }
    }
}

/// One entry of `[discount]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscountLine {
    /// The provider as written.
    pub provider: String,
    /// Where it stands.
    pub place: Place,
    /// The contract.
    pub billing: Billing,
    /// Per cent off the list price.
    pub percent: Decimal,
}

/// One `[[policy]]` as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyLine {
    /// Its id, which no other one has.
    pub id: String,
    /// How grave a breach is.
    pub level: Level,
    /// Condition under which it is broken.
    pub when: String,
    /// Where the condition stands.
    pub when_place: Place,
    /// What is said then; may have holes.
    pub message: String,
    /// Where the message stands.
    pub message_place: Place,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    defaults: Table,
    #[serde(default)]
    workload: Vec<Spanned<Table>>,
    #[serde(default)]
    budget: Table,
    #[serde(default)]
    discount: BTreeMap<Spanned<String>, Spanned<Table>>,
    #[serde(default)]
    policy: Vec<Spanned<Table>>,
}

/// The sections of a project file.
const SECTIONS: [&str; 5] = ["defaults", "workload", "budget", "discount", "policy"];

impl Project {
    /// Reads a project file. `file` names it in messages.
    pub fn read(file: &str, text: &str) -> Result<Self, InputError> {
        let reader = Reader { file, text };
        let raw: File = parse(file, text, &SECTIONS)?;
        let keys = known_keys();
        let everywhere = [LangArgs::keys(), keys.clone()].concat();
        let defaults = Settings::new(file, text, raw.defaults, &everywhere)?;
        defaults.check()?;
        let mut workloads: Vec<Entry> = Vec::new();
        for table in raw.workload {
            let pinned = defaults.group::<FilterArgs>()?.instance.is_some();
            let entry = reader.workload(table, &keys, pinned)?;
            reader.once("workload", &entry.name, &entry.place, workloads.iter().map(|w| w.name.as_str()))?;
            workloads.push(entry);
        }
        let mut policies: Vec<PolicyLine> = Vec::new();
        for table in raw.policy {
            let place = reader.place(table.span().start);
            let policy = reader.policy(table)?;
            reader.once("policy", &policy.id, &place, policies.iter().map(|p| p.id.as_str()))?;
            policies.push(policy);
        }
        let budget = reader.budget(raw.budget)?;
        Ok(Self { defaults, workloads, budget, discounts: reader.discounts(raw.discount)?, policies })
    }
}

/// The text that places are of.
struct Reader<'t> {
    file: &'t str,
    text: &'t str,
}

/// A value with its place.
struct Field {
    key: &'static str,
    place: Place,
    value: Value,
}

impl Field {
    fn refuse(&self, expected: &str) -> InputError {
        let Self { key, value, .. } = self;
        let hint = if matches!(value, Value::String(_)) && expected.contains("number") {
            "write the number without quotes"
        } else {
            ""
        };
        let message = format!("`{key}` is {expected}, not {}", value.to_string().trim());
        at(&self.place, InputError::new(message, hint))
    }

    fn text(&self) -> Result<String, InputError> {
        let text = self.value.as_str().map(str::trim).filter(|text| !text.is_empty());
        text.map(str::to_owned).ok_or_else(|| self.refuse("a text"))
    }

    /// A number as written, to the last digit.
    fn decimal(&self, expected: &str) -> Result<Decimal, InputError> {
        let digits = match &self.value {
            Value::Integer(number) => number.to_string(),
            Value::Float(number) if number.is_finite() => number.to_string(),
            _ => return Err(self.refuse(expected)),
        };
        Decimal::from_str(&digits)
            .or_else(|_| Decimal::from_scientific(&digits))
            .map_err(|_| self.refuse(expected))
    }

    /// An amount that is not negative, below 10^15.
    fn amount(&self) -> Result<Decimal, InputError> {
        let expected = "a number of US dollars that is not negative, such as 5000 or 0.75";
        let amount = self.decimal(expected)?;
        let sound = (amount.is_zero() || !amount.is_sign_negative())
            && amount < Decimal::from(1_000_000_000_000_000_i64);
        if sound { Ok(amount) } else { Err(self.refuse(expected)) }
    }

    fn whole(&self, expected: &str) -> Result<u32, InputError> {
        let number = self.value.as_integer().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.refuse(expected))
    }

    fn level(&self) -> Result<Level, InputError> {
        let text = self.value.as_str().unwrap_or_default();
        Level::from_name(text).ok_or_else(|| self.one_of(&Level::NAMES))
    }

    fn one_of(&self, names: &[&str]) -> InputError {
        let hint = format!("`{}` is one of {}", self.key, names.join(", "));
        match self.value.as_str() {
            Some(text) => at(&self.place, InputError::unknown(self.key, text, names.iter().copied(), hint)),
            None => self.refuse(&format!("one of {}", names.join(", "))),
        }
    }
}

impl Reader<'_> {
    fn place(&self, offset: usize) -> Place {
        Place::at(self.file, self.text, offset)
    }

    /// Takes a key out of a table.
    fn take(&self, table: &mut Table, key: &'static str) -> Option<Field> {
        let value = table.remove(key)?;
        let place = self.place(value.span().start);
        Some(Field { key, place, value: value.into_inner() })
    }

    /// Refuses a key that is left over.
    fn nothing_left(&self, table: &Table, section: &str, known: &[&str]) -> Result<(), InputError> {
        let Some(key) = table.keys().min_by_key(|key| key.span().start) else { return Ok(()) };
        let hint = format!("`{section}` has {}", known.join(", "));
        let what = format!("key of `{section}`");
        let error = InputError::unknown(&what, key.get_ref(), known.iter().copied(), hint);
        Err(at(&self.place(key.span().start), error))
    }

    fn once<'n>(
        &self,
        what: &str,
        name: &str,
        place: &Place,
        mut others: impl Iterator<Item = &'n str>,
    ) -> Result<(), InputError> {
        if others.any(|other| other == name) {
            let message = format!("two `[[{what}]]` of {} are called `{name}`", self.file);
            return Err(at(place, InputError::new(message, "give each its own name")));
        }
        Ok(())
    }

    fn workload(
        &self,
        table: Spanned<Table>,
        keys: &[String],
        pinned_by_default: bool,
    ) -> Result<Entry, InputError> {
        let place = self.place(table.span().start);
        let mut table = table.into_inner();
        let missing = || at(&place, InputError::new("a `[[workload]]` without a `name`", "give it one"));
        let name = self.take(&mut table, "name").ok_or_else(missing)?.text()?;
        let pick = self.take(&mut table, "pick").map(|field| match field.value.as_str() {
            Some("cheapest") => Ok(Pick::Cheapest),
            Some("fastest") => Ok(Pick::Fastest),
            _ => Err(field.one_of(&["cheapest", "fastest"])),
        });
        let file = self.take(&mut table, "workload").map(|field| field.text()).transpose()?;
        let scenario = self.take(&mut table, "scenario").map(|field| field.text()).transpose()?;
        let nodes = self.take(&mut table, "nodes");
        let pinned = pinned_by_default || table.keys().any(|key| key.get_ref() == "instance");
        let nodes = nodes.map(|field| match field.whole("a number of machines, 1 or more")? {
            0 => Err(field.refuse("a number of machines, 1 or more")),
            _ if !pinned => {
                let hint = "say which: instance = \"PROVIDER/TYPE\"";
                Err(at(&field.place, InputError::new("`nodes` without an `instance`", hint)))
            }
            nodes => Ok(nodes),
        });
        let known: Vec<String> = keys
            .iter()
            .cloned()
            .chain(["name", "pick", "nodes", "workload", "scenario"].map(str::to_owned))
            .collect();
        let settings = Settings::new(self.file, self.text, table, &known)?;
        settings.check()?;
        let (pick, nodes) = (pick.transpose()?, nodes.transpose()?);
        Ok(Entry { name, place, pick, nodes, file, scenario, settings })
    }

    fn discounts(
        &self,
        table: BTreeMap<Spanned<String>, Spanned<Table>>,
    ) -> Result<Vec<DiscountLine>, InputError> {
        let mut lines: Vec<DiscountLine> = Vec::new();
        for (provider, kinds) in table {
            let provider_place = self.place(provider.span().start);
            for (kind, value) in kinds.into_inner() {
                let place = self.place(kind.span().start);
                let billing = one_kind(kind.get_ref()).map_err(|error| at(&place, error))?;
                let place = self.place(value.span().start);
                let field = Field { key: "discount", place, value: value.into_inner() };
                let expected =
                    "a number of per cent off from 0 to below 100, or a text such as \"8折\" (80 % are paid)";
                let percent = match field.value.as_str().filter(|text| text.trim_end().ends_with('折')) {
                    Some(text) => percent_off(text).ok_or_else(|| field.refuse(expected))?,
                    None => field.decimal(expected)?,
                };
                if percent.is_sign_negative() && !percent.is_zero() || percent >= Decimal::ONE_HUNDRED {
                    return Err(field.refuse(expected));
                }
                let provider = provider.get_ref().clone();
                if lines.iter().any(|line| line.provider == provider && line.billing == billing) {
                    let message = format!("two discounts of `{provider}` for {}", billing.name());
                    return Err(at(&field.place, InputError::new(message, "leave one of them out")));
                }
                lines.push(DiscountLine { provider, place: provider_place.clone(), billing, percent });
            }
        }
        lines.sort_by_key(|line| (line.place.line, line.place.column, line.billing));
        Ok(lines)
    }

    fn policy(&self, table: Spanned<Table>) -> Result<PolicyLine, InputError> {
        let place = self.place(table.span().start);
        let mut table = table.into_inner();
        let id = self.take(&mut table, "id");
        let level = self.take(&mut table, "level");
        let (when, message) = (self.take(&mut table, "when"), self.take(&mut table, "message"));
        self.nothing_left(&table, "[[policy]]", &["id", "level", "when", "message"])?;
        let missing = |key: &str| {
            let hint = "a policy has an id, a level (deny or warn), a condition `when` and a message";
            at(&place, InputError::new(format!("a `[[policy]]` without `{key}`"), hint))
        };
        let id_field = id.ok_or_else(|| missing("id"))?;
        let id = id_field.text()?;
        if ids::ALL.contains(&id.as_str()) {
            let message = format!("`{id}` is the id of a limit of gpuadvise itself");
            return Err(at(&id_field.place, InputError::new(message, "call the policy otherwise")));
        }
        let when = when.ok_or_else(|| missing("when"))?;
        let said = message.as_ref().map(Field::text).transpose()?;
        let message_place = message.map_or_else(|| when.place.clone(), |field| field.place);
        Ok(PolicyLine {
            level: level.map(|field| field.level()).transpose()?.unwrap_or_default(),
            message: said.unwrap_or_else(|| format!("the policy `{id}` is broken")),
            id,
            when: when.text()?,
            when_place: when.place,
            message_place,
        })
    }
}

/// The one billing kind that a text names.
fn one_kind(text: &str) -> Result<Billing, InputError> {
    match resolve_billing([text]) {
        Ok(kinds) => {
            let one = <[Billing; 1]>::try_from(kinds);
            one.map(|[kind]| kind).map_err(|_| {
                let message = format!("`{text}` is not one billing kind");
                InputError::new(message, "write a line for each kind")
            })
        }
        Err(error) => Err(InputError::new(error.to_string(), "")),
    }
}

#[cfg(test)]
mod tests;
