//! From scores to pictures: one for each sort of experiment and metric.

use super::{Panel, PlotPoint};
use crate::insight::metric::Metric;
use crate::insight::score::Scores;
use std::collections::BTreeMap;

/// Fewest figures of a picture.
const FEWEST: usize = 3;

/// One picture for each kind and metric with at least three measured figures, in the order of their names.
pub fn panels(scores: &Scores) -> Vec<Panel> {
    let mut panels: BTreeMap<(&str, Metric), Vec<PlotPoint>> = BTreeMap::new();
    for scored in &scores.scored {
        let Some(measured) = scored.measured else { continue };
        let points = panels.entry((&scored.labels.kind, scored.metric)).or_default();
        let (predicted, group) = (scored.predicted.expected, scored.labels.source.clone());
        points.push(PlotPoint { measured, predicted, group });
    }
    let enough = panels.into_iter().filter(|(_, points)| points.len() >= FEWEST);
    enough
        .map(|((kind, metric), points)| Panel {
            title: format!("{}: {}", kind.replace('_', " "), metric.name().replace('_', " ")),
            unit: unit(metric).to_owned(),
            points,
        })
        .collect()
}

fn unit(metric: Metric) -> &'static str {
    match metric {
        Metric::TokensPerSPerGpu => "tokens/s and GPU",
        Metric::SamplesPerS => "samples/s",
        Metric::OutputTokensPerS | Metric::TotalTokensPerS => "tokens/s",
        Metric::TpotMs | Metric::TtftMs | Metric::LatencyMs => "ms",
        Metric::ImagesPerS => "images/s",
        Metric::PeakMemoryGib => "GiB",
        Metric::KvCacheTokens => "tokens",
        Metric::TrainGpuHours => "GPU-hours",
        Metric::Fit => "",
    }
}
