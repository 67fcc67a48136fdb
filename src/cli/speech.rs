//! Which language people are spoken to in: `--lang`, `GPUADVISE_LANG`, `lang` of the project file, the locale.

use super::args::GlobalArgs;
use super::constraint::group;
use super::request::{Asked, Group};
use super::{config, frame, terminal};
use crate::diag::InputError;
use crate::lang::Lang;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::env;
use std::path::{Path, PathBuf};

/// `--lang`, which may stand in `[defaults]` of a project file too.
#[derive(Clone, Debug, Default, Args)]
pub struct LangArgs {
    /// Language of texts, warnings and help, not of JSON or CSV [default: that of the locale]
    #[arg(long, global = true, env = "GPUADVISE_LANG", hide_env = true, value_name = "LANG")]
    #[arg(value_parser = languages(), ignore_case = true)]
    pub lang: Option<Lang>,
}
group!(LangArgs { lang });

/// The languages that there is a catalogue of.
fn languages() -> impl TypedValueParser<Value = Lang> {
    let value = |code| PossibleValue::new(code).aliases(Lang::other_names(code));
    PossibleValuesParser::new(Lang::codes().map(value)).map(|code| Lang::find(&code).unwrap_or_default())
}

/// The language of a run. ASCII has the letters of English alone.
pub fn choose(global: &GlobalArgs, asked: &Asked) -> Result<Lang, InputError> {
    if !global.ascii {
        let lang = global.lang.lang.or_else(|| configured(global.no_config, global.config.as_deref()));
        return Ok(lang.unwrap_or_else(of_the_locale));
    }
    let typed = asked.typed.iter().any(|flag| flag == "lang");
    match global.lang.lang {
        Some(lang) if typed && !lang.is_english() => {
            let message = format!("`--ascii` and `--lang {}` contradict each other", lang.code());
            Err(InputError::new(message, "leave one of them out: ASCII has the letters of English alone"))
        }
        _ => Ok(Lang::default()),
    }
}

/// The language of a line that could not be read, or that asks for help.
pub fn guess(typed: &[String]) -> Lang {
    let value = |flag: &str| {
        let mut words = typed.iter().skip(1).take_while(|word| *word != "--");
        let mut last = None;
        while let Some(word) = words.next() {
            if word == flag {
                last = words.next().map(String::as_str);
            } else if let Some(value) = word.strip_prefix(flag).and_then(|rest| rest.strip_prefix('=')) {
                last = Some(value);
            }
        }
        last
    };
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let switch = |flag: &str, name: &str| {
        let said = variable(name)
            .is_some_and(|value| !matches!(value.as_str(), "0" | "n" | "no" | "f" | "false" | "off"));
        said || typed.iter().any(|word| word == flag)
    };
    if switch("--ascii", "GPUADVISE_ASCII") {
        return Lang::default();
    }
    let file =
        value("--config").map(PathBuf::from).or_else(|| variable("GPUADVISE_CONFIG").map(PathBuf::from));
    value("--lang")
        .and_then(Lang::find)
        .or_else(|| variable("GPUADVISE_LANG").and_then(|code| Lang::find(&code)))
        .or_else(|| configured(switch("--no-config", "GPUADVISE_NO_CONFIG"), file.as_deref()))
        .unwrap_or_else(of_the_locale)
}

/// `lang` in `[defaults]` of the project file. What is wrong in the file is said by those who need it.
fn configured(no_config: bool, file: Option<&Path>) -> Option<Lang> {
    if no_config {
        return None;
    }
    let found = || env::current_dir().ok().and_then(|folder| config::find(&folder));
    let text = frame::read_text(&file.map(Path::to_owned).or_else(found)?).ok()?;
    if !text.contains("lang") {
        return None;
    }
    let file: toml::Table = toml::from_str(&text).ok()?;
    Lang::find(file.get("defaults")?.get("lang")?.as_str()?)
}

/// The first of the variables of POSIX that is set (Base Definitions, 8.2); a locale that is not UTF-8 cannot show much
/// more than English.
fn of_the_locale() -> Lang {
    let set = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    set.filter(|_| terminal::locale_is_utf8()).map(|locale| Lang::of_locale(&locale)).unwrap_or_default()
}
