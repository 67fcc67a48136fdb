//! Words of a row as literals of YAML, shell and HCL, so that a name can only ever be a name.

use serde::Deserialize;

/// The language of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Syntax {
    /// YAML 1.1 and 1.2.
    Yaml,
    /// POSIX shell.
    Shell,
    /// HCL of Terraform and `OpenTofu`.
    Hcl,
}

/// Words that YAML reads as something else than text, in small letters.
const YAML_WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];

impl Syntax {
    /// The text as one literal on one line. Texts without control characters come back from a parser as they are.
    pub fn literal(self, text: &str) -> String {
        match self {
            Self::Yaml if is_plain_yaml(text) => text.to_owned(),
            // A double-quoted scalar of YAML takes every string of JSON.
            Self::Yaml => json(text),
            Self::Shell if is_plain_shell(text) => text.to_owned(),
            Self::Shell => format!("'{}'", text.replace('\'', r"'\''")),
            Self::Hcl => self.line(&json(text)),
        }
    }

    /// A finished line inside a block of text of the file, such as a line of a script.
    pub fn line(self, line: &str) -> String {
        match self {
            Self::Hcl => line.replace("${", "$${").replace("%{", "%%{"),
            Self::Yaml | Self::Shell => line.to_owned(),
        }
    }
}

/// Whether a name of a row may stand in a launch file: no control characters, no marks that break or turn lines, and
/// nothing by which shells and tools put something else in its place.
pub fn is_safe(text: &str) -> bool {
    !text.contains(|c: char| breaks_lines(c) || matches!(c, '$' | '`'))
}

/// Whether a character ends a line, steers a terminal or turns the direction of writing.
pub fn breaks_lines(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// Small letters, digits and single hyphens, beginning with a letter, 40 characters at most: a name for what is
/// launched that all tools take.
pub fn slug(text: &str) -> String {
    let mut slug = String::from("gpuadvise");
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        slug.push('-');
        slug.push_str(&word.to_ascii_lowercase());
    }
    slug.truncate(40);
    slug.trim_end_matches('-').to_owned()
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn is_plain_yaml(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'/' | b'-'))
        && !YAML_WORDS.contains(&text.to_ascii_lowercase().as_str())
}

fn is_plain_shell(text: &str) -> bool {
    let plain =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'/' | b':' | b'@' | b'+' | b'-');
    !text.is_empty() && text.bytes().all(plain)
}
