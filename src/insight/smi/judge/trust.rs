//! How far a verdict can be trusted, and why.

use super::{Seen, Verdict, percent};
use crate::insight::Confidence;
use crate::insight::smi::usage::Basis;

/// How far to trust a verdict: by what activity rests on, by how it comes, then by how long the series is.
pub(super) fn confidence(seen: &Seen, verdict: Verdict) -> (Confidence, Option<String>) {
    let Seen { usage, lines, .. } = *seen;
    let long = usage.samples as f64 >= lines.long_series;
    match verdict {
        Verdict::Errors => return (Confidence::High, None),
        Verdict::NotEnoughData => return (Confidence::Low, None),
        // A peak that was seen is a fact, though caches of the framework count in it.
        Verdict::TooSmall if long => return (Confidence::Medium, None),
        Verdict::Idle => return of_idle(seen, long),
        _ => {}
    }
    let short = format!("{}: a longer series may look different", polls(seen));
    if seen.bursty {
        return (Confidence::Low, Some("its work comes in bursts".to_owned()));
    }
    let of_instances =
        usage.basis.is_none() && seen.series.slices.values().any(|slice| !slice.activity.is_empty());
    match usage.basis {
        _ if of_instances => by_length(seen, "activity of the MIG instances in", short),
        None | Some(Basis::Utilisation | Basis::Engine) if verdict != Verdict::TooSmall => {
            let why = "only GPU utilisation is known, and one busy SM reads 100 %";
            (Confidence::Low, Some(if long { why.to_owned() } else { format!("{why}; {short}") }))
        }
        _ => by_length(seen, "SM activity in", short),
    }
}

/// Whatever the metric, a reading of nothing is one: that one busy SM reads 100 % holds for high readings only. Memory
/// that is held, and power that is drawn, speak against it.
fn of_idle(seen: &Seen, long: bool) -> (Confidence, Option<String>) {
    let Seen { usage, lines, .. } = *seen;
    if let Some(share) = seen.loaded() {
        let why = format!("{} of the memory is taken, so something is loaded", percent(share));
        return (Confidence::Low, Some(why));
    }
    if let Some(power) = usage.power_share().filter(|share| *share >= lines.faint_power) {
        let why = format!("it draws {} of its power limit all the same", percent(power));
        return (Confidence::Low, Some(why));
    }
    let short = format!("{}: a longer series may look different", polls(seen));
    let (confidence, why) =
        if long { by_length(seen, "no activity in", short) } else { (Confidence::Low, Some(short)) };
    match usage.memory {
        None => (confidence.min(Confidence::Medium), why),
        Some(_) => (confidence, why),
    }
}

fn by_length(seen: &Seen, what: &str, short: String) -> (Confidence, Option<String>) {
    let Seen { usage, lines, .. } = *seen;
    let hours = usage.span_s.map(|seconds| seconds / 3600.0);
    if (usage.samples as f64) < lines.long_series {
        (Confidence::Low, Some(short))
    } else if hours.is_some_and(|hours| hours >= lines.long_hours) {
        (Confidence::High, Some(format!("{what} {}", polls(seen))))
    } else {
        (Confidence::Medium, Some(short))
    }
}

/// `720 polls over 60 min`.
fn polls(seen: &Seen) -> String {
    let polls = seen.usage.samples;
    let s = if polls == 1 { "" } else { "s" };
    match seen.usage.span_s {
        Some(seconds) => format!("{polls} poll{s} over {}", span(seconds)),
        None => format!("{polls} poll{s}"),
    }
}

/// Seconds as people say them.
pub(super) fn span(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
