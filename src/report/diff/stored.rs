//! A stored answer of `check`, `recommend` or `cost`, read back from its JSON: only what money needs.

use crate::diag::InputError;
use crate::report::document::SCHEMA_VERSION;
use rust_decimal::Decimal;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// Commands whose answers are read.
const COMMANDS: [&str; 3] = ["check", "recommend", "cost"];

/// One stored answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stored {
    pub(super) command: String,
    pub(super) generated_with: String,
    pub(super) as_of_oldest: Option<String>,
    pub(super) as_of_newest: Option<String>,
    /// In the order of the answer.
    pub(super) items: Vec<Item>,
    /// Price of one machine for an hour under every contract that stands anywhere in the answer; `None` where it stands
    /// there with two prices.
    pub(super) prices: Prices,
}

/// A workload, or a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    /// What it is found by in the other answer; no two are alike.
    pub(super) name: String,
    /// What was asked, where the answer says all of it.
    pub(super) question: Option<Value>,
    /// `None` where nothing was chosen.
    pub(super) choice: Option<Choice>,
    pub(super) total: Option<Decimal>,
}

/// Machines under a contract.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    pub(super) contract: Contract,
    pub(super) nodes: Decimal,
    /// All machines, an hour.
    pub(super) rate: Option<Decimal>,
    pub(super) hours: Option<Decimal>,
    /// What a commitment owes in all.
    pub(super) owed: Option<Decimal>,
    /// Node-hours that the total pays: those of the job, or all of a commitment.
    pub(super) quantity: Option<Decimal>,
}

/// What a price is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Contract {
    pub(super) provider: String,
    pub(super) region: String,
    pub(super) instance_type: String,
    pub(super) billing: String,
    pub(super) upfront: Option<String>,
}

impl Stored {
    /// Reads an answer; `file` names it in messages.
    pub(super) fn read(file: &str, text: &str) -> Result<Self, InputError> {
        let root: Value = serde_json::from_str(text).map_err(|error| {
            let message =
                format!("{file}:{}:{}: not a whole JSON document: {error}", error.line(), error.column());
            InputError::new(message, "store an answer with `--json --output FILE`")
        })?;
        let reader = Reader { file };
        let command = reader.envelope(&root)?;
        let list = if command == "check" { "workloads" } else { "rows" };
        let list = if command == "recommend" { "recommendations" } else { list };
        let rows =
            root[list].as_array().ok_or_else(|| reader.damaged(&format!("it has no list `{list}`")))?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let mut stored = Self {
            generated_with: text(&root["generated_with"]).unwrap_or_default(),
            as_of_oldest: text(&root["catalog"]["as_of_oldest"]),
            as_of_newest: text(&root["catalog"]["as_of_newest"]),
            items: Vec::new(),
            prices: BTreeMap::new(),
            command,
        };
        let mut seen = BTreeSet::new();
        for (at, row) in rows.iter().enumerate() {
            let place = format!("{list}[{at}]");
            let item = match stored.command.as_str() {
                "check" => reader.workload(row, &place, &mut stored.prices)?,
                "recommend" => reader.recommendation(row, &place, &mut stored.prices)?,
                _ => reader.cost_row(row, &place, &mut stored.prices)?,
            };
            if !seen.insert(item.name.clone()) {
                return Err(reader.damaged(&format!("`{}` stands in it twice", item.name)));
            }
            stored.items.push(item);
        }
        Ok(stored)
    }
}

struct Reader<'f> {
    file: &'f str,
}

/// Prices by contract.
pub(super) type Prices = BTreeMap<Contract, Option<Decimal>>;

impl Reader<'_> {
    fn damaged(&self, what: &str) -> InputError {
        let hint = "give two answers as gpuadvise wrote them with `--json --output FILE`";
        InputError::new(format!("{}: {what}", self.file), hint)
    }

    /// The command of the answer.
    fn envelope(&self, root: &Value) -> Result<String, InputError> {
        let (Some(version), Some(command)) = (root["schema_version"].as_u64(), root["command"].as_str())
        else {
            return Err(self.damaged("not an answer of gpuadvise: it has no `schema_version` and `command`"));
        };
        if version != u64::from(SCHEMA_VERSION) {
            let message =
                format!("{}: schema_version {version}; this program reads {SCHEMA_VERSION}", self.file);
            return Err(InputError::new(message, "make both answers with the same version of gpuadvise"));
        }
        if !COMMANDS.contains(&command) {
            let message = format!("{}: an answer of `{command}`", self.file);
            let hint = "diff reads answers of `check`, `recommend` and `cost`";
            return Err(InputError::new(message, hint));
        }
        if !root["findings"].is_null() {
            return Err(self.damaged("the catalog of that run was invalid, so it has no answer"));
        }
        // A converted answer has its dollars beside the amounts; one that was counted in a currency without a rate has none.
        match root["currency"].as_str() {
            Some(code) if code != "USD" && root["fx"].is_null() => {
                Err(self.damaged(&format!("its amounts are in {code}; diff reads US dollars")))
            }
            _ => Ok(command.to_owned()),
        }
    }

    fn workload(&self, row: &Value, place: &str, prices: &mut Prices) -> Result<Item, InputError> {
        let name = self.text(row, place, "name")?;
        let total = self.whole(&row["at_least"], row, place, "total_usd")?;
        let asked = &row["asked"];
        let question = (!asked.is_null()).then(|| serde_json::json!([asked, row["workload"]]));
        let pick = &row["pick"];
        if pick.is_null() {
            return Ok(Item { name, question, choice: None, total });
        }
        let choice = self.ranked(pick, &format!("{place}.pick"), prices)?;
        Ok(Item { name, question, choice: Some(choice.paying(total)), total })
    }

    fn recommendation(&self, row: &Value, place: &str, prices: &mut Prices) -> Result<Item, InputError> {
        let choice = self.ranked(row, place, prices)?;
        let total = choice.cost(self.whole(&row["ranked_at_least"], row, place, "ranked_total_usd")?);
        let Contract { provider, instance_type, .. } = &choice.contract;
        let name = format!("{}x {provider}/{instance_type}", choice.nodes);
        Ok(Item { name, question: None, total, choice: Some(choice.paying(total)) })
    }

    fn cost_row(&self, row: &Value, place: &str, prices: &mut Prices) -> Result<Item, InputError> {
        let choice = self.choice(row, row, place)?;
        choice.note(prices);
        let Contract { provider, region, instance_type, billing, upfront } = &choice.contract;
        let upfront = upfront.as_ref().map(|paid| format!(" ({paid} upfront)")).unwrap_or_default();
        let name = format!("{provider}/{instance_type} {region} {billing}{upfront}");
        let total = choice.cost(self.whole(&row["at_least"], row, place, "total_usd")?);
        Ok(Item { name, question: None, choice: Some(choice.paying(total)), total })
    }

    /// The contract that a recommendation is ranked by; the prices of all of its contracts are noted.
    fn ranked(&self, row: &Value, place: &str, prices: &mut Prices) -> Result<Choice, InputError> {
        let costs =
            row["costs"].as_array().ok_or_else(|| self.damaged(&format!("`{place}.costs` is no list")))?;
        let mut ranked = None;
        for (at, cost) in costs.iter().enumerate() {
            let choice = self.choice(row, cost, &format!("{place}.costs[{at}]"))?;
            choice.note(prices);
            let is = cost["billing"] == row["ranked_billing"] && cost["total_usd"] == row["ranked_total_usd"];
            ranked = ranked.or(is.then_some(choice));
        }
        ranked.ok_or_else(|| self.damaged(&format!("`{place}.costs` lacks the contract it is ranked by")))
    }

    /// `row` has the machine, `cost` the contract.
    fn choice(&self, row: &Value, cost: &Value, place: &str) -> Result<Choice, InputError> {
        let nodes = self.number(row, place, "nodes")?.filter(|nodes| !nodes.is_zero());
        let nodes = nodes.ok_or_else(|| self.damaged(&format!("`{place}` has no `nodes`")))?;
        let hours = self.number(cost, place, "billed_hours")?;
        Ok(Choice {
            contract: Contract {
                provider: self.text(row, place, "provider")?,
                region: self.text(row, place, "region")?,
                instance_type: self.text(row, place, "instance_type")?,
                billing: self.text(cost, place, "billing")?,
                upfront: cost["upfront"].as_str().map(str::to_owned),
            },
            nodes,
            rate: self.number(cost, place, "usd_per_hour")?,
            hours,
            owed: if cost["commitment_usd"].is_null() {
                None
            } else {
                self.number(cost, place, "commitment_usd")?
            },
            quantity: hours.and_then(|hours| hours.checked_mul(nodes)),
        })
    }

    fn text(&self, of: &Value, place: &str, name: &str) -> Result<String, InputError> {
        let text = of[name].as_str().map(str::to_owned);
        text.ok_or_else(|| self.damaged(&format!("`{place}.{name}` is no text")))
    }

    /// A total; one that lacks a part (`at_least`) is not known.
    fn whole(
        &self,
        at_least: &Value,
        of: &Value,
        place: &str,
        name: &str,
    ) -> Result<Option<Decimal>, InputError> {
        Ok(self.number(of, place, name)?.filter(|_| at_least != &Value::Bool(true)))
    }

    /// A number that is not negative, to the last digit that is written; `None` for `null`.
    fn number(&self, of: &Value, place: &str, name: &str) -> Result<Option<Decimal>, InputError> {
        let refused = |what: &str| self.damaged(&format!("`{place}.{name}` is {what}"));
        let digits = match &of[name] {
            Value::Number(number) => number.to_string(),
            Value::Null if of.get(name).is_some() => return Ok(None),
            Value::Null => return Err(refused("missing")),
            _ => return Err(refused("no number")),
        };
        let parsed = Decimal::from_str(&digits).or_else(|_| Decimal::from_scientific(&digits));
        match parsed {
            Ok(number) if number.is_sign_negative() && !number.is_zero() => Err(refused("negative")),
            Ok(number) if number < Decimal::from(1_000_000_000_000_000_i64) => Ok(Some(number)),
            _ => Err(refused("too large")),
        }
    }
}

impl Choice {
    /// Price of one machine for an hour.
    pub(super) fn unit_price(&self) -> Option<Decimal> {
        self.rate?.checked_div(self.nodes)
    }

    /// What it costs to its end: all that a commitment owes where that is more than the share of the job, as in `check`.
    fn cost(&self, share: Option<Decimal>) -> Option<Decimal> {
        share.map(|share| self.owed.map_or(share, |owed| owed.max(share)))
    }

    /// The same where the total is all that a commitment owes: it pays more node-hours than the job uses.
    fn paying(self, total: Option<Decimal>) -> Self {
        if self.owed.is_none() {
            return self;
        }
        let owed = total.zip(self.unit_price()).and_then(|(total, unit)| total.checked_div(unit));
        Self { quantity: owed.or(self.quantity), ..self }
    }

    fn note(&self, prices: &mut Prices) {
        if let Some(unit) = self.unit_price() {
            let known = prices.entry(self.contract.clone()).or_insert(Some(unit));
            if *known != Some(unit) {
                *known = None;
            }
        }
    }
}
