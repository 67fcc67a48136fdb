//! A plan of commitments with all that it came from.

use super::PartKind;
use crate::catalog::Catalog;
use crate::price::commit::demand::Demand;
use crate::price::commit::offer::{Candidate, Offer, Priced};
use crate::price::commit::{Bill, Part, Plan, Question, Regret};

/// A plan with all that it came from.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// Names.
    pub catalog: &'a Catalog,
    /// The contracts.
    pub candidate: &'a Candidate,
    /// Their prices.
    pub priced: &'a Priced,
    /// The market and its rules.
    pub question: &'a Question,
    /// The demand.
    pub demand: &'a Demand,
    /// The plan.
    pub plan: &'a Plan,
    /// Its bill.
    pub bill: &'a Bill,
    /// What it costs when usage changes.
    pub regret: &'a [Regret],
}

impl Found<'_> {
    /// The offer that a part of the plan is bought under.
    pub(super) fn offer(&self, part: Part) -> (&Offer, PartKind) {
        let priced = self.priced;
        let (at, kind) = match part {
            Part::Commitment(commitment) => (priced.commitments[commitment], PartKind::Committed(commitment)),
            Part::Spot => (priced.spot.unwrap_or(priced.on_demand), PartKind::Spot),
            Part::OnDemand => (priced.on_demand, PartKind::OnDemand),
        };
        (&self.candidate.offers[at], kind)
    }
}
