//! The rule engine: advice rules as data, evaluated over finished rows. Knows no layout, price or physics of its own.
//!
//! A rule is a condition in the Common Expression Language over the facts of one row ([`facts::gather`]), and a
//! message with figures. Policies of a project are rules too. Each expression is compiled when it is first needed and
//! once a process. What is not known never fires a rule; [`Rules::judge`] tells which ones it left open.

mod around;
pub mod example;
mod expression;
pub mod facts;
pub mod fields;
mod guard;
mod kinds;
mod message;
mod normal;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::OnceLock;

use crate::catalog::Catalog;
use crate::catalog::knowledge::Rule;
use expression::{Expression, Scope, Seen};
use guard::Guard;
use message::Message;

/// Levels of advice, gravest first.
pub const LEVELS: [&str; 4] = ["deny", "warn", "suggest", "info"];

/// What a rule says about one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Id of the rule.
    pub id: String,
    /// `info`, `suggest`, `warn` or `deny`.
    pub level: String,
    /// One sentence with its figures.
    pub message: String,
    /// What following it saves, in USD, where that can be said.
    pub saves_usd: Option<f64>,
    /// Where the advice comes from.
    pub source: String,
    /// The message is in the words of a user: of an overlay or a policy.
    pub quoted: bool,
}

/// A rule whose condition rests on something that is not known, so that it neither fired nor held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// Id of the rule.
    pub id: String,
    /// Its level.
    pub level: String,
    /// What is not known.
    pub why: String,
}

/// All that the rules say about one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// Rules that fired, gravest first, else in their order.
    pub advice: Vec<Advice>,
    /// Rules that could not be decided, in their order.
    pub undecided: Vec<Undecided>,
}

/// A rule that cannot be read or evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// Id of the rule.
    pub rule: String,
    /// `when`, `message` or `saves-usd`.
    pub part: &'static str,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}`, {}: {}", self.rule, self.part, self.message)
    }
}

impl std::error::Error for RuleError {}

/// One rule as text: of the catalog, or a policy of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// Stable kebab-case id.
    pub id: String,
    /// One of [`LEVELS`].
    pub level: String,
    /// Condition.
    pub when: String,
    /// Message with holes.
    pub message: String,
    /// Expression for the money it saves.
    pub saves_usd: Option<String>,
    /// Where it comes from.
    pub source: String,
    /// Its message is in the words of a user: of an overlay or a policy.
    pub quoted: bool,
}

impl Definition {
    /// The text of a rule of the catalog.
    pub fn of(catalog: &Catalog, rule: &Rule) -> Self {
        let source = catalog.source(rule.source);
        Self {
            id: rule.id.clone(),
            level: rule.level.clone(),
            when: rule.when.clone(),
            message: rule.message.clone(),
            saves_usd: rule.saves_usd.clone(),
            source: format!("{} ({})", source.text, source.as_of),
            quoted: rule.overridden,
        }
    }
}

/// Rules, compiled as they are needed.
#[derive(Debug, Default)]
pub struct Rules {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    rule: Definition,
    guard: OnceLock<Guard>,
    when: OnceLock<Result<Expression, RuleError>>,
    says: OnceLock<Result<Says, RuleError>>,
}

#[derive(Debug)]
struct Says {
    message: Message,
    saves: Option<Expression>,
}

impl Rules {
    /// The rules of a catalog, overlays included.
    pub fn of(catalog: &Catalog) -> Self {
        Self::new(catalog.rules.iter().map(|rule| Definition::of(catalog, rule)))
    }

    /// Rules from their texts. Nothing is compiled yet.
    pub fn new(rules: impl IntoIterator<Item = Definition>) -> Self {
        Self { entries: rules.into_iter().map(Entry::new).collect() }
    }

    /// What the rules say about one row; see [`facts::gather`].
    pub fn evaluate(&self, facts: &serde_json::Value) -> Result<Vec<Advice>, RuleError> {
        self.run(facts, Guard::never_true).map(|judgement| judgement.advice)
    }

    /// What the rules say about one row, and which ones could not be decided.
    pub fn judge(&self, facts: &serde_json::Value) -> Result<Judgement, RuleError> {
        self.run(facts, Guard::surely_false)
    }

    /// Evaluates the rules that a look at their guards does not settle.
    fn run(
        &self,
        facts: &serde_json::Value,
        settles: impl Fn(&Guard, &serde_json::Value) -> bool,
    ) -> Result<Judgement, RuleError> {
        let open: Vec<&Entry> = self.entries.iter().filter(|entry| !settles(entry.guard(), facts)).collect();
        let whens = open.iter().map(|entry| entry.when()).collect::<Result<Vec<_>, _>>()?;
        let scope = Scope::for_reading(facts, whens);
        let mut judgement = Judgement::default();
        for entry in open {
            match entry.fires(&scope)? {
                Seen::Flag(true) => judgement.advice.push(entry.advice(facts)?),
                Seen::Unknown(why) => judgement.undecided.push(Undecided {
                    id: entry.rule.id.clone(),
                    level: entry.rule.level.clone(),
                    why,
                }),
                _ => {}
            }
        }
        judgement.advice.sort_by_key(|advice| LEVELS.iter().position(|&level| level == advice.level));
        Ok(judgement)
    }
}

impl Entry {
    fn new(rule: Definition) -> Self {
        Self { rule, guard: OnceLock::new(), when: OnceLock::new(), says: OnceLock::new() }
    }

    fn guard(&self) -> &Guard {
        self.guard.get_or_init(|| Guard::of(&self.rule.when))
    }

    fn error(&self, part: &'static str) -> impl Fn(String) -> RuleError {
        let rule = self.rule.id.clone();
        move |message| RuleError { rule: rule.clone(), part, message }
    }

    fn when(&self) -> Result<&Expression, RuleError> {
        let parsed = || Expression::parse(&self.rule.when).map_err(self.error("when"));
        self.when.get_or_init(parsed).as_ref().map_err(Clone::clone)
    }

    fn says(&self) -> Result<&Says, RuleError> {
        let parsed = || {
            let message = Message::parse(&self.rule.message).map_err(self.error("message"))?;
            let saves = self.rule.saves_usd.as_deref().map(Expression::parse).transpose();
            Ok(Says { message, saves: saves.map_err(self.error("saves-usd"))? })
        };
        self.says.get_or_init(parsed).as_ref().map_err(Clone::clone)
    }

    fn fires(&self, scope: &Scope) -> Result<Seen, RuleError> {
        let seen = self.when()?.evaluate(scope).map_err(self.error("when"))?;
        condition(&seen).map_err(self.error("when"))?;
        Ok(seen)
    }

    fn advice(&self, facts: &serde_json::Value) -> Result<Advice, RuleError> {
        let says = self.says()?;
        let scope = &Scope::for_reading(facts, says.message.holes().chain(&says.saves));
        let saves = match &says.saves {
            Some(saves) => {
                let seen = saves.evaluate(scope).map_err(self.error("saves-usd"))?;
                amount(&seen).map_err(self.error("saves-usd"))?
            }
            None => None,
        };
        Ok(Advice {
            id: self.rule.id.clone(),
            level: self.rule.level.clone(),
            message: says.message.fill(scope).map_err(self.error("message"))?,
            saves_usd: saves,
            source: self.rule.source.clone(),
            quoted: self.rule.quoted,
        })
    }

    /// Compiles everything and tries it on facts with every field known.
    fn try_out(&self) -> Result<(), RuleError> {
        let scope = Scope::sample();
        let seen = self.when()?.try_out(&scope).map_err(self.error("when"))?;
        condition(&seen).map_err(self.error("when"))?;
        let says = self.says()?;
        for hole in says.message.holes() {
            hole.try_out(&scope).map_err(self.error("message"))?;
        }
        says.message.fill(&scope).map_err(self.error("message"))?;
        if let Some(saves) = &says.saves {
            let seen = saves.try_out(&scope).map_err(self.error("saves-usd"))?;
            amount(&seen).map_err(self.error("saves-usd"))?;
        }
        Ok(())
    }
}

fn condition(seen: &Seen) -> Result<(), String> {
    match seen {
        Seen::Flag(_) | Seen::Unknown(_) => Ok(()),
        Seen::Number(_) => Err("a condition is true or false, not a number".to_owned()),
        Seen::Text(_) => Err("a condition is true or false, not a text".to_owned()),
        Seen::Other(kind) => Err(format!("a condition is true or false, not {kind}")),
    }
}

/// An amount of money that is worth saying.
fn amount(seen: &Seen) -> Result<Option<f64>, String> {
    match seen {
        Seen::Number(usd) => Ok(Some(*usd)
            .map(|usd| (usd * 100.0).round() / 100.0)
            .filter(|usd| usd.is_finite() && *usd > 0.0)),
        Seen::Unknown(_) => Ok(None),
        _ => Err("an amount is a number".to_owned()),
    }
}

/// Checks the text of a rule: level, condition, every hole of its message, and the amount. Says what is wrong and,
/// for a name, what it may have meant.
pub fn check(rule: &Definition) -> Result<(), RuleError> {
    let entry = Entry::new(rule.clone());
    if !LEVELS.contains(&rule.level.as_str()) {
        return Err(entry.error("level")(format!("`{}` is none of {}", rule.level, LEVELS.join(", "))));
    }
    entry.try_out()
}
