//! From layers of settings to one request: flag over environment over `--workload` file over `[defaults]`.
//!
//! Every layer has the same grammar, that of the flags: a key is a long flag without its dashes.

use super::args::GlobalArgs;
use super::config::Settings;
use super::environment::boolish;
use crate::diag::InputError;
use crate::report::Format;
use crate::workload::settings::WorkloadArgs;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command};

/// Flags that belong together and may also stand in a file.
pub trait Group: Args + Default {
    /// These values where they are given, else those of `lower`.
    #[must_use]
    fn over(self, lower: Self) -> Self;

    /// The flags without their dashes, other spellings included.
    fn keys() -> Vec<String> {
        Self::augment_args(Command::new("keys"))
            .get_arguments()
            .flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default())
            .map(str::to_owned)
            .collect()
    }

    /// Reads (key, value) pairs as flags; the error is clap's, without its trailer.
    fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, String> {
        let flags = pairs.into_iter().map(|(key, value)| format!("--{key}={value}"));
        let command = Command::new("settings").no_binary_name(true).disable_help_flag(true);
        let command = Self::augment_args(command.color(clap::ColorChoice::Never))
            .mut_args(|arg| boolish(arg).env(None));
        command.try_get_matches_from(flags).and_then(|m| Self::from_arg_matches(&m)).map_err(|error| {
            let text = error.to_string();
            let message = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
            message.split_whitespace().collect::<Vec<_>>().join(" ")
        })
    }
}

impl Group for WorkloadArgs {
    fn over(self, lower: Self) -> Self {
        self.over(lower)
    }
}

/// What was asked for, beside the values: the command, and where its flags came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// As typed, such as `catalog gpus`.
    pub command: String,
    /// Long names of the flags that came from the environment.
    pub from_environment: Vec<String>,
    /// Long names of the flags that were typed.
    pub typed: Vec<String>,
}

impl Asked {
    /// Reads it off what clap found.
    pub fn of(matches: &ArgMatches) -> Self {
        let (mut deepest, mut names) = (matches, Vec::new());
        while let Some((name, below)) = deepest.subcommand() {
            names.push(name);
            deepest = below;
        }
        let from = |source: ValueSource| -> Vec<String> {
            let ids = deepest.ids().map(clap::Id::as_str);
            ids.filter(|id| deepest.value_source(id) == Some(source)).map(|id| id.replace('_', "-")).collect()
        };
        Self {
            command: names.join(" "),
            from_environment: from(ValueSource::EnvVariable),
            typed: from(ValueSource::CommandLine),
        }
    }

    /// Takes back global flags that the environment says otherwise than the command line; two that were both typed
    /// contradict each other.
    pub fn settle(&self, mut global: GlobalArgs) -> Result<GlobalArgs, InputError> {
        if self.wins("json", "format", global.json && global.format != Format::Json)? {
            global.format = Format::Json;
        }
        global.json = false;
        if self.wins("no-config", "config", global.no_config && global.config.is_some())? {
            global.config = None;
        }
        global.no_config &= global.config.is_none();
        if self.wins("quiet", "verbose", global.quiet && global.verbose)? {
            global.verbose = false;
        }
        global.quiet &= !global.verbose;
        Ok(global)
    }

    /// Whether the first of two flags that exclude each other holds: unless the other one alone was typed.
    fn wins(&self, one: &str, other: &str, both: bool) -> Result<bool, InputError> {
        let typed = |name: &str| self.typed.iter().any(|typed| typed == name);
        if both && typed(one) && typed(other) {
            let message = format!("`--{one}` and `--{other}` contradict each other");
            return Err(InputError::new(message, "leave one of them out"));
        }
        Ok(both && !typed(other))
    }
}

/// The workload of all layers, those below the `--workload` file merged already.
///
/// `typed` is what clap read from flags and environment at once; they are taken apart since settings exclude each other: `--params` on the command line puts a `GPUADVISE_MODEL` aside.
pub fn workload(
    typed: WorkloadArgs,
    from_environment: &[String],
    file: Option<&Settings>,
    lower: WorkloadArgs,
) -> Result<WorkloadArgs, InputError> {
    let (flags, environment) = take_apart(typed, from_environment)?;
    let file = file.map(Settings::group).transpose()?.unwrap_or_default();
    Ok(flags.over(environment).over(file).over(lower))
}

fn take_apart(
    typed: WorkloadArgs,
    from_environment: &[String],
) -> Result<(WorkloadArgs, WorkloadArgs), InputError> {
    if from_environment.is_empty() {
        return Ok((typed, WorkloadArgs::default()));
    }
    let failed =
        |error: &dyn std::fmt::Display| InputError::new(format!("cannot take settings apart: {error}"), "");
    let all = toml::Table::try_from(&typed).map_err(|error| failed(&error))?;
    let (environment, flags): (toml::Table, toml::Table) =
        all.into_iter().partition(|(key, _)| from_environment.contains(key));
    let read = |table| toml::Value::Table(table).try_into::<WorkloadArgs>().map_err(|error| failed(&error));
    Ok((read(flags)?, read(environment)?))
}

#[cfg(test)]
mod tests;
