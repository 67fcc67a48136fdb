//! The verdict on one table, with what may be behind it and how sure that is.

use super::cluster::{self, Cluster, Said};
use super::expect::{Expectation, Limits, expectations};
use super::measure::{self, Figures};
use super::meets::Meets;
use super::verdict::{Basis, Status, Verdict};
use super::{Collective, Log, Table, slow};
use crate::catalog::Catalog;
use crate::insight::Confidence;

/// Something behind a verdict, or worth knowing beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Stable id, for `explain`.
    pub id: &'static str,
    /// One sentence.
    pub message: String,
    /// What to do; empty where nothing is to be done.
    pub advice: String,
}

impl Cause {
    /// One whose words come from the catalog in the end.
    pub(super) fn of(id: &'static str) -> Self {
        Self { id, message: String::new(), advice: String::new() }
    }

    /// The words of the catalog; a sentence with figures of the table stays.
    fn said(self, catalog: &Catalog) -> Self {
        let Some(words) = catalog.causes.iter().find(|words| words.id == self.id) else { return self };
        let message = if self.message.is_empty() { words.message.clone() } else { self.message };
        Self { message, advice: words.advice.clone(), ..self }
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
pub fn judge(catalog: &Catalog, limits: &Limits, file: &str, what: (&Log, &Table), said: &Said) -> Judged {
    let mut judged = without_words(catalog, limits, file, what, said);
    judged.causes = judged.causes.into_iter().map(|cause| cause.said(catalog)).collect();
    judged
}

fn without_words(
    catalog: &Catalog,
    limits: &Limits,
    file: &str,
    (log, table): (&Log, &Table),
    said: &Said,
) -> Judged {
    let cluster = cluster::of(catalog, file, log, table, said);
    let first = measure::figures(table, limits);
    let mut judged = Judged {
        cluster,
        figures: first,
        expected: None,
        compared_gb_per_s: None,
        verdict: Verdict::UnknownPlatform,
        status: Status::Unknown,
        confidence: Confidence::High,
        causes: Vec::new(),
    };
    if broken(&mut judged, limits, table) {
        return judged;
    }
    let Some(figures) = slower_column(limits, table, first, &judged.cluster) else { return judged };
    judged.figures = Some(figures);
    compare(&mut judged, catalog, limits, (table, &figures));
    if let Some(first) = first.filter(|first| first.out_of_place && !figures.out_of_place) {
        let mut other = judged.clone();
        other.causes.clear();
        compare(&mut other, catalog, limits, (table, &first));
        slow::in_place(&mut judged, &other, limits, (&first, &figures));
    }
    remarks(&mut judged, limits, table, &figures);
    judged
}

/// Where in place is slower than operators warn at, it counts: training sums its gradients in place.
fn slower_column(
    limits: &Limits,
    table: &Table,
    first: Option<Figures>,
    cluster: &Cluster,
) -> Option<Figures> {
    let first = first?;
    let sums = cluster.collective().is_some_and(Collective::is_ring);
    let other = measure::in_place(table, limits).filter(|other| {
        let same = (other.plateau_bytes - first.plateau_bytes).abs() < 0.5;
        sums && same && other.plateau_gb_per_s < limits.warn.value * first.plateau_gb_per_s
    });
    Some(other.unwrap_or(first))
}

impl Judged {
    pub(super) fn say(&mut self, verdict: Verdict, status: Status, confidence: Confidence) {
        (self.verdict, self.status, self.confidence) = (verdict, status, confidence);
    }

    pub(super) fn blame(&mut self, id: &'static str) {
        if !self.causes.iter().any(|cause| cause.id == id) {
            self.causes.push(Cause::of(id));
        }
    }

    /// A cause with the figures of this table.
    pub(super) fn explain(&mut self, id: &'static str, message: String) {
        self.causes.push(Cause { message, ..Cause::of(id) });
    }
}

/// Tables that nothing can be compared with, the gravest first.
fn broken(judged: &mut Judged, limits: &Limits, table: &Table) -> bool {
    let measured = judged.figures.is_some();
    if table.template_rows > 0 && !measured {
        judged.say(Verdict::TemplateNotFilled, Status::Fail, Confidence::High);
        judged.blame("template");
    } else if !measured && !table.failures.is_empty() {
        judged.say(Verdict::Failed, Status::Fail, Confidence::High);
        let neuron = table.tool == super::Tool::NccomTest;
        judged.blame(if neuron { "neuron-failed" } else { "no-table" });
    } else if !measured && !table.broken.is_empty() {
        judged.say(Verdict::Inconsistent, Status::Unknown, Confidence::High);
        judged.blame("broken-rows");
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
        return contradicts(judged, limits, table);
    }
    if judged.cluster.gpus == Some(1) && measured {
        judged.blame("one-gpu");
    }
    true
}

/// What is said and what is listed contradict each other, or more than half of the rows themselves.
fn contradicts(judged: &mut Judged, limits: &Limits, table: &Table) -> bool {
    if !judged.cluster.conflicts.is_empty() {
        judged.say(Verdict::Inconsistent, Status::Unknown, Confidence::High);
        for (id, message) in judged.cluster.conflicts.clone() {
            judged.explain(id, message);
        }
        return true;
    }
    let largest = judged.figures.map_or(0.0, |figures| figures.plateau_bytes);
    if table.broken.iter().any(|size| *size >= largest) {
        // The size that would be compared is the one that has no figure.
        judged.say(Verdict::Inconsistent, Status::Unknown, Confidence::High);
        judged.blame("broken-rows");
        return true;
    }
    let rows = table.rows.iter().filter(|point| {
        point.sample().is_some_and(|sample| sample.algbw_gb_per_s >= limits.least_gb_per_s)
            && point.size_bytes > 0.0
    });
    let off = measure::contradictions(table, limits, judged.cluster.collective(), judged.cluster.gpus);
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
    if !all.is_empty() && answers.iter().all(|answer| answer.is_above()) {
        slow::too_fast(judged, &all, &answers, figures.plateau_gb_per_s);
        return;
    }
    // What it is too fast for it is not.
    let (all, answers): (Vec<Expectation>, Vec<Meets>) =
        all.into_iter().zip(answers).filter(|(_, answer)| !answer.is_above()).unzip();
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
        if judged.cluster.collective().is_none() {
            judged.blame("collective-needed");
        } else if nodes == 1 && slow::bridged(judged, catalog) {
            judged.blame("bridge-needed");
        } else if all.iter().any(|it| it.between) {
            slow::between(judged, &all);
        } else {
            judged.blame("platform-needed");
        }
    } else if any(Meets::Yes) && !any(Meets::TooSmall) {
        healthy(judged, catalog, sure);
    } else if any(Meets::No) {
        slow::slow(judged, catalog, limits, table, sure);
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
    let id = if table.tool == super::Tool::NccomTest {
        "neuron-no-reference"
    } else if cluster.gpu.is_none() {
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
fn healthy(judged: &mut Judged, catalog: &Catalog, sure: Confidence) {
    let Some(expected) = &judged.expected else { return };
    let above = expected.link_gb_per_s.is_some_and(|link| judged.compared_gb_per_s > Some(link));
    let node = judged.cluster.nodes == Some(1);
    let sums = judged.cluster.collective() == Some(Collective::AllReduce);
    if expected.pcie && node {
        judged.say(Verdict::PcieOnly, Status::Pass, sure);
        slow::pcie(judged, catalog);
        return;
    }
    // A switch that sums is the only way above the rate of the link.
    let above = above && expected.most_link > expected.link_gb_per_s;
    judged.say(Verdict::Healthy, Status::Pass, sure);
    if above && node && sums {
        judged.blame("nvls");
    }
}

/// What is worth knowing whatever the verdict.
fn remarks(judged: &mut Judged, limits: &Limits, table: &Table, figures: &Figures) {
    if figures.saturated == Some(false) {
        judged.blame("not-saturated");
    }
    if figures.saturated.is_none() {
        judged.blame("one-size");
    }
    if !table.broken.is_empty() {
        judged.blame("broken-rows");
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
