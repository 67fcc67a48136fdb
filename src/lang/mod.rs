//! Other languages than English: catalogues of messages, `lang/CODE/*.toml`, and what is said by them.
//!
//! The rooms write English. Where a text leaves the program for people it passes [`Lang::say`], which finds it among the
//! messages or leaves it as it is. No text of a language may stand in Rust, and nothing here prints.

mod count;
mod image;
mod matching;
mod quote;
pub mod source;
mod words;

pub use quote::{quoted, unquoted};

use image::Catalogue;
use quote::Quotations;
use std::fmt;
use std::sync::OnceLock;

/// One language of the program.
struct Language {
    /// Its folder of `lang/`, and the word of `--lang`.
    code: &'static str,
    /// Other names of it.
    also: &'static [&'static str],
    /// What `build.rs` made of the folder, deflated (RFC 1951).
    image: &'static [u8],
    /// The same, once somebody asked for it.
    text: OnceLock<String>,
    /// And cut into messages.
    catalogue: OnceLock<Catalogue<'static>>,
}

impl Language {
    #[cfg(embedded_catalog)]
    const fn new(code: &'static str, also: &'static [&'static str], image: &'static [u8]) -> Self {
        Self { code, also, image, text: OnceLock::new(), catalogue: OnceLock::new() }
    }
}

#[cfg(embedded_catalog)]
include!(concat!(env!("OUT_DIR"), "/languages.rs"));
#[cfg(not(embedded_catalog))]
static LANGUAGES: [Language; 0] = [];

/// The code of the language that everything is written in.
pub const ENGLISH: &str = "en";

/// A language that people can be spoken to in. English needs no catalogue and costs nothing.
#[derive(Clone, Copy, Default)]
pub struct Lang {
    at: Option<&'static Language>,
}

impl Lang {
    /// The language of this code or of another name of it, whatever the case: `zh`, `zh-CN`.
    pub fn find(code: &str) -> Option<Self> {
        if code.eq_ignore_ascii_case(ENGLISH) {
            return Some(Self::default());
        }
        let language = LANGUAGES.iter().find(|language| language.is_called(code));
        language.map(|language| Self { at: Some(language) })
    }

    /// The language of a locale such as `zh_CN.UTF-8`; English where there is no catalogue for it.
    pub fn of_locale(locale: &str) -> Self {
        let language = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
        Self::find(language).unwrap_or_default()
    }

    /// The codes of all languages, English first.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        std::iter::once(ENGLISH).chain(LANGUAGES.iter().map(|language| language.code))
    }

    /// Its code.
    pub fn code(self) -> &'static str {
        self.at.map_or(ENGLISH, |language| language.code)
    }

    /// Its tag in a page of HTML (RFC 5646): `zh-CN`.
    pub fn tag(self) -> &'static str {
        self.catalogue().map_or(ENGLISH, |catalogue| catalogue.habits.tag)
    }

    /// Whether it is English.
    pub fn is_english(self) -> bool {
        self.at.is_none()
    }

    /// Other names of the language of this code, for `--lang`.
    pub fn other_names(code: &str) -> &'static [&'static str] {
        LANGUAGES.iter().find(|language| language.code == code).map_or(&[], |language| language.also)
    }

    /// The text in this language; as it is where nothing in it is known. What is [`quoted`] in it stays, without marks.
    pub fn say(self, text: &str) -> String {
        self.said(text.to_owned())
    }

    /// The same of an owned text. English has counts of one set right.
    pub fn said(self, text: String) -> String {
        if self.is_english() {
            return unquoted(count::agreed(text));
        }
        self.known(&text).unwrap_or_else(|| unquoted(text))
    }

    /// The text in this language, if something in it is known.
    pub fn known(self, text: &str) -> Option<String> {
        let catalogue = self.catalogue()?;
        match Quotations::of(text) {
            Some(quotations) => catalogue.say(&quotations.text).map(|said| quotations.back(&said)),
            None => catalogue.say(text),
        }
    }

    /// Whether the cells below this title are names, which no language says otherwise.
    pub fn is_of_names(self, title: &str) -> bool {
        self.catalogue().is_some_and(|catalogue| catalogue.habits.names.contains(&title))
    }

    fn catalogue(self) -> Option<&'static Catalogue<'static>> {
        self.at.map(Language::messages)
    }
}

impl Language {
    fn messages(&'static self) -> &'static Catalogue<'static> {
        self.catalogue.get_or_init(|| {
            Catalogue::read(self.text.get_or_init(|| image::unpacked(self.image).unwrap_or_default()))
        })
    }

    fn is_called(&self, name: &str) -> bool {
        std::iter::once(&self.code).chain(self.also).any(|other| other.eq_ignore_ascii_case(name))
    }
}

impl PartialEq for Lang {
    fn eq(&self, other: &Self) -> bool {
        self.code() == other.code()
    }
}

impl Eq for Lang {}

impl fmt::Debug for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests;
