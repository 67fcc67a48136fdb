//! Data rows of nccl-tests, rccl-tests and nccom-test in all their layouts, behind whatever a launcher puts in front.

use super::{Layout, Point, Sample};

/// Number formats of the tools with their bytes.
const TYPES: [(&str, f64); 22] = [
    ("int16", 2.0),
    ("uint16", 2.0),
    ("int8", 1.0),
    ("uint8", 1.0),
    ("int32", 4.0),
    ("uint32", 4.0),
    ("int64", 8.0),
    ("uint64", 8.0),
    ("half", 2.0),
    ("float", 4.0),
    ("double", 8.0),
    ("bfloat16", 2.0),
    ("f8e4m3", 1.0),
    ("f8e5m2", 1.0),
    ("fp8_e4m3", 1.0),
    ("fp8_e5m2", 1.0),
    ("char", 1.0),
    ("int", 4.0),
    ("fp16", 2.0),
    ("fp32", 4.0),
    ("bf16", 2.0),
    ("fp8", 1.0),
];

/// Words that may stand in front of a row: tags of launchers, time stamps, names of pods.
const MOST_PREFIX: usize = 8;

/// Columns of the longest row.
const MOST_COLUMNS: usize = 24;

/// Bytes of one element; `None` for a word that is no number format.
pub(super) fn type_bytes(word: &str) -> Option<f64> {
    TYPES.iter().find(|(name, _)| *name == word).map(|(_, bytes)| *bytes)
}

/// The row of a line, if there is one.
pub(super) fn parse(words: &[&str]) -> Option<(Point, Layout)> {
    starts(words).find_map(|at| whole(&words[at..]))
}

/// Whether a line is a row that nobody filled in: `XX.XX` where figures belong.
pub(super) fn is_template(words: &[&str]) -> bool {
    let typed = words.iter().any(|word| type_bytes(word).is_some());
    typed && words.iter().filter(|word| is_placeholder(word)).count() >= 2
}

/// `XX.XX`, `xxx`, `?`, `<value>`.
pub(super) fn is_placeholder(word: &str) -> bool {
    let crosses = word.contains(['X', 'x']) && word.chars().all(|c| matches!(c, 'X' | 'x' | '.'));
    let named = word.len() > 2 && word.starts_with('<') && word.ends_with('>');
    crosses || named || (!word.is_empty() && word.chars().all(|c| c == '?'))
}

/// Where a row may start: size, count and type in a row.
fn starts<'a>(words: &'a [&'a str]) -> impl Iterator<Item = usize> + 'a {
    (0..words.len().min(MOST_PREFIX + 1)).filter(move |&at| {
        let left = words.len() - at;
        (6..=MOST_COLUMNS).contains(&left) && type_bytes(words[at + 2]).is_some()
    })
}

/// A row without the date and time that `-T` puts at its end.
fn without_time<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    match words {
        [row @ .., date, time] if date.matches('-').count() == 2 && time.matches(':').count() == 2 => row,
        _ => words,
    }
}

/// A row without what times of single iterations add to each of its two parts: least, most, 99th percentile, spread.
fn without_spread<'t>(figures: &[&'t str]) -> Vec<&'t str> {
    match figures.len() {
        16 => [&figures[..4], &figures[8..12]].concat(),
        _ => figures.to_vec(),
    }
}

fn whole(words: &[&str]) -> Option<(Point, Layout)> {
    let words = without_time(words);
    if words.len() < 6 {
        return None;
    }
    let size: u64 = words[0].parse().ok()?;
    let count: u64 = words[1].parse().ok()?;
    let (redop, rest) = match words[3] {
        op if is_operation(op) => (Some(op), &words[4..]),
        _ => (None, &words[3..]),
    };
    let (root, figures) = match rest.len() {
        5 | 6 | 9 | 10 | 17 => (Some(rest[0].parse::<i64>().ok()?), &rest[1..]),
        _ => (None, rest),
    };
    let figures = without_spread(figures);
    let figures = figures.as_slice();
    let layout = match (root, redop, figures.len()) {
        (None, None, 3) => Layout::Nccom,
        (Some(_), _, 5 | 9) => Layout::Iterations,
        (Some(_), _, 4 | 8) => Layout::Root,
        (None, Some(_), 4 | 8) => Layout::Old,
        (None, None, 4 | 8) => Layout::OldWithoutOperation,
        _ => return None,
    };
    let checked = matches!(layout, Layout::Root | Layout::Iterations);
    let first = sample(figures, checked)?;
    let second = if figures.len() >= 8 { sample(&figures[4..], checked)? } else { None };
    let point = Point {
        size_bytes: size as f64,
        count: count as f64,
        element_bytes: type_bytes(words[2])?,
        operation: redop.map(str::to_owned),
        root,
        out_of_place: first,
        in_place: second,
    };
    (first.is_some() || second.is_some()).then_some((point, layout))
}

/// The size of a row whose figures are none: not a number, infinite or negative. A row that was not measured (`N/A`) is none.
pub(super) fn broken(words: &[&str]) -> Option<f64> {
    let is_none = |word: &str| word.parse::<f64>().is_ok_and(|value| !value.is_finite() || value < 0.0);
    starts(words).find_map(|at| {
        let (size, _) = (words[at].parse::<u64>().ok()?, words[at + 1].parse::<u64>().ok()?);
        // A root may be -1, and stands before the figures.
        let mut figures = words[at + 3..].iter().skip_while(|word| is_operation(word)).skip(1);
        figures.any(|word| is_none(word)).then_some(size as f64)
    })
}

/// `sum`, `none`, `avg` …: letters only, and not the sign for what was not measured.
fn is_operation(word: &str) -> bool {
    !is_missing(word) && word.len() <= 12 && word.bytes().all(|b| b.is_ascii_alphabetic())
}

fn is_missing(word: &str) -> bool {
    matches!(word, "N/A" | "n/a" | "-" | "nan" | "NaN" | "inf" | "Inf")
}

/// Time, two bandwidths and errors; `Some(None)` where a column was not measured, `None` where this is no row.
#[expect(clippy::option_option, reason = "not a row, and not measured, are two things")]
fn sample(words: &[&str], checked: bool) -> Option<Option<Sample>> {
    if words.len() >= 3 && words[..3].iter().all(|word| is_missing(word)) {
        return Some(None);
    }
    let [time_us, algbw, busbw] = [figure(words[0])?, figure(words[1])?, figure(words[2])?];
    let errors = words.get(3).copied();
    if errors.is_some_and(|word| !is_missing(word) && figure(word).is_none()) {
        return None;
    }
    // The old column holds rounding errors such as 5e-07, the new one counts wrong elements.
    let wrong = errors.filter(|_| checked).and_then(|word| word.parse().ok());
    Some(Some(Sample { time_us, algbw_gb_per_s: algbw, busbw_gb_per_s: busbw, wrong }))
}

/// A finite figure, 0 or above.
fn figure(word: &str) -> Option<f64> {
    let starts = word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    word.parse::<f64>().ok().filter(|value| starts && value.is_finite() && *value >= 0.0)
}
