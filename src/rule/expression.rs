//! One expression: parsed once within limits, evaluated over facts. The only place that knows the crate `cel`'s values.
//!
//! Numbers are doubles throughout (see [`super::normal`]). What is not known makes the result unknown, unless `||`,
//! `&&` or `?:` does not need it: a missing field, an index past the end, a division by zero.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use cel::extractors::This;
use cel::objects::{Key, Map};
use cel::parser::PrattParser;
use cel::{Context, Env, ExecutionError, IdedExpr, OverloadError, Value};

use super::facts;
use super::fields::ROOTS;
use super::normal;

/// Longest text of an expression, in bytes.
const LONGEST: usize = 2_000;
/// Deepest nesting of an expression.
pub(super) const DEEPEST: u16 = 40;

/// An expression, ready to evaluate.
#[derive(Debug)]
pub(super) struct Expression {
    text: String,
    root: IdedExpr,
    reads: BTreeSet<String>,
}

/// What an expression gave.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Seen {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// True or false.
    Flag(bool),
    /// It rests on something that is not known; says what.
    Unknown(String),
    /// Something that is no result, such as a list; says what kind.
    Other(&'static str),
}

impl Expression {
    /// Parses an expression and checks its names, functions and size.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("an expression of {} bytes; at most {LONGEST} are read", text.len()));
        }
        if text.trim().is_empty() {
            return Err("an empty expression".to_owned());
        }
        let parser = PrattParser::new().max_recursion_depth(DEEPEST);
        let mut root = parser.parse(text).map_err(|errors| {
            let first = errors.errors.into_iter().min_by_key(|error| error.pos);
            first.map_or_else(
                || format!("cannot read `{text}`"),
                |error| unreadable(text, error.pos, &error.msg),
            )
        })?;
        let reads = normal::check(&root)?;
        normal::rewrite(&mut root);
        Ok(Self { text: text.split_whitespace().collect::<Vec<_>>().join(" "), root, reads })
    }

    /// The expression as written, on one line.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Evaluates over facts. An error is a fault of the expression, such as a text compared with a number.
    pub(super) fn evaluate(&self, scope: &Scope) -> Result<Seen, String> {
        self.seen(scope.run(&self.root))
    }

    /// Evaluates every part over [`facts::sample`], so that a fault behind `&&` or `?:` shows before its day comes.
    pub(super) fn try_out(&self, scope: &Scope) -> Result<Seen, String> {
        let mut parts = vec![&self.root];
        while let Some(part) = parts.pop() {
            let seen = scope.run(part);
            if let Err(ExecutionError::NoSuchKey(name)) = &seen {
                return Err(format!("no field `{name}` in `{}`", self.text));
            }
            self.seen(seen)?;
            parts.extend(normal::parts_without_loop_variables(part));
        }
        self.evaluate(scope)
    }

    fn seen(&self, result: Result<Value, ExecutionError>) -> Result<Seen, String> {
        match result {
            Ok(Value::Float(number)) => Ok(Seen::Number(number)),
            Ok(Value::Int(number)) => Ok(Seen::Number(number as f64)),
            Ok(Value::UInt(number)) => Ok(Seen::Number(number as f64)),
            Ok(Value::String(text)) => Ok(Seen::Text(text.to_string())),
            Ok(Value::Bool(flag)) => Ok(Seen::Flag(flag)),
            Ok(Value::Null) => Ok(Seen::Unknown("null".to_owned())),
            Ok(Value::List(_)) => Ok(Seen::Other("a list")),
            Ok(Value::Map(_)) => Ok(Seen::Other("a group of fields")),
            Ok(_) => Ok(Seen::Other("no plain value")),
            Err(error) => match unknown(&error) {
                Some(what) => Ok(Seen::Unknown(what)),
                None => Err(format!("{} in `{}`", words(&error), self.text)),
            },
        }
    }
}

/// Facts, bound to the names of expressions.
pub(super) struct Scope {
    context: Context<'static, 'static>,
}

impl Scope {
    /// Binds all facts. Roots that are missing or null are there without fields.
    pub(super) fn whole(facts: &serde_json::Value) -> Self {
        Self::bind(|root| value_of(&facts[root]))
    }

    /// Binds the facts that some expressions read: a fraction of them, at a tenth of the time.
    pub(super) fn for_reading<'a>(
        facts: &serde_json::Value,
        expressions: impl IntoIterator<Item = &'a Expression>,
    ) -> Self {
        let mut reads = BTreeSet::new();
        for expression in expressions {
            reads.extend(expression.reads.iter().map(|read| read.split_once('.').unwrap_or((read, ""))));
        }
        Self::bind(|root| {
            if reads.contains(&(root, "")) {
                return value_of(&facts[root]);
            }
            let fields = reads.range((root, "")..).take_while(|(of, _)| *of == root);
            let known = |&(_, name): &(&str, &str)| Some((key(name), value_of(facts[root].get(name)?)?));
            Some(group(fields.filter_map(known).collect()))
        })
    }

    fn bind(value: impl Fn(&str) -> Option<Value>) -> Self {
        static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));
        let mut context = Context::with_env(Arc::clone(&ENV));
        for root in ROOTS {
            context.add_variable_from_value(root, value(root).unwrap_or_else(|| group(HashMap::new())));
        }
        // None of these names is in the standard library, so none is refused.
        let _ = context.add_function(normal::DIVIDE, divide);
        let _ = context.add_function(normal::MODULO, modulo);
        let _ = context.add_function(normal::MATCHES, matches);
        Self { context }
    }

    /// Facts with every field known.
    pub(super) fn sample() -> Self {
        Self::whole(&facts::sample())
    }

    fn run(&self, expression: &IdedExpr) -> Result<Value, ExecutionError> {
        Value::resolve(expression, &self.context)
    }
}

fn divide(over: f64, under: f64) -> Result<f64, ExecutionError> {
    if under == 0.0 { Err(ExecutionError::DivisionByZero(over.into())) } else { Ok(over / under) }
}

fn modulo(over: f64, under: f64) -> Result<f64, ExecutionError> {
    if under == 0.0 { Err(ExecutionError::RemainderByZero(over.into())) } else { Ok(over % under) }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of functions that `cel` calls")]
fn matches(This(text): This<Arc<String>>, pattern: Arc<String>) -> Result<bool, ExecutionError> {
    let pattern = regex_lite::Regex::new(&pattern)
        .map_err(|error| ExecutionError::function_error(normal::MATCHES, error))?;
    Ok(pattern.is_match(&text))
}

fn key(name: &str) -> Key {
    Key::String(Arc::new(name.to_owned()))
}

fn group(fields: HashMap<Key, Value>) -> Value {
    Value::Map(Map { map: Arc::new(fields) })
}

/// JSON as values: numbers as doubles, a date range as its earliest day, null as nothing.
fn value_of(json: &serde_json::Value) -> Option<Value> {
    Some(match json {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(flag) => Value::Bool(*flag),
        serde_json::Value::Number(number) => Value::Float(number.as_f64()?),
        serde_json::Value::String(text) => Value::String(Arc::new(text.clone())),
        serde_json::Value::Array(items) => Value::List(Arc::new(items.iter().filter_map(value_of).collect())),
        serde_json::Value::Object(fields) => match (fields.len(), fields.get("not_before")) {
            (2, Some(earliest)) if fields.contains_key("not_after") => return value_of(earliest),
            _ => {
                group(fields.iter().filter_map(|(name, value)| Some((key(name), value_of(value)?))).collect())
            }
        },
    })
}

/// What is not known, where an error only means that.
fn unknown(error: &ExecutionError) -> Option<String> {
    match error {
        ExecutionError::NoSuchKey(name) => Some(format!("{name} is not known")),
        ExecutionError::IndexOutOfBounds(_) => Some("the list is shorter".to_owned()),
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            Some("a division by zero".to_owned())
        }
        _ => None,
    }
}

/// A text that the parser refuses, with the place.
fn unreadable(text: &str, (line, column): (isize, isize), message: &str) -> String {
    let message = message.trim().trim_start_matches("Syntax error: ");
    let message = message.replace("'<EOF>'", "the end").replace("<EOF>", "the end");
    let line = if line > 1 { format!("line {line}, ") } else { String::new() };
    let words: Vec<&str> = text.split_whitespace().collect();
    let hint = if words.iter().any(|word| matches!(*word, "and" | "or" | "not")) {
        " (write `&&`, `||`, `!`)"
    } else if words.contains(&"=") {
        " (write `==`)"
    } else {
        ""
    };
    format!("{message} at {line}column {} of `{}`{hint}", column.max(1), words.join(" "))
}

/// A fault in our words.
fn words(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchOverload(overload) => refused(overload),
        ExecutionError::UnsupportedBinaryOperator(operator, left, right) => {
            let sign = match *operator {
                "add" => "+",
                "sub" => "-",
                "mul" => "*",
                other => other,
            };
            format!("`{sign}` does not take {} and {}", kind_of(left), kind_of(right))
        }
        ExecutionError::UnexpectedType { want, .. } if want == "iterable" => "not a list".to_owned(),
        ExecutionError::UnexpectedType { want, .. } if want == "bool" => "true or false is needed".to_owned(),
        ExecutionError::UnexpectedType { want, .. } => format!("a {want} is needed"),
        ExecutionError::ValuesNotComparable(left, right) => {
            format!("{} and {} cannot be compared", kind_of(left), kind_of(right))
        }
        ExecutionError::UnsupportedIndex(index, of) => {
            format!("{} is no index of {}", kind_of(index), kind_of(of))
        }
        ExecutionError::InvalidArgumentCount { expected, actual } => {
            format!("{expected} arguments are needed, not {actual}")
        }
        ExecutionError::UndeclaredReference(name) => format!("no function or name `{name}`"),
        ExecutionError::FunctionError { message, .. } => {
            message.lines().next().unwrap_or_default().to_owned()
        }
        // The rest prints whole values; rules meet it nowhere.
        _ => "no result".to_owned(),
    }
}

fn refused(overload: &OverloadError) -> String {
    let sign = overload.function().trim_matches(['_', '@']);
    let types: Vec<&str> = overload
        .argument_types()
        .iter()
        .map(|name| match name.as_str() {
            "double" | "int" | "uint" => "a number",
            "string" => "a text",
            "bool" => "true or false",
            "list" => "a list",
            "map" => "a group of fields",
            other => other,
        })
        .collect();
    format!("`{sign}` does not take {}", types.join(" and "))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Float(_) | Value::Int(_) | Value::UInt(_) => "a number",
        Value::String(_) => "a text",
        Value::Bool(_) => "true or false",
        Value::List(_) => "a list",
        Value::Map(_) => "a group of fields",
        _ => "this",
    }
}
