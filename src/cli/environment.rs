//! The `GPUADVISE_*` variables beside the flags: what clap leaves open about them.
//!
//! An empty variable is as good as none; a variable may have the name of another spelling of its flag; switches take
//! `1`, `yes` and `on` too; and an error names the variable that it comes from.

use super::args::GlobalArgs;
use clap::builder::{BoolishValueParser, ValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Command, Error};
use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Flags with a second name, and the variable of that name.
pub const OTHER_NAMES: [(&str, &str); 4] = [
    ("provider", "GPUADVISE_CLOUD"),
    ("recompute", "GPUADVISE_ACTIVATION_CHECKPOINTING"),
    ("platform", "GPUADVISE_INSTANCE"),
    ("utilisation", "GPUADVISE_UTILIZATION"),
];

/// The command line with its variables as told above.
pub fn settle(command: Command) -> Command {
    command.mut_args(argument).mut_subcommands(settle)
}

fn argument(arg: Arg) -> Arg {
    let arg = boolish(arg);
    let Some(own) = arg.get_env() else { return arg };
    if is_set(own) {
        return arg;
    }
    let other = OTHER_NAMES.iter().find(|(long, _)| arg.get_long() == Some(long)).map(|&(_, name)| name);
    match other.filter(|name| is_set(OsStr::new(name))) {
        Some(name) => arg.env(name),
        None => arg.env(None),
    }
}

/// Truth values that may be said (`--explain=1`) take all usual words.
pub fn boolish(arg: Arg) -> Arg {
    let is_truth = arg.get_value_parser().type_id() == ValueParser::bool().type_id();
    if is_truth && matches!(arg.get_action(), ArgAction::Set) {
        arg.value_parser(BoolishValueParser::new())
    } else {
        arg
    }
}

/// The variable that a wrong value comes from: that of its flag, where it holds the value and the flag was not typed.
pub fn origin(error: &Error, command: &Command, typed: &[String]) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let shown = text(ContextKind::InvalidArg)?;
    let value = text(ContextKind::InvalidValue)?;
    let long = shown.strip_prefix("--")?.split([' ', '=', '[']).next()?;
    let arg = find(command, long)?;
    let short = arg.get_short().map(|short| format!("-{short}"));
    let is_typed = typed.iter().any(|word| {
        word.split('=').next().and_then(|word| word.strip_prefix("--")) == Some(long)
            || short.as_ref().is_some_and(|short| word.starts_with(short.as_str()))
    });
    let name = arg.get_env().filter(|_| !is_typed)?;
    let held = env::var_os(name)?;
    held.to_string_lossy().contains(value).then(|| name.to_string_lossy().into_owned())
}

fn find<'c>(command: &'c Command, long: &str) -> Option<&'c Arg> {
    let own = command.get_arguments().find(|arg| arg.get_long() == Some(long) && arg.get_env().is_some());
    own.or_else(|| command.get_subcommands().find_map(|below| find(below, long)))
}

/// Where compiled overlays are kept; `None` with `--no-cache`.
pub fn cache(global: &GlobalArgs) -> Option<PathBuf> {
    if global.no_cache { None } else { cache_folder() }
}

/// Where compiled overlays are kept: `GPUADVISE_CACHE`, else `gpuadvise` in the user's folder for caches.
fn cache_folder() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // The base directory specification says to pass over relative ones.
    let absolute = |name: &str| folder(name).filter(|path| path.is_absolute());
    let home = || {
        let base = if cfg!(windows) { "LOCALAPPDATA" } else { "HOME" };
        absolute(base).map(|base| if cfg!(windows) { base } else { base.join(".cache") })
    };
    let base = || absolute("XDG_CACHE_HOME").or_else(home);
    folder("GPUADVISE_CACHE").or_else(|| base().map(|base| base.join("gpuadvise")))
}

fn is_set(name: &OsStr) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::OTHER_NAMES;
    use crate::cli::args::Cli;
    use clap::{Command, CommandFactory};
    use std::collections::BTreeSet;

    fn aliases(command: &Command, found: &mut BTreeSet<(String, String)>) {
        for arg in command.get_arguments().filter(|arg| arg.get_env().is_some()) {
            for alias in arg.get_visible_aliases().unwrap_or_default() {
                let name = format!("GPUADVISE_{}", alias.to_uppercase().replace('-', "_"));
                found.insert((arg.get_long().unwrap_or_default().to_owned(), name));
            }
        }
        command.get_subcommands().for_each(|below| aliases(below, found));
    }

    #[test]
    fn every_other_name_of_a_flag_has_its_variable() {
        let mut found = BTreeSet::new();
        aliases(&Cli::command(), &mut found);
        let known = OTHER_NAMES.map(|(long, name)| (long.to_owned(), name.to_owned()));
        assert_eq!(found, BTreeSet::from(known));
    }
}
