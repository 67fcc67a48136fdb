//! Published measurements against the estimates, `tests/golden/serving.toml`.

use super::{node, work};
use gpuadvise::estimate::serving::ServingModel;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    measurement: Vec<Measurement>,
}

/// One published number.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Measurement {
    flags: String,
    gpu: String,
    gpus: u32,
    tp: u32,
    /// `tpot-ms`, `ttft-ms`, `output-tokens-per-s` with as many requests as the engine takes, `kv-tokens`.
    metric: String,
    value: f64,
    /// How far off the estimate may be, as a factor either way.
    within: f64,
    source: String,
    as_of: String,
}

#[test]
fn published_measurements_are_met() {
    let text = include_str!("../../golden/serving.toml");
    let file: File = toml::from_str(text).unwrap();
    assert!(file.measurement.len() >= 10);
    let mut wrong = Vec::new();
    let mut inside = 0;
    for m in &file.measurement {
        let work = work(&m.flags);
        let machine = node(&m.gpu, m.gpus);
        let model = work.on(&machine);
        let layout = ServingModel::layout(1, m.tp, m.gpus / m.tp);
        let speed = model.speed(&layout, work.job.concurrency);
        let point = |x: f64| (x, x, x);
        let (low, predicted, high) = match m.metric.as_str() {
            "tpot-ms" => (speed.tpot_ms.low, speed.tpot_ms.expected, speed.tpot_ms.high),
            "ttft-ms" => (speed.ttft_ms.low, speed.ttft_ms.expected, speed.ttft_ms.high),
            "output-tokens-per-s" => {
                point(model.speed(&layout, model.offline_batch(&layout)).output_tokens_per_s)
            }
            "kv-tokens" => point(model.kv_capacity_tokens(&layout) as f64),
            other => panic!("unknown metric {other}"),
        };
        let ratio = predicted / m.value;
        inside += u32::from((low..=high).contains(&m.value) || low == high);
        if ratio > m.within || ratio < 1.0 / m.within {
            wrong.push(format!(
                "{} on {} x {}: {predicted:.1}, measured {} ({}, {})",
                m.flags, m.gpus, m.gpu, m.value, m.source, m.as_of
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(f64::from(inside) >= 0.7 * file.measurement.len() as f64, "{inside} within their ranges");
}
