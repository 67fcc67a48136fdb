//! `[[measured-rate]]` rows: what networks were seen to do.

use std::collections::BTreeSet;

use super::findings::Findings;
use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::codes;
use crate::catalog::measured::MeasuredRate;
use crate::catalog::raw::{At, Row};

/// Work that is measured.
const TASKS: &[&str] = &["train", "infer"];

/// Formats of arithmetic.
const PRECISIONS: &[&str] = &["fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8"];

/// What makes a rate the same one as another; figures by their bits.
type RateKey = (String, String, String, String, String, u32, u64, Option<u32>, u16);

fn rate_key(rate: &MeasuredRate) -> RateKey {
    let MeasuredRate { network, gpu, task, precision, class, .. } = rate.clone();
    let batch = rate.batch.unwrap_or_default().to_bits();
    (network, gpu, task, precision, class, rate.gpus, batch, rate.seq_len, rate.source.0)
}

impl<'t> Layer<'t> {
    pub(super) fn read_measured(&mut self, tables: &[FileTable<'t>]) {
        let mut rates = Vec::new();
        let mut keys = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("measured-rate") {
                let Some(rate) = self.read_rate(&mut row, table) else { continue };
                if keys.insert(rate_key(&rate)) {
                    rates.push(rate);
                } else {
                    self.duplicate_name(&row, &format!("{} on {}", rate.network, rate.gpu));
                }
            }
        }
        lay_over(&mut self.catalog.measured, rates, rate_key);
    }

    fn read_rate(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<MeasuredRate> {
        let source = self.source_of(row, table);
        let f = &mut self.findings;
        let network = one_of(row, f, "model", "network");
        let gpu = one_of(row, f, "gpu", "card");
        let mut choice = |key: &'static str, allowed: &[&'static str]| {
            let text = row.choice(f, key, allowed, |text| allowed.contains(&text).then(|| text.to_owned()));
            row.need(f, key, text)
        };
        let task = choice("task", TASKS);
        let precision = choice("precision", PRECISIONS);
        let class = row.owned(f, "class");
        let class = row.need(f, "class", class);
        let gpus = row.whole(f, "gpus", 1).unwrap_or(1);
        let batch = row.rate(f, "batch");
        let seq_len = row.whole(f, "seq-len", 1);
        let evaluations = row.rate(f, "evaluations").unwrap_or(1.0);
        let samples_per_s = row.rate(f, "samples-per-s");
        let samples_per_s = row.need(f, "samples-per-s", samples_per_s);
        let note = row.owned(f, "note");
        let waivers = row.waivers(f);
        row.finish(f);
        if let Some((true, gpu)) = &gpu
            && !self.catalog.gpus.iter().any(|known| known.name == gpu.value)
        {
            self.unknown_gpu(row, gpu.value, gpu.spot);
        }
        if let Some((true, network)) = &network {
            self.check_network(row, network);
        }
        self.name_note(
            "measured-rate",
            network.as_ref().map(|(_, network)| network.value),
            row.spot,
            waivers,
        );
        if !row.is_sound() {
            return None;
        }
        Some(MeasuredRate {
            network: network?.1.value.to_owned(),
            gpu: gpu?.1.value.to_owned(),
            task: task?,
            precision: precision?,
            class: class?,
            gpus,
            batch,
            seq_len,
            evaluations,
            samples_per_s: samples_per_s?,
            source: source?,
            note,
            overridden: self.overlay,
        })
    }

    fn check_network(&mut self, row: &mut Row<'t>, network: &At<&'t str>) {
        if self.catalog.presets.iter().any(|preset| preset.name == network.value) {
            return;
        }
        let names = self.catalog.presets.iter().map(|preset| preset.name.as_str());
        let hint = "`network = \"…\"` names one whose shape no source tells";
        let hint = self.guess(network.value, names, hint);
        let message = format!("no [[model]] is called `{}`", network.value);
        row.refuse(&mut self.findings, network.spot, &codes::BAD_VALUE, message, hint);
    }
}

/// The name of a row of the catalog under `known`, or a free one under `free`: exactly one of the two.
fn one_of<'t>(
    row: &mut Row<'t>,
    f: &mut Findings,
    known: &'static str,
    free: &'static str,
) -> Option<(bool, At<&'t str>)> {
    match (row.text(f, known), row.text(f, free)) {
        (Some(name), None) => Some((true, name)),
        (None, Some(name)) => Some((false, name)),
        _ => {
            let message = format!("a measured rate has either `{known}` or `{free}`");
            row.refuse(f, row.spot, &codes::BAD_VALUE, message, "keep exactly one of the two");
            None
        }
    }
}
