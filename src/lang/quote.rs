//! Words of a user inside a text of the program: a message of a policy, a name, a line of a script. No language says them
//! otherwise; they are known by marks that only the pages of people carry, from where they are made to where they are said.

use std::fmt::Write;

/// Stand around a quotation. Noncharacters, which Unicode keeps for use within a program (Unicode 16.0, 23.7).
pub(super) const MARKS: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];

/// The first of what stands for quotations while a text is looked up (private use, plane 16): to the catalogue a name of
/// one character.
const FIRST: u32 = 0x10_0000;

/// How many quotations one text may have; what is behind them is looked up as part of the last one.
const MOST: usize = 0xffff;

/// The text as a quotation inside a page. Not for JSON, CSV or anything that is not said by a language.
#[must_use]
pub fn quoted(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut marked = String::with_capacity(text.len() + 6);
    marked.push(MARKS[0]);
    marked.extend(text.chars().filter(|c| !MARKS.contains(c)));
    marked.push(MARKS[1]);
    marked
}

/// A text without the marks of quotations.
#[must_use]
pub fn unquoted(text: String) -> String {
    if text.contains(MARKS) { text.replace(MARKS, "") } else { text }
}

/// A text whose quotations are taken out, and they.
pub(super) struct Quotations<'t> {
    /// With one character for each.
    pub(super) text: String,
    quotations: Vec<&'t str>,
}

impl<'t> Quotations<'t> {
    /// Those of a text; `None` where it has none.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let (first, mut rest) = text.split_once(MARKS[0])?;
        let mut plain = first.to_owned();
        let mut quotations = Vec::new();
        loop {
            let (quotation, behind) = rest.split_once(MARKS[1]).unwrap_or((rest, ""));
            quotations.push(quotation);
            plain.extend(sign(quotations.len() - 1));
            let next = behind.split_once(MARKS[0]).filter(|_| quotations.len() < MOST);
            let Some((between, more)) = next else {
                let _ = write!(plain, "{behind}");
                break;
            };
            plain.push_str(between);
            rest = more;
        }
        Some(Self { text: plain, quotations })
    }

    /// What was said, with the quotations where their characters are.
    pub(super) fn back(&self, said: &str) -> String {
        let at = |c: char| self.quotations.get(u32::from(c).checked_sub(FIRST)? as usize);
        let mut text = String::with_capacity(said.len());
        for c in said.chars() {
            match at(c) {
                Some(quotation) => text.push_str(quotation),
                None => text.push(c),
            }
        }
        text
    }
}

fn sign(at: usize) -> Option<char> {
    char::from_u32(FIRST + u32::try_from(at).ok()?)
}
