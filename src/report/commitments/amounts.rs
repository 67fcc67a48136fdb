//! What a plan is made of, for its amounts in another currency.

use super::{Found, RegretLine};
use crate::money::{BilledHours, UsdPerHour};
use crate::price::commit::{Part, Tier, all_at};
use crate::report::exchange::ListedAmounts;
use crate::report::number::Num;

impl Found<'_> {
    /// What is sold in another currency, as it is sold, and what totals are made of.
    pub(super) fn amounts(&self, amounts: &mut ListedAmounts) {
        for offer in &self.candidate.offers {
            let Some(per_hour) = offer.per_hour else { continue };
            amounts.add_rate(per_hour, offer.listed);
            let one = |rate: UsdPerHour| {
                let term = offer.billing.term_hours()?;
                Some(rate.cost(BilledHours::from_f64(f64::from(term))?))
            };
            if let Some(owed) = one(per_hour) {
                let listed = offer.listed.and_then(|(code, rate)| Some((code, one(rate)?)));
                amounts.add_total(owed, listed);
            }
        }
        for tier in &self.bill.tiers {
            let listed = self.offer(tier.part).0.listed;
            amounts.add_total(tier.total, listed.map(|(code, rate)| (code, tier.at(rate))));
        }
        let committed = |tier: &&Tier| matches!(tier.part, Part::Commitment(_));
        amounts.sum(Some(self.bill.commitment), self.bill.tiers.iter().filter(committed).map(|it| it.total));
        amounts.sum(Some(self.bill.total), self.bill.tiers.iter().map(|it| it.total));
        let on_demand = &self.candidate.offers[self.priced.on_demand];
        if let Some((code, rate)) = on_demand.listed {
            let all = self.question.all_on_demand(self.demand);
            amounts.add_total(all, Some((code, all_at(rate, self.demand))));
        }
        for line in self.regret {
            let [total, best] = [line.total, line.best].map(Num::usd);
            amounts.rest(Some(total), Some(best), Some(RegretLine::more(total, best)));
        }
    }
}
