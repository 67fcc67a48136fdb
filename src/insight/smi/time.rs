//! Times as the tools print them. Without a zone: only differences are used.

use jiff::civil::DateTime;

/// `2026/07/14 08:12:53.353` of CSV, `2026-07-14T08:12:53Z`, `20260714 08:12:53` of `dmon -o DT`.
pub(super) fn stamp(text: &str) -> Option<DateTime> {
    let text = text.trim().trim_matches('"').trim().trim_end_matches('Z');
    let (date, time) = text.split_once([' ', 'T'])?;
    let (year, month, day) = date_of(date)?;
    at(year, month, day, time.trim())
}

const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";

/// `Tue Jul 14 08:12:53 2026`, the line above a table, or with a zone before the year as `date` prints it.
pub(super) fn banner(text: &str) -> Option<DateTime> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ([_, month, day, time, year] | [_, month, day, time, _, year]) = words.as_slice() else {
        return None;
    };
    let at_month = MONTHS.find(month).filter(|at| at % 3 == 0 && month.len() == 3)?;
    at(year.parse().ok()?, (at_month / 3 + 1) as i8, day.parse().ok()?, time)
}

fn date_of(text: &str) -> Option<(i16, i8, i8)> {
    let parts: Vec<&str> = text.split(['/', '-']).collect();
    match parts.as_slice() {
        [year, month, day] => Some((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)),
        [whole] if whole.len() == 8 && whole.bytes().all(|b| b.is_ascii_digit()) => {
            Some((whole[..4].parse().ok()?, whole[4..6].parse().ok()?, whole[6..].parse().ok()?))
        }
        _ => None,
    }
}

fn at(year: i16, month: i8, day: i8, time: &str) -> Option<DateTime> {
    let (whole, fraction) = time.split_once('.').unwrap_or((time, ""));
    let parts: Vec<&str> = whole.split(':').collect();
    let [hour, minute, second] = parts.as_slice() else { return None };
    let nanos: i32 = if fraction.is_empty() {
        0
    } else {
        let digits: String = fraction.chars().take_while(char::is_ascii_digit).take(9).collect();
        format!("{digits:0<9}").parse().ok()?
    };
    DateTime::new(year, month, day, hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?, nanos)
        .ok()
}

/// Seconds from one time to another; negative when it is earlier.
pub(super) fn seconds(from: DateTime, to: DateTime) -> f64 {
    to.duration_since(from).as_secs_f64()
}

/// The time so many seconds after the start of 1970, in UTC.
pub(super) fn epoch(seconds: f64) -> Option<DateTime> {
    let millis = (seconds * 1000.0).round();
    let stamp = jiff::Timestamp::from_millisecond(millis as i64).ok()?;
    millis.is_finite().then(|| jiff::tz::TimeZone::UTC.to_datetime(stamp))
}
