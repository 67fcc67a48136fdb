//! How names are compared, and globs. Pure text, no catalog.

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
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where the last `*` stands, and how much of the text it has taken.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                t = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// Whether a text has wildcards.
pub fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}
