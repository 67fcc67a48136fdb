//! No group's error may grow: each source of the sample is judged with constants that were fitted without it.
//!
//! The constants and the errors of today are kept in `tests/data`; `examples/crossval --leave-one-out --write-regression
//! tests/data` writes both anew after a better fit.

use gpuadvise::calibrate::crossval::score_source;
use gpuadvise::calibrate::regression::{Baseline, LeftOut, SourceValues, medians};
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::insight::sample::sample;
use std::fs;
use std::path::Path;

/// By so many points a median may grow.
const SLACK: f64 = 2.0;

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn no_left_out_median_grows_by_more_than_two_points() {
    let (kept, baseline): (LeftOut, Baseline) = (read("leave-one-out.toml"), read("accuracy-baseline.toml"));
    let (catalog, rows) = (embedded(Sections::ALL).unwrap(), sample().unwrap());
    assert!(!baseline.group.is_empty(), "an empty baseline holds nothing");
    let mut sources: Vec<&str> = baseline.group.iter().map(|group| group.source.as_str()).collect();
    sources.dedup();
    let mut worse = Vec::new();
    for source in sources {
        let nothing = SourceValues { name: source.to_owned(), ..SourceValues::default() };
        let values = kept.source.iter().find(|kept| kept.name == source).unwrap_or(&nothing);
        let without = values.apply(&catalog).unwrap_or_else(|error| panic!("{error}; write tests/data anew"));
        let now = medians(&score_source(&without, &rows, source));
        for before in baseline.group.iter().filter(|group| group.source == source) {
            let (metric, was) = (&before.metric, before.median_ape_pct);
            match now.iter().find(|group| group.metric == *metric) {
                None => worse.push(format!("{source}, {metric}: no longer predicted")),
                Some(group) if group.rows < before.rows => worse.push(format!(
                    "{source}, {metric}: {} of {} rows are still predicted",
                    group.rows, before.rows
                )),
                Some(group) if group.median_ape_pct > was + SLACK => {
                    worse.push(format!("{source}, {metric}: {was} % before, {} % now", group.median_ape_pct));
                }
                Some(_) => {}
            }
        }
    }
    assert!(worse.is_empty(), "left-out medians grew:\n{}", worse.join("\n"));
}
