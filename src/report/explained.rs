//! `--explain`: the formulas behind a row, with the numbers put in.

use super::fit::Fit;
use super::number::Num;
use super::recommend::Recommend;
use super::row::{Memory, Parallelism, Row};
use crate::estimate::serving::kv;
use crate::workload::{Job, Method, Serving, Training, Workload};

/// Fills the formulas of each recommendation in.
pub fn rows(workload: &Workload, body: &mut Recommend) {
    for row in &mut body.recommendations {
        let mut lines = memory_lines(workload, &row.memory, &row.parallelism);
        lines.extend(time_line(workload, row));
        lines.push(format!("the estimate of time rests most on: {}", row.performance.dominant_assumption));
        row.explain = Some(lines);
    }
}

/// Fills the formulas of each judged GPU in.
pub fn fits(workload: &Workload, body: &mut Fit) {
    for line in &mut body.results {
        if let (Some(memory), Some(parallelism)) = (&line.memory, &line.parallelism) {
            line.explain = Some(memory_lines(workload, memory, parallelism));
        }
    }
}

/// Hours of a training job; the goodput is the share that its rate leaves of them, as the estimate took it.
fn time_line(workload: &Workload, row: &Row) -> Option<String> {
    let Job::Training(job) = &workload.job else { return None };
    let rate = row.performance.tokens_per_s?;
    let hours = row.duration_hours.expected;
    let goodput = job.goodput.unwrap_or_else(|| job.tokens / rate.value() / 3600.0 / hours.value());
    Some(format!(
        "time = {} tokens / {rate} tokens per s / {} goodput / 3600 = {hours} hours",
        Num::exact(job.tokens),
        Num::rounded(goodput, 3)
    ))
}

fn memory_lines(workload: &Workload, memory: &Memory, parallelism: &Parallelism) -> Vec<String> {
    let mut lines = match &workload.job {
        Job::Training(job) => training_lines(workload, job, parallelism),
        Job::Serving(job) => serving_lines(workload, job, parallelism),
        Job::Samples(_) => sample_lines(workload, parallelism),
    };
    let parts: Vec<String> = memory
        .terms
        .all()
        .into_iter()
        .filter(|(_, gib)| gib.value() > 0.0)
        .map(|(name, gib)| format!("{} {gib}", name.trim_end_matches("_gib")))
        .collect();
    lines.push(format!("total per GPU = {} = {} GiB", parts.join(" + "), memory.total_gib));
    lines.push(format!(
        "verdict: {} GiB (high) against 95 % of {} GiB usable",
        memory.high_gib, memory.usable_gib
    ));
    lines
}

fn training_lines(workload: &Workload, job: &Training, parallelism: &Parallelism) -> Vec<String> {
    let model = &workload.model;
    let mut lines = vec![format!(
        "parameters: {} in all, {} do arithmetic for a token; all of them need memory",
        Num::exact(model.params),
        Num::exact(model.flop_params())
    )];
    let passes = if job.method == Method::Full { "6" } else { "4" };
    lines.push(format!(
        "model FLOPs per token = {passes} x {} + attention (Kaplan et al. 2020; recomputation comes on top)",
        Num::exact(model.flop_params())
    ));
    lines.push(format!(
        "tokens per step = {} sequences x {} tokens; a step is {} passes of micro-batch {} on {} data-parallel ranks",
        job.global_batch, job.seq_len, parallelism.grad_accumulation, parallelism.micro_batch, parallelism.dp
    ));
    lines.push(format!(
        "states are divided by tp {} x pp {} and, under {}, by dp {} x cp {}",
        parallelism.tp, parallelism.pp, parallelism.sharding, parallelism.dp, parallelism.cp
    ));
    if parallelism.ep > 1 {
        lines.push(format!("experts are divided by ep {} besides", parallelism.ep));
    }
    lines
}

fn sample_lines(workload: &Workload, parallelism: &Parallelism) -> Vec<String> {
    let model = &workload.model;
    let flops = model.kind.sample().map_or(0.0, |sample| sample.flops);
    let mut lines = vec![
        format!("parameters: {}; every GPU holds all of them", Num::exact(model.params)),
        format!(
            "FLOPs of one sample = {} forward{}; a GPU takes {} samples in a pass",
            Num::exact(flops),
            if workload.trains() { ", three times that in training" } else { "" },
            parallelism.micro_batch
        ),
    ];
    if workload.trains() {
        let text = "states = 4 bytes of weights + 4 of gradients + those of the optimizer for each parameter \
                    (Micikevicius et al. 2018)";
        lines.push(text.to_owned());
    }
    lines
}

fn serving_lines(workload: &Workload, job: &Serving, parallelism: &Parallelism) -> Vec<String> {
    let model = &workload.model;
    let tokens = f64::from(job.input_len + job.output_len);
    vec![
        format!(
            "weights = {} parameters x {} bits / 8 ({}), divided by tp {} x pp {}; every expert counts, not only the active ones",
            Num::exact(model.params),
            Num::exact(job.quantization.bits),
            job.quantization.name,
            parallelism.tp,
            parallelism.pp
        ),
        format!("KV cache of one request: {}", kv::formula(model, tokens, job.kv_bytes, job.kv_rule)),
        format!(
            "KV cache of the longest context: {}",
            kv::formula(model, f64::from(job.max_model_len), job.kv_bytes, job.kv_rule)
        ),
    ]
}
