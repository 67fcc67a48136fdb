//! Policies of a project: rules over the fields of one recommendation. One that cannot be decided is a violation too.

use super::config::at;
use super::project::PolicyLine;
use crate::catalog::Catalog;
use crate::diag::InputError;
use crate::gate::{Level, Violation};
use crate::rule::{self, Definition, Rules};
use serde_json::Value;

/// Policies that are known to be readable.
#[derive(Debug)]
pub struct Policies {
    all: Vec<Policy>,
}

#[derive(Debug)]
struct Policy {
    id: String,
    level: Level,
    rules: Rules,
}

impl Policies {
    /// Compiles every policy and tries it on sample fields; the first that fails is named with its place.
    pub fn compile(lines: &[PolicyLine]) -> Result<Self, InputError> {
        let compile = |line: &PolicyLine| {
            let definition = Definition {
                id: line.id.clone(),
                level: line.level.name().to_owned(),
                when: line.when.clone(),
                message: line.message.clone(),
                quoted: true,
                ..Definition::default()
            };
            rule::check(&definition).map_err(|error| {
                let place = if error.part == "message" { &line.message_place } else { &line.when_place };
                let message = format!("policy `{}`, {}: {}", line.id, error.part, error.message);
                let hint = "the fields and the language are in catalog/rules/README.md";
                at(place, InputError::new(message, hint))
            })?;
            Ok(Policy { id: line.id.clone(), level: line.level, rules: Rules::new([definition]) })
        };
        Ok(Self { all: lines.iter().map(compile).collect::<Result<_, InputError>>()? })
    }

    /// Their ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|policy| policy.id.as_str())
    }

    /// What the policies say about the facts of one row.
    pub fn judge(&self, facts: &Value) -> Vec<Violation> {
        self.all.iter().flat_map(|policy| policy.judge(facts)).collect()
    }
}

impl Policy {
    /// Each policy is judged by itself, so that a failing one hides no other.
    fn judge(&self, facts: &Value) -> Vec<Violation> {
        let violation = |message, quoted| Violation {
            id: self.id.clone(),
            level: self.level,
            limit: None,
            actual: None,
            message,
            quoted,
        };
        match self.rules.judge(facts) {
            Ok(judgement) => {
                let broken =
                    judgement.advice.into_iter().map(|advice| violation(advice.message, advice.quoted));
                let open = judgement.undecided.into_iter();
                let open =
                    open.map(|open| violation(format!("the policy cannot be decided: {}", open.why), false));
                broken.chain(open).collect()
            }
            Err(error) => {
                let message = format!("the policy fails on this row, {}: {}", error.part, error.message);
                vec![violation(message, false)]
            }
        }
    }
}

/// Every rule that an overlay set, in all its parts, before one is skipped for its first one. Those of the program were
/// checked when it was built.
pub fn check_rules(catalog: &Catalog) -> Result<(), InputError> {
    let check = |rule| rule::check(&Definition::of(catalog, rule));
    catalog.rules.iter().filter(|rule| rule.overridden).try_for_each(check).map_err(|error| {
        InputError::new(error.to_string(), "the fields and the language are in catalog/rules/README.md")
    })
}
