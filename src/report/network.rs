//! The body of `network`: what a cluster's network reaches, what it should, and what that means for a workload.

use super::date::Dated;
use super::document::{Body, Csv, Used};
use super::impact::ImpactLine;
use super::number::Num;
use super::view::Block;
use super::workload::WorkloadLine;
use crate::catalog::Catalog;
use crate::insight::nccl::bounds::may_be_domain;
use crate::insight::nccl::expect::Expectation;
use crate::insight::nccl::impact::Impact;
use crate::insight::nccl::judge::{Cause, Judged};
use crate::insight::nccl::{Collective, Layout, Point, Sample, Table};
use crate::workload::Workload;
use serde::Serialize;

/// Columns of CSV.
const COLUMNS: [&str; 34] = [
    "file",
    "table",
    "tool",
    "collective",
    "layout",
    "platform",
    "gpu",
    "gpus",
    "nodes",
    "min_size_bytes",
    "max_size_bytes",
    "plateau_busbw_gb_per_s",
    "plateau_size_bytes",
    "saturated",
    "avg_busbw_gb_per_s",
    "latency_us",
    "per_gpu_nic_gb_per_s",
    "wrong_values",
    "complete",
    "expected_low",
    "expected_gb_per_s",
    "expected_high",
    "expected_size_bytes",
    "expected_basis",
    "expected_platform",
    "expected_source",
    "expected_as_of",
    "compared_busbw_gb_per_s",
    "share_of_expected_pct",
    "verdict",
    "status",
    "confidence",
    "causes",
    "advice",
];

/// The answer of `network`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Network {
    /// One for each run in the files.
    pub results: Vec<NetworkLine>,
    /// The workload that was asked about.
    pub workload: Option<WorkloadLine>,
    /// What the measured network means for it, beside the catalog's.
    pub impact: Vec<ImpactLine>,
    #[serde(skip)]
    used: Used,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetworkLine {
    /// The file.
    pub file: String,
    /// Its place in the file, from 1.
    pub table: usize,
    /// What printed it.
    pub tool: &'static str,
    /// `all_reduce` …; `null` where it is not known.
    pub collective: Option<&'static str>,
    /// Shape of its rows.
    pub layout: Option<&'static str>,
    /// Version of the library as logged.
    pub nccl_version: Option<String>,
    /// The machine, where it is known.
    pub platform: Option<String>,
    /// Canonical name, else as printed.
    pub gpu: Option<String>,
    /// Ranks.
    pub gpus: Option<u32>,
    /// Machines.
    pub nodes: Option<u32>,
    /// Network that the library says it uses.
    pub network: Option<String>,
    /// The measurements.
    pub rows: Vec<PointLine>,
    /// Smallest size above 0.
    pub min_size_bytes: Option<Num>,
    /// Largest size.
    pub max_size_bytes: Option<Num>,
    /// Bus bandwidth at the largest size.
    pub plateau_busbw_gb_per_s: Option<Num>,
    /// That size.
    pub plateau_size_bytes: Option<Num>,
    /// Column that it is from.
    pub plateau_column: Option<&'static str>,
    /// Whether the bus bandwidth has stopped rising.
    pub saturated: Option<bool>,
    /// The highest of any size.
    pub best_busbw_gb_per_s: Option<Num>,
    /// As printed, else over the rows.
    pub avg_busbw_gb_per_s: Option<Num>,
    /// Time of a small collective.
    pub latency_us: Option<Num>,
    /// The smallest size that it is from.
    pub latency_size_bytes: Option<Num>,
    /// What each GPU's network card carries at least.
    pub per_gpu_nic_gb_per_s: Option<Num>,
    /// Values that arrived wrong.
    pub wrong_values: Num,
    /// A footer stands below the rows.
    pub complete: bool,
    /// What failed, in the words of the log.
    pub failures: Vec<String>,
    /// What a healthy cluster of that kind reaches.
    pub expected: Option<ExpectedLine>,
    /// What was compared with it.
    pub compared_busbw_gb_per_s: Option<Num>,
    /// The one over the other.
    pub share_of_expected_pct: Option<Num>,
    /// Stable id, for `explain`.
    pub verdict: &'static str,
    /// `pass`, `warn`, `fail` or `unknown`.
    pub status: &'static str,
    /// `high`, `medium` or `low`.
    pub confidence: &'static str,
    /// The likeliest first.
    pub causes: Vec<CauseLine>,
    /// What to do, in that order.
    pub advice: Vec<String>,
}

/// One size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointLine {
    /// Size of the message.
    pub size_bytes: Num,
    /// With two buffers.
    pub out_of_place: Option<SampleLine>,
    /// With one.
    pub in_place: Option<SampleLine>,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SampleLine {
    /// Time of one collective.
    pub time_us: Num,
    /// Size over time.
    pub algbw_gb_per_s: Num,
    /// What a link carries.
    pub busbw_gb_per_s: Num,
    /// Elements that arrived wrong; `null` where that was not checked.
    pub wrong: Option<Num>,
}

/// What is expected.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExpectedLine {
    /// Below it the cluster is slow.
    pub low: Num,
    /// What it should reach.
    pub gb_per_s: Num,
    /// The most that is known.
    pub high: Num,
    /// Size that the figures are of; `null` for the plateau.
    pub size_bytes: Option<Num>,
    /// What they rest on.
    pub basis: &'static str,
    /// Whose they are.
    pub platform: String,
    /// Time of a small collective there.
    pub latency_us: Option<Num>,
    /// What the link between the GPUs of a node could carry, in one direction.
    pub link_gb_per_s: Option<Num>,
    /// Where the figures come from.
    pub source: String,
    /// When that was.
    pub as_of: Option<Dated>,
}

/// One cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CauseLine {
    /// Stable id, for `explain`.
    pub id: &'static str,
    /// One sentence.
    pub message: String,
}

impl Network {
    /// Adds the line of one table, with the sources it was judged by.
    pub fn add(&mut self, catalog: &Catalog, judged: &Judged, line: NetworkLine) {
        if let Some(gpu) = judged.cluster.gpu {
            self.used.figure(catalog.gpu(gpu).source);
        }
        for source in judged.expected.iter().flat_map(|expected| &expected.sources) {
            self.used.figure(*source);
        }
        self.results.push(line);
    }

    /// The workload that was asked about.
    pub fn workload_is(&mut self, workload: &Workload) {
        self.workload = Some(WorkloadLine::new(workload));
    }

    /// Adds what a table means for it.
    pub fn weigh(&mut self, file: &str, at: usize, plans: &[Impact]) {
        self.impact.extend(plans.iter().map(|plan| ImpactLine::new(file, at, plan)));
    }
}

impl NetworkLine {
    /// One table as printed.
    pub fn new(catalog: &Catalog, file: &str, at: usize, table: &Table, judged: &Judged) -> Self {
        let cluster = &judged.cluster;
        let figures = judged.figures.as_ref();
        let sizes = || table.rows.iter().map(|row| row.size_bytes).filter(|size| *size > 0.0);
        let wire = cluster
            .collective()
            .zip(cluster.gpus)
            .zip(cluster.nodes)
            .and_then(|((it, gpus), nodes)| it.wire_share(f64::from(gpus), f64::from(nodes)));
        let name = cluster.gpu.map(|id| catalog.gpu(id).name.as_str()).zip(cluster.gpus);
        let linked = name.is_some_and(|(gpu, gpus)| may_be_domain(catalog, gpu, gpus))
            || judged.expected.as_ref().is_some_and(|expected| expected.domain);
        let wire = wire.filter(|_| !linked);
        let bandwidth = |value: f64| Num::rounded(value, 2);
        Self {
            file: file.to_owned(),
            table: at + 1,
            tool: table.tool.name(),
            collective: cluster.collective().map(Collective::name),
            layout: table.layout.map(Layout::name),
            nccl_version: table.evidence.version.clone(),
            platform: cluster.instance.map(|id| catalog.full_name(catalog.instance(id))),
            gpu: cluster.gpu.map(|id| catalog.gpu(id).name.clone()).or_else(|| cluster.printed.clone()),
            gpus: cluster.gpus,
            nodes: cluster.nodes,
            network: table.evidence.network.clone(),
            rows: table.rows.iter().map(PointLine::from).collect(),
            min_size_bytes: sizes().reduce(f64::min).map(Num::exact),
            max_size_bytes: sizes().reduce(f64::max).map(Num::exact),
            plateau_busbw_gb_per_s: figures.map(|it| bandwidth(it.plateau_gb_per_s)),
            plateau_size_bytes: figures.map(|it| Num::exact(it.plateau_bytes)),
            plateau_column: figures.map(|it| if it.out_of_place { "out-of-place" } else { "in-place" }),
            saturated: figures.and_then(|it| it.saturated),
            best_busbw_gb_per_s: figures.map(|it| bandwidth(it.best_gb_per_s)),
            avg_busbw_gb_per_s: table
                .average_gb_per_s
                .or(figures.map(|it| it.mean_gb_per_s))
                .map(|average| Num::rounded(average, 4)),
            latency_us: figures.and_then(|it| it.latency_us).map(bandwidth),
            latency_size_bytes: figures.and_then(|it| it.latency_bytes).map(Num::exact),
            per_gpu_nic_gb_per_s: figures.zip(wire).map(|(it, wire)| bandwidth(it.plateau_gb_per_s * wire)),
            wrong_values: Num::exact(table.wrong_values() as f64),
            complete: table.complete,
            failures: table.failures.clone(),
            expected: judged.expected.as_ref().map(|expected| ExpectedLine::new(catalog, expected)),
            compared_busbw_gb_per_s: judged.compared_gb_per_s.map(bandwidth),
            share_of_expected_pct: judged.share().map(|share| Num::percent(share * 100.0)),
            verdict: judged.verdict.name(),
            status: judged.status.name(),
            confidence: judged.confidence.name(),
            causes: judged.causes.iter().map(CauseLine::from).collect(),
            advice: judged
                .causes
                .iter()
                .filter(|cause| !cause.advice.is_empty())
                .map(|cause| cause.advice.clone())
                .collect(),
        }
    }
}

impl From<&Point> for PointLine {
    fn from(point: &Point) -> Self {
        Self {
            size_bytes: Num::exact(point.size_bytes),
            out_of_place: point.out_of_place.map(SampleLine::from),
            in_place: point.in_place.map(SampleLine::from),
        }
    }
}

impl From<Sample> for SampleLine {
    fn from(sample: Sample) -> Self {
        Self {
            time_us: Num::rounded(sample.time_us, 3),
            algbw_gb_per_s: Num::rounded(sample.algbw_gb_per_s, 3),
            busbw_gb_per_s: Num::rounded(sample.busbw_gb_per_s, 3),
            wrong: sample.wrong.map(|count| Num::exact(count as f64)),
        }
    }
}

impl ExpectedLine {
    fn new(catalog: &Catalog, expected: &Expectation) -> Self {
        let bandwidth = |value: f64| Num::rounded(value, 2);
        let sources: Vec<_> = expected.sources.iter().map(|id| catalog.source(*id)).collect();
        let texts: Vec<&str> = sources.iter().map(|source| source.text.as_str()).collect();
        Self {
            low: bandwidth(expected.low),
            gb_per_s: bandwidth(expected.expected),
            high: bandwidth(expected.high),
            size_bytes: expected.size_bytes.map(Num::exact),
            basis: expected.basis.name(),
            platform: expected.platform.clone(),
            latency_us: expected.latency_us.map(bandwidth),
            link_gb_per_s: expected.link_gb_per_s.map(bandwidth),
            source: texts.join("; "),
            as_of: sources.first().map(|source| Dated(source.as_of)),
        }
    }
}

impl From<&Cause> for CauseLine {
    fn from(cause: &Cause) -> Self {
        Self { id: cause.id, message: cause.message.clone() }
    }
}

impl Body for Network {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "results", spread: None, columns: &COLUMNS }
    }

    fn headline(&self) -> Option<String> {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for line in &self.results {
            match counts.iter_mut().find(|(verdict, _)| *verdict == line.verdict) {
                Some((_, count)) => *count += 1,
                None => counts.push((line.verdict, 1)),
            }
        }
        let words: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        let s = if self.results.len() == 1 { "" } else { "s" };
        (!words.is_empty()).then(|| format!("Network, {} table{s}: {}", self.results.len(), words.join(", ")))
    }

    fn blocks(&self) -> Vec<Block> {
        super::text::network(self)
    }
}
