//! The search itself: every allowed machine at every node count, priced, held against the limits and ranked.
//!
//! Only what can still make the answer is worked out: machines are taken in the order of a bound that no layout can beat,
//! and the search stops once the rows found are better than every bound left. A test compares it with brute force.

use super::best::BestKeys;
use super::limits::{DEFAULT_TOP, Limits};
use super::lot::{Lot, Models, Run, lots};
use super::miss::{self, Broken};
use super::offer::{Deal, Offer, Offers};
use super::quota;
use super::reject::Rejects;
use super::shape::{Shape, group};
use super::{Advice, Sort, spot};
use crate::catalog::Catalog;
use crate::catalog::charge::Charges;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::InstanceId;
use crate::estimate::{Unplannable, Verdict};
use crate::price::JobHours;
use crate::price::bill::{Job as Bill, SpotOutlook};
use crate::workload::Workload;
use prospect::Prospect;
use std::collections::{BTreeMap, BinaryHeap};

mod answer;
mod capable;
mod prospect;

/// A priced run that stays inside every limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) instance: InstanceId,
    /// Index of the lot.
    pub(super) lot: usize,
    pub(super) nodes: u32,
    pub(super) hours: f64,
    pub(super) verdict: Verdict,
    pub(super) deal: Deal,
}

impl Candidate {
    /// What the row is ranked by.
    pub(super) fn key(&self, sort: Sort) -> f64 {
        key(sort, self.deal.exact_usd, self.hours)
    }
}

/// The figure that an order goes by.
fn key(sort: Sort, total_usd: f64, hours: f64) -> f64 {
    match sort {
        Sort::Cost => total_usd,
        Sort::Time => hours,
        Sort::Value => total_usd * hours,
    }
}

/// The answer to "what should I rent for this workload under these limits?".
///
/// Deterministic: the same catalog, workload and limits give the same answer in the same order.
pub fn advise(catalog: &Catalog, workload: &Workload, limits: &Limits) -> Advice {
    let mut search = Search {
        catalog,
        workload,
        limits,
        offers: Vec::new(),
        lots: Vec::new(),
        runs: Vec::new(),
        prospects: BinaryHeap::new(),
        candidates: Vec::new(),
        models: Models::new(),
        rejects: Rejects::default(),
        considered: 0,
        refused: BTreeMap::new(),
        unpriced: Vec::new(),
    };
    for shape in group(catalog, &limits.filter.instances(catalog), limits) {
        search.look_at(&shape);
    }
    search.work_out();
    search.answer()
}

struct Search<'a> {
    catalog: &'a Catalog,
    workload: &'a Workload,
    limits: &'a Limits,
    offers: Vec<Offers<'a>>,
    lots: Vec<Lot<'a>>,
    /// What became of each lot.
    runs: Vec<Outcome>,
    prospects: BinaryHeap<Prospect>,
    candidates: Vec<Candidate>,
    models: Models<'a>,
    rejects: Rejects,
    considered: usize,
    /// What the software of the workload is refused on, by accelerator.
    refused: BTreeMap<GpuId, Option<Unplannable>>,
    /// A machine of each shape that no price is known of.
    unpriced: Vec<InstanceId>,
}

impl<'a> Search<'a> {
    /// Takes the prospects of one shape down, and rejects what needs no working out.
    fn look_at(&mut self, shape: &Shape) {
        if self.is_refused(shape) {
            return;
        }
        let mut priced = Vec::new();
        for &id in &shape.instances {
            let offers = Offers::of(self.catalog, id, self.limits);
            if offers.offers.is_empty() {
                self.rejects.add(offers.missing, 0.0, || miss::unpriced(self.catalog, id, offers.missing));
            } else {
                priced.push((id, self.offers.len()));
                self.offers.push(offers);
            }
        }
        let Some(&(first, _)) = priced.first() else {
            self.unpriced.push(shape.sample());
            return;
        };
        for outcome in lots(self.catalog, self.workload, shape.sample(), self.limits, &mut self.models) {
            match outcome {
                Ok(lot) => self.promise(lot, &priced),
                Err(miss) => {
                    let (reason, score) = miss.reason();
                    self.rejects.add(reason, score, || miss.describe(self.catalog, first));
                    self.rejects.add_more(reason, priced.len() - 1);
                }
            }
        }
    }

    fn promise(&mut self, lot: Lot<'a>, priced: &[(InstanceId, usize)]) {
        for &(instance, offers) in priced {
            let rate = self.offers[offers].lowest_rate();
            // Rounding of the last bits must not lift the bound above what it bounds.
            let least_usd = rate * f64::from(lot.nodes) * lot.least_hours * (1.0 - 1e-9);
            let least_key = key(self.limits.sort, least_usd, lot.least_hours);
            self.prospects.push(Prospect { instance, offers, lot: self.lots.len(), least_usd, least_key });
        }
        self.lots.push(lot);
        self.runs.push(Outcome::Open);
    }

    /// Works prospects out in the order of their bounds until no bound left can make the answer.
    fn work_out(&mut self) {
        let mut prospects = std::mem::take(&mut self.prospects);
        self.considered = prospects.len() + self.rejects.count();
        let mut best = BestKeys::wanted(self.limits.top.max(DEFAULT_TOP));
        while let Some(prospect) = prospects.pop() {
            if self.limits.pareto {
                if self.is_dominated(&prospect) {
                    continue;
                }
            } else if best.all_below(prospect.least_key) {
                break;
            }
            if let Some(candidate) = self.try_prospect(&prospect) {
                // What lacks a part stands behind all that is known, so it ends no search.
                if candidate.verdict == Verdict::Fits && !candidate.deal.at_least {
                    best.insert(candidate.key(self.limits.sort));
                }
                self.candidates.push(candidate);
            }
        }
    }

    /// Whether a row that was found beats everything that the prospect could become.
    fn is_dominated(&self, prospect: &Prospect) -> bool {
        let least_hours = self.lots[prospect.lot].least_hours;
        self.candidates.iter().any(|c| {
            c.verdict == Verdict::Fits
                && !c.deal.at_least
                && c.deal.exact_usd < prospect.least_usd
                && c.hours < least_hours
        })
    }

    fn try_prospect(&mut self, prospect: &Prospect) -> Option<Candidate> {
        let nodes = self.lots[prospect.lot].nodes;
        if let Some(broken) = self.breaks_by_bound(prospect, nodes) {
            self.reject(broken);
            return None;
        }
        if matches!(self.runs[prospect.lot], Outcome::Open) {
            let run = self.lots[prospect.lot].work_out(&self.workload.pins);
            self.runs[prospect.lot] = run.map_or(Outcome::Nothing, |run| Outcome::Run(Box::new(run)));
        }
        let Outcome::Run(run) = &self.runs[prospect.lot] else { return None };
        let offers = &self.offers[prospect.offers];
        let outlook =
            if offers.has_spot() { self.outlook(prospect.instance, run) } else { SpotOutlook::CALM };
        let may = |offer: &Offer<'_>| {
            let launch = offer.launch((prospect.instance, nodes), self.limits);
            quota::shortfall(self.catalog, &self.limits.quotas, &launch).is_none()
        };
        let bill = self.bill(prospect.instance, run, (&outlook, Charges::default()));
        let Some(deal) = offers.best(&bill, self.limits, may) else {
            if let Some(short) = offers.shortfall(self.catalog, self.limits, (prospect.instance, nodes)) {
                let (needed, limit) = (short.needed.unwrap_or(f64::INFINITY), short.limit);
                let describe = || miss::over_quota(self.catalog, prospect.instance, nodes, &short);
                self.rejects.add("quota", needed / limit.max(f64::MIN_POSITIVE), describe);
                return None;
            }
            let dear = offers.dear_spot(&bill);
            let describe = || miss::dear_spot(self.catalog, prospect.instance, &bill, &dear);
            self.rejects.add("spot-not-worth-it", dear.score(), describe);
            return None;
        };
        let candidate = Candidate {
            instance: prospect.instance,
            lot: prospect.lot,
            nodes,
            hours: deal.wall_hours,
            verdict: run.verdict,
            deal,
        };
        let figures = miss::Figures {
            instance: prospect.instance,
            nodes,
            hourly_usd: deal.rate.times(nodes).to_f64(),
            hours: candidate.hours,
            total_usd: deal.counted.to_f64(),
        };
        match miss::over_limit(self.limits, &figures) {
            Some(broken) => {
                self.reject(broken);
                None
            }
            None if self.limits.budget.is_some() && deal.at_least => {
                let describe = || miss::part_unknown(self.catalog, prospect.instance, nodes, deal.counted);
                self.rejects.add("price-unknown", deal.exact_usd, describe);
                None
            }
            None => Some(candidate),
        }
    }

    /// A limit that even the bound breaks: nothing needs to be worked out.
    fn breaks_by_bound(&self, prospect: &Prospect, nodes: u32) -> Option<Broken> {
        let figures = miss::Figures {
            instance: prospect.instance,
            nodes,
            hourly_usd: self.offers[prospect.offers].lowest_rate() * f64::from(nodes),
            hours: self.lots[prospect.lot].least_hours,
            // A total is rounded to the cent before it is held against a limit.
            total_usd: prospect.least_usd - 0.01,
        };
        miss::over_limit(self.limits, &figures).map(Broken::at_least)
    }

    fn reject(&mut self, broken: Broken) {
        self.rejects.add(broken.reason, broken.score(), || broken.describe(self.catalog));
    }

    fn outlook(&self, instance: InstanceId, run: &Run) -> SpotOutlook {
        spot::outlook(self.catalog, self.limits, instance, run)
    }

    fn bill<'b>(
        &self,
        instance: InstanceId,
        run: &Run,
        (outlook, charges): (&'b SpotOutlook, Charges<'b>),
    ) -> Bill<'b> {
        Bill {
            nodes: run.nodes,
            gpus_per_node: self.catalog.instance(instance).gpus,
            hours: JobHours { low: run.hours.low, expected: run.hours.expected, high: run.hours.high },
            reruns: self.workload.trains(),
            spot: outlook,
            charges,
            extras: self.limits.extras,
        }
    }
}

/// What became of a lot.
enum Outcome {
    /// Not worked out.
    Open,
    /// Worked out, and no layout holds the workload.
    Nothing,
    /// The best layout.
    Run(Box<Run>),
}
