//! From what the search found to the answer: rows in order, with every contract, and what was taken for granted.

use super::{Candidate, Outcome, Search};
use crate::advise::limits::DEFAULT_MAX_GPUS;
use crate::advise::lot::Run;
use crate::advise::offer::{also_in, prices_in};
use crate::advise::quota::{self, Launch};
use crate::advise::sooner::{Sooner, sooner};
use crate::advise::{Advice, Recommendation, rank, spot};
use crate::diag::{Assumption, Warning};
use crate::price::bill::costs;
use crate::price::{Cost, exchange, part as extras};
use std::collections::BTreeSet;

impl Search<'_> {
    /// The rows found, best first, with what the search took for granted and why the rest was turned down.
    pub(super) fn answer(mut self) -> Advice {
        rank::sort(&mut self.candidates, self.catalog, self.limits.sort);
        if self.limits.pareto {
            rank::keep_pareto(&mut self.candidates);
        }
        let sooner = self.sooner();
        self.candidates.truncate(self.limits.top);
        let mut warnings = BTreeSet::new();
        let mut recommendations = Vec::new();
        let mut checkpoint_bytes = None;
        for candidate in &self.candidates {
            if let Outcome::Run(run) = &self.runs[candidate.lot] {
                checkpoint_bytes.get_or_insert(run.checkpoint_bytes);
                warnings.extend(run.warnings.clone());
                warnings.extend(self.unproven(candidate.instance));
                recommendations.push(self.recommendation(candidate, run));
            }
        }
        let only_unknown_prices = recommendations.is_empty() && self.only_prices_are_missing();
        if self.considered == 0 {
            // Nothing passed the filters at all: say which of them turned the machines away.
            for (miss, count) in self.limits.filter.misses(self.catalog) {
                self.rejects.add_more(miss.name(), count);
            }
        }
        warnings.extend(self.unused_measurement());
        let counts = exchange::without_rate(self.catalog, &self.limits.filter, &self.limits.billing);
        warnings.extend(exchange::no_rate_warning(&counts));
        Advice {
            only_unknown_prices,
            assumptions: self.assumptions(&recommendations, checkpoint_bytes),
            considered: self.considered,
            rejected: self.rejects.finish(),
            warnings: warnings
                .into_iter()
                .chain(spot::refused(self.catalog, self.limits, &recommendations))
                .collect(),
            recommendations,
            sooner,
        }
    }

    /// What is done before the first row for little more; serving takes as long as it is asked to.
    fn sooner(&self) -> Option<Sooner> {
        let at_most = self.catalog.constant("sooner-for-at-most", None, None, None, 1)?;
        sooner(&self.candidates, at_most.value).filter(|_| self.workload.trains())
    }

    /// A measured network that no machine looked at could have.
    fn unused_measurement(&self) -> Option<Warning> {
        let measured = self.limits.measured.as_ref()?;
        let mut machines = self.limits.filter.instances(self.catalog).into_iter();
        let used = machines.any(|id| measured.holds_for(id, self.catalog.instance(id)));
        let message = format!(
            "no machine that qualifies is one of those that `{}` was measured on, so the catalog's networks stand",
            measured.from
        );
        (!used).then_some(Warning { id: "nccl-not-used", message })
    }

    /// What the search took for granted.
    fn assumptions(&self, rows: &[Recommendation], checkpoint_bytes: Option<f64>) -> Vec<Assumption> {
        let reruns = self.workload.trains();
        let mut all = spot::assumptions(self.catalog, self.limits, rows, checkpoint_bytes.filter(|_| reruns));
        all.extend(extras::assumptions(&self.limits.extras));
        all.extend(self.limits.measured.iter().map(|measured| measured.assumption(self.catalog)));
        if self.limits.gpus.is_none() && self.limits.max_gpus == DEFAULT_MAX_GPUS {
            all.push(Assumption {
                id: "max-gpus",
                value: DEFAULT_MAX_GPUS.to_string(),
                why: "larger clusters are looked at with --max-gpus or --gpus".to_owned(),
                source: "default of gpuadvise".to_owned(),
            });
        }
        all
    }

    fn recommendation(&self, candidate: &Candidate, run: &Run) -> Recommendation {
        let instance = self.catalog.instance(candidate.instance);
        let outlook = self.outlook(candidate.instance, run);
        let region = candidate.deal.region;
        let prices = prices_in(self.catalog, candidate.instance, region, self.limits);
        let charges = self.limits.filter.charges(self.catalog, candidate.instance, region);
        let job = self.bill(candidate.instance, run, (&outlook, charges));
        Recommendation {
            instance: candidate.instance,
            nodes: run.nodes,
            replicas: run.replicas,
            total_gpus: instance.gpus * f64::from(run.nodes),
            region: candidate.deal.region,
            also_in: also_in(self.catalog, candidate.instance, (&candidate.deal, &job), self.limits),
            layout: run.layout,
            memory: run.memory,
            capacity_bytes: instance.gpu_memory_bytes as f64,
            usable_bytes: run.usable_bytes,
            verdict: run.verdict,
            performance: run.performance.clone(),
            duration_hours: run.hours,
            costs: self.within_quotas(candidate, costs(&prices, &job)),
            ranked_total: candidate.deal.total,
            at_least: candidate.deal.at_least,
            ranked_billing: candidate.deal.billing,
        }
    }

    /// Says of each contract that a quota does not allow by how much.
    fn within_quotas(&self, candidate: &Candidate, mut costs: Vec<Cost>) -> Vec<Cost> {
        let (instance, nodes, region) = (candidate.instance, candidate.nodes, candidate.deal.region);
        for cost in &mut costs {
            let falls_back = self.limits.spot.fallback_after.is_some();
            let launch = Launch { instance, nodes, region, billing: cost.billing, falls_back };
            let short = quota::shortfall(self.catalog, &self.limits.quotas, &launch);
            cost.notes.extend(short.map(|short| format!("not launchable: {}", short.message())));
        }
        costs
    }
}
