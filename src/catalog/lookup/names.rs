//! How names are compared, and globs. Pure text, no catalog.

use std::str::Chars;

/// Words in front of a name that say who made it, not what it is.
const VENDOR_WORDS: &[&str] =
    &["nvidia", "tesla", "geforce", "amd", "instinct", "google", "cloud", "aws", "intel", "habana", "huawei"];

/// A name without what people write differently: case, `-`, `_`, spaces, `/`, and leading vendor words.
///
/// `NVIDIA A100-SXM4-80GB`, `nvidia/a100_sxm4_80gb` and `A100 SXM4 80GB` are one name.
pub fn normalise(name: &str) -> String {
    let mut text = squeeze(name);
    while let Some(rest) =
        VENDOR_WORDS.iter().find_map(|word| text.strip_prefix(word)).filter(|rest| !rest.is_empty())
    {
        text = rest.to_owned();
    }
    text
}

/// A name without case, `-`, `_`, spaces and `/`; vendor words stay, since models, providers and regions may be called by them.
pub fn squeeze(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '-' | '_' | '/') && !c.is_whitespace());
    kept.flat_map(char::to_lowercase).collect()
}

/// Whether `text` matches a pattern with `*` (any run) and `?` (one character), both as given.
pub fn glob(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (pattern.chars(), text.chars());
    // What follows the last `*`, and the text that it has not taken.
    let mut star: Option<(Chars<'_>, Chars<'_>)> = None;
    while let Some(c) = text.clone().next() {
        let mut after = pattern.clone();
        match after.next() {
            Some('*') => star = Some((after.clone(), text.clone())),
            Some(wanted) if wanted == '?' || wanted == c => {
                text.next();
            }
            _ => {
                let Some((behind, rest)) = &mut star else { return false };
                rest.next();
                (after, text) = (behind.clone(), rest.clone());
            }
        }
        pattern = after;
    }
    pattern.all(|c| c == '*')
}

/// Whether a text has wildcards.
pub fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}
