//! The part of `recommend --scenario` that speaks of the guide: its machine, whether it holds, what it costs.

use super::cost::CostRow;
use super::date::Dated;
use super::document::Used;
use super::fit::FitLine;
use super::number::Num;
use super::text::price_text;
use crate::advise::fit;
use crate::catalog::Catalog;
use crate::catalog::knowledge::Scenario;
use crate::price::listing;
use crate::workload::Workload;
use serde::Serialize;

/// What the guide of a scenario recommends, held against one of its workloads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScenarioAnswer {
    /// Name of the scenario.
    pub name: String,
    /// What it is for.
    pub title: String,
    /// The guide's GPU, as it names it.
    pub guide_gpu: String,
    /// How many of it.
    pub guide_gpus: u32,
    /// CPU cores that the guide asks for.
    pub guide_vcpus: u32,
    /// The workload that the answer is about; `null` when none can be judged.
    pub judged: Option<String>,
    /// `fits`, `tight` or `no` for the guide's machine; `null` when nothing can be said.
    pub verdict: Option<&'static str>,
    /// The verdict with its figures, in one sentence.
    pub message: String,
    /// The workload on the guide's GPUs, memory term by term.
    pub guide_fit: Option<FitLine>,
    /// What machines of the guide's kind cost, contract by contract.
    pub guide_costs: Vec<CostRow>,
    /// The other workloads that can be judged, on the guide's GPUs.
    pub also_judged: Vec<AlsoJudged>,
    /// Workloads of the scenario without a verdict, with the reason.
    pub not_judged: Vec<NotJudged>,
    /// Where the guide says so.
    pub source: String,
    /// When it said so.
    pub as_of: Dated,
    /// Cautions.
    pub note: Option<String>,
    #[serde(skip)]
    pub(super) used: Used,
}

/// Another workload of the scenario with its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlsoJudged {
    /// What people call it.
    pub name: String,
    /// `fits`, `tight` or `no` for the guide's machine; `null` when nothing can be said.
    pub verdict: Option<&'static str>,
    /// The verdict with its figures, in one sentence.
    pub message: String,
}

/// A workload without a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotJudged {
    /// What people call it.
    pub name: String,
    /// Why no verdict is given.
    pub reason: String,
}

impl ScenarioAnswer {
    /// The guide's machine and the workloads that cannot be judged; no verdict yet.
    pub fn new(catalog: &Catalog, scenario: &Scenario) -> Self {
        let source = catalog.source(scenario.source);
        let mut used = Used::default();
        used.figure(scenario.source);
        let reason = |w: &crate::catalog::knowledge::ScenarioWorkload| {
            w.not_judged.as_ref().map(|reason| NotJudged { name: w.name.clone(), reason: reason.clone() })
        };
        Self {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            guide_gpu: scenario.guide_gpu.clone(),
            guide_gpus: scenario.guide_gpus,
            guide_vcpus: scenario.guide_vcpus,
            judged: None,
            verdict: None,
            message: "no workload of this scenario can be judged yet".to_owned(),
            guide_fit: None,
            guide_costs: Vec::new(),
            also_judged: Vec::new(),
            not_judged: scenario.workloads.iter().filter_map(reason).collect(),
            source: source.text.clone(),
            as_of: Dated(source.as_of),
            note: scenario.note.clone(),
            used,
        }
    }

    /// The same with a verdict: the workload called `name` on the guide's GPUs.
    #[must_use]
    pub fn judge(mut self, catalog: &Catalog, name: &str, workload: &Workload, result: &fit::Fit) -> Self {
        let line = FitLine::new(catalog, workload, result);
        self.used.figure(catalog.gpu(result.gpu).source);
        self.message = verdict_sentence(name, &line);
        self.verdict = line.reason.is_none().then_some(line.verdict);
        self.judged = Some(name.to_owned());
        self.guide_fit = Some(line);
        self
    }

    /// The same with the verdict on another of its workloads.
    #[must_use]
    pub fn judge_also(
        mut self,
        catalog: &Catalog,
        name: &str,
        workload: &Workload,
        result: &fit::Fit,
    ) -> Self {
        let line = FitLine::new(catalog, workload, result);
        let (message, verdict) =
            (verdict_sentence(name, &line), line.reason.is_none().then_some(line.verdict));
        self.also_judged.push(AlsoJudged { name: name.to_owned(), verdict, message });
        self
    }

    /// The same with what the guide's kind of machine costs.
    #[must_use]
    pub fn price(mut self, catalog: &Catalog, rows: &[listing::CostRow]) -> Self {
        for row in rows {
            self.used.price(row.cost.source);
        }
        self.guide_costs = rows.iter().map(|row| CostRow::new(catalog, 1.0, row)).collect();
        self
    }

    /// The lowest on-demand price of the guide's machine for one hour.
    pub(super) fn lowest_on_demand(&self) -> Option<(&CostRow, String)> {
        let on_demand = self.guide_costs.iter().filter(|row| row.billing == "on-demand");
        let priced = on_demand.filter_map(|row| row.usd_per_hour.map(|usd| (row, usd)));
        let least = priced.min_by(|a, b| a.1.value().total_cmp(&b.1.value()));
        least.map(|(row, usd)| (row, price_text(Some(usd))))
    }
}

fn verdict_sentence(name: &str, line: &FitLine) -> String {
    if let Some(reason) = &line.reason {
        return format!("{name} on {}x {} cannot be judged: {}", line.gpus, line.gpu, reason.message);
    }
    let machine = format!("{}x {}", line.gpus, line.gpu);
    let need = |figure: fn(&super::row::Memory) -> Num| line.memory.as_ref().map(figure).unwrap_or_default();
    let (total, usable) = (need(|m| m.total_gib), need(|m| m.usable_gib));
    match line.verdict {
        "no" => {
            format!("{name} does not fit {machine}: {total} GiB per GPU are needed, {usable} GiB are usable")
        }
        "tight" => format!("{name} is tight on {machine}: {total} of {usable} GiB per GPU are needed"),
        _ => format!("{name} fits {machine}: {total} of {usable} GiB per GPU are needed"),
    }
}
