//! The verdict on one table, with what may be behind it and how sure that is.

use super::cluster::{self, Cluster, Said};
use super::expect::{Basis, Expectation, Limits, Meets, expectations};
use super::measure::{self, Figures};
use super::verdict::{Confidence, Status, Verdict};
use super::{Collective, Log, Table, words};
use crate::catalog::Catalog;
use crate::estimate::Machine;

/// Something behind a verdict, or worth knowing beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Stable id, for `explain`.
    pub id: &'static str,
    /// One sentence.
    pub message: String,
    /// What to do; empty where nothing is to be done.
    pub advice: &'static str,
}

impl Cause {
    fn of(id: &'static str) -> Self {
        let found = words::cause(id);
        Self {
            id,
            message: found.map_or_else(String::new, |it| it.message.to_owned()),
            advice: found.map_or("", |it| it.advice),
        }
    }
}

/// One table judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Whose it is.
    pub cluster: Cluster,
    /// Its figures, where a row has a size above 0.
    pub figures: Option<Figures>,
    /// What it was held against, where it was.
    pub expected: Option<Expectation>,
    /// The bus bandwidth that was compared.
    pub compared_gb_per_s: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// What to make of it.
    pub status: Status,
    /// How sure.
    pub confidence: Confidence,
    /// The likeliest first.
    pub causes: Vec<Cause>,
}

impl Judged {
    /// What was compared as a share of what was expected.
    pub fn share(&self) -> Option<f64> {
        let expected = self.expected.as_ref()?;
        Some(self.compared_gb_per_s? / expected.expected)
    }
}

/// Judges one table of a file.
pub fn judge(
    catalog: &Catalog,
    limits: &Limits,
    file: &str,
    (log, table): (&Log, &Table),
    said: &Said,
) -> Judged {
    let cluster = cluster::of(catalog, file, log, table, said);
    let figures = measure::figures(table, limits.growth);
    let mut judged = Judged {
        cluster,
        figures,
        expected: None,
        compared_gb_per_s: None,
        verdict: Verdict::UnknownPlatform,
        status: Status::Unknown,
        confidence: Confidence::High,
        causes: Vec::new(),
    };
    if broken(&mut judged, table) {
        return judged;
    }
    let Some(figures) = figures else { return judged };
    compare(&mut judged, catalog, limits, (table, &figures));
    remarks(&mut judged, limits, table, &figures);
    judged
}

impl Judged {
    fn say(&mut self, verdict: Verdict, status: Status, confidence: Confidence) {
        (self.verdict, self.status, self.confidence) = (verdict, status, confidence);
    }

    fn blame(&mut self, id: &'static str) {
        if !self.causes.iter().any(|cause| cause.id == id) {
            self.causes.push(Cause::of(id));
        }
    }
}

/// Tables that nothing can be compared with, the gravest first.
fn broken(judged: &mut Judged, table: &Table) -> bool {
    let measured = judged.figures.is_some();
    if table.template_rows > 0 && !measured {
        judged.say(Verdict::TemplateNotFilled, Status::Fail, Confidence::High);
        judged.blame("template");
    } else if !measured && !table.failures.is_empty() {
        judged.say(Verdict::Failed, Status::Fail, Confidence::High);
        judged.blame("no-table");
    } else if !measured {
        judged.say(Verdict::Truncated, Status::Fail, Confidence::Medium);
        judged.blame("cut-off");
    } else if table.is_wrong() {
        judged.say(Verdict::WrongResults, Status::Fail, Confidence::High);
        judged.blame("corruption");
    } else if table.average_failed || table.died {
        judged.say(Verdict::Failed, Status::Fail, Confidence::High);
        judged.blame(if table.average_failed { "below-own-limit" } else { "died" });
    } else if judged.cluster.gpus == Some(1) {
        judged.say(Verdict::SingleGpu, Status::Unknown, Confidence::High);
    } else {
        return contradicts(judged, table);
    }
    if judged.cluster.gpus == Some(1) && measured {
        judged.blame("one-gpu");
    }
    true
}

/// More than half of the rows contradict themselves.
fn contradicts(judged: &mut Judged, table: &Table) -> bool {
    let rows = table.rows.iter().filter(|point| {
        point.sample().is_some_and(|sample| sample.algbw_gb_per_s >= 1.0) && point.size_bytes > 0.0
    });
    let off = measure::contradictions(table, judged.cluster.collective(), judged.cluster.gpus);
    if off == 0 || off * 2 < rows.count() {
        return false;
    }
    judged.say(Verdict::Inconsistent, Status::Unknown, Confidence::High);
    judged.blame("contradiction");
    true
}

fn compare(judged: &mut Judged, catalog: &Catalog, limits: &Limits, (table, figures): (&Table, &Figures)) {
    let all = expectations(catalog, limits, &judged.cluster);
    let nodes = judged.cluster.nodes.unwrap_or(1);
    let answers: Vec<Meets> = all.iter().map(|it| it.meets(limits, (table, figures), nodes)).collect();
    let any = |wanted: Meets| answers.contains(&wanted);
    let Some(nearest) = nearest(&all, &answers, figures) else {
        unknown(judged, table);
        return;
    };
    judged.compared_gb_per_s = Some(nearest.compared(table, figures));
    judged.expected = Some(nearest.clone());
    let sure = confidence(judged, figures, &answers);
    if any(Meets::Yes) && any(Meets::No) {
        judged.say(Verdict::DependsOnPlatform, Status::Unknown, Confidence::Low);
        let collective = judged.cluster.collective().is_none();
        judged.blame(if collective { "collective-needed" } else { "platform-needed" });
    } else if any(Meets::Yes) && !any(Meets::TooSmall) {
        healthy(judged, sure);
    } else if any(Meets::No) {
        slow(judged, catalog, limits, table, sure);
    } else {
        judged.say(Verdict::TooSmall, Status::Unknown, Confidence::Low);
    }
}

/// The expectation to show: of those that are met the highest, else the lowest.
fn nearest(all: &[Expectation], answers: &[Meets], figures: &Figures) -> Option<Expectation> {
    let distance = |it: &&Expectation| (figures.plateau_gb_per_s.max(1e-9) / it.expected).ln().abs();
    let met = all.iter().zip(answers).filter(|(_, answer)| **answer == Meets::Yes).map(|(it, _)| it);
    let by = |a: &&Expectation, b: &&Expectation| distance(a).total_cmp(&distance(b));
    met.min_by(by).or_else(|| all.iter().min_by(by)).cloned()
}

/// High where published figures of the machine, or of every machine that it could be, are of the plateau; every guess takes
/// a step off.
fn confidence(judged: &Judged, figures: &Figures, answers: &[Meets]) -> Confidence {
    let cluster = &judged.cluster;
    let Some(expected) = &judged.expected else { return Confidence::Low };
    let published = matches!(expected.basis, Basis::Published | Basis::Threshold);
    let agreed = answers.iter().all(|answer| *answer == Meets::Yes);
    let said = cluster.nodes == Some(1) || agreed || cluster.instance.is_some();
    let said = said && !cluster.guessed;
    let plateau = figures.saturated == Some(true) || expected.size_bytes.is_some();
    let doubts = [published, said, plateau, cluster.collective().is_some()].iter().filter(|it| !**it).count();
    match doubts {
        0 => Confidence::High,
        1 => Confidence::Medium,
        _ => Confidence::Low,
    }
}

fn unknown(judged: &mut Judged, table: &Table) {
    judged.say(Verdict::UnknownPlatform, Status::Unknown, Confidence::Low);
    let cluster = &judged.cluster;
    let id = if cluster.gpu.is_none() {
        "gpu-needed"
    } else if cluster.gpus.is_none() || cluster.nodes.is_none() {
        "size-needed"
    } else if cluster.collectives.is_empty() {
        "collective-needed"
    } else {
        "no-reference"
    };
    judged.blame(id);
    if judged.cluster.nodes.is_some_and(|nodes| nodes > 1) && table.evidence.socket && !table.evidence.fast {
        judged.say(Verdict::SocketFallback, Status::Fail, Confidence::Medium);
        judged.causes.insert(0, Cause::of("socket"));
    }
}

/// Enough; of cards without a link of their own it is said that this is PCIe.
fn healthy(judged: &mut Judged, sure: Confidence) {
    let Some(expected) = &judged.expected else { return };
    let above = expected.link_gb_per_s.is_some_and(|link| judged.compared_gb_per_s > Some(link));
    let node = judged.cluster.nodes == Some(1);
    let sums = judged.cluster.collective() == Some(Collective::AllReduce);
    if expected.pcie && node {
        judged.say(Verdict::PcieOnly, Status::Pass, sure);
        judged.blame("pcie-cards");
        return;
    }
    judged.say(Verdict::Healthy, Status::Pass, sure);
    if above && node && sums {
        judged.blame("nvls");
    }
}

fn slow(judged: &mut Judged, catalog: &Catalog, limits: &Limits, table: &Table, sure: Confidence) {
    let (Some(expected), Some(value)) = (judged.expected.clone(), judged.compared_gb_per_s) else { return };
    let share = value / expected.expected;
    let evidence = &table.evidence;
    if judged.cluster.nodes.is_some_and(|nodes| nodes > 1) {
        let sockets = evidence.socket && !evidence.fast;
        if share < limits.fallback || sockets {
            let id = if evidence.no_plugin { "no-plugin-found" } else { "socket" };
            let sure = if sockets || evidence.no_plugin { Confidence::High } else { sure };
            judged.say(Verdict::SocketFallback, Status::Fail, sure);
            judged.blame(id);
            judged.blame("plugin-missing");
            return;
        }
        judged.say(Verdict::Degraded, grave(limits, share), sure);
        judged.blame("cards-missing");
        judged.blame("no-gpudirect");
        judged.blame("congestion");
        return;
    }
    in_node(judged, catalog, limits, (table, &expected, value), sure);
}

/// Slow inside a node: below PCIe, at PCIe, at the rate of a ring where the switch could sum, or a weak link.
fn in_node(
    judged: &mut Judged,
    catalog: &Catalog,
    limits: &Limits,
    (table, expected, value): (&Table, &Expectation, f64),
    sure: Confidence,
) {
    let share = value / expected.expected;
    let slot = judged.cluster.gpu.and_then(|gpu| {
        let plain = crate::catalog::gpu::Gpu { link_bytes_per_s: None, ..catalog.gpu(gpu).clone() };
        Machine::of_gpu(catalog, &plain, 2).ok().map(|machine| machine.intra_bytes_per_s / 1e9)
    });
    let of_slot = slot.map(|slot| value / slot);
    let cards = expected.pcie;
    if of_slot.is_some_and(|of| of < limits.fallback) {
        judged.say(Verdict::SocketFallback, Status::Fail, sure.min(Confidence::Medium));
        judged.blame("socket");
        judged.blame("no-nvlink-path");
    } else if cards {
        judged.say(Verdict::PcieOnly, Status::Warn, sure);
        judged.blame("peer-off");
        judged.blame("pcie-cards");
    } else if of_slot.is_some_and(|of| of <= 1.0) {
        judged.say(Verdict::PcieOnly, Status::Fail, sure);
        judged.blame("no-nvlink-path");
    } else {
        judged.say(Verdict::Degraded, grave(limits, share), sure);
        let link = expected.link_gb_per_s.unwrap_or(f64::INFINITY);
        let ring = value >= limits.link.value * limits.warn.value * link && expected.expected > link;
        if ring || table.evidence.no_nvls {
            judged.blame("nvls-off");
        }
        judged.blame("link-degraded");
    }
}

fn grave(limits: &Limits, share: f64) -> Status {
    if share < limits.report.value { Status::Fail } else { Status::Warn }
}

/// What is worth knowing whatever the verdict.
fn remarks(judged: &mut Judged, limits: &Limits, table: &Table, figures: &Figures) {
    if figures.saturated == Some(false) {
        judged.blame("not-saturated");
    }
    if figures.saturated.is_none() {
        judged.blame("one-size");
    }
    if !table.complete && table.tool != super::Tool::NccomTest {
        judged.blame("cut-off");
    }
    if figures.plateau_gb_per_s < limits.warn.value * figures.best_gb_per_s {
        judged.blame("drops-at-the-top");
    }
    let usual = judged.expected.as_ref().and_then(|it| it.latency_us).or_else(|| {
        let nodes = judged.cluster.nodes?;
        Some(if nodes > 1 { limits.nodes_latency_us } else { limits.node_latency_us })
    });
    if let (Some(usual), Some(latency)) = (usual, figures.latency_us)
        && latency > usual * limits.latency_factor
    {
        judged.blame("latency-high");
    }
}
