//! Tables of errors on standard output.

use gpuadvise::estimate::Verdict;
use gpuadvise::insight::score::{Scored, Scores, quantile};
use std::collections::BTreeMap;

/// Prints errors by kind and metric (medians over the sources of each), by source, and the skips.
pub(crate) fn print(title: &str, scores: &Scores, metrics: &[String], rows: bool) {
    let wanted = |scored: &&Scored| {
        scored.measured.is_some() && (metrics.is_empty() || metrics.iter().any(|m| m == scored.metric.name()))
    };
    let all: Vec<&Scored> = scores.scored.iter().filter(wanted).collect();
    println!("== {title}: {} figures, {} rows skipped", all.len(), scores.skipped.len());
    if rows {
        print_rows(&all);
        print_verdicts(scores);
    }
    let by = |name: &dyn Fn(&Scored) -> String| {
        let mut groups: BTreeMap<String, Vec<&Scored>> = BTreeMap::new();
        for scored in &all {
            groups.entry(name(scored)).or_default().push(scored);
        }
        groups
    };
    head("source, kind, metric");
    for (name, group) in by(&|s| format!("{} | {} | {}", s.labels.source, s.labels.kind, s.metric.name())) {
        line(&name, &group);
    }
    head("kind, metric");
    for (name, group) in by(&|s| format!("{} | {}", s.labels.kind, s.metric.name())) {
        line(&name, &group);
    }
    head("metric");
    for (name, group) in by(&|s| s.metric.name().to_owned()) {
        line(&name, &group);
    }
    verdicts(scores);
    skips(scores);
}

fn head(name: &str) {
    println!(
        "{name:70} {:>5} {:>4} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "rows", "src", "med-med", "median", "p90", "bias", "cover", "width"
    );
}

/// `med-med`: median over sources of the median of each.
fn line(name: &str, group: &[&Scored]) {
    let error = |s: &&Scored| s.error().unwrap_or(f64::NAN);
    let mut sources: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for scored in group {
        sources.entry(&scored.labels.source).or_default().push(error(scored).abs());
    }
    let medians: Vec<f64> = sources.values().map(|errors| quantile(errors.clone(), 0.5)).collect();
    let absolute: Vec<f64> = group.iter().map(|s| error(s).abs()).collect();
    let inside = group
        .iter()
        .filter(|s| s.measured.is_some_and(|m| (s.predicted.low..=s.predicted.high).contains(&m)))
        .count();
    let width = quantile(group.iter().map(|s| s.predicted.high / s.predicted.low).collect(), 0.5);
    println!(
        "{name:70} {:5} {:4} {:6.1}% {:5.1}% {:5.1}% {:+5.1}% {:5.0}% {width:6.2}",
        group.len(),
        sources.len(),
        quantile(medians, 0.5) * 100.0,
        quantile(absolute.clone(), 0.5) * 100.0,
        quantile(absolute, 0.9) * 100.0,
        quantile(group.iter().map(error).collect(), 0.5) * 100.0,
        inside as f64 / group.len() as f64 * 100.0,
    );
}

fn print_rows(all: &[&Scored]) {
    let mut sorted = all.to_vec();
    let off = |s: &Scored| s.error().unwrap_or(0.0);
    sorted.sort_by(|a, b| off(a).abs().total_cmp(&off(b).abs()));
    for s in sorted {
        let (labels, range) = (&s.labels, s.predicted);
        println!(
            "{:18} {:28.28} {:16.16} {:14.14} {:14.14} {:20} measured {:10.3} predicted {:10.3} ({:.3}..{:.3}) {:+6.1}%",
            labels.id,
            labels.source,
            labels.kind,
            labels.gpu,
            if labels.engine.is_empty() { &labels.framework } else { &labels.engine },
            s.metric.name(),
            s.measured.unwrap_or(f64::NAN),
            range.expected,
            range.low,
            range.high,
            off(s) * 100.0
        );
    }
}

/// Every verdict that is not right, beside what happened.
fn print_verdicts(scores: &Scores) {
    for judged in &scores.judged {
        let Some(ran) = judged.ran else { continue };
        if !matches!((ran, judged.verdict), (true, Verdict::Fits) | (false, Verdict::No)) {
            let (labels, happened) = (&judged.labels, if ran { "ran" } else { "out of memory" });
            println!(
                "verdict {:18} {:28.28} {:16.16} {:14.14} {:5} {happened}",
                labels.id,
                labels.source,
                labels.kind,
                labels.gpu,
                judged.verdict.name()
            );
        }
    }
}

fn verdicts(scores: &Scores) {
    let fit = scores.fit();
    let (mut ran, mut oom) = (0, 0);
    for judged in &scores.judged {
        match judged.ran {
            Some(true) => ran += 1,
            Some(false) => oom += 1,
            None => {}
        }
    }
    println!(
        "verdicts: {ran} ran, {oom} out of memory; right {}, false fits {}, false misses {}, tight {}",
        fit.right, fit.false_fits, fit.false_misses, fit.tight
    );
}

/// Why rows were skipped, the most frequent reason first.
fn skips(scores: &Scores) {
    let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (labels, skip) in &scores.skipped {
        *reasons.entry((&labels.kind, &skip.0)).or_default() += 1;
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    for ((kind, reason), count) in reasons {
        println!("skipped {count:5} {kind}: {reason}");
    }
}
